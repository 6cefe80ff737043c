#!/usr/bin/python3
"""tools/grade --simulate: schedules calculated by hand, bounds that no schedule can beat, and the texts."""

import json
import os
import random
import shutil
import subprocess
import unittest

from grade_support import PROJECT, Room

import simulation


class Schedules(unittest.TestCase):
    def whole(self, submissions, recorders, devices):
        """Without the runs before them: the reference, and again on each node."""
        whole, busy = simulation.schedule(submissions, recorders, devices, start=0)
        record, judge = simulation.means(submissions)
        self.assertEqual(busy, sum(seconds for _, seconds in submissions))
        return whole - 2 * record - judge, judge

    def test_worked_out_by_hand(self):
        # One records at 10, 20, 30; the device waits for each.
        self.assertEqual(self.whole([(10, 4)] * 3, 1, 1), (34, 4))
        # Two record at 10, 10, 20, 20: the device is at work from 10 to 14 to 18, and from 20 to 24 to 28.
        self.assertEqual(self.whole([(10, 4)] * 4, 2, 1)[0], 28)
        # Four record at 10: one device needs 4 * 4, two half of that.
        self.assertEqual(self.whole([(10, 4)] * 4, 4, 1)[0], 26)
        self.assertEqual(self.whole([(10, 4)] * 4, 4, 2)[0], 18)
        # The second is recorded at 1, the third at 3, the first at 30; the device has tried the reference at 9 (it takes
        # 20, and those who record began after 11), and takes them at 9, 29 and 49.
        self.assertEqual(self.whole([(30, 20), (1, 20), (2, 20)], 2, 1)[0], 69)
        # Here it waits for the first, after the others.
        self.assertEqual(self.whole([(90, 20), (1, 20), (2, 20)], 2, 1)[0], 110)

    def test_each_task_costs_its_start(self):
        one, _ = simulation.schedule([(10, 4)], 1, 1, start=3)
        # The reference (3 + 10, 3 + 4), once more where it records (10), and the submission (3 + 10, 3 + 4).
        self.assertEqual(one, 20 + 10 + 20)

    def test_no_schedule_beats_its_bounds(self):
        numbers = random.Random(1)
        for _ in range(300):
            submissions = [(numbers.uniform(0, 30), numbers.uniform(0, 30)) for _ in range(numbers.randint(1, 40))]
            recorders, devices = numbers.randint(1, 9), numbers.randint(1, 4)
            whole, _ = self.whole(submissions, recorders, devices)
            record, judge = (sum(column) for column in zip(*submissions))
            least = max(record / recorders, judge / devices, max(map(sum, submissions)))
            most = record + judge + max(judge for _, judge in submissions)
            # A device may have been ready before or after the first was recorded, depending on what its node tries
            # first.
            self.assertLessEqual(least - 1e-6, whole + sum(simulation.means(submissions)))
            self.assertLessEqual(whole, most + 1e-6)
            more, _ = self.whole(submissions, recorders * 50, devices * 50)
            self.assertLessEqual(more, whole + 1e-6)


class Words(Room):
    def write_grades(self, *seconds):
        """One submission each; none of its seconds for None."""
        for i, one in enumerate(seconds):
            folder = self.folder / f"grades/s{i}"
            folder.mkdir(parents=True)
            if one is not None:
                (folder / "seconds.json").write_text(one if isinstance(one, str) else
                                                     json.dumps({"record": one[0], "judge": one[1]}))

    def simulate(self, *words, status=0):
        printed = self.run_grade("--simulate", *words, status=status)
        return self.said if status else printed

    def test_it_says_where_the_device_is_the_limit(self):
        self.write_grades((8, 1), (12, 3), None)
        said = self.simulate("1000")
        self.assertIn("1,000 submissions like these 2: 10.0 s to record, 2.0 s to judge each\n", said)
        self.assertIn("A device judges 1,440 submissions an hour; recording 5 at a time feeds it.", said)
        rows = [line.split() for line in said.splitlines() if "%" in line]
        # 1000 * 10.5 s, one after the other; then as long as the device takes: 1000 * 2.5 s.
        self.assertEqual(rows[0], ["1", "1", "2:56", "24%"])
        one = [row for row in rows if row[1] == "1"]
        self.assertEqual([row[0] for row in one], ["1", "2", "4", "8"])
        self.assertEqual(one[-1][2:4], ["0:43", "99%"])
        self.assertEqual([" ".join(row[4:]) for row in one], ["", ""] + ["the devices are the limit"] * 2)
        self.assertEqual([row[0] for row in rows if row[1] == "4"], ["1", "2", "4", "8", "16", "32"])
        self.assertLessEqual(max(map(len, said.splitlines())), 80)

    def test_it_takes_no_build(self):
        self.write_grades((8, 1))
        done = subprocess.run([PROJECT / "tools/grade", "--simulate", "9", "-o", self.folder / "grades"], timeout=20,
                              capture_output=True, text=True, env={**os.environ, "A2_BUILD_DIR": "/nonexistent"}, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_what_is_missing_is_said(self):
        self.write_grades(None)
        self.assertIn("no submission here has a seconds.json", self.simulate("10", status=2))
        for count in ("0", "-1", "100001"):
            self.assertIn("from 1 to 100000", self.simulate(count, status=2))
        self.assertIn("--simulate takes no submissions", self.simulate("10", "x.zip", status=2))
        self.assertIn("are one at a time", self.simulate("10", "--merge", status=2))
        self.assertIn("--simulate takes no --rubric", self.simulate("10", "--rubric", "x", status=2))

    def test_seconds_that_are_none_are_named(self):
        for text in ("{", "[]", '{"record": 1}', '{"record": "x", "judge": 1}', "null",
                     '{"record": Infinity, "judge": 1}', '{"record": 1, "judge": NaN}', '{"record": -1, "judge": 1}'):
            self.write_grades(text)
            said = self.simulate("10", status=2)
            self.assertRegex(said, r"^tools/grade: error: .*s0/seconds\.json: .*delete it, or grade .* again\n$")
            shutil.rmtree(self.folder / "grades")


if __name__ == "__main__":
    unittest.main()
