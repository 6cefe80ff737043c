#include "base/BuildFacts.h"
#include "base/Wire.h"
#include "gpu/Device.h"
#include "report/Report.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <ctime>

#ifndef _WIN32
#include <unistd.h>
#endif

namespace a2 {

namespace {

std::string hostName()
{
#ifdef _WIN32
    const char* name = std::getenv("COMPUTERNAME");
    return name ? name : "";
#else
    std::array<char, 256> name{};
    return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
#endif
}

std::string now()
{
    const std::time_t time = std::time(nullptr);
    std::array<char, 32> text{};
    std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&time));
    return text.data();
}

}  // namespace

ReportContext describeContext(const std::string& command, std::uint64_t seed, Timer timer)
{
    ReportContext context;
    context.date = now();
    context.host = hostName();
    context.buildType = buildFacts.buildType;
    context.compiler = buildFacts.compiler;
    context.command = command;
    context.seed = seed;
    context.timer = timer;
    return context;
}

ReportContext describeContext(const Device& gpu, const std::string& command, std::uint64_t seed, Timer timer,
                              double copyPeakGBps)
{
    const Device& state = gpu;
    ReportContext context = describeContext(command, seed, timer);
    context.deviceName = state.properties.deviceName.data();
    context.deviceType = typeText(state.properties.deviceType);
    context.driver = fmt::format("{} {}", state.driver.driverName.data(), state.driver.driverInfo.data());
    context.api = versionText(state.properties.apiVersion);
    context.subgroup = state.subgroupSize;
    context.limits = state.properties.limits;
    context.copyPeakGBps = copyPeakGBps;
    return context;
}

// The limits as raw memory: both processes are the same program.
template <class Wire>
void fields(Wire& wire, ReportContext& context)
{
    wire("date", context.date);
    wire("host", context.host);
    wire("buildType", context.buildType);
    wire("compiler", context.compiler);
    wire("command", context.command);
    wire("seed", context.seed);
    wire("timer", context.timer);
    wire("deviceName", context.deviceName);
    wire("deviceType", context.deviceType);
    wire("driver", context.driver);
    wire("api", context.api);
    wire("subgroup", context.subgroup);
    auto* const limits = reinterpret_cast<char*>(&context.limits);
    std::string bytes(limits, sizeof context.limits);
    wire("limits", bytes);
    bytes.copy(limits, sizeof context.limits);
    wire("copyPeakGBps", context.copyPeakGBps);
}

nlohmann::json wireOf(const ReportContext& context) { return toWire(context); }

ReportContext contextFrom(const nlohmann::json& json) { return valueFrom<ReportContext>(json); }

}  // namespace a2
