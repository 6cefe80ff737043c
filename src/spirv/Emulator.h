// Runs a dispatch of a kernel on the host, invocation by invocation, from its SPIR-V, and says what is wrong with it.
//
// Every value has marks besides its bits: whether anybody set it, and whether it came from memory. Every number of
// shared memory and every word of a buffer that the kernel writes to has a note of who used it last, so that two uses
// that nothing orders are found in whatever order the invocations happen to run here.
//
// Rules:
// - shared-race, global-race: two invocations use one word, one of them writes, and neither both are atomic nor one
//   happens before the other, as EmulatorOrder.h has it. barrier() is about shared memory alone: for buffers,
//   memoryBarrierBuffer() or memoryBarrier() comes before it. `coherent` and `volatile` words of buffers that are
//   written right after a memory barrier count as relaxed atomics: that is how flags were made before there was a
//   memory model.
// - out-of-bounds: beyond the end of what is bound, of a shared array or of an array of the invocation's own, or before
//   the first element; a write to what is read only. It has no effect, and reads 0.
// - unset-memory: what nobody has set decides a branch or an index, goes into an atomic, or was calculated with and is
//   then stored to a buffer, in which last case it must come from shared memory, a variable of the kernel's own or a
//   buffer that is kept from run to run. A mere copy is none (padding is copied), nor is what is loaded and not used,
//   nor what is poison in a buffer and goes back to a buffer: the word that it is stored to counts as unset, and what
//   that means is up to who reads the result.
// - barrier-divergence: some of a work-group's invocations come to a barrier() that others do not come to.
// - endless-loop: a loop whose ways out depend on what comes again and again (EmulatorLoops.h), or that waits for what
//   nobody does any more; or one that takes more than a million turns where little is bound. What only takes long is
//   none.
// - forward-progress: a loop that waits for another invocation of its work-group, or see EmulatorSettings::together.
//
// Under `#pragma use_vulkan_memory_model` nothing orders private accesses with those of other invocations, and what is
// written to a buffer must be available and visible, too, as EmulatorOrder.h has it.
//
// Subgroups are made of neighbouring invocations. What a subgroup does as one is done by those that come to it on the
// same way, loops and calls included; the others wait where paths meet again (maximal reconvergence).
#pragma once

#include "spirv/EmulatedBuffer.h"
#include "spirv/KernelLine.h"
#include "spirv/PhaseCounts.h"
#include "spirv/Specialisation.h"
#include "spirv/SpirvModule.h"
#include "spirv/Trace.h"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace a2 {

namespace emulator {
struct Code;
class Standing;
}  // namespace emulator

// What a kernel does besides, where that is wanted.
struct Observed {
    bool prints = false;  // debugPrintfEXT() prints (EmulatorSettings::printed), instead of being left out
    bool lines = false;   // EmulatorSettings::atLine is called
};

// A kernel decoded once for its specialisation constants.
class EmulatedKernel {
public:
    // Throws KernelError for a module that cannot be run at all. The module need not outlive this object.
    EmulatedKernel(const SpirvModule& module, const Specialisation& given, const Observed& observed = {});
    ~EmulatedKernel();
    EmulatedKernel(EmulatedKernel&&) noexcept;
    EmulatedKernel& operator=(EmulatedKernel&&) noexcept;

    std::uint32_t invocations() const;  // of a work-group
    bool readsSubgroupSize() const;
    bool usesSubgroups() const;  // what it does may depend on how wide they are
    // Its atomic instructions: a pause names one by its place among them.
    struct Atomic {
        KernelLine where;
        bool inBuffer = false;  // not in shared memory
        bool inLoop = false;
        bool hasOrder = false;  // it matters who comes first: its result is used, or it exchanges
        bool mayLose = false;   // it compares and exchanges in a loop, or in a function, which one may call
        // See EmulatorSettings::Pause::Way.
        bool mayBeLate = false, mayBeEarly = false;
        // With all others of the kernel in this kind of memory, and none of their results is used: whoever reads what
        // they leave there while it changes has a race, and nobody else can tell in which order they came.
        bool commutes = false;
    };
    const std::vector<Atomic>& atomics() const { return atomics_; }
    std::vector<KernelLine> lines() const;  // where EmulatorSettings::atLine may be called
    const emulator::Code& code() const { return *code_; }

private:
    std::unique_ptr<const emulator::Code> code_;
    std::vector<Atomic> atomics_;
};

struct EmulatedBinding {
    std::uint32_t set = 0, binding = 0, element = 0;
    EmulatedBuffer* buffer = nullptr;
    std::uint64_t offset = 0, bytes = 0;  // of it; what is beyond its end is not bound
};

struct EmulatedDispatch {
    const EmulatedKernel* kernel = nullptr;
    std::array<std::uint32_t, 3> base{}, groups = {1, 1, 1};  // work-groups
    std::vector<std::uint8_t> push;                           // bytes of the push constants
    std::vector<bool> pushed;                                 // which of them are known; empty: all
    std::vector<EmulatedBinding> bindings;
};

struct KernelActor {                       // an invocation
    std::uint64_t group = 0;               // along x, then y, then z
    std::uint32_t invocation = 0;          // gl_LocalInvocationIndex
    std::array<std::uint32_t, 3> local{};  // gl_LocalInvocationID
};

struct EmulatorSettings {
    enum class Order { forwards, backwards, shuffled };

    std::uint32_t subgroupSize = 32;  // 1 to 128
    // What gl_SubgroupSize is where that is more: no subgroup is full then, as a device may have it. 0: the same.
    std::uint32_t namedSubgroupSize = 0;
    Order order = Order::forwards;  // of work-groups; backwards: of the invocations of each, too
    std::uint64_t seed = 0;         // of a shuffled order
    // Work-groups that take turns, each up to its next barrier(). One is done after the other where it is 1, unless one
    // waits for what another one does: then those that have started go on, and only where all of them wait a new one
    // begins. What it then does to end the waiting is a forward-progress finding: nobody promises that it starts.
    std::uint32_t together = 1;
    // An invocation that comes to this atomic for the first time waits there until all others have ended or wait. Then
    // those that were held go on one after the other, each up to where it waits or ends. At most 8.
    // Or what it does comes at another time than its place in the program, as it may where nothing is in between that
    // orders memory (EmulatorDelays.cpp):
    // - late: what it does to its word waits for the invocation's next release or its next use of that word; otherwise
    //   it comes when all have ended or wait, too. Only where nobody uses its result.
    // - early: it reads what its word held as long ago as may be: at the invocation's last acquire or its last use of
    //   that word, otherwise at the dispatch's beginning. Only where it does not change the word.
    struct Pause {
        enum class Way : std::uint8_t { pauses, late, early };
        std::uint32_t atomic = 0;
        bool after = false;                  // after it, not before
        std::optional<std::uint32_t> group;  // only of the work-group that so many have started before; empty: of all
        bool lastFirst = false;              // who was held last goes on first
        Way way = Way::pauses;
        // Not only the first time: then those that are held go on in rounds, and in each of them the one that was held
        // last at first goes on last. What it compares and exchanges, others have changed each time.
        bool eachTime = false;
        bool operator==(const Pause&) const = default;
    };
    std::vector<Pause> pauses;
    // What a device is free in. usual: IEEE's numbers, and what most devices make of what is undefined. Otherwise
    // functions and divisions that Vulkan lets err by a few units in the last place ("Precision and Operation of SPIR-V
    // Instructions") do so by one, and what is undefined is some other number. below: towards 0, and one that no device
    // is known for, another of each operand. above: from 0, and one that rarer devices give: shifts go by the lowest
    // bits of their distance. From `mixed` on, so many as `mixes`: as `below`, but for each instruction the one way or
    // the other, so that errors of two add up which otherwise cancel.
    enum class Freedom : std::uint8_t { usual, below, above, mixed } freedom = Freedom::usual;
    static constexpr std::uint8_t mixes = 6;
    std::uint64_t budget = std::uint64_t{1} << 32;  // instructions
    // Asked every some million instructions, by any of its threads: true ends the walk as if the budget were used up.
    // Empty: nobody is asked.
    std::function<bool()> ends;
    std::uint64_t mostTurns = std::uint64_t{1} << 22;  // of a loop: more end the walk as if the budget were used up
    // Of one execution of a loop, where no more than `fewWords` words are bound: more have no end. 0: nobody asks.
    std::uint64_t endlessTurns = std::uint64_t{1} << 20;
    static constexpr std::uint64_t fewWords = std::uint64_t{1} << 16;
    std::uint32_t cores = 0;  // 0: as many as there are
    bool checks = true;       // look for races
    bool otherWays = true;    // a dispatch that is right is walked again in orders in which somebody may wait in vain
    bool counts = false;      // Emulated::phases
    bool traces = false;      // Emulated::trace; needs counts
    // A work-group (number along x, then y, then z) that is looked at closely.
    std::optional<std::uint64_t> watched;
    bool watchedAlone = false;                         // the others are not run
    bool watchesAll = false;                           // all work-groups are looked at, one after the other
    std::uint32_t banks = 32, conflictsTogether = 32;  // of its shared memory, and how many ask at once
    // Called after each barrier() of it, and at its end.
    struct SharedVariable {
        std::string name;
        std::uint32_t bank = 0;  // of its first number
        std::uint32_t bits = 0;  // of each of its numbers; 0: they differ
        bool isReal = false, isSigned = false;
        std::vector<std::uint64_t> numbers;
        std::vector<bool> set;

        bool operator==(const SharedVariable&) const = default;
    };
    struct SeenPhase {
        std::uint64_t group = 0;
        std::uint64_t number = 0;  // from 0
        std::uint64_t active = 0;  // invocations that used shared memory or a buffer since the barrier() before
        KernelLine barrier;        // the one that ended it; line 0: the kernel's end, or not known
        std::vector<SharedVariable> shared;
    };
    std::function<void(const SeenPhase&)> seen;
    // Called at each debugPrintfEXT(), in the order in which the invocations come to it here.
    struct Printed {
        KernelLine where;
        KernelActor actor;
        std::uint64_t phase = 0;  // from 0: barrier()s before it
        std::string text;         // of a format that is wrong: why, as the end of a sentence about it
        bool wrong = false;
    };
    std::function<void(const Printed&)> printed;
    // Asked before each, so that nothing is made of what nobody will see; empty: all are wanted.
    std::function<bool(std::uint64_t group, std::uint64_t phase, std::uint32_t invocation)> wantsPrint;
    // Called where an invocation comes to another line, before it does anything there, and at the end of the dispatch
    // (EmulatorStops.h). What it throws ends the walk, and leaves the buffers as they are then.
    std::function<void(const emulator::Standing&)> atLine;

    // The walk is looked at while it goes on: on one core, and once.
    bool isFollowed() const { return printed || atLine; }
};

struct KernelFinding {
    std::string rule;
    std::string what;         // the end of a sentence about the kernel
    std::string cure = {};    // for this very case; empty: that of the rule
    KernelLine where, other;  // other: of the other use; line 0 where there is none
    KernelActor actor, otherActor;
    std::string variable;     // block or variable
    std::string element;      // "sums[17]"
    std::uint64_t times = 1;  // how often the same two instructions did so
};

// A bit for each word of a whole buffer.
using WordBits = std::vector<std::uint64_t>;
std::uint64_t countOf(const WordBits& bits);  // of those that are set

// Words that a dispatch reads or writes.
struct EmulatedUse {
    const EmulatedBuffer* buffer = nullptr;
    WordBits read, written;

    static bool has(const WordBits& bits, std::uint64_t word)
    {
        return word / 64 < bits.size() && (bits[word / 64] >> (word % 64) & 1) != 0;
    }
};

struct Emulated {
    std::vector<KernelFinding> findings;
    struct Note {
        KernelLine where;  // line 0: not known
        std::string what;
        bool operator==(const Note&) const = default;
    };
    std::vector<Note> notes;  // what GLSL leaves undefined
    bool complete = false;    // every invocation was followed to its end
    // The first operation that is not known: it ended an invocation, or what it gives is made up.
    struct Unknown {
        KernelLine where;
        std::string what;  // "OpImageRead, which the emulator does not know"
    };
    std::optional<Unknown> unknown;
    std::string unchecked;  // what no races were looked for in, and why; empty: nothing
    bool waited = false;    // an invocation, in a loop of many turns, for what another one may do to memory
    bool free = false;      // something was calculated that a device may calculate otherwise: EmulatorSettings::Freedom
    bool overBudget = false;
    // A driver may not survive it, or never come to its end: it leaves arrays of its own, or what is bound to it by
    // more than 256 bytes; it may do so where nobody has set an index; it has an endless loop, or barriers that only
    // some come to.
    bool endangers = false;
    std::uint32_t cores = 1;  // that each walked a part
    std::uint64_t instructions = 0;
    std::uint64_t effort = 0;       // in instructions: theirs, and that of turns of loops that were tried beforehand
    std::uint32_t longestLoop = 0;  // turns that an invocation took of a loop at once, a multiple of 1024
    std::uint64_t invocations = 0, idle = 0;  // idle: neither wrote to memory nor took part in an atomic
    std::vector<EmulatedUse> uses;            // of each buffer that is bound
    // Where words were stored to buffers that nobody had set, or that were made of such: no finding by itself.
    struct UnsetStore {
        KernelLine where;
        std::string element;  // that was stored to first
        std::string from;     // what nobody had set, first; empty: not known
        std::uint64_t times = 0;
    };
    std::vector<UnsetStore> unsetStores;

    // With EmulatorSettings::counts:
    Phases phases;                             // of all work-groups together
    std::vector<std::uint64_t> sharedAtomics;  // per phase
    // Of the watched work-group. A request here and below: what a subgroup (of shared memory: the invocations that ask
    // together) does by one instruction, each invocation as often as the others since its last barrier().
    Conflicts conflicts;
    std::uint64_t sharedRequests = 0, bankTurns = 0;  // turns: of each request as many as its worst conflict
    // Of buffers, over all requests: sectors of 32 and transactions of 128 bytes, where none is asked for twice.
    std::uint64_t requests = 0, sectors = 0, transactions = 0;
    Trace trace;                                        // with EmulatorSettings::traces
    std::uint64_t branches = 0, divergentBranches = 0;  // branches of subgroups, and where both ways are gone
};

// On all cores where that is not to be told from one work-group after the other.
Emulated emulate(const EmulatedDispatch& dispatch, const EmulatorSettings& settings = {});

}  // namespace a2
