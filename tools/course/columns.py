"""The columns of grades.csv that people fill in, read back from any form in which a spreadsheet saves the file."""

import collections
import csv
import io
import unicodedata

import reading
from printing import meant

OWN = ("name", "points", "of", "extra", "warnings", "problem")  # in addition to the columns of the criteria
SPREADSHEETS = (b"PK\3\4", b"\xd0\xcf\x11\xe0")  # .xlsx or .ods, and .xls
WIDE = (b"\xff\xfe", b"\xfe\xff")  # marks of UTF-16
FORMULA = ("=", "+", "-", "@", "\t", "\r")  # a spreadsheet reads cells with these beginnings as formulas


class ColumnsError(Exception):
    """Why a table cannot be read, in one line. rows: those before the error."""

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
        """Columns that people have added: those that are not known."""
        return [one for one in self.columns if one and one not in known]


def decoded(data):
    """Text of a file that a spreadsheet has written: UTF-8 or UTF-16 with a mark, UTF-8, or Windows' Western letters."""
    if data.startswith(WIDE):
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def split(text, separator):
    """The rows of a table, each a list of cells. Raises ColumnsError if quotation marks do not pair."""
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
    """(headings, [(number, {heading: text})]) of a table, with rows numbered as in a spreadsheet. Raises ColumnsError,
    and OSError."""
    data = reading.whole(path, with_pipes=True)
    if data.startswith(SPREADSHEETS):
        raise ColumnsError(f"{path}: is a spreadsheet or an archive: save the table as CSV, and name that")
    if b"\0" in data[:2] and not data.startswith(WIDE):
        raise ColumnsError(f"{path}: is UTF-16 without its mark: save it as UTF-8")
    text = decoded(data)
    first, _, rest = text.partition("\n")
    if first.lower().startswith("sep="):  # Excel's
        text, first = rest, rest.partition("\n")[0]
    if not text.strip():  # more probably a full disk than a deliberate deletion
        raise ColumnsError(f"{path}: is empty: put back what stood in it, or take the file away")
    try:
        found = split(text, max(",;\t|", key=first.count))
    except ColumnsError as error:
        raise ColumnsError(f"{path}: {error}") from None
    header = [one.strip().lower() for one in found[0]]
    for one in needed:
        if one not in header:
            raise ColumnsError(f"{path}: the first line has no column '{one}': put it back, or move the file away")
    for one, count in collections.Counter(header).items():
        if one and count > 1:  # one of the two would be lost
            raise ColumnsError(f"{path}: the first line has the column '{one}' twice: keep one of them, or give it another "
                               "heading")
    return header, [(number, cells_of(header, row)) for number, row in enumerate(found[1:], 2)]


def cells_of(header, row):
    """{heading: text} of a row; cells beyond the headings under None."""
    beyond = " ".join(row[len(header):]).strip()
    return {**dict(zip(header, row)), **({None: beyond} if beyond else {})}


def is_empty(row):
    return not any(text.strip() for text in row.values())


def name_of(row):
    """The name without the apostrophe that keeps spreadsheets from reading it as a formula; accents normalised."""
    return unicodedata.normalize("NFC", row.get("name", "").strip().removeprefix("'"))


def fault_of(row):
    """Why text that people wrote in a non-empty row would be lost; None if nothing would."""
    beyond = row.get(None) or row.get("", "").strip()
    if beyond:
        return f"'{beyond}' stands in a column without a heading: give it one, or put the cell in quotation marks"
    return None if name_of(row) else "it has no name"


def without_mark(text):
    """A cell without the apostrophe that keeps spreadsheets from reading it as a formula."""
    return text[1:] if text[:1] == "'" and text[1:2] in FORMULA else text


def read(path, names=None, machines=(), new=()):
    """ByHand of a grades.csv; empty if there is none. Raises ColumnsError, also if a row whose name is not among the
    names has a cell in a column that is neither in OWN nor the machine's, and if any row has a cell in a column that is
    new among the machine's."""
    try:
        header, found = rows(path)
    except FileNotFoundError:
        return ByHand()
    except OSError as error:
        raise ColumnsError(f"{path}: {error.strerror}") from None
    cells, places = {}, {}
    for at, row in found:
        if is_empty(row):
            continue
        name, wrong = name_of(row), fault_of(row)
        if name in places:
            wrong = f"{name} stands in row {places[name]} already: keep one of the two"
        elif names is not None and name not in names and any(
                text.strip() for key, text in row.items() if key and key not in {*OWN, *machines}):
            wrong = wrong or f"there is no submission '{name}'{meant(name, names)}: mend the name, or take the row out"
        taken = next((key for key in new if row.get(key, "").strip()), None)
        if taken:
            wrong = wrong or (f"'{row[taken].strip()}' stands in the column '{taken}', which is a criterion of the "
                              "rubric now: give the column another heading")
        if wrong:
            raise ColumnsError(f"{path}: row {at}: {wrong}")
        cells[name], places[name] = row, at
    return ByHand(header, cells)
