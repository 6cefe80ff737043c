// Runs some turns of a loop, step by step, on a copy of its invocations, and notes which values are made of which.
#pragma once

#include "spirv/EmulatorFlows.h"
#include "spirv/EmulatorWays.h"

#include <optional>

namespace a2::emulator {

constexpr Mark fromOthers = 128;  // may depend on what other invocations do

class Rehearsal {
public:
    explicit Rehearsal(const LoopQuestion& question);

    // Call it once. Empty: it is not known what the loop does.
    std::optional<Rehearsed> run();
    std::uint64_t steps() const { return steps_; }  // steps that were tried

    // Whether it takes that many turns whatever others do or, with `trusts`, as long as memory does not change.
    bool takes(std::uint64_t turns, bool trusts);

private:
    // An invocation.
    struct Lane {
        enum class State : std::uint8_t { running, atBoundary, atSubgroup, atBarrier };
        std::uint32_t invocation = 0, at = 0;  // at: instruction
        State state = State::running;
    };

    bool all(Lane::State state) const;
    void release();
    // Each lane goes on until it waits for others, and then all of them from there. False: the next step is not known.
    bool goOn();
    std::vector<std::uint32_t> wayOf(std::uint32_t lane) const;
    // A subgroup operation of those lanes that are first on their way.
    bool meetIn(std::uint32_t first, std::uint32_t end);

    std::uint32_t place(std::uint32_t cell) const { return cell < frame_ ? base_ + cell : cell; }
    Cell& cell(std::uint32_t number) { return cells_[place(number)]; }
    bool isOthers(std::uint32_t number) const { return follows_ && (marks_[place(number)] & fromOthers) != 0; }

    // False: it leaves the loop, or the next step is not known.
    bool step();
    bool go(std::uint32_t number);
    // From a branch that depends on others to the point where its ways meet. False: not known.
    bool skip();

    void boundary() { made_.boundaries.push_back({cells_, made_.flows.size()}); }
    void begin() { firstRead_ = static_cast<std::uint32_t>(made_.ranges.size()); }
    void read(std::uint32_t first, std::uint32_t count)
    {
        if (!follows_) made_.ranges.push_back({place(first), count});
    }
    Flow& flowed(std::uint32_t write, std::uint32_t writes);
    void copied(std::uint32_t to, std::uint32_t from, std::uint32_t count);
    void decide(std::uint32_t cell);
    // A value read or written through a pointer also depends on the pointer's target.
    void pointed(std::uint32_t pointer, std::uint32_t to, std::uint32_t count);

    // The cell that stands for a word of memory.
    std::uint32_t cellOfWord(const WordName& name, Cell now);
    // The words that a pointer into shared memory or a buffer leads to, number by number; false: not known.
    bool words(const Instruction& one, const Access& access, std::uint32_t count, std::vector<std::uint32_t>& found,
               bool& changes, std::uint32_t atomicBits = 0);
    bool move(const Instruction& one);
    bool atomic(const Instruction& one);
    bool calculated(const Instruction& one);
    void compare(const Instruction& one);

    const Code& code_;
    const LoopQuestion& asked_;
    const Loop& loop_;
    std::uint32_t frame_;
    bool together_;  // what invocations do in turn, and together; otherwise nothing is known of what others do
    std::vector<Lane> lanes_;
    std::uint32_t scratch_ = 0;         // the first of the cells through which moves go
    std::vector<std::uint32_t> turns_;  // of each loop, for each lane
    // For the lane that runs now:
    std::uint32_t base_ = 0;  // its first cell
    Lane::State state_ = Lane::State::running;
    std::uint64_t steps_ = 0;  // of all lanes
    std::vector<Cell> cells_;
    std::vector<Mark> marks_;
    Rehearsed made_;
    WaysOfBranches ways_;
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> cellOfWord_;
    std::vector<Cell> moved_;
    std::vector<Mark> movedMarks_;
    bool follows_ = false;  // only runs, and notes no flows
    bool trusts_ = false;   // memory does not change
    Flow ignored_;
    std::vector<std::uint32_t> words_;
    std::uint32_t at_ = 0, firstRead_ = 0;
    bool mixed_ = false;  // a word is used both alone and as a part of a number
};

}  // namespace a2::emulator
