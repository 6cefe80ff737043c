// What the invocations of a dispatch do with data, counted by following them on the host from the kernel's SPIR-V.
#pragma once

#include "spirv/WorkGroupCheck.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace a2 {

// Between two barrier() calls of a work-group, of one group or of many that go through it side by side.
struct PhaseCounts {
    // How many invocations do something, per parallel step. An invocation takes a step per addition or per word that it
    // writes to a buffer, whichever are more; where it does neither, a step per word that it reads from one, or one for
    // all that it moves in shared memory. Then come additions by atomics to shared memory: those to one word one step
    // after the other.
    std::vector<std::uint64_t> active;
    std::uint64_t additions = 0, reads = 0, writes = 0;  // as in KernelWork; additions with those by atomics
    std::uint64_t lost = 0;  // invocations whose way could not be told any more from somewhere in here on

    bool operator==(const PhaseCounts&) const = default;
};
using Phases = std::vector<PhaseCounts>;

class KernelCounts {
public:
    using Groups = WorkGroupCheck::Groups;
    using Push = std::vector<WorkGroupCheck::Word>;

    // A dispatch of so many work-groups along x, y, z with these push constants. All three must outlive this object.
    // budget: instructions that may be followed; what is followed is taken off it. It runs out at once where a kernel
    // or a work-group is beyond the limits of WorkGroupCheck.
    KernelCounts(const WorkGroupCheck& kernel, const Groups& groups, const Push& push, std::uint64_t& budget);

    std::uint64_t groupCount() const;
    // Of one work-group; number: along x first, then y, then z.
    const Phases& ofGroup(std::uint64_t number);
    // Of all of them together. Followed are the first two, the last two, one in the middle, and, where two of them
    // differ, those between them down to where they begin to; groups between two equal ones count as equal to both.
    // That holds where the conditions of branches are comparisons of what goes evenly with the group's number; where
    // one does not, every group is followed. Empty where the budget ran out before.
    std::optional<Phases> ofAll();
    // The same with every group followed.
    std::optional<Phases> ofEach();

    // The worst bank conflict in each phase of a work-group: the most different words of one bank that `together`
    // neighbouring invocations ask for in one access; two accesses are one where both are the n-th time that the
    // same instruction is come to in the phase. 1: no conflict (all in one word is a broadcast). 0: no access to shared
    // memory. Empty: an index is not known, or the budget ran out. Arrays begin in bank 0; elements have 32 bits.
    using Conflicts = std::vector<std::optional<std::uint32_t>>;
    Conflicts conflicts(std::uint64_t group, std::uint32_t banks, std::uint32_t together);

private:
    using Traces = std::vector<WorkGroupCheck::Trace>;
    struct Request;
    using Words = std::map<Request, std::map<std::uint32_t, std::set<std::uint32_t>>>;  // of each bank

    Traces traces(std::uint64_t number);
    static void addInvocation(const WorkGroupCheck::Trace& trace, Phases& phases);
    static void addTurns(const Traces& all, Phases& phases);
    void addWords(const WorkGroupCheck::Trace& trace, std::uint32_t banks, Words& words,
                  std::set<std::uint64_t>& unknown) const;
    std::optional<Phases> ofSome(std::set<std::uint64_t> looked);
    void addBetween(std::uint64_t first, std::uint64_t last, Phases& sum);

    const WorkGroupCheck& kernel_;
    const Groups& groups_;
    const Push& push_;
    std::uint64_t& budget_;
    std::map<std::uint64_t, Phases> known_;  // by work-group
    std::uint64_t remembered_ = 0;           // numbers in known_
    bool scattered_ = false;                 // equal groups may have others between them
};

// Adds `times` work-groups that go through these phases at the same time.
void addPhases(const Phases& one, std::uint64_t times, Phases& sum);

}  // namespace a2
