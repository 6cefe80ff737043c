#define SPV_ENABLE_UTILITY_CODE  // HasResultAndType
#include "spirv/SpirvModule.h"

#include "a2/Error.h"
#include "spirv/SpirvAllowed.h"
#include "spirv/SpirvCheck.h"
#include "spirv/SpirvGrammar.h"

#include <fmt/format.h>

namespace a2 {

void SpirvWords::missing(std::size_t i) const
{
    throw KernelError(fmt::format("the SPIR-V instruction at word {} has no word {}", at_, i));
}

void refuseId(std::uint32_t id) { throw KernelError(fmt::format("the SPIR-V has no id {}", id)); }

SpirvResult resultOf(SpirvWords instruction)
{
    bool hasResult = false, hasType = false;
    spv::HasResultAndType(instruction.opcode(), &hasResult, &hasType);
    SpirvResult result;
    if (hasType) result.type = instruction[1];
    if (hasResult) result.id = instruction[hasType ? 2 : 1];
    return result;
}

SpirvModule::SpirvModule(std::span<const std::uint32_t> words) : words_(words)
{
    refuseForeign(words);
    try {
        checkSpirv(words);
    } catch (const KernelError& error) {
        throw InvalidSpirvError(fmt::format("this SPIR-V is not valid: {}", error.what()));
    }
}

void forEachInstruction(const SpirvModule& module, const std::function<void(spv::Op, SpirvWords)>& visit)
{
    const auto words = module.words();
    for (std::size_t at = SpirvModule::headerWords; at < words.size();) {
        const SpirvWords instruction(words.subspan(at, words[at] >> spv::WordCountShift), at);
        visit(instruction.opcode(), instruction);
        at += instruction.size();
    }
}

}  // namespace a2
