#!/usr/bin/python3
"""The pages of a grading: what each student reads, and the class as a picture."""

import html.parser
import re
import unittest

from grade_support import Room

import feedbackpage
import outputs


class Texts(html.parser.HTMLParser):
    """What a page shows, and its tags."""

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
    result = {"name": "Zo\xeb <script>|*x*_1", "points": 1.5, "of": 3, "extra": 1, "title": "A & B", "problem": "it <b>ended</b>",
              "warnings": 2, "manual": [{"id": "oral", "title": "Oral"}],
              "criteria": [{"id": "a", "title": "A", "points": 1.5, "of": 2, "extra": False,
                            "reason": "scan: `x` | \\ **y** <img src=//e>\nz"}],
              "files": {"broken": [{"file": "a<b>.cpp", "why": "does not compile"}], "unused": ["u_*.txt"], "refused": []}}
    test = {"status": "failed", "method": [], "lint": [], "cases": [], "explanation": ["  expected `3` <b>\n\n    got | 4"],
            "diagnosis": {"file": "s/K_*.comp", "line": 12, "dispatch": 3, "command": "build/a2 steps 'x' > <y>"}}

    def text(self):
        return outputs.printable(outputs.feedback(self.result, {"runs": {"course": {"t/a": self.test}}}, {"t/a": "the label"}))

    def test_it_says_what_feedback_md_says(self):
        page = Texts(feedbackpage.page(self.text()))
        for words in ("Zo\xeb <script>|*x*_1: 1.5 of 3 points, and 1 extra", "Not graded: it <b>ended</b>", "t/a: failed",
                      "scan: `x` | \\ **y** <img src=//e> z", "  expected `3` <b>\n\n    got | 4", "build/a2 steps 'x' > <y>",
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
            "html", "head", "meta", "title", "style", "body", "h1", "h2", "p", "table", "tr", "td", "th", "ul", "li", "pre",
            "strong"}, set())
        for _, attributes in page.tags:
            self.assertFalse({name for name in attributes if name in ("src", "href", "style") or name.startswith("on")})
        self.assertEqual([tag for tag, _ in page.tags].count("pre"), 2)

    def test_what_it_does_not_read_stays_as_it_is_written(self):
        for text in ("> quoted", "1. one", "[a](javascript:x)", "<b>x</b>", "a * b ** c", "\\", "|", "**", "`", "***", "| a", "#x"):
            self.assertIn(text.strip("|").strip(), self.body(text))
        self.assertEqual(self.body("").strip(), "")
        self.assertEqual(self.body("<a> \\* **<b> \\*** `<c>`").strip(), "<a> * <b> * <c>")

    def test_it_is_written_beside_feedback_md(self):
        outputs.write_submission(self.folder, {**self.result, "most_extra": 1}, None, {}, "")
        page = (self.folder / "feedback.html").read_text(encoding="utf-8")
        self.assertEqual(page, feedbackpage.page((self.folder / "feedback.md").read_text(encoding="utf-8")))
        self.assertNotIn("<script", page)


if __name__ == "__main__":
    unittest.main()
