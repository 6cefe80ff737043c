"""Compiles and runs a submission's code confined: with bubblewrap, or if that does not work as another user with
limits.

As root, a jailed program gets a user of its own, which on this machine neither a submission of another grading nor
another task of Slurm's has, so that the processes it starts can be counted, and if necessary found again.
"""

import fcntl
import functools
import glob
import os
import selectors
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

import limits

# From a range that systemd keeps for temporary users: each grading has USERS of them.
FIRST_USER, LAST_USER, USERS = 61_184 + 1000, 65_519, 64
CLAIMS = "/run/a2-jail"  # root's: a file for each running grading, locked while it runs
MOST_OUTPUT = 256 << 10  # bytes of what a program prints; the rest is dropped
MOST_PROCESSES = 64
MOST_FILE = 64 << 20  # bytes of each file that is written
MOST_MEMORY = 6 << 30  # bytes of all processes of a submission together, if a control group counts them
MOST_DEVICE = 32 << 30  # bytes of the process that works the device: it may have three quarters of the machine's memory
SYSTEM = ("usr", "lib", "lib64", "lib32", "bin", "sbin")
SEALED = "--remount-ro"
# The environment that the process with the device keeps: variables that choose the driver, and how it works.
CHOOSE = ("VK_", "MESA_", "LP_", "LVP_", "GALLIUM_", "NVIDIA_", "CUDA_VISIBLE_DEVICES", "DRI_PRIME")


class Ended:
    def __init__(self, status, output, timed_out):
        self.status, self.output, self.timed_out = status, output, timed_out


def run(command, seconds, stdin=subprocess.DEVNULL, binary=False, most=MOST_OUTPUT, **more):
    """Runs a command to its end or until its time is over, with everything it started in its session; it ends with
    us."""
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


def threads_of(user):
    """The number of this user's threads: each counts as a process for the limit."""
    count = 0
    for process in processes_of(user):
        try:
            count += len(os.listdir(f"/proc/{process}/task"))
        except OSError:
            pass  # it has ended
    return count


def processes_of(user):
    """Ids of this user's processes."""
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
    """The first of USERS users that no other process on this machine has, while this process lives."""
    try:
        os.makedirs(CLAIMS, mode=0o700, exist_ok=True)
    except OSError:  # there is no place to record it: only one grading runs here
        return FIRST_USER
    while True:
        for first, claim in claims():
            if is_free_elsewhere(first):
                return first  # the file stays open
            os.close(claim)
        for first, _ in claims():  # anybody can take all the names; then the file alone counts
            return first
        time.sleep(1)  # fifty are running here already


def claims():
    """(first user, locked file) of those that no grading with our files has."""
    for first in range(FIRST_USER, LAST_USER + 1 - USERS, USERS):
        claim = os.open(f"{CLAIMS}/{first}", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(claim, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(claim)
            continue
        yield first, claim


names = []  # sockets, which stay open


def is_free_elsewhere(first):
    """Whether no grading in another root folder of this machine has these users, and takes their name. Such a grading
    has other files; the names of sockets without a file are the same."""
    name = socket.socket(socket.AF_UNIX)
    try:
        name.bind(f"\0a2-jail-{first}")
    except OSError:
        name.close()
        return False
    names.append(name)
    return True


def devices():
    """Device files that Vulkan drivers open, and folders of them."""
    return [path for path in ["/dev/dri", "/dev/dxg", "/dev/kfd", *sorted(glob.glob("/dev/nvidia*"))]
            if os.path.exists(path)]


def groups_of_devices():
    """Groups that own device files: the process that works a device has them."""
    files = [one for path in devices() for one in ([path] if not os.path.isdir(path) else
                                                   glob.glob(f"{path}/*"))]
    return sorted({os.stat(file).st_gid for file in files} - {0})


def driver_files():
    """Files that a Vulkan loader and its drivers read besides the system's programs."""
    named = [path for variable in ("VK_DRIVER_FILES", "VK_ICD_FILENAMES", "VK_ADD_DRIVER_FILES")
             for path in os.environ.get(variable, "").split(":") if path]
    system = ["/etc/vulkan", "/etc/glvnd", "/etc/drirc", "/etc/OpenCL", "/sys/dev/char", "/sys/devices", "/sys/bus/pci",
              "/sys/class/drm"]
    return [path for path in [*map(os.path.realpath, named), *system] if os.path.exists(path)]


def shown(read, write):
    """Words of bubblewrap that show paths. If it makes their parent folders itself, only root can enter these."""
    words = []
    for parent in sorted({str(parent) for path in [*read, *write] for parent in Path(path).parents} - {"/"}):
        words += ["--perms", "0755", "--dir", parent]
    for kind, paths in (("--ro-bind", read), ("--bind", write)):
        for path in paths:
            words += [kind, str(path), str(path)]
    return words


def memory_of_device():
    """Bytes that the process that works the device may have."""
    return min(MOST_DEVICE, os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") * 3 // 4)


class Jail:
    """The jail of one submission. read, write: paths that it sees, at their own places, besides the system's
    programs. hidden: files and folders that bubblewrap covers, if they are inside of what is seen; what is to be read
    of them is seen nevertheless."""

    def __init__(self, kind, place, hidden=()):
        self.kind = kind  # bubblewrap or user
        self.hidden = [Path(one).resolve() for one in hidden]
        self.user = first_user() + place % USERS if os.getuid() == 0 else None
        self.groups = {}  # whether it is the device's -> control group

    @staticmethod
    def works():
        """Why bubblewrap does not work here; empty if it does."""
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
        """Gives files and folders to the jailed user."""
        for path in paths:
            if self.user is not None:
                os.chown(path, self.user, self.user)

    def let_into(self, folder):
        """Lets the jailed user into a folder, and no other submission's user."""
        if self.user is not None:
            os.chown(folder, -1, self.user)
        folder.chmod(0o710)

    def group(self, device):
        """The control group of the processes in this jail, made when it is first needed."""
        if device not in self.groups:
            name = f"a2-grade-{os.getpid()}-{id(self)}{'-device' if device else ''}"
            memory = memory_of_device() if device else MOST_MEMORY
            self.groups[device] = limits.Group(name, memory, 4096 if device else MOST_PROCESSES)
        return self.groups[device]

    def words(self, read, write, memory, seconds, device=False):
        """The words before a command that put it in the jail. memory: bytes of address space, None for no limit.
        device: it works one, so it sees the device's files and drivers, and keeps the environment variables that choose
        among them."""
        words = []
        if os.getuid() == 0 and limits.counts_memory():
            words += self.group(device).words()
        if self.kind == "bubblewrap":
            words += self.bubblewrap([*read, *(driver_files() if device else [])], write, device)
        elif os.getuid() == 0 and no_network():
            words += ["unshare", "--net", "--"]
        if self.user is not None:
            groups = groups_of_devices() if device else []
            words += ["setpriv", f"--reuid={self.user}", f"--regid={self.user}", "--no-new-privs",
                      f"--groups={','.join(map(str, groups))}" if groups else "--clear-groups",
                      "--bounding-set=-all", "--inh-caps=-all", "--ambient-caps=-all", "--pdeathsig", "KILL"]
        words += limits.filter_words(device, device or os.getuid() == 0 and limits.counts_memory())
        words += ["env", "--chdir=/", "-i", "PATH=/usr/bin:/bin", "LC_ALL=C", "HOME=/nonexistent"]
        words += [f"TMPDIR={write[0]}"] if write else []
        if device:
            words += [f"{name}={value}" for name, value in sorted(os.environ.items()) if name.startswith(CHOOSE)]
        # Threads count as processes: a driver has some for each core.
        most = MOST_PROCESSES + (1024 if device else 0)
        # The user's other processes are counted as well, and more of them may start meanwhile.
        most += 0 if self.user is not None else threads_of(os.getuid()) + MOST_PROCESSES
        words += ["prlimit", f"--fsize={MOST_DEVICE if device else MOST_FILE}", f"--nproc={most}", f"--cpu={seconds}", "--core=0",
                  *([f"--as={memory}"] if memory else []), "--"]
        return words

    def bubblewrap(self, read, write, device):
        words = ["bwrap", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try",
                 "--die-with-parent", "--cap-drop", "ALL"]
        if self.user is None:
            words += ["--unshare-user"]
        else:  # to become that user, who has none of these
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
        for path in devices() if device else []:
            words += ["--dev-bind-try", path, path]
        wide = [path for path in read if self.hidden_in([path])]
        covered = self.hidden_in(["/" + name for name in SYSTEM if not os.path.islink("/" + name)] + wide)
        words += shown(wide, [])
        for path in covered:  # an empty folder, or a file that nobody can open
            words += ["--tmpfs", str(path)] if path.is_dir() else ["--ro-bind", "/dev/null", str(path)]
        words += shown([path for path in read if path not in wide], write)
        for path in ["/dev", *(path for path in covered if path.is_dir()), "/"]:
            words += [SEALED, str(path)]
        return words + ["--"]

    def hidden_in(self, folders):
        """The hidden paths that are inside of these folders, by the folders' names; none inside of another one."""
        found = [Path(folder) / one.relative_to(real) for folder in folders for real in [Path(folder).resolve()]
                 for one in self.hidden if real in one.parents and one.exists()]
        return [one for one in dict.fromkeys(found) if not any(other in one.parents for other in found)]

    def clean_up(self):
        """Ends it: nothing may run in it afterwards."""
        self.end()
        for group in self.groups.values():
            group.remove()
        self.groups = {}

    def end(self):
        """Ends what a jailed program has left running. In bubblewrap it ends by itself soon: this waits for it."""
        if self.user is None:
            return
        end = time.monotonic() + 10
        while processes_of(self.user) and time.monotonic() < end:
            # All at once, as that user: ending them one by one is slower than a fork bomb.
            subprocess.run(["setpriv", f"--reuid={self.user}", f"--regid={self.user}", "--clear-groups",
                            "kill", "-KILL", "--", "-1"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(0.1)


def no_network():
    """Whether this machine lets a process leave the network."""
    return subprocess.run(["unshare", "--net", "true"], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL).returncode == 0
