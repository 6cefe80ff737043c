#!/usr/bin/python3
"""What tools/handout hands out, and what tools/submit packs of it."""

import pathlib
import sys
import unittest

PROJECT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT / "tools" / "course"))
import markers  # noqa: E402

STUDENT_FILES = sorted([*PROJECT.glob("shaders/A2Task*.comp"), *PROJECT.glob("src/A2Task*Solution/*.cpp")])


class Markers(unittest.TestCase):
    def refusal(self, text):
        with self.assertRaises(markers.MarkerError) as raised:
            markers.stub_of(text, "file.comp")
        return str(raised.exception)

    def test_any_comment_syntax(self):
        for begin, end, stub in (("// BEGIN SOLUTION: add\n", "// END SOLUTION\n", "// TODO: add\n"),
                                 ("# BEGIN SOLUTION: add\r\n", "# END SOLUTION\r\n", "# TODO: add\r\n"),
                                 ("  /* BEGIN SOLUTION: add */\n", "  /* END SOLUTION */\n", "  /* TODO: add */\n"),
                                 ("\t<!-- BEGIN SOLUTION -->\n", "\t<!-- END SOLUTION -->\n", "\t<!-- TODO -->\n")):
            text = f"before\n{begin}secret\nmore\n{end}behind"
            stub = f"before\n{stub}behind"
            self.assertEqual(markers.stub_of(text, "f"), stub)
            self.assertEqual(markers.with_solutions(stub, text, "f"), text)
            self.assertEqual(markers.solution_lines(text, "f"), ["secret\n", "more\n"])

    def test_wrong_markers_are_named_by_file_and_line(self):
        begin, end = "// BEGIN SOLUTION\n", "// END SOLUTION\n"
        self.assertEqual(self.refusal(f"a\n{end}"), "file.comp:2: END SOLUTION without a BEGIN SOLUTION before it")
        self.assertEqual(self.refusal(f"a\n{begin}b"), "file.comp:2: BEGIN SOLUTION without an END SOLUTION")
        self.assertEqual(self.refusal(f"{begin}b\n{begin}{end}{end}"),
                         "file.comp:3: BEGIN SOLUTION inside the part that begins in line 1")
        for wrong in ("x = 1;  // BEGIN SOLUTION\n", "/* BEGIN SOLUTION\n", "// BEGIN SOLUTIONS, END SOLUTION\n"):
            self.assertIn("file.comp:1: a marker is a comment with a line of its own", self.refusal(wrong))

    def test_a_stub_that_is_not_there(self):
        text = "a\n// BEGIN SOLUTION\nb\n// END SOLUTION\n"
        with self.assertRaisesRegex(markers.MarkerError, "^f:2: the stub of the solution in line 2 is not there$"):
            markers.with_solutions("a\n// another\n", text, "f")

    def test_every_student_file_has_a_solution(self):
        self.assertGreaterEqual(len(STUDENT_FILES), 19)
        for file in STUDENT_FILES:
            text = markers.read(file)
            stub = markers.stub_of(text, file.name)
            self.assertNotEqual(stub, text, file)
            self.assertNotIn("SOLUTION", stub)
            self.assertEqual(markers.with_solutions(stub, text, file.name), text)


if __name__ == "__main__":
    unittest.main()
