#!/usr/bin/python3
"""The page that a2 run draws of the first failure, for a user at a terminal."""

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

A2, SHADERS = sys.argv.pop(1), pathlib.Path(sys.argv.pop(1))
KERNEL = "A2Task1Sequential.comp"
LONGEST = 60  # seconds until something is given up


class FailurePage(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="a2-page-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.shaders = self.folder / "my shaders"
        shutil.copytree(SHADERS, self.shaders)
        kernel = self.shaders / KERNEL
        text = kernel.read_text()
        kernel.write_text(text.replace("+= ", "= ", 1))
        self.assertNotEqual(kernel.read_text(), text)
        self.page = self.folder / "cache/a2/pages/reduce-sequential.html"

    def run_a2(self, *words, terminal=True, **env):
        """Exit status and stderr."""
        ours, inside = pty.openpty() if terminal else os.pipe()
        process = subprocess.Popen([A2, "-n", "1024", "-r", "2", "--shader-dir", self.shaders, *words],
                                   stdout=subprocess.DEVNULL, stderr=inside,
                                   env={**os.environ, "XDG_CACHE_HOME": str(self.folder / "cache"), **env})
        os.close(inside)
        said, end = b"", time.monotonic() + LONGEST
        while select.select([ours], [], [], max(0, end - time.monotonic()))[0]:
            try:
                part = os.read(ours, 1 << 16)
            except OSError:  # the terminal's other end is closed
                break
            if not part:
                break
            said += part
        os.close(ours)
        # Lines are wrapped at 80 columns, and a path may be longer.
        return process.wait(LONGEST), re.sub(r"\s+", " ", said.decode())

    def test_is_drawn_of_what_fails_first(self):
        status, said = self.run_a2("reduce/interleaved", "reduce/sequential")
        self.assertEqual(status, 1, said)
        self.assertIn(f"its picture, for a browser: {self.page}", said)
        self.assertIn("reduce/sequential", self.page.read_text())

    def test_takes_the_place_of_the_one_before(self):
        self.page.parent.mkdir(parents=True)
        self.page.write_text("before")
        begin = time.monotonic()
        self.run_a2("reduce/sequential")
        if not self.page.exists() and time.monotonic() - begin > 10:
            self.skipTest("this machine is too busy to draw a page in the time that it gets")
        self.assertIn("<html", self.page.read_text())
        self.assertEqual(list(self.page.parent.iterdir()), [self.page])

    def test_is_drawn_for_nobody_else(self):
        for words, more in ((["--no-page"], {}), (["--quiet"], {}), ([], {"terminal": False}),
                            ([], {"XDG_CACHE_HOME": "/proc/nowhere"})):
            status, said = self.run_a2("reduce/sequential", *words, **more)
            self.assertEqual(status, 1, said)
            self.assertNotIn("picture", said)
        self.assertEqual(self.run_a2("reduce/interleaved")[0], 0)
        self.assertFalse(self.page.parent.exists())


if __name__ == "__main__":
    sys.exit(unittest.main())
