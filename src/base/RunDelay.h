// How long processes have waited for a processor that others used: on a busy machine this must not count as their own
// time.
#pragma once

#include <chrono>
#include <vector>

namespace a2 {

// A process with a limit may wait for at most this many times that limit.
constexpr unsigned mostRunDelay = 15;

class RunDelay {
public:
    // Watches this process and those that it has started so far. Where the system gives no data (it is not Linux, or
    // has no /proc/PID/schedstat), the waiting time is always 0.
    explicit RunDelay(int process);

    void begin();
    // The longest time that one of them has waited since begin(), or since its start.
    std::chrono::nanoseconds waited() const;

private:
    struct One {
        int process = 0;
        std::chrono::nanoseconds before{};
    };
    std::vector<One> all_;
};

}  // namespace a2
