#!/usr/bin/python3
"""The style of the tree's own files: C++ formatted by .clang-format, and no file-local name twice in a folder; shell
accepted by shellcheck, Python by pyflakes. Checks without their program are skipped (exit status 77).

usage: style.py TREE format|names|shell|python"""

import collections
import pathlib
import re
import shutil
import subprocess
import sys

SKIPPED = 77
CLANG_FORMAT = 14  # other versions break some lines differently
TREE = pathlib.Path(sys.argv[1])


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIPPED)


def found(*names):
    return next((name for name in names if shutil.which(name)), None)


def tracked():
    listed = subprocess.run(["git", "-C", TREE, "ls-files", "-z"], capture_output=True, text=True, check=False)
    if listed.returncode:
        skip("which files are the tree's is known to git alone")
    return [path for path in listed.stdout.split("\0") if path and (TREE / path).is_file()]


def interpreter(path):
    """The first line of a program without an ending: "#!/usr/bin/python3"."""
    with open(TREE / path, "rb") as file:
        return file.readline(200).decode(errors="replace") if "." not in pathlib.Path(path).name else ""


def run(words):
    return subprocess.run(words, cwd=TREE, capture_output=True, text=True, check=False)


def cpp_format():
    program = found(f"clang-format-{CLANG_FORMAT}", "clang-format") or skip("clang-format is not installed")
    version = re.search(r"version (\d+)", run([program, "--version"]).stdout)
    if not version or int(version[1]) != CLANG_FORMAT:
        skip(f"clang-format {CLANG_FORMAT} is not installed")
    # A2Kernels.h is GLSL as well.
    files = [path for path in tracked() if path.endswith((".cpp", ".h")) and not path.startswith("shaders/")]
    return run([program, "--dry-run", "-Werror", *files]).stderr


def names():
    """Types and constants that two files of a folder define for themselves: if these are compiled together they clash,
    and CMake chooses which are. The same `using` twice does no harm."""
    whose = collections.defaultdict(lambda: collections.defaultdict(set))  # (folder, name) -> definition -> files
    for path in map(pathlib.PurePath, tracked()):
        if path.parts[0] != "src" or path.suffix != ".cpp":
            continue
        text = (TREE / path).read_text(encoding="utf-8")
        for own in re.findall(r"^namespace \{\n(.*?)^\}  // namespace$", text, re.S | re.M):
            for said, name in re.findall(r"^((?:struct|class|enum class|using) (\w+)\b(?!;)[^\n]*)", own, re.M):
                whose[path.parent, name][said if said.startswith("using") else path].add(path)
            for name in re.findall(r"^(?:constexpr|const) [\w:<>, *&]+?\b(\w+)(?= =|\{|\[)", own, re.M):
                whose[path.parent, name][path].add(path)
    return "\n".join(f"{folder}: '{name}' is in {', '.join(sorted({one.name for files in said.values() for one in files}))}"
                     ": call one of them otherwise" for (folder, name), said in sorted(whose.items()) if len(said) > 1)


def shell():
    program = found("shellcheck") or skip("shellcheck is not installed")
    files = [path for path in tracked() if path.endswith(".sh") or re.search(r"\b(ba)?sh\b", interpreter(path))]
    return run([program, "-x", *files]).stdout


def python():
    if run([sys.executable, "-m", "pyflakes", "--version"]).returncode:
        skip("pyflakes is not installed")
    files = [path for path in tracked() if path.endswith(".py") or "python" in interpreter(path)]
    said = run([sys.executable, "-m", "pyflakes", *files])
    lines = []
    for line in (said.stdout + said.stderr).splitlines():
        place = re.match(r"(.+?):(\d+):", line)
        of = (TREE / place[1]).read_text(encoding="utf-8").splitlines()[int(place[2]) - 1] if place else ""
        if not re.search(r"noqa:.*\bF401", of):  # a module that is imported for its effects
            lines.append(line)
    return "\n".join(lines)


wrong = {"format": cpp_format, "names": names, "shell": shell, "python": python}[sys.argv[2]]()
print(wrong)
sys.exit(1 if wrong.strip() else 0)
