#!/usr/bin/env python3
"""Makes the known-bad solutions from the real ones, as variants*.py say, and one for every barrier removed.

usage: generate.py PROJECT OUT
PROJECT/src/A2Task?Solution/X.cpp becomes OUT/A2Task?Solution_X.cpp, which holds the file once per change, each in a
namespace of its own. Changed kernels become OUT/shaders/NAME/, a whole folder each. OUT/Variants.cpp lists them all.
"""

import json
import pathlib
import re
import shutil
import sys
from collections import namedtuple

import variants_labs, variants_reduce, variants_scan  # each adds its own to VARIANTS
from variants import SEEN_BY_NOBODY, VARIANTS

# Of each row: the function that makes its solution, that function's type and file, and the kernels.
Row = namedtuple("Row", "make type file shaders")
TASK1, TASK2 = "src/A2Task1Solution/", "src/A2Task2Solution/"
TILES, OFFSET = "A2Task2KernelDecomposition", "A2Task2KernelDecompositionOffset"
ROWS = {
    "reduce/interleaved": Row("makeInterleaved", "A2Task1Factory", TASK1 + "Interleaved.cpp", ["A2Task1Interleaved"]),
    "reduce/sequential": Row("makeSequential", "A2Task1Factory", TASK1 + "Sequential.cpp", ["A2Task1Sequential"]),
    **{f"reduce/{name.lower()}": Row("makeKernelDecomposition", "A2Task1Factory", TASK1 + "KernelDecomposition.cpp",
                                     ["A2Task1KernelDecomposition" + name.replace("Decomposition", "")])
       for name in ("Decomposition", "Unroll", "Atomic")},
    "scan/naive": Row("makeNaive", "A2Task2Factory", TASK2 + "Naive.cpp", ["A2Task2Naive"]),
    "scan/local": Row("makeLocalScan", "A2Task2Factory", TASK2 + "KernelDecomposition.cpp", [TILES]),
    "scan/work-efficient": Row("makeWorkEfficient", "A2Task2Factory", TASK2 + "KernelDecomposition.cpp",
                               [TILES, OFFSET]),
    "scan/offset": Row("makeOffset", "A2Task2OffsetFactory", TASK2 + "Offset.cpp", [OFFSET]),
    "reduce/subgroup": Row("makeSubgroup", "A2Task1Factory", TASK1 + "Subgroup.cpp",
                           ["A2Task1Subgroup", "A2SubgroupSum"]),
    "scan/lookback": Row("makeDecoupledLookback", "A2Task2Factory", TASK2 + "DecoupledLookback.cpp",
                         ["A2Task2DecoupledLookback"]),
    "reduce/local-modulo": Row("makeKernelDecomposition", "A2Task1Factory", TASK1 + "KernelDecomposition.cpp",
                               ["A2LabLocalModulo"]),
    "reduce/local-sequential": Row("makeKernelDecomposition", "A2Task1Factory", TASK1 + "KernelDecomposition.cpp",
                                   ["A2LabLocalSequential"]),
    **{f"scan/{name}": Row("makeWorkEfficient", "A2Task2Factory", TASK2 + "KernelDecomposition.cpp", [tiles, OFFSET])
       for name, tiles in (("brute-force", "A2LabBruteForce"), ("kogge-stone", "A2LabKoggeStone"),
                           ("brent-kung", "A2LabBrentKung"))},
}
# Kernels that are no row's; tests/unit/PrescanTest.cpp removes their barriers.
WITHOUT_ROW = {"A2LabPrescanFloat"}
# What a file uses of another one, unchanged.
DECLARATION = "A2Task1Factory "
# A call of pipelineBarrier, or of a function of the file that makes it.
HOST_BARRIER = re.compile(r"\bcb\.pipelineBarrier\w*\(|\bwaitForWrites\(cb\)")
SHADER_BARRIER = re.compile(r"\bbarrier\(\)(?=;)")


def stop(message):
    sys.exit(f"tests/known-bad: {message}")


def changed(variant, text):
    for replace, by in variant.changes:
        pattern = r"\s+".join(re.escape(word) for word in replace.split())
        found = len(re.findall(pattern, text))
        if found != 1:
            stop(f"{variant.file} holds {found} times, not once, what variant {variant.name} replaces: "
                 f"'{' '.join(replace.split())}'. Change variants_*.py to go with it.")
        text = re.sub(pattern, lambda _, by=by: by, text)
    return text


def end_of_call(text, start):
    """Behind the parenthesis that closes the first one after start."""
    depth = 0
    for at in range(text.index("(", start), len(text)):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth == 0:
            return at + 1
    stop("a call without an end")


class Output:
    def __init__(self, project, folder):
        self.project, self.folder = project, folder
        self.hosts = {path: [] for path in sorted(project.glob("src/A2Task?Solution/*.cpp"))}
        self.declarations, self.variants, self.removed, self.excused = [], [], [], set()
        shutil.rmtree(folder / "shaders", ignore_errors=True)

    def host(self, name, path, text):
        """The changed file, in a namespace of its own; its includes are made once, outside."""
        body = "\n".join(line for line in text.splitlines() if not line.startswith(("#include", DECLARATION)))
        self.hosts[path].append(body.replace("namespace a2 {", f"namespace a2::{name} {{", 1))

    def shaders(self, name, path, text):
        """A folder with all kernels, this one changed."""
        target = self.folder / "shaders" / name
        shutil.copytree(self.project / "shaders", target)
        (target / path.relative_to(self.project / "shaders")).write_text(text)
        return target

    def solution(self, name, task, path, text):
        """Writes the changed file; the C++ value of a BadSolution (KnownBad.h) that uses it."""
        folder, make = "", "{}"
        if path in self.hosts:
            self.host(name, path, text)
            self.declarations.append(f"namespace {name} {{ {ROWS[task].type} {ROWS[task].make}; }}")
            make = f"made({name}::{ROWS[task].make})"
        else:
            folder = self.shaders(name, path, text)
        return f"{{{json.dumps(name)}, {json.dumps(task)}, {json.dumps(str(folder))}, {make}}}"

    def add_variant(self, variant):
        path = self.project / variant.file
        solution = self.solution(variant.name, variant.task, path, changed(variant, path.read_text()))
        dispatch = "{}" if variant.dispatch is None else variant.dispatch
        self.variants.append(f"{{{solution}, {variant.n}, {variant.work_group}, {variant.elements}, "
                             f"{json.dumps(variant.pattern)}, {json.dumps(variant.rule)}, {dispatch}, "
                             f"{json.dumps(variant.sliced)}}}")

    def remove_barriers(self, path, calls):
        """One solution per row that uses the file and call in it."""
        used = str(path.relative_to(self.project))
        tasks = [task for task, row in ROWS.items() if used == row.file or path.stem in row.shaders]
        if path in self.hosts and "scan/local" in tasks:
            tasks.remove("scan/local")  # it stops after one dispatch: none of the file's barriers is recorded for it
        text = path.read_text()
        for call in calls.finditer(text):
            line = text.count("\n", 0, call.start()) + 1
            comment = text[call.end():text.index("\n", call.end())].lstrip("; /")
            if (used, comment) in SEEN_BY_NOBODY:
                self.excused.add((used, comment))
                continue
            less = text[:call.start()] + "{}" + text[end_of_call(text, call.start()):]
            for task in tasks:
                name = "".join(word.title() for word in re.split("[-/]", task)) + f"{path.suffix[1:].title()}{line}"
                self.removed.append(self.solution(name, task, path, less))
            if not tasks and path.stem not in WITHOUT_ROW:
                stop(f"no row is known for the barrier in line {line} of {used}: add it to generate.py")

    def write(self):
        for path, bodies in self.hosts.items():
            includes = [line for line in path.read_text().splitlines() if line.startswith("#include")]
            more = ["#include <algorithm>", "#include <vector>"]  # what changes use
            shared = [line for line in path.read_text().splitlines() if line.startswith(DECLARATION)]
            text = "\n".join(["// Generated by tests/known-bad/generate.py.", *includes, *more,
                              "namespace a2 {", *shared, "}", *bodies])
            (self.folder / f"{path.parent.name}_{path.name}").write_text(text + "\n")
        (self.folder / "Variants.cpp").write_text(f"""// Generated by tests/known-bad/generate.py.
#include "KnownBad.h"
namespace a2 {{
{chr(10).join(self.declarations)}
std::vector<Variant> variants() {{
    return {{
        {(',' + chr(10) + '        ').join(self.variants)}}};
}}
std::vector<BadSolution> removedBarriers() {{
    return {{
        {(',' + chr(10) + '        ').join(self.removed)}}};
}}
}}  // namespace a2
""")


def main():
    output = Output(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
    for variant in VARIANTS:
        output.add_variant(variant)
    for path in output.hosts:
        output.remove_barriers(path, HOST_BARRIER)
    for path in sorted((output.project / "shaders").rglob("*.*")):
        output.remove_barriers(path, SHADER_BARRIER)
    for used, comment in SEEN_BY_NOBODY.keys() - output.excused:
        stop(f"{used} has no barrier any more with the comment '{comment}': change SEEN_BY_NOBODY in variants.py")
    output.write()


if __name__ == "__main__":
    main()
