// A row's method, described once, in its line: what each dispatch must leave, which figure of the assignment shows it,
// which criteria the method must meet, and the textbooks' formulas. `steps`, `check --method`, `theory` and the rubric
// use it.
#pragma once

#include "tasks/Textbook.h"

#include <array>

namespace a2 {

// What each dispatch leaves, depending on what it found (judge/StepModel.h).
enum class StepModel {
    none,       // nothing is known
    strided,    // partial sums that lie farther apart each time
    front,      // half as many partial sums each time, at the front
    groupSums,  // a sum for each work-group
    sum,        // the sum of all, or groupSums
    windows,    // each element the sum of up to twice as many as before
    tileScans,  // tiles scanned, then their sums, then offsets added
    offsets,    // offsets added to tiles that are scanned already
    scan,       // the whole array scanned
    result,     // the whole result, of a class with a reference of its own
};
// Whether each work-group writes elements that no other one writes: a sum, or its tile.
constexpr bool groupsStandAlone(StepModel model)
{
    return model == StepModel::groupSums || model == StepModel::tileScans;
}

// The criteria of methods (judge/Method.cpp has their names and how each is decided).
enum class Criterion {
    none,
    stepPerDispatch,        // of a tree
    doublingPerDispatch,    // of windows
    interleavedAddressing,  // neighbours first
    sequentialAddressing,   // halves of the array
    sharedTree,
    oneResultPerGroup,
    fewDispatches,
    unrolledSteps,
    sharedAtomic,
    subgroupArithmetic,
    pingPong,
    workEfficient,
    noBankConflicts,
    blockSums,
};

struct Scheme {
    StepModel steps = StepModel::none;
    unsigned figure = 0;                   // of the assignment, showing such a step; 0: none
    std::array<Criterion, 4> method = {};  // unused ones are none
    TextbookOf textbook = noTextbook;
};

}  // namespace a2
