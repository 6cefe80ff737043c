"""Files about one submission, and about all. None has a date or a time, so that a second grading gives the same."""

import csv
import html
import io
import json
import os
import urllib.parse
import xml.etree.ElementTree as ElementTree

import columns
import feedbackpage
import people
from build import named
from printing import in_line, printable

MOST_LINES = 12  # of a2's explanation of one task
MOST_LISTED = 20  # files
SECONDS = "seconds.json"
PICTURE = "steps.html"


def scored(rubric, judged):
    """The part of result-schema.json that the rubric and a2's results decide."""
    points, extra = rubric.sums(judged)
    judged = [{**one, "reason": one["reason"] and printable(one["reason"])} for one in judged]
    return {"title": rubric.title, "points": points, "of": rubric.most, "extra": extra, "most_extra": rubric.most_extra,
            "criteria": judged, "manual": rubric.manual}


def made_with(rubric, a2, device):
    return {"a2": a2, "rubric": {"title": rubric.title, "sha256": rubric.sha256}, "device": device}


def result_document(name, rubric, judged, handed, build, jail, problem, seed=None, made=None, times=None,
                    student=None):
    """The content described by result-schema.json. made: see made_with; times: see Judge.judge_all."""
    problem = problem and in_line(problem)
    wanted_missing = [] if handed is None else handed["missing"]
    return {
        "schema": 1, "name": name, "student": student, "problem": problem, **scored(rubric, judged),
        "warnings": build.warnings if build else 0, "jail": jail, "seed": seed,
        **({"made": made} if made else {}), "times": times,
        "files": {
            "taken": [] if handed is None else handed["taken"],
            "missing": wanted_missing,
            "broken": [{"file": file, "why": why} for file, why in sorted(build.problems.items())] if build else [],
            "unused": [] if handed is None else handed["unused"],
            "refused": [] if handed is None else [{"path": path, "why": why} for path, why in handed["refused"]],
        },
    }


def code(lines):
    return ["", *(f"    {line}" for text in lines for line in text.split("\n")), ""]


def lines_of(test):
    """a2's explanation of a task, in lines."""
    if "why" in test:
        return [test["why"]]
    lines = [line for text in test.get("explanation", []) for line in text.split("\n")]
    if not lines:
        lines = [line for case in test["cases"] for text in case.get("findings", []) for line in text.split("\n")]
    return lines[:MOST_LINES] + ([f"(and {len(lines) - MOST_LINES} more lines)"] if len(lines) > MOST_LINES else [])


def plain(text):
    """A student's words in Markdown: unchanged, without markup."""
    return "".join("\\" + c if c in "\\`*_{}[]<>#|!" else c for c in text.replace("\n", " "))


def notes_of(test):
    """For a task that passed: each rule once, even if it was noted several times."""
    by_rule = {}
    for finding in test["lint"]:
        by_rule.setdefault(finding["rule"], []).append(finding)
    own = test.get("own_module")  # see recorded.own_module
    lines = ["", "Noted, though it passed:"] if by_rule or own else []
    lines += ["", f"- its host code {plain(own)}"] if own else []
    for rule, findings in by_rule.items():
        count = sum(one.get("alike", 1) for one in findings)  # see judging.without_alike
        more = f" (and {count - 1} more like it)" if count > 1 else ""
        lines += ["", f"- {rule}: {plain(findings[0]['message'])}{more}"]
    return lines


def merged(result, final):
    """The people's part, if there is one."""
    return final or people.People().final(result)


def why_of(one):
    """Why a criterion has its points."""
    return one["reason"] or "" if one["by_hand"] is None else f"by hand: {one['by_hand']}"


def made_line(result):
    """The tools that graded it, in one line."""
    made = result.get("made")
    if not made:
        return []
    on = f" on {plain(made['device'])}" if made["device"] else ""
    seed = f", seed {result['seed']}" if result.get("seed") is not None else ""
    return [f"Graded with {plain(made['a2'])}{on}{seed}, by the rubric {plain(made['rubric']['title'])} "
            f"({(made['rubric']['sha256'] or 'no file')[:16]}).", ""]


def points_lines(result, final):
    """The beginning of feedback.md: points and reasons, including the people's part."""
    text = [f"# {plain(result['name'])}: {final.points} of {final.of} points"
            + (f", and {final.extra} extra" if final.extra else ""), "", result["title"], ""]
    if result["problem"]:
        text += [f"**Not graded: {plain(result['problem'])}**", ""]
    text += ["| | points | of | why |", "|---|---|---|---|"]
    for one in final.criteria:
        text.append(f"| {one['title']}{' (extra)' if one['extra'] else ''} | {one['points']} | {one['of']} | "
                    f"{plain(why_of(one))} |")
    for one in final.manual:
        points, most = (f"{'' if one[key] is None else one[key]} ".lstrip() for key in ("points", "of"))
        said = f": {plain(one['comment'])}" if one["comment"] else ""
        text.append(f"| {one['title']} | {points}| {most}| by hand{said} |")
    return text


def feedback(result, results, labels, final=None):
    """feedback.md: what a student can learn from. final: people.Final."""
    text = [*points_lines(result, merged(result, final)), ""]
    for task, test in results["runs"].get("course", {}).items() if results else []:
        told = test["lint"] or test.get("own_module") or any(not one["met"] for one in test["method"])
        if test["status"] == "passed" and not told:
            continue
        text += [f"## {task}: {test['status'].replace('-', ' ')}", "", labels.get(task, task)]
        diagnosis = test.get("diagnosis") or {}
        if test["status"] == "not-written":
            text += ["", "It is as it was handed out."]
        elif test["status"] != "passed":
            text += code(lines_of(test))
            if diagnosis.get("file") and diagnosis["file"] not in result["files"]["missing"]:
                line = f", line {diagnosis['line']}" if diagnosis.get("line") else ""
                text += [f"Look at {plain(diagnosis['file'])}{line}."]
            if diagnosis.get("dispatch") is not None:
                text += [f"The first wrong dispatch is number {diagnosis['dispatch']}."]
            if diagnosis.get("command"):
                text += ["To see every step:", *code([diagnosis["command"]])]
        for one in test["method"]:
            if not one["met"]:
                text += ["", f"- the method is not '{one['criterion']}': {plain(one['evidence'])}"]
        if test["status"] == "passed":
            text += notes_of(test)
        text.append("")
    files = result["files"]
    if result["warnings"]:
        text += [f"The compiler warns {result['warnings']} times; build.log has the lines.", ""]
    listed = [f"- {named(one['file'], one['why'])}" for one in files["broken"]]
    listed += [f"- {one['path']}: refused, {one['why']}" for one in files["refused"][:MOST_LISTED]]
    if listed:
        text += ["## Files", "", *map(plain_item, listed), ""]
    if files["unused"]:
        text += [f"Not used, because no task names them: {len(files['unused'])} files, such as "
                 f"{plain(', '.join(files['unused'][:5]))}.", ""]
    text += made_line(result)
    return "\n".join(text)


def plain_item(line):
    return "- " + plain(line[2:])


def counted(final):
    """(title, points, of, whether all of them, why) of the items that add up to the points."""
    for one in final.criteria:
        if not one["extra"]:
            yield one["title"], one["points"], one["of"], one["reason"] is None, why_of(one)
    for one in final.manual:
        if one["of"] is not None:
            why = one["comment"] or ("not given yet" if one["points"] is None else "by hand")
            yield one["title"], one["points"] or 0, one["of"], one["points"] == one["of"], why


def gradescope(result, final=None):
    """results.json: the score is the tests' sum; extra points are separate."""
    final = merged(result, final)
    tests = [{"name": title, "score": points, "max_score": most, "status": "passed" if whole else "failed",
              "output": why, "output_format": "text"} for title, points, most, whole, why in counted(final)]
    words = f"{final.points} of {final.of} points and {final.extra} extra."
    if result["problem"]:
        words += f" Not graded: {in_line(result['problem'])}"
    return {"score": final.points, "output": words, "output_format": "text", "tests": tests,
            "extra_data": {"extra": final.extra, "most_extra": result["most_extra"],
                           "warnings": result["warnings"]}}


def classroom(result, environment=os.environ, final=None):
    """classroom50/result/v1; the environment that its runner sets has the runner's values."""
    def known(name, otherwise):
        return environment.get(name) or otherwise

    # Only whole numbers are accepted: if there are half points, each half counts one.
    final = merged(result, final)
    halves = final.halves or any((one["of"] or 0) % 1 for one in [*final.criteria, *final.manual])

    def scaled(points):
        return round(points * (2 if halves else 1))

    tests = [{"test-name": title, "passed": whole, "score": scaled(points), "max-score": scaled(most)}
             for title, points, most, whole, _ in counted(final)]
    return {"schema": "classroom50/result/v1", "classroom": known("CLASSROOM", "none"),
            "assignment": known("ASSIGNMENT", "a2"), "submission": known("SUBMISSION_TAG", result["name"]),
            "commit": known("COMMIT_URL", "none"), "release": known("RELEASE_URL", "none"),
            "review": known("REVIEW_URL", known("COMMIT_URL", "none")),
            "datetime": known("DATETIME", "1970-01-01T00:00:00Z"),  # the runner replaces it
            "score": scaled(final.points), "max-score": scaled(final.of), "tests": tests}


def junit(result):
    suites = ElementTree.Element("testsuites")
    failed = sum(one["reason"] is not None for one in result["criteria"])
    suite = ElementTree.SubElement(suites, "testsuite", name=xml_text(result["name"]),
                                   tests=str(len(result["criteria"])), failures=str(failed), errors="0", skipped="0")
    for one in result["criteria"]:
        case = ElementTree.SubElement(suite, "testcase", classname=xml_text(result["name"]), name=one["id"])
        if one["reason"] is not None:
            ElementTree.SubElement(case, "failure", message=xml_text(one["reason"]))
    ElementTree.indent(suites)
    return ElementTree.tostring(suites, encoding="unicode", xml_declaration=True) + "\n"


def xml_text(text):
    """The text without characters that XML cannot hold."""
    return "".join(c if c in "\t\n" or " " <= c <= "\ud7ff" or "\ue000" <= c <= "\ufffd" or c > "\uffff" else "?"
                   for c in text)


def as_json(document):
    return printable(json.dumps(document, indent=2, ensure_ascii=False)) + "\n"


def picture_of(folder):
    """The first wrong run of a submission as a page, or None."""
    try:
        return (folder / PICTURE).read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return None


def merged_texts(result, runs, labels, final, picture=None):
    """The files with the people's part. result, runs: the content of result.json and a2.json. picture: see
    picture_of."""
    results = {"runs": runs} if runs else None
    said = printable(feedback(result, results, labels, final))
    return {"feedback.md": said, "feedback.html": feedbackpage.page(said, picture),
            "gradescope/results.json": as_json(gradescope(result, final)),
            "classroom50/result.json": as_json(classroom(result, final=final))}


def write_submission(folder, result, results, labels, log, spent=None):
    """All files about one submission except its kernels and code, before people add their part. spent: seconds, see
    Build.spent; they have a separate file, so that all others are the same in a second grading."""
    texts = {"result.json": as_json(result), "a2.json": as_json(results["runs"] if results else {}),
             "junit.xml": junit(result), "build.log": printable(log.replace("\r\n", "\n"))}
    picture = results.get("picture") if results else None
    if picture:
        texts[PICTURE] = picture
    if spent and spent["judge"]:
        texts[SECONDS] = as_json({what: round(seconds, 1) for what, seconds in spent.items()})
    # In the form in which they will be made again from those files.
    texts.update(merged_texts(json.loads(texts["result.json"]), json.loads(texts["a2.json"]), labels, None, picture))
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", errors="replace")


def safe_cell(text):
    """Text that spreadsheets would read as a formula gets an apostrophe."""
    text = printable(text)
    return "'" + text if text.startswith(columns.FORMULA) else text


def headings(results):
    """(ids of criteria, ids of items for people) of all results: some may be of another rubric."""
    return [list(dict.fromkeys(one["id"] for result in results for one in result[key]))
            for key in ("criteria", "manual")]


def manual_cell(final, criterion, by_hand, name):
    """The cell of the table: manual.csv's if it has one, else what people have written there."""
    one = next((one for one in final.manual if one["id"] == criterion), None)
    if one is None or one["points"] is None and not one["comment"]:
        return by_hand.of(name, criterion)
    return safe_cell(one["comment"]) if one["points"] is None else one["points"]


def grades_csv(results, by_hand, said=None):
    """by_hand: columns.ByHand, whose manual columns and added columns are kept. said: people.People."""
    said = said or people.People()
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    ids, manual = headings(results)
    added = by_hand.added({*columns.OWN, *ids, *manual}) if results else []
    writer.writerow(["name", "points", "of", "extra", *ids, "warnings", *manual, "problem", *added])
    for result in results:
        final = said.final(result)
        points = {one["id"]: one["points"] for one in final.criteria}
        writer.writerow([safe_cell(in_line(result["name"])), final.points, final.of, final.extra,
                         *(points.get(one, "") for one in ids), result["warnings"],
                         *(manual_cell(final, one, by_hand, result["name"]) for one in manual),
                         safe_cell(in_line(result["problem"] or "")), *(by_hand.of(result["name"], one) for one in added)])
    return stream.getvalue()


def index_html(results, by_hand, said=None, copies=False):
    def cell(text, tag="td"):
        return f"<{tag}>{html.escape(printable(str(text)))}</{tag}>"

    said = said or people.People()
    ids, manual = headings(results)
    heads = ["name", "points", "extra", *ids, "warnings", *manual, "problem"]
    rows = ["<tr>" + "".join(cell(text, "th") for text in heads) + "</tr>"]
    for result in results:
        final = said.final(result)
        name = html.escape(printable(result["name"]), quote=True)
        link = html.escape(urllib.parse.quote(result["name"]), quote=True)
        cells = [f'<td><a href="{link}/feedback.html">{name}</a></td>', cell(f"{final.points} / {final.of}"),
                 cell(final.extra)]
        by_id = {one["id"]: one for one in final.criteria}
        for one in ids:
            cells.append(criterion_cell(by_id[one]) if one in by_id else "<td></td>")
        cells += [cell(result["warnings"]), *(cell(manual_cell(final, one, by_hand, result["name"])) for one in manual),
                  cell(result["problem"] or "")]
        rows.append("<tr>" + "".join(cells) + "</tr>")
    title = html.escape(results[0]["title"]) if results else "no submissions"
    return ("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>" + title + "</title>\n"
            "<style>body{font-family:sans-serif}td,th{padding:2px 8px;text-align:left}td.lost{background:#fdd}"
            "td.won{background:#dfd}</style></head><body>\n<h1>" + title + "</h1>\n"
            "<p><a href=\"class.html\">The class as a picture</a>" +
            (", <a href=\"similarity.html\">what submissions have in common</a>" if copies else "") +
            "</p>\n<table>\n" + "\n".join(rows) +
            "\n</table>\n</body></html>\n")


def criterion_cell(one):
    reason = html.escape(printable(why_of(one)), quote=True)
    return f'<td class="{"lost" if one["reason"] else "won"}" title="{reason}">{one["points"]}</td>'
