// The prescan lab: its input, and the meaning of its arrays of 32-bit words.
#pragma once

#include "a2/KernelShape.h"
#include "base/ElementType.h"
#include "base/Parallel.h"

#include <bit>
#include <cstdint>
#include <span>
#include <string>

namespace a2 {

constexpr std::uint64_t prescanSize = 16000000;  // the lab's own length

struct PrescanSettings {
    const ElementType* element = &ElementType::float32;
    std::uint64_t maxRand = 3;  // random elements are whole numbers from 0 to maxRand - 1
    std::uint64_t seed = 1;
    KernelShape shape{128, 8, true};  // of the kernels of scan/work-efficient; exclusive is the lab's prescan

    const char* typeName() const { return element->isReal ? "float" : "uint32"; }
};

// Elements first .. first + words.size() - 1 of the random array. Each depends only on the settings and its index.
void fillRandom(const PrescanSettings& settings, std::uint64_t first, std::span<std::uint32_t> words);

// What the judge must know of an input besides its elements.
struct InputFacts {
    double magnitude = 0;  // sum of |x|; also for uint32
    double quantum = 0;    // floats: the largest power of two that all elements are multiples of; 0: all are 0
    std::uint64_t fingerprint = 0;
};

// One walk over an input, in order, in any number of parts.
class InputLook {
public:
    explicit InputLook(const ElementType& element) : element_(element) {}
    void look(std::span<const std::uint32_t> part);
    const InputFacts& facts() const { return facts_; }

private:
    const ElementType& element_;
    InputFacts facts_;
};

// The largest power of two that a finite number other than 0 is a multiple of.
double quantumOf(float value);

// Throws UsageError if sums of these elements leave the range of float. (Sums of uint32 are modulo 2^32.)
void checkRange(const InputFacts& facts, const ElementType& element);

}  // namespace a2
