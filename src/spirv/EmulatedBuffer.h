// What a buffer holds on the host while kernels are emulated, and which of it was ever set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <span>
#include <utility>
#include <vector>

namespace a2 {

// For vectors that are made as long as they will ever be: zeros that take no memory before they are written to, so that
// of a long array only what is looked at costs anything.
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
    void deallocate(Number* memory, std::size_t) { std::free(memory); }  // NOLINT: of calloc
    void construct(Number*) {}                                           // it is zero
    template <class... Values>
    void construct(Number* place, Values&&... values)
    {
        ::new (static_cast<void*>(place)) Number(std::forward<Values>(values)...);
    }
    bool operator==(const ZeroedMemory&) const = default;
};

// Exactly as many bytes as the array has: no guard words, no rounding up. All of them are unset at first: poison.
// A transfer that does not fit does nothing beyond the end.
class EmulatedBuffer {
public:
    explicit EmulatedBuffer(std::uint64_t bytes);

    std::uint64_t bytes() const { return bytes_; }
    // The last word may be cut off by the buffer's end.
    std::span<std::uint32_t> words() { return words_; }
    std::span<const std::uint32_t> words() const { return words_; }
    // One mark per word: bit i says that its byte i was set.
    static constexpr std::uint8_t allSet = 0xF;
    std::span<std::uint8_t> setMarks() { return set_; }
    std::span<const std::uint8_t> setMarks() const { return set_; }

    // Kept from run to run: what nobody has ever set in it is nobody's padding.
    void keep() { isKept_ = true; }
    bool isKept() const { return isKept_; }

    // None is set afterwards. poison: every word is this one; scatter: each is another one, in each buffer others, so
    // that what is calculated from several of them does not cancel out.
    void poison(std::uint32_t word);
    void scatter(std::uint32_t buffer);
    void fill(std::uint64_t offset, std::uint64_t bytes, std::uint32_t word);
    void update(std::uint64_t offset, std::span<const std::uint8_t> data);
    // Copies marks, too: what is copied from poison stays poison.
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
