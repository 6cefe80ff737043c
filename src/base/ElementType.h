// The type of an array's elements: which whole number a word of 32 bits stands for. The judge calculates with numbers
// modulo 2^32, and so needs no arithmetic of its own for any type.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace a2 {

struct ElementType {
    const char* name;    // of --type: "float32"
    const char* symbol;  // that kernels are compiled with (shaders/include/A2Element.h); empty: as they are
    bool isSigned, isReal;

    // Whole numbers from -largestReal to largestReal are the ones that float32 has all of, so that they add up to the
    // same in every order (IEEE 754-2019, 3.4: a significand of 24 bits).
    static constexpr std::int32_t largestReal = 1 << 24;

    // The word that is a number, and the number that is a word. A real that is no such number becomes one beyond the
    // bounds, which no right result has, and its word again.
    std::uint32_t word(std::uint32_t number) const { return exchanged(number); }
    std::uint32_t number(std::uint32_t word) const { return exchanged(word); }
    // Likewise of many, where they lie.
    void toWords(std::span<std::uint32_t> numbers) const;
    void toNumbers(std::span<std::uint32_t> words) const;
    // Whether a number is a whole one.
    bool isWhole(std::uint32_t number) const;
    // As it is shown: "4294967295" as uint32, "-1" as int32 and float32; "0.5" of a real that is no whole number.
    std::string text(std::uint32_t number) const;

    static const ElementType uint32, int32, float32;

private:
    std::uint32_t exchanged(std::uint32_t one) const;
};

// All of them, uint32 first; the one of that name, null where there is none.
std::span<const ElementType* const> allElementTypes();
const ElementType* elementTypeNamed(const std::string& name);

}  // namespace a2
