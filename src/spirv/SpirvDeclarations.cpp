#include "spirv/SpirvDeclarations.h"

#include "a2/Error.h"
#include "base/PrintableText.h"

#include <fmt/format.h>

namespace a2 {

namespace {

using Number = SpirvDeclarations::Number;

Number times(Number a, Number b)
{
    if (!a || !b) return std::nullopt;
    return *b > 0 && *a > UINT64_MAX / *b ? UINT64_MAX : *a * *b;
}

// A text is packed into words, the first character in the lowest byte, and ends with a zero.
std::string textOf(SpirvWords words)
{
    std::string text;
    for (const std::uint32_t word : words)
        for (unsigned shift = 0; shift < 32; shift += 8) {
            const char letter = static_cast<char>((word >> shift) & 0xFF);
            if (letter == '\0') return text;
            text += letter;
        }
    return text;
}

}  // namespace

std::optional<std::uint64_t> bytesOfBoth(std::optional<std::uint64_t> a, std::optional<std::uint64_t> b)
{
    if (!a || !b) return std::nullopt;
    return *a > UINT64_MAX - *b ? UINT64_MAX : *a + *b;
}

std::optional<std::uint32_t> spirvArithmetic(std::uint32_t operation, std::uint32_t x, std::uint32_t y)
{
    using Word = std::optional<std::uint32_t>;
    const auto signedX = static_cast<std::int32_t>(x), signedY = static_cast<std::int32_t>(y);
    const bool divides = y != 0 && !(signedX == INT32_MIN && signedY == -1);
    switch (operation) {
        case spv::OpIAdd:
            return x + y;
        case spv::OpISub:
            return x - y;
        case spv::OpIMul:
            return x * y;
        case spv::OpUDiv:
            return y ? Word(x / y) : std::nullopt;
        case spv::OpUMod:
            return y ? Word(x % y) : std::nullopt;
        case spv::OpSDiv:
            return divides ? Word(static_cast<std::uint32_t>(signedX / signedY)) : std::nullopt;
        case spv::OpSRem:
            return divides ? Word(static_cast<std::uint32_t>(signedX % signedY)) : std::nullopt;
        case spv::OpSMod: {  // has the sign of y
            if (!divides) return std::nullopt;
            const std::int32_t rest = signedX % signedY;
            return static_cast<std::uint32_t>(rest != 0 && (rest < 0) != (signedY < 0) ? rest + signedY : rest);
        }
        case spv::OpShiftRightArithmetic:
            return y < 32 ? Word(static_cast<std::uint32_t>(signedX >> y)) : std::nullopt;
        case spv::OpShiftLeftLogical:
            return y < 32 ? Word(x << y) : std::nullopt;
        case spv::OpShiftRightLogical:
            return y < 32 ? Word(x >> y) : std::nullopt;
        case spv::OpBitwiseOr:
            return x | y;
        case spv::OpBitwiseXor:
            return x ^ y;
        case spv::OpBitwiseAnd:
            return x & y;
        case spv::OpIEqual:
        case spv::OpLogicalEqual:
            return x == y;
        case spv::OpINotEqual:
        case spv::OpLogicalNotEqual:
            return x != y;
        case spv::OpULessThan:
            return x < y;
        case spv::OpULessThanEqual:
            return x <= y;
        case spv::OpUGreaterThan:
            return x > y;
        case spv::OpUGreaterThanEqual:
            return x >= y;
        case spv::OpSLessThan:
            return signedX < signedY;
        case spv::OpSLessThanEqual:
            return signedX <= signedY;
        case spv::OpSGreaterThan:
            return signedX > signedY;
        case spv::OpSGreaterThanEqual:
            return signedX >= signedY;
        case spv::OpLogicalAnd:
            return x && y;
        case spv::OpLogicalOr:
            return x || y;
        default:
            return std::nullopt;
    }
}

void SpirvDeclarations::read(spv::Op opcode, SpirvWords words)
{
    switch (opcode) {
        case spv::OpCapability:
            capabilities_.insert(words[1]);
            break;
        case spv::OpName:
            names_[words[1]] = printableText(textOf(words.from(2)));
            break;
        case spv::OpMemberName:
            structs_[words[1]].names[words[2]] = printableText(textOf(words.from(3)));
            break;
        case spv::OpExecutionMode:
            if (words[2] == spv::ExecutionModeLocalSize) localSize_ = {words[3], words[4], words[5]};
            break;
        case spv::OpDecorate:
        case spv::OpMemberDecorate:
            readDecoration(opcode, words);
            break;
        case spv::OpConstant:
            values_[words[2]] = words.size() > 4 ? words[3] | std::uint64_t{words[4]} << 32 : words[3];
            break;
        case spv::OpConstantTrue:
        case spv::OpConstantFalse:
            values_[words[2]] = opcode == spv::OpConstantTrue;
            break;
        case spv::OpSpecConstant:
            values_[words[2]] = specialised(words[2], words[3]);
            break;
        case spv::OpConstantComposite:
        case spv::OpSpecConstantComposite:
            composites_[words[2]].assign(words.from(3).begin(), words.end());
            readWorkGroupSize(words[2]);
            break;
        case spv::OpSpecConstantOp:
            values_[words[2]] = operation(words);
            break;
        case spv::OpVariable:
            variables_.push_back({words[2], pointees_[words[1]], static_cast<spv::StorageClass>(words[3])});
            break;
        default:
            readType(opcode, words);
    }
}

void SpirvDeclarations::readDecoration(spv::Op opcode, SpirvWords words)
{
    if (opcode == spv::OpDecorate) {
        decorations_[{words[1], words[2]}] = words.size() > 3 ? words[3] : 0;
        return;
    }
    Struct& structure = structs_[words[1]];
    if (words[3] == spv::DecorationOffset) structure.offsets[words[2]] = words[4];
    if (words[3] == spv::DecorationNonWritable) structure.nonWritable.insert(words[2]);
    if (words[3] == spv::DecorationNonReadable) structure.nonReadable.insert(words[2]);
}

void SpirvDeclarations::readType(spv::Op opcode, SpirvWords words)
{
    switch (opcode) {
        case spv::OpTypeInt:
        case spv::OpTypeFloat:
            sizes_[words[1]] = words[2] / 8;
            scalars_.insert(words[1]);
            break;
        case spv::OpTypeBool:
            sizes_[words[1]] = 4;
            scalars_.insert(words[1]);
            break;
        case spv::OpTypeVector:
        case spv::OpTypeMatrix:
            sizes_[words[1]] = times(size(words[2]), words[3]);
            break;
        case spv::OpTypeArray:
            lengths_[words[1]] = value(words[3]);
            sizes_[words[1]] = times(size(words[2]), value(words[3]));
            break;
        case spv::OpTypeStruct: {
            const SpirvWords members = words.from(2);
            structs_[words[1]].members.assign(members.begin(), members.end());
            Number bytes = 0;
            for (const std::uint32_t member : members) bytes = bytesOfBoth(bytes, size(member));
            sizes_[words[1]] = bytes;
            break;
        }
        case spv::OpTypePointer:
            sizes_[words[1]] = sizeof(std::uint64_t);
            pointees_[words[1]] = words[3];
            break;
        default:
            break;
    }
}

const SpirvDeclarations::Struct* SpirvDeclarations::structure(std::uint32_t type) const
{
    const auto found = structs_.find(type);
    return found == structs_.end() ? nullptr : &found->second;
}

std::uint32_t SpirvDeclarations::pointee(std::uint32_t type) const
{
    const auto found = pointees_.find(type);
    return found == pointees_.end() ? 0 : found->second;
}

std::string SpirvDeclarations::name(std::uint32_t id) const
{
    const auto found = names_.find(id);
    return found == names_.end() ? std::string() : found->second;
}

std::optional<std::uint32_t> SpirvDeclarations::decoration(std::uint32_t id, spv::Decoration what) const
{
    const auto found = decorations_.find({id, what});
    return found == decorations_.end() ? std::nullopt : std::optional(found->second);
}

std::span<const std::uint32_t> SpirvDeclarations::members(std::uint32_t id) const
{
    const auto found = composites_.find(id);
    if (found == composites_.end()) return {};
    return found->second;
}

// A constant decorated as WorkgroupSize takes precedence over the execution mode (SPIR-V, "BuiltIn").
void SpirvDeclarations::readWorkGroupSize(std::uint32_t id)
{
    const auto& sizes = composites_[id];
    if (decoration(id, spv::DecorationBuiltIn) != spv::BuiltInWorkgroupSize || sizes.size() != localSize_.size())
        return;
    for (std::size_t i = 0; i < sizes.size(); ++i)
        localSize_.at(i) = static_cast<std::uint32_t>(value(sizes[i]).value_or(1));
}

Number SpirvDeclarations::lookUp(const std::unordered_map<std::uint32_t, Number>& map, std::uint32_t id)
{
    const auto found = map.find(id);
    return found == map.end() ? std::nullopt : found->second;
}

Number SpirvDeclarations::specialised(std::uint32_t id, std::uint32_t unset) const
{
    const auto spec = decoration(id, spv::DecorationSpecId);
    if (!spec) return unset;
    const auto set = specialised_.find(*spec);
    return set == specialised_.end() ? unset : set->second;
}

// words: length and opcode, type, id, operation, operands. Throws KernelError for the one division without a result
// that crashes a processor: drivers calculate constants when they make the pipeline.
Number SpirvDeclarations::operation(SpirvWords words) const
{
    const auto number = [&](std::size_t i) -> std::optional<std::uint32_t> {
        const Number known = i < words.size() ? value(words[i]) : std::nullopt;
        return known && *known <= UINT32_MAX ? std::optional(static_cast<std::uint32_t>(*known)) : std::nullopt;
    };
    const auto a = number(4), b = number(5), c = number(6);
    switch (words[3]) {
        case spv::OpCompositeExtract: {
            const auto parts = members(words[4]);
            return words[5] < parts.size() ? value(parts[words[5]]) : std::nullopt;
        }
        case spv::OpSelect:
            return !a ? std::nullopt : *a ? Number(b) : Number(c);
        case spv::OpLogicalNot:
            return a ? Number(*a == 0) : std::nullopt;
        default:
            break;
    }
    const bool divides = words[3] == spv::OpSDiv || words[3] == spv::OpSRem || words[3] == spv::OpSMod;
    if (divides && a == 0x80000000U && b == UINT32_MAX)
        throw KernelError(fmt::format("the constant at word {} of its SPIR-V divides {} by -1, which is undefined",
                                      words.at(), INT32_MIN));
    if (!isScalar(words[1]) || size(words[1]) != sizeof(std::uint32_t)) return std::nullopt;
    if (a && words[3] == spv::OpNot) return ~*a;
    if (a && words[3] == spv::OpSNegate) return 0U - *a;
    return a && b ? Number(spirvArithmetic(words[3], *a, *b)) : std::nullopt;
}

}  // namespace a2
