#include "spirv/Emulator.h"

#include "a2/Error.h"
#include "spirv/EmulatorCores.h"
#include "spirv/EmulatorDecode.h"
#include "spirv/EmulatorSpins.h"
#include "spirv/EmulatorStops.h"
#include "spirv/EmulatorWalk.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace a2 {

std::uint64_t countOf(const WordBits& bits)
{
    std::uint64_t count = 0;
    for (const std::uint64_t one : bits) count += static_cast<std::uint64_t>(std::popcount(one));
    return count;
}

namespace {

// What atomics make of a word in any order, if all of them have this effect. 0: it depends on the order. (Sums of
// floats are rounded.)
std::uint16_t commutingOp(std::uint16_t op)
{
    if (emulator::addsWhole(op)) return spv::OpAtomicIAdd;
    switch (op) {
        case spv::OpAtomicSMin:
        case spv::OpAtomicUMin:
        case spv::OpAtomicSMax:
        case spv::OpAtomicUMax:
        case spv::OpAtomicAnd:
        case spv::OpAtomicOr:
        case spv::OpAtomicXor:
            return op;
        default:
            return 0;
    }
}

}  // namespace

EmulatedKernel::EmulatedKernel(const SpirvModule& module, const Specialisation& given, const Observed& observed)
    : code_(std::make_unique<const emulator::Code>(emulator::decode(module, given, observed)))
{
    atomics_.resize(code_->atomics.size());
    const emulator::Findings lines(*code_);
    using Doing = std::pair<std::uint16_t, std::uint32_t>;  // commutingOp, and bits
    std::map<bool, std::set<Doing>> done;                   // by inBuffer
    for (std::uint32_t at = 0; at < code_->instructions.size(); ++at) {
        const emulator::Instruction& one = code_->instructions[at];
        if (!emulator::isAtomic(one.op)) continue;
        const emulator::Atomic& about = code_->atomics[one.count];
        const emulator::Space space = code_->accesses[about.access].space;
        const bool inLoop = code_->loopOf[at] != emulator::none;
        atomics_[one.count] = {lines.lineOf(at),
                               space == emulator::Space::buffer,
                               inLoop,
                               about.isUsed || one.op == spv::OpAtomicExchange,
                               one.op == spv::OpAtomicCompareExchange && (inLoop || code_->functionOf[at] != 0),
                               emulator::mayBeLate(*code_, one),
                               about.mayBeEarly};
        const std::uint16_t op = about.isUsed ? std::uint16_t{0} : commutingOp(one.op);
        done[space == emulator::Space::buffer].insert({op, one.width});
    }
    for (Atomic& one : atomics_) {
        const std::set<Doing>& all = done[one.inBuffer];
        one.commutes = all.size() == 1 && all.begin()->first != 0;
    }
}
EmulatedKernel::~EmulatedKernel() = default;
EmulatedKernel::EmulatedKernel(EmulatedKernel&&) noexcept = default;
EmulatedKernel& EmulatedKernel::operator=(EmulatedKernel&&) noexcept = default;

std::vector<KernelLine> EmulatedKernel::lines() const
{
    std::vector<KernelLine> all;
    const emulator::Findings findings(*code_);
    for (std::uint32_t at = 0; at < code_->instructions.size(); ++at)
        if (code_->instructions[at].op == emulator::op::line) all.push_back(findings.lineOf(at));
    return all;
}

std::uint32_t EmulatedKernel::invocations() const { return code_->invocations; }

bool EmulatedKernel::readsSubgroupSize() const
{
    return std::ranges::any_of(code_->builtIns, [](const auto& one) { return one.first == spv::BuiltInSubgroupSize; });
}

bool EmulatedKernel::usesSubgroups() const
{
    constexpr std::array<std::uint32_t, 9> ofSubgroups = {
        spv::BuiltInSubgroupSize,   spv::BuiltInNumSubgroups,
        spv::BuiltInSubgroupId,     spv::BuiltInSubgroupLocalInvocationId,
        spv::BuiltInSubgroupEqMask, spv::BuiltInSubgroupGeMask,
        spv::BuiltInSubgroupGtMask, spv::BuiltInSubgroupLeMask,
        spv::BuiltInSubgroupLtMask};
    return std::ranges::any_of(code_->builtIns,
                               [&](const auto& one) { return std::ranges::count(ofSubgroups, one.first) > 0; }) ||
           std::ranges::any_of(code_->instructions, [](const auto& one) { return emulator::isOfSubgroup(one.op); });
}

Emulated emulate(const EmulatedDispatch& dispatch, const EmulatorSettings& settings)
{
    std::optional<emulator::OtherWays> otherWays;
    if (!settings.isFollowed()) otherWays = emulator::otherWaysOf(dispatch, settings);
    std::optional<Emulated> onCores = emulator::emulateOnCores(dispatch, settings);
    Emulated walked = onCores ? std::move(*onCores) : emulator::Walk(dispatch, settings).run();
    if (otherWays && walked.complete && walked.findings.empty()) otherWays->walk(settings, walked);
    return walked;
}

}  // namespace a2
