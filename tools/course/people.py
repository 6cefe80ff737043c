"""The people's part of a grading: manual.csv beside grades.csv, and how it changes the points that a2 gave.

Only people write that file: result.json stays as the machine wrote it, and people's decisions are combined with it when
texts are made.
"""

import collections
import csv
import io
import functools
import os
import re
import shlex
import unicodedata
from pathlib import Path

import columns
import jsontext
from printing import can_be_seen, meant, number

FILE = "manual.csv"
COLUMNS = ("name", "criterion", "points", "comment")
RESULTS = "[!.]*/result.json"  # in a folder of grades; names that begin with a dot are being written, or were left over
NUMBER = re.compile(r"\d{1,6}([.,]\d{1,6})?")
MOST_TOLD = 3  # wrong rows, each with its reason, in one line
HALF = re.compile(r"[05]0?")  # the text after a comma that a table has read as the end of its cell

# points: a number, or None; row: its number in the file; more: {heading: text} of columns that people have added.
Cell = collections.namedtuple("Cell", "points comment row more")
# A result with the people's part. criteria: as in the result, with points after overrides, and by_hand, the reason of
# an override, or None. manual: [{id, title, points, of, comment}]; points is None if none were given, of is None if
# there are none to give. extra: as far as they count. halves: whether people gave any half points.
Final = collections.namedtuple("Final", "points of extra criteria manual halves")


class PeopleError(Exception):
    """An error in what people wrote, with file and row, in one line."""

    def __init__(self, text):
        super().__init__(" ".join(text.split()))


class Damaged(PeopleError):
    """A stored result that cannot be read, in one line."""

    def __init__(self, path, why):
        super().__init__(f"{path}: {why}: grade this submission again: --only {shlex.quote(path.parent.name)} --again; "
                         "where there are several, move their folders away, and --resume")


class Table:
    """One file of people's: cells, (name, criterion) -> Cell in the order of the file, and added, the headings of its
    additional columns."""

    def __init__(self, cells=None, added=()):
        self.cells, self.added = cells or {}, list(added)

    def said(self):
        """Cells with content."""
        return {place: cell for place, cell in self.cells.items() if says(cell)}


class People:
    """The decisions of people: cells, (name of a result, id of a criterion) -> Cell. None of them is empty."""

    def __init__(self, cells=None):
        self.cells = cells or {}
        self.halves = any(cell.points is not None and cell.points % 1 for cell in self.cells.values())

    def of(self, name, criterion):
        """Their Cell, or None."""
        return self.cells.get((name, criterion))

    def final(self, result):
        """Final of a result, which is not changed. Points of a criterion by hand count once they are given; their
        maximum counts from the beginning."""
        criteria, manual = [], []
        for one in result["criteria"]:
            cell = self.of(result["name"], one["id"])
            if cell is None:
                criteria.append({**one, "by_hand": None})
                continue
            criteria.append({**one, "points": cell.points, "by_hand": cell.comment,
                             "reason": None if cell.points == one["of"] else one["reason"] or cell.comment})
        for one in result["manual"]:
            cell = self.of(result["name"], one["id"])
            manual.append({"id": one["id"], "title": one["title"], "points": cell and cell.points,
                           "of": one.get("points"), "comment": cell.comment if cell else ""})
        if criteria == [{**one, "by_hand": None} for one in result["criteria"]] and \
                not any(one["of"] or one["points"] for one in manual):
            return Final(result["points"], result["of"], result["extra"], criteria, manual, self.halves)
        points = sum(one["points"] for one in criteria if not one["extra"]) + sum(one["points"] or 0 for one in manual)
        extra = min(result["most_extra"], sum(one["points"] for one in criteria if one["extra"]))
        most = result["of"] + sum(one["of"] or 0 for one in manual)
        return Final(number(points), number(most), number(extra), criteria, manual, self.halves)


def says(cell):
    return cell.points is not None or bool(cell.comment)


@functools.cache
def result_schema():
    return jsontext.parsed(Path(__file__).with_name("result-schema.json").read_text(encoding="utf-8"))


def result_at(path):
    try:
        result = jsontext.read(path)
    except (OSError, ValueError) as error:
        raise Damaged(path, jsontext.why(error)) from None
    if isinstance(result, dict) and result.get("schema", 1) != 1:
        raise PeopleError(f"{path}: its schema is {result['schema']}, and this tools/grade knows 1: take the one "
                          "that wrote it")
    wrong = jsontext.fault(result, result_schema())
    if wrong:
        raise Damaged(path, wrong)
    # A file system may write the accents of a name in another way.
    if len({unicodedata.normalize("NFC", name) for name in (result["name"], path.parent.name)}) > 1:
        raise PeopleError(f"{path}: it is of '{result['name']}', and its folder is not: move the folder away")
    return result


def results_of(folder, again=()):
    """name -> content of result.json, for each submission in a folder of grades, in order. Raises PeopleError. again:
    names of those that are about to be graded again: their damaged results are left out."""
    found = {}
    for path in sorted(folder.glob(RESULTS)):
        try:
            result = result_at(path)
        except Damaged:
            if unicodedata.normalize("NFC", path.parent.name) not in again:
                raise
            continue
        found[result["name"]] = result
    return found


def require(condition, path, row, what):
    if not condition:
        raise PeopleError(f"{path}: row {row}: {what}")


def points_of(text, most, path, row, where):
    """The number in a cell, with a point or a comma; None for an empty one."""
    text = columns.without_mark(text.strip()).removeprefix("'")
    if not text:
        return None
    require(NUMBER.fullmatch(text), path, row, f"{where}: points must be a number from 0, whole or half, not '{text}'")
    value = float(text.replace(",", "."))
    require(value * 2 % 1 == 0, path, row, f"{where}: points must be whole or half, and not {text}")
    require(value <= most, path, row, f"{where}: {text} points are more than the {most} that there are")
    return number(value)


def checked(name, criterion, row, result, path, at):
    """Cell of one row of a table."""
    by_machine = {one["id"]: one["of"] for one in result["criteria"]}
    by_hand = {one["id"]: one.get("points") for one in result["manual"]}
    known = {**by_machine, **by_hand}
    require(criterion in known, path, at, f"{name} has no criterion '{criterion}'{meant(criterion, known)}: there are "
                                          f"{', '.join(known)}")
    where = f"{name}: {criterion}"
    comment = columns.without_mark(row.get("comment", "").replace("\r\n", "\n").replace("\r", "\n").strip())
    comment = comment if can_be_seen(comment) else ""
    text = row.get("points", "")
    require(known[criterion] is not None or not text.strip(), path, at,
            f"{where}: the rubric gives no points for it: write a comment alone, or give it points in the rubric")
    points = points_of(text, known[criterion] or 0, path, at, where)
    require(points is None or points % 1 or not HALF.fullmatch(comment), path, at,
            f"{where}: is '{points},{comment}' a number, and no comment? Put it in quotation marks, or write it with a "
            "point")
    if criterion in by_machine:
        require(points is None or comment, path, at, f"{where}: an override needs a reason: write a comment, or take the "
                                                     "row out")
        require(points is not None or not comment, path, at, f"{where}: a comment without points changes nothing: "
                                                             "write points, too")
    return Cell(points, comment, at, added(row))


def added(row):
    return {key: row[key] for key in row if key and key not in COLUMNS}


def is_known(name, criterion, results):
    return any(one["id"] == criterion for key in ("criteria", "manual") for one in results.get(name, {key: ()})[key])


def placed(path, at, row, results, cells):
    """((name, criterion), Cell) of one row; (None, None) of an empty one. cells: those of the rows before it. A row
    without points and comment, as tools/grade itself makes it, may be about something that no longer exists."""
    if columns.is_empty(row):
        return None, None
    name, criterion = columns.name_of(row), row.get("criterion", "").strip()
    points, comment = row.get("points", "").strip(), row.get("comment", "").strip()
    require(not row.get(None) or not points.isdigit() or not HALF.fullmatch(comment), path, at,
            f"{name}: {criterion}: is '{points},{comment}' a number? Put it in quotation marks, or write it with a point")
    fault = columns.fault_of(row)
    require(not fault, path, at, fault)
    if criterion and not points and not can_be_seen(comment) and not is_known(name, criterion, results):
        return (name, criterion), Cell(None, "", at, added(row))
    require(name in results, path, at, f"there is no submission '{name}'{meant(name, results)}")
    require(criterion, path, at, f"{name}: it has no criterion")
    cell, before = checked(name, criterion, row, results[name], path, at), cells.get((name, criterion))
    if before:
        require(False, path, at, f"{name}: {criterion} stands in row {before.row} already: keep one of the two")
    return (name, criterion), cell


def table(path, results, wrong=None):
    """Table of one file. results: name -> result, or another value with criteria and manual as in a result. Raises
    PeopleError; for errors in single rows only without a list `wrong`, which otherwise gets a line for each."""
    try:
        header, found = columns.rows(path, COLUMNS)
    except columns.ColumnsError as error:
        raise PeopleError(str(error)) from None
    except OSError as error:
        raise PeopleError(f"{path}: {error.strerror or error}") from None
    cells = {}
    for at, row in found:
        try:
            place, cell = placed(path, at, row, results, cells)
        except PeopleError as error:
            if wrong is None:
                raise
            wrong.append(str(error))
            continue
        if place:
            cells[place] = cell
    return Table(cells, [one for one in header if one and one not in COLUMNS])


def read(grades_folder, coming=None):
    """People of a folder of grades; empty without manual.csv. Raises PeopleError. coming: name -> value with criteria
    and manual as in a result, of submissions that will be graded into it."""
    path, coming = grades_folder / FILE, coming or {}
    if not os.path.lexists(path):
        return People()
    wrong = []
    found = table(path, {**results_of(grades_folder, coming), **coming}, wrong)
    if wrong:
        raise PeopleError(in_one_line(path, wrong))
    return People(found.said())


def in_one_line(path, wrong):
    """All wrong rows, the first ones with their reasons."""
    where = " ".join(f"{path}:".split())
    rows = [line.removeprefix(f"{where} ") for line in wrong]
    more = [row.partition(":")[0].removeprefix("row ") for row in rows[MOST_TOLD:]]
    beyond = f"; and so are, or in another way, rows {', '.join(more)}" if more else ""
    return f"{where} {'; '.join(rows[:MOST_TOLD])}{beyond}"


def as_csv(cells, added=()):
    """manual.csv, sorted by name and criterion, with the columns that people have added."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([*COLUMNS, *added])
    for (name, criterion), cell in sorted(cells.items()):
        writer.writerow([guarded(name), criterion, "" if cell.points is None else cell.points, guarded(cell.comment),
                         *(cell.more.get(one, "") for one in added)])
    return stream.getvalue()


def guarded(text):
    """People's own text, marked so that no spreadsheet reads it as a formula; reading it back gives the same text."""
    return "'" + text if text.startswith(columns.FORMULA) else text


def empty_rows(results):
    """(name, criterion) -> Cell of everything that people should look at."""
    return {(name, one["id"]): Cell(None, "", 0, {}) for name, result in results.items() for one in result["manual"]}
