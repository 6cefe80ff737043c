"""Which submissions share code that was not handed out: pairs for a person to look at, never a verdict."""

import csv
import io
import re
import shutil
import time
from pathlib import Path

import jail
import markers
import outputs

TOOLS = {".cpp": "sim_c++", ".comp": "sim_c"}
LEAST_PERCENT = 20
MOST_COMPARED = 128 << 10  # characters of a file, which takes the square of them; the longest of the course's has 10 KiB
SECONDS, MEMORY = 600, 4 << 30  # for the comparison of all files of all
MOST_SAID = 64 << 20  # bytes
LINE = re.compile(r"(?P<one>\S+) consists for (?P<percent>\d+) % of (?P<other>\S+) material")


def missing_tools():
    return sorted({tool for tool in TOOLS.values() if not shutil.which(tool)})


def own_lines(text, handed_out):
    """The lines that the hand-out does not have, as far as they are compared."""
    return "".join(line + "\n" for line in text.splitlines() if line.strip() not in handed_out)[:MOST_COMPARED]


def handed_out_lines(house, file):
    text = markers.read(house.root / file)
    return {line.strip() for line in markers.stub_of(text, file).splitlines()}


def compared(tool, files, folder, own, seconds):
    """(one, other, percent) of these files, each with those after it; None where that took too long."""
    if seconds <= 0:
        return None
    ended = jail.run([*(own.words([folder], [], MEMORY, SECONDS) if own else []), tool, "-p", "-e", "-T", "-r", "12",
                      *(str(folder / file) for file in files)], seconds, binary=True, most=MOST_SAID)
    if ended.timed_out or ended.status < 0 or ended.status > 128:
        return None
    said = [LINE.match(line) for line in ended.output.decode("utf-8", "replace").splitlines()]
    return [(Path(line["one"]).name, Path(line["other"]).name, int(line["percent"])) for line in said if line]


def pairs(house, wanted, texts, folder, own=None, note=lambda text: None):
    """[(file, one, other, percent)]: so much of the first's own lines are like the second's; each pair once, from the
    side that has more of the other.

    texts: name -> {file: text}. folder is empty, and is used for copies. own: the Jail that the tool runs in, as it reads
    what others wrote. note is told what was not compared."""
    found, end = [], time.monotonic() + SECONDS
    for file in wanted:
        handed_out = handed_out_lines(house, file)
        names = {}
        for i, name in enumerate(sorted(texts)):
            lines = own_lines(texts[name].get(file, ""), handed_out)
            if lines.strip():
                copy = folder / f"{i}{file[file.rindex('.'):]}"
                copy.write_text(lines, encoding="utf-8", errors="replace")
                names[copy.name] = name
                if len(lines) == MOST_COMPARED:
                    note(f"of {name}'s {file}, the first {MOST_COMPARED >> 10} KiB are compared with others'")
        if len(names) > 1:
            percents = {}
            # Each pair alone (-e), which the tool looks at from the file that is named first: so in both orders.
            for order in (sorted(names), sorted(names, reverse=True)):
                several = compared(TOOLS[file[file.rindex("."):]], order, folder, own, end - time.monotonic())
                if several is None:
                    note(f"similarity.csv lacks pairs of {file}: comparing all took more than {SECONDS} s")
                    break
                for one, other, percent in several:
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
