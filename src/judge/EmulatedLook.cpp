#include "judge/EmulatedLook.h"

#include "a2/Error.h"
#include "gpu/Shaders.h"
#include "lint/EmulatedRun.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace a2 {

namespace {

constexpr std::uint64_t mostInstructions = std::uint64_t{1} << 24;  // of all kernels of a run

// Of a file under shaders/, wherever that was when the kernel was compiled.
std::string underShaders(const std::string& file)
{
    const auto slash = file.find_last_of("/\\");
    if (slash == std::string::npos) return file;
    const std::string folder = file.substr(0, slash);
    return (folder.ends_with("include") ? "include/" : "") + file.substr(slash + 1);
}

std::string placeText(const KernelLine& line)
{
    std::string text = fmt::format("{}:{}", underShaders(line.file), line.line);
    if (!line.text.empty()) text += fmt::format(" `{}`", line.text);
    if (!line.before.empty()) text += fmt::format(", after `{}`", line.before);
    return text;
}

std::string findingText(const EmulatedStep& step, const std::string& kernel, const KernelFinding& one)
{
    std::string text = fmt::format("dispatch {} '{}': ", step.number, step.dispatch->label);
    text += one.where.line > 0 ? placeText(one.where) : "kernel " + kernel;
    text += ": " + one.what;
    if (one.other.line > 0 && one.other != one.where) text += fmt::format(" ({})", placeText(one.other));
    if (one.times > 1) text += fmt::format(", {} times", one.times);
    return text;
}

// One walk through the run.
class HostWalk {
public:
    HostWalk(Device& gpu, const Recording& recording, const RecordedRun& run, const Expectation& expectation)
        : recording_(recording), run_(run), expectation_(expectation), input_(expectation.input().size())
    {
        expectation.give(0, input_);
        for (std::uint64_t i = 0; i < expectation.offsetCount(); ++i) offsets_.push_back(expectation.givenOffset(i));
        const auto kernelOf = [&gpu](const std::string& name) { return loadShader(gpu, name); };
        emulated_.emplace(recording, kernelOf, input_, offsets_);
    }

    // The first element that comes out wrong; empty: none, or the walk has not come to its end.
    std::optional<std::string> walk(const EmulatorSettings& settings, EmulatedLook& look)
    {
        look.complete = emulated_->walk(run_, settings, [&](const EmulatedStep& step) { take(step, look); });
        return look.complete ? firstWrong() : std::nullopt;
    }

private:
    std::string kernelOf(const EmulatedStep& step) const
    {
        if (!step.dispatch->pipeline) return {};
        const RecordedPipeline& one = recording_.pipelines[*step.dispatch->pipeline];
        return one.shader.empty() ? "of the solution's own" : one.shader;
    }

    void take(const EmulatedStep& step, EmulatedLook& look) const
    {
        const std::string kernel = kernelOf(step);
        for (const KernelFinding& one : step.walk.findings) {
            if (look.line == 0 && !anyFails(look.findings)) {
                look.file = underShaders(one.where.file);
                look.line = one.where.line;
            }
            look.findings.push_back({one.rule, findingText(step, kernel, one), step.number, Severity::failure,
                                     one.rule + kernel + std::to_string(one.where.line)});
        }
        for (const std::string& note : step.notes())
            look.findings.push_back({"", fmt::format("kernel {}, walked on the host: {}", kernel, note), step.number,
                                     Severity::note, kernel + note});
    }

    std::optional<std::string> firstWrong() const
    {
        const auto words = emulated_->buffer(run_.result).words();
        const std::uint64_t judged = expectation_.resultSize();
        for (std::uint64_t i = 0; i < judged; ++i) {
            if (i >= words.size()) return fmt::format("element {} of the result is not there", i);
            if (words[i] != expectation_.result(i))
                return fmt::format("element {} of the result is {} instead of {}", i, words[i], expectation_.result(i));
        }
        return {};
    }

    const Recording& recording_;
    const RecordedRun& run_;
    const Expectation& expectation_;
    std::vector<std::uint32_t> input_, offsets_;
    std::optional<EmulatedRun> emulated_;
};

// A device that is not this one.
struct OtherDevice {
    const char* rule;
    std::string what;  // "with subgroups of 4 invocations"
    EmulatorSettings settings;
};

std::vector<OtherDevice> otherDevices(std::uint32_t subgroupSize)
{
    std::vector<OtherDevice> all;
    for (const std::uint32_t size : {4U, 64U})
        if (size != subgroupSize) {
            all.push_back({"subgroup-size", fmt::format("with subgroups of {} invocations", size), {}});
            all.back().settings.subgroupSize = size;
        }
    all.push_back({"group-order", "where work-groups start from the last to the first", {}});
    all.back().settings.subgroupSize = subgroupSize;
    all.back().settings.order = EmulatorSettings::Order::backwards;
    all.push_back({"group-order", "where eight work-groups run at a time", {}});
    all.back().settings.subgroupSize = subgroupSize;
    all.back().settings.together = 8;
    for (OtherDevice& one : all) one.settings.budget = mostInstructions;
    return all;
}

}  // namespace

EmulatedLook lookOnHost(Device& gpu, const Recording& recording, const RecordedRun& run, const Expectation& expectation,
                        bool right)
{
    gpu.enter("walking through the kernels on the host");
    EmulatedLook look;
    EmulatorSettings settings;
    settings.subgroupSize = gpu.subgroupSize;
    settings.budget = mostInstructions;
    const auto wrong = HostWalk(gpu, recording, run, expectation).walk(settings, look);
    if (wrong && right)
        look.findings.push_back({"",
                                 fmt::format("walked on the host {}, and not on this device", *wrong),
                                 {},
                                 Severity::note,
                                 "walked on the host"});
    return look;
}

EmulatedLook lookOnOtherDevices(Device& gpu, const Recording& recording, const RecordedRun& run,
                                const Expectation& expectation)
{
    gpu.enter("walking through the kernels on the host");
    HostWalk walk(gpu, recording, run, expectation);
    EmulatedLook look;
    for (OtherDevice& other : otherDevices(gpu.subgroupSize)) {
        EmulatedLook there;
        const auto wrong = walk.walk(other.settings, there);
        if (wrong)
            look.findings.push_back(
                {other.rule, fmt::format("{} {}; on this device it is right", other.what, *wrong), {}});
        for (Finding& finding : there.findings) {
            if (finding.severity == Severity::note) continue;
            finding.message = other.what + ", " + finding.message;
            look.findings.push_back(std::move(finding));
        }
        if (look.findings.empty()) continue;
        look.file = there.file;
        look.line = there.line;
        break;
    }
    return look;
}

}  // namespace a2
