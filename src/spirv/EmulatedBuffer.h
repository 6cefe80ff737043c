// The contents of a buffer on the host while kernels are emulated, and which of its bytes were ever set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <span>
#include <utility>
#include <vector>

namespace a2 {

// For vectors that get their final length when they are made: the zeros take no memory before they are written to, so
// that of a long array only the parts in use cost anything.
template <class Number>
struct ZeroedMemory {
    using value_type = Number;
    ZeroedMemory() = default;
    template <class Other>
    ZeroedMemory(const ZeroedMemory<Other>&)
    {
    }
    Number* allocate(std::size_t count)
    {
        if (void* made = std::calloc(count, sizeof(Number))) return static_cast<Number*>(made);
        throw std::bad_alloc();
    }
    void deallocate(Number* memory, std::size_t) { std::free(memory); }  // NOLINT: from calloc
    void construct(Number*) {}                                           // it is zero
    template <class... Values>
    void construct(Number* place, Values&&... values)
    {
        ::new (static_cast<void*>(place)) Number(std::forward<Values>(values)...);
    }
    bool operator==(const ZeroedMemory&) const = default;
};

// Has exactly as many bytes as the array: no guard words, no rounding up. At first all of them are unset: poison. The
// part of a transfer beyond the end has no effect.
class EmulatedBuffer {
public:
    explicit EmulatedBuffer(std::uint64_t bytes);

    std::uint64_t bytes() const { return bytes_; }
    // The buffer's end may cut off the last word.
    std::span<std::uint32_t> words() { return words_; }
    std::span<const std::uint32_t> words() const { return words_; }
    // One mark per word: bit i says that its byte i was set.
    static constexpr std::uint8_t allSet = 0xF;
    std::span<std::uint8_t> setMarks() { return set_; }
    std::span<const std::uint8_t> setMarks() const { return set_; }

    // The buffer is kept from run to run: its words that were never set do not count as mere padding.
    void keep() { isKept_ = true; }
    bool isKept() const { return isKept_; }

    // Afterwards no word is set. poison: every word gets this value. scatter: each word gets a different value, and in
    // each buffer other values, so that they do not cancel out in a calculation with several of them.
    void poison(std::uint32_t word);
    void scatter(std::uint32_t buffer);
    void fill(std::uint64_t offset, std::uint64_t bytes, std::uint32_t word);
    void update(std::uint64_t offset, std::span<const std::uint8_t> data);
    // Copies marks, too: a copy of poison is poison.
    void copy(const EmulatedBuffer& from, std::uint64_t fromOffset, std::uint64_t toOffset, std::uint64_t bytes);

    std::uint8_t byte(std::uint64_t at) const { return static_cast<std::uint8_t>(words_[at / 4] >> (at % 4 * 8)); }
    bool isSet(std::uint64_t at) const { return (set_[at / 4] >> (at % 4) & 1) != 0; }
    void put(std::uint64_t at, std::uint8_t value, bool set);

private:
    std::uint64_t room(std::uint64_t offset, std::uint64_t bytes) const;

    std::uint64_t bytes_ = 0;
    bool isKept_ = false;
    std::vector<std::uint32_t, ZeroedMemory<std::uint32_t>> words_;
    std::vector<std::uint8_t, ZeroedMemory<std::uint8_t>> set_;
};

}  // namespace a2
