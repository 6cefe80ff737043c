#include "judge/DeviceInput.h"

#include "base/Clock.h"
#include "gpu/Staging.h"

namespace a2 {

DeviceInput::DeviceInput(Device& gpu, const Expectation& expectation)
    : pristine_(gpu, "pristine input", expectation.input().size()), input_(makeInput(gpu, expectation.input().size()))
{
    const auto start = Clock::now();
    upload(gpu, pristine_, expectation.input().size(),
           [&](std::uint64_t first, std::span<std::uint32_t> chunk) { expectation.giveWords(first, chunk); });
    if (const std::uint64_t tiles = expectation.offsetCount()) {
        pristineOffsets_.emplace(gpu, "pristine block offsets", tiles);
        offsets_.emplace(gpu, "block offsets", tiles);
        upload(gpu, *pristineOffsets_, tiles, [&](std::uint64_t first, std::span<std::uint32_t> chunk) {
            for (std::uint64_t i = 0; i < chunk.size(); ++i) chunk[i] = expectation.offsetWord(first + i);
        });
    }
    uploadMs_ = msSince(start);
}

DeviceBuffer DeviceInput::makeInput(Device& gpu, std::uint64_t elements)
{
    const auto start = Clock::now();
    DeviceBuffer made(gpu, "input", elements);
    allocateMs_ = msSince(start);
    return made;
}

bool DeviceInput::holds(const DeviceMemory* memory) const
{
    return memory == input_.memory() || (offsets_ && memory == offsets_->memory());
}

void DeviceInput::recordRestore(Commands& cb) const
{
    const auto restore = [&](const DeviceBuffer& from, const DeviceBuffer& to) {
        cb.copy({from.memory(), from.firstByte(), to.bytes()}, *to.memory(), to.firstByte());
    };
    restore(pristine_, input_);
    if (offsets_) restore(*pristineOffsets_, *offsets_);
}

const Input& KeptInput::of(const Task& task, const Pattern& pattern, std::uint64_t n, std::uint64_t seed,
                           std::uint64_t first)
{
    const bool same = input_ && input_->size() == n && input_->first() == first &&
                      input_->patternText() == pattern.text() && &input_->element() == task.element;
    if (!same) {
        free();
        input_ = std::make_unique<Input>(task.inputOf(pattern, n, seed, first));
    }
    return *input_;
}

const DeviceInput& KeptInput::onDevice(Device& gpu, const Expectation& expectation)
{
    const bool perTile = expectation.taskClass().givenBlockOffsets;
    const KernelShape& shape = expectation.shape();
    const bool same =
        onDevice_ && perTile == offsetShape_.has_value() &&
        (!perTile || (offsetShape_->tile() == shape.tile() && offsetShape_->exclusive == shape.exclusive));
    if (!same) {
        onDevice_.reset();  // before the next one is made: two may not fit
        onDevice_ = std::make_unique<DeviceInput>(gpu, expectation);
        offsetShape_ = perTile ? std::optional(shape) : std::nullopt;
    }
    return *onDevice_;
}

void KeptInput::free()
{
    onDevice_.reset();
    input_.reset();
}

}  // namespace a2
