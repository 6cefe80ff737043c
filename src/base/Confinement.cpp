#include "base/Confinement.h"

#ifdef __linux__

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <sstream>

#include <fcntl.h>
#include <grp.h>
#include <link.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace a2 {

namespace {

// User numbers from a range that no distribution gives to users and that systemd leaves alone. Two workers may get the
// same number: the filter of calls prevents what they could then do to each other.
constexpr uid_t firstUser = 60'706, users = 478;

uid_t unusedUser() { return firstUser + static_cast<uid_t>(getpid()) % users; }

// Landlock, declared here as the kernel has it: the headers of some distributions are older than their kernels.
namespace landlock {

constexpr long createRuleset = 444, addRule = 445, restrictSelf = 446;
constexpr unsigned askVersion = 1;
constexpr int pathBeneath = 1;
constexpr std::uint64_t execute = 1 << 0, writeFile = 1 << 1, readFile = 1 << 2, readFolder = 1 << 3,
                        truncate = 1 << 14, deviceCalls = 1 << 15;
constexpr std::uint64_t ofFiles = execute | writeFile | readFile | truncate | deviceCalls;

struct Ruleset {
    std::uint64_t files = 0, network = 0, scope = 0;
};

#pragma pack(push, 1)
struct Beneath {
    std::uint64_t allowed = 0;
    std::int32_t parent = -1;
};
#pragma pack(pop)

// Everything that this version of Landlock can restrict; version 0 means no Landlock.
Ruleset allOf(long version)
{
    Ruleset all;
    const unsigned bits = version >= 5 ? 16 : version >= 3 ? 15 : version == 2 ? 14 : 13;
    all.files = (std::uint64_t{1} << bits) - 1;
    if (version >= 4) all.network = 3;  // bind and connect by TCP
    return all;
}

void allow(int ruleset, const std::string& path, std::uint64_t rights)
{
    const int place = open(path.c_str(), O_PATH | O_CLOEXEC);
    struct stat about = {};
    if (place >= 0 && fstat(place, &about) == 0) {
        const Beneath rule{S_ISDIR(about.st_mode) ? rights : rights & ofFiles, place};
        syscall(addRule, ruleset, pathBeneath, &rule, 0U);
    }
    if (place >= 0) close(place);
}

void restrict(const Confinement& to)
{
    const long version = syscall(createRuleset, nullptr, std::size_t{0}, askVersion);
    if (version < 1) return;
    Ruleset all = allOf(version);
    if (version >= 6) all.scope = to.startsPrograms ? 2 : 3;  // signals; sockets without a file
    const std::size_t size = version >= 6 ? sizeof all : version >= 4 ? 2 * sizeof all.files : sizeof all.files;
    const int ruleset = static_cast<int>(syscall(createRuleset, &all, size, 0U));
    if (ruleset < 0) return;
    for (const std::string& path : to.read) allow(ruleset, path, execute | readFile | readFolder);
    for (const std::string& path : to.write) allow(ruleset, path, all.files);
    syscall(restrictSelf, ruleset, 0U);
    close(ruleset);
}

}  // namespace landlock

#if defined(__x86_64__)
constexpr std::uint32_t ownProcessor = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t ownProcessor = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t ownProcessor = 0;  // other processors: calls are not filtered
#endif

// Calls that neither a recorder nor a driver needs.
constexpr long refusedCalls[] = {
    SYS_acct, SYS_add_key, SYS_adjtimex, SYS_bpf, SYS_chroot, SYS_clock_adjtime, SYS_clock_settime, SYS_delete_module,
    SYS_fanotify_init, SYS_finit_module, SYS_init_module, SYS_kexec_load, SYS_keyctl, SYS_mount, SYS_name_to_handle_at,
    SYS_open_by_handle_at, SYS_perf_event_open, SYS_pivot_root, SYS_process_vm_readv, SYS_process_vm_writev, SYS_ptrace,
    SYS_quotactl, SYS_reboot, SYS_request_key, SYS_setdomainname, SYS_sethostname, SYS_setns, SYS_settimeofday,
    SYS_swapoff, SYS_swapon, SYS_syslog, SYS_umount2, SYS_unshare, SYS_userfaultfd, SYS_vhangup,
#ifdef SYS_ioperm
    SYS_ioperm, SYS_iopl,
#endif
#ifdef SYS_uselib
    SYS_uselib,
#endif
#ifdef SYS_kexec_file_load
    SYS_kexec_file_load,
#endif
    // Newer calls have the same number on each processor, and no name in older headers.
    424, 434, 438,                 // pidfd_send_signal, pidfd_open, pidfd_getfd
    425, 426, 427,                 // io_uring
    428, 429, 430, 431, 432, 433,  // mounts
    440, 442, 443, 447, 448, 467,  // process_madvise, mount_setattr, quotactl_fd, memfd_secret, process_mrelease
};

// Further calls that a recorder does not need: it starts no program and talks to no other process.
constexpr long refusedAlone[] = {
    SYS_execve, SYS_execveat,      SYS_socket,     SYS_socketpair,   SYS_connect,     SYS_bind,       SYS_listen,
    SYS_setsid, SYS_setpgid,       SYS_tkill,      SYS_memfd_create, SYS_setpriority, SYS_ioprio_set, SYS_personality,
    SYS_kcmp,   SYS_migrate_pages, SYS_move_pages, SYS_mq_open,      SYS_msgget,      SYS_semget,     SYS_shmget,
#ifdef SYS_fork
    SYS_fork,   SYS_vfork,
#endif
};

// A seccomp program: the kernel runs it on each system call.
class Filter {
public:
    Filter()
    {
        load(offsetof(seccomp_data, arch));
        code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ownProcessor, 1, 0));
        give(SECCOMP_RET_KILL_PROCESS);
        load(offsetof(seccomp_data, nr));
#ifdef __x86_64__
        constexpr std::uint32_t x32 = 0x4000'0000;
        code_.push_back(BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, x32, 0, 1));
        give(SECCOMP_RET_KILL_PROCESS);
#endif
    }

    void refuse(long call, int with = EPERM)
    {
        code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0, 1));
        give(SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(with));
    }

    // Refuses the call if the lower half of the argument is one of these values.
    void refuseOf(long call, unsigned argument, std::initializer_list<std::uint32_t> values)
    {
        std::vector<sock_filter> tests;
        for (const std::uint32_t one : values) {
            tests.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, one, 0, 1));
            tests.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM));
        }
        about(call, argument, tests);
    }

    // Refuses the call unless the lower half of the argument is one of these values.
    void refuseBut(long call, unsigned argument, std::initializer_list<std::uint32_t> values)
    {
        std::vector<sock_filter> tests;
        auto left = static_cast<std::uint8_t>(values.size());
        for (const std::uint32_t one : values) tests.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, one, left--, 0));
        tests.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM));
        about(call, argument, tests);
    }

    // Refuses the call if the argument has one of `bits`, or lacks all of `wanted`.
    void refuseBits(long call, unsigned argument, std::uint32_t bits, std::uint32_t wanted)
    {
        std::vector<sock_filter> tests = {BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1),
                                          BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)};
        if (wanted != 0) {
            tests.push_back(BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, wanted, 1, 0));
            tests.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM));
        }
        about(call, argument, tests);
    }

    void set()
    {
        give(SECCOMP_RET_ALLOW);
        const sock_fprog program{static_cast<unsigned short>(code_.size()), code_.data()};
        // The filter also holds for threads that run already, where the kernel supports that.
        if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) != 0)
            prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
    }

private:
    void load(std::size_t offset)
    {
        code_.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)));
    }
    void give(std::uint32_t answer) { code_.push_back(BPF_STMT(BPF_RET | BPF_K, answer)); }

    void about(long call, unsigned argument, const std::vector<sock_filter>& tests)
    {
        const auto skip = static_cast<std::uint8_t>(tests.size() + 2);
        code_.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0, skip));
        load(offsetof(seccomp_data, args) + argument * sizeof(std::uint64_t));  // its lower half: little-endian
        code_.insert(code_.end(), tests.begin(), tests.end());
        load(offsetof(seccomp_data, nr));
    }

    std::vector<sock_filter> code_;
};

void filterCalls(bool startsPrograms)
{
    if (ownProcessor == 0) return;
    constexpr std::uint32_t newSpaces = 0x7E02'0080;  // CLONE_NEW* of one word
    constexpr std::uint32_t typeIntoTerminal = 0x5412, ofLinuxConsole = 0x541C, ownerOfSignals = 0x8901, group = 0x8902;
    constexpr std::uint32_t setOwner = 8, setSignal = 10, setOwnerEx = 15;
    constexpr std::uint32_t unixSockets = 1;
    const auto self = static_cast<std::uint32_t>(getpid());
    Filter filter;
    for (const long call : refusedCalls) filter.refuse(call);
    constexpr long clone3 = 435;
    filter.refuse(clone3, ENOSYS);  // its flags are in memory, where a filter cannot look; libraries use clone instead
    filter.refuseBits(SYS_clone, 0, newSpaces, startsPrograms ? 0 : CLONE_THREAD);
    filter.refuseOf(SYS_ioctl, 1, {typeIntoTerminal, ofLinuxConsole, ownerOfSignals, group});
    filter.refuseOf(SYS_fcntl, 1, {setOwner, setSignal, setOwnerEx});  // these make a file send signals
    if (startsPrograms) {
        filter.refuseBut(SYS_socket, 0, {unixSockets});
    } else {
        for (const long call : refusedAlone) filter.refuse(call);
        // 0 means the own process group, which is allowed where this process leads it: then only its own processes are
        // in it.
        filter.refuseBut(SYS_kill, 0, {self, getpgrp() == getpid() ? 0 : self});
        for (const long call : {SYS_tgkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo})
            filter.refuseBut(call, 0, {self});
        for (const long call :
             {SYS_prlimit64, SYS_sched_setaffinity, SYS_sched_setscheduler, SYS_sched_setparam, SYS_sched_setattr})
            filter.refuseBut(call, 0, {0, self});
        filter.refuseOf(SYS_prctl, 0, {PR_SET_PDEATHSIG});
    }
    filter.set();
}

void dropCapabilities()
{
    constexpr unsigned most = 63;
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    for (unsigned one = 0; one <= most; ++one) prctl(PR_CAPBSET_DROP, one, 0, 0, 0);
}

}  // namespace

void confine(const Confinement& to)
{
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return;
    landlock::restrict(to);
    filterCalls(to.startsPrograms);
}

void hideProcess() { prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

void dropRights(bool becomeOther)
{
    if (geteuid() != 0) return;
    dropCapabilities();
    const uid_t user = unusedUser();
    // The groups go first: only root may drop them.
    if (becomeOther && setgroups(0, nullptr) == 0 && setresgid(user, user, user) == 0 &&
        setresuid(user, user, user) == 0)
        return;
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    const __user_cap_data_struct none[2] = {};
    syscall(SYS_capset, &header, none);
}

std::vector<std::string> foldersOfLibraries()
{
    std::vector<std::string> folders;
    dl_iterate_phdr(
        [](dl_phdr_info* one, std::size_t, void* all) {
            const std::string name = one->dlpi_name;
            const std::size_t end = name.rfind('/');
            if (end != std::string::npos && end > 0)
                static_cast<std::vector<std::string>*>(all)->push_back(name.substr(0, end));
            return 0;
        },
        &folders);
    if (const char* const more = std::getenv("LD_LIBRARY_PATH")) {
        std::istringstream texts(more);
        for (std::string one; std::getline(texts, one, ':');)
            if (!one.empty()) folders.push_back(one);
    }
    return folders;
}

bool isReadableWithoutRights(const std::string& path)
{
    const bool root = geteuid() == 0;
    // This changes only the user that file access is checked for: root's rights go with it, and come back with it.
    if (root) {
        setfsgid(unusedUser());
        setfsuid(unusedUser());
    }
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (root) {
        setfsuid(0);
        setfsgid(0);
    }
    if (file >= 0) close(file);
    return file >= 0;
}

}  // namespace a2

#else

namespace a2 {

void confine(const Confinement&) {}
void hideProcess() {}
void dropRights(bool) {}
std::vector<std::string> foldersOfLibraries() { return {}; }
bool isReadableWithoutRights(const std::string&) { return true; }

}  // namespace a2

#endif
