#!/usr/bin/python3
"""a2 watch, on a terminal of its own: its output on each save, and how it ends."""

import os
import pathlib
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import termios
import time
import unittest

A2, SHADERS = sys.argv.pop(1), pathlib.Path(sys.argv.pop(1))
KERNEL = "A2Task1KernelDecompositionAtomic.comp"
LONGEST = 60  # seconds until something is given up


class Watch(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="a2-watch-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        shutil.copytree(SHADERS, self.folder / "shaders")
        self.kernel = self.folder / "shaders" / KERNEL
        self.right = self.kernel.read_text()
        self.screen = ""

    def start(self, *words):
        self.terminal, inside = pty.openpty()
        self.addCleanup(os.close, self.terminal)
        self.before = termios.tcgetattr(self.terminal)

        def take_terminal():
            os.setsid()
            os.close(os.open(os.ttyname(0), os.O_RDWR))

        environment = {**os.environ, "TMPDIR": str(self.folder), "TERM": "xterm"}
        self.process = subprocess.Popen(
            [A2, "watch", *words, "--shader-dir", self.folder / "shaders", "-n", "4096", "-r", "2"],
            stdin=inside, stdout=inside, stderr=inside, preexec_fn=take_terminal, env=environment)
        self.addCleanup(self.process.kill)
        os.close(inside)

    def until(self, pattern):
        """The screen's output up to this text; it is removed."""
        end = time.monotonic() + LONGEST
        while not (found := re.search(pattern, self.screen)):
            self.assertLess(time.monotonic(), end, f"no {pattern!r} in:\n{self.screen}")
            if select.select([self.terminal], [], [], 1)[0]:
                try:
                    self.screen += os.read(self.terminal, 1 << 16).decode().replace("\r", "")
                except OSError:
                    self.fail(f"it ended before {pattern!r}:\n{self.screen}")
        taken, self.screen = self.screen[:found.end()], self.screen[found.end():]
        return taken

    def save(self, text):
        """As editors do: writes a new file and renames it."""
        part = self.kernel.with_suffix(".part")
        part.write_text(text)
        part.rename(self.kernel)

    def expect_end(self, status=0):
        self.assertEqual(self.process.wait(LONGEST), status)
        self.assertEqual(termios.tcgetattr(self.terminal), self.before, "the terminal is not as it was")
        # The device process ends, and cleans up, once it notices that the a2 that started it is gone.
        end = time.monotonic() + LONGEST
        while len(left := sorted(path.name for path in self.folder.iterdir())) > 1 and time.monotonic() < end:
            time.sleep(0.05)
        self.assertEqual(left, ["shaders"], "something is left behind")

    def test_each_save_is_judged(self):
        self.start("reduce/atomic", "reduce/interleaved")
        self.until("watching [0-9]+ files of 2 tasks")
        self.until("PASSED.*Interleaved.*\n")
        self.until("PASSED.*Atomic  [0-9.]+ ms\n")
        self.save(self.right.replace("atomicAdd(", "atomicMax("))
        said = self.until("FAILED")
        self.assertIn(KERNEL, said)
        self.save(self.right)
        failure = self.until(KERNEL)
        self.assertRegex(failure, "expected sum [0-9]+, got [0-9]+")
        self.assertIn("steps reduce/atomic", failure)
        self.assertLessEqual(len(failure.strip().splitlines()), 21)
        for line in failure.splitlines():
            if "a2 steps" not in line and "\033" not in line:
                self.assertLessEqual(len(line), 80, line)
        said = self.until("ms, before [0-9.]+ ms .*\n")
        self.assertNotIn("Interleaved", said, "only what uses the file is judged again")
        self.save(self.right.replace("void main()", "void main(", 1))
        self.assertRegex(self.until("FAILED(.*\n)+.*error.*\n"), KERNEL)
        os.write(self.terminal, b"q")
        self.expect_end()

    def test_what_kernels_print_is_shown(self):
        self.start("reduce/atomic")
        self.until("PASSED")
        prints = '#version 450\n#extension GL_EXT_debug_printf : require'
        self.save(self.right.replace("#version 450", prints, 1)
                  .replace("atomicAdd(", 'debugPrintfEXT("it is %u", gl_WorkGroupID.x); atomicMax('))
        said = self.until("steps reduce/atomic")
        self.assertRegex(said, r"\n  printed in a run of n = [0-9]+, with (.|\n)*\n +invocation 0 of work-group 0 \("
                         + KERNEL + r":[0-9]+\):\s+it\s+is 0\n")
        os.write(self.terminal, b"q")
        self.expect_end()

    def test_a_save_while_it_judges_starts_anew(self):
        self.start("reduce/atomic")
        self.until("PASSED")
        endless = self.right.replace("void main()\n{\n", "void main()\n{\n    while (true) { }\n", 1)
        self.assertNotEqual(endless, self.right)
        self.save(endless)
        self.until("judging|" + KERNEL)
        self.save(self.right)
        self.until("PASSED")
        os.write(self.terminal, b"q")
        self.expect_end()

    def test_ctrl_c_and_signals_end_it(self):
        for end in ("key", signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(end):
                self.screen = ""
                self.start("reduce/atomic")
                self.until("watching")
                if end == "key":
                    os.write(self.terminal, b"\x03")
                else:
                    self.process.send_signal(end)
                self.expect_end()

    def test_in_a_pipe_nothing_moves(self):
        process = subprocess.Popen([A2, "watch", "reduce/atomic", "--shader-dir", self.folder / "shaders", "-n", "64"],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.addCleanup(process.kill)
        said = process.stdout.readline() + process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        said += process.communicate(timeout=LONGEST)[0]
        self.assertEqual(process.returncode, 0, said)
        self.assertIn("PASSED", said)
        self.assertNotIn("\033", said)

    def test_the_page_is_drawn_again(self):
        page = self.folder / "shaders" / "page.html"

        def drawn(verdict):
            end = time.monotonic() + LONGEST
            while f'"status":"{verdict}"' not in (text := page.read_text()):
                self.assertLess(time.monotonic(), end, f"not {verdict} in the page")
                time.sleep(0.05)
            self.assertEqual(text.count("<script>keepReloading("), 1)
            return text

        self.start("reduce/atomic", f"--html={page}")
        self.until(r"PASSED.*\n")
        self.assertIn("atomicAdd(", drawn("passed"))
        self.save(self.right.replace("atomicAdd(", "atomicMax("))
        self.until(r"FAILED.*\n")
        self.assertIn("atomicMax(", drawn("failed"))
        last = page.read_text()
        self.save(self.right.replace("void main()", "void main(", 1))
        self.until("FAILED(.*\n)+.*error.*\n")
        self.save(self.right)
        self.assertEqual(page.read_text(), last, "what does not compile has no page")
        self.until(r"PASSED.*\n")
        self.assertNotIn("atomicMax(", drawn("passed"))
        os.write(self.terminal, b"q")
        self.expect_end()

    def test_wrong_words(self):
        for words, status, part in ((["nobody"], 2, "'nobody'"), (["--shader-dir", "/none"], 3, "/none"),
                                    (["reduce/*", "--html", "/tmp/a2-no-page.html"], 2, "name one"),
                                    (["reduce/atomic", "--html", "/none/page.html"], 2, "/none/page.html")):
            done = subprocess.run([A2, "watch", *words], capture_output=True, text=True, timeout=LONGEST,
                                  stdin=subprocess.DEVNULL)
            self.assertEqual(done.returncode, status, done)
            self.assertIn(part, done.stderr)


if __name__ == "__main__":
    unittest.main()
