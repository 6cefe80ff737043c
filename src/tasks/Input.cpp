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

std::optional<std::uint32_t> parseWord(std::string_view text, std::size_t at)
{
    std::uint32_t value = 0;
    const char* const end = text.data() + text.size();
    return readWhole(std::from_chars(text.data() + at, end, value), end) ? std::optional(value) : std::nullopt;
}

std::string whyNoWord(std::string_view word)
{
    return fmt::format("{} is not a whole number from 0 to 4294967295", quotedWord(word));
}

std::vector<std::uint32_t> readValues(const std::string& path)
{
    if (path.empty()) throw UsageError(fmt::format("{} is without a path: name a file after it", filePrefix));
    std::vector<std::uint32_t> values = readWords(path, {parseWord, whyNoWord});
    if (values.empty()) throw UsageError(fmt::format("{} holds no numbers: it needs at least one", path));
    return values;
}

// Where numbers end that have other bits or no sign: of 8, 16, 24, 31 bits, and of floats (from 2^24 on not each whole
// number is one; bits of infinity, of no number, of the smallest one). So many that no tile is a multiple of them.
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

Pattern Pattern::parse(const std::string& text)
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
        pattern.values_ = readValues(text.substr(file.size()));
    } else if (text.starts_with(onehot)) {
        pattern.kind_ = Kind::onehot;
        const char* const begin = text.data() + onehot.size();
        const char* const end = text.data() + text.size();
        const auto [stop, error] = std::from_chars(begin, end, pattern.position_);
        if (error != std::errc() || stop != end || begin == end)
            throw UsageError(fmt::format("'{}': K in onehot:K must be the index of an element, 0 or more", text));
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

Pattern Pattern::oneHot(std::uint64_t position) { return parse(fmt::format("onehot:{}", position)); }

void Pattern::fill(std::span<std::uint32_t> values, std::uint64_t seed, std::uint64_t first) const
{
    const auto each = [&](auto element) {
        inParallel(values.size(), [&](std::uint64_t begin, std::uint64_t end) {
            for (std::uint64_t i = begin; i < end; ++i) values[i] = element(first + i);
        });
    };
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
            each([this](std::uint64_t i) { return i == position_ ? 1U : 0U; });
            break;
        case Kind::max:
            each([](std::uint64_t) { return std::numeric_limits<std::uint32_t>::max(); });
            break;
        case Kind::shuffled:  // 97 is a prime: each of 97 neighbours is another number
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

Input::Input(const Pattern& pattern, std::uint64_t n, std::uint64_t seed, std::uint64_t first)
    : pattern_(pattern.text()),
      seed_(seed),
      first_(first),
      size_(pattern.fileLength() > 0 ? std::min(n, pattern.fileLength() - std::min(first, pattern.fileLength())) : n),
      values_(makeHostArray(size_)),
      prefix_(makeHostArray(size_))
{
    pattern.fill({values_.get(), size_}, seed, first);
    parallelInclusiveScan(values(), {prefix_.get(), size_});
    checkReference(parallelSum(values()) == sum());  // two independent ways to the same number
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

// The same sums once more, to where they lie already: a third array may not fit this host's memory.
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
