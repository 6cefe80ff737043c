#include "gpu/SpirvFlow.h"

#include <algorithm>

namespace a2 {

namespace {

spv::Op opcodeOf(SpirvWords words) { return static_cast<spv::Op>(words[0] & spv::OpCodeMask); }

}  // namespace

SpirvFlow::SpirvFlow(SpirvWords module, const SpirvDeclarations& declarations) : declarations_(declarations)
{
    std::uint32_t function = 0;
    forEachInstruction(module, [&](spv::Op opcode, SpirvWords words) {
        if (opcode == spv::OpEntryPoint) main_ = words[2];
        if (opcode == spv::OpTypeInt) only32Bits_ = only32Bits_ && words[2] == 32;
        if (opcode == spv::OpFunction) function = words[2];
        if (function == 0) return;
        Function& into = functions_[function];
        if (opcode == spv::OpLabel) into.labels[words[1]] = into.code.size();
        into.code.emplace_back(words.begin(), words.end());
    });
    const std::uint32_t ids = module.size() > 3 ? module[3] : 0;  // all are lower
    const auto number = [&](std::uint32_t constant) {
        const auto known = declarations.value(constant);
        return known ? Word(static_cast<std::uint32_t>(*known)) : std::nullopt;
    };
    constants_.resize(ids);
    variables_.resize(ids);
    for (std::uint32_t id = 0; id < ids; ++id) {
        const auto members = declarations.members(id);
        constants_[id][0] = number(id);
        for (std::size_t i = 0; i < std::min<std::size_t>(members.size(), 4); ++i)
            constants_[id][i] = number(members[i]);
    }
    for (const auto& one : declarations.variables()) variables_.at(one.id) = one;
}

bool SpirvFlow::mayLeaveEarly() const
{
    const auto count = [](const Function& function, spv::Op opcode) {
        return std::count_if(function.code.begin(), function.code.end(),
                             [&](const Instruction& one) { return opcodeOf(one) == opcode; });
    };
    bool barriers = false, returns = false;
    for (const auto& [id, function] : functions_) {
        const bool here = count(function, spv::OpControlBarrier) > 0;
        barriers = barriers || here;
        returns = returns ||
                  ((here || id == main_) && count(function, spv::OpReturn) + count(function, spv::OpReturnValue) > 1);
    }
    return barriers && returns && only32Bits_;
}

std::optional<UnequalBarriers> SpirvFlow::unequalBarriers(const std::array<std::uint32_t, 3>& groups,
                                                          std::span<const Word> push) const
{
    const auto size = declarations_.localSize();
    const std::array<std::uint32_t, 3> last = {groups[0] - 1, groups[1] - 1, groups[2] - 1};
    for (const auto& group : {std::array<std::uint32_t, 3>{}, last}) {
        std::optional<std::uint64_t> others;
        for (std::uint32_t i = 0; i < size[0] * size[1] * size[2]; ++i) {
            const auto passed =
                barriers({group, groups, {i % size[0], i / size[0] % size[1], i / size[0] / size[1]}, push});
            if (passed && others && *passed != *others)
                return UnequalBarriers{group[1] * groups[0] + group[0], i, *passed, *others};
            if (passed) others = passed;
        }
    }
    return {};
}

}  // namespace a2
