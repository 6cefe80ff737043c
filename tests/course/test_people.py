#!/usr/bin/python3
"""manual.csv: people's entries, read back from any program that saved it, and their effect on points."""

import json
import time
import unittest

from grade_support import PROJECT, SHIPPED_RUBRIC, Room

import people
import rubric


def made(name, **changes):
    """A result with two criteria, an extra one, and two items for people, one of which has points."""
    criteria = [{"id": one, "title": one.title(), "task": None, "points": points, "of": 2, "extra": extra,
                 "reason": None if points else "a wrong result"}
                for one, points, extra in (("first", 2, False), ("second", 0, False), ("beyond", 0, True))]
    return {"schema": 1, "name": name, "title": "t", "problem": None, "points": 2, "of": 4, "extra": 0, "most_extra": 1,
            "criteria": criteria, "manual": [{"id": "style", "title": "Style"},
                                             {"id": "oral", "title": "Oral", "points": 3}],
            "warnings": 0, "jail": "user", "seed": 7,
            "files": {"taken": [], "missing": [], "broken": [], "unused": [], "refused": []}, **changes}


class Grades(Room):
    """A folder of made grades."""

    NAMES = ("anna_1", "Zoë_2", "李雷", "نورا")

    def setUp(self):
        super().setUp()
        self.grades = self.folder / "grades"
        for name in self.NAMES:
            self.write(f"grades/{name}", {"result.json": json.dumps(made(name))})

    def manual(self, data):
        (self.grades / "manual.csv").write_bytes(data if isinstance(data, bytes) else data.encode())
        return people.read(self.grades)

    def refused(self, data, words):
        with self.assertRaisesRegex(people.PeopleError, words) as caught:
            self.manual(data)
        self.assertNotIn("\n", str(caught.exception))


class Read(Grades):
    def test_without_the_file_nothing_is_said(self):
        final = people.read(self.grades).final(made("anna_1"))
        self.assertEqual((final.points, final.of, final.extra), (2, 7, 0))
        self.assertEqual(final.manual, [{"id": "style", "title": "Style", "points": None, "of": None, "comment": ""},
                                        {"id": "oral", "title": "Oral", "points": None, "of": 3, "comment": ""}])
        self.assertEqual({one["by_hand"] for one in final.criteria}, {None})

    def test_points_of_people_are_added_and_overrides_replace(self):
        result = made("anna_1")
        before = json.dumps(result)
        final = self.manual("name,criterion,points,comment\nanna_1,oral,2.5,good\nanna_1,second,1.5,a typo\n"
                            "anna_1,beyond,2,\"as, agreed\"\nanna_1,style,,neat\nZoë_2,oral,,\n").final(result)
        self.assertEqual((final.points, final.of, final.extra), (6, 7, 1), "no more extra points count than most_extra")
        self.assertIsInstance(final.points, int)
        self.assertEqual([(one["points"], one["by_hand"], one["reason"]) for one in final.criteria],
                         [(2, None, None), (1.5, "a typo", "a wrong result"), (2, "as, agreed", None)])
        self.assertEqual([(one["points"], one["comment"]) for one in final.manual], [(None, "neat"), (2.5, "good")])
        self.assertEqual(json.dumps(result), before, "the result is what the machine found")
        self.assertIsNone(people.read(self.grades).of("Zoë_2", "oral"), "an empty row says nothing")

    def test_points_that_people_take_away_have_their_reason(self):
        final = self.manual("name,criterion,points,comment\nanna_1,first,0,copied\n").final(made("anna_1"))
        self.assertEqual((final.points, final.criteria[0]["reason"]), (0, "copied"))

    def test_however_it_was_saved(self):
        text = 'name;criterion;points;comment\r\nZoë_2;oral;"1,5";"two\r\nlines; <b>"\r\n李雷;oral;2;\r\n' \
               'نورا;oral;0,5;\r\n'
        for data in (text.encode(), b"\xef\xbb\xbf" + text.encode(), text.encode("utf-16"),
                     ("sep=;\r\n" + text).encode(),
                     text.replace(";", "\t").encode(), ("Comment;Points;Criterion;NAME;by\n"
                                                        '"two\nlines; <b>";1,5;oral;\'Zoë_2;me\n;2;oral;李雷;\n'
                                                        ';"0.5";oral;نورا;\n').encode()):
            said = self.manual(data)
            self.assertEqual([said.of(name, "oral").points for name in self.NAMES[1:]], [1.5, 2, 0.5], data)
            self.assertEqual(said.of("Zoë_2", "oral").comment.replace("\t", ";"), "two\nlines; <b>")

    def test_a_name_in_other_bytes_is_the_same(self):
        said = self.manual("name,criterion,points,comment\nZoe\u0308_2,oral,1,\n")
        self.assertEqual(said.of("Zoë_2", "oral").points, 1)

    def test_a_formula_is_text_and_stays_so(self):
        said = self.manual("name,criterion,points,comment\nanna_1,oral,1,'=1+1\nanna_1,style,,=2+2\n")
        self.assertEqual(said.of("anna_1", "oral").comment, "=1+1")
        text = people.as_csv(said.cells)
        self.assertIn("anna_1,oral,1,'=1+1\nanna_1,style,,'=2+2\n", text)
        self.assertEqual(people.as_csv(self.manual(text).cells), text)

    def test_what_is_wrong_is_said_with_its_row(self):
        head = "name,criterion,points,comment\n"
        for rows, words in (("ana_1,oral,1,", "manual.csv: row 2: there is no .*'ana_1' .did you mean 'anna_1'"),
                            (",,,\n,,,\nanna_1,orall,1,", "row 4: anna_1 has no criterion 'orall' .did you mean 'oral"),
                            ("anna_1,oral,3.5,", "row 2: anna_1: oral: 3.5 points are more than the 3"),
                            ("anna_1,oral,-1,", "a number from 0"), ("anna_1,oral,'-1,", "a number from 0"),
                            ("anna_1,oral,1.3,", "whole or half"), ("anna_1,oral,nan,", "a number from 0"),
                            ("anna_1,oral,1e1,", "a number from 0"), ("anna_1,oral,good,", "half, not 'good'"),
                            ("anna_1,style,1,", "gives no points for it"),
                            ("anna_1,second,1,", "row 2: anna_1: second: an override needs a reason: write a comment"),
                            ("anna_1,first,2,", "row 2: anna_1: first: an override needs a reason: write a comment"),
                            ("anna_1,second,,why", "a comment without points"),
                            ("anna_1,total,1,", "has no criterion 'total'"), ("anna_1,,1,", "it has no criterion"),
                            (",oral,1,", "it has no name"), ("anna_1,oral,1,a,b", "without a heading"),
                            ("anna_1,oral,1,\nanna_1,oral,1,", "row 3: anna_1: oral stands in row 2 already")):
            self.refused(head + rows + "\n", words)
        self.refused("name,criterion,points\n", "no column 'comment'")
        self.refused("name,criterion,points,points,comment\n", "column 'points' twice")
        self.refused(head + "\"" + "x" * 200000 + "\"", "row 2: a cell has more than 131072 letters")
        self.refused(head + "anna_1,oral,1,\"open\nanna_1,second,1,x\n", "row 2: a quotation mark opens a cell and none")
        self.refused(head + "anna_1,oral,1,\n" + "anna_1,oral,1,\"a\"b\n", "row 3: a quotation mark opens a cell")
        self.refused(head + "anna_1,oral,2,5\n", "row 2: anna_1: oral: is '2,5' a number, and no comment")

    def test_a_reason_that_nobody_can_see_is_none(self):
        head = "name,criterion,points,comment\n"
        for blank in ("\u200b", "\u00a0\u2003", "\u2060\u200d\ufeff", "\x01", "\u3164", "\u2800", "\ufe0f\u0301"):
            self.refused(f"{head}anna_1,second,1,{blank}\n", "second: an override needs a reason")
            self.assertIsNone(self.manual(f"{head}anna_1,style,,{blank}\n").of("anna_1", "style"))
        for seen in ("x", "\u597d", "\u0661", "?", "\U0001f44d", "a\u200bb"):
            self.assertEqual(self.manual(f"{head}anna_1,second,1,{seen}\n").of("anna_1", "second").comment, seen)

    def test_a_hundred_thousand_columns_are_soon_read(self):
        for heading, words in (("x", "column 'x' twice"), ("x{}", "row 2: there is no submission 'x'")):
            text = ",".join(["name,criterion,points,comment", *(heading.format(i) for i in range(100_000))])
            begun = time.monotonic()
            self.refused(f"{text}\nx,oral,1,\n", words)
            self.assertLess(time.monotonic() - begun, 10)

    def test_a_folder_in_its_place_and_other_results_are_said(self):
        (self.grades / "manual.csv").mkdir()
        with self.assertRaisesRegex(people.PeopleError, "manual.csv: Is a directory"):
            people.read(self.grades)
        (self.grades / "manual.csv").rmdir()
        for text, words in (('{"schema": 2}', "its schema is 2"), ("{", "Expecting property name"), ("[]", "it must be object"),
                            ('{"schema": 1, "name": "x"}', "it has no 'title'")):
            (self.grades / "anna_1/result.json").write_text(text)
            self.refused("name,criterion,points,comment\n", f"anna_1/result.json: .*{words}")

    def test_what_a_killed_grading_left_is_nobodys(self):
        self.write("grades/.part-1", {"result.json": "{"})
        self.assertEqual(set(people.results_of(self.grades)), set(self.NAMES))

    def test_those_that_will_be_graded_are_known(self):
        text = "name,criterion,points,comment\nnew_3,oral,1,\n"
        self.refused(text, "no submission 'new_3'")
        said = people.read(self.grades, {"new_3": made("new_3")})
        self.assertEqual(said.of("new_3", "oral").points, 1)


class RubricPoints(unittest.TestCase):
    def document(self, points):
        document = json.loads(json.dumps(SHIPPED_RUBRIC))
        tasks = {task: {} for one in document["criteria"] for task in
                 [one.get("task"), *(task for evidence in one["evidence"] for task in evidence.get("tasks", []))]
                 if task}
        document["manual"][0]["points"] = points
        return document, tasks

    def test_what_people_look_at_may_have_points(self):
        document, tasks = self.document(1.5)
        one = rubric.Rubric(document, tasks)
        self.assertEqual((one.manual[0]["points"], one.most), (1.5, 20), "a2's maximum is without them")
        for points in (0, -1, 1.3, "1", True, None):
            with self.assertRaisesRegex(rubric.RubricError, "manual 1: points must be a number above 0"):
                rubric.Rubric(*self.document(points))

    def test_the_schemas_know_them(self):
        import jsonschema
        for name, good, wrong in (("rubric", self.document(1.5)[0], self.document(0)[0]),
                                  ("result", made("a"), made("a", manual=[{"id": "x", "title": "X", "points": 0}]))):
            schema = json.loads((PROJECT / f"tools/course/{name}-schema.json").read_text(encoding="utf-8"))
            validator = jsonschema.Draft202012Validator(schema)
            validator.validate(good)
            self.assertFalse(validator.is_valid(wrong), name)


if __name__ == "__main__":
    unittest.main()
