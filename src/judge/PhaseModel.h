// Judges what a work-group does in shared memory, barrier() by barrier(): which step of a known scheme each phase is.
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
    std::string what;                      // the phase leaves; empty where it is not known
    std::vector<ExpectedNumber> expected;  // that are wrong
    std::optional<WrongNumber> firstWrong;
    std::uint64_t wrongCount = 0;
    unsigned figure = 0;  // of the assignment, that shows such a phase; 0: none
};

struct PhaseJudgements {
    std::vector<PhaseJudgement> phases;
    std::string remark;  // where the group's result is wrong and no phase is: what that leaves
};

// What the work-group was given and what came of it.
struct PhaseContext {
    KernelShape shape;
    std::uint32_t subgroupSize = 0;
    std::uint64_t group = 0;                            // its number
    bool scans = false;                                 // rather than adds up
    bool resultWrong = false;                           // what it left in buffers is
    std::vector<std::vector<std::uint32_t>> sources;    // of each buffer that it may have loaded: all elements
    const ElementType* element = &ElementType::uint32;  // what they, and shared memory, are numbers of
};

// A phase is `wrong` only where the result is wrong, too, and other phases are steps of the one scheme that the phase
// is at odds with. Phases after it are judged by what they found.
PhaseJudgements judgePhases(const std::vector<EmulatorSettings::SeenPhase>& phases, const PhaseContext& context);

// "number 7 of 'tree' should be 0, is 28 (2 wrong in all)"
std::string wrongNumberText(const PhaseJudgement& judgement, const ElementType& element);

}  // namespace a2
