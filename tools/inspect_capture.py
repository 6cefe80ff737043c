#!/usr/bin/python3
"""Replays a RenderDoc capture of an a2 task without a window and shows what each dispatch ran with and left behind.

Exit status: 0 fine; 1 with --steps, a difference or a wrong element; 2 wrong usage; 3 no capture or no RenderDoc;
5 a fault of this program."""

import argparse
import ast
import json
import os
import re
import signal
import sys
import textwrap
import traceback

sys.dont_write_bytecode = True  # writes nothing into the source folder
from capture_replay import Failure, Replay, words  # noqa: E402

WIDTH = 80
SHOWN = 64  # elements of a buffer that are shown without --buffers
LIMIT_S = 120  # for one replay; a capture of 2^20 elements takes one second
TRIES = 3  # RenderDoc 1.24 crashes in about one of 200 replays of a good capture while the machine is busy


class Arguments(argparse.ArgumentParser):
    def error(self, message):
        raise Failure(2, f"{message}; see --help")


# --- The arrays of `a2 steps --dump`


def load_npy(path):
    """The elements of a .npy file, version 1.0, one dimension of little-endian uint32; None if there is no file."""
    try:
        with open(path, "rb") as file:
            data = file.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Failure(2, f"{path} cannot be read: {error.strerror}") from None
    end = 10 + int.from_bytes(data[8:10], "little")
    try:
        header = ast.literal_eval(data[10:end].decode("latin-1").strip())
        (count,) = header["shape"]
        good = data[:8] == b"\x93NUMPY\1\0" and header["descr"] == "<u4" and len(data) - end == 4 * count
    except (ValueError, SyntaxError, KeyError, TypeError):
        good = False
    if not good:
        raise Failure(2, f"{path} is no array that `a2 steps --dump` wrote: write the folder again")
    return words(data[end:])


def first_difference(got, other, poison=None):
    """(index, element of got, element of other) of the first difference, with None for a missing element. In memory
    that was never written, `other` holds the poison, and `got` another one."""
    if got == other:
        return None
    differ = (i for i, pair in enumerate(zip(got, other)) if pair[0] != pair[1] and pair[1] != poison)
    index = next(differ, min(len(got), len(other)))
    if index == len(got) == len(other):
        return None
    return (index, *(some[index] if index < len(some) else None for some in (got, other)))


def differences(name, got, dumped, poison=None):
    """A list of one sentence, or of none."""
    if (found := first_difference(got, dumped, poison)) is None:
        return []
    index, here, there = ("nothing" if part is None else part for part in found)
    return [f"{name}: element {index} is {here} in the capture, {there} in a2 steps"]


def slug(name):
    return re.sub("[^A-Za-z0-9]+", "-", name)


class Steps:
    """A folder of `a2 steps --dump`."""

    def __init__(self, folder):
        self.folder = folder
        try:
            names = os.listdir(folder)
        except OSError as error:
            raise Failure(2, f"--steps {folder} cannot be read: {error.strerror}") from None
        numbers = [int(found[1]) for found in (re.match(r"(\d{2,})-.*\.npy$", name) for name in names) if found]
        if not numbers:
            raise Failure(2, f"--steps {folder} holds no arrays: write them with `a2 steps TASK --dump {folder}`")
        self.dispatches = max(numbers) + 1
        self.poison = (self.load("poison.npy") or [None])[0]

    def load(self, name):
        return load_npy(os.path.join(self.folder, name))

    def judge(self, number, name, got, entry):
        """Adds to the dispatch's entry where the buffer differs from the folder, and its first wrong element."""
        stem = f"{number:02d}-{slug(name)}"
        if self.load(stem + ".kept.npy") is not None:
            return  # it holds data of earlier runs, which the capture does not have
        dumped = self.load(stem + ".npy")
        if dumped is None:
            entry["differences"].append(f"{name}: {stem}.npy is missing from {self.folder}")
        else:
            entry["differences"] += differences(name, got, dumped, self.poison)
        expected = self.load(stem + ".expected.npy")
        if expected is None or entry["first_wrong"]:
            return
        if (found := first_difference(got, expected, self.poison)) is not None:
            entry["first_wrong"] = {"index": found[0], "expected": found[2], "got": found[1], "buffer": name}


# --- The report


def entries(replay, steps, everything):
    """One entry for each dispatch, with the elements of the buffers that are to be shown."""
    for index, (event, groups, label) in enumerate(replay.dispatches()):
        entry = {"index": index, "label": label, "groups": groups, **replay.look(event)}
        entry |= {"first_wrong": None, "differences": []}
        for buffer in entry["buffers"]:
            shown = everything or buffer["elements"] <= SHOWN
            if not buffer["writable"] or not (shown or steps):
                continue
            values = replay.content(buffer)
            if shown:
                buffer["values"] = values
            if steps:
                steps.judge(index, buffer["name"], values, entry)
        if steps and index == 0 and (given := steps.load("input.npy")) is not None:
            for buffer in entry["buffers"]:
                if buffer["name"] == "input":
                    before = replay.content_before(event, buffer)
                    entry["differences"] += differences("input, before the dispatch", before, given)
        yield entry


def shape(sizes):
    """3 x 2 rather than 3 x 2 x 1."""
    sizes = sizes[: max([1] + [i + 1 for i, size in enumerate(sizes) if size != 1])]
    return " x ".join(str(size) for size in sizes)


def counted(number, word):
    plural = "es" if word.endswith("ch") else "s"
    return f"{number} {word}{'' if str(number) == '1' else plural}"


def wrapped(text):
    indent = len(text) - len(text.lstrip())
    return textwrap.fill(text, WIDTH, subsequent_indent=" " * (indent + 4), break_on_hyphens=False)


def table(values):
    """Rows of elements after the index of the first one."""
    index_width, width = len(str(len(values))), max((len(str(value)) for value in values), default=1)
    fitting = (WIDTH - 6 - index_width - 1) // (width + 1)
    per_row = max(size for size in (1, 2, 4, 8, 16) if size <= fitting)
    for first in range(0, len(values), per_row):
        row = " ".join(f"{value:{width}}" for value in values[first : first + per_row])
        yield f"      {first:{index_width}}: {row}"


def text(entry, compared):
    groups, local = shape(entry["groups"]), shape(entry["local_size"])
    yield wrapped(f"dispatch {entry['index']}: {entry['label'] or '(no label)'}")
    yield wrapped(f"  kernel {entry['kernel']}, {counted(groups, 'work-group')} of {local}")
    if entry["push"]:
        yield wrapped("  push " + ", ".join(f"{name} = {value}" for name, value in entry["push"].items()))
    for buffer in entry["buffers"]:
        access = "writable" if buffer["writable"] else "read only"
        elements = counted(buffer["elements"], "element")
        yield wrapped(f"  binding {buffer['binding']}: {buffer['name']}, {elements}, {access}")
        if "values" in buffer:
            yield from table(buffer["values"])
    for difference in entry["differences"]:
        yield wrapped("  " + difference)
    if compared and not entry["differences"]:
        yield "  same as a2 steps"
    if wrong := entry["first_wrong"]:
        yield wrapped(f"  first wrong: element {wrong['index']} of {wrong['buffer']}, expected {wrong['expected']}, "
                      f"got {wrong['got']}")


def machine_readable(entry, everything):
    keys = ["binding", "name", "elements", "writable"] + (["values"] if everything else [])
    buffers = [{key: buffer[key] for key in keys if key in buffer} for buffer in entry["buffers"]]
    for buffer in buffers:
        if "values" in buffer:
            buffer["values"] = list(buffer["values"])
    return entry | {"buffers": buffers}


def report(arguments):
    """The whole report and the exit status; nothing is printed before the report is complete."""
    steps = Steps(arguments.steps) if arguments.steps else None
    with Replay(arguments.file) as replay:
        comments = replay.comments()
        found = list(entries(replay, steps, arguments.buffers))
    if not found:
        raise Failure(3, f"{arguments.file} holds no dispatch: make a capture with `a2 capture TASK`")
    if steps and steps.dispatches != len(found):
        found[-1]["differences"].append(
            f"{counted(len(found), 'dispatch')} in the capture, {steps.dispatches} in a2 steps")
    bad = any(entry["differences"] or entry["first_wrong"] for entry in found)
    if arguments.json:
        lines = [json.dumps(machine_readable(entry, arguments.buffers)) for entry in found]
        output = "[\n" + ",\n".join(lines) + "\n]"
    else:
        head = [f"{arguments.file}: {counted(len(found), 'dispatch')}", *comments.splitlines()]
        parts = [[wrapped(line) for line in head]]
        parts += [list(text(entry, steps is not None)) for entry in found]
        output = "\n\n".join("\n".join(part) for part in parts)
    return output + "\n", 1 if bad else 0


def parse():
    parser = Arguments(description="Shows what each dispatch of a RenderDoc capture ran with and left behind.")
    parser.add_argument("file", metavar="FILE.rdc", help="what `a2 capture TASK` wrote")
    parser.add_argument("--steps", metavar="DIR", help="compare with what `a2 steps TASK --dump DIR` wrote")
    parser.add_argument("--buffers", action="store_true", help=f"show all elements, also where there are over {SHOWN}")
    parser.add_argument("--json", action="store_true", help="print a list of dispatches for programs")
    return parser.parse_args()


def print_report(arguments, errors):
    """The exit status."""
    try:
        output, status = report(arguments)
        sys.stdout.write(output)
        sys.stdout.flush()
        return status
    except Failure as failure:
        print(f"inspect_capture.py: error: {failure}", file=errors)
        return failure.status
    except BrokenPipeError:
        return 0  # the reader has seen enough
    except OSError as error:
        print(f"inspect_capture.py: error: standard output: {error.strerror}; is the disk full?", file=errors)
        return 2
    except Exception:
        traceback.print_exc(file=errors)
        return 5


def replayed(arguments):
    """The status, in waitpid's form, of a child process that prints the report: on some damaged captures RenderDoc
    crashes or never returns. RenderDoc's own lines are kept from stderr."""
    child = os.fork()
    if child == 0:
        signal.alarm(LIMIT_S)
        errors = os.fdopen(os.dup(2), "w", buffering=1)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        os._exit(print_report(arguments, errors))
    return os.waitpid(child, 0)[1]


def main():
    try:
        arguments = parse()
    except Failure as failure:
        print(f"inspect_capture.py: error: {failure}", file=sys.stderr)
        return failure.status
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    for _ in range(TRIES):
        status = replayed(arguments)
        if os.WIFEXITED(status):
            return os.WEXITSTATUS(status)
        if (number := os.WTERMSIG(status)) == signal.SIGALRM:
            what = f"took over {LIMIT_S} s"
            break
        what = f"crashed {TRIES} times (signal {number})"
    print(f"inspect_capture.py: error: RenderDoc {what} on {arguments.file}: it may be damaged, capture again",
          file=sys.stderr)
    return 3


if __name__ == "__main__":
    sys.exit(main())
