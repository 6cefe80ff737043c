"""The part of a cluster's job that runs on its node: its stage for one submission, by the plan in the output folder."""

import argparse
import contextlib
import os
import shutil
import signal
import sys
import traceback
from pathlib import Path

from grader import Case, Grading, say, work_folder
from house import HouseError
from judging import SHORT, TIMED, Reference
from shared import JUDGE, RECORD, REFERENCE, Shared

FAILED = 1


class Node:
    def __init__(self, shared, place, work):
        self.shared, self.place, self.work = shared, place, work
        self.plan = shared.plan()
        if self.plan is None:
            raise HouseError(f"{shared.folder} has no plan: the grading that it was for has ended")
        self.options = argparse.Namespace(**self.plan["options"], rubric=shared.rubric, output=shared.output)
        self.name = os.environ.get("SLURMD_NODENAME", os.uname().nodename)

    def grading(self, device_of=None):
        grading = Grading(self.options, self.work, device_of)
        # The same jail for all of them.
        known = self.shared.has(REFERENCE)
        grading.enter_jail(self.shared.kept(REFERENCE)["jail"] if known else self.options.jail)
        return grading

    def case(self):
        name, path, refused, student = self.plan["submissions"][self.place]
        return Case(self.place, name, refused, student=student), Path(path)

    def once(self, stage, prove):
        """Tries the reference on each node, by the first submission there."""
        proven = self.shared.proven(stage, self.name)
        if not proven.exists():
            prove()
            proven.touch()

    def reference(self):
        """Runs where submissions will be judged: records the reference for that device, and judges it."""
        grading = self.grading()
        case, folder = Case(0, REFERENCE), grading.report_folder(REFERENCE)
        case.build, case.texts = grading.build_reference(0), grading.own_files()
        ways = [("check", SHORT, grading.own_tasks),
                *([("run", TIMED, grading.timed_tasks())] if grading.rubric.timed() else [])]
        case.build.questions = [grading.judge.record(command, tasks, options, folder, case.build)
                                for command, options, tasks in ways]
        grading.hold_rubric_against_reference(case.build, folder)
        self.shared.put(REFERENCE, case, grading.kind, case.build.questions)

    def record(self):
        """Compiles and records one submission, for the device of the reference's recordings."""
        grading = self.grading(self.shared.device)
        case, path = self.case()
        if grading.is_graded(case.name):
            return

        def compile_reference():
            build = grading.build_reference(0)
            for file, why in build.problems.items():
                if file in grading.own_files():
                    raise HouseError(f"node {self.name}: this project's own {file} {why}")
            shutil.rmtree(build.folder)

        def record_reference():
            build = grading.build_reference(0)
            question = grading.judge.record("check", grading.own_tasks, SHORT, grading.report_folder(REFERENCE), build)
            if {task for tasks, _ in question.recorded for task in tasks} != set(grading.own_tasks):
                raise HouseError(f"node {self.name} records this project's own solution no more")

        self.once(RECORD, compile_reference)
        grading.judge.prove = record_reference
        with case.noting():
            grading.prepare(case, path)
            questions = grading.judge.record_all(grading.rubric, case.build, grading.report_folder(f"{self.place}"))
        if case.problem:
            grading.finish(case)
        else:
            self.shared.put(f"{self.place}", case, grading.kind, questions)

    def judge(self):
        """Judges the recordings of one submission."""
        grading = self.grading()
        case, _ = self.case()
        if grading.is_graded(case.name):
            return
        if not self.shared.has(f"{self.place}"):
            raise HouseError("its recordings are missing")
        build = self.shared.take(REFERENCE, Case(0, REFERENCE), grading.build_at(0, REFERENCE), grading.wanted).build
        folder = grading.report_folder(REFERENCE)
        self.once(JUDGE, lambda: grading.expect_reference(build, folder))
        grading.judge.prove = lambda: grading.expect_reference(build, folder)
        if grading.rubric.timed():
            grading.reference = Reference(grading.judge, grading.timed_tasks(), folder, build)
        self.shared.take(f"{self.place}", case, grading.build_at(case.user, f"{self.place}"), grading.wanted)
        with case.noting():
            grading.judge_case(case)
        grading.finish(case)
        self.shared.drop(f"{self.place}")


def main(words):
    stage, output = words[0], Path(words[1])
    place = int(os.environ.get("SLURM_ARRAY_TASK_ID", 0))
    shared = Shared(output)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(FAILED))  # when cancelled, the following code cleans up
    with contextlib.ExitStack() as stack:
        try:
            work = work_folder(output, f"-{stage}-{place}", 0o711)
            stack.callback(shutil.rmtree, work, ignore_errors=True)
            node = Node(shared, place, work)
            {REFERENCE: node.reference, RECORD: node.record, JUDGE: node.judge}[stage]()
        except Exception as error:
            traceback.print_exc()
            why = " ".join(f"{error}".split()) or type(error).__name__
            say(f"error: {why}")
            with contextlib.suppress(OSError):
                shared.fail(stage, place, why)
            return FAILED
    return 0
