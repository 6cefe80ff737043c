"""tools/grade --merge: takes other graders' rows into manual.csv, and makes tables and feedback again. It does not use
a2."""

import os
from pathlib import Path

import people
import tables
from grader import say
from printing import in_line


class MergeError(Exception):
    """The reasons against merging: lines."""

    def __init__(self, lines):
        super().__init__("\n".join(lines))
        self.lines = lines


def same(one, other):
    return (one.points, one.comment, added(one)) == (other.points, other.comment, added(other))


def added(cell):
    """heading -> text, of columns that people have added and in which it has text."""
    return {heading: text.strip() for heading, text in cell.more.items() if text.strip()}


def conflict(one, other):
    """What both say about the same cell, if they differ; else None. An empty cell contradicts nothing."""
    points, comments = {one.points, other.points} - {None}, {one.comment, other.comment} - {""}
    if len(points) > 1 or len(comments) > 1:
        return shown(one), shown(other)
    if (one.points is None) != (other.points is None):  # the one who gave the points has filled in the rest, too
        return None
    theirs = added(other)
    return next(((f"{heading} '{text}'", f"{heading} '{theirs[heading]}'") for heading, text in added(one).items()
                 if theirs.get(heading, text) != text), None)


def joined(one, other):
    """Both combined, with the added columns of the one with points."""
    first, last = (one, other) if one.points is None else (other, one)
    return one._replace(points=last.points, comment=one.comment or other.comment, more={**added(first), **added(last)})


def shown(cell):
    words = [] if cell.points is None else [str(cell.points)]
    return " ".join([*words, *([f"({cell.comment})"] if cell.comment else [])]) or "nothing"


def place_of(path, cell):
    return f"{path} row {cell.row}"


def collect(folder, files, results):
    """(the present manual.csv, {(name, criterion): (Cell, FILE)} that it lacks). Raises MergeError, PeopleError."""
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
            words = conflict(cell, there) if there else None
            if words:
                wrong.append(f"{file}: row {cell.row}: {place[0]}: {place[1]}: {words[0]}, and {words[1]} in "
                             f"{place_of(whose, there)}: agree on one, and change the other")
                continue
            both = joined(cell, there) if there else cell
            if there is None or not same(both, there):
                taken[place] = (both, file)
    if wrong:
        raise MergeError(wrong)
    return manual, taken


def change(place, cell, file, results, old):
    """A line about one cell. old: its content in manual.csv, or None."""
    name, criterion = place
    before = next((one["points"] for one in results[name]["criteria"] if one["id"] == criterion), "none")
    what = "comment" if cell.points is None else f"{before} -> {cell.points}"
    if old and (old.points, old.comment) == (cell.points, cell.comment):
        new = {heading: text for heading, text in added(cell).items() if added(old).get(heading) != text}
        what = ", ".join(f"{heading} '{text}'" for heading, text in new.items())
    return in_line(f"{name}: {criterion}: {what} ({place_of(file, cell)})".replace("\n", " "))


def merge(folder, files):
    """(lines about the changes, number of new cells). Raises MergeError, PeopleError, ColumnsError, PlanError, OSError;
    then nothing was changed."""
    results = people.results_of(folder)
    if not results:
        raise people.PeopleError(f"{folder}: no submission is graded here: grade first, or name another -o")
    manual, taken = collect(folder, files, results)
    cells = dict(manual.cells)
    for place, (cell, _) in taken.items():  # added columns of manual.csv keep their text unless the other file has some
        cells[place] = cell._replace(more={**(cells[place].more if place in cells else {}), **added(cell)})
    more = dict.fromkeys([*manual.added, *(heading for cell, _ in taken.values() for heading in added(cell))])
    said = people.People(people.Table(cells).said())
    plan = tables.plan_of(folder)
    texts = tables.texts_of(folder, results, said, tables.labels_of(plan))
    if taken:
        # If it is a link, the file to which it leads.
        texts[Path(os.path.realpath(folder / people.FILE))] = people.as_csv(cells, more)
    finals = [(name, before, said.final(result)) for name, result in results.items()
              if (before := tables.written(folder, name))]
    tables.replace_all(texts)
    other = tables.not_alike(folder, results, plan)
    if other:
        say(f"warning: {other}")
    lines = [change(place, cell, file, results, manual.cells.get(place))
             for place, (cell, file) in sorted(taken.items())]
    return [*lines, *tables.changes(finals)], len(lines)
