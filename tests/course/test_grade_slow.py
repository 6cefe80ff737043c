#!/usr/bin/python3
"""Whole gradings with the shipped rubric: the original, the hand-out, known-bad solutions, and cheats."""

import json
import os
import pathlib
import re
import sys
import time
import unittest
import unittest.mock

from grade_support import INTERLEAVED, PROJECT, Room, cheating, needs_build, solutions, with_deed

import judging
import markers

sys.path.insert(0, str(PROJECT / "tests" / "known-bad"))
import variants_reduce  # noqa: E402,F401  each adds its own to VARIANTS
import variants_scan  # noqa: E402,F401
from variants import VARIANTS  # noqa: E402

# The points that a fault in a file may cost: its own criteria, and the extra ones for the same tasks.
OF_FILE = {
    "Interleaved": {"interleaved"}, "Sequential": {"sequential"},
    "Task1Solution/KernelDecomposition": {"decomposition", "unroll", "atomic"},
    "Task1KernelDecomposition.": {"decomposition"}, "DecompositionUnroll": {"unroll"},
    "DecompositionAtomic": {"atomic"}, "Naive": {"naive"},
    "Task2Solution/KernelDecomposition": {"local", "conflict-free", "large-arrays"},
    "Task2KernelDecomposition.": {"local", "conflict-free", "large-arrays"},
    "DecompositionOffset": {"large-arrays"}, "Offset.cpp": {"large-arrays"},
}
EXTRA = {"any-length", "work-group-sizes", "beyond"}
# Some cheats of tests/worker/Solutions.cpp: those that end soon, and of each kind one that does not.
DEEDS = ["make exit", "make crash", "make leave", "record exit", "record at-exit", "record crash",
         "record terminate", "record print", "record flood", "record close", "record garbage", "record forged",
         "record fork-and-crash",
         "record interrupt-all", "record no-dispatch-entry", "record scribble", "destroy leave", "record stubborn"]


def changed(variant, files):
    text = files[variant.file]
    for replace, by in variant.changes:
        pattern = r"\s+".join(re.escape(word) for word in replace.split())
        text, count = re.subn(pattern, lambda _, by=by: by, text)
        if count != 1:
            return None
    return {**files, variant.file: text}


def known_bad():
    files = solutions()
    graded = [one for one in VARIANTS if one.file in files and one.rule != "passed" and not one.sliced
              and not re.search("Subgroup|Lookback|Persistent|Lab", one.file)]
    return [(one, submission) for one in graded if (submission := changed(one, files))]


@needs_build
class Course(Room):
    def lost(self, result):
        return {one["id"] for one in result["criteria"] if one["points"] < one["of"]}

    def test_the_original_and_the_handout(self):
        files = solutions()
        self.write("all/original", files)
        self.write("all/handout", {name: markers.stub_of(text, name) for name, text in files.items()})
        graded = self.grade(self.folder / "all", rubric=None)
        self.assertNotIn("own solution does not earn", self.said)
        self.assertEqual([graded["original"][key] for key in ("points", "of", "extra")], [20, 20, 2])
        self.assertEqual((graded["handout"]["points"], graded["handout"]["extra"]), (0, 0))
        feedback = (self.folder / "grades/handout/feedback.md").read_text()
        self.assertEqual(feedback.count(": not written\n"), 9, feedback)

    def test_right_ones_of_other_making_keep_all_points(self):
        import sixty  # it needs this file's lists
        for number in (3, 14):
            self.write(f"all/{number}", sixty.right(number))
        for name, result in self.grade(self.folder / "all", rubric=None).items():
            self.assertEqual(result["points"], 20, f"{name}: {json.dumps(result)}")
            self.assertEqual(result["warnings"], 0, name)

    def test_known_bad_solutions_lose_their_own_criteria(self):
        cases = known_bad()
        by_file = {}
        for one, submission in cases:
            by_file.setdefault(one.file, []).append((one, submission))
        # a2's verdict on each variant is tested elsewhere: here every sixth file, and all with this variable set.
        chosen = [of_file[0] for of_file in by_file.values()]
        if "A2_GRADE_ALL" not in os.environ:
            chosen = chosen[::6]
        for one, submission in chosen:
            self.write(f"all/{one.name}", submission)
        graded = self.grade(self.folder / "all", rubric=None)
        for one, _ in chosen:
            own = next(ids for part, ids in OF_FILE.items() if part in one.file)
            lost = self.lost(graded[one.name]) - {"beyond"}
            with self.subTest(one.name):
                self.assertTrue(lost, "it lost nothing")
                self.assertLessEqual(lost, own | EXTRA)


@needs_build
class Cheats(Room):
    """Each earns nothing for its criterion, costs others nothing, and leaves nothing outside its folder."""

    def expect_caught(self, submissions, *words):
        for name, files in submissions.items():
            self.write(f"all/{name}", files)
        graded = self.grade(self.folder / "all", "-j", "2", *words)
        self.assertEqual(set(graded), set(submissions))
        for name, result in graded.items():
            self.assertEqual(self.points(result), {"interleaved": 0, "sequential": 2}, f"{name}: {json.dumps(result)}")
            self.assertIsNone(result["problem"], name)
        return graded

    def test_deeds_of_the_recorder(self):
        files = solutions()
        graded = self.expect_caught({deed.replace(" ", "-"): {**files, INTERLEAVED: cheating(deed)} for deed in DEEDS})
        for name, result in graded.items():
            self.assertNotIn("does not compile", self.reason(result, "interleaved"), name)

    def test_a_record_that_never_returns(self):
        files = solutions()
        loop = "volatile int sink = 0;\nfor (;;) sink = 1 - sink;"
        self.write("all/endless", with_deed(files, [], f"{loop}\nreturn true;"))
        self.write("all/right", files)
        recorded, run = [], judging.Judge.run

        def note(judge, question, tasks, own, more, seconds):
            began = time.monotonic()
            ended = run(judge, question, tasks, own, more, seconds)
            if "--record-only" in more and "for (;;)" in (own.folder / INTERLEAVED).read_text():
                recorded.append((ended.timed_out, time.monotonic() - began))
            return ended

        with unittest.mock.patch.object(judging.Judge, "run", note):
            graded = self.grade(self.folder / "all", "-j", "2", "--no-similarity")
        self.assertEqual({name: self.points(one) for name, one in graded.items()},
                         {"endless": {"interleaved": 0, "sequential": 2}, "right": {"interleaved": 2, "sequential": 2}})
        # Each of its arrays would take 8 s, and all together the minute that a2 allows.
        self.assertEqual([timed_out for timed_out, _ in recorded], [False], recorded)
        self.assertLess(recorded[0][1], 55)
        self.assertIsNone(graded["endless"]["problem"])
        why = "recording run 1, n = 1: 8 s were not enough"
        self.assertEqual(self.reason(graded["endless"], "interleaved"), f"reduce/interleaved: time-out: {why}")
        feedback = (self.folder / "grades/endless/feedback.md").read_text()
        self.assertRegex(feedback, f"(?s)## reduce/interleaved: timeout\n.*{why}\n")
        self.assertNotIn("## reduce/sequential", feedback)

    def test_compiling_for_an_hour_or_reading_everything(self):
        files = solutions()
        own = files[INTERLEAVED]
        self.expect_caught({
            "twice": {**files, INTERLEAVED: f'#if __INCLUDE_LEVEL__ < 190\n#include "Interleaved.cpp"\n'
                                            f'#include "Interleaved.cpp"\n#else\n{own}\n#endif\n'},
            "templates": {**files, INTERLEAVED: "template <int N, int M> struct F { static constexpr long value = "
                          "F<N - 1, 2 * M>::value + F<N - 1, 2 * M + 1>::value; };\ntemplate <int M> struct F<0, M> "
                          "{ static constexpr long value = M; };\nlong x = F<30, 1>::value;\n" + own},
            "errors": {**files, INTERLEAVED: "".join(f"int x{i} = y{i};\n" for i in range(20_000))},
            "device": {**files, INTERLEAVED: '#include "/dev/zero"\n' + own},
            "kernel": {**files, "shaders/A2Task1Interleaved.comp": '#version 450\n#include "/dev/zero"\n'},
        }, "--compile-time", "25")

    def test_disk_processes_and_others(self):
        files = solutions()
        outside = self.folder / "outside"
        outside.mkdir(mode=0o777)
        outside.chmod(0o777)
        grades = self.folder / "grades"
        read = """
            std::error_code none;
            for (const auto& one : std::filesystem::recursive_directory_iterator(
                     PLACE, std::filesystem::directory_options::skip_permission_denied, none))
                if (one.path().filename() == NAME) return true;
            return false;"""
        graded = self.expect_caught({
            "disk": with_deed(files, ["fstream", "string"], """
                for (const std::string place : {"/tmp", ".", "/dev/shm", "/var/tmp", "/"}) {
                    std::ofstream file(place + "/a2-filled");
                    for (int i = 0; i < 1 << 12 && file; ++i) file << std::string(1 << 16, 'x');
                    if (file) return true;
                }
                return false;"""),
            "outside": with_deed(files, ["fstream"], f"""
                std::ofstream file({json.dumps(str(outside / "written"))}); return !!(file << "x" << std::flush);"""),
            "grades": with_deed(files, ["fstream"], f"""
                std::ofstream file({json.dumps(str(grades / "grades.csv"))}); return !!(file << "x" << std::flush);"""),
            "others": with_deed(files, ["filesystem", "string"], read.replace("PLACE", json.dumps(str(self.folder)))
                                .replace("NAME", '"Sequential.cpp"')),
            "house": with_deed(files, ["filesystem", "string"], read.replace("PLACE", json.dumps(str(PROJECT)))
                               .replace("NAME", '"A2Task1Subgroup.comp"')),
            "bomb": with_deed(files, ["unistd.h"], "for (;;) fork();"),
            "program": with_deed(files, ["cstdlib"], 'return std::system("touch ' + str(outside / "run") + '") == 0;'),
            "kill": with_deed(files, ["csignal"], "return kill(-1, SIGKILL) == 0 && kill(getppid(), SIGKILL) == 0;"),
        })
        for name in ("disk", "outside", "grades", "others", "house", "program"):
            self.assertIn("the deed was not done", self.reason(graded[name], "interleaved"), name)
        self.assertEqual(list(outside.iterdir()), [], graded)
        self.assertFalse([path for path in ("/tmp/a2-filled", "/a2-filled", "/var/tmp/a2-filled", "/dev/shm/a2-filled")
                          if os.path.exists(path)])

    def test_files_that_nobody_asked_for(self):
        files = solutions()
        cheating = {name: text for name, text in files.items() if "Interleaved" not in name}
        recording = b"\xa2ba2irecording"
        shader = "kernel{gpu, shaders[0], 1"
        self.assertEqual(files[INTERLEAVED].count(shader), 1)
        another = {name: files[INTERLEAVED].replace(shader, f'kernel{{gpu, "A2Task1{name}", 1')
                   for name in ("Interleaved", "Subgroup")}
        graded = self.expect_caught({
            "cmake": {**cheating, "CMakeLists.txt": "file(WRITE /tmp/a2-cheat x)", "tools/grade": "exit",
                      "src/judge/Check.cpp": "", "shaders/A2Digest.comp": "", "shaders/include/A2Kernels.h": "#error",
                      "rubric.json": "{}", "grades.csv": "cmake,20", "result.json": '{"points": 20}'},
            "recording": {**cheating, "a2-reduce-interleaved-n32.a2r": recording},
            "borrowed": {**cheating, INTERLEAVED: another["Interleaved"]},
            "foreign": {**files, INTERLEAVED: another["Subgroup"]},
        })
        self.assertIn("is not part of what is graded", self.reason(graded["foreign"], "interleaved"))
        self.assertFalse(pathlib.Path("/tmp/a2-cheat").exists())


if __name__ == "__main__":
    unittest.main()
