"""Files about one submission, and about all. None has a date or a time, so that grading twice gives the same."""

import csv
import html
import io
import json
import os
import urllib.parse
import xml.etree.ElementTree as ElementTree

import columns
import feedbackpage
from build import named
from judging import TIMED_ELEMENTS
from printing import printable

MOST_LINES = 12  # of what a2 explains of one task
MOST_LISTED = 20  # files


def result_document(name, rubric, judged, handed, build, jail, problem, seed=None, student=None):
    """What result-schema.json describes."""
    points, extra = rubric.sums(judged)
    problem = problem and printable(problem)
    judged = [{**one, "reason": one["reason"] and printable(one["reason"])} for one in judged]
    wanted_missing = [] if handed is None else handed["missing"]
    return {
        "schema": 1, "name": name, "student": student, "title": rubric.title, "problem": problem, "points": points,
        "of": rubric.most, "extra": extra, "most_extra": rubric.most_extra, "criteria": judged, "manual": rubric.manual,
        "warnings": build.warnings if build else 0, "jail": jail, "seed": seed,
        "files": {
            "taken": [] if handed is None else handed["taken"],
            "missing": wanted_missing,
            "broken": [{"file": file, "why": why} for file, why in sorted(build.problems.items())] if build else [],
            "unused": [] if handed is None else handed["unused"],
            "refused": [] if handed is None else [{"path": path, "why": why} for path, why in handed["refused"]],
        },
    }


def code(lines):
    return ["", *(f"    {line}" for line in lines), ""]


def lines_of(test):
    """What a2 explains of a task, in lines."""
    if "why" in test:
        return [test["why"]]
    lines = [line for text in test.get("explanation", []) for line in text.split("\n")]
    if not lines:
        lines = [line for case in test["cases"] for text in case.get("findings", []) for line in text.split("\n")]
    return lines[:MOST_LINES] + ([f"(and {len(lines) - MOST_LINES} more lines)"] if len(lines) > MOST_LINES else [])


def plain(text):
    """A student's words in Markdown: as they are, and no markup."""
    return "".join("\\" + c if c in "\\`*_{}[]<>#|!" else c for c in text.replace("\n", " "))


def notes_of(test):
    """Of a task that passed: each rule once, however often it was noted."""
    by_rule = {}
    for finding in test["lint"]:
        by_rule.setdefault(finding["rule"], []).append(finding["message"])
    lines = ["", "Noted, though it passed:"] if by_rule else []
    for rule, messages in by_rule.items():
        more = f" (and {len(messages) - 1} more like it)" if len(messages) > 1 else ""
        lines += ["", f"- {rule}: {plain(messages[0])}{more}"]
    return lines


def feedback(result, results, labels):
    """feedback.md: what a student can learn from."""
    text = [f"# {plain(result['name'])}: {result['points']} of {result['of']} points"
            + (f", and {result['extra']} extra" if result["extra"] else ""), "", result["title"], ""]
    if result["problem"]:
        text += [f"**Not graded: {plain(result['problem'])}**", ""]
    text += ["| | points | of | why |", "|---|---|---|---|"]
    for one in result["criteria"]:
        text.append(f"| {one['title']}{' (extra)' if one['extra'] else ''} | {one['points']} | {one['of']} | "
                    f"{plain(one['reason'] or '')} |")
    text += [f"| {one['title']} | | | by hand |" for one in result["manual"]]
    text.append("")
    for task, test in results["runs"].get("course", {}).items() if results else []:
        if test["status"] == "passed" and not any(not one["met"] for one in test["method"]) and not test["lint"]:
            continue
        text += [f"## {task}: {test['status'].replace('-', ' ')}", "", labels[task]]
        diagnosis = test.get("diagnosis") or {}
        if test["status"] == "not-written":
            text += ["", "It is as it was handed out."]
        elif test["status"] != "passed":
            text += code(lines_of(test))
            if diagnosis.get("file"):
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
    return "\n".join(text)


def plain_item(line):
    return "- " + plain(line[2:])


def gradescope(result):
    """results.json: the score is the tests' sum; extra points stand apart."""
    tests = [{"name": one["title"], "score": one["points"], "max_score": one["of"],
              "status": "passed" if one["reason"] is None else "failed", "output": one["reason"] or "",
              "output_format": "text"} for one in result["criteria"] if not one["extra"]]
    words = f"{result['points']} of {result['of']} points and {result['extra']} extra."
    if result["problem"]:
        words += f" Not graded: {result['problem']}"
    return {"score": result["points"], "output": words, "output_format": "text", "tests": tests,
            "extra_data": {"extra": result["extra"], "most_extra": result["most_extra"],
                           "warnings": result["warnings"]}}


def classroom(result, environment=os.environ):
    """classroom50/result/v1; what its runner knows comes from the environment that it gives."""
    def known(name, otherwise):
        return environment.get(name) or otherwise

    # Whole numbers alone are taken: where there are half points, each half counts one.
    halves = any(one["of"] % 1 for one in result["criteria"])

    def scaled(points):
        return round(points * (2 if halves else 1))

    tests = [{"test-name": one["title"], "passed": one["reason"] is None, "score": scaled(one["points"]),
              "max-score": scaled(one["of"])} for one in result["criteria"] if not one["extra"]]
    return {"schema": "classroom50/result/v1", "classroom": known("CLASSROOM", "none"),
            "assignment": known("ASSIGNMENT", "a2"), "submission": known("SUBMISSION_TAG", result["name"]),
            "commit": known("COMMIT_URL", "none"), "release": known("RELEASE_URL", "none"),
            "review": known("REVIEW_URL", known("COMMIT_URL", "none")),
            "datetime": known("DATETIME", "1970-01-01T00:00:00Z"),  # the runner puts its own
            "score": scaled(result["points"]), "max-score": scaled(result["of"]), "tests": tests}


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
    """Without what XML cannot hold."""
    return "".join(c if c in "\t\n" or " " <= c <= "\ud7ff" or "\ue000" <= c <= "\ufffd" or c > "\uffff" else "?"
                   for c in text)


def as_json(document):
    return printable(json.dumps(document, indent=2, ensure_ascii=False)) + "\n"


def write_submission(folder, result, results, labels, log):
    """All files about one submission but those of its kernels and code."""
    said = printable(feedback(result, results, labels))
    texts = {"result.json": as_json(result), "feedback.md": said, "feedback.html": feedbackpage.page(said),
             "gradescope/results.json": as_json(gradescope(result)),
             "classroom50/result.json": as_json(classroom(result)), "junit.xml": junit(result),
             "build.log": printable(log.replace("\r\n", "\n")),
             "a2.json": as_json(results["runs"] if results else {})}
    if results and results["ms"]:
        texts["times.json"] = as_json({"schema": 1, "elements": TIMED_ELEMENTS, "ms": results["ms"],
                                       "reference_ms": results["reference_ms"]})
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", errors="replace")


def safe_cell(text):
    """A spreadsheet takes what begins so for a formula."""
    text = printable(text)
    return "'" + text if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text


def grades_csv(results, by_hand):
    """by_hand: columns.ByHand, of which manual columns and those that people have added stay."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    ids = [one["id"] for one in results[0]["criteria"]] if results else []
    manual = [one["id"] for one in results[0]["manual"]] if results else []
    added = by_hand.added({*columns.OWN, *ids, *manual}) if results else []
    writer.writerow(["name", "points", "of", "extra", *ids, "warnings", *manual, "problem", *added])
    for result in results:
        points = {one["id"]: one["points"] for one in result["criteria"]}
        writer.writerow([safe_cell(result["name"]), result["points"], result["of"], result["extra"],
                         *(points.get(one, 0) for one in ids), result["warnings"],
                         *(by_hand.of(result["name"], one) for one in manual), safe_cell(result["problem"] or ""),
                         *(by_hand.of(result["name"], one) for one in added)])
    return stream.getvalue()


def index_html(results, by_hand):
    def cell(text, tag="td"):
        return f"<{tag}>{html.escape(printable(str(text)))}</{tag}>"

    ids = [one["id"] for one in results[0]["criteria"]] if results else []
    manual = [one["id"] for one in results[0]["manual"]] if results else []
    heads = ["name", "points", "extra", *ids, "warnings", *manual, "problem"]
    rows = ["<tr>" + "".join(cell(text, "th") for text in heads) + "</tr>"]
    for result in results:
        name = html.escape(printable(result["name"]), quote=True)
        link = html.escape(urllib.parse.quote(result["name"]), quote=True)
        cells = [f'<td><a href="{link}/feedback.html">{name}</a></td>', cell(f"{result['points']} / {result['of']}"),
                 cell(result["extra"])]
        for one in result["criteria"]:
            reason = html.escape(printable(one["reason"] or ""), quote=True)
            cells.append(f'<td class="{"lost" if one["reason"] else "won"}" title="{reason}">{one["points"]}</td>')
        cells += [cell(result["warnings"]), *(cell(by_hand.of(result["name"], one)) for one in manual),
                  cell(result["problem"] or "")]
        rows.append("<tr>" + "".join(cells) + "</tr>")
    title = html.escape(results[0]["title"]) if results else "no submissions"
    return ("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>" + title + "</title>\n"
            "<style>body{font-family:sans-serif}td,th{padding:2px 8px;text-align:left}td.lost{background:#fdd}"
            "td.won{background:#dfd}</style></head><body>\n<h1>" + title + "</h1>\n"
            "<p><a href=\"class.html\">The class as a picture</a></p>\n<table>\n" + "\n".join(rows) +
            "\n</table>\n</body></html>\n")
