#!/usr/bin/python3
"""Every fault of one edit in every kernel and every file of host code, judged by a2: each must fail, or be listed in
survivors.txt with the reason why it may pass; none may end a2, or make it run for ever.

usage: mutants.py PROJECT BUILD [--every K] [--only GLOB]... [--jobs N] [--log FILE] [--list]
  --every K    every K-th mutant
  --only GLOB  of these files, such as 'shaders/A2Task1*'
  --jobs N     so many at a time; without it as many as there are cores
  --log FILE   one line of JSON for each; what stands there already is not judged again
  --list       what there is, without judging it
"""

import argparse
import collections
import concurrent.futures
import fnmatch
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading

from edits import mutants
from hosts import build_library
from judging import A2, LABS, LONGEST, RUN, Judgement
from kernels import Kernels
from survivors import read_survivors

BAD = ("ended", "hung", "refused")


def rows_of_files(a2):
    """For host code without the labs' rows, which add nothing to the course's rows with the same host code; host code
    of a separate course has no other rows."""
    shown = subprocess.run([a2, "list", "--json", "-"], capture_output=True, text=True, check=True)
    rows = collections.defaultdict(list)
    for task in json.loads(shown.stdout)["tasks"]:
        for file in task["files"]:
            if not file.startswith("src/A2Task") or not task["label"].startswith("[Lab]"):
                rows[file].append(task["id"])
    return rows


class Mutants:
    def __init__(self, options):
        self.project, self.build = pathlib.Path(options.project).resolve(), pathlib.Path(options.build).resolve()
        self.options = options
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="a2-mutants-"))
        self.a2 = A2(self.build / "a2", 1)
        self.rows = rows_of_files(self.build / "a2")
        self.kernels = Kernels(self.project, self.folder)
        self.known, self.lock, self.places = {}, threading.Lock(), threading.local()
        self.log = {}
        if options.log and pathlib.Path(options.log).exists():
            for line in pathlib.Path(options.log).read_text().splitlines():
                one = json.loads(line)
                self.log[one["file"], one["before"], one["after"], one["number"]] = one

    def files(self):
        """Kernels and host code that a row or a lab uses, with all their mutants."""
        found = {}
        of_courses = (path for path in self.project.glob("src/courses/*/*.cpp") if path.name != "Rows.cpp")
        hosts = sorted([*self.project.glob("src/A2Task?Solution/*.cpp"), *of_courses])
        for file in self.kernels.files() + [path.relative_to(self.project).as_posix() for path in hosts]:
            if self.rows_that_use(file) or any(user in LABS for user in self.kernels.users(file)):
                found[file] = mutants(file, (self.project / file).read_text(encoding="utf-8"))
        return found

    def rows_that_use(self, file):
        users = self.kernels.users(file) if file.startswith("shaders/") else [file]
        return list(dict.fromkeys(row for user in users for row in self.rows.get(user, ())))

    def place(self):
        if not hasattr(self.places, "folder"):
            self.places.folder = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        return self.places.folder

    def why_nothing_can_be_judged(self):
        """a2's output for a row without a fault, if it does not pass: then verdicts on faults mean nothing."""
        status, said, _ = self.a2.start(("run", "reduce/interleaved", *RUN), LONGEST["run"], self.place(), {})
        return "" if status == 0 else f"status {status}: {said[-600:]}"

    def judge_kernel(self, mutant):
        place = self.place()
        changed = self.kernels.changed(mutant, {*self.rows, *LABS}, place)
        if changed is None:
            return Judgement("does not compile")
        if not changed:
            return Judgement("equivalent")
        rows = list(dict.fromkeys(row for kernel in changed for row in self.rows.get(kernel, ())))
        same = hashlib.sha256(b"".join(name.encode() + words for name, words in sorted(changed.items()))).digest()
        with self.lock:
            if same in self.known:
                return self.known[same]
        commands = dict.fromkeys(words for kernel in changed if not rows for words in LABS.get(kernel, ()))
        found = self.a2.judge(rows, ["--shader-dir", "shaders"], place, commands=commands)
        with self.lock:
            self.known[same] = found
        return found

    def judge_host(self, file, library, number):
        return self.a2.judge(self.rows[file], ["--solutions", str(library)], self.place(), {"A2_MUTANT": str(number)})

    def note(self, mutant, found):
        one = {"file": mutant.file, "before": mutant.before, "after": mutant.after, "number": mutant.number,
               "kind": mutant.kind, "outcome": found.outcome, "by": found.by, "command": found.command,
               "seconds": found.seconds}
        with self.lock:
            self.log[mutant.key] = one
            if self.options.log:
                with open(self.options.log, "a", encoding="utf-8") as file:
                    file.write(json.dumps(one) + "\n")

    def judge_host_file(self, file, todo, pool):
        place = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        library, broken = build_library(self.project, self.build, file, todo, place)
        for number in broken:
            self.note(todo[number], Judgement("does not compile"))
        return [pool.submit(self.tried, todo[number], self.judge_host, file, library, number)
                for number in range(len(todo)) if number not in broken]

    def tried(self, mutant, judge, *arguments):
        self.note(mutant, judge(*arguments))

    def try_all(self, chosen):
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            works = []
            for file, some in chosen.items():
                todo = [one for one in some if one.key not in self.log]
                if file.startswith("shaders/"):
                    works += [pool.submit(self.tried, one, self.judge_kernel, one) for one in todo]
                elif todo:
                    works += self.judge_host_file(file, todo, pool)
            for work in works:
                work.result()

    def verdict(self, everything, chosen):
        """Prints the faults; returns the exit status."""
        listed = read_survivors(pathlib.Path(__file__).with_name("survivors.txt"))
        there = {one.key for some in everything.values() for one in some}
        wrong = [f"in survivors.txt, but no mutant any more:\n{shown(key)}" for key in listed if key not in there]
        counts = collections.defaultdict(collections.Counter)
        for file, some in chosen.items():
            for one in some:
                said = self.log[one.key]
                counts[file][said["outcome"]] += 1
                if said["outcome"] in BAD:
                    wrong.append(f"{said['outcome']} by {said['command']}: {said['by']}\n{shown(one.key)}")
                elif said["outcome"] == "survived" and one.key not in listed:
                    wrong.append(f"survives, and is not in survivors.txt:\n{shown(one.key)}")
                elif said["outcome"] != "survived" and listed.get(one.key) == "hole":
                    print(f"no hole any more: {said['by']}\n{shown(one.key)}\n")
                elif said["outcome"] not in ("survived", "skipped") and listed.get(one.key) == "why":
                    wrong.append(f"is in survivors.txt, and {said['outcome']} ({said['by']}):\n{shown(one.key)}")
        holes = sum(listed.get(one.key) == "hole" for some in chosen.values() for one in some)
        print_counts(counts)
        if holes:
            print(f"{holes} of them are holes of a2 that are known")
        print("\n\n".join(wrong) or "every mutant is killed, or known to be harmless")
        return 1 if wrong else 0


def shown(key):
    file, before, after, number = key
    return f"file: {file}\n-{f' [{number}]' if number > 1 else ''} {before}\n+ {after}"


def print_counts(counts):
    columns = ("killed", "survived", "skipped", "equivalent", "does not compile", "ended", "hung", "refused")
    total = collections.Counter()
    print(f"{'':<55}{'mutants':>8}" + "".join(f"{column:>{max(9, len(column) + 2)}}" for column in columns))
    for file, of in [*counts.items(), ("all", total)]:
        total.update(of if file != "all" else {})
        print(f"{file:<55}{sum(of.values()):>8}" +
              "".join(f"{of[column]:>{max(9, len(column) + 2)}}" for column in columns))


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1], add_help=False)
    parser.add_argument("project")
    parser.add_argument("build")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 2)
    parser.add_argument("--log", default="")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    work = Mutants(options)
    try:
        everything = work.files()
        chosen = collections.defaultdict(list)
        of = [one for file, some in everything.items() for one in some
              if not options.only or any(fnmatch.fnmatch(file, glob) for glob in options.only)]
        for one in of[options.every // 2::options.every]:
            chosen[one.file].append(one)
        if options.list:
            for some in chosen.values():
                for one in some:
                    print(f"{one.kind}\n{shown(one.key)}")
            return 0
        why = work.why_nothing_can_be_judged()
        if why:
            print(f"a2 does not pass what nothing was changed in: {why}")
            return 1
        work.try_all(chosen)
        return work.verdict(everything, chosen)
    finally:
        subprocess.run(["rm", "-rf", work.folder], check=False)


if __name__ == "__main__":
    sys.exit(main())
