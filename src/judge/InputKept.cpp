#include "judge/InputKept.h"

#include "gpu/Device.h"
#include "recording/UsedBuffers.h"

#include <fmt/format.h>

#include <optional>
#include <span>

namespace a2 {

Finding inputOverwritten(std::uint64_t element, const char* buffer)
{
    return {"input-modified",
            fmt::format("element {} of buffer '{}' was overwritten; this task must leave it as it is", element, buffer),
            {}};
}

void checkInputKept(Device& gpu, const Expectation& expectation, const DeviceInput& input,
                    const StudentSolution& solution, bool keepsInput, Verdict& verdict)
{
    const auto check = [&](RecordedBuffer::Role role, const DeviceBuffer& buffer, const char* name,
                           const auto& valueOf) {
        const std::optional<Index> given = givenAs(role, solution.recording());
        if (!given || !solution.log().mayWrite(*given)) return;
        std::optional<std::uint64_t> first;
        download(gpu, buffer, buffer.elements(), [&](std::uint64_t start, std::span<const std::uint32_t> chunk) {
            for (std::uint64_t i = 0; i < chunk.size() && !first; ++i)
                if (chunk[i] != valueOf(start + i)) first = start + i;
        });
        if (first) verdict.findings.push_back(inputOverwritten(*first, name));
    };
    if (keepsInput)
        check(RecordedBuffer::Role::input, input.input(), "input",
              [&](std::uint64_t i) { return expectation.givenWord(i); });
    if (const DeviceBuffer* offsets = input.blockOffsets())
        check(RecordedBuffer::Role::blockOffsets, *offsets, "block offsets",
              [&](std::uint64_t i) { return expectation.offsetWord(i); });
}

}  // namespace a2
