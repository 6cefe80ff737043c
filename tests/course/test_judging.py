#!/usr/bin/python3
"""The questions of tools/grade to a2 and its compilers, and how it uses their answers."""

import contextlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock

from grade_support import INTERLEAVED, PROJECT, SMALL_RUBRIC, TASKS, all_passed, needs_build, one_failed

import build
import drawing
import house
import jail
import judging
import outputs
import recorded
import rubric
import turns

UNROLL = "reduce/unroll"


class Includes(unittest.TestCase):
    def test_of_kernels_are_the_projects_headers(self):
        known = ["A2Kernels.h"]
        for text in ('#include "include/A2Kernels.h"', '  #  include <A2Kernels.h> // x', "// #include \"/etc/passwd\"",
                     "/* #include \"x\" */"):
            self.assertIsNone(build.foreign_include(text, known), text)
        for text in ('#include "/etc/passwd"', '#include "../../x"', '#include "project/A2Task1Naive.comp"',
                     '#inc\\\nlude "A2Task1Subgroup.comp"', '# /**/ include "x"', "#include X", '/**/#include "y"',
                     '#include "include/../A2Kernels.h"', '//\r#include "x"', '#inc\\\rlude "x"'):
            self.assertIsNotNone(build.foreign_include(text, known), text)


class Ways(unittest.TestCase):
    def test_each_can_be_asked_in_brief(self):
        for run, options in judging.RUNS.items():
            brief = judging.in_brief(run)
            self.assertEqual([one for one, other in zip(brief, options) if one != other], ["64"])
            self.assertEqual((len(brief), brief[-2]), (len(options), "--up-to"))


class Bounds(unittest.TestCase):
    """The time for a student's texts is proportional to their length, and no program of the student's delays this
    one."""

    shapes = ("(", "/* ", "/*/", "//", "/", "\\\n", "#include<", "// \\\n#include<", " -d '", "/a2 ", "/a2 run ", "x/a2", ":1",
              ": error: ", "a: warning: ", "\"", "\n#", " ", "\t")

    def test_a_mebibyte_of_any_shape_is_soon_read(self):
        script = """
import json, resource, sys
sys.path.insert(0, sys.argv[1])
resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
import build, judging, outputs, tokens, values
for shape in json.loads(sys.argv[2]):
    text = shape * ((1 << 20) // len(shape))
    build.foreign_include(text, ["A2Kernels.h"])
    judging.cleaned({"why": text}, lambda one: one)
    judging.MOST_LINE, most = 1 << 30, judging.MOST_LINE
    judging.MOST_TEXT, longest = 1 << 30, judging.MOST_TEXT
    judging.cleaned({"why": text}, lambda one: one)
    judging.MOST_LINE, judging.MOST_TEXT = most, longest
    build.WARNING.findall(text), build.ERROR.search(text), build.LINK_ERROR.search(text), build.first_error(text)
    tokens.Source(text).pieces()
    values.values_of(text)
    outputs.printable(text), outputs.plain(text)
print("done")
"""
        ended = subprocess.run([sys.executable, "-B", "-c", script, str(PROJECT / "tools/course"),
                                json.dumps(self.shapes)], capture_output=True, text=True)
        self.assertEqual(ended.stdout, "done\n", ended.stderr[-300:])

    def test_comments_are_taken_out_as_a_compiler_does(self):
        for text, left in (("a/* b */c", "a c"), ("a//b\nc", "a \nc"), ("a/*\n\n*/c", "a\n\nc"), ("a/*/c*/d", "a d"),
                           ("/* x *///y\nz", "  \nz"), ("/* x *//* y */z", "  z"), ("//x\\\ny\nz", " \nz"), ("a/* b", "a/* b"),
                           ("a/* b//c\nd", "a/* b \nd"), ("*/ a // b", "*/ a  "), ("a / b", "a / b"), ("", "")):
            self.assertEqual(build.without_comments(text), left, text)

    def test_long_lines_of_a2_are_cut_and_its_commands_are_short(self):
        self.assertEqual(judging.cleaned("see /x/y/a2 steps scan -d 'a b' --shader-dir /q -n 8", lambda one: one),
                         "see build/a2 steps scan -n 8")
        cut = judging.cleaned(["a\n" + "(" * 400_000, "x\n" * 200_000], lambda one: one)
        self.assertIn("characters more)", cut[0])
        self.assertLess(len(cut[0]), 1200)
        self.assertLess(max(map(len, cut)), 70_000)

    def test_warnings_are_the_submissions(self):
        for line, count in (("src/A2Task1Solution/Interleaved.cpp:3:4: warning: unused", 1), ("x.h:3: warning: y", 1),
                            ("cc1plus: warning: build/cmake_pch.hxx.gch: not a PCH file [-Winvalid-pch]", 0),
                            ("a: note: warning: x", 0)):
            self.assertEqual(len(build.WARNING.findall(f"x\n{line}\n")), count, line)


@needs_build
class Times(unittest.TestCase):
    """The same bar for all: the reference and a submission take turns, here on a device with known times."""

    SPEED = {"reference": 1.0, "copy": 1.0, "slow": 1.5}  # times its own in milliseconds

    class Built(str):
        """Replaces a Build."""

        def __init__(self, *_):
            self.spent = {"judge": 0.0}

        @staticmethod
        def shown(text):
            return text

    class Device:
        """Replaces a Judge. ms(number of the run): the time of the reference in that run."""

        def __init__(self, ms, status="passed"):
            self.ms, self.runs, self.status = ms, [], status

        def record(self, command, tasks, options, folder, build):
            return judging.Question(command, tasks, options)

        recorded = contextlib.contextmanager(lambda self, *words: iter([self.record(*words)]))

        def judge(self, question, folder, build):
            return {task: {"status": self.status, "why": "it is wrong", "cases": [], "lint": []}
                    for task in question.tasks}, []

        def times(self, question, folder, build):
            self.runs.append(build)
            build.spent["judge"] += 1
            return {task: Times.SPEED[build] * self.ms(len(self.runs)) for task in question.tasks}

    def graded(self, ms, names):
        """The results of Reference.compare for these, one after the other, beside one reference; and which ran, in
        order."""
        device = self.Device(ms)
        reference = judging.Reference(device, [UNROLL], None, self.Built("reference"))
        return [reference.compare([UNROLL], None, self.Built(name)) for name in names], device.runs

    @staticmethod
    def bars(found):
        """[(time, bar, spread of the bar)]"""
        return [tuple(one[key][UNROLL] for key in ("ms", "reference_ms", "reference_spread")) for one in found]

    def points(self, found, factor=1.2):
        criterion = {"id": "a", "title": "A", "task": UNROLL, "points": 1, "extra": True,
                     "evidence": [{"kind": "time", "factor": factor}]}
        judged = rubric.Rubric({**SMALL_RUBRIC, "criteria": [*SMALL_RUBRIC["criteria"], criterion], "most_extra": 1},
                               TASKS)
        return [next(one["points"] for one in judged.judge({**all_passed(), **times}) if one["id"] == "a")
                for times in found]

    def test_equal_copies_earn_equal_points_however_the_device_changes(self):
        # Constant, faster with every run, slower, suddenly faster, and slow for a moment.
        for ms in (lambda run: 1.0, lambda run: 10 / run, lambda run: 1 + run / 10,
                   lambda run: 1.0 if run < 14 else 0.1, lambda run: 3.0 if run == 8 else 1.0):
            found, runs = self.graded(ms, ["copy", "slow"] * 4)
            self.assertEqual(self.points(found), [1, 0] * 4, found)
            self.assertEqual(runs, (["reference", "copy"] * judging.TURNS + ["reference", "slow"] * judging.TURNS) * 4)

    def test_a_faster_reference_does_not_change_the_bar_of_those_before(self):
        alone, _ = self.graded(lambda run: 1.0, ["copy"] * 2)
        before, _ = self.graded(lambda run: 1.0 if run <= 4 * judging.TURNS else 0.1, ["copy"] * 4)
        self.assertEqual(before[:2], alone)
        self.assertEqual(self.bars(before[2:]), [(0.1, 0.1, 0)] * 2)
        # Nor the bar of later ones: it is not the best of all runs.
        behind, _ = self.graded(lambda run: 0.1 if run <= 2 * judging.TURNS else 1.0, ["copy"] * 2)
        self.assertEqual(self.bars(behind), [(0.1, 0.1, 0), (1.0, 1.0, 0)])

    def test_who_must_be_faster_is_so_by_turns_too(self):
        with unittest.mock.patch.dict(Times.SPEED, fast=0.6):
            # Slow until the last turn of the submission: a copy does not count as fast for that.
            found, _ = self.graded(lambda run: 2.0 if run < 2 * judging.TURNS else 1.0, ["copy"])
            self.assertEqual(self.bars(found), [(1.0, 2.0, 0)])
            self.assertEqual([self.points(found, factor) for factor in (0.8, 1, 1.2)], [[0], [1], [1]])
            # Slow for one turn of a fast submission, or of one that keeps up.
            for name, factor in (("fast", 0.8), ("copy", 1)):
                for slow in range(1, 2 * judging.TURNS + 1):
                    found, _ = self.graded(lambda run, slow=slow: 3.0 if run == slow else 1.0, [name])
                    self.assertEqual(self.points(found, factor), [1], (name, slow))
            # For a result from before there were turns.
            self.assertEqual(self.points([{key: value for key, value in found[0].items() if key != "turns"}], 1), [1])

    def test_no_other_is_timed_between_two_turns(self):
        device = self.Device(lambda run: 1.0)
        own = device.times

        def slowly(*words):
            time.sleep(0.002)  # time for other runs to come in between, if they could
            return own(*words)

        device.times = slowly
        reference = judging.Reference(device, ["a"], None, self.Built("reference"))
        builds = [self.Built(name) for name in ("copy", "slow") * 3]
        threads = [threading.Thread(target=reference.compare, args=(["a"], None, one)) for one in builds]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        self.assertEqual([one.spent["judge"] for one in builds], [2 * judging.TURNS] * 6, "the reference's turns included")
        self.assertEqual(len(device.runs), 6 * 2 * judging.TURNS)
        for at in range(0, len(device.runs), 2 * judging.TURNS):
            pair = device.runs[at:at + 2 * judging.TURNS]
            self.assertEqual(pair, ["reference", pair[1]] * judging.TURNS, device.runs)

    def test_what_is_not_right_as_it_is_timed_is_not_timed(self):
        device = self.Device(lambda run: 1.0, "failed")
        reference = judging.Reference(device, ["a"], None, self.Built("reference"))
        self.assertEqual(reference.compare(["a"], None, self.Built("copy")),
                         {"ms": {}, "reference_ms": {}, "reference_spread": {}, "turns": [],
                          "not_timed": {"a": "it is wrong"}})
        self.assertEqual(device.runs, [])

    def test_a_time_is_its_tasks_whatever_shape_it_was_taken_in(self):
        judge = judging.Judge(None, None, 1)
        for name in ("reduce/atomic/1048576", "reduce/atomic/1048576/wg:1024/elements:16"):
            with unittest.mock.patch.object(judge, "judge", lambda *_: ({}, [{"name": name, "median_ms": 0.5}])):
                self.assertEqual(judge.times(None, None, None), {"reduce/atomic": 0.5}, name)

    def test_a_task_without_a_time_in_every_turn_has_none(self):
        self.assertEqual(judging.shortest([{"a": 2, "b": 1}, {"a": 1}, {"a": 3, "b": 1}]), {"a": 1})


class OnTheDevice(unittest.TestCase):
    """The turns of submissions on the device."""

    def setUp(self):
        self.turns = turns.Turns()
        self.here, self.most, self.seen, self.lock = 0, 0, [], threading.Lock()

    def visit(self, timed, seconds=0.05):
        with self.turns.taken(timed):
            with self.lock:
                self.here += 1
                self.most = max(self.most, self.here)
                self.seen.append((timed, self.here))
            time.sleep(seconds)
            with self.lock:
                self.here -= 1

    def all_visit(self, *visits):
        threads = [threading.Thread(target=self.visit, args=(one,), daemon=True) for one in visits]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(20)
        self.assertFalse(any(thread.is_alive() for thread in threads))
        self.assertEqual(len(self.seen), len(visits))

    def until(self, comes):
        end = time.monotonic() + 20
        while not comes() and time.monotonic() < end:
            time.sleep(0.01)
        self.assertTrue(comes())

    def test_on_a_gpu_each_is_alone(self):
        self.all_visit(False, True, False, False, True)
        self.assertEqual(self.most, 1)

    def test_on_a_processor_those_that_are_timed_are(self):
        self.turns.shared = True
        met = threading.Barrier(2)

        def meet():
            with self.turns.taken(timed=False):
                met.wait(20)  # both are in it

        both = [threading.Thread(target=meet, daemon=True) for _ in range(2)]
        for one in both:
            one.start()
        for one in both:
            one.join(20)
        self.assertFalse(met.broken)
        self.all_visit(*[False, False, True] * 6)
        self.assertEqual({here for timed, here in self.seen if timed}, {1})

    def test_whoever_waits_to_be_alone_is_next(self):
        self.turns.shared = True
        first = threading.Thread(target=self.visit, args=(False, 0.5), daemon=True)
        first.start()
        self.until(lambda: self.seen)
        timed = threading.Thread(target=self.visit, args=(True,), daemon=True)
        timed.start()
        self.until(lambda: self.turns.waiting)
        late = threading.Thread(target=self.visit, args=(False,), daemon=True)
        late.start()
        for one in (late, timed):
            one.join(20)
        self.assertEqual([one for one, _ in self.seen], [False, True, False])


@needs_build
class Judged(unittest.TestCase):
    """The results made from a2's answers."""

    class Built:
        ours = doubted = False
        problems, said = {INTERLEAVED: ":6 does not compile: my.h: No such file"}, {INTERLEAVED: ["x.cpp:6:1: error: e"]}

    def test_what_a_solution_has_a2_say_is_not_the_graders_fault(self):
        ended = jail.Ended(3, "note\na2: error: TEXT OF THE STUDENT", False)
        judge = judging.Judge(None, None, 1)
        with self.assertRaisesRegex(RuntimeError, "TEXT"):
            judge.refuse_own_faults("check", ended, self.Built())
        proofs = []
        judge.prove = lambda: proofs.append(1)
        built = self.Built()
        for _ in range(3):
            self.assertIn("TEXT", judge.refuse_own_faults("check", ended, built))
        self.assertEqual(len(proofs), 1)
        built.ours = True
        with self.assertRaises(RuntimeError):
            judge.refuse_own_faults("check", ended, built)

        def broken():
            raise house.HouseError("this machine")

        judge.prove = broken
        with self.assertRaises(house.HouseError):
            judge.refuse_own_faults("check", ended, self.Built())
        question = judging.Question("check", ["a", "b"], [])
        question.failed = {"a": "TEXT"}
        tests, _ = judge.judge(question, None, built)
        self.assertEqual([(tests[one]["status"], tests[one]["why"]) for one in "ab"],
                         [("crashed", "the solution cannot be recorded: TEXT"), ("timeout", "a2 came to no verdict in time")])

    class Place:
        """Replaces a Build, in a folder of its own."""

        ours, doubted, problems = False, True, {}

        def __init__(self, folder):
            self.folder = self.tmp = folder
            self.jail = self
            (folder / "obj").mkdir()

        spending = contextlib.contextmanager(lambda self, what: iter([None]))

        def end(self):
            pass

        @staticmethod
        def ask(file):
            return file

    def judged_by(self, script, took=()):
        """The test of one task, by a program in place of a2, whose words are those after its own path: its report is
        $REPORT, and the recordings are in $RECORDINGS. took: see Question."""
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            a2 = folder / "a2"
            a2.write_text('#!/bin/sh\nfor word; do [ "$before" != --json ] || REPORT=$word; '
                          '[ "$before" != --recordings ] || RECORDINGS=$word; before=$word; done\n' + script)
            a2.chmod(0o755)
            judge = judging.Judge(unittest.mock.Mock(a2=a2), None, 1)
            judge.prove = lambda: None
            question = judging.Question("check", ["a"], [])
            question.recorded, question.took = [(["a"], "x y+.recordings")], {"a": took}
            return judge.judge(question, folder, self.Place(folder))[0]["a"]

    def test_the_a2_that_judges_has_bounds_of_memory_and_of_words(self):
        said = self.judged_by('echo "a2: error: $(ulimit -S -d) of $(ulimit -H -d)"; exit 3')
        hard = subprocess.check_output(["sh", "-c", "ulimit -H -d"], text=True).strip()
        self.assertEqual((said["status"], said["why"]),
                         ("crashed", f"a2 cannot judge it: a2: error: {judging.MOST_JUDGING >> 10} of {hard}"))
        for script, why in (('echo "a2: error: this machine\'s main memory is too small for that"; exit 3',
                             "that takes more than 2 GiB of memory: are there too many commands in record()?"),
                            ('truncate -s 16777217 "$REPORT"',
                             "it has more than 16 MiB to say about it: are there too many commands in record()?"),
                            ("kill -KILL $$", "it was ended by a signal (Killed)")):
            said = self.judged_by(script)
            self.assertEqual((said["status"], said["why"]), ("crashed", f"a2 cannot judge it: {why}"))

    def test_a_recording_that_is_not_there_is_explained_with_the_time_that_recording_took(self):
        source = re.sub(r'"\s+"', "", (PROJECT / "src/cli/TaskCommand.cpp").read_text(encoding="utf-8"))
        said = re.search(r'"\{\}( has no recording of n = [^"]*)"', source)[1].replace("{}", "16")
        self.assertRegex(said, f"^{judging.NOT_THERE}$")
        document = {"tests": [{"id": "a", "status": "timeout", "cases": [{"findings": [f"RECORDINGS{said}"]}],
                               "explanation": ["failed", f"RECORDINGS{said}"], "lint": [], "method": []}],
                    "benchmarks": [], "context": {"device": {"name": "d", "type": "CPU"}}}
        script = f'sed "s|RECORDINGS|$RECORDINGS|" >"$REPORT" <<"E"\n{json.dumps(document, indent=1)}\nE\n'
        for took, why in (((567.8, 9), "the host code was too slow: the recordings of 9 tasks took 568 s, and those of "
                                       "a task may take 60 s"),
                          ((63.2, 1), "the host code was too slow: all recordings of this task took 63 s, and those of "
                                      "a task may take 60 s"),
                          ([3.1, 1], "all recordings of this task were made in 3 s, so there was no room: those of a "
                                     "task may have 128 MiB: are there too many commands in record()?")):
            test = self.judged_by(script, took)
            why = f"n = 16 was not recorded: {why}"
            self.assertEqual((test["cases"][0]["findings"], test["explanation"]), ([why], ["failed", why]))

    def test_what_it_starts_in_a_jail_has_only_the_jails_limits(self):
        with tempfile.TemporaryDirectory() as folder:
            made = build.Build.__new__(build.Build)
            made.folder = pathlib.Path(folder)
            made.write_program("jail", 'echo "$(ulimit -S -d) of $(ulimit -H -d)"\n')
            hard = subprocess.check_output(["sh", "-c", "ulimit -H -d"], text=True).strip()
            words = [*judging.limit_of_memory(1 << 30), made.folder / "jail"]
            self.assertEqual(subprocess.check_output(words, text=True), f"{hard} of {hard}\n")

    def test_findings_alike_are_kept_in_part(self):
        lint = [{"rule": rule, "severity": "note", "dispatch": at, "message": f"{rule} at {at}"}
                for at in range(60_000) for rule in ("a", "b")]
        lint += [{"rule": "c", "severity": "failure", "dispatch": at, "message": "c"} for at in range(judging.MOST_ALIKE)]
        test = judging.failures_of({"status": "passed", "cases": [], "method": [], "lint": lint})
        kept = {rule: [one for one in test["lint"] if one["rule"] == rule] for rule in "abc"}
        self.assertEqual([len(ones) for ones in kept.values()], [judging.MOST_ALIKE] * 3)
        self.assertEqual(kept["c"], lint[-judging.MOST_ALIKE:])
        self.assertEqual([one["dispatch"] for one in kept["a"]], list(range(judging.MOST_ALIKE)))
        self.assertIn("- a: a at 0 (and 59999 more like it)", outputs.notes_of(test))
        self.assertIn(f"- c: c (and {judging.MOST_ALIKE - 1} more like it)", outputs.notes_of(test))

    def test_a_kernel_that_was_not_handed_in_is_noted(self):
        own = "dispatch a kernel of the solution's own"
        row = {"files": ["shaders/K.comp", "shaders/L.comp", "src/k.cpp"]}
        for lines, said in (
                ([f"{own} 8 x 1 x 1; 0.0 input; push 4096, 1", "barrier; x", f"{own} by made 0; 0.0 input"],
                 "runs a module of its own instead of shaders/K.comp, shaders/L.comp"),
                (["dispatch L 4 x 1 x 1 from 0 x 0 x 1; 0.0 input", f"{own} by input"],
                 "runs a module of its own besides shaders/L.comp"),
                (["dispatch K 8 x 1 x 1", "dispatch without a pipeline 1 x 1 x 1", "update made 0"], None),
                (["copy input to made 0"], None), ([], None)):
            test = {"status": "passed", "method": [], "lint": [], "recorded": lines}
            noted = judging.with_note(test, row)
            self.assertEqual(noted.get("own_module"), said)
            text = outputs.feedback({"name": "eve", "points": 2, "of": 2, "title": "T", "problem": None, "warnings": 0,
                                     "criteria": [], "manual": [], "extra": 0, "most_extra": 0,
                                     "files": {"missing": [], "broken": [], "unused": [], "refused": []}},
                                    {"runs": {"course": {"a": noted}}}, {})
            self.assertEqual(f"- its host code {said}" in text, bool(said), text)

    def test_many_recorded_commands_are_soon_read(self):
        runs = {"course": {"a": {"recorded": [f"dispatch {at}" for at in range(100_000)]}}}
        with unittest.mock.patch.object(recorded.tables, "runs_of", lambda *_: {**runs, "groups": runs["course"]}):
            begun = time.process_time()
            found = recorded.of_all(None, ["eve"], {"a": {"files": ["x.comp", "x.cpp"]}})
        self.assertEqual(len(found["eve"]["x.cpp"]), 100_000)
        self.assertLess(time.process_time() - begun, 10)

    def test_a_picture_has_nothing_of_the_graders_machine(self):
        def page(report):
            return ('<p>before</p><script type="application/json" id="report">' + json.dumps(report).replace("<", "\\u003c") +
                    "</script><script>after</script>")

        report = {"context": {"date": "2026", "host": "h", "command": "/home/g/a2 steps x", "seed": 3,
                              "device": {"name": "A device", "driver": "d", "subgroup": 8}},
                  "dispatches": [{"kernel": "K", "ms": 0.5, "label": "</script><b>"}], "tests": [{"why": "/home/g/x"}]}
        clean = {"context": {"device": {"name": "A device", "subgroup": 8}},
                 "dispatches": [{"kernel": "K", "ms": None, "label": "</script><b>"}], "tests": [{"why": "x"}]}
        drawn = drawing.of_no_machine(page(report), lambda node: json.loads(json.dumps(node).replace("/home/g/", "")))
        self.assertEqual(drawn, page(clean))
        self.assertIsNone(drawing.of_no_machine("<p>no report</p>", lambda node: node))

    def test_what_is_drawn_is_a_run_that_failed(self):
        command = "build/a2 steps reduce/interleaved -n 3 -p 'a b'"
        for status, said, words in (("failed", command, ["steps", "reduce/interleaved", "-n", "3", "-p", "a b"]),
                                    ("timeout", command, None), ("failed", None, None), ("failed", "a2 'x", None),
                                    ("failed", "gdb --args build/a2 steps x", None), ("failed", "build/a2 run x", None)):
            self.assertEqual(drawing.run_of({"status": status, "diagnosis": {"command": said}}), words, said)
        self.assertIsNone(drawing.run_of({"status": "failed", "diagnosis": None}))

    def test_host_code_that_does_not_compile_has_no_run_to_repeat(self):
        command = "build/a2 steps reduce/interleaved -n 1"
        test = {"status": "failed", "cases": [{"status": "failed", "findings": [f"{INTERLEAVED} does not compile"]}],
                "lint": [], "method": [], "diagnosis": {"file": None, "line": None, "dispatch": None, "command": command},
                "explanation": ["failed with -n 1", "does not compile", f"to see every step: {command}"]}
        told = judging.without_run(test, {"files": ["shaders/x.comp", INTERLEAVED]}, self.Built())
        result = one_failed("a")[0]
        text = outputs.feedback(result, {"runs": {"course": {"reduce/interleaved": told}}}, {"reduce/interleaved": "label"})
        for words in ("failed with -n", "see every step", command):
            self.assertNotIn(words, text)
        for words in (":6 does not compile: my.h: No such file", "x.cpp:6:1: error: e", f"Look at {INTERLEAVED.replace('_', chr(92) + '_')}, line 6."):
            self.assertIn(words, text)
        self.assertEqual(judging.without_run(test, {"files": ["shaders/x.comp"]}, self.Built()), test)

    def test_a_kernel_that_is_missing_is_no_error_of_a_compiler(self):
        kernel = "shaders/A2Task1Interleaved.comp"
        made = build.Build.__new__(build.Build)
        made.problems, made.said = {}, {}
        for refused, why in (([], "is not in the submission"),
                             ([("a2/" + kernel, "a link is no file"), ("notes", "x")],
                              "is not in the submission: one was refused, a link is no file")):
            made.refused = refused
            made.stand_in(kernel, made.lacking(kernel), True)
            self.assertEqual(made.problems, {kernel: why})
            says = f"{kernel}:2 does not compile: '#error' : shaders"
            test = {"status": "failed", "cases": [{"status": "failed", "findings": [says]}], "lint": [], "method": [],
                    "diagnosis": {"file": "A2Task1Interleaved.comp", "line": 2, "dispatch": 0, "command": "build/a2 x"},
                    "explanation": [says]}
            told = judging.without_run(test, {"files": [kernel, INTERLEAVED]}, made)
            result = one_failed("a")[0]
            result["files"].update(missing=[kernel], broken=[{"file": kernel, "why": why}])
            text = outputs.feedback(result, {"runs": {"course": {"reduce/interleaved": told}}}, {})
            self.assertIn(f"    {kernel} {why}\n", text)
            for words in ("does not compile", "Look at", "first wrong dispatch", "To see"):
                self.assertNotIn(words, text)
            self.assertEqual(rubric.first_line(told), f"{kernel} {why}")
        made.stand_in(kernel, "includes a\nb, which is none", True)
        self.assertNotIn("\n", made.problems[kernel])

    def test_the_first_error_of_a_compiler(self):
        said = "In file included from x:\nsrc/a.cpp:6:10: fatal error: my.h: No\n    6 | #include\n      |  ^~\nend.\n"
        self.assertEqual(build.first_error(said), said.splitlines()[1:4])
        self.assertEqual(build.first_error("nothing"), [])



if __name__ == "__main__":
    unittest.main()
