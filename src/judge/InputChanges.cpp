#include "judge/InputChanges.h"

#include <algorithm>

namespace a2 {

namespace {

void recordWord(vk::CommandBuffer cb, const DeviceBuffer& buffer, std::uint64_t index, std::uint32_t word)
{
    cb.updateBuffer<std::uint32_t>(buffer.handle(), buffer.firstByte() + index * sizeof word, word);
}

// 0 + 1 + ... + (end - 1), modulo 2^64.
std::uint64_t sumBelow(std::uint64_t end) { return end % 2 == 0 ? end / 2 * (end - 1) : (end - 1) / 2 * end; }

}  // namespace

InputChanges::InputChanges(const Expectation& expectation, PoisonWords& words)
{
    const std::uint64_t n = expectation.input().size(), blocks = std::min(n, most);
    for (std::uint64_t block = 0; block < blocks; ++block) {
        const std::uint64_t first = n * block / blocks, length = n * (block + 1) / blocks - first;
        const std::uint64_t index = first + (words.next() * length >> 32);
        const Change one{index, expectation.given(index), words.next()};
        const std::vector<Effect> effects = expectation.taskClass().change(expectation, index, one.by);
        changes_.push_back(one);
        effects_.insert(effects_.end(), effects.begin(), effects.end());
    }
}

void InputChanges::record(vk::CommandBuffer cb, const DeviceBuffer& input) const
{
    for (const Change& one : changes_) recordWord(cb, input, one.index, one.given + one.by);
}

void InputChanges::recordBack(vk::CommandBuffer cb, const DeviceBuffer& input) const
{
    for (const Change& one : changes_) recordWord(cb, input, one.index, one.given);
}

std::uint32_t InputChanges::effectOn(std::uint64_t i) const
{
    std::uint32_t effect = 0;
    for (const Effect& one : effects_)
        if (one.first <= i && i < one.end) effect += one.by;
    return effect;
}

std::uint32_t InputChanges::at(std::uint64_t i) const
{
    std::uint32_t added = 0;
    for (const Change& one : changes_)
        if (one.index == i) added += one.by;
    return added;
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
        effect.sum += one.by * static_cast<std::uint32_t>(one.end - one.first);
        effect.weighted += one.by * static_cast<std::uint32_t>(sumBelow(one.end) - sumBelow(one.first));
    }
    return effect;
}

}  // namespace a2
