#!/usr/bin/python3
"""Equal submissions: similarity that new names, another order and other words do not hide, and honest similarity."""

import csv
import itertools
import json
import re
import shutil
import subprocess
import sys
import time
import unittest
import unittest.mock

from disguises import NAIVE, disguises
from grade_support import BUILD, INTERLEAVED, JAILS, PROJECT, Room, needs_build, one_failed, solutions
from independent import independent

import build
import copies
import copies_page
import grading
import jail
import layouts
import markers
import recorded
import sixty
import tokens
import values

DECOMPOSITION = "shaders/A2Task2KernelDecomposition.comp"
OFFSET = "shaders/A2Task2KernelDecompositionOffset.comp"
KERNEL = "shaders/A2Task1Interleaved.comp"


class House:
    root = PROJECT


def given():
    if not hasattr(given, "made"):
        given.made = copies.handed_out(House, sorted(solutions()))
    return given.made


def pieces(text):
    return set(tokens.Source(text, given()).pieces())


def most_of(one, other):
    """The share in percent, of the one with the larger share."""
    return 100 * len(one & other) // min(len(one), len(other))


class Tokens(unittest.TestCase):
    def test_what_means_the_same_is_the_same(self):
        text = "uint a = 16, b = 3; for (; a < b; ++a) data[a + 1] += b; if (a > b) return; store(b, a);"
        own = set(tokens.Source(text).pieces())
        self.assertGreater(len(own), 25)
        for same in (re.sub(r"\ba\b", "first", text), text.replace("16", "0x10u"), text.replace("16", "020"),
                     text.replace("16", "1'6"), text.replace("for (; a < b; ++a)", "while (; a < b; ++a)"),
                     "// so\n" + text.replace(" ", "/* \n */ ").replace(";", ";\n"),
                     text.replace("uint a", "const uint a").replace("data", "{ data").replace("+= b;", "+= b; }")):
            self.assertEqual(set(tokens.Source(same).pieces()), own, same)
        for other in (text.replace("16", "17"), text.replace("store(b, a)", "store(a, b)"),
                      text.replace("store", "load"), text.replace("a < b", "a <= b")):
            self.assertNotEqual(set(tokens.Source(other).pieces()), own, other)

    def test_what_stands_before_does_not_matter(self):
        block = "data[a + 1] = b * a + first(b) - data[b]; next(data, a, b, a + b); "
        own = set(tokens.Source(f"uint a, b; uint b; {block}").pieces())
        there = set(tokens.Source(f"uint a; uint b; a = a + b; b = b - a; if (a < 3) b = a; {block}").pieces())
        self.assertGreater(len(own & there), len(tokens.Source(block).codes) - tokens.LENGTH)

    def test_order_of_functions_changes_little(self):
        text = solutions()[DECOMPOSITION]
        functions = re.findall(r"^(?:void|uint) \w+\([^)]*\)\n\{\n.*?^\}\n", text, re.DOTALL | re.MULTILINE)[:-1]
        self.assertGreater(len(functions), 4)
        other = text
        for one in functions:
            other = other.replace(one, "")
        other = other.replace("void main()", "\n".join(reversed(functions)) + "void main()")
        self.assertGreater(most_of(pieces(text), pieces(other)), 90)

    def test_what_was_handed_out_is_nobodys(self):
        for file, text in solutions().items():
            self.assertEqual(pieces(markers.stub_of(text, file)), set(), file)
        header = markers.read(PROJECT / "shaders/include/A2Kernels.h")
        self.assertEqual(pieces(header + markers.stub_of(solutions()[NAIVE], NAIVE)), set())

    def test_lines_are_those_of_the_file(self):
        source = tokens.Source("a\n/* \n */ b \\\n c // d\ne \"f\\\n\" g")
        self.assertEqual(source.lines, [1, 3, 4, 5, 5, 6])

    def test_of_a_long_file_the_beginning_is_read(self):
        source = tokens.Source("x y;" * tokens.MOST_TOKENS)
        self.assertTrue(source.cut)
        self.assertLessEqual(len(source.codes), tokens.MOST_TOKENS)
        self.assertFalse(tokens.Source("/* x */ " * tokens.MOST_TOKENS + "int y;").cut)


class Calibration(unittest.TestCase):
    """Independent solutions stay below the limit, as far as four of them can show; copies lie above it."""

    def test_honest_ones_have_few_tokens_in_common(self):
        all_of = [{file: solutions()[file] for file in independent()["one"]}, *independent().values()]
        for one, other in itertools.combinations(all_of, 2):
            for file in one:
                share = most_of(pieces(one[file]), pieces(other[file]))
                self.assertLess(share, copies.LEAST_PERCENT[copies.TOKENS] - 8, file)

    def test_copies_have_many(self):
        own = pieces(solutions()[NAIVE])
        for how, text in disguises().items():
            if not how.startswith("temporary"):
                self.assertGreater(most_of(own, pieces(text)), copies.LEAST_PERCENT[copies.TOKENS] + 8, how)

    def test_other_names_in_another_order_change_nothing(self):
        one, other = sixty.right(3), sixty.right(7)
        for file, text in one.items():
            if file.endswith(".comp"):
                self.assertNotEqual(text, other[file], file)
            self.assertEqual(pieces(text), pieces(other[file]), file)


@unittest.skipIf(values.is_missing(), "glslc is not installed")
class Values(Room):
    def computed(self, texts, kind="user"):
        """name -> file -> set, of name -> file -> text."""
        folder = self.folder / "values"
        folder.mkdir()
        found = values.of_all(texts, folder, PROJECT / "shaders/include", kind)
        return {name: {file: set(own) for file, own in files.items()} for name, files in found.items()}

    def test_disguises_change_little_and_honest_ones_differ(self):
        bar = copies.LEAST_PERCENT[copies.VALUES]
        texts = {f"copy: {how}": {NAIVE: text} for how, text in disguises().items()}
        texts.update({"own": solutions(), **independent()})
        found = self.computed(texts)
        for how in disguises():
            self.assertGreater(most_of(found["own"][NAIVE], found[f"copy: {how}"][NAIVE]), bar, how)
        for one, other in itertools.combinations(["own", *independent()], 2):
            for file in found["one"]:
                self.assertLess(most_of(found[one][file], found[other][file]), bar - 15, (one, other, file))

    def test_names_order_and_white_space_change_nothing(self):
        shape = "#version 450\n{}layout(local_size_x = 64) in;\n{}void main() {{\n{}}}\n"
        buffers = ["layout(set = 0, binding = 0) buffer A {{ uint {}[]; }};\n",
                   "layout(set = 0, binding = 1) buffer B {{ uint {}[]; }};\n"]
        texts = {
            "one": shape.format("", buffers[0].format("x") + buffers[1].format("y"),
                                "uint i = gl_GlobalInvocationID.x;\nuint s = x[i] * 16;\ny[i] = s + i;\n"),
            "two": shape.format("#define AT gl_GlobalInvocationID.x\n", buffers[1].format("p") + buffers[0].format("q"),
                                "\n\np[AT] =\n AT + 0x10u *\n\n q[AT];\n"),
            "three": shape.format("", buffers[0].format("x") + buffers[1].format("y"),
                                  "uint i = gl_GlobalInvocationID.x;\nuint s = x[i] * 17;\ny[i] = s + i;\n"),
            "four": shape.format("", buffers[1].format("x") + buffers[0].format("y"),
                                 "uint i = gl_GlobalInvocationID.x;\nuint s = x[i] * 16;\ny[i] = s + i;\n")}
        found = self.computed({name: {KERNEL: text} for name, text in texts.items()})
        self.assertGreater(len(found["one"][KERNEL]), 6)
        self.assertEqual(found["one"], found["two"])
        self.assertNotEqual(found["one"], found["three"])
        self.assertNotEqual(found["one"], found["four"])  # the buffers differ

    def test_what_headers_compute_is_nobodys(self):
        text = solutions()[NAIVE]
        stub = markers.stub_of(text, NAIVE)
        called = stub.replace("    // TODO", "    target[0] = workGroupNumber();\n    // TODO")
        self.assertNotEqual(called, stub)
        found = self.computed({"stub": {NAIVE: stub}, "calls": {NAIVE: called}})
        self.assertEqual(found["stub"][NAIVE], set())
        self.assertLess(len(found["calls"][NAIVE]), 4)

    def test_what_can_be_written_in_two_ways_is_written_in_one(self):
        for line, words in (("%3 = OpUGreaterThan %bool %1 %2", ["OpULessThan", "%2", "%1"]),
                            ("%3 = OpPhi %uint %1 %8 %2 %9", ["OpPhi", "%1", "%2"]),
                            ("%3 = OpSpecConstantOp %uint IMul %1 %2", ["OpIMul", "%1", "%2"]),
                            ("%3 = OpIMul %uint %1 %2", ["OpIMul", "%1", "%2"])):
            self.assertEqual(list(values.instructions(line)), [("%3", words)])
        self.assertEqual(list(values.instructions('OpStore %1 %2\nOpSource GLSL 450 "\\"\n%1 = OpX %2\n"\nOpSource "')),
                         [(None, ["OpStore", "%1", "%2"]), (None, ["OpSource", "GLSL", "450", '"']),
                          (None, ["OpSource", '"'])])

    def test_lines_are_of_the_body(self):
        folder = self.folder / "values"
        folder.mkdir()
        text = solutions()[NAIVE]
        found = values.of_all({"own": {NAIVE: text}}, folder, PROJECT / "shaders/include", "user")["own"][NAIVE]
        lines = text.split("\n")
        main, stored = lines.index("void main()") + 1, next(i for i, line in enumerate(lines, 1) if "= sum" in line)
        everywhere = set().union(*found.values())
        self.assertIn(stored, everywhere)
        self.assertGreater(min(everywhere), main)

    def test_a_kernel_that_is_wrong_or_too_much_costs_itself(self):
        macros = "".join(f"#define M{i} M{i + 1} + M{i + 1}\n" for i in range(60)) + "#define M60 1\n"
        bomb = "#version 450\n" + macros + "void main() { uint a = M0; }"
        texts = {"bad": {KERNEL: bomb, DECOMPOSITION: "\0\xff\n\"", NAIVE: solutions()[NAIVE], OFFSET: "void main() {"},
                 "good": solutions()}
        start = time.process_time()
        found = self.computed(texts)
        self.assertLess(time.process_time() - start, 5)
        self.assertEqual(list(found["bad"]), [NAIVE])
        self.assertEqual(found["bad"][NAIVE], found["good"][NAIVE])

    def test_no_lines_hide_what_a_kernel_computes(self):
        text = solutions()[NAIVE]
        head, version, rest = text.partition("#version 450\n")
        more = f"{head}{version}#extension GL_GOOGLE_cpp_style_line_directive : enable\n{rest}"
        before, main, body = more.partition("void main()")
        texts = {str(i): {NAIVE: f"{before}{line}{main}{body}"} for i, line in enumerate((
            '#line 5 "x"\n', '\r#line 5 "x"\n', '#/**/line 5 "x"\n', '#li\\\nne 5 "x"\n', "#line 5 7\n"))}
        texts["whole"] = {NAIVE: before + " ".join(f"{main}{build.without_comments(body)}".split())}
        found = self.computed({"own": {NAIVE: text}, **texts})
        for name in texts:
            self.assertEqual(found[name], found["own"], name)

    def test_a_kernel_that_only_waits_costs_nobody_else(self):
        waits = '#version 450\n#include "../../../../../../../../../dev/ptmx"\nvoid main() {}\n'
        texts = {"a": {KERNEL: waits, NAIVE: solutions()[NAIVE]}, "b": {NAIVE: solutions()[NAIVE]}}
        for most, known, of_a in ((values.MOST_SECONDS, values.foreign_include, [NAIVE]),
                                  (3, lambda *_: None, [])):  # a way to it that is not known
            start = time.monotonic()
            with unittest.mock.patch.object(values, "MOST_SECONDS", most), \
                    unittest.mock.patch.object(values, "foreign_include", known):
                found = self.computed(texts)
            self.assertLess(time.monotonic() - start, 20)
            self.assertEqual((list(found["a"]), list(found["b"])), (of_a, [NAIVE]))
            shutil.rmtree(self.folder / "values")

    def test_the_compiler_runs_in_a_jail(self):
        text = "#version 450\n#include \"/etc/passwd\"\nvoid main() {}\n"
        for kind in JAILS:
            commands = []

            def run(words, *more, commands=commands, **others):
                commands.append([str(word) for word in words])
                return jail_run(words, *more, **others)

            jail_run = jail.run
            with unittest.mock.patch.object(jail, "run", run):
                found = self.computed({"a": {NAIVE: solutions()[NAIVE], KERNEL: text}}, kind)
            self.assertEqual(list(found["a"]), [NAIVE])
            self.assertTrue(commands and all("prlimit" in words for words in commands))
            (self.folder / "values").rename(self.folder / f"values-{kind}")


class Pairs(unittest.TestCase):
    def test_each_pair_once_and_both_ways(self):
        sets = {"a": set(range(100)), "b": set(range(50, 150)), "c": set(range(60, 90)), "d": set(range(900, 950))}
        found = copies.compared(copies.TOKENS, lambda file: sets, ["f"], list(sets), [])
        listed = {pair: three for (pair, file), three in found.items() if file == "f"}
        self.assertEqual(listed, {("a", "b"): (50, 50, 25), ("a", "c"): (30, 100, 25), ("b", "c"): (30, 100, 25)})
        self.assertEqual({pair for pair, file in found if file == copies.ALL}, set(itertools.combinations("abcd", 2)))

    def test_all_files_are_weighed_together(self):
        of = {"f": {"a": set(range(100)), "b": set(range(100))},
              "g": {"a": set(range(300)), "b": set(range(900, 1000))}}
        found = copies.compared(copies.TOKENS, of.get, ["f", "g"], ["a", "b"], [])
        self.assertEqual(found[("a", "b"), copies.ALL][:2], (25, 50))
        self.assertNotIn((("a", "b"), "g"), found)

    def test_files_of_next_to_nothing_are_alike_and_not_told(self):
        sets = {name: set(range(copies.LEAST_PIECES[copies.TOKENS] - 1)) for name in "ab"}
        self.assertEqual(copies.compared(copies.TOKENS, lambda file: sets, ["f"], list(sets), []), {})

    def test_earlier_years_are_compared_with_this_one_alone(self):
        sets = {name: set(range(100)) for name in ("a", "2024/x", "2024/y", "2025/x")}
        found = copies.compared(copies.TOKENS, lambda file: sets, ["f"], ["a"], ["2024/x", "2024/y", "2025/x"])
        self.assertEqual({pair for pair, _ in found}, {("a", "2024/x"), ("a", "2024/y"), ("a", "2025/x")})
        sets = {"a": set(range(100)), "b": set(range(100, 200)), "2024/x": set(range(200)), "2024/y": set(range(200))}
        found = copies.compared(copies.TOKENS, lambda file: sets, ["f"], ["a", "b"], ["2024/x", "2024/y"])
        self.assertEqual(found[("a", "2024/x"), "f"], (100, 50, 0))  # only this year's count for the usual value

    def test_who_shares_with_one_another_is_a_group(self):
        def three(percent):
            return (percent, percent, 5)

        found = {(("a", "b"), "f"): three(60), (("b", "c"), "f"): three(50), (("d", "e"), "f"): three(90)}
        found.update({(pair, copies.ALL): three(found.get((pair, "f"), three(3))[0])
                      for pair in itertools.combinations("abcdef", 2)})
        rows = copies.rows({copies.TOKENS: found})
        groups = {}
        for row in rows:
            groups.setdefault(row.group, set()).update((row.first, row.second))
        self.assertEqual(groups, {1: {"d", "e"}, 2: {"a", "b", "c"}})
        # One similar file makes no group: independent submissions may have one.
        found[("a", "d"), "g"] = three(100)
        alone = [row for row in copies.rows({copies.TOKENS: found}) if row[1:3] == ("a", "d")]
        self.assertEqual({row.group for row in alone}, {""})
        self.assertEqual(copies.rows({copies.TOKENS: found})[-1], alone[-1])
        self.assertEqual(rows[0], copies.Row(1, "d", "e", copies.ALL, copies.TOKENS, 90, 90, 5))
        self.assertEqual(copies.as_csv(rows[:1]), "group,first,second,file,by,of_first,of_second,usual\n"
                                                  "1,d,e,all files,tokens,90,90,5\n")


class Recordings(Room):
    def sets_of(self, *names, file="f", common=10):
        """The recordings of four, each a little like the next; the named one records the same as the first."""
        sets = {name: set(range(i * 70, i * 70 + 100)) | set(range(9000, 9000 + common))
                for i, name in enumerate("abcd")}
        return {file: {**sets, **{name: sets["a"] for name in names}}}

    def found(self, of):
        names = {name for sets in of.values() for name in sets}
        return copies.compared_freely(lambda file: of.get(file, {}), sorted(of), names)

    def test_where_recordings_differ_a_pair_has_its_share(self):
        found = self.found(self.sets_of("x"))
        self.assertEqual({key: three[:2] for key, three in found.items()}, {(("a", "x"), "f"): (100, 100)})
        self.assertLessEqual(found[("a", "x"), "f"][2], copies.MOST_USUAL)
        of_tokens = {(("a", "x"), "g"): (60, 50, 9)}
        rows = copies.rows({copies.TOKENS: of_tokens, copies.RECORDED: found})
        self.assertEqual([row[1:5] for row in rows], [("a", "x", "f", copies.RECORDED), ("a", "x", "g", copies.TOKENS)])

    def test_what_was_recorded_makes_no_pair(self):
        self.assertEqual(copies.rows({copies.TOKENS: {}, copies.RECORDED: self.found(self.sets_of("x"))}), [])

    def test_what_a_task_prescribes_is_left_out(self):
        self.assertEqual(self.found(self.sets_of("x", common=200)), {})
        self.assertEqual(self.found(self.sets_of(*"lmnopqrstuvwxyz")), {})

    def test_a_class_of_few_shows_nothing(self):
        of = self.sets_of("x")
        del of["f"]["c"], of["f"]["d"]
        self.assertEqual(self.found(of), {})

    def test_lines_are_those_of_the_tasks_that_share_a_file(self):
        rows = {"one": {"files": ["k.comp", "src/h.cpp"]}, "two": {"files": ["l.comp", "src/h.cpp"]}}
        for name, runs in (("ann", {"course": {"one": {"recorded": ["a", "b", "a"]}, "two": {"recorded": ["a"]}},
                                    "lengths": {"one": {"recorded": ["c"]}, "two": {}, "gone": {"recorded": ["d"]}}}),
                           ("ben", {})):
            self.write(f"grades/{name}", {"a2.json": json.dumps(runs)})
        self.write("grades/lost", {"a2.json": "{"})
        found = recorded.of_all(self.folder / "grades", ["ann", "ben", "lost"], rows)
        self.assertEqual(found, {"ann": {"src/h.cpp": ["one: a", "one: b", "two: a", "one: c"]}})


class Page(unittest.TestCase):
    def page(self, texts, rows=None, earlier=(), found=None, recordings=None):
        rows = rows or [copies.Row(1, *sorted(texts), NAIVE, copies.TOKENS, 90, 80, 7)]
        return copies_page.Page(rows, texts, frozenset(), found or {}, recordings or {}, earlier).html()

    def test_passages_stand_beside_each_other(self):
        text = "void f() {\n    uint a = 1;\n    data[a] = a + 2;\n    a = data[a * 3];\n}\n"
        other = "int z;\n" + text.replace("a = ", "b = ").replace("[a", "[b").replace("a +", "b +")
        page = self.page({"ann": {NAIVE: text}, "ben": {NAIVE: other}})
        self.assertIn("<b>3</b><code>    data[a] = a + 2;</code>", page)
        self.assertIn("<b>4</b><code>    data[b] = b + 2;</code>", page)
        self.assertIn("ann/files/" + NAIVE, page)
        self.assertNotIn("<script", page)
        self.assertIn("90 / 80 (7)", page)

    def test_words_of_students_are_text(self):
        text = "x = \"</code><script>\" + y + z + 1 + 2 + 3 + 4; /* \x1b[2J\u202e */\n" * 3
        name = "<b>\"ann"
        page = self.page({name: {NAIVE: text}, "zoe": {NAIVE: text}},
                         [copies.Row(1, name, "zoe", NAIVE, copies.TOKENS, 90, 80, 7)])
        for wrong in ("<script", "<b>\"ann", "\x1b", "\u202e"):
            self.assertNotIn(wrong, page)
        self.assertIn("&lt;/code&gt;&lt;script&gt;", page)
        self.assertIn("<U+001B>".replace("<", "&lt;").replace(">", "&gt;"), page)

    def test_earlier_years_files_are_no_links(self):
        text = "a = b + c + d + e + f + g + h;\n" * 4
        rows = [copies.Row(1, "ann", "2025/ben", NAIVE, copies.TOKENS, 90, 80, 7)]
        page = self.page({"ann": {NAIVE: text}, "2025/ben": {NAIVE: text}}, rows, ["2025/ben"])
        self.assertIn("2025/ben", page)
        self.assertNotIn("href=\"2025", page)

    def test_lines_that_compute_the_same_are_shown(self):
        text = "".join(f"line {i}\n" for i in range(1, 31))
        rows = [copies.Row(1, "ann", "ben", NAIVE, copies.VALUES, 90, 80, 7)]
        found = {"ann": {NAIVE: {1: {5}, 2: {7}, 3: {20}}}, "ben": {NAIVE: {1: {9}, 3: {2}, 4: {4}}}}
        page = self.page({"ann": {NAIVE: text}, "ben": {NAIVE: text}}, rows, (), found)
        shown = re.findall(r"<b>(\d+)</b>", page)
        self.assertEqual(shown, ["5", "20", "2", "9"])

    def test_what_both_recorded_is_shown(self):
        host = "src/A2Task2Solution/Naive.cpp"
        rows = [copies.Row("", "ann", "ben", host, copies.RECORDED, 95, 90, 7)]
        recordings = {"ann": {host: ["dispatch <a>", "barrier 1"]}, "ben": {host: ["dispatch <a>", "barrier 2"]}}
        page = self.page({"ann": {host: "x\n"}, "ben": {host: "y\n"}}, rows, (), None, recordings)
        self.assertIn("dispatch &lt;a&gt;", page)
        self.assertNotIn("barrier", page)
        self.assertIn("recording, %</th></tr>", page)
        self.assertIn("95 / 90 (7)", page)

    def test_it_stays_short(self):
        text = "".join(f"uint a{i} = b{i} + {i} * c{i} + f({i});" + " " * 2000 + f"/* {i} */\n" for i in range(500))
        page = self.page({"ann": {NAIVE: text}, "ben": {NAIVE: text}})
        self.assertLess(len(page), 60_000)
        self.assertIn("more lines: see the files", page)
        several = {f"s{i:03}": {NAIVE: text} for i in range(60)}
        rows = [copies.Row(1, one, other, NAIVE, copies.TOKENS, 90, 80, 7)
                for one, other in itertools.combinations(sorted(several), 2)]
        with unittest.mock.patch.object(copies_page, "MOST_BYTES", 100_000):
            page = self.page(several, rows)
        self.assertLess(len(page), 700_000)
        self.assertIn("In similarity.csv alone", page)
        self.assertIn("And 770 more pairs", page)


class Bounds(unittest.TestCase):
    def test_a_hostile_file_costs_no_more_than_its_share(self):
        script = """
import resource, sys
sys.path.insert(0, sys.argv[1])
resource.setrlimit(resource.RLIMIT_CPU, (40, 40))
resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
import copies, copies_page, tokens
for shape in ("x", "x ", "x y ", "(", "/*", "/*/", "//", "\\"", "'", "\\\\\\n", "1", "1.", "1e+", "R\\"(",
              "#define a b\\n", "\\0", "\\xff "):
    text = shape * ((1 << 20) // len(shape))
    one = tokens.Source(text)
    assert len(one.pieces()) <= tokens.MOST_TOKENS
    copies_page.passages(one, one)
print("done")
"""
        ended = subprocess.run([sys.executable, "-B", "-c", script, str(PROJECT / "tools/course")], capture_output=True,
                               text=True)
        self.assertEqual(ended.stdout, "done\n", ended.stderr[-300:])

    def test_pairs_of_a_class_of_copies_take_seconds(self):
        sets = {f"s{i:03}": set(range(i, i + 1000)) for i in range(200)}
        start = time.process_time()
        found = copies.compared(copies.TOKENS, lambda file: sets, list("abcdefghij"), sorted(sets), [])
        rows = copies.rows({copies.TOKENS: found})
        self.assertLess(time.process_time() - start, 20)
        self.assertEqual(len(rows), 11 * 199 * 100)
        self.assertLess(len(copies.as_csv(rows)), 4 << 20)


@needs_build
class Whole(Room):
    """tools/grade --resume compares the graded submissions again."""

    def graded(self, folder, class_):
        """A folder of grades with these submissions, and one with what was handed in."""
        for name, files in class_.items():
            result = json.dumps(one_failed(name)[0])
            self.write(f"{folder}/grades/{name}", {"result.json": result, "a2.json": "{}", **{f"files/{file}": text
                                                                            for file, text in files.items()}})
            self.write(f"{folder}/in/{name}", files)
        self.write(f"{folder}/grades", {"grades.csv": "name\n"})
        return self.folder / folder

    def compared(self, *words, status=0):
        self.grade(self.folder / "now/in", "--resume", *words, rubric=None, status=status, output="now/grades")
        table, page = self.folder / "now/grades/similarity.csv", self.folder / "now/grades/similarity.html"
        if not table.is_file():
            return [], ""
        with open(table, encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file)), page.read_text(encoding="utf-8")

    def pairs(self, rows):
        return {(row["first"], row["second"]) for row in rows}

    def test_a_class_with_two_who_share(self):
        three = independent()
        copy = {file: text.replace("acc", "result").replace("// ", "// so ") for file, text in three["one"].items()}
        self.graded("now", {**three, "zoe": copy})
        rows, page = self.compared()
        self.assertEqual(self.pairs(rows), {("one", "zoe")})
        self.assertIn("one and zoe", page)
        self.assertIn(INTERLEAVED, page)
        self.assertEqual({row["of_first"] for row in rows if row["by"] == copies.TOKENS}, {"100"})
        ways = {copies.TOKENS} | (set() if values.is_missing() else {copies.VALUES})
        self.assertEqual({row["by"] for row in rows}, ways)
        before = [(self.folder / "now/grades" / name).read_bytes() for name in ("similarity.csv", "similarity.html")]
        self.compared()
        self.assertEqual(before, [(self.folder / "now/grades" / name).read_bytes()
                                  for name in ("similarity.csv", "similarity.html")])

    def test_earlier_years_are_grades_or_submissions(self):
        three = independent()
        self.graded("now", {"ann": three["one"], "ben": three["two"]})
        self.graded("2024", {"carl": three["two"], "carla": three["two"]})
        for name in ("dora", "emil"):  # a student's file with a grader's name makes no folder of grades
            self.write(f"2025/{name}", {**three["one"], "result.json": "{}"})
        self.write("2025/broken", {"notes.txt": "x"})
        (self.folder / "2025/fake.zip").write_bytes(b"PK\3\4 none")
        rows, page = self.compared("--before", self.folder / "2024/grades", "--before", self.folder / "2025")
        self.assertEqual(self.pairs(rows), {("ann", "2025/dora"), ("ann", "2025/emil"), ("ben", "2024/carl"),
                                            ("ben", "2024/carla")})
        self.assertIn("2025/fake is not compared", self.said)
        self.assertIn("2024/carla", page)
        folders = sorted(path.name for path in (self.folder / "now/grades").iterdir() if path.is_dir())
        self.assertEqual(folders, ["ann", "ben"])
        table = (self.folder / "now/grades/grades.csv").read_text(encoding="utf-8")
        self.assertNotIn("carl", table)
        self.assertNotIn(str(self.folder), page)

    def test_earlier_years_are_kept(self):
        three = independent()
        self.graded("now", {"ann": three["one"], "ben": three["two"]})
        self.graded("2024", {"carl": three["two"]})
        self.write("2025/dora", three["one"])
        both = {("ann", "2025/dora"), ("ben", "2024/carl")}
        words = ("--before", self.folder / "2024/grades", "--before", self.folder / "2025")
        with unittest.mock.patch.object(values, "is_missing", return_value=True):
            self.assertEqual(self.pairs(self.compared(*words)[0]), both)
            self.assertEqual(self.pairs(self.compared()[0]), both, "a call that names none")
            self.assertNotIn("--before", self.said)
            self.assertNotIn(str(self.folder), (self.folder / "now/grades/grading.json").read_text())
            (self.folder / "2025").rename(self.folder / "elsewhere")
            rows, page = self.compared()
            self.assertEqual(self.pairs(rows), {("ben", "2024/carl")})
            self.assertNotIn("dora", page + (self.folder / "now/grades/class.html").read_text())
            gone = f"note: --before {self.folder / '2025'}: there is no such file or folder: nothing is compared with it"
            self.assertEqual(self.said.count(gone), 1, self.said)
            rows, _ = self.compared("--before", self.folder / "elsewhere")
            self.assertEqual(self.pairs(rows), {("ann", "elsewhere/dora")})
            self.assertIn(f"note: --before {self.folder / '2024/grades'}: nothing is compared with it any more", self.said)

    def test_what_cannot_be_taken_is_said_before_anything_else(self):
        self.graded("now", {"ann": {NAIVE: "x"}})
        other = self.write("other/in", {"a/b": "c"})
        for folders, why in (([self.folder / "none"], "there is no such file or folder"),
                             ([self.write("more/in", {"a/b": "c"}), other], "another one is called in, too"),
                             ([other, self.folder / "now/in"], "now/in: this is no earlier year, .*now/in is what is gra"),
                             ([self.folder / "now/in/ann"], "now/in/ann: this is no earlier year"),
                             ([self.folder / "now"], "now: this is no earlier year, .*now/in is what is graded"),
                             ([self.folder / "now/grades"], "now/grades: this .*now/grades is where its grades go")):
            self.compared(*(word for folder in folders for word in ("--before", folder)), status=2)
            self.assertRegex(self.said, why)
            self.assertEqual(self.said.count("\n"), 1)
            self.assertFalse((self.folder / "now/grades/similarity.csv").exists())
        with unittest.mock.patch("sys.stderr"), self.assertRaises(SystemExit) as ended:
            grading.main([str(self.folder / "now/in"), "-o", str(self.folder / "x"), "--before", ".", "--no-similarity",
                          "--build", str(BUILD)])
        self.assertEqual(ended.exception.code, 2)

    def test_without_the_compiler_tokens_are_compared(self):
        self.graded("now", {"ann": {NAIVE: solutions()[NAIVE]}, "ben": {NAIVE: disguises()["renamed"]}})
        with unittest.mock.patch.object(values, "is_missing", return_value=True):
            rows, _ = self.compared()
        self.assertEqual({row["by"] for row in rows}, {copies.TOKENS})
        self.assertIn("apt-get install glslc", self.said)

    @unittest.skipIf(values.is_missing(), "glslc is not installed")
    def test_a_kernel_without_spir_v_is_named(self):
        files = {KERNEL: "no kernel", NAIVE: solutions()[NAIVE]}
        self.graded("now", dict.fromkeys(("ann", "ben", "cy", "di"), files))
        self.compared()
        self.assertIn(f"note: glslc makes no SPIR-V of ann's {KERNEL}, ben's {KERNEL}, cy's {KERNEL} and of 1 more: "
                      "compared by tokens alone\n", self.said)

    def test_no_submission_is_called_as_these_files(self):
        self.assertEqual(layouts.unique(["similarity.html"]), ["similarity.html-2"])


if __name__ == "__main__":
    unittest.main()
