// What an invocation that is followed does with data: additions, and words of buffers that it reads and writes.

#include "spirv/WorkGroupRun.h"

#include <algorithm>
#include <bit>

namespace a2 {

KernelWork& WorkGroupCheck::Run::work()
{
    auto& stretches = trace_.stretches;
    if (stretches.empty() || stretches.back().barriers != trace_.barriers ||
        stretches.back().together != trace_.together.size())
        stretches.push_back({trace_.barriers, trace_.together.size(), {}});
    return stretches.back().work;
}

// Of an instruction that is about to be followed.
void WorkGroupCheck::Run::countWork(SpirvWords words)
{
    const spv::Op opcode = words.opcode();
    switch (opcode) {
        case spv::OpIAdd:
        case spv::OpISub:
        case spv::OpFAdd:
        case spv::OpFSub:
        case spv::OpGroupNonUniformIAdd:
        case spv::OpGroupNonUniformFAdd:
            countAdditions(words);
            break;
        case spv::OpLoad:
            work().reads += bufferWords(pointer(words[3]));
            break;
        case spv::OpStore:
            work().writes += bufferWords(pointer(words[1]));
            break;
        case spv::OpCopyMemory:
            work().writes += bufferWords(pointer(words[1]));
            work().reads += bufferWords(pointer(words[2]));
            break;
        default:
            if (opcode >= spv::OpAtomicLoad && opcode <= spv::OpAtomicXor) countAtomic(words);
    }
}

void WorkGroupCheck::Run::countAdditions(SpirvWords words)
{
    const bool scalar = flow_.declarations_.isScalar(words[1]);
    const std::uint64_t components = scalar ? 1 : flow_.declarations_.size(words[1]).value_or(4) / 4;
    if (words.opcode() == spv::OpGroupNonUniformIAdd || words.opcode() == spv::OpGroupNonUniformFAdd) {
        const std::uint32_t first = flow_.numberInGroup(invocation_) / subgroupSize * subgroupSize;
        const std::uint32_t width = std::min(subgroupSize, flow_.invocations() - first);
        if (!value(words[5])[0]) work().additions += static_cast<std::uint64_t>(std::bit_width(width - 1));
        return;
    }
    const Value x = value(words[3]), y = value(words[4]);
    for (std::size_t i = 0; i < std::min<std::size_t>(components, x.size()); ++i)
        if ((!x[i] || !y[i]) && x[i] != 0U && y[i] != 0U) ++work().additions;
}

void WorkGroupCheck::Run::countAtomic(SpirvWords words)
{
    const spv::Op opcode = words.opcode();
    const Pointer to = pointer(words[opcode == spv::OpAtomicStore ? 1 : 3]);
    const std::uint64_t touched = bufferWords(to);
    if (opcode != spv::OpAtomicStore) work().reads += touched;
    if (opcode != spv::OpAtomicLoad) work().writes += touched;
    const bool adds = opcode == spv::OpAtomicIAdd || opcode == spv::OpAtomicISub;
    if (adds && !value(words[6])[0]) ++work().atomicAdditions;
}

// Words that lie in a buffer, of what a pointer points to; 0 for other memory.
std::uint64_t WorkGroupCheck::Run::bufferWords(const Pointer& one) const
{
    const auto& variable = flow_.variables_[one.variable];
    if (variable.storage != spv::StorageClassStorageBuffer && variable.storage != spv::StorageClassUniform) return 0;
    return flow_.declarations_.size(one.type == 0 ? variable.type : one.type).value_or(4) / 4;
}

}  // namespace a2
