#!/usr/bin/python3
"""without.py A2 ANNEX OTHER...: an a2 without this annex does not know its command, and has all others."""

import re
import subprocess
import sys


def run(*words, status):
    ended = subprocess.run([a2, *words], capture_output=True, text=True, timeout=120, check=False)
    if ended.returncode != status:
        sys.exit(f"{' '.join(words)}: status {ended.returncode}, not {status}\n{ended.stdout}{ended.stderr}")
    return ended.stdout + ended.stderr


a2, annex, *others = sys.argv[1:]
listed = re.findall(r"^  ([a-z]+) {3,}", run("--help", status=0).split("Commands:")[1], re.MULTILINE)
for name in [annex, *others, "run", "check"]:
    if (name in listed) == (name == annex):
        sys.exit(f"--help lists {' '.join(listed)}: {name} is there or not, against what was linked")
if f"'{annex}'" not in run(annex, status=2):
    sys.exit(f"`a2 {annex}` does not name what is not known")
for name in others:
    run(name, "--help", status=0)
if "TEST PASSED" not in run("run", "reduce/sequential", "-n", "1000", "-r", "1", status=0):
    sys.exit("a run does not pass")
