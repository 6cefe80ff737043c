"""Shared by the suites of tools/grade: a project's solutions as submissions, changed, and graded."""

import contextlib
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

PROJECT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT / "tools" / "course"))
import grading  # noqa: E402
import jail  # noqa: E402
import outputs  # noqa: E402
import rubric  # noqa: E402

BUILD = pathlib.Path(os.environ.get("A2_BUILD_DIR", PROJECT / "build"))
INTERLEAVED = "src/A2Task1Solution/Interleaved.cpp"
SEQUENTIAL = "src/A2Task1Solution/Sequential.cpp"
# The files that two tasks need, and a submission that has them all.
WANTED = ["shaders/A2Task1Interleaved.comp", INTERLEAVED, "shaders/A2Task1Sequential.comp", SEQUENTIAL]
FILES = {name: f"text of {name}" for name in WANTED}
TASKS = {}  # id -> its entry in `a2 list`
if (BUILD / "a2").is_file():
    listed = subprocess.check_output([BUILD / "a2", "list", "--json", "-"])
    TASKS = {task["id"]: task for task in json.loads(listed)["tasks"]}
SHIPPED_RUBRIC = json.loads((PROJECT / "tools/course/rubric.json").read_text(encoding="utf-8"))
JAILS = ["user"] + ([] if jail.Jail.works() else ["bubblewrap"])
# A script that prints its process's user and rights; and the output of a process without rights.
WHOSE = "id -u; grep -E '^(Cap|NoNewPrivs)' /proc/self/status"
POWERLESS = {**dict.fromkeys(("CapInh:", "CapPrm:", "CapEff:", "CapBnd:", "CapAmb:"), 0), "NoNewPrivs:": 1}

# Two tasks, so that a grading takes seconds.
SMALL_RUBRIC = {
    "schema": 1, "title": "two tasks", "most_extra": 0, "manual": [],
    "criteria": [{"id": name, "title": name.title(), "task": f"reduce/{name}", "points": 2,
                  "evidence": [{"kind": "check"}]} for name in ("interleaved", "sequential")],
}

# The parts of a grading that take no time.
NOTHING_JUDGED = {"enter_jail": lambda self, _: setattr(self, "kind", "user"), "try_reference": lambda *_: None,
                  "prepare": lambda *_: None, "judge_case": lambda *_: None}


def solutions(tasks_files=("shaders/A2Task*.comp", "src/A2Task*Solution/*.cpp")):
    """The project's own: path -> text."""
    return {path.relative_to(PROJECT).as_posix(): path.read_text(encoding="utf-8")
            for glob in tasks_files for path in sorted(PROJECT.glob(glob))}


def cheating(deed):
    """Interleaved.cpp with the actions of tests/worker/Solutions.cpp, with all its includes in one file."""
    place = '#include "Attacks.h"\n'
    text, header, attacks = ((PROJECT / "tests/worker" / name).read_text(encoding="utf-8")
                             for name in ("Solutions.cpp", "Attacks.h", "Attacks.cpp"))
    wish = 'std::getenv("A2_TEST_CHEAT")'
    assert text.count(place) == attacks.count(place) == text.count(wish) == 1
    text = text.replace(place, header.replace("#pragma once\n", "")).replace(wish, json.dumps(deed))
    return f'#define A2_PROJECT "{PROJECT}"\n{text}{attacks.replace(place, "")}'


def with_deed(files, includes, body):
    """Interleaved.cpp that is right if `body`, of a function that returns a bool, returns true; else it throws."""
    text = files[INTERLEAVED]
    place = "        cb.bindPipeline(vk::PipelineBindPoint::eCompute, kernel.pipeline());\n"
    assert text.count(place) == 1
    text = text.replace(place, f'        if (!deed()) throw std::runtime_error("the deed was not done");\n{place}')
    head = "\n".join(f"#include <{one}>" for one in ("stdexcept", *includes))
    text = text.replace("using namespace a2;\n", f"{head}\nstatic bool deed()\n{{\n{body}\n}}\nusing namespace a2;\n", 1)
    return {**files, INTERLEAVED: text}


class Room(unittest.TestCase):
    """Each test gets a separate folder."""

    def setUp(self):
        # A folder that others may enter, so that only the jail keeps them out.
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="a2-test-"))
        self.folder.chmod(0o755)
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def write(self, path, files):
        """A folder with these files, whose contents are text or bytes."""
        for name, content in files.items():
            target = self.folder / path / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8", "surrogateescape"))
        return self.folder / path

    def grade(self, *words, rubric=SMALL_RUBRIC, status=0, output="grades"):
        """Runs tools/grade; returns result.json by name. Its stderr is in self.said."""
        if rubric is not None:
            (self.folder / "rubric.json").write_text(json.dumps(rubric), encoding="utf-8")
            words = (*words, "--rubric", self.folder / "rubric.json")
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            got = grading.main(["--build", str(BUILD), *map(str, words), "-o", str(self.folder / output)])
        self.said = said.getvalue()
        self.assertEqual(got, status, self.said)
        return {path.parent.name: json.loads(path.read_text(encoding="utf-8"))
                for path in (self.folder / output).glob("*/result.json")}

    def run_grade(self, *words, status=0):
        """Runs tools/grade in a mode without a build. Returns its stdout; its stderr is in self.said."""
        printed, said = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(said):
            try:
                got = grading.main([*map(str, words), "-o", str(self.folder / "grades")])
            except SystemExit as ended:
                got = ended.code
        self.said = said.getvalue()
        self.assertEqual(got, status, self.said + printed.getvalue())
        self.assertNotIn("Traceback", self.said)
        return printed.getvalue()

    def points(self, result):
        return {one["id"]: one["points"] for one in result["criteria"]}

    def reason(self, result, name):
        return next(one["reason"] for one in result["criteria"] if one["id"] == name) or ""


def needs_build(test):
    return unittest.skipUnless((BUILD / "a2").is_file(), "there is no built a2")(test)


def shipped_rubric():
    return rubric.Rubric(json.loads(json.dumps(SHIPPED_RUBRIC)), TASKS)


def all_passed(**changes):
    """Results in which every task passed, in every run. changes: of a task's, such as scan_naive={"status":
    "failed"}."""
    methods = {}
    for one in SHIPPED_RUBRIC["criteria"]:
        for evidence in one["evidence"]:
            methods.setdefault(one.get("task"), set()).update(evidence.get("criteria", []))
    passed = {task: {"status": "passed", "cases": [], "lint": [], "explanation": [],
                     "method": [{"criterion": name, "met": True, "evidence": ""} for name in methods.get(task, [])]}
              for task in TASKS}
    runs = {run: dict(passed) for run in rubric.RUNS}
    for task, test in changes.items():
        task = task.replace("_", "/", 1).replace("_", "-")
        for run in runs.values():
            run[task] = {**passed[task], **test}
    return {"runs": runs, "ms": {}, "reference_ms": {}}


def one_failed(name):
    """The result of a submission of which only scan/naive failed, and a2's output."""
    diagnosis = {"file": "shaders/A2Task2Naive.comp", "line": 12, "dispatch": 3,
                 "command": "build/a2 steps scan/naive -n 8"}
    results = all_passed(scan_naive={"status": "failed", "diagnosis": diagnosis,
                                     "explanation": ["expected sum 3, got `4`\n  \x01more"]})
    judged = shipped_rubric().judge(results)
    return outputs.result_document(name, shipped_rubric(), judged, None, None, "bubblewrap", None), results


def whose(said):
    """(user, {name: its bits}) from the output of WHOSE."""
    user, *rest = said.splitlines()
    return int(user), {line.split()[0]: int(line.split()[1], 16) for line in rest}


def git_in(path, *words, **more):
    subprocess.run(["git", "-C", str(path), "-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false",
                    *words], check=True, capture_output=True, **more)
