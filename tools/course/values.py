"""Kernels by what they compute: for each instruction of their optimised SPIR-V its operation and operands, STEPS back.

This removes names, order, temporary variables, functions, macros, and the form of numbers and loops.
"""

import concurrent.futures
import os
import re
import shutil
import zlib

import jail
from build import foreign_include, with_plain_ends, without_comments

TOOL = "glslc"  # which compiles all kernels of a submission in one go
STEPS = 2
TOGETHER = 8  # submissions in one jail, because making a jail takes time
MEMORY, SECONDS = 2 << 30, 600  # for these
MOST_SECONDS = SECONDS // TOGETHER  # for one of them, so that none takes the others' time, though it only waits
# Each kernel separately if one has crashed the compiler. CPU time is limited, so that the load of a machine changes
# nothing.
COMPILE_ONE = """\
cd "$1" || exit
make() { (ulimit -t $limit; exec glslc -S -O -g --target-env=vulkan1.2 -I../.. "$@"); }
limit=3 make ../*.comp
for kernel in ../*.comp; do [ -e "${kernel#../}.spvasm" ] || limit=1 make "$kernel"; done
"""
COMPILE = """\
ulimit -f 4096
one=$1 most=$2
shift 2
for made; do timeout -s KILL "$most" sh -c "$one" sh "$made"; done
"""
MOST_LINES = 8000  # of an assembly; the longest of the course's has 700
STRING = re.compile(r'"(?:\\.|[^"\\])*"?', re.DOTALL)
LINE = re.compile(r"^[ \t]*#[ \t]*line\b.*", re.MULTILINE)
# Instructions that only give a place, or a property that the using instructions show.
SILENT = {"OpLabel", "OpBranch", "OpSelectionMerge", "OpLoopMerge", "OpFunction", "OpFunctionEnd",
          "OpFunctionParameter", "OpReturn", "OpVariable", "OpLine", "OpNoLine"}
MADE = "OpSwitch"  # around the function, in whose line a whole kernel may stand as well
EITHER_WAY = {"OpIAdd", "OpIMul", "OpFAdd", "OpFMul", "OpBitwiseAnd", "OpBitwiseOr", "OpBitwiseXor", "OpIEqual",
              "OpINotEqual", "OpLogicalAnd", "OpLogicalOr", "OpPhi"}
TURNED = {"OpUGreaterThan": "OpULessThan", "OpSGreaterThan": "OpSLessThan", "OpUGreaterThanEqual": "OpULessThanEqual",
          "OpSGreaterThanEqual": "OpSLessThanEqual", "OpFOrdGreaterThan": "OpFOrdLessThan",
          "OpFOrdGreaterThanEqual": "OpFOrdLessThanEqual"}
TOLD_APART_BY = ("Binding", "BuiltIn", "SpecId")


def is_missing():
    return not shutil.which(TOOL)


def of_all(texts, folder, includes, kind):
    """name -> file -> the result of values_of(), for the kernels that compile. texts: name -> file -> text. folder: an
    empty one. includes: the project's headers for kernels. kind: of the jails."""
    shutil.copytree(includes, folder / "include", copy_function=shutil.copyfile)
    known = [path.name for path in includes.iterdir()]
    # A kernel with a file of another place was not graded either; it may be one that never ends.
    kernels = {name: {file: text for file, text in files.items()
                      if file.endswith(".comp") and foreign_include(text, known) is None}
               for name, files in texts.items()}
    names, workers, found = sorted(name for name in kernels if kernels[name]), min(os.cpu_count() or 1, 16), {}

    def work(place):
        own = jail.Jail(kind, place)
        for first in range(place * TOGETHER, len(names), workers * TOGETHER):
            some = {name: kernels[name] for name in names[first:first + TOGETHER]}
            found.update({name: {file: values_of(assembly) for file, assembly in made.items()}
                          for name, made in assemblies(some, folder, first, own).items()})
        own.clean_up()

    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        list(pool.map(work, range(workers)))
    return found


def assemblies(kernels, folder, first, own):
    """name -> file -> assembly of those that compile. kernels: name -> file -> text. own: the Jail."""
    made = {name: folder / str(first + i) / "made" for i, name in enumerate(kernels)}
    for name, place in made.items():
        place.mkdir(parents=True)
        own.own(place)
        for i, file in enumerate(sorted(kernels[name])):
            text = without_line_directives(kernels[name][file])
            (place.parent / f"{i}.comp").write_text(text, encoding="utf-8", errors="replace")
    read = [folder / "include", *(place.parent for place in made.values())]
    words = own.words(read, [*made.values()], MEMORY, SECONDS)
    jail.run([*words, "sh", "-c", COMPILE, "sh", COMPILE_ONE, str(MOST_SECONDS), *made.values()], SECONDS, binary=True)
    own.end()
    found = {name: {} for name in kernels}
    for name, place in made.items():
        for i, file in enumerate(sorted(kernels[name])):
            path = place / f"{i}.comp.spvasm"
            if path.is_file() and not path.is_symlink():
                found[name][file] = path.read_text(encoding="utf-8", errors="replace")
        shutil.rmtree(place.parent)
    return found


def without_line_directives(text):
    """The text, in which each line has the number by which the compiler calls it, and is the kernel's own."""
    text = with_plain_ends(text)
    plain = without_comments(text)  # a comment, or the end of a line, may be inside of the directive
    return LINE.sub("", plain) if LINE.search(plain) else text


def instructions(assembly):
    """(its result or None, words without the result's type) of each, with equivalent forms made equal."""
    for line in STRING.sub('"', assembly).splitlines()[:MOST_LINES]:
        words, result = line.split(), None
        if words[1:2] == ["="]:
            result, words = words[0], words[2:]
            if words[0] == "OpSpecConstantOp":
                words = ["Op" + words[2], words[1], *words[3:]]
            elif words[0] == "OpPhi":  # without its predecessor blocks
                words = words[:2] + words[2::2]
            words = words[:1] + words[2:]
            if words[0] in TURNED:
                words = [TURNED[words[0]], *reversed(words[1:])]
        if words:
            yield result, words


def values_of(assembly):
    """Value -> the lines of the kernel's own file that compute it. Leaves out what its headers compute, which was
    handed out, and what the compiler makes for the function itself, in its line."""
    results, marks, code, own, line, head = {}, {}, [], None, 0, None
    for result, words in instructions(assembly):
        if words[0] == "OpFunction":
            head = line
        if words[0] == "OpDecorate" and len(words) > 3 and words[2] in TOLD_APART_BY:
            marks.setdefault(words[1], []).append(" ".join(words[2:]))
        elif words[0] == "OpString":  # the first file is the kernel
            own = own or result
        elif words[0] == "OpLine":
            line = int(words[2]) if words[1] == own else 0
        elif head is not None and line != 0 and words[0] not in SILENT and (line, words[0]) != (head, MADE):
            code.append((words, line))
        if result:
            results[result] = words
    named = {one: mark(" ".join(sorted(marks.get(one, ())))) for one in results}
    known = {one: hash((mark(words[0]), named[one])) for one, words in results.items()}

    def value(words):
        parts = [known.get(word, 0) if word[0] == "%" else mark(word) for word in words]
        return hash(tuple(sorted(parts) if words[0] in EITHER_WAY else parts))

    for _ in range(STEPS):
        known = {one: hash((value(words), named[one])) for one, words in results.items()}
    found = {}
    for words, line in code:
        found.setdefault(value(words), set()).add(line)
    return found


def mark(text):
    return zlib.crc32(text.encode("utf-8", "replace"))
