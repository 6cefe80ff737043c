#include "gpu/SpirvInfo.h"

#include <spirv/unified1/spirv.hpp>

#include <unordered_map>
#include <vector>

namespace a2 {

namespace {

using Words = std::span<const std::uint32_t>;
using Number = std::optional<std::uint64_t>;

// Evaluates constants and type sizes in the order of the module; ids are always defined before they are used.
class SharedMemory {
public:
    explicit SharedMemory(const KernelShape& shape)
        : specialised_{{0, shape.workGroup}, {1, shape.elements}, {2, shape.exclusive ? 1 : 0}}
    {
    }

    // One instruction: word 0 is length and opcode, as in the module.
    void read(spv::Op opcode, Words words)
    {
        switch (opcode) {
            case spv::OpDecorate:
                if (words[2] == spv::DecorationSpecId) specIds_[words[1]] = words[3];
                break;
            case spv::OpTypeInt:
            case spv::OpTypeFloat:
                sizes_[words[1]] = words[2] / 8;
                break;
            case spv::OpTypeBool:
                sizes_[words[1]] = 4;
                break;
            case spv::OpTypeVector:
                sizes_[words[1]] = times(size(words[2]), words[3]);
                break;
            case spv::OpTypeArray:
                sizes_[words[1]] = times(size(words[2]), value(words[3]));
                break;
            case spv::OpTypeStruct:
                sizes_[words[1]] = sum(words.subspan(2));
                break;
            case spv::OpTypePointer:
                if (words[2] == spv::StorageClassWorkgroup) pointees_[words[1]] = words[3];
                break;
            case spv::OpConstant:
                values_[words[2]] = words[3];
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
                if (words[3] == spv::StorageClassWorkgroup) add(size(pointees_[words[1]]));
                break;
            default:
                break;
        }
    }

    Number total() const { return total_; }

private:
    Number size(std::uint32_t id) const { return lookUp(sizes_, id); }
    Number value(std::uint32_t id) const { return lookUp(values_, id); }
    static Number lookUp(const std::unordered_map<std::uint32_t, Number>& map, std::uint32_t id)
    {
        const auto found = map.find(id);
        return found == map.end() ? std::nullopt : found->second;
    }
    static Number times(Number a, Number b) { return a && b ? Number(*a * *b) : std::nullopt; }
    Number sum(Words members) const
    {
        std::uint64_t bytes = 0;
        for (const std::uint32_t member : members) {
            if (!size(member)) return std::nullopt;
            bytes += *size(member);
        }
        return bytes;
    }
    void add(Number bytes) { total_ = total_ && bytes ? Number(*total_ + *bytes) : std::nullopt; }

    Number specialised(std::uint32_t id, std::uint32_t unset) const
    {
        const auto spec = specIds_.find(id);
        if (spec == specIds_.end()) return unset;
        const auto set = specialised_.find(spec->second);
        return set == specialised_.end() ? unset : set->second;
    }

    // words: length and opcode, type, id, operation, operands.
    Number operation(Words words) const
    {
        if (words[3] == spv::OpCompositeExtract) {
            const auto composite = composites_.find(words[4]);
            if (composite == composites_.end() || words[5] >= composite->second.size()) return std::nullopt;
            return value(composite->second[words[5]]);
        }
        if (words.size() < 6) return std::nullopt;
        const Number a = value(words[4]), b = value(words[5]);
        if (!a || !b) return std::nullopt;
        // 32-bit arithmetic, as the kernel does it.
        const auto x = static_cast<std::uint32_t>(*a), y = static_cast<std::uint32_t>(*b);
        switch (words[3]) {
            case spv::OpIAdd:
                return x + y;
            case spv::OpISub:
                return x - y;
            case spv::OpIMul:
                return x * y;
            case spv::OpUDiv:
                return y ? Number(x / y) : std::nullopt;
            case spv::OpUMod:
                return y ? Number(x % y) : std::nullopt;
            case spv::OpShiftLeftLogical:
                return y < 32 ? Number(x << y) : std::nullopt;
            case spv::OpShiftRightLogical:
                return y < 32 ? Number(x >> y) : std::nullopt;
            case spv::OpBitwiseOr:
                return x | y;
            case spv::OpBitwiseXor:
                return x ^ y;
            case spv::OpBitwiseAnd:
                return x & y;
            default:
                return std::nullopt;
        }
    }

    std::unordered_map<std::uint32_t, std::uint32_t> specIds_;      // constant -> SpecId
    std::unordered_map<std::uint32_t, std::uint32_t> specialised_;  // SpecId -> value
    std::unordered_map<std::uint32_t, std::uint32_t> pointees_;
    std::unordered_map<std::uint32_t, Number> sizes_, values_;
    std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> composites_;
    Number total_ = 0;
};

}  // namespace

std::optional<std::uint64_t> sharedMemoryBytes(Words spirv, const KernelShape& shape)
{
    constexpr std::size_t headerWords = 5;
    if (spirv.size() < headerWords || spirv[0] != spv::MagicNumber) return std::nullopt;
    SharedMemory memory(shape);
    for (std::size_t at = headerWords; at < spirv.size();) {
        const std::uint32_t length = spirv[at] >> spv::WordCountShift;
        if (length == 0 || at + length > spirv.size()) return std::nullopt;
        const auto opcode = static_cast<spv::Op>(spirv[at] & spv::OpCodeMask);
        if (opcode == spv::OpFunction) break;  // types, constants and variables come before the first function
        memory.read(opcode, spirv.subspan(at, length));
        at += length;
    }
    return memory.total();
}

}  // namespace a2
