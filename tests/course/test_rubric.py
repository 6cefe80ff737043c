#!/usr/bin/python3
"""What earns points, and the files about them: rubric, result, feedback, tables."""

import contextlib
import csv
import io
import json
import re
import unittest
import unittest.mock
import xml.etree.ElementTree as ElementTree

from grade_support import (PROJECT, SHIPPED_RUBRIC, SMALL_RUBRIC, TASKS, Room, all_passed, needs_build, one_failed,
                           shipped_rubric)

import columns
import copies
import grader
import layouts
import limits
import outputs
import rubric


@needs_build
class Rubric(unittest.TestCase):
    def judge(self, **changes):
        one = shipped_rubric()
        judged = one.judge(all_passed(**changes))
        return one.sums(judged), {criterion["id"]: criterion for criterion in judged}

    def test_the_shipped_one_is_the_assignments(self):
        one = shipped_rubric()
        self.assertEqual([criterion["points"] for criterion in one.criteria if not criterion["extra"]],
                         [2, 2, 3, 2, 2, 2, 3, 2, 2])
        self.assertEqual((one.most, one.most_extra), (20, 2))
        by_task = {}
        for criterion in one.criteria:
            if not criterion["extra"]:
                by_task[criterion["task"]] = by_task.get(criterion["task"], 0) + criterion["points"]
        listed = {task["id"]: task["points"] for task in TASKS.values() if task["points"]}
        self.assertEqual(by_task, listed, "as a2 list has them")
        self.assertEqual(self.judge()[0], (20, 2))
        results = all_passed()
        results.update(ms={"reduce/atomic": 1.0}, reference_ms={"reduce/atomic": 2.0})
        judged = one.judge(results)
        self.assertEqual(sum(criterion["points"] for criterion in judged if criterion["extra"]), 4)
        self.assertEqual(one.sums(judged), (20, 2), "no more extra points count")

    def test_it_keeps_to_its_schema(self):
        import jsonschema
        schema = json.loads((PROJECT / "tools/course/rubric-schema.json").read_text(encoding="utf-8"))
        jsonschema.Draft202012Validator.check_schema(schema)
        jsonschema.validate(SHIPPED_RUBRIC, schema)
        jsonschema.validate(SMALL_RUBRIC, schema)
        for spoil in self.spoilt():
            self.assertFalse(jsonschema.Draft202012Validator(schema).is_valid(spoil), spoil)

    def spoilt(self):
        for change in (lambda one: one.pop("points"), lambda one: one.update(points=-1),
                       lambda one: one.update(points=1.3), lambda one: one.update(points=1e300),
                       lambda one: one.update(surprise=1), lambda one: one.update(evidence=[]),
                       lambda one: one["evidence"][0].update(kind="guess"),
                       lambda one: one["evidence"][0].update(runs=["sideways"]),
                       lambda one: one["evidence"].append({"kind": "time", "factor": 0})):
            document = json.loads(json.dumps(SHIPPED_RUBRIC))
            change(document["criteria"][0])
            yield document

    def test_what_is_wrong_with_one_is_said(self):
        for document in self.spoilt():
            with self.assertRaisesRegex(rubric.RubricError, "criterion 1"):
                rubric.Rubric(document, TASKS)
        for change, words in ((lambda one: one.update(task="reduce/nothing"), "there is no task 'reduce/nothing'"),
                              (lambda one: one.update(needs=["unroll"]), "does not stand before it"),
                              (lambda one: one["evidence"].append({"kind": "lint", "rules": ["shared-race"]}),
                               "there is no rule 'shared-race'.*rules must"),
                              (lambda one: one.update(task="reduce/interleavd"), "did you mean 'reduce/interleaved'"),
                              (lambda one: one.update(need=["unroll"]), "knows no 'need' .did you mean 'needs'"),
                              (lambda one: one["evidence"][0].update(runs=["lenghts"]), "did you mean 'lengths'")):
            document = json.loads(json.dumps(SHIPPED_RUBRIC))
            change(document["criteria"][0])
            with self.assertRaisesRegex(rubric.RubricError, words):
                rubric.Rubric(document, TASKS)

    def test_what_is_of_another_kind_is_refused_before_anybody_is_graded(self):
        first, whole, manual = (lambda one: one["criteria"][0]), (lambda one: one), (lambda one: one["manual"][0])
        for place, change, words in ((whole, {"title": 5}, "title must be a text"),
                                     (whole, {"criteria": None}, "criteria must be a list"),
                                     (whole, {"manual": "x"}, "manual must be a list"),
                                     (first, {"title": 5}, "title must be a text"),
                                     (first, {"extra": "no"}, "extra must be true or false"),
                                     (first, {"needs": "unroll"}, "needs must be a list"),
                                     (first, {"evidence": "check"}, "evidence must be a list"),
                                     (first, {"id": "=cmd|x"}, "id must be small letters"),
                                     (first, {"id": ["a"]}, "id must be small letters"),
                                     (manual, {"id": "<b>"}, "id must be small letters"),
                                     (manual, {"id": "points"}, "'points' is a column")):
            document = json.loads(json.dumps(SHIPPED_RUBRIC))
            place(document).update(change)
            with self.assertRaisesRegex(rubric.RubricError, words):
                rubric.Rubric(document, TASKS)

    def test_a_key_too_many_is_named(self):
        for place, words in ((lambda one: one["manual"][0], "manual 1: .*knows no 'titel' .did you mean 'title'"),
                             (lambda one: one, "rubric: a rubric knows no 'titel' .did you mean 'title'")):
            document = json.loads(json.dumps(SHIPPED_RUBRIC))
            place(document)["titel"] = 1
            with self.assertRaisesRegex(rubric.RubricError, words):
                rubric.Rubric(document, TASKS)

    def test_it_is_held_against_the_projects_own_solution(self):
        one = shipped_rubric()
        runs = all_passed()["runs"]
        self.assertEqual(one.hold_against(runs), [])
        runs["course"]["scan/naive"]["method"][0].update(met=False, evidence="18 dispatches")
        self.assertEqual(len(one.hold_against(runs)), 1)
        self.assertIn("18 dispatches", one.hold_against(runs)[0])
        skipped = {"status": "skipped", "why": "it takes 4 elements at a time"}
        runs["lengths"]["scan/offset"] = {**runs["lengths"]["scan/offset"], **skipped}
        self.assertIn("scan/offset (a2 check -w 256 --elements 2 --up-to 262147): skipped: it takes 4 elements",
                      "\n".join(one.hold_against(runs)))
        document = json.loads(json.dumps(SHIPPED_RUBRIC))
        document["criteria"][5]["evidence"][1]["criteria"] = ["pingpong"]
        with self.assertRaisesRegex(rubric.RubricError, "'naive'.*no criterion 'pingpong' .did you mean 'ping-pong'"):
            rubric.Rubric(document, TASKS).hold_against(runs)

    def test_half_points(self):
        document = json.loads(json.dumps(SMALL_RUBRIC))
        document["criteria"][0]["points"] = 1.5
        one = rubric.Rubric(document, TASKS)
        judged = one.judge(all_passed(reduce_sequential={"status": "failed"}))
        self.assertEqual((one.sums(judged), one.most), ((1.5, 0), 3.5))
        result = outputs.result_document("one", one, judged, None, None, "bubblewrap", None)
        theirs = outputs.classroom(result, {})
        self.assertEqual((theirs["score"], theirs["max-score"]), (3, 7))
        self.assertEqual(sum(test["score"] for test in theirs["tests"]), 3)

    def test_each_way_to_fail_costs_its_own_criterion(self):
        for status, reason in (("failed", "a wrong result"), ("timeout", "time-out"), ("crashed", "crash"),
                               ("not-written", "not written yet"), ("skipped", "skipped")):
            (points, _), judged = self.judge(reduce_sequential={"status": status})
            self.assertEqual(points, 18)
            self.assertIn(reason, judged["sequential"]["reason"])

    def test_needs_and_methods(self):
        unmet = [{"criterion": "work-efficient", "met": True, "evidence": ""},
                 {"criterion": "no bank conflicts", "met": False, "evidence": "16-way"}]
        (points, _), judged = self.judge(scan_local={"method": unmet})
        self.assertEqual(points, 18)
        self.assertEqual(judged["conflict-free"]["reason"], "scan/local: not 'no bank conflicts': 16-way")
        (points, _), judged = self.judge(scan_local={"status": "failed"})
        self.assertEqual((points, judged["conflict-free"]["reason"]), (15, "needs local first"))
        (points, _), judged = self.judge(scan_naive={"method": []})
        self.assertEqual(points, 18, "what nothing shows earns nothing")

    def test_rules_and_times(self):
        document = json.loads(json.dumps(SHIPPED_RUBRIC))
        document["criteria"][0]["evidence"] += [{"kind": "emulator", "rules": ["shared-race"]},
                                                {"kind": "time", "factor": 1.5}]
        one = rubric.Rubric(document, TASKS)
        results = all_passed()
        results.update(ms={"reduce/interleaved": 3.0}, reference_ms={"reduce/interleaved": 2.0})
        self.assertEqual(one.sums(one.judge(results))[0], 20)
        results["ms"] = {"reduce/interleaved": 3.1}
        self.assertEqual(one.sums(one.judge(results))[0], 18)
        results["ms"] = {}
        self.assertEqual(one.sums(one.judge(results))[0], 18, "what was not timed is not fast")
        results["not_timed"] = {"reduce/interleaved": "out-of-bounds: x"}
        self.assertIn("with its own work-groups, reduce/interleaved: out-of-bounds: x", one.judge(results)[0]["reason"])
        results = all_passed(reduce_interleaved={"lint": [{"rule": "shared-race", "severity": "note", "message": "m",
                                                             "dispatch": None}]})
        self.assertIn("shared-race", one.judge(results)[0]["reason"])

    def test_what_can_earn_nothing_any_more_is_not_asked_for(self):
        one, rows = shipped_rubric(), set(shipped_rubric().runs()["course"])

        def undecided(run, by=one, **changes):
            return by.undecided(run, {"runs": {"course": all_passed(**changes)["runs"]["course"]}})

        self.assertEqual(one.undecided("course", {"runs": {}}), rows)
        self.assertEqual(undecided("lengths"), rows)
        self.assertEqual(undecided("lengths", scan_naive={"status": "failed"}), set(), "one row costs the point")
        self.assertEqual(undecided("groups-64", scan_naive={"status": "failed"}), {"reduce/atomic"})
        self.assertEqual(undecided("groups-64", reduce_atomic={"status": "crashed"}), set())
        runs = {"course": all_passed()["runs"]["course"], "groups-64": {"reduce/atomic": {"status": "skipped", "why": "so", "cases": [], "lint": []}}}
        self.assertEqual(one.undecided("groups-128", {"runs": runs}), set(), "that of 64 costs the point")
        # Parts are earned separately, and a common requirement counts for each.
        by_row = [{"kind": "check", "runs": ["lengths"], "tasks": [row]} for row in ("reduce/interleaved", "scan/naive")]
        document = self.with_parts(*by_row)
        document["criteria"] = document["criteria"][:1]
        by_parts = rubric.Rubric(document, TASKS)
        self.assertEqual(by_parts.runs()["course"], {"reduce/interleaved", "scan/naive"}, "asked for first")
        self.assertEqual(undecided("lengths", by_parts, scan_naive={"status": "failed"}), {"reduce/interleaved"})
        self.assertEqual(undecided("lengths", by_parts, reduce_interleaved={"status": "failed"}), set())

    def with_parts(self, *parts, **changes):
        """The shipped one, its first criterion in parts of one point each."""
        document = json.loads(json.dumps(SHIPPED_RUBRIC))
        one = document["criteria"][0]
        one.update({"parts": [{"points": 1, "evidence": [part]} for part in parts], **changes})
        if changes.get("evidence", one) is None:
            del one["evidence"]
        return document

    def test_parts_earn_their_own_points(self):
        import jsonschema
        schema = json.loads((PROJECT / "tools/course/rubric-schema.json").read_text(encoding="utf-8"))
        steps = {"kind": "method", "criteria": ["one dispatch per step"]}
        document = self.with_parts({"kind": "check"}, steps, evidence=None)
        jsonschema.validate(document, schema)
        one = rubric.Rubric(document, TASKS)
        self.assertEqual((one.most, one.sums(one.judge(all_passed()))), (20, (20, 2)))
        many = [{"criterion": "one dispatch per step", "met": False, "evidence": "3 dispatches"}]
        judged = one.judge(all_passed(reduce_interleaved={"method": many}))
        self.assertEqual((judged[0]["points"], judged[0]["of"]), (1, 2))
        self.assertEqual(judged[0]["reason"], "1 missing: reduce/interleaved: not 'one dispatch per step': 3 dispatches")
        judged = one.judge(all_passed(reduce_interleaved={"status": "failed"}))
        self.assertEqual(judged[0]["points"], 0)
        self.assertEqual(judged[0]["reason"].count("1 missing: reduce/interleaved"), 2)
        # A common requirement is needed first, and so are whole criteria that another one needs.
        document = self.with_parts({"kind": "check"}, {"kind": "check"}, evidence=[steps])
        document["criteria"][1]["needs"] = ["interleaved"]
        one = rubric.Rubric(document, TASKS)
        judged = one.judge(all_passed(reduce_interleaved={"method": many}))
        self.assertEqual([criterion["points"] for criterion in judged[:2]], [0, 0])
        self.assertEqual(judged[1]["reason"], "needs interleaved first")

    def test_the_tiers_of_the_page_are_as_it_says(self):
        page = (PROJECT / "docs/grading.md").read_text(encoding="utf-8")
        criterion = json.loads(re.search(r"^    \{ \"id\"(?:.+\n)*", page, re.MULTILINE)[0])
        one = rubric.Rubric({**SMALL_RUBRIC, "criteria": [criterion]}, TASKS)
        task, fast = "reduce/atomic", {"ms": {"reduce/atomic": 3.0}, "reference_ms": {"reduce/atomic": 2.0}}
        long_fails = {"status": "failed", "cases": [{"n": 1 << 17, "status": "failed"}]}
        for results, points in (({**all_passed(), **fast}, 2), ({**all_passed(), "untimed": "x"}, 1),
                                (all_passed(reduce_atomic=long_fails), 0.5),
                                (all_passed(reduce_atomic={"status": "failed", "cases": [{"n": 9, "status": "failed"}]}), 0)):
            self.assertEqual(one.judge(results)[0]["points"], points, results["runs"]["course"][task])

    def test_parts_that_make_no_sense_are_refused(self):
        check = {"kind": "check"}
        for change, words in (({"parts": []}, "parts must be a list, and not empty"),
                              ({"parts": {}}, "parts must be a list, and not empty"),
                              ({"parts": [5]}, "part 1: must have points and evidence"),
                              ({"parts": [{"points": 2, "evidence": []}]}, "part 1: evidence must be a list, and not"),
                              ({"parts": [{"points": 0, "evidence": [check]}]}, "part 1: points must be .* above 0"),
                              ({"parts": [{"points": 2, "evidence": [check], "need": 1}]}, "a part knows no 'need'"),
                              ({"parts": [{"points": 2, "evidence": [{"kind": "guess"}]}]},
                               "criterion 1 .interleaved., part 1, evidence 1: kind must be"),
                              ({"points": 3}, "its parts have 2 points together, and it has 3")):
            document = self.with_parts(check, check)
            document["criteria"][0].update(change)
            with self.assertRaisesRegex(rubric.RubricError, words):
                rubric.Rubric(document, TASKS)
        document = self.with_parts(check, check)
        del document["criteria"][0]["evidence"], document["criteria"][0]["parts"]
        with self.assertRaisesRegex(rubric.RubricError, "must have id, title, points, and evidence or parts"):
            rubric.Rubric(document, TASKS)

    def test_evidence_of_parts_is_asked_for(self):
        document = self.with_parts({"kind": "check", "runs": ["lengths"]}, {"kind": "time", "factor": 2}, evidence=None)
        one = rubric.Rubric(document, TASKS)
        self.assertIn("reduce/interleaved", one.runs()["lengths"])
        self.assertIn("reduce/interleaved", one.timed() & one.evidenced())
        skipped = {"status": "skipped", "why": "it takes 4 elements"}
        runs = all_passed()["runs"]
        runs["lengths"]["reduce/interleaved"] = {**runs["lengths"]["reduce/interleaved"], **skipped}
        self.assertIn("criterion 'interleaved': reduce/interleaved (a2 check -w 256", "\n".join(one.hold_against(runs)))

    def test_lengths_that_pass_are_tiers(self):
        tiers = self.with_parts({"kind": "check", "up_to": 4096}, {"kind": "check"}, evidence=None)
        one = rubric.Rubric(tiers, TASKS)

        def earned(n, smallest=None, **more):
            failed = {"status": "failed", "cases": [{"n": n, "status": "failed"}] if n else [],
                      "diagnosis": {"smallest_n": smallest}, **more}
            return one.judge(all_passed(reduce_interleaved=failed))[0]["points"]

        self.assertEqual(one.judge(all_passed())[0]["points"], 2)
        self.assertEqual([earned(8192), earned(4096), earned(4097, 4097), earned(8192, 4095)], [1, 0, 1, 0])
        self.assertEqual(earned(None), 0, "what fails by no result fails at every length")
        race = {"rule": "missing-barrier", "severity": "failure", "message": "m", "dispatch": 1}
        self.assertEqual(earned(8192, lint=[race]), 0)
        self.assertEqual(earned(8192, lint=[{**race, "severity": "note"}]), 1)
        for status in ("timeout", "crashed", "skipped", "not-written"):
            self.assertEqual(earned(8192, status=status), 0, status)
        for change in ({"up_to": 0}, {"up_to": "4096"}, {"up_to": True}, {"up_to": 1 << 21}, {"up_to": 1.5},
                       {"runs": ["lengths"], "up_to": 64}, {"runs": ["course", "lengths"], "up_to": 64}):
            with self.assertRaisesRegex(rubric.RubricError, "part 1, evidence 1: up_to"):
                rubric.Rubric(self.with_parts({"kind": "check", **change}, {"kind": "check"}), TASKS)

    def test_a_tie_counts_for_the_student(self):
        one = rubric.Rubric(self.with_parts({"kind": "time", "factor": 1.5}, {"kind": "time", "factor": 1}), TASKS)

        def earned(ms, spread):
            task = "reduce/interleaved"
            return one.judge({**all_passed(), "ms": {task: ms}, "reference_ms": {task: 2.0},
                              "reference_spread": {task: spread}})[0]["points"]

        self.assertEqual([earned(2.0, 0), earned(2.01, 0), earned(2.09, 0.05), earned(2.11, 0.05), earned(3.2, 0.05)],
                         [2, 1, 2, 1, 0])
        self.assertEqual([earned(2.19, 5), earned(2.21, 5)], [2, 1], "of a spread, no more than a tenth")

    def test_times_are_wanted_where_they_can_earn_something(self):
        def wanted(judged_as, **changes):
            one = rubric.Rubric(self.with_parts({"kind": "check"}, {"kind": "time", "factor": 2}, **changes), TASKS)
            return one.wants_times({**judged_as, "untimed": "not timed"})

        self.assertTrue(wanted(all_passed()), "they are no extra points")
        self.assertFalse(wanted(all_passed(), extra=True), "the most extra points are there already")
        shipped = shipped_rubric()
        self.assertFalse(shipped.wants_times({**all_passed(), "untimed": "not timed"}))
        one_missing = all_passed()
        one_missing["runs"]["lengths"]["scan/naive"] = {"status": "failed", "cases": [], "lint": [], "method": []}
        self.assertTrue(shipped.wants_times({**one_missing, "untimed": "not timed"}))
        one_missing["runs"]["course"]["reduce/unroll"] = {"status": "failed", "cases": [], "lint": [], "method": []}
        self.assertFalse(shipped.wants_times({**one_missing, "untimed": "not timed"}), "it needs all three")
        # A wrong result is not called untimed.
        one = rubric.Rubric(self.with_parts({"kind": "time", "factor": 2}, {"kind": "time", "factor": 3}), TASKS)
        judged = one.judge({**all_passed(reduce_interleaved={"status": "crashed"}), "untimed": "not timed"})
        self.assertIn("reduce/interleaved: crash", judged[0]["reason"])

    def test_the_walk_can_be_demanded(self):
        unseen = {"rule": "not-walked", "severity": "note", "dispatch": None,
                  "message": "kernel K is walked on the host up to shaders/K.comp:3: OpX, which the emulator does not know"}
        for rule in ("not-walked", "shared-race"):
            document = json.loads(json.dumps(SHIPPED_RUBRIC))
            document["criteria"][0]["evidence"].append({"kind": "emulator", "rules": [rule]})
            one = rubric.Rubric(document, TASKS)
            self.assertEqual(one.sums(one.judge(all_passed()))[0], 20)
            judged = one.judge(all_passed(reduce_interleaved={"lint": [unseen]}))
            self.assertEqual(one.sums(judged)[0], 18)
            self.assertIn("not-walked: kernel K is walked on the host up to shaders/K.comp:3", judged[0]["reason"])
        self.assertEqual(self.judge(reduce_interleaved={"lint": [unseen]})[0], (20, 2), "not demanded")


@needs_build
class Outputs(unittest.TestCase):
    def result(self, name="Zoë <b>|=1+1"):
        return one_failed(name)

    def test_the_result_keeps_to_its_schema(self):
        import jsonschema
        schema = json.loads((PROJECT / "tools/course/result-schema.json").read_text(encoding="utf-8"))
        jsonschema.Draft202012Validator.check_schema(schema)
        jsonschema.validate(self.result()[0], schema)
        jsonschema.validate({**self.result()[0], "student": layouts.student_of("Ada King_1_assignsubmission_file_")}, schema)

    def test_scores_of_others_are_whole_and_no_more_than_the_most(self):
        result, _ = self.result()
        self.assertEqual(result["points"], 18)
        theirs = outputs.gradescope(result)
        self.assertEqual(theirs["score"], sum(test["score"] for test in theirs["tests"]))
        self.assertEqual(theirs["extra_data"]["extra"], 1)
        classroom = outputs.classroom(result, {"CLASSROOM": "cs", "COMMIT_URL": "https://c"})
        self.assertEqual((classroom["schema"], classroom["classroom"], classroom["review"]),
                         ("classroom50/result/v1", "cs", "https://c"))
        self.assertEqual((classroom["score"], classroom["max-score"]), (18, 20))
        self.assertEqual(classroom["score"], sum(test["score"] for test in classroom["tests"]))
        for test in classroom["tests"]:
            self.assertIsInstance(test["score"], int)
            self.assertLessEqual(test["score"], test["max-score"])
            self.assertEqual(set(test), {"test-name", "passed", "score", "max-score"})
        self.assertTrue(all(isinstance(value, str) and value for key, value in classroom.items()
                            if key not in ("score", "max-score", "tests")))

    def test_feedback_teaches(self):
        result, results = self.result()
        text = outputs.feedback(result, results, {task: "label" for task in TASKS})
        for words in ("18 of 20 points, and 1 extra", "## scan/naive: failed", "shaders/A2Task2Naive.comp, line 12",
                      "dispatch is number 3", "    build/a2 steps scan/naive -n 8", "    expected sum 3, got `4`",
                      "by hand"):
            self.assertIn(words, text)
        self.assertNotIn("<b>", text)

    def test_feedback_says_a_note_once(self):
        found = [{"rule": "missing-barrier", "severity": "note", "message": f"dispatch {i}"} for i in range(3)]
        self.assertEqual(outputs.notes_of({"lint": found}),
                         ["", "Noted, though it passed:", "", "- missing-barrier: dispatch 0 (and 2 more like it)"])
        self.assertEqual(outputs.notes_of({"lint": []}), [])

    def test_tables_and_xml_hold_any_name(self):
        result, _ = self.result()
        row = list(csv.DictReader(io.StringIO(outputs.grades_csv([result], columns.ByHand()))))[0]
        self.assertEqual((row["points"], row["naive"], row["oral"]), ("18", "0", ""))
        self.assertEqual(outputs.safe_cell("=cmd"), "'=cmd")
        page = outputs.index_html([result], columns.ByHand())
        self.assertNotIn("<b>", page)
        self.assertNotIn("similarity.html", page, "nothing was compared")
        self.assertIn('<a href="similarity.html">', outputs.index_html([result], columns.ByHand(), copies=True))
        suite = ElementTree.fromstring(outputs.junit(result).encode())[0]
        self.assertEqual(int(suite.get("failures")), len(suite.findall("testcase/failure")))
        ElementTree.fromstring(outputs.junit(self.result("\x00\x1b")[0]).encode())


class Tables(Room):
    result = {"name": "Zoe_1", "title": "t", "points": 1, "of": 2, "extra": 0, "warnings": 0, "problem": "no\x1b[2J <b>",
              "criteria": [{"id": "a", "points": 1, "reason": "\u202egnp"}], "manual": [{"id": "oral", "title": "Oral"},
                                                                                       {"id": "style", "title": "S"}]}

    def kept(self, data):
        (self.folder / "grades.csv").write_bytes(data)
        text = outputs.grades_csv([self.result], columns.read(self.folder / "grades.csv"))
        return next(csv.DictReader(io.StringIO(text)))

    def test_what_people_filled_in_stays_however_it_was_saved(self):
        for data in (b"name,points,oral,style\nZoe_1,1,good,-1\n",
                     b'\xef\xbb\xbf"style";"name";"oral"\r\n"-1";"Zoe_1";"good"\r\n',
                     b"sep=;\r\nname;oral;style\r\nZoe_1;good;-1\r\n",
                     "name\toral\tstyle\r\nZoe_1\tgood\t-1\r\n".encode("utf-16"),
                     b"Name, Oral ,style\nother,x,y\nZoe_1,good,-1\n"):
            kept = self.kept(data)
            self.assertEqual((kept["oral"], kept["style"], kept["points"]), ("good", "-1", "1"), data)
        kept = self.kept('name;oral;late days\nZoe_1;"sehr gut; f\u00fcr\nsich, \'nett\'";2\n'.encode("cp1252"))
        self.assertEqual((kept["oral"], kept["late days"]), ("sehr gut; f\u00fcr\nsich, 'nett'", "2"))
        again = self.kept(outputs.grades_csv([self.result], columns.read(self.folder / "grades.csv")).encode())
        self.assertEqual(again, kept)
        with self.assertRaisesRegex(columns.ColumnsError, "no column 'name'"):
            self.kept(b"oral,style\ngood,1\n")

    def test_the_page_has_the_problem_and_what_people_filled_in(self):
        page = outputs.index_html([self.result], columns.ByHand(["name", "oral"], {"Zoe_1": {"oral": "<script>good"}}))
        for words in ("<th>oral</th>", "&lt;script&gt;good", "no&lt;U+001B&gt;[2J &lt;b&gt;", "&lt;U+202E&gt;gnp"):
            self.assertIn(words, page)

    def test_bytes_that_are_obeyed_are_shown_as_text(self):
        log = "a\r\n\x1b[31mred\u202e\x00\u200b\ttab\n"
        result = {**self.result, "most_extra": 0, "files": {"missing": [], "broken": [], "refused": [], "unused": ["x\x1b]0;t\x07.c"]}}
        for one in result["criteria"]:
            one.update(title="A", extra=False, of=2)
        outputs.write_submission(self.folder, result, None, {}, log)
        for name in ("build.log", "feedback.md"):
            text = (self.folder / name).read_bytes().decode()
            self.assertFalse([c for c in text if c in "\x1b\u202e\x00\u200b\r\x07"], name)
        self.assertIn("<U+001B>[31mred<U+202E><U+0000><U+200B>\ttab", (self.folder / "build.log").read_text())

    def test_names_of_submissions_are_shown_as_text_too(self):
        name = "=x\x1b[2J\u202e"
        page = outputs.index_html([{**self.result, "name": name}], columns.ByHand())
        self.assertNotIn("\x1b", page)
        self.assertNotIn("\u202e", page)
        self.assertIn("=x&lt;U+001B&gt;[2J", page)
        table = copies.as_csv([copies.Row(1, name, "-other", "a.comp", "tokens", 50, 60, 7)])
        self.assertIn("1,'=x<U+001B>[2J<U+202E>,'-other,a.comp,tokens,50,60,7\n", table)
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            grader.tell({**self.result, "name": name})
        self.assertEqual(said.getvalue(),
                         "tools/grade: =x<U+001B>[2J<U+202E>: 1 of 2, 0 extra (no<U+001B>[2J <b>)\n")

    def test_what_this_machine_cannot_limit_is_said(self):
        with unittest.mock.patch.object(limits, "has_landlock", return_value=False):
            self.assertTrue(any("no Landlock" in note for note in limits.notes()))
        with unittest.mock.patch.object(limits, "has_landlock", return_value=True):
            self.assertFalse(any("no Landlock" in note for note in limits.notes()))


if __name__ == "__main__":
    unittest.main()
