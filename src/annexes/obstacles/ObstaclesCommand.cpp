// a2 obstacles: the obstacles of a LiDAR sweep.

#include "annexes/obstacles/ObstaclesJson.h"
#include "annexes/obstacles/ObstaclesText.h"
#include "base/FloatText.h"
#include "cli/OptionGroups.h"
#include "cli/Subcommand.h"
#include "cli/TaskCommand.h"
#include "files/OutputFile.h"
#include "judge/Matrix.h"
#include "report/Report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace a2 {

namespace {

struct SweepOptions {
    std::string file;        // empty: none
    bool simulated = false;  // --seed was given
    float maxDistance = 9;   // shorter distances are obstacles
    std::string maxDistanceTyped = "9";
};

const SweepOptions& askedSweep(const Options& options) { return options.own.of<SweepOptions>(); }

Sweep makeSweep(const Options& options)
{
    const SweepOptions& own = askedSweep(options);
    constexpr std::uint64_t reportsBeams = 1024;
    const std::uint64_t beams = options.size.value_or(reportsBeams);
    if (!own.simulated) return patternSweep(beams);
    return simulatedSweep(beams, options.evaluation.seed, own.maxDistance);
}

void checkBeams(const Device& gpu, std::uint64_t beams)
{
    const std::uint64_t most = largestInOneBinding(gpu);
    if (beams > most)
        throw LimitError(
            fmt::format("{} beams are more than the {} that this device and this machine have room for: choose a "
                        "smaller --size",
                        beams, most));
}

std::vector<MethodOutcome> measureAll(Device& gpu, const KernelShape& shape, const ObstacleReference& expected,
                                      const SeriesSettings& series)
{
    const DeviceBuffer obstacles(gpu, "obstacle array", expected.flags.size());
    fillDevice(gpu, obstacles, expected.flags);
    std::vector<MethodOutcome> all;
    for (const ScanMethod method : comparedMethods(expected.flags.size()))
        all.push_back(measureMethod(gpu, method, shape, obstacles, expected.readings, series));
    return all;
}

void addFailures(const std::string& what, const std::vector<Finding>& findings, std::vector<std::string>& lines)
{
    if (!anyFails(findings)) return;
    for (const std::string& line : linesOf(findings)) lines.push_back(fmt::format("{}: {}", what, line));
}

std::string beamsOf(const Obstacle& one) { return fmt::format("beams {} to {}", one.first, one.first + one.beams - 1); }

// "obstacle 143 should be beams 1016 to 1019, is beams 1016 to 1018"
std::string differenceOf(const std::vector<Obstacle>& is, const std::vector<Obstacle>& should)
{
    const auto at =
        static_cast<std::size_t>(std::mismatch(is.begin(), is.end(), should.begin(), should.end()).first - is.begin());
    std::string text =
        is.size() == should.size() ? "" : fmt::format("{} obstacles instead of {}; ", is.size(), should.size());
    text += fmt::format("obstacle {} should be {}, is {}", at + 1, at < should.size() ? beamsOf(should[at]) : "none",
                        at < is.size() ? beamsOf(is[at]) : "none");
    return text;
}

// One line for each difference between device and host, and for each broken rule.
std::vector<std::string> objections(const std::vector<MethodOutcome>& methods, const FoundObstacles& found,
                                    const ObstacleReference& expected)
{
    std::vector<std::string> lines;
    for (const MethodOutcome& one : methods) {
        addFailures(methodName(one.method), one.findings, lines);
        if (one.mismatches)
            lines.push_back(fmt::format("{}: element {} of the scan should be {}, is {} ({} wrong in all)",
                                        methodName(one.method), one.mismatches->firstIndex, one.mismatches->expected,
                                        one.mismatches->got, one.mismatches->count));
    }
    std::vector<std::string> further;  // further results, and what is wrong with them
    const auto compare = [&](const std::vector<std::uint32_t>& got, const std::vector<std::uint32_t>& right,
                             const char* what) {
        const auto [is, should] = std::mismatch(got.begin(), got.end(), right.begin(), right.end());
        if (is != got.end())
            further.push_back(fmt::format("search: {} {} should be {}, is {}", what, is - got.begin(), *should, *is));
    };
    compare(found.flags, expected.flags, "flag of beam");
    compare(found.readings, expected.readings, "readings up to beam");
    if (found.searched && found.obstacles != expected.obstacles)
        further.push_back("search: " + differenceOf(found.obstacles, expected.obstacles));
    // A wrong result often differs from run to run: then only the wrong result is reported, not the difference.
    const bool wrongAnyhow =
        !further.empty() && std::none_of(found.findings.begin(), found.findings.end(), [](auto& one) {
            return one.severity == Severity::failure && one.rule != "stale-state";
        });
    if (!wrongAnyhow) addFailures("search", found.findings, lines);
    lines.insert(lines.end(), further.begin(), further.end());
    return lines;
}

void addObstaclesOptions(CLI::App& app, Options& options, Raw& raw)
{
    SweepOptions& own = options.own.of<SweepOptions>();
    inGroup(app, whatIsRun);
    addText(app, "FILE", "", own.file, "distances, separated by white space",
            "the obstacle report's pattern, or what --seed says");
    addText(app, "-n,--size", "N", raw.size, "beams, without FILE: 1000000, 2^20, 128Mi", "1024");
    addText(app, "-w,--workgroup", "N", raw.workGroup, "invocations per work-group", "up to 512");
    addText(app, "-s,--seed", "S", raw.seed, "a simulated sweep past round and flat obstacles, by this seed",
            "nothing is simulated");
    addText(app, "--max-distance", "D", own.maxDistanceTyped, "what is nearer is an obstacle", own.maxDistanceTyped);
    addJsonOption(app, options);
    addRunOptions(app, options, raw);
}

void interpretObstacles(const Raw& raw, Options& options)
{
    SweepOptions& own = options.own.of<SweepOptions>();
    const std::string& text = own.maxDistanceTyped;
    float& distance = own.maxDistance;
    const auto [end, error] = parseFloat(text.data(), text.data() + text.size(), distance);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(distance) || distance <= 0)
        throw UsageError(fmt::format("--max-distance '{}': must be a number over 0", text));
    own.simulated = !raw.seed.empty();
    if (own.file.empty()) return;
    options.inputFiles = {own.file};
    if (own.simulated) throw UsageError("--seed with a FILE: a sweep is read or simulated; leave one of them out");
    if (raw.size != "auto") throw UsageError("--size with a FILE: the file says how many beams there are");
}

ExitStatus runObstacles(const Options& options, DeviceChannel& channel)
{
    const SweepOptions& own = askedSweep(options);
    ObstaclesOutcome outcome;
    Sweep& sweep = outcome.sweep;
    if (!own.file.empty()) sweep = readSweep(own.file);  // before a device is opened
    std::optional<OutputFile> json;
    if (!options.jsonFile().empty()) json.emplace(options.jsonFile());
    if (json && !own.file.empty()) json->refuseAsInput(own.file);
    TaskCommand command(options, channel);
    Device& gpu = command.gpu();
    checkBeams(gpu, own.file.empty() ? options.size.value_or(0) : sweep.distances.size());
    if (own.file.empty()) sweep = makeSweep(options);

    const std::uint64_t n = sweep.distances.size();
    const ObstacleReference expected = findOnHost(sweep.distances, own.maxDistance);
    ConsoleStyle style = command.style();
    command.printText(sweepText(sweep, own.maxDistance, expected, style));
    outcome.maxDistance = own.maxDistance;
    KernelShape& shape = outcome.shape;
    const auto report = [&] {
        const ReportContext context = describeContext(gpu, options.commandLine, options.evaluation.seed,
                                                      options.evaluation.timer, style.copyPeakGBps);
        if (json) json->commit(jsonReport(context, {}, {"obstacles", obstaclesJson(outcome)}));
    };
    if (n == 0) {
        command.printText("0 obstacles: without beams there is nothing to do, and no dispatch\n");
        report();
        return ExitStatus::passed;
    }
    shape = comparedShape(n, matrixWorkGroups(gpu).back());
    shape.workGroup = options.evaluation.workGroup.value_or(shape.workGroup);
    // The methods come first, so that the first of them runs on an idle device, as in the report.
    outcome.methods = measureAll(gpu, shape, expected, seriesOn(gpu, options.evaluation));
    outcome.found = findObstacles(gpu, shape, sweep.distances, own.maxDistance);
    outcome.objections = objections(outcome.methods, outcome.found, expected);
    for (const Sweep& one : awkwardSweeps(own.maxDistance)) {
        if (!outcome.objections.empty()) break;
        const FoundObstacles there = findObstacles(gpu, shape, one.distances, own.maxDistance);
        for (const std::string& line : objections({}, there, findOnHost(one.distances, own.maxDistance)))
            outcome.objections.push_back(fmt::format("{}: {}", one.origin, line));
    }
    const std::vector<MethodOutcome>& methods = outcome.methods;
    const FoundObstacles& found = outcome.found;
    const std::vector<std::string>& wrong = outcome.objections;
    if (wrong.empty()) {
        style.copyPeakGBps = command.copyPeakGBps();
        command.printText(obstaclesText(sweep, found.obstacles, found.readings.back(), style));
        command.printText(methodsText(methods, shape, style));
        for (const MethodOutcome& one : methods) command.noteClock(methodName(one.method), one.timer);
    }
    for (const std::string& line : wrong) command.printText(wrapped(line, 2, style.columns));
    command.printText(coloured(wrong.empty() ? "TEST PASSED" : "TEST FAILED", wrong.empty() ? "32" : "31", style) +
                      "\n");
    report();
    return wrong.empty() ? ExitStatus::passed : ExitStatus::failed;
}

}  // namespace

extern const Subcommand obstaclesCommand;
constinit const Subcommand obstaclesCommand = {
    .name = "obstacles",
    .description = "finds the obstacles of a LiDAR sweep by scans",
    .place = 90,
    .addOptions = addObstaclesOptions,
    .interpret = interpretObstacles,
    .work = runObstacles,
    .usualSeed = true,
    .comparesBandwidths = true,
    .refusesEmulator = [](const Options&) { return "it compares times, and an emulator has none"; }};

}  // namespace a2
