#!/usr/bin/python3
"""The pages of a grading: the feedback of each student, and the class as a picture."""

import html.parser
import re
import unittest
import xml.etree.ElementTree as ElementTree

from class_support import made
from grade_support import Room

import charts
import classpage
import copies
import feedbackpage
import judging
import outputs
import people
import rubric
import tables


class Texts(html.parser.HTMLParser):
    """The text of a page, and its tags."""

    def __init__(self, page):
        super().__init__()
        self.text, self.tags, self.hidden = "", [], False
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.hidden = tag in ("style", "script")

    def handle_endtag(self, tag):
        self.hidden = False
        self.text += " " if tag in ("td", "th") else ""

    def handle_data(self, data):
        self.text += "" if self.hidden else data


class Feedback(Room):
    result = {"name": "Zo\xeb <script>|*x*_1", "points": 1.5, "of": 3, "extra": 1, "title": "A & B",
              "problem": "it <b>ended</b>", "warnings": 2, "manual": [{"id": "oral", "title": "Oral"}],
              "criteria": [{"id": "a", "title": "A", "points": 1.5, "of": 2, "extra": False,
                            "reason": "scan: `x` | \\ **y** <img src=//e>\nz"}],
              "files": {"missing": [], "broken": [{"file": "a<b>.cpp", "why": "does not compile"}], "unused": ["u_*.txt"],
                        "refused": []}}
    test = {"status": "failed", "method": [], "lint": [], "cases": [],
            "explanation": ["  expected `3` <b>\n\n    got | 4"],
            "diagnosis": {"file": "s/K_*.comp", "line": 12, "dispatch": 3, "command": "build/a2 steps 'x' > <y>"}}

    def text(self):
        results = {"runs": {"course": {"t/a": self.test}}}
        return outputs.printable(outputs.feedback(self.result, results, {"t/a": "the label"}))

    def test_it_says_what_feedback_md_says(self):
        page = Texts(feedbackpage.page(self.text()))
        for words in ("Zo\xeb <script>|*x*_1: 1.5 of 3 points, and 1 extra", "Not graded: it <b>ended</b>",
                      "t/a: failed", "scan: `x` | \\ **y** <img src=//e> z",
                      "  expected `3` <b>\n\n    got | 4", "build/a2 steps 'x' > <y>",
                      "Look at s/K_*.comp, line 12.", "a<b>.cpp does not compile", "u_*.txt", "by hand"):
            self.assertIn(words, page.text)
        # Word by word: nothing is lost, and nothing is added.
        unmarked = re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", self.text())
        self.assertEqual(re.findall(r"[^\s|#*-]+", unmarked), re.findall(r"[^\s|#*-]+", self.body(self.text())))

    def body(self, text):
        page = feedbackpage.page(text)
        return Texts(page[page.index("<body>"):]).text

    def test_it_is_one_file_without_script(self):
        page = Texts(feedbackpage.page(self.text()))
        self.assertEqual({tag for tag, _ in page.tags} - {
            "html", "head", "meta", "title", "style", "body", "h1", "h2", "p", "table", "tr", "td", "th", "ul", "li",
            "pre", "strong"}, set())
        for _, attributes in page.tags:
            self.assertFalse({name for name in attributes if name in ("src", "href", "style") or name.startswith("on")})
        self.assertEqual([tag for tag, _ in page.tags].count("pre"), 2)

    def test_a_picture_in_it_cannot_reach_it(self):
        picture = "<script>parent.x</script>\"' </iframe>"
        page = Texts(feedbackpage.page(self.text(), picture))
        frames = [attributes for tag, attributes in page.tags if tag == "iframe"]
        self.assertEqual([(one["sandbox"], one["srcdoc"]) for one in frames], [("allow-scripts", picture)])
        self.assertNotIn("script", {tag for tag, _ in page.tags})

    def test_what_it_does_not_read_stays_as_it_is_written(self):
        for text in ("> quoted", "1. one", "[a](javascript:x)", "<b>x</b>", "a * b ** c", "\\", "|", "**", "`", "***",
                     "| a", "#x"):
            self.assertIn(text.strip("|").strip(), self.body(text))
        self.assertEqual(self.body("").strip(), "")
        self.assertEqual(self.body("<a> \\* **<b> \\*** `<c>`").strip(), "<a> * <b> * <c>")

    def test_it_is_written_beside_feedback_md(self):
        outputs.write_submission(self.folder, {**self.result, "most_extra": 1}, None, {}, "")
        page = (self.folder / "feedback.html").read_text(encoding="utf-8")
        self.assertEqual(page, feedbackpage.page((self.folder / "feedback.md").read_text(encoding="utf-8")))
        self.assertNotIn("<script", page)


class Class(Room):
    def made(self, name, a, b, *more, **changes):
        return made(self.folder / "grades", name, a, b, *more, **changes)

    def page(self, *results):
        return classpage.page(self.folder / "grades", list(results), people.People())

    def text(self, *results):
        page = self.page(*results)
        return " ".join(Texts(page[page.index("<body>"):]).text.split())

    def drawn(self, page):
        return [ElementTree.fromstring(one) for one in re.findall(r'<svg class="chart".*?</svg>', page, re.DOTALL)]

    def test_points(self):
        results = [self.made(f"s{i}", 2 * (i % 2), i % 5) for i in range(8)]
        points = sorted(one["points"] for one in results)
        page = self.page(*results)
        bars = self.drawn(page)[0].findall("rect")
        self.assertEqual(sorted(one.find("title").text for one in bars),
                         sorted({f"{one}: {points.count(one)}" for one in points}))
        self.assertIn(f"mean {sum(points) / 8:.1f}, median {(points[3] + points[4]) / 2:g}, standard deviation", page)
        self.assertIn("B 1.6 1.5 1.3 4", self.text(*results))
        self.assertEqual(len(self.drawn(page)), 1, "no times, no throughput")

    def test_points_of_people_count(self):
        class Given:
            def final(self, result):
                manual = [{"id": one, "title": one.title(), "points": points, "of": of, "comment": ""}
                          for one, points, of in (("oral", 3 if result["name"] == "one" else None, 4), ("style", None, 2),
                                                  ("plan", None, None))]
                final = people.People().final(result)
                return final._replace(points=final.points + (manual[0]["points"] or 0), of=12, manual=manual)

        results = [self.made("one", 2, 4), self.made("two", 2, 2)]
        page = classpage.page(self.folder / "grades", results, Given())
        text = " ".join(Texts(page).text.split())
        self.assertIn("mean 6.5, median 6.5, standard deviation 2.5 of 12 points", text)
        self.assertIn("Oral 3.0 3 0.0 4", text)
        self.assertNotIn("Style", text)
        self.assertNotIn("Plan", text)

    def test_any_number_of_submissions(self):
        self.assertIn("No submission is graded yet", self.text())
        one = self.made("one", 2, 4)
        self.assertIn("1 submission; mean 6.0, median 6, standard deviation 0.0 of 6 points", self.text(one))
        lost = self.made("lost", 0, 0, problem="it holds nothing")
        self.assertIn("1 submission; 1 could not be graded, and is in no figure.", self.text(lost))
        self.assertEqual(self.drawn(self.page(lost)), [])
        self.assertIn("2 submissions; 1 could not be graded", self.text(one, lost))
        self.assertIn("Nobody stands out", self.text(one))
        many = [self.made(f"s{i}", 2 * (i % 2), i % 5, warnings=i % 2) for i in range(200)]
        self.assertIn("Warnings of the compiler: 100", self.text(*many))

    def test_what_failed_most(self):
        barrier = {"rule": "missing-barrier", "severity": "failure", "message": "no <barrier>"}
        note = {"rule": "bank-conflicts", "severity": "note", "message": "16-way"}
        unmet = {"criterion": "one dispatch", "met": False, "evidence": "18"}
        results = [
            self.made("s1", 0, 0, [("course", "t/a", {"status": "failed", "lint": [barrier, barrier]}),
                                   ("course", "t/b", {"status": "timeout"})]),
            self.made("s2", 0, 4, [("course", "t/a", {"status": "failed", "lint": [barrier]}),
                                   ("course", "t/b", {"lint": [note]})]),
            self.made("s3", 2, 4, [("course", "t/a", {"method": [unmet]}),
                                   ("lengths", "t/a", {"status": "failed", "explanation": ["expected 3, got 4"]})]),
            self.made("s4", 2, 4, [("course", "t/a", {"status": "crashed", "diagnosis": {"file": "a.cpp"}})],
                      files={"missing": [], "broken": [{"file": "a.cpp", "why": "does not compile: x"}]}),
            self.made("s5", 2, 4, [("course", "t/a", {"status": "failed", "diagnosis": {"file": "b.comp"}})],
                      files={"missing": ["b.comp"], "broken": [{"file": "b.comp", "why": "is not in it"}]}),
            self.made("s6", 0, 0, [("course", "t/a", {"status": "not-written", "lint": [note], "method": [unmet]})]),
            self.made("s7", 0, 0, [("course", "t/a", {"lint": [note]})], problem="lost")]
        found = {what: (names, example) for what, names, example, _ in
                 classpage.most_frequent(classpage.looks(self.folder / "grades", results[:-1], people.People()))}
        self.assertEqual(list(found)[0], "missing-barrier")
        self.assertEqual(found, {
            "missing-barrier": (["s1", "s2"], "t/a: no <barrier>"), "time-out": (["s1"], "t/b: time-out"),
            "bank-conflicts": (["s2"], "t/b: 16-way"), "not: one dispatch": (["s3"], "t/a: 18"),
            "fails at other lengths": (["s3"], "t/a: expected 3, got 4"),
            "does not compile or link": (["s4"], "a.cpp does not compile: x"),
            "not handed in": (["s5"], "b.comp is not in it"), "not written": (["s6"], "t/a: not written yet")})
        self.assertIn("Submissions, of 6, in which", self.text(*results))
        self.assertIn("bank-conflicts 1 t/b", self.text(*results))
        self.assertIn("missing-barrier 2 t/a: no <barrier> (s1)", self.text(*results))
        self.assertEqual(set(classpage.WAYS) | {"course"}, set(rubric.RUNS))

    def test_who_needs_a_look(self):
        (self.folder / "grades").mkdir()
        (self.folder / "grades/similarity.csv").write_text(copies.as_csv([copies.Row(*one) for one in (
            (1, "=near", "ok", "k.comp", "tokens", 92, 90, 9), (1, "ok", "=near", "l.comp", "tokens", 30, 20, 9),
            (2, "a", "b", "k.comp", "SPIR-V", 92, 92, 9), (3, "c", "d", copies.ALL, "tokens", 60, 50, 9))]))
        text = self.text(self.made("ok", 2, 4), self.made("none", 0, 0, problem="it holds nothing"),
                         self.made("gone", 0, 0, problem="lost on the cluster, --resume takes it up: x"),
                         self.made("=near", 2, 0.5), self.made("far", 2, 0), self.made("under", 2, 1.5),
                         self.made("bang", 2, 4, [("course", "t/a", {"status": "crashed"}),
                                                  ("lengths", "t/b", {"status": "timeout"})]),
                         self.made("warned", 2, 4, [(run, "t/a", {"own_module": "runs a module of its own"})
                                                    for run in ("course", "lengths")], warnings=3))
        for words in ("Run kernels that are not those that were handed in: 1 warned: t/a runs a module of its own",
                      "Could not be graded: 1 none: it holds nothing", "Lost on the cluster: 1 gone",
                      "Ended by a crash: 1 bang (t/a)", "Ended by a time-out: 1 bang (t/b)",
                      "Within half a point of half the points: 2 =near (2.5), under (3.5)",
                      "Share code that was not handed out, much of all files: 1 c and d (all files: tokens 60 %)",
                      "Share single files, which may be chance where they are short: 2 =near and ok (up to 92 % of a "
                      "file, in 2 files) a and b (up to 92 % of a file, in 1 file)",
                      "in a table, what they have in common", "Warnings of the compiler: 1 warned (3)"):
            self.assertIn(words, text)

    def test_all_pairs_are_counted(self):
        one, most = self.made("ada", 2, 4), classpage.MOST_PAIRS
        rows = [copies.Row(1, "ada", f"b{i:02}", "k.comp", "tokens", 90, 90, 9) for i in range(most + 4)]
        (self.folder / "grades/similarity.csv").write_text(copies.as_csv(rows))
        text = self.text(one)
        self.assertIn(f"where they are short: {most + 4} ada and b00", text)
        self.assertIn(f"ada and b{most - 1} (up to 90 % of a file, in 1 file) 4 more in similarity.csv", text)

    def test_pairs_with_two_shares_and_with_earlier_years(self):
        one = self.made("ada", 2, 4)
        (self.folder / "grades/similarity.csv").write_text(
            "group,first,second,file,by,of_first,of_second,usual\n1,ada,'=max,all files,tokens,20,40,9\n"
            "1,'=max,ada,k.comp,tokens,10,93,9\n1,'=max,ada,k.comp,SPIR-V,90,91,9\n2,2025/eve,ada,l.comp,tokens,50,60,9\n"
            "2,2025/eve,ada\nx\n")
        text = self.text(one)
        self.assertIn("much of all files: 1 =max and ada (all files: tokens 40 %; up to 93 % of a file, in 1 file)", text)
        self.assertIn("where they are short: 1 2025/eve and ada (up to 60 % of a file, in 1 file)", text)
        self.assertNotIn("2025/eve/feedback", self.page(one))

    def test_any_name_leads_to_its_feedback(self):
        name = "\u0645\u062d\u0645\u062f #1 <b>&'\"%"
        page = self.page(self.made(name, 2, 1, warnings=1, title="<script>", times={"r": 0.2}))
        self.assertNotIn("<b>", page)
        self.assertNotIn("<script", page)
        links = [attributes["href"] for tag, attributes in Texts(page).tags if tag == "a"]
        self.assertEqual(set(links), {"index.html",
                                      "%D9%85%D8%AD%D9%85%D8%AF%20%231%20%3Cb%3E%26%27%22%25/feedback.html"})
        attributes = {name for _, attributes in Texts(page).tags for name in attributes}
        self.assertFalse({name for name in attributes if name == "src" or name.startswith("on")})

    def test_points_against_throughput(self):
        results = [self.made("fast", 2, 4, times={"r": 0.05, "q": 0.2}), self.made("slow", 2, 1, times={"r": 0.5}),
                   self.made("none", 2, 0)]
        chart = self.drawn(self.page(*results))[1]
        dots = {one.find("circle/title").text: one.find("circle").attrib for one in chart.findall("a")}
        self.assertEqual(list(dots), ["fast: 21 GE/s (r), 6 points", "slow: 2.1 GE/s (r), 3 points"])
        fast, slow = (float(one["cx"]) for one in dots.values())
        self.assertGreater(fast, slow)
        self.assertIn("2 of 3 were timed", self.text(*results))
        self.assertIn("reference", [one.text for one in chart.findall("text")])

    def test_files_that_are_none_cost_nothing(self):
        one = self.made("one", 2, 4, [("course", "t/a", {"status": "timeout"})], times={"r": 1})
        for data in ("{", "[]", ""):
            for name in ("a2.json", "result.json"):
                (self.folder / "grades/one" / name).write_text(data)
            self.assertIn("Nobody stands out", self.text(one))

    def test_the_grading_writes_it(self):
        results = [self.made("one", 2, 4), self.made("two", 0, 0)]
        folder = self.folder / "grades"

        def written():
            said = people.read(folder)
            texts = tables.texts_of(folder, {one["name"]: one for one in results}, said, {})
            tables.replace_all(texts)
            return {path.relative_to(folder).as_posix() for path in texts}

        self.assertLessEqual({"class.html", "index.html", "one/feedback.html", "two/feedback.html"}, written())
        self.assertEqual((folder / "class.html").read_text(), self.page(*results))
        self.assertIn('<a href="class.html">', (folder / "index.html").read_text())
        self.assertEqual(written(), set(), "written where it changes")

    def test_times_are_those_of_so_many_elements(self):
        self.assertEqual(judging.TIMED[:2], ["-n", str(judging.TIMED_ELEMENTS)])


class Charts(unittest.TestCase):
    def texts(self, drawn):
        """(left, right, top, bottom) of each text, assuming slightly wider letters than those of fonts."""
        chart = ElementTree.fromstring(drawn)
        for one in chart.findall("text"):
            wide, x, y = 6.4 * len(one.text), float(one.get("x")), float(one.get("y"))
            left = x - {"start": 0, "middle": 0.5, "end": 1}[one.get("text-anchor")] * wide
            yield one.text, left, left + wide, y - 9, y + 2

    def expect_apart(self, drawn):
        texts = list(self.texts(drawn))
        for i, (name, left, right, top, bottom) in enumerate(texts):
            self.assertTrue(0 <= left + 1 and right <= charts.WIDTH + 1 and 0 <= top and bottom <= charts.HEIGHT, name)
            for other, left2, right2, top2, bottom2 in texts[i + 1:]:
                meet = left < right2 and left2 < right and top < bottom2 and top2 < bottom
                self.assertFalse(meet, f"{name} on {other}")

    def test_no_text_is_over_another(self):
        for most in (0.5, 1, 3, 7, 20, 24, 25, 100, 250):
            for count in (1, 3, 200):
                for middle in (0, most / 4, most / 2, most):
                    values = [most * i / count for i in range(count + 1)] + [middle] * count
                    drawn, _ = charts.histogram("t", values, most, (middle, f"median {middle:g}"), f"points of {most:g}",
                                                "submissions")
                    self.expect_apart(drawn)
        for fastest in (0.003, 0.9, 7, 43, 1234):
            for reference in (fastest / 50, fastest / 2, fastest * 1.01):
                mark = (reference, "reference")
                self.expect_apart(charts.scatter("t", [(fastest, 3, "n", "l")], 20, mark, "throughput", "points"))

    def test_every_value_is_in_one_bar(self):
        for most, values in ((20, [0, 0.5, 1, 19.5, 20, 20]), (100, [0, 4.5, 5, 99, 100]), (3, [0, 3, 4.5])):
            drawn, _ = charts.histogram("t", values, most, (1, "m"), "a", "u")
            bars = [one.text.split(": ") for one in ElementTree.fromstring(drawn).iterfind("rect/title")]
            self.assertEqual(sum(int(count) for _, count in bars), len(values))
            self.assertEqual(bars[-1][0].split(" ")[0], f"{most}")

    def test_steps_are_ones_twos_and_fives(self):
        self.assertEqual([charts.step_of(most, 5) for most in (5, 6, 10, 11, 26, 0.4)], [1, 2, 2, 5, 10, 0.1])
        self.assertEqual([charts.step_of(most, 4, whole=True) for most in (0, 1, 4, 5, 73)], [1, 1, 1, 2, 20])


if __name__ == "__main__":
    unittest.main()
