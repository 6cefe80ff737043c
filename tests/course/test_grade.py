#!/usr/bin/python3
"""Gradings of two tasks: a right solution, broken ones, cheats; killed, resumed and graded again."""

import contextlib
import csv
import hashlib
import html
import io
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import unittest.mock

from grade_support import (BUILD, FILES, INTERLEAVED, JAILS, NOTHING_JUDGED, PROJECT, SEQUENTIAL, SMALL_RUBRIC, WANTED, Room,
                           git_in, needs_build, solutions, with_deed)

import build
import grader
import grading
import house
import jail
import judging
import limits
import outputs


class Seeds(Room):
    def test_nobody_knows_the_next_one(self):
        seeds = {grader.seed_of(self.folder, False) for _ in range(20)}
        self.assertGreater(len(seeds), 18)
        self.assertNotIn("default=", [line for line in pathlib.Path(grading.__file__).read_text().splitlines()
                                      if '"--seed"' in line][0])

    def test_one_that_goes_on_keeps_it(self):
        (self.folder / "grading.json").write_text('{"schema": 1, "seed": 77}')
        self.assertEqual(grader.seed_of(self.folder, True), 77)
        self.assertNotEqual(grader.seed_of(self.folder, False), 77)
        for text in ("{", "[]", "{}", '{"seed": null}'):
            (self.folder / "grading.json").write_text(text)
            self.assertGreaterEqual(grader.seed_of(self.folder, True), 0)

    @needs_build
    def test_it_is_written_down(self):
        self.write("all/a", FILES)
        self.write("all/c", FILES)
        (self.folder / "rubric.json").write_text(json.dumps(SMALL_RUBRIC))
        with unittest.mock.patch.multiple(grader.Grading, **NOTHING_JUDGED):
            first = self.grade(self.folder / "all", "--no-similarity")["a"]["seed"]
            self.assertEqual(json.loads((self.folder / "grades/grading.json").read_text())["seed"], first)
            self.write("all/b", FILES)
            self.assertEqual(self.grade(self.folder / "all", "--no-similarity", "--resume")["b"]["seed"], first)
            self.assertNotEqual(self.grade(self.folder / "all", "--no-similarity", output="more")["a"]["seed"], first)
            graded = self.grade(self.folder / "all", "--no-similarity", "-s", "5", output="fixed")
            self.assertEqual(graded["a"]["seed"], 5)


class Places(Room):
    """The grades never overwrite a student's files, or anyone else's."""

    def refused(self, words, *paths, output):
        def files():
            return {path: path.read_bytes() for path in self.folder.rglob("*")
                    if path.is_file() and path.name not in (".lock", "rubric.json")}

        before = files()
        self.grade(*paths, output=output, status=2)
        self.assertRegex(self.said, words)
        self.assertEqual(self.said.count("\n"), 1, self.said)
        self.assertEqual(before, files())

    def test_grades_go_outside_of_what_is_graded(self):
        for name in ("ada", "bo"):
            self.write(f"all/{name}", FILES)
        (self.folder / "all" / "grades").mkdir()
        for output in ("all", "all/ada", "all/grades", "."):
            self.refused("grades go outside of what is graded", self.folder / "all", output=output)

    def test_grades_go_where_nothing_else_is(self):
        self.write("all/ada", FILES)
        self.write("mine/ada", {"notes.txt": "mine"})
        self.refused("mine: holds other things than grades, 'ada' for one", self.folder / "all", output="mine")
        self.write("mine", {"grading.json": '{"schema": 1}'})
        self.refused("mine/ada is there, and holds no grades", self.folder / "all/ada", output="mine")
        (self.folder / "file").write_text("text")
        self.refused("file: is no folder", self.folder / "all", output="file")

    @needs_build
    def test_one_seed_is_that_of_a_whole_grading(self):
        self.write("all/ada", FILES)
        self.write("all/bo", FILES)
        with unittest.mock.patch.multiple(grader.Grading, **NOTHING_JUDGED):
            self.grade(self.folder / "all", "--no-similarity", "-s", "5")
            self.write("all/cy", FILES)
            for words in (["--resume"], ["--only", "ada"]):
                self.grade(self.folder / "all", "--no-similarity", "-s", "6", *words, status=2)
                self.assertIn("--seed 6: this grading has the seed 5", self.said)
            graded = self.grade(self.folder / "all", "--no-similarity", "-s", "5", "--resume")
            self.assertEqual({one["seed"] for one in graded.values()}, {5})


class Usage(Room):
    """Messages of tools/grade before it installs, configures or builds anything."""

    def call(self, *words):
        """tools/grade in a separate project, where nothing is built, and any build would leave a mark."""
        project, programs, mark = self.folder / "project", self.folder / "programs", self.folder / "mark"
        if not project.exists():
            for name in ("tools/grade", "tools/common.sh", "third_party/packages.txt"):
                (project / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(PROJECT / name, project / name)
            (project / "tools/course").symlink_to(PROJECT / "tools/course")
            programs.mkdir()
            for name in ("cmake", "apt-get", "dpkg-query", "sudo"):
                (programs / name).write_text(f"#!/bin/sh\necho {name} >>{mark}\nexit 1\n")
                (programs / name).chmod(0o755)
        shutil.rmtree(project / "build", ignore_errors=True)
        mark.unlink(missing_ok=True)
        ended = subprocess.run([project / "tools/grade", *map(str, words)], capture_output=True, text=True, timeout=60,
                               check=False, env={**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"})
        self.assertEqual(mark.exists(), (project / "build").exists())
        return ended, mark.exists()

    def test_wrong_usage_is_said_before_anything_is_built(self):
        self.write("all/ada", FILES)
        self.write("all/bo", FILES)
        self.write("full", {"notes.txt": "x"})
        self.write("wrong", {"rubric.json": "{"})
        out, one = ["-o", self.folder / "out"], self.folder / "all"
        for words, said in ((["--roster", "r.csv", *out], "--roster, .* go with --export"),
                            ([one, "--exp", "moodle", *out], "takes no submissions"),
                            ([], "-o FOLDER is missing"), ([one, *out, "--none"], "unrecognized"),
                            ([self.folder / "none", *out], "none: there is no such file or folder"),
                            ([one, "--before", self.folder / "none", *out], "none: there is no such file or folder"),
                            ([one, "-o", self.folder / "full"], "holds other things than grades"),
                            ([one, "--only", "cy", *out], "--only cy: there is no such submission"),
                            ([one, "--only", "ada", "--again", *out], "ada is not graded yet"),
                            ([one, "--rubric", self.folder / "wrong/rubric.json", *out], "rubric.json: Expecting"),
                            (["--try", "--rubric", self.folder / "wrong/rubric.json"], "rubric.json: Expecting")):
            with self.subTest(words):
                ended, built = self.call(*words)
                self.assertEqual((ended.returncode, built), (2, False), ended.stderr)
                self.assertRegex(ended.stderr, said)
        self.assertFalse((self.folder / "out").exists())
        ended, built = self.call("--help")
        self.assertEqual((ended.returncode, built, ended.stdout[:18]), (0, False, "usage: tools/grade"), ended.stderr)

    def test_what_makes_sense_is_built_for(self):
        self.write("all/ada", FILES)
        ended, built = self.call(self.folder / "all", "-o", self.folder / "out")
        self.assertEqual((ended.returncode, built, ended.stdout), (3, True, ""), ended.stderr)
        self.assertFalse((self.folder / "out").exists())


class Written(Room):
    @needs_build
    def test_what_is_interrupted_after_the_last_is_said(self):
        self.write("all/ada", FILES)
        with unittest.mock.patch.multiple(grader.Grading, **NOTHING_JUDGED, compare=unittest.mock.Mock(side_effect=KeyboardInterrupt)):
            self.grade(self.folder / "all", status=130)
        self.assertIn("interrupted: all is graded; the same command with --resume makes the tables", self.said)

    @needs_build
    def test_whose_it_is_is_written_down(self):
        for name in ("Ada King_12_assignsubmission_file_", "Max Muster_13_assignsubmission_file_"):
            self.write(f"all/{name}", FILES)
        with unittest.mock.patch.multiple(grader.Grading, **NOTHING_JUDGED):
            graded = self.grade(self.folder / "all", "--no-similarity")
        self.assertEqual({name: one["student"] for name, one in graded.items()},
                         {"Ada-King_12": {"id": "12", "name": "Ada King"}, "Max-Muster_13": {"id": "13", "name": "Max Muster"}})
        for page in ("class.html", "Ada-King_12/feedback.html"):
            self.assertIn("two tasks", (self.folder / "grades" / page).read_text())

    @needs_build
    def test_what_cannot_be_written_costs_one_alone(self):
        for name in "abc":
            self.write(f"all/{name}", FILES)
        write = outputs.write_submission

        def fails_for_b(folder, result, results, *more):
            if result["name"] == "b" and not result["problem"]:
                raise OSError("too odd")
            write(folder, result, results, *more)

        with unittest.mock.patch.multiple(grader.Grading, **NOTHING_JUDGED), \
                unittest.mock.patch.object(outputs, "write_submission", fails_for_b):
            graded = self.grade(self.folder / "all", "--no-similarity", status=1)
        self.assertEqual({name: one["problem"] for name, one in graded.items()},
                         {"a": None, "b": "its results cannot be written: OSError: too odd", "c": None})


class Interrupted(Room):
    """With submissions that only wait in place of real ones."""

    def test_a_signal_ends_it_at_once_and_what_is_graded_stands(self):
        (self.folder / "rubric.json").write_text(json.dumps(SMALL_RUBRIC))
        for name in ("a", "b", "c"):
            self.write(f"all/{name}", FILES)
        script = """
import sys, time
sys.path.insert(0, sys.argv[1])
import grader, grading
grader.Grading.enter_jail = lambda self, _: setattr(self, "kind", "user")
grader.Grading.try_reference = lambda *_: None
grader.Grading.prepare = lambda self, case, path: None
def judge_case(self, case):
    if case.name != "a":
        time.sleep(600)
grader.Grading.judge_case = judge_case
sys.argv[0] = "grade"
exec(open(grading.__file__).read().split('if __name__ == "__main__":')[1].replace("\\n    ", "\\n"), {
    **vars(grading), "main": lambda: grading.main(sys.argv[2:])})
"""
        for number in (2, 15, 1):
            output = self.folder / f"grades-{number}"
            with subprocess.Popen([sys.executable, "-B", "-c", script, str(PROJECT / "tools/course"),
                                   str(self.folder / "all"), "-o", str(output), "--build", str(BUILD), "-j", "1",
                                   "--rubric", str(self.folder / "rubric.json")], stderr=subprocess.PIPE,
                                  text=True) as process:
                end = time.monotonic() + 60
                while not (output / "a/result.json").exists() and process.poll() is None and time.monotonic() < end:
                    time.sleep(0.05)
                time.sleep(0.2)
                if number == 1:  # a table that was spoilt meanwhile delays nothing
                    (output / "manual.csv").write_text("name\n")
                process.send_signal(number)
                _, said = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 128 + number, said)
            self.assertNotIn("Traceback", said)
            self.assertIn("interrupted: 1 of 3 submissions are graded; the same command with --resume goes on", said)
            self.assertEqual([path.name for path in output.glob("*/")], ["a"])
            if number == 1:
                self.assertIn("manual.csv: the first line has no column 'criterion'", said)
            else:
                self.assertIn("\na,", (output / "grades.csv").read_text())


def grading_mark(output):
    """The name of a grading's working folder."""
    return "a2-grade-" + str(os.getuid()) + "-" + hashlib.sha256(str(output.resolve()).encode()).hexdigest()[:12]


def running(word):
    """Command lines of processes that contain this word."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            words = path.read_bytes().split(b"\0")
            if word.encode() in words:
                found.append(words)
    return found


def tree(folder):
    """The files of a grading, except their times: path -> bytes."""
    return {path.relative_to(folder).as_posix(): b"" if path.name == "seconds.json" else path.read_bytes()
            for path in sorted(folder.rglob("*")) if path.is_file() and path.name != ".lock"}


@needs_build
class Whole(Room):
    """A right submission, broken ones, cheats."""

    def test_a_kernel_that_was_not_handed_in_is_noted(self):
        files, place = solutions(), "kernel.pipeline());\n"
        words = (BUILD / "generated/A2Task1Interleaved.spv.h").read_text().partition("{")[2].partition("}")[0]
        self.assertEqual(files[INTERLEAVED].count(place), 1)
        host = files[INTERLEAVED].replace(place, "own());\n").replace("    void record(", f"""\
    vk::Pipeline own()
    {{
        static const std::uint32_t words[] = {{{words}}};
        const std::uint32_t values[] = {{shape.workGroup, shape.elements}};
        const vk::SpecializationMapEntry entries[] = {{{{0, 0, 4}}, {{1, 4, 4}}}};
        const vk::SpecializationInfo special(2, entries, sizeof values, values);
        const vk::PipelineShaderStageCreateInfo stage({{}}, vk::ShaderStageFlagBits::eCompute,
            gpu.device().createShaderModule({{{{}}, sizeof words, words}}), "main", &special);
        const vk::ComputePipelineCreateInfo info({{}}, stage, kernel.layout());
        return gpu.device().createComputePipeline({{}}, info).value;
    }}

    void record(""", 1)
        self.write("all/bob", {**files, INTERLEAVED: host, WANTED[0]: "#version 450\nvoid main() {}\n"})
        self.write("all/right", files)
        graded = self.grade(self.folder / "all")
        self.assertEqual([self.points(graded[name])["interleaved"] for name in ("bob", "right")], [2, 2], self.said)
        note = "runs a module of its own instead of shaders/A2Task1Interleaved.comp"
        for name, is_noted in (("bob", True), ("right", False)):
            feedback = (self.folder / "grades" / name / "feedback.md").read_text()
            self.assertEqual(f"- its host code {note}" in feedback, is_noted, feedback)
        self.assertIn(note, (self.folder / "grades/class.html").read_text())

    def test_files_cost_their_own_rows_and_nothing_else(self):
        files = solutions()
        secret = self.folder / "secret.h"
        secret.write_text("struct Secret {};\n")
        # If all users can read it, only bubblewrap hides it.
        secret.chmod(0o600 if jail.Jail.works() else 0o644)
        socket_ = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(socket_.close)
        self.write("all/right", files)
        self.write("all/broken", {**files, INTERLEAVED: "int x = ;\n"})
        self.write("all/missing", {name: text for name, text in files.items() if "Interleaved" not in name})
        helper = "int helper() { return 1; }\n"
        self.write("all/twice", {**files, **{name: files[name] + helper for name in (SEQUENTIAL, INTERLEAVED)}})
        self.write("all/including", {**files, INTERLEAVED: f'#include "{secret}"\n{files[INTERLEAVED]}'})
        self.write("all/incbin", {**files, INTERLEAVED: f'asm(".incbin \\"{secret}\\"");\n{files[INTERLEAVED]}'})
        borrowed = '#version 450\n#include "A2Task1Subgroup.comp"\n'
        self.write("all/kernel", {**files, "shaders/A2Task1Interleaved.comp": borrowed})
        self.write("all/network", with_deed(files, ["sys/socket.h", "netinet/in.h", "arpa/inet.h"], f"""
            sockaddr_in a{{}}; a.sin_family = AF_INET; a.sin_port = htons({socket_.getsockname()[1]});
            a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
            return connect(socket(AF_INET, SOCK_STREAM, 0), reinterpret_cast<sockaddr*>(&a), sizeof a) == 0;"""))
        reasons = {"broken": ":1 does not compile:", "missing": "is not in the submission",
                   "including": ":1 does not compile:", "incbin": "does not compile", "kernel": "shaders/include",
                   "network": "the deed was not done"}
        alone = not jail.Jail.works() or os.getuid() == 0 and jail.no_network()
        # The limits that docs/jails.md gives for the other jail.
        if not alone and not limits.seccomp:
            del reasons["network"]
        if jail.Jail.works() and os.getuid() != 0:
            del reasons["including"], reasons["incbin"]
        kernel = (PROJECT / "shaders/A2Task1Sequential.comp").read_text()
        self.write("all/wrong", {**files, "shaders/A2Task1Sequential.comp": kernel.replace("sum +=", "sum =")})
        self.write("all/empty", {"readme.txt": "nothing", "src/x": ""})
        graded = self.grade(self.folder / "all", "-j", "3", status=1)
        self.assertEqual(len(graded), 10, self.said)
        self.assertEqual(graded["right"]["points"], 4, self.said)
        self.assertNotIn("own solution does not earn", self.said)
        for name, reason in reasons.items():
            self.assertEqual(self.points(graded[name]), {"interleaved": 0, "sequential": 2}, name)
            self.assertIn(reason, self.reason(graded[name], "interleaved"), name)
            self.assertNotIn("/tmp/", json.dumps(graded[name]).replace(str(secret), ""), name)
        self.assertEqual(graded["twice"]["points"], 2)
        self.assertIn("does not link: multiple definition", self.reason(graded["twice"], "sequential"))
        self.assertEqual((graded["empty"]["points"], graded["empty"]["problem"]), (0, "no file of a task is in it"))
        self.assertEqual(self.points(graded["wrong"]), {"interleaved": 2, "sequential": 0})
        picture = (self.folder / "grades/wrong/steps.html").read_text()
        for place in (str(PROJECT), str(BUILD), tempfile.gettempdir()):
            self.assertNotIn(place, picture)
        self.assertIn(html.escape(picture), (self.folder / "grades/wrong/feedback.html").read_text())
        self.assertFalse((self.folder / "grades/right/steps.html").exists())
        self.assertIn("interleaved", (self.folder / "grades/right/junit.xml").read_text())
        self.assertIn("right", (self.folder / "grades/index.html").read_text())
        before = tree(self.folder / "grades")
        self.assertEqual(self.grade(self.folder / "all", status=2), graded)
        self.grade(self.folder / "all", "--resume", status=1)
        self.assertEqual(tree(self.folder / "grades"), before)

    @unittest.skipUnless(os.getuid() == 0, "without root it is this user")
    def test_the_process_of_the_device_is_jailed(self):
        files = solutions()
        self.write("all/right", files)
        wild = files["shaders/A2Task1Interleaved.comp"].replace("#version 450\n", """#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(buffer_reference, std430) buffer Anywhere { uint word; };
""", 1)
        at = wild.index("void main()")
        at = wild.index("{", at) + 1
        wild = wild[:at] + "\n    Anywhere(uint64_t(4096)).word = 1;" + wild[at:]
        self.write("all/wild", {**files, "shaders/A2Task1Interleaved.comp": wild})
        seen, over = [], threading.Event()

        def is_ours(process):
            """Other tests may run at the same time."""
            while process.name not in ("0", "1"):
                if process.name == str(os.getpid()):
                    return True
                parent = re.search(r"^PPid:\s*(\d+)", (process / "status").read_text(), re.M)
                process = process.with_name(parent[1])
            return False

        def watch():
            while not over.wait(0.005):
                for path in pathlib.Path("/proc").glob("[0-9]*"):
                    with contextlib.suppress(OSError):
                        words = (path / "cmdline").read_bytes().split(b"\0")
                        if words[1:2] == [b"--work-the-device-for-a2"] and b"--recordings" in words and is_ours(path):
                            status = dict(line.split(":\t", 1) for line in (path / "status").read_text().splitlines()
                                          if ":\t" in line)
                            # The folder is root's once the process has hidden itself.
                            seen.append((int(status["Uid"].split()[0]), status["CapEff"], status["CapBnd"], status["Seccomp"],
                                         (path / "root/home").exists(), os.readlink(path / "ns/net")))

        for kind in (["bubblewrap"] if not jail.Jail.works() else []) + ["user"]:
            with self.subTest(kind):
                seen.clear()
                over.clear()
                watcher = threading.Thread(target=watch)
                watcher.start()
                try:
                    graded = self.grade(self.folder / "all", "--jail", kind, output=kind)
                finally:
                    over.set()
                    watcher.join()
                self.assertEqual(self.points(graded["right"]), {"interleaved": 2, "sequential": 2}, self.said)
                self.assertEqual(self.points(graded["wild"]), {"interleaved": 0, "sequential": 2}, self.said)
                self.assertIn("2", [one[3] for one in seen])  # even without libseccomp, once a2 has begun
                for user, own, most, calls, home, network in seen:
                    self.assertIn(user, range(jail.FIRST_USER, jail.LAST_USER + 1))
                    self.assertEqual({own, most}, {"0" * 16})
                    self.assertIn(calls, ("2",) if limits.seccomp else ("0", "2"))
                    if kind == "bubblewrap":
                        self.assertFalse(home)
                        self.assertNotEqual(network, os.readlink("/proc/self/ns/net"))

    def test_wrong_usage_is_said(self):
        self.write("one", FILES)
        self.grade(self.folder / "none", status=2)
        self.assertIn("there is no such file or folder", self.said)
        self.grade(self.folder / "one", "--only", "other", status=2)
        self.grade(self.folder / "one", rubric={"schema": 2}, status=2)
        self.assertIn("rubric.json", self.said)
        self.grade(self.folder / "one", "--device", "no such device", status=3)

    def test_a_repository_is_its_head(self):
        path = self.write("repository", solutions())
        for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "all"]):
            git_in(path, *words)
        self.write("repository", {INTERLEAVED: "not committed"})
        self.assertEqual(self.grade(path)["repository"]["points"], 4, self.said)


@needs_build
class Resumed(Room):
    """Killed, resumed and graded again."""

    def processes(self):
        """Command lines that contain this test's folder."""
        found = []
        for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            try:
                text = path.read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
            except OSError:
                continue
            if str(self.folder / "grades") in text or grading_mark(self.folder / "grades") in text:
                found.append(text)
        return found

    def test_again_and_resumed_gives_the_same(self):
        files = solutions()
        for name in ("one", "two"):
            self.write(f"all/{name}", files)
        self.grade(self.folder / "all")
        before = tree(self.folder / "grades")
        self.assertFalse([name for name in before if name.startswith(".part")])
        # As a killed grading leaves it: one complete result, and a part of the other.
        os.rename(self.folder / "grades/two", self.folder / "grades/.part-1")
        (self.folder / "grades/.part-1/result.json").write_text("{")
        self.grade(self.folder / "all", "--resume", "-j", "1")
        self.assertEqual(tree(self.folder / "grades"), before)

    def test_one_is_graded_again_and_what_people_wrote_stays(self):
        by_hand = {**SMALL_RUBRIC, "criteria": SMALL_RUBRIC["criteria"][:1],
                   "manual": [{"id": "oral", "title": "Explains it"}]}
        for name in ("one", "two"):
            self.write(f"all/{name}", {**solutions(), INTERLEAVED: "int x = ;\n"})
        first = self.grade(self.folder / "all", "--no-similarity", rubric=by_hand)
        self.assertEqual({name: one["points"] for name, one in first.items()}, {"one": 0, "two": 0}, self.said)
        table = self.folder / "grades/grades.csv"
        seed = (self.folder / "grades/grading.json").read_text()

        def rows():
            return {row["name"]: row for row in csv.DictReader(table.read_text().splitlines())}

        def as_spreadsheets_write(cells):
            """The table with these cells, including an additional column."""
            written = [{**row, **cells.get(name, {})} for name, row in rows().items()]
            text = io.StringIO()
            writer = csv.DictWriter(text, [*written[0]], delimiter=";", restval="", extrasaction="ignore")
            writer.writeheader()
            writer.writerows(written)
            table.write_bytes(b"\xef\xbb\xbf" + text.getvalue().encode())

        written = {"one": {"oral": "3,5", "remark": "late; excused"}, "two": {"oral": "2", "remark": ""}}
        as_spreadsheets_write(written)
        before = tree(self.folder / "grades/one")
        self.assertLessEqual({"result.json", "feedback.md", "junit.xml"}, before.keys())
        # Both are repaired, and only one is asked for.
        for name in ("one", "two"):
            self.write(f"all/{name}", solutions())
        again = self.grade(self.folder / "all", "--only", "two", "--no-similarity", rubric=by_hand)
        self.assertEqual({name: one["points"] for name, one in again.items()}, {"one": 0, "two": 2}, self.said)
        self.assertEqual(tree(self.folder / "grades/one"), before)
        self.assertEqual((self.folder / "grades/grading.json").read_text(), seed, "it was judged by other numbers")
        self.assertIn("does not compile", before["feedback.md"].decode())
        self.assertNotIn("does not compile", (self.folder / "grades/two/feedback.md").read_text())
        self.assertEqual({name: (row["points"], row["oral"], row.get("remark")) for name, row in rows().items()},
                         {"one": ("0", "3,5", "late; excused"), "two": ("2", "2", "")})
        self.write("all/three", solutions())
        self.grade(self.folder / "all", "--resume", "--no-similarity", rubric=by_hand)
        self.assertEqual({name: (row["points"], row["oral"], row.get("remark")) for name, row in rows().items()},
                         {"one": ("0", "3,5", "late; excused"), "two": ("2", "2", ""), "three": ("2", "", "")})
        self.assertEqual(tree(self.folder / "grades/one"), before)
        self.assertIn("3,5", (self.folder / "grades/index.html").read_text())

    def test_killed_at_any_moment_nothing_is_lost(self):
        for name in ("one", "two"):
            self.write(f"all/{name}", solutions())
        self.grade(self.folder / "all", "-s", "20240229", output="whole")
        (self.folder / "grades").mkdir()
        words = [PROJECT / "tools/grade", self.folder / "all", "-o", self.folder / "grades", "-s", "20240229",
                 "--build", BUILD, "--rubric", self.folder / "rubric.json", "-j", "1", "--resume"]
        for seconds in (0.5, 2.5, 4.0):
            process = subprocess.Popen(list(map(str, words)), stderr=subprocess.DEVNULL)
            try:
                process.wait(seconds)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.grade(self.folder / "all", "--resume")
        self.assertEqual(tree(self.folder / "grades"), tree(self.folder / "whole"))
        end = time.monotonic() + 60
        while (left := self.processes()) and time.monotonic() < end:
            time.sleep(0.1)
        self.assertEqual(left, [], "what was killed has left nothing that runs")


@needs_build
class Machines(Room):
    """Other processes there, missing programs, and times."""

    def test_nothing_of_a_submission_runs_while_it_is_judged(self):
        files = solutions()
        self.write("all/right", files)
        # A process that outlives the recorder, if the jail allows it.
        self.write("all/leaves", with_deed(files, ["unistd.h"], """
            if (fork() == 0) { setsid(); for (int i = 3; i < 99; ++i) close(i); for (;;) sleep(1); }
            return true;"""))
        seen = []
        judge_one = judging.Judge.once

        def once(judge, question, tasks, file, folder, build, seconds):
            seen.append((running(str(build.library)), file.stat().st_size))
            answer = judge_one(judge, question, tasks, file, folder, build, seconds)
            seen.append((running(str(build.library)), 1))
            return answer

        for kind in (["bubblewrap"] if not jail.Jail.works() else []) + (["user"] if os.getuid() == 0 else []):
            with self.subTest(kind), unittest.mock.patch.object(judging.Judge, "once", once):
                graded = self.grade(self.folder / "all", "--jail", kind, "-j", "1", output=kind)
                self.assertEqual({name: one["points"] for name, one in graded.items()}, {"right": 4, "leaves": 4})
                self.assertTrue(seen)
                self.assertEqual([one for one in seen if one[0]], [])
                self.assertTrue(all(size > 0 for _, size in seen))

    def test_times_are_held_against_the_references(self):
        self.write("one", solutions())
        criteria = [SMALL_RUBRIC["criteria"][0]]
        criteria += [{"id": name, "title": name, "task": "reduce/unroll", "points": 1, "extra": True,
                      "evidence": [{"kind": "check"}, {"kind": "time", "factor": factor}]}
                     for name, factor in (("within-ten-times", 10), ("in-a-hundredth", 0.01))]
        result = self.grade(self.folder / "one", rubric={**SMALL_RUBRIC, "criteria": criteria, "most_extra": 2})["one"]
        self.assertEqual(self.points(result), {"interleaved": 2, "within-ten-times": 1, "in-a-hundredth": 0}, self.said)
        self.assertIn("not within 0.01 times", self.reason(result, "in-a-hundredth"))

    def test_without_bubblewrap(self):
        files = solutions()
        self.write("all/right", files)
        self.write("all/broken", {**files, INTERLEAVED: "int x = ;\n"})
        before = os.umask(0o077)
        self.addCleanup(os.umask, before)
        jailed = []
        programs = []

        def note(words, *more, **others):
            jailed.append([str(word) for word in words])
            return jail.run(words, *more, **others)

        def note_program(self):
            make_program(self)
            programs.append((self.folder / "jail").read_text())

        make_program = build.Build.jail_program
        with unittest.mock.patch.object(build, "run", note), \
                unittest.mock.patch.object(build.Build, "jail_program", note_program):
            graded = self.grade(self.folder / "all", "--jail", "user")
        # The project may be in a folder that this user cannot enter.
        for words in jailed if os.getuid() == 0 else []:
            self.assertFalse([word for word in words if str(PROJECT) in word or str(BUILD) in word])
        self.assertTrue(jailed and programs)
        for program in programs if os.getuid() == 0 else []:
            worker = next(line for line in program.splitlines() if "a2_worker)" in line)
            self.assertNotIn(str(BUILD), worker)
        self.assertEqual({name: (one["points"], one["jail"]) for name, one in graded.items()},
                         {"right": (4, "user"), "broken": (2, "user")}, self.said)
        self.assertIn("warning: no bubblewrap", self.said)

    @unittest.skipUnless(os.getuid() == 0, "without root it is this user")
    def test_another_user_runs_the_copy_of_a2_and_cannot_read_it(self):
        """It has the solutions' kernels in it."""
        made = house.House(BUILD)
        made.prepare(self.folder / "compiler")
        made.copy_for_others(self.folder / "house")
        user = ["setpriv", f"--reuid={jail.first_user()}", f"--regid={jail.first_user()}", "--clear-groups"]
        self.assertEqual(subprocess.run([*user, made.a2_jailed, "--version"], capture_output=True).returncode, 0)
        read = subprocess.run([*user, "cat", made.a2_jailed], capture_output=True)
        self.assertEqual((read.returncode, read.stdout), (1, b""))

    def test_what_is_open_to_all_is_named(self):
        made = house.House(BUILD)
        made.root, program = self.folder / "project", self.write("usr", {"a2": ""}) / "a2"
        made.tree = unittest.mock.Mock(holders=[made.root / "build", program], folder=self.folder / "usr")
        (made.root / "build").mkdir(parents=True)
        for mode, mode_of_program, open_to_all in ((0o755, 0o755, [made.root, program]), (0o711, 0o711, [made.root]),
                                                   (0o700, 0o700, [])):
            made.root.chmod(mode)
            program.chmod(mode_of_program)
            self.assertEqual(made.open_to_all(), open_to_all)
        with unittest.mock.patch("os.getuid", lambda: 0):
            self.assertIn(f"this project's own solutions among it: chmod go= {made.root}",
                          grader.user_warning("why", [made.root]))
            self.assertNotIn("chmod", grader.user_warning("why", []))

    def package(self, place):
        subprocess.run(["cmake", "--install", BUILD, "--prefix", self.folder / place], check=True, capture_output=True)
        return self.folder / place

    def test_an_a2_among_the_systems_programs_is_hidden_and_named_if_it_has_solutions(self):
        one, other = (self.write(name, {"bin/a2": "", "lib/a2/student/objects/A2Task1Solution/X.cpp": text})
                      for name, text in (("one", "// BEGIN SOLUTION\n"), ("other", "// TODO\n")))
        with unittest.mock.patch.object(house, "PREFIXES", (one, other, self.folder / "none")):
            made = house.House(BUILD)
            for prefix in (one, other):
                self.assertLessEqual({prefix / "bin/a2", prefix / "lib/a2"}, set(made.hidden()))
            self.assertIn(one / "bin/a2", made.open_to_all())
            self.assertNotIn(other / "bin/a2", made.open_to_all())
        self.assertLessEqual({PROJECT, BUILD.resolve()}, set(made.hidden()))

    def test_nothing_of_a_package_that_has_solutions_is_copied_for_others(self):
        made = house.House(self.package("a package"))
        made.prepare(self.folder / "compiler")
        made.copy_for_others(self.folder / "house")
        copied = {path.name for path in (self.folder / "house").rglob("*")}
        self.assertLessEqual({"a2_worker", "liba2_recorder.a", "a2"}, copied)
        self.assertEqual({name for name in copied if name.startswith(("liba2_solutions", "Interleaved"))}, set())

    @unittest.skipIf(jail.Jail.works(), "only bubblewrap hides it")
    def test_no_submission_is_compiled_with_the_solutions_of_a_package(self):
        prefix, files = self.package("seen/package"), solutions()
        self.write("all/right", files)
        for name, path in (("library", prefix / "lib/a2/liba2_solutions.so"), ("program", prefix / "bin/a2")):
            taken = f'__asm__(".section .rodata\\n.incbin \\"{path}\\"\\n.text\\n");\n'
            self.write(f"all/{name}", {**files, INTERLEAVED: taken + files[INTERLEAVED]})
        graded = self.grade(self.folder / "all", "--build", prefix, "--see", self.folder / "seen")
        self.assertEqual({name: self.points(one)["interleaved"] for name, one in graded.items()},
                         {"right": 2, "library": 0, "program": 0}, self.said)

    def test_a_package_grades_as_a_build_does(self):
        prefix, files = self.package("a package"), solutions()
        self.write("all/right", files)
        self.write("all/warned", {**files, INTERLEAVED: "static int unused;\n" + files[INTERLEAVED],
                                  SEQUENTIAL: "int main( {}\n"})
        self.write("all/wrong", {**files, WANTED[0]: files[WANTED[0]].replace("+= ", "= ")})
        graded = self.grade(self.folder / "all", "-s", "5", output="by-build")
        self.assertEqual(graded["warned"]["points"], 2, self.said)
        for kind in JAILS:
            self.grade(self.folder / "all", "-s", "5", "--build", prefix, "--jail", kind, output=kind)
            for name in ("grades.csv", "warned/feedback.md", "wrong/feedback.md", "warned/build.log"):
                ours, theirs = ((self.folder / of / name).read_text() for of in (kind, "by-build"))
                self.assertEqual(ours, theirs.replace("build/a2 steps", "a2 steps"))

    @unittest.skipIf(jail.Jail.works(), "bubblewrap alone hides it")
    def test_a_compiler_that_is_none_of_the_systems_is_seen_where_that_is_said(self):
        self.write("right", solutions())
        (self.folder / "tools").mkdir()
        own = house.Built.compiler

        def elsewhere(self_, folder):
            words = own(self_, folder)
            compiler = self.folder / "tools" / "compiler"
            compiler.write_text(f'#!/bin/sh\nexec {words[0]} "$@"\n')
            compiler.chmod(0o755)
            return [str(compiler), *words[1:]]

        with unittest.mock.patch.object(house.Built, "compiler", elsewhere):
            self.grade(self.folder / "right", status=3)
            graded = self.grade(self.folder / "right", "--see", self.folder / "tools", "--resume")
        self.assertEqual(graded["right"]["points"], 4, self.said)
        self.grade(self.folder / "right", "--see", self.folder / "none", status=3)
        self.assertIn("there is no such folder", self.said)


if __name__ == "__main__":
    unittest.main()
