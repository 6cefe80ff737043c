"""Mutants of kernels: which rows they change, and whether they change anything."""

import pathlib
import re
import shutil
import subprocess

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)


class Kernels:
    def __init__(self, project, folder):
        self.shaders, self.folder = project / "shaders", folder
        self.compiler = shutil.which("glslangValidator") or shutil.which("glslang")
        self.optimiser = shutil.which("spirv-opt")
        self.texts = {path.relative_to(project).as_posix(): path.read_text(encoding="utf-8")
                      for path in sorted(self.shaders.rglob("*")) if path.is_file()}
        self.originals = {}

    def files(self):
        return list(self.texts)

    def includes(self, file):
        """The files that a file includes, directly or not."""
        found = set()
        for name in INCLUDE.findall(self.texts[file]):
            for folder in ("shaders/", "shaders/include/"):
                if folder + name in self.texts and folder + name not in found:
                    found |= {folder + name} | self.includes(folder + name)
        return found

    def users(self, file):
        """The kernels that contain a file."""
        return [one for one in self.texts if one.endswith(".comp") and (one == file or file in self.includes(one))]

    def spirv(self, kernel, over, place):
        """A kernel compiled with the files of a folder in place of the project's; None if it does not compile."""
        name = pathlib.PurePath(kernel).relative_to("shaders")
        source = over / name if over and (over / name).is_file() else self.shaders / name
        folders = [f"-I{one}" for one in ([over, over / "include"] if over else []) +
                   [self.shaders, self.shaders / "include"]]
        made = place / "made.spv"
        done = subprocess.run([self.compiler, "--target-env", "vulkan1.1", "--quiet", "-o", made, *folders, source],
                              capture_output=True)
        return made.read_bytes() if done.returncode == 0 else None

    def simple(self, words, place):
        """The kernel simplified as far as possible: equal results do the same."""
        if not self.optimiser:
            return words
        (place / "made.spv").write_bytes(words)
        subprocess.run([self.optimiser, "--strip-debug", "-O", place / "made.spv", "-o", place / "small.spv"],
                       capture_output=True, check=True)
        return (place / "small.spv").read_bytes()

    def same(self, kernel, words, place):
        """Whether it does the same as the project's own kernel."""
        if kernel not in self.originals:
            original = self.spirv(kernel, None, place)
            self.originals[kernel] = original, self.simple(original, place)
        return words == self.originals[kernel][0] or self.simple(words, place) == self.originals[kernel][1]

    def changed(self, mutant, kernels, place):
        """Writes the mutant into place/shaders, for --shader-dir. Returns the kernels that it changes, with their
        SPIR-V, or None for one that does not compile."""
        over = place / "shaders"
        shutil.rmtree(over, ignore_errors=True)
        target = over / pathlib.PurePath(mutant.file).relative_to("shaders")
        target.parent.mkdir(parents=True)
        target.write_text(mutant.text, encoding="utf-8")
        users = [one for one in self.users(mutant.file) if one in kernels]
        for kernel in users if mutant.file not in users else ():  # their own folder is searched first for includes
            name = pathlib.PurePath(kernel).name
            (over / name).write_text(self.texts[kernel], encoding="utf-8")
        found = {}
        for kernel in users:
            made = self.spirv(kernel, over, place)
            if made is None:
                return None
            if not self.same(kernel, made, place):
                found[kernel] = made
        return found
