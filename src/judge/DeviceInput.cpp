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

}  // namespace a2
