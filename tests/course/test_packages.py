#!/usr/bin/env python3
"""An installed a2 (tools/install.cmake), and the student's folder in which it works (docs/packages.md)."""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
import unittest
import zipfile
from xml.etree import ElementTree

PROJECT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("A2_BUILD_DIR", PROJECT / "build"))
INTERLEAVED = ("shaders/A2Task1Interleaved.comp", "src/A2Task1Solution/Interleaved.cpp")
HOST = INTERLEAVED[1]


def command_line(process):
    try:
        return (process / "cmdline").read_bytes()
    except OSError:
        return b""


class Packages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.base = pathlib.Path(tempfile.mkdtemp(prefix="a2-packages-"))
        cls.addClassCleanup(shutil.rmtree, cls.base)
        cls.prefix = cls.base / "the prefix"
        cls.handout = cls.base / "handout"
        for command in (["cmake", "--install", BUILD, "--prefix", cls.prefix],
                        [PROJECT / "tools" / "handout", "--folder", cls.handout]):
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                raise AssertionError(done.stdout + done.stderr)
        shutil.copytree(cls.handout, cls.prefix / "share/a2/template")
        cls.env = {**os.environ, "XDG_CACHE_HOME": str(cls.base / "cache"), "LC_ALL": "C.UTF-8"}
        cls.env.pop("CXX", None)
        done = cls.a2("new", "made", cwd=cls.base)
        cls.said = done
        cls.made = cls.base / "made"
        subprocess.run([cls.prefix / "bin/a2", "--quiet", "-n", "64"], cwd=cls.made, env=cls.env, capture_output=True, check=False)
        # The same with one row solved and compiled, which most tests begin with.
        cls.begun = cls.base / "begun"
        shutil.copytree(cls.made, cls.begun)
        cls.solve_in(cls.begun, *INTERLEAVED)
        cls.a2("--quiet", "-n", "64", cwd=cls.begun)

    @classmethod
    def a2(cls, *words, cwd, prefix=None, **env):
        return subprocess.run([(prefix or cls.prefix) / "bin/a2", *map(str, words)], cwd=cwd, capture_output=True,
                              text=True, env={**cls.env, **env}, timeout=300, check=False)

    def setUp(self):
        self.folder = self.base / self.id()
        self.copy(self.made)

    def copy(self, folder):
        """With its objects, which as copies would be foreign."""
        shutil.copytree(folder, self.folder)
        for one in [*(folder / ".a2").rglob("*.o"), *(folder / ".a2").rglob("*.so")]:
            own = self.folder / one.relative_to(folder)
            own.unlink()
            os.link(one, own)

    def run_here(self, *words, **more):
        return self.a2(*(words or ("--quiet", "-n", "64")), cwd=self.folder, **more)

    @staticmethod
    def solve_in(folder, *files):
        """The files of the solution; changed since a2 was built, so that they are compiled."""
        for file in files:
            (folder / file).write_text((PROJECT / file).read_text() + "// Mine.\n")

    def solve(self, *files):
        self.solve_in(self.folder, *files)

    def begin_solved(self):
        """A folder in which one row is solved, and compiled already."""
        shutil.rmtree(self.folder)
        self.copy(self.begun)

    def written(self, done):
        """How many rows are reported as not written, and how many pass."""
        return done.stdout.count("NOT WRITTEN YET"), done.stdout.count("TEST PASSED")

    def test_new_says_what_is_next(self):
        self.assertEqual((self.said.returncode, self.said.stderr), (0, ""), self.said)
        self.assertEqual(self.said.stdout, "made is made. Next:\n\n    cd made\n    a2\n\nREADME.md in it says how to begin.\n")
        there = {one.relative_to(self.handout) for one in self.handout.rglob("*") if one.is_file()}
        self.assertTrue(there)
        for file in there:
            self.assertEqual((self.made / file).read_bytes(), (self.handout / file).read_bytes(), file)

    def test_new_overwrites_nothing(self):
        for name, why in (("made", "is there already"), ("made/README.md", "is there already"),
                          ("nowhere/made", "there is no folder"), ("", "takes the name")):
            done = self.a2("new", name, cwd=self.base)
            self.assertEqual((done.returncode, done.stdout), (2, ""), done)
            self.assertIn(why, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1, done)
        (self.base / "empty").mkdir()
        self.assertEqual(self.a2("new", "empty/", cwd=self.base).returncode, 0)

    def test_new_in_an_empty_folder_keeps_the_folder(self):
        private, target, link = self.base / "private", self.base / "target", self.base / "link"
        private.mkdir(mode=0o700)
        target.mkdir()
        link.symlink_to("target")
        done = self.a2("new", ".", cwd=private)
        self.assertEqual((done.returncode, done.stdout), (0, ". is made. Next:\n\n    a2\n\nREADME.md in it says how to begin.\n"))
        self.assertEqual(private.stat().st_mode & 0o777, 0o700)
        self.assertEqual(self.a2("new", "link", cwd=self.base).returncode, 0)
        self.assertTrue(link.is_symlink() and (target / "course.ini").is_file())
        self.assertIn("--from HANDOUT", self.a2("new", "--help", cwd=self.base).stdout)

    def test_new_from_a_handout(self):
        archive = shutil.make_archive(self.base / "packed", "zip", self.base, "handout")
        for number, one in enumerate((archive, self.handout)):
            done = self.a2("new", f"from {number}", "--from", one, cwd=self.base)
            self.assertEqual(done.returncode, 0, done)
            self.assertIn(f"    cd 'from {number}'\n", done.stdout)
            self.assertTrue((self.base / f"from {number}" / "shaders/include/A2Kernels.h").is_file())
        with zipfile.ZipFile(self.base / "other.zip", "w") as other:
            other.writestr("notes.txt", "none")
        sources = shutil.copytree(self.handout, self.base / "sources")
        (sources / "tools").mkdir()
        (sources / "tools/run").write_text("")
        for one, why in ((sources, "has all of a2's sources"), (self.base / "other.zip", "is no hand-out"), (self.handout / "README.md", "is no .zip"),
                         (self.base / "missing", "there is no such file")):
            done = self.a2("new", "wrong", "--from", one, cwd=self.base)
            self.assertEqual(done.returncode, 2, done)
            self.assertIn(why, done.stderr)
            self.assertFalse((self.base / "wrong").exists())

    def packed(self, name, *more):
        """The hand-out as a .zip, with more files: (name or ZipInfo, content)."""
        archive = self.base / f"{self.id()}-{name}.zip"
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as packed:
            for one in sorted(self.handout.rglob("*")):
                packed.write(one, one.relative_to(self.handout))
            for one in more:
                packed.writestr(*one)
        return archive

    def test_new_takes_no_archive_that_is_too_much(self):
        link, lzma = zipfile.ZipInfo("link"), zipfile.ZipInfo("lzma")
        link.create_system, link.external_attr = 3, 0o120777 << 16
        lzma.compress_type = zipfile.ZIP_LZMA
        locked = self.packed("locked", ("locked", b"1234"))
        locked.write_bytes(re.sub(rb"(PK\x01\x02.{4})..", lambda found: found[1] + b"\1\0", locked.read_bytes(), flags=re.DOTALL))
        pipe = self.base / "pipe.zip"
        os.mkfifo(pipe)
        for one, why in ((self.packed("long", ("long", bytes(257 << 20))), "unpacks to more than 256 MiB or 10000 files"),
                         (self.packed("many", *((f"{i}", "") for i in range(10_000))), "unpacks to more than 256 MiB or 10000 files"),
                         (self.packed("linked", (link, "/etc/passwd")), "holds link, which is neither a file nor a folder"),
                         (self.packed("method", (lzma, "text")), "is packed by a method other than deflate"),
                         (self.packed("outside", ("../outside", "text")), "leads out of it: ../outside"),
                         (self.packed("root", ("/outside", "text")), "leads out of it: /outside"),
                         (locked, "is encrypted: pack it without a password"),
                         (pipe, "is neither a folder nor a .zip")):
            done = self.a2("new", "wrong", "--from", one, cwd=self.base)
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done)
            self.assertIn(why, " ".join(done.stderr.split()))
            self.assertFalse((self.base / "wrong").exists())
        self.assertEqual(list(self.base.glob(".a2-*")), [])

    def test_new_that_is_ended_leaves_nothing(self):
        """Neither files nor what unpacks, whenever it ends."""
        where, temporary, archive = self.folder / "where", self.folder / "temporary", \
            self.packed("large", ("zeros", bytes(50 << 20)), *((f"more/{i}", b"0") for i in range(500)))
        temporary.mkdir()
        ended = 0
        for i in range(30):
            shutil.rmtree(where, ignore_errors=True)
            (where / "empty").mkdir(parents=True)
            target = ("new", "empty")[i % 2]
            with subprocess.Popen([self.prefix / "bin/a2", "new", target, "--from", archive], cwd=where, stdout=subprocess.DEVNULL,
                                  env={**self.env, "TMPDIR": str(temporary), "CXX": "/bin/false"}) as begun:
                time.sleep(0.01 * 1.5**i)
                begun.send_signal((signal.SIGTERM, signal.SIGINT)[i // 2 % 2])
                if begun.wait() == 0:
                    self.assertEqual((where / target / "more/499").read_bytes(), b"0")
                    break
            ended += 1
            self.assertEqual([one.name for one in where.rglob("*")], ["empty"], i)
            self.assertEqual(list(temporary.iterdir()), [], i)
            end = time.monotonic() + 10
            while any(str(archive).encode() in one for one in map(command_line, pathlib.Path("/proc").glob("[0-9]*"))):
                self.assertLess(time.monotonic(), end, "it still unpacks")
                time.sleep(0.05)
        self.assertGreater(ended, 3)

    def test_new_says_what_the_place_lacks(self):
        for one in (self.packed("more", ("more", bytes(1 << 20))), shutil.copytree(self.handout, self.folder / "more")):
            if one.is_dir():
                (one / "more").write_bytes(bytes(1 << 20))
            done = subprocess.run(["bash", "-c", 'ulimit -f 512; exec "$@"', "bash", self.prefix / "bin/a2", "new", "full", "--from", one],
                                  cwd=self.base, capture_output=True, text=True, env=self.env, check=False)
            self.assertEqual((done.returncode, done.stdout), (2, ""), done)
            self.assertIn("full cannot be made: File too large; choose another place", done.stderr)
            self.assertEqual([*self.base.glob("full"), *self.base.glob(".a2-*")], [])

    def test_python_takes_nothing_from_the_folder(self):
        """It may be somebody else's."""
        taken = self.folder / "taken"
        for name in ("argparse", "io", "json", "zipfile", "stat", "pathlib"):
            (self.folder / f"{name}.py").write_text(f"open({str(taken)!r}, 'w')\n")
        more = {"PATH": "/usr/bin:/bin", "PYTHONPATH": ":."}
        self.assertEqual(self.run_here("new", "below", "--from", self.packed("plain"), **more).returncode, 0)
        self.assertEqual(self.run_here("submit", **more).returncode, 0)
        self.run_here("report", "--from", "none.json", "-o", "report", **more)
        self.assertFalse(taken.exists())

    def test_git_starts_nothing_that_the_folder_names(self):
        """Not for the commit in --json: the folder may be somebody else's."""
        self.begin_solved()
        taken = self.folder / "taken"
        for words in ("init -q", "add course.ini", "-c user.name=a -c user.email=a@example.org commit -qm one"):
            subprocess.run(["git", *words.split()], cwd=self.folder, check=True)
        commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=self.folder, capture_output=True, text=True, check=True).stdout
        own = self.folder / ".git"
        (own / "info/attributes").write_text("* filter=x\n")
        config = (own / "config").read_text().replace("repositoryformatversion = 0", "repositoryformatversion = 1")
        (own / "config").write_text(f'{config}[filter "x"]\n\tclean = touch {taken}\n\tprocess = touch {taken}\n'
                                    f'[extensions]\n\tpartialClone = origin\n[remote "origin"]\n\tpromisor = true\n'
                                    f"\turl = {self.folder}\n\tuploadpack = touch {taken}; false\n")
        os.utime(self.folder / "course.ini", (0, 0))
        for objects in (True, False):
            if not objects:
                shutil.rmtree(own / "objects")
                (own / "objects").mkdir()
            done = self.run_here("reduce/interleaved", "-n", "64", "-r", "1", "--json", "out.json")
            self.assertEqual((done.returncode, taken.exists()), (0, False), done)
            self.assertEqual(json.loads((self.folder / "out.json").read_text())["context"]["commit"], commit[:12])

    def test_at_first_nothing_is_written(self):
        done = self.run_here()
        self.assertEqual((done.returncode, self.written(done)), (1, (9, 0)), done)
        self.assertEqual(done.stderr, "")

    def test_compiles_what_has_changed_and_no_more(self):
        objects = self.folder / ".a2" / "objects"
        before = {one: one.stat().st_mtime_ns for one in objects.rglob("*.o")}
        self.assertTrue(before)
        self.assertEqual(self.run_here().returncode, 1)
        self.assertEqual({one: one.stat().st_mtime_ns for one in objects.rglob("*.o")}, before)
        self.solve(*INTERLEAVED)
        done = self.run_here()
        self.assertEqual((done.returncode, self.written(done)), (1, (8, 1)), done)
        changed = [one.name for one in objects.rglob("*.o") if one.stat().st_mtime_ns != before[one]]
        self.assertEqual(changed, ["Interleaved.cpp.o"])

    def test_whatever_is_included_counts(self):
        self.begin_solved()
        source = self.folder / "src/A2Task1Solution/Interleaved.cpp"
        for header in (source.parent / "mine.inc", self.base / "elsewhere.txt"):
            source.write_text(source.read_text() + f'#include "{header}"\n')
            for text, expected in (("\n", (8, 1)), ("#error not this\n", (8, 0)), ("\n// Again.\n", (8, 1))):
                header.write_text(text)
                self.assertEqual(self.written(self.run_here()), expected, (header, text))
        compiled = self.folder / ".a2/objects/A2Task1Solution/Interleaved.cpp.o"
        before = compiled.stat().st_mtime_ns
        self.assertEqual((self.written(self.run_here()), compiled.stat().st_mtime_ns), ((8, 1), before))

    def test_two_at_once_build_one_after_the_other(self):
        self.begin_solved()
        source = self.folder / "src/A2Task1Solution/Interleaved.cpp"
        for attempt in range(3):
            source.write_text(source.read_text() + f"// {attempt}\n")
            both = [subprocess.Popen([self.prefix / "bin/a2", "--quiet", "-n", "64", "-d", "emulator", "reduce/interleaved"],
                                     cwd=self.folder, env=self.env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                     text=True) for _ in range(2)]
            for one in both:
                said = one.communicate(timeout=300)[0]
                self.assertEqual(one.returncode, 0, said)
        self.assertEqual(list((self.folder / ".a2").rglob("*.part")), [])

    def test_nothing_is_written_where_nothing_has_changed(self):
        self.begin_solved()
        self.assertEqual(self.written(self.run_here()), (8, 1))
        state = self.folder / ".a2/build.json"
        before = state.stat().st_mtime_ns
        moved = self.folder.with_name("moved")
        self.folder.rename(moved)
        self.addCleanup(shutil.rmtree, moved)
        done = self.a2("--quiet", "-n", "64", cwd=moved)
        self.assertEqual((self.written(done), (moved / ".a2/build.json").stat().st_mtime_ns), ((8, 1), before), done)

    def test_a_compiler_that_cannot_be_used_is_named(self):
        self.begin_solved()
        self.solve("shaders/A2Task1Sequential.comp", "src/A2Task1Solution/Sequential.cpp")
        done = self.run_here(CXX="g++ -O0")
        self.assertEqual(self.written(done), (7, 2), done)
        self.assertIn("a2: note: CXX='g++ -O0' is no program that answers to --version: ", done.stderr)

    def test_a_kernel_that_is_gone_is_named(self):
        """And the one that this a2 was built with is not taken for it."""
        self.begin_solved()
        self.assertEqual(self.written(self.run_here()), (8, 1))
        (self.folder / "shaders/A2Task1Interleaved.comp").unlink()
        done = self.run_here("--quiet", "-n", "64", "reduce/interleaved")
        self.assertEqual(self.written(done)[1], 0, done)
        self.assertIn("shaders/A2Task1Interleaved.comp does not exist: write it, or put it back", done.stdout)

    def test_foreign_objects_are_not_believed(self):
        """A folder that is handed over with objects of other code than its own."""
        self.begin_solved()
        own, source = self.folder / ".a2", self.folder / "src/A2Task1Solution/Interleaved.cpp"
        self.assertEqual(self.written(self.run_here()), (8, 1))
        kept, inputs = shutil.copytree(own, self.folder / "kept"), next(own.rglob("Interleaved.cpp.inputs"))
        right = source.read_text()
        source.write_text(right.replace("void record(", "void forget("))
        wrong = inputs.read_text().replace(right, source.read_text())
        shutil.rmtree(own)
        kept.rename(own)
        inputs.write_text(wrong)
        self.assertEqual(self.written(self.run_here())[1], 0)

    def test_a_host_file_that_is_gone_is_named(self):
        """And the package's library, which has it, is not taken where all others are as they were handed out."""
        for file in PROJECT.glob("src/A2Task?Solution/*.cpp"):
            shutil.copy(file, self.folder / file.relative_to(PROJECT))
        shutil.copy(PROJECT / INTERLEAVED[0], self.folder / INTERLEAVED[0])
        shutil.rmtree(self.folder / ".a2")
        self.assertEqual(self.run_here("reduce/interleaved", "-n", "64").returncode, 0)
        self.assertFalse((self.folder / ".a2").exists())
        (self.folder / HOST).unlink()
        done = self.run_here("reduce/interleaved", "-n", "64")
        self.assertEqual(done.returncode, 1, done)
        self.assertIn(f'no file has a Factory "Interleaved", which reduce/interleaved is made by: it belongs in {HOST}', done.stdout)

    def test_works_in_folders_below(self):
        self.begin_solved()
        done = self.a2("reduce/interleaved", "-n", "64", cwd=self.folder / "shaders" / "include")
        self.assertEqual((done.returncode, self.written(done)), (0, (0, 1)), done)

    def test_a_kernel_counts_at_once(self):
        self.begin_solved()
        self.assertEqual(self.run_here("reduce/interleaved", "-n", "64").returncode, 0)
        kernel = self.folder / INTERLEAVED[0]
        kernel.write_text(kernel.read_text().replace("void main()", "void main(x)"))
        done = self.run_here("reduce/interleaved", "-n", "64")
        self.assertEqual(done.returncode, 1, done)
        self.assertRegex(done.stdout + done.stderr, r"shaders/A2Task1Interleaved\.comp:\d+ does not compile")

    def test_a_file_that_does_not_compile_costs_its_own_row(self):
        self.begin_solved()
        (self.folder / "src/A2Task1Solution/Sequential.cpp").write_text("int main( {\n")
        done = self.run_here("-n", "64")
        self.assertEqual((done.returncode, self.written(done)), (1, (7, 1)), done)
        self.assertRegex(done.stdout, r"src/A2Task1Solution/Sequential\.cpp:1 does not compile: .*; all of it: "
                                      r"\.a2/errors/A2Task1Solution-Sequential\.cpp\.txt")
        self.assertNotIn("to see every step", done.stdout)  # there is none
        self.assertIn("a2: look first at reduce/sequential: src/A2Task1Solution/Sequential.cpp:1 does not compile\n",
                      done.stderr)
        self.assertIn("error: ", done.stderr)
        self.assertTrue((self.folder / ".a2/errors/A2Task1Solution-Sequential.cpp.txt").read_text())
        self.solve("shaders/A2Task1Sequential.comp", "src/A2Task1Solution/Sequential.cpp")
        done = self.run_here()
        self.assertEqual(self.written(done), (7, 2), done)
        self.assertFalse((self.folder / ".a2/errors/A2Task1Solution-Sequential.cpp.txt").exists())

    def test_a_file_that_does_not_link_costs_its_own_row(self):
        self.begin_solved()
        file = self.folder / "src/A2Task1Solution/Sequential.cpp"
        file.write_text(file.read_text() + "int nowhere();\nint needed = nowhere();\n")
        for _ in range(2):  # the second time, nothing is compiled
            done = self.run_here()
            self.assertEqual((done.returncode, self.written(done)), (1, (7, 1)), done)
            self.assertIn("src/A2Task1Solution/Sequential.cpp does not link: undefined reference to `nowhere()'",
                          done.stdout)

    def test_without_a_compiler_kernels_work(self):
        self.solve(*INTERLEAVED)
        tools = self.folder / "bin"
        tools.mkdir()
        for name in ("env", "git"):
            if shutil.which(name):
                (tools / name).symlink_to(shutil.which(name))
        done = self.run_here(PATH=str(tools))
        self.assertEqual((done.returncode, self.written(done)), (1, (8, 0)), done)
        self.assertIn(f"{HOST} has changed, and there is no C++ compiler here: install g++ or clang++", done.stdout)
        self.assertNotIn("to see every step", done.stdout)
        self.assertEqual(self.written(self.run_here()), (8, 1))

    def test_without_a_driver_the_emulator_judges(self):
        self.begin_solved()
        done = self.run_here("reduce/interleaved", "-n", "64", VK_DRIVER_FILES="/nowhere", VK_ICD_FILENAMES="/nowhere")
        self.assertEqual((done.returncode, self.written(done)), (0, (0, 1)), done)
        self.assertIn("there is no Vulkan driver on this machine", done.stderr)
        done = self.run_here("reduce/interleaved", "-d", "0", VK_DRIVER_FILES="/nowhere", VK_ICD_FILENAMES="/nowhere")
        self.assertEqual(done.returncode, 3, done)

    def test_outside_of_a_folder(self):
        done = self.a2("--quiet", "-n", "64", cwd="/")
        self.assertEqual(done.returncode, 0 if (PROJECT / "tests").is_dir() else 1, done)
        done = self.a2("-n", "64", "reduce/interleaved", cwd="/")
        self.assertIn("no folder of an assignment is here: `a2 new FOLDER` makes one", done.stderr)
        self.assertEqual(self.a2("submit", cwd="/").returncode, 2)

    def test_a_pipe_is_not_waited_for(self):
        self.begin_solved()
        for name in ("src/A2Task1Solution/more.h", "src/A2Task1Solution/More.cpp", "shaders/include/more.h"):
            os.mkfifo(self.folder / name)
        done = self.run_here()
        self.assertEqual(self.written(done), (8, 1), done)

    def test_where_nothing_can_be_written(self):
        shutil.rmtree(self.folder / ".a2")
        (self.folder / ".a2").write_text("a file")
        done = self.run_here()
        self.assertEqual((done.returncode, done.stdout), (3, ""), done)
        self.assertIn("/.a2 cannot be made", done.stderr)
        self.assertEqual((self.folder / ".a2").read_text(), "a file")

    def test_nothing_in_it_leads_elsewhere(self):
        """In a folder from somebody else, .a2/ may be full of links and pipes."""
        self.begin_solved()
        (self.folder / "src/A2Task1Solution/Sequential.cpp").write_text("some text\n")
        diary = self.base / "diary.txt"
        own, errors = self.folder / ".a2", "errors/A2Task1Solution-Sequential.cpp.txt"
        one = "objects/A2Task1Solution/Interleaved.cpp"
        for name in ("build.json", "lock", errors, f"{one}.inputs", f"{one}.included", f"{one}.d", f"{one}.fresh", f"{one}.o",
                     "liba2_solutions.so", "liba2_solutions.so.fresh"):
            for make in (lambda path: path.symlink_to(diary), lambda path: os.link(diary, path), os.mkfifo):
                diary.write_text("mine")
                (own / name).parent.mkdir(exist_ok=True)
                (own / name).unlink(missing_ok=True)
                if name == "lock" or "Interleaved" in name:
                    (own / f"{one}.inputs").unlink(missing_ok=True)
                make(own / name)
                done = self.run_here("--quiet", "-n", "64", "-d", "emulator", "reduce/interleaved")
                self.assertEqual((done.returncode, diary.read_text()), (0, "mine"), (name, done))
        for name in ("errors", "objects", "objects/A2Task1Solution"):
            outside = self.base / f"outside {name.replace('/', ' ')}"
            outside.mkdir()
            (outside / "A2Task1Solution-Interleaved.cpp.txt").write_text("mine")
            shutil.rmtree(own / name)
            (own / name).symlink_to(outside)
            self.assertEqual(self.written(self.run_here()), (7, 1))
            self.assertEqual([one.read_text() for one in outside.iterdir()], ["mine"])
        shutil.rmtree(own)
        own.symlink_to(outside)
        done = self.run_here()
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (3, "", 1), done)
        self.assertIn("/.a2 is a link, and what a2 writes stays in the folder: remove the link", done.stderr)

    def test_a_folder_of_anybody_above_does_not_count(self):
        """Not even if its course.ini is a link to a file of the system's."""
        if os.geteuid() != 0:
            self.skipTest("for root")
        inner = self.folder / "inner"
        inner.mkdir()
        (self.folder / "course.ini").unlink()
        (self.folder / "course.ini").symlink_to("/etc/shells")
        self.assertNotIn("no folder of an assignment", self.a2("-n", "64", "reduce/interleaved", cwd=inner).stderr)
        for part in (self.folder, self.folder / "course.ini", self.folder / "shaders", self.folder / "src"):
            os.chown(part, 61234, 61234, follow_symlinks=False)
            self.assertIn("no folder of an assignment is here", self.a2("-n", "64", "reduce/interleaved", cwd=inner).stderr)
            os.chown(part, 0, 0, follow_symlinks=False)

    def test_the_text_that_is_compiled_is_the_one_that_was_read(self):
        """What is saved and put back while another a2 builds is not taken for what was there before."""
        self.begin_solved()
        source = self.folder / HOST
        right = source.read_text()
        source.write_text(right + "// Again.\n")
        compiler = self.folder / "slow"
        compiler.write_text('#!/bin/sh\ncase "$*" in *Interleaved.cpp*) cp "$SAVED" "$SOURCE";; esac\nexec g++ "$@"\n')
        compiler.chmod(0o755)
        saved = self.folder / "saved"
        saved.write_text(right.replace("void record(", "void forget("))
        before = source.read_text()
        self.run_here(CXX=str(compiler), SAVED=str(saved), SOURCE=str(source))
        source.write_text(before)
        self.assertEqual(self.written(self.run_here(CXX=str(compiler), SAVED=str(source), SOURCE=os.devnull)), (8, 1))

    def test_a_link_that_fails_for_the_machine_is_nobodys_fault(self):
        self.begin_solved()
        library = self.folder / ".a2/liba2_solutions.so"
        before = library.read_bytes()
        self.solve("shaders/A2Task1Sequential.comp", "src/A2Task1Solution/Sequential.cpp")
        limited = ["sh", "-c", f"ulimit -f {2 * (len(before) // 1024 - 3)}; exec \"$@\"", "sh"]
        done = subprocess.run([*limited, self.prefix / "bin/a2", "--quiet", "-n", "64"], cwd=self.folder, env=self.env,
                              capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (3, "", 1), done)
        self.assertIn("liba2_solutions.so could not be linked with g++: ", done.stderr)
        self.assertEqual(self.written(self.run_here()), (7, 2))

    def test_a_message_of_any_length_is_one_line(self):
        self.begin_solved()
        source = self.folder / "src/A2Task1Solution/Sequential.cpp"
        name = "a" * 900_000
        for text, why in (("#error " + "x" * 2_000_000, ":1 does not compile: "),
                          (f"extern int {name};\nint needed() {{ return {name}; }}\n", " does not link: ")):
            source.write_text(text)
            done = self.run_here()
            self.assertEqual((done.returncode, self.written(done)), (1, (7, 1)), done.stderr[:500])
            self.assertIn("src/A2Task1Solution/Sequential.cpp" + why, done.stdout)
            self.assertLess(len(done.stdout), 20_000)

    def test_a_name_that_is_no_text_costs_only_its_file(self):
        self.begin_solved()
        (self.folder / "src" / os.fsdecode(b"L\xf6sung.cpp")).write_text("#error not this\n")
        done = self.run_here()
        self.assertEqual(self.written(done), (8, 1), done)
        self.assertIn("src/L?sung.cpp has a name that is not UTF-8", done.stderr)

    def test_a_name_that_is_as_long_as_names_can_be_costs_only_its_file(self):
        self.begin_solved()
        (self.folder / "src" / f"{'a' * 250}.cpp").write_text("int one;\n")
        self.assertEqual(self.written(self.run_here()), (8, 1))

    def test_a_header_is_read_and_not_what_lies_beside_it(self):
        self.begin_solved()
        source = self.folder / HOST
        header = source.parent / "own.h"
        options = (self.prefix / "lib/a2/student/options").read_text().split()
        header.write_text("extern int nothing;\n")
        subprocess.run(["g++", *options, "-isystem", self.prefix / "share/a2/include", "-I" + str(self.folder / "shaders/include"),
                        "-x", "c++-header", header, "-o", f"{header}.gch"], check=True)
        header.write_text("#error the header\n")
        source.write_text('#include "own.h"\n' + source.read_text())
        for cache in (self.folder / "cache", self.base / "cache"):
            done = self.run_here(XDG_CACHE_HOME=str(cache))
            self.assertEqual(self.written(done), (8, 0), done)

    def test_a_new_header_that_comes_first_counts(self):
        self.begin_solved()
        self.assertEqual(self.written(self.run_here()), (8, 1))
        (self.folder / "src/A2Task1Solution/A2Task1.h").write_text("#error the new one\n")
        done = self.run_here()
        self.assertEqual(self.written(done)[1], 0, done)
        self.assertIn("A2Task1Solution/A2Task1.h:1:2: error: #error the new one", done.stderr)

    def test_files_without_end_are_not_read(self):
        self.begin_solved()
        header = self.folder / "src/large.h"
        for path in (header, self.folder / ".a2/build.json"):
            with path.open("ab") as file:
                file.truncate(20 << 30)
        limited = ["sh", "-c", "ulimit -v 8000000; exec \"$@\"", "sh", self.prefix / "bin/a2", "--quiet", "-n", "64", "-d", "emulator"]
        done = subprocess.run(limited, cwd=self.folder, env=self.env, capture_output=True, text=True, check=False)
        self.assertEqual(self.written(done), (8, 1), done)

    def test_a_few_lines_do_not_fill_the_disk(self):
        self.begin_solved()
        (self.folder / "src/large.cpp").write_text('asm(".section .foo,\\"a\\"\\n.fill 2000000000,1,1\\n.text");\n')
        done = self.run_here()
        self.assertEqual(self.written(done), (8, 1), done)
        self.assertLess(sum(one.stat().st_size for one in self.folder.rglob("*")), 50 << 20)

    def test_a_folder_that_cannot_be_read_is_named(self):
        self.begin_solved()
        source = self.folder / "src"
        source.rename(self.folder / "elsewhere")
        source.symlink_to("elsewhere")
        done = self.run_here()
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (3, "", 1), done)
        self.assertIn("/src is a link: put the folder itself there", done.stderr)
        source.unlink()
        (self.folder / "elsewhere").rename(source)
        if os.geteuid() == 0:
            self.skipTest("root may read all folders")
        (source / "private").mkdir(mode=0)
        self.addCleanup((source / "private").chmod, 0o700)
        done = self.run_here()
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (3, "", 1), done)
        self.assertIn("/src/private cannot be read: ", done.stderr)

    def test_what_it_keeps_may_be_changed_or_lost(self):
        self.begin_solved()
        self.assertEqual(self.written(self.run_here()), (8, 1))
        kept = self.folder / ".a2"
        for text in ("", "{", "[]", '{"linked": 3}', '{"objects": [], "linked": true, "unlinked": {}, "broken": {"a": 1}}'):
            (kept / "build.json").write_text(text)
            self.assertEqual(self.written(self.run_here()), (8, 1), text)
        (kept / "liba2_solutions.so").unlink()
        self.assertEqual(self.written(self.run_here()), (8, 1))
        next(kept.rglob("Interleaved.cpp.o")).unlink()
        self.assertEqual(self.written(self.run_here()), (8, 1))
        shutil.rmtree(kept)
        self.assertEqual(self.written(self.run_here()), (8, 1))

    def test_the_course_file_counts(self):
        (self.folder / "course.ini").write_text("[run]\nno-such-option = 1\n")
        done = self.run_here()
        self.assertEqual(done.returncode, 2, done)
        self.assertIn(f"{self.folder}/course.ini: a2 run has no option --no-such-option", done.stderr)

    def test_submit(self):
        self.begin_solved()
        (self.folder / "shaders/include/A2Kernels.h").write_text((self.folder / "shaders/include/A2Kernels.h").read_text() + "\n")
        done = self.run_here("submit")
        self.assertEqual((done.returncode, done.stdout.splitlines()[-1]),
                         (0, "submission.zip: 14 files, 2 of 20 points written"), done)
        self.assertIn("shaders/include/A2Kernels.h is not as it was handed out", done.stdout + done.stderr)
        with zipfile.ZipFile(self.folder / "submission.zip") as packed:
            self.assertEqual(packed.read(HOST), (self.folder / HOST).read_bytes())

    def test_cmake_builds_the_folder_too(self):
        self.solve(*INTERLEAVED)
        for other in self.folder.glob("src/*/*.cpp"):
            if other != self.folder / HOST:
                other.unlink()
        for command in (["cmake", "-G", "Ninja", "-S", ".", "-B", "build", f"-DCMAKE_PREFIX_PATH={self.prefix}"],
                        ["cmake", "--build", "build"]):
            done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done)
        done = self.run_here("--solutions", "build/libsolutions.so", "reduce/interleaved", "-n", "64")
        self.assertEqual((done.returncode, self.written(done)), (0, (0, 1)), done)

    def test_the_tree_can_be_moved(self):
        moved = self.base / "moved"
        shutil.copytree(self.prefix, moved, symlinks=True)
        self.begin_solved()
        done = self.run_here("reduce/interleaved", "-n", "64", prefix=moved)
        self.assertEqual((done.returncode, self.written(done)), (0, (0, 1)), done)

    def pushed(self, package, *words):
        """Runs ci/check.sh in this folder, like a machine that tests a push."""
        written = pathlib.Path(tempfile.mkdtemp(dir=self.base))
        done = subprocess.run([PROJECT / "tools/handout", "--folder", "--url", package, written],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done)
        self.assertTrue((written / ".gitlab-ci.yml").is_file() and (written / ".github/workflows/a2.yml").is_file())
        shutil.copytree(written / "ci", self.folder / "ci", dirs_exist_ok=True)
        return subprocess.run(["ci/check.sh", *words], cwd=self.folder, capture_output=True, text=True, check=False,
                              env={**self.env, "A2_FOLDER": str(self.folder / "got/a2")})

    def test_a_push_is_judged(self):
        self.begin_solved()
        archive = self.folder / "archive.tar.gz"
        with tarfile.open(archive, "w:gz", compresslevel=1) as packed:
            packed.add(self.prefix, "a2")
        done = self.pushed(archive.as_uri(), "reduce/interleaved", "--up-to", "64")
        self.assertEqual((done.returncode, self.written(done)), (0, (0, 1)), done)
        self.assertEqual((self.folder / "a2.txt").read_text(), done.stdout)
        suites = ElementTree.parse(self.folder / "a2.xml").getroot()
        self.assertEqual([one.get("failures") for one in suites.iter("testsuite")], ["0"])
        # The script's status is a2's. The archive is fetched once; again if another one is named.
        kernel = self.folder / INTERLEAVED[0]
        kernel.write_text(kernel.read_text().replace("void main()", "void main(x)"))
        archive.unlink()
        done = self.pushed(archive.as_uri(), "reduce/interleaved", "--up-to", "64")
        self.assertEqual((done.returncode, self.written(done)), (1, (0, 0)), done)
        self.assertEqual(self.pushed("file:///nowhere.tar.gz", "--get").returncode, 3)

    def test_a_push_without_its_archive(self):
        for package in ("file:///nowhere.tar.gz", (PROJECT / "README.md").as_uri()):
            done = self.pushed(package, "--get")
            self.assertEqual((done.returncode, done.stdout), (3, ""), done)
            self.assertIn(f"no a2 comes from {package}", done.stderr)
            self.assertEqual(list((self.folder / "got").iterdir()), [])

    def test_carries_what_shells_and_man_read(self):
        for name in ("bash-completion/completions/a2", "zsh/vendor-completions/_a2", "fish/vendor_completions.d/a2.fish",
                     "man/man1/a2.1"):
            self.assertIn("a2", (self.prefix / "share" / name).read_text())


if __name__ == "__main__":
    sys.exit(unittest.main())
