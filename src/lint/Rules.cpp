#include "lint/Rules.h"

#include <algorithm>
#include <array>

namespace a2 {

std::span<const Rule> allRules()
{
    static constexpr std::array all = {
        Rule{"no-dispatch", "call cb.dispatch(), and let result() name the buffer that the last dispatch writes",
             Severity::failure, true},
        Rule{"empty-dispatch", "round up the number of work-groups; dispatch nothing where there is nothing to do",
             Severity::note, true},
        Rule{"missing-barrier", "insert the cb.pipelineBarrier(...) that the line spells out", Severity::failure, true},
        Rule{"weak-barrier", "use the stages and access masks that the line spells out", Severity::failure, true},
        Rule{"group-limit", "fold the work-groups over x and y, as gpu.groupsFor() does, or start fewer",
             Severity::failure, true},
        Rule{"range-limit", "bind a slice of the array at a time, as slices() cuts it, from an aligned byte on",
             Severity::failure, true},
        Rule{"push-constant-size", "push the kernel's whole struct, over the range that the layout names",
             Severity::failure, true},
        Rule{"fixed-shape", "take the size from specialisation constant 0, as include/A2Kernels.h does",
             Severity::failure, true},
        Rule{"wasted-invocations", "start as many work-groups as there is work in this step", Severity::failure, true},
        Rule{"unwritten-output", "write every element, those of the tail, too"},
        Rule{"input-modified", "write to a buffer of your own: the input of this row stays as it is"},
        Rule{"stale-state", "let record() start from the same state each time: clear counters with cb.fillBuffer()",
             Severity::failure, true},
        Rule{"out-of-bounds", "guard the access with a condition on the index, and bind what the kernel declares",
             Severity::failure, true},
        Rule{"shared-race", "put a barrier() between the two accesses, outside every condition, or let both be atomic",
             Severity::failure, true},
        Rule{"global-race",
             "inside a work-group put memoryBarrierBuffer(), and after it barrier(), between the two accesses; between "
             "work-groups use another dispatch, or atomics; under Vulkan's memory model declare the buffer coherent, "
             "too, as far as it is shared",
             Severity::failure, true},
        Rule{"barrier-divergence",
             "put the condition round the work, not round the barrier(), and let no invocation return "
             "before one that others come to"},
        Rule{"unset-memory",
             "give it a value first: fill the tail of a shared array with 0, and read in a subgroup only from those "
             "that take part; a buffer is filled with cb.fillBuffer() and a barrier",
             Severity::failure, true},
        Rule{"endless-loop",
             "look at the loop's counter: each turn must bring it nearer to its end, and a stride of 0 never grows"},
        Rule{"forward-progress",
             "inside a work-group use barrier(); wait only for work-groups that have taken their number (a ticket) "
             "before"},
        Rule{"subgroup-size",
             "assume no number of invocations: gl_NumSubgroups and gl_SubgroupID count subgroups, subgroupAdd(1) those "
             "in one; and keep the barrier() of unrolled steps"},
        Rule{"group-order",
             "let the result be the same in any order: look at what depends on which one comes first there, and at "
             "lines that only this order runs"},
        Rule{"rounding",
             "let an element, and every sum, keep all bits of its type on its way: no integer, no half, no round()"},
        Rule{"not-walked",
             "write it with what the walk knows, in fewer steps: what comes after is judged by its result alone",
             Severity::note},
        Rule{"promised-limits", "ask gpu.limits(), and take no more than they say; or take less for every device",
             Severity::note},
        Rule{"method", "do what the criterion says, or hand it in as what it is", Severity::note},
    };
    return all;
}

const Rule* ruleOf(std::string_view name)
{
    const auto all = allRules();
    const auto found = std::find_if(all.begin(), all.end(), [&](const Rule& one) { return one.name == name; });
    return found == all.end() ? nullptr : &*found;
}

}  // namespace a2
