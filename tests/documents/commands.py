"""Every command that README.md and docs/ show is in commands.txt, and is run as written; if the page shows its output,
that must be its output.

usage: commands.py PROJECT A2 quick|slow [PAGE]

PAGE: of that page alone; with - before its name, of all others.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

# These pages are about programs whose tests are in tests/course.
OF_THE_COURSE = {"cluster.md", "copies.md", "grading-by-hand.md", "grading.md", "handing-out.md", "handing-over.md",
                 "jails.md"}
TYPED = re.compile(r"^((mpirun -n \d+ )?build/(a2|tests/soak/a2_soak)|tools/(run|test|inspect_capture\.py)|echo|head|cmake|ctest)( |$)")


def shown_commands(text):
    """Each command of a page with the lines that are shown below it."""
    found = []
    for block in re.findall(r"(?:^(?:    .*)?\n)+", text, re.M):
        lines = []
        for line in block.split("\n"):
            words = re.sub(r"^ *(\$ )?", "", line)
            if TYPED.match(words):
                lines = []
                found.append((re.sub(r"  +# .*", "", words), lines))
            else:
                lines.append(line)
    prose = " ".join(line for line in text.split("\n") if not line.startswith("    "))
    for code in re.findall(r"`([^`]+)`", re.sub(r" +", " ", prose)):
        for part in code.split(" && "):
            if TYPED.match(part) and " " in part and not re.search(r"[A-Z]{3}", part):
                found.append((part, []))
    return found


def listed_commands(file):
    """The entries of commands.txt: how each is run, and its exit status."""
    listed = {}
    for line in file.read_text(encoding="utf-8").split("\n"):
        if line and not line.startswith("#"):
            how, status, command = line.split(None, 2)
            listed[command] = (how, status)
    return listed


def plain(text):
    """Without line breaks, times, random numbers and line numbers."""
    text = re.sub(r"\b\d[\d.]* +ms|\bline \d+", "#", " ".join(text.split()))
    return re.sub(r"-s \d+|expected sum \d+, got \d+", "#", text)


def main():
    project, a2, want = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]), sys.argv[3]
    only = sys.argv[4] if len(sys.argv) > 4 else ""
    file = project / "tests/documents/commands.txt"
    listed = listed_commands(file)
    environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"} | {"A2_DEVICE": "cpu"}
    doctor = subprocess.run([a2, "doctor"], capture_output=True, text=True, env=environment)
    reader = subprocess.run(["/usr/bin/python3", "-c", "import renderdoc"], capture_output=True)
    has_renderdoc = (reader.returncode == 0 and "RenderDoc is installed" in doctor.stdout
                     and "renderdoc_app.h" not in doctor.stdout)
    wrong, seen, tried = [], set(), 0

    def attempt(page, command, shown, folder):
        how, status = listed[command]
        run = subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, text=True, env=environment)
        printed = run.stdout + run.stderr
        if run.returncode != int(status):
            wrong.append(f"{page}: {command}: exit status {run.returncode} instead of {status}\n{printed}")
        if how != "same":
            return
        if not any(line.strip() for line in shown):
            wrong.append(f"{page}: {command}: nothing is shown of what it prints")
        for part in re.split(r"^ *\.\.\.$", "\n".join(shown), flags=re.M):
            if plain(part) not in plain(printed):
                wrong.append(f"{page}: {command}: does not print\n{part}\nbut\n{printed}")

    for page in [project / "README.md", *sorted((project / "docs").glob("*.md"))]:
        if page.name in OF_THE_COURSE:
            continue
        with tempfile.TemporaryDirectory() as folder:
            # As in the project's folder, except that files written there are removed.
            (pathlib.Path(folder) / "build").symlink_to(a2.parent)
            (pathlib.Path(folder) / "tools").symlink_to(project / "tools")
            kernel = (project / "shaders/A2Task1KernelDecomposition.comp").read_text(encoding="utf-8")
            changed = pathlib.Path(folder) / "my-shaders" / "A2Task1KernelDecomposition.comp"
            changed.parent.mkdir()
            changed.write_text(kernel.replace("stride > 0", "stride > 1"), encoding="utf-8")
            for command, shown in shown_commands(page.read_text(encoding="utf-8")):
                if command not in listed:
                    wrong.append(f"{page}: {command}: not in {file}")
                    continue
                seen.add(command)
                if only and (page.name == only.lstrip("-")) == only.startswith("-"):
                    continue
                how = listed[command][0]
                quick = how in ("same", "runs") or (how == "renderdoc" and has_renderdoc)
                if (want == "quick" and quick) or (want == "slow" and how == "slow"):
                    tried += 1
                    attempt(page, command, shown, folder)
    wrong += [f"{file}: {command}: on no page" for command in listed if command not in seen]
    if not tried:
        wrong.append(f"no {want} command was tried")
    print("\n".join(wrong) or f"{tried} of {len(listed)} commands were tried")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
