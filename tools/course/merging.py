"""tools/grade --merge: takes other graders' rows into manual.csv, and makes tables and feedback anew. It asks no a2."""

import os
from pathlib import Path

import outputs
import people
import tables
from grader import say


class MergeError(Exception):
    """What stands against it: lines."""

    def __init__(self, lines):
        super().__init__("\n".join(lines))
        self.lines = lines


def same(one, other):
    return (one.points, one.comment) == (other.points, other.comment)


def joined(one, other):
    """What both say, where an empty cell is no word against another; None where they differ."""
    points = {cell.points for cell in (one, other)} - {None}
    comments = {cell.comment for cell in (one, other)} - {""}
    if len(points) > 1 or len(comments) > 1:
        return None
    return one._replace(points=next(iter(points), None), comment=next(iter(comments), ""))


def shown(cell):
    words = [] if cell.points is None else [str(cell.points)]
    return " ".join([*words, *([f"({cell.comment})"] if cell.comment else [])]) or "nothing"


def place_of(path, cell):
    return f"{path} row {cell.row}"


def collect(folder, files, results):
    """(manual.csv as it is, {(name, criterion): (Cell, FILE)} that it lacks). Raises MergeError, PeopleError."""
    path, wrong, taken = folder / people.FILE, [], {}
    if os.path.lexists(path):
        manual = people.table(path, results, wrong)
    else:
        manual = people.Table(people.empty_rows(results))
    known = {place: (cell, path) for place, cell in manual.said().items()}
    for file in files:
        try:
            cells = people.table(file, results, wrong).said()
        except people.PeopleError as error:
            wrong.append(str(error))
            continue
        for place, cell in cells.items():
            there, whose = taken.get(place) or known.get(place) or (None, None)
            both = joined(cell, there) if there else cell
            if both and (there is None or not same(both, there)):
                taken[place] = (both, file)
            elif not both:
                wrong.append(f"{file}: row {cell.row}: {place[0]}: {place[1]}: {shown(cell)}, and {shown(there)} in "
                             f"{place_of(whose, there)}: agree on one, and change the other")
    if wrong:
        raise MergeError(wrong)
    return manual, taken


def change(place, cell, file, results):
    """A line about one cell."""
    name, criterion = place
    before = next((one["points"] for one in results[name]["criteria"] if one["id"] == criterion), "none")
    what = "comment" if cell.points is None else f"{before} -> {cell.points}"
    return outputs.printable(f"{name}: {criterion}: {what} ({place_of(file, cell)})".replace("\n", " "))


def merge(folder, files):
    """(lines about what changed, number of new cells). Raises MergeError, PeopleError, ColumnsError, PlanError, OSError;
    then nothing has."""
    results = people.results_of(folder)
    if not results:
        raise people.PeopleError(f"{folder}: no submission is graded here: grade first, or name another -o")
    manual, taken = collect(folder, files, results)
    cells = dict(manual.cells)
    for place, (cell, _) in taken.items():  # columns that people have added to manual.csv keep what they say
        cells[place] = cell._replace(more=cells[place].more if place in cells else {})
    said = people.People(people.Table(cells).said())
    plan = tables.plan_of(folder)
    texts = tables.texts_of(folder, results, said, tables.labels_of(plan))
    if taken:
        # Where it is a link, the file that it leads to.
        texts[Path(os.path.realpath(folder / people.FILE))] = people.as_csv(cells, manual.added)
    finals = [(name, before, said.final(result)) for name, result in results.items()
              if (before := tables.written(folder, name))]
    tables.replace_all(texts)
    other = tables.not_alike(folder, results, plan)
    if other:
        say(f"warning: {other}")
    lines = [change(place, cell, file, results) for place, (cell, file) in sorted(taken.items())]
    return [*lines, *tables.changes(finals)], len(lines)
