"""The tables of rows in src/tasks/A2Task1.cpp and A2Task2.cpp, read as text, before anything is built."""

import fnmatch
import re

TABLES = ("src/tasks/A2Task1.cpp", "src/tasks/A2Task2.cpp")
# A row, including the comments directly before it.
START = re.compile(r'^(?:[ \t]*//[^\n]*\n)*[ \t]*(?P<brace>\{)\.id = "(?P<id>[^"]+)"', re.MULTILINE)


class Row:
    def __init__(self, text):
        self.id = re.search(r'\.id = "([^"]+)"', text)[1]
        points = re.search(r"\.points = (\d+)", text)
        self.points = int(points[1]) if points else 0
        self.by_default = ".byDefault = false" not in text
        self.kernels = [f"shaders/{name}.comp"
                        for name in re.findall(r'"([^"]+)"', re.search(r"\.shaders = \{([^}]*)\}", text)[1])]
        self.host_file = "src/" + re.search(r'\.hostFile = "([^"]+)"', text)[1]
        self.files = [*self.kernels, self.host_file]  # in the order of `a2 list`


def places_of(table):
    """(start, end, row) of each row in a table's text."""
    for start in START.finditer(table):
        depth, at = 0, start.start("brace")
        while True:
            depth += {"{": 1, "}": -1}.get(table[at], 0)
            at += 1
            if depth == 0:
                break
        end = table.index("\n", at) + 1
        yield start.start(), end, Row(table[start.start("brace"):at])


def rows_of(project):
    """All rows of the course and beyond it, in the order of `a2 list`."""
    return [row for name in TABLES
            for _, _, row in places_of((project / name).read_text(encoding="utf-8"))]


def chosen(rows, globs):
    """The rows that match a glob, or without globs the default set. Raises LookupError for a glob without a match."""
    for glob in globs:
        if not any(fnmatch.fnmatchcase(row.id, glob) for row in rows):
            raise LookupError(f"no task '{glob}': there are {', '.join(row.id for row in rows)}")
    if not globs:
        return [row for row in rows if row.by_default]
    return [row for row in rows if any(fnmatch.fnmatchcase(row.id, glob) for glob in globs)]


def without_rows(table, ids):
    """The table's text without the rows that are not among `ids`."""
    for start, end, row in reversed(list(places_of(table))):
        if row.id not in ids:
            table = table[:start] + table[end:]
    return table
