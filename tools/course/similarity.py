"""Which submissions share code that was not handed out: pairs for a person to look at, never a verdict."""

import csv
import io
import re
import shutil
import subprocess

import markers

TOOLS = {".cpp": "sim_c++", ".comp": "sim_c"}
LEAST_PERCENT = 20
LINE = re.compile(r"(?P<one>\S+) consists for (?P<percent>\d+) % of (?P<other>\S+) material")


def missing_tools():
    return sorted({tool for tool in TOOLS.values() if not shutil.which(tool)})


def own_lines(text, handed_out):
    """The lines that the hand-out does not have."""
    return "".join(line + "\n" for line in text.splitlines() if line.strip() not in handed_out)


def handed_out_lines(house, file):
    text = markers.read(house.root / file)
    return {line.strip() for line in markers.stub_of(text, file).splitlines()}


def pairs(house, wanted, texts, folder):
    """[(file, one, other, percent)]: so much of the first's own lines are like the second's.

    texts: name -> {file: text}. folder is empty, and is used for copies."""
    found = []
    for file in wanted:
        handed_out = handed_out_lines(house, file)
        names = {}
        for i, name in enumerate(sorted(texts)):
            own = own_lines(texts[name].get(file, ""), handed_out)
            if own.strip():
                copy = folder / f"{i}{file[file.rindex('.'):]}"
                copy.write_text(own, encoding="utf-8", errors="replace")
                names[copy.name] = name
        if len(names) > 1:
            tool = TOOLS[file[file.rindex("."):]]
            said = subprocess.run([tool, "-p", "-T", "-r", "12", *sorted(names)], cwd=folder, capture_output=True,
                                  text=True, timeout=600).stdout
            for line in LINE.finditer(said):
                if int(line["percent"]) >= LEAST_PERCENT:
                    found.append((file, names[line["one"]], names[line["other"]], int(line["percent"])))
        for copy in names:
            (folder / copy).unlink()
    return sorted(found, key=lambda one: (-one[3], one))


def as_csv(found):
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["file", "of", "is like", "percent"])
    writer.writerows(found)
    return stream.getvalue()
