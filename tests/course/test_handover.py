#!/usr/bin/python3
"""Points and feedback handed over to a course's system: its own table, filled in, and an archive."""

import argparse
import contextlib
import csv
import errno
import hashlib
import io
import json
import os
import unicodedata
import unittest
import unittest.mock
import zipfile

from grade_support import Room

import cluster
import grader
import grading
import layouts
import node
import outputs
import roster
import submissions

HEADINGS = ["Identifier", "Full name", "Email address", "Status", "Grade", "Maximum Grade", "Grade can be changed",
            "Last modified (grade)", "Feedback comments"]
GERMAN = ["ID", "Vollst\xe4ndiger Name", "E-Mail-Adresse", "Status", "Bewertung", "Bestwertung",
          "Bewertung kann ge\xe4ndert werden", "Zuletzt ge\xe4ndert (Bewertung)", "Feedback als Kommentar"]


def moodle_row(number, name, who="Participant ", most="20.00", comment=""):
    return [f"{who}{number}", name, f"{number}@x", "Submitted", "", most, "Yes", "-", comment]


def table(rows, separator=",", newline="\n", quoting=csv.QUOTE_MINIMAL):
    stream = io.StringIO()
    csv.writer(stream, delimiter=separator, lineterminator=newline, quoting=quoting).writerows(rows)
    return stream.getvalue()


class Exports(Room):
    def graded(self, *given, folder="grades"):
        """Folders of graded submissions: (what was handed in, points, more of the result)."""
        for handed, points, *more in given:
            name = layouts.name_of(handed)
            result = {"schema": 1, "name": name, "student": layouts.student_of(handed), "title": "t", "problem": None,
                      "points": points, "of": 20, "extra": 0, "most_extra": 2, "criteria": [],
                      "manual": [], "warnings": 0, "jail": "user",
                      "files": {"taken": [], "missing": [], "broken": [], "unused": [], "refused": []}, **dict(*more)}
            self.write(f"{folder}/{name}", {"result.json": json.dumps(result), "a2.json": "{}",
                                            "feedback.md": outputs.feedback(result, None, {})})

    def export(self, system, data, *words, status=0, name="roster.csv"):
        """Its table, decoded; the messages are in self.said, one line each."""
        path = self.folder / name
        if data is not None:
            path.write_bytes(data if isinstance(data, bytes) else data.encode())
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            got = grading.main(["--export", system, "--roster", str(path), "-o", str(self.folder / "grades"), *words])
        self.said = said.getvalue().replace(str(self.folder), "F")
        self.assertEqual(got, status, self.said)
        self.assertNotIn("Traceback", self.said)
        if status:
            self.assertEqual(self.said.count("\n"), 1 + self.said.count(": left out\n"), self.said)
            return None
        return (self.folder / f"grades/export/{system}.csv").read_bytes()

    def cells(self, data, at, separator=","):
        return [row[at] for row in csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""), delimiter=separator)]

    def archived(self):
        with zipfile.ZipFile(self.folder / "grades/export/feedback.zip") as archive:
            return {info.filename: (info.date_time, archive.read(info)) for info in archive.infolist()}


class Moodle(Exports):
    def test_points_go_to_the_participants_number_and_nothing_else_changes(self):
        self.graded(("Lovelace Ada_12_assignsubmission_file_", 18.5), ("Noether Emmy_7_assignsubmission_file_", 20))
        rows = [HEADINGS, moodle_row(7, "Emmy Noether", comment="=well; \"done\"\nby you"),
                moodle_row(12, "Ada Lovelace"), moodle_row(99, "Max Muster")]
        before = b"\xef\xbb\xbf" + table(rows, newline="\r\n").encode()
        after = self.export("moodle", before)
        self.assertEqual(self.cells(after, 4), ["Grade", "20", "18.5", ""])
        rows[1][4], rows[2][4] = "20", "18.5"
        self.assertEqual(after, b"\xef\xbb\xbf" + table(rows, newline="\r\n").encode())
        self.assertEqual(self.said.count("\n"), 2)
        self.assertIn("note: 1 of 3 students in F/roster.csv have no submission here: their cells stay", self.said)
        self.assertIn("2 of 2 submissions are in F/grades/export/moodle.csv, in the column 'Grade'", self.said)

    def test_in_german_with_semicolons_and_decimal_commas(self):
        self.graded(("M\xfcller Zo\xeb_12_assignsubmission_file_", 18.5))
        rows = [GERMAN, moodle_row(12, "Zo\xeb M\xfcller", "Teilnehmer/in", "20,00")]
        for encoding in ("utf-8", "cp1252"):
            after = self.export("moodle", table(rows, ";").encode(encoding))
            rows[1][4] = "18,5"
            self.assertEqual(after.decode(encoding), table(rows, ";"))

    def test_a_last_row_without_an_end(self):
        self.graded(("Ada King_1_assignsubmission_file_", 3))
        rows = [HEADINGS, moodle_row(1, "Ada King")]
        after = self.export("moodle", table(rows).rstrip("\n").encode())
        self.assertEqual((self.cells(after, 4), after.count(b"\n")), (["Grade", "3"], 1))

    def test_names_where_numbers_are_missing(self):
        """Names in either order, in any letters, with accents in any form."""
        names = ["Ada King", "Jos\xe9 M\xfcller", "\u041e\u043b\u044c\u0433\u0430 \u041a\u0438\u043c",
                 "\u0645\u062d\u0645\u062f \u0639\u0644\u064a", "\u674e \u660e", "Sinead O'Connor",
                 "Anne-Marie de la Cruz", "L\xe9a Nu\xf1ez", "Mary Ann Evans",
                 "\u0928\u092e\u093f\u0924\u093e \u0936\u0930\u094d\u092e\u093e"]
        handed = ["King, Ada", unicodedata.normalize("NFD", "jos\xe9_mueller"),
                  "\u041a\u0438\u043c \u041e\u043b\u044c\u0433\u0430",
                  "\u0639\u0644\u064a-\u0645\u062d\u0645\u062f", "\u660e_\u674e", "o-connor_sinead",
                  "de-la-Cruz Anne Marie", "lea_nunez", "evansmaryann",
                  "\u0936\u0930\u094d\u092e\u093e \u0928\u092e\u093f\u0924\u093e"]
        self.graded(*((name, i + 1) for i, name in enumerate(handed)))
        after = self.export("moodle", table([HEADINGS, *(moodle_row(i + 1, one) for i, one in enumerate(names))]))
        self.assertEqual(self.cells(after, 4)[1:], [str(i + 1) for i in range(len(names))])

    def test_who_could_be_two_is_left_out(self):
        self.graded(("Kim Min", 1), ("Ada King", 2))
        after = self.export("moodle", table([HEADINGS, moodle_row(1, "Kim Min"), moodle_row(2, "Min Kim"),
                                             moodle_row(3, "Ada King")]))
        self.assertEqual(self.cells(after, 4)[1:], ["", "", "2"])
        self.assertIn("warning: Kim-Min could be row 2 or 3 of F/roster.csv: left out\n", self.said)

    def test_a_number_wins_over_a_name(self):
        self.graded(("Kim Min_10005_assignsubmission_file_", 5), ("Min Kim_10006_assignsubmission_file_", 6))
        after = self.export("moodle", table([HEADINGS, moodle_row(10001, "Ada King"), moodle_row(10005, "Kim Min")]))
        self.assertEqual(self.cells(after, 4)[1:], ["", "5"])
        self.assertIn("warning: Min-Kim_10006 has the name of row 3 of F/roster.csv, whose number or login Kim-Min_10005 "
                      "has: left out\n", self.said)

    def test_where_nobody_is_found_each_reason_is_said(self):
        self.graded(("Kim Min", 1), ("Bo", 2))
        self.export("moodle", table([HEADINGS, moodle_row(1, "Kim Min"), moodle_row(2, "Min Kim")]), status=2)
        self.assertEqual(self.said.splitlines(),
                         ["tools/grade: warning: Bo is not in F/roster.csv: left out",
                          "tools/grade: warning: Kim-Min could be row 2 or 3 of F/roster.csv: left out",
                          "tools/grade: error: F/roster.csv: none of the 2 submissions in F/grades is in it"])

    def test_a_number_of_another_name_is_left_out(self):
        """Moodle gives participants new numbers in each assignment."""
        self.graded(("King Ada_12_assignsubmission_file_", 18), ("Hopper Grace_13_assignsubmission_file_", 19))
        after = self.export("moodle", table([HEADINGS, moodle_row(12, "Alan Turing"), moodle_row(13, "Grace Hopper")]))
        self.assertEqual(self.cells(after, 4)[1:], ["", "19"])
        self.assertIn("King-Ada_12 has the number of row 2 of F/roster.csv, where it is Alan Turing's: left out",
                      self.said)

    def test_names_that_nobody_may_know(self):
        """Blind marking: only numbers, no names."""
        self.graded(("Participant_12_assignsubmission_file_", 18))
        keep = [0, 3, 4, 5, 6, 7, 8]
        rows = [HEADINGS, moodle_row(12, "")]
        after = self.export("moodle", table([[row[i] for i in keep] for row in rows]))
        self.assertEqual(self.cells(after, 2), ["Grade", "18"])

    def test_two_of_one_student_are_left_out(self):
        self.graded(("Ada King", 1), ("ada-king", 2), ("Max Muster", 3))
        after = self.export("moodle", table([HEADINGS, moodle_row(1, "Ada King"), moodle_row(2, "Max Muster")]))
        self.assertEqual(self.cells(after, 4)[1:], ["", "3"])
        self.assertIn("Ada-King and ada-king are all row 2 of F/roster.csv: left out", self.said)

    def test_what_could_not_be_graded_is_no_zero(self):
        self.graded(("Ada King_1_assignsubmission_file_", 0, {"problem": "lost"}),
                    ("Max Muster_2_assignsubmission_file_", 0))
        after = self.export("moodle", table([HEADINGS, moodle_row(1, "Ada King"), moodle_row(2, "Max Muster")]))
        self.assertEqual(self.cells(after, 4)[1:], ["", "0"])
        self.assertIn("Ada-King_1 could not be graded: its cell stays as it is", self.said)

    def test_what_people_gave_is_handed_over(self):
        """Also for a submission that could not be graded."""
        lost = {"id": "a", "title": "A", "task": None, "points": 0, "of": 2, "extra": False, "reason": "lost"}
        oral = [{"id": "oral", "title": "Oral", "points": 4}]
        self.graded(("Ada King_1_assignsubmission_file_", 0, {"problem": "lost", "criteria": [lost]}),
                    ("Max Muster_2_assignsubmission_file_", 3, {"criteria": [{**lost, "points": 3}], "manual": oral}),
                    ("Emmy Noether_3_assignsubmission_file_", 0, {"problem": "lost", "manual": oral}))
        written = ("name,criterion,points,comment\nAda-King_1,a,2,seen it run\nMax-Muster_2,oral,\"2,5\",\n"
                   "Emmy-Noether_3,oral,0,\n")
        self.write("grades", {"manual.csv": written})
        all_three = table([HEADINGS, moodle_row(1, "Ada King"), moodle_row(2, "Max Muster"),
                           moodle_row(3, "Emmy Noether")])
        self.run_grade("--merge")
        self.assertEqual(self.cells(self.export("moodle", all_three), 4)[1:], ["2", "5.5", "0"])
        self.write("grades", {"manual.csv": written.replace("oral", "orall")})
        self.export("moodle", all_three, status=2)
        self.assertIn("F/grades/manual.csv: row 3: Max-Muster_2 has no criterion 'orall'", self.said)

    def test_table_and_feedback_say_the_same(self):
        self.graded(("Ada King_1_assignsubmission_file_", 0, {"manual": [{"id": "oral", "title": "Oral", "points": 4},
                                                                         {"id": "style", "title": "Style"}]}))
        rows, manual = table([HEADINGS, moodle_row(1, "Ada King")]), self.folder / "grades/manual.csv"
        for text in ("name,criterion,points,comment\nAda-King_1,oral,2,\n",
                     "name,criterion,points,comment\nAda-King_1,oral,2,\nAda-King_1,style,,neat\n", None):
            manual.write_text(text) if text else manual.unlink()
            before = {path: path.read_bytes() for path in self.folder.glob("grades/export/*")}
            self.export("moodle", rows, status=2)
            self.assertIn("F/grades/manual.csv has changed since the feedback was made: tools/grade --merge -o F/grades "
                          "first\n", self.said)
            self.assertEqual(before, {path: path.read_bytes() for path in self.folder.glob("grades/export/*")})
            self.run_grade("--merge")
            self.assertEqual(self.cells(self.export("moodle", rows), 4)[1:], ["2" if text else "0"])
        # Text that people have added at the end is exported unchanged.
        path = self.folder / "grades/Ada-King_1/feedback.md"
        path.write_text(path.read_text() + "\nCome and see me.\n")
        self.export("moodle", rows)
        self.assertIn(b"Come and see me.", self.archived()["Ada King_1_assignsubmission_file_/feedback.md"][1])

    def test_extra_points_and_other_maxima(self):
        self.graded(("Ada King_1_assignsubmission_file_", 20, {"extra": 1.5}))
        rows = [HEADINGS, moodle_row(1, "Ada King")]
        self.assertEqual(self.cells(self.export("moodle", table(rows)), 4)[1:], ["20"])
        self.assertEqual(self.cells(self.export("moodle", table(rows), "--with-extra"), 4)[1:], ["21.5"])
        self.assertIn("1 of F/roster.csv have more than the 20 points that it allows, row 2 first", self.said)
        self.graded(("Bo Berg_2_assignsubmission_file_", 21))
        self.export("moodle", table([HEADINGS, moodle_row(2, "Bo Berg"), moodle_row(1, "Ada King")]), "--with-extra")
        self.assertIn("2 of F/roster.csv have more than the 20 points that it allows, row 2 first", self.said)
        self.export("moodle", table([HEADINGS, moodle_row(1, "Ada King", most="100.00")]))
        self.assertIn("has 100 for the most points, the rubric 20: set it in the system first", self.said)

    def test_feedback_goes_where_moodle_looks_for_it(self):
        self.graded(("K\xf6nig_von Ada_12_assignsubmission_file_", 18), ("\u674e \u660e_7_assignsubmission_file_", 3))
        data = table([HEADINGS, moodle_row(12, "Ada K\xf6nig_von"), moodle_row(7, "\u674e \u660e")])
        self.export("moodle", data)
        found = self.archived()
        self.assertEqual(sorted(found), [f"{who}_assignsubmission_file_/feedback.{ending}"
                                        for who in ("Ada K\xf6nig von_12", "\u674e \u660e_7")
                                         for ending in ("html", "md")])
        for name, (date, content) in found.items():
            parts = name.split("/")[0].split("_", 4)  # as Moodle reads it
            self.assertEqual((parts[1].isdigit(), parts[2:], date[0]), (True, ["assignsubmission", "file", ""], 1980))
            self.assertIn(b"of 20 points", content)
        first = hashlib.sha256((self.folder / "grades/export/feedback.zip").read_bytes()).digest()
        self.export("moodle", data)
        self.assertEqual(hashlib.sha256((self.folder / "grades/export/feedback.zip").read_bytes()).digest(), first)


class Others(Exports):
    def test_canvas(self):
        self.graded(("kingada_LATE_471_815_a2.zip", 18.5), ("osullivanzoe_472_816_a2.zip", 3))
        rows = [["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Essay (5)", "A2 (78)", "Current Score"],
                ["", "", "", "", "", "", "Manual Posting", ""],
                ["    Points Possible", "", "", "", "", "10", "20", "(read only)"],
                ["King, Ada", "471", "S1", "aking", "8, b", "9", "", "90"],
                ["O'Sullivan, Zo\xeb", "472", "", "zos@x", "8", "=1+1", "4", "80"],
                ["Student, Test", "473", "", "0f0f", "8", "", "", ""]]
        self.export("canvas", table(rows), status=2)
        self.assertIn("row 1: several columns take points, --column names one: 'Essay (5)', 'A2 (78)'", self.said)
        self.export("canvas", table(rows), "--column", "quiz", status=2)
        self.assertIn("no column that takes points has 'quiz': there are 'Essay (5)', 'A2 (78)'", self.said)
        after = self.export("canvas", table(rows), "--column", "a2")
        rows[3][6], rows[4][6] = "18.5", "3"
        self.assertEqual(after.decode(), table(rows))
        self.assertIn("1 of 3 students", self.said)
        self.assertIn("kingada_471/feedback.html", self.archived())

    def test_a_number_of_canvas_is_no_other_id(self):
        self.graded(("x_471_815_a2.zip", 18))
        rows = [["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "A2 (78)"],
                ["", "472", "471", "471", "8", ""], ["", "471", "12", "", "8", ""]]
        self.assertEqual(self.cells(self.export("canvas", table(rows)), 5)[1:], ["", "18"])

    def test_blackboard(self):
        self.graded(("jd42", 18.5), ("gradebook_C1_A2_ada.king_attempt_2026-01-02-03-04-05_a2.zip", 7))
        rows = [["Last Name", "First Name", "Username", "Student ID", "Last Access", "A2 [Total Pts: 20 Score] |123",
                 "Total [Total Pts: up to 40 Score] |124"],
                ["Doe", "John", "jd42", "0012", "", "Needs Grading", "3"],
                ["King", "Ada", "ada.king", "0013", "", "", ""]]
        before = b"\xff\xfe" + table(rows, "\t", "\r\n", csv.QUOTE_ALL).encode("utf-16-le")
        after = self.export("blackboard", before)
        rows[1][5], rows[2][5] = "18.5", "7"
        self.assertEqual(after, b"\xff\xfe" + table(rows, "\t", "\r\n", csv.QUOTE_ALL).encode("utf-16-le"))
        unmarked = table(rows, "\t").encode("utf-16-le")
        self.assertEqual(self.export("blackboard", unmarked), unmarked)

    def test_ilias(self):
        self.graded(("K\xf6nig_Ada_aking_471", 18.5))
        rows = [["update", "usr_id", "login", "lastname", "firstname", "status", "mark", "notice", "comment",
                 "plagiarism", "plag_comment"],
                ["0", "471", "aking", "K\xf6nig", "Ada", "notgraded", "", "", "", "", ""],
                ["0", "472", "max", "Muster", "Max", "notgraded", "", "", "", "", ""]]
        after = self.export("ilias", table(rows))
        rows[1][0], rows[1][6] = "1", "18.5"
        self.assertEqual(after.decode(), table(rows))
        self.assertIn("multi_feedback_a2/Konig_Ada_aking_471/feedback.html", self.archived())

    def test_a_login_that_is_anothers_name_decides_nothing(self):
        self.graded(("Ada_King", 1), ("max", 2))
        rows = [["Last Name", "First Name", "Username", "A2 [Total Pts: 20] |1"], ["King", "Ada", "x1", ""],
                ["Byron", "Augusta", "ada", ""], ["Muster", "M", "max", ""]]
        self.assertEqual(self.cells(self.export("blackboard", table(rows)), 3)[1:], ["", "", "2"])
        self.assertIn("Ada_King could be row 2 or 3", self.said)


class Refused(Exports):
    def setUp(self):
        super().setUp()
        self.graded(("Ada King_1_assignsubmission_file_", 18))

    def test_what_is_no_roster_is_refused_in_a_line_that_names_it(self):
        good, one = moodle_row(1, "Ada King"), moodle_row(1, "Max Muster")
        scale = ["Scale" if name == "Maximum Grade" else name for name in HEADINGS]
        for data, words in ((b"", "F/roster.csv: is empty"), (b"\xef\xbb\xbf\n", "F/roster.csv: is empty"),
                            (table([HEADINGS]), "F/roster.csv: has no student"),
                            (table([["name", "points"], ["Ada", "3"]]), 
                             "row 1: is not the heading of a grading worksheet of Moodle, which has 'identifier', "
                             "'grade'; there are 'name', 'points'"),
                            (table([HEADINGS, good, one]), "row 3: has the Identifier '1' of row 2"),
                            (table([HEADINGS, good, moodle_row("x", "Y")]),
                             "row 3: 'Participant x' is no participant's number"),
                            (table([scale, good]), "row 1: this assignment is graded by a scale"),
                            (b"PK\3\4" + bytes(50), "is a spreadsheet or an archive: take it as CSV"),
                            (b"\xff\xfea", "is no text in UTF-16-LE"),
                            (b"a\x81,\xff\n", "is no text in UTF-8, and none of"),
                            (table([HEADINGS, moodle_row(8, "Max Muster")]),
                             "none of the 1 submissions in F/grades is in it"),
                            (table([HEADINGS, ["x" * 200000]]), "roster.csv: row 2: a cell has more than 131072 letters"),
                            (table([HEADINGS]) + "Participant 1,\"Ada King,,\nParticipant 2,Bo,,\n",
                             "roster.csv: row 2: a quotation mark opens a cell and none closes it")):
            with self.subTest(words):
                self.export("moodle", data, status=2, name="roster.csv")
                self.assertIn(words, self.said)
                self.assertFalse((self.folder / "grades/export").exists())
        self.export("canvas", table([HEADINGS, good]), status=2)
        self.assertIn("is not the heading of a gradebook of Canvas", self.said)
        self.export("moodle", None, status=2, name="nothing.csv")
        self.assertIn("F/nothing.csv: there is no such file", self.said)
        self.export("moodle", None, status=2, name="grades")
        self.assertIn("F/grades: is a folder", self.said)
        self.write(".", {"long.csv": ""})
        os.truncate(self.folder / "long.csv", (64 << 20) + 1)
        self.export("moodle", None, status=2, name="long.csv")
        self.assertIn("F/long.csv: is longer than 64 MiB", self.said)

    def test_what_the_table_says_stays_one_short_line(self):
        long = ["Identifier", "Grade", "Grade\n" + "x\n" * 5000]
        self.export("moodle", table([["name\nof", *long[1:]], ["1", "", ""]]), status=2)
        self.assertLess(len(self.said), 700)
        self.export("moodle", table([long, ["Participant 1\n\n2x", "", ""]]), status=2)
        self.assertIn("row 2: 'Participant 1 2x' is no participant's number", self.said)
        self.graded(("Kim_5_assignsubmission_file_", 1))
        self.export("moodle", table([HEADINGS, moodle_row(5, "Max\nMuster\x1b[2J"), moodle_row(1, "Ada King")]))
        self.assertIn("where it is Max Muster<U+001B>[2J's: left out\n", self.said)

    def test_grades_that_are_none(self):
        (self.folder / "grades/Ada-King_1/result.json").write_text("{")
        self.export("moodle", table([HEADINGS, moodle_row(1, "Ada King")]), status=2)
        self.assertIn("result.json: Expecting property name", self.said)
        (self.folder / "grades/Ada-King_1/result.json").unlink()
        self.export("moodle", table([HEADINGS, moodle_row(1, "Ada King")]), status=2)
        self.assertIn("F/grades: holds no graded submission", self.said)

    def test_points_by_two_rubrics_are_not_handed_over(self):
        def by(letter):
            return {"made": {"a2": "a2 1", "rubric": {"title": "t", "sha256": letter * 64}, "device": None}}

        names = ["Bo", "Cy", "Di", "Ed"]
        self.graded(("Ada King_1_assignsubmission_file_", 20, by("a")), *((name, 3, by("b")) for name in names))
        data = table([HEADINGS, *(moodle_row(i, name) for i, name in enumerate(["Ada King", *names], 1))])
        self.export("moodle", data, status=2)
        self.assertIn("F/grades: scored by another rubric than the rest: Ada-King_1: tools/grade --rescore -o F/grades "
                      "--rubric FILE makes all alike", self.said)
        self.write("grades", {"grading.json": json.dumps({"schema": 1, "rubric": by("a")["made"]["rubric"]})})
        self.export("moodle", data, status=2)
        self.assertIn("than the rest: Bo, Cy, Di and 1 more: tools/grade", self.said)
        self.write("grades", {f"{name}/a2.json": "{}" for name in ("Ada-King_1", *names)})
        self.run_grade("--merge")
        self.assertIn("than the rest: Bo, Cy, Di and 1 more: tools/grade", self.said)
        self.graded(("Ada King_1_assignsubmission_file_", 20, by("b")))
        self.export("moodle", data)

    def test_a_plan_that_is_none(self):
        for text, words in (("{", "Expecting property name"), ("[]", "its schema is not 1"),
                            ('{"schema": 2}', "its schema is not 1"), ('{"schema": 1, "tasks": []}', "tasks must be object"),
                            ('{"schema": 1, "rubric": {"title": "t"}}', "rubric has no 'sha256'")):
            self.write("grades", {"grading.json": text})
            self.export("moodle", table([HEADINGS, moodle_row(1, "Ada King")]), status=2)
            self.assertIn(f"F/grades/grading.json: {words}", self.said)
        self.assertFalse((self.folder / "grades/export").exists())

    def test_a_result_of_another(self):
        (self.folder / "grades/Ada-King_1").rename(self.folder / "grades/Max")
        self.export("moodle", table([HEADINGS, moodle_row(1, "Ada King")]), status=2)
        self.assertIn("/grades/Max/result.json: it is of 'Ada-King_1', and its folder is not", self.said)

    def test_options_that_do_not_go_together(self):
        for words, said in ((["--export", "moodle"], "needs --roster"), (["--roster", "x"], "go with --export"),
                            (["--export", "moodle", "--roster", "x", "a.zip"], "takes no submissions"),
                            ([], "no SUBMISSION"),
                            (["--export", "word", "--roster", "x"], "invalid choice")):
            with contextlib.redirect_stderr(io.StringIO()) as shown, self.assertRaises(SystemExit) as ended:
                grading.main([*words, "-o", str(self.folder / "grades")])
            self.assertEqual(ended.exception.code, 2)
            self.assertIn(said, shown.getvalue())
        with contextlib.redirect_stderr(io.StringIO()) as shown:
            self.assertEqual(grading.main(["--export", "moodle", "--roster", "x", "-o", str(self.folder / "none")]), 2)
        self.assertIn("there are no grades", shown.getvalue())
        self.assertFalse((self.folder / "none").exists())

    def test_a_full_disk_leaves_what_was_there(self):
        """For any of the files for which the disk may be full."""
        write, files = grader.Path.write_bytes, ("moodle.csv", "feedback.zip")

        def full_for(file):
            def full(path, content):
                if path.name != f".{file}.part":
                    return write(path, content)
                write(path, content[:10])
                raise OSError(errno.ENOSPC, "No space left on device")
            return unittest.mock.patch.object(grader.Path, "write_bytes", full)

        there = self.folder / "grades/export"
        rows = [HEADINGS, moodle_row(1, "Ada King")]
        with full_for("feedback.zip"):
            self.export("moodle", table(rows), status=3)
        self.assertFalse(there.exists())
        self.export("moodle", table(rows))
        before = {path.name: path.read_bytes() for path in there.iterdir()}
        for file in files:
            with full_for(file):
                self.export("moodle", table([*rows, moodle_row(2, "Max Muster")]), status=3)
            self.assertIn(f"F/grades/export/{file} cannot be written: No space left", self.said)
            self.assertEqual({path.name: path.read_bytes() for path in there.iterdir()}, before)

    def test_a_submission_of_the_folders_name(self):
        self.assertEqual(layouts.unique(["export", "class.html"]), ["export-2", "class.html-2"])

    def test_every_system_is_known_by_its_own_table_alone(self):
        heads = {"moodle": HEADINGS, "canvas": ["Student", "ID", "SIS Login ID", "Section", "A2 (1)"],
                 "blackboard": ["Last Name", "First Name", "Username", "A2 [Total Pts: 2] |1"],
                 "ilias": ["update", "usr_id", "login", "lastname", "firstname", "status", "mark"]}
        self.assertEqual(set(heads), set(roster.SYSTEMS))
        for system in heads:
            for other in heads:
                (self.folder / "r.csv").write_text(table([heads[other], ["1"] * len(heads[other])]))
                with contextlib.nullcontext() if system == other else self.assertRaises(roster.RosterError):
                    roster.Roster(self.folder / "r.csv", system)


class Nodes(Room):
    def test_a_node_of_a_cluster_knows_whose_it_is(self):
        (self.folder / "rubric.json").write_text("{}")
        options = argparse.Namespace(rubric=self.folder / "rubric.json", build=".", jail="user", see=[], device=None,
                                     seed=1, compile_time=1)
        student = {"id": "12", "name": "Ada King"}
        found = [submissions.Submission("ada", self.folder, [("a", "b")], student)]
        planned = cluster.Cluster(argparse.Namespace(options=options, output=self.folder), found).plan
        one = object.__new__(node.Node)
        one.plan, one.place = json.loads(json.dumps(planned)), 0
        case, path = one.case()
        self.assertEqual((case.student, case.refused, path), (student, [("a", "b")], self.folder.resolve()))


if __name__ == "__main__":
    unittest.main()
