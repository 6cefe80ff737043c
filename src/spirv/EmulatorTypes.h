// Types, constants and variables of a module, for the emulator's decoder.
#pragma once

#include "spirv/EmulatorDecode.h"

#include <set>
#include <string_view>
#include <utility>

namespace a2::emulator {

Space spaceOf(spv::StorageClass storage);

// The meaning of an id.
struct Meaning {
    enum class Kind : std::uint8_t { nothing, type, value, function, instructions, text } kind = Kind::nothing;
    std::uint32_t type = 0, cell = 0;
    bool constant = false;
    bool fixed = false;  // a pointer that the initial frame contains, and no instruction changes
};

// What a pointer's type does not say about the layout of its target, and how the target may be used.
struct PointerFacts {
    std::uint32_t variable = none;  // in Code::variables, if it points to one
    std::uint32_t matrixStride = 0;
    std::uint32_t componentStride = 0;  // for a column of a row-major matrix; 0: side by side
    bool rowMajor = false, coherent = false, readOnly = false;
    std::string path;  // "tiles[].sum"
};

// Everything before the first function. Reads instructions in their order, and adds types, constants and variables to
// the code.
class Declarations {
public:
    Declarations(const SpirvModule& module, const Specialisation& given, Code& code);
    void read(spv::Op opcode, SpirvWords words);
    void finish();

    const Type& type(std::uint32_t id) const;
    Meaning& meaning(std::uint32_t id) { return meanings_[id]; }
    const Type& typeOf(std::uint32_t value) { return type(of(value).type); }
    // The value of this id; throws KernelError if it is none.
    const Meaning& of(std::uint32_t id) const;
    std::uint32_t allocate(std::uint64_t cells);
    std::uint32_t unsetCell();
    std::string name(std::uint32_t id) const;
    std::uint32_t mainFunction() const { return main_; }
    bool isGlsl(std::uint32_t set) const { return glsl_.count(set) > 0; }
    bool isSilent(std::uint32_t set) const { return silent_.count(set) > 0; }  // does not affect what is calculated
    // For an instruction of such a set: whether it is debugPrintfEXT(), with a format.
    bool isPrint(SpirvWords words) const;
    std::string text(std::uint32_t id) const;  // of OpString
    // Whether 16 bits of the value are enough.
    bool isRelaxed(std::uint32_t id) const { return decoration(id, spv::DecorationRelaxedPrecision).has_value(); }
    std::optional<std::uint64_t> constant(std::uint32_t id) const;
    PointerFacts& facts(std::uint32_t pointer) { return facts_[pointer]; }
    bool isRestrict(std::uint32_t id, std::uint32_t ofType) const;
    void addVariable(std::uint32_t id, std::uint32_t pointerType, spv::StorageClass storage, std::uint32_t initial);

    // For an instruction that only calculates; false: it is not a known one. Throws KernelError for operands that do
    // not fit it.
    bool calculation(std::uint32_t opcode, std::uint32_t resultType, std::uint32_t result, SpirvWords operands,
                     std::vector<Instruction>& out);

private:
    using Decorations = std::vector<std::pair<std::uint32_t, std::uint32_t>>;  // which one, operand
    std::optional<std::uint32_t> decoration(std::uint32_t id, spv::Decoration what) const;
    void readType(spv::Op opcode, SpirvWords words);
    void readStructure(SpirvWords words);
    void readConstant(spv::Op opcode, SpirvWords words);
    void readSource(SpirvWords words);
    std::uint32_t define(std::uint32_t id, std::uint32_t type, bool constant);
    void readDecoration(SpirvWords words);
    std::uint64_t specialised(std::uint32_t id, std::uint64_t unset, unsigned width) const;
    void builtIn(Variable& variable, std::uint32_t which, std::vector<std::pair<std::uint32_t, std::uint32_t>>& all);
    bool composite(std::uint32_t opcode, const Type& made, std::uint32_t result, SpirvWords operands,
                   std::vector<Instruction>& out);
    bool matrixProduct(std::uint32_t opcode, const Type& made, Instruction one, SpirvWords operands,
                       std::vector<Instruction>& out);
    std::uint32_t part(const Type*& type, SpirvWords indices) const;
    unsigned widthOf(const Type& type) const;
    std::uint32_t operand(std::uint32_t id, std::uint32_t cells) const;

    const Specialisation& given_;
    Code& code_;
    SpirvTable<Meaning> meanings_;
    std::unordered_map<std::uint32_t, std::string> names_, texts_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::string> memberNames_;
    std::unordered_map<std::uint32_t, Decorations> decorations_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, Decorations> memberDecorations_;
    std::unordered_map<std::uint32_t, PointerFacts> facts_;
    std::set<std::uint32_t> glsl_, silent_;
    std::vector<std::array<std::uint32_t, 4>>
        privates_;  // variable's place, cells, initial value or 0, built-in or none
    std::array<std::uint32_t, 3> sizeIds_{};
    std::uint32_t main_ = 0, lastSource_ = 0, unset_ = none;
    std::array<std::uint32_t, 3> sizes_ = {1, 1, 1};
    std::uint32_t sizeConstant_ = 0;
};

void calculateConstant(Code& code, const Instruction& one);

// The text that begins at this word.
std::string textAt(SpirvWords words, std::size_t first);

}  // namespace a2::emulator
