#include "spirv/EmulatorState.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace a2::emulator {

namespace {

constexpr std::uint64_t mostShadowWords = std::uint64_t{1} << 26;
constexpr std::uint64_t betweenLooks = std::uint64_t{1} << 22;  // instructions between two checks whether to end

}  // namespace

std::uint64_t groupsOf(const EmulatedDispatch& dispatch)
{
    std::uint64_t groups = 1;
    for (const std::uint32_t along : dispatch.groups)
        groups = along == 0 ? 0 : std::min<std::uint64_t>(groups * along, std::uint64_t{1} << 40);
    return groups;
}

WalkState::WalkState(const EmulatedDispatch& walked, const EmulatorSettings& given, std::uint64_t most)
    : code(walked.kernel->code()),
      dispatch(walked),
      settings(given),
      frame(static_cast<std::uint32_t>(code.frame.size())),
      subgroupSize(std::clamp<std::uint32_t>(given.subgroupSize, 1, 128)),
      findings(code),
      groups(std::min(most, groupsOf(walked)))
{
    settings.mostTurns = std::min<std::uint64_t>(settings.mostTurns, UINT32_MAX / 2);
    left = settings.ends ? std::min(settings.budget, betweenLooks) : settings.budget;
    later = settings.budget - left;
    if (settings.traces)
        tracer = std::make_unique<Tracer>(code, [this](std::uint32_t at) { return findings.lineOf(at); });
    for (const EmulatorSettings::Pause& one : settings.pauses) {
        using Way = EmulatorSettings::Pause::Way;
        delays = delays || one.way != Way::pauses;
        remembers = remembers || one.way == Way::early;
    }
    if (settings.watchedAlone) groups = settings.watched.value_or(0) < groups ? 1 : 0;
    bind();
    if (boundWords() > EmulatorSettings::fewWords || settings.endlessTurns == 0) settings.endlessTurns = UINT64_MAX;
}

std::uint64_t WalkState::boundWords() const
{
    std::uint64_t words = 0;
    for (const EmulatedBinding& one : dispatch.bindings)
        if (one.buffer) words += std::min(one.bytes, one.buffer->bytes()) / sizeof(std::uint32_t);
    return words;
}

void WalkState::bind()
{
    resources.resize(code.descriptors);
    std::vector<std::pair<EmulatedBuffer*, bool>> found;  // and whether it is written to
    const auto bindingOf = [&](const Variable& variable, std::uint32_t element) -> const EmulatedBinding* {
        for (const EmulatedBinding& one : dispatch.bindings)
            if (one.set == variable.set && one.binding == variable.binding && one.element == element && one.buffer)
                return &one;
        return nullptr;
    };
    for (const EmulatedBinding& one : dispatch.bindings)
        if (one.buffer &&
            std::none_of(found.begin(), found.end(), [&](const auto& each) { return each.first == one.buffer; }))
            found.emplace_back(one.buffer, false);
    for (const Variable& variable : code.variables) {
        if (variable.space != Space::buffer || !variable.written) continue;
        for (std::uint32_t element = 0; element < variable.count; ++element)
            if (const EmulatedBinding* one = bindingOf(variable, element))
                for (auto& each : found) each.second = each.second || each.first == one->buffer;
    }
    buffers.resize(found.size());
    result.uses.resize(found.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        BufferState& state = buffers[i];
        state.buffer = found[i].first;
        state.words = state.buffer->words().data();
        state.set = state.buffer->setMarks().data();
        state.number = i;
        state.use = &result.uses[i];
        state.isWritten = found[i].second;
        const std::size_t words = state.buffer->words().size();
        state.use->buffer = state.buffer;
        state.use->read.resize(words / 64 + 1);
        state.use->written.resize(words / 64 + 1);
        if (!settings.checks || !found[i].second) continue;
        if (words <= mostShadowWords)
            state.shadows = Shadows(words);
        else
            result.unchecked = fmt::format("a buffer of {} words is too long for races in it to be looked for", words);
    }
    for (std::uint32_t v = 0; v < code.variables.size(); ++v) {
        const Variable& variable = code.variables[v];
        if (variable.space != Space::buffer) continue;
        for (std::uint32_t element = 0; element < variable.count; ++element) {
            Resource& resource = resources[variable.first + element];
            resource.variable = v;
            const EmulatedBinding* one = bindingOf(variable, element);
            if (!one) continue;
            for (BufferState& state : buffers)
                if (state.buffer == one->buffer) resource.state = &state;
            resource.offset = std::min(one->offset, one->buffer->bytes());
            resource.bytes = std::min(one->bytes, one->buffer->bytes() - resource.offset);
        }
    }
}

bool WalkState::usedUp(std::uint64_t steps)
{
    if (steps < left) return false;
    if (!stop && later > 0 && !settings.ends()) {
        const std::uint64_t more = std::min(later, steps - left + betweenLooks);
        later -= more;
        left += more;
        return false;
    }
    stop = result.overBudget = true;
    return true;
}

std::uint32_t WalkState::variableAt(Space space, std::uint64_t cell) const
{
    std::uint32_t best = none;
    for (std::uint32_t i = 0; i < code.variables.size(); ++i) {
        const Variable& variable = code.variables[i];
        if (variable.space != space || variable.first > cell) continue;
        if (best == none || variable.first >= code.variables[best].first) best = i;
    }
    return best;
}

}  // namespace a2::emulator
