"""The tools that judge submissions: an a2 with its tasks, and the commands that compile and link solutions for it.

The a2 is one that was built here, or a package's (tools/package), whose tree may be in any folder.
"""

import json
import os
import shlex
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PREFIXES = (Path("/usr"), Path("/usr/local"))
SOLUTIONS = ("liba2_solutions.so",)


class HouseError(Exception):
    """What is missing here, and what to do, in one line."""


class Built:
    """A folder built with CMake and Ninja."""

    called = "build/a2"  # the students' name for it: their hand-out is built from sources, too

    def __init__(self, folder):
        self.folder, self.a2, self.worker = folder, folder / "a2", folder / "a2_worker"
        self.beside = []  # files that a2 needs besides the program
        self.places = [folder]  # folders that are read
        self.holders = [folder]  # files and folders with solutions in them, kernels and host code
        if not self.a2.is_file():
            raise HouseError(f"{self.a2} is missing: tools/run --version builds it")

    def headers(self):
        return [ROOT / "include", ROOT / "shaders/include", self.folder / "CMakeFiles/a2_recorder.dir"]

    def compiler(self, _):
        """The compiler and its options, without source and result."""
        try:
            with open(self.folder / "compile_commands.json", encoding="utf-8") as file:
                commands = [entry["command"] for entry in json.load(file)]
        except (OSError, ValueError) as error:
            raise HouseError(f"{self.folder}/compile_commands.json: {error}; configure the build with Ninja") from None
        for command in commands:
            words = shlex.split(command)
            if "-o" in words and "a2_solutions.dir/src/A2Task" in words[words.index("-o") + 1]:
                at = words.index("-o")
                words = words[:at] + words[at + 4:]  # -o RESULT -c SOURCE
                # Changes of the build's own precompiled header are no fault of a solution.
                return [str(Path(words[0]).resolve()), *(word for word in words[1:] if word != "-Winvalid-pch")]
        raise HouseError(f"{self.folder} does not say how solutions are compiled: build a2 again")

    def linker(self):
        """(words before the objects, words after them); -o gives the result."""
        ninja = subprocess.run(["ninja", "-C", self.folder, "-t", "commands", "liba2_solutions.so"],
                               capture_output=True, text=True)
        lines = ninja.stdout.strip().splitlines()
        if ninja.returncode != 0 or not lines:
            raise HouseError(f"{self.folder} does not say how solutions are linked: was it configured with Ninja?")
        words = shlex.split(lines[-1].replace(" && :", ""))
        words = words[words.index("--") + 1:]
        kept = []
        for word in words:
            if word.startswith("CMakeFiles/a2_solutions.dir/src/A2Task"):
                if "OBJECTS" not in kept:
                    kept.append("OBJECTS")
            elif word.startswith("-Wl,--dependency-file="):  # CMake 3.27 and later; it would write into the build
                continue
            elif not word.startswith("-") and (self.folder / word).is_file():
                kept.append(str(self.folder / word))
            else:
                kept.append(word)
        at = kept.index("-o")
        del kept[at:at + 2]
        place = kept.index("OBJECTS")
        return [str(Path(kept[0]).resolve()), *kept[1:place]], kept[place + 1:]


def holders(prefix):
    """What has the solutions with which an installed a2 was built, if it was built with any."""
    return [path for path in (prefix / "lib/a2", prefix / "bin/a2") if path.exists()]


def installed():
    """The folders in which an a2 is installed among the system's programs."""
    found = [prefix for prefix in PREFIXES if holders(prefix)]
    found += [Path(program).resolve().parents[1] for program in [shutil.which("a2")] if program]
    return list(dict.fromkeys(found))


def was_handed_out(prefix):
    """Whether an installed a2 was built from a hand-out: its host code has none of a solution's marks."""
    sources = list((prefix / "lib/a2/student/objects").rglob("*.cpp"))
    return bool(sources) and not any(b"BEGIN SOLUTION" in path.read_bytes() for path in sources)


class Installed:
    """A package's tree: compiles as a2 itself does in a student's folder (src/worker/FolderBuild.h)."""

    called = "a2"

    def __init__(self, prefix):
        self.folder, self.a2, self.worker = prefix, prefix / "bin/a2", prefix / "lib/a2/a2_worker"
        self.student, self.include = prefix / "lib/a2/student", prefix / "share/a2/include"
        # Without the library of the solutions, and their objects.
        self.beside = [path for folder in (prefix / "lib/a2", self.student) for path in sorted(folder.iterdir())
                       if path.is_file() and path.name not in SOLUTIONS]
        self.holders = holders(prefix)
        self.places = [prefix / "lib/a2", prefix / "share/a2", self.a2]  # of /usr, only a2's own folders
        self.program = next((found for name in (os.environ.get("CXX"), "g++", "clang++")
                             if name and (found := shutil.which(name))), None)
        if not self.program:
            raise HouseError("there is no C++ compiler for the submissions' host code: install g++ or clang++")

    @staticmethod
    def is_at(folder):
        return (folder / "lib/a2/student").is_dir()

    def headers(self):
        return [self.include, ROOT / "shaders/include"]

    def compiler(self, folder):
        """folder: for Vulkan-Hpp, precompiled once for all files."""
        words = [str(Path(self.program).resolve()), *(self.student / "options").read_text(encoding="ascii").split(),
                 "-isystem", str(self.include), "-I", str(ROOT / "shaders/include")]
        ahead = folder / "ahead/Solution.h"
        ahead.parent.mkdir()
        ahead.write_text("#include <a2/Solution.h>\n", encoding="ascii")
        version = subprocess.run([self.program, "--version"], capture_output=True, text=True, check=False).stdout
        made = ahead.with_suffix(".h.pch" if "clang" in version else ".h.gch")
        done = subprocess.run([*words, "-x", "c++-header", "-o", made, ahead], capture_output=True, text=True)
        if done.returncode != 0:
            why = (done.stderr.splitlines() or ["no reason"])[0]
            raise HouseError(f"{self.program} does not read a2's headers: {why}")
        return [*words, "-include", str(ahead)]

    def linker(self):
        words = (self.student / "linking").read_text(encoding="ascii").split()
        return [str(Path(self.program).resolve())], [word.replace("STUDENT/", f"{self.student}/") for word in words]


class House:
    """seen: folders that jailed programs see in addition to the system's, for compilers and libraries that are
    elsewhere."""

    def __init__(self, build, seen=()):
        self.root, self.build = ROOT, Path(build).resolve()
        for folder in seen:
            if not Path(folder).is_dir():
                raise HouseError(f"--see {folder}: there is no such folder")
        # With every name by which it may be looked for.
        self.seen = list(dict.fromkeys(path for folder in seen
                                       for path in (Path(folder).absolute(), Path(folder).resolve())))
        self.copies = []  # (place, its copy for jailed programs)
        self.tree = (Installed if Installed.is_at(self.build) else Built)(self.build)
        self.a2, self.called = self.tree.a2, self.tree.called
        listed = subprocess.run([self.a2, "list", "--json", "-"], capture_output=True, text=True)
        if listed.returncode != 0:
            raise HouseError(f"{self.a2} list --json: {listed.stderr.strip() or 'no list of tasks'}: build it again")
        self.rows = {task["id"]: task for task in json.loads(listed.stdout)["tasks"]}
        said = subprocess.run([self.a2, "--version"], capture_output=True, text=True)
        self.version = said.stdout.strip().partition(" (")[0]  # without the versions of files
        if said.returncode != 0 or not self.version:
            raise HouseError(f"{self.a2} --version: {said.stderr.strip() or 'no version'}: build it again")
        self.compiler, self.linker, self.read = [], ([], []), []
        self.includes = sorted(path.name for path in (self.root / "shaders/include").iterdir() if path.is_file())

    def files_of(self, tasks):
        """The files that students write for these tasks, in the order of `a2 list`."""
        return list(dict.fromkeys(file for task in tasks for file in self.rows[task]["files"]))

    def prepare(self, folder):
        """Finds how solutions are compiled and linked. folder: a new one for temporary files."""
        folder.mkdir()
        self.compiler, self.linker = self.tree.compiler(folder), self.tree.linker()
        self.read = [*self.tree.headers(), folder]

    def read_by_compiler(self):
        return [Path(self.there(str(path))) for path in self.read]

    def read_by_linker(self):
        before, behind = self.linker
        script = [word.split(",", 2)[2] for word in [*before, *behind] if word.startswith("-Wl,--version-script,")]
        places = [Path(self.there(str(place))) for place in (*self.tree.places, self.root)]
        return [Path(word) for word in [*script, *behind] if any(Path(word).is_relative_to(place) for place in places)]

    def open_to_all(self):
        """Folders and programs with solutions in them, kernels and host code, that all users can read."""
        own = [] if was_handed_out(self.tree.folder) else self.tree.holders
        others = [one for prefix in installed() if not was_handed_out(prefix) for one in holders(prefix)]
        apart = [place for place in dict.fromkeys([*own, *others]) if not place.is_relative_to(self.root)]
        return [place for place in (self.root, *apart) if place.stat().st_mode & (0o001 if place.is_dir() else 0o004)
                and all(parent.stat().st_mode & 0o001 for parent in place.resolve().parents)]

    def hidden(self):
        """What no program of a submission may see, except for those files of it that it needs."""
        others = [one for prefix in installed() for one in holders(prefix)]
        return list(dict.fromkeys([self.root, *self.tree.holders, *others]))

    @property
    def worker(self):
        return Path(self.there(str(self.tree.worker)))

    @property
    def beside(self):
        """Files that a2 and the compiler of kernels read besides their programs."""
        return [Path(self.there(str(path))) for path in self.tree.beside]

    @property
    def a2_jailed(self):
        """The a2 for the process that works the device."""
        return Path(self.there(str(self.a2)))

    def there(self, text):
        """A path, or a word with paths in it, as jailed programs see it."""
        for own, copy in self.copies:
            text = text.replace(str(own), str(copy))
        return text

    def copy_for_others(self, folder):
        """Copies what jailed programs read to a place that any user can read: the project may be readable by its owner
        only."""
        own = [*self.read_by_compiler(), *self.read_by_linker(), *self.beside, self.worker, self.a2_jailed]
        # The build may be inside the project.
        self.copies = [(place, folder / "build" / place.relative_to(self.build)) for place in self.tree.places]
        self.copies += [(self.root, folder / "project"), (self.read[-1], folder / "compiler")]
        for path in own:
            target = Path(self.there(str(path)))
            target.parent.mkdir(parents=True, exist_ok=True)
            if path.is_dir():
                shutil.copytree(path, target, dirs_exist_ok=True)
            else:
                shutil.copy(path, target)
        for path in [folder, *folder.rglob("*")]:
            path.chmod(0o755 if path.is_dir() or os.access(path, os.X_OK) else 0o644)
        self.a2_jailed.chmod(0o711)  # it is only run: the solutions' kernels are in it
        self.compiler = [self.there(word) for word in self.compiler]
        self.linker = tuple([self.there(word) for word in words] for words in self.linker)
