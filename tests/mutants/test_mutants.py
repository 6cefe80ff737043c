#!/usr/bin/python3
"""Tests the program itself: every kind of fault is made, the name of an edit does not depend on other edits, and a
verdict is interpreted by survivors.txt.

usage: test_mutants.py PROJECT BUILD
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from edits import mutants
from survivors import read_survivors

PROJECT, BUILD = pathlib.Path(sys.argv.pop(1)), pathlib.Path(sys.argv.pop(1))
HERE = pathlib.Path(__file__).resolve().parent
KERNEL = "shaders/A2Task1KernelDecomposition.comp"
GLSL_KINDS = {"barrier", "comparison", "operator", "constant", "index", "condition", "assignment"}
HOST_KINDS = {"barrier", "mask", "stage", "group count", "push field", "buffer", "order", "comparison", "operator",
              "constant", "index", "condition", "assignment"}


def keys(file, text):
    return {one.key for one in mutants(file, text)}


class Edits(unittest.TestCase):
    def test_every_kind_of_fault_is_made(self):
        for file in sorted(PROJECT.glob("src/A2Task?Solution/*.cpp")):
            made = {one.kind for one in mutants(f"src/{file.name}", file.read_text())}
            self.assertLessEqual({"order", "group count", "push field", "constant"}, made, file)
        made = {one.kind for one in mutants("a.cpp", (PROJECT / "src/A2Task2Solution/Naive.cpp").read_text())}
        self.assertEqual(made, HOST_KINDS)
        made = {one.kind for one in mutants(KERNEL, (PROJECT / KERNEL).read_text())}
        self.assertEqual(made, GLSL_KINDS)

    def test_the_faults_of_a_line(self):
        def after(line):
            return {one.after for one in mutants("a.comp", line + "\n")}

        self.assertEqual(after("if (a < b) c[i] += 2;"),
                         {"if (a <= b) c[i] += 2;", "if (!(a < b)) c[i] += 2;", "if (true) c[i] += 2;",
                          "if (false) c[i] += 2;", "if (a < b) c[i + 1] += 2;", "if (a < b) c[i - 1] += 2;",
                          "if (a < b) c[i] = 2;", "if (a < b) c[i] += 3;", "if (a < b) c[i] += 1;"})
        self.assertEqual(after("barrier();  // why"),
                         {"{};", "if (gl_LocalInvocationID.x == 0) barrier();"})
        self.assertEqual(after("uint a = b && c ? d : e;"),
                         {"uint a = b || c ? d : e;", "uint a = true && c ? d : e;", "uint a = b && true ? d : e;",
                          "uint a = !(b && c) ? d : e;", "uint a = true ? d : e;", "uint a = false ? d : e;",
                          "uint a = b && c ? e : d;"})
        self.assertEqual(after("layout(constant_id = 1) const uint ELEMENTS = 2;"), set(), "the host sets it")

    def test_what_an_edit_is_called_outlives_comments_and_moved_lines(self):
        for file in (KERNEL, "shaders/include/A2Kernels.h", "src/A2Task2Solution/KernelDecomposition.cpp"):
            text = (PROJECT / file).read_text()
            moved = "// a line more\n\n" + text.replace(";\n", ";  // said\n\n", 3)
            self.assertEqual(keys(file, text), keys(file, moved), file)

    def test_no_two_have_the_same_name(self):
        for file in sorted(PROJECT.glob("shaders/**/*.*")):
            name = file.relative_to(PROJECT).as_posix()
            found = mutants(name, file.read_text())
            self.assertEqual(len({one.key for one in found}), len(found), name)


class Verdicts(unittest.TestCase):
    """With mutants whose verdicts are in a log already."""

    def verdict(self, outcome, kept=("why", "hole", "slow"), kernel=KERNEL, environment=None):
        """Those that are listed in this way have this outcome, the others what the list makes of them; None: not
        listed."""
        with tempfile.TemporaryDirectory() as place:
            log = pathlib.Path(place) / "log"
            listed = read_survivors(HERE / "survivors.txt")
            with open(log, "w", encoding="utf-8") as file:
                for one in mutants(kernel, (PROJECT / kernel).read_text()):
                    said = "survived" if one.key in listed else "killed"
                    if listed.get(one.key) in kept:
                        said = outcome
                    file.write(json.dumps({"file": one.file, "before": one.before, "after": one.after, "by": "",
                                           "number": one.number, "outcome": said, "command": "run"}) + "\n")
            return subprocess.run([sys.executable, "-B", HERE / "mutants.py", PROJECT, BUILD, "--log", log,
                                   "--only", kernel], capture_output=True, text=True,
                                  env=os.environ | (environment or {}))

    def test_it_passes_as_listed(self):
        ran = self.verdict("survived")
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)

    def test_what_is_listed_and_killed_fails(self):
        ran = self.verdict("killed")
        self.assertEqual(ran.returncode, 1, ran.stdout + ran.stderr)
        self.assertIn("is in survivors.txt, and killed", ran.stdout)

    def test_a_driver_that_says_nothing_of_what_is_listed_passes(self):
        self.assertEqual(self.verdict("skipped").returncode, 0)

    def test_without_a_device_nothing_is_judged(self):
        ran = self.verdict("survived", environment={"VK_DRIVER_FILES": "/dev/null", "VK_ICD_FILENAMES": "/dev/null"})
        self.assertEqual(ran.returncode, 1, ran.stdout + ran.stderr)
        self.assertIn("a2 does not pass what nothing was changed in", ran.stdout)

    def test_what_is_slow_may_be_killed(self):
        lookback = "shaders/A2Task2DecoupledLookback.comp"
        self.assertIn("slow", read_survivors(HERE / "survivors.txt").values())
        self.assertEqual(self.verdict("killed", kept=("slow",), kernel=lookback).returncode, 0)
        self.assertEqual(self.verdict("killed", kept=("why",), kernel=lookback).returncode, 1)

    def test_what_survives_ends_or_hangs_fails(self):
        for outcome, said in (("survived", "survives, and is not in survivors.txt"), ("ended", "ended by run"),
                              ("hung", "hung by run")):
            ran = self.verdict(outcome, kept=(None,))
            self.assertEqual(ran.returncode, 1, ran.stdout + ran.stderr)
            self.assertIn(said, ran.stdout)


if __name__ == "__main__":
    unittest.main(verbosity=2)
