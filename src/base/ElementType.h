// The type of an array's elements: which whole number a word of 32 bits stands for. The judge calculates with numbers
// modulo 2^32, so that no type needs special arithmetic.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace a2 {

struct ElementType {
    const char* name;    // as --type names it: "float32"
    const char* symbol;  // macro that kernels are compiled with (shaders/include/A2Element.h); empty: none
    bool isSigned, isReal;

    // float32 has every whole number from -largestReal to largestReal, so that these add up to the same sum in every
    // order (IEEE 754-2019, 3.4: a significand of 24 bits).
    static constexpr std::int32_t largestReal = 1 << 24;

    // The word for a number, and the number for a word. The word of a real that is no such whole number becomes a
    // number beyond the bounds, which no right result has; word() of that number gives the same word again.
    std::uint32_t word(std::uint32_t number) const { return exchanged(number); }
    std::uint32_t number(std::uint32_t word) const { return exchanged(word); }
    // The same for many, in place.
    void toWords(std::span<std::uint32_t> numbers) const;
    void toNumbers(std::span<std::uint32_t> words) const;
    // Whether a number stands for a whole number.
    bool isWhole(std::uint32_t number) const;
    // The number as a2 shows it: "4294967295" as uint32, "-1" as int32 and float32; "0.5" for a real that is no whole
    // number.
    std::string text(std::uint32_t number) const;

    static const ElementType uint32, int32, float32;

private:
    std::uint32_t exchanged(std::uint32_t one) const;
};

// All types, uint32 first; and the type of that name, or null where there is none.
std::span<const ElementType* const> allElementTypes();
const ElementType* elementTypeNamed(const std::string& name);

}  // namespace a2
