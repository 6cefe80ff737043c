"""survivors.txt: mutants that pass, and why that is right.

    file: shaders/A2Task2Naive.comp
    why: a reason, which holds for all that follow, up to the next one; or
    hole: what a2 does not see yet, though it should; or
    slow: why it is right, and waits for others: on a busy machine Mesa's CPU driver ends such a loop after 65,535 turns
    - the lines that are edited, without comments, in one; [2] before them: the second such edit of the file
    + the same lines, edited
"""

import re


def read_survivors(path):
    """By the key of the mutant (edits.py): why, hole or slow."""
    found, file, why, before, number, kind = {}, "", "", "", 1, "why"
    for place, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("file: "):
            file, why = line.removeprefix("file: ").strip(), ""
        elif line.startswith(("why: ", "hole: ", "slow: ")):
            kind, _, why = (part.strip() for part in line.partition(": "))
        elif line.startswith("     ") and not before:
            why += " " + line.strip()
        elif line.startswith("- "):
            number = re.match(r"- \[(\d+)\] ", line)
            before, number = line[number.end() if number else 2:].strip(), int(number[1]) if number else 1
        elif line.startswith("+ ") and before and file and why:
            found[file, before, line[2:].strip(), number] = kind
            before = ""
        else:
            raise SystemExit(f"{path}:{place}: what is this line? {line}")
    return found
