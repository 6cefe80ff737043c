"""class.html: a class as a picture: its points, what failed, and which submissions a person should look at."""

import collections
import csv
import io
import statistics
import urllib.parse

import charts
import columns
import copies
import jsontext
from charts import text_of
from rubric import first_line
from webpage import document, escaped

MOST_FAULTS, MOST_PAIRS, MOST_TEXT = 12, 20, 150
STATUSES = {"not-written": "not written", "timeout": "time-out", "crashed": "crash", "skipped": "skipped",
            "failed": "a wrong result"}
WAYS = {"lengths": "fails at other lengths", "groups-64": "fails with work-groups of 64",
        "groups-128": "fails with work-groups of 128"}
STYLE = charts.STYLE + """
.figures { display: flex; flex-wrap: wrap; gap: 0.5rem 2rem; }
figure { margin: 0; flex: 1 1 20rem; max-width: 31rem; }
figcaption, .small { color: var(--muted); font-size: 0.85rem; }
td.number, th.number { text-align: right; white-space: nowrap; }
td.drawn { width: 22%; }
@media (max-width: 40rem) {
  tr { display: grid; border-bottom: 1px solid var(--line); }
  th, td { border-bottom: 0; }
  th { font-size: 0.85rem; }
  tr > :nth-child(2) { grid-row: 2; grid-column: 1 / -1; }
  .criteria tr { grid-template-columns: 1fr 3.2rem 4rem 4rem 1.8rem; }
  .faults tr { grid-template-columns: 1fr 3rem; }
  .faults tr > :nth-child(4) { grid-column: 1 / -1; }
  th:nth-child(2) { display: none; }
  td.drawn { width: auto; }
  svg.bar { margin: 0; }
}
dt { font-weight: 600; margin-top: 0.6rem; }
dd { margin: 0; }
td { font-size: 0.92rem; }
@media print { td { font-size: 8pt; padding: 1pt 4pt; } dd, figcaption, .small { font-size: 8pt; line-height: 1.3; }
  h2 { margin-top: 0.7rem; } svg.bar { height: 7pt; margin-top: 1.5pt; } figure { max-width: 45%; } }
"""

# A submission, with the results of people and of a2. runs: as in a2.json; times: as in result.json.
Look = collections.namedtuple("Look", "name result final runs times")


def read_json(path):
    """The content of a submission's file; nothing if there is none, or it is of another version."""
    try:
        document_read = jsontext.parsed(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return document_read if isinstance(document_read, dict) else {}


def looks(folder, results, given):
    return [Look(one["name"], one, given.final(one), read_json(folder / one["name"] / "a2.json"),
                 one.get("times") or {}) for one in results]


def pairs(folder):
    """[(one, other, whole, percent, files)] of similarity.csv, the most alike first: how much they share of all files
    (by -> percent), the largest share of one file, and how many files are alike at all."""
    try:
        text = columns.decoded((folder / "similarity.csv").read_bytes())
    except OSError:
        return []
    found = {}
    for row in csv.DictReader(io.StringIO(text), restval=""):
        both = [(row.get(name) or "").removeprefix("'") for name in ("first", "second")]
        shares = [int(row[name]) for name in ("of_first", "of_second") if (row.get(name) or "").isdigit()]
        if all(both) and shares:
            whole, percents, files = found.setdefault(tuple(sorted(both)), ({}, [0], set()))
            if row.get("file") == copies.ALL:
                whole[row.get("by")] = max(shares)
            else:
                percents.append(max(shares))
                files.add(row.get("file"))

    return sorted(((*both, whole, max(percents), len(files)) for both, (whole, percents, files) in found.items()),
                  key=lambda one: (-how_much(one[2]), -one[3], -one[4], one[:2]))


def how_much(whole):
    """How much two share of all files: 1 or more is much."""
    return max((percent / copies.LEAST_PERCENT.get(by, 100) for by, percent in whole.items()), default=0)


def shared(whole, percent, files):
    """A pair in words."""
    of_all = ", ".join(f"{by} {share} %" for by, share in whole.items())
    return "; ".join([*([f"all files: {of_all}"] if whole else []),
                      *([f"up to {percent} % of a file, in {counted(files, 'file')}"] if files else [])])


def feedback_of(name):
    return urllib.parse.quote(name) + "/feedback.html"


def link(name, more=""):
    return f'<a href="{escaped(feedback_of(name))}"><bdi>{escaped(name)}</bdi></a>{escaped(more)}'


def cut(text):
    text = " ".join(text.split())
    return text if len(text) <= MOST_TEXT else text[:MOST_TEXT].rsplit(" ", 1)[0] + " ..."


def is_broken(look, test):
    """Whether a task failed because one of its files is missing or does not compile."""
    files = {one["file"] for one in look.result["files"]["broken"]}
    return (test.get("diagnosis") or {}).get("file") in files


def faults(look):
    """[(what, an example)] of one submission: rules, statuses, methods, each as often as it occurs."""
    files = look.result["files"]
    found = [("not handed in" if one["file"] in files["missing"] else "does not compile or link",
              f"{one['file']} {one['why']}") for one in files["broken"]]
    for task, test in look.runs.get("course", {}).items():
        # A task that is not written neither keeps nor breaks a rule.
        lint, method = (test["lint"], test["method"]) if test["status"] != "not-written" else ((), ())
        found += [(one["rule"], f"{task}: {one['message']}") for one in lint]
        found += [(f"not: {one['criterion']}", f"{task}: {one['evidence']}") for one in method if not one["met"]]
        said = any(one["severity"] == "failure" for one in lint)
        if test["status"] != "passed" and not said and not is_broken(look, test):
            found.append((STATUSES.get(test["status"], test["status"]), f"{task}: {first_line(test)}"))
    for run in WAYS:
        for task, test in look.runs.get(run, {}).items():
            if test["status"] not in ("passed", "skipped"):
                found.append((WAYS[run], f"{task}: {first_line(test)}"))
    return found


def most_frequent(every):
    """[(what, names, example, whose)], those of the most submissions first."""
    names, examples = {}, {}
    for look in every:
        for what, example in faults(look):
            examples.setdefault(what, (example, look.name))
            if look.name not in names.setdefault(what, []):
                names[what].append(look.name)
    order = sorted(names, key=lambda what: (-len(names[what]), what))
    return [(what, names[what], *examples[what]) for what in order]


def counted(count, what):
    return f"{count} {what}" + ("" if count == 1 else "s")


def points_figure(graded):
    of, values = graded[0].final.of, [look.final.points for look in graded]
    middle = statistics.median(values)
    title = f"Points of {counted(len(graded), 'submission')}: median {text_of(middle)} of {text_of(of)}"
    drawn, step = charts.histogram(title, values, of, (middle, f"median {text_of(middle)}"), f"points of {text_of(of)}",
                                   "submissions")
    spans = f"A bar spans {step} points, from the middle of its label on." if step > 1 else \
        "A half point counts in the bar of the whole ones below it."
    return f"<figure>\n{drawn}\n<figcaption>{spans}</figcaption>\n</figure>"


def throughput(times, kind):
    """GE/s of the fastest task, and its name; None if none was timed."""
    timed = times.get(kind) or {}
    if not timed:
        return None
    task = min(timed, key=timed.get)
    return times["elements"] / timed[task] / 1e6, task


def times_figure(graded):
    """Points against throughput; nothing if nothing was timed."""
    dots, references = [], []
    for look in graded:
        own, reference = throughput(look.times, "ms"), throughput(look.times, "reference_ms")
        if own:
            dots.append((own[0], look.final.points, f"{look.name}: {own[0]:.3g} GE/s ({own[1]}), "
                                                    f"{text_of(look.final.points)} points", feedback_of(look.name)))
        if reference:
            references.append(reference[0])
    if not dots:
        return ""
    mark = (statistics.median(references), "reference") if references else None
    title = f"Points and throughput of {counted(len(dots), 'submission')}"
    drawn = charts.scatter(title, dots, graded[0].final.of, mark,
                           "throughput, GE/s (10\N{SUPERSCRIPT NINE} elements per second)", "points")
    return (f"<figure>\n{drawn}\n<figcaption>Each dot is a submission, at the fastest of its timed tasks: "
            f"{len(dots)} of {len(graded)} were timed.</figcaption>\n</figure>")


def judged(final):
    """Everything with points, by a2 or by people."""
    return [*final.criteria, *(one for one in final.manual if one["of"])]


def criteria_table(graded):
    rows = []
    for one in judged(graded[0].final):
        values = [own["points"] for look in graded for own in judged(look.final)
                  if own["id"] == one["id"] and own["points"] is not None]
        if not values:  # not looked at yet
            continue
        mean, middle, of = statistics.fmean(values), statistics.median(values), one["of"]
        drawn = charts.bar(mean / of, middle / of) if of else ""
        title = escaped(one["title"]) + (" (extra)" if one.get("extra") else "")
        rows.append(f'<tr><td>{title}</td><td class="drawn">{drawn}</td>'
                    + "".join(f'<td class="number">{text}</td>' for text in (
                        f"{mean:.1f}", text_of(middle), f"{statistics.pstdev(values):.1f}", text_of(of))) + "</tr>")
    head = "".join(f'<th class="number">{text}</th>' for text in ("mean", "median", "spread", "of"))
    return ('<h2>Criteria</h2>\n<p class="small">The bar is the mean, the line in it the median; spread is the standard '
            'deviation.</p>\n<table class="criteria">\n'
            f"<tr><th>criterion</th><th></th>{head}</tr>\n" + "\n".join(rows) + "\n</table>")


def faults_table(graded):
    found = most_frequent(graded)
    if not found:
        return ""
    rows = [f'<tr><td>{escaped(what)}</td><td class="drawn">{charts.bar(len(names) / len(graded))}</td>'
            f'<td class="number">{len(names)}</td><td dir="auto">{escaped(cut(example))} ({link(whose)})</td></tr>'
            for what, names, example, whose in found[:MOST_FAULTS]]
    left = len(found) - MOST_FAULTS
    more = f'<p class="small">and {left} more, less frequent</p>' if left > 0 else ""
    return (f'<h2>What failed most</h2>\n<p class="small">Submissions, of {len(graded)}, in which a2 said so at least '
            'once, notes included, with the first that it was said of.</p>\n<table class="faults">\n'
            '<tr><th>what</th><th></th>'
            '<th class="number">n</th><th>example</th></tr>\n' + "\n".join(rows) + f"\n</table>\n{more}")


def ended(look, status):
    """Tasks that ended in this way in any of the runs."""
    return sorted({task for tests in look.runs.values() for task, test in tests.items()
                   if test["status"] == status and not is_broken(look, test)})


def own_modules(look):
    """What is known of tasks whose host code runs another kernel than the one that was handed in."""
    return list(dict.fromkeys(f"{task} {test['own_module']}" for tests in look.runs.values()
                              for task, test in tests.items() if "own_module" in test))


def to_look_at(every, similar):
    """[(why, how many, [HTML])] of submissions that a person should look at, most urgent first."""
    def those(why, condition, more):
        found = [link(look.name, more(look)) for look in every if condition(look)]
        return why, len(found), found

    def named(name):
        """A submission of an earlier year has no feedback here."""
        return link(name) if name in {look.name for look in every} else f"<bdi>{escaped(name)}</bdi>"

    def is_lost(look):
        return bool(look.result["problem"]) and look.result["problem"].startswith("lost on the cluster")

    def sharing(why, some):
        lines = [f"{named(one)} and {named(other)} ({escaped(shared(*what))})" for one, other, *what in some[:MOST_PAIRS]]
        more = [f"{len(some) - MOST_PAIRS} more in similarity.csv"] if len(some) > MOST_PAIRS else []
        return why, len(some), ["</dd>\n<dd>".join([*lines, *more])]

    def is_near(look):
        return not look.result["problem"] and abs(look.final.points - look.final.of / 2) <= 0.5

    return [
        those("Could not be graded", lambda look: look.result["problem"] and not is_lost(look),
              lambda look: f": {cut(look.result['problem'])}"),
        those("Lost on the cluster", is_lost, lambda look: ""),
        *(those(f"Ended by a {name}", lambda look, status=status: ended(look, status),
                lambda look, status=status: f" ({', '.join(ended(look, status))})")
          for status, name in (("crashed", "crash"), ("timeout", "time-out"))),
        those("Within half a point of half the points", is_near, lambda look: f" ({text_of(look.final.points)})"),
        those("Run kernels that are not those that were handed in", own_modules,
              lambda look: f": {cut('; '.join(own_modules(look)))}"),
        sharing("Share code that was not handed out, much of all files",
                [one for one in similar if how_much(one[2]) >= 1]),
        sharing("Share single files, which may be chance where they are short",
                [one for one in similar if how_much(one[2]) < 1]),
        those("Warnings of the compiler", lambda look: look.result["warnings"],
              lambda look: f" ({look.result['warnings']})"),
    ]


def look_list(every, similar):
    groups = [one for one in to_look_at(every, similar) if one[1]]
    if not groups:
        return "<h2>Who needs a look</h2>\n<p>Nobody stands out.</p>"
    return "<h2>Who needs a look</h2>\n<dl>\n" + "\n".join(
        f"<dt>{escaped(why)}: {count}</dt>\n<dd>{', '.join(names)}</dd>" for why, count, names in groups) + "\n</dl>"


def summary(every, graded, similar):
    words = [counted(len(every), "submission") if every else "No submission is graded yet"]
    if len(every) > len(graded):
        words.append(f"{len(every) - len(graded)} could not be graded, and is in no figure"
                     if len(every) == len(graded) + 1 else
                     f"{len(every) - len(graded)} could not be graded, and are in no figure")
    if graded:
        values = [look.final.points for look in graded]
        words.append(f"mean {statistics.fmean(values):.1f}, median {text_of(statistics.median(values))}, standard "
                     f"deviation {statistics.pstdev(values):.1f} of {text_of(graded[0].final.of)} points")
    copies = ', <a href="similarity.html">what they have in common</a>' if similar else ""
    return f'<p>{escaped("; ".join(words))}. <a href="index.html">All of them, in a table</a>{copies}</p>'


def page(folder, results, given):
    """results: of all submissions in the folder of grades. given: people.People, who make points final."""
    every = looks(folder, results, given)
    graded = [look for look in every if not look.result["problem"]]
    title = results[0]["title"] if results else "no submissions"
    similar = pairs(folder)
    parts = [f'<h1 dir="auto">{escaped(title)}</h1>', summary(every, graded, similar)]
    if graded:
        figures = f"{points_figure(graded)}\n{times_figure(graded)}"
        parts += [f'<div class="figures">\n{figures}\n</div>', criteria_table(graded), faults_table(graded)]
    if every:
        parts.append(look_list(every, similar))
    return document(title, "\n".join(parts), STYLE)
