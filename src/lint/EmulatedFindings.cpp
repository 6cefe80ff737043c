#include "lint/EmulatedFindings.h"

#include "base/SourceText.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace a2 {

namespace {

std::string placeText(const KernelLine& line)
{
    return fmt::format("shaders/{}:{}{}", underShaders(line.file), line.line, quoted(line.source));
}

std::string kernelOf(const Recording& recording, const EmulatedStep& step)
{
    if (!step.dispatch->pipeline) return {};
    const RecordedPipeline& one = recording.pipelines[*step.dispatch->pipeline];
    return one.shader.empty() ? "of the solution's own" : one.shader;
}

std::string findingText(const EmulatedStep& step, const std::string& kernel, const KernelFinding& one)
{
    std::string text = fmt::format("dispatch {} '{}': ", step.number, step.dispatch->label);
    text += one.where.line > 0 ? placeText(one.where) : "kernel " + kernel;
    return text + ": " + textOf(one);
}

// In the order in which they were found, but a race before what comes of it: who reads too early may read what was
// never set, too.
std::vector<const KernelFinding*> causesFirst(const std::vector<KernelFinding>& found)
{
    std::vector<const KernelFinding*> all;
    for (const KernelFinding& one : found) all.push_back(&one);
    for (auto one = all.begin(); one != all.end(); ++one) {
        if ((*one)->rule != "unset-memory" || (*one)->variable.empty()) continue;
        const auto race = std::find_if(one, all.end(), [&](const KernelFinding* other) {
            return other->rule.ends_with("-race") && other->variable == (*one)->variable;
        });
        if (race != all.end()) std::rotate(one, race, race + 1);
    }
    return all;
}

}  // namespace

std::string textOf(const KernelFinding& one)
{
    std::string text = one.what;
    if (one.other.line > 0 && one.other != one.where) text += fmt::format(" ({})", placeText(one.other));
    if (one.times > 1) text += fmt::format(", {} times", one.times);
    if (!one.cure.empty()) text += "; " + one.cure;
    return text;
}

std::string underShaders(const std::string& file)
{
    const auto slash = file.find_last_of("/\\");
    if (slash == std::string::npos) return file;
    const std::string folder = file.substr(0, slash);
    return (folder.ends_with("include") ? "include/" : "") + file.substr(slash + 1);
}

std::vector<Finding> findingsOf(const Recording& recording, const EmulatedStep& step)
{
    std::vector<Finding> found;
    const std::string kernel = kernelOf(recording, step);
    for (const KernelFinding* one : causesFirst(step.walk.findings))
        found.push_back({one->rule, findingText(step, kernel, *one), step.number, Severity::failure,
                         one->rule + kernel + std::to_string(one->where.line)});
    // The same text for each dispatch and length, so that it is reported once for each kernel.
    if (const auto why = step.notWalked()) {
        const KernelLine& where = why->where;
        const std::string to = where.line > 0 ? "up to " + placeText(where) : "not to its end";
        found.push_back({notWalkedRule, fmt::format("kernel {} is walked on the host {}: {}", kernel, to, why->why),
                         std::nullopt, Severity::note, notWalkedRule + kernel, underShaders(where.file), where.line});
    }
    for (const Emulated::Note& note : step.walk.notes) {
        const std::string place = note.where.line > 0 ? placeText(note.where) : "kernel " + kernel;
        found.push_back({"", fmt::format("walked on the host, {}: {}", place, note.what), step.number, Severity::note,
                         fmt::format("{} {} {}", kernel, note.where.line, note.what)});
    }
    return found;
}

std::optional<Finding> unsetFinding(const Recording& recording, const EmulatedStep& step)
{
    for (const Emulated::UnsetStore& one : step.walk.unsetStores) {
        if (one.from.empty()) continue;
        const std::string kernel = kernelOf(recording, step);
        return Finding{
            "unset-memory",
            fmt::format("dispatch {} '{}': {}: '{}', which was not written in this run, goes into '{}', and "
                        "from there into the result; write it before, or do not read it",
                        step.number, step.dispatch->label,
                        one.where.line > 0 ? placeText(one.where) : "kernel " + kernel, one.from, one.element),
            step.number, Severity::failure, "unset-memory" + kernel + std::to_string(one.where.line)};
    }
    return {};
}

}  // namespace a2
