#!/usr/bin/python3
"""The packages that tools/run installs without apt-get: with a package manager that records its arguments."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROJECT = pathlib.Path(__file__).resolve().parent.parent
RPM, PACMAN = "rpm", "pacman"
# Manager -> its arguments for installing, and the program that knows the installed packages.
MANAGERS = {"dnf": ("-y install", RPM), "pacman": ("-S --needed --noconfirm", PACMAN),
            "zypper": ("--non-interactive install", RPM)}


class Elsewhere(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="a2-platforms-")
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.bin = self.folder / "bin"
        self.bin.mkdir()
        for name in ("bash", "awk", "sed", "grep", "tail", "head", "cut", "id", "dirname", "mkdir", "cat"):
            (self.bin / name).symlink_to(subprocess.check_output(["which", name], text=True).strip())
        (self.folder / "there").write_text("")

    def program(self, name, text):
        (self.bin / name).write_text(f"#!/bin/bash\n{text}\n")
        (self.bin / name).chmod(0o755)

    def with_manager(self, manager, status=0):
        asks, knows = f'grep -qxF -- "$2" {self.folder}/there', MANAGERS[manager][1]
        notes = f'echo "$*" >>{self.folder}/asked; echo "error: no mirror"; exit {status}'
        self.program(manager, f'[ "$1" != -Qq ] || {{ {asks}; exit; }}\n{notes}')
        if knows == RPM:
            self.program(RPM, asks)

    def install(self, *kinds):
        script = f'set -eu; . {PROJECT}/tools/common.sh; root={self.folder}/root; log={self.folder}/log; ' \
                 f'mkdir -p "$root/third_party"; cat {PROJECT}/third_party/packages.txt >"$root/third_party/packages.txt"; ' \
                 f'install_packages {" ".join(kinds)}; echo "new: ${{new_packages-no}}"'
        return subprocess.run([self.bin / "bash", "-c", script], env={"PATH": str(self.bin)}, text=True,
                              capture_output=True, check=False)

    def asked(self):
        path = self.folder / "asked"
        return path.read_text() if path.is_file() else ""

    @unittest.skipIf(os.getuid(), "not root")
    def test_each_manager_has_its_names(self):
        for manager, (how, _) in MANAGERS.items():
            self.with_manager(manager)
            done = self.install("run")
            self.assertEqual((done.returncode, done.stdout), (0, "new: yes\n"), done)
            self.assertTrue(self.asked().startswith(how + " "), self.asked())
            words = self.asked().removeprefix(how).split()
            self.assertEqual(len(words), len(set(words)))
            self.assertIn({"dnf": "gcc-c++", "pacman": "vulkan-icd-loader", "zypper": "libvulkan_lvp"}[manager], words)
            self.assertNotIn("gtest", " ".join(words))
            self.assertIn(f"installing {len(words)} packages with {manager} (once)", done.stderr)
            (self.folder / "there").write_text("\n".join(words) + "\n")
            done = self.install("run")
            self.assertEqual((done.stdout, done.stderr), ("new: no\n", ""))
            (self.folder / "asked").unlink()
            (self.folder / "there").write_text("")
            (self.bin / manager).unlink()

    def test_all_that_debian_needs_has_its_names(self):
        lines = [line.split() for line in (PROJECT / "third_party/packages.txt").read_text().splitlines()
                 if line and not line.startswith("#")]
        wanted = [words[1] for words in lines if words[0] in ("run", "test")]
        names = {words[1]: words[2:] for words in lines if words[0] == "names"}
        self.assertEqual(list(names), wanted)
        self.assertEqual({len(words) for words in names.values()}, {3})

    @unittest.skipIf(os.getuid(), "not root")
    def test_what_fails_is_said_with_what_to_type(self):
        self.with_manager("dnf", status=1)
        done = self.install("test")
        self.assertEqual(done.returncode, 3)
        self.assertIn("error: no mirror", done.stderr)
        self.assertIn("by hand, as root: dnf -y install gtest-devel", done.stderr)

    def test_without_any_nothing_is_asked(self):
        done = self.install("run")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "new: no\n", ""))


if __name__ == "__main__":
    sys.exit(0 if unittest.main(exit=False).result.wasSuccessful() else 1)
