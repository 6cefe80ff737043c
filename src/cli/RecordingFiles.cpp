#include "cli/RecordingFiles.h"

#include "a2/Error.h"
#include "files/InputFile.h"
#include "recording/RecordingCheck.h"
#include "recording/RecordingFile.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <vector>

namespace a2 {

namespace {

std::vector<std::uint8_t> readAll(const std::string& path, std::uint64_t most, const char* what)
{
    InputFile file(path);
    file.limitPipeTo(most);
    std::vector<std::uint8_t> bytes;
    std::array<char, 1 << 16> block{};
    while (const std::size_t count = file.read(block.data(), block.size())) {
        bytes.insert(bytes.end(), block.begin(), block.begin() + static_cast<std::ptrdiff_t>(count));
        if (bytes.size() > most)
            throw UsageError(
                fmt::format("{} is no {}: it is longer than the {} MiB that one may have", path, what, most >> 20));
    }
    return bytes;
}

}  // namespace

Recording readRecording(const std::string& path)
{
    const RecordingLimits limits;
    const std::vector<std::uint8_t> bytes = readAll(path, limits.bytes, "recording");
    try {
        Recording recording = recordingFrom(bytes, limits);
        checkRecording(recording);
        return recording;
    } catch (const RecordingError& error) {
        throw UsageError(
            fmt::format("{} is no recording that a2 can judge: {}; `a2 record TASK` writes one", path, error.what()));
    }
}

RecordingBook readRecordings(const std::string& path)
{
    constexpr std::uint64_t most = std::uint64_t{4} << 30;
    try {
        return RecordingBook(readAll(path, most, "file of recordings"));
    } catch (const RecordingError& error) {
        throw UsageError(
            fmt::format("{} has no recordings that a2 can judge: {}; the same command with --record-only "
                        "instead of --recordings writes them",
                        path, error.what()));
    }
}

DeviceFacts readDevice(const std::string& path)
{
    const std::optional<DeviceFacts> device = readRecordings(path).device();
    if (!device) throw UsageError(fmt::format("{} names no device: it has no recordings", path));
    return *device;
}

}  // namespace a2
