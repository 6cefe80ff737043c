#include "spirv/EmulatorDecodeFacts.h"

#include "spirv/EmulatorOrder.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace a2::emulator {

void noteLoops(Code& code)
{
    std::vector<std::uint32_t> sorted(code.loops.size());
    for (std::uint32_t i = 0; i < sorted.size(); ++i) sorted[i] = i;
    std::sort(sorted.begin(), sorted.end(), [&](std::uint32_t a, std::uint32_t b) {
        const Loop &x = code.loops[a], &y = code.loops[b];
        return std::pair(x.begin, y.end) < std::pair(y.begin, x.end);
    });
    code.loopOf.assign(code.instructions.size(), none);
    bool calledMeets = false, calledBarriers = false;
    for (std::uint32_t at = 0; at < code.instructions.size(); ++at) {
        if (code.functionOf[at] == 0) continue;
        calledMeets = calledMeets || isOfSubgroup(code.instructions[at].op);
        calledBarriers = calledBarriers || code.instructions[at].op == op::groupBarrier;
    }
    std::vector<std::uint32_t> open;
    std::size_t next = 0;
    for (std::uint32_t at = 0; at < code.instructions.size(); ++at) {
        while (!open.empty() && code.loops[open.back()].end <= at) open.pop_back();
        for (; next < sorted.size() && code.loops[sorted[next]].begin == at; ++next) {
            code.loops[sorted[next]].outer = open.empty() ? none : open.back();
            open.push_back(sorted[next]);
        }
        if (open.empty()) continue;
        code.loopOf[at] = open.back();
        const Instruction& one = code.instructions[at];
        const bool memory = (one.op == op::load && one.flags != static_cast<std::uint8_t>(Space::own)) ||
                            isAtomic(one.op) || one.op == spv::OpReadClockKHR || one.op == op::call;
        for (std::uint32_t loop = open.back(); memory && loop != none && !code.loops[loop].looks;
             loop = code.loops[loop].outer)
            code.loops[loop].looks = true;
        const bool calls = one.op == op::call;
        const bool meets = isOfSubgroup(one.op) || (calls && calledMeets);
        const bool barriers = one.op == op::groupBarrier || (calls && calledBarriers);
        for (std::uint32_t loop = open.back(); (meets || barriers) && loop != none; loop = code.loops[loop].outer) {
            code.loops[loop].meets = code.loops[loop].meets || meets;
            code.loops[loop].barriers = code.loops[loop].barriers || barriers;
        }
    }
}

void noteUses(Code& code)
{
    std::unordered_map<std::uint32_t, Variable*> byPointer;
    for (Variable& one : code.variables)
        if (one.pointer != none) byPointer[one.pointer] = &one;
    for (std::uint32_t at = 0; at < code.instructions.size(); ++at) {
        const Instruction& one = code.instructions[at];
        const bool uses = one.op == op::load || one.op == op::store || one.op == op::chain || one.op == op::copy;
        const auto found = uses ? byPointer.find(one.a) : byPointer.end();
        if (found == byPointer.end()) continue;
        found->second->firstUse = std::min(found->second->firstUse, at);
        found->second->lastUse = std::max(found->second->lastUse, at);
    }
}

}  // namespace a2::emulator
