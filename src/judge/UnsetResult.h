// Whether a wrong result comes from memory that was never written.
#pragma once

#include "judge/Comparison.h"
#include "judge/Verdict.h"
#include "lint/EmulatedFindings.h"
#include "lint/EmulatedRun.h"

#include <optional>

namespace a2 {

class UnsetResult {
public:
    // Call after each dispatch of the walk.
    void see(const Recording& recording, const EmulatedStep& step)
    {
        if (!first_) first_ = unsetFinding(recording, step);
    }
    // Call after the last one: adds the finding if the first wrong element was computed from such a word. A word that
    // is read and then masked out does no harm.
    void judge(const EmulatedBuffer& result, const std::optional<Mismatches>& wrong, Verdict& verdict) const
    {
        const auto marks = result.setMarks();
        if (!first_ || !wrong || wrong->firstIndex >= marks.size()) return;
        if (marks[wrong->firstIndex] != EmulatedBuffer::allSet) verdict.findings.push_back(*first_);
    }

private:
    std::optional<Finding> first_;
};

}  // namespace a2
