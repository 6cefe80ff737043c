#!/usr/bin/python3
"""docs/debugging.md agrees with a2 debug: each fault that the page names is made, and its commands are typed.

usage: debugging.py PROJECT BUILD [--write]

--write: writes the answers into the page.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from other_solutions import library_with  # noqa: E402

FAULT = re.compile(r"<!-- (?P<file>\S+): `(?P<old>[^`]+)` becomes `(?P<new>[^`]+)` -->\n\n(?P<shown>(?:    .*\n|\n(?=    ))+)")


def transcript(project, build, fault):
    shown = [line[4:] for line in fault["shown"].rstrip("\n").split("\n")]
    typed = [line.removeprefix("(a2) ") for line in shown[1:] if line.startswith("(a2) ")]
    text = (project / fault["file"]).read_text()
    if text.count(fault["old"]) != 1:
        sys.exit(f"{fault['file']} has {fault['old']!r} {text.count(fault['old'])} times")
    text = text.replace(fault["old"], fault["new"])
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        if fault["file"].endswith(".comp"):
            (folder / pathlib.Path(fault["file"]).name).write_text(text)
            more = ["--shader-dir", folder]
        else:
            more = ["--solutions", library_with(project, build, folder, fault["file"], text)]
        (folder / "typed").write_text("\n".join(typed) + "\n")
        run = subprocess.run([build / "a2", *shown[0].split()[2:], *more, "-x", folder / "typed", "--quiet"],
                             stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    if run.returncode != 0 or run.stderr:
        sys.exit(f"{shown[0]}: exit status {run.returncode}\n{run.stdout}{run.stderr}")
    return shown[0] + "\n" + run.stdout


def main():
    project, build = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    page = project / "docs/debugging.md"
    text = page.read_text()
    wrong, faults = [], list(FAULT.finditer(text))
    for fault in reversed(faults):
        now = "".join(f"    {line}\n" if line else "\n" for line in transcript(project, build, fault).split("\n")[:-1])
        if now != fault["shown"].rstrip("\n") + "\n":
            wrong.append(now)
            text = text[:fault.start("shown")] + now + "\n" + text[fault.end("shown"):].lstrip("\n")
    if "--write" in sys.argv:
        page.write_text(text)
    elif wrong or not faults:
        sys.exit(f"docs/debugging.md has {len(faults)} faults; not as shown:\n\n" + "\n".join(reversed(wrong)))


if __name__ == "__main__":
    main()
