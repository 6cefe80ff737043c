"""Files that are made from all results and the people's part, whenever either changes."""

import collections
import contextlib
import os
import shlex
import shutil

import classpage
import columns
import jsontext
import outputs
import people
from printing import in_line, number

PLAN = "grading.json"  # the common settings of a grading
RUBRIC_KNOWN = {"type": ["object", "null"], "required": ["title", "sha256"],
                "properties": {"title": {"type": "string"}, "sha256": {"type": "string"}}}
TASK_KNOWN = {"type": "object", "required": ["label"], "properties": {"label": {"type": "string"}}}
MOST_NAMED = 3  # submissions, in a line
PLAN_SCHEMA = {"type": "object", "properties": {  # the parts that are read; its schema is checked first
    "seed": {"type": "integer", "minimum": 0}, "rubric": RUBRIC_KNOWN,
    "tasks": {"type": "object", "additionalProperties": TASK_KNOWN},
    "before": {"type": "array", "items": {"type": "string"}}}}


# The parts of people.Final that change_of() prints.
Sum = collections.namedtuple("Sum", "points of extra")


class PlanError(Exception):
    """Why grading.json cannot be used, in one line."""


def plan_of(folder):
    """The content of grading.json; nothing if there is none. Raises PlanError."""
    path = folder / PLAN
    try:
        plan = jsontext.read(path)
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise PlanError(f"{path}: {jsontext.why(error)}: put it back as it was, or grade into another folder") from None
    if not isinstance(plan, dict) or plan.get("schema") != 1:
        raise PlanError(f"{path}: its schema is not 1: take the tools/grade that wrote it")
    wrong = jsontext.fault(plan, PLAN_SCHEMA)
    if wrong:
        raise PlanError(f"{path}: {wrong}: put it back as it was, or grade into another folder")
    return plan


def labels_of(plan):
    return {task: one["label"] for task, one in plan.get("tasks", {}).items()}


def runs_of(folder, name):
    """a2's results for a submission, in each way that it was asked. Raises PeopleError."""
    path = folder / name / "a2.json"
    try:
        runs = jsontext.read(path)
        if not isinstance(runs, dict):
            raise ValueError("it is no object")
        return runs
    except (OSError, ValueError) as error:
        raise people.Damaged(path, jsontext.why(error)) from None


def replace_all(texts):
    """path -> text or bytes. All are written to temporary files before the first is renamed. Raises OSError."""
    parts, path = {}, None
    made = {path.parent for path in texts if not path.parent.exists()}
    try:
        for path, text in texts.items():
            part = path.with_name(f".{path.name}.part")
            parts[part] = path
            path.parent.mkdir(parents=True, exist_ok=True)
            part.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "replace"))
            if path.exists():
                shutil.copymode(path, part)
        for part, path in parts.items():
            os.replace(part, path)
    except OSError as error:
        raise OSError(error.errno, f"{path} cannot be written: {error.strerror}") from None
    finally:
        for part in parts:
            with contextlib.suppress(OSError):
                part.unlink()
        for one in made:  # files that did not exist before are removed
            with contextlib.suppress(OSError):
                one.rmdir()


def texts_of(folder, results, said, labels, stale=()):
    """path -> text of every file with the people's part that differs from the present one. results: name -> result.
    stale: headings of an earlier rubric, whose columns are dropped from the table."""
    shown = list(results.values())
    machines = {*stale, *machines_headings(shown)}
    by_hand = columns.read(folder / "grades.csv", results, machines).without(set(stale))
    texts = {folder / "grades.csv": outputs.grades_csv(shown, by_hand, said),
             folder / "index.html": outputs.index_html(shown, by_hand, said, (folder / "similarity.html").is_file()),
             folder / "class.html": classpage.page(folder, shown, said)}
    for name, result in results.items():
        made = outputs.merged_texts(result, runs_of(folder, name), labels, said.final(result),
                                    outputs.picture_of(folder / name))
        texts.update({folder / name / file: text for file, text in made.items()})
    return {path: text for path, text in texts.items() if not is_there(path, text)}


def is_there(path, text):
    try:
        return path.read_bytes() == text.encode("utf-8", "replace")
    except FileNotFoundError:
        return False


def machines_headings(results):
    """Ids of criteria that a2 decides, in all these results."""
    return {one["id"] for result in results for one in result["criteria"]}


def finals_of(folder):
    """name -> people.Final, of all submissions in a folder of grades."""
    said = people.read(folder)
    return {name: said.final(result) for name, result in people.results_of(folder).items()}


def not_alike(folder, results, plan):
    """A line about those that are scored by another rubric than the rest; None if all are by one, as far as is known.
    results: name -> result."""
    by = {name: one["made"]["rubric"]["sha256"] for name, one in results.items() if "made" in one}
    if len(set(by.values())) < 2:
        return None
    known = (plan.get("rubric") or {}).get("sha256")
    rest = known if known in by.values() else collections.Counter(by.values()).most_common(1)[0][0]
    names = [name for name, sha256 in by.items() if sha256 != rest]
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return (f"{folder}: scored by another rubric than the rest: {', '.join(names[:MOST_NAMED])}{more}: tools/grade "
            f"--rescore -o {shlex.quote(str(folder))} --rubric FILE makes all alike")


def written(folder, name):
    """The Sum in the present files of a submission; None if they have none."""
    try:
        told = jsontext.read(folder / name / "gradescope/results.json")
        most = sum(one["max_score"] for one in told["tests"])
        return Sum(number(told["score"]), number(most), number(told["extra_data"]["extra"]))
    except (OSError, ValueError, LookupError, TypeError):
        return None


def changes(finals):
    """A line for each whose points have changed. finals: (name, before, after), each a people.Final or a Sum."""
    return [change_of(*one) for one in finals if len({Sum(each.points, each.of, each.extra) for each in one[1:]}) > 1]


def sum_of(final):
    return f"{final.points}" + (f" and {final.extra} extra" if final.extra else "")


def change_of(name, before, after):
    """A line about points that have changed. before: None if they cannot be read."""
    if before is None:
        return in_line(f"{name}: unreadable -> {sum_of(after)} of {after.of}")
    of = f"{after.of}" if before.of == after.of else f"{after.of} (before: of {before.of})"
    return in_line(f"{name}: {sum_of(before)} -> {sum_of(after)} of {of}")
