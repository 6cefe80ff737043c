// Checks a SPIR-V module's declarations: types, constants and the entry point.
#pragma once

#include "spirv/SpirvIds.h"

#include <unordered_map>

namespace a2 {

class DeclarationCheck {
public:
    explicit DeclarationCheck(const SpirvIds& ids) : ids_(ids) {}

    // The first pass over the module, once the instruction's ids are defined.
    void survey(SpirvWords one);
    // The second one, whose references are checked.
    void check(SpirvWords one);
    std::uint32_t main() const { return main_; }  // the function; 0: none so far

private:
    struct Extent {  // of a type
        std::size_t nesting = 0, members = 1;
    };

    void hasRoom(SpirvWords one) const;
    void nest(SpirvWords one);
    void scalarConstant(SpirvWords one) const;
    void composite(SpirvWords one) const;
    void operation(SpirvWords one) const;

    const SpirvIds& ids_;
    std::unordered_map<std::uint32_t, Extent> extents_;              // of arrays and structures
    std::unordered_map<std::uint32_t, std::uint64_t> namedMembers_;  // for structures: how many decorations name one
    std::uint32_t main_ = 0;
};

}  // namespace a2
