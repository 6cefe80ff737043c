"""Graded submissions without a grading: their files, for tests of pages about a whole class."""

import json


def made(folder, name, a, b, tests=(), times=None, **changes):
    """The result of a submission with this many points of 2 for criterion a and of 4 for b; its files are in the folder
    of grades. tests: (run, task, a2's output besides that it passed). times: milliseconds of tasks."""
    criteria = [{"id": one, "title": one.upper(), "task": None, "points": points, "of": of, "extra": False,
                 "reason": None}
                for one, points, of in (("a", a, 2), ("b", b, 4))]
    result = {"schema": 1, "name": name, "student": None, "title": "The <class>", "problem": None, "points": a + b,
              "of": 6, "extra": 0, "most_extra": 0, "criteria": criteria, "manual": [], "warnings": 0,
              "times": {"elements": 1 << 20, "tasks": [*times], "ms": times, "reference_ms": {"r": 0.1}} if times else None,
              "files": {"taken": [], "missing": [], "broken": [], "unused": [], "refused": []}, **changes}
    runs = {}
    for run, task, test in tests:
        passed = {"status": "passed", "cases": [], "lint": [], "method": [], "diagnosis": None}
        runs.setdefault(run, {})[task] = {**passed, **test}
    files = {"result.json": json.dumps(result), "a2.json": json.dumps(runs), "feedback.md": f"# {name}\n"}
    (folder / name).mkdir(parents=True)
    for file, text in files.items():
        (folder / name / file).write_text(text, encoding="utf-8")
    return result
