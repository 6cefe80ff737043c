#!/usr/bin/python3
"""tools/grade --merge and --rescore, on made grades: neither uses a2, and both change everything or nothing."""

import contextlib
import csv
import io
import json
import os
import pathlib
import subprocess
import unittest
import unittest.mock

from grade_support import PROJECT, Room

import grading
import outputs
import rubric
import tables

HEAD = "name,criterion,points,comment\n"
TASKS = {f"reduce/{name}": {"label": f"[Task1] {name}", "files": []} for name in ("interleaved", "atomic", "unroll")}
RUBRIC = {
    "schema": 1, "title": "two tasks", "most_extra": 1,
    "criteria": [
        {"id": "first", "title": "First", "task": "reduce/interleaved", "points": 2, "evidence": [{"kind": "check"}]},
        {"id": "second", "title": "Second", "task": "reduce/atomic", "points": 2,
         "evidence": [{"kind": "check"}, {"kind": "method", "criteria": ["shared atomic"]}]},
        {"id": "fast", "title": "Fast", "task": "reduce/atomic", "points": 1, "extra": True,
         "evidence": [{"kind": "time", "factor": 0.8}]}],
    "manual": [{"id": "oral", "title": "Oral <b>", "points": 3}, {"id": "style", "title": "Style"}],
}


def test_of(status="passed", met=True):
    return {"status": status, "cases": [], "lint": [],
            "explanation": [] if status == "passed" else ["expected 3, got 4"],
            "method": [{"criterion": "shared atomic", "met": met, "evidence": "none"}], "diagnosis": None}


def runs_of(first="passed", met=True):
    return {"course": {"reduce/interleaved": test_of(first), "reduce/atomic": test_of(met=met)}}


class Desk(Room):
    """Three graded submissions: a right one, a wrong one, and one that could not be read."""

    def setUp(self):
        super().setUp()
        self.grades = self.folder / "grades"
        self.by = rubric.Rubric(json.loads(json.dumps(RUBRIC)), TASKS)
        for name, runs, ms in (("anna_1", runs_of(), 1.0), ("李雷_2", runs_of("failed", False), None)):
            self.put(name, {"runs": runs, "ms": {"reduce/atomic": ms} if ms else {},
                            "reference_ms": {"reduce/atomic": 2.0} if ms else {}}, ["reduce/atomic"])
        self.put("broken_3", None, None, "it is no archive")
        plan = {"schema": 1, "seed": 7, "a2": "a2 1.0.0", "rubric": {"title": "two tasks", "sha256": "0" * 64},
                "tasks": TASKS}
        (self.grades / "grading.json").write_text(json.dumps(plan))
        self.run_grade("--merge")

    def put(self, name, results, timed, problem=None):
        folder = self.grades / name
        folder.mkdir(parents=True)
        judged = self.by.judge(results or {"runs": {}, "ms": {}, "reference_ms": {}})
        times = {"elements": 1 << 20, "tasks": timed, "ms": results["ms"], "reference_ms": results["reference_ms"],
                 "reference_spread": {task: 0.04 for task in results["reference_ms"]}} if timed else None
        made = {"a2": "a2 1.0.0", "rubric": {"title": "two tasks", "sha256": "0" * 64}, "device": "A device"}
        result = outputs.result_document(name, self.by, judged, None, None, "user", problem, 7, made, times)
        outputs.write_submission(folder, result, results, {}, "")

    def table(self):
        return {row["name"]: row for row in csv.DictReader((self.grades / "grades.csv").read_text().splitlines())}

    def feedback(self, name):
        return (self.grades / name / "feedback.md").read_text()

    def file(self, name, text):
        path = self.folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def tree(self):
        return {path.relative_to(self.grades).as_posix(): path.read_bytes() for path in sorted(self.grades.rglob("*"))
                if path.is_file() and path.name != ".lock"}

    def refused(self, words, *arguments, status=2):
        before = self.tree()
        self.run_grade(*arguments, status=status)
        lines = self.said.splitlines()
        for line, one in zip(lines, words):
            self.assertRegex(line, one)
        self.assertEqual(len(lines), len(words), self.said)
        self.assertEqual(self.tree(), before)


class Merged(Desk):
    def test_rows_of_graders_are_taken(self):
        results = {path: path.read_bytes() for path in self.grades.glob("*/*.json")}
        one = self.file("one.csv", HEAD + "anna_1,oral,2.5,\"clear <script>, 'so'\nand | short\"\n")
        other = self.file("two.csv", "name;criterion;points;comment\r\n李雷_2;first;1,5;'=a typo\r\n李雷_2;style;;neat\r\n"
                                     "anna_1;oral;;\r\n".encode().decode())
        printed = self.run_grade("--merge", one, other)
        self.assertEqual(printed.splitlines(), [f"anna_1: oral: none -> 2.5 ({one} row 2)",
                                                f"李雷_2: first: 0 -> 1.5 ({other} row 2)",
                                                f"李雷_2: style: comment ({other} row 3)",
                                                "anna_1: 4 and 1 extra -> 6.5 and 1 extra of 7",
                                                "李雷_2: 0 -> 1.5 of 7",
                                                f"new cells in {self.grades / 'manual.csv'}: 3"])
        self.assertEqual({path: path.read_bytes() for path in results}, results, "what the machine found stays")
        rows = self.table()
        self.assertEqual([rows[name]["points"] for name in ("anna_1", "李雷_2", "broken_3")], ["6.5", "1.5", "0"])
        self.assertEqual([rows[name]["oral"] for name in ("anna_1", "李雷_2")], ["2.5", ""])
        self.assertEqual((rows["anna_1"]["of"], rows["李雷_2"]["style"], rows["李雷_2"]["first"]), ("7", "neat", "1.5"))
        text = self.feedback("anna_1")
        self.assertIn("# anna\\_1: 6.5 of 7 points, and 1 extra", text)
        self.assertIn("| 2.5 | 3 | by hand: clear \\<script\\>, 'so' and \\| short |", text)
        self.assertIn("| First | 1.5 | 2 | by hand: =a typo |", self.feedback("李雷_2"))
        page = (self.grades / "index.html").read_text()
        self.assertIn('title="by hand: =a typo">1.5<', page)
        theirs = json.loads((self.grades / "anna_1/gradescope/results.json").read_text())
        self.assertEqual((theirs["score"], sum(one["score"] for one in theirs["tests"])), (6.5, 6.5))
        theirs = json.loads((self.grades / "anna_1/classroom50/result.json").read_text())
        self.assertEqual((theirs["score"], theirs["max-score"]), (13, 14))
        self.assertEqual(sum(one["score"] for one in theirs["tests"]), 13)
        manual = (self.grades / "manual.csv").read_text()
        self.assertIn("李雷_2,first,1.5,'=a typo\n", manual)
        self.assertIn("broken_3,oral,,\n", manual, "rows to fill in are there")
        after = self.tree()
        self.assertEqual(self.run_grade("--merge", one, other), f"new cells in {self.grades / 'manual.csv'}: 0\n")
        self.run_grade("--merge")
        self.assertEqual(self.tree(), after, "again gives the same")

    def test_a_table_that_people_filled_in_stays_where_manual_csv_says_nothing(self):
        self.run_grade("--merge")
        rows = list(self.table().values())
        with open(self.grades / "grades.csv", "w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, [*rows[0], "late"], delimiter=";")
            writer.writeheader()
            writer.writerows({**row, "style": "so-so", "late": "2"} for row in rows)
        self.file("grades/manual.csv", HEAD + "anna_1,style,,good\n")
        self.run_grade("--merge")
        rows = self.table()
        self.assertEqual([(rows[name]["style"], rows[name]["late"]) for name in ("anna_1", "李雷_2")],
                         [("good", "2"), ("so-so", "2")])

    def test_a_table_of_which_something_would_be_lost_is_refused(self):
        head, row = "name,points,first,style", "anna_1,4,2,good"
        for lines, words in (([head + ",late", row + ",1", row + ",2"], "row 3: anna_1 stands in row 2 already"),
                             ([head, row, "'anna_1,4,2,"], "row 3: anna_1 stands in row 2 already"),
                             ([head, "ana_1,4,2,good"], r"row 2: there is no submission 'ana_1' \(did you mean 'anna_1'"),
                             ([head + ",Room,room", row + ",1,2"], "the first line has the column 'room' twice"),
                             ([head, row + ",late"], "row 2: 'late' stands in a column without a heading"),
                             ([head, ",,,good"], "row 2: it has no name")):
            self.file("grades/grades.csv", "\n".join(lines) + "\n")
            self.refused([f"grades.csv: {words}"], "--merge")
        # A submission that was removed has only a row of the machine's.
        self.file("grades/grades.csv", "\n".join([head, row, "gone_9,4,2,", ",,,"]) + "\n")
        self.run_grade("--merge")
        self.assertEqual(self.table()["anna_1"]["style"], "good")
        self.assertNotIn("gone_9", self.table())

    def test_rows_and_columns_that_are_there_stay(self):
        self.file("grades/manual.csv", "by,name,criterion,points,comment\nme,李雷_2,oral,1,\nme,anna_1,style,,\n")
        self.run_grade("--merge", self.file("one.csv", HEAD + "anna_1,oral,2,\n"))
        self.assertEqual((self.grades / "manual.csv").read_text(),
                         "name,criterion,points,comment,by\nanna_1,oral,2,,\nanna_1,style,,,me\n李雷_2,oral,1,,me\n")

    def test_added_columns_are_those_of_who_gave_the_points(self):
        self.file("grades/manual.csv", "name,criterion,points,comment,grader,room\nanna_1,oral,,late,Ada,5\n"
                                       "李雷_2,oral,1,,Ada,6\n李雷_2,style,,,Ada,7\n")
        one = self.file("one.csv", "name,criterion,points,comment,grader,day,none\nanna_1,oral,2,,Bob,Mo,\n"
                                   "李雷_2,oral,,slow,Bob,Tu,\nbroken_3,oral,1,,Bob,,\n李雷_2,style,,neat,Bob,,\n")
        self.run_grade("--merge", one)
        self.assertEqual((self.grades / "manual.csv").read_text(encoding="utf-8"),
                         "name,criterion,points,comment,grader,room,day\nanna_1,oral,2,late,Bob,5,Mo\n"
                         "broken_3,oral,1,,Bob,,\n李雷_2,oral,1,slow,Ada,6,Tu\n李雷_2,style,,neat,Bob,7,\n")
        after = self.tree()
        self.assertEqual(self.run_grade("--merge", one), f"new cells in {self.grades / 'manual.csv'}: 0\n")
        self.assertEqual(self.tree(), after)
        two = self.file("two.csv", "name,criterion,points,comment,grader,phone\nanna_1,oral,2,,Cy,\n"
                                   "broken_3,oral,1,,,12\n")
        self.refused([r"two.csv: row 2: anna_1: oral: grader 'Cy', and grader 'Bob' in .*manual.csv row 2: agree on one"],
                     "--merge", two)
        two.write_text(two.read_text().replace("Cy", "Bob"))
        self.assertEqual(self.run_grade("--merge", two).splitlines()[0], f"broken_3: oral: phone '12' ({two} row 3)")

    def test_a_file_without_anything_new_leaves_manual_csv_as_people_wrote_it(self):
        text = "name;criterion;points;comment\r\nanna_1;oral;\"1,5\";\r\n".encode("utf-16")
        self.file("grades/manual.csv", text)
        self.run_grade("--merge", self.file("one.csv", HEAD + "anna_1,oral,1.5,\n"))
        self.assertEqual((self.grades / "manual.csv").read_bytes(), text)
        self.assertEqual(self.table()["anna_1"]["oral"], "1.5")

    def test_what_cannot_be_taken_changes_nothing(self):
        self.file("grades/manual.csv", HEAD + "anna_1,oral,2,\n")
        one = self.file("one.csv", HEAD + "李雷_2,oral,1,\nana_1,oral,1,\nanna_1,oral,9,\n")
        other = self.file("two.csv", HEAD + "anna_1,oral,1,\n李雷_2,oral,2,late\n李雷_2,orl,1,\n李雷_2,oral,1,\n")
        self.refused([r"one.csv: row 3: there is no submission 'ana_1' \(did you mean 'anna_1'\?\)",
                      "one.csv: row 4: anna_1: oral: 9 points are more than the 3",
                      r"two.csv: row 4: .*no criterion 'orl' \(did you mean 'oral'\?\)",
                      "two.csv: row 5: 李雷_2: oral stands in row 3 already",
                      r"two.csv: row 2: anna_1: oral: 1, and 2 in .*manual.csv row 2: agree on one",
                      r"two.csv: row 3: 李雷_2: oral: 2 \(late\), and 1 in .*one.csv row 2: agree on one"],
                     "--merge", one, other)
        self.refused([r"one.xlsx: is a spreadsheet or an archive: save the table as CSV"], "--merge",
                     self.file("one.xlsx", b"PK\3\4" + bytes(90)))
        self.refused(["wide.csv: is UTF-16 without its mark: save it as UTF-8"], "--merge",
                     self.file("wide.csv", HEAD.encode("utf-16-le")))
        self.refused([r"comma.csv: row 2: anna_1: oral: is '2,5' a number\? Put it in quotation marks"], "--merge",
                     self.file("comma.csv", HEAD + "anna_1,oral,2,5,well\n"))
        self.refused(["none.csv: No such file"], "--merge", self.folder / "none.csv")
        self.refused(["no column 'criterion'"], "--merge", self.file("odd.csv", "name,points\nanna_1,1\n"))
        self.refused(["Is a directory"], "--merge", self.folder)

    def test_what_is_no_file_is_refused_at_once(self):
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        for path in (pipe, pathlib.Path("/dev/zero")):
            self.refused([f"{path}: is a pipe or a device: write it to a file"], "--merge", path)
            self.refused([f"{path}: is a pipe or a device: write it to a file"], "--rescore", "--rubric", path)
        self.refused([f"{self.folder}: Is a directory"], "--rescore", "--rubric", self.folder)
        os.truncate(self.file("long", ""), (64 << 20) + 1)
        self.refused(["long: is longer than 64 MiB"], "--merge", self.folder / "long")
        self.refused(["long: is longer than 64 MiB"], "--rescore", "--rubric", self.folder / "long")
        os.rename(pipe, self.grades / "manual.csv")
        self.refused(["manual.csv: is a pipe or a device"], "--merge")
        os.remove(self.grades / "manual.csv")
        os.remove(self.grades / "grades.csv")
        os.mkfifo(self.grades / "grades.csv")
        self.refused(["grades.csv: is a pipe or a device"], "--merge")

    def test_what_a_shell_pipes_in_is_merged(self):
        got, put = os.pipe()
        self.addCleanup(os.close, got)
        with open(put, "w", encoding="utf-8") as file:
            file.write(HEAD + "anna_1,oral,2,\n")
        self.assertIn("anna_1: oral: none -> 2", self.run_grade("--merge", f"/dev/fd/{got}"))

    def test_points_of_people_go_in_no_silence(self):
        manual, text = self.grades / "manual.csv", HEAD + "anna_1,oral,2,\n李雷_2,style,,neat\n"
        for empty in (b"", b"\xef\xbb\xbf\r\n", "\ufeff".encode("utf-16-le")):
            self.file("grades/manual.csv", text)
            self.run_grade("--merge")
            self.file("grades/manual.csv", empty)
            self.refused(["manual.csv: is empty: put back what stood in it"], "--merge")
            manual.unlink()
            self.refused(["one.csv: is empty"], "--merge", self.file("one.csv", empty))
        for take in (manual.unlink, lambda: self.file("grades/manual.csv", HEAD)):
            self.file("grades/manual.csv", text)
            self.run_grade("--merge")
            take()
            self.assertEqual(self.run_grade("--merge").splitlines(),
                             ["anna_1: 6 and 1 extra -> 4 and 1 extra of 7", "tables and feedback are made anew"])
            self.assertEqual(self.run_grade("--merge"), "tables and feedback are made anew\n")

    def test_an_empty_cell_is_no_word_against_another(self):
        self.run_grade("--merge", self.file("one.csv", HEAD + "anna_1,oral,,late\n李雷_2,oral,1,\n"),
                       self.file("two.csv", HEAD + "anna_1,oral,1.5,\n李雷_2,oral,1,good\n"))
        rows = (self.grades / "manual.csv").read_text(encoding="utf-8").splitlines()
        self.assertIn("anna_1,oral,1.5,late", rows)
        self.assertIn("李雷_2,oral,1,good", rows)

    def test_each_wrong_row_of_manual_itself_is_said(self):
        self.file("grades/manual.csv", HEAD + "ana_1,oral,1,\nanna_1,oral,9,\n")
        self.refused(["manual.csv: row 2: there is no submission 'ana_1'", "manual.csv: row 3: anna_1: oral: 9 points"],
                     "--merge")

    def test_a_damaged_result_is_said_and_changes_nothing(self):
        path = self.grades / "anna_1/result.json"
        right = path.read_text(encoding="utf-8")
        result = json.loads(right)
        for wrong, words in (({"points": "2"}, "points must be number"), ({"points": float("nan")}, "NaN is no number"),
                             ({"criteria": [{}]}, r"criteria\[0\] has no 'id'"), ({"manual": {}}, "manual must be array"),
                             ({"warnings": True}, "warnings must be integer")):
            path.write_text(json.dumps({**result, **wrong}), encoding="utf-8")
            self.refused([f"anna_1/result.json: {words}.*: grade this submission again"], "--merge")
        path.write_text(right, encoding="utf-16")
        self.refused(["anna_1/result.json: it is no text in UTF-8"], "--merge")
        path.write_text("[" * 100000, encoding="utf-8")
        self.refused(["anna_1/result.json: it is nested too deeply"], "--merge")
        path.write_text(right.replace('"schema"', '"name": "x", "name": "y", "schema"', 1), encoding="utf-8")
        self.refused(["anna_1/result.json: 'name' stands twice"], "--merge")

    def test_text_in_other_directions_is_shown_as_text(self):
        self.refused(["there is no submission '<U\\+202E>x<U\\+001B>'"], "--merge",
                     self.file("one.csv", HEAD + "\u202ex\x1b,oral,1,\n"))
        self.run_grade("--merge", self.file("one.csv", HEAD + "anna_1,oral,1,\u202ex\x1b[2J\n"))
        for name in ("feedback.md", "gradescope/results.json"):
            self.assertIn("U+202E", (self.grades / "anna_1" / name).read_text())
            self.assertNotIn("\u202e", (self.grades / "anna_1" / name).read_text())

    def test_a_folder_that_cannot_be_written_stays_as_it_is(self):
        one = self.file("one.csv", HEAD + "anna_1,oral,2,\n")
        write = pathlib.Path.write_bytes

        def full(path, *words, **more):
            if path.name == ".results.json.part":
                raise OSError(30, "Read-only file system", str(path))
            return write(path, *words, **more)

        with unittest.mock.patch.object(pathlib.Path, "write_bytes", full):
            self.refused(["Read-only file system"], "--merge", one, status=3)
        self.assertEqual(list(self.grades.rglob("*.part")), [])

    def test_wrong_usage_is_said(self):
        for words in (["--merge", "--rescore"], ["--rescore"], ["--merge", "--only", "x"], ["--again", "all"],
                      ["--merge", "--rubric", "x"], ["--again", "--only", "x", "--resume", "all"], [], ["--try", "x"]):
            self.run_grade(*words, status=2)
        with contextlib.redirect_stderr(io.StringIO()):
            self.assertEqual(grading.main(["--merge", "-o", str(self.folder / "none")]), 2)
        self.assertFalse((self.folder / "none").exists())

    def test_it_takes_no_build(self):
        done = subprocess.run([PROJECT / "tools/grade", "--merge", "-o", self.grades], capture_output=True, text=True,
                              env={**os.environ, "A2_BUILD_DIR": "/nonexistent"}, timeout=20, check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "tables and feedback are made anew\n", ""))


class Rescored(Desk):
    def by_another(self, change, status=0):
        document = json.loads(json.dumps(RUBRIC))
        change(document)
        path = self.file("new.json", json.dumps(document))
        return self.run_grade("--rescore", "--rubric", path, status=status)

    def test_points_are_those_of_the_new_rubric(self):
        def change(document):
            document["criteria"][1]["evidence"].pop()
            document["criteria"][0]["points"] = 1.5
            document["criteria"][2]["evidence"][0]["factor"] = 0.4
        printed = self.by_another(change)
        self.assertEqual(printed.splitlines(), ["anna_1: 4 and 1 extra -> 3.5 of 6.5 (before: of 7)",
                                                "broken_3: 0 -> 0 of 6.5 (before: of 7)",
                                                "李雷_2: 0 -> 2 of 6.5 (before: of 7)",
                                                "submissions with other points: 3 of 3"])
        result = json.loads((self.grades / "李雷_2/result.json").read_text())
        sha = rubric.load(self.folder / "new.json", TASKS).sha256
        self.assertEqual((result["points"], result["made"]["rubric"]["sha256"], result["seed"]), (2, sha, 7))
        self.assertEqual(tables.plan_of(self.grades)["rubric"]["sha256"], sha)
        self.assertIn(f"Graded with a2 1.0.0 on A device, seed 7, by the rubric two tasks ({sha[:16]}).",
                      self.feedback("anna_1"))
        self.assertIn('name="李雷_2" tests="3" failures="2"', (self.grades / "李雷_2/junit.xml").read_text())
        after = self.tree()
        self.assertEqual(self.by_another(change), "submissions with other points: 0 of 3\n")
        self.assertEqual(self.tree(), after)

    def test_points_in_parts_come_from_what_was_kept(self):
        def tiers(*factors):
            def change(document):
                document["criteria"][0] = {
                    "id": "first", "title": "First", "task": "reduce/atomic", "points": len(factors) / 2,
                    "parts": [{"points": 0.5, "evidence": [{"kind": "time", "factor": factor}]} for factor in factors]}
            return change
        # 1 ms, beside a reference's 2 ms and a spread of 0.04.
        self.by_another(tiers(0.6, 0.49, 0.45))
        self.assertIn("| First | 1 | 1.5 | 0.5 missing: not within 0.45 times the reference's time |",
                      self.feedback("anna_1"))
        row = self.table()["anna_1"]
        self.assertEqual((row["points"], row["of"], row["first"]), ("3", "6.5", "1"))
        self.assertIn('class="lost" title="0.5 missing', (self.grades / "index.html").read_text())

    def test_it_keeps_to_the_schema(self):
        import jsonschema
        schema = json.loads((PROJECT / "tools/course/result-schema.json").read_text(encoding="utf-8"))
        self.by_another(lambda document: document["criteria"].pop())
        for path in self.grades.glob("*/result.json"):
            jsonschema.Draft202012Validator(schema).validate(json.loads(path.read_text()))

    def test_evidence_that_was_not_taken_is_named_and_nothing_is_changed(self):
        def another_run(document):
            document["criteria"][0]["evidence"][0]["runs"] = ["course", "lengths"]

        def another_task(document):
            document["criteria"][0]["task"] = "reduce/unroll"

        def another_time(document):
            document["criteria"][2]["evidence"][0]["tasks"] = ["reduce/interleaved"]

        for change, words, names in ((another_run, "-w 256 --elements 2 --up-to 262147 of reduce/interleaved",
                                      ["anna_1"]),
                                     (another_task, "2\\^20 of reduce/unroll", ["anna_1", "李雷_2"]),
                                     (another_time, "the time of reduce/interleaved", ["anna_1"])):
            before = self.tree()
            self.by_another(change, status=2)
            lines = self.said.splitlines()
            self.assertEqual(len(lines), len(names), self.said)
            for name, line in zip(names, lines):
                self.assertRegex(line, f"{name}: nobody asked for .*{words}.*; run: tools/grade SUBMISSIONS -o .* "
                                       f"--only .*{name}.* --again")
            self.assertEqual(self.tree(), before)

    def test_it_gives_what_a_grading_by_that_rubric_would_give(self):
        self.by_another(lambda document: None)
        for name, points in (("anna_1", 4), ("李雷_2", 0)):
            result = json.loads((self.grades / name / "result.json").read_text())
            self.assertEqual(result["points"], points)
        # The maximum of extra points is reached: times are neither needed nor read.
        self.by_another(lambda document: document.update(most_extra=0))
        result = json.loads((self.grades / "anna_1/result.json").read_text())
        self.assertIn("not timed", result["criteria"][2]["reason"])

    def test_results_of_before_are_read_as_far_as_they_go(self):
        path = self.grades / "anna_1/result.json"
        result = json.loads(path.read_text())
        del result["times"], result["made"]
        path.write_text(json.dumps(result))
        self.by_another(lambda document: None, status=2)
        self.assertIn("anna_1: nobody asked for the time of reduce/atomic; run: ", self.said)
        self.by_another(lambda document: document["criteria"].pop())
        plan = json.loads((self.grades / "grading.json").read_text())
        (self.grades / "grading.json").write_text(json.dumps({"schema": 1, "seed": 7}))
        self.by_another(lambda document: None, status=2)
        self.assertIn("grading.json: it does not name a2's tasks", self.said)
        (self.grades / "grading.json").write_text(json.dumps({**plan, "schema": 2}))
        self.by_another(lambda document: None, status=2)
        self.assertIn("grading.json: its schema is not 1", self.said)

    def test_columns_of_the_earlier_rubric_go_and_those_of_people_stay(self):
        self.run_grade("--merge", self.file("one.csv", HEAD + "anna_1,oral,2,\n"))
        table = self.grades / "grades.csv"
        table.write_text("\n".join(line + (",late" if i == 0 else ",3") for i, line in
                                   enumerate(table.read_text().splitlines())) + "\n")
        self.by_another(lambda document: document["criteria"][0].update(id="begin"))
        row = self.table()["anna_1"]
        self.assertEqual([row[one] for one in ("begin", "late", "oral", "points")], ["2", "3", "2", "6"])
        self.assertNotIn("first", row)

    def test_a_column_of_people_is_no_new_criterion(self):
        table = self.grades / "grades.csv"
        lines = table.read_text(encoding="utf-8").splitlines()
        table.write_text("\n".join([lines[0] + ",late", lines[1] + ",", lines[2] + ",3", *lines[3:]]) + "\n",
                         encoding="utf-8")
        before = self.tree()
        self.by_another(lambda document: document["criteria"][0].update(id="late"), status=2)
        self.assertIn("grades.csv: row 3: '3' stands in the column 'late', which is a criterion of the rubric now: give "
                      "the column another heading", self.said)
        self.assertEqual(self.tree(), before)
        table.write_text(table.read_text(encoding="utf-8").replace(",3\n", ",\n"), encoding="utf-8")
        self.by_another(lambda document: document["criteria"][0].update(id="late"))
        self.by_another(lambda document: document["criteria"][0].update(id="later"))

    def test_rows_that_say_nothing_block_nothing(self):
        self.file("grades/manual.csv", "name,criterion,points,comment,by\nanna_1,first,,,me\n李雷_2,oral,,,\n"
                                       "gone_9,oral,,,\nanna_1,oral,1,,\n")
        self.by_another(lambda document: (document["criteria"][0].update(id="begin"), document["manual"].pop(0),
                                          document["manual"].append({"id": "oral", "title": "Oral", "points": 2})))
        self.run_grade("--merge", self.file("one.csv", HEAD + "anna_1,style,,neat\n"))
        self.assertEqual((self.grades / "manual.csv").read_text(encoding="utf-8"),
                         "name,criterion,points,comment,by\nanna_1,first,,,me\nanna_1,oral,1,,\nanna_1,style,,neat,\n"
                         "gone_9,oral,,,\n李雷_2,oral,,,\n")
        self.file("grades/manual.csv", HEAD + "anna_1,first,,\nanna_1,second,1,a\nbroken_3,second,1,b\n李雷_2,second,1,c\n"
                                              "gone_9,second,1,\ngone_8,oral,1,\n")
        self.by_another(lambda document: document["criteria"].pop(1), status=2)
        self.assertRegex(self.said, "manual.csv: row 3: anna_1 has no criterion 'second'.*; row 4: broken_3 has no.*; "
                                    "row 5: .*; and so are, or in another way, rows 6, 7$")
        self.assertEqual(self.said.count("\n"), 1)

    def test_what_people_wrote_may_fit_the_new_rubric_alone(self):
        self.file("grades/manual.csv", HEAD + "anna_1,begin,1,late\n")
        printed = self.by_another(lambda document: document["criteria"][0].update(id="begin"))
        self.assertIn("anna_1: 4 and 1 extra -> 3 and 1 extra of 7\n", printed)

    def test_what_people_wrote_must_fit_the_new_rubric(self):
        self.file("grades/manual.csv", HEAD + "anna_1,first,1,late\n")
        before = self.tree()
        self.by_another(lambda document: document["criteria"][0].update(id="frist"), status=2)
        self.assertIn("manual.csv: row 2: anna_1 has no criterion 'first' (did you mean 'frist'?)", self.said)
        self.by_another(lambda document: document["criteria"][0].update(points=0.5), status=2)
        self.assertIn("manual.csv: row 2: anna_1: first: 1 points are more than the 0.5", self.said)
        self.assertEqual(self.tree(), before)

    def test_a_wrong_rubric_is_said(self):
        self.by_another(lambda document: document["criteria"][1]["evidence"][1].update(criteria=["shared atomics"]),
                        status=2)
        self.assertIn("new.json: criterion 'second': the method of reduce/atomic has no criterion 'shared atomics' (did "
                      "you mean 'shared atomic'?)", self.said)
        self.by_another(lambda document: document["criteria"][0].update(task="reduce/none"), status=2)
        self.assertIn("there is no task 'reduce/none'", self.said)
        self.by_another(lambda document: document.update(criteria=[]), status=2)
        self.assertIn("new.json: rubric: criteria must not be empty", self.said)
        text = json.dumps(RUBRIC)
        for data, words in ((b"\xff\xfe\x00", "it is no text in UTF-8: save it as that"),
                            (text.encode("utf-16"), "it is no text in UTF-8: save it as that"),
                            (text.replace('"most_extra": 1', '"most_extra": 1' + "0" * 5000), "a number has more than 300"),
                            (text.replace('"most_extra": 1', '"most_extra": 1e300'), "rubric: most_extra must be a number "
                                                                                     "from 0, up to 100000, whole or")):
            self.refused([f"error: .*bad.json: {words}"], "--rescore", "--rubric", self.file("bad.json", data))
        self.refused(["error: .*no.json: No such file or directory$"], "--rescore", "--rubric", self.folder / "no.json")


if __name__ == "__main__":
    unittest.main()
