#include "base/ElementType.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace a2 {

namespace {

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

bool ElementType::isWhole(std::uint32_t number) const { return !isReal || isWithin(number); }

// Exchanges two sets of words: the floats that are whole numbers within the bounds, and the words that are these
// numbers. So the function is its own inverse (except for -0).
std::uint32_t ElementType::exchanged(std::uint32_t one) const
{
    if (!isReal) return one;
    const float value = std::bit_cast<float>(one);
    if (std::abs(value) <= largestReal)  // false for NaN
        if (const auto whole = static_cast<std::int32_t>(value); static_cast<float>(whole) == value)
            return static_cast<std::uint32_t>(whole);
    if (!isWithin(one)) return one;
    return std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<std::int32_t>(one)));
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
    if (isWhole(number)) return fmt::format("{}", static_cast<std::int32_t>(number));
    const float value = std::bit_cast<float>(word(number));
    constexpr float allDigits = 1e15F;
    return std::abs(value) >= largestReal && std::abs(value) < allDigits ? fmt::format("{:.0f}", value)
                                                                         : fmt::format("{}", value);
}

}  // namespace a2
