#include "recording/RecordingBook.h"

#include "recording/Frames.h"
#include "recording/RecordingCheck.h"
#include "recording/RecordingFile.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <string_view>

namespace a2 {

namespace {

std::string firstLine() { return fmt::format("a2 recordings {}\n", workerVersion); }

// Reads a length, and then returns that many bytes.
std::span<const std::uint8_t> take(std::span<const std::uint8_t>& rest)
{
    if (rest.size() < lengthBytes) throw RecordingError("it is cut short");
    const std::uint64_t length = lengthFrom(rest.data());
    rest = rest.subspan(lengthBytes);
    if (length > rest.size()) throw RecordingError("it is cut short");
    const std::span<const std::uint8_t> taken = rest.first(static_cast<std::size_t>(length));
    rest = rest.subspan(taken.size());
    return taken;
}

void put(const std::vector<std::uint8_t>& bytes, std::vector<std::uint8_t>& to)
{
    to.resize(to.size() + lengthBytes);
    putLength(bytes.size(), to.data() + to.size() - lengthBytes);
    to.insert(to.end(), bytes.begin(), bytes.end());
}

VkPhysicalDeviceProperties propertiesOf(const DeviceFacts& device)
{
    VkPhysicalDeviceProperties properties{};
    if (device.properties.size() == sizeof properties)
        std::memcpy(&properties, device.properties.data(), sizeof properties);
    return properties;
}

bool isSameDevice(const DeviceFacts& one, const DeviceFacts& other)
{
    const VkPhysicalDeviceProperties first = propertiesOf(one), second = propertiesOf(other);
    return first.vendorID == second.vendorID && first.deviceID == second.deviceID &&
           first.driverVersion == second.driverVersion && first.apiVersion == second.apiVersion &&
           std::strncmp(first.deviceName, second.deviceName, sizeof first.deviceName) == 0 &&
           one.subgroupSize == other.subgroupSize;
}

// The key that distinguishes requests for one device. Of the device's properties it has only those that a2 itself
// changes (LowerLimits): with some drivers, the properties contain uninitialised bytes, which differ each time.
std::vector<std::uint8_t> placeKey(RecordRequest request)
{
    const VkPhysicalDeviceProperties properties = propertiesOf(request.device);
    const auto& groups = properties.limits.maxComputeWorkGroupCount;
    const std::array<std::uint32_t, 4> own{groups[0], groups[1], groups[2], properties.limits.maxStorageBufferRange};
    request.device.properties.resize(sizeof own);
    std::memcpy(request.device.properties.data(), own.data(), sizeof own);
    return toBytes(request);
}

}  // namespace

RecordingBook::RecordingBook()
{
    const std::string line = firstLine();
    bytes_.assign(line.begin(), line.end());
}

RecordingBook::RecordingBook(std::vector<std::uint8_t> bytes) : bytes_(std::move(bytes))
{
    constexpr std::string_view what = "a2 recordings ";
    const std::string line = firstLine();
    const auto begins = [&](std::string_view text) {
        return bytes_.size() >= text.size() && std::equal(text.begin(), text.end(), bytes_.begin());
    };
    if (!begins(what)) throw RecordingError("it does not begin as one");
    if (!begins(line)) throw RecordingError("it was made by an a2 of another version");
    std::span<const std::uint8_t> rest = std::span(bytes_).subspan(line.size());
    while (!rest.empty()) {
        const RecordRequest request = requestFrom(take(rest));
        const std::span<const std::uint8_t> value = take(rest);
        const RecordAnswer answer = answerFrom(value);
        if (const auto* recording = std::get_if<Recording>(&answer)) {
            checkRecording(*recording);
            checkAnswers(*recording, request);
        }
        note(request, {static_cast<std::size_t>(value.data() - bytes_.data()), value.size()});
    }
}

void RecordingBook::note(const RecordRequest& request, Place place)
{
    places_.insert({placeKey(request), place});
    bytesOfTask_[request.task] += place.length;
    if (!isFor(request.device)) devices_.push_back(request.device);
}

void RecordingBook::add(const RecordRequest& request, const RecordAnswer& answer)
{
    if (places_.contains(placeKey(request))) return;
    const std::vector<std::uint8_t> value = toBytes(answer);
    put(toBytes(request), bytes_);
    put(value, bytes_);
    note(request, {bytes_.size() - value.size(), value.size()});
}

std::uint64_t RecordingBook::bytesOf(const std::string& task) const
{
    const auto found = bytesOfTask_.find(task);
    return found == bytesOfTask_.end() ? 0 : found->second;
}

std::optional<RecordAnswer> RecordingBook::find(const RecordRequest& request) const
{
    const auto found = places_.find(placeKey(request));
    if (found == places_.end()) return std::nullopt;
    return answerFrom(std::span(bytes_).subspan(found->second.begin, found->second.length));
}

bool RecordingBook::isFor(const DeviceFacts& device) const
{
    return std::any_of(devices_.begin(), devices_.end(),
                       [&](const DeviceFacts& one) { return isSameDevice(one, device); });
}

std::optional<DeviceFacts> RecordingBook::device() const
{
    return devices_.empty() ? std::nullopt : std::optional(devices_.front());
}

}  // namespace a2
