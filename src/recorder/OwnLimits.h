// Limits that a worker sets for itself with the system, so that student code in an endless loop does not outlive a2.
// a2's own limit is shorter.
#pragma once

#include "base/RunDelay.h"

#include <cstdint>

#ifndef _WIN32
#include <sys/resource.h>
#include <unistd.h>
#endif

namespace a2 {

#ifdef _WIN32
inline void startTheClock(std::uint64_t) {}  // the system ends a2's processes with a2
inline void stopTheClock() {}
#else
// From now on the process, and each child that it may have, is limited to this CPU time. For a process that sleeps
// after a2 has gone, there is also a limit of wall clock: the longest that this CPU time can take on a busy machine.
inline void startTheClock(std::uint64_t seconds)
{
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    rlimit cpu{};
    if (getrlimit(RLIMIT_CPU, &cpu) == 0) {
        cpu.rlim_cur = static_cast<rlim_t>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + seconds + 2;
        if (cpu.rlim_cur <= cpu.rlim_max) setrlimit(RLIMIT_CPU, &cpu);
    }
    alarm(static_cast<unsigned>((1 + mostRunDelay) * seconds + 5));
}

inline void stopTheClock() { alarm(0); }
#endif

}  // namespace a2
