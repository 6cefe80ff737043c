"""Has a2 judge one submission, and reads what it says: its JSON, in a folder that no jailed program sees."""

import json
import os
import re

import jail
from rubric import RUNS

SECONDS_ALL, SECONDS_ONE = 180, 90  # for all tasks of a run, and for one of them where that was not enough
UNTIMED = "not timed: as many extra points as count are there without it"
TIMED = ["-n", "2^20", "-r", "5"]


class Judge:
    def __init__(self, house, device, seed):
        self.house, self.device, self.seed = house, device, seed

    def ask(self, command, tasks, options, folder, build=None):
        """id -> test of a2's JSON, and the benchmarks. What takes too long, or ends a2, costs the task that does it."""
        tests, benchmarks = self.once(command, tasks, options, folder, build, SECONDS_ALL)
        missing = [task for task in tasks if task not in tests]
        for task in missing if len(tasks) > 1 else []:
            more, timed = self.once(command, [task], options, folder, build, SECONDS_ONE)
            tests.update(more)
            benchmarks += timed
        for task in tasks:
            tests.setdefault(task, {"status": "timeout", "why": "a2 came to no verdict in time", "cases": [],
                                    "lint": [], "method": [], "diagnosis": None})
        return tests, benchmarks

    def once(self, command, tasks, options, folder, build, seconds):
        report = folder / "report.json"
        report.unlink(missing_ok=True)
        words = [str(self.house.a2), command, *tasks, *options, "-s", str(self.seed), "--quiet", "--timeout", "20",
                 "--json", str(report)]
        if self.device:
            words += ["-d", self.device]
        environment = {**os.environ, "TMPDIR": str(folder)}
        if build:
            words += ["--solutions", str(build.library), "--shader-dir", str(build.folder / "shaders"),
                      "--jail", str(build.folder / "jail")]
            environment["TMPDIR"] = str(build.folder / "tmp")
        ended = jail.run(words, seconds, env=environment)
        try:
            with open(report, encoding="utf-8") as file:
                document = json.load(file)
        except (OSError, ValueError):
            if ended.status in (2, 3) and not ended.timed_out:  # nobody's fault but this machine's, or this program's
                why = (ended.output.strip().splitlines() or ["it gives no reason"])[-1]
                raise RuntimeError(f"a2 {command}: {why}") from None
            return {}, []
        return {test["id"]: test for test in document["tests"]}, document["benchmarks"]

    def judge(self, rubric, build, folder, reference):
        """(results, judged): what a2 says, and what the rubric makes of it. reference: None where nothing is timed."""
        build.jail_program()
        results = {"runs": {}, "ms": {}, "reference_ms": {}, "untimed": UNTIMED}

        def passed(tasks):
            return [task for task in self.house.rows
                    if task in tasks and results["runs"]["course"].get(task, {}).get("status") == "passed"]

        for run, tasks in rubric.runs().items():
            # What fails as the course has it fails already.
            ordered = passed(tasks) if run != "course" else [task for task in self.house.rows if task in tasks]
            tests = self.ask("check", ordered, RUNS[run], folder, build)[0] if ordered else {}
            results["runs"][run] = {task: cleaned(failures_of(test), build.shown) for task, test in tests.items()}
        judged = rubric.judge(results)
        # Times are taken only where they can still earn something.
        if reference and rubric.sums(judged)[1] < rubric.most_extra:
            timed = passed(rubric.timed())
            if timed:
                results["ms"], results["reference_ms"] = reference.compare(timed, folder, build)
                del results["untimed"]
                judged = rubric.judge(results)
        return results, judged

    def times(self, tasks, folder, build):
        """Milliseconds of each task's median run on the device."""
        _, benchmarks = self.ask("run", tasks, TIMED, folder, build)
        return {one["name"].rsplit("/", 1)[0]: one["median_ms"] for one in benchmarks}


class Reference:
    """The project's own solution, ready to be timed beside others."""

    def __init__(self, judge, tasks, folder, build):
        self.judge, self.tasks, self.folder, self.build, self.ms = judge, tasks, folder, build, {}

    def measure(self):
        """The shortest times that it ever took are what it is held to: a machine that is busy now favours nobody."""
        for task, ms in self.judge.times(self.tasks, self.folder, self.build).items():
            self.ms[task] = min(ms, self.ms.get(task, ms))

    def compare(self, tasks, folder, build):
        """(milliseconds of a submission, of the reference); of a submission the longer of two times."""
        first = self.judge.times(tasks, folder, build)
        self.measure()
        second = self.judge.times(tasks, folder, build)
        own = {task: max(first[task], second[task]) for task in tasks if task in first and task in second}
        return own, dict(self.ms)


def failures_of(test):
    """The test with those of its cases that did not pass, which are few, or none."""
    return {**test, "cases": [case for case in test["cases"] if case["status"] != "passed"]}


def cleaned(node, shown):
    """Of a2's JSON, without paths of this machine and options that a student's own a2 need not be told."""
    if isinstance(node, dict):
        return {key: cleaned(value, shown) for key, value in node.items()}
    if isinstance(node, list):
        return [cleaned(value, shown) for value in node]
    if isinstance(node, str):
        return re.sub(r" (?:--shader-dir|--solutions|-d) (?:'[^']*'|\S+)",
                      "", re.sub(r"\S*/a2 (?=steps|run|check|record)", "build/a2 ", shown(node)))
    return node
