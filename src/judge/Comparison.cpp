#include "judge/Comparison.h"

#include <algorithm>
#include <vector>

namespace a2 {

void Judge::look(std::span<const std::uint32_t> part)
{
    const std::uint64_t left = expectation_.resultSize() - seen_;
    part = part.first(std::min<std::uint64_t>(part.size(), left));
    std::vector<std::uint32_t> numbers;
    if (expectation_.element().isReal) {
        numbers.assign(part.begin(), part.end());
        expectation_.element().toNumbers(numbers);
        part = numbers;
    }
    if (!part.empty() && !expectation_.matches(seen_, part)) {
        for (std::uint64_t i = 0; i < part.size(); ++i) {
            const std::uint32_t expected = expectation_.result(seen_ + i);
            if (part[i] == expected) continue;
            if (found_.count++ == 0) found_ = {1, seen_ + i, expected, part[i]};
        }
    }
    seen_ += part.size();
}

std::optional<Mismatches> Judge::verdict() const
{
    Mismatches all = found_;
    const std::uint64_t missing = expectation_.resultSize() - seen_;
    if (missing > 0 && all.count == 0) all = {0, seen_, expectation_.result(seen_), 0};
    all.count += missing;
    return all.count > 0 ? std::optional(all) : std::nullopt;
}

std::optional<Mismatches> judged(std::span<const std::uint32_t> words, const Expectation& expectation)
{
    Judge judge(expectation);
    judge.look(words);
    return judge.verdict();
}

}  // namespace a2
