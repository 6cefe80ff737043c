#include "judge/InputChanges.h"

#include <algorithm>

namespace a2 {

namespace {

void recordWord(Commands& cb, const DeviceBuffer& buffer, std::uint64_t index, std::uint32_t word)
{
    cb.update(*buffer.memory(), buffer.firstByte() + index * sizeof word, word);
}

// 0 + 1 + ... + (end - 1), modulo 2^64.
std::uint64_t sumBelow(std::uint64_t end) { return end % 2 == 0 ? end / 2 * (end - 1) : (end - 1) / 2 * end; }

// By so little that all of them together leave sums where float32 has all whole numbers.
std::uint32_t realChange(const Input& input, std::uint32_t random, std::optional<bool> partOfPositive)
{
    constexpr std::uint32_t some = 32;
    if (!partOfPositive && input.room() >= std::int64_t{some} * std::int64_t{InputChanges::most})
        return random % (2 * some) - some;
    return partOfPositive.value_or(input.isRatherPositive()) ? 0 - random % 2 : random % 2;
}

}  // namespace

InputChanges::InputChanges(const Expectation& expectation, PoisonWords& words, std::optional<bool> partOfPositive)
    : expectation_(&expectation)
{
    const Input& input = expectation.input();
    const std::uint64_t n = input.size(), blocks = std::min(n, most);
    for (std::uint64_t block = 0; block < blocks; ++block) {
        const std::uint64_t first = n * block / blocks, length = n * (block + 1) / blocks - first;
        const std::uint64_t index = first + (words.next() * length >> 32);
        const std::uint32_t other = words.next();
        changes_.push_back({index, expectation.given(index),
                            expectation.element().isReal ? realChange(input, other, partOfPositive) : other});
    }
    if (expectation.taskClass().addsUp && !expectation.element().isReal &&
        expectation.input().patternText().starts_with("onehot") && blocks >= 8)
        addUpToTheLargest(words);
    effects_ = expectation.taskClass().effects(expectation, changes_);
}

// Among zeros: a quarter of the array before which all elements add up to 2^32 - 1. Who takes that number for a sum
// that is not there yet is wrong in it.
void InputChanges::addUpToTheLargest(PoisonWords& words)
{
    const std::size_t quarter = changes_.size() / 4;
    const std::size_t last = words.next() % (changes_.size() - quarter);
    changes_.erase(changes_.begin() + static_cast<std::ptrdiff_t>(last) + 1,
                   changes_.begin() + static_cast<std::ptrdiff_t>(last + 1 + quarter));
    std::uint32_t sum = expectation_->before() + expectation_->input().sumBefore(changes_[last].index + 1);
    for (std::size_t i = 0; i < last; ++i) sum += changes_[i].by;
    changes_[last].by = UINT32_MAX - sum;
    trap_ = last;
}

std::uint32_t InputChanges::changedWord(const Change& one) const
{
    return expectation_->element().word(one.given + one.by);
}

std::uint32_t InputChanges::firstWord() const
{
    const bool changed = !changes_.empty() && changes_.front().index == 0;
    return changed ? changedWord(changes_.front()) : expectation_->givenWord(0);
}

void InputChanges::record(Commands& cb, const DeviceBuffer& input) const
{
    for (const Change& one : changes_) recordWord(cb, input, one.index, changedWord(one));
}

void InputChanges::recordBack(Commands& cb, const DeviceBuffer& input) const
{
    for (const Change& one : changes_) recordWord(cb, input, one.index, expectation_->element().word(one.given));
}

void InputChanges::startFrom(std::uint32_t before)
{
    if (before == 0) return;
    before_ = before;
    if (trap_) changes_[*trap_].by -= before;  // so that all before its quarter adds up to as much
    if (changes_.empty() || changes_.front().index != 0) {
        changes_.insert(changes_.begin(), {0, expectation_->given(0), 0});
        if (trap_) ++*trap_;
    }
    changes_.front().by += before;
    effects_ = expectation_->taskClass().effects(*expectation_, changes_);
    if (needsFirstResult()) effects_.push_back({0, 1, before});
}

void InputChanges::recordStart(Commands& cb, const DeviceBuffer& input) const
{
    if (before_ == 0) return;
    recordWord(cb, input, 0, changedWord(changes_.front()));
    cb.fullBarrier();
}

void InputChanges::recordFirstResult(Commands& cb, const DeviceBuffer& result) const
{
    recordWord(cb, result, 0, expectation_->element().word(before_));
}

std::uint32_t InputChanges::effectOn(std::uint64_t i) const
{
    std::uint32_t effect = 0;
    for (const Effect& one : effects_)
        if (one.first <= i && i < one.end) effect += effectOf(one, i);
    return effect;
}

std::uint32_t InputChanges::effectOf(const Effect& one, std::uint64_t i) const
{
    if (one.shift == 0) return one.by;
    return expectation_->result(i + static_cast<std::uint64_t>(one.shift)) - expectation_->result(i);
}

std::uint32_t InputChanges::sum() const
{
    std::uint32_t added = 0;
    for (const Change& one : changes_) added += one.by;
    return added;
}

Digest InputChanges::effect() const
{
    Digest effect;
    for (const Effect& one : effects_) {
        const Digest part = digestOf(one);
        effect.sum += part.sum;
        effect.weighted += part.weighted;
    }
    return effect;
}

// What a shift of r does to the sum of i r[i] over i = first .. end - 1: with j = i + shift it becomes the sum of
// (j - shift) r[j]. The two sums have most of their elements in common, so only their ends are gone through; the sum of
// the r[j] is known.
Digest InputChanges::digestOf(const Effect& one) const
{
    if (one.shift == 0)
        return {one.by * static_cast<std::uint32_t>(one.end - one.first),
                one.by * static_cast<std::uint32_t>(sumBelow(one.end) - sumBelow(one.first))};
    const auto shift = static_cast<std::uint64_t>(one.shift);
    Digest effect;
    const auto add = [&](std::uint64_t first, std::uint64_t end, std::uint32_t sign) {
        for (std::uint64_t i = first; i < end; ++i) {
            const std::uint32_t element = sign * expectation_->result(i);
            effect.sum += element;
            effect.weighted += element * static_cast<std::uint32_t>(i);
        }
    };
    const std::uint64_t first = one.first + shift, end = one.end + shift;
    add(std::min(end, one.end), std::max(end, one.end), one.shift > 0 ? 1 : UINT32_MAX);
    add(std::min(first, one.first), std::max(first, one.first), one.shift > 0 ? UINT32_MAX : 1);
    effect.weighted -= static_cast<std::uint32_t>(shift) * expectation_->sumOfResults(first, end);
    return effect;
}

}  // namespace a2
