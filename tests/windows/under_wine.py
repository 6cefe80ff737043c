"""Runs a build for Windows under Wine: `run PROGRAM ARGUMENT...` starts one program (the unit tests), `program ...`
tests a2.exe like a user, and `package ...` like a student who unpacks it. Each starts Wine in a separate prefix and
stops it again."""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

PROJECT = pathlib.Path(__file__).resolve().parents[2]

# Tests that Wine cannot run, and so are left out.
UNTRIED = {
    "ValidationLayer.*:*.TheValidationLayerHasNothingToSay/*:InFlight.TheLayerHasNothingAgainstIt:"
    "Batch.ARunWaitsForTheOneBefore": "Wine hands none of the host's layers to a program",
    "OutputFileTest.WritesWhereALinkPoints": "the std::filesystem of MinGW makes no links",
    "EmulatedRows.*:EmulatedKernels.*": "they take minutes, and nothing in them is the system's",
    "OutputFileTest.TellsWhenTheDiskIsFull": "the host's /dev/full is no device to Wine",
}


def windows_path(path):
    """Wine shows the host's files on drive Z."""
    return "Z:" + str(pathlib.Path(path).absolute()).replace("/", "\\")


class Wine:
    def __init__(self, options):
        self.wine = options.wine
        self.server = options.wineserver
        self.environment = dict(os.environ, WINEPREFIX=os.path.abspath(options.prefix), WINEDEBUG="-all",
                                WINEDLLOVERRIDES="mscoree,mshtml=", LC_ALL="C.UTF-8", A2_DEVICE="cpu",
                                WINEPATH=windows_path(options.tools))
        shutil.rmtree(options.prefix, ignore_errors=True)
        self.quietly(self.wine, "wineboot", "--init")

    def quietly(self, *command):
        # Wine's services outlive the first program and keep its streams open: never a pipe.
        subprocess.run(command, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, check=False)

    def stop(self):
        self.quietly(self.server, "-k")

    def run(self, words, folder=None, **environment):
        """Exit status, stdout and stderr, both as bytes."""
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            status = subprocess.run([self.wine, *words], cwd=folder, env=dict(self.environment, **environment),
                                    stdin=subprocess.DEVNULL, stdout=out, stderr=err, check=False).returncode
            out.seek(0)
            err.seek(0)
            return status, out.read(), err.read()


class Program(unittest.TestCase):
    options = None
    wine = None
    maxDiff = None

    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory(prefix="a2-windows-")
        self.addCleanup(self.scratch.cleanup)
        self.folder = pathlib.Path(self.scratch.name) / "Übung 1"
        self.folder.mkdir()

    def a2(self, *words, status=0, **environment):
        got, out, err = self.wine.run([self.options.a2, *words], self.folder, **environment)
        self.assertEqual(got, status, f"{words}\n{out.decode()}\n{err.decode()}")
        self.assertNotIn(b"\r", out + err)
        return out.decode(), err.decode()

    def names(self):
        return sorted(path.name for path in self.folder.iterdir())

    def shaders(self, changed, old, new):
        """A copy of the kernels with one change, in a folder with a space and an umlaut."""
        copy = self.folder / "für alle"
        shutil.copytree(self.options.shaders, copy)
        text = (copy / changed).read_text()
        self.assertIn(old, text)
        (copy / changed).write_text(text.replace(old, new))
        return windows_path(copy)

    def test_list_names_every_task(self):
        out, _ = self.a2("list")
        self.assertIn("reduce/interleaved", out)
        self.assertIn("scan/offset", out)

    def test_doctor_finds_the_driver(self):
        out, _ = self.a2("doctor")
        self.assertIn("llvmpipe", out)
        self.assertRegex(out, r"glslang.* is installed")

    def test_run_prints_three_lines_a_task(self):
        out, _ = self.a2("run", "-n", "4096", "-r", "2")
        self.assertRegex(out, r"\A(\[Task[12]\] evaluating [A-Za-z ]+\n"
                              r"Execution time: [0-9.e+-]+ ms, Throughput: [0-9.e+-]+ GE/s\nTEST PASSED\n){9}\Z")

    def test_check_passes(self):
        out, _ = self.a2("check", "--up-to", "1025")
        self.assertEqual(out.count("TEST PASSED"), 9)
        self.assertNotIn("FAILED", out)

    def test_bench_claims_no_time_of_all_cores(self):
        self.a2("bench", "reduce/atomic", "-n", "4096", "-r", "2", "--json", "r.json")
        benchmark = json.loads((self.folder / "r.json").read_text())["benchmarks"][0]
        self.assertIn("cpu_ms", benchmark)
        self.assertIsNone(benchmark["cpu_all_ms"])

    def test_reports_lie_in_a_path_with_a_space_and_an_umlaut(self):
        self.a2("reduce/atomic", "-n", "4096", "-r", "2", "--json", windows_path(self.folder / "prüf 1.json"),
                "--csv", "ä.csv", "--junit", "Übung.xml")
        self.assertEqual(self.names(), sorted(["prüf 1.json", "ä.csv", "Übung.xml"]))
        self.assertEqual(json.loads((self.folder / "prüf 1.json").read_bytes())["tests"][0]["status"], "passed")
        self.assertNotIn(b"\r", (self.folder / "ä.csv").read_bytes())
        xml.etree.ElementTree.parse(self.folder / "Übung.xml")

    def test_a_report_takes_the_place_of_the_last_one(self):
        for _ in range(2):
            self.a2("reduce/atomic", "-n", "64", "-r", "1", "--json", "r.json")
        self.assertEqual(self.names(), ["r.json"])

    def test_inputs_are_read_from_such_a_path(self):
        (self.folder / "zahlen für a2").write_bytes(b"1 2\r\n3\r\n")
        self.a2("reduce/atomic", "-r", "1", "-p", "file:" + windows_path(self.folder / "zahlen für a2"))
        _, err = self.a2("reduce/atomic", "-p", "file:fehlt für a2", status=2)
        self.assertIn("fehlt für a2 cannot be opened", err)

    def test_prescan_writes_and_reads_its_files(self):
        (self.folder / "größe").write_text("1000\n")
        self.a2("prescan", "größe", "ein")
        self.a2("prescan", "größe", "ein", "aus")
        self.assertEqual(self.names(), sorted(["größe", "ein", "aus"]))
        _, err = self.a2("prescan", "größe", "ein", windows_path(self.folder / "ein"), status=2)
        self.assertIn("which is read", err)

    def test_steps_dump_their_buffers(self):
        self.a2("steps", "reduce/sequential", "-n", "16", "--dump", "Schritte für a2")
        self.assertTrue(list((self.folder / "Schritte für a2").glob("*.npy")))

    def test_shader_dir_compiles_what_lies_there(self):
        folder = self.shaders("A2Task1Interleaved.comp", "void main()", "void main( )")
        self.a2("reduce/interleaved", "-n", "4096", "-r", "2", "--shader-dir", folder)
        shutil.rmtree(self.folder / "für alle")
        folder = self.shaders("A2Task1Interleaved.comp", "void main()", "void main(")
        out, err = self.a2("reduce/interleaved", "-n", "4096", "--shader-dir", folder, status=1)
        self.assertIn("TEST FAILED", out)
        self.assertRegex(out + err, r"A2Task1Interleaved\.comp:[0-9]+ does not compile: ")

    def test_kernels_print(self):
        folder = self.shaders("A2Task1Interleaved.comp", "data[first] = sum;",
                              'data[first] = sum; debugPrintfEXT("sum %u", sum);')
        kernel = self.folder / "für alle" / "A2Task1Interleaved.comp"
        include = "#extension GL_GOOGLE_include_directive : require"
        kernel.write_text(kernel.read_text().replace(include, f"{include}\n#extension GL_EXT_debug_printf : require"))
        out, _ = self.a2("steps", "reduce/interleaved", "-n", "4", "--shader-dir", folder)
        said = re.findall(r"invocation (\d) of work-group 0 \(A2Task1Interleaved\.comp:\d+\): sum (\d+)", out)
        self.assertEqual(said, [("0", "1"), ("1", "5"), ("0", "6")])

    def test_debug_steps_on_and_back(self):
        (self.folder / "Befehle").write_text("break 25 if sum == 6\ncontinue\nprint sum\nback\nprint k\n"
                                             "why input[0]\nprint data[0]\n")
        out, _ = self.a2("debug", "reduce/interleaved", "-n", "4", "-x", "Befehle")
        self.assertRegex(out, r"(?s)dispatch 1 of 2 .*  25  data\[first\] = sum;.*\nsum = 6\n.*\nk = \d\n.*"
                              r"input\[0\]: 0 -> 1, by invocation 0 of work-group 0 in dispatch 0.*\ndata\[0\] = \d\n")

    def test_editors_speak_with_debug(self):
        def message(number, command, **arguments):
            content = json.dumps({"seq": number, "type": "request", "command": command, "arguments": arguments})
            return f"Content-Length: {len(content)}\r\n\r\n{content}".encode()

        (self.folder / "asked").write_bytes(
            message(1, "initialize", adapterID="a2") + message(2, "launch", task="reduce/interleaved", n=4) +
            message(3, "setBreakpoints", source={"path": "A2Task1Interleaved.comp"}, breakpoints=[{"line": 25}]) +
            message(4, "configurationDone") + message(5, "continue", threadId=1) + message(6, "stepBack", threadId=1) +
            message(7, "disconnect"))
        with open(self.folder / "asked", "rb") as asked:
            done = subprocess.run([self.wine.wine, self.options.a2, "debug", "--dap"], cwd=self.folder, stdin=asked,
                                  env=self.wine.environment, capture_output=True, check=False, timeout=300)
        answers = [json.loads(part) for part in re.findall(r"Content-Length: \d+\r\n\r\n(\{.*?\})(?=Content-Length|\Z)",
                                                           done.stdout.decode(), re.DOTALL)]
        self.assertEqual([one["command"] for one in answers if one["type"] == "response" and one["success"]],
                         ["initialize", "launch", "setBreakpoints", "configurationDone", "continue", "stepBack",
                          "disconnect"], done)
        stopped = [one["body"] for one in answers if one.get("event") == "stopped"]
        self.assertEqual([one["reason"] for one in stopped], ["entry", "breakpoint", "step"])

    def test_a_run_that_takes_too_long_ends_in_4_with_its_report(self):
        # The CPU driver ends an endless loop by itself, so the time limit is too short instead.
        self.a2("reduce/atomic", "-n", "2^24", "--timeout", "0.001", "--json", "zu spät.json", status=4)
        self.assertEqual(self.names(), ["zu spät.json"])

    def test_usage_errors_end_in_2(self):
        self.assertIn("kein/ümlaut", self.a2("kein/ümlaut", status=2)[1])
        self.a2("run", "--no-such-option", status=2)
        self.a2("reduce/atomic", "-n", "64", "--json", windows_path(self.folder), status=2)
        self.assertEqual(self.names(), [])

    def test_what_the_machine_lacks_ends_in_3(self):
        self.a2("reduce/atomic", "-n", "64", status=3, VK_ICD_FILENAMES="/nonexistent", VK_DRIVER_FILES="/nonexistent")
        self.a2("reduce/atomic", "-n", "64", "--validation", "required", status=3)
        self.a2("capture", "reduce/atomic", "-n", "64", status=3)
        folder = self.shaders("include/A2Kernels.h", "#ifndef", "// mine\n#ifndef")  # only a comment: no compiler
        self.a2("reduce/atomic", "-n", "64", "--shader-dir", folder, status=3, WINEPATH="")

    def test_ctrl_c_ends_it_and_leaves_nothing(self):
        with tempfile.NamedTemporaryFile() as output:
            status, _, err = self.wine.run([self.options.ctrl_c, windows_path(output.name),
                                              windows_path(self.options.a2), "check", "--all", "--json", "r.json"],
                                             self.folder)
            said = pathlib.Path(output.name).read_text()
        self.assertEqual(status, 0, err.decode() + said)
        self.assertEqual(self.names(), [])


class Package(unittest.TestCase):
    """The result of `cmake --install`, in a path with a space and an umlaut, and a student's folder."""

    options = None
    wine = None
    maxDiff = None
    kernel, host = "shaders/A2Task1Interleaved.comp", "src/A2Task1Solution/Interleaved.cpp"

    @classmethod
    def setUpClass(cls):
        cls.base = pathlib.Path(tempfile.mkdtemp(prefix="a2-windows-")) / "Übung 1"
        cls.addClassCleanup(shutil.rmtree, cls.base.parent)
        cls.prefix, cls.made = cls.base / "a2 für alle", cls.base / "meine Lösung"
        cls.base.mkdir()
        for command in (["cmake", "--install", cls.options.build, "--prefix", cls.prefix],
                        [PROJECT / "tools/handout", "--folder", cls.prefix / "share/a2/template"]):
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise AssertionError(done.stdout + done.stderr)
        shutil.copy(PROJECT / "tests/windows/compile.sh", cls.base)
        cls.new = cls.a2("new", cls.made.name, folder=cls.base)

    @classmethod
    def a2(cls, *words, folder=None, compiler=True):
        """Exit status and all output. Of the tools, a2 finds only its own, and a compiler."""
        found = windows_path(pathlib.Path(cls.options.compiler).parent) if compiler else ""
        status, out, err = cls.wine.run([cls.prefix / "bin/a2.exe", *words], folder or cls.made, WINEPATH=found,
                                        A2_COMPILE_SCRIPT=windows_path(cls.base / "compile.sh"))
        return status, (out + err).decode()

    def solve(self, *files):
        for file in files:
            (self.made / file).write_text((PROJECT / file).read_text() + "// Mine.\n")

    def test_1_it_makes_a_folder(self):
        self.assertEqual(self.new, (0, "meine Lösung is made. Next:\n\n    cd \"meine Lösung\"\n    a2\n\nREADME.md in it "
                                       "says how to begin.\n"))

    def test_2_nothing_is_written_yet(self):
        status, said = self.a2("--quiet", "-n", "1024")
        self.assertEqual((status, said.count("NOT WRITTEN YET")), (1, 9), said)

    def test_3_host_code_needs_a_compiler(self):
        self.solve(self.kernel, self.host)
        status, said = self.a2("--quiet", "reduce/interleaved", "-n", "1024", compiler=False)
        self.assertEqual(status, 1, said)
        self.assertIn("there is no C++ compiler here", said)

    def test_4_a_row_passes(self):
        self.solve(self.kernel, self.host)
        status, said = self.a2("--quiet", "reduce/interleaved", "-n", "1024")
        self.assertEqual((status, said.count("TEST PASSED")), (0, 1), said)
        self.assertEqual(self.a2("check", "reduce/interleaved", "--up-to", "65")[0], 0)

    def test_5_what_does_not_compile_is_said_with_its_line(self):
        whole = (PROJECT / self.host).read_text()
        (self.made / self.host).write_text(whole.replace("void record(", "int no = nothing;\nvoid record("))
        line = whole[:whole.index("void record(")].count("\n") + 1
        status, said = self.a2("--quiet", "reduce/interleaved", "-n", "1024")
        self.assertEqual(status, 1, said)
        self.assertIn(f"{self.host}:{line} does not compile: 'nothing' was not declared", said)

    def test_6_a_wrong_kernel_has_its_page_and_can_be_debugged(self):
        self.solve(self.host)
        text = (PROJECT / self.kernel).read_text()
        self.assertIn("data[first] = sum;", text)
        (self.made / self.kernel).write_text(text.replace("data[first] = sum;", "data[first] = sum + 1;"))
        status, said = self.a2("--quiet", "reduce/interleaved", "-n", "1024")
        self.assertEqual((status, said.count("TEST FAILED")), (1, 1), said)
        self.assertEqual(self.a2("steps", "reduce/interleaved", "-n", "8", "--html", "Schritte.html")[0], 1)
        self.assertIn("A2Task1Interleaved", (self.made / "Schritte.html").read_text())
        (self.made / "Befehle").write_text("break A2Task1Interleaved.comp:25\ncontinue\nwhere\nback\n")
        status, said = self.a2("debug", "reduce/interleaved", "-n", "4", "-x", "Befehle")
        self.assertIn("sum + 1", said)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--wine", required=True)
    parser.add_argument("--wineserver", required=True)
    parser.add_argument("--prefix", required=True, help="a folder for Wine's drive C, made anew")
    parser.add_argument("--tools", required=True, help="the folder of glslangValidator.exe")
    actions = parser.add_subparsers(dest="action", required=True)
    run = actions.add_parser("run")
    run.add_argument("words", nargs="+")
    program = actions.add_parser("program")
    for name in ("a2", "ctrl_c", "shaders"):
        program.add_argument(name, type=os.path.abspath)
    program.add_argument("only", nargs="*")
    package = actions.add_parser("package")
    for name in ("build", "compiler"):
        package.add_argument(name, type=os.path.abspath)
    package.add_argument("only", nargs="*")
    options = parser.parse_args()

    wine = Wine(options)
    try:
        if options.action != "run":
            tests = {"program": Program, "package": Package}[options.action]
            tests.options, tests.wine = options, wine
            only = [f"{tests.__name__}{'.' if one else ''}{one}" for one in options.only or [""]]
            return 0 if unittest.main(argv=[sys.argv[0], "-v", *only], exit=False).result.wasSuccessful() else 1
        for tests, reason in UNTRIED.items():
            print(f"not tried: {tests}, because {reason}")
        status, out, err = wine.run([*options.words, "--gtest_filter=-" + ":".join(UNTRIED), "--gtest_brief=1"])
        sys.stdout.write((out + err).decode(errors="replace"))
        # The summary decides. A program that crashed has none. One that has printed that all passed may still end with
        # another status: the host's CPU driver has threads that Wine does not know when it ends a process.
        passed = re.search(rb"^\[  PASSED  \]", out, re.MULTILINE) and not re.search(rb"^\[  FAILED  \]", out, re.MULTILINE)
        if passed and status:
            print(f"note: all tests passed, and the program ended in status {status}")
        return 0 if passed else status or 1
    finally:
        wine.stop()


if __name__ == "__main__":
    sys.exit(main())
