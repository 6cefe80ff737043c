// What a worker asks the system for, so that student code which never comes to an end does not outlive a2. a2 has a
// shorter limit of its own.
#pragma once

#include "base/RunDelay.h"

#include <cstdint>

#ifndef _WIN32
#include <sys/resource.h>
#include <unistd.h>
#endif

namespace a2 {

#ifdef _WIN32
inline void startTheClock(std::uint64_t) {}  // a2's processes end with it
inline void stopTheClock() {}
#else
// From now on so many seconds of CPU time, also for each child that it may have; and of wall clock, for one that sleeps
// and whose a2 is gone, so many as that would wait at most on a busy machine.
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
