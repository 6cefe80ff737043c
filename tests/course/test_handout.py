#!/usr/bin/python3
"""The files that tools/handout hands out, and those that tools/submit packs."""

import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock
import zipfile

PROJECT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("A2_BUILD_DIR", PROJECT / "build"))
sys.path.insert(0, str(PROJECT / "tools" / "course"))
import handout  # noqa: E402
import markers  # noqa: E402
import proof  # noqa: E402

VERSION = re.search(r"project\(a2 VERSION (\S+)", (PROJECT / "CMakeLists.txt").read_text()).group(1)
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


def run(*words, **options):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, **options)


def files_of(folder):
    return {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}


class InAFolder(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="a2-handout-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)

    def hand_out(self, *words, project=PROJECT):
        return run(project / "tools" / "handout", *words, "--no-proof")

    def expect_refused(self, done, status, *parts):
        self.assertEqual(done.returncode, status, done)
        lines = done.stderr.splitlines()
        self.assertEqual(len(lines), 1, done)
        self.assertTrue(lines[0].startswith("handout: error: "), done)
        for part in parts:
            self.assertIn(part, lines[0])
        self.assertEqual(done.stdout, "")

    def copied_project(self, name):
        """A copy of the project without history, for changes."""
        copy = self.folder / name
        for file in handout.tracked(PROJECT):
            if file.startswith(("src/A2Task", "src/tasks/", "shaders/", "tools/", "include/")):
                (copy / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(PROJECT / file, copy / file)
        return copy


class HandOut(InAFolder):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.out = cls.folder / "assignment 2"
        done = run(PROJECT / "tools" / "handout", cls.out, "--zip", "--no-proof")
        assert done.returncode == 0, done
        cls.said = done.stderr
        cls.files = files_of(cls.out)

    def test_says_what_there_is(self):
        self.assertEqual(self.said, f"handout: {self.out} and assignment 2.zip: 9 tasks, 20 points, "
                                    f"{len(self.files)} files, not proved\n")
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["assignment 2", "assignment 2.zip"])

    def test_has_no_solutions(self):
        for line in ("partial[lane + stride]", "atomicAdd(groupSum", "STEP(512)", "tree[left] = tree[right]",
                     "data[index] += offset", "sum += source[index - distance]", "stride *= shape.elements",
                     "std::swap(target, other)", "addOffsets(cb, i)", "cb.dispatch(groups.x, groups.y, 1)"):
            self.assertTrue(any(line in markers.read(file) for file in STUDENT_FILES), line)
            for name, path in self.files.items():
                self.assertNotIn(line, markers.read(path), name)

    def test_has_no_marker(self):
        for name, path in self.files.items():
            self.assertNotRegex(markers.read(path), r"\b(BEGIN|END) (SOLUTION|LABS)\b", name)

    def test_solutions_fit_byte_for_byte(self):
        student_files = [name for name in self.files if handout.STUDENT_FILE.fullmatch(name)]
        self.assertEqual(len(student_files), 8 + 6)
        for name in student_files:
            original = markers.read(PROJECT / name)
            self.assertEqual(markers.with_solutions(markers.read(self.files[name]), original, name), original)

    def test_pipelines_layouts_and_push_constants_stay(self):
        for name, path in self.files.items():
            if name.startswith("src/A2Task"):
                self.assertRegex(markers.read(path), r"\nconst Factory \w+\(")
                self.assertIn("cb.bindPipeline(", markers.read(path))
                self.assertIn("makeDescriptorSet", markers.read(path))
            if name.startswith("shaders/A2Task"):
                self.assertIn("layout(push_constant) uniform Push {", markers.read(path))
                self.assertIn("void main()\n{\n    // TODO: ", markers.read(path))

    def shared(self, folder):
        """All headers that kernels and host code share, one after the other."""
        return "".join(markers.read(path) for path in sorted((folder / "shaders/include").glob("*.h")))

    def test_the_shared_headers_have_what_is_used(self):
        original, text = self.shared(PROJECT), self.shared(self.out)
        structs = r"^struct (\w+) \{"
        self.assertEqual(re.findall(structs, text, re.MULTILINE),
                         ["RotatePush", "InterleavedPush", "SequentialPush", "DecompositionPush", "NaivePush",
                          "TileScanPush", "OffsetPush"])
        gone = {*re.findall(structs, original, re.MULTILINE)} - {*re.findall(structs, text, re.MULTILINE)}
        self.assertEqual(gone, {"SubgroupPush", "LookbackPush", "PersistentPush", "ObstacleFlagsPush", "ObstacleRunsPush",
                                "AddPeakPush", "HistogramPush", "SortStepPush", "RadixPush"})
        self.assertNotRegex(text, r"(?i)subgroup reduction|look-?back|persistent|obstacle|peak|running_sum|tile_state")
        for name, path in self.files.items():
            if name.startswith(("src/", "shaders/", "include/")):
                self.assertNotRegex(markers.read(path), rf"\b({'|'.join(gone)})\b", name)
        # The rest is complete: each size is still used, and both languages compile it.
        self.assertEqual({*re.findall(r"sizeof\((\w+)\)", text)}, {*re.findall(structs, text, re.MULTILINE)})
        for header in sorted((self.out / "shaders/include").glob("*.h")):
            done = run(shutil.which("g++") or "c++", "-std=c++20", "-Wall", "-Wextra", "-Werror", "-fsyntax-only",
                       "-x", "c++", header)
            self.assertEqual(done.returncode, 0, done)
        with tempfile.TemporaryDirectory() as place:
            for name in sorted(self.files):
                if name.endswith(".comp"):
                    done = run("glslangValidator", "--target-env", "vulkan1.2", "-o", f"{place}/out.spv",
                               f"-I{self.out / 'shaders'}", self.files[name])
                    self.assertEqual(done.returncode, 0, done)

    def test_the_shared_headers_keep_what_other_tasks_need(self):
        with tempfile.TemporaryDirectory() as place:
            out = pathlib.Path(place) / "out"
            done = self.hand_out(out, "--tasks", "reduce/subgroup", "--tasks", "scan/offset")
            self.assertEqual(done.returncode, 0, done)
            text = self.shared(out)
            self.assertEqual(re.findall(r"^struct (\w+) \{", text, re.MULTILINE),
                             ["RotatePush", "DecompositionPush", "SubgroupPush", "OffsetPush"])
            for name in ("BINDING_RUNNING_SUM", "BINDING_OFFSETS"):
                self.assertIn(f"#define {name} ", text)
            shutil.rmtree(out)
            done = self.hand_out(out, "--tasks", "scan/lookback")
            self.assertEqual(done.returncode, 0, done)
            text = self.shared(out)
            self.assertEqual(re.findall(r"^struct (\w+) \{", text, re.MULTILINE), ["RotatePush", "LookbackPush"])
            self.assertIn("#define WORDS_PER_TILE_STATE ", text)
            shutil.rmtree(out)
            done = self.hand_out(out, "--tasks", "scan/persistent")
            self.assertEqual(done.returncode, 0, done)
            text = self.shared(out)
            self.assertEqual(re.findall(r"^struct (\w+) \{", text, re.MULTILINE), ["RotatePush", "PersistentPush"])
            for name in ("BINDING_TILE_STATES", "PERSISTENT_WORDS_PER_TILE", "PERSISTENT_COUNTERS"):
                self.assertIn(f"#define {name} ", text)
            self.assertNotIn("#define WORDS_PER_TILE_STATE ", text)
        # Names that only solutions use, that the header itself uses, and one of several structs under a comment.
        one = handout.Handout.__new__(handout.Handout)
        one.solutions = {"shaders/A2Task1X.comp": "data[SOLVED]"}
        one.text = {"src/x.cpp": "B push;", "docs/x.md": "UNUSED"}
        header = ("// Numbers.\n#define SOLVED 1\n#define UNUSED 2  // x\n#define OWN 3\n"
                  "// A.\nstruct A {\n    uint a;\n};\nstruct B {\n    uint b;\n};\n\n"
                  "// C.\nstruct C {\n    uint c;\n};\n\n#define MACRO(x) (x + OWN)\n"
                  "static_assert(sizeof(A) == 4 && sizeof(B) == 4 && sizeof(C) == 4);\n"
                  "static_assert(sizeof(C) == 4);\n")
        self.assertEqual(one.with_what_is_used(header),
                         "// Numbers.\n#define SOLVED 1\n#define OWN 3\n// A.\nstruct B {\n    uint b;\n};\n\n"
                         "#define MACRO(x) (x + OWN)\nstatic_assert(sizeof(B) == 4);\n")

    def test_no_declaration_of_shared_memory_shows_how_to_pad_it(self):
        declared = {name: re.findall(r"^\s*shared\b[^;]*;", markers.read(path), re.MULTILINE)
                    for name, path in self.files.items() if name.startswith("shaders/")}
        self.assertTrue(declared["shaders/A2LabRotate.comp"])
        for name, lines in declared.items():
            self.assertNotIn("CONFLICT_FREE_INDEX", " ".join(lines), name)
        self.assertRegex(markers.read(PROJECT / "shaders/A2Task2KernelDecomposition.comp"),
                         r"\n\s*shared\b[^;]*CONFLICT_FREE_INDEX")

    def test_has_the_kernels_that_a2_itself_runs(self):
        """Long results are compared on the device, by A2Digest: a hand-out without it can judge no long scan."""
        kernels = {path.stem for path in (PROJECT / "shaders").glob("*.comp") if not path.name.startswith("A2Task")}
        sources = "\n".join(markers.read(path) for name, path in self.files.items() if name.startswith("src/"))
        named = {name for name in kernels if f'"{name}"' in sources}
        self.assertEqual(named, {"Copy", "A2Digest", "A2LabRotate"})
        self.assertEqual({name for name in kernels if f"shaders/{name}.comp" in self.files}, named)

    def test_leaves_out_what_gives_away(self):
        for name in self.files:
            self.assertNotRegex(name, r"^(tests|\.git|\.ci|build)(/|$)|prescan|[Oo]bstacle|A2Labs|Lookback|"
                                      r"Persistent|/Subgroup|Task1Subgroup|tools/(test|grade|handout|course)|A2Lab(?!Rotate)", name)
        for table in ("src/tasks/A2Task1.cpp", "src/tasks/A2Task2.cpp"):
            self.assertNotRegex(markers.read(self.files[table]), "reduce/subgroup|\"scan/(lookback|persistent)")
        self.assertNotIn("labRows()", markers.read(self.files["src/tasks/Task.cpp"]))
        # The speed of the solution: the record's figures, and similar text.
        record = markers.read(PROJECT / "docs/record.md")
        figures = {one for one in re.findall(r"(?<![\w.])\d+\.\d+(?![\w.])", record) if len(one) > 4}
        self.assertGreater(len(figures), 30)
        self.assertNotIn("docs/record.md", self.files)
        for name, path in self.files.items():
            if name.endswith((".md", ".comp", ".glsl")) or handout.SHARED.fullmatch(name):
                text = markers.read(path)
                self.assertEqual({*re.findall(r"(?<![\w.])\d+\.\d+(?![\w.])", text)} & figures, set(), name)
                self.assertNotRegex(text, r"times\s+as\s+fast|\bspeed-?up of \d|measured on|NVIDIA [A-Z]\d", name)
                # Except one line of output, which the assignment's text shows.
                self.assertNotRegex(text.replace("Throughput: 10.8399 GE/s", ""), r"\d (GE|GB)/s", name)

    def test_readme_names_the_tasks_and_what_is_there(self):
        readme = markers.read(self.files["README.md"])
        self.assertNotIn("@", readme)
        self.assertIn("| `reduce/interleaved` | 2 | `shaders/A2Task1Interleaved.comp`, "
                      "`src/A2Task1Solution/Interleaved.cpp` |", readme)
        self.assertIn("20 points in all", readme)
        for part in ("slices", "vectors", "SPEC_EXCLUSIVE", "more than two elements"):
            self.assertIn(part, readme[readme.index("you may leave out"):][:300].replace("\n", " "))
        self.assertLessEqual(len(readme.splitlines()), 2 * 66)  # two pages
        for name in ("tools/run", "tools/submit", "course.ini", ".vscode/tasks.json", ".vscode/launch.json"):
            self.assertTrue(name in self.files, name)

    def test_the_folder_of_an_installed_a2_has_what_students_write(self):
        out = self.folder / "folder"
        done = run(PROJECT / "tools" / "handout", "--folder", out)
        self.assertEqual(done.returncode, 0, done)
        files = files_of(out)
        for name, path in files.items():
            self.assertRegex(name, r"^(shaders/(A2Task\w+\.comp|include/A2(?!Lab)\w+\.(h|glsl))|src/A2Task\dSolution/\w+\.cpp|"
                                   r"\.vscode/.*|docs/six-calls\.md|README\.md|course\.ini|CMakeLists\.txt|\.gitignore|"
                                   r"\.given\.sha256)$")
            if name in self.files and not name.startswith(".vscode/") and name not in ("README.md", ".gitignore", "CMakeLists.txt"):
                self.assertEqual(path.read_bytes(), self.files[name].read_bytes(), name)
            if name.endswith(".json"):
                json.loads(markers.read(path))
        student = {name for name in self.files if handout.STUDENT_FILE.fullmatch(name)}
        self.assertLessEqual(student, files.keys())
        readme = markers.read(files["README.md"])
        self.assertNotIn("@", readme)
        self.assertIn("20 points in all", readme)
        for link in re.findall(r"\]\(([^)#:]+)\)", readme):
            self.assertIn(link, files)
        for line in markers.read(files[".given.sha256"]).splitlines():
            digest, name = line.split("  ", 1)
            if not name.startswith("include/"):
                self.assertEqual(hashlib.sha256(files[name].read_bytes()).hexdigest(), digest, name)

    def test_host_code_can_be_given(self):
        out = self.folder / "given"
        self.addCleanup(shutil.rmtree, out)
        done = run(PROJECT / "tools" / "handout", "--no-proof", "--given-host", out)
        self.assertEqual(done.returncode, 0, done)
        files = files_of(out)
        self.assertEqual(files.keys(), self.files.keys())
        for name in filter(handout.STUDENT_FILE.fullmatch, files):
            text, own = markers.read(files[name]), markers.read(PROJECT / name)
            if name.endswith(".comp"):
                self.assertEqual(text, markers.read(self.files[name]), name)
            else:
                self.assertEqual(text, re.sub(r"^ *// (BEGIN|END) SOLUTION.*\n", "", own, flags=re.MULTILINE), name)
                self.assertNotIn("TODO", text)
        readme = markers.read(files["README.md"])
        self.assertIn("| `reduce/interleaved` | 2 | `shaders/A2Task1Interleaved.comp` |\n", readme)
        self.assertNotRegex(readme, "BEGIN|END [A-Z]|@")
        self.assertIn("Everything else is there: the host code", readme)

    def test_an_editor_can_start_the_debugger(self):
        extension = json.loads(markers.read(self.files[".vscode/extensions/a2-debug/package.json"]))
        self.assertIn(".vscode/extensions/a2-debug/" + extension["main"].removeprefix("./"), self.files)
        debugger, = extension["contributes"]["debuggers"]
        known = set(debugger["configurationAttributes"]["launch"]["properties"]) | {"name", "type", "request"}
        launch = json.loads(markers.read(self.files[".vscode/launch.json"]))
        launches = launch["configurations"]
        compound, = launch["compounds"]
        self.assertLess(set(compound["configurations"]), {one["name"] for one in launches})
        ours = [one for one in launches if one["type"] == debugger["type"]]
        self.assertEqual(len(ours), 2, launches)
        for one in ours:
            self.assertLessEqual(set(one), known)

    def test_links_lead_to_files_that_are_there(self):
        for name, path in self.files.items():
            if name.endswith(".md"):
                for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", markers.read(path)):
                    self.assertTrue((path.parent / link).is_file(), f"{name}: {link}")

    def test_documents_name_only_what_is_there(self):
        for name, path in self.files.items():
            if name.endswith(".md"):
                self.assertNotRegex(markers.read(path), r"reduce/local-|tools/(grade|test|handout)|docs/figures|"
                                                        r"scan/(lookback|persistent)|a2 (prescan|obstacles|record)\b", name)

    def test_the_worked_example_compiles(self):
        page = markers.read(self.files["docs/six-calls.md"])
        kernel, host = (re.sub("^    ", "", one, flags=re.MULTILINE)
                        for one in re.findall(r"\n\n((?:(?:    [^\n]*)?\n)+)\n(?=- )", page))
        with tempfile.TemporaryDirectory() as place:
            shader = pathlib.Path(place) / "Double.comp"
            shader.write_text(kernel)
            done = run("glslangValidator", "-V", f"-I{self.out / 'shaders'}", "-o", pathlib.Path(place) / "Double.spv", shader)
            self.assertEqual(done.returncode, 0, done)
            source = pathlib.Path(place) / "Double.cpp"
            source.write_text("""#include "A2Kernels.h"
#include "a2/ComputePipeline.h"
#include "a2/Gpu.h"
#include <string>
using namespace a2;
struct DoublePush {
    uint count;
};
struct Double {
    Gpu& gpu;
    KernelShape shape;
    ComputePipeline kernel;
    vk::DescriptorSet descriptorSet;
    std::uint64_t count;
""" + host + "};\n")
            done = run(shutil.which("g++") or "c++", "-std=c++20", "-fsyntax-only", f"-I{self.out / 'include'}",
                       f"-I{self.out / 'shaders/include'}", source)
            self.assertEqual(done.returncode, 0, done)

    def test_knows_its_headers_by_their_bytes(self):
        done = run("sha256sum", "--check", "--quiet", "tools/given.sha256", cwd=self.out)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done)

    def test_programs_stay_programs(self):
        for name in ("tools/run", "tools/submit"):
            self.assertTrue(os.access(self.files[name], os.X_OK), name)

    def test_zip_has_the_same_files(self):
        with zipfile.ZipFile(self.folder / "assignment 2.zip") as packed:
            there = {info.filename: info for info in packed.infolist() if not info.is_dir()}
            self.assertEqual(sorted(there), sorted(f"assignment 2/{name}" for name in self.files))
            for name, path in self.files.items():
                self.assertEqual(packed.read(f"assignment 2/{name}"), path.read_bytes(), name)
            self.assertEqual(there["assignment 2/tools/run"].external_attr >> 16 & 0o111, 0o111)

    def test_every_task_is_not_written_yet(self):
        # As in its own folder, with this build's host code.
        done = run(BUILD / "a2_here", "run", "-d", "emulator", "--quiet", cwd=self.out)
        self.assertEqual(done.returncode, 1, done)
        self.assertEqual(done.stdout.count("NOT WRITTEN YET shaders/"), 9, done)
        self.assertEqual(done.stdout.count("\nNOT WRITTEN YET shaders/A2Task1Interleaved.comp, 2 points\n"), 1, done)

    def test_course_is_the_default(self):
        for command in ("run", "check", "bench"):
            device = [] if command == "bench" else ["-d", "emulator"]
            odd = run(BUILD / "a2_here", command, "-n", "1000", *device, cwd=self.out)
            self.assertEqual(odd.returncode, 2, odd)
            self.assertIn("--no-course takes any length", odd.stderr)
        other = run(BUILD / "a2_here", "-n", "1000", "--no-course", "-d", "emulator", "scan/naive", cwd=self.out)
        self.assertEqual(other.returncode, 1, other)
        self.assertIn("NOT WRITTEN YET", other.stdout)
        self.assertEqual(run(BUILD / "a2_here", "steps", "scan/naive", "-n", "3", "-d", "emulator",
                             cwd=self.out).returncode, 1)
        typed = run(BUILD / "a2_here", "list", cwd=self.out)
        self.assertEqual(typed.returncode, 0, typed)


class Refusals(InAFolder):
    def left(self):
        return sorted(path.name for path in self.folder.iterdir())

    def test_nothing_is_overwritten(self):
        full, file = self.folder / "full", self.folder / "file"
        full.mkdir()
        (full / "mine").write_text("kept")
        file.write_text("kept")
        before = self.left()
        self.expect_refused(self.hand_out(full), 2, "full is not empty")
        self.expect_refused(self.hand_out(file), 2, "file is no folder")
        (self.folder / "new.zip").write_text("kept")
        self.expect_refused(self.hand_out(self.folder / "new", "--zip"), 2, "new.zip is there already")
        (self.folder / "new.zip").unlink()
        self.expect_refused(self.hand_out(file / "below"), 3, "cannot write beside")
        self.assertEqual(self.left(), before)
        self.assertEqual((full / "mine").read_text() + file.read_text(), "keptkept")

    def test_an_empty_folder_is_taken(self):
        empty = self.folder / "empty"
        empty.mkdir()
        self.assertEqual(self.hand_out(empty).returncode, 0)
        self.assertIn("README.md", files_of(empty))
        shutil.rmtree(empty)

    def test_a_tree_of_another_owner_is_taken(self):
        with unittest.mock.patch.dict(os.environ, {"GIT_TEST_ASSUME_DIFFERENT_OWNER": "1"}):
            done = self.hand_out(self.folder / "owned")
        self.assertEqual(done.returncode, 0, done)
        shutil.rmtree(self.folder / "owned")

    def test_wrong_words(self):
        before = self.left()
        self.expect_refused(self.hand_out(self.folder / "a", "--tasks", "reduce/*", "--tasks", "nobody"), 2,
                            "no task 'nobody'", "reduce/interleaved, ")
        self.expect_refused(self.hand_out(self.folder / "a", "--half"), 2, "--half", "--help")
        self.expect_refused(self.hand_out(), 2, "OUT")
        self.assertEqual(self.left(), before)
        self.assertEqual(self.hand_out("--help").returncode, 0)

    def test_wrong_markers(self):
        project, before = self.copied_project("wrong markers"), self.left()
        file = project / "shaders" / "A2Task2Naive.comp"
        file.write_text(file.read_text().replace("    // END SOLUTION\n", ""))
        begin = next(i for i, line in enumerate(file.read_text().splitlines(), 1) if "BEGIN" in line)
        self.expect_refused(self.hand_out(self.folder / "a", project=project), 2,
                            f"shaders/A2Task2Naive.comp:{begin}: BEGIN SOLUTION without an END SOLUTION")
        self.assertEqual(self.left(), before)

    def test_a_line_of_a_solution_elsewhere(self):
        project = self.copied_project("given away")
        before = self.left()
        readme = project / "tools" / "course" / "template" / "README.md"
        text = readme.read_text()
        for given in ("    tree[left]  =  tree[right];", "// sum += partial[lane + stride];"):
            readme.write_text(f"{given}\n{text}")
            self.expect_refused(self.hand_out(self.folder / "a", project=project), 2, "README.md:1 gives away '",
                                "shaders/A2Task")
        self.assertEqual(self.left(), before)

    def test_what_a_build_needs_is_missing(self):
        (self.folder / "git").symlink_to(shutil.which("git"))
        before = self.left()
        cases = [(self.folder, "cmake is missing: `tools/run list` installs what a build needs; --no-proof builds "
                               "nothing")]
        if (PROJECT / ".git").exists():
            cases.append(("/nowhere", "No such file or directory: 'git'"))
        for path, said in cases:
            done = run(sys.executable, PROJECT / "tools" / "handout", self.folder / "a", env={"PATH": str(path)})
            self.assertEqual(done.returncode, 3, done)
            self.assertIn(said, done.stderr.splitlines()[-1])
            self.assertEqual(self.left(), before)


    def test_what_is_ended_leaves_nothing(self):
        before = self.left()
        with subprocess.Popen([PROJECT / "tools" / "handout", self.folder / "a"], stderr=subprocess.PIPE) as made:
            while not list(self.folder.glob(".handout-*/build/CMakeFiles")) and made.poll() is None:
                time.sleep(0.02)
            made.terminate()
            said = made.communicate()[1]
        self.assertEqual(made.returncode, 128 + signal.SIGTERM, said)
        time.sleep(0.5)  # a build that still runs would write here
        self.assertEqual(self.left(), before)


class Proof(InAFolder):
    """With other programs in place of a2 and cmake."""

    def program(self, name, script):
        file = self.folder / name
        file.write_text(f"#!/bin/sh\n{script}\n")
        file.chmod(0o755)

    def judged(self, statuses, status=1, odd=2, course="--no-course takes any length"):
        tests = [{"id": id, "status": one} for id, one in statuses.items()]
        self.program("a2", f"""case $* in *json*) cat >"$5" <<'END'
{json.dumps({"tests": tests})}
END
exit {status} ;; esac
echo '{course}' >&2
exit {odd}""")
        proof.judge(handout.Handout(PROJECT, ["reduce/[is]*", "scan/lookback"]), self.folder)

    def test_wants_every_task_not_written(self):
        right = {"reduce/interleaved": "not-written", "reduce/sequential": "not-written",
                 "reduce/subgroup": "not-written", "scan/lookback": "not-written"}
        self.judged(right)
        for wrong in ({**right, "reduce/sequential": "passed"}, {**right, "reduce/sequential": "failed"},
                      {**right, "scan/naive": "not-written"}, {"reduce/interleaved": "not-written"}):
            with self.assertRaisesRegex(proof.NotProved, "not written yet, and says"):
                self.judged(wrong)
        with self.assertRaisesRegex(proof.NotProved, "ended with 0 instead of 1"):
            self.judged(right, status=0)
        for wrong in ({"odd": 0}, {"course": "no such thing"}):
            with self.assertRaisesRegex(proof.NotProved, "course.ini does not make --course the default"):
                self.judged(right, **wrong)

    def test_wants_a_build_without_warnings(self):
        with unittest.mock.patch.dict(os.environ, PATH=f"{self.folder}:{os.environ['PATH']}"):
            for script, said in (("exit 0", None),
                                 ("echo CMake Error: no compiler >&2; exit 1", "cannot be configured: CMake Error: no"),
                                 ("case $1 in --build) echo x.cpp:1: error: no; exit 1;; esac", "not build: x.cpp"),
                                 ("echo x.cpp:1: warning: unused", "with warnings: x.cpp:1: warning: unused"),
                                 ("echo a2: A2Task1Solution/X.cpp does not compile: 1", "with warnings: a2: A2Ta")):
                self.program("cmake", script)
                if said is None:
                    proof.build(self.folder, self.folder, lambda _: None)
                    continue
                with self.assertRaisesRegex(proof.NotProved, said):
                    proof.build(self.folder, self.folder, lambda _: None)


class Tasks(InAFolder):
    def student_files(self, *words):
        out = self.folder / "out"
        done = self.hand_out(out, *words)
        self.assertEqual(done.returncode, 0, done)
        found = files_of(out)
        shutil.rmtree(out)
        return sorted(name for name in found if handout.STUDENT_FILE.fullmatch(name)), sorted(found)

    def test_only_those_that_are_chosen(self):
        files, everything = self.student_files("--tasks", "scan/offset", "--tasks", "reduce/i*")
        self.assertEqual(files, ["shaders/A2Task1Interleaved.comp", "shaders/A2Task2KernelDecompositionOffset.comp",
                                 "src/A2Task1Solution/Interleaved.cpp", "src/A2Task2Solution/Offset.cpp"])
        self.assertNotIn("shaders/include/A2LoadTile.glsl", everything)

    def test_with_what_they_need(self):
        files, everything = self.student_files("--tasks", "reduce/subgroup")
        self.assertEqual(files, ["shaders/A2Task1Subgroup.comp", "shaders/A2Task1SubgroupLevels.comp",
                                 "src/A2Task1Solution/KernelDecomposition.cpp", "src/A2Task1Solution/Subgroup.cpp"])
        self.assertIn("shaders/include/A2SubgroupWidth.glsl", everything)


class Submit(InAFolder):
    LIST = """reduce/interleaved      [Task1] Interleaved                  2 points
    shaders/One.comp
    src/One.cpp
reduce/sequential       [Task1] Sequential                   3 points
    shaders/One.comp
    src/Two words.cpp
5 points in all
"""
    CHECK = """[Task1] evaluating Interleaved
Checked: 5 cases
TEST PASSED
[Task1] evaluating Sequential
NOT WRITTEN YET shaders/One.comp, 3 points
TEST FAILED
"""

    def setUp(self):
        self.root = self.folder / self.id()
        for name in ("shaders/One.comp", "src/One.cpp", "src/Two words.cpp", "src/Other.cpp", "build/tools.log"):
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(name)
        (self.root / "tools").mkdir()
        for name in ("submit", "common.sh"):
            shutil.copy(PROJECT / "tools" / name, self.root / "tools" / name)
        for name, says in (("tools/run", self.LIST), ("build/a2", self.CHECK)):
            (self.root / name).write_text(f"#!/bin/sh\ncat <<'END'\n{says}END\n")
            (self.root / name).chmod(0o755)

    def submit(self, *words):
        return run(self.root / "tools" / "submit", *words, cwd=self.root / "src")

    def refused(self, status, part):
        done = self.submit()
        self.assertEqual((done.returncode, done.stderr.count("\n")), (status, 1), done)
        self.assertIn(part, done.stderr)

    def test_packs_exactly_the_files(self):
        (self.root / "src" / "submission.zip").write_text("an older one")
        done = self.submit()
        self.assertEqual((done.returncode, done.stderr), (0, ""), done)
        self.assertEqual(done.stdout, "submission.zip: 3 files, 2 of 5 points written\n")
        with zipfile.ZipFile(self.root / "src" / "submission.zip") as packed:
            self.assertEqual(sorted(packed.namelist()), ["shaders/One.comp", "src/One.cpp", "src/Two words.cpp"])
            self.assertEqual(packed.read("src/One.cpp"), b"src/One.cpp")

    def test_goes_where_it_is_told(self):
        self.assertEqual(self.submit(self.folder / "mine.zip").returncode, 0)
        self.assertTrue(zipfile.is_zipfile(self.folder / "mine.zip"))

    def test_follows_no_link_that_waits_for_it(self):
        """Whatever number the program has: a link with its name is there before it writes."""
        tool, precious = self.root / "tools" / "submit", self.folder / f"{self.id()}.txt"
        precious.write_text("mine")
        tool.write_text(tool.read_text().replace("    parser = Parser(", f"""\
    place = pathlib.Path(f".a2-{{os.getpid()}}.part")
    place.symlink_to({str(precious)!r})
    parser = Parser(""", 1))
        self.assertEqual(self.submit().returncode, 0)
        self.assertEqual(precious.read_text(), "mine")
        self.assertFalse((self.root / "src" / "submission.zip").is_symlink())

    def test_what_cannot_be_written_leaves_nothing(self):
        (self.root / "src" / "taken.zip").mkdir()
        done = self.submit("taken.zip")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (3, 1), done)
        self.assertIn("taken.zip could not be written: Is a directory; choose another path", done.stderr)
        self.assertEqual(list((self.root / "src").glob(".a2-*")), [])

    def test_a_signal_leaves_nothing(self):
        """Neither a file nor a traceback."""
        (self.root / "build" / "a2").write_text("#!/bin/sh\ntouch started\nexec sleep 60\n")
        for one in (signal.SIGTERM, signal.SIGINT):
            (self.root / "started").unlink(missing_ok=True)
            with subprocess.Popen([self.root / "tools" / "submit"], cwd=self.root / "src", stderr=subprocess.PIPE,
                                  text=True) as begun:
                while not (self.root / "started").exists():
                    self.assertIsNone(begun.poll())
                    time.sleep(0.01)
                begun.send_signal(one)
                self.assertEqual((begun.communicate(timeout=30)[1], begun.returncode), ("", 128 + one))
        self.assertEqual(sorted(one.name for one in (self.root / "src").iterdir()),
                         ["One.cpp", "Other.cpp", "Two words.cpp"])

    def test_packs_what_is_older_than_the_format(self):
        os.utime(self.root / "src" / "One.cpp", (0, 0))
        done = self.submit()
        self.assertEqual((done.returncode, done.stderr), (0, ""), done)

    def test_names_headers_that_do_not_come_along(self):
        given = {"shaders/include/A2Kernels.h": "#define ONE 1\n", "include/a2/Gpu.h": "class Gpu;\n"}
        for name, text in given.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(text)
        (self.root / "tools" / "given.sha256").write_text(
            "".join(f"{hashlib.sha256(text.encode()).hexdigest()}  {name}\n" for name, text in given.items()))
        (self.root / "shaders" / "One.comp").write_text('#include "include/A2Kernels.h"\n  # include "mine.glsl" // my own\n')
        (self.root / "src" / "One.cpp").write_text('#include "A2Kernels.h"\n#include "a2/Gpu.h"\n#include <string>\n')
        done = self.submit()
        self.assertEqual(done.stderr, 'a2: warning: shaders/One.comp includes "mine.glsl", which is not handed in: move '
                                      "its text into shaders/One.comp\n", done)
        (self.root / "include" / "a2" / "Gpu.h").write_text("class Mine;\n")
        (self.root / "shaders" / "One.comp").write_text("")
        done = self.submit()
        self.assertEqual((done.returncode, done.stderr),
                         (0, "a2: warning: include/a2/Gpu.h is not as it was handed out, and is not handed in: put it "
                             "back, and the changes into your files\n"), done)

    def test_a_list_of_what_was_handed_out_that_is_none(self):
        given, line = self.root / ".given.sha256", f"{64 * '0'}  course.ini\n"
        for text in ("", "abc\n", "abc  course.ini\n", line + "\n", "\0" * 100):
            given.write_text(text)
            self.refused(3, ".given.sha256 is not as it was handed out: put it back")
        os.truncate(given, 1 << 21)
        self.refused(3, "put it back")
        given.write_text(line)
        with (self.root / "course.ini").open("wb") as file:
            file.truncate(1 << 21)
        done = self.submit()
        self.assertEqual((done.returncode, done.stderr.count("\n")), (0, 1), done)
        self.assertIn("course.ini is not as it was handed out", done.stderr)

    def test_what_a_terminal_would_obey_is_shown_as_numbers(self):
        (self.root / ".given.sha256").write_text(f"{64 * '0'}  e\033]0;title\007vil\u202e\n")
        (self.root / "shaders" / "One.comp").write_bytes(b'#include "\033[2J\nmine\xf6"\n')
        done = self.submit("L\udcf6sung.zip")
        self.assertEqual(done.stderr.splitlines(), [
            'a2: warning: shaders/One.comp includes "<U+001B>[2J<U+000A>mine<U+DCF6>", which is not handed in: move its '
            "text into shaders/One.comp",
            "a2: warning: e<U+001B>]0;title<U+0007>vil<U+202E> is not as it was handed out, and is not handed in: put it "
            "back, and the changes into your files"], done)
        self.assertEqual((done.returncode, done.stdout), (0, "L<U+DCF6>sung.zip: 3 files, 2 of 5 points written\n"))

    def test_says_what_is_wrong(self):
        (self.root / "src" / "One.cpp").unlink()
        done = self.submit()
        self.assertEqual((done.returncode, done.stderr), (3, "a2: error: src/One.cpp is no file: put it back\n"))
        (self.root / "src" / "One.cpp").symlink_to("/etc/hostname")
        self.assertEqual(self.submit().returncode, 3)
        (self.root / "src" / "One.cpp").unlink()
        (self.root / "src" / "One.cpp").write_bytes(bytes((1 << 20) + 1))
        self.refused(3, "src/One.cpp cannot be read, or is longer than 1 MiB: put it back")
        self.assertEqual(self.submit("here.tar").returncode, 2)
        self.assertFalse((self.root / "src" / "submission.zip").exists())


class CourseFile(InAFolder):
    def with_file(self, text, *words):
        (self.folder / "course.ini").write_text(text)
        return run(BUILD / "a2_here", *words, cwd=self.folder)

    def test_wrong_lines_are_named(self):
        for text, part in (("course = true\n", "course.ini: 'course' stands below no command, such as [run]"),
                           ("[runs]\ncourse = true\n", "'course' stands below no command"),
                           ("[run]\ncurse = true\n", "course.ini: a2 run has no option --curse"),
                           ("[run]\njson = ../diary.txt\n", "course.ini: --json is for the command line alone"),
                           ("[run]\nin-process = true\n", "course.ini: --in-process is for the command line alone"),
                           ("[run]\nsolutions = mine.so\n", "course.ini: --solutions is for the command line alone"),
                           ("[run]\nhelp = true\n", "course.ini: --help is for the command line alone"),
                           ("[run]\ntype = float16\n", "'float16': there are uint32, int32, float32 (course.ini asks"),
                           ("[run]\npattern = abc\n", "file:PATH (course.ini asks for it)"),
                           ("a2 = new\n", "course.ini: a2 = new is no version, such as 1.2"),
                           ("a2 = 1.\n", "a2 = 1. is no version"), ("a2 = 1..2\n", "is no version"), ("a2 = 1.2.3.4\n", "is no version"),
                           ("[run]\na2 = 1.0\n", "course.ini: a2 run has no option --a2"),
                           ("[run]\npattern = file:/etc/hosts\n", "course.ini: --pattern file:PATH is for the command line alone"),
                           ("[run]\ncourse = perhaps\n", "course.ini: --course cannot be 'perhaps'")):
            done = self.with_file(text, "run", "scan/naive", "-n", "8")
            self.assertEqual(done.returncode, 2, done)
            self.assertEqual(len(done.stderr.splitlines()), 1, done)
            self.assertIn(part, done.stderr)

    def test_another_version_is_refused_by_its_name(self):
        first, middle, last = (int(number) for number in VERSION.split("."))
        words = ("list", "--json", "-")
        for right in (f"{first}", f"{first}.{middle}", f"{first}.{middle}.{last}"):
            done = self.with_file(f"a2 = {right}\n", *words)
            self.assertEqual((done.returncode, done.stderr), (0, ""), right)
        for asked in (f"{first}.{middle}.{last + 1}", f"{first}.{middle + 1}", f"{first + 1}"):
            # This a2 need not know what a newer one does.
            done = self.with_file(f"a2 = {asked}\n[news]\nsome = 1\n", *words)
            self.assertEqual((done.returncode, done.stdout), (3, ""), asked)
            self.assertEqual(done.stderr, f"a2: error: course.ini asks for a2 {asked} or newer, and "
                                          f"{BUILD / 'a2_here'} is {VERSION}: use the a2 that this folder came with\n")
        done = self.with_file(f"a2 = {first - 1}.7\n", *words)
        self.assertEqual(done.returncode, 3, done)
        self.assertIn(f"asks for a2 {first - 1}.7, and ", done.stderr)

    def test_the_hand_outs_asks_for_this_version(self):
        text = (PROJECT / "tools/course/template/course.ini").read_text()
        self.assertIn(f"\na2 = {VERSION.rsplit('.', 1)[0]}\n", text)

    def test_what_is_typed_comes_first(self):
        text = "; a comment\n[bench]\ncourse = true\n[steps]\nsize = 77\n"
        done = self.with_file(text, "steps", "scan/naive", "--shader-dir", PROJECT / "shaders")
        self.assertIn("n = 77, ", done.stdout)
        typed = self.with_file(text, "steps", "scan/naive", "-n", "5", "--shader-dir", PROJECT / "shaders")
        self.assertIn("n = 5, ", typed.stdout)


if __name__ == "__main__":
    unittest.main()
