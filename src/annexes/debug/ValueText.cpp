#include "annexes/debug/ValueText.h"

#include "report/Text.h"
#include "spirv/EmulatorArithmetic.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace a2::debug {

using emulator::Form;
using emulator::Spot;
using emulator::SpotNumber;
using emulator::Standing;

namespace {

bool isArray(const Spot& spot) { return spot.type->form == Form::array || spot.type->form == Form::endless; }

std::string spotText(const Spot& spot, const Standing& here)
{
    const emulator::Type& type = *spot.type;
    if (isList(spot)) {
        const std::uint64_t count = here.elements(spot), shown = std::min(count, mostShown);
        const bool array = isArray(spot);
        std::string text = array ? "{" : "(";
        for (std::uint64_t i = 0; i < shown; ++i) {
            const auto one = here.element(spot, i);
            text += (i > 0 ? ", " : "") + (one ? spotText(*one, here) : std::string("?"));
        }
        if (shown < count) text += fmt::format(", ... {} more", count - shown);
        return text + (array ? "}" : ")");
    }
    if (type.form == Form::structure) {
        std::string text = "{";
        for (const emulator::Member& member : type.members) {
            const auto one = here.member(spot, member.name);
            text += fmt::format("{}{} = {}", text.size() > 1 ? ", " : "", member.name,
                                one ? spotText(*one, here) : std::string("?"));
        }
        return text + "}";
    }
    const auto number = here.number(spot);
    return number ? numberText(*number) : "?";
}

nlohmann::json numberJson(const SpotNumber& one)
{
    if (!one.set) return nullptr;
    if (one.form == Form::boolean) return one.bits != 0;
    if (one.form == Form::real) {
        const double value = emulator::realOf(one.bits, one.width);
        return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(numberText(one));
    }
    return one.isSigned ? nlohmann::json(emulator::signedOf(one.bits, one.width)) : nlohmann::json(one.bits);
}

nlohmann::json spotJson(const Spot& spot, const Standing& here)
{
    if (isList(spot)) {
        nlohmann::json all = nlohmann::json::array();
        constexpr std::uint64_t most = 4096;
        for (std::uint64_t i = 0; i < std::min(here.elements(spot), most); ++i)
            if (const auto one = here.element(spot, i)) all.push_back(spotJson(*one, here));
        return all;
    }
    if (spot.type->form == Form::structure) {
        nlohmann::json all = nlohmann::json::object();
        for (const emulator::Member& member : spot.type->members)
            if (const auto one = here.member(spot, member.name)) all[member.name] = spotJson(*one, here);
        return all;
    }
    const auto number = here.number(spot);
    return number ? numberJson(*number) : nlohmann::json();
}

}  // namespace

bool isList(const Spot& spot)
{
    return isArray(spot) || spot.type->form == Form::vector || spot.type->form == Form::matrix;
}

std::string numberText(const SpotNumber& one)
{
    if (!one.set) return "?";
    if (one.form == Form::boolean) return one.bits != 0 ? "true" : "false";
    if (one.form == Form::real) {
        const double value = emulator::realOf(one.bits, one.width);
        if (std::isnan(value)) return "nan";
        return one.width == 64 ? fmt::format("{}", value) : fmt::format("{}", static_cast<float>(value));
    }
    return one.isSigned ? fmt::format("{}", emulator::signedOf(one.bits, one.width)) : fmt::format("{}", one.bits);
}

std::string valueText(const Value& value, const Standing& here)
{
    return value.spot ? spotText(*value.spot, here) : numberText(value.number);
}

nlohmann::json valueJson(const Value& value, const Standing& here)
{
    return value.spot ? spotJson(*value.spot, here) : numberJson(value.number);
}

std::string rowsText(const Spot& spot, const Standing& here, std::uint64_t first, std::uint64_t count)
{
    if (!isArray(spot)) return "  " + spotText(spot, here) + "\n";
    const std::uint64_t end = std::min(here.elements(spot), first + count);
    std::vector<std::string> texts;
    std::size_t widest = 1;
    for (std::uint64_t i = first; i < end; ++i) {
        const auto one = here.element(spot, i);
        texts.push_back(one ? spotText(*one, here) : "?");
        widest = std::max(widest, texts.back().size());
    }
    const std::size_t indexWidth = fmt::format("{}", end).size();
    const std::size_t room = lineColumns > indexWidth + 5 ? lineColumns - indexWidth - 5 : 1;
    const auto one = here.element(spot, first);
    const bool parts = one && !Value{one, {}}.isNumber();
    std::size_t perRow = parts ? 1 : std::max<std::size_t>(1, room / (widest + 1));
    for (const std::size_t nice : std::array<std::size_t, 4>{16, 8, 4, 2})
        if (perRow >= nice) {
            perRow = nice;
            break;
        }
    std::string text;
    for (std::size_t i = 0; i < texts.size(); i += perRow) {
        text += fmt::format("  [{:>{}}]", first + i, indexWidth);
        for (std::size_t k = i; k < std::min(texts.size(), i + perRow); ++k)
            text += parts ? " " + texts[k] : fmt::format(" {:>{}}", texts[k], widest);
        text += "\n";
    }
    if (end < here.elements(spot)) text += fmt::format("  ... {} more\n", here.elements(spot) - end);
    return text;
}

}  // namespace a2::debug
