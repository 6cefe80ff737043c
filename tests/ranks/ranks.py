"""a2 started by mpirun: a shared array is judged as strictly as another one, and whatever happens to one rank, all of
them end, with one message."""

import atexit
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

A2 = sys.argv.pop(1)
PROJECT = Path(sys.argv.pop(1))
MPIRUN = shutil.which("mpirun")
# Two mpirun of one user that start at the same time can use the same session folder of Open MPI 4.
FOLDER = tempfile.mkdtemp(prefix="a2-ranks-")
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)
ENVIRONMENT = {**os.environ, "TMPDIR": FOLDER, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1", "A2_DEVICE": "cpu",
               "UCX_LOG_LEVEL": "fatal",  # it prints to stdout what a container lacks
               # From Open MPI 5 on.
               "PRTE_ALLOW_RUN_AS_ROOT": "1", "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe"}
SUM, SCANS = "reduce/subgroup", ["scan/lookback", "scan/work-efficient", "scan/naive"]


def start(ranks, *words, **more):
    return subprocess.Popen([MPIRUN, "-n", str(ranks), A2, *map(str, words)], text=True, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, env=ENVIRONMENT, start_new_session=True, **more)


def finish(process, seconds=900):
    try:
        out, err = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        raise
    return process.returncode, out, err


def run(ranks, *words):
    return finish(start(ranks, *words))


def change_kernel(folder, name, old, new):
    """A copy of the project's kernel there, with one change."""
    text = (PROJECT / "shaders" / name).read_text()
    changed = text.replace(old, new, 1)
    assert text != changed, f"{name} has no {old}"
    (Path(folder) / name).write_text(changed)


def device_processes(of):
    """The device processes of a job, by the variable that mpirun gives each of its ranks."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
            if b"--work-the-device-for-a2" in words and of.encode() in words:
                found.append(int(folder.name))
        except (OSError, ValueError):
            continue
    return found


class Results(unittest.TestCase):
    def report(self, ranks, *words):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "report.json"
            status, out, err = run(ranks, *words, "--json", path)
            self.assertEqual(status, 0, out + err)
            self.assertEqual(out.count("TEST PASSED"), out.count("evaluating"))
            return json.loads(path.read_text()), out, path.read_text()

    def test_lengths_shared_by_one_two_three_and_five(self):
        # Fewer elements than ranks, as many, and more; one rank, and with a part that is longer than the others.
        for ranks, lengths in ((1, (0, 1023)), (2, (0, 1, 2, 1023, 1000003)), (3, (2, 1023)), (5, (1, 4, 1000003))):
            for n in lengths:
                more = ["--exclusive"] if n % 2 else []
                tasks = [SUM, "scan/lookback", "scan/persistent", "scan/work-efficient"]
                report, out, _ = self.report(ranks, "run", *tasks, "-n", n, "-r", 1, *more)
                self.assertEqual([one["status"] for one in report["tests"]], ["passed"] * len(tasks), out)
                for one in report["benchmarks"]:
                    self.assertEqual(one["n"], n)
                    self.assertEqual("ranks" in one, n > 0 and ranks > 1)
                    if "ranks" in one:
                        self.assertEqual(one["ranks"], ranks)
                        self.assertEqual(sum(part["n"] for part in one["parts"]), n)
                        self.assertEqual([part["rank"] for part in one["parts"]], list(range(ranks)))

    def test_the_assignments_lines_and_a_line_for_each_rank(self):
        status, out, err = run(2, "run", SUM, "-n", 5000, "-r", 2, "--verbose")
        self.assertEqual(status, 0, err)
        self.assertRegex(out, r"\[Task1\] evaluating Subgroup\nExecution time: [^ ]+ ms, Throughput: [^ ]+ GE/s\n")
        self.assertRegex(out, r"\n +rank device .*\n +0 .* 2500 .*\n +1 .* 2500 ")
        self.assertIn("2 ranks share the one device", err)
        self.assertEqual(err.count("device 0:"), 1)

    def test_no_colours_in_a_pipe(self):
        # mpirun gives its ranks a terminal of its own and forwards their output.
        for ranks in (1, 2):
            status, out, err = run(ranks, "run", SUM, "-n", 5000, "-r", 1)
            self.assertEqual(status, 0, err)
            self.assertIn("TEST PASSED", out)
            self.assertNotIn("\033", out + err)

    def test_strong_and_weak_scaling(self):
        for way, lengths in (("strong", [6000, 6000, 6000]), ("weak", [6000, 12000, 18000])):
            report, out, text = self.report(3, "bench", SUM, "scan/lookback", "-n", 6000, "-r", 2, "--scaling", way)
            for task in (SUM, "scan/lookback"):
                mine = [one for one in report["benchmarks"] if one["name"].startswith(task)]
                self.assertEqual([one["ranks"] for one in mine], [1, 2, 3])
                self.assertEqual([one["n"] for one in mine], lengths)
                self.assertEqual(mine[0]["speed_up"], 1)
                for one in mine:
                    times = one["items_per_second"] / mine[0]["items_per_second"]
                    self.assertAlmostEqual(one["speed_up"], times, places=6)
                    self.assertAlmostEqual(one["efficiency"], times / one["ranks"], places=6)
                    self.assertTrue(one["name"].endswith(f"/ranks:{one['ranks']}"))
            self.assertIn("speed-up", out)
            self.assertLessEqual(max(map(len, out.splitlines())), 80)

    def test_the_report_is_as_its_schema_has_it(self):
        _, _, text = self.report(2, "run", SUM, "-n", 5000, "-r", 2)
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write(text)
            file.flush()
            done = subprocess.run([sys.executable, "-B", PROJECT / "tests/contract/reports.py", "validate",
                                   PROJECT / "src/report/schema-2.json", file.name], text=True, capture_output=True)
        if "No module named" in done.stderr:
            self.skipTest("no jsonschema")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_a_tile_that_is_wrong_on_one_rank_fails_and_names_it(self):
        # A kernel can distinguish ranks only by their lengths: the longer part is the last one's.
        with tempfile.TemporaryDirectory() as folder:
            change_kernel(folder, "A2Task1KernelDecompositionAtomic.comp", "void main()\n{",
                          "void main()\n{\n    if (push.count == 501u) return;")
            status, out, err = run(2, "run", "reduce/atomic", "-n", 1001, "--shader-dir", folder, "--no-course")
        self.assertEqual(status, 1, out + err)
        self.assertIn("TEST FAILED", out)
        self.assertIn("rank 1: ", out)

    def test_a_scan_that_cannot_go_on_from_what_lies_before_fails_where_every_part_is_right(self):
        # Wrong where the first element is more than one of mod97, in the part of rank 1.
        with tempfile.TemporaryDirectory() as folder:
            change_kernel(folder, "A2Task2DecoupledLookback.comp", "void storeRows(uint begin, bool full, Element prefix)\n{",
                          "void storeRows(uint begin, bool full, Element prefix)\n{\n"
                          "    if (push.count == 50001u && source[0] > 96u) prefix += 1u;")
            for more in ([], ["--exclusive"]):
                status, out, err = run(2, "run", "scan/lookback", "-n", 100001, "-p", "mod97", "--no-course",
                                       "--shader-dir", folder, *more)
                self.assertEqual(status, 1, out + err)
                words = " ".join(out.split())
                self.assertIn("rank 1: each part's own result is right; wrong is what they become together", words)
                self.assertNotIn("rank 0: ", words)
                self.assertIn(f"at index {50001 if more else 50000} of 100001: ", words)
                self.assertEqual(out.count("TEST FAILED"), 1)

    def test_times_have_the_first_step_of_a_scan_alone(self):
        report, _, _ = self.report(3, "run", SUM, *SCANS, "-n", 100000, "-r", 3)
        for one in report["benchmarks"]:
            sums = [part["sum_ms"] for part in one["parts"]]
            # The last part's sum is not needed by other ranks; the result of a sum shows it.
            expected = [False] * 3 if one["name"].startswith("reduce") else [True, True, False]
            self.assertEqual([ms > 0 for ms in sums], expected, one["name"])
            self.assertEqual([part["offset_ms"] for part in one["parts"]], [0, 0, 0])

    def test_floats_stay_exact_where_the_whole_array_has_all_24_bits(self):
        status, out, err = run(3, "bench", "--type", "float32", "-p", "ones", "-n", "2^24", "-r", 3, "scan/lookback",
                               "scan/work-efficient")
        self.assertEqual((status, out.count("FAILED")), (0, 0), out + err)


class Prescan(unittest.TestCase):
    def report(self, ranks, *words):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "report.json"
            status, out, err = run(ranks, "prescan", "-r", 2, *words, "--json", path)
            return status, out, err, json.loads(path.read_text())["prescan"] if path.exists() else None

    def test_every_length_of_both_types(self):
        for ranks, types in ((1, ["float"]), (2, ["float", "uint32"]), (3, ["uint32", "float"]), (5, ["float"])):
            for n in (0, 1, 2, 4, 1023, 1000003):
                for kind in types:
                    way = "--exclusive" if (n + ranks) % 2 else "--inclusive"
                    status, out, err, found = self.report(ranks, "-n", n, "--type", kind, way)
                    self.assertEqual(status, 0, out + err)
                    self.assertEqual((found["n"], found["status"], found["mismatches"]), (n, "passed", 0))
                    self.assertEqual("ranks" in found, n > 0 and ranks > 1)
                    if "ranks" in found:
                        self.assertEqual(sum(part["n"] for part in found["parts"]), n)
                        self.assertEqual([part["rank"] for part in found["parts"]], list(range(ranks)))
                        self.assertGreater(found["kernel_ms"], found["exchange_ms"])
                        self.assertEqual(out.count("TEST PASSED"), 1)
                        self.assertEqual(err.count("device 0:"), 1)

    def test_sums_that_round_are_held_to_what_rounding_may_lose(self):
        status, out, err, found = self.report(3, "-n", 1000003, "--max-rand", 2**24)
        self.assertEqual(status, 0, out + err)
        self.assertGreater(found["largest_error"], 0)
        self.assertLess(found["largest_error"], found["allowed_error"])
        self.assertLessEqual(max(map(len, out.splitlines())), 80)

    def wrong(self, *words):
        """With an Offset kernel that adds the sum before a part wrongly, and is right inside the part."""
        with tempfile.TemporaryDirectory() as folder:
            change_kernel(folder, "A2Task2KernelDecompositionOffset.comp", "const Element offset = offsets[number];",
                          "float offset = offsets[number]; if (gl_WorkGroupSize.x == 256) offset += 1.0;")
            return self.report(2, "-n", 20000, "--shader-dir", folder, *words)

    def test_a_wrong_last_step_fails_where_every_part_is_right(self):
        status, out, err, found = self.wrong()
        self.assertEqual(status, 1, out + err)
        self.assertIn("rank 1: each part's own result is right", " ".join(out.split()))
        self.assertNotIn("rank 0", out)
        self.assertEqual((found["status"], found["mismatches"], found["first_wrong"]["index"]), ("failed", 10000, 10000))
        self.assertEqual(out.count("TEST FAILED"), 1)

    def test_what_is_wrong_in_a_part_is_named(self):
        status, out, err, found = self.wrong("-w", 256)
        self.assertEqual(status, 1, out + err)
        self.assertIn("rank 0: that is in a part of the array, elements 0 to 9999", " ".join(out.split()))
        self.assertEqual(found["status"], "failed")

    def test_files_are_for_one_device(self):
        status, _, err, _ = self.report(2, "numbers")
        self.assertEqual(status, 2)
        self.assertEqual(err.count("a2: error: a prescan of files is for one device"), 1, err)


class Ends(unittest.TestCase):
    def expect_gone(self, marker):
        for _ in range(600):
            if not device_processes(marker):
                return
            time.sleep(0.1)
        self.fail("a device's process is left")

    def test_a_device_process_that_dies_ends_all_with_one_message_that_names_its_rank(self):
        for number, words in enumerate((["check", SUM, "scan/lookback"], ["prescan", "-n", "2^20", "-r", "100000"])):
            with self.subTest(words):
                self.expect_one_message(str(2**20 + os.getpid() % 1000 + 1000 * number), words)

    def expect_one_message(self, marker, words):
        job = start(3, *words, "--seed", marker)
        for _ in range(3000):
            if len(device_processes(marker)) == 3:
                break
            time.sleep(0.1)
        time.sleep(2)
        os.kill(device_processes(marker)[-1], signal.SIGKILL)
        status, out, err = finish(job, 600)
        self.assertEqual(status, 4, out + err)
        ours = [line for line in err.splitlines() if line.startswith("a2: error")]
        self.assertEqual(len(ours), 1, err)
        self.assertRegex(ours[0], r"rank [012]: another process, or the system for want of memory, ended "
                                  "a2's device process with signal 9")
        self.expect_gone(marker)

    def test_a_rank_that_disappears_ends_all(self):
        marker = str(2**21 + os.getpid() % 1000)
        job = start(3, "check", SUM, "--seed", marker)
        for _ in range(3000):
            if len(device_processes(marker)) == 3:
                break
            time.sleep(0.1)
        victim = device_processes(marker)[0]
        parent = int(re.search(r"PPid:\s+(\d+)", Path(f"/proc/{victim}/status").read_text())[1])
        os.kill(parent, signal.SIGKILL)
        status, out, err = finish(job, 600)
        self.assertNotEqual(status, 0)
        self.assertRegex(err, r"(?i)rank|process")
        self.expect_gone(marker)

    def test_what_is_for_one_device_is_refused_once(self):
        for words, wanted in ((["steps", "scan/naive"], "a2 steps is for one device"),
                              (["run", "scan/offset"], "scan/offset works on tiles of its own"),
                              (["run", SUM, "--in-process"], "--in-process is for one device"),
                              (["bench", SUM, "--sweep", "size"], "--sweep is for one device"),
                              (["run", "--nonsense"], "--nonsense"),
                              (["run", SUM, "-d", "no such device"], "no device matches")):
            status, out, err = run(2, *words)
            self.assertEqual(status, 2, err)
            ours = [line for line in err.splitlines() if line.startswith("a2: error: ")]
            self.assertEqual(len(ours), 1, err)
            self.assertIn(wanted, ours[0])
            self.assertNotIn("rank 0: ", ours[0])

    def test_a_file_that_cannot_be_written_ends_all(self):
        status, out, err = run(2, "run", SUM, "-n", 1000, "--json", "/nowhere/report.json")
        self.assertEqual(status, 2, err)
        self.assertEqual(err.count("a2: error: "), 1)

    def test_scaling_without_ranks_says_how(self):
        done = subprocess.run([A2, "bench", "--scaling", "weak"], text=True, capture_output=True, env=ENVIRONMENT)
        self.assertEqual(done.returncode, 2)
        self.assertIn("mpirun", done.stderr)

    def test_a_shell_that_srun_has_started_is_no_rank(self):
        alone = ENVIRONMENT | {"PMI_RANK": "0", "PMI_SIZE": "1", "PMIX_RANK": "0", "SLURM_NTASKS": "4",
                               "SLURM_STEP_NUM_TASKS": "1"}
        done = subprocess.run([A2, "list"], text=True, capture_output=True, env=alone)
        self.assertEqual((done.returncode, done.stderr), (0, ""))


class Module(unittest.TestCase):
    """MPI takes signals and time in every program that it is part of, so a2 loads it only under a launcher."""

    def launched(self, module):
        """a2 in a folder with this file in place of its module, started like by a launcher."""
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            for name in (A2, *Path(A2).parent.glob("*a2_worker*"), *Path(A2).parent.glob("*a2_solutions*")):
                shutil.copy(name, folder)
            if module is not None:
                (folder / "a2_ranks.so").write_bytes(module)
            done = subprocess.run([folder / "a2", "list"], text=True, capture_output=True,
                                  env=ENVIRONMENT | {"OMPI_COMM_WORLD_SIZE": "2"})
            self.assertEqual((done.returncode, done.stdout, len(done.stderr.splitlines())), (3, "", 1), done)
            return done.stderr

    def test_a2_itself_has_no_mpi(self):
        needed = subprocess.run(["ldd", A2], text=True, capture_output=True, check=True).stdout
        self.assertNotRegex(needed, "(?i)mpi|open-(rte|pal)")

    def test_without_its_module(self):
        self.assertIn("a2 was built without MPI: install libopenmpi-dev", self.launched(None))

    def test_with_a_module_that_cannot_be_opened(self):
        self.assertIn("a2_ranks.so cannot be opened: ", self.launched(b"no library"))


class Matrix(unittest.TestCase):
    def test_the_matrix_passes_at_uneven_lengths(self):
        for ranks in (2, 3):
            status, out, err = run(ranks, "check", SUM, "scan/lookback", "scan/work-efficient", "--up-to", 17)
            self.assertEqual(status, 0, out + err)
            self.assertEqual(out.count("TEST PASSED"), 3)


if __name__ == "__main__":
    if not MPIRUN:
        print("there is no mpirun")
        sys.exit(77)
    unittest.main(verbosity=2)
