"""Limits that a jail sets in addition to those of each process: system calls, and the memory and number of all
processes of a submission together.

libseccomp (python3-seccomp) makes a list of refused system calls, and a short program sets it in the jail, after
everything that needs rights, and before the submission's code runs. A control group of version 2 or 1 counts memory,
including memfd and tmpfs.
"""

import atexit
import base64
import contextlib
import ctypes
import errno
import functools
import os
import signal
import tempfile
import time
from pathlib import Path

try:
    import seccomp
except ImportError:  # reported before grading
    seccomp = None

# System calls that neither a compiler, the recorder nor a driver needs: for other processes, name spaces, mounts, keys,
# the kernel's programs and counters, memory that no limit counts.
REFUSED = (
    "acct", "add_key", "adjtimex", "bpf", "chroot", "clock_adjtime", "clock_settime", "create_module", "delete_module",
    "fanotify_init", "finit_module", "fsconfig", "fsmount", "fsopen", "fspick", "get_kernel_syms", "init_module",
    "io_uring_enter", "io_uring_register", "io_uring_setup", "ioperm", "iopl", "kcmp", "kexec_file_load", "kexec_load",
    "keyctl", "lookup_dcookie", "memfd_secret", "migrate_pages", "mount", "mount_setattr", "move_mount", "move_pages",
    "mq_open", "msgget", "name_to_handle_at", "nfsservctl", "open_by_handle_at", "open_tree", "perf_event_open",
    "pidfd_getfd", "pidfd_open", "pidfd_send_signal", "pivot_root", "process_madvise", "process_mrelease",
    "process_vm_readv", "process_vm_writev", "ptrace", "query_module", "quotactl", "quotactl_fd", "reboot",
    "request_key", "semget", "setdomainname", "sethostname", "setns", "settimeofday", "shmget", "swapoff", "swapon",
    "syslog", "umount", "umount2", "unshare", "uselib", "userfaultfd", "vhangup")
NEW_SPACES = 0x7E02_0080  # CLONE_NEW* of a system call's flags
TERMINAL = (0x5412, 0x541C)  # ioctl TIOCSTI, TIOCLINUX: they type into a terminal
AF_UNIX = 1

SET_FILTER = """
import base64, ctypes, os, sys
code = base64.b64decode(sys.argv[1])
class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_char_p)]
libc = ctypes.CDLL(None, use_errno=True)
if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, ctypes.byref(Program(len(code) // 8, code)), 0, 0):
    sys.exit("the system calls cannot be limited: " + os.strerror(ctypes.get_errno()))
os.execvp(sys.argv[2], sys.argv[2:])
"""
PYTHON = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else "python3"

GROUP_WAIT = 5  # seconds for the last process of a group to be gone
SECONDS_LEFT = 86_400  # processes of other containers are not seen here, and their gradings end before that
# $0 is the group's folder, or several, separated by ':'.
JOIN = 'IFS=:; for one in $0; do echo 0 >"$one/cgroup.procs" || exit 125; done; unset IFS; exec "$@"'


@functools.cache
def filter_of(device, memfd):
    """The list in the kernel's form, in base64. device: for the process that works one. memfd: whether memfd is
    allowed."""
    with_errno = seccomp.ERRNO(errno.EPERM)
    # Calls through the same processor's other interfaces, 32-bit and x32, end the process.
    made = seccomp.SyscallFilter(seccomp.ALLOW)
    made.set_attr(seccomp.Attr.ACT_BADARCH, seccomp.KILL_PROCESS)
    for name in (*REFUSED, *(() if memfd else ("memfd_create",)), *(() if device else ("connect", "bind", "listen"))):
        with contextlib.suppress(RuntimeError):  # another processor has other calls
            made.add_rule(with_errno, name)
    for bit in (1 << place for place in range(32) if NEW_SPACES >> place & 1):
        made.add_rule(with_errno, "clone", seccomp.Arg(0, seccomp.MASKED_EQ, bit, bit))
    made.add_rule(seccomp.ERRNO(errno.ENOSYS), "clone3")  # its flags are in memory; libraries then use clone
    for request in TERMINAL:
        made.add_rule(with_errno, "ioctl", seccomp.Arg(1, seccomp.MASKED_EQ, 0xFFFF_FFFF, request))
    # A negative 32-bit number may come with any upper half, so only the lower one is compared.
    if device:
        for bit in range(1, 32):
            made.add_rule(with_errno, "socket", seccomp.Arg(0, seccomp.MASKED_EQ, 1 << bit, 1 << bit))
        made.add_rule(with_errno, "socket", seccomp.Arg(0, seccomp.MASKED_EQ, 1, 0))
    else:
        made.add_rule(with_errno, "socket")
    with tempfile.TemporaryFile() as file:
        made.export_bpf(file)
        file.seek(0)
        return base64.b64encode(file.read()).decode("ascii")


def filter_words(device, memfd):
    """The words before a command that limit its system calls; none if that is impossible."""
    if not seccomp:
        return []
    return [PYTHON, "-ISc", SET_FILTER, filter_of(device, memfd)]


def own_group(line_of):
    with open("/proc/self/cgroup", encoding="utf-8") as file:
        for line in file:
            number, controllers, path = line.rstrip("\n").split(":", 2)
            if line_of(number, controllers.split(",")):
                return path.lstrip("/")
    return None


def mounts():
    """(kind, folder, options) of the control groups' file systems."""
    with open("/proc/self/mounts", encoding="utf-8") as file:
        found = [line.split() for line in file]
    return [(words[2], Path(words[1]), words[3].split(",")) for words in found if words[2] in ("cgroup", "cgroup2")]


def places():
    """Folders in which groups may be made, with the names of the files that limit memory and processes there."""
    for kind, folder, options in mounts():
        if kind == "cgroup2":
            for place in dict.fromkeys((folder / (own_group(lambda number, _: number == "0") or ""), folder)):
                yield place, {"memory.max": "memory", "memory.swap.max": None, "pids.max": "pids"}
        for one, files in (("memory", {"memory.limit_in_bytes": "memory", "memory.memsw.limit_in_bytes": None}),
                           ("pids", {"pids.max": "pids"})):
            if kind == "cgroup" and one in options:
                own = own_group(lambda _, controllers, one=one: one in controllers) or ""
                yield folder / own if (folder / own).is_dir() else folder, files


class Group:
    """A control group. folders: empty if none can be made."""

    def __init__(self, name, memory, processes):
        self.folders, most = [], {"memory": memory, "pids": processes}
        done = set()
        for place, files in places():
            if {wanted for wanted in files.values() if wanted} <= done:
                continue
            made = place / name
            try:
                with contextlib.suppress(OSError):
                    (place / "cgroup.subtree_control").write_text("+memory +pids")
                made.mkdir(exist_ok=True)
            except OSError:
                continue
            held = set()
            for file, what in files.items():
                with contextlib.suppress(OSError):
                    if (made / file).exists():
                        swap = str(memory) if file.startswith("memory.memsw") else "0"
                        (made / file).write_text(str(most[what]) if what else swap)
                        held.add(what)
            if held - {None}:
                self.folders.append(made)
                done |= held
            else:
                with contextlib.suppress(OSError):
                    made.rmdir()
        self.counts_memory = "memory" in done
        groups.append(self)

    def words(self):
        """The words before a command that put its process into the group, if it may join."""
        return ["/bin/sh", "-c", JOIN, ":".join(map(str, self.folders))] if self.folders else []

    def end(self):
        """Ends its processes; their parent is about to end, too."""
        for folder in self.folders:
            with contextlib.suppress(OSError, ValueError):
                for process in (folder / "cgroup.procs").read_text().split():
                    with contextlib.suppress(OSError):
                        os.kill(int(process), signal.SIGKILL)

    def remove(self, seconds=None):
        end = time.monotonic() + (GROUP_WAIT if seconds is None else seconds)
        for folder in self.folders:
            while folder.is_dir():
                try:
                    folder.rmdir()
                except OSError:
                    if time.monotonic() > end:
                        break
                    time.sleep(0.02)
        self.folders = [folder for folder in self.folders if folder.is_dir()]
        if not self.folders and self in groups:
            groups.remove(self)


groups = []  # existing ones


@atexit.register
def end_groups():
    """Removes all groups of this process, which is about to end."""
    for group in groups[:]:
        group.end()
    for group in groups[:]:
        group.remove(1)


def remove_left_groups():
    """Removes what killed gradings have left: groups of processes that do not exist any more, a day old."""
    for place, _ in places():
        for folder in place.glob("a2-grade-*"):
            process = folder.name.split("-")[2]
            with contextlib.suppress(OSError):
                old = time.time() - folder.stat().st_mtime > SECONDS_LEFT
                if old and process.isdigit() and not os.path.exists(f"/proc/{process}"):
                    folder.rmdir()


@functools.cache
def counts_memory():
    """Whether a group that counts memory can be made here."""
    if os.getuid() != 0:
        return False
    remove_left_groups()
    tried = Group(f"a2-grade-{os.getpid()}-tried", 1 << 30, 64)
    tried.remove()
    return tried.counts_memory


def has_landlock():
    """Whether a process on this machine can give up access to files for good: a2's worker and its device's process
    do."""
    create_ruleset, ask_version = 444, 1
    libc = ctypes.CDLL(None, use_errno=True)
    return libc.syscall(create_ruleset, None, ctypes.c_size_t(0), ask_version) >= 1


def notes():
    """The limits that this machine cannot set, a line each."""
    found = []
    if not has_landlock():
        found.append("note: this kernel has no Landlock: inside its jail, a solution reads what its user can read")
    if not counts_memory():
        found.append("note: no control group can be made here" + ("" if os.getuid() == 0 else " without root") +
                     ": memory is limited for each process of a submission, not for all of them together")
    if not seccomp:
        found.append("note: system calls are not limited: apt-get install python3-seccomp")
    return found
