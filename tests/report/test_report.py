"""The output of tools/report for JSON: tables with the JSON's numbers, whole folders, one clear line for bad input."""

import hashlib
import html.parser
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

import made

PROGRAM = pathlib.Path(__file__).resolve().parents[2] / "tools" / "report" / "report.py"
try:
    import jinja2  # noqa: F401
    import matplotlib  # noqa: F401
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)


def run(*words):
    return subprocess.run([sys.executable, "-B", PROGRAM, *map(str, words)], capture_output=True, text=True)


class Data(html.parser.HTMLParser):
    """Every <data> of a page: (value, source, text); and every id, link and heading."""

    def __init__(self, text):
        super().__init__()
        self.found, self.ids, self.links, self.headings, self.labels = [], [], [], [], []
        self.inside = None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if "id" in attributes:
            self.ids.append(attributes["id"])
        for key in ("aria-labelledby", "for"):
            if key in attributes:
                self.labels.append(attributes[key])
        if "href" in attributes and tag == "a":
            self.links.append(attributes["href"])
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(int(tag[1]))
        if tag == "data":
            self.inside = [attributes["value"], attributes.get("data-source"), ""]

    def handle_data(self, data):
        if self.inside:
            self.inside[2] += data

    def handle_endtag(self, tag):
        if tag == "data":
            self.found.append(tuple(self.inside))
            self.inside = None


def at(folder, source):
    """The value of the JSON at a source."""
    name, _, pointer = source.partition("#/")
    node = json.loads((folder / "data" / name).read_text(encoding="utf-8"))
    for key in pointer.split("/"):
        node = node[int(key)] if isinstance(node, list) else node[key]
    return node


def digests(folder):
    return {path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in folder.rglob("*") if path.is_file()}


class InAFolder(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = pathlib.Path(self.temporary.name)
        self.out = self.folder / "out"

    def made(self, *words):
        finished = run(*words, "-o", self.out)
        self.assertEqual((finished.returncode, finished.stderr), (0, ""))
        return (self.out / "report.html").read_text(encoding="utf-8")

    def refused(self, words, part, status=2):
        finished = run(*words)
        self.assertEqual(finished.returncode, status, finished)
        self.assertRegex(finished.stderr, r"\Aa2: error: [^\n]*\n\Z")
        self.assertIn(part, finished.stderr)
        self.assertFalse(self.out.exists(), "a folder was left behind")
        self.assertEqual([path.name for path in self.folder.iterdir() if path.name.startswith(".a2")], [])


class Whole(unittest.TestCase):
    """For one report of everything, made once."""

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.folder = pathlib.Path(cls.temporary.name)
        made.write(cls.folder / "in", made.everything())
        cls.finished = run(cls.folder / "in", "-o", cls.folder / "out", "--wall")
        cls.out = cls.folder / "out"
        if cls.finished.returncode:
            raise AssertionError(cls.finished.stderr)
        cls.page = (cls.out / "report.html").read_text(encoding="utf-8")
        cls.data = Data(cls.page)

    def test_says_nothing(self):
        self.assertEqual((self.finished.stdout, self.finished.stderr), ("", ""))

    def test_every_number_of_a_table_is_the_jsons(self):
        raw = [one for one in self.data.found if one[1]]
        self.assertGreater(len(raw), 200)
        units = {"items_per_second": 1e-9, "bytes_per_second": 1e-9, "peak_fraction": 100, "cv": 100}
        for value, source, text in raw:
            shown = float(value)
            wanted = at(self.out, source) * units.get(source.rsplit("/", 1)[1], 1)
            self.assertAlmostEqual(shown, wanted, delta=1e-12 * abs(wanted), msg=source)
            self.assertAlmostEqual(float(text), wanted, delta=abs(wanted) * 5.1e-4, msg=source)

    def test_derived_numbers_are_right(self):
        # Interleaved takes four times as long as Atomic.
        rows = re.findall(r"<tr><th scope=\"row\">Atomic</th>(.*?)</tr>", self.page)
        speedups = re.findall(r'<data value="([^"]*)">([^<]*)</data>', rows[0])
        self.assertEqual([text for _, text in speedups], ["4.000", "4.000"])
        # A half of a scan has none.
        local = re.findall(r"<tr><th scope=\"row\">Local</th>(.*?)</tr>", self.page)
        self.assertEqual(local[0].count("–"), 2)

    def test_markdown_has_the_same_numbers(self):
        text = (self.out / "report.md").read_text(encoding="utf-8")
        cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.split("\n")
                 if line.startswith("| ")]
        numbers = [cell for row in cells for cell in row[1:] if re.fullmatch(r"[0-9.]+", cell)]
        shown = [text for _, _, text in self.data.found]
        for number in shown:
            self.assertIn(number, numbers)
        tables = [part for part in re.split(r"\n(?!\|)", text) if part.startswith("|") or "\n|" in part]
        for table in tables:
            columns = {len(re.findall(r"(?<!\\)\|", line)) for line in table.split("\n") if line.startswith("|")}
            self.assertEqual(len(columns), 1, table)
        for picture in re.findall(r"\]\(([^)]*)\)", text):
            self.assertTrue((self.out / picture).is_file(), picture)
        self.assertGreaterEqual(text.count("**Explain:**"), 7)

    def test_has_every_figure_as_svg_pdf_and_png(self):
        kinds = {"methods-reduce", "methods-scan", "workgroups-reduce", "workgroups-scan", "lengths-reduce",
                 "lengths-scan", "roofline", "whole-reduce", "whole-scan", "counts", "growth", "banks", "traffic",
                 "timeline"}
        for kind, start in (("svg", b"<?xml"), ("pdf", b"%PDF"), ("png", b"\x89PNG")):
            files = {path.stem: path for path in (self.out / "figures").glob(f"*.{kind}")}
            self.assertEqual(set(files), kinds)
            for path in files.values():
                self.assertTrue(path.read_bytes().startswith(start), path)
        for path in (self.out / "figures").glob("*.svg"):
            xml.etree.ElementTree.parse(path)

    def test_marks_say_the_jsons_numbers(self):
        timed = {(one["name"].split("/")[1].capitalize(), one["n"], float(f"{one['median_ms']:.4g}"))
                 for path in (self.out / "data").glob("*.json")
                 for one in json.loads(path.read_text(encoding="utf-8"))["benchmarks"]}
        for group, methods in (("reduce", 2), ("scan", 3)):
            drawn = (self.out / "figures" / f"lengths-{group}.svg").read_text(encoding="utf-8")
            said = re.findall(r"<use [^>]*><title>(\w[\w-]*), n = (2\^\d+): (\S+) ms, spread (\S+) to (\S+)</title></use>",
                              drawn.replace("\N{NO-BREAK SPACE}", " "))
            self.assertGreaterEqual(len(said), 3 * methods)
            for method, n, ms, low, high in said:
                self.assertIn((method, 2**int(n[2:]), float(ms)), timed)
                self.assertLess(float(low), float(ms))
                self.assertLess(float(ms), float(high))
            self.assertIn(f"<title>{said[0][0]}, n = {said[0][1]}: {said[0][2]} ms, ",
                          self.page.replace("\N{NO-BREAK SPACE}", " "))

    def test_lines_are_named_where_they_end(self):
        drawn = (self.out / "figures" / "lengths-scan.svg").read_text(encoding="utf-8")
        texts = [(float(y), text) for y, text in
                 re.findall(r'<text style="[^"]*" x="[^"]*" y="([^"]*)"[^>]*>([^<]*)</text>', drawn)]
        named = [text for _, text in sorted(texts) if text in ("Naive", "Local", "Work-efficient")]
        self.assertEqual(named, ["Naive", "Work-efficient", "Local"])  # the slowest is at the top

    def test_page_stands_alone_and_hangs_together(self):
        self.assertNotRegex(self.page, r"<script|<img|<iframe|@import|url\(['\"]?http|src=")
        outside = re.findall(r'(?:href|src)="(https?:[^"]*)"', self.page)
        self.assertEqual(outside, [])
        self.assertEqual(len(self.data.ids), len(set(self.data.ids)), "ids are not unique")
        for label in self.data.labels:
            self.assertIn(label, self.data.ids)
        for link in self.data.links:
            if link.startswith("#"):
                self.assertIn(link[1:], self.data.ids)
            else:
                self.assertTrue((self.out / link).is_file(), link)
        for used in re.findall(r'(?:xlink:href="|url\()#([^")]*)', self.page):
            self.assertIn(used, self.data.ids)
        self.assertEqual(self.data.headings[0], 1)
        for before, after in zip(self.data.headings, self.data.headings[1:]):
            self.assertLessEqual(after, before + 1)
        self.assertEqual(self.page.count('role="textbox"'), self.page.count("<b>Explain:</b>"))

    def test_figures_take_the_pages_colours(self):
        inline = "".join(re.findall(r"<svg.*?</svg>", self.page, re.S))
        self.assertEqual(re.findall(r"#[0-9a-fA-F]{6}\b", inline), [])
        self.assertIn("prefers-color-scheme: dark", self.page)

    def test_names_device_driver_commit_seed_shape_and_command(self):
        for part in ("Test GPU &lt;1&gt;", "driver 1", "0123456789ab", "<dd>7</dd>", "256 × 2", "build/a2 bench -s 7"):
            self.assertIn(part, self.page)
        self.assertNotIn("a b.json", self.page)

    def test_wall_has_two_figures_and_knows_itself(self):
        wall = (self.out / "wall.html").read_text(encoding="utf-8")
        self.assertEqual(wall.count("<svg"), 2)
        stamp = re.search(r'a2Wall\("([0-9a-f]{64})"\)', (self.out / "wall.js").read_text(encoding="utf-8"))[1]
        self.assertIn(f'stamp !== "{stamp}"', wall)

    def test_the_same_json_gives_the_same_bytes(self):
        again = self.folder / "from-data"
        self.assertEqual(run(self.out / "data", "-o", again, "--wall").returncode, 0)
        self.assertEqual(digests(self.out), digests(again))


class Pages(InAFolder):
    def test_steps_are_linked(self):
        made.write(self.folder / "in", made.everything())
        pages = self.folder / "pages"
        pages.mkdir()
        for name in ("reduce-atomic", "scan-naive", "no-task"):
            (pages / f"{name}.html").write_text(name, encoding="utf-8")
        page = self.made(self.folder / "in", "--pages", pages)
        self.assertIn('Each step of a run of 16 elements: <a href="steps/reduce-atomic.html">Atomic</a>, '
                      '<a href="steps/scan-naive.html">Naive</a>.', page)
        self.assertIn("[Atomic](steps/reduce-atomic.html), [Naive](steps/scan-naive.html).",
                      (self.out / "report.md").read_text(encoding="utf-8"))
        self.assertEqual(sorted(path.name for path in (self.out / "steps").iterdir()),
                         ["reduce-atomic.html", "scan-naive.html"])


class Labels(unittest.TestCase):
    def test_names_stand_apart_in_their_order(self):
        sys.path.insert(0, str(PROGRAM.parent))
        import figures
        for wanted in ([0.5], [0.1, 0.9], [0.5, 0.5, 0.5], [1.0, 0.98, 0.99, 0.2], [0.0, 0.01, 0.02], [0.3, 0.31, 0.35, 0.36]):
            heights = [0.08, 0.16, 0.08, 0.08][:len(wanted)]
            places = figures.apart(wanted, heights)
            order = sorted(range(len(wanted)), key=lambda one: (wanted[one], one))
            for below, above in zip(order, order[1:]):
                self.assertGreaterEqual(places[above] - places[below] + 1e-9, (heights[above] + heights[below]) / 2, wanted)
            self.assertTrue(all(-1e-9 <= place <= 1 + 1e-9 for place in places), (wanted, places))
        self.assertEqual(figures.apart([0.1, 0.9], [0.08, 0.08]), [0.1, 0.9])


class Little(InAFolder):
    def test_one_file_with_one_time_is_enough(self):
        made.write(self.folder, {"one.json": made.report([made.benchmark("reduce/atomic", 1000, 0.5)])})
        page = self.made(self.folder / "one.json")
        self.assertIn("Atomic is the fastest sum", page)
        self.assertNotIn("Roofline", page)

    def test_what_is_not_written_has_a_row(self):
        tests = [made.test("reduce/interleaved", "not-written"), made.test("reduce/atomic")]
        made.write(self.folder, {"one.json": made.report([made.benchmark("reduce/atomic", 1024, 0.5)], tests)})
        self.assertIn('<th scope="row">Interleaved</th><td>not-written</td>', self.made(self.folder / "one.json"))

    def test_null_and_no_time_at_all(self):
        one = made.benchmark("scan/naive", 4096, 1.0, cpu_all_ms=None, peak_fraction=None, cv=0, min_ms=0, max_ms=0)
        zero = made.benchmark("scan/naive", 0, 0, items_per_second=0, bytes_per_second=0, peak_fraction=None)
        where = made.context(copy_peak_GBps=None, commit=None)
        made.write(self.folder, {"one.json": made.report([zero, one], context=where)})
        self.assertIn("not known", self.made(self.folder / "one.json"))

    def test_zeros_where_logarithms_are_drawn(self):
        """None that a2 writes, but numbers like others."""
        theory = [made.theory("scan/naive"), made.theory("scan/local") | {"n": 0}]
        theory[0]["counts"]["cost"] = theory[0]["growth"]["longer"][0]["work"] = 0
        times = made.lengths() + made.workgroups()
        phases = dict.fromkeys(("allocate_ms", "upload_ms", "prepare_ms", "launch_ms", "download_ms"), 0)
        times = [one | phases | {"items_per_second": 0, "max_ms": 0} for one in times]
        made.write(self.folder, {"zeros.json": made.report(times, theory=theory)})
        finished = run(self.folder / "zeros.json", "-o", self.out)
        self.assertEqual(finished.returncode, 0, finished.stderr)

    def test_what_a_terminal_would_obey_is_shown_as_numbers(self):
        report = made.report(made.lengths())
        for key, text in (("compiler", "GNU\x1b[2J"), ("host", "h\u202eh"), ("version", "1\n# forged\u2028")):
            report["context"][key] = text
        report["context"]["device"]["name"] = "a\r\n<b>|device\x07"
        made.write(self.folder / "in", {"a.json": report})
        page = self.made(self.folder / "in")
        text = (self.out / "report.md").read_text(encoding="utf-8")
        for one in (page, text):
            self.assertFalse(set(one) & set("\x1b\x07\r\u202e\u2028"))
        self.assertNotIn("\n# forged", text)
        self.assertIn("U+001B", text)

    def test_json_made_before_names_no_command(self):
        where = made.context(seed=(1 << 64) - 1)
        for key in ("version", "commit", "command"):
            del where[key]
        made.write(self.folder, {"one.json": made.report([made.benchmark("scan/naive", 4096, 1.0)], context=where)})
        self.assertIn(str((1 << 64) - 1), self.made(self.folder / "one.json"))

    def test_only_the_chosen_tasks(self):
        made.write(self.folder / "in", {"lengths.json": made.report(made.lengths()),
                                        "theory.json": made.report(theory=[made.theory("reduce/interleaved")])})
        page = self.made(self.folder / "in", "--task", "reduce/atomic")
        self.assertNotIn("Interleaved", page)
        self.assertIn("Atomic", page)

    def test_types_of_elements_are_told_apart(self):
        plain, floats = (made.benchmark("reduce/atomic", 1 << 20, ms) for ms in (1.0, 2.0))
        floats["name"] += "/float32"
        for one, told in (([floats], "- Elements: float32;"), ([plain, floats], "- Elements: uint32, float32;")):
            made.write(self.folder / told[12:16], {"a.json": made.report(one)})
            self.made(self.folder / told[12:16])
            page = (self.out / "report.md").read_text(encoding="utf-8")
            self.assertIn(told, page)
            self.assertEqual("| Atomic-float32 | " in page, len(one) == 2)
            self.assertIn("| Atomic | ", page)

    def test_arrays_shared_by_ranks_have_a_table_of_their_own(self):
        shared = [made.benchmark("reduce/atomic", 1 << 20, ms, ranks=ranks, exchange_ms=0.01, speed_up=2.0 / ms,
                                 efficiency=2.0 / ms / ranks, parts=[]) for ranks, ms in ((1, 2.0), (2, 1.25))]
        for one in shared:
            one["name"] += f"/ranks:{one['ranks']}"
        alone = made.benchmark("reduce/atomic", 1 << 20, 7.0)
        made.write(self.folder / "in", {"a.json": made.report([alone]), "b.json": made.report(shared)})
        self.made(self.folder / "in")
        page = (self.out / "report.md").read_text(encoding="utf-8")
        self.assertIn("Arrays shared by several ranks", page)
        self.assertRegex(page, r"reduce/atomic \| 2 \| 2\^20 \| 1\.250 \| .* \| 1\.600 \| 0\.8000 \|")
        methods = page[page.index("side by side"):page.index("Arrays shared")]
        self.assertIn("7.000", methods)
        self.assertNotIn("1.250", methods)

    def test_an_entry_for_each_repetition_is_one_row(self):
        ones = [made.benchmark("scan/naive", 4096, 1.0, repetition_index=i, repetitions=3) for i in range(3)]
        made.write(self.folder, {"one.json": made.report(ones)})
        self.assertEqual(self.made(self.folder / "one.json").count('<th scope="row">Naive</th>'), 2)  # and end to end


FEW = ("reduce/interleaved", "reduce/atomic")


class Several(InAFolder):
    def write_two(self, factor, cv, **changed):
        made.write(self.folder, {"old.json": made.report(made.lengths(tasks=FEW)),
                                 "new.json": made.report(made.lengths(factor, cv, tasks=FEW), context=made.context(**changed))})
        return self.made(self.folder / "old.json", self.folder / "new.json")

    def verdicts(self, page):
        return re.findall(r"<td>(within the spread|faster|slower)</td>", page)

    def test_a_change_beyond_the_spread_is_one(self):
        page = self.write_two(0.5, 0.01, commit="ba9876543210")
        self.assertEqual(self.verdicts(page), ["faster"] * 2)
        self.assertIn(">−50.0</data>", page)
        self.assertIn("Test GPU &lt;1&gt;, commit ba9876543210", page)
        self.assertIn("What changed", page)

    def test_slower_and_within(self):
        self.assertEqual(self.verdicts(self.write_two(1.5, 0.01, name="Other GPU")), ["slower"] * 2)
        self.out = self.folder / "out2"
        self.assertEqual(self.verdicts(self.write_two(1.5, 0.4, name="Other GPU")), ["within the spread"] * 2)

    def test_the_same_version_twice_is_compared_by_the_files_names(self):
        page = self.write_two(0.5, 0.01)
        self.assertIn(", old.json", page)
        self.assertEqual(self.verdicts(page), ["faster"] * 2)

    def test_files_of_one_machine_are_one_side(self):
        files = {name: content for name, content in made.everything().items() if "scan" not in name}
        files["workgroups.json"]["benchmarks"].append(made.lengths(tasks=FEW)[0])  # a case of another sweep
        made.write(self.folder / "in", files)
        page = self.made(*(self.folder / "in" / name for name in files))
        self.assertNotIn("What changed", page)

    def test_a_folder_of_two_machines_is_refused(self):
        made.write(self.folder / "in", {"a.json": made.report(made.lengths(tasks=FEW)),
                                        "b.json": made.report(made.lengths(tasks=FEW), context=made.context(driver="other"))})
        self.refused([self.folder / "in", "-o", self.out], "differ in driver")


class Noise(InAFolder):
    """Statements about times keep to their spread."""

    def test_a_run_that_is_much_longer_has_a_scale_of_its_own(self):
        for factor, said in ((1, False), (20, True)):
            files = made.everything()
            for report in files.values():
                for run in report.get("dispatches", []):
                    if report["tests"][0]["id"] == "scan/naive":
                        run["ms"] *= factor
            made.write(self.folder / "in", files)
            self.made(self.folder / "in")
            figure = (self.out / "figures" / "timeline.svg").read_text(encoding="utf-8")
            self.assertEqual("on two scales" in figure, said)

    def sums(self, times, cv, **changed):
        """A page of sums with these times at one length, and of scans, whose times are far apart."""
        ones = [made.benchmark(task, 1 << 20, ms, cv=cv, min_ms=ms * (1 - 2 * cv), max_ms=ms * (1 + 2 * cv), **changed)
                for task, ms in times.items()]
        made.write(self.folder / "in", {"a.json": made.report(ones)})
        return self.made(self.folder / "in")

    def test_the_fastest_is_named_where_it_is_apart(self):
        page = self.sums({"scan/naive": 3.0, "scan/work-efficient": 1.0}, 0.05)
        self.assertIn("Work-efficient is the fastest scan: ", page)
        self.assertNotIn("share the lead", page)

    def test_what_is_not_apart_shares_the_lead(self):
        page = self.sums({"reduce/interleaved": 1.02, "reduce/atomic": 1.0}, 0.05)
        self.assertRegex(page, "Atomic and Interleaved share the lead, within the spread of their times: ")
        self.assertNotIn("is the fastest sum", page)

    def test_a_noisy_machine_is_called_so(self):
        times = {"scan/naive": 1.3, "scan/work-efficient": 1.0, "scan/local": 9.0}
        self.assertNotIn("Noisy machine", self.sums(times, 0.3))  # two show nothing: half a scan does not count
        made.TASKS["scan/lookback"] = "[Beyond] Look-back"
        self.addCleanup(made.TASKS.pop, "scan/lookback")
        page = self.sums(times | {"scan/lookback": 1.15}, 0.3)
        self.assertIn("Noisy machine: no scan is faster than another beyond the spread of its times", page)
        self.assertNotIn("is the fastest scan", page)

    def test_a_limit_that_is_passed_is_none(self):
        self.assertIn("limit: the copy kernel&#x27;s rate", self.figure({"reduce/atomic": 1.0}))
        self.assertIn("the copy kernel&#x27;s rate here, beside caches", self.figure({"reduce/atomic": 0.01}))

    def figure(self, times):
        self.sums(times, 0.01)
        return (self.out / "figures" / "methods-reduce.svg").read_text(encoding="utf-8").replace("'", "&#x27;")

    def test_sizes_within_the_spread_are_alike(self):
        for cv, said in ((0.01, "Work-groups of 128 are the best for "), (0.3, "Work-groups of 32 to 256 are alike within the spread for ")):
            ones = made.workgroups()
            for one in ones:
                one.update(cv=cv, min_ms=one["median_ms"] * (1 - 2 * cv), max_ms=one["median_ms"] * (1 + 2 * cv))
            made.write(self.folder / "in", {"a.json": made.report(ones)})
            self.assertIn(said, self.made(self.folder / "in"))


class Bad(InAFolder):
    def refuse_text(self, text, part):
        made.write(self.folder, {"bad.json": text})
        self.refused([self.folder / "bad.json", "-o", self.out], part)

    def test_no_json(self):
        self.refuse_text("", "is empty")
        self.refuse_text("{", "is no JSON")
        self.refuse_text("[1, NaN]", "is no JSON")
        self.refuse_text("[" * 100000, "is no JSON")
        self.refuse_text('{"a": 1}', "has no 'schema'")
        self.refuse_text("[]", "has no 'schema'")
        (self.folder / "bad.json").write_bytes(b"\xff\xfe\x00")
        self.refused([self.folder / "bad.json", "-o", self.out], "not UTF-8")

    def test_another_schema(self):
        other = made.report(made.lengths()) | {"schema": 1}
        self.refuse_text(json.dumps(other), "has schema 1, and this report reads schema 2")
        made.write(self.folder, {"good.json": made.report(made.lengths())})
        self.refused([self.folder / "good.json", self.folder / "bad.json", "-o", self.out], "has schema 1")

    def test_what_lacks_a_key_or_has_another_type(self):
        good = made.report(made.lengths(), theory=[made.theory("scan/naive")])
        for spoil, part in ((lambda r: r["benchmarks"][1].pop("median_ms"), "/benchmarks/1 has no 'median_ms'"),
                            (lambda r: r["benchmarks"][1].update(cv="x"), "/benchmarks/1/cv is of the wrong type"),
                            (lambda r: r["benchmarks"][1].update(cv=-1), "/benchmarks/1/cv is -1"),
                            (lambda r: r["benchmarks"][1].update(median_ms=1e308), "/benchmarks/1/median_ms is 1e+308"),
                            (lambda r: r["benchmarks"][1].update(median_ms=1e-320), "/benchmarks/1/median_ms is 1e-320"),
                            (lambda r: r["benchmarks"][1].update(n=10 ** 400), "/benchmarks/1/n is 1000000000"),
                            (lambda r: r["context"].pop("device"), "has no 'device'"),
                            (lambda r: r.update(tests={}), "/tests is no array"),
                            (lambda r: r["benchmarks"][1].update(whole_ms=10 ** 20), "/benchmarks/1/whole_ms is 1000000000"),
                            (lambda r: r["theory"][0]["growth"]["longer"][0].update(n=0), "/growth/longer/0/n is 0"),
                            (lambda r: r["theory"][0].update(id="naive"), "/theory/0/id is no name of a task"),
                            (lambda r: r["theory"][0].update(counts=None), "/theory/0/counts is no object")):
            bad = json.loads(json.dumps(good))
            spoil(bad)
            self.refuse_text(json.dumps(bad), part)

    def test_what_has_no_end(self):
        self.refused(["/dev/zero", "-o", self.out], "is no regular file")
        with (self.folder / "long.json").open("wb") as file:
            file.truncate((16 << 20) + 1)
        self.refused([self.folder / "long.json", "-o", self.out], "is longer than 16 MiB")

    def test_names_that_a_terminal_would_obey(self):
        self.refused([self.folder / "a\033[2Jb.json", "-o", self.out], "a<U+001B>[2Jb.json cannot be read")

    def test_what_may_be_missing(self):
        content = made.report(made.lengths())
        del content["benchmarks"][0]["peak_fraction"]
        made.write(self.folder, {"less.json": content})
        self.assertIn("<html", self.made(self.folder / "less.json"))

    def test_nothing_to_show(self):
        self.refuse_text(json.dumps(made.report()), "nothing to show")
        made.write(self.folder, {"bad.json": made.report(made.lengths())})
        self.refused([self.folder / "bad.json", "-o", self.out, "--task", "reduce/unroll"], "nothing is known here of")
        self.refused([self.folder / "none.json", "-o", self.out], "cannot be read")
        (self.folder / "empty").mkdir()
        self.refused([self.folder / "empty", "-o", self.out], "has no .json file")


class Target(InAFolder):
    def setUp(self):
        super().setUp()
        made.write(self.folder, {"one.json": made.report([made.benchmark("reduce/atomic", 4096, 0.5)])})

    def test_an_untouched_report_is_replaced(self):
        self.made(self.folder / "one.json", "--wall")
        self.made(self.folder / "one.json")
        self.assertFalse((self.out / "wall.html").exists(), "of the report before")
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["one.json", "out"])

    def test_what_somebody_wrote_is_kept(self):
        self.made(self.folder / "one.json")
        written = self.out / "report.md"
        written.write_text(written.read_text(encoding="utf-8") + "my words\n", encoding="utf-8")
        finished = run(self.folder / "one.json", "-o", self.out)
        self.assertEqual(finished.returncode, 2)
        self.assertIn("report.md was written or changed by you", finished.stderr)
        self.assertTrue(written.read_text(encoding="utf-8").endswith("my words\n"))

    def kept(self, name):
        finished = run(self.folder / "one.json", "-o", self.out)
        self.assertEqual((finished.returncode, finished.stderr.count("\n")), (2, 1), finished)
        self.assertIn(f"{name} was written or changed by you", finished.stderr)

    def test_whatever_somebody_put_there_is_kept(self):
        """Not files alone; and where what was made is not known, nothing of it was made here."""
        self.made(self.folder / "one.json")
        for name, put in (("link", lambda path: path.symlink_to("/etc")), ("pipe", os.mkfifo), ("folder", pathlib.Path.mkdir),
                          ("data/.a2-report.json", lambda path: path.write_text("{}"))):
            put(self.out / name)
            self.kept(name)
            (self.out / name).rmdir() if name == "folder" else (self.out / name).unlink()
        page = self.out / "report.md"
        same = page.rename(self.folder / "mine.md")
        page.symlink_to(same)
        self.kept("report.md")
        same.replace(page)
        self.made(self.folder / "one.json")

    def test_what_does_not_tell_of_a_report(self):
        self.out.mkdir()
        marker = self.out / ".a2-report.json"
        for put in (lambda: marker.write_text("[]"), lambda: marker.write_text("{"), lambda: marker.write_bytes(b"\xff"),
                    lambda: marker.write_text("[" * 100000), lambda: os.mkfifo(marker), lambda: marker.symlink_to("/dev/zero")):
            put()
            finished = run(self.folder / "one.json", "-o", self.out)
            self.assertEqual((finished.returncode, finished.stderr.count("\n")), (2, 1), finished)
            self.assertIn("something else than a report", finished.stderr)
            marker.unlink()

    def test_another_folder_is_not_touched(self):
        self.out.mkdir()
        (self.out / "mine.txt").write_text("mine")
        finished = run(self.folder / "one.json", "-o", self.out)
        self.assertEqual(finished.returncode, 2)
        self.assertIn("something else than a report", finished.stderr)
        self.assertEqual([path.name for path in self.out.iterdir()], ["mine.txt"])

    def test_no_such_place(self):
        self.out = self.folder / "no" / "out"
        self.refused([self.folder / "one.json", "-o", self.out], "there is no folder")

    def test_a_file_is_no_folder(self):
        finished = run(self.folder / "one.json", "-o", self.folder / "one.json")
        self.assertEqual(finished.returncode, 2)
        self.assertIn("it is no folder", finished.stderr)

    def test_check_makes_nothing(self):
        self.assertEqual(run("--check", self.folder / "one.json", "-o", self.out).returncode, 0)
        self.assertFalse(self.out.exists())


class Packages(InAFolder):
    def test_take_nothing_from_the_working_folder(self):
        os.mkfifo(self.folder / "matplotlibrc")
        finished = subprocess.run([sys.executable, "-B", PROGRAM, "--check", "-o", "out"], cwd=self.folder,
                                  capture_output=True, timeout=120)
        self.assertEqual(finished.returncode, 0, finished.stderr)

    def test_without_them_their_names(self):
        (self.folder / "jinja2.py").write_text("raise ImportError('none')")
        finished = subprocess.run([sys.executable, "-B", PROGRAM, "--check", "-o", self.out], capture_output=True,
                                  text=True, env={"PYTHONPATH": str(self.folder), "PATH": "/usr/bin"})
        self.assertEqual(finished.returncode, 3)
        self.assertIn("python3-jinja2", finished.stderr)
        self.assertNotIn("python3-matplotlib", finished.stderr)


if __name__ == "__main__":
    unittest.main()
