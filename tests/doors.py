#!/usr/bin/env python3
"""doors.py PROJECT: checks every include of src/ against the order of the rooms of the house.

A file may include its own room, include/a2, shaders/include, and the rooms that DOORS lists for its room: never one
that is built on it. Prints a line for each include that is not allowed; exit status 1 if there is one."""

import pathlib
import re
import sys

# From the bottom to the top. A room may open doors to rooms above its line only.
DOORS = {
    "base": "",
    "files": "base",
    "recording": "base",
    "spirv": "base recording",
    "recorder": "base recording",
    "worker": "base files recording",
    "gpu": "base files recording spirv",
    "lint": "base recording spirv",
    "tasks": "base files recording spirv gpu",
    "judge": "base recording spirv gpu lint tasks",
    "report": "base files gpu lint judge",
    "cli": "base files recording worker gpu lint tasks judge report",
    # Student territory, which is compiled without src/.
    "A2Task1Solution": "",
    "A2Task2Solution": "",
}
# Optional rooms, which no other room needs: each folder in it is a separate room, and no door leads there.
ANNEXES, ANNEX_DOORS = "annexes", "base files recording worker spirv gpu lint tasks judge report cli"
# The same for courses: what rows and classes are made of.
COURSES, COURSE_DOORS = "courses", "base tasks"


def included(file):
    text = file.read_text(encoding="utf-8")
    return re.findall(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">]+)[">]', text, re.MULTILINE)


def main():
    source = pathlib.Path(sys.argv[1]) / "src"
    wrong = []
    seen = set()
    for room, doors in DOORS.items():
        for other in doors.split():
            if other not in seen:
                wrong.append(f"tests/doors.py: {room} has a door to {other}, which does not stand above it")
        seen.add(room)
    files = 0
    for file in sorted(source.rglob("*")):
        if file.suffix not in (".h", ".cpp"):
            continue
        files += 1
        place = file.relative_to(source)
        room, doors = place.parts[0], DOORS.get(place.parts[0])
        if room == ANNEXES and len(place.parts) > 2:
            room, doors = "/".join(place.parts[:2]), ANNEX_DOORS
        if room == COURSES and len(place.parts) > 2:
            room, doors = "/".join(place.parts[:2]), COURSE_DOORS
        if len(place.parts) == 1 or doors is None:
            wrong.append(f"src/{place}: belongs to no room of tests/doors.py")
            continue
        for include in included(file):
            other = include.split("/")[0]
            if (source / include).is_file() and not include.startswith(room + "/") and other not in doors.split():
                wrong.append(f'src/{place}: includes "{include}", but {room}/ has no door to {other}/')
    if not files:
        wrong.append(f"{source}: no source files")
    print("\n".join(wrong) or f"{files} files keep to their rooms")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
