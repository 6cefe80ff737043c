// Pointers: their targets, and what is loaded and stored there.
#pragma once

#include "spirv/EmulatorEmitter.h"
#include "spirv/EmulatorOrder.h"

#include <optional>

namespace a2::emulator {

class PointerDecoder {
public:
    // keepsChains: a part of a variable has an instruction, too, where it is known before the kernel starts.
    PointerDecoder(Emitter& out, bool keepsChains) : out_(out), keepsChains_(keepsChains) {}

    void chain(SpirvWords words);

    // The number of a new access; empty if the type has no layout here. mask: memory operands.
    std::optional<std::uint32_t> accessOf(std::uint32_t pointer, std::uint32_t mask, Reach reach = Reach::device);
    // How far memory operands make an access visible (if it loads) or available.
    Reach madeCoherent(SpirvWords operands, bool loads) const;

    // A load or a store through a pointer. cell: the first cell of the value.
    void move(bool loads, std::uint32_t pointer, std::uint32_t access, std::uint32_t cell);
    // The pointer's variable is written; if it is not known, all variables count as written.
    void noteWritten(std::uint32_t pointer);

private:
    bool fix(std::uint32_t id, const Meaning& base, std::uint64_t away);
    Space spaceOfPointer(std::uint32_t type) const;
    // Bytes from element to element, for a type with a layout.
    std::uint64_t strideOf(const Type& whole, const Type& element, PointerFacts& facts) const;
    // The pieces of a value of a type with a layout; false if it has none.
    bool pieces(const Type& type, PointerFacts facts, std::uint64_t offset);

    Emitter& out_;
    bool keepsChains_;
};

}  // namespace a2::emulator
