// Runs a dispatch of a kernel on the host, invocation by invocation, from its SPIR-V, and reports its errors.
//
// Besides its bits, every value has marks: whether it was ever set, and whether it came from memory. For every number
// of shared memory and every word of a buffer that the kernel writes to, the last uses are noted. So two uses without
// an order between them are found, whatever the order in which the invocations run here.
//
// Rules:
// - shared-race, global-race: two invocations use one word, one of them writes, they are not both atomic, and neither
//   happens before the other (EmulatorOrder.h). barrier() orders shared memory alone: for buffers,
//   memoryBarrierBuffer() or memoryBarrier() must come before it. A `coherent` or `volatile` word of a buffer that is
//   written right after a memory barrier, and read to decide where to go on, counts as a relaxed atomic: flags were
//   made in this way before there was a memory model.
// - out-of-bounds: an access beyond the end of what is bound, of a shared array or of an invocation's own array, or
//   before the first element; or a write to read-only memory. It has no effect, and reads 0.
// - unset-memory: a value that was never set decides a branch or an index, goes into an atomic, or is used in a
//   calculation whose result is stored to a buffer. In the last case it must come from shared memory, from a variable
//   of the kernel itself or from a buffer that is kept from run to run. Allowed are: a mere copy (padding is copied), a
//   value that is loaded and not used, and poison that goes from a buffer to a buffer. The word that such poison is
//   stored to counts as unset, and whether that is an error depends on who reads the result.
// - barrier-divergence: some invocations of a work-group reach a barrier() that others do not reach.
// - endless-loop: the exits of a loop depend on a state that repeats (EmulatorLoops.h), or the loop waits for something
//   that no invocation does any more, or takes more than a million turns where little is bound. A loop that only takes
//   long is no finding.
// - forward-progress: a loop waits for another invocation of its work-group; or see EmulatorSettings::together.
//
// Under `#pragma use_vulkan_memory_model` private accesses have no order with those of other invocations, and writes to
// a buffer must also be made available and visible (EmulatorOrder.h).
//
// Subgroups consist of neighbouring invocations. An operation of a subgroup is done by those invocations that reach it
// on the same path, loops and calls included; the others wait where paths meet again (maximal reconvergence).
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

// Further effects of a kernel that a caller wants to see.
struct Observed {
    bool prints = false;  // execute debugPrintfEXT() (EmulatorSettings::printed) instead of leaving it out
    bool lines = false;   // call EmulatorSettings::atLine
};

// A kernel, decoded once with its specialisation constants.
class EmulatedKernel {
public:
    // Throws KernelError for a module that cannot be run at all. The module need not outlive this object.
    EmulatedKernel(const SpirvModule& module, const Specialisation& given, const Observed& observed = {});
    ~EmulatedKernel();
    EmulatedKernel(EmulatedKernel&&) noexcept;
    EmulatedKernel& operator=(EmulatedKernel&&) noexcept;

    std::uint32_t invocations() const;  // of a work-group
    bool readsSubgroupSize() const;
    bool usesSubgroups() const;  // its effect may depend on their size
    // The kernel's atomic instructions: a pause names one by its index here.
    struct Atomic {
        KernelLine where;
        bool inBuffer = false;  // false: in shared memory
        bool inLoop = false;
        bool hasOrder = false;  // the order of invocations matters: its result is used, or it exchanges
        bool mayLose = false;   // it compares and exchanges in a loop, or in a function that a loop may call
        // See EmulatorSettings::Pause::Way.
        bool mayBeLate = false, mayBeEarly = false;
        // It commutes with all other atomics of the kernel in this kind of memory, and none of their results is used.
        // So their order only shows in reads of these words while they change, and such a read is a race.
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
    std::uint64_t offset = 0, bytes = 0;  // a range of the buffer; what is beyond its end is not bound
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
    // The value of gl_SubgroupSize if it is larger: then no subgroup is full, which a device may do. 0: the same.
    std::uint32_t namedSubgroupSize = 0;
    Order order = Order::forwards;  // of work-groups; backwards: also of the invocations in each
    std::uint64_t seed = 0;         // for a shuffled order
    // How many work-groups take turns, each up to its next barrier(). If it is 1, they run one after the other, unless
    // one waits for another one: then those that have started go on, and a new one only starts where all of them wait.
    // If the new one ends the waiting, that is a forward-progress finding: there is no guarantee that it starts.
    std::uint32_t together = 1;
    // An invocation that reaches this atomic for the first time waits there until all others have ended or wait. Then
    // those that were held go on one after the other, each until it waits or ends. At most 8.
    // Or the atomic takes effect at another time than its place in the program, which is allowed where nothing in
    // between orders memory (EmulatorDelays.cpp):
    // - late: its effect on its word waits for the invocation's next release or its next use of that word; if neither
    //   comes, until all invocations have ended or wait. Only if its result is not used.
    // - early: it reads the oldest value that it may: the value at the invocation's last acquire or its last use of
    //   that word or, without these, at the dispatch's beginning. Only if it does not change the word.
    struct Pause {
        enum class Way : std::uint8_t { pauses, late, early };
        std::uint32_t atomic = 0;
        bool after = false;                  // after the atomic, not before it
        std::optional<std::uint32_t> group;  // only in the work-group started after so many others; empty: all
        // The invocation held last goes on first, and after one of a work-group one of another, so that those of a
        // work-group do not come in a row.
        bool lastFirst = false;
        Way way = Way::pauses;
        // Each time, not only the first time: then those that are held go on in rounds, and in each round the one that
        // was held last at first goes on last. So each time others have changed the word that it compares and
        // exchanges.
        bool eachTime = false;
        bool operator==(const Pause&) const = default;
    };
    std::vector<Pause> pauses;
    // What a device may choose. usual: IEEE's numbers, and the most common results of undefined operations. The other
    // values: functions and divisions that Vulkan allows to err by a few units in the last place ("Precision and
    // Operation of SPIR-V Instructions") err by one, and undefined operations have another result. below: errors go
    // towards 0, and undefined results are ones that no device is known for, different for each operand. above: errors
    // go away from 0, and undefined results are those of rarer devices: shifts use the lowest bits of their distance.
    // From `mixed` on, `mixes` further values: as `below`, but each instruction errs in one or the other direction, so
    // that two errors that would cancel otherwise add up.
    enum class Freedom : std::uint8_t { usual, below, above, mixed } freedom = Freedom::usual;
    static constexpr std::uint8_t mixes = 6;
    std::uint64_t budget = std::uint64_t{1} << 32;  // instructions
    // Called every few million instructions, by any thread of the walk: if it returns true, the walk ends as if the
    // budget were used up. May be empty.
    std::function<bool()> ends;
    std::uint64_t mostTurns = std::uint64_t{1} << 22;  // of a loop: more end the walk as if the budget were used up
    // How many turns one execution of a loop may take where at most `fewWords` words are bound: more count as endless.
    // 0: no limit.
    std::uint64_t endlessTurns = std::uint64_t{1} << 20;
    static constexpr std::uint64_t fewWords = std::uint64_t{1} << 16;
    std::uint32_t cores = 0;  // 0: as many as there are
    bool checks = true;       // look for races
    bool otherWays = true;    // walk a correct dispatch again, in orders in which an invocation may wait in vain
    bool counts = false;      // Emulated::phases
    bool traces = false;      // Emulated::trace; needs counts
    // The number of a work-group (along x, then y, then z) to watch closely.
    std::optional<std::uint64_t> watched;
    bool watchedAlone = false;                         // do not run the others
    bool watchesAll = false;                           // watch all work-groups, one after the other
    std::uint32_t banks = 32, conflictsTogether = 32;  // of shared memory; how many access it at once
    // Called after each barrier() of the watched work-group, and at its end.
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
        std::uint64_t active = 0;  // invocations that used shared memory or a buffer since the last barrier()
        KernelLine barrier;        // the barrier that ended the phase; line 0: the kernel's end, or not known
        std::vector<SharedVariable> shared;
    };
    std::function<void(const SeenPhase&)> seen;
    // Called at each debugPrintfEXT(), in the order in which the invocations reach it here.
    struct Printed {
        KernelLine where;
        KernelActor actor;
        std::uint64_t phase = 0;  // how many barrier()s came before it
        std::string text;         // for a wrong format: the reason, as the end of a sentence about it
        bool wrong = false;
    };
    std::function<void(const Printed&)> printed;
    // Called before each, so that texts that are not wanted are not made; empty: all are wanted.
    std::function<bool(std::uint64_t group, std::uint64_t phase, std::uint32_t invocation)> wantsPrint;
    // Called when an invocation reaches another line, before it does anything there, and at the end of the dispatch
    // (EmulatorStops.h). An exception from it ends the walk, and leaves the buffers as they are then.
    std::function<void(const emulator::Standing&)> atLine;

    // A caller observes the walk while it goes on: so it runs on one core, and once.
    bool isFollowed() const { return printed || atLine; }
};

struct KernelFinding {
    std::string rule;
    std::string what;         // the end of a sentence about the kernel
    std::string cure = {};    // for this very case; empty: use the rule's
    KernelLine where, other;  // other: the other use's; line 0 if there is none
    KernelActor actor, otherActor;
    std::string variable;     // block or variable
    std::string element;      // "sums[17]"
    std::uint64_t times = 1;  // how often the same two instructions were found
    bool decides = true;      // of a value that was never set: a branch or an index may depend on it
};

// One bit for each word of a whole buffer.
using WordBits = std::vector<std::uint64_t>;
std::uint64_t countOf(const WordBits& bits);  // how many are set

// The words that a dispatch reads or writes.
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
    // The first unknown operation: it ended an invocation, or its result is made up.
    struct Unknown {
        KernelLine where;
        std::string what;  // "OpImageRead, which the emulator does not know"
    };
    std::optional<Unknown> unknown;
    std::string unchecked;  // where races were not looked for, and why; empty: everywhere they were
    bool waited = false;    // an invocation waited, in a loop of many turns, for another one to change memory
    bool free = false;      // a calculation may have another result on a device: EmulatorSettings::Freedom
    bool overBudget = false;
    // The kernel may crash a driver, or never end: it leaves an array of its own, or what is bound by more than 256
    // bytes; it may do that because an index was never set; it has an endless loop, or barriers that only some
    // invocations reach.
    bool endangers = false;
    std::uint32_t cores = 1;  // how many cores each walked a part
    std::uint64_t instructions = 0;
    std::uint64_t effort = 0;     // in instructions: those executed, and those of loop turns that were tried beforehand
    std::uint64_t mostTurns = 0;  // that an invocation took of all its loops together
    std::uint64_t invocations = 0, idle = 0;  // idle: neither wrote to memory nor took part in an atomic
    std::vector<EmulatedUse> uses;            // for each bound buffer
    // Where values that were never set, or were made of such values, were stored to buffers: this alone is no finding.
    struct UnsetStore {
        KernelLine where;
        std::string element;  // the first element that was stored to
        std::string from;     // the first source that was never set; empty: not known
        std::uint64_t times = 0;
    };
    std::vector<UnsetStore> unsetStores;

    // With EmulatorSettings::counts:
    Phases phases;                             // of all work-groups together
    std::vector<std::uint64_t> sharedAtomics;  // per phase
    // For the watched work-group. A request, here and below, is what a subgroup (in shared memory: the invocations that
    // access it together) does by one instruction, each invocation for the same number of times since its last
    // barrier().
    Conflicts conflicts;
    std::uint64_t sharedRequests = 0, bankTurns = 0;  // turns: each request needs as many as its worst conflict
    // For buffers, over all requests: different sectors of 32 and different transactions of 128 bytes.
    std::uint64_t requests = 0, sectors = 0, transactions = 0;
    Trace trace;                                        // with EmulatorSettings::traces
    std::uint64_t branches = 0, divergentBranches = 0;  // of subgroups; where both ways are taken
};

// Uses all cores where the result equals a run of one work-group after the other.
Emulated emulate(const EmulatedDispatch& dispatch, const EmulatorSettings& settings = {});

}  // namespace a2
