// What a CPU driver's compiler may take. It unrolls loops as kernels ask: one of 16 million turns took all memory of a
// machine.
#pragma once

#include <cstdint>

#ifdef __linux__
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#endif

namespace a2 {

// While it lives, this process gets at most 4 GiB more of its own memory than it had. A driver that asks for more gets
// none, and mostly crashes; its process is made for that. Does nothing if it is not `wanted`, or on other systems.
class WithCompilerMemory {
public:
    explicit WithCompilerMemory(bool wanted)
    {
#ifdef __linux__
        constexpr rlim_t more = rlim_t{4} << 30;  // bytes
        std::uint64_t pages = 0;
        std::ifstream sizes("/proc/self/statm");
        for (int i = 0; i < 6; ++i) sizes >> pages;  // the sixth: data and stacks
        if (!wanted || !sizes || getrlimit(RLIMIT_DATA, &before_) != 0) return;
        rlimit now = before_;
        now.rlim_cur = std::min(before_.rlim_cur, pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + more);
        isSet_ = setrlimit(RLIMIT_DATA, &now) == 0;
#else
        static_cast<void>(wanted);
#endif
    }
    ~WithCompilerMemory()
    {
#ifdef __linux__
        if (isSet_) setrlimit(RLIMIT_DATA, &before_);
#endif
    }
    WithCompilerMemory(const WithCompilerMemory&) = delete;
    WithCompilerMemory& operator=(const WithCompilerMemory&) = delete;

private:
#ifdef __linux__
    rlimit before_{};
    bool isSet_ = false;
#endif
};

}  // namespace a2
