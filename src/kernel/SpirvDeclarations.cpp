#include "kernel/SpirvDeclarations.h"

#include <algorithm>

namespace a2 {

namespace {

using Number = SpirvDeclarations::Number;

Number times(Number a, Number b) { return a && b ? Number(*a * *b) : std::nullopt; }

// Text is packed into words, first character in the lowest byte, and ends with a zero.
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

bool forEachInstruction(SpirvWords module, const std::function<void(spv::Op, SpirvWords)>& visit)
{
    constexpr std::size_t headerWords = 5;
    if (module.size() < headerWords || module[0] != spv::MagicNumber) return false;
    for (std::size_t at = headerWords; at < module.size();) {
        const std::uint32_t length = module[at] >> spv::WordCountShift;
        if (length == 0 || at + length > module.size()) return false;
        visit(static_cast<spv::Op>(module[at] & spv::OpCodeMask), module.subspan(at, length));
        at += length;
    }
    return true;
}

std::optional<std::uint32_t> spirvArithmetic(std::uint32_t operation, std::uint32_t x, std::uint32_t y)
{
    using Word = std::optional<std::uint32_t>;
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
            return static_cast<std::int32_t>(x) < static_cast<std::int32_t>(y);
        case spv::OpSLessThanEqual:
            return static_cast<std::int32_t>(x) <= static_cast<std::int32_t>(y);
        case spv::OpSGreaterThan:
            return static_cast<std::int32_t>(x) > static_cast<std::int32_t>(y);
        case spv::OpSGreaterThanEqual:
            return static_cast<std::int32_t>(x) >= static_cast<std::int32_t>(y);
        case spv::OpLogicalAnd:
            return x && y;
        case spv::OpLogicalOr:
            return x || y;
        default:
            return std::nullopt;
    }
}

SpirvDeclarations::SpirvDeclarations(const KernelShape& shape)
    : specialised_{{0, shape.workGroup}, {1, shape.elements}, {2, shape.exclusive ? 1 : 0}, {3, shape.places}}
{
    if (shape.banks > 0) specialised_[4] = shape.banks;
}

void SpirvDeclarations::read(spv::Op opcode, SpirvWords words)
{
    switch (opcode) {
        case spv::OpCapability:
            capabilities_.insert(words[1]);
            break;
        case spv::OpName:
            names_[words[1]] = textOf(words.subspan(2));
            break;
        case spv::OpMemberName:
            structs_[words[1]].names[words[2]] = textOf(words.subspan(3));
            break;
        case spv::OpExecutionMode:
            if (words[2] == spv::ExecutionModeLocalSize) std::copy_n(words.begin() + 3, 3, localSize_.begin());
            break;
        case spv::OpDecorate:
        case spv::OpMemberDecorate:
            readDecoration(opcode, words);
            break;
        case spv::OpConstant:
            values_[words[2]] = words[3];
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
            composites_[words[2]].assign(words.begin() + 3, words.end());
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
            sizes_[words[1]] = times(size(words[2]), words[3]);
            break;
        case spv::OpTypeArray:
            lengths_[words[1]] = value(words[3]);
            sizes_[words[1]] = times(size(words[2]), value(words[3]));
            break;
        case spv::OpTypeStruct: {
            structs_[words[1]].members.assign(words.begin() + 2, words.end());
            Number bytes = 0;
            for (const std::uint32_t member : words.subspan(2))
                bytes = bytes && size(member) ? Number(*bytes + *size(member)) : std::nullopt;
            sizes_[words[1]] = bytes;
            break;
        }
        case spv::OpTypePointer:
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

std::array<std::uint32_t, 3> SpirvDeclarations::localSize() const
{
    // A constant decorated as WorkgroupSize takes precedence over the execution mode (SPIR-V, "BuiltIn").
    for (const auto& [id, members] : composites_) {
        if (decoration(id, spv::DecorationBuiltIn) != spv::BuiltInWorkgroupSize || members.size() != 3) continue;
        std::array<std::uint32_t, 3> size{};
        for (std::size_t i = 0; i < 3; ++i) size[i] = static_cast<std::uint32_t>(value(members[i]).value_or(1));
        return size;
    }
    return localSize_;
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

// words: length and opcode, type, id, operation, operands.
Number SpirvDeclarations::operation(SpirvWords words) const
{
    if (words[3] == spv::OpCompositeExtract) {
        const auto composite = composites_.find(words[4]);
        if (composite == composites_.end() || words[5] >= composite->second.size()) return std::nullopt;
        return value(composite->second[words[5]]);
    }
    if (words.size() < 6) return std::nullopt;
    const Number a = value(words[4]), b = value(words[5]);
    if (!a || !b) return std::nullopt;
    return spirvArithmetic(words[3], static_cast<std::uint32_t>(*a), static_cast<std::uint32_t>(*b));
}

}  // namespace a2
