"""What earns points: rubric.json, applied to a2's JSON. The points depend only on these two."""

import fnmatch
import hashlib
import re
import statistics

import jsontext
import reading
from columns import OWN
from house import ROOT
from printing import meant, number

# The ways of asking a2, by their names in evidence: options of `a2 check`, and whether it is asked only if needed.
RUNS = {
    "course": ["--course", "--up-to", "2^20"],
    "lengths": ["-w", "256", "--elements", "2", "--up-to", "262147"],  # three levels
    "groups-64": ["--course", "-w", "64", "--up-to", "5000"],
    "groups-128": ["--course", "-w", "128", "--up-to", "5000"],
}


def rules_of_the_page():
    """The rules that a walk through the kernels shows, and all others, from docs/rules.md."""
    page = (ROOT / "docs/rules.md").read_text(encoding="utf-8")
    sections = dict(re.findall(r"^## (.*)\n((?:(?!^## ).*\n?)*)", page, re.MULTILINE))
    heading = r"^### `([a-z-]+)`$"
    walked = {*re.findall(heading, sections["Of kernels, walked on the host"], re.MULTILINE), "out-of-bounds"}
    return walked, set(re.findall(heading, page, re.MULTILINE)) - walked


EMULATOR_RULES, LINT_RULES = rules_of_the_page()
KEYS = {
    "check": {"kind", "tasks", "runs", "up_to"},
    "lint": {"kind", "tasks", "rules"},
    "emulator": {"kind", "tasks", "rules"},
    "method": {"kind", "tasks", "criteria"},
    "time": {"kind", "tasks", "factor"},
}
MOST_POINTS = 100_000  # of one item; the maximum of a cell of manual.csv
FROM_NOTHING, ABOVE = (f"must be a number {least}, up to {MOST_POINTS}, whole or half" for least in ("from 0", "above 0"))
MOST_UP_TO = 1 << 20  # as in the course's run
MOST_SPREAD = 0.1  # of the reference's times: on a less steady device the bar is not lowered further


class RubricError(Exception):
    """An error in a rubric, and its place, in one line."""


def require(condition, where, what):
    if not condition:
        raise RubricError(f"{where}: {what}")


def require_known(names, known, where, what):
    for name in names:
        require(name in known, where, f"there is no {what} '{name}'{meant(name, known)}: {what}s must be some of "
                                      f"{', '.join(sorted(known))}")


def require_id(one, where):
    """An id is a heading of the table of grades, and part of names of files (rubric-schema.json)."""
    require(isinstance(one["id"], str) and re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", one["id"]), where,
            "id must be small letters and digits, with single hyphens between them")
    require(one["id"] not in OWN, where, f"the id '{one['id']}' is a column of the table of grades already")
    require(isinstance(one["title"], str) and one["title"], where, "title must be a text")


def is_texts(value):
    return isinstance(value, list) and value and all(isinstance(one, str) and one for one in value)


class Rubric:
    """criteria: those that a2 decides, extra ones last. manual: items that people look at."""

    def __init__(self, document, tasks):
        require(isinstance(document, dict), "rubric", "must be an object")
        keys = {"schema", "title", "most_extra", "criteria", "manual"}
        require(keys <= set(document), "rubric", "must have schema, title, most_extra, criteria and manual")
        more = set(document) - keys
        require(not more, "rubric", unknown_keys("a rubric", more, keys))
        require(document["schema"] == 1, "rubric",
                f"its schema is {document['schema']!r:.40}, and this tools/grade reads 1: docs/changes.md says what changed")
        require(is_points(document["most_extra"]), "rubric", f"most_extra {FROM_NOTHING}")
        require(isinstance(document["title"], str) and document["title"], "rubric", "title must be a text")
        for key in ("criteria", "manual"):
            require(isinstance(document[key], list), "rubric", f"{key} must be a list")
        require(document["criteria"], "rubric", "criteria must not be empty")
        self.path, self.sha256 = "rubric", None  # of the file, if it was read from one
        self.title, self.most_extra = document["title"], document["most_extra"]
        self.criteria, self.manual, seen = [], document["manual"], {}
        for i, one in enumerate(document["criteria"]):
            self.criteria.append(self.checked(one, f"criterion {i + 1}", tasks, seen))
            seen[one["id"]] = one
        for i, one in enumerate(self.manual):
            where = f"manual {i + 1}"
            require(isinstance(one, dict) and {"id", "title"} <= set(one), where, "must have id and title")
            more = set(one) - {"id", "title", "points"}
            require(not more, where, unknown_keys("what people look at", more, {"id", "title", "points"}))
            require_id(one, where)
            require("points" not in one or is_points(one["points"]) and one["points"] > 0, where,
                    f"points {ABOVE}; without them it has a comment alone")
            require(one["id"] not in seen, where, f"the id '{one['id']}' is there already")
            seen[one["id"]] = one
        self.criteria.sort(key=lambda one: one["extra"])
        self.most = sum(one["points"] for one in self.criteria if not one["extra"])

    @staticmethod
    def checked(one, where, tasks, seen):
        require(isinstance(one, dict) and {"id", "title", "points"} <= set(one) and {"evidence", "parts"} & set(one), where,
                "must have id, title, points, and evidence or parts")
        require_id(one, where)
        where = f"{where} ({one['id']})"
        keys = {"id", "title", "task", "points", "evidence", "parts", "needs", "extra"}
        more = set(one) - keys
        require(not more, where, unknown_keys("a criterion", more, keys))
        require(one["id"] not in seen, where, "the id is there already")
        require(is_points(one["points"]), where, f"points {FROM_NOTHING}")
        one = {"needs": [], "extra": False, "task": None, **one}
        require(isinstance(one["extra"], bool), where, "extra must be true or false")
        require(isinstance(one["needs"], list), where, "needs must be a list of ids")
        for need in one["needs"]:
            require(isinstance(need, str) and need in seen, where, f"needs '{need}', which does not stand before it{meant(need, seen)}")
        # Without evidence, its parts share no requirement; without parts, all points are one part.
        evidence = checked_list(one["evidence"], one, where, tasks) if "evidence" in one else []
        parts = checked_parts(one, where, tasks) if "parts" in one else [{"points": one["points"], "evidence": []}]
        return {**one, "evidence": evidence, "parts": parts}

    def evidence(self):
        """(criterion, evidence) of all, including parts."""
        return [(one, evidence) for one in self.criteria for evidence in evidence_of(one)]

    def undecided_parts(self, results):
        """(criterion, everything that must be shown for its points) of each part that has lost nothing yet."""
        parts = [(one, [*one["evidence"], *part["evidence"]]) for one in self.criteria for part in one["parts"]]
        return [(one, together) for one, together in parts if not any(fails_already(each, results) for each in together)]

    def runs(self):
        """The tasks of each way of asking a2: name of RUNS -> ids. The course's is the first, and covers all."""
        asked = {"course": set()}
        for _, evidence in self.evidence():
            for run in ("course", *evidence.get("runs", [])):
                asked.setdefault(run, set()).update(evidence["tasks"])
        return {run: tasks for run, tasks in asked.items() if tasks}

    def undecided(self, run, results):
        """The tasks for which this way of asking can still cost or earn a point, given the results so far."""
        if run == "course":
            return self.runs().get(run, set())
        return {task for _, together in self.undecided_parts(results) for evidence in together
                if run in evidence.get("runs", []) for task in evidence["tasks"]}

    def timed(self):
        return {task for _, evidence in self.evidence() if evidence["kind"] == "time" for task in evidence["tasks"]}

    def evidenced(self):
        """Tasks for which a2's method or findings, or a check in another way than the course's, are evidence."""
        return {task for _, evidence in self.evidence()
                if evidence["kind"] in ("method", "lint", "emulator") or other_ways(evidence)
                for task in evidence["tasks"]}

    def wants_times(self, results):
        """Whether times can still earn something. results: without times."""
        judged = self.judge(results)
        found, earned = {one["id"]: one for one in judged}, {one["id"] for one in judged if one["reason"] is None}
        full = self.sums(judged)[1] >= self.most_extra
        return any(evidence["kind"] == "time" and found[one["id"]]["points"] < one["points"]
                   and earned.issuperset(one["needs"]) and not (one["extra"] and full)
                   for one, together in self.undecided_parts(results) for evidence in together)

    def hold_against(self, runs):
        """What the project's own solution fails to show, one line each. runs: a2's results, in each way that runs()
        has, for all tasks of evidenced(); these must pass as the course asks. Raises RubricError for a criterion of a
        method that a2 does not know."""
        said, tests = [], runs["course"]
        for one, evidence in self.evidence():
            if evidence["kind"] == "method":
                for task in evidence["tasks"]:
                    known = [found["criterion"] for found in tests[task]["method"]]
                    self.require_method(one, task, evidence["criteria"], known)
            if evidence["kind"] == "check":
                evidence = {**evidence, "runs": other_ways(evidence)}
            if evidence["kind"] != "time":
                why = EVIDENCE[evidence["kind"]](evidence, {"runs": runs})
                if why:
                    said.append(f"criterion '{one['id']}': {why}")
        return said

    def require_method(self, one, task, names, known):
        """names: of a criterion's evidence; known: a2's criteria of this task's method."""
        for name in names:
            require(name in known, f"{self.path}: criterion '{one['id']}'",
                    f"the method of {task} has no criterion '{name}'{meant(name, known)}: there are "
                    f"{', '.join(known) or 'none'}")

    def judge(self, results):
        """[{id, title, task, points, of, extra, reason}], with a reason if points are missing."""
        judged, earned = [], set()
        for one in self.criteria:
            missing = [need for need in one["needs"] if need not in earned]
            reason = f"needs {', '.join(missing)} first" if missing else first_missing(one["evidence"], results)
            points = 0
            if reason is None:
                parts = [(part["points"], first_missing(part["evidence"], results)) for part in one["parts"]]
                points = number(sum(worth for worth, why in parts if why is None))
                reason = "; ".join(f"{worth} missing: {why}" for worth, why in parts if why is not None) or None
            if reason is None:
                earned.add(one["id"])
            judged.append({"id": one["id"], "title": one["title"], "task": one["task"], "points": points,
                           "of": one["points"], "extra": one["extra"], "reason": reason})
        return judged

    def sums(self, judged):
        """Points, and extra points as far as they count; without those that people give."""
        return (number(sum(one["points"] for one in judged if not one["extra"])),
                number(min(self.most_extra, sum(one["points"] for one in judged if one["extra"]))))


def evidence_of(criterion):
    """All evidence that it names, including that of its parts."""
    return [*criterion["evidence"], *(one for part in criterion["parts"] for one in part["evidence"])]


def fails_already(evidence, results):
    """Whether a2's results so far show that this is missing. Times come last; and a task that fails in the course's way
    is asked for in no other way."""
    if "course" not in results["runs"] or evidence["kind"] == "time":
        return False
    if evidence["kind"] == "check":
        if other_ways(evidence) and any(test_of(results, "course", task)["status"] != "passed" for task in evidence["tasks"]):
            return True
        evidence = {**evidence, "runs": [run for run in evidence["runs"] if run in results["runs"]]}
    return EVIDENCE[evidence["kind"]](evidence, results) is not None


def first_missing(evidence, results):
    """Why these are not all shown, by the first that is missing, or None."""
    return next((why for one in evidence if (why := EVIDENCE[one["kind"]](one, results)) is not None), None)


def other_ways(evidence):
    """The runs of a check that are not the course's."""
    return [run for run in evidence.get("runs", []) if run != "course"]


def is_points(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= MOST_POINTS and \
        value * 2 % 1 == 0


def unknown_keys(what, more, known):
    return "; ".join(f"{what} knows no '{one}'{meant(one, known)}" for one in sorted(more))


def checked_list(evidence, criterion, where, tasks):
    require(isinstance(evidence, list) and evidence, where, "evidence must be a list, and not empty")
    return [checked_evidence(one, criterion, f"{where}, evidence {i + 1}", tasks) for i, one in enumerate(evidence)]


def checked_parts(criterion, where, tasks):
    parts, checked = criterion["parts"], []
    require(isinstance(parts, list) and parts, where, "parts must be a list, and not empty")
    for i, part in enumerate(parts):
        place = f"{where}, part {i + 1}"
        require(isinstance(part, dict) and {"points", "evidence"} <= set(part), place, "must have points and evidence")
        more = set(part) - {"points", "evidence"}
        require(not more, place, unknown_keys("a part", more, {"points", "evidence"}))
        require(is_points(part["points"]) and part["points"] > 0, place, f"points {ABOVE}")
        checked.append({**part, "evidence": checked_list(part["evidence"], criterion, place, tasks)})
    sum_of_parts = sum(part["points"] for part in checked)
    require(sum_of_parts == criterion["points"], where,
            f"its parts have {sum_of_parts} points together, and it has {criterion['points']}: make them the same")
    return checked


def checked_evidence(evidence, criterion, where, tasks):
    require(isinstance(evidence, dict) and evidence.get("kind") in KEYS, where,
            f"kind must be one of {', '.join(sorted(KEYS))}"
            + meant(evidence.get("kind") if isinstance(evidence, dict) else None, KEYS))
    kind = evidence["kind"]
    more = set(evidence) - KEYS[kind]
    require(not more, where, unknown_keys(f"a {kind}", more, KEYS[kind]))
    globs = evidence.get("tasks", [criterion["task"]] if criterion["task"] else None)
    require(is_texts(globs), where, "names no task, and neither does its criterion")
    named = [task for glob in globs for task in tasks if fnmatch.fnmatchcase(task, glob)]
    for glob in globs:
        require(any(fnmatch.fnmatchcase(task, glob) for task in tasks), where,
                f"there is no task '{glob}'{meant(glob, tasks)}")
    evidence = {**evidence, "tasks": sorted(set(named), key=list(tasks).index)}
    if kind == "check":
        evidence.setdefault("runs", ["course"])
        require(is_texts(evidence["runs"]), where, f"runs must be some of {', '.join(RUNS)}")
        require_known(evidence["runs"], RUNS, where, "run")
        if "up_to" in evidence:
            most = evidence["up_to"]
            require(isinstance(most, int) and not isinstance(most, bool) and 0 < most <= MOST_UP_TO, where,
                    f"up_to must be a number of elements up to {MOST_UP_TO}")
            require(evidence["runs"] == ["course"], where, "up_to is of the run 'course' alone")
    elif kind in ("lint", "emulator"):
        rules = LINT_RULES if kind == "lint" else EMULATOR_RULES
        require(is_texts(evidence.get("rules")), where, f"rules must be some of {', '.join(sorted(rules))}")
        require_known(evidence["rules"], rules, where, "rule")
    elif kind == "method":
        require(is_texts(evidence.get("criteria")), where, "names no criteria of the method")
    elif kind == "time":
        factor = evidence.get("factor")
        require(isinstance(factor, (int, float)) and not isinstance(factor, bool) and 0 < factor <= 10, where,
                "factor must be a number up to 10")
    return evidence


def read(path):
    """(bytes, JSON) of a rubric. Raises RubricError."""
    try:
        data = reading.whole(path)
        return data, jsontext.of_bytes(data)
    except (OSError, ValueError) as error:
        raise RubricError(f"{path}: {jsontext.why(error)}") from None


def load(path, tasks):
    """Raises RubricError."""
    data, document = read(path)
    try:
        rubric = Rubric(document, tasks)
        rubric.path, rubric.sha256 = path, hashlib.sha256(data).hexdigest()
        return rubric
    except (RubricError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise RubricError(f"{path}: {error}") from None


def test_of(results, run, task):
    return results["runs"].get(run, {}).get(task) or {"status": "missing", "cases": [], "lint": [], "method": []}


def first_line(test):
    """Why a test did not pass, in one line."""
    words = {"not-written": "not written yet", "skipped": "skipped",
             "missing": "it was not judged", "timeout": "time-out", "crashed": "crash"}
    why = words.get(test["status"])
    lines = [line for case in test["cases"] for line in case.get("findings", [])]
    lines += [finding["message"] for finding in test["lint"] if finding["severity"] == "failure"]
    if "why" in test:
        lines = [test["why"]]
    if not lines:
        lines = [line for line in test.get("explanation", []) if "expected" in line] or test.get("explanation", [])
    line = lines[0].strip().split("\n")[0] if lines else None
    if test["status"] == "not-written" or not line:
        return why or "a wrong result"
    return f"{why}: {line}" if why else line


def fails_beyond(test, most):
    """Whether it failed only with wrong results, and only at more than this many elements: the course's run takes
    increasing lengths, and ends with the first that fails; a smaller one is looked for afterwards."""
    if most is None or test["status"] != "failed" or any(one["severity"] == "failure" for one in test["lint"]):
        return False
    failing = [case["n"] for case in test["cases"] if case["status"] != "passed"]
    smallest = (test.get("diagnosis") or {}).get("smallest_n")
    return bool(failing) and min(failing if smallest is None else [*failing, smallest]) > most


def evidence_check(evidence, results):
    for run in evidence["runs"]:
        for task in evidence["tasks"]:
            test = test_of(results, run, task)
            if test["status"] != "passed" and not fails_beyond(test, evidence.get("up_to")):
                way = "" if run == "course" else f" (a2 check {' '.join(RUNS[run])})"
                way += f" (up to {evidence['up_to']} elements)" if "up_to" in evidence else ""
                return f"{task}{way}: {first_line(test)}"
    return None


def evidence_rules(evidence, results):
    for task in evidence["tasks"]:
        test = test_of(results, "course", task)
        if test["status"] in ("missing", "not-written", "skipped"):
            return f"{task}: {first_line(test)}"
        for finding in test["lint"]:
            # A rule that the walk did not examine does not count as kept.
            unseen = evidence["kind"] == "emulator" and finding["rule"] == "not-walked"
            if unseen or finding["rule"] in evidence["rules"]:
                return f"{task}: {finding['rule']}: {finding['message']}"
    return None


def evidence_method(evidence, results):
    for task in evidence["tasks"]:
        test = test_of(results, "course", task)
        found = {one["criterion"]: one for one in test["method"]}
        for name in evidence["criteria"]:
            if test["status"] != "passed":
                return f"{task}: {first_line(test)}"
            if name not in found:
                return f"{task}: nothing shows '{name}'"
            if not found[name]["met"]:
                return f"{task}: not '{name}': {found[name]['evidence']}"
    return None


def ratio_of(times, tasks):
    """The fastest times of the submission and of the reference; None if one has none. times: `ms` and
    `reference_ms`."""
    own, reference = ([times[key][task] for task in tasks if task in times[key]] for key in ("ms", "reference_ms"))
    return min(own) / min(reference) if own and reference and min(reference) > 0 else None


def evidence_time(evidence, results):
    """The fastest of these tasks against the reference's fastest: the student chooses which one that is. A difference
    within the spread of the reference's own times is a tie, which counts for the student; a submission's own spread,
    which it could enlarge at will, does not count.

    A device may be slow for moments, and for whole turns. So two ratios are computed, that of the shortest times and
    the median of the turns' ratios: to keep up, one of them is enough; to be faster, both are needed."""
    tasks, factor = evidence["tasks"], evidence["factor"]
    if not any(test_of(results, "course", task)["status"] == "passed" for task in tasks):
        return f"{tasks[0]}: {first_line(test_of(results, 'course', tasks[0]))}"
    if "untimed" in results:
        return results["untimed"]
    shortest = ratio_of(results, tasks)
    if shortest is None:
        why = [f"{task}: {results['not_timed'][task]}" for task in tasks if task in results.get("not_timed", {})]
        return ": ".join(["no task of it was timed", *(f"with its own work-groups, {one}" for one in why[:1])])
    by_turn = [ratio for turn in results.get("turns", []) if (ratio := ratio_of(turn, tasks)) is not None]
    ratios = [shortest, statistics.median(by_turn)] if by_turn else [shortest]
    bar = min((task for task in tasks if task in results["reference_ms"]), key=results["reference_ms"].get)
    spread = min(MOST_SPREAD, results.get("reference_spread", {}).get(bar, 0))
    if (max if factor < 1 else min)(ratios) > factor * (1 + spread):
        return f"not within {factor} times the reference's time"
    return None


EVIDENCE = {"check": evidence_check, "lint": evidence_rules, "emulator": evidence_rules, "method": evidence_method,
            "time": evidence_time}
