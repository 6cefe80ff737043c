"""The marked parts of source files.

    // BEGIN SOLUTION: what the student is to write here
    ...
    // END SOLUTION

Each marker is a comment on a separate line, in the syntax of the file: //, #, /* */ or <!-- -->. The text between two
of them is the solution. In its stub one line replaces it: a comment with TODO and the hint. Other words than SOLUTION
mark parts of other kinds in the same way. Parts of a kind never overlap.
"""

import collections
import re

MARKER = re.compile(r"(?P<indent>[ \t]*)(?P<open>//|#|/\*|<!--)[ \t]*(?P<which>BEGIN|END) (?P<word>[A-Z]+)"
                    r"(?::[ \t]*(?P<hint>.*?))?[ \t]*(?P<close>\*/|-->)?[ \t]*(?P<end>\r?\n?)\Z")
CLOSING = {"//": None, "#": None, "/*": "*/", "<!--": "-->"}
LINE = re.compile(r"[^\n]*\n|[^\n]+")

# first, end: indices of its lines in the file, including the markers; stub: the line that replaces it.
Part = collections.namedtuple("Part", "first end stub")


class MarkerError(Exception):
    """Wrong markers; the message has file and line."""


def read(path):
    """The text of a file, decoded so that write() gives the same bytes for any content."""
    return path.read_bytes().decode("utf-8", "surrogateescape")


def write(path, text):
    path.write_bytes(text.encode("utf-8", "surrogateescape"))


def lines_of(text):
    return LINE.findall(text)


def parts_of(text, name, word="SOLUTION"):
    """The parts of this kind, in order. Raises MarkerError, with `name` for the file, if markers are wrong."""
    found, begin = [], None
    for i, line in enumerate(lines_of(text)):
        if not re.search(rf"\b(BEGIN|END) {word}\b", line):
            continue
        marker = MARKER.match(line)
        if not marker or marker["word"] != word or marker["close"] != CLOSING[marker["open"]]:
            raise MarkerError(f"{name}:{i + 1}: a marker is a comment with a line of its own, such as // BEGIN {word}")
        if marker["which"] == "END":
            if begin is None:
                raise MarkerError(f"{name}:{i + 1}: END {word} without a BEGIN {word} before it")
            found.append(Part(begin[0], i + 1, stub_line(begin[1])))
            begin = None
        elif begin is not None:
            raise MarkerError(f"{name}:{i + 1}: BEGIN {word} inside the part that begins in line {begin[0] + 1}")
        else:
            begin = (i, marker)
    if begin is not None:
        raise MarkerError(f"{name}:{begin[0] + 1}: BEGIN {word} without an END {word}")
    return found


def stub_line(marker):
    hint = f": {marker['hint']}" if marker["hint"] else ""
    close = f" {marker['close']}" if marker["close"] else ""
    return f"{marker['indent']}{marker['open']} TODO{hint}{close}{marker['end']}"


def stub_of(text, name):
    """The text with a stub for each solution. Raises MarkerError."""
    return replaced(text, parts_of(text, name), lambda part: [part.stub])


def without(text, name, word):
    """The text without the parts of this kind. Raises MarkerError."""
    return replaced(text, parts_of(text, name, word), lambda part: [])


def unmarked(text, name, word):
    """The text with the parts of this kind, and without their markers. Raises MarkerError."""
    lines = lines_of(text)
    return replaced(text, parts_of(text, name, word), lambda part: lines[part.first + 1:part.end - 1])


def replaced(text, parts, instead):
    lines = lines_of(text)
    for part in reversed(parts):
        lines[part.first:part.end] = instead(part)
    return "".join(lines)


def solution_lines(text, name):
    """The lines of all solutions, without the markers. Raises MarkerError."""
    lines = lines_of(text)
    return [line for part in parts_of(text, name) for line in lines[part.first + 1:part.end - 1]]


def with_solutions(stub, original, name):
    """The stub's text with the original's solutions in their places. Raises MarkerError if a stub is missing."""
    lines, originals = lines_of(stub), lines_of(original)
    less = 0  # lines by which the stub is shorter so far
    places = []
    for part in parts_of(original, name):
        place = part.first - less
        if place >= len(lines) or lines[place] != part.stub:
            raise MarkerError(f"{name}:{place + 1}: the stub of the solution in line {part.first + 1} is not there")
        places.append((place, part))
        less += part.end - part.first - 1
    for place, part in reversed(places):
        lines[place:place + 1] = originals[part.first:part.end]
    return "".join(lines)
