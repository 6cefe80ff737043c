"""A student's file that does not compile, does not link, or takes what is not for it costs its own rows alone: they say
why, and the others pass.

usage: broken_solution.py PROJECT BUILD
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

project, build = (pathlib.Path(one) for one in sys.argv[1:])
name = "A2Task1Solution/Interleaved.cpp"
library = next(one for one in ("liba2_solutions.so", "liba2_solutions.dylib") if (build / one).exists())
commands = subprocess.run(["ninja", "-C", build, "-t", "commands", library], capture_output=True, text=True, check=True)
lines = commands.stdout.splitlines()
compile_line = next(one for one in lines if one.endswith("/" + name) and f"{library[3:-3]}" in one)
link_line = next(one for one in lines if f"-o {library} " in one)
good = (project / "src" / name).read_text()


def verdicts(folder, text):
    """Exit status, and explanation by row, of a2 with this file in the place of the project's."""
    source = folder / name
    source.parent.mkdir(exist_ok=True)
    source.write_text(text)
    made = folder / (name + ".o")
    old = compile_line[compile_line.index(" -o ") + 4:].split()[0]
    errors = f'errors={build / "errors"}'
    to_compile = compile_line.replace(str(project / "src" / name), str(source)).replace(old, str(made))
    to_link = link_line.replace(old, str(made)).replace(f"-o {library} ", f"-o {folder / library} ")
    for line in (to_compile, to_link):
        assert errors in line, line
        done = subprocess.run(line.replace(errors, f"errors={folder}"), shell=True, cwd=build, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"the build stops:\n{done.stdout}{done.stderr}")
    run = subprocess.run([folder / "a2", "run", "reduce/interleaved", "reduce/sequential", "-n", "1000", "-r", "1",
                          "--json", folder / "r.json"], capture_output=True, text=True)
    tests = json.loads((folder / "r.json").read_text())["tests"]
    return run.returncode, {one["id"]: (one["status"], "\n".join(one.get("explanation", []))) for one in tests}


def expect(text, said, of="reduce/interleaved"):
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        for program in ("a2", "a2_worker"):
            shutil.copy(build / program, folder)
        status, rows = verdicts(folder, text)
        broken = rows.pop(of)
        (other,) = rows.values()
        if said is None:
            right = status == 0 and broken[0] == "passed"
        else:
            right = status == 1 and broken[0] == "failed" and said in broken[1]
        if not right or other[0] != "passed":
            sys.exit(f"status {status}, wanted: {said}\n{broken}\n{other}")


line = good[:good.index("void record(")].count("\n") + 1
expect(good, None)
expect(good.replace("void record(", "void recrod(int x; ", 1), f"src/{name}:{line} does not compile: ")
expect(good + "\nnamespace a2 { void nowhere(); static const int one = (nowhere(), 1); }\n",
       f"src/{name} does not link: undefined reference to")
other_file = (project / "src/A2Task1Solution/Sequential.cpp").read_text()
function = next(one for one in other_file.splitlines() if one.startswith("std::unique_ptr<A2Task1Solution> make"))
expect(good + f"\nnamespace a2 {{ {function} {{ return {{}}; }} }}\n", f"the other one is in {name}", "reduce/sequential")
expect('#include "judge/Trial.h"\n' + good, ":1 does not compile: ")
expect('#include "recorder/Recorder.h"\n' + good, ":1 does not compile: ")
