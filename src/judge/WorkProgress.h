// The progress of a series of cases, and the time that the rest takes if each element continues to cost the same.
#pragma once

#include "base/Clock.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace a2 {

class WorkProgress {
public:
    // Adds `count` cases of n elements to the work.
    void expect(std::uint64_t n, std::size_t count);
    // These cases are done, or no longer needed.
    void done(std::uint64_t n, std::size_t count);
    // "7 of 30 cases, 12 s left"; gives no time before the first case is done.
    std::string text() const;

private:
    Clock::time_point start_ = Clock::now();
    std::size_t cases_ = 0, casesDone_ = 0;
    double cost_ = 0, costDone_ = 0;  // in elements
};

}  // namespace a2
