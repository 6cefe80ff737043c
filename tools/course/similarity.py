"""Which submissions share code that was not handed out: pairs for a person to look at, never a verdict."""

import csv
import io
import re
import shutil
import subprocess

import markers
import outputs

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


def compared(tool, files, folder):
    """(one, other, percent) of these files, each with those behind it."""
    said = subprocess.run([tool, "-p", "-e", "-T", "-r", "12", *files], cwd=folder, capture_output=True, text=True,
                          timeout=600).stdout
    return [(line["one"], line["other"], int(line["percent"])) for line in LINE.finditer(said)]


def pairs(house, wanted, texts, folder):
    """[(file, one, other, percent)]: so much of the first's own lines are like the second's; each pair once, from the
    side that has more of the other.

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
            percents = {}
            # Each pair alone (-e), which the tool looks at from the file that is named first: so in both orders.
            for order in (sorted(names), sorted(names, reverse=True)):
                for one, other, percent in compared(TOOLS[file[file.rindex("."):]], order, folder):
                    percents[names[one], names[other]] = percent
            for one, other in sorted({tuple(sorted(pair)) for pair in percents}):
                there, back = percents.get((one, other), 0), percents.get((other, one), 0)
                if max(there, back) >= LEAST_PERCENT:
                    pair = (one, other) if there >= back else (other, one)
                    found.append((file, *pair, max(there, back)))
        for copy in names:
            (folder / copy).unlink()
    return sorted(found, key=lambda one: (-one[3], one))


def as_csv(found):
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(["file", "of", "is like", "percent"])
    writer.writerows([outputs.safe_cell(str(one)) for one in row] for row in found)
    return stream.getvalue()
