// The part of a SPIR-V module before its first function: names, decorations, types, constants and variables.
#pragma once

#include "spirv/Specialisation.h"
#include "spirv/SpirvModule.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace a2 {

// The sum; UINT64_MAX if it is too large; empty if one of them is empty.
std::optional<std::uint64_t> bytesOfBoth(std::optional<std::uint64_t> a, std::optional<std::uint64_t> b);

// x operation y on 32 bits, as the kernel computes it; comparisons give 0 or 1. Empty for operations that a2 does not
// understand, and for what SPIR-V leaves undefined: division by 0, division of the least number by -1, and shifts by 32
// or more.
std::optional<std::uint32_t> spirvArithmetic(std::uint32_t operation, std::uint32_t x, std::uint32_t y);

// Ids are always defined before they are used, so one pass evaluates constants and sizes.
class SpirvDeclarations {
public:
    explicit SpirvDeclarations(const Specialisation& given) : specialised_(given.values) {}
    void read(spv::Op opcode, SpirvWords words);

    using Number = std::optional<std::uint64_t>;
    struct Variable {
        std::uint32_t id = 0, type = 0;  // type: what it points to
        spv::StorageClass storage = spv::StorageClassMax;
    };
    struct Struct {
        std::vector<std::uint32_t> members;  // types
        std::map<std::uint32_t, std::uint32_t> offsets;
        std::map<std::uint32_t, std::string> names;
        std::set<std::uint32_t> nonWritable, nonReadable;
    };

    const std::vector<Variable>& variables() const { return variables_; }
    const Struct* structure(std::uint32_t type) const;
    bool isScalar(std::uint32_t type) const { return scalars_.count(type) > 0; }
    std::string name(std::uint32_t id) const;
    std::optional<std::uint32_t> decoration(std::uint32_t id, spv::Decoration what) const;
    // Bytes in shared memory; UINT64_MAX if they are too many.
    Number size(std::uint32_t type) const { return lookUp(sizes_, type); }
    Number length(std::uint32_t type) const { return lookUp(lengths_, type); }  // elements of an array; else empty
    const std::array<std::uint32_t, 3>& localSize() const { return localSize_; }
    std::uint32_t pointee(std::uint32_t type) const;  // what a pointer type points to; 0 for another type
    Number value(std::uint32_t id) const { return lookUp(values_, id); }  // of a constant
    std::span<const std::uint32_t> members(std::uint32_t id) const;       // of a constant vector
    bool needs(spv::Capability what) const { return capabilities_.count(what) > 0; }

private:
    static Number lookUp(const std::unordered_map<std::uint32_t, Number>& map, std::uint32_t id);
    void readDecoration(spv::Op opcode, SpirvWords words);
    void readType(spv::Op opcode, SpirvWords words);
    Number specialised(std::uint32_t id, std::uint32_t unset) const;
    Number operation(SpirvWords words) const;
    void readWorkGroupSize(std::uint32_t id);

    std::map<std::uint32_t, std::uint32_t> specialised_;  // SpecId -> value
    std::unordered_map<std::uint32_t, std::string> names_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> decorations_;  // id, decoration -> operand
    std::unordered_map<std::uint32_t, Struct> structs_;
    std::unordered_map<std::uint32_t, std::uint32_t> pointees_;
    std::unordered_map<std::uint32_t, Number> sizes_, lengths_, values_;
    std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> composites_;
    std::set<std::uint32_t> scalars_, capabilities_;
    std::vector<Variable> variables_;
    std::array<std::uint32_t, 3> localSize_ = {1, 1, 1};
};

}  // namespace a2
