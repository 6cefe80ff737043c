"""Mutants of host code: one library of solutions with all mutants of a file. A2_MUTANT chooses one when it is
loaded."""

import pathlib
import re
import shlex
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "known-bad"))
from generate import DECLARATION, FACTORY, INCLUDE, maker  # noqa: E402


def commands(build, file):
    """The project's commands to compile a file of host code and to link the library of solutions, as words."""
    library = next(one for one in ("liba2_solutions.so", "liba2_solutions.dylib") if (build / one).exists())
    ninja = ["ninja", "-C", build, "-t", "commands", library]
    lines = subprocess.run(ninja, capture_output=True, text=True, check=True).stdout.splitlines()
    compiling = next(one for one in lines if one.endswith("/" + file) and "a2_solutions.dir" in one)
    linking = next(one for one in lines if f"-o {library} " in one)

    def words(line):
        """The compiler's own command: without the launcher that limits a broken file's damage to its own rows."""
        line = line.removeprefix(": && ").removesuffix(" && :")
        return shlex.split(line)[shlex.split(line).index("--") + 1:]

    return words(compiling), words(linking)


def together(text, mutants):
    """The file with each mutant in a separate namespace, and the code that chooses one."""
    parts = ["#include <cstdlib>", "#include <string_view>", *INCLUDE.findall(text)]
    # Another file may call the function that makes its solutions.
    parts.append(FACTORY.sub("", INCLUDE.sub("", text)))
    for number, mutant in enumerate(mutants):
        body = FACTORY.sub("", DECLARATION.sub("", INCLUDE.sub("", mutant.text)))
        made = "\n".join(f'    static const ::a2::Factory factory{row}("{row}", {maker(f"Mutant{number}", make)});'
                         for row, make in FACTORY.findall(mutant.text))
        parts.append(f"""#if !defined(A2_WITHOUT_ALL) && !defined(A2_WITHOUT_Mutant{number})
namespace Mutant{number} {{
{body}
}}
static const bool chosen{number} = [] {{
    const char* const name = std::getenv("A2_MUTANT");
    if (!name || std::string_view(name) != "{number}") return false;
{made}
    return true;
}}();
#endif  // Mutant{number}
""")
    return "\n".join(parts)


def build_library(project, build, file, mutants, folder):
    """Builds it; returns the library, and the numbers of the mutants that do not compile."""
    name = pathlib.PurePath(file).relative_to("src").as_posix()
    text = (project / file).read_text(encoding="utf-8")
    source = folder / pathlib.PurePath(file).name
    source.write_text(together(text, mutants), encoding="utf-8")
    compiling, linking = commands(build, name)
    made, old = folder / "made.o", compiling[compiling.index("-o") + 1]
    place = str(project / file)
    for option in ("-MD", "-Werror", "-Wpedantic"):
        compiling = [word for word in compiling if word != option]
    for option in ("-MT", "-MF"):
        at = compiling.index(option)
        del compiling[at:at + 2]
    compiling = [str(source) if word == place else str(made) if word == old else word for word in compiling]
    # Files in the same folder can be included from there.
    compiling[1:1] = ["-w", f"-I{(project / file).parent}"]
    launcher = pathlib.Path(__file__).resolve().parent.parent / "known-bad" / "compile.py"
    done = subprocess.run([sys.executable, "-B", launcher, *compiling], cwd=build, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{file}: the mutants do not compile together:\n{done.stderr[-4000:]}")
    without = re.search(r"left out, for it does not compile: (.*)", done.stderr)
    library = folder / pathlib.PurePath(linking[linking.index("-o") + 1]).name
    linking = [str(made) if word == old else word for word in linking]
    linking[linking.index("-o") + 1] = str(library)
    done = subprocess.run(linking, cwd=build, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{file}: the mutants do not link:\n{done.stderr[-4000:]}")
    return library, {int(number) for number in re.findall(r"Mutant(\d+)", without[1])} if without else set()

