// The output of `a2 bench`: a line per measurement, in columns, 80 characters wide.
#pragma once

#include "judge/Outcome.h"

#include <optional>
#include <string>
#include <vector>

namespace a2 {

class BenchTable {
public:
    // copyPeakGBps: 0 if it was not measured. inFlight: as the user asked for.
    BenchTable(const std::vector<Task>& tasks, double copyPeakGBps, unsigned inFlight = 1);

    // The first table: the kernel's time and the rates derived from it. This and the texts below end in a newline.
    std::string head() const;
    std::string row(const Task& task, const CaseOutcome& one) const;
    // The second one: the spread of that time, and the other clocks. Only for a case that was timed.
    std::string detailHead() const;
    std::string detailRow(const Task& task, const Benchmark& benchmark) const;
    // The third: the parts of the whole time. Only for a case that was timed.
    std::string wholeHead() const;
    std::string wholeRow(const Task& task, const Benchmark& benchmark) const;

    // All timed cases as bars; the longest bar has the most GE/s.
    std::string bars(const std::vector<TaskOutcome>& outcomes) const;

private:
    std::string rowStart(const Task& task, std::uint64_t n, const std::string& shape) const;

    std::size_t idWidth_ = 0;
    double copyPeakGBps_;
    unsigned inFlight_;
};

// "2^20", "2^20-3" and "2^20+1" near a power of two from 2^10 on, else the number itself.
std::string lengthText(std::uint64_t n);

// Four significant digits, without an exponent: "0.001234", "12.35", "123457".
std::string digitsText(double value);

// For --in-flight: the tasks that it does not apply to, and where memory held fewer than asked for. Empty if there is
// nothing to say.
std::optional<std::string> chainNote(const std::vector<Task>& tasks, unsigned inFlight);
std::optional<std::string> fewerNote(const Task& task, const Benchmark& benchmark, unsigned inFlight);

// Warns that a median is not reliable, and says what to do; empty if the repetitions lie close enough.
std::optional<std::string> spreadNote(const std::vector<TaskOutcome>& outcomes);

}  // namespace a2
