"""README.md and docs/: the first fits on two screens, every link has a target, every rule has its page, and every named
option is one of a2's.

usage: pages.py PROJECT A2
"""

import json
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools/course"))
from rubric import EMULATOR_RULES, LINT_RULES  # noqa: E402

MOST_LINES, MOST_COLUMNS = 160, 80
# Of programs that are not a2.
OTHER_OPTIONS = {"--werror", "--preset", "--build", "--allow-run-as-root"}
# These pages are about programs whose tests are in tests/course.
OF_THE_COURSE = {"cluster.md", "copies.md", "grading-by-hand.md", "grading.md", "handing-out.md", "handing-over.md",
                 "jails.md"}


def anchors(text):
    """The anchors that GitHub makes from a page's headings."""
    found = set()
    for heading in re.findall(r"^#+ (.*)$", text, re.M):
        found.add(re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-"))
    return found


def outside_blocks(text):
    text = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    return "\n".join(line for line in text.split("\n") if not line.startswith("    "))


def check_length(page, text):
    lines = text.rstrip("\n").split("\n")
    if len(lines) > MOST_LINES:
        yield f"{page}: {len(lines)} lines, more than {MOST_LINES}: what is not about the first hour belongs into docs/"
    for number, line in enumerate(lines, 1):
        if len(line) > MOST_COLUMNS and not line.startswith("    build/a2 "):  # printed so that it can be pasted
            yield f"{page}:{number}: {len(line)} columns, more than {MOST_COLUMNS}"


def check_links(page, text, texts):
    for target in re.findall(r"\]\(([^)\s]+)\)", outside_blocks(text)):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.exists():
            yield f"{page}: no {target}"
        elif anchor and anchor not in anchors(texts.get(file) or file.read_text(encoding="utf-8")):
            yield f"{page}: no heading for {target}"


def check_rules(project, texts):
    rules = re.findall(r'Rule\{"([a-z-]+)"', (project / "src/lint/Rules.cpp").read_text(encoding="utf-8"))
    if len(rules) < 20:
        yield f"only {len(rules)} rules were found in src/lint/Rules.cpp"
    page = project / "docs/rules.md"
    for rule in rules:
        entry = re.search(rf"^### `{rule}`\n\n(.*?)(?=\n##)", texts[page], re.M | re.S)
        if not entry:
            yield f"{page}: nothing about {rule}"
        elif not re.search(r"\*\*(Fails|A note)\b", entry[1]) or "Mend it: " not in entry[1]:
            yield f"{page}: {rule}: whether it fails or is a note, and how to mend it, is missing"
    for rule in re.findall(r"^### `([a-z-]+)`$", texts[page], re.M):
        if rule not in rules:
            yield f"{page}: {rule} is no rule of src/lint/Rules.cpp"
    schema = project / "src/report/schema-2.json"
    named = json.loads(schema.read_text(encoding="utf-8"))["$defs"]["lint"]["properties"]["rule"]["enum"]
    for rule in set(rules) ^ set(named):
        yield f"{schema}: {rule} stands there or in src/lint/Rules.cpp, and not in both"
    if LINT_RULES | EMULATOR_RULES != set(rules) or len(EMULATOR_RULES) < 10 or len(LINT_RULES) < 10:
        yield f"{project / 'tools/course/rubric.py'}: does not find all rules in {page}, each in its section"


def check_options(page, text, helps):
    every = "\n".join(helps.values())
    for code in re.findall(r"`([^`]+)`", " ".join(outside_blocks(text).split())):
        words = code.split()
        about = helps["run"] + helps[""]
        if words[0] in ("a2", "build/a2"):
            about = helps.get(words[1], about) if len(words) > 1 else about
        elif words[0].startswith("-"):
            about = every
        else:
            continue
        for option in re.findall(r"(?<!\S)--[a-z-]+", code):
            if option not in OTHER_OPTIONS and not re.search(rf"{option}(?![a-z-])", about):
                yield f"{page}: `{code}`: no {option}"


def main():
    project, a2 = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]

    def show_help(*command):
        shown = subprocess.run([a2, *command, "--help"], capture_output=True, text=True, check=True)
        return shown.stdout

    first = show_help()
    commands = re.findall(r"^  ([a-z]+)  ", first[first.index("Commands:"):], re.M)
    helps = {"": first} | {command: show_help(command) for command in commands}
    pages = [project / "README.md", *sorted((project / "docs").glob("*.md"))]
    texts = {page: page.read_text(encoding="utf-8") for page in pages}
    wrong = [*check_length(pages[0], texts[pages[0]]), *check_rules(project, texts)]
    for page, text in texts.items():
        wrong += check_links(page, text, texts)
        if page.name not in OF_THE_COURSE:
            wrong += check_options(page, text, helps)
        if page != pages[0] and f"](docs/{page.name})" not in texts[pages[0]]:
            wrong.append(f"{pages[0]}: leads nobody to docs/{page.name}")
    print("\n".join(wrong) or f"{len(pages)} pages and {len(commands)} commands agree")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
