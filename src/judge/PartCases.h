// Cases of an array that several ranks share, each with a device of its own.
#pragma once

#include "judge/Cases.h"

namespace a2 {

// Each rank runs the task's recording on its own part. Of a sum the parts' results are passed on; of a scan each part
// is summed first, the sums are passed on, and what lies before a part is added to its first element, so that its scan
// goes on from there: 3 n / P elements of traffic for each of P devices. Every rank goes through the same meetings in
// the same order, whatever happens to one of them: who cannot go on says so at the next one, and the case is over for
// all.
class PartCases {
public:
    explicit PartCases(Cases& cases) : cases_(cases) {}

    // The rank's part of a case as it was asked for; only where ranks share arrays (Cases::together). sharing: how many
    // ranks share it.
    enum class Work { checkOnce, checkThrice, time };
    CaseOutcome run(const Task& task, const CaseOutcome& asked, const Pattern& pattern, unsigned sharing, Work work,
                    KeptInput& shared);

private:
    Cases& cases_;
    Device& gpu_ = cases_.gpu;
    const EvaluationSettings& settings_ = cases_.settings;
};

}  // namespace a2
