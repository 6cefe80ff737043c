#include "recorder/RunResolver.h"

#include "recording/MaskText.h"

#include <fmt/format.h>

#include <algorithm>

namespace a2 {

namespace {

bool dynamic(std::uint32_t type)
{
    return type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC || type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC;
}

// The stages of a wait that are also covered by setting the event.
std::uint64_t coveredStages(std::uint64_t waited, std::uint64_t set)
{
    constexpr std::uint64_t all = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_2_BOTTOM_OF_PIPE_BIT;
    constexpr std::uint64_t transfers = VK_PIPELINE_STAGE_2_COPY_BIT | VK_PIPELINE_STAGE_2_CLEAR_BIT |
                                        VK_PIPELINE_STAGE_2_BLIT_BIT | VK_PIPELINE_STAGE_2_RESOLVE_BIT;
    if ((set & all) != 0) return waited;
    if ((waited & all) != 0) return set;
    if ((set & VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT) != 0) set |= transfers;
    if ((set & VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT) != 0) set |= VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT;
    const std::uint64_t each = (waited & VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT) != 0 ? waited | transfers : waited;
    return (each & ~set) == 0 ? waited : each & set;
}

std::uint64_t stagesOf(const EventSignal& set)
{
    std::uint64_t stages = set.stages;
    for (const auto& one : set.dependencies) stages |= one.srcStages;
    return stages;
}

// What is wrong with how events were set, for a wait that names all of them; empty if nothing is. The wait must have
// the same version as the settings of its events, and name what these name: in the first version the same stages, taken
// together (VUID-vkCmdWaitEvents-srcStageMask-01158); in the second the same dependencies
// (VUID-vkCmdWaitEvents2-pEvents-10788).
std::string waitProblem(const NotedWait& wait, const std::vector<EventSignal>& signals)
{
    std::uint64_t set = 0;
    for (const EventSignal& one : signals) {
        if (one.second != wait.second)
            return fmt::format(
                "an event is set by vkCmdSetEvent{} and waited for by vkCmdWaitEvents{}: take the "
                "functions of one version for both",
                one.second ? "2" : "", wait.second ? "2" : "");
        if (wait.second && one.dependencies != wait.barrier.dependencies)
            return "vkCmdWaitEvents2 has another VkDependencyInfo for an event than vkCmdSetEvent2 had: give both the "
                   "same";
        set |= stagesOf(one);
    }
    const std::uint64_t waited = wait.barrier.dependencies.empty() ? 0 : wait.barrier.dependencies.front().srcStages;
    if (wait.second || signals.empty() || waited == set) return {};
    const auto named = [](std::uint64_t stages) {
        return maskText(vk::PipelineStageFlags(static_cast<VkPipelineStageFlags>(stages)));
    };
    return fmt::format(
        "vkCmdWaitEvents has the source stages {}, and what it waits for was set after {}: name the same "
        "stages in both",
        named(waited), named(set));
}

// Which of the dependencies that a wait names it really orders: those that setting the event covers. In the second
// version both name the same ones.
std::vector<RecordedBarrier::Dependency> coveredBy(const EventSignal& set, const NotedWait& wait)
{
    std::vector<RecordedBarrier::Dependency> all = wait.barrier.dependencies;
    if (set.second && wait.second) {
        std::erase_if(all, [&](const auto& one) {
            return std::find(set.dependencies.begin(), set.dependencies.end(), one) == set.dependencies.end();
        });
        return all;
    }
    const std::uint64_t stages = stagesOf(set);
    for (auto& one : all) one.srcStages = coveredStages(one.srcStages, stages);
    return all;
}

}  // namespace

RunResolver::RunResolver(Recorder& recorder)
    : recorder_(recorder), recording_(recorder.recording), run_(recorder.recording.runs.back())
{
    for (const auto& [handle, event] : recorder.events)
        if (event.signal && !event.destroyed) setEvents_[handle] = {*event.signal, 0};
}

std::uint64_t RunResolver::resolve(std::vector<NotedCommand>& commands)
{
    for (NotedCommand& command : commands) std::visit([this](auto& one) { add(one); }, command);
    for (auto& [handle, event] : recorder_.events) {
        const auto found = setEvents_.find(handle);
        event.signal = found == setEvents_.end() ? std::nullopt : std::optional(std::move(found->second.by));
    }
    return dispatches_;
}

template <class T>
void RunResolver::checkAlive(const T* object, Handle handle, const std::string& dispatch)
{
    if (object && object->destroyed)
        recorder_.fault("call",
                        fmt::format("{} uses {}, which was destroyed before the run was over: keep it as a member",
                                    dispatch, describe(*object)),
                        dispatches_, fmt::format("destroyed object {}", handle));
}

void RunResolver::checkUse(const std::string& user, const BufferObject& buffer, std::optional<std::uint64_t> dispatch)
{
    const char* flaw = buffer.destroyed    ? "was destroyed before"
                       : !buffer.hasMemory ? "has no memory: bind some to it, or make a Buffer"
                                           : nullptr;
    if (flaw)
        recorder_.fault("call", fmt::format("{} uses {}, which {}", user, describe(buffer), flaw), dispatch,
                        fmt::format("buffer {} {}", buffer.index, flaw));
}

void RunResolver::checkUse(const RecordedBarrier& barrier)
{
    for (const auto& one : barrier.dependencies)
        if (one.buffer) checkUse("a barrier", recorder_.madeAt(*one.buffer));
}

void RunResolver::add(NotedDispatch& noted)
{
    if (noted.what.label.empty() && noted.what.pipeline)  // so that findings can name it
        noted.what.label = recording_.pipelines[*noted.what.pipeline].shader;
    const std::string text = fmt::format("dispatch {} '{}'", dispatches_, noted.what.label);
    checkAlive(recorder_.pipelines.find(noted.pipeline), noted.pipeline, text);
    if (noted.what.indirect) checkUse(text, recorder_.madeAt(noted.what.indirect->buffer), dispatches_);
    const std::size_t most = recording_.layouts[noted.what.layout].setLayouts.size();
    for (const auto& [place, bound] : noted.sets)
        if (place < most)  // else it was bound with a layout that has more sets
            addSet(noted, place, bound, text);
    run_.commands.emplace_back(std::move(noted.what));
    ++dispatches_;
}

void RunResolver::addSet(NotedDispatch& noted, std::uint32_t place, const BoundSet& bound, const std::string& dispatch)
{
    const SetObject* object = recorder_.sets.find(bound.set);
    checkAlive(object, bound.set, dispatch);
    const Index wanted = recording_.layouts[noted.what.layout].setLayouts[place];
    if (recording_.setLayouts[bound.setLayout] != recording_.setLayouts[wanted]) {
        const std::string hint =
            recorder_.hintOfPipeline([this, place, own = bound.setLayout](const RecordedLayout& layout) {
                return place < layout.setLayouts.size() &&
                       recording_.setLayouts[layout.setLayouts[place]] == recording_.setLayouts[own];
            });
        recorder_.fault(
            "call",
            fmt::format("{}: what is bound as set {} was made with another set layout than the pipeline's layout "
                        "has there: bindings, types and counts must be the same{}",
                        dispatch, place, hint),
            dispatches_, fmt::format("set layout {} for {} at {}", bound.setLayout, wanted, place));
        return;
    }
    RecordedSet set;
    set.layout = bound.setLayout;
    if (object) set.name = object->name;
    for (const auto& [key, range] : object ? object->contents : bound.pushed) {
        set.ranges.push_back(range);
        checkUse(dispatch, recorder_.madeAt(range.buffer), dispatches_);
    }
    const auto offsets = checkedOffsets(bound, set, dispatch);
    noted.what.sets.push_back({place, recorder_.intern(std::move(set)), offsets});
}

std::vector<std::uint32_t> RunResolver::checkedOffsets(const BoundSet& bound, const RecordedSet& set,
                                                       const std::string& dispatch)
{
    std::vector<std::uint32_t> offsets = bound.dynamicOffsets;
    std::size_t at = 0;
    for (const auto& binding : recording_.setLayouts[bound.setLayout].bindings) {
        if (!dynamic(binding.type)) continue;
        for (std::uint32_t element = 0; element < binding.count && at < offsets.size(); ++element, ++at)
            for (const RecordedSet::Range& range : set.ranges) {
                if (range.binding != binding.number || range.element != element) continue;
                const RecordedBuffer& buffer = recording_.buffers[range.buffer];
                const std::uint64_t most = buffer.bytes - range.offset - range.bytes;
                if (offsets[at] <= most) continue;
                recorder_.fault(
                    "range-limit",
                    fmt::format("{}: binding {} would bind bytes {} to {} of buffer '{}', which ends at byte {}: its "
                                "dynamic offset of {} is too large, or the descriptor's range: VK_WHOLE_SIZE goes "
                                "up to the end already",
                                dispatch, range.binding, range.offset + offsets[at],
                                range.offset + offsets[at] + range.bytes, buffer.name, buffer.bytes, offsets[at]),
                    dispatches_);
                offsets[at] = static_cast<std::uint32_t>(most);
            }
    }
    return offsets;
}

void RunResolver::add(RecordedBarrier& barrier)
{
    checkUse(barrier);
    run_.commands.emplace_back(std::move(barrier));
}

void RunResolver::add(RecordedTransfer& transfer)
{
    const bool copies = transfer.kind == RecordedTransfer::Kind::copy;
    checkUse(copies ? "a copy" : "a fill or update", recorder_.madeAt(transfer.to));
    if (copies) checkUse("a copy", recorder_.madeAt(transfer.from));
    run_.commands.emplace_back(std::move(transfer));
}

void RunResolver::add(NotedEvent& event)
{
    if (!event.set) {
        setEvents_.erase(event.event);
        resetEvents_[event.event] = run_.commands.size();
        return;
    }
    const auto orders = [](const RecordedCommand& one) { return std::holds_alternative<RecordedBarrier>(one); };
    const auto reset = resetEvents_.find(event.event);
    const EventObject* object = recorder_.events.find(event.event);
    if (reset != resetEvents_.end() && object &&
        std::none_of(run_.commands.begin() + static_cast<std::ptrdiff_t>(reset->second), run_.commands.end(), orders))
        recorder_.fault("call",
                        fmt::format("after {} dispatches {} is set, and nothing orders that after its reset, which "
                                    "may come last: take another event, or put a pipeline barrier between them",
                                    dispatches_, describe(*object)));
    // Setting an event that is set has no effect.
    setEvents_.try_emplace(event.event, Signalled{*event.set, run_.commands.size()});
}

void RunResolver::add(NotedWait& wait)
{
    checkUse(wait.barrier);
    std::vector<EventSignal> signals;
    for (const Handle waited : wait.events)
        if (const auto found = setEvents_.find(waited); found != setEvents_.end()) signals.push_back(found->second.by);
    const bool all = signals.size() == wait.events.size();
    const std::string problem = all ? waitProblem(wait, signals) : "";
    if (!problem.empty()) recorder_.fault("call", fmt::format("after {} dispatches {}", dispatches_, problem));
    std::vector<RecordedBarrier> waits;  // what the wait for each event orders
    for (const Handle waited : wait.events) {
        const auto found = setEvents_.find(waited);
        const EventObject* object = recorder_.events.find(waited);
        if (object && object->destroyed)
            recorder_.fault("call", fmt::format("a wait uses {}, which was destroyed before", describe(*object)));
        if (found == setEvents_.end() && object)
            recorder_.fault("call",
                            fmt::format("after {} dispatches a wait for {} would never end: it is not set before, in "
                                        "this call of record()",
                                        dispatches_, describe(*object)));
        RecordedBarrier one = wait.barrier;
        one.covered = found == setEvents_.end() ? 0 : found->second.before;
        // A wait that does not name what its events were set with is only reported as wrong; its dependencies stay.
        if (found != setEvents_.end() && problem.empty()) one.dependencies = coveredBy(found->second.by, wait);
        if (waits.empty() || waits.back() != one) waits.push_back(std::move(one));
    }
    for (RecordedBarrier& one : waits) run_.commands.emplace_back(std::move(one));
}

}  // namespace a2
