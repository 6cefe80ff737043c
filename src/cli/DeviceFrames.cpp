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

// Found by argument-dependent lookup, so not in an unnamed namespace.
template <class Wire>
void fields(Wire& wire, Part& part)
{
    wire("rank", part.rank);
    wire("ranks", part.ranks);
}

template <class Wire>
void fields(Wire& wire, Brought& brought)
{
    wire("sum", brought.sum);
    wire("reals", brought.reals);
    wire("size", brought.size);
    wire("what", brought.what);
    wire("sharing", brought.sharing);
    wire("halt", brought.halt);
    wire("last", brought.last);
}

template <class Wire>
void fields(Wire& wire, Met& met)
{
    wire("before", met.before);
    wire("whole", met.whole);
    wire("realsBefore", met.realsBefore);
    wire("size", met.size);
    wire("halt", met.halt);
    wire("last", met.last);
    wire("exchangeMs", met.exchangeMs);
}

nlohmann::json wireOf(const Brought& brought) { return toWire(brought); }
nlohmann::json wireOf(const Met& met) { return toWire(met); }

Brought broughtFrom(const nlohmann::json& json) { return valueFrom<Brought>(json); }
Met metFrom(const nlohmann::json& json) { return valueFrom<Met>(json); }

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
                                                {"ignoredSignals", request.ignoredSignals},
                                                {"part", toWire(request.part)},
                                                {"rankHere", request.rankHere},
                                                {"ranksOnHost", request.ranksOnHost}});
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
    fromWire(json.at("part"), made.part);
    json.at("rankHere").get_to(made.rankHere);
    json.at("ranksOnHost").get_to(made.ranksOnHost);
    made.fileValues.resize(values.size() / sizeof(std::uint32_t));
    if (!values.empty()) std::memcpy(made.fileValues.data(), values.data(), values.size());
    return made;
}

}  // namespace a2
