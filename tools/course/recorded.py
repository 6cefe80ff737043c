"""The recordings of submissions, as a2 described them for the tasks that passed: they show host code under other names
and in another order."""

import people
import tables


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
