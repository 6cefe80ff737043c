"""The columns of grades.csv that people fill in, read back from whatever a spreadsheet has made of the file."""

import csv
import io

OWN = ("name", "points", "of", "extra", "warnings", "problem")  # besides those of the criteria


class ColumnsError(Exception):
    """Why grades.csv cannot be read, in one line."""


class ByHand:
    """cells: name of a submission -> {column: text}. columns: all columns of the file, in their order."""

    def __init__(self, columns=(), cells=None):
        self.columns, self.cells = list(columns), cells or {}

    def of(self, name, column):
        return self.cells.get(name, {}).get(column, "")

    def added(self, known):
        """Columns that people have added: those that are not among the known ones."""
        return [one for one in self.columns if one and one not in known]


def decoded(data):
    """Text of a file that a spreadsheet has written: UTF-8 or UTF-16 with a mark, UTF-8, or Windows' Western letters."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def read(path):
    """ByHand of a grades.csv; empty where there is none. Raises ColumnsError."""
    try:
        text = decoded(path.read_bytes())
    except FileNotFoundError:
        return ByHand()
    first, _, rest = text.partition("\n")
    if first.lower().startswith("sep="):  # Excel's
        text, first = rest, rest.partition("\n")[0]
    if not text.strip():
        return ByHand()
    separator = max(",;\t|", key=first.count)
    rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=separator))
    header = [one.strip().lower() for one in rows[0]]
    if "name" not in header:
        raise ColumnsError(f"{path}: the first line has no column 'name': put it back, or move the file away")
    at, cells = header.index("name"), {}
    for row in rows[1:]:
        if len(row) > at and row[at].strip():
            # With the apostrophe that keeps a spreadsheet from taking it for a formula, and without.
            name = row[at].strip().removeprefix("'")
            cells[name] = dict(zip(header, row))
    return ByHand(header, cells)
