#include "spirv/MemoryBarriers.h"

#include "spirv/EmulatorCode.h"

namespace a2 {

namespace {

// Which words of an instruction are memory semantics that need not be there.
std::vector<std::size_t> semanticsOf(spv::Op opcode)
{
    if (!emulator::isAtomic(static_cast<std::uint16_t>(opcode))) return {};
    if (opcode == spv::OpAtomicStore) return {3};
    if (opcode == spv::OpAtomicCompareExchange || opcode == spv::OpAtomicCompareExchangeWeak) return {5, 6};
    return {5};
}

}  // namespace

std::vector<std::uint32_t> withoutMemoryBarriers(const SpirvModule& spirv)
{
    std::vector<std::uint32_t> words(spirv.words().begin(), spirv.words().begin() + SpirvModule::headerWords);
    const std::uint32_t zero = spirv.idBound();  // a constant of ours
    std::uint32_t wholeNumber = 0;               // a type
    bool declared = false;
    forEachInstruction(spirv, [&](spv::Op opcode, SpirvWords one) {
        if (opcode == spv::OpTypeInt && one[2] == 32) wholeNumber = one[1];
        if (opcode == spv::OpFunction && !declared && wholeNumber != 0) {
            declared = true;
            words.insert(words.end(), {4U << spv::WordCountShift | spv::OpConstant, wholeNumber, zero, 0});
            words[3] = zero + 1;
        }
        if (opcode == spv::OpMemoryBarrier) return;
        words.insert(words.end(), one.begin(), one.end());
        if (!declared) return;
        for (const std::size_t place : semanticsOf(opcode))
            if (place < one.size()) words[words.size() - one.size() + place] = zero;
    });
    return words;
}

}  // namespace a2
