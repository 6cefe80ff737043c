#include "Attacks.h"

#include <cstdio>

#ifdef __linux__

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

namespace a2 {

namespace {

std::string ofParent(const char* file) { return "/proc/" + std::to_string(getppid()) + "/" + file; }

bool opens(const std::string& path, int how = O_RDONLY)
{
    const int file = open(path.c_str(), how | O_CLOEXEC | O_NONBLOCK, 0600);
    if (file >= 0) close(file);
    return file >= 0;
}

bool makes(const std::string& path)
{
    const bool made = opens(path, O_CREAT | O_EXCL | O_WRONLY);
    if (made) unlink(path.c_str());
    return made;
}

bool lists(const char* folder)
{
    DIR* const opened = opendir(folder);
    if (opened) closedir(opened);
    return opened != nullptr;
}

bool connects(int family, int kind = SOCK_STREAM)
{
    const int made = socket(family, kind, 0);
    if (made >= 0) close(made);
    return made >= 0;
}

// Even a successful attack must change nothing permanently.

// Whether a call is let through: it may fail because of its arguments, but not because it is refused.
bool isLetThrough(long result) { return result >= 0 || (errno != EPERM && errno != ENOSYS && errno != EACCES); }

std::string unusual(const char* folder) { return std::string(folder) + "/a2-attack-" + std::to_string(getpid()); }

}  // namespace

const std::map<std::string, std::function<bool()>>& attacks()
{
    static const std::map<std::string, std::function<bool()>> all = {
        // The parent process, which has the verdicts.
        {"trace-parent", [] { return ptrace(PTRACE_ATTACH, getppid(), nullptr, nullptr) == 0; }},
        {"seize-parent",
         [] {
             const bool traces = ptrace(PTRACE_SEIZE, getppid(), nullptr, nullptr) == 0;
             if (traces) ptrace(PTRACE_DETACH, getppid(), nullptr, nullptr);
             return traces;
         }},
        {"write-parents-memory", [] { return opens(ofParent("mem"), O_RDWR); }},
        {"read-parents-map", [] { return opens(ofParent("maps")); }},
        {"read-parents-environment", [] { return opens(ofParent("environ")); }},
        {"read-parents-words", [] { return opens(ofParent("cmdline")); }},
        {"open-parents-files", [] { return lists(ofParent("fd").c_str()); }},
        {"copy-from-parent",
         [] {
             char byte = 0;
             iovec here{&byte, 1}, there{&byte, 1};
             return isLetThrough(process_vm_readv(getppid(), &here, 1, &there, 1, 0));
         }},
        {"copy-to-parent",
         [] {
             char byte = 0;
             iovec here{&byte, 1}, there{&byte, 1};
             return isLetThrough(process_vm_writev(getppid(), &here, 1, &there, 1, 0));
         }},
        {"signal-parent", [] { return kill(getppid(), 0) == 0; }},
        {"signal-parents-thread", [] { return syscall(SYS_tgkill, getppid(), getppid(), 0) == 0; }},
        {"queue-signal-to-parent",
         [] {
             sigval value{};
             return sigqueue(getppid(), 0, value) == 0;
         }},
        {"signal-group", [] { return getpgrp() == getpgid(getppid()) && kill(0, 0) == 0; }},
        {"signal-all", [] { return kill(-1, 0) == 0; }},
        {"hold-parent-by-descriptor", [] { return syscall(434, getppid(), 0) >= 0; }},
        {"signal-parent-by-file",
         [] {
             int ends[2];
             if (pipe(ends) != 0) return false;
             return fcntl(ends[0], F_SETOWN, getppid()) == 0 || fcntl(ends[0], F_SETSIG, SIGKILL) == 0;
         }},
        {"limit-parent",
         [] {
             rlimit now{};
             return prlimit(getppid(), RLIMIT_CPU, nullptr, &now) == 0;
         }},
        {"slow-parent",
         [] {
             const auto parent = static_cast<id_t>(getppid());
             return setpriority(PRIO_PROCESS, parent, getpriority(PRIO_PROCESS, parent)) == 0;
         }},
        {"pin-parent",
         [] {
             cpu_set_t same;
             return sched_getaffinity(getppid(), sizeof same, &same) == 0 &&
                    sched_setaffinity(getppid(), sizeof same, &same) == 0;
         }},
        {"outlive-parent", [] { return prctl(PR_SET_PDEATHSIG, 0) == 0; }},
        {"compare-with-parent", [] { return isLetThrough(syscall(SYS_kcmp, getpid(), getppid(), 0, 0, 0)); }},
        // Programs and processes.
        {"start-a-child",
         [] {
             const pid_t made = fork();
             if (made == 0) _exit(0);
             if (made > 0) waitpid(made, nullptr, 0);
             return made > 0;
         }},
        {"vfork-by-number",
         [] {
             const long made = syscall(SYS_clone, CLONE_VFORK | SIGCHLD, nullptr, nullptr, nullptr, nullptr);
             if (made == 0) _exit(0);
             return made > 0;
         }},
        {"new-process-by-clone3",
         [] {
             std::array<std::uint64_t, 8> how{};
             how[4] = SIGCHLD;
             const long made = syscall(435, how.data(), sizeof how);
             if (made == 0) _exit(0);
             return made > 0;
         }},
        {"execute",
         [] {
             char nothing[] = "none";
             char* const words[] = {nothing, nullptr};
             return isLetThrough(execve("/nonexistent", words, words));
         }},
        {"system", [] { return std::system("exit 0") == 0; }},
        {"own-session", [] { return setsid() > 0 || setpgid(0, 0) == 0; }},
        // The network.
        {"unix-socket", [] { return connects(AF_UNIX); }},
        {"internet-socket", [] { return connects(AF_INET); }},
        {"internet-6-socket", [] { return connects(AF_INET6, SOCK_DGRAM); }},
        {"netlink-socket", [] { return connects(AF_NETLINK, SOCK_RAW); }},
        {"vm-socket", [] { return connects(AF_VSOCK); }},
        {"pair-of-sockets",
         [] {
             int ends[2];
             return socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0;
         }},
        // Name spaces and rights.
        {"user-space", [] { return unshare(CLONE_NEWUSER) == 0; }},
        {"network-space", [] { return unshare(CLONE_NEWNET) == 0; }},
        {"clone-into-user-space",
         [] {
             const long made = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, nullptr, nullptr, nullptr, nullptr);
             if (made == 0) _exit(0);
             return made > 0;
         }},
        {"mount", [] { return isLetThrough(mount("none", "/nonexistent", "tmpfs", 0, nullptr)); }},
        {"change-root", [] { return chroot("/") == 0; }},
        {"be-root", [] { return geteuid() == 0 || setuid(0) == 0; }},
        {"name-host",
         [] {
             std::array<char, 256> name{};
             return gethostname(name.data(), name.size() - 1) == 0 &&
                    sethostname(name.data(), std::strlen(name.data())) == 0;
         }},
        // The kernel's own services.
        {"keys", [] { return isLetThrough(syscall(SYS_keyctl, 0, -3, 0)); }},
        {"kernel-program", [] { return isLetThrough(syscall(SYS_bpf, 0, nullptr, 0)); }},
        {"counters", [] { return isLetThrough(syscall(SYS_perf_event_open, nullptr, 0, -1, -1, 0)); }},
        {"faults", [] { return isLetThrough(syscall(SYS_userfaultfd, 0)); }},
        {"rings", [] { return isLetThrough(syscall(425, 1, nullptr)); }},
        {"handles", [] { return isLetThrough(syscall(SYS_open_by_handle_at, -1, nullptr, 0)); }},
        // Memory that is not covered by a limit.
        {"memory-as-a-file", [] { return isLetThrough(syscall(SYS_memfd_create, "a2", 0)); }},
        {"shared-segment", [] { return shmget(IPC_PRIVATE, 4096, 0600) >= 0; }},
        {"message-queue", [] { return isLetThrough(syscall(SYS_mq_open, "/a2", O_RDWR, 0600, nullptr)); }},
        {"many-files",
         [] {
             int made = 0;
             for (; made < 1000 && dup(1) >= 0; ++made) {
             }
             return made == 1000;
         }},
        // Files.
        {"write-below-tmp", [] { return makes(unusual("/tmp")); }},
        {"write-below-var-tmp", [] { return makes(unusual("/var/tmp")); }},
        {"write-shared-memory", [] { return makes(unusual("/dev/shm")); }},
        {"write-here", [] { return makes(unusual(".")); }},
        {"write-home", [] { return std::getenv("HOME") && makes(unusual(std::getenv("HOME"))); }},
        {"nameless-file", [] { return opens("/tmp", O_TMPFILE | O_RDWR); }},
        {"link",
         [] {
             const std::string made = unusual("/tmp");
             return symlink("/etc/passwd", made.c_str()) == 0 && unlink(made.c_str()) == 0;
         }},
        {"pipe-with-a-name",
         [] {
             const std::string made = unusual("/tmp");
             return mkfifo(made.c_str(), 0600) == 0 && unlink(made.c_str()) == 0;
         }},
        {"read-users", [] { return opens("/etc/passwd"); }},
        {"read-passwords", [] { return opens("/etc/shadow"); }},
        {"read-project", [] { return opens(A2_PROJECT "/README.md"); }},
        {"list-root", [] { return lists("/"); }},
        {"list-here", [] { return lists("."); }},
        {"read-first-process", [] { return opens("/proc/1/cmdline"); }},
        {"terminal", [] { return opens("/dev/tty", O_RDWR); }},
        {"terminals", [] { return opens("/dev/ptmx", O_RDWR); }},
        {"type-into-terminal",
         [] {
             char c = 'x';
             return isLetThrough(ioctl(2, TIOCSTI, &c));
         }},
        {"kernel-messages", [] { return opens("/dev/kmsg"); }},
    };
    return all;
}

}  // namespace a2

#else

namespace a2 {

const std::map<std::string, std::function<bool()>>& attacks()
{
    static const std::map<std::string, std::function<bool()>> none;
    return none;
}

}  // namespace a2

#endif

namespace a2 {

void attack(const std::string& name)
{
    const auto found = attacks().find(name);
    const bool reached = found != attacks().end() && found->second();
    std::printf("%s %s\n", found == attacks().end() ? "unknown" : reached ? "REACHED" : "refused", name.c_str());
    std::fflush(stdout);
}

}  // namespace a2
