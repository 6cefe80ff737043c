"""What docs/adding-kernels.md says, to the letter: its row compiles in the table it belongs to, and its shader, started
from the neighbour's, is the row's.

usage: adding_a_kernel.py PROJECT BUILD
"""

import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

project, build = (pathlib.Path(one) for one in sys.argv[1:])
steps = (project / "docs/adding-kernels.md").read_text(encoding="utf-8")
row = re.search(r"^ +(\{\.id = .*?\},)\n\n", steps, re.M | re.S)
shader = re.search(r"`shaders/(\w+)\.comp`", steps)
task = re.search(r"`tools/run check (\S+)`", steps)
if not (row and shader and task):
    sys.exit("docs/adding-kernels.md names no row, shader and task any more")
if f'"{shader[1]}"' not in row[1] or f'"{task[1]}"' not in row[1]:
    sys.exit(f"the row is not for {shader[1]} and {task[1]}: {row[1]}")

table = project / "src/tasks/A2Task1.cpp"
text = table.read_text()
end_of_table = text.rindex("    };\n}")
# A file of the library that is compiled alone; the table itself is compiled together with others.
alone = str(project / "src/base/BuildFacts.cpp")
entry = next(one for one in json.loads((build / "compile_commands.json").read_text())
             if one["file"] == alone and "a2_lib.dir" in one["command"])
command = shlex.split(entry["command"])
with tempfile.TemporaryDirectory() as folder:
    changed = pathlib.Path(folder) / table.name
    changed.write_text(text[:end_of_table] + f"        {row[1]}\n" + text[end_of_table:])
    command[command.index("-o") + 1] = str(pathlib.Path(folder) / "row.o")
    command[command.index(alone)] = str(changed)
    made = subprocess.run(command + ["-fsyntax-only"], cwd=entry["directory"], capture_output=True, text=True)
if made.returncode != 0:
    sys.exit(f"the row does not compile in {table.name}:\n{made.stderr}")
