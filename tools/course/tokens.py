"""GLSL and C++ as tokens: an author's own part of a file, in pieces that new names and another order do not change.

A name that the file declares itself is represented by the distance to its last use, and a number by its value. A piece
is LENGTH tokens in a row. Handed-out text has no pieces. All pieces are kept, not a selection as in winnowing: a kernel
of ten lines has only fifty.
"""

import collections
import re
import zlib

LENGTH = 10
LEAST = 4  # tokens between handed-out parts that make a piece, though a short one
MOST_TOKENS = 16 << 10  # of a file; the longest of the course's has 1200
# A token without an end takes the rest, so that a text is scanned once; some lexers of Pygments need quadratic time.
TOKEN = re.compile(r"""(?P<none>\s+|\\\n|//(?:\\\n|[^\n])*|/\*(?:.*?\*/|.*))
                       |(?P<number>\.?\d(?:[eEpP][+-]|[\w.'])*)|(?P<word>[^\W\d]\w*)
                       |"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?
                       |\+\+|--|->|::|&&|\|\||<<=?|>>=?|[-+*/%&|^!=<>]=|.""", re.DOTALL | re.VERBOSE)
# A word after one of these is not declared there.
NO_TYPES = {"return", "else", "case", "goto", "throw", "new", "delete", "defined", "ifdef", "ifndef", "if", "endif",
            "undef", "pragma", "extension", "include", "using", "operator"}
# These are not declared anywhere.
TYPES = {"void", "bool", "int", "uint", "float", "double", "char", "long", "short", "auto", "buffer", "uniform"}
SAME = {"while": "for", "unsigned": "uint"}
LEFT_OUT = {"const", "constexpr", "inline", "static", "{", "}"}  # the meaning is the same with or without them
NEVER = -1 << 40  # place of a name that has not occurred


class Source:
    """codes: a number for each token. lines: its line. own: whether it was not handed out."""

    def __init__(self, text, handed_out=frozenset()):
        found, line, last = [], 1, {}
        for one in TOKEN.finditer(text):
            if one.lastgroup != "none" and one[0] not in LEFT_OUT:
                found.append((one[0], one.lastgroup, line))
                if len(found) == MOST_TOKENS:
                    break
            line += one[0].count("\n")
        declared = {word for (before, kind, _), (word, now, _) in zip(found, found[1:])
                    if kind == now == "word" and before not in NO_TYPES and word not in TYPES}
        self.codes, self.lines, self.cut = [], [], len(found) == MOST_TOKENS
        for word, kind, line in found:
            if kind == "word" and word in declared:
                self.codes.append(last.get(word, NEVER) - len(self.codes))
                last[word] = len(self.codes) - 1
            else:
                word = value_of(word) if kind == "number" else SAME.get(word, word)
                self.codes.append(zlib.crc32(word.encode("utf-8", "replace")))
            self.lines.append(line)
        self.whole = [self.piece(start, start + LENGTH) for start in range(len(self.codes) - LENGTH + 1)]
        self.own = [True] * len(self.codes)
        for start, piece in enumerate(self.whole):
            if piece in handed_out:
                self.own[start:start + LENGTH] = [False] * LENGTH

    def piece(self, start, end):
        """The tokens there; a name that has not occurred since the start is a new one."""
        return hash(tuple([one if one >= start - place else 0
                           for place, one in enumerate(self.codes[start:end], start)]))

    def pieces(self):
        """Piece -> the places where it begins."""
        found, start = collections.defaultdict(list), None
        for place, own in enumerate([*self.own, False]):
            if own:
                start = place if start is None else start
                if place - start >= LENGTH - 1:
                    found[self.whole[place - LENGTH + 1]].append(place - LENGTH + 1)
            elif start is not None:
                if LEAST <= place - start < LENGTH:
                    found[self.piece(start, place)].append(start)
                start = None
        return found


def value_of(text):
    """A number in one form, however it is written; other text is not changed."""
    plain = text.lower().replace("'", "")[:100]
    for read in (lambda: int(plain.rstrip("ulz"), 0), lambda: int(plain.rstrip("ulz"), 8),
                 lambda: float(plain.rstrip("fl"))):
        try:
            return str(read())
        except (ValueError, OverflowError):
            pass
    return text
