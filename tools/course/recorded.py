"""The recordings of submissions, as a2 described them for the tasks that passed: they show host code under other names
and in another order, and which kernels run."""

import re

import people
import tables

DISPATCHED = re.compile(r"dispatch (?P<kernel>.*?) (?:\d+ x \d+ x \d+|by (?:input|offsets|made))\b")
OWN = "a kernel of the solution's own"  # a2's name for a module that host code made itself, of any words


def own_module(test, files):
    """What a person should know about a task that passed, whose host code runs another kernel than those that were
    handed in; None if it does not. files: of the task. a2 has the first commands of one run."""
    found = [DISPATCHED.match(line) for line in test.get("recorded", ())]
    ran = {one["kernel"] for one in found if one}
    if OWN not in ran:
        return None
    kernels = [file for file in files if file.endswith(".comp")]
    beside = [file for file in kernels if file.removeprefix("shaders/").removesuffix(".comp") in ran]
    how = f"besides {', '.join(beside)}" if beside else f"instead of {', '.join(kernels)}"
    return f"runs a module of its own {how}"


def of_all(folder, names, rows):
    """name -> host file -> a line for each command of each task, without repetitions. rows: of House. Submissions whose
    a2.json is lost are left out."""
    found = {}
    for name in names:
        try:
            runs = tables.runs_of(folder, name)
        except people.Damaged:
            continue
        for tests in runs.values():
            for task, test in tests.items():
                lines = [f"{task}: {line}" for line in test.get("recorded", ())]
                if lines and task in rows:
                    host_file = rows[task]["files"][-1]
                    found.setdefault(name, {}).setdefault(host_file, {}).update(dict.fromkeys(lines))
    return {name: {file: list(lines) for file, lines in files.items()} for name, files in found.items()}
