"""Typical slips in a file of GLSL or C++: one edit each, at its place in the text.

The name of an edit does not change when lines move: it consists of the touched lines, without comments, before and
after.
"""

import dataclasses
import re

COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
FOR_CPP = re.compile(r"^#ifdef __cplusplus\n.*?^#(?:else|endif)\b", re.M | re.S)  # in files that both languages include
# Layouts whose values the host sets, whatever the text has, and those that name a binding by a number of A2Kernels.h.
LAYOUT = re.compile(r"\blayout\([^;{]*?\)(?:\s*const\s[^;]*;)?")
TOKEN = re.compile(r"[A-Za-z_]\w*|0[xX][0-9a-fA-F]+[uU]?|\d+\.\d*f?|\d+[uU]?|\"[^\"\n]*\"|'[^'\n]*'|<<=|>>=|"
                   r"&&|\|\||[<>=!+\-*/%&|^]=|<<|>>|\+\+|--|->|::|\S")
COMPARED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
OPERATED = {"+": "-", "-": "+", "*": "/", "/": "*", "%": "/", "<<": ">>", ">>": "<<", "&": "|", "|": "&", "^": "|",
            "&&": "||", "||": "&&"}
ASSIGNED = {"+=": "=", "-=": "+=", "*=": "/=", "/=": "*=", "%=": "/=", "<<=": ">>=", ">>=": "<<=", "|=": "&=",
            "&=": "|="}
STEPPED = {"++": "--", "--": "++"}
OPENS, CLOSES = {"(": ")", "[": "]", "{": "}"}, {")", "]", "}"}
GLSL_BARRIER = re.compile(r"\b(?:\w*[bB]arrier\w*)\([^()]*\)(?=;)")
NO_TYPE = {"return", "else", "case", "goto", "break", "continue", "using", "namespace", "do"}


@dataclasses.dataclass(frozen=True)
class Edit:
    start: int
    end: int
    by: str
    kind: str


@dataclasses.dataclass(frozen=True)
class Mutant:
    file: str    # relative to the project's folder
    before: str  # the touched lines, in one
    after: str
    number: int  # of the equal ones in the file, from 1
    kind: str
    text: str    # the whole file

    @property
    def key(self):
        return self.file, self.before, self.after, self.number


def blank(text, pattern):
    """Blanks of the same length, with the same number of lines."""
    return pattern.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), text)


class Code:
    """A file's tokens, their pairs, and the beginnings of statements."""

    def __init__(self, text, glsl):
        self.text, self.glsl = text, glsl
        code = blank(text, COMMENT)
        self.code = code  # keys are made from it
        if glsl:
            code = blank(blank(code, FOR_CPP), LAYOUT)
        lines, defines = [], False
        for line in code.split("\n"):
            # Of directives, only the body of a macro.
            head = re.match(r"\s*#\s*define\s+\w+(\([^)]*\))?", line) if glsl else None
            if head:
                line = " " * head.end() + line[head.end():]
            elif re.match(r"\s*#", line) and not defines:
                line = " " * len(line)
            defines = line.endswith("\\")
            lines.append(line[:-1] + " " if defines else line)
        code = "\n".join(lines)
        self.tokens = [(found.group(), found.start(), found.end()) for found in TOKEN.finditer(code)]
        self.partner = {}
        opened = []
        for i, (word, _, _) in enumerate(self.tokens):
            if word in OPENS:
                opened.append(i)
            elif word in CLOSES and opened:
                self.partner[i] = opened[-1]
                self.partner[opened.pop()] = i

    def word(self, i):
        return self.tokens[i][0] if 0 <= i < len(self.tokens) else ""

    def between(self, first, last):
        """The text of tokens first to last - 1."""
        return self.text[self.tokens[first][1]:self.tokens[last - 1][2]] if last > first else ""

    def spaced(self, i):
        """Whether it is a binary operator: pointers, references and templates do not have blanks on both sides."""
        _, start, end = self.tokens[i]
        return self.text[start - 1].isspace() and self.text[end].isspace()

    def back(self, i, stops):
        """The first token of the expression that ends before token i."""
        at = i - 1
        while at >= 0 and self.word(at) not in stops:
            if self.word(at) in CLOSES:
                if self.word(at) == "}" or at not in self.partner:
                    break
                at = self.partner[at]
            elif self.word(at) in OPENS:
                break
            at -= 1
        return at + 1

    def ahead(self, i, stops):
        """The position after the last token of the expression that begins with token i."""
        at = i
        while at < len(self.tokens) and self.word(at) not in stops and self.word(at) not in CLOSES:
            at = self.partner.get(at, at) + 1 if self.word(at) in OPENS else at + 1
        return min(at, len(self.tokens))

    def statement(self, i):
        """The first token of the statement, or of the declaration in a for, that contains token i."""
        at = i - 1
        while at >= 0:
            word = self.word(at)
            if word in ")]" and at in self.partner:
                if word == ")" and self.word(self.partner[at] - 1) in ("if", "for", "while"):
                    break
                if word == "]" and self.word(self.partner[at] + 1) == "[":  # [[unroll]]
                    break
                at = self.partner[at]
            elif word in (";", "{", "}", "else", "do") or word == "(" and self.word(at - 1) == "for":
                break
            at -= 1
        return at + 1

    def declares(self, i):
        """Whether the statement that contains token i declares something."""
        at = self.statement(i)
        words = [self.word(k) for k in range(at, min(at + 8, len(self.tokens)))]
        if not words or words[0] in NO_TYPE or not re.match(r"[A-Za-z_]", words[0]):
            return False
        return bool(re.match(r"(?:const |static |shared |precise |constexpr )*[A-Za-z_]\w*(?: :: \w+)*(?: [*&])* "
                             r"(?:const )?[A-Za-z_]", " ".join(words)))


def whole(one, add):
    """An index, or a number, with something added to it."""
    return f"{one} {add}" if re.fullmatch(r"[\w.]+(\(\))?", one) else f"({one}) {add}"


def comparisons(code):
    for i, (word, start, end) in enumerate(code.tokens):
        if word in COMPARED and code.spaced(i):
            yield Edit(start, end, COMPARED[word], "comparison")


def operators(code):
    for i, (word, start, end) in enumerate(code.tokens):
        if word in OPERATED and code.spaced(i):
            yield Edit(start, end, OPERATED[word], "operator")
        elif word in STEPPED:
            yield Edit(start, end, STEPPED[word], "operator")


def constants(code):
    for i, (word, start, end) in enumerate(code.tokens):
        if re.fullmatch(r"\d+\.\d*f?", word):
            yield Edit(start, end, f"({word} + 1.0)", "constant")
        elif re.fullmatch(r"(0[xX][0-9a-fA-F]+|\d+)[uU]?", word):
            value, unsigned = int(word.rstrip("uU"), 0), "U" if word[-1] in "uU" else ""
            shown = hex if word[:2] in ("0x", "0X") else str
            if value < 0xFFFFFFFF:
                yield Edit(start, end, shown(value + 1) + unsigned, "constant")
            if value > 0:
                yield Edit(start, end, shown(value - 1) + unsigned, "constant")


def indices(code):
    for i, (word, _, _) in enumerate(code.tokens):
        close = code.partner.get(i)
        if word != "[" or close is None or close == i + 1 or not re.match(r"[\w\])]", code.word(i - 1)):
            continue
        start, end = code.tokens[i + 1][1], code.tokens[close - 1][2]
        # Longer arrays are no fault.
        declared = code.word(close + 1) in (";", ",") and code.declares(i) and code.statement(i) + 3 >= i
        for add in ("- 1",) if declared else ("+ 1", "- 1"):
            yield Edit(start, end, whole(code.text[start:end], add), "index")


def conditions(code):
    """Of if, while, for, ?:, and of what is declared or returned as bool."""
    found = []  # token ranges
    for i, (word, _, _) in enumerate(code.tokens):
        if word in ("if", "while") and code.word(i + 1) == "(":
            found.append((i + 2, code.partner[i + 1]))
        elif word == "for" and code.word(i + 1) == "(":
            first = code.ahead(i + 2, {";"}) + 1
            last = code.ahead(first, {";"})
            if code.word(first - 1) == ";" and code.word(last) == ";" and last > first:
                found.append((first, last))
        elif word == "?" and code.spaced(i):
            found.append((code.back(i, {"=", "+=", ",", ";", "return", ":", "?", "{"}), i))
        elif word == "bool" and code.word(i + 2) == "=":
            found.append((i + 3, code.ahead(i + 3, {";", ","})))
        elif word == "return":
            last = code.ahead(i + 1, {";"})
            words = [code.word(k) for k in range(i + 1, last)]
            if "?" not in words and any(one in COMPARED and code.spaced(i + 1 + k) for k, one in enumerate(words)):
                found.append((i + 1, last))
    for first, last in found:
        start, end, text = code.tokens[first][1], code.tokens[last - 1][2], code.between(first, last)
        yield Edit(start, end, f"!({text})", "condition")
        yield Edit(start, end, "true", "condition")
        yield Edit(start, end, "false", "condition")
        yield from parts_of_condition(code, first, last)


def parts_of_condition(code, first, last):
    """Leaves out each part of a && b, and of a || b."""
    for sign, neutral in (("&&", "true"), ("||", "false")):
        begin, parts = first, []
        while begin < last:
            end = min(code.ahead(begin, {sign}), last)
            parts.append((begin, end))
            begin = end + 1
        for begin, end in parts if len(parts) > 1 else ():
            if end > begin:
                yield Edit(code.tokens[begin][1], code.tokens[end - 1][2], neutral, "condition")


def choices(code):
    """Exchanges the parts before and after the colon of ?:."""
    for i, (word, _, _) in enumerate(code.tokens):
        if word != "?" or not code.spaced(i):
            continue
        colon = code.ahead(i + 1, {":"})
        last = code.ahead(colon + 1, {";", ",", ":", "?"})
        if code.word(colon) == ":" and "?" not in (code.word(k) for k in range(i + 1, last)):
            yield Edit(code.tokens[i + 1][1], code.tokens[last - 1][2],
                       f"{code.between(colon + 1, last)} : {code.between(i + 1, colon)}", "condition")


def assignments(code):
    for i, (word, start, end) in enumerate(code.tokens):
        if word in ASSIGNED:
            yield Edit(start, end, ASSIGNED[word], "assignment")
        elif word == "=" and code.word(code.statement(i)) != "using" and not code.declares(i):
            yield Edit(start, end, "+=", "assignment")


def glsl_barriers(code):
    for found in GLSL_BARRIER.finditer(blank(code.text, COMMENT)):
        yield Edit(found.start(), found.end(), "{}", "barrier")
        yield Edit(found.start(), found.end(), f"if (gl_LocalInvocationID.x == 0) {found.group()}", "barrier")


def members(code):
    """Exchanges neighbours in a struct of push constants: the host writes them in the old order."""
    for found in re.finditer(r"struct \w+Push \{(.*?)\};", blank(code.text, COMMENT), re.S):
        named = [one for one in re.finditer(r"\w+(?=[;,])", found.group(1))]
        for one, two in zip(named, named[1:]):
            start = found.start(1)
            text = code.text[start + one.start():start + two.end()]
            yield Edit(start + one.start(), start + two.end(),
                       two.group() + text[len(one.group()):len(text) - len(two.group())] + one.group(), "push field")


COMMON = (comparisons, operators, constants, indices, conditions, choices, assignments)


def arguments(code, open_token):
    """Token ranges between commas."""
    first, last, found = open_token + 1, code.partner[open_token], []
    while first < last:
        end = min(code.ahead(first, {","}), last)
        found.append((first, end))
        first = end + 1
    return found


def exchanged(code, ranges, kind):
    """Exchanges each two neighbours."""
    for (a, b), (c, d) in zip(ranges, ranges[1:]):
        yield Edit(code.tokens[a][1], code.tokens[d - 1][2],
                   code.between(c, d) + code.text[code.tokens[b - 1][2]:code.tokens[c][1]] + code.between(a, b), kind)


def calls(code, pattern):
    """Index of the opening parenthesis or brace of each call."""
    for i, (word, _, _) in enumerate(code.tokens):
        before = " ".join(code.word(k) for k in range(max(0, i - 6), i))
        if word in "({" and i in code.partner and re.search(pattern, before):
            yield i


def host_barriers(code):
    for open_token in calls(code, r"\bcb \. pipelineBarrier2?$|(?<!void )\bwaitForWrites$"):
        if code.word(open_token - 2) == "void":
            continue
        last = code.partner[open_token]
        first = code.statement(open_token)
        yield Edit(code.tokens[first][1], code.tokens[last][2], "{}", "barrier")
        for i in range(open_token, last):
            word, start, end = code.tokens[i]
            if word == "eComputeShader":
                yield Edit(start, end, "eTransfer", "stage")
            elif word == "eShaderWrite":
                yield Edit(start, end, "eShaderRead", "mask")
                yield Edit(start, end, "eTransferWrite", "mask")
            elif word == "eShaderRead":
                yield Edit(start, end, "eTransferRead", "mask")
            elif word == "|":
                yield Edit(code.tokens[i][1], code.tokens[code.ahead(i, {","}) - 1][2], "", "mask")
                first_mask = code.back(i, {","})
                yield Edit(code.tokens[first_mask][1], code.tokens[i + 1][1], "", "mask")


def group_counts(code):
    for open_token in calls(code, r"\bcb \. dispatch$"):
        ranges = arguments(code, open_token)
        for first, last in ranges:
            text, start, end = code.between(first, last), code.tokens[first][1], code.tokens[last - 1][2]
            if not text.isdigit():
                for by in (whole(text, "+ 1"), whole(text, "- 1"), "1"):
                    yield Edit(start, end, by, "group count")
        yield from exchanged(code, ranges[:2], "group count")
    for open_token in calls(code, r"\bgpu \. (groupsFor|foldGroups)$"):
        first, last = arguments(code, open_token)[0]
        text, start, end = code.between(first, last), code.tokens[first][1], code.tokens[last - 1][2]
        for add in ("+ 1", "- 1"):
            yield Edit(start, end, whole(text, add), "group count")


def push_fields(code):
    for open_token in calls(code, r"Push push$"):
        if code.word(open_token) != "{":
            continue
        ranges = arguments(code, open_token)
        yield from exchanged(code, ranges, "push field")
        for first, last in ranges:
            text, start, end = code.between(first, last), code.tokens[first][1], code.tokens[last - 1][2]
            for by in (whole(text, "+ 1U"), whole(text, "- 1U"), "0U"):
                yield Edit(start, end, by, "push field")


def sets_and_buffers(code):
    for open_token in calls(code, r"\bmakeDescriptorSet \($"):
        if code.word(open_token) == "{":
            ranges = arguments(code, open_token)
            yield from exchanged(code, ranges, "buffer")
            for a, _ in ranges:
                # One buffer in place of another.
                for c, d in ranges:
                    if a != c:
                        end = next(last for first, last in ranges if first == a)
                        yield Edit(code.tokens[a][1], code.tokens[end - 1][2], code.between(c, d), "buffer")
    others = {"partialSums": "sumsOfSums", "scanned": "tileStates" if "tileStates" in code.text else "blockSums",
              "scanSets": "offsetSets", "source": "target", "target": "other", "sum": "runningSum",
              "fromInput": "fromSecond"}
    others |= {other: one for one, other in list(others.items())}
    for i, (word, start, end) in enumerate(code.tokens):
        if word in others and not code.declares(i) and code.word(i - 1) not in ("Buffer", "&") \
                and code.word(i + 1) in (".", "->", ",", ")", ";", "["):
            yield Edit(start, end, others[word], "buffer")
    for open_token in calls(code, r"\bslice$"):
        ranges = arguments(code, open_token)
        if len(ranges) == 2 and code.word(open_token - 2) in (".", "->"):
            for first, last in ranges:
                text, start, end = code.between(first, last), code.tokens[first][1], code.tokens[last - 1][2]
                for by in (whole(text, "+ 1"), whole(text, "- 1"), "0"):
                    yield Edit(start, end, by, "buffer")
    for i, (word, start, end) in enumerate(code.tokens):
        if word == "solution" and code.word(i - 1) == "::" and code.word(i - 2) == "Lifetime":
            yield Edit(code.tokens[i - 3][1], end, "", "buffer")


# Functions of the host files that record or prepare something.
COMMANDS = {"scanTiles", "addOffsets", "waitForWrites", "addLevel", "addOffsetSets", "fillDeviceWithStagingBuffer"}


def orders(code):
    """Exchanges successive commands, and leaves out each of them."""
    found = []
    for i, (word, start, _) in enumerate(code.tokens):
        command = word == "cb" and code.word(i + 1) == "." or word == "std" and code.word(i + 2) == "swap"
        if code.statement(i) != i or not (command or word in COMMANDS):
            continue
        last = code.ahead(i, {";"})
        if code.word(last) == ";":
            found.append((i, last + 1))
            if code.word(i + 2) != "pipelineBarrier" and word != "waitForWrites":
                yield Edit(start, code.tokens[last][2], "{}", "order")
    for (a, b), (c, d) in zip(found, found[1:]):
        between = [code.word(k) for k in range(b, c)]
        if "}" in between or "{" in between or "if" in between:
            continue
        if between and "labelDispatch" not in between:
            continue
        yield from exchanged(code, [(a, b), (c, d)], "order")


HOST = (host_barriers, group_counts, push_fields, sets_and_buffers, orders)


def lines_of(code, start, end):
    first = code.rfind("\n", 0, start) + 1
    last = code.find("\n", end)
    return first, len(code) if last < 0 else last


def shown(lines):
    return " ".join(line.rstrip("\\").strip() for line in lines.split("\n")).strip()


def squeezed(text):
    return re.sub(r"\s+", " ", text).strip()


def mutants(file, text):
    """Every mutant of the file, no two alike, in the order of the text."""
    glsl = not file.endswith(".cpp")
    code = Code(text, glsl)
    begin = 0 if glsl else text.index("namespace {")
    edits = set()
    for make in COMMON + ((glsl_barriers, members) if glsl else HOST):
        edits |= set(make(code))
    made, numbers = {}, {}
    for edit in sorted(edits, key=lambda one: (one.start, one.end, one.by)):
        if edit.start < begin or text[edit.start:edit.end] == edit.by:
            continue
        changed = text[:edit.start] + edit.by + text[edit.end:]
        if changed in made:
            continue
        first, last = lines_of(code.code, edit.start, edit.end)
        before = squeezed(shown(code.code[first:last]))
        after = squeezed(shown(code.code[first:edit.start] + edit.by + code.code[edit.end:last]))
        number = numbers[before, after] = numbers.get((before, after), 0) + 1
        made[changed] = Mutant(file, before, after, number, edit.kind, changed)
    return list(made.values())


if __name__ == "__main__":
    import pathlib
    import sys
    for name in sys.argv[2:]:
        for one in mutants(name, (pathlib.Path(sys.argv[1]) / name).read_text()):
            print(one.kind, one.number, "\n -", one.before, "\n +", one.after)
