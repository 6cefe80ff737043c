#!/usr/bin/python3
"""The confinement of a submission: users, limits, jails, groups of processes; and that nothing remains of it."""

import contextlib
import errno
import io
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
import unittest
import unittest.mock

from grade_support import BUILD, JAILS, POWERLESS, PROJECT, WHOSE, Room, needs_build, whose

import build
import grader
import house
import jail
import leftovers
import limits
import submissions


class Users(Room):
    def test_no_two_at_a_time_have_one_and_the_references_is_its_own(self):
        one = grader.Grading.__new__(grader.Grading)
        seen, lock, stuck = [], threading.Lock(), threading.Event()
        with unittest.mock.patch.object(grader, "House", lambda *_: unittest.mock.MagicMock()), \
                unittest.mock.patch.object(grader, "load", lambda *_: unittest.mock.MagicMock()):
            one.__init__(unittest.mock.MagicMock(output=self.folder), self.folder)
        held = set()

        def prepare(case, path):
            with lock:
                self.assertNotIn(case.user, held)
                held.add(case.user)
                seen.append(case.user)
            if path == "stuck":
                stuck.wait(60)

        def finish(case):
            with lock:
                held.discard(case.user)
            return {"problem": case.problem}

        one.prepare, one.judge_case, one.finish = prepare, lambda case: None, finish
        one.stopped = False
        problems = []
        with unittest.mock.patch.object(grader, "tell", lambda result: problems.append(result["problem"])):
            first = threading.Thread(target=one.grade, args=(0, submissions.Submission("0", "stuck")))
            first.start()
            while not seen:
                time.sleep(0.01)
            for place in range(1, 200):
                one.grade(place, submissions.Submission(str(place), "quick"))
            stuck.set()
            first.join()
        self.assertEqual([problem for problem in problems if problem], [])
        self.assertEqual(len(seen), 200)
        self.assertEqual(set(seen), set(range(1, jail.USERS)))


@unittest.skipUnless(hasattr(os, "killpg") and os.path.isdir("/proc/self"), "Linux alone has the jail")
class Jails(Room):
    def run_in(self, kind, script, seconds=20, memory=1 << 30, write=(), device=False, read=(), hidden=()):
        one = jail.Jail(kind, 900, hidden)
        one.own(*write)
        words = one.words(list(read), list(write), memory, seconds, device)
        ended = jail.run([*words, "/bin/bash", "-c", script], seconds)
        one.clean_up()
        return ended

    def test_it_works_here_or_says_why(self):
        if not jail.shutil.which("bwrap"):
            self.assertIn("not installed", jail.Jail.works())
        for kind in JAILS:
            self.assertEqual(self.run_in(kind, "echo yes").output, "yes\n")
            self.assertEqual(self.run_in(kind, "exit 7").status, 7)

    def test_limits(self):
        for kind in JAILS:
            self.assertTrue(self.run_in(kind, "sleep 60", 1).timed_out)
            self.assertNotEqual(self.run_in(kind, "x=$(head -c 500000000 /dev/zero | tr '\\0' x); echo ${#x}",
                                            memory=100 << 20).output, "500000000\n")
            self.assertLessEqual(len(self.run_in(kind, "yes", 2).output), jail.MOST_OUTPUT)
            work = self.folder / f"work-{kind}"
            work.mkdir()
            self.run_in(kind, f"head -c 200000000 /dev/zero > {work}/file", write=[work])
            self.assertEqual((work / "file").stat().st_size, jail.MOST_FILE)
            os.environ["A2_TEST_SECRET"] = "secret"
            self.addCleanup(os.environ.pop, "A2_TEST_SECRET", None)
            self.assertEqual(self.run_in(kind, "echo $HOME $A2_TEST_SECRET").output, "/nonexistent\n")

    @unittest.skipUnless(os.getuid() == 0, "another user needs root")
    def test_no_other_grading_has_its_users(self):
        if os.getuid() != 0:
            self.skipTest("without root there is no other user")
        told = ("import sys; sys.path.insert(0, sys.argv[1]); import jail; jail.CLAIMS = sys.argv[2]; "
                "print(jail.Jail('user', 0).user, flush=True); input()")
        # The last one has files of its own, as in another root folder of this machine.
        others = [subprocess.Popen([sys.executable, "-B", "-c", told, jail.__file__.rsplit("/", 1)[0], files],
                                   text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
                  for files in (jail.CLAIMS, jail.CLAIMS, str(self.folder / "elsewhere"))]
        try:
            users = [int(one.stdout.readline()) for one in others] + [jail.Jail("user", 0).user]
        finally:
            for one in others:
                one.communicate("\n")
        for user in users:
            self.assertEqual(sum(abs(user - other) < jail.USERS for other in users), 1, users)

    @unittest.skipUnless(os.getuid() == 0, "another user needs root")
    def test_names_that_somebody_else_has_taken_stop_no_grading(self):
        told = ("import sys; sys.path.insert(0, sys.argv[1]); import jail; jail.CLAIMS = sys.argv[2]; "
                "jail.is_free_elsewhere = lambda first: False; print(jail.Jail('user', 0).user)")
        ended = subprocess.run([sys.executable, "-B", "-c", told, jail.__file__.rsplit("/", 1)[0],
                                str(self.folder / "claims")], text=True, stdout=subprocess.PIPE, timeout=60)
        self.assertEqual(int(ended.stdout), jail.FIRST_USER)

    @unittest.skipUnless(os.getuid() == 0, "another user needs root")
    def test_it_is_another_user(self):
        (self.folder / "secret").write_text("secret")
        (self.folder / "secret").chmod(0o600)
        for kind in JAILS:
            said = self.run_in(kind, f"id -u; cat {self.folder}/secret; touch {self.folder}/new").output
            self.assertEqual(said.split()[0], str(jail.Jail("user", 900).user))
            self.assertNotIn("secret\n", said)
            self.assertFalse((self.folder / "new").exists())

    def test_a_fork_bomb_stays_small_and_ends(self):
        work = self.folder / "work"
        work.mkdir()
        bomb = "bomb() { bomb | bomb & }; bomb 2>/dev/null; sleep 3"
        for kind in JAILS if os.getuid() == 0 else JAILS[1:]:
            ended = self.run_in(kind, bomb, 5)
            end = time.monotonic() + 60  # ended processes disappear a little later
            while jail.processes_of(jail.Jail("user", 900).user) and time.monotonic() < end:
                time.sleep(0.1)
            self.assertEqual(jail.processes_of(jail.Jail("user", 900).user), [], f"{kind}: {ended.output}")

    def tried(self, kind, script, **more):
        """The output of a Python script in the jail."""
        quoted = "'" + script.replace("'", "'\\''") + "'"
        return self.run_in(kind, f"/usr/bin/python3 -ISc {quoted}", **more).output

    @unittest.skipUnless(os.getuid() == 0, "without root there are no capabilities to drop")
    def test_it_has_no_capability(self):
        for kind in JAILS:
            for device in (False, True):
                said = self.run_in(kind, "grep -E '^(Cap|NoNewPrivs)' /proc/self/status", device=device).output
                self.assertEqual({line.split()[1] for line in said.splitlines()}, {"0" * 16, "1"}, said)

    @unittest.skipUnless(os.getuid() == 0, "without root it is this user")
    def test_the_compiler_of_kernels_is_another_user_who_may_do_nothing(self):
        if not (BUILD / "a2").is_file():
            self.skipTest("there is no built a2")
        at_home = house.House(BUILD)
        self.folder.chmod(0o711)
        for kind in JAILS:
            with self.subTest(kind):
                made = build.Build(at_home, jail.Jail(kind, 902), self.folder / kind, 20)
                made.jail_program()
                place = made.tmp / "a2-1"  # as a2 makes one for each run of glslang
                place.mkdir(mode=0o700)
                target = place / "kernel.spv"
                # A script in place of glslang, and its arguments.

                def compiled(script):
                    return jail.run([made.folder / "jail", "/bin/sh", "-c", script, "glslang", "-V", "-o", target], 20)

                ended = compiled(f'{{ {WHOSE}; }} >"$3"')
                self.assertEqual((ended.status, ended.output), (0, ""))
                self.assertEqual(whose(target.read_text()), (made.jail.user, POWERLESS))
                self.assertIn(made.jail.user, range(jail.FIRST_USER, jail.LAST_USER + 1))
                # The folder belongs to that user only meanwhile, and a link is no result.
                self.assertEqual(place.stat().st_uid, 0)
                target.unlink()
                self.assertEqual(compiled('ln -s /etc/shadow "$3"').status, 0)
                self.assertFalse(os.path.lexists(target))
                made.jail.clean_up()

    @unittest.skipUnless(os.getuid() == 0, "without root it is this user")
    def test_no_submission_reads_anothers_files_nor_the_references(self):
        if not (BUILD / "a2").is_file():
            self.skipTest("there is no built a2")
        at_home = house.House(BUILD)
        for kind in JAILS:
            own, other = (build.Build(at_home, jail.Jail(kind, 902 + i), self.folder / f"{kind}-{i}", 20)
                          for i in (0, 1))
            for one in (own, other):
                (one.folder / "src/X.cpp").write_text("secret\n", encoding="ascii")
            for one, read in ((own, "secret\n"), (other, "")):
                said = own.jailed(["/bin/sh", "-c", f"cd {own.folder}/src; cat ../../{one.folder.name}/src/X.cpp 2>&-"],
                                  [own.folder / "src"]).output
                self.assertEqual(said, read, kind)
            for one in (own, other):
                one.jail.clean_up()

    @unittest.skipUnless(limits.seccomp, "python3-seccomp is not installed")
    def test_system_calls_are_limited(self):
        script = """
import ctypes, os, socket
libc = ctypes.CDLL(None, use_errno=True)
done = []
def attempt(name, call):
    ctypes.set_errno(0)
    try:
        if call() != -1:
            done.append(name)
    except OSError:
        pass
for family in range(0, 46):
    for kind in (1, 2, 3, 5):
        attempt(f"socket {family}", lambda: socket.socket(family, kind) and 0)
for name, number in (("ptrace", 101), ("keyctl", 250), ("add_key", 248), ("bpf", 321), ("perf_event_open", 298),
                     ("userfaultfd", 323), ("process_vm_readv", 310), ("process_vm_writev", 311), ("mount", 165),
                     ("unshare", 272), ("setns", 308), ("io_uring_setup", 425), ("memfd_secret", 447),
                     ("kexec_load", 246), ("pidfd_open", 434), ("shmget", 29), ("mq_open", 240), ("fsopen", 430),
                     ("open_by_handle_at", 304), ("clone3", 435)):
    attempt(name, lambda: libc.syscall(number, 0, os.getpid(), 0, 0, 0, 0) if ctypes.get_errno() != 1 else -1)
for flag in (0x80, 0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000):
    def clone(flag=flag):
        child = libc.syscall(56, flag | 17, 0, 0, 0, 0)
        if child == 0:
            os._exit(0)
        return child
    attempt(f"clone {flag:x}", clone)
print(" ".join(sorted(set(done))))
"""
        for kind in JAILS:
            self.assertEqual(self.tried(kind, script).strip(), "", kind)
            self.assertEqual(self.tried(kind, script, device=True).strip(), "socket 1", kind)

    @unittest.skipUnless(limits.counts_memory(), "no control group can be made here")
    def test_memory_of_all_processes_together_is_limited(self):
        memfd = """
import os
held = []
for i in range(40):
    held.append(os.memfd_create("x"))
    os.write(held[-1], bytes(16 << 20))
print("all of it")
"""
        forks = """
import os
for i in range(20):
    if os.fork() == 0:
        held = bytearray(os.urandom(1 << 20)) * 32
        os.read(0, 1)
        import time; time.sleep(3)
        os._exit(0)
status = {os.wait()[1] for i in range(20)}
print("all of it" if status == {0} else status)
"""
        with unittest.mock.patch.object(jail, "MOST_MEMORY", 200 << 20):
            for kind in JAILS:
                for script in (memfd, forks):
                    self.assertNotIn("all of it", self.tried(kind, script), kind)

    def test_what_a_machine_cannot_limit_is_said(self):
        with unittest.mock.patch.object(limits, "seccomp", None), \
                unittest.mock.patch.object(limits, "counts_memory", lambda: False):
            said = io.StringIO()
            with contextlib.redirect_stderr(said):
                grader.tell_unlimited("user")
            for words in ("no control group", "python3-seccomp"):
                self.assertIn(words, said.getvalue())
            for kind in JAILS:
                self.assertEqual(self.run_in(kind, "echo yes").output, "yes\n")
        with unittest.mock.patch.object(limits, "counts_memory", lambda: False):
            for kind in JAILS if limits.seccomp else []:
                self.assertIn("not permitted", self.tried(kind, "import os; os.memfd_create('x')"))

    def test_bubblewrap_hides_the_rest(self):
        if "bubblewrap" not in JAILS:
            self.skipTest(jail.Jail.works())
        (self.folder / "readable").write_text("secret")
        server = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(server.close)
        for script in (f"cat {self.folder}/readable", "cat /etc/passwd", "cat /etc/shadow", f"ls {PROJECT}", "ls /home", "touch /x",
                       "touch /tmp/x", "mkdir /tmp", "touch /dev/x", "touch /dev/shm/x", "touch /usr/x",
                       f"exec 3<>/dev/tcp/127.0.0.1/{server.getsockname()[1]}"):
            for device in (True, False):
                ended = self.run_in("bubblewrap", script, device=device)
                self.assertNotEqual(ended.status, 0, f"{script}: {ended.output}")
                self.assertNotIn("secret", ended.output)

    @unittest.skipUnless("bubblewrap" in JAILS, "bubblewrap does not work here")
    def test_bubblewrap_covers_what_is_hidden_and_shows_what_is_needed_of_it(self):
        seen = self.write("seen", {"project/solution": "secret", "project/include/header": "header",
                                   "project/build/a2": "secret", "program": "secret", "other": "other"})
        (self.folder / "name").symlink_to(seen)
        hidden = [seen / "project", seen / "project/build", seen / "program", seen / "there-is-none"]
        for device in (False, True):
            for place in (seen, self.folder / "name"):
                said = self.run_in("bubblewrap", f"cd {place} && cat other project/include/* && ls project; "
                                   "touch project/new; cat project/solution project/build/a2 program", device=device,
                                   read=[place, place / "project/include"], hidden=hidden).output
                self.assertTrue(said.startswith("otherheaderinclude\n"), said)
                self.assertNotIn("secret", said)
                self.assertIn("Read-only file system", said)

    @unittest.skipUnless(os.path.isdir("/usr/share/doc"), "it stands for a folder of an installed a2")
    def test_bubblewrap_covers_what_is_hidden_among_the_systems_programs(self):
        covers = {"/usr/share/doc": ["--tmpfs", "/usr/share/doc"],
                  "/usr/bin/tac": ["--ro-bind", "/dev/null", "/usr/bin/tac"]}
        words = jail.Jail("bubblewrap", 900, covers).bubblewrap(["/usr/share/doc/needed"], [], False)

        def place_of(wanted):
            return next(i for i in range(len(words)) if words[i:i + len(wanted)] == wanted)

        for cover in covers.values():
            self.assertLess(place_of(["--ro-bind", "/usr", "/usr"]), place_of(cover))
            self.assertLess(place_of(cover), place_of(["--ro-bind", "/usr/share/doc/needed"]))
        self.assertLess(place_of(["--ro-bind", "/usr/share/doc/needed"]), place_of([jail.SEALED, "/usr/share/doc"]))
        if "bubblewrap" in JAILS:
            said = self.run_in("bubblewrap", "ls /usr/share/doc | wc -l; cat /usr/bin/tac | wc -c",
                               hidden=covers).output
            self.assertEqual([line for line in said.splitlines() if line.isdigit()], ["0", "0"])


@needs_build
class Groups(Room):
    """Control groups, with ordinary folders in place of the kernel's."""

    def test_none_stays(self):
        kept = self.folder / "a2-grade-1-x"
        made = {name: self.folder / name for name in (f"a2-grade-{2 ** 22 + 5}-old", f"a2-grade-{2 ** 22 + 5}-new",
                                                     f"a2-grade-{os.getpid()}-own", "a2-grade-other")}
        for path in (*made.values(), kept):
            path.mkdir()
            if not path.name.endswith("-new"):
                os.utime(path, (1, 1))
        with unittest.mock.patch.object(limits, "places", lambda: [(self.folder, {})]):
            limits.remove_left_groups()
        left = {path.name for path in self.folder.iterdir()}
        self.assertEqual(left, {"a2-grade-1-x", *made} - {f"a2-grade-{2 ** 22 + 5}-old"})

    @unittest.skipUnless(limits.counts_memory(), "no control group can be made here")
    def test_an_interrupted_grading_leaves_none(self):
        script = """
import os, subprocess, sys
sys.path.insert(0, sys.argv[1])
import limits
group = limits.Group(f"a2-grade-{os.getpid()}-test", 1 << 30, 64)
subprocess.Popen([*group.words(), "sleep", "100"])
while not any((one / "cgroup.procs").read_text() for one in group.folders):
    pass
print(*group.folders, flush=True)
limits.end_groups()
os._exit(0)
"""
        ended = subprocess.run([sys.executable, "-B", "-c", script, str(PROJECT / "tools/course")], capture_output=True,
                               text=True, timeout=60)
        self.assertTrue(ended.stdout.split(), ended.stderr)
        self.assertEqual([path for path in ended.stdout.split() if os.path.exists(path)], [])


@needs_build
class Leftovers(Room):
    def test_programs_that_are_ending_take_away_their_own(self):
        left = self.write("left", {"a2-1/file": ""})
        real, calls = shutil.rmtree, []

        def beaten(folder):
            calls.append(folder)
            if len(calls) == 1:  # another process removes an entry between check and removal
                raise FileNotFoundError(errno.ENOENT, "No such file or directory", "a2-1")
            real(folder)

        with unittest.mock.patch.object(leftovers.shutil, "rmtree", beaten):
            leftovers.remove(left)
        self.assertEqual((left.exists(), len(calls)), (False, 2))


if __name__ == "__main__":
    unittest.main()
