// Pointers: what they lead to, and what is loaded and stored there.
#pragma once

#include "spirv/EmulatorEmitter.h"
#include "spirv/EmulatorOrder.h"

#include <optional>

namespace a2::emulator {

class PointerDecoder {
public:
    explicit PointerDecoder(Emitter& out) : out_(out) {}

    void chain(SpirvWords words);

    // The number of a new access; empty: of a type that has no layout here. mask: of the memory operands.
    std::optional<std::uint32_t> accessOf(std::uint32_t pointer, std::uint32_t mask, Reach reach = Reach::device);
    // What memory operands say about how far a use is made visible (it loads) or available.
    Reach madeCoherent(SpirvWords operands, bool loads) const;

    // A load from where a pointer leads, or a store. cell: the first of the value's.
    void move(bool loads, std::uint32_t pointer, std::uint32_t access, std::uint32_t cell);
    // Its variable is written; all are where nobody knows which it is.
    void noteWritten(std::uint32_t pointer);

private:
    Space spaceOfPointer(std::uint32_t type) const;
    // Bytes from element to element of what has a layout.
    std::uint64_t strideOf(const Type& whole, const Type& element, PointerFacts& facts) const;
    // Of a value, for what has a layout; false: it has none.
    bool pieces(const Type& type, PointerFacts facts, std::uint64_t offset);

    Emitter& out_;
};

}  // namespace a2::emulator
