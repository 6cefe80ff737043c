#!/usr/bin/python3
"""Gradings remember their settings: graded again, scored again, resumed, and a trial of a rubric."""

import contextlib
import csv
import errno
import io
import json
import subprocess
import unittest
import unittest.mock

from grade_support import (BUILD, FILES, INTERLEAVED, NOTHING_JUDGED, SMALL_RUBRIC, Room, needs_build, shipped_rubric,
                           solutions)

import grader
import rubric
import submissions
import tables
import trying
import values

BY_HAND = {**SMALL_RUBRIC, "manual": [{"id": "oral", "title": "Oral", "points": 2}]}


@needs_build
class Again(Room):
    def test_one_is_graded_again_and_all_are_scored_again(self):
        self.write("all/one", solutions())
        self.write("all/two", {**solutions(), INTERLEAVED: "int x = ;\n"})
        graded = self.grade(self.folder / "all", "--no-similarity", rubric=BY_HAND)
        self.assertEqual({name: one["points"] for name, one in graded.items()}, {"one": 4, "two": 2}, self.said)
        made = graded["one"]["made"]
        path = self.folder / "rubric.json"
        self.assertEqual(made["rubric"], {"title": "two tasks", "sha256": rubric.load(path, tables.plan_of(
            self.folder / "grades")["tasks"]).sha256})
        said = subprocess.check_output([BUILD / "a2", "--version"], text=True)
        self.assertTrue(said.startswith(made["a2"] + " ("), said)  # the versions of files follow it
        self.assertTrue(made["device"])
        self.assertIn(f"Graded with {made['a2']} on ", (self.folder / "grades/one/feedback.md").read_text())
        manual = self.folder / "grades/manual.csv"
        self.assertEqual(manual.read_text(), "name,criterion,points,comment\none,oral,,\ntwo,oral,,\n")
        manual.write_text("name;criterion;points;comment\ntwo;oral;1,5;good\n")

        self.write("all/two", solutions())
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            self.grade(self.folder / "all", "--no-similarity", "--only", "two", "--again", rubric=BY_HAND)
        self.assertEqual(printed.getvalue(), "two: 3.5 -> 5.5 of 6\n")
        self.assertIn("# two: 5.5 of 6 points", (self.folder / "grades/two/feedback.md").read_text())
        self.assertEqual(manual.read_text(), "name;criterion;points;comment\ntwo;oral;1,5;good\n")

        other = {**BY_HAND, "criteria": BY_HAND["criteria"][1:]}
        self.grade(self.folder / "all", "--no-similarity", "--resume", rubric=other, status=2)
        self.assertIn("this grading has another rubric (two tasks, sha256 ", self.said)
        with contextlib.redirect_stdout(io.StringIO()):
            scored = self.grade("--rescore", rubric=other)
        self.assertEqual(self.grade(self.folder / "all", "--no-similarity", "--resume", rubric=other), scored)
        seed = str(scored["one"]["seed"])
        with contextlib.redirect_stdout(io.StringIO()):
            fresh = self.grade(self.folder / "all", "--no-similarity", "-s", seed, rubric=other, output="fresh")
        for name, one in fresh.items():  # more tasks were graded
            self.assertEqual({**scored[name], "files": None}, {**one, "files": None})
        self.grade(self.folder / "all", "--only", "two", "--again", rubric=other, output="none", status=2)
        self.assertIn("two is not graded yet", self.said)

    def test_what_people_wrote_wrongly_is_refused_before_anything_is_graded(self):
        for name in ("one", "two"):
            self.write(f"all/{name}", solutions())
        self.write("grades", {"manual.csv": "name,criterion,points,comment\nonne,oral,1,\n"})
        self.grade(self.folder / "all", rubric=BY_HAND, status=2)
        self.assertIn("manual.csv: row 2: there is no submission 'onne' (did you mean 'one'?)", self.said)
        self.assertFalse((self.folder / "grades/one").exists())

    def test_one_by_another_rubric_leaves_the_class_its_own(self):
        for name in ("one", "two"):
            self.write(f"all/{name}", FILES)
        other = {**BY_HAND, "criteria": [{**BY_HAND["criteria"][0], "id": "begin"}, BY_HAND["criteria"][1]]}
        plan = self.folder / "grades/grading.json"
        with unittest.mock.patch.multiple(grader.Grading, **NOTHING_JUDGED), contextlib.redirect_stdout(io.StringIO()):
            self.grade(self.folder / "all", "--no-similarity", rubric=BY_HAND)
            before = plan.read_text()
            self.grade(self.folder / "all", "--no-similarity", "--only", "one", "--again", rubric=other)
            self.assertEqual(plan.read_text(), before)
            # A criterion does not take over a column of people's own with its name.
            path = self.folder / "grades/grades.csv"
            whole = path.read_text()
            path.write_text("\n".join(line + (",late" if i == 0 else ",3") for i, line in enumerate(whole.splitlines())))
            late = {**BY_HAND, "criteria": [{**BY_HAND["criteria"][0], "id": "late"}, BY_HAND["criteria"][1]]}
            self.grade(self.folder / "all", "--no-similarity", "--only", "one", rubric=late, status=2)
            self.assertIn("grades.csv: row 2: '3' stands in the column 'late', which is a criterion of", self.said)
            path.write_text(whole)
            table = list(csv.DictReader((self.folder / "grades/grades.csv").read_text().splitlines()))
            self.assertEqual([(row["begin"], row["interleaved"], row["sequential"]) for row in table],
                             [("0", "", "0"), ("", "0", "0")])
            page = (self.folder / "grades/index.html").read_text().splitlines()
            self.assertEqual({line.count("<td") + line.count("<th>") for line in page if line.startswith("<tr>")}, {9})
            self.grade(self.folder / "all", "--no-similarity", "--only", "*", "--again", rubric=BY_HAND)
            self.assertNotIn("begin", (self.folder / "grades/grades.csv").read_text())

    def test_what_goes_on_keeps_the_years_and_the_rubric(self):
        for name in ("one", "two", "three"):
            self.write(f"all/{name}", FILES)
        self.write("2025/zoe", FILES)
        plan = self.folder / "grades/grading.json"
        with unittest.mock.patch.multiple(grader.Grading, **NOTHING_JUDGED), \
                unittest.mock.patch.object(values, "is_missing", return_value=True), \
                contextlib.redirect_stdout(io.StringIO()) as printed:
            self.grade(self.folder / "all", "--before", self.folder / "2025", rubric=BY_HAND)
            self.assertEqual(json.loads(plan.read_text())["before"], ["../2025"])
            before = plan.read_text()
            self.grade(self.folder / "all", "--only", "one", "--only", "t*o", "--again", rubric=BY_HAND)
            self.assertEqual(printed.getvalue(), "one: 0 -> 0 of 6\ntwo: 0 -> 0 of 6\n")
            self.assertEqual(plan.read_text(), before)
            self.grade(self.folder / "all", "--only", "one", "--only", "tow", "--again", rubric=BY_HAND, status=2)
            self.assertIn("--only tow: there is no such submission", self.said)
            # The rubric is forgotten, and what people wrote is right.
            self.write("grades", {"manual.csv": "name,criterion,points,comment\none,interleaved,1,late\n"})
            for words in (["--resume"], ["--only", "one"], ["--only", "one", "--again"]):
                self.grade(self.folder / "all", *words, rubric=None, status=2)
                self.assertIn("rubric.json: this grading has another rubric (two tasks, sha256 ", self.said)

    def test_another_submission_is_said_and_stays_as_it_was_graded(self):
        for name in ("one", "two x", "none"):
            self.write(f"all/{name}", FILES if name != "none" else {"a.txt": ""})
        prepare = grader.Grading.prepare

        def read_alone(grading, case, path):
            prepare(grading, case, path)
            case.build = None

        patched = {**NOTHING_JUDGED, "prepare": read_alone, "build_at": lambda *_: unittest.mock.MagicMock()}
        with unittest.mock.patch.multiple(grader.Grading, **patched):
            self.grade(self.folder / "all", "--no-similarity", status=1)
            self.grade(self.folder / "all", "--no-similarity", "--resume", status=1)
            self.assertNotIn("another one", self.said)
            for name in ("two x", "none"):
                self.write(f"all/{name}", {**FILES, INTERLEAVED: "other"})
            self.write("all/one", {"more.txt": "nobody grades it"})
            graded = self.grade(self.folder / "all", "--no-similarity", "--resume", status=1)
            self.assertEqual([line for line in self.said.splitlines() if "another" in line],
                             [f"tools/grade: {name} is another one now: --only {name} --again grades it anew"
                              for name in ("none", "two-x")])
            self.assertNotEqual((self.folder / "grades/two-x/files" / INTERLEAVED).read_text(), "other")
            self.assertIsNotNone(graded["none"]["problem"])

    def test_one_that_cannot_be_read_stops_no_other(self):
        """Such as a folder without rights, for who is not root."""
        for name in ("ada", "mal", "zoe"):
            self.write(f"all/{name}", FILES)
        own = submissions.is_repository

        def is_repository(path):
            if path.name == "mal":
                raise PermissionError(errno.EACCES, "Permission denied", path / "HEAD")
            return own(path)

        prepare = grader.Grading.prepare

        def read_alone(grading, case, path):
            prepare(grading, case, path)
            case.build = None

        patched = {**NOTHING_JUDGED, "prepare": read_alone, "build_at": lambda *_: unittest.mock.MagicMock()}
        problems = {"ada": None, "mal": "it cannot be read: Permission denied", "zoe": None}
        several = [self.folder / "all" / name for name in problems]
        with unittest.mock.patch.multiple(grader.Grading, **patched), \
                unittest.mock.patch.object(submissions, "is_repository", is_repository):
            for words in ([self.folder / "all"], [self.folder / "all", "--resume"], [*several, "--resume"]):
                graded = self.grade(*words, "--no-similarity", status=1)
                self.assertEqual({name: one["problem"] for name, one in graded.items()}, problems)

    def test_one_whose_result_is_damaged_is_graded_again(self):
        for name in ("one", "two"):
            self.write(f"all/{name}", FILES)
        words = (self.folder / "all", "--no-similarity", "--only", "two", "--again")
        with unittest.mock.patch.multiple(grader.Grading, **NOTHING_JUDGED):
            self.grade(self.folder / "all", "--no-similarity", rubric=BY_HAND)
            self.write("grades", {"manual.csv": "name,criterion,points,comment\none,oral,1,\ntwo,oral,1.5,\n"})
            for file, before in (("result.json", "unreadable"), ("a2.json", "1.5")):
                self.write("grades/two", {file: "{"})
                self.run_grade("--merge", status=2)
                self.assertRegex(self.said, f"two/{file}: .*: grade this submission again: --only two --again")
                if before == "unreadable":
                    self.run_grade(self.folder / "all", "--only", "one", "--build", BUILD, status=2)
                with contextlib.redirect_stdout(io.StringIO()) as printed:
                    self.grade(*words, rubric=BY_HAND)
                self.assertEqual(printed.getvalue(), f"two: {before} -> 1.5 of 6\n")


@needs_build
class Trial(Room):
    def tried(self, status):
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            self.grade("--try", status=status)
        self.assertFalse(list((self.folder / "grades").glob("*")))
        return printed.getvalue().splitlines()

    def test_the_solution_earns_all_and_the_hand_out_nothing(self):
        self.assertEqual(self.tried(0), ["interleaved: 2 of 2, empty hand-out 0",
                                         "sequential: 2 of 2, empty hand-out 0",
                                         "own solution: 4 of 4, 0 extra", "empty hand-out: 0 of 4, 0 extra"])
        own = trying.own
        with unittest.mock.patch.object(trying, "own", lambda of: {**own(of), INTERLEAVED: b"int x = ;\n"}):
            self.assertEqual(self.tried(2)[0], "interleaved: 0 of 2, empty hand-out 0")
        self.assertRegex(self.said, "error: .*rubric.json: criterion 'interleaved': the project's own solution misses "
                                    "it: reduce/interleaved: .*does not compile")


@needs_build
class Wrong(unittest.TestCase):
    def test_what_speaks_against_a_rubric(self):
        by = shipped_rubric()
        reference = {one["id"]: {"points": one["points"], "reason": None} for one in by.criteria}
        empty = {one["id"]: {"points": 0, "reason": "not written yet"} for one in by.criteria}
        slow = {"points": 0, "reason": "not within 0.8 times the reference's time"}
        self.assertEqual(list(trying.wrong_of(by, {**reference, "beyond": slow}, empty)), [])
        said = list(trying.wrong_of(by, {**reference, "naive": {"points": 0, "reason": "no"}},
                                    {**empty, "local": {"points": 3, "reason": None}}))
        self.assertEqual(said, ["criterion 'naive': the project's own solution misses it: no",
                                "criterion 'local': the empty hand-out earns 3: ask for more evidence"])
        document = json.loads(json.dumps({**SMALL_RUBRIC, "criteria": [
            {"id": "fast", "title": "Fast", "task": "reduce/atomic", "points": 1,
             "evidence": [{"kind": "time", "factor": 1.5}]}]}))
        by = rubric.Rubric(document, {"reduce/atomic": {}})
        self.assertEqual(len(list(trying.wrong_of(by, {"fast": slow}, {"fast": {"points": 0}}))), 1)


if __name__ == "__main__":
    unittest.main()
