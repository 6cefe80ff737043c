"""A class as its course's system exports it: a table that is read, filled in, and written in the same form."""

import collections
import csv
import io
import re
import unicodedata

import columns
import reading
from printing import one_line

MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
MOST_LISTED = 5  # columns, in a message

# A kind of table. needs: headings that identify it. ids: headings of columns with values that only one student has;
# every student has the first one. full: of the column with the whole name; last, first: of those with its parts.
# points: of the columns for points, as a pattern; most: of the column with the maximum, if each row has one. Each is a
# list of the heading's forms in different languages, in small letters.
System = collections.namedtuple("System", "title needs ids points full last first most", defaults=((), (), (), ()))
SYSTEMS = {
    # mod/assign/feedback/offline and the headings of mod/assign in Moodle, in English and in German
    "moodle": System("a grading worksheet of Moodle", [("identifier", "id"), ("grade", "bewertung")],
                     [("identifier", "id")], "grade|bewertung", full=("full name", "vollst\xe4ndiger name"),
                     most=("maximum grade", "bestwertung")),
    # lib/gradebook_importer.rb in Canvas
    "canvas": System("a gradebook of Canvas", [("student", "lastname"), ("id",), ("section",)],
                     [("id",), ("sis user id",), ("sis login id",)], r".+ \(\d+\)", full=("student",),
                     last=("lastname",), first=("firstname",)),
    # Blackboard's pages on working offline, and tables that people have published
    "blackboard": System("a grade centre of Blackboard", [("last name",), ("first name",), ("username",)],
                         [("username",), ("student id",)], r".*\[total pts:(?! *up to).*\] *\|\d+", last=("last name",),
                         first=("first name",)),
    # the status file of the plugin ExerciseStatusFile: ILIAS without it cannot import a table
    "ilias": System("a status file of ILIAS", [("usr_id",), ("login",), ("mark",)], [("usr_id",), ("login",)], "mark",
                    last=("lastname",), first=("firstname",)),
}

# A student in the table: the row as a spreadsheet counts, the ids in the order of System.ids, and the parts of the
# name.
Student = collections.namedtuple("Student", "row ids names")


class RosterError(Exception):
    """An error in a table, and its place, in one line."""

    def __init__(self, text):
        super().__init__(one_line(text))


def require(condition, where, what):
    if not condition:
        raise RosterError(f"{where}: {what}")


def text_of(path, data):
    """(encoding, mark, text) of a table's bytes."""
    require(not data.startswith(b"PK\3\4"), path, "is a spreadsheet or an archive: take it as CSV, as it was exported")
    for mark, encoding in MARKS:
        if data.startswith(mark):
            break
    else:
        mark, encoding = b"", "utf-8"
        if b"\0" in data[:2]:
            encoding = "utf-16-be" if data[:1] == b"\0" else "utf-16-le"
    for one in [encoding] if mark or encoding != "utf-8" else [encoding, "cp1252"]:
        try:
            return one, mark, data[len(mark):].decode(one)
        except UnicodeDecodeError:
            continue
    raise RosterError(f"{path}: is no text in {encoding.upper()}" + ("" if mark else ", and none of Windows"))


def plain(heading):
    return " ".join(unicodedata.normalize("NFC", heading).split()).casefold()


def number(text):
    """The number in a cell, with a point or a comma; None if there is none."""
    found = re.fullmatch(r"\s*(\d+)([.,](\d+))?\s*", text)
    return float(f"{found[1]}.{found[3] or 0}") if found else None


class Roster:
    """Raises RosterError. column: the heading of the points' column, if the system has several."""

    def __init__(self, path, system, column=None):
        self.path, self.kind, self.system = path, system, SYSTEMS[system]
        require(path.exists(), path, "there is no such file")
        require(path.is_file(), path, f"is {'a folder' if path.is_dir() else 'no file'}: name the table that the system "
                                      "has exported")
        try:
            data = reading.whole(path)
        except OSError as error:
            raise RosterError(f"{path}: {error.strerror}") from None
        self.encoding, self.mark, text = text_of(path, data)
        require(text.strip(), path, "is empty")
        self.separated, self.text = "", text
        first, newline, rest = text.partition("\n")
        if first.lower().startswith("sep="):  # Excel's
            self.separated, self.text = first + newline, rest
        self.rows = self.parsed()
        self.headings = [plain(one) for one in self.rows[0]]
        all_quoted = self.text.startswith(self.line(self.rows[0], csv.QUOTE_ALL))
        self.quoting = csv.QUOTE_ALL if all_quoted else csv.QUOTE_MINIMAL
        self.points = self.points_column(column)
        self.students = self.read_students()
        self.most = self.most_points()

    def parsed(self):
        """Its rows, split by the separator with which the system's headings are found."""
        self.newline = next(one for one in ("\r\n", "\n", "\r", "") if self.text.endswith(one)) or "\n"
        known = []
        for self.separator in ",;\t|":
            try:
                rows, problem = columns.split(self.text, self.separator), None
            except columns.ColumnsError as error:
                rows, problem = error.rows or [[]], error
            headings = [plain(one) for one in rows[0]]
            if all(any(one in headings for one in names) for names in self.system.needs):
                require(not problem, self.path, problem)
                require("scale" not in headings and "skala" not in headings, f"{self.path}, row 1",
                        "this assignment is graded by a scale, not by points")
                return rows
            known = max(known, rows[0], key=len)
        require(known, self.path, f"is no table: {problem}")
        needed = listed(names[0] for names in self.system.needs)
        raise RosterError(f"{self.path}, row 1: is not the heading of {self.system.title}, which has {needed}; there "
                          f"are {listed(known)}")

    def line(self, row, quoting):
        stream = io.StringIO()
        csv.writer(stream, delimiter=self.separator, lineterminator=self.newline, quoting=quoting).writerow(row)
        return stream.getvalue()

    def at(self, names):
        return next((i for i, one in enumerate(self.headings) if one in names), None)

    def cell(self, row, at):
        return "" if at is None or at >= len(self.rows[row]) else self.rows[row][at].strip()

    def points_column(self, wanted):
        found = [i for i, one in enumerate(self.headings) if re.fullmatch(self.system.points, one, re.DOTALL)]
        where = f"{self.path}, row 1"
        require(found, where, "there is no column that takes points")
        shown = listed(self.rows[0][i] for i in found)
        if wanted is not None:
            exact = [i for i in found if self.headings[i] == plain(wanted)]
            found = exact or [i for i in found if plain(wanted) in self.headings[i]]
            require(found, where, f"no column that takes points has '{wanted}': there are {shown}")
            require(len(found) == 1, where, f"several columns have '{wanted}': {listed(self.rows[0][i] for i in found)}: "
                                           "name one alone, or give it another heading")
        require(len(found) == 1, where, f"several columns take points, --column names one: {shown}")
        return found[0]

    def read_students(self):
        of_ids = [self.at(names) for names in self.system.ids]
        full, last, first = (self.at(names) for names in (self.system.full, self.system.last, self.system.first))
        students, seen = [], {}
        for row in range(1, len(self.rows)):
            if not any(one.strip() for one in self.rows[row]) or self.is_about_columns(row):
                continue
            where, ids = f"{self.path}, row {row + 1}", [self.cell(row, at) for at in of_ids]
            if self.kind == "moodle":  # "Participant 12345", in any language
                ids[0] = re.sub(r".*?(\d+)$", r"\1", ids[0])
                require(ids[0].isdigit(), where, f"'{self.cell(row, of_ids[0])}' is no participant's number")
            require(ids[0], where, f"has no {self.rows[0][of_ids[0]].strip()}")
            for place, one in enumerate(ids):
                require(not one or (place, one) not in seen, where,
                        f"has the {self.rows[0][of_ids[place] or 0].strip()} '{one}' of row {seen.get((place, one))}")
                seen[place, one] = row + 1
            names = [self.cell(row, last), self.cell(row, first)] if full is None else self.cell(row, full).split(",")
            students.append(Student(row + 1, tuple(ids), tuple(one.strip() for one in names if one.strip())))
        require(students, self.path, "has no student")
        return students

    def is_about_columns(self, row):
        """Canvas's rows before the students: the maximum points, and how grades are posted."""
        return self.kind == "canvas" and not self.cell(row, self.at(self.system.ids[0])) and \
            (self.cell(row, 0).casefold().startswith("points possible") or not self.cell(row, 0))

    def most_points(self):
        """The system's maximum; None if the table has none."""
        if self.kind == "blackboard":
            found = re.search(r"\[total pts:\s*([\d.,]+)", self.headings[self.points])
            return number(found[1]) if found else None
        if self.kind == "canvas":
            rows = [row for row in range(1, len(self.rows)) if self.is_about_columns(row) and self.cell(row, 0)]
            return number(self.cell(rows[0], self.points)) if rows else None
        at = self.at(self.system.most)
        return number(self.cell(self.students[0].row - 1, at)) if at is not None else None

    def decimal_mark(self):
        """The decimal mark that the table uses."""
        numbers = [self.points, *([self.at(self.system.most)] if self.system.most else [])]
        cells = (self.cell(row, at) for row in range(1, len(self.rows)) for at in numbers)
        return "," if any(re.fullmatch(r"\d+,\d+", one) for one in cells) else "."

    def filled(self, points):
        """The table's bytes, with these points: number of a row -> points. Nothing else is changed, except the mark by
        which ILIAS recognises the rows to import."""
        rows, update, mark = [list(row) for row in self.rows], self.at(("update",)), self.decimal_mark()
        for number_of_row, value in points.items():
            row = rows[number_of_row - 1]
            row += [""] * (self.points + 1 - len(row))
            row[self.points] = f"{value:.2f}".rstrip("0").rstrip(".").replace(".", mark)
            if self.kind == "ilias" and update is not None:
                row[update] = "1"
        text = self.separated + "".join(self.line(row, self.quoting) if row else self.newline for row in rows)
        if not self.text.endswith(self.newline):
            text = text[:-len(self.newline)]
        return self.mark + text.encode(self.encoding)


def listed(names):
    names = [f"'{one_line(one, 60)}'" for one in names]
    return ", ".join(names[:MOST_LISTED]) + (f" and {len(names) - MOST_LISTED} more" if len(names) > MOST_LISTED else "")
