#include "spirv/MemoryBarriers.h"

#include "spirv/EmulatorCode.h"

#include <map>

namespace a2 {

namespace {

// Which words of an instruction are memory semantics that can be removed.
std::vector<std::size_t> semanticsOf(spv::Op opcode)
{
    if (!emulator::isAtomic(static_cast<std::uint16_t>(opcode))) return {};
    if (opcode == spv::OpAtomicStore) return {3};
    if (opcode == spv::OpAtomicCompareExchange || opcode == spv::OpAtomicCompareExchangeWeak) return {5, 6};
    return {5};
}

// Where an instruction's memory operands begin, if it has any.
std::size_t memoryOperandsOf(spv::Op opcode) { return opcode == spv::OpLoad ? 4 : opcode == spv::OpStore ? 3 : 0; }

// In Vulkan's memory model a load or store may itself make memory visible or available; this is a barrier, too.
void addWithoutMakes(SpirvWords one, std::size_t at, std::vector<std::uint32_t>& words)
{
    const std::uint32_t makes = spv::MemoryAccessMakePointerAvailableMask | spv::MemoryAccessMakePointerVisibleMask;
    const std::size_t begin = words.size();
    words.insert(words.end(), one.begin(), one.begin() + static_cast<std::ptrdiff_t>(at));
    words.push_back(one[at] & ~makes);
    const bool aligned = (one[at] & spv::MemoryAccessAlignedMask) != 0;
    if (aligned) words.push_back(one[at + 1]);
    // The words that follow are the scopes of the two.
    words[begin] = static_cast<std::uint32_t>(words.size() - begin) << spv::WordCountShift | (one[0] & spv::OpCodeMask);
}

}  // namespace

std::vector<std::uint32_t> withoutMemoryBarriers(const SpirvModule& spirv)
{
    std::vector<std::uint32_t> words(spirv.words().begin(), spirv.words().begin() + SpirvModule::headerWords);
    const std::uint32_t zero = spirv.idBound();  // a constant added here
    std::uint32_t wholeNumber = 0;               // the type
    bool declared = false;
    std::map<std::uint32_t, std::uint32_t> constants;
    const auto isOfSubgroup = [&](std::uint32_t scope) {
        const auto found = constants.find(scope);
        return found != constants.end() && found->second == spv::ScopeSubgroup;
    };
    forEachInstruction(spirv, [&](spv::Op opcode, SpirvWords one) {
        if (opcode == spv::OpConstant && one.size() == 4) constants[one[2]] = one[3];
        if (opcode == spv::OpTypeInt && one[2] == 32) wholeNumber = one[1];
        if (opcode == spv::OpFunction && !declared && wholeNumber != 0) {
            declared = true;
            words.insert(words.end(), {4U << spv::WordCountShift | spv::OpConstant, wholeNumber, zero, 0});
            words[3] = zero + 1;
        }
        if (opcode == spv::OpMemoryBarrier || (opcode == spv::OpControlBarrier && isOfSubgroup(one[1]))) return;
        if (const std::size_t at = memoryOperandsOf(opcode); at > 0 && at < one.size())
            return addWithoutMakes(one, at, words);
        words.insert(words.end(), one.begin(), one.end());
        if (!declared) return;
        for (const std::size_t place : semanticsOf(opcode))
            if (place < one.size()) words[words.size() - one.size() + place] = zero;
    });
    return words;
}

}  // namespace a2
