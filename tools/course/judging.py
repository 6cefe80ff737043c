"""Lets a2 record and judge one submission, and reads its answer: JSON, in a folder that no jailed program sees.

First the recorder, in its jail, makes all recordings that a question may need, and ends; then a2 judges them.
"""

import collections
import contextlib
import json
import os
import re
import resource
import signal
import threading
import time

import drawing
import jail
import recorded
from build import named
from rubric import RUNS, first_line
from turns import Turns

MOST_LINE, MOST_TEXT = 1000, 64 << 10  # characters of a line, and of a text, in a2's output

MOST_REPORT = 16 << 20  # bytes of a2's JSON about all tasks of a run, and of a page; of the project's own: 100 KiB
MOST_ALIKE = 20  # findings of one rule that are kept
# Bytes of memory of the a2 outside of the jail: it takes 160 MiB for the project's own solutions. While it records, it
# has a process with the driver, which takes memory of its own.
MOST_JUDGING, MOST_RECORDING = 2 << 30, jail.MOST_MEMORY
OUT_OF_MEMORY = "main memory is too small"  # in what a2 says then
MANY = ": are there too many commands in record()?"

SECONDS_ALL, SECONDS_ONE = 180, 90  # for all tasks of a run, and for one of them if that was not enough
SECONDS_RECORDING = 100  # for a task: a2's own limits are 60 s for all of it, and 8 s for one recording
UNTIMED = "not timed: as many extra points as count are there without it"
TIMED_ELEMENTS = 1 << 20
TIMED = ["-n", str(TIMED_ELEMENTS), "-r", "5"]
TURNS = 3
# a2's own limits for all recordings of a task, and its words about one that is not there.
MOST_SECONDS, MOST_ROOM = 60, 128 << 20
NOT_THERE = (r" has no recording of n = (?P<n>\d+): it was not made in time, found no room, or was made with other "
             "options")
# Shows whether this machine can judge, and a2's names for the criteria of a method: block sums appear from four tiles
# on.
SHORT = ["--course", "--up-to", "2048"]


def limit_of_memory(most):
    """The words before a command that limit its memory. Only softly: the jails that it starts have limits of their
    own."""
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    return ["prlimit", f"--data={most if hard == resource.RLIM_INFINITY else min(most, hard)}:", "--"]


def in_brief(run):
    """Options of a run, with lengths that show whether a task can be asked in this way at all."""
    options = list(RUNS[run])
    options[options.index("--up-to") + 1] = "64"
    return options


class Question:
    """What a2 is asked about some tasks, and the recordings for it: [(tasks, file)]; a task without a file has no
    recordings."""

    def __init__(self, command, tasks, options):
        self.command, self.tasks, self.options, self.recorded = command, tasks, options, []
        self.failed = {}  # task without recordings -> a2's message about it
        self.took = {}  # task -> (seconds of recording, of how many tasks together)

    def of(self, tasks):
        """The same for some of its tasks. The files stay where they are."""
        part = Part(self.command, tasks, self.options)
        part.failed, part.took = self.failed, self.took
        for those, file in self.recorded:
            some = [task for task in those if task in tasks]
            if some:
                part.recorded.append((some, file))
        return part

    def timed(self, tasks):
        """Times some of its tasks, and does little else: the runs are those that were recorded for `a2 run`."""
        part = self.of(tasks)
        part.command = "bench"
        return part

    def forget(self):
        for _, file in self.recorded:
            file.unlink(missing_ok=True)


class Part(Question):
    def forget(self):
        pass


class Judge:
    """device_of: a file of recordings; new recordings are made for its device, which need not be here."""

    def __init__(self, house, device, seed, device_of=None):
        self.house, self.device, self.seed, self.device_of = house, device, seed, device_of
        self.device_name = None  # as in a2's JSON, once a2 has judged
        self.turns = Turns()
        self.prove = None  # raises if this machine can no longer judge; set once it has shown that it can

    def record(self, command, tasks, options, folder, build):
        """The question, with all recordings that it may need. Afterwards nothing of the submission runs any more."""
        for one in build.questions:
            if (one.command, one.options) == (command, options):
                return one.of(tasks)
        with build.spending("record"):
            return self.record_anew(command, tasks, options, folder, build)

    def record_anew(self, command, tasks, options, folder, build):
        question = Question(command, tasks, options)
        more = ["--device-of", str(self.device_of)] if self.device_of else []

        def make(some):
            file = folder / f"{len(list(folder.iterdir()))}.recordings"
            words = ["--record-only", str(file), "--solutions", str(build.library), *more,
                     "--jail", str(build.folder / "jail")]
            begun = time.monotonic()
            ended = self.run(question, some, build, words, SECONDS_RECORDING * len(some) + 60)
            question.took.update(dict.fromkeys(some, (time.monotonic() - begun, len(some))))
            build.jail.end()
            if file.is_file():
                question.recorded.append((some, file))
                for task in some:
                    question.failed.pop(task, None)
            else:
                why = self.refuse_own_faults(command, ended, build)
                if why:
                    question.failed.update(dict.fromkeys(some, why))
            return file.is_file()

        if not make(tasks) and len(tasks) > 1:
            for task in tasks:
                make([task])
        return question

    def judge(self, question, folder, build):
        """id -> test of a2's JSON, and the benchmarks. A task that takes too long, or too much memory, or ends a2,
        fails alone."""
        tests, benchmarks, whys = {}, [], {}
        for tasks, file in question.recorded:
            some, timed, why = self.once(question, tasks, file, folder, build, SECONDS_ALL)
            missing = [task for task in tasks if task not in some]
            whys.update(dict.fromkeys(missing, why))
            for task in missing if len(tasks) > 1 else []:
                more, again, whys[task] = self.once(question, [task], file, folder, build, SECONDS_ONE)
                some.update(more)
                timed += again
            tests.update(some)
            benchmarks += timed
        for task in question.tasks:
            status, why = "timeout", "a2 came to no verdict in time"
            if whys.get(task):
                status, why = "crashed", f"a2 cannot judge it: {whys[task]}"
            if task in question.failed:
                status, why = "crashed", f"the solution cannot be recorded: {question.failed[task]}"
            tests.setdefault(task, {"status": status, "why": why, "cases": [], "lint": [], "method": [],
                                    "diagnosis": None})
        return tests, benchmarks

    @contextlib.contextmanager
    def recorded(self, command, tasks, options, folder, build):
        question = self.record(command, tasks, options, folder, build)
        try:
            yield question
        finally:
            question.forget()

    def ask(self, command, tasks, options, folder, build):
        with self.recorded(command, tasks, options, folder, build) as question:
            return self.judge(question, folder, build)

    def clean(self, node, build):
        return cleaned(node, build.shown, self.house.called)

    def draw(self, question, tests, folder, build):
        """The page of the first wrong run, or None if none can be drawn. tests: see judge."""
        for tasks, file in question.recorded:
            for task in tasks:
                words = drawing.run_of(self.clean(failures_of(tests[task]), build))
                page = self.page_of(words, file, folder, build) if words else None
                if page:
                    return drawing.of_no_machine(page, lambda node: self.clean(node, build))
        return None

    def page_of(self, words, file, folder, build):
        """The page of `a2 steps` for a recorded run; None if it draws none: not all runs are short."""
        page = folder / "steps.html"
        page.unlink(missing_ok=True)
        seed = [] if "-s" in words else ["-s", str(self.seed)]  # the page shows it, whether it matters or not
        with self.turns.taken(timed=False), build.spending("judge"):
            try:
                self.run_a2([*words, *seed, "--html", str(page), *self.judging(file, build)], build, SECONDS_ONE)
            finally:
                build.jail.end()
        try:
            return page.read_text(encoding="utf-8") if page.stat().st_size <= MOST_REPORT else None
        except (OSError, ValueError):
            return None

    def once(self, question, tasks, file, folder, build, seconds):
        """(tests, benchmarks, why there are none: None if its time was over)."""
        report = folder / "report.json"
        report.unlink(missing_ok=True)
        recordings = self.judging(file, build)
        with self.turns.taken(timed=question.command == "bench"), build.spending("judge"):
            try:
                ended = self.run(question, tasks, build, ["--json", str(report), *recordings], seconds)
            finally:
                build.jail.end()
        try:
            if report.stat().st_size > MOST_REPORT:
                return {}, [], f"it has more than {MOST_REPORT >> 20} MiB to say about it{MANY}"
            with open(report, encoding="utf-8") as opened:
                document = json.load(opened)
        except (OSError, ValueError):
            why = self.refuse_own_faults(question.command, ended, build)
            if why and OUT_OF_MEMORY in why:
                why = f"that takes more than {MOST_JUDGING >> 30} GiB of memory{MANY}"
            elif not ended.timed_out and ended.status < 0:
                why = f"it was ended by a signal ({signal.strsignal(-ended.status)})"
            return {}, [], why
        self.device_name = document["context"]["device"]["name"]
        self.turns.shared = document["context"]["device"]["type"] == "CPU"
        tests = [with_time(test, question.took.get(test["id"]), recordings[1]) for test in document["tests"]]
        return {test["id"]: test for test in tests}, document["benchmarks"], None

    @staticmethod
    def judging(file, build):
        """Options to judge recordings instead of the solution, on a device in a jail."""
        return ["--recordings", str(build.ask(file)), "--device-jail", str(build.folder / "device-jail")]

    def run(self, question, tasks, build, more, seconds):
        return self.run_a2([question.command, *tasks, *question.options, *more, "-s", str(self.seed)], build, seconds)

    def run_a2(self, words, build, seconds):
        memory = limit_of_memory(MOST_RECORDING if "--record-only" in words else MOST_JUDGING)
        words = [*memory, str(self.house.a2), *words, "--quiet", "--timeout", "20",
                 "--shader-dir", str(build.folder / "shaders")]
        if self.device:
            words += ["-d", self.device]
        # In that folder, so that an installed a2 finds no student's folder around it.
        return jail.run(words, seconds, env={**os.environ, "TMPDIR": str(build.tmp)}, cwd=build.folder)

    def refuse_own_faults(self, command, ended, build):
        """a2's message about a fault that seems to be this machine's, or nothing. Raises if it is: a solution can cause
        such a message, too, and if the reference still passes, the fault is the solution's."""
        if ended.status not in (2, 3) or ended.timed_out:
            return None
        why = (ended.output.strip().splitlines() or ["it gives no reason"])[-1][:MOST_LINE]
        if build.ours or not self.prove:
            raise RuntimeError(f"a2 {command}: {why}")
        if not build.doubted:
            self.prove()
            build.doubted = True
        return why

    def record_all(self, rubric, build, folder):
        """All that judge_all may ask, recorded before any of it is judged."""
        def ordered(tasks):
            return [task for task in self.house.rows if task in tasks]

        build.jail_program()
        questions = [self.record("check", ordered(tasks), RUNS[run], folder, build)
                     for run, tasks in rubric.runs().items()]
        if rubric.timed():
            questions.append(self.record("run", ordered(rubric.timed()), TIMED, folder, build))
        return questions

    def judge_all(self, rubric, build, folder, reference):
        """(results, judged): a2's answers, and the points by the rubric. reference: None if nothing is timed. If times
        were asked for, results has the tasks as `timed`; `picture`: see draw."""
        build.jail_program()
        results = {"runs": {}, "ms": {}, "reference_ms": {}, "untimed": UNTIMED, "picture": None}

        def passed(tasks):
            return [task for task in self.house.rows
                    if task in tasks and results["runs"]["course"].get(task, {}).get("status") == "passed"]

        for run in rubric.runs():
            tasks = rubric.undecided(run, results)
            ordered = [task for task in self.house.rows if task in tasks]
            tests = {}
            if ordered:
                with self.recorded("check", ordered, RUNS[run], folder, build) as question:
                    tests, _ = self.judge(question, folder, build)
                    results["picture"] = results["picture"] or self.draw(question, tests, folder, build)
            results["runs"][run] = {task: with_note(without_run(self.clean(failures_of(test), build), row, build), row)
                                    for task, test in tests.items() for row in [self.house.rows[task]]}
        judged = rubric.judge(results)
        # Times are taken only if they can still earn something.
        if reference and rubric.wants_times(results):
            timed = passed(rubric.timed())
            if timed:
                results.update(reference.compare(timed, folder, build))
                del results["untimed"]
                results["timed"] = timed
                judged = rubric.judge(results)
        return results, judged

    def times(self, question, folder, build):
        """Milliseconds of each task's median run on the device."""
        _, benchmarks = self.judge(question, folder, build)
        # "reduce/atomic/1048576/wg:1024/elements:16"
        return {"/".join(one["name"].split("/")[:2]): one["median_ms"] for one in benchmarks}


class Reference:
    """The project's own solution, ready to be timed beside others."""

    def __init__(self, judge, tasks, folder, build):
        self.judge, self.folder, self.build = judge, folder, build
        self.alone = threading.RLock()
        self.question = judge.record("run", tasks, TIMED, folder, build).timed(tasks)

    def compare(self, tasks, folder, build):
        """`ms` of a submission and `reference_ms`: for each the shortest of TURNS, which the two take alternately, with
        no other program in between. So a device that is slower now is slower for both, and the bar is the same for all.
        `turns`: the times of each turn. `reference_spread`: by how much the reference's longest turn is longer than its
        shortest, as a fraction of the shortest. `not_timed`: why a task was not timed: it may be right only in the
        course's shape."""
        with self.judge.recorded("run", tasks, TIMED, folder, build) as question:
            # Other programs may use the device, so its own times do not count.
            tried, _ = self.judge.judge(question, folder, build)
            right = question.timed([task for task in tasks if tried[task]["status"] == "passed"])
            own, references = [], []
            with self.alone:
                before = self.build.spent["judge"]
                for _ in range(TURNS if right.tasks else 0):
                    references.append(self.judge.times(self.question, self.folder, self.build))
                    own.append(self.judge.times(right, folder, build))
                build.spent["judge"] += self.build.spent["judge"] - before  # for the submission, too
        fastest = shortest(references)
        spread = {task: max(turn[task] for turn in references) / ms - 1 for task, ms in fastest.items() if ms > 0}
        turns = [{"ms": ms, "reference_ms": reference_ms} for ms, reference_ms in zip(own, references)]
        not_timed = {task: cleaned(first_line(tried[task]), build.shown) for task in tasks if task not in right.tasks}
        return {"ms": shortest(own), "reference_ms": fastest, "reference_spread": spread, "turns": turns,
                "not_timed": not_timed}


def shortest(turns):
    """The shortest time of each task that has one in every turn."""
    return {task: min(turn[task] for turn in turns) for task in turns[0] if all(task in turn for turn in turns)} if turns else {}


def with_time(node, took, asked):
    """a2's JSON about a task, which says in the grader's words why a recording is not there. took: see Question.
    asked: the file without it."""
    if isinstance(node, dict):
        return {key: with_time(value, took, asked) for key, value in node.items()}
    if isinstance(node, list):
        return [with_time(value, took, asked) for value in node]
    if isinstance(node, str) and took:
        return re.sub(re.escape(asked) + NOT_THERE,
                      lambda found: f"n = {found['n']} was not recorded: {why_not_recorded(*took)}", node)
    return node


def why_not_recorded(seconds, tasks):
    of = "all recordings of this task" if tasks == 1 else f"the recordings of {tasks} tasks"
    if seconds < MOST_SECONDS:
        return (f"{of} were made in {seconds:.0f} s, so there was no room: those of a task may have {MOST_ROOM >> 20} "
                f"MiB{MANY}")
    return f"the host code was too slow: {of} took {seconds:.0f} s, and those of a task may take {MOST_SECONDS} s"


def failures_of(test):
    """The test with only those of its cases that did not pass: few, or none; and a few of its findings."""
    return {**test, "cases": [case for case in test["cases"] if case["status"] != "passed"],
            "lint": without_alike(test["lint"])}


def without_alike(lint):
    """The first findings of each rule: a loop in host code can break a rule ten thousand times. The last one of a rule
    that is kept has the number of those that it stands for, itself included, as `alike`."""
    def key(one):
        return one["rule"], one["severity"]

    left, seen, kept = collections.Counter(map(key, lint)), collections.Counter(), []
    for one in lint:
        seen[key(one)] += 1
        if seen[key(one)] <= MOST_ALIKE:
            is_last = seen[key(one)] == MOST_ALIKE and left[key(one)] > 1
            kept.append({**one, "alike": left[key(one)]} if is_last else one)
        left[key(one)] -= 1
    return kept


def bounded(text):
    """Cuts text that a student's code has made too long: no line and no text stays long."""
    if len(text) <= MOST_LINE:
        return text
    lines = (line if len(line) <= MOST_LINE else f"{line[:MOST_LINE]} ({len(line) - MOST_LINE} characters more)"
             for line in text[:MOST_TEXT].split("\n"))
    return "\n".join(lines) + (f"\n({len(text) - MOST_TEXT} characters more)" if len(text) > MOST_TEXT else "")


def without_run(test, row, build):
    """The test of a task with a missing or broken file: the compiler's message, and no command, as there is nothing to
    run. Says nothing about the kernel that replaces it: the student has not written it."""
    broken = sorted((file for file in row["files"] if file in build.problems), key=lambda file: file.endswith(".comp"))
    if not broken or test["status"] == "passed":
        return test
    said = [line for file in broken for line in [named(file, build.problems[file]), *build.said.get(file, [])]]
    line = re.match(r":(\d+) ", build.problems[broken[0]])
    place = {"file": broken[0], "line": int(line[1]) if line else None}
    why = {"why": said[0]} if broken[0].endswith(".comp") else {}
    return {**test, **why, "explanation": said,
            "diagnosis": {**(test.get("diagnosis") or {}), "dispatch": None, **place, "command": None}}


def with_note(test, row):
    """The test of a task, with what the grader says of its kernels."""
    note = recorded.own_module(test, row["files"])
    return {**test, "own_module": note} if note else test


def cleaned(node, shown, called="build/a2"):
    """a2's JSON, without paths of this machine, options that a student's own a2 does not need, and overlong lines.
    called: the student's name for a2."""
    if isinstance(node, dict):
        return {key: cleaned(value, shown, called) for key, value in node.items()}
    if isinstance(node, list):
        return [cleaned(value, shown, called) for value in node]
    if isinstance(node, str):
        # Each word is examined once, from its beginning.
        text = re.sub(r"(?<!\S)(?:'[^']*/a2'|\S*/a2) (?=steps|run|check|record)", f"{called} ", shown(bounded(node)))
        return re.sub(r" (?:--shader-dir|--recordings|-d) (?:'[^']*'|\S+)", "", text)
    return node
