#include "judge/EmulatedLook.h"

#include "a2/Error.h"
#include "gpu/Shaders.h"
#include "judge/OtherSchedules.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace a2 {

namespace {

constexpr std::uint64_t mostInstructions = std::uint64_t{1} << 27;  // of all kernels of a run
constexpr std::uint64_t mostOnOthers = std::uint64_t{1} << 28;

}  // namespace

GivenWords givenWords(const Expectation& expectation)
{
    GivenWords given{std::vector<std::uint32_t>(expectation.input().size()), {}};
    expectation.giveWords(0, given.input);
    for (std::uint64_t i = 0; i < expectation.offsetCount(); ++i)
        given.blockOffsets.push_back(expectation.offsetWord(i));
    return given;
}

std::string wrongText(const Mismatches& wrong, const ElementType& element)
{
    return fmt::format("element {} of the result is {} instead of {}", wrong.firstIndex, element.text(wrong.got),
                       element.text(wrong.expected));
}

EmulatedLook::EmulatedLook(Device& gpu, const Recording& recording, const RecordedRun& run,
                           const Expectation& expectation, bool keepsInput)
    : gpu_(gpu),
      recording_(recording),
      run_(run),
      expectation_(expectation),
      keepsInput_(keepsInput),
      given_(givenWords(expectation)),
      emulated_(recording, shadersOf(gpu), given_)
{
    fresh_ = emulated_.memory();
    const InPhase walking(gpu, "walking through the kernels on the host");
    complete_ = walk(settings(), verdict_, true);
    if (!complete_) return;
    mismatches_ = judged();
    unset_.judge(emulated_.buffer(run_.result), mismatches_, verdict_);
}

EmulatorSettings EmulatedLook::settings() const
{
    EmulatorSettings settings;
    settings.subgroupSize = gpu_.subgroupSize;
    settings.budget = mostInstructions;
    return settings;
}

void EmulatedLook::replay(std::uint32_t poison,
                          const std::function<void(std::uint64_t command, const EmulatedRun& buffers)>& after)
{
    emulated_.walk(
        run_, settings(), [&](const EmulatedStep& step) { after(step.command, emulated_); }, poison,
        [&](std::uint64_t command) { after(command, emulated_); });
}

bool EmulatedLook::walk(const EmulatorSettings& settings, Verdict& verdict, bool first)
{
    return emulated_.walk(run_, settings, [&](const EmulatedStep& step) {
        effort_ += step.walk.effort;
        take(step, verdict);
        if (!first) return;
        unset_.see(recording_, step);
        free_ = free_ || step.walk.free;
        // A wrong run that was not followed to its end may not end on the device.
        // What GLSL leaves undefined, such as a division by 0, may give an index far out of bounds on a device.
        const bool further = !step.walk.complete || !step.walk.notes.empty();
        endangers_ = endangers_ || step.walk.endangers || (further && !step.walk.findings.empty());
        checkGiven(step, verdict);
        if (step.walk.complete) takeWords(step);
        const auto why = step.notWalked();
        if (why && why->lacks && !step.walk.complete)
            for (const Finding& one : verdict.findings)
                if (lacking_.empty() && one.rule == notWalkedRule) lacking_ = one.message;
    });
}

void EmulatedLook::take(const EmulatedStep& step, Verdict& verdict)
{
    const bool first = !anyFails(verdict.findings);
    if (first && !step.walk.findings.empty()) {
        verdict.file = underShaders(step.walk.findings.front().where.file);
        verdict.line = step.walk.findings.front().where.line;
    }
    for (Finding& one : findingsOf(recording_, step)) verdict.findings.push_back(std::move(one));
}

void EmulatedLook::takeWords(const EmulatedStep& step)
{
    for (const EmulatedUse& use : step.walk.uses)
        words_[{step.number, emulated_.indexOf(*use.buffer)}] = {use.read, use.written};
}

// Checked after each dispatch, so that changes that are undone later are found, too.
void EmulatedLook::checkGiven(const EmulatedStep& step, Verdict& verdict)
{
    for (const EmulatedUse& use : step.walk.uses) {
        const Index index = emulated_.indexOf(*use.buffer);
        const RecordedBuffer& one = recording_.buffers[index];
        const bool isInput = one.role == RecordedBuffer::Role::input;
        if (isInput ? !keepsInput_ : one.role != RecordedBuffer::Role::blockOffsets) continue;
        const std::vector<std::uint32_t>& given = isInput ? given_.input : given_.blockOffsets;
        const auto words = std::as_const(*use.buffer).words();
        const auto differs = std::mismatch(given.begin(), given.end(), words.begin(), words.end()).first;
        if (differs == given.end() || !modified_.insert(index).second) continue;
        verdict.findings.push_back(
            {"input-modified",
             fmt::format("dispatch {} '{}' writes over element {} of buffer '{}'; this task must leave it as it is",
                         step.number, step.dispatch->label, differs - given.begin(), one.name),
             step.number});
    }
}

std::optional<Mismatches> EmulatedLook::judged() const
{
    return a2::judged(emulated_.buffer(run_.result).words(), expectation_);
}

std::uint32_t EmulatedLook::result(std::uint64_t index) const
{
    const auto words = emulated_.buffer(run_.result).words();
    return index < words.size() ? expectation_.element().number(words[index]) : 0;
}

// A simulated device that differs from this one.
struct EmulatedLook::OtherDevice {
    const char* rule;
    std::string what;  // "with subgroups of 4 invocations"
    EmulatorSettings settings;
    bool noted = false;  // a failure there is only a note
};

std::vector<FreeDevice> freeDevices()
{
    using Freedom = EmulatorSettings::Freedom;
    const auto where = [](const char* how) {
        return fmt::format(
            "on a device where what GLSL leaves undefined is another number, and inexact functions give "
            "a little {}",
            how);
    };
    std::vector<FreeDevice> all = {{Freedom::below, where("less")}, {Freedom::above, where("more")}};
    for (std::uint8_t i = 0; i < EmulatorSettings::mixes; ++i)
        all.push_back({static_cast<Freedom>(static_cast<std::uint8_t>(Freedom::mixed) + i),
                       where("less here and a little more there")});
    return all;
}

std::vector<EmulatedLook::OtherDevice> EmulatedLook::otherDevices(const EmulatorSettings& usual)
{
    std::vector<OtherDevice> all;
    if (free_)
        for (const FreeDevice& one : freeDevices()) {
            all.push_back({"", one.what, usual});
            all.back().settings.freedom = one.freedom;
        }
    // If this walk has another result than the device, the other walks prove nothing about it.
    if (mismatches_) return all;
    for (const std::uint32_t size : allSubgroupSizes)
        if (size != usual.subgroupSize) {
            all.push_back({"subgroup-size", subgroupsText(size), usual});
            all.back().settings.subgroupSize = size;
        }
    using Order = EmulatorSettings::Order;
    all.push_back(
        {"group-order", "where work-groups, and the invocations of each, go from the last to the first", usual});
    all.back().settings.order = Order::backwards;
    all.push_back({"group-order", "where work-groups start in no order", usual});
    all.back().settings.order = Order::shuffled;
    all.back().settings.seed = 1;
    all.push_back({"group-order", "where eight work-groups run at a time", usual});
    all.back().settings.together = 8;
    if (emulated_.anyKernel(run_, std::mem_fn(&EmulatedKernel::readsSubgroupSize))) {
        all.push_back({"subgroup-size",
                       "where gl_SubgroupSize is 32 and no subgroup has more than 8 invocations, as Mesa's driver for "
                       "Intel may have it (subgroupAdd(1) counts those that are there, gl_NumSubgroups the subgroups)",
                       usual, true});
        all.back().settings.subgroupSize = 8;
        all.back().settings.namedSubgroupSize = 32;
    }
    return all;
}

Verdict EmulatedLook::onOtherDevices()
{
    const InPhase walking(gpu_, "walking through the kernels on the host");
    Verdict verdict;
    const std::uint64_t before = effort_;
    for (const OtherDevice& other : otherDevices(settings())) {
        if (effort_ - before > mostOnOthers) break;
        Verdict there;
        const bool walked = walk(other.settings, there, false);
        if (!walked) emulated_.goOnFrom(fresh_);  // a walk that was cut off leaves data that no run leaves
        const std::optional<Mismatches> wrong = walked ? judged() : std::nullopt;
        const Severity severity = other.noted ? Severity::note : Severity::failure;
        if (wrong)
            verdict.findings.push_back({other.rule,
                                        fmt::format("{}, {}; on this device it is right", other.what,
                                                    wrongText(*wrong, expectation_.element())),
                                        {},
                                        severity,
                                        *other.rule ? "" : leftOpen});
        if (other.noted) {
            const Finding* const first = wrong ? nullptr : firstThatFails(there.findings);
            if (first)
                verdict.findings.push_back(
                    {other.rule, fmt::format("{}, {}", other.what, first->message), {}, severity});
            continue;
        }
        const bool explains = !*other.rule && anyFails(verdict.findings);  // its notes say why
        for (Finding& finding : there.findings) {
            if (finding.severity == Severity::note && finding.rule != notWalkedRule && !explains) continue;
            finding.message = other.what + ", " + finding.message;
            verdict.findings.push_back(std::move(finding));
        }
        if (!anyFails(verdict.findings)) continue;
        verdict.file = there.file;
        verdict.line = there.line;
        break;
    }
    return verdict;
}

bool EmulatedLook::talks() { return mayDiffer(emulated_, run_); }

Verdict EmulatedLook::onOtherSchedules(const std::optional<Schedule>& only)
{
    const InPhase walking(gpu_, "walking through the kernels on the host, in other orders");
    OtherSchedules others(emulated_, run_, settings(), given_, fresh_);
    others.judgeBy([this]() -> std::string {
        const auto wrong = judged();
        return wrong ? wrongText(*wrong, expectation_.element()) : "";
    });
    return others.verdictOf(others.firstThatFails(only));
}

}  // namespace a2
