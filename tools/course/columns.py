"""The columns of grades.csv that people fill in, read back from whatever a spreadsheet has made of the file."""

import csv
import io

import reading

OWN = ("name", "points", "of", "extra", "warnings", "problem")  # besides those of the criteria
FORMULA = ("=", "+", "-", "@", "\t", "\r")  # a spreadsheet takes what begins so for a formula


class ColumnsError(Exception):
    """Why a table cannot be read, in one line. rows: those before what is wrong."""

    def __init__(self, text, before=()):
        super().__init__(text)
        self.rows = list(before)


class ByHand:
    """cells: name of a submission -> {column: text}. columns: all columns of the file, in their order."""

    def __init__(self, columns=(), cells=None):
        self.columns, self.cells = list(columns), cells or {}

    def of(self, name, column):
        return self.cells.get(name, {}).get(column, "")

    def without(self, names):
        """The same without columns that the machine wrote."""
        return ByHand([one for one in self.columns if one not in names],
                      {name: {key: text for key, text in row.items() if key not in names}
                       for name, row in self.cells.items()})

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


def split(text, separator):
    """The rows of a table, each a list of cells. Raises ColumnsError where quotation marks do not pair."""
    found = []
    try:
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True):
            found.append(row)
    except csv.Error as error:
        why = "a quotation mark opens a cell and none closes it: write one at its end, and each within it twice"
        if "field larger" in str(error):
            why = f"a cell has more than {csv.field_size_limit()} letters: shorten it"
        raise ColumnsError(f"row {len(found) + 1}: {why}", found) from None
    return found


def rows(path, needed=("name",)):
    """(headings, [(number, {heading: text})]) of a table, whose rows are numbered as a spreadsheet does; nothing where
    the file is empty. Raises ColumnsError, and OSError."""
    text = decoded(reading.whole(path, with_pipes=True))
    first, _, rest = text.partition("\n")
    if first.lower().startswith("sep="):  # Excel's
        text, first = rest, rest.partition("\n")[0]
    if not text.strip():
        return [], []
    try:
        found = split(text, max(",;\t|", key=first.count))
    except ColumnsError as error:
        raise ColumnsError(f"{path}: {error}") from None
    header = [one.strip().lower() for one in found[0]]
    for one in needed:
        if one not in header:
            raise ColumnsError(f"{path}: the first line has no column '{one}': put it back, or move the file away")
    return header, [(number, cells_of(header, row)) for number, row in enumerate(found[1:], 2)]


def cells_of(header, row):
    """{heading: text} of a row; what stands beyond the headings, under None."""
    beyond = " ".join(row[len(header):]).strip()
    return {**dict(zip(header, row)), **({None: beyond} if beyond else {})}


def without_mark(text):
    """A cell without the apostrophe that keeps a spreadsheet from taking it for a formula."""
    return text[1:] if text[:1] == "'" and text[1:2] in FORMULA else text


def read(path):
    """ByHand of a grades.csv; empty where there is none. Raises ColumnsError."""
    try:
        header, found = rows(path)
    except FileNotFoundError:
        return ByHand()
    except OSError as error:
        raise ColumnsError(f"{path}: {error.strerror}") from None
    # With the apostrophe that keeps a spreadsheet from taking it for a formula, and without.
    named = {row.get("name", "").strip().removeprefix("'"): row for _, row in found}
    return ByHand(header, {name: row for name, row in named.items() if name})
