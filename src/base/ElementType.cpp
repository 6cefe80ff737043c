#include "base/ElementType.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace a2 {

namespace {

// Turns a real's word that would be read as a number within the bounds into one that is not.
constexpr std::uint32_t signBit = 0x80000000;

bool isWithin(std::uint32_t number) { return number + ElementType::largestReal <= 2U * ElementType::largestReal; }

}  // namespace

constinit const ElementType ElementType::uint32 = {"uint32", "", false, false};
constinit const ElementType ElementType::int32 = {"int32", "", true, false};
constinit const ElementType ElementType::float32 = {"float32", "A2_FLOAT32", true, true};

std::span<const ElementType* const> allElementTypes()
{
    static constexpr std::array<const ElementType*, 3> all = {&ElementType::uint32, &ElementType::int32,
                                                              &ElementType::float32};
    return all;
}

const ElementType* elementTypeNamed(const std::string& name)
{
    const auto all = allElementTypes();
    const auto found = std::ranges::find(all, name, &ElementType::name);
    return found == all.end() ? nullptr : *found;
}

std::uint32_t ElementType::word(std::uint32_t number) const
{
    if (!isReal || !isWithin(number)) return number;
    return std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<std::int32_t>(number)));
}

std::uint32_t ElementType::number(std::uint32_t word) const
{
    if (!isReal) return word;
    const float value = std::bit_cast<float>(word);
    if (std::abs(value) <= largestReal)  // false of what is no number at all
        if (const auto whole = static_cast<std::int32_t>(value); static_cast<float>(whole) == value)
            return static_cast<std::uint32_t>(whole);
    return isWithin(word) ? word ^ signBit : word;
}

void ElementType::toWords(std::span<std::uint32_t> numbers) const
{
    if (isReal) std::ranges::transform(numbers, numbers.begin(), [this](std::uint32_t one) { return word(one); });
}

void ElementType::toNumbers(std::span<std::uint32_t> words) const
{
    if (isReal) std::ranges::transform(words, words.begin(), [this](std::uint32_t one) { return number(one); });
}

std::string ElementType::text(std::uint32_t number) const
{
    if (!isSigned) return fmt::format("{}", number);
    if (!isReal || isWithin(number)) return fmt::format("{}", static_cast<std::int32_t>(number));
    return fmt::format("{}", std::bit_cast<float>(number));
}

}  // namespace a2
