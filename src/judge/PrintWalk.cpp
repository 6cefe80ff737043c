#include "judge/PrintWalk.h"

#include "base/PrintableText.h"
#include "gpu/Shaders.h"
#include "lint/EmulatedFindings.h"
#include "spirv/SilentInstructions.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace a2 {

namespace {

constexpr std::uint64_t mostWalked = std::uint64_t{1} << 28;  // instructions of a run

// The output of one dispatch. Holds no more than can be shown: from the first work-groups, and if these print more than
// that, from the first phases.
class DispatchPrints {
public:
    DispatchPrints(const PrintSettings& wanted, std::uint64_t room) : wanted_(wanted), room_(room) {}

    // A line that certainly comes after all that fit is only counted.
    bool wants(std::uint64_t group, std::uint64_t phase, std::uint32_t invocation)
    {
        if (wanted_.group && group != *wanted_.group) return false;
        if (wanted_.invocation && invocation != *wanted_.invocation) return false;
        if (!last_ || std::tuple(group, phase, invocation) < *last_) return true;
        ++printed_;
        return false;
    }

    void take(const EmulatorSettings::Printed& one)
    {
        if (one.wrong && !wrong_.emplace(one.where.file, one.where.line, one.text).second) return;
        ++printed_;
        lines_.push_back({0,
                          {},
                          underShaders(one.where.file),
                          one.where.line,
                          one.actor.group,
                          one.phase,
                          one.actor.invocation,
                          one.text,
                          one.wrong});
        if (lines_.size() >= 2 * room_ + 1024) shorten();
    }

    // In order, as many as fit; and how many more there were.
    std::pair<std::vector<PrintedLine>, std::uint64_t> finish()
    {
        shorten();
        const std::uint64_t more = printed_ - lines_.size();
        return {std::move(lines_), more};
    }

private:
    void shorten()
    {
        std::stable_sort(lines_.begin(), lines_.end(), [](const PrintedLine& a, const PrintedLine& b) {
            return std::tie(a.group, a.phase, a.invocation) < std::tie(b.group, b.phase, b.invocation);
        });
        if (lines_.size() < room_) return;
        lines_.resize(room_);
        last_.emplace();
        if (room_ > 0) last_ = {lines_.back().group, lines_.back().phase, lines_.back().invocation};
    }

    const PrintSettings& wanted_;
    std::uint64_t room_, printed_ = 0;
    std::vector<PrintedLine> lines_;
    std::set<std::tuple<std::string, std::uint32_t, std::string>> wrong_;
    std::optional<std::tuple<std::uint64_t, std::uint64_t, std::uint32_t>> last_;  // of those that fit
};

// Format and values as one line: C's line ends are not needed here.
std::string oneLine(std::string text)
{
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return printableText(text);
}

std::string cutText(const EmulatedStep& step)
{
    if (const auto why = step.notWalked()) return why->why;
    return step.walk.complete ? std::string() : "a fault ends it";
}

// Whether any kernel of the recording has a debugPrintfEXT().
bool printsAnything(Device& gpu, const Recording& recording)
{
    return std::ranges::any_of(recording.pipelines,
                               [&](const RecordedPipeline& one) { return prints(SpirvModule(codeOf(gpu, one))); });
}

}  // namespace

PrintedRun printedBy(Device& gpu, const StudentSolution& solution, GivenWords given, const PrintSettings& wanted,
                     std::uint32_t poison)
{
    PrintedRun printed;
    if (!printsAnything(gpu, solution.recording())) return printed;
    const InPhase walking(gpu, "walking through the kernels on the host");
    EmulatedRun run(solution.recording(), shadersOf(gpu), std::move(given));
    run.observe({.prints = true});
    std::optional<DispatchPrints> prints;
    EmulatorSettings settings;
    settings.subgroupSize = gpu.subgroupSize;
    settings.budget = mostWalked;
    settings.wantsPrint = [&](std::uint64_t group, std::uint64_t phase, std::uint32_t invocation) {
        if (!prints) prints.emplace(wanted, wanted.most - printed.lines.size());
        return prints->wants(group, phase, invocation);
    };
    settings.printed = [&](const EmulatorSettings::Printed& one) { prints->take(one); };
    run.walk(
        solution.run(), settings,
        [&](const EmulatedStep& step) {
            printed.cut = cutText(step);
            if (!prints) return;
            auto [lines, more] = prints->finish();
            prints.reset();
            printed.more += more;
            for (PrintedLine& line : lines) {
                line.dispatch = step.number;
                line.label = step.dispatch->label;
                line.text = oneLine(std::move(line.text));
                printed.lines.push_back(std::move(line));
            }
        },
        poison);
    return printed;
}

}  // namespace a2
