// Judges a work-group's phases in shared memory, barrier() by barrier(): finds which step of a known scheme each phase
// is.
//
// Schemes: the tree of partial sums (strides that double, halves at the front, an up-sweep), the down-sweeps of
// Blelloch and of Brent and Kung after it, and windows that double (Hillis and Steele). What is loaded may be
// elements, or sums of some of them; it may lie anywhere, with gaps, in one array or in two by turns; and a phase may
// take several steps.
#pragma once

#include "a2/KernelShape.h"
#include "judge/StepModel.h"
#include "spirv/Emulator.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace a2 {

// A number of shared memory that a phase left wrong.
struct WrongNumber {
    std::string variable;
    std::uint64_t index = 0;  // of its numbers
    std::uint32_t expected = 0, got = 0;
    bool neverSet = false;
};

// Numbers of a shared variable, and what they must be.
struct ExpectedNumber {
    std::size_t variable = 0;  // of EmulatorSettings::SeenPhase::shared
    std::uint64_t index = 0;
    std::uint32_t value = 0;
};

struct PhaseJudgement {
    StepVerdict verdict = StepVerdict::unchecked;
    std::string what;                      // what the phase leaves; empty if it is not known
    std::vector<ExpectedNumber> expected;  // the wrong numbers
    std::optional<WrongNumber> firstWrong;
    std::uint64_t wrongCount = 0;
    unsigned figure = 0;  // of the assignment, showing such a phase; 0: none
};

struct PhaseJudgements {
    std::vector<PhaseJudgement> phases;
    std::string remark;  // if the group's result is wrong and no phase is: what follows from that
};

// The work-group's input and result.
struct PhaseContext {
    KernelShape shape;
    std::uint32_t subgroupSize = 0;
    std::uint64_t group = 0;                            // its number
    bool scans = false;                                 // it scans, rather than sums
    bool resultWrong = false;                           // its result in buffers is wrong
    std::vector<std::vector<std::uint32_t>> sources;    // of each buffer that it may have loaded: all elements
    const ElementType* element = &ElementType::uint32;  // the type of their numbers and of those in shared memory
};

// A phase is `wrong` only if the result is wrong too, and other phases are steps of the one scheme from which the phase
// deviates. Later phases are judged by what they found.
PhaseJudgements judgePhases(const std::vector<EmulatorSettings::SeenPhase>& phases, const PhaseContext& context);

// "number 7 of 'tree' should be 0, is 28 (2 wrong in all)"
std::string wrongNumberText(const PhaseJudgement& judgement, const ElementType& element);

}  // namespace a2
