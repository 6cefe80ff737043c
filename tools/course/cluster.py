"""tools/grade --slurm: the grading as jobs of a cluster, waited for and collected.

One job tries the reference where submissions will be judged, and records it, so that the device is known. An array of
jobs compiles and records the submissions for that device, on any node. A second array judges each one once it is
recorded.
"""

import json
import os
import shlex
import shutil
import time
from pathlib import Path

import reading
import slurm
from grader import LOST, NOT_ALL, Case, folder_of, mark_of, say, tell, user_warning
from house import HouseError
from shared import JUDGE, RECORD, REFERENCE, Shared

TASK = "--slurm-task"
SECONDS_FILES, SECONDS_SLURM = 2, 10  # between checks of the output folder, and of the queue
SECONDS_CANCELLED = 300  # until jobs that were cancelled have ended
SECONDS_SEEN = 90  # until files of a node are seen here: shared folders are slow
CPU_DEVICES = ("cpu", "emulator")


class Cluster:
    def __init__(self, grading, found):
        self.grading, self.options, self.output = grading, grading.options, grading.output
        self.shared = Shared(self.output)
        mark = mark_of(self.output)
        self.names = {stage: f"a2-grade-{mark}-{stage}" for stage in (REFERENCE, RECORD, JUDGE)}
        self.rubric = reading.whole(self.options.rubric).decode("utf-8")  # with exactly these bytes
        # The archive of a class is unpacked in a folder that only this machine sees.
        self.unpacked, self.copied = folder_of(self.output, "-class"), self.shared.folder / "class"
        self.plan = {
            "options": {"build": str(Path(self.options.build).resolve()), "jail": self.options.jail,
                        "see": [os.path.abspath(folder) for folder in self.options.see],
                        "device": self.options.device, "seed": self.options.seed,
                        "compile_time": self.options.compile_time},
            "rubric": self.rubric,
            "submissions": [[one.name, str(self.seen_by_nodes(one.path.resolve())),
                             [list(refused) for refused in one.refused], one.student] for one in found]}
        self.jobs = set()
        self.kept_by = set()  # reasons that were reported

    def seen_by_nodes(self, path):
        inside = path.is_relative_to(self.unpacked)
        return self.copied / path.relative_to(self.unpacked) if inside else path

    def tasks(self):
        return slurm.tasks(self.names.values())

    def latest(self, tasks, stage, place):
        """What Slurm knows of the last job for this; None if it knows nothing."""
        known = [task for task in tasks if task.name == self.names[stage] and task.index == place]
        return max(known, key=lambda task: task.job, default=None)

    def join(self, todo):
        """Whether jobs of a killed grading already do all of it. If not, they are cancelled."""
        tasks = self.tasks()
        if tasks is None:
            raise HouseError("squeue gives no answer: is the cluster's controller running?")
        running = {task.job for task in tasks if not task.ended}
        if not running:
            return False
        judges = [self.latest(tasks, JUDGE, place) for place, one in todo if not self.grading.is_graded(one.name)]
        if self.shared.plan() == self.plan and all(task and not task.ended for task in judges):
            self.jobs = running
            say(f"waiting for the jobs that are there already: {', '.join(map(str, sorted(running)))}")
            return True
        say(f"cancelling what an earlier call has left: jobs {', '.join(map(str, sorted(running)))}")
        slurm.cancel(running)
        end = time.monotonic() + SECONDS_CANCELLED
        while (tasks := self.tasks()) is None or any(not task.ended for task in tasks):
            if time.monotonic() > end:
                raise HouseError(f"these jobs do not end, though they are cancelled (scontrol show job N says more): "
                                 f"{', '.join(map(str, sorted(running)))}")
            time.sleep(SECONDS_FILES)
        return False

    def submit(self, todo):
        gpu = []
        if (self.options.device or os.environ.get("A2_DEVICE")) not in CPU_DEVICES:
            there = slurm.has_gpus(self.options.partition)
            gpu = ["--gres=gpu:1"] if there else []
            if there is False:
                say("no GPU in this part of the cluster: submissions are judged on CPU nodes")
        self.grading.remove_parts()
        self.shared.begin(self.plan, self.rubric)
        if self.unpacked.is_dir():
            shutil.copytree(self.unpacked, self.copied)
        array = ["--array=" + slurm.array_of([place for place, _ in todo]) +
                 (f"%{self.options.jobs}" if self.options.jobs else "")]
        first = self.submit_one(REFERENCE, gpu, "%j.out")
        second = self.submit_one(RECORD, [*array, f"--dependency=afterok:{first}"], "%a.out")
        third = self.submit_one(JUDGE, [*array, *gpu, f"--dependency=aftercorr:{second}"], "%a.out")
        count = f"{len(todo)} submission" + ("s" if len(todo) > 1 else "")
        say(f"job {first} tries the reference, {second} records {count}, {third} judges")

    def submit_one(self, stage, options, log):
        partition = [f"--partition={self.options.partition}"] if self.options.partition else []
        log = str(self.shared.logs()).replace("%", "%%") + f"/{stage}-{log}"
        script = shlex.join([str(self.grading.house.root / "tools/grade"), TASK, stage, str(self.output)])
        job = slurm.submit([f"--job-name={self.names[stage]}", f"--chdir={self.output}", f"--output={log}",
                            "--kill-on-invalid-dep=yes", *partition, *options], f"#!/bin/sh\nexec {script}\n")
        self.jobs.add(job)
        return job

    def wait(self, todo):
        """Reports each graded submission, until none is missing or no job is left. Returns (tasks that Slurm knows,
        missing)."""
        missing, tasks, asked, silent = list(todo), [], 0.0, False
        warned = ended = False
        while True:
            missing = self.tell_new(missing)
            if not warned and self.shared.has(REFERENCE):
                warned = True
                if self.shared.kept(REFERENCE)["jail"] == "user" and self.options.jail != "user":
                    say(user_warning("on the node that tried the reference", self.grading.house.open_to_all()))
            if not missing or ended:
                return tasks, missing
            if time.monotonic() - asked >= SECONDS_SLURM:
                answer, asked = self.tasks(), time.monotonic()
                if answer is None and not silent:
                    say("squeue gives no answer; waiting for it")
                silent = answer is None
                if answer is not None:
                    tasks = answer
                    self.say_what_keeps(tasks)
                    ended = all(task.ended for task in answer) or self.has_no_reference(answer)
                    if ended:
                        self.let_files_come(answer, missing)
                        continue
            time.sleep(SECONDS_FILES)

    def say_what_keeps(self, tasks):
        """Reports once each reason that is not usual in a queue: it may need a person, or last for ever."""
        for reason in sorted({task.kept_by for task in tasks if task.kept_by} - self.kept_by):
            self.kept_by.add(reason)
            jobs = sorted({task.job for task in tasks if task.kept_by == reason})
            say(f"waiting, as squeue says: {reason} (job{'s' if len(jobs) > 1 else ''} {', '.join(map(str, jobs))})")

    def has_no_reference(self, tasks):
        task = self.latest(tasks, REFERENCE, None)
        return task and task.ended and task.state != "COMPLETED" and not self.shared.has(REFERENCE)

    def tell_new(self, missing):
        left = []
        for place, one in missing:
            if self.grading.is_graded(one.name):
                with open(self.output / one.name / "result.json", encoding="utf-8") as file:
                    tell(json.load(file))
            else:
                left.append((place, one))
        return left

    def let_files_come(self, tasks, missing):
        end = time.monotonic() + SECONDS_SEEN

        def is_coming(place, one):
            task = self.latest(tasks, JUDGE, place)
            return task and task.state == "COMPLETED" and not self.grading.is_graded(one.name)

        while time.monotonic() < end and any(is_coming(place, one) for place, one in missing):
            time.sleep(SECONDS_FILES)

    def check_reference(self, tasks):
        """Without the reference nothing was tried, and no submission is at fault."""
        if self.shared.has(REFERENCE):
            return
        task = self.latest(tasks, REFERENCE, None)
        why = self.shared.why_failed(REFERENCE, 0) or self.end_of(task)
        raise HouseError(f"the job that tries the reference failed: {why}")

    def end_of(self, task):
        state = f"it ended as {task.state}" if task else "Slurm has forgotten it"
        return f"{state}; do all nodes see {self.output}? Its log, if there is one, is in {self.shared.logs()}"

    def give_up(self, tasks, missing):
        """Submissions that a node has lost are reported as not graded, and marked for --resume."""
        self.grading.kind = self.shared.kept(REFERENCE)["jail"]
        (self.output / LOST).write_text(json.dumps([one.name for _, one in missing]), encoding="utf-8")
        for place, one in missing:
            case = Case(place, one.name, student=one.student)
            case.problem = f"lost on the cluster, --resume takes it up: {self.why_lost(tasks, place)}"
            tell(self.grading.finish(case))

    def why_lost(self, tasks, place):
        said = [why for stage in (RECORD, JUDGE) if (why := self.shared.why_failed(stage, place))]
        known = [(stage, task) for stage in (RECORD, JUDGE) if (task := self.latest(tasks, stage, place))]
        ended = [f"the {stage} job ended as {task.state}" for stage, task in known if task.state != "COMPLETED"]
        return (said + ended + ["its result did not come" if known else "Slurm has forgotten its jobs"])[0]

    def run(self, todo):
        """Whether it ended normally."""
        try:
            if not self.join(todo):
                self.submit(todo)
            tasks, missing = self.wait(todo)
            if missing:
                slurm.cancel(self.jobs)  # some releases keep jobs whose dependency has failed
                self.check_reference(tasks)
                self.give_up(tasks, missing)
                say(f"{len(missing)} of {len(todo)} were lost; logs: {self.shared.logs()}")
            else:
                shutil.rmtree(self.shared.folder, ignore_errors=True)
        except KeyboardInterrupt:
            slurm.cancel(self.jobs)
            graded = sum(self.grading.is_graded(one.name) for _, one in todo)
            say(f"its {len(self.jobs)} jobs are cancelled, {graded} of {len(todo)} submissions were graded: --resume "
                "goes on")
            return False
        except HouseError:
            slurm.cancel(self.jobs)
            raise
        return True


def run(grading, found):
    todo = grading.left_to_do(found)
    whole = not todo or Cluster(grading, found).run(todo)
    status = grading.summary(found)
    return status if whole else NOT_ALL
