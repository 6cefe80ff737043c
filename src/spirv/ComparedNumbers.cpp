#include "spirv/ComparedNumbers.h"

#include <map>

namespace a2 {

std::set<std::uint32_t> comparedNumbers(const SpirvModule& spirv)
{
    std::map<std::uint32_t, std::uint32_t> constants;  // by id
    std::set<std::uint32_t> found;
    const auto compared = [&](std::uint32_t id) {
        if (const auto one = constants.find(id); one != constants.end()) found.insert(one->second);
    };
    forEachInstruction(spirv, [&](spv::Op opcode, SpirvWords words) {
        switch (opcode) {
            case spv::OpConstant:
                if (words.size() == 4) constants[words[2]] = words[3];
                break;
            case spv::OpIEqual:
            case spv::OpINotEqual:
                compared(words[3]);
                compared(words[4]);
                break;
            case spv::OpAtomicCompareExchange:
                compared(words[8]);
                break;
            default:
                break;
        }
    });
    return found;
}

}  // namespace a2
