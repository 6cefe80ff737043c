#!/usr/bin/python3
"""completion.py A2: the shells' completion of a2's command line, and its man page."""

import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

A2 = sys.argv.pop(1)
FORMS = ("bash", "zsh", "fish", "man")
LONGEST = 60  # seconds until something is given up


def a2(*words):
    return subprocess.run([A2, *words], capture_output=True, text=True, timeout=LONGEST, check=False)


def shown(*words):
    done = a2(*words)
    assert (done.returncode, done.stderr) == (0, ""), done
    return done.stdout


def commands():
    return re.findall(r"^  ([a-z]+) {3,}", shown("--help").split("Commands:")[1], re.MULTILINE)


class Completion(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="a2-completion-"))
        self.addCleanup(shutil.rmtree, self.folder)
        (self.folder / "numbers.txt").write_text("1")
        (self.folder / "shaders").mkdir()

    def script(self, form):
        file = self.folder / f"a2.{form}"
        file.write_text(shown("completion", form))
        return file

    def test_each_command_and_option_is_there(self):
        for form in FORMS:
            text = shown("completion", form).replace("\\-", "-")
            for command in commands():
                self.assertRegex(text, rf"\b{command}\b")
                for name in re.findall(r"^ +(?:-[a-z], *)?--([a-z-]+)", shown(command, "--help"), re.MULTILINE):
                    self.assertRegex(text, rf"(--|-l ){name}\b", f"{form}, {command}")
            self.assertNotRegex(text, r"--device-jail|-l device-jail", "is in no help text")

    def test_wrong_words(self):
        for words in ((), ("tcsh",), ("bash", "zsh")):
            done = a2("completion", *words)
            self.assertEqual((done.returncode, done.stdout), (2, ""), done)
            self.assertEqual(done.stderr.replace("\n    ", " ").count("a2: error: "), 1, done)

    def in_bash(self, *words):
        typed = " ".join(f"'{word}'" for word in words)
        done = subprocess.run(
            ["bash", "-c", f"source a2.bash; COMP_WORDS=({typed}); COMP_CWORD={len(words) - 1}; "
                           "_a2 2>/dev/null; printf '%s\\n' \"${COMPREPLY[@]}\""],
            cwd=self.folder, capture_output=True, text=True, timeout=LONGEST, check=False)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_bash(self):
        self.script("bash")
        self.assertEqual(self.in_bash("a2", "st"), ["steps"])
        self.assertEqual(self.in_bash("a2", "reduce/at"), ["reduce/atomic"])
        self.assertEqual(self.in_bash("a2", "steps", "scan/work"), ["scan/work-efficient"])
        self.assertEqual(self.in_bash("a2", "steps", "reduce/atomic", "--pha"), ["--phases"])
        self.assertEqual(self.in_bash("a2", "--js"), ["--json"], "of run")
        self.assertEqual(self.in_bash("a2", "run", "--validation", "re"), ["required"])
        self.assertEqual(self.in_bash("a2", "run", "--validation", "=", "g"), ["gpu"])
        self.assertEqual(self.in_bash("a2", "run", "--validation", "="), ["off", "on", "gpu", "required"])
        self.assertEqual(self.in_bash("a2", "prescan", "num"), ["numbers.txt"])
        self.assertEqual(self.in_bash("a2", "run", "--json", "num"), ["numbers.txt"])
        self.assertEqual(self.in_bash("a2", "run", "--shader-dir", ""), ["shaders"])
        self.assertEqual(self.in_bash("a2", "run", "-n", ""), [], "nobody knows the length")
        self.assertEqual(self.in_bash("a2", "explain", "shared-r"), ["shared-race"])
        self.assertEqual(self.in_bash("a2", "help", "che"), ["check"])
        self.assertEqual(self.in_bash("a2", "completion", ""), list(FORMS))
        self.assertIn("steps", self.in_bash("a2", ""))
        self.assertNotIn("steps", self.in_bash("a2", "run", ""))

    @unittest.skipUnless(shutil.which("fish"), "fish is not installed")
    def test_fish(self):
        script = self.script("fish")

        def completed(line):
            environment = {**os.environ, "HOME": str(self.folder), "XDG_CONFIG_HOME": str(self.folder / "config")}
            done = subprocess.run(["fish", "-c", f"source {script}; complete -C '{line}'"], cwd=self.folder,
                                  env=environment, capture_output=True, text=True, timeout=LONGEST, check=False)
            self.assertEqual(done.stderr, "", done)
            return [one.split("\t")[0] for one in done.stdout.splitlines()]

        self.assertEqual(completed("a2 st"), ["steps"])
        self.assertEqual(completed("a2 steps scan/work"), ["scan/work-efficient"])
        self.assertEqual(completed("a2 steps reduce/atomic --pha"), ["--phases"])
        self.assertEqual(completed("a2 run --validation re"), ["required"])
        self.assertEqual(completed("a2 --js"), ["--json"])
        self.assertEqual(completed("a2 run --json num"), ["numbers.txt"])
        self.assertEqual(completed("a2 explain shared-r"), ["shared-race"])

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
    def test_zsh(self):
        """Only zsh's line editor completes: runs it on a terminal of its own."""
        script = self.script("zsh")
        child, terminal = pty.fork()
        if child == 0:
            os.chdir(self.folder)
            os.execvpe("zsh", ["zsh", "-f", "-i"], {**os.environ, "TERM": "dumb", "HOME": str(self.folder)})
        self.addCleanup(os.close, terminal)
        self.addCleanup(os.waitpid, child, 0)
        self.addCleanup(os.kill, child, 9)
        screen = ""

        def until(pattern):
            nonlocal screen
            end = time.monotonic() + LONGEST
            while not (found := re.search(pattern, screen)):
                self.assertLess(time.monotonic(), end, f"no {pattern!r} in:\n{screen}")
                if select.select([terminal], [], [], 1)[0]:
                    screen += os.read(terminal, 1 << 16).decode().replace("\r", "").replace("\b", "")
            screen = screen[found.end():]

        def send(keys):
            os.write(terminal, keys.encode())

        send(f"PS1='> '; autoload -U compinit; compinit -D -u; source {script}; echo re''ady\n")
        until("ready\n")
        for typed, completed in (("a2 ste", "a2 steps"), ("a2 steps scan/work", "a2 steps scan/work-efficient"),
                                 ("a2 steps --pha", "a2 steps --phases"),
                                 ("a2 run --validation req", "a2 run --validation required"),
                                 ("a2 explain shared-r", "a2 explain shared-race"),
                                 ("a2 run --json num", "a2 run --json numbers.txt")):
            send(typed + "\t")
            time.sleep(0.5)
            send("\x01echo '\x05'\n")  # the completed line, as text
            until(f"\n{re.escape(completed)} ?\n")

    @unittest.skipUnless(shutil.which("mandoc"), "mandoc is not installed")
    def test_the_page_of_the_manual_is_well_formed(self):
        done = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", self.script("man")], capture_output=True,
                              text=True, timeout=LONGEST, check=False)
        # The page has the date of its version.
        self.assertEqual([one for one in done.stdout.splitlines() if "missing date" not in one], [])

    @unittest.skipUnless(shutil.which("groff"), "groff is not installed")
    def test_the_page_of_the_manual_reads_well(self):
        done = subprocess.run(["groff", "-man", "-Tascii", "-P-cbou", "-ww", self.script("man")], capture_output=True,
                              text=True, timeout=LONGEST, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("-n, --size N\n", done.stdout)
        self.assertIn("'scan/*'", done.stdout)
        for line in done.stdout.splitlines():
            self.assertLessEqual(len(line), 80, line)


if __name__ == "__main__":
    unittest.main()
