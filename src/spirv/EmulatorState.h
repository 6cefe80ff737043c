// The state of a walk through a dispatch, which all its parts share.
#pragma once

#include "spirv/Emulator.h"
#include "spirv/EmulatorCode.h"
#include "spirv/EmulatorCounts.h"
#include "spirv/EmulatorDelays.h"
#include "spirv/EmulatorFindings.h"
#include "spirv/EmulatorLoops.h"
#include "spirv/EmulatorOrder.h"
#include "spirv/EmulatorTrace.h"

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <vector>

namespace a2::emulator {

// A buffer as a dispatch uses it, at all its bindings.
struct BufferState {
    EmulatedBuffer* buffer = nullptr;
    std::uint32_t* words = nullptr;
    std::uint8_t* set = nullptr;
    EmulatedUse* use = nullptr;
    Shadows shadows;  // empty if no invocation writes to it
    MoreUses more;
    std::uint64_t number = 0;
    bool isWritten = false;  // by an invocation of the dispatch
};

// A descriptor.
struct Resource {
    BufferState* state = nullptr;  // null: nothing is bound
    std::uint64_t offset = 0, bytes = 0;
    std::uint32_t variable = none;
};

// atTurn: at the beginning of a loop that is to be examined together with all invocations there
enum class Status : std::uint8_t { ready, atSubgroup, atTurn, atBarrier, paused, stuck, held, ended };

struct Invocation {
    std::uint32_t at = 0;  // instruction; for an invocation that has ended, the last one
    Status status = Status::ready;
    bool acted = false;
    bool usedMemory = false;  // in a watched work-group, since the last barrier()
    std::uint8_t passed = 0;  // pauses that it has already made, one bit each
    bool gaveUp = false;      // ended in an endless loop, or at an unknown operation
    // It is in a loop that has no end while memory does not change after its last look; null: in none.
    std::shared_ptr<const LoopOutlook> waitsFor;
    std::uint32_t watchedLoop = none;
    std::uint64_t memorySeen = 0;    // WalkState::memory at its previous look at its loop
    std::uint64_t turns = 0;         // of all its loops
    std::uint64_t turnsWaited = 0;   // turns since it last went on in another way
    std::uint32_t waitingSince = 0;  // work-groups started before one had to start for it; 0: none had to
    UnsetOrigin unset;               // of the last unset value that it loaded
    Place line;                      // the line that it has reached, if lines are followed
    std::uint32_t lineFunction = 0;  // the function of this line
};

struct Group {
    std::uint64_t number = 0;  // along x, then y, then z
    std::array<std::uint32_t, 3> id{};
    std::uint32_t started = 0;  // how many work-groups started before it
    std::vector<Cell> cells;
    std::vector<Mark> marks;
    std::vector<Origin> origins;       // of its cells; empty without a trace
    std::vector<std::uint32_t> turns;  // of each loop
    std::vector<Invocation> invocations;
    std::vector<Cell> shared;
    std::vector<Mark> sharedMarks;
    std::vector<Shadow> sharedShadow;
    MoreUses more;
    Messages messages;                                      // for words of shared memory
    std::unordered_map<std::uint64_t, UnsetOrigin> absent;  // for numbers of shared memory: UnsetOrigin::absent
    GroupOrder order;
    std::uint64_t phase = 0;
    GroupCounts counts;
    History history;               // for words of shared memory, if some atomic is early
    std::vector<Ordered> ordered;  // for each invocation, if some atomic is late or early
    bool isHeld = false;           // none of its invocations can go on before one that is held does
    bool isWatched = false;
};

// An invocation at an instruction.
struct Actor {
    Group& group;
    std::uint32_t invocation;
    Cell* cells;
    Mark* marks;
    Origin* origins;   // null without a trace
    std::uint32_t at;  // instruction
    Invocation& self() const { return group.invocations[invocation]; }
};

// What an access does with a word.
struct AccessWays {
    bool reads = false, writes = false, atomic = false, same = false;  // same: writes what is there
    Reach reach = Reach::device;                                       // as in Use
};

std::uint64_t groupsOf(const EmulatedDispatch& dispatch);

struct WalkState {
    // most: work-groups.
    WalkState(const EmulatedDispatch& walked, const EmulatorSettings& given, std::uint64_t most);
    WalkState(const WalkState&) = delete;  // a tracer keeps its address
    WalkState& operator=(const WalkState&) = delete;

    // Whether no instruction may follow the last `steps`, which `left` does not include yet.
    bool usedUp(std::uint64_t steps);
    void use(std::uint64_t steps) { left -= std::min(left, steps); }
    Cell* cellsOf(Group& group, std::uint32_t invocation) const
    {
        return group.cells.data() + std::size_t{invocation} * frame;
    }
    const Cell* cellsOf(const Group& group, std::uint32_t invocation) const
    {
        return group.cells.data() + std::size_t{invocation} * frame;
    }
    // The number of turns of this loop that the invocation has taken.
    std::uint32_t turnsOf(const Group& group, std::uint32_t invocation, std::uint32_t loop) const
    {
        return group.turns[std::size_t{invocation} * code.loops.size() + loop];
    }
    std::uint64_t boundWords() const;  // of all bindings
    // The variable to which this cell belongs; none: it belongs to no variable of this kind.
    std::uint32_t variableAt(Space space, std::uint64_t cell) const;

    const Code& code;
    const EmulatedDispatch& dispatch;
    EmulatorSettings settings;
    std::uint32_t frame = 0, subgroupSize = 32;  // frame: number of cells of an invocation
    bool delays = false, remembers = false;      // some atomic is late or early; some atomic is early
    Emulated result;
    Findings findings;
    std::vector<BufferState> buffers;
    std::vector<Resource> resources;  // by descriptor
    std::unique_ptr<Tracer> tracer;   // null without a trace
    std::vector<std::unique_ptr<Group>> live;
    std::uint64_t groups = 0, startedGroups = 0;                  // work-groups: all, and those started so far
    std::unordered_map<std::uint64_t, std::uint32_t> lateGroups;  // started for others: how many were before
    std::uint64_t memory = 0;                                     // how often it has changed
    std::uint64_t heldSince = 0;        // instructions when the last invocation or atomic was held, or went on
    std::uint64_t left = 0, later = 0;  // instructions until the next check whether to end, and after it
    bool stop = false, unknown = false;

private:
    void bind();
};

}  // namespace a2::emulator
