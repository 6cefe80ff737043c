#!/usr/bin/python3
"""A class of sixty submissions, to time tools/grade on: sixty.py OUT makes OUT/NAME for each.

Thirty known-bad ones, ten cheats, and twenty right ones: the project's own, renamed and reordered.
"""

import pathlib
import re
import sys

from grade_support import INTERLEAVED, cheating, solutions
from test_grade_slow import DEEDS, known_bad

KNOWN_BAD, CHEATS, RIGHT = 30, 10, 20
SUFFIXES = ("Here", "Mine", "Two", "Of", "Now")


def rotated(items, by):
    by %= max(1, len(items))
    return items[by:] + items[:by]


def host_code(text, number):
    """The same class with other names for its members, and its functions in another order."""
    suffix = SUFFIXES[number % len(SUFFIXES)] + str(number)
    text = re.sub(r"\b([a-z]\w*)_\b", lambda found: f"{found[1]}{suffix}_", text)

    def reorder(found):
        blocks = re.split(r"\n\n(?=    [^ \n}])", found[2].rstrip("\n"))
        return found[1] + "\n\n".join(rotated(blocks, number)) + "\n\n" + found[3]

    return re.sub(r"(public:\n)(.*?)(private:\n)", reorder, text, flags=re.DOTALL)


def kernel(text, number):
    """The same kernel with other names for its variables, its bindings in another order, and other comments."""
    names = set(re.findall(r"\buint (\w+) = ", text))
    names = {name for name in names if name.islower() and not re.search(rf"\.{name}\b", text)}
    suffix = SUFFIXES[number % len(SUFFIXES)] + str(number)
    if names:
        text = re.sub(rf"\b({'|'.join(sorted(names))})\b", lambda found: found[1] + suffix, text)
    text = re.sub(r"(?:^layout\(set = .*\n)+", lambda found: "".join(rotated(found[0].splitlines(True), number)), text,
                  flags=re.MULTILINE)
    return re.sub(r"^( *)// ", rf"\1// ({number}) ", text, flags=re.MULTILINE)


def right(number):
    return {name: (kernel if name.endswith(".comp") else host_code)(text, number)
            for name, text in solutions().items()}


def sixty():
    """name -> files."""
    bad = known_bad()
    step = len(bad) / KNOWN_BAD
    made = {f"bad-{one.name}": files for one, files in (bad[int(i * step)] for i in range(KNOWN_BAD))}
    for deed in DEEDS[:CHEATS]:
        made[f"cheat-{deed.replace(' ', '-')}"] = {**solutions(), INTERLEAVED: cheating(deed)}
    for number in range(1, RIGHT + 1):
        made[f"right-{number:02}"] = right(number)
    assert len(made) == KNOWN_BAD + CHEATS + RIGHT, len(made)
    return made


def main(words):
    if len(words) != 1:
        sys.exit("usage: sixty.py OUT")
    for name, files in sixty().items():
        for path, text in files.items():
            target = pathlib.Path(words[0]) / name / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
