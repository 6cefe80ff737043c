#!/usr/bin/python3
"""A hand-out from its proof to the submission, with the steps of instructor and student. It is built once."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

PROJECT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT / "tools" / "course"))
import handout  # noqa: E402
import markers  # noqa: E402


def run(*words, **options):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, **options)


class InAFolder(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="a2-handout-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.out = self.folder / "assignment"

    def hand_out(self, out, *words, **options):
        made = run(PROJECT / "tools" / "handout", out, *words, **options)
        self.assertEqual(made.returncode, 0, made)
        return made


def content(folder):
    return {path.relative_to(folder).as_posix(): (path.read_bytes(), path.stat().st_mode)
            for path in folder.rglob("*") if path.is_file()}


class Built(InAFolder):
    def setUp(self):
        super().setUp()
        self.hand_out(self.out, "--no-proof")
        self.student_files = [name for name in handout.tracked(PROJECT)
                              if handout.STUDENT_FILE.fullmatch(name) and (self.out / name).is_file()]

    def solve(self, pattern):
        for name in self.student_files:
            if re.search(pattern, name):
                original = markers.read(PROJECT / name)
                markers.write(self.out / name, markers.with_solutions(markers.read(self.out / name), original, name))

    def submitted(self, points):
        done = run("tools/submit", cwd=self.out)
        self.assertEqual(done.stdout, f"submission.zip: 14 files, {points} of 20 points written\n", done)
        with zipfile.ZipFile(self.out / "submission.zip") as packed:
            self.assertEqual(sorted(packed.namelist()), sorted(self.student_files))

    def proved(self, given):
        """tools/handout judges the student's build of the same files; it configures a build of its own."""
        place = self.folder / "bin"
        place.mkdir()
        (place / "cmake").write_text("#!/bin/sh\nset -eu\ncase $1 in\n"
                                     f"--build) ln -s '{self.out}/build/a2' \"$2/a2\" ;;\n"
                                     f"*) exec '{shutil.which('cmake')}' \"$@\" ;;\nesac\n")
        (place / "cmake").chmod(0o755)
        proved = self.folder / "proved"
        proved.mkdir()
        made = self.hand_out(proved / "assignment", "--zip",
                             env={**os.environ, "PATH": f"{place}:{os.environ['PATH']}"})
        self.assertTrue(made.stderr.endswith(" files\n"), made)
        self.assertEqual(sorted(path.name for path in proved.iterdir()), ["assignment", "assignment.zip"])
        self.assertEqual(content(proved / "assignment"), given)

    def test_from_the_proof_to_the_submission(self):
        given = content(self.out)
        # The compiler need not optimise code that runs only for seconds.
        launcher = self.folder / "launcher"
        launcher.write_text('#!/bin/sh\nexec "$@" -O0\n')
        launcher.chmod(0o755)
        first = run("tools/run", "-d", "emulator", cwd=self.out,
                    env={**os.environ, "CMAKE_CXX_COMPILER_LAUNCHER": str(launcher)})
        self.assertEqual(first.returncode, 1, first)
        self.assertEqual((first.stdout.count("NOT WRITTEN YET shaders/"), first.stdout.count("TEST FAILED")), (9, 9))
        self.assertIn("\nNOT WRITTEN YET shaders/A2Task1Interleaved.comp, 2 points\n", first.stdout)
        self.assertNotRegex((self.out / "build" / "tools.log").read_text(errors="replace"), r"\bwarning\b")
        self.proved(given)
        self.submitted(0)

        self.solve("shaders/.*Interleaved")
        kernel = run("tools/run", "reduce/interleaved", "-d", "emulator", cwd=self.out)
        self.assertEqual(kernel.returncode, 1, kernel)
        self.assertIn("NOT WRITTEN YET src/A2Task1Solution/Interleaved.cpp, 2 points", kernel.stdout)
        self.solve("src/.*Interleaved")
        both = run("tools/run", "reduce/interleaved", "-d", "emulator", cwd=self.out)
        self.assertEqual(both.returncode, 0, both)
        self.submitted(2)

        for name in set(self.student_files) - {name for name in self.student_files if "Interleaved" in name}:
            self.solve(re.escape(name))
        self.assertEqual(run("tools/run", "check", "-d", "emulator", "--up-to", "1024", cwd=self.out).returncode, 0)
        # So long that the device compares the result.
        long = run("tools/run", "scan/naive", "-n", "2^22", "-r", "1", cwd=self.out)
        self.assertEqual(long.returncode, 0, long)
        self.submitted(20)


class Stubs(InAFolder):
    @unittest.skipUnless(shutil.which("clang++"), "clang++ is not installed")
    def test_they_compile_with_clang(self):
        self.hand_out(self.out, "--no-proof")
        for file in sorted(self.out.glob("src/A2Task*Solution/*.cpp")):
            done = run("clang++", "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow",
                       "-Wconversion", "-Wno-unused-private-field", "-Werror", f"-I{self.out}/include",
                       f"-I{self.out}/shaders/include", file)
            self.assertEqual((done.returncode, done.stderr), (0, ""), file)


if __name__ == "__main__":
    unittest.main()
