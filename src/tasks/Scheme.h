// What a row does, said once, in its line: what each dispatch must leave, which picture of the assignment shows it, by
// what the row's method is known, and what textbooks say of it. `steps`, `check --method`, `theory` and the rubric go
// by it.
#pragma once

#include "tasks/Textbook.h"

#include <array>

namespace a2 {

// What each dispatch leaves, given what it found (judge/StepModel.h).
enum class StepModel {
    none,       // nothing is known
    strided,    // partial sums that lie farther apart each time
    front,      // half as many partial sums each time, at the front
    groupSums,  // a sum for each work-group
    sum,        // the sum of all, or as groupSums
    windows,    // each element the sum of up to twice as many as before
    tileScans,  // tiles scanned, then their sums, then offsets added
    offsets,    // offsets added to tiles that are scanned already
    scan,       // the whole array scanned
    result,     // the whole result, of a class with a reference of its own
};
// Whether each work-group leaves elements of its own: a sum, or its tile.
constexpr bool groupsStandAlone(StepModel model)
{
    return model == StepModel::groupSums || model == StepModel::tileScans;
}

// By what a method is known (judge/Method.cpp has their names and how each is told).
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
    unsigned figure = 0;                   // of the assignment, that shows such a step; 0: none
    std::array<Criterion, 4> method = {};  // as many as there are
    TextbookOf textbook = noTextbook;
};

}  // namespace a2
