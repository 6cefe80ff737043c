"""The first wrong run of a submission as a picture: the page that `a2 steps --html` draws."""

import json
import re
import shlex

MOST_PAGE = 4 << 20  # characters
REPORT = re.compile(r'(?<=<script type="application/json" id="report">).*?(?=</script>)', re.DOTALL)


def run_of(test):
    """Words of `a2 steps` for the first wrong run of a task, without the program's name; None if a2 gave none. test: as
    in a2's JSON, cleaned."""
    command = (test.get("diagnosis") or {}).get("command") or ""
    try:
        words = shlex.split(command)
    except ValueError:
        return None
    return words[1:] if test["status"] == "failed" and words[1:2] == ["steps"] else None


def of_no_machine(page, clean):
    """The page without the grader's dates, times and paths, so that it is always the same. None if it is no such page,
    or too long. clean: is applied to all texts in it."""
    found = REPORT.search(page)
    if not found or len(page) > MOST_PAGE:
        return None
    report = clean(json.loads(found[0]))
    device = report["context"]["device"]
    report["context"] = {"device": {"name": device["name"], "subgroup": device["subgroup"]}}
    for dispatch in report["dispatches"]:
        dispatch["ms"] = None
    text = json.dumps(report).replace("<", "\\u003c")
    return page[:found.start()] + text + page[found.end():]
