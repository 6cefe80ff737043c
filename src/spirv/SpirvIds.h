// Where a SPIR-V module of unknown origin defines its ids, for checks of it.
#pragma once

#include "spirv/SpirvModule.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace a2 {

bool isType(spv::Op opcode);
bool isConstant(spv::Op opcode);
bool isScalar(spv::Op opcode);

[[noreturn]] void refuse(SpirvWords where, const std::string& what);

class SpirvIds {
public:
    // Throws KernelError if the header is none. `words` must outlive this object.
    explicit SpirvIds(std::span<const std::uint32_t> words);

    template <class Visit>
    void forEach(const Visit& visit) const
    {
        for (std::size_t at = SpirvModule::headerWords; at < words_.size();) {
            const SpirvWords one = instructionAt(at);
            visit(one);
            at += one.size();
        }
    }

    // Notes what the instruction defines. Refuses ids beyond the bound, and second definitions.
    void define(SpirvWords one);

    // The first word of the instruction that defines an id; 0: none does.
    std::uint32_t placeOfId(std::uint32_t id) const { return id < defined_.size() ? defined_[id] : 0; }
    // The instruction that defines an id; empty if none does.
    std::optional<SpirvWords> definition(std::uint32_t id) const;
    spv::Op opcodeOf(std::uint32_t id) const;
    // The type of a constant or value; 0: it has none.
    std::uint32_t typeOf(std::uint32_t id) const;
    // The word of a type's instruction at this place, if the type has this opcode.
    std::optional<std::uint32_t> ofType(std::uint32_t type, spv::Op opcode, std::size_t word) const;
    // The value of a whole number that no specialisation changes.
    std::optional<std::uint32_t> number(std::uint32_t constant) const;

private:
    SpirvWords instructionAt(std::size_t at) const;

    std::span<const std::uint32_t> words_;
    std::vector<std::uint32_t> defined_;  // by id
};

}  // namespace a2
