#!/usr/bin/python3
"""A hand-out from its proof to what is handed in, as instructor and student go through it: builds it all twice."""

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


class Built(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="a2-handout-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.out = cls.folder / "assignment"
        cls.made = run(PROJECT / "tools" / "handout", cls.out, "--zip")
        cls.student_files = [name for name in handout.tracked(PROJECT)
                             if handout.STUDENT_FILE.fullmatch(name) and (cls.out / name).is_file()]

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

    def test_from_the_proof_to_the_submission(self):
        self.assertEqual(self.made.returncode, 0, self.made)
        self.assertTrue(self.made.stderr.endswith(" files\n"), self.made)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["assignment", "assignment.zip"])
        self.assertFalse((self.out / "build").exists())

        first = run("tools/run", "-d", "emulator", cwd=self.out)
        self.assertEqual(first.returncode, 1, first)
        self.assertEqual((first.stdout.count("NOT WRITTEN YET shaders/"), first.stdout.count("TEST FAILED")), (9, 9))
        self.assertIn("\nNOT WRITTEN YET shaders/A2Task1Interleaved.comp, 2 points\n", first.stdout)
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
        self.submitted(20)

    @unittest.skipUnless(shutil.which("clang++"), "clang++ is not installed")
    def test_stubs_compile_with_clang(self):
        fresh = self.folder / "fresh"
        self.assertEqual(run(PROJECT / "tools" / "handout", fresh, "--no-proof").returncode, 0)
        self.addCleanup(shutil.rmtree, fresh)
        for file in sorted(fresh.glob("src/A2Task*Solution/*.cpp")):
            done = run("clang++", "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow",
                       "-Wconversion", "-Wno-unused-private-field", "-Werror", f"-I{fresh}/include",
                       f"-I{fresh}/shaders/include", file)
            self.assertEqual((done.returncode, done.stderr), (0, ""), file)


if __name__ == "__main__":
    unittest.main()
