#include "spirv/EmulatorSpins.h"

#include "spirv/EmulatorWalk.h"

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

OtherWays::OtherWays(const EmulatedDispatch& dispatch) : dispatch_(dispatch)
{
    for (const EmulatedBinding& one : dispatch_.bindings)
        if (one.buffer) before_.try_emplace(one.buffer, *one.buffer);
}

bool OtherWays::walkOne(const EmulatorSettings& settings, bool lastFirst, Emulated& found) const
{
    std::map<EmulatedBuffer*, EmulatedBuffer> buffers = before_;
    EmulatedDispatch dispatch = dispatch_;
    for (EmulatedBinding& one : dispatch.bindings)
        if (one.buffer) one.buffer = &buffers.at(one.buffer);
    Walk walk(dispatch, settings);
    if (lastFirst) walk.goLastFirst();
    Emulated other = walk.run();
    bool waits = false;
    for (KernelFinding& one : other.findings) {
        if (one.rule != "forward-progress" && one.rule != "endless-loop") continue;
        waits = true;
        found.endangers = found.endangers || other.endangers;
        found.findings.push_back(std::move(one));
    }
    return waits;
}

void OtherWays::walk(const EmulatorSettings& settings, Emulated& found) const
{
    EmulatorSettings same = settings;
    same.budget = 8 * found.effort + (std::uint64_t{1} << 25);  // a spin takes some turns before it is recognised
    same.counts = same.traces = false;
    same.seen = nullptr;
    if (walkOne(same, true, found)) return;
    const Code& code = dispatch_.kernel->code();
    for (std::uint32_t at = 0; at < code.instructions.size(); ++at) {
        const Instruction& one = code.instructions[at];
        // A loop may call the function that tries to get a lock.
        const bool tries = isAtomic(one.op) && one.op != spv::OpAtomicLoad && one.op != spv::OpAtomicStore;
        if (!tries || (code.loopOf[at] == none && code.functionOf[at] == 0)) continue;
        same.pauses = {{one.count, true, {}, true}};
        if (walkOne(same, false, found)) return;
    }
}

std::optional<OtherWays> otherWaysOf(const EmulatedDispatch& dispatch, const EmulatorSettings& settings)
{
    const Code& code = dispatch.kernel->code();
    std::uint64_t bytes = 0;
    for (const EmulatedBinding& one : dispatch.bindings)
        if (one.buffer) bytes += one.buffer->bytes();
    if (!settings.checks || !settings.otherWays || settings.watchedAlone || !settings.pauses.empty() ||
        code.invocations < 2 || groupsOf(dispatch) * code.invocations > mostInvocations || bytes > mostBytes ||
        !mayWait(code))
        return std::nullopt;
    return OtherWays(dispatch);
}

}  // namespace a2::emulator
