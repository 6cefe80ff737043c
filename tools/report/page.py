"""The report as pages: its contents, their order, and their words."""

import hashlib
import pathlib
import re

import jinja2

import figures
import style
import tables

HERE = pathlib.Path(__file__).resolve().parent


class Part:
    """A section: figures with a sentence on how to read them, tables, and explanations."""

    def __init__(self, key, title, drawn, shown, explain):
        self.key, self.title, self.explain = key, title, explain
        self.figures = [(figure, reading) for figure, reading in drawn if figure]
        self.tables = [table for table in shown if table]
        self.links = []  # (the text after a sentence about pages, where that is)

    def __bool__(self):
        return bool(self.figures or self.tables)


def each_group(function, *arguments, **keywords):
    return [function(*arguments, group, what, **keywords) for group, what in tables.GROUPS]


def parts_of(side, prefix):
    """The sections about one side, except those for which its results have no data."""

    def both(function, reading):
        return [(figure, reading) for figure in each_group(function, side, prefix=prefix)]

    found = [
        Part("methods", "The methods side by side",
             both(figures.methods, "Longer is faster. The dark line goes from the slowest to the fastest repetition; "
                  "the upright mark is what the copy kernel's bandwidth would allow. Grey: half of a scan."),
             each_group(tables.methods, side),
             "Which step gained most, and why? What holds back the fastest method: memory, barriers, launches? How does "
             "the atomic reduction compare with the others? (Document 000, 3.3.5 and 3.4.)"),
        Part("workgroups", "Work-group sizes",
             both(figures.work_groups, "Higher is faster. Rings mark each method's best size, and those that are no slower beyond the spread "
                  "(the band, two standard deviations)."),
             each_group(tables.work_group_table, side),
             "Why is the best size the best, and what costs the smaller and the larger ones? (Document 000, 3.3.5.)"),
        Part("lengths", "Length of the array",
             both(figures.lengths, "Lower is faster; a line that runs flat is the cost of launching. The thick line is "
                  "the time to copy as many bytes as any method must move."),
             each_group(tables.length_table, side),
             "From which length on does the device beat one core, and all cores? Where does the time begin to grow with "
             "n, and why only there?"),
        Part("roofline", "Roofline",
             [(figures.roofline(side, prefix), "A point on the roof uses all of the memory's bandwidth; far below it, "
               "something else holds it back. Additions and bytes per element are counted in the same shape, the rate "
               "is that of the methods' table. “At least”: counted for a shorter array, and does more per element in "
               "longer ones.")],
             [], "Which methods are bound by memory? What would move the others up, and what to the right?"),
        Part("whole", "Kernel and end to end",
             both(figures.whole, "From the input in main memory to the result there. The diamond is the kernel's own "
                  "time, on the device's clock."),
             each_group(tables.whole, side),
             "When does it pay to bring data to the device for a sum or a scan alone? (Document 004, tables 1 and 2; "
             "document 002, question 4.)"),
        Part("theory", "Counted against the textbook",
             [(figures.counts(side, prefix), "Counted by following every invocation. The ring is the textbook's number "
               "of steps, the upright line its number of additions."),
              (figures.growth(side, prefix), "What stays flat is optimal: W / n for work, C / n for cost.")],
             [tables.theory(side)],
             "Which methods are work-optimal, which cost-optimal, and why? Where does the count differ from the "
             "textbook? (Document 000, 1.1 to 1.3.)"),
        Part("memory", "Shared and global memory",
             [(figures.banks(side, prefix), "1 way: no conflict; 0: shared memory is not touched in that phase. "
               "First work-group, 32 banks."),
              (figures.traffic(side, prefix), "32 invocations that read side by side touch 4 sectors, one each 32.")],
             [tables.banks(side), tables.traffic(side)],
             "How does padding remove the conflicts, and in which phases? Which accesses are coalesced? "
             "(Document 000, 2.1, 2.2 and 4.2.3.)"),
        Part("scaling", "More ranks", [], [tables.scaling(side)],
             "What holds back more ranks: the exchange, the last step of a scan, or devices that are shared? From which "
             "length on do they pay?"),
        Part("timeline", "Dispatches of one run",
             [(figures.timeline(side, prefix), "Blocks are dispatches in order, triangles the barriers before them.")],
             [tables.timeline(side)],
             "Why does each step need a dispatch and a barrier of its own, and what does that cost? (Document 000, "
             "3.3.1 to 3.3.3.)"),
    ]
    return [part for part in found if part]


def shown_command(command):
    """The command without the option for its JSON file, whose content is here now."""
    return re.sub(r" --json(?: |=)(?:'[^']*'|\S+)", "", command)


def setup(side):
    """(what, text) for everything that has to be stated with a time."""
    context, contexts = side.context, [context for _, context in side.contexts]

    def every(key):
        return list(dict.fromkeys(str(one[key]) for one in contexts if one.get(key) not in (None, "")))

    found = [("Device", f"{context['device']['name']} ({context['device']['type']})"),
             ("Driver", f"{context['device']['driver'].strip()}, Vulkan {context['device']['api']}"),
             ("a2", ", ".join(filter(None, (context.get("version"), context["build_type"], context["compiler"])))),
             ("Commit", ", ".join(every("commit")) or "not known"),
             ("Host", context["host"] or "not known"),
             ("Made", made(every("date"))),
             ("Seed", ", ".join(dict.fromkeys(str(content["context"]["seed"]) for _, content in side.files
                                              if content["benchmarks"] or content.get("dispatches"))) or "none"),
             ("Clock", ", ".join(every("timer")))]
    if side.types not in ([], ["uint32"]):
        found.append(("Elements", f"{', '.join(side.types)}; times of the CPU are of whole numbers"))
    peaks = [one["copy_peak_GBps"] for one in contexts if one["copy_peak_GBps"]]
    if peaks:
        found.append(("Copy kernel", f"{', '.join(map(tables.text_of, peaks))} GB/s, read plus written"))
    return found


def made(dates):
    """From the first to the last: 2026-11-23 03:13 to 03:15 UTC"""
    first, last = (text.replace("T", " ")[:16] for text in (min(dates), max(dates)))
    if first == last:
        return f"{first} UTC"
    return f"{first} to {last[11:] if last[:10] == first[:10] else last} UTC"


class About:
    """One side, as the pages show it."""

    def __init__(self, side, prefix):
        self.name, self.key, self.prefix = side.name, prefix.rstrip("-") or "results", prefix
        self.setup = setup(side)
        self.commands = [(f"data/{name}", shown_command(context.get("command") or ""))
                         for name, context in side.contexts]
        self.parts = parts_of(side, prefix)


class Report:
    """pages: (id, place) of tasks that a page shows step by step, of the first side."""

    def __init__(self, sides, pages=()):
        several = len(sides) > 1
        self.abouts = [About(side, f"{chr(ord('a') + index % 26)}-" if several else "")
                       for index, side in enumerate(sides)]
        called = tables.names(sides[0])
        for part in self.abouts[0].parts:
            if part.key == "timeline":
                part.links = [(called[task], page) for task, page in pages]
        self.comparison = None
        if several:
            self.comparison = Part(
                "comparison", "What changed",
                [(figures.comparison(sides[0], sides[1:]), "Left of the line is faster. Where the bar crosses the line, "
                  "the change may be chance.")],
                [tables.comparison(sides[0], side) for side in sides[1:]],
                "What was changed, or is different, and does that account for what is seen?")
        device = sides[0].context["device"]["name"]
        self.title = "Sums and scans on " + (device if not several else f"{len(sides)} machines or versions")
        number = 0
        for part in self.parts:
            numbered = []
            for figure, reading in part.figures:
                number += 1
                numbered.append((number, figure, reading))
            part.figures = numbered

    @property
    def parts(self):
        return ([self.comparison] if self.comparison else []) + [part for one in self.abouts for part in one.parts]

    @property
    def figures(self):
        return [figure for part in self.parts for _, figure, _ in part.figures]


def environment():
    made = jinja2.Environment(loader=jinja2.FileSystemLoader(HERE), autoescape=jinja2.select_autoescape(["html.j2"]),
                              trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True,
                              undefined=jinja2.StrictUndefined)
    made.filters["md"] = lambda text: re.sub(r"([|\\`*_<>\[\]])", r"\\\1", text)
    made.globals["colours"] = style.COLOURS
    return made


def write(report, sides, folder, wall):
    """All files of the report into an empty folder."""
    (folder / "figures").mkdir()
    for figure in report.figures:
        figure.write(folder / "figures")
    templates = environment()

    def render(template, **values):
        return templates.get_template(template).render(report=report, **values)

    def put(name, text):
        (folder / name).write_text(text, encoding="utf-8", newline="\n")

    put("report.html", render("report.html.j2"))
    put("report.md", render("report.md.j2"))
    if wall:
        chosen = wall_figures(report)
        made = render("wall.html.j2", figures=chosen, stamp="@STAMP@", setup=report.abouts[0].setup)
        stamp = hashlib.sha256(made.encode("utf-8")).hexdigest()
        put("wall.html", made.replace("@STAMP@", stamp))
        put("wall.js", f'a2Wall("{stamp}");\n')
    for figure in report.figures:
        figure.close()


def wall_figures(report):
    """The two most informative ones: how fast the methods are, and over which lengths; as far as they exist."""
    wanted = ("methods-reduce", "methods-scan", "lengths-reduce", "lengths-scan")
    plain = {re.sub(r"^[a-z]-", "", figure.name): figure for figure in reversed(report.figures)}
    pairs = (("methods-reduce", "methods-scan"), ("methods-reduce", "lengths-reduce"),
             ("methods-scan", "lengths-scan"))
    for pair in pairs:
        if all(name in plain for name in pair):
            return [plain[name] for name in pair]
    first = [plain[name] for name in wanted if name in plain]
    return (first + [figure for figure in report.figures if figure not in first])[:2]
