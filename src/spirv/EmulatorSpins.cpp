#include "spirv/EmulatorSpins.h"

#include "spirv/EmulatorWalk.h"

#include <algorithm>
#include <utility>

namespace a2::emulator {

namespace {

constexpr std::uint64_t mostInvocations = 4096, mostBytes = std::uint64_t{1} << 20;

bool mayWait(const Code& code)
{
    bool called = false;
    std::vector<bool> reads(code.instructions.size());
    for (std::uint32_t at = 0; at < code.instructions.size(); ++at) {
        const Instruction& one = code.instructions[at];
        reads[at] =
            (isAtomic(one.op) && one.op != spv::OpAtomicStore) || (one.op == op::load && code.accesses[one.b].coherent);
        called = called || (reads[at] && code.functionOf[at] != 0);
    }
    for (std::uint32_t at = 0; at < code.instructions.size(); ++at)
        if (code.loopOf[at] != none && (reads[at] || (called && code.instructions[at].op == op::call))) return true;
    return false;
}

}  // namespace

OtherWay::OtherWay(const EmulatedDispatch& dispatch) : dispatch_(dispatch)
{
    for (EmulatedBinding& one : dispatch_.bindings) {
        if (!one.buffer) continue;
        auto found =
            std::find_if(copies_.begin(), copies_.end(), [&](const auto& copy) { return copy.first == one.buffer; });
        if (found == copies_.end())
            found = copies_.emplace(copies_.end(), one.buffer, std::make_unique<EmulatedBuffer>(*one.buffer));
        one.buffer = found->second.get();
    }
}

void OtherWay::walk(const EmulatorSettings& settings, Emulated& found)
{
    EmulatorSettings same = settings;
    same.budget = 8 * found.instructions + (std::uint64_t{1} << 24);  // a spin takes some turns before it is known
    same.counts = same.traces = false;
    same.seen = nullptr;
    Walk walk(dispatch_, same);
    walk.goLastFirst();
    Emulated other = walk.run();
    for (KernelFinding& one : other.findings) {
        if (one.rule != "forward-progress" && one.rule != "endless-loop") continue;
        found.endangers = found.endangers || other.endangers;
        found.findings.push_back(std::move(one));
    }
}

std::optional<OtherWay> otherWayOf(const EmulatedDispatch& dispatch, const EmulatorSettings& settings)
{
    const Code& code = dispatch.kernel->code();
    std::uint64_t bytes = 0;
    for (const EmulatedBinding& one : dispatch.bindings)
        if (one.buffer) bytes += one.buffer->bytes();
    if (!settings.checks || settings.watchedAlone || !settings.pauses.empty() || code.invocations < 2 ||
        groupsOf(dispatch) * code.invocations > mostInvocations || bytes > mostBytes || !mayWait(code))
        return std::nullopt;
    return OtherWay(dispatch);
}

}  // namespace a2::emulator
