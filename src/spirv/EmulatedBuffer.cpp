#include "spirv/EmulatedBuffer.h"

#include <algorithm>
#include <cstring>

namespace a2 {

EmulatedBuffer::EmulatedBuffer(std::uint64_t bytes)
    : bytes_(bytes), words_(static_cast<std::size_t>(bytes / 4 + (bytes % 4 != 0))), set_(words_.size())
{
}

void EmulatedBuffer::put(std::uint64_t at, std::uint8_t value, bool set)
{
    const auto shift = static_cast<unsigned>(at % 4);
    std::uint32_t& word = words_[at / 4];
    std::uint8_t& marks = set_[at / 4];
    word = (word & ~(0xFFU << (shift * 8))) | static_cast<std::uint32_t>(value) << (shift * 8);
    marks = static_cast<std::uint8_t>((marks & ~(1U << shift)) | static_cast<unsigned>(set) << shift);
}

std::uint64_t EmulatedBuffer::room(std::uint64_t offset, std::uint64_t bytes) const
{
    return offset > bytes_ ? 0 : std::min(bytes, bytes_ - offset);
}

void EmulatedBuffer::poison(std::uint32_t word)
{
    std::fill(words_.begin(), words_.end(), word);
    std::fill(set_.begin(), set_.end(), std::uint8_t{0});
}

void EmulatedBuffer::scatter(std::uint32_t buffer)
{
    // Mixes the bits of a word's number by multiplications with odd numbers, as in a linear congruential generator.
    std::uint32_t mixed = 0x9E3779B9 * (buffer + 1);
    for (std::uint32_t& word : words_) {
        mixed = mixed * 1664525 + 1013904223;
        word = (mixed ^ mixed >> 16) * 0x85EBCA6B;
    }
    std::fill(set_.begin(), set_.end(), std::uint8_t{0});
}

void EmulatedBuffer::fill(std::uint64_t offset, std::uint64_t bytes, std::uint32_t word)
{
    bytes = room(offset, bytes);
    for (std::uint64_t i = 0; i < bytes;) {
        const std::uint64_t at = offset + i;
        if (at % 4 == 0 && i % 4 == 0 && bytes - i >= 4) {
            words_[at / 4] = word;
            set_[at / 4] = allSet;
            i += 4;
        } else {
            put(at, static_cast<std::uint8_t>(word >> (i % 4 * 8)), true);
            ++i;
        }
    }
}

void EmulatedBuffer::update(std::uint64_t offset, std::span<const std::uint8_t> data)
{
    const std::uint64_t bytes = room(offset, data.size());
    for (std::uint64_t i = 0; i < bytes; ++i) put(offset + i, data[i], true);
}

void EmulatedBuffer::copy(const EmulatedBuffer& from, std::uint64_t fromOffset, std::uint64_t toOffset,
                          std::uint64_t bytes)
{
    bytes = std::min(room(toOffset, bytes), from.room(fromOffset, bytes));
    if (bytes == 0) return;
    if ((fromOffset | toOffset | bytes) % 4 == 0) {  // whole words
        std::memmove(words_.data() + toOffset / 4, from.words_.data() + fromOffset / 4, bytes);
        std::memmove(set_.data() + toOffset / 4, from.set_.data() + fromOffset / 4, bytes / 4);
        return;
    }
    const bool backwards = &from == this && fromOffset < toOffset;  // they may overlap
    for (std::uint64_t i = 0; i < bytes; ++i) {
        const std::uint64_t at = backwards ? bytes - 1 - i : i;
        put(toOffset + at, from.byte(fromOffset + at), from.isSet(fromOffset + at));
    }
}

}  // namespace a2
