#include "tasks/Input.h"

#include "a2/Error.h"
#include "base/Clock.h"
#include "files/FileWords.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <numeric>
#include <string_view>

namespace a2 {

namespace {

constexpr const char* filePrefix = "file:";

// A whole number from least to most.
template <std::int64_t least, std::int64_t most>
std::optional<std::uint32_t> parseWord(std::string_view text, std::size_t at)
{
    std::int64_t value = 0;
    const char* const end = text.data() + text.size();
    const bool isOne = readWhole(std::from_chars(text.data() + at, end, value), end);
    if (!isOne || value < least || value > most || (least == 0 && text[at] == '-')) return std::nullopt;
    return static_cast<std::uint32_t>(value);
}

template <std::int64_t least, std::int64_t most>
std::string whyNoWord(std::string_view word)
{
    return fmt::format("{} is not a whole number from {} to {}", quotedWord(word), least, most);
}

template <std::int64_t least, std::int64_t most>
constexpr WordType wordsFrom{parseWord<least, most>, whyNoWord<least, most>};

WordType wordsOf(const ElementType& element)
{
    if (element.isReal) return wordsFrom<-ElementType::largestReal, ElementType::largestReal>;
    if (element.isSigned) return wordsFrom<INT32_MIN, INT32_MAX>;
    return wordsFrom<0, UINT32_MAX>;
}

std::vector<std::uint32_t> readValues(const std::string& path, const ElementType& element)
{
    if (path.empty()) throw UsageError(fmt::format("{} is without a path: name a file after it", filePrefix));
    std::vector<std::uint32_t> values = readWords(path, wordsOf(element));
    if (values.empty()) throw UsageError(fmt::format("{} holds no numbers: it needs at least one", path));
    return values;
}

// The limits of number types with fewer bits or another sign: of 8, 16, 24, 31 bits, and of floats (which skip whole
// numbers from 2^24 on; the bits of infinity, of NaN, of the smallest number). So many that no tile is a multiple of
// them.
constexpr std::array<std::uint32_t, 23> endsOfTypes = {
    0x8000'0000, 0,           0x7F'FFFF,   0x80'0000, 0x80'0001, 0xFF'FFFF,   0x7FFF'FFFF, 0xFFFF'FFFF,
    1,           0x8000'0001, 0xFFFF'FFFE, 0xFF,      0x100,     0x7F80'0000, 0xFFFF,      0x1'0000,
    0x7F,        0x80,        0x7FC0'0000, 0x7FFF,    0x8000,    0x100'0000,  0x100'0001};

void checkReference(bool agrees)
{
    if (!agrees) throw Error(ExitStatus::internal, "the CPU reference disagrees with itself: is the memory sound?");
}

}  // namespace

std::uint32_t randomElement(std::uint64_t seed, std::uint64_t i)
{
    std::uint64_t z = seed + (i + 1) * 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return static_cast<std::uint32_t>((z ^ (z >> 31)) >> 32);
}

Pattern Pattern::parse(const std::string& text, const ElementType& element)
{
    Pattern pattern;
    pattern.text_ = text;
    const std::string onehot = "onehot:", file = filePrefix;
    if (text == "mod97") return pattern;
    if (text == "ones")
        pattern.kind_ = Kind::ones;
    else if (text == "iota")
        pattern.kind_ = Kind::iota;
    else if (text == "random")
        pattern.kind_ = Kind::random;
    else if (text == "max")
        pattern.kind_ = Kind::max;
    else if (text == "shuffled")
        pattern.kind_ = Kind::shuffled;
    else if (text == "edges")
        pattern.kind_ = Kind::edges;
    else if (text.starts_with(file)) {
        pattern.kind_ = Kind::file;
        pattern.values_ = readValues(text.substr(file.size()), element);
    } else if (text.starts_with(onehot)) {
        pattern.kind_ = Kind::onehot;
        const std::size_t at = text.find('=');
        const auto read = [&](std::size_t from, std::size_t to, auto& number) {
            const char *const begin = text.data() + from, *const end = text.data() + std::min(to, text.size());
            const auto [stop, error] = std::from_chars(begin, end, number);
            return error == std::errc() && stop == end && begin != end;
        };
        if (!read(onehot.size(), at, pattern.position_))
            throw UsageError(fmt::format("'{}': K in onehot:K must be the index of an element, 0 or more", text));
        if (at != std::string::npos && !read(at + 1, text.size(), pattern.value_))
            throw UsageError(fmt::format("'{}': V in onehot:K=V must be a number from 0 to 4294967295", text));
    } else {
        throw UsageError(fmt::format(
            "unknown pattern '{}': choose mod97, ones, iota, random, onehot:K, max, shuffled, edges or file:PATH",
            text));
    }
    return pattern;
}

Pattern Pattern::ofFile(const std::string& text, std::vector<std::uint32_t> values)
{
    Pattern pattern;
    pattern.kind_ = Kind::file;
    pattern.text_ = text;
    pattern.values_ = std::move(values);
    return pattern;
}

std::string Pattern::file() const
{
    return kind_ == Kind::file ? text_.substr(std::string_view(filePrefix).size()) : std::string();
}

Pattern Pattern::oneHot(std::uint64_t position, std::uint32_t value)
{
    return parse(value == 1 ? fmt::format("onehot:{}", position) : fmt::format("onehot:{}={}", position, value));
}

// 0, 1, ... period - 1, and then the same values negated.
std::uint32_t sawtooth(std::uint64_t i, std::uint64_t period, std::uint64_t value)
{
    const auto number = static_cast<std::uint32_t>(value);
    return i / period % 2 == 0 ? number : 0 - number;
}

std::uint32_t Pattern::realAt(std::uint64_t i, std::uint64_t seed) const
{
    constexpr std::uint32_t largest = 32;
    constexpr std::uint64_t longestRise = 2000;
    switch (kind_) {
        case Kind::mod97:
            return sawtooth(i, 97, i % 97);
        case Kind::shuffled:
            return sawtooth(i, 97, i % 97 * 37 % 97);
        case Kind::iota:
            return sawtooth(i, longestRise, i % longestRise);
        case Kind::random:
            return randomElement(seed, i) % (2 * largest + 1) - largest;
        case Kind::max:
            return randomElement(1, i) % 2 == 0 ? largest : 0 - largest;
        case Kind::edges:
            return randomElement(1, i) % 3 - 1;
        case Kind::ones:
            return 1;
        case Kind::onehot:
            return i == position_ ? value_ : 0;
        case Kind::file:
            break;
    }
    return values_[i];
}

void Pattern::fill(std::span<std::uint32_t> values, std::uint64_t seed, std::uint64_t first,
                   const ElementType& element) const
{
    const auto each = [&](auto numberAt) {
        inParallel(values.size(), [&](std::uint64_t begin, std::uint64_t end) {
            for (std::uint64_t i = begin; i < end; ++i) values[i] = numberAt(first + i);
        });
    };
    if (element.isReal) return each([&](std::uint64_t i) { return realAt(i, seed); });
    switch (kind_) {
        case Kind::mod97:
            each([](std::uint64_t i) { return static_cast<std::uint32_t>(i % 97); });
            break;
        case Kind::ones:
            each([](std::uint64_t) { return 1U; });
            break;
        case Kind::iota:
            each([](std::uint64_t i) { return static_cast<std::uint32_t>(i); });
            break;
        case Kind::random:
            each([seed](std::uint64_t i) { return randomElement(seed, i); });
            break;
        case Kind::onehot:
            each([this](std::uint64_t i) { return i == position_ ? value_ : 0U; });
            break;
        case Kind::max:
            each([](std::uint64_t) { return std::numeric_limits<std::uint32_t>::max(); });
            break;
        case Kind::shuffled:  // 97 is a prime: 97 neighbours are all different
            each([](std::uint64_t i) { return static_cast<std::uint32_t>(i % 97 * 37 % 97); });
            break;
        case Kind::edges:
            each([](std::uint64_t i) { return endsOfTypes[i % endsOfTypes.size()]; });
            break;
        case Kind::file:
            each([this](std::uint64_t i) { return values_[i]; });
            break;
    }
}

Input::Input(const Pattern& pattern, std::uint64_t n, std::uint64_t seed, std::uint64_t first,
             const ElementType& element)
    : pattern_(pattern.text()),
      element_(&element),
      seed_(seed),
      first_(first),
      size_(pattern.fileLength() > 0 ? std::min(n, pattern.fileLength() - std::min(first, pattern.fileLength())) : n),
      values_(makeHostArray(size_)),
      prefix_(makeHostArray(size_))
{
    checkLength(pattern, first + size_, element);
    pattern.fill({values_.get(), size_}, seed, first, element);
    if (element.isReal && first == 0 && (pattern.text() == "random" || pattern.text() == "edges")) addLargeReals();
    parallelInclusiveScan(values(), {prefix_.get(), size_});
    checkReference(parallelSum(values()) == sum());  // two independent ways to the same sum
    if (element.isReal) checkSums();
}

// One far below zero and one equally far above it, at any two places. Sums that contain only one of them have room for
// the others, in every order of additions.
void Input::addLargeReals()
{
    constexpr std::uint32_t allBits = 3 << 22, ofLong = 1 << 23, some = 1024;
    constexpr std::uint64_t longest = std::uint64_t{1} << 30;
    if (size_ == 0) return;
    const std::uint64_t place = randomElement(~seed_, 0) % size_;
    const std::uint64_t other = (place + 1 + randomElement(~seed_, 1) % std::max<std::uint64_t>(1, size_ - 1)) % size_;
    const std::uint32_t number =
        (size_ > longest ? ofLong : allBits) - 1 - 2 * (randomElement(~seed_, 2) % some);  // odd
    values_[other] = 0 - (number - 2);
    values_[place] = number;
}

namespace {

LimitError tooLarge(std::uint64_t element, const std::string& pattern, const ElementType& type)
{
    return LimitError(fmt::format(
        "element {} of pattern {}, or a sum that ends in it, is beyond 2^24, and from there on {} no longer "
        "has every whole number: choose fewer elements, or another pattern",
        element, pattern, type.name));
}

}  // namespace

void Input::checkLength(const Pattern& pattern, std::uint64_t n, const ElementType& element)
{
    constexpr std::uint64_t most = ElementType::largestReal;
    if (element.isReal && pattern.text() == "ones" && n > most) throw tooLarge(most, pattern.text(), element);
}

void Input::checkSums()
{
    constexpr std::int64_t most = ElementType::largestReal;
    std::int64_t sum = 0, least = 0, largest = 0;  // of the first elements
    for (std::uint64_t i = 0; i < size_; ++i) {
        const std::int64_t element = static_cast<std::int32_t>(values_[i]);
        sum += element;
        least = std::min(least, sum);
        largest = std::max(largest, sum);
        if (std::abs(element) > most || largest - least > most) throw tooLarge(i, pattern_, *element_);
    }
    room_ = most - (largest - least);
    positive_ = largest >= -least;
}

double Input::cpuReduceMs() const
{
    if (!cpuReduceMs_) {
        const auto start = Clock::now();
        const std::uint32_t total = std::accumulate(values().begin(), values().end(), std::uint32_t{0});
        cpuReduceMs_ = msSince(start);
        checkReference(total == sum());  // and keeps the sum from being optimised away
    }
    return *cpuReduceMs_;
}

// The same sums once more, written over themselves: a third array may not fit this host's memory.
double Input::cpuScanMs() const
{
    if (!cpuScanMs_) {
        const std::uint32_t before = sum();
        const auto start = Clock::now();
        std::partial_sum(values().begin(), values().end(), prefix_.get());
        cpuScanMs_ = msSince(start);
        checkReference(before == sum());
    }
    return *cpuScanMs_;
}

}  // namespace a2
