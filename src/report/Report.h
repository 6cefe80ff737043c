// Machine-readable reports: JSON (schema 2, src/report/schema-2.json), CSV and JUnit XML, as texts.
#pragma once

#include "gpu/Device.h"
#include "judge/Outcome.h"
#include "judge/Steps.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace a2 {

// The circumstances of the results.
struct ReportContext {
    std::string date;  // UTC, ISO 8601
    std::string host, buildType, compiler;
    std::string command;  // as the user typed it
    std::uint64_t seed = 0;
    Timer timer = Timer::gpu;
    std::string deviceName, deviceType, driver, api;
    std::uint32_t subgroup = 0;
    vk::PhysicalDeviceLimits limits;
    double copyPeakGBps = 0;  // 0: not measured
};
ReportContext describeContext(const std::string& command, std::uint64_t seed, Timer timer);  // without a device
ReportContext describeContext(const Device& gpu, const std::string& command, std::uint64_t seed, Timer timer,
                              double copyPeakGBps);

// For sending it from the process that works the device. contextFrom throws nlohmann::json::exception for anything
// else.
nlohmann::json wireOf(const ReportContext& context);
ReportContext contextFrom(const nlohmann::json& json);

// The findings of `a2 steps`, as the value of `dispatches`.
std::string dispatchesJson(const StepsOutcome& steps);

constexpr int reportVersion = 2;  // of the JSON: schema-2.json

// The part that only one command's report has: its key in the report, and its value as JSON. `dispatches` brings
// `lint`.
struct JsonPart {
    const char* key = nullptr;  // dispatches, theory, prescan or obstacles
    std::string value;          // empty: the report has no such part
};
// A benchmark has one entry, for the median, or one for each repetition.
enum class TimesAs { median, repetitions };
std::string jsonReport(const ReportContext& context, const std::vector<TaskOutcome>& outcomes,
                       const JsonPart& part = {}, TimesAs times = TimesAs::median);
std::string csvReport(const std::vector<TaskOutcome>& outcomes);
// A line for each case, timed or not, with all its measurements.
std::string benchCsvReport(const std::vector<TaskOutcome>& outcomes, double copyPeakGBps);
std::string junitReport(const std::vector<TaskOutcome>& outcomes);

}  // namespace a2
