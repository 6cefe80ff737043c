"""The JSON that a2 wrote (src/report/schema-2.json), read and checked, and sorted by its origin."""

import functools
import json
import pathlib
import re
import unicodedata

SCHEMA = 2
MOST_BYTES = 16 << 20  # of a file; in memory, JSON can take fifty times as many
LEAST, MOST = 1e-24, 1e24  # of numbers other than 0: no machine measures others, and their products stay finite
LARGEST = (1 << 63) - 1  # of whole numbers: what draws calculates with no longer ones


class BadInput(Exception):
    """A user's input cannot be used; one line with the reason."""


class Maybe:
    """A value that may be null or missing."""

    def __init__(self, of):
        self.of = of


NUMBER, COUNT, TEXT, FLAG = (int, float), int, str, bool
SOME = (int,)  # a count other than 0
WORD = (int, str)  # is only shown
ID, NAME = re.compile("[^/]+/[^/]+"), re.compile("[^/]+/[^/]+(/.*)?")  # "reduce/atomic" and "reduce/atomic/2^20/float32"
MEASURES = dict.fromkeys(("time", "processors", "work", "cost", "additions", "reads", "writes"), COUNT)
FORMULA = {"formula": TEXT, "value": COUNT}
POINT = {"n": SOME} | dict.fromkeys(("workgroup", "elements", "processors", "time", "work", "cost"), COUNT)
# The parts of the schema that the report reads.
CONTEXT = {"date": TEXT, "host": TEXT, "build_type": TEXT, "compiler": TEXT, "seed": WORD, "timer": TEXT,
           "device": {"name": TEXT, "type": TEXT, "driver": TEXT, "api": TEXT}, "copy_peak_GBps": Maybe(NUMBER),
           "version": Maybe(TEXT), "commit": Maybe(TEXT), "command": Maybe(TEXT)}
TEST = {"id": ID, "label": TEXT, "status": TEXT, "cases": [{"n": COUNT, "workgroup": COUNT, "elements": COUNT}]}
BENCHMARK = {"name": NAME, "n": COUNT, "workgroup": COUNT, "elements": COUNT, "batch": COUNT, "in_flight": COUNT,
             "bytes": COUNT, "cpu_all_ms": Maybe(NUMBER), "peak_fraction": Maybe(NUMBER),
             "repetition_index": Maybe(COUNT)}
BENCHMARK.update(dict.fromkeys(
    ("items_per_second", "bytes_per_second", "min_ms", "median_ms", "max_ms", "cv", "host_ms", "whole_ms",
     "allocate_ms", "upload_ms", "prepare_ms", "launch_ms", "download_ms", "cpu_ms"), NUMBER))
DISPATCH = {"index": COUNT, "label": TEXT, "kernel": TEXT, "groups": [COUNT], "barrier_before": [TEXT],
            "ms": Maybe(NUMBER)}
THEORY = {"id": ID, "n": COUNT, "workgroup": COUNT, "elements": COUNT, "exclusive": FLAG, "counts": MEASURES,
          "textbook": {"additions": Maybe(FORMULA), "time": Maybe(FORMULA)},
          "dispatches": [{"index": COUNT, "label": TEXT, "kernel": TEXT, "requests": COUNT, "sectors": COUNT,
                          "transactions": COUNT, "branches": COUNT, "divergent_branches": COUNT}],
          "bank_conflicts": [{"kernel": TEXT, "columns": [{"title": TEXT, "banks": COUNT, "worst": [COUNT],
                                                           "requests": COUNT, "turns": COUNT}]}],
          "growth": Maybe({"work": TEXT, "cost": TEXT, "longer": [POINT], "wider": [POINT]})}
FILE = {"context": CONTEXT, "tests": [TEST], "benchmarks": [BENCHMARK], "dispatches": Maybe([DISPATCH]),
        "theory": Maybe([THEORY])}


def check(node, shape, where):
    """Raises BadInput if `node` does not have the shape; `where` is its place, for the message. What may be missing, and
    is, becomes None."""
    if isinstance(shape, Maybe):
        if node is not None:
            check(node, shape.of, where)
    elif isinstance(shape, dict):
        if not isinstance(node, dict):
            raise BadInput(f"{where} is no object")
        for key, of in shape.items():
            if key not in node and not isinstance(of, Maybe):
                raise BadInput(f"{where} has no '{key}'")
            check(node.setdefault(key), of, f"{where}/{key}")
    elif isinstance(shape, list):
        if not isinstance(node, list):
            raise BadInput(f"{where} is no array")
        for index, one in enumerate(node):
            check(one, shape[0], f"{where}/{index}")
    elif isinstance(shape, re.Pattern):
        if not isinstance(node, str) or not shape.fullmatch(node):
            raise BadInput(f"{where} is no name of a task: such as reduce/atomic")
    elif not isinstance(node, shape) or (isinstance(node, bool) and shape is not bool):
        raise BadInput(f"{where} is of the wrong type")
    elif shape in (NUMBER, COUNT, SOME) and (node != 0 or shape is SOME) and \
            not LEAST <= node <= (LARGEST if isinstance(node, int) else MOST):
        raise BadInput(f"{where} is {str(node)[:30]}")


def visible(node):
    """The JSON with characters that a terminal, a browser or an editor obeys shown as numbers: files of others may have
    any."""
    if isinstance(node, dict):
        return {key: visible(value) for key, value in node.items()}
    if isinstance(node, list):
        return [visible(value) for value in node]
    if isinstance(node, str):
        return "".join(f"<U+{ord(c):04X}>" if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") else c for c in node)
    return node


def no_constant(text):
    raise ValueError(f"{text} is no number in JSON")


def json_of(path):
    """What a file holds. Raises BadInput."""
    try:
        if path.exists() and not path.is_file():  # a pipe or a device has no end
            raise BadInput(f"{path} is no regular file")
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise BadInput(f"{path} is longer than {MOST_BYTES >> 20} MiB: no --json of a2 is")
        text = content.decode("utf-8")
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise BadInput(f"{path} is no JSON: it is not UTF-8") from error
    if not text.strip():
        raise BadInput(f"{path} is empty: make it again with --json")
    try:
        return json.loads(text, parse_constant=no_constant)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path} is no JSON: {str(error).splitlines()[0]}") from error


def read(path):
    """One file's content, checked. Raises BadInput."""
    content = visible(json_of(path))
    schema = content.get("schema") if isinstance(content, dict) else None
    if schema is None:
        raise BadInput(f"{path} was not written by a2 --json: it has no 'schema'")
    if schema != SCHEMA or isinstance(schema, bool):
        raise BadInput(f"{path} has schema {schema}, and this report reads schema {SCHEMA}: make it again with this a2")
    check(content, FILE, f"{path}:")
    return content


class Benchmark(dict):
    """A benchmark of the JSON, and its place in it."""

    def __init__(self, content, file, index):
        super().__init__(content)
        self.file, self.index = file, index
        words = content["name"].split("/")
        self.task = "/".join(words[:2])
        self.type = words[-1] if words[-1] in ("int32", "float32") else "uint32"

    def source(self, key):
        return f"{self.file}#/benchmarks/{self.index}/{key}"

    @property
    def shape(self):
        return self["workgroup"], self["elements"]


class Entry(dict):
    """An entry of `theory`, or a run of `steps`, and its place in the JSON."""

    def __init__(self, content, file, place):
        super().__init__(content)
        self.file, self.place = file, place

    def source(self, key):
        return f"{self.file}#/{self.place}/{key}"


class Side:
    """The results of one machine and version."""

    def __init__(self, origin):
        self.origin = origin  # the user's name for it
        self.name = ""
        self.files = []       # (name in data/, content)
        self.paths = []       # of them
        self.benchmarks, self.theory, self.runs = [], [], {}
        self.shared = []      # benchmarks of arrays that several ranks share
        self.tests = {}       # id -> (label, status), in the order of the files

    @functools.cached_property
    def by_length(self):
        """(task, n) -> its benchmarks. Call it after all files have been added."""
        found = {}
        for one in self.benchmarks:
            found.setdefault((one.task, one["n"]), []).append(one)
        return found

    def add(self, path, name, content):
        if self.files and machine(content) != machine(self.files[0][1]):
            raise BadInput(f"{self.origin} holds results of more than one machine or version: {self.files[0][0]} and "
                           f"{path.name} differ in {differing(self.files[0][1], content)}; name each "
                           "with a --from of its own")
        self.files.append((name, content))
        self.paths.append(path)
        for index, one in enumerate(content["benchmarks"]):
            if not one.get("repetition_index") and one["n"] > 0 and one["median_ms"] > 0:
                (self.shared if "ranks" in one else self.benchmarks).append(Benchmark(one, name, index))
        for index, one in enumerate(content.get("theory") or []):
            if one["n"] > 0:
                self.theory.append(Entry(one, name, f"theory/{index}"))
        for test in content["tests"]:
            known = self.tests.get(test["id"])
            if not known or known[1] == "passed":
                self.tests[test["id"]] = (test["label"], test["status"])
        if content.get("dispatches") and content["tests"] and content["tests"][0]["cases"]:
            case = content["tests"][0]["cases"][0]
            self.runs[content["tests"][0]["id"]] = Entry(
                {"dispatches": content["dispatches"], "n": case["n"], "workgroup": case["workgroup"],
                 "elements": case["elements"]}, name, "dispatches")

    @property
    def types(self):
        """The types of the elements, in the order of the files."""
        return list(dict.fromkeys(one.type for one in self.benchmarks + self.shared))

    def tell_types_apart(self):
        """If there are several, a task of another type than uint32 is a separate method."""
        if len(self.types) > 1:
            for one in self.benchmarks + self.shared:
                one.task += "" if one.type == "uint32" else f"-{one.type}"

    @property
    def has_something(self):
        return bool(self.benchmarks or self.shared or self.theory or self.runs)

    @property
    def context(self):
        return self.files[0][1]["context"]

    @property
    def contexts(self):
        return [(name, content["context"]) for name, content in self.files]

    def textbook_entry(self, task):
        """The counts of a task in the shape that is nearest to the textbook's, or None."""
        found = [one for one in self.theory if one["id"] == task and one["dispatches"]]
        return min(found, key=lambda one: (one["elements"], one["n"]), default=None)

    def entry_like(self, benchmark):
        """The counts of a benchmark's task in its shape, for the longest array, or None."""
        found = [one for one in self.theory if one["id"] == benchmark.task and one["dispatches"] and
                 (one["workgroup"], one["elements"]) == benchmark.shape]
        return max(found, key=lambda one: one["n"], default=None)

    def copy_peak(self, benchmark):
        """(GB/s, source) of the copy kernel in the run that made the benchmark; (None, None) if it was not measured."""
        for name, context in self.contexts:
            if name == benchmark.file and context["copy_peak_GBps"]:
                return context["copy_peak_GBps"], f"{name}#/context/copy_peak_GBps"
        return None, None


def facts(content):
    context = content["context"]
    return {"device": context["device"]["name"], "driver": context["device"]["driver"], "host": context["host"],
            "compiler": f"{context['compiler']} {context['build_type']}", "commit": context.get("commit") or "",
            "version": context.get("version") or ""}


def machine(content):
    return tuple(facts(content).values())


def differing(one, other):
    return ", ".join(key for key, value in facts(one).items() if facts(other)[key] != value)


def files_of(origin):
    path = pathlib.Path(origin)
    if not path.is_dir():
        return [path]
    found = sorted(path.glob("*.json"))
    if not found:
        raise BadInput(f"{origin} has no .json file: name files, or the data folder of a report")
    return found


def load(origins, tasks=()):
    """Sides from files and folders of files; `tasks`: ids to keep, empty: all. Raises BadInput.

    A folder is one side. A file joins the side of its machine and version, unless most of what
    it has is known there: then it is a second measurement."""
    sides, names = [], set()
    for origin in origins:
        is_folder = pathlib.Path(origin).is_dir()
        side = Side(str(origin)) if is_folder else None
        for path in files_of(origin):
            content = read(path)
            target = side or next((one for one in sides if joins(one, content)), None)
            if not target:
                target = Side(str(origin))
            if target not in sides:
                sides.append(target)
            target.add(path, unused(path.name, names), content)
    if not any(side.has_something for side in sides):
        named = origins[0] if len(origins) == 1 else "these files"
        raise BadInput(f"{named}: nothing to show: neither times of a2 bench, counts of a2 theory nor a run of a2 steps")
    for side in sides:
        keep(side, tasks)
        side.tell_types_apart()
    if tasks and not any(side.has_something for side in sides):
        raise BadInput(f"nothing is known here of {', '.join(tasks)}")
    name_sides(sides)
    return sides


def joins(side, content):
    if pathlib.Path(side.origin).is_dir() or machine(content) != machine(side.files[0][1]):
        return False
    known = {one["name"] for one in side.benchmarks + side.shared} | {count_key(one) for one in side.theory}
    new = [one["name"] for one in content["benchmarks"]] + [count_key(one) for one in content.get("theory") or []]
    return sum(one in known for one in new) * 2 <= len(new)


def count_key(entry):
    return entry["id"], entry["n"], entry["workgroup"], entry["elements"], entry["exclusive"]


def unused(name, names):
    stem, number = pathlib.PurePath(name).stem, 1
    chosen = name
    while chosen in names:
        number += 1
        chosen = f"{stem}-{number}.json"
    names.add(chosen)
    return chosen


def keep(side, tasks):
    if not tasks:
        return
    side.benchmarks = [one for one in side.benchmarks if one.task in tasks]
    side.shared = [one for one in side.shared if one.task in tasks]
    side.theory = [one for one in side.theory if one["id"] in tasks]
    for one in (side.runs, side.tests):
        for task in [task for task in one if task not in tasks]:
            del one[task]


def name_sides(sides):
    """The device's name, and whatever else distinguishes two of the same name."""
    for side in sides:
        side.name = side.context["device"]["name"]
    for key in ("driver", "commit", "compiler", "host", "version"):
        told = [facts(side.files[0][1])[key] for side in sides]
        names = [side.name for side in sides]
        for side, text in zip(sides, told):
            alike = {other for name, other in zip(names, told) if name == side.name}
            if names.count(side.name) > 1 and len(alike) > 1 and text:
                side.name += f", {key} {text}"
    names = [side.name for side in sides]
    for side in sides:
        if names.count(side.name) > 1:
            side.name += f", {pathlib.PurePath(side.origin).name}"
