// The name of a variable's element in GLSL.

#include "spirv/EmulatorCode.h"

#include <fmt/format.h>

#include <algorithm>

namespace a2::emulator {

namespace {

const Type* typeAt(const Code& code, std::uint32_t id)
{
    const auto found = code.types.find(id);
    return found == code.types.end() ? nullptr : &found->second;
}

// The last member that begins at `at` or before it.
const Member* memberAt(const Type& whole, std::uint64_t at, bool bytes)
{
    const Member* best = nullptr;
    for (const Member& member : whole.members) {
        const std::uint64_t begin = bytes ? member.offset : member.cell;
        if (begin <= at && (!best || begin >= (bytes ? best->offset : best->cell))) best = &member;
    }
    return best;
}

}  // namespace

std::string elementName(const Code& code, const Variable& variable, std::uint64_t at)
{
    const bool bytes = variable.space == Space::buffer || variable.space == Space::push;
    std::string text = variable.name;
    const Type* type = typeAt(code, variable.type);
    if (variable.space == Space::buffer && type && (type->form == Form::array || type->form == Form::endless)) {
        text += "[]";  // one of several descriptors
        type = typeAt(code, type->element);
    }
    std::uint64_t matrixStride = 0;
    bool rowMajor = false;
    while (type) {
        std::uint64_t stride = 0;
        switch (type->form) {
            case Form::structure: {
                const Member* member = memberAt(*type, at, bytes);
                if (!member) return text;
                if (!text.empty()) text += ".";
                text += member->name.empty() ? "?" : member->name;
                at -= bytes ? member->offset : member->cell;
                matrixStride = member->matrixStride;
                rowMajor = member->rowMajor;
                type = typeAt(code, member->type);
                continue;
            }
            case Form::array:
            case Form::endless: {
                const Type* element = typeAt(code, type->element);
                stride = bytes ? type->stride : element ? element->cells : 0;
                if (stride == 0) return text;
                text += fmt::format("[{}]", at / stride);
                at %= stride;
                type = element;
                continue;
            }
            case Form::matrix: {
                const Type* element = typeAt(code, type->element);
                if (rowMajor || !element) return text;
                stride = bytes ? matrixStride : element->cells;
                if (stride == 0) return text;
                text += fmt::format("[{}]", at / stride);
                at %= stride;
                type = element;
                continue;
            }
            case Form::vector: {
                const Type* element = typeAt(code, type->element);
                stride = bytes && element ? element->bits / 8 : 1;
                if (stride == 0 || at / stride > 3) return text;
                text += fmt::format(".{}", "xyzw"[at / stride]);
                return text;
            }
            default:
                return text;
        }
    }
    return text;
}

std::string paddingText(const Code& code, const Variable& variable)
{
    const Type* const block = typeAt(code, variable.type);
    if (variable.space != Space::buffer || !block) return {};
    for (const Member& member : block->members) {
        const Type* const array = typeAt(code, member.type);
        if (!array || (array->form != Form::array && array->form != Form::endless)) continue;
        const Type* const element = typeAt(code, array->element);
        if (!element) continue;
        const Type* const number = element->form == Form::vector ? typeAt(code, element->element) : element;
        const std::uint32_t used = number ? number->bits / 8 * std::max(1U, element->cells) : 0;
        if (used == 0 || array->stride <= used) continue;
        return fmt::format("elements of '{}' begin every {} bytes and use {} of them: {}", member.name, array->stride,
                           used,
                           element->form == Form::vector ? "declare an array of plain numbers, three for each"
                                                         : "declare the block std430, where they follow one another");
    }
    return {};
}

}  // namespace a2::emulator
