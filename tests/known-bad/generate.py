#!/usr/bin/env python3
"""Makes the known-bad solutions from the real ones, by variants*.py, and one for every barrier removed.

usage: generate.py PROJECT OUT
PROJECT/src/A2Task?Solution/X.cpp becomes OUT/A2Task?Solution_X.cpp, which holds the file once per change, each in a
namespace of its own (compile.py leaves out what does not compile). A changed kernel becomes OUT/shaders/NAME/FILE, a
folder for --shader-dir. OUT/Variants.cpp lists them all.
Which rows use a file is known when the tests run. Nothing here stops the build: a change that does not match the
present files is listed with the reason, and its test fails.
"""

import json
import pathlib
import re
import shutil
import sys

import variants_labs, variants_reduce, variants_scan  # noqa: F401  each adds its own to VARIANTS
from variants import SEEN_BY_NOBODY, VARIANTS

# Code that registers a solution, and that declares another file's factory.
FACTORY = re.compile(r'^[ \t]*(?:static\s+)?const\s+Factory\s+\w+\(\s*"(\w+)"\s*,\s*([\w<>]+)\s*\);.*$', re.MULTILINE)
DECLARATION = re.compile(r"^std::unique_ptr<Solution>\s+\w+\([^()]*\);.*$", re.MULTILINE)
INCLUDE = re.compile(r"^[ \t]*#[ \t]*include\b.*$", re.MULTILINE)
# A call of pipelineBarrier, or of a function of the file that calls it.
HOST_BARRIER = re.compile(r"\bcb\.pipelineBarrier\w*\(|\bwaitForWrites\(cb\)")
SHADER_BARRIER = re.compile(r"\bbarrier\(\)(?=;)")


def maker(namespace, make):
    """The argument of a Factory of the file, as written outside the file's namespace."""
    of = re.fullmatch(r"make<(\w+)>", make)
    return f"a2::make<{namespace}::{of[1]}>" if of else f"{namespace}::{make}"


class DoesNotApply(Exception):
    pass


def read(path):
    return path.read_text(encoding="utf-8", errors="surrogateescape").replace("\r\n", "\n")


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", errors="surrogateescape")


def quoted(text):
    return json.dumps(str(text), ensure_ascii=False)


def changed(variant, text):
    for replace, by in variant.changes:
        pattern = r"\s+".join(re.escape(word) for word in replace.split())
        found = len(re.findall(pattern, text))
        if found != 1:
            raise DoesNotApply(f"which holds {found} times, not once, '{' '.join(replace.split())}'")
        text = re.sub(pattern, lambda _, by=by: by, text)
    return text


def end_of_call(text, start):
    """The position after the parenthesis that closes the first one after start."""
    depth = 0
    for at in range(text.index("(", start), len(text)):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth == 0:
            return at + 1
    raise DoesNotApply("which holds a call without an end")


def variant_call(variant):
    dispatch = "{}" if variant.dispatch is None else variant.dispatch
    return (f"{quoted(variant.task)}, {variant.n}, {variant.work_group}, {variant.elements}, {quoted(variant.pattern)}, "
            f"{quoted(variant.rule)}, {dispatch}, {json.dumps(variant.sliced)}")


class Output:
    def __init__(self, project, folder):
        self.project, self.folder = project, folder
        self.hosts = {path: [] for path in sorted(project.glob("src/A2Task?Solution/*.cpp"))}
        self.declarations, self.variants, self.removed, self.excused = [], [], [], set()
        shutil.rmtree(folder / "shaders", ignore_errors=True)

    def host(self, name, path, text):
        """The changed file in a separate namespace; its includes are made once, outside."""
        body = FACTORY.sub("", DECLARATION.sub("", INCLUDE.sub("", text)))
        exchanges = ", ".join(f"{{{quoted(row)}, {maker(name, make)}}}" for row, make in FACTORY.findall(text))
        self.hosts[path].append(f"""#if !defined(A2_WITHOUT_ALL) && !defined(A2_WITHOUT_{name})  // {name}
namespace {name} {{
{body}
}}
std::vector<a2::Exchange> exchangesOf{name}() {{ return {{{exchanges}}}; }}
#else
std::vector<a2::Exchange> exchangesOf{name}() {{ return {{}}; }}
#endif  // {name}
""")
        self.declarations.append(f"std::vector<a2::Exchange> exchangesOf{name}();")

    def solution(self, name, path, text):
        """Writes the changed file; returns the C++ value of a BadSolution (KnownBad.h) that uses it."""
        used = path.relative_to(self.project)
        if path in self.hosts:
            self.host(name, path, text)
            return f"{{{quoted(name)}, {quoted(used.as_posix())}, {{}}, exchangesOf{name}(), {{}}}}"
        target = self.folder / "shaders" / name
        write(target / path.relative_to(self.project / "shaders"), text)
        return f"{{{quoted(name)}, {quoted(used.as_posix())}, {quoted(target.as_posix())}, {{}}, {{}}}}"

    def add_variant(self, variant):
        path = self.project / variant.file
        try:
            if not path.is_file():
                raise DoesNotApply("which does not exist")
            solution = self.solution(variant.name, path, changed(variant, read(path)))
        except DoesNotApply as why:
            problem = f"no longer applies to {variant.file}, {why}: change tests/known-bad/variants_*.py"
            solution = f"{{{quoted(variant.name)}, {quoted(variant.file)}, {{}}, {{}}, {quoted(problem)}}}"
        self.variants.append(f"{{{solution}, {variant_call(variant)}}}")

    def remove_barriers(self, path, calls):
        """One solution for each call in the file."""
        used = path.relative_to(self.project).as_posix()
        text = read(path)
        for call in calls.finditer(text):
            line = text.count("\n", 0, call.start()) + 1
            comment = text[call.end():].partition("\n")[0].lstrip("; /")
            if (used, comment) in SEEN_BY_NOBODY:
                self.excused.add((used, comment))
                continue
            name = re.sub(r"\W|_", "", path.stem) + f"{path.suffix[1:].title()}{line}"
            try:
                less = text[:call.start()] + "{}" + text[end_of_call(text, call.start()):]
                self.removed.append(self.solution(f"Removed{path.parent.name}{name}", path, less))
            except DoesNotApply as why:
                self.removed.append(f"{{{quoted('Removed' + name)}, {quoted(used)}, {{}}, {{}}, {quoted(f'{used}, {why}')}}}")

    def write(self):
        for path, bodies in self.hosts.items():
            includes = INCLUDE.findall(read(path))
            more = ["#include <algorithm>", "#include <vector>"]  # used by changes
            declared = [line.strip() for line in DECLARATION.findall(read(path))]
            text = "\n".join(["// Generated by tests/known-bad/generate.py.", '#include "KnownBad.h"',
                              "#ifndef A2_WITHOUT_ALL", *includes, *more, "#endif",
                              "using namespace a2;", *declared, *bodies])
            write(self.folder / f"{path.parent.name}_{path.name}", text)
        stale = [f"{used} has no barrier any more with the comment '{comment}'"
                 for used, comment in sorted(SEEN_BY_NOBODY.keys() - self.excused)]
        lists = {"std::vector<Variant> variants()": self.variants,
                 "std::vector<BadSolution> removedBarriers()": self.removed,
                 "std::vector<std::string> staleExcuses()": [quoted(one) for one in stale]}
        functions = "\n".join(f"{head} {{\n    return {{\n        {(','+chr(10)+'        ').join(entries)}}};\n}}"
                              for head, entries in lists.items())
        declarations = "\n".join(self.declarations)
        write(self.folder / "Variants.cpp", f"""// Generated by tests/known-bad/generate.py.
#include "KnownBad.h"
{declarations}
namespace a2 {{
{functions}
}}  // namespace a2
""")


def main():
    output = Output(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
    for variant in VARIANTS:
        output.add_variant(variant)
    for path in output.hosts:
        output.remove_barriers(path, HOST_BARRIER)
    for path in sorted((output.project / "shaders").rglob("*.*")):
        if path.is_file():
            output.remove_barriers(path, SHADER_BARRIER)
    output.write()


if __name__ == "__main__":
    main()
