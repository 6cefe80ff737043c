// The contents of a buffer on the host while kernels are emulated, and which of its bytes were ever set.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <utility>

namespace a2 {

// Zeros, which take neither time nor memory before they are written to: of a long array only the parts in use cost
// anything. (A vector visits every element to make and to end it, also with an allocator for which that does nothing.)
template <class Number>
class ZeroedArray {
public:
    explicit ZeroedArray(std::size_t count)
        : numbers_(static_cast<Number*>(std::calloc(std::max<std::size_t>(1, count), sizeof(Number)))), count_(count)
    {
        if (!numbers_) throw std::bad_alloc();
    }
    ZeroedArray(const ZeroedArray& from) : ZeroedArray(from.count_) { std::copy_n(from.data(), count_, data()); }
    ZeroedArray(ZeroedArray&& from) noexcept : numbers_(std::move(from.numbers_)), count_(std::exchange(from.count_, 0))
    {
    }
    ZeroedArray& operator=(const ZeroedArray& from)
    {
        if (count_ != from.count_) return *this = ZeroedArray(from);
        std::copy_n(from.data(), count_, data());
        return *this;
    }
    ZeroedArray& operator=(ZeroedArray&& from) noexcept
    {
        numbers_ = std::move(from.numbers_);
        count_ = std::exchange(from.count_, 0);
        return *this;
    }
    ~ZeroedArray() = default;

    Number* data() { return numbers_.get(); }
    const Number* data() const { return numbers_.get(); }
    std::size_t size() const { return count_; }
    Number* begin() { return data(); }
    Number* end() { return data() + count_; }
    Number& operator[](std::size_t at) { return data()[at]; }
    const Number& operator[](std::size_t at) const { return data()[at]; }
    operator std::span<Number>() { return {data(), count_}; }
    operator std::span<const Number>() const { return {data(), count_}; }

private:
    struct Free {
        void operator()(Number* memory) const { std::free(memory); }  // NOLINT: from calloc
    };
    std::unique_ptr<Number[], Free> numbers_;
    std::size_t count_ = 0;
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
    ZeroedArray<std::uint32_t> words_;
    ZeroedArray<std::uint8_t> set_;
};

}  // namespace a2
