"""Follows docs/adding-kernels.md to the last step: its shader, started from its neighbour's, and its row make an a2,
with the existing build, that lists, checks and times the row; the row's tests pass; and a fault in the shader fails.

usage: adding_a_kernel.py PROJECT BUILD
"""

import json
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

project, build = (pathlib.Path(one).resolve() for one in sys.argv[1:])
steps = (project / "docs/adding-kernels.md").read_text(encoding="utf-8")
row = re.search(r"^ +(\{\.id = .*?\},)\n\n", steps, re.M | re.S)
shader = re.search(r"`shaders/(\w+)\.comp`", steps)
task = re.search(r"`tools/run check (\S+)`", steps)
if not (row and shader and task):
    sys.exit("docs/adding-kernels.md names no row, shader and task any more")
if f'"{shader[1]}"' not in row[1] or f'"{task[1]}"' not in row[1]:
    sys.exit(f"the row is not for {shader[1]} and {task[1]}: {row[1]}")
host = re.search(r'\.hostFile = "([^"]+)"', row[1])[1]
neighbour = re.search(rf'\.shaders = \{{"(\w+)"\}},\s+\.hostFile = "{re.escape(host)}"',
                      (project / "src/tasks/A2Task1.cpp").read_text())[1]


def run(command, what, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"{what}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


class Copy:
    """Builds only what the row changes; everything else is taken from the build."""

    def __init__(self, folder):
        self.folder = folder
        # A file of the library that is always compiled alone.
        self.alone = next(one for one in json.loads((build / "compile_commands.json").read_text())
                          if one["file"] == str(project / "src/base/BuildFacts.cpp") and "a2_core.dir" in one["command"])

    def compile(self, source, **defines):
        command = shlex.split(self.alone["command"])
        made = self.folder / f"{source.stem}.o"
        command[command.index("-o") + 1] = str(made)
        command[command.index(self.alone["file"])] = str(source)
        for name, value in defines.items():
            command = [f'-D{name}="{value}"' if word.startswith(f"-D{name}=") else word for word in command]
        run(command, f"{source.name} does not compile", cwd=self.alone["directory"])
        return str(made)

    def link(self, target, objects):
        """The program of the build, with these objects in place of its own; with the files that it needs beside it."""
        shown = run(["ninja", "-C", build, "-t", "commands", target], f"{target} is not of this build")
        command = shlex.split(shown.splitlines()[-1].removeprefix(": && ").split(" && ")[0])
        at = command.index("-o")
        made = self.folder / pathlib.PurePath(target).name
        command[at + 1] = str(made)
        command[1:1] = ["-Wl,--allow-multiple-definition", *objects]
        run(command, f"{target} does not link", cwd=build)
        return made


with tempfile.TemporaryDirectory() as place:
    copy = Copy(pathlib.Path(place))
    # 1. The shader.
    shaders = copy.folder / "shaders"
    shutil.copytree(project / "shaders", shaders)
    kernel = shaders / f"{shader[1]}.comp"
    shutil.copy(shaders / f"{neighbour}.comp", kernel)
    # 2. The row.
    table = copy.folder / "A2Task1.cpp"
    text = (project / "src/tasks" / table.name).read_text()
    end_of_table = text.rindex("    };\n}")
    table.write_text(text[:end_of_table] + f"        {row[1]}\n" + text[end_of_table:])
    # The build's products from both, and from the kernels' folder.
    header = copy.folder / f"{shader[1]}.spv.h"
    run(["cmake", "-D", f"glslang={shutil.which('glslangValidator') or shutil.which('glslang')}", "-D", "target=vulkan1.1",
         "-D", f"shaders={shaders}", "-D", f"kernel={kernel.name}", "-D", f"variable={shader[1]}", "-D",
         f"header={header}", "-P", project / "tools/embed_kernel.cmake"], "the shader does not compile")
    all_kernels = (build / "generated/BuiltInShaders.cpp").read_text()
    listed = copy.folder / "BuiltInShaders.cpp"
    listed.write_text(all_kernels.replace("namespace a2 {\n", f'namespace a2 {{\n#include "{header}"\n', 1).replace(
        "all[] = {\n",
        f'all[] = {{\n    {{"{shader[1]}", {shader[1]}_spirv, {shader[1]}_reals, {shader[1]}_sources}},\n', 1))
    objects = [copy.compile(table), copy.compile(listed),
               copy.compile(project / "src/base/BuildFacts.cpp", A2_PROJECT_SHADERS=shaders)]
    a2 = copy.link("a2", objects)
    for name in ("a2_worker", "liba2_solutions.so"):
        shutil.copy(build / name, copy.folder)

    # 3. It is listed, checked and timed.
    if task[1] not in run([a2, "list"], "a2 list"):
        sys.exit(f"a2 list does not name {task[1]}")
    said = run([a2, "check", task[1], "--up-to", "4096"], "check")
    if "TEST PASSED" not in said:
        sys.exit(f"check passes without a word of it:\n{said}")
    said = run([a2, task[1], "-n", "100000"], "run")
    if "Execution time: " not in said:
        sys.exit(f"there is no time:\n{said}")
    default = run([a2, "run", "-n", "1000", "-r", "1"], "the default set")
    joins = ".byDefault = false" not in row[1]
    if (f"evaluating {re.search(r'[.]label = .([^,]+).,', row[1])[1]}\n" in default) != joins:
        sys.exit(f"the row joins the default set, or not, against what it says:\n{default}")

    # Tests know rows by the table: the new one's are there, and pass.
    tests = copy.link("tests/unit/a2_unit_tests", objects)
    name = re.sub(r"[/-]", "", task[1])
    said = run([tests, f"--gtest_filter=Tasks.*:*/{name}:*/{name}_*"], "the row's unit tests", cwd=build)
    if f"/{name}" not in said:
        sys.exit(f"no unit test is of {task[1]}:\n{said}")

    # It is judged like any other: with a fault in the shader it fails.
    wrong = re.sub(r"sum \+= data", "sum -= data", kernel.read_text())
    kernel.write_text(wrong)
    done = subprocess.run([a2, "run", task[1], "-n", "1000", "-r", "1"], capture_output=True, text=True)
    if done.returncode != 1 or "TEST FAILED" not in done.stdout:
        sys.exit(f"a wrong kernel ends with {done.returncode}:\n{done.stdout}{done.stderr}")
