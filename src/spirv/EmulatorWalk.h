// The walk through a dispatch: the state that all its parts share.
#pragma once

#include "spirv/Emulator.h"
#include "spirv/EmulatorArithmetic.h"
#include "spirv/EmulatorCode.h"
#include "spirv/EmulatorCounts.h"
#include "spirv/EmulatorDelays.h"
#include "spirv/EmulatorFindings.h"
#include "spirv/EmulatorLoops.h"
#include "spirv/EmulatorOrder.h"
#include "spirv/EmulatorTrace.h"

#include <memory>
#include <set>
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
    bool aligned = false;  // offset is a multiple of a word
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
    std::uint64_t memorySeen = 0;    // Walk::memory_ at its previous look at its loop
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
    bool blocked = false;          // it waits for others
    bool isWatched = false;
};

enum class Progress : std::uint8_t { barrier, done, paused, stuck };

struct AtomicKind {
    bool reads = true, writes = true, changes = true;  // changes: the new value depends on the old one
    bool compares = false;
};
AtomicKind kindOf(std::uint16_t opcode);
// See EmulatorSettings::Pause::Way.
bool mayBeLate(const Code& code, const Instruction& one);

// The new value that an atomic gives its word. equal: the old value equals the one to compare with, or it does not
// compare.
Cell changedBy(const Instruction& one, Cell old, Cell given, bool equal);
// An invocation in its subgroup, and its cells.
struct SubgroupLane {
    std::uint32_t number = 0;
    Cell* cells = nullptr;
    Mark* marks = nullptr;
    Origin* origins = nullptr;  // null without a trace
};
// An operation of those lanes that take part, in order. tracer: null without a trace.
void calculateTogether(const Instruction& one, const std::vector<SubgroupLane>& lanes, std::uint32_t subgroupSize,
                       Tracer* tracer);
// The cells that each lane reads, of which all results may be made, and how many cells of a result each writes.
struct SubgroupCells {
    std::pair<std::uint32_t, std::uint32_t> values, choice;  // first cell, and how many; choice: whose value is taken
    std::uint32_t written = 0;
    bool keepsLowBits = false;  // the low bits of results depend only on the low bits of values
};
SubgroupCells cellsOf(const Instruction& one);
void followChain(const Code& code, const Instruction& one, Cell* cells, Mark* marks);

std::uint64_t groupsOf(const EmulatedDispatch& dispatch);

class Walk {
public:
    // Walks this many work-groups, from the first one on, if they run forwards; otherwise all of them.
    Walk(const EmulatedDispatch& dispatch, const EmulatorSettings& settings, std::uint64_t first = 0,
         std::uint64_t groups = UINT64_MAX);
    // Runs the invocations of a work-group from the last to the first.
    void goLastFirst() { lastFirst_ = true; }
    Emulated run();

private:
    // Emulator.cpp: the dispatch
    void bind();
    std::unique_ptr<Group> startGroup();
    void finishGroup(Group& group);
    void unblock();
    bool isHopeless() const;
    bool letGoOn();
    void endWaiting();
    bool advanceAll();
    bool advanceOne(std::size_t place);
    std::array<std::uint32_t, 3> groupId(std::uint64_t number) const;
    std::uint64_t inOrder(std::uint64_t place) const;
    void setBuiltIns(Group& group, std::uint32_t invocation);

    // EmulatorGroup.cpp: a work-group, up to its next barrier
    Progress advance(Group& group);
    bool runSubgroup(Group& group, std::uint32_t first);
    Cell wordOf(const Group& group, const WordName& name) const;
    const WatchedWord* changedFor(const Group& group, const Invocation& one) const;
    bool waitsStill(const Group& group, const Invocation& one) const;
    void wake(Group& group, bool byOwn);
    void divergence(Group& group);
    void lookTogether(Group& group);
    void lookTogether(Group& group, std::uint32_t invocation);
    bool mayLookTogether(const Group& group, const std::vector<std::uint32_t>& members, bool barriers) const;
    bool samePlace(const Group& group, std::uint32_t a, std::uint32_t b) const;
    bool earlier(const Group& group, std::uint32_t a, std::uint32_t b) const;
    std::vector<std::uint32_t> wayOf(const Group& group, std::uint32_t invocation) const;
    void endPhase(Group& group, std::uint32_t barrier);
    void showPhase(Group& group, std::uint32_t barrier) const;

    // EmulatorSubgroup.cpp
    void together(Group& group, std::uint32_t first, const std::vector<std::uint32_t>& members);

    // EmulatorInvocation.cpp: an invocation, until it must wait
    void run(Group& group, std::uint32_t invocation);
    void followEdge(const Edge& edge, Cell* cells, Mark* marks);

    // EmulatorTurns.cpp: loops that may have no end, and pauses
    bool turn(Group& group, std::uint32_t invocation, std::uint32_t loop);
    bool takesTooMany(const Group& group, std::uint32_t invocation, std::uint32_t loop, bool own) const;
    bool foundTooMany(Group& group, std::uint32_t invocation, std::uint32_t loop, std::uint64_t turns);
    LoopOutlook outlook(const LoopQuestion& question);
    LoopOutlook outlook(const Group& group, std::uint32_t invocation, std::uint32_t loop, std::uint32_t turns);
    LoopOutlook outlook(const Group& group, const std::vector<std::uint32_t>& members, std::uint32_t loop,
                        std::uint32_t turns);
    bool judgeLoop(Group& group, std::uint32_t invocation, std::uint32_t loop, const LoopOutlook& outlook);
    std::vector<std::uint32_t> companions(const Group& group, std::uint32_t invocation, std::uint32_t loop) const;
    std::vector<std::uint32_t> loopsRound(const Group& group, std::uint32_t invocation) const;
    void foundEndless(const Group& group, std::uint32_t invocation, std::uint32_t loop, const std::string& what);
    void lookAtLoops();
    bool holds(Group& group, std::uint32_t invocation, const Instruction& one, bool after);
    void giveUp(Group& group, std::uint32_t invocation, std::uint32_t at);
    bool usedUp(std::uint64_t steps);

    // EmulatorMemory.cpp
    struct Actor {
        Group& group;
        std::uint32_t invocation;
        Cell* cells;
        Mark* marks;
        Origin* origins;   // null without a trace
        std::uint32_t at;  // instruction
        Invocation& self() const { return group.invocations[invocation]; }
    };
    void load(const Instruction& one, const Actor& actor);
    void store(const Instruction& one, const Actor& actor);
    void atomic(const Instruction& one, const Actor& actor);
    void arrayLength(const Instruction& one, const Actor& actor);
    bool usable(const Cell* pointer, const Actor& actor, std::uint32_t pointerCell, bool writes);
    Resource* resourceFor(const Cell* pointer, const Access& access, const Actor& actor, bool writes);
    void loadBuffer(const Instruction& one, const Actor& actor, const Access& access);
    void storeBuffer(const Instruction& one, const Actor& actor, const Access& access);
    void loadShared(const Instruction& one, const Actor& actor, std::uint64_t from, std::uint32_t count);
    void storeShared(const Instruction& one, const Actor& actor, std::uint64_t to, std::uint32_t count);
    void loadPush(const Instruction& one, const Actor& actor, const Access& access);
    struct Ways {
        bool reads = false, writes = false, atomic = false, same = false;  // same: writes what is there
        Reach reach = Reach::device;                                       // as in Use
    };
    bool isPrivate(std::uint32_t at) const;
    void noteShared(const Actor& actor, std::uint64_t cell, const Ways& ways);
    void countRequest(const Actor& actor, const BufferState& state, std::uint64_t byte, std::uint64_t bytes);
    void noteBuffer(const Actor& actor, Resource& resource, std::uint64_t byte, std::uint32_t bytes, const Ways& ways);
    void noteWord(const Actor& actor, Resource& resource, std::uint64_t word, std::uint32_t bytes, const Ways& ways);
    Origin traceShared(const Actor& actor, std::uint64_t cell, const Ways& ways, Origin from);
    Origin traceBuffer(const Actor& actor, const Resource& resource, std::uint64_t word, const Ways& ways, Origin from);
    void synchronise(const Actor& actor, Kept kept, Messages& messages, std::uint64_t word, const Ways& ways,
                     bool replaces, const Semantics& semantics, Message* later = nullptr);
    void publish(Messages& messages, std::uint64_t word, const Message& published, bool replaces) const;
    Cell valueOf(const AtomicWord& word, Mark& made) const;
    void change(const AtomicWord& word, Cell value, Mark made, std::uint32_t thread, bool adds = false);
    void noteAwaited(const Group& group, std::uint32_t invocation, const WordName& name);
    void noteLate(const Actor& actor, const Shadow& shadow, std::uint64_t byte, const Resource& resource);
    void noteUnsetStore(const Actor& actor, const Resource& resource, std::uint64_t offset);
    void unsetLoaded(const Actor& actor, Space space, std::uint32_t variable, std::uint64_t offset);
    static void unsetLoaded(const Actor& actor, const std::unordered_map<std::uint64_t, UnsetOrigin>& absent,
                            std::uint64_t word);
    static void unsetStored(const Actor& actor, std::unordered_map<std::uint64_t, UnsetOrigin>& absent,
                            std::uint64_t word);
    std::uint32_t variableAt(Space space, std::uint64_t cell) const;

    // EmulatorDelays.cpp
    const EmulatorSettings::Pause* delayOf(const Group& group, const Instruction& one) const;
    void settleFor(const Actor& actor, const Group* home, const BufferState* state, std::uint64_t from,
                   std::uint64_t count, Reach handsOn);
    bool reaches(std::uint32_t thread, Reach reach, std::uint32_t other) const;
    Reach handedOn(const Actor& actor, Kept kept, const Semantics& semantics) const;
    void settle(std::size_t place);
    bool settleFirst();
    void releaseLate(const Group& group, std::uint32_t invocation, const Semantics& semantics);
    void fenceForDelays(Group& group, std::uint32_t invocation, const Semantics& semantics);
    void acquireForDelays(Group& group, std::uint32_t invocation, const Semantics& semantics);
    void meetForDelays(Group& group, const std::vector<std::uint32_t>& members, const Semantics& semantics);
    void remember(Group* home, const BufferState* state, std::uint64_t word, std::uint32_t thread, bool adds = false);
    std::optional<Recalled> recalled(const Actor& actor, const AtomicWord& word, bool writes) const;
    void noteUsed(const Actor& actor, const AtomicWord& word);

    // EmulatorFindings.cpp
    KernelActor describe(const Group& group, std::uint32_t invocation) const;
    KernelActor describeThread(const Group& group, const Use& use, Kept kept) const;
    std::string called(const KernelActor& actor, const KernelActor* before) const;
    std::string does(std::uint32_t at, const std::string& what) const;
    std::string secondName(std::uint32_t variable, std::uint64_t offset) const;
    void foundRace(const Actor& actor, const Conflict& conflict, Kept kept, std::uint32_t variable,
                   std::uint64_t offset, const Ways& ways);
    void foundOutside(const Actor& actor, const Cell* pointer, bool writes);
    void foundBehindEnd(const Actor& actor, const Resource& resource, std::uint64_t offset, bool writes,
                        const char* problem);
    UnsetOrigin originOfUnset(const Actor& actor) const;
    void foundUnset(const Actor& actor, const char* use);
    void foundUndefined(const Actor& actor, Undefined what);
    void noteOnce(std::uint32_t at, const char* what);
    void noteUnknown(std::uint32_t at, const std::string& what);

    // EmulatorAliases.cpp
    struct AliasUse {  // a use of a word through one of the variables that name it
        std::uint32_t variable = 0;
        bool writes = false;
        std::uint32_t at = 0;
        std::uint64_t group = 0;
        std::uint32_t invocation = 0;
    };
    void lookForAliases();
    void noteAlias(const Actor& actor, const Resource& resource, std::uint64_t word, const Ways& ways);
    void foundAlias(const Actor& actor, const Resource& resource, std::uint64_t word, const AliasUse& other);

    // EmulatorPrint.cpp
    void print(const Instruction& one, const Actor& actor);

    // EmulatorStops.cpp
    friend class Standing;
    void stopAt(Group& group, std::uint32_t invocation, std::uint32_t at);

    const Code& code_;
    const EmulatedDispatch& dispatch_;
    EmulatorSettings settings_;
    Emulated result_;
    Findings findings_;
    std::vector<BufferState> buffers_;
    std::vector<Resource> resources_;
    Messages messages_;     // for words of buffers
    bool aliases_ = false;  // a `restrict` variable's memory has another name
    std::unordered_map<std::uint64_t, std::vector<AliasUse>> aliased_;  // by word, for such memory
    std::unordered_map<std::uint64_t, UnsetOrigin> absent_;             // for words of buffers: UnsetOrigin::absent
    std::vector<std::unique_ptr<Group>> live_, idle_;                   // idle_: for reuse
    std::set<std::pair<std::uint32_t, const char*>> noted_;  // for Emulated::notes: instructions, and the texts
    UnsetOrigin unsetRead_;                                  // the first loaded word of a buffer that was never set
    std::unordered_map<std::uint32_t, std::size_t> unsetStoreOf_;  // by instruction: index into Emulated::unsetStores
    std::unordered_map<std::uint64_t, std::uint32_t> lateGroups_;  // started for others: how many were before
    std::vector<Cell> moved_;
    std::vector<Mark> movedMarks_;
    std::vector<std::uint32_t> members_;
    struct Held {
        std::uint64_t group = 0;
        std::uint32_t invocation = 0, pause = 0;
        std::uint64_t round = 0;
    };
    std::vector<Held>::iterator nextHeld();
    std::vector<Held> held_;   // in the order in which they reached their pauses
    std::uint64_t round_ = 0;  // for those that are held each time
    std::optional<std::pair<std::uint64_t, std::uint32_t>> goesLast_;  // work-group and invocation
    std::uint64_t heldSince_ = 0;  // instructions when the last one was held, or went on
    bool isPatient() const;
    std::vector<LateAtomic> late_;  // in the order in which they were delayed
    History history_;               // for words of buffers
    std::uint64_t moment_ = 0;
    bool delays_ = false, remembers_ = false;  // some atomic is late or early; some atomic is early
    GroupOrder anyOrder_;                      // for what is the same in all work-groups
    std::unique_ptr<Tracer> tracer_;           // null without a trace
    std::uint32_t request_ = 0;                // number of the last request
    std::uint64_t firstGroup_ = 0, groups_ = 0, startedGroups_ = 0, memory_ = 0;  // memory_: how often it has changed
    std::uint64_t rounds_ = 0;
    std::uint64_t endlessTogether_ = 0;   // as EmulatorSettings::endlessTurns, for loops in which subgroups meet
    std::uint64_t clock_ = 0;             // for OpReadClockKHR
    std::uint64_t knownPush_ = 0;         // bytes of the push constants, from the first on, that are all known
    std::uint64_t left_ = 0, later_ = 0;  // instructions until the next check whether to end, and after it
    std::uint32_t frame_ = 0, subgroupSize_ = 32, sharedTime_ = 1;
    bool stop_ = false, unknown_ = false, lastFirst_ = false;
};

}  // namespace a2::emulator
