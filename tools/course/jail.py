"""Where code of a submission is compiled and run: bubblewrap, and where that does not work another user and limits.

As root, a jailed program is of a user that nobody else is, on this machine neither a submission of another grading nor of
another task of Slurm's, so that what it starts can be counted, and in the worst case found again.
"""

import fcntl
import functools
import os
import selectors
import shutil
import signal
import subprocess
import time
from pathlib import Path

# Of a range that systemd keeps for users that come and go: each grading has USERS of them.
FIRST_USER, LAST_USER, USERS = 61_184 + 1000, 65_519, 64
CLAIMS = "/run/a2-jail"  # root's: a file for each grading that runs, locked as long as it does
MOST_OUTPUT = 256 << 10  # bytes of what a program prints; the rest is dropped
MOST_PROCESSES = 64
MOST_FILE = 64 << 20  # bytes of each file that is written
SYSTEM = ("usr", "lib", "lib64", "lib32", "bin", "sbin")
SEALED = "--remount-ro"


class Ended:
    def __init__(self, status, output, timed_out):
        self.status, self.output, self.timed_out = status, output, timed_out


def run(command, seconds, stdin=subprocess.DEVNULL, binary=False, most=MOST_OUTPUT, **more):
    """Runs a command to its end or to that of its time, with all that it started in its session; it ends with us."""
    process = subprocess.Popen(["setpriv", "--pdeathsig", "KILL", *map(str, command)], stdin=stdin,
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL if binary else subprocess.STDOUT,
                               start_new_session=True, **more)
    end, kept, timed_out = time.monotonic() + seconds, bytearray(), False
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while True:
            left = end - time.monotonic()
            if left <= 0:
                timed_out = True
                break
            if not selector.select(min(left, 0.5)):
                if process.poll() is not None:  # another process holds the pipe
                    break
                continue
            data = os.read(process.stdout.fileno(), 1 << 16)
            if not data:
                break
            kept += data[:most - len(kept)]
    if not timed_out:
        try:
            process.wait(max(0.1, end - time.monotonic()))
        except subprocess.TimeoutExpired:
            timed_out = True
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass
    process.wait()
    process.stdout.close()
    return Ended(process.returncode, bytes(kept) if binary else kept.decode("utf-8", "replace"), timed_out)


def processes_of(user):
    """Ids of what this user runs."""
    found = []
    for name in os.listdir("/proc"):
        try:
            if name.isdigit() and os.stat(f"/proc/{name}").st_uid == user:
                found.append(int(name))
        except OSError:
            pass  # it has ended
    return found


@functools.cache
def first_user():
    """The first of USERS users that no other process on this machine has, for as long as this one lives."""
    try:
        os.makedirs(CLAIMS, mode=0o700, exist_ok=True)
    except OSError:  # there is nowhere to say so: whoever grades here is alone
        return FIRST_USER
    while True:
        for first in range(FIRST_USER, LAST_USER + 1 - USERS, USERS):
            claim = os.open(f"{CLAIMS}/{first}", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(claim, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return first  # and the file stays open
            except BlockingIOError:
                os.close(claim)
        time.sleep(1)  # fifty run here already


class Jail:
    """One submission's. read, write: paths that it sees, at their own places, beside the system's programs."""

    def __init__(self, kind, place):
        self.kind = kind  # bubblewrap or user
        self.user = first_user() + place % USERS if os.getuid() == 0 else None

    @staticmethod
    def works():
        """Why bubblewrap does not work here; empty where it does."""
        if not shutil.which("bwrap"):
            return "bubblewrap is not installed"
        try:
            ended = run(Jail("bubblewrap", 0).words([], [], 1 << 30, 10) + ["/usr/bin/true"], 20)
        except OSError as error:
            return str(error)
        if ended.status == 0:
            return ""
        return "bubblewrap does not work here: " + (ended.output.strip().splitlines() or ["it gives no reason"])[-1]

    def own(self, *paths):
        """Makes files and folders the jailed user's."""
        for path in paths:
            if self.user is not None:
                os.chown(path, self.user, self.user)

    def words(self, read, write, memory, seconds, as_user=True):
        """What stands before a command to have it jailed. as_user: without, it stays this user, for programs that are
        not the submission's and write where this user does."""
        drop = self.user is not None and as_user
        words = []
        if self.kind == "bubblewrap":
            words += self.bubblewrap(read, write, drop)
        elif os.getuid() == 0 and no_network():
            words += ["unshare", "--net", "--"]
        if drop:
            words += ["setpriv", f"--reuid={self.user}", f"--regid={self.user}", "--clear-groups", "--no-new-privs"]
            words += ["--bounding-set=-all", "--inh-caps=-all"]
        processes = MOST_PROCESSES + (0 if self.user is not None else len(processes_of(os.getuid())))
        words += ["env", "--chdir=/", "-i", "PATH=/usr/bin:/bin", "LC_ALL=C", "HOME=/nonexistent"]
        words += [f"TMPDIR={write[0]}"] if write else []
        words += ["prlimit", f"--as={memory}", f"--fsize={MOST_FILE}", f"--nproc={processes}", f"--cpu={seconds}",
                  "--core=0", "--"]
        return words

    def bubblewrap(self, read, write, drop):
        words = ["bwrap", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--die-with-parent"]
        if self.user is None:
            words += ["--unshare-user"]
        elif drop:
            for capability in ("SETUID", "SETGID", "SETPCAP"):
                words += ["--cap-add", "CAP_" + capability]
        for name in SYSTEM:
            if os.path.islink("/" + name):
                words += ["--symlink", os.readlink("/" + name), "/" + name]
            elif os.path.isdir("/" + name):
                words += ["--ro-bind", "/" + name, "/" + name]
        words += ["--ro-bind-try", "/etc/alternatives", "/etc/alternatives"]
        words += ["--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache"]
        words += ["--proc", "/proc", "--dev", "/dev"]
        # What it makes on its own way to a path, nobody but root could enter.
        for parent in sorted({str(parent) for path in [*read, *write] for parent in Path(path).parents} - {"/"}):
            words += ["--perms", "0755", "--dir", parent]
        for path in read:
            words += ["--ro-bind", str(path), str(path)]
        for path in write:
            words += ["--bind", str(path), str(path)]
        return words + [SEALED, "/dev", SEALED, "/", "--"]

    def clean_up(self):
        """Ends what a jailed program has left behind. In bubblewrap that ends by itself, soon: this waits for it."""
        if self.user is None:
            return
        end = time.monotonic() + 10
        while processes_of(self.user) and time.monotonic() < end:
            # All at once, as that user: who looks for them one by one is slower than a fork bomb.
            subprocess.run(["setpriv", f"--reuid={self.user}", f"--regid={self.user}", "--clear-groups",
                            "kill", "-KILL", "--", "-1"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(0.1)


def no_network():
    """Whether this machine lets a process leave the network."""
    return subprocess.run(["unshare", "--net", "true"], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL).returncode == 0
