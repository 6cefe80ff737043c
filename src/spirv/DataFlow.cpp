#include "spirv/DataFlow.h"

#include "a2/Error.h"

namespace a2 {

namespace {

constexpr std::uint64_t mostWords = std::uint64_t{1} << 27;  // read in all rounds

// Conversions, arithmetic, logic, comparisons and bit operations: every operand is an id.
bool isArithmetic(spv::Op opcode) { return opcode >= spv::OpConvertFToU && opcode <= spv::OpBitCount; }

}  // namespace

DataFlow::DataFlow(const SpirvModule& module)
{
    std::uint64_t read = 0;
    forEachInstruction(module, [this](spv::Op opcode, SpirvWords words) { declare(opcode, words); });
    // What is stored later in the text can be read earlier, in the next round of a loop: until nothing changes.
    do {
        read += module.words().size();
        if (read > mostWords) throw KernelError("where its data goes is too tangled to be counted");
        changed_ = false;
        forEachInstruction(module, [this](spv::Op opcode, SpirvWords words) { follow(opcode, words); });
    } while (changed_);
}

std::uint32_t DataFlow::look(const Ids& map, std::uint32_t id)
{
    const auto found = map.find(id);
    return found == map.end() ? 0 : found->second;
}

std::uint32_t DataFlow::components(std::uint32_t type) const
{
    const std::uint32_t count = look(vectors_, type);
    return count > 0 ? count : 1;
}

std::uint32_t DataFlow::root(std::uint32_t pointer) const
{
    const std::uint32_t variable = look(roots_, pointer);
    return variable > 0 ? variable : pointer;
}

spv::StorageClass DataFlow::storageOf(std::uint32_t pointer) const
{
    const auto found = storage_.find(root(pointer));
    return found == storage_.end() ? spv::StorageClassMax : found->second;
}

void DataFlow::declare(spv::Op opcode, SpirvWords words)
{
    if (const SpirvResult result = resultOf(words); result.type != 0) types_[result.id] = result.type;
    switch (opcode) {
        case spv::OpTypeVector:
            vectors_[words[1]] = words[3];
            break;
        case spv::OpVariable:
            storage_[words[2]] = static_cast<spv::StorageClass>(words[3]);
            break;
        case spv::OpAccessChain:
        case spv::OpInBoundsAccessChain:
            roots_[words[2]] = root(words[3]);
            break;
        case spv::OpFunction:
            function_ = words[2];
            break;
        case spv::OpFunctionParameter:
            parameters_[function_].push_back(words[2]);
            break;
        default:
            break;
    }
}

void DataFlow::follow(spv::Op opcode, SpirvWords words)
{
    const auto markIfAny = [&](SpirvWords operands) {
        for (const std::uint32_t operand : operands)
            if (isData(operand)) mark(words[2]);
    };
    switch (opcode) {
        case spv::OpFunction:
            function_ = words[2];
            break;
        case spv::OpLoad:
            if (inBuffer(words[3]) || isData(root(words[3]))) mark(words[2]);
            break;
        case spv::OpStore:
            if (isData(words[2])) mark(root(words[1]));
            break;
        case spv::OpFunctionCall:
            followCall(words);
            break;
        case spv::OpReturnValue:
            if (isData(words[1])) mark(function_);
            break;
        case spv::OpCompositeExtract:
            markIfAny(words.from(3, 1));
            break;
        case spv::OpVectorShuffle:
            markIfAny(words.from(3, 2));
            break;
        case spv::OpCompositeConstruct:
        case spv::OpCopyObject:
        case spv::OpPhi:
            markIfAny(words.from(3));
            break;
        default:
            if (isArithmetic(opcode)) markIfAny(words.from(3));
    }
}

// A parameter is a value, or a pointer to the caller's variable, which is data where the parameter is.
void DataFlow::followCall(SpirvWords words)
{
    const std::vector<std::uint32_t>& parameters = parameters_[words[3]];
    for (std::size_t i = 0; i < parameters.size() && 4 + i < words.size(); ++i) {
        const std::uint32_t given = root(words[4 + i]);
        if (isData(given)) mark(parameters[i]);
        if (isData(parameters[i]) && storage_.count(given)) mark(given);
    }
    if (isData(words[3])) mark(words[2]);
}

}  // namespace a2
