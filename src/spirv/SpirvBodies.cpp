#include "spirv/SpirvBodies.h"

namespace a2 {

SpirvBodies::SpirvBodies(const std::vector<SpirvDeclarations::Variable>& variables)
{
    for (const auto& variable : variables) roots_[variable.id] = variable.id;
}

void SpirvBodies::read(spv::Op opcode, SpirvWords words)
{
    switch (opcode) {
        case spv::OpAccessChain:
        case spv::OpInBoundsAccessChain:
        case spv::OpPtrAccessChain:
        case spv::OpInBoundsPtrAccessChain:
        case spv::OpCopyObject: {
            const auto root = roots_.find(words[3]);
            if (root != roots_.end()) roots_[words[2]] = root->second;
            break;
        }
        case spv::OpLoad:
            note(words[3], true, false);
            break;
        case spv::OpStore:
        case spv::OpAtomicStore:
            note(words[1], false, true);
            break;
        case spv::OpCopyMemory:
        case spv::OpCopyMemorySized:
            note(words[1], false, true);
            note(words[2], true, false);
            break;
        case spv::OpAtomicFAddEXT:
        case spv::OpAtomicFMinEXT:
        case spv::OpAtomicFMaxEXT:
            note(words[3], true, true);
            break;
        case spv::OpExtInst:  // modf() and frexp() store a part of their result through a pointer
            for (const std::uint32_t operand : words.from(5)) note(operand, true, true);
            break;
        case spv::OpFunctionCall:  // a function may use a pointer argument in any way
            for (const std::uint32_t argument : words.from(4)) note(argument, true, true);
            break;
        default:
            if (opcode == spv::OpAtomicLoad) note(words[3], true, false);
            if (opcode > spv::OpAtomicStore && opcode <= spv::OpAtomicXor) note(words[3], true, true);
    }
}

void SpirvBodies::note(std::uint32_t pointer, bool loads, bool stores)
{
    const auto root = roots_.find(pointer);
    if (root == roots_.end()) return;  // a local variable
    SpirvUse& use = uses_[root->second];
    use.loads = use.loads || loads;
    use.stores = use.stores || stores;
}

SpirvUse SpirvBodies::use(std::uint32_t variable) const
{
    const auto found = uses_.find(variable);
    return found == uses_.end() ? SpirvUse() : found->second;
}

}  // namespace a2
