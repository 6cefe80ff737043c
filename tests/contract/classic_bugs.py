#!/usr/bin/python3
"""Common bugs, in every kernel at once, judged by every command: each row fails with its own verdict, and none of a2's
processes ends early.

usage: classic_bugs.py A2 SHADERS few|sample|all
few: three bugs, each with one command. sample: the three with each command. all: nine.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

A2, SHADERS, HOW_MANY = sys.argv.pop(1), pathlib.Path(sys.argv.pop(1)), sys.argv.pop(1)
LONGEST = 600  # seconds for all rows of one command

FAILS, MAY_PASS = ("failed", "skipped"), ("passed", "failed", "skipped")
NOT_WRITTEN = ("not-written", "failed", "skipped")
# By name: text before main(), text at the beginning of main(), and the allowed statuses of a row.
BUGS = {
    "a barrier in a condition": ("", "if ((gl_LocalInvocationID.x & 1u) == 0u) barrier();", FAILS),
    "a return before a barrier": ("", "if (gl_LocalInvocationID.x > 1u) return; barrier();", FAILS),
    "an endless loop": ("shared uint spins;", "spins = 1u; while (spins != 0u) spins = 1u;", FAILS),
    "an endless loop with a barrier": ("shared uint spins;", "for (uint i = 1u; i != 0u; i = i * 3u) barrier();", FAILS),
    "a shared array beyond its end": ("shared uint few[4];", "few[gl_LocalInvocationID.x * 1000u + 4u] = 1u;", FAILS),
    "an own array beyond its end":
        ("shared uint taken;",
         "uint few[4]; few[gl_LocalInvocationID.x * 100000u + 4u] = 1u; atomicAdd(taken, few[gl_WorkGroupID.x & 3u]);",
         FAILS),
    "a division by zero":
        ("shared uint taken;", "if (1u / gl_WorkGroupID.z == 5u) atomicAdd(taken, 7u % gl_WorkGroupID.y);", MAY_PASS),
    "nothing at all": ("", "return;", NOT_WRITTEN),
    "one element less": ("", "", FAILS),
}
CHANGED = {"one element less": (r"\bpush\.(count|live)\b", r"(push.\1 - 1u)")}  # throughout the kernel instead
SAMPLE = ("a barrier in a condition", "an endless loop", "a shared array beyond its end")
EVERY_ROW = ("reduce/*", "scan/*")
COMMANDS = {  # 5000 elements are two tiles, so that an offset is added
    "run": ("run", "-n", "5000", "-r", "1"),
    "check": ("check", "--up-to", "257"),
    "check --course": ("check", "--course", "--up-to", "1024"),
    "-d emulator": ("run", "-d", "emulator", "-n", "5000"),
}

LABS = {  # kernels that are no row's
    "prescan": ("prescan", "-n", "5000", "-r", "1"),
    "obstacles": ("obstacles", "-n", "1000", "-r", "1"),
    "rotate": ("theory", "rotate", "--matrix", "64x64", "--measure", "-r", "1"),
}


def rows():
    listed = subprocess.run([A2, "list"], capture_output=True, text=True, check=True).stdout
    return re.findall(r"^((?:reduce|scan)/\S+)", listed, re.M)


class ClassicBugs(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="a2-classic-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def broken(self, bug):
        """A folder with the bug in every kernel, and the allowed statuses of a row."""
        before, first, wanted = BUGS[bug]
        folder = self.folder / re.sub(r"\W", "-", bug)
        shutil.copytree(SHADERS, folder)
        for kernel in [*folder.glob("A2[LT]a*.comp"), *folder.glob("include/*.glsl")]:  # some include their main()
            text = re.sub(r"void main\(\)\s*\{", lambda _: f"{before}\nvoid main()\n{{\n    {first}\n",
                          kernel.read_text())
            kernel.write_text(re.sub(*CHANGED[bug], text) if bug in CHANGED else text)
        return folder, wanted

    def a2(self, words, shaders):
        ran = subprocess.run([A2, *words, "--no-color", "--shader-dir", shaders], capture_output=True, text=True,
                             timeout=LONGEST, cwd=self.folder)
        said = ran.stdout + ran.stderr
        for ended in ("device process with signal", "fault of a2", "terminate called"):
            self.assertNotIn(ended, said)
        return ran, said

    def judged(self, words, bug):
        shaders, wanted = self.broken(bug)
        report = self.folder / "report.json"
        ran, said = self.a2([*words, *EVERY_ROW, "--json", report], shaders)
        self.assertIn(ran.returncode, (0, 1) if "passed" in wanted else (1,), said)
        tests = json.loads(report.read_text())["tests"]
        self.assertEqual(sorted(one["id"] for one in tests), sorted(rows()))
        for one in tests:
            self.assertIn(one["status"], wanted, f"{one['id']}: {said}")

    def looked_at(self, words, bug):
        shaders, _ = self.broken(bug)
        for row in rows():
            with self.subTest(row=row):
                ran, said = self.a2([words, row, "-n", "1000"], shaders)
                self.assertIn(ran.returncode, (0, 1), said)

    def of_a_lab(self, words, bug):
        shaders, wanted = self.broken(bug)
        ran, said = self.a2(words, shaders)
        self.assertIn(ran.returncode, (1,) if wanted == FAILS and bug not in CHANGED else (0, 1), said)


def add(bug, name, look):
    method = re.sub(r"\W+", "_", f"test_{bug}_{name}")
    setattr(ClassicBugs, method, look)


def bugs_of(number):
    """The bugs for the command with this index."""
    if HOW_MANY == "all":
        return BUGS
    return SAMPLE if HOW_MANY == "sample" else (SAMPLE[number % len(SAMPLE)],)


for _number, (_name, _words) in enumerate(COMMANDS.items()):
    for _bug in bugs_of(_number):
        add(_bug, _name, lambda self, words=_words, bug=_bug: self.judged(words, bug))
for _number, (_name, _words) in enumerate(LABS.items()):
    for _bug in bugs_of(_number):
        add(_bug, _name, lambda self, words=_words, bug=_bug: self.of_a_lab(words, bug))
for _name in ("steps", "theory") if HOW_MANY == "all" else ():
    for _bug in BUGS:
        add(_bug, _name, lambda self, words=_name, bug=_bug: self.looked_at(words, bug))

if __name__ == "__main__":
    unittest.main(verbosity=2)
