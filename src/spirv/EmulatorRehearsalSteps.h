// The steps of the invocation that a rehearsal runs now.
#pragma once

#include "spirv/EmulatorRehearsalNotes.h"
#include "spirv/EmulatorRehearsalWords.h"
#include "spirv/EmulatorWays.h"

namespace a2::emulator {

class RehearsalSteps {
public:
    RehearsalSteps(RehearsalState& state, FlowNotes& notes)
        : state_(state), notes_(notes), words_(state), ways_(state.code)
    {
    }

    // False: it leaves the loop, or the next step is not known.
    bool step();

private:
    bool go(std::uint32_t number);
    // From a branch that depends on others to the point where its ways meet. False: not known.
    bool skip();
    bool move(const Instruction& one);
    bool moveOwn(const Instruction& one);
    bool loadPush(const Instruction& one, const Access& access);
    bool atomic(const Instruction& one);
    bool calculated(const Instruction& one);
    void compare(const Instruction& one);

    void copy(std::uint32_t to, std::uint32_t from, std::uint32_t count);
    void depends(std::uint32_t first, std::uint32_t count);  // on what others do

    RehearsalState& state_;
    FlowNotes& notes_;
    RehearsedWords words_;
    WaysOfBranches ways_;
    std::vector<Cell> moved_;
    std::vector<Mark> movedMarks_;
};

}  // namespace a2::emulator
