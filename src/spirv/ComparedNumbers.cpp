#include "spirv/ComparedNumbers.h"

#include <map>
#include <vector>

namespace a2 {

std::set<std::uint32_t> comparedNumbers(const SpirvModule& spirv)
{
    std::map<std::uint32_t, std::vector<std::uint32_t>> constants;  // by id: their words
    std::set<std::uint32_t> found;
    const auto compared = [&](std::uint32_t id) {
        if (const auto one = constants.find(id); one != constants.end())
            found.insert(one->second.begin(), one->second.end());
    };
    forEachInstruction(spirv, [&](spv::Op opcode, SpirvWords words) {
        switch (opcode) {
            case spv::OpConstant:
            case spv::OpSpecConstant:
                for (std::size_t i = 3; i < words.size(); ++i) constants[words[2]].push_back(words[i]);
                break;
            case spv::OpSwitch:  // of 32 bits: of longer numbers this also takes labels, which cost a try and no more
                for (std::size_t i = 3; i < words.size(); i += 2) found.insert(words[i]);
                break;
            case spv::OpIEqual:
            case spv::OpINotEqual:
                compared(words[3]);
                compared(words[4]);
                break;
            case spv::OpAtomicCompareExchange:
                compared(words[8]);
                break;
            case spv::OpBitwiseXor:  // what is 0 afterwards
                compared(words[3]);
                compared(words[4]);
                break;
            default:
                break;
        }
    });
    if (found.contains(0)) found.insert(UINT32_MAX);  // 0 after 1 is added
    return found;
}

}  // namespace a2
