// How long processes have waited for a processor that others had: on a busy machine that is no time of theirs.
#pragma once

#include <chrono>
#include <vector>

namespace a2 {

// For how long a process that has a limit is let wait at most: so many times that limit.
constexpr unsigned mostRunDelay = 15;

class RunDelay {
public:
    // Of this process and of those that it has started so far. Where the system does not tell (it is not Linux, or has
    // no /proc/PID/schedstat), none has ever waited.
    explicit RunDelay(int process);

    void begin();
    // Since begin(), or the start of the process: what the one has waited that has waited longest.
    std::chrono::nanoseconds waited() const;

private:
    struct One {
        int process = 0;
        std::chrono::nanoseconds before{};
    };
    std::vector<One> all_;
};

}  // namespace a2
