#!/usr/bin/env python3
"""Runs a compiler, and runs it again without the variants (put into a file by generate.py) that do not compile.

usage: compile.py COMPILER ARGUMENT...
Every variant stands between two lines with its name; A2_WITHOUT_NAME leaves it out, A2_WITHOUT_ALL leaves out all of a
file. The tests of variants that were left out fail.
"""

import pathlib
import re
import subprocess
import sys

BEGIN = re.compile(r"#if !defined\(A2_WITHOUT_ALL\) && !defined\(A2_WITHOUT_(\w+)\)")
END = re.compile(r"#endif  // (\w+)")


def variants_by_line(source):
    """For each line of the file, from 1, the variant it belongs to or None."""
    current, lines = None, [None]
    for line in source.read_text(encoding="utf-8", errors="surrogateescape").splitlines():
        begin = BEGIN.match(line)
        current = begin.group(1) if begin else current
        lines.append(current)
        if END.match(line):
            current = None
    return lines


def blamed(source, messages):
    """Variants with an error or, if the errors are elsewhere, those with a line that a message names."""
    lines = variants_by_line(source)
    place = re.escape(source.name) + r"[:(](\d+)"  # FILE:LINE of gcc and clang, FILE(LINE) of Visual C++
    named = re.findall(place + r"[^\n]*\berror\b", messages) or re.findall(place, messages)
    return {lines[int(number)] for number in named if int(number) < len(lines)} - {None}


def main():
    command = sys.argv[1:]
    sources = [pathlib.Path(word) for word in command if word.endswith(".cpp")]
    source = next((one for one in sources if one.is_file() and any(variants_by_line(one))), None)
    without = []
    while True:
        done = subprocess.run(command + [f"-DA2_WITHOUT_{name}" for name in without], capture_output=True, text=True,
                              errors="replace")
        if done.returncode == 0 or source is None or "ALL" in without:
            break
        more = blamed(source, done.stdout + done.stderr) - set(without)
        without += sorted(more) or ["ALL"]
    sys.stdout.write(done.stdout)
    sys.stderr.write(done.stderr)
    if done.returncode == 0 and without:
        print(f"tests/known-bad: {source.name}: left out, for it does not compile: {', '.join(without)}", file=sys.stderr)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
