#include "cli/DeviceFrames.h"

#include "base/Wire.h"
#include "judge/OutcomeWire.h"
#include "recording/Frames.h"

#include <cstring>
#include <span>

namespace a2 {

namespace {

void addFrame(std::vector<std::uint8_t>& frames, std::span<const std::uint8_t> bytes)
{
    const std::size_t start = frames.size();
    frames.resize(start + lengthBytes);
    putLength(bytes.size(), frames.data() + start);
    frames.insert(frames.end(), bytes.begin(), bytes.end());
}

}  // namespace

std::vector<std::uint8_t> frameOf(const nlohmann::json& message)
{
    std::vector<std::uint8_t> frame;
    addFrame(frame, nlohmann::json::to_cbor(message));
    return frame;
}

std::vector<std::uint8_t> framesOf(const DeviceRequest& request)
{
    nlohmann::json rows = nlohmann::json::array();
    for (const TaskOutcome& row : request.rows) rows.push_back(wireOf(row));
    std::vector<std::uint8_t> frames = frameOf({{"rows", rows},
                                                {"seed", request.seed},
                                                {"copyPeakGBps", toWire(request.copyPeakGBps)},
                                                {"ignoredSignals", request.ignoredSignals}});
    const auto values = std::as_bytes(std::span(request.fileValues));
    addFrame(frames, {reinterpret_cast<const std::uint8_t*>(values.data()), values.size()});
    return frames;
}

DeviceRequest requestFrom(const std::vector<std::uint8_t>& request, const std::vector<std::uint8_t>& values)
{
    const nlohmann::json json = nlohmann::json::from_cbor(request);
    DeviceRequest made;
    for (const nlohmann::json& row : json.at("rows")) made.rows.push_back(taskOutcomeFrom(row));
    json.at("seed").get_to(made.seed);
    fromWire(json.at("copyPeakGBps"), made.copyPeakGBps);
    json.at("ignoredSignals").get_to(made.ignoredSignals);
    made.fileValues.resize(values.size() / sizeof(std::uint32_t));
    if (!values.empty()) std::memcpy(made.fileValues.data(), values.data(), values.size());
    return made;
}

}  // namespace a2
