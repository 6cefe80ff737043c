"""tools/grade --rescore: points by another rubric, from the results that a2 gave earlier. It does not use a2."""

import shlex

import columns
import outputs
import people
import rubric
import tables
from judging import UNTIMED


class NotTaken(Exception):
    """Evidence for which a2 was not asked: lines, one for each submission."""

    def __init__(self, lines):
        super().__init__("\n".join(lines))
        self.lines = lines


def passed(tests):
    return {task for task, test in tests.items() if test["status"] == "passed"}


def evidence_of(by, result, runs):
    """(results, missing): the results that a grading by this rubric would have judged, in the form of Judge.judge_all,
    and what is missing from them, in words."""
    if result["problem"] is not None:
        return {"runs": {}, "ms": {}, "reference_ms": {}}, []
    results, missing = {"runs": {}, "ms": {}, "reference_ms": {}, "untimed": UNTIMED}, []
    for run in by.runs():
        tasks = by.undecided(run, results)
        there = runs.get(run, {})
        missing += [f"a2 check {' '.join(rubric.RUNS[run])} of {task}" for task in sorted(tasks - set(there))]
        results["runs"][run] = {task: test for task, test in there.items() if task in tasks}
    timed = by.timed() & passed(results["runs"].get("course", {}))
    if not missing and timed and by.wants_times(results):
        times = result.get("times") or {"tasks": [], "ms": {}, "reference_ms": {}}
        missing += [f"the time of {task}" for task in sorted(timed - set(times["tasks"]))]
        for key in ("ms", "reference_ms", "reference_spread"):
            results[key] = {task: value for task, value in times.get(key, {}).items() if task in timed}
        results["turns"], results["not_timed"] = times.get("turns", []), times.get("not_timed", {})
        del results["untimed"]
    return results, missing


def require_methods(by, evidence):
    """Raises RubricError for a criterion of a method that a2 named in no submission, though it named others."""
    for one, wanted in by.evidence():
        for task in wanted["tasks"] if wanted["kind"] == "method" else []:
            known = {found["criterion"] for runs in evidence.values()
                     for found in runs.get("course", {}).get(task, {}).get("method", [])}
            if known:
                by.require_method(one, task, wanted["criteria"], sorted(known))


def rescore(folder, path):
    """(lines about points that changed, number of submissions). Raises NotTaken, RubricError, PeopleError,
    ColumnsError, PlanError, OSError; then nothing was changed."""
    plan, old = tables.plan_of(folder), people.results_of(folder)
    if not old:
        raise people.PeopleError(f"{folder}: no submission is graded here: grade first, or name another -o")
    if "tasks" not in plan:
        raise tables.PlanError(f"{folder / tables.PLAN}: it does not name a2's tasks, being of an older tools/grade: "
                               "grade into another folder")
    by = rubric.load(path, plan["tasks"])
    evidence = {name: tables.runs_of(folder, name) for name in old}
    require_methods(by, evidence)
    new, wanting = {}, []
    for name, result in old.items():
        results, missing = evidence_of(by, result, evidence[name])
        if missing:
            more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
            command = ["--rubric", str(path), "--only", name, "--again"]
            wanting.append(f"{name}: nobody asked for {missing[0]}{more}; run: tools/grade SUBMISSIONS -o "
                           f"{shlex.quote(str(folder))} {shlex.join(command)}")
            continue
        made = {"rubric": {"title": by.title, "sha256": by.sha256}}
        new[name] = {**result, **outputs.scored(by, by.judge(results)),
                     **({"made": {**result["made"], **made}} if "made" in result else {})}
    if wanting:
        raise NotTaken(wanting)
    said = people.read(folder, new)
    stale, own = tables.machines_headings(old.values()), {one["id"] for one in by.criteria}
    columns.read(folder / "grades.csv", old, {*stale, *own}, own - stale)
    texts = {folder / name / "junit.xml": outputs.junit(result) for name, result in new.items()}
    texts.update(tables.texts_of(folder, new, said, tables.labels_of(plan), stale))
    texts.update({folder / name / "result.json": outputs.as_json(result) for name, result in new.items()})
    texts[folder / tables.PLAN] = outputs.as_json({**plan, **{"rubric": {"title": by.title, "sha256": by.sha256}}})
    # From the files: what people wrote may already fit the new rubric.
    finals = [(name, before, said.final(new[name])) for name in new if (before := tables.written(folder, name))]
    tables.replace_all(texts)
    return tables.changes(finals), len(new)
