#!/usr/bin/python3
"""tools/grade --slurm on a real Slurm on this machine: the same grades, cancelled, killed, lost and resumed; and a2 as
ranks started by srun."""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time
import unittest
import unittest.mock
import zipfile

from grade_support import BUILD, INTERLEAVED, PROJECT, SMALL_RUBRIC, Room, solutions
from mini_cluster import MiniCluster, why_not

import cluster
import markers
from test_grade import grading_mark
from test_grade_slow import known_bad

SKIPPED = 77
SECONDS = 900  # far more than a test takes: detects a cluster that hangs
# In addition to the small one: a criterion that needs other recordings and times.
RUBRIC = {**SMALL_RUBRIC, "most_extra": 1, "criteria": [*SMALL_RUBRIC["criteria"], {
    "id": "more", "title": "More", "task": "reduce/sequential", "points": 1, "extra": True,
    "evidence": [{"kind": "check", "runs": ["lengths"]}, {"kind": "time", "factor": 10}]}]}
SEED = ("-s", "20240229")  # so that two gradings are the same
MIXED = ("--slurm", "--partition", "all")  # a node with a GPU's slot, and one without


def four():
    files = solutions()
    bad = next(submission for one, submission in known_bad() if one.name == "SequentialShaderTail")
    return {"right": files, "handout": {name: markers.stub_of(text, name) for name, text in files.items()}, "bad": bad,
            "broken": {**files, INTERLEAVED: "int x = ;\n"}}


class Slurm(Room):
    @classmethod
    def setUpClass(cls):
        cls.here = MiniCluster()
        cls.addClassCleanup(cls.here.stop)
        cls.here.start()
        often = unittest.mock.patch.multiple(cluster, SECONDS_FILES=0.2, SECONDS_SLURM=1)
        often.start()
        cls.addClassCleanup(often.stop)

    def setUp(self):
        super().setUp()

        def too_long(*_):
            raise AssertionError(f"{SECONDS} s have passed\n{self.here.said()}")

        signal.signal(signal.SIGALRM, too_long)
        signal.alarm(SECONDS)
        self.addCleanup(signal.alarm, 0)
        for name, files in four().items():
            self.write(f"all/{name}", files)

    def tree(self, output="grades"):
        """The files of a grading, except times: path -> bytes."""
        texts = {path.relative_to(self.folder / output).as_posix(): path.read_bytes()
                 for path in sorted((self.folder / output).rglob("*")) if path.is_file() and path.name != ".lock"}
        return {name: re.sub(rb'"[a-z/]+": [0-9.]+(,?\n)', rb"\1", text) if name.endswith(("/result.json", "/seconds.json"))
                else b"" if name == "class.html" else text for name, text in texts.items()}

    @staticmethod
    def untimed(results):
        return {name: {**one, "times": one["times"] and one["times"]["tasks"]} for name, one in results.items()}

    def expect_nothing_left(self):
        """Checks that a finished grading leaves neither jobs nor folders."""
        mark, end = grading_mark(self.folder / "grades"), time.monotonic() + 30

        def left():
            jobs = subprocess.run(["squeue", "-h"], capture_output=True, text=True).stdout
            return jobs + " ".join(map(str, pathlib.Path("/tmp").glob(f"{mark}*")))

        while left() and time.monotonic() < end:
            time.sleep(0.2)
        self.assertEqual(left(), "")
        self.assertFalse((self.folder / "grades/.slurm").exists() or (self.folder / "grades/.lost").exists())

    def begin(self, *words):
        """A separate call, once it has submitted its jobs."""
        process = subprocess.Popen([PROJECT / "tools/grade", self.folder / "all", "-o", self.folder / "grades", *words,
                                    "--build", BUILD, "--rubric", self.folder / "rubric.json", *MIXED],
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.kill)
        line = process.stderr.readline()
        self.assertIn("records", line)
        return process

    def until(self, pattern):
        end = time.monotonic() + 120
        while not list((self.folder / "grades").glob(pattern)) and time.monotonic() < end:
            time.sleep(0.1)

    def test_the_same_as_here_also_when_killed(self):
        local = self.grade(self.folder / "all", *SEED, rubric=RUBRIC, output="local")
        self.assertEqual({name: (one["points"], one["extra"]) for name, one in local.items()},
                         {"right": (4, 1), "handout": (0, 0), "bad": (2, 0), "broken": (2, 1)})
        process = self.begin(*SEED)
        self.until("*/result.json")
        process.kill()
        process.wait()
        # Its jobs continue: the next call waits for them.
        there = self.grade(self.folder / "all", *MIXED, "--resume", rubric=RUBRIC)
        self.assertEqual(self.untimed(there), self.untimed(local), self.said)
        self.assertIn("waiting for the jobs that are there already", self.said)
        self.assertEqual(self.tree(), self.tree("local"))
        self.expect_nothing_left()
        self.grade(self.folder / "all", *MIXED, rubric=RUBRIC, status=2)
        self.grade(self.folder / "all", *MIXED, "--resume", rubric=RUBRIC)
        self.assertEqual(self.said, "")

    def test_cancelled_and_forgotten(self):
        self.grade(self.folder / "all", "--only", "b*", *SEED, output="local")
        process = self.begin("--only", "b*", *SEED)
        self.until(".slurm/reference/case.json")
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=60)[1]
        self.assertEqual(process.returncode, 1, said)
        self.assertIn("are cancelled", said)
        self.assertIn("--resume goes on", said)
        process = self.begin("--only", "b*", "--resume")
        self.until(".slurm/reference/case.json")
        process.kill()
        process.wait()
        self.here.forget_jobs()
        self.grade(self.folder / "all", "--only", "b*", "--slurm", "-j", "1", "--resume")
        self.assertIn("no GPU in this part of the cluster", self.said)
        self.assertEqual(self.tree(), self.tree("local"))
        self.expect_nothing_left()

    def test_what_keeps_it_is_said(self):
        subprocess.run(["scontrol", "update", "nodename=n1,n2", "state=drain", "reason=test"], check=True)
        self.write(".", {"rubric.json": json.dumps(SMALL_RUBRIC)})
        process = self.begin("--only", "broken", *SEED)
        line = process.stderr.readline()
        subprocess.run(["scontrol", "update", "nodename=n1,n2", "state=resume"], check=True)
        self.assertRegex(line, r"^tools/grade: waiting, as squeue says: .*(DRAINED|UnavailableNodes).* \(jobs? \d")
        self.assertIn("broken", process.communicate(timeout=600)[1])
        self.assertEqual(process.returncode, 0)

    def test_lost_by_its_node(self):
        # The archive of a class, unpacked in a folder that no node sees.
        with zipfile.ZipFile(self.folder / "class.zip", "w") as archive:
            for path in sorted((self.folder / "all").rglob("*")):
                archive.write(path, path.relative_to(self.folder / "all"))
        submit = cluster.Cluster.submit

        def and_lose_one(self, todo):
            submit(self, todo)
            subprocess.run(["scancel", f"{sorted(self.jobs)[1]}_{todo[0][0]}"], check=True)

        with unittest.mock.patch.object(cluster.Cluster, "submit", and_lose_one):
            graded = self.grade(self.folder / "class.zip", "--only", "b*", *MIXED, status=1)
        self.assertIn("the judge job ended as CANCELLED", graded["bad"]["problem"])
        self.assertEqual(graded["broken"]["points"], 2)
        self.assertIn("Not graded", (self.folder / "grades/bad/feedback.md").read_text())
        graded = self.grade(self.folder / "class.zip", "--only", "b*", *MIXED, "--resume")
        self.assertEqual({name: (one["points"], one["problem"]) for name, one in graded.items()},
                         {"bad": (2, None), "broken": (2, None)})
        self.expect_nothing_left()

    def test_what_is_missing_is_said(self):
        self.grade(self.folder / "all", "--slurm", "--partition", "none", status=3)
        self.assertEqual(self.said, "tools/grade: error: sbatch: invalid partition specified: none; Batch job "
                                    "submission failed: Invalid partition name specified\n")
        self.grade(self.folder / "all", *MIXED, "--device", "no such device", status=3)
        self.assertIn("error: the job that tries the reference failed: a2 check: a2: error: no device matches", self.said)
        with unittest.mock.patch.dict(os.environ, PATH="/nowhere"):
            self.grade(self.folder / "all", "--slurm", status=3)
        self.assertIn("there is no sbatch here", self.said)

    def test_ranks_that_srun_starts(self):
        known = subprocess.run(["srun", "--mpi=list"], capture_output=True, text=True)
        if "pmix" not in known.stdout + known.stderr:
            self.skipTest("this Slurm has no PMIx")
        done = subprocess.run(["srun", "--mpi=pmix", "--partition", "all", "-n", "2", BUILD / "a2", "run", "reduce/subgroup",
                               "-n", "1001", "-r", "1", "-d", "cpu", "--json", self.folder / "report.json"],
                              capture_output=True, text=True, timeout=600)
        if "a2 was built without MPI" in done.stderr:
            self.skipTest("this a2 has no MPI")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(done.stdout.count("TEST PASSED"), 1)
        report = json.loads((self.folder / "report.json").read_text())
        self.assertEqual([part["n"] for part in report["benchmarks"][0]["parts"]], [500, 501])


if __name__ == "__main__":
    skip = why_not() or ("" if (BUILD / "a2").is_file() else "there is no built a2")
    if skip:
        print(f"skipped: {skip}")
        sys.exit(SKIPPED)
    unittest.main()
