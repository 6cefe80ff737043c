// How far a series of cases is, and how long the rest takes if each element goes on to cost the same.
#pragma once

#include "base/Clock.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace a2 {

class WorkProgress {
public:
    // `count` cases of n elements are to be done.
    void expect(std::uint64_t n, std::size_t count);
    // They are done, or need not be any more.
    void done(std::uint64_t n, std::size_t count);
    // "7 of 30 cases, 12 s left"; nothing is said of the time before the first case is done.
    std::string text() const;

private:
    Clock::time_point start_ = Clock::now();
    std::size_t cases_ = 0, casesDone_ = 0;
    double cost_ = 0, costDone_ = 0;  // in elements
};

}  // namespace a2
