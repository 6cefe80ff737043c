"""If a student's file does not compile, does not link, or uses what it may not, only its own rows fail, with the
reason, and the others pass.

usage: broken_solution.py PROJECT BUILD
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from other_solutions import library_with  # noqa: E402

project, build = (pathlib.Path(one) for one in sys.argv[1:])
name = "A2Task1Solution/Interleaved.cpp"
good = (project / "src" / name).read_text()


def verdicts(folder, text, beside):
    """Exit status, and explanation by row, of a2 with this file in place of the project's, and another row."""
    try:
        library_with(project, build, folder, f"src/{name}", text)
    except RuntimeError as error:
        sys.exit(f"the build stops:\n{error}")
    run = subprocess.run([folder / "a2", "run", "reduce/interleaved", beside, "-n", "1000", "-r", "1",
                          "--json", folder / "r.json"], capture_output=True, text=True)
    tests = json.loads((folder / "r.json").read_text())["tests"]
    return run.returncode, {one["id"]: (one["status"], "\n".join(one.get("explanation", []))) for one in tests}


def expect(text, said, of="reduce/interleaved", beside="reduce/sequential"):
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        for program in ("a2", "a2_worker"):
            shutil.copy(build / program, folder)
        status, rows = verdicts(folder, text, beside)
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
other_file = (project / "src/A2Task1Solution/KernelDecomposition.cpp").read_text()
function = next(one for one in other_file.splitlines() if one.startswith("std::unique_ptr<Solution> make"))
expect(good + f"\n{function} {{ return {{}}; }}\n", f"the other one is in {name}", *["reduce/decomposition"] * 2)
expect('#include "judge/Trial.h"\n' + good, ":1 does not compile: ")
expect('#include "recorder/Recorder.h"\n' + good, ":1 does not compile: ")
