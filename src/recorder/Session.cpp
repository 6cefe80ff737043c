#include "recorder/Session.h"

#include "a2/Error.h"
#include "recorder/EntryPoints.h"
#include "recording/MaskText.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace a2 {

namespace {

Recorder* theRecorder = nullptr;

// About what a command or an object takes in the file form, without its arrays and texts.
constexpr std::uint64_t bytesOfOne = 64;
constexpr std::size_t mostFaults = 10'000;

std::uint64_t bytesOf(const NotedCommand& command)
{
    std::uint64_t bytes = bytesOfOne;
    if (const auto* dispatch = std::get_if<NotedDispatch>(&command)) {
        bytes += dispatch->what.label.size();
        for (const auto& push : dispatch->what.push) bytes += bytesOfOne + push.bytes.size();
        for (const auto& [number, set] : dispatch->sets)
            bytes += bytesOfOne * (1 + set.pushed.size()) + set.dynamicOffsets.size() * sizeof(std::uint32_t);
    } else if (const auto* barrier = std::get_if<RecordedBarrier>(&command)) {
        bytes += bytesOfOne * barrier->dependencies.size();
    } else if (const auto* wait = std::get_if<NotedWait>(&command)) {
        bytes += bytesOfOne * (wait->barrier.dependencies.size() + wait->events.size());
    } else if (const auto* transfer = std::get_if<RecordedTransfer>(&command)) {
        bytes += transfer->data.size();
    }
    return bytes;
}

bool dynamic(std::uint32_t type)
{
    return type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC || type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC;
}

}  // namespace

Recorder* Recorder::current() { return theRecorder; }

Recorder::Recorder(const RecordRequest& request, const RecordingLimits& limits)
    : device(request.device),
      limits_(limits),
      instance_(newPointer()),
      physical_(newPointer()),
      device_(newPointer()),
      queue_(newPointer())
{
    if (theRecorder) throw Error(ExitStatus::internal, "two recordings at once");
    VkPhysicalDeviceProperties given;
    if (device.properties.size() != sizeof given)
        throw Error(ExitStatus::internal, fmt::format("a device's properties have {} bytes, and {} were given",
                                                      sizeof given, device.properties.size()));
    std::memcpy(&given, device.properties.data(), sizeof given);
    properties = given;
    recording.task = request.task;
    recording.count = request.count;
    recording.shape = request.shape;
    theRecorder = this;
}

Recorder::~Recorder() { theRecorder = nullptr; }

Handle Recorder::newPointer() { return reinterpret_cast<Handle>(&pointers_.emplace_back()); }

void Recorder::fault(const char* rule, const std::string& message, std::optional<std::uint64_t> dispatch,
                     const std::string& key)
{
    if (!inRun()) dispatch.reset();  // outside of a run the number names no recorded dispatch
    const auto [place, isNew] = faultPlaces_.emplace(key.empty() ? message : key, faults_.size());
    if (!isNew) {
        ++faults_[place->second].times;
    } else if (faults_.size() == mostFaults) {
        stop();
    } else if (mayNote(bytesOfOne + message.size())) {
        faults_.push_back({{rule, message, dispatch}});
    }
    if (place->second == faults_.size()) faultPlaces_.erase(place);  // it was not noted
}

std::vector<RecordedFault> Recorder::takeFaults()
{
    std::vector<RecordedFault> taken;
    for (Fault& one : faults_) {
        if (one.times > 1) one.fault.message += fmt::format(" ({} times)", one.times);
        taken.push_back(std::move(one.fault));
    }
    faults_.clear();
    faultPlaces_.clear();
    return taken;
}

void Recorder::noSuchObject(const char* kind)
{
    fault("call", fmt::format("{}: there is no such {}: it was never made", lastCall.load(), kind));
}

void Recorder::destroyedObject(const std::string& what)
{
    fault("call", fmt::format("{}: {} was destroyed before", lastCall.load(), what));
}

bool Recorder::mayMake(std::uint64_t bytes)
{
    if (++objects_ > limits_.objects) tooMuch_ = true;
    return mayNote(bytes + bytesOfOne);
}

bool Recorder::mayNote(std::uint64_t bytes, std::uint64_t commands)
{
    commands_ += commands;
    bytes_ += std::min(bytes, limits_.bytes + 1);
    if (commands_ > limits_.commands || bytes_ > limits_.bytes) tooMuch_ = true;
    return !tooMuch_;
}

void Recorder::endIfTooMuch() const
{
    if (tooMuch_) throw LimitError("the recording has no room for more");
}

Handle Recorder::makeBuffer(const std::string& name, std::uint64_t bytes, RecordedBuffer::Lifetime lifetime)
{
    if (!mayMake(name.size())) return 0;
    const auto index = static_cast<Index>(recording.buffers.size());
    RecordedBuffer made;
    made.name = name.empty() ? fmt::format("buffer {}", index) : name;
    made.bytes = bytes;
    made.lifetime = lifetime;
    recording.buffers.push_back(made);
    BufferObject object;
    object.name = made.name;
    object.index = index;
    bufferHandles_.push_back(buffers.add(object));
    return bufferHandles_.back();
}

Recorder::Bytes Recorder::within(const BufferObject& buffer, std::uint64_t offset, std::uint64_t bytes) const
{
    const std::uint64_t all = recorded(buffer).bytes, rest = all - std::min(all, offset);
    const std::uint64_t wanted = bytes == VK_WHOLE_SIZE ? rest : bytes;
    return {std::min(all, offset), std::min(rest, wanted), offset > all || wanted > rest};
}

Recorder::Bytes Recorder::meant(const BufferObject& buffer, std::uint64_t offset, std::uint64_t bytes)
{
    const Bytes found = within(buffer, offset, bytes);
    const std::uint64_t all = recorded(buffer).bytes;
    if (found.clamped)
        fault(
            "out-of-bounds",
            fmt::format("{}: bytes {} to {} of buffer '{}' are meant, which ends at byte {}: name no more than it has",
                        lastCall.load(), offset, bytes == VK_WHOLE_SIZE ? all : offset + bytes, buffer.name, all));
    return found;
}

template <class T>
Index Recorder::intern(std::vector<T>& all, std::map<std::string, Index>& places, T value, const std::string& key)
{
    const auto [place, isNew] = places.emplace(key, static_cast<Index>(all.size()));
    if (isNew) {
        mayMake(key.size());
        all.push_back(std::move(value));
    }
    return place->second;
}

Index Recorder::intern(RecordedSetLayout value)
{
    std::string key;
    for (const auto& one : value.bindings) key += fmt::format("{} {} {},", one.number, one.type, one.count);
    return intern(recording.setLayouts, setLayoutPlaces_, std::move(value), key);
}

Index Recorder::intern(RecordedLayout value)
{
    std::string key;
    for (const Index one : value.setLayouts) key += fmt::format("{},", one);
    for (const auto& one : value.push) key += fmt::format("push {} {},", one.offset, one.bytes);
    return intern(recording.layouts, layoutPlaces_, std::move(value), key);
}

Index Recorder::intern(RecordedSet value)
{
    std::string key = fmt::format("{}:", value.layout);
    for (const auto& one : value.ranges)
        key += fmt::format("{} {} {} {} {},", one.binding, one.element, one.buffer, one.offset, one.bytes);
    key += value.name;
    return intern(recording.sets, setPlaces_, std::move(value), key);
}

Handle Recorder::makeCommandBuffer(Handle pool, bool secondary)
{
    if (!mayMake()) return 0;
    const Handle handle = newPointer();
    CommandBufferObject made;
    made.pool = pool;
    made.secondary = secondary;
    commandBuffers.add(handle, std::move(made));
    return handle;
}

CommandBufferObject* Recorder::recordingInto(VkCommandBuffer commandBuffer)
{
    if (tooMuch_) return nullptr;
    CommandBufferObject* into = need(commandBuffers, numberOf(commandBuffer));
    if (!into || into->stage == CommandBufferObject::Stage::recording) return into;
    fault("call", fmt::format("{}: {} is not being recorded{}", lastCall.load(), describe(*into),
                              into->pool == 0 ? ": record() has returned" : ": begin it first"));
    return nullptr;
}

void Recorder::note(CommandBufferObject& into, NotedCommand command)
{
    if (!mayNote(bytesOf(command), 1)) return;
    if (into.pool != 0 && !into.secondary) ++into.strays;
    if (std::holds_alternative<NotedDispatch>(command)) ++into.dispatches;
    into.commands.push_back(std::move(command));
}

VkCommandBuffer Recorder::beginRun()
{
    given_ = newPointer();  // does not count as one of the solution's objects
    CommandBufferObject made;
    made.name = fmt::format("of run {}", ++run_);
    made.stage = CommandBufferObject::Stage::recording;
    commandBuffers.add(given_, std::move(made));
    return handleOf<VkCommandBuffer>(given_);
}

std::vector<std::uint32_t> Recorder::checkedOffsets(const BoundSet& bound, const RecordedSet& set,
                                                    const std::string& dispatch, std::uint64_t number)
{
    std::vector<std::uint32_t> offsets = bound.dynamicOffsets;
    std::size_t at = 0;
    for (const auto& binding : recording.setLayouts[bound.setLayout].bindings) {
        if (!dynamic(binding.type)) continue;
        for (std::uint32_t element = 0; element < binding.count && at < offsets.size(); ++element, ++at)
            for (const RecordedSet::Range& range : set.ranges) {
                if (range.binding != binding.number || range.element != element) continue;
                const RecordedBuffer& buffer = recording.buffers[range.buffer];
                const std::uint64_t most = buffer.bytes - range.offset - range.bytes;
                if (offsets[at] <= most) continue;
                fault("range-limit",
                      fmt::format("{}: binding {} would bind bytes {} to {} of buffer '{}', which ends at byte {}: its "
                                  "dynamic offset of {} is too large, or the descriptor's range: VK_WHOLE_SIZE goes "
                                  "up to the end already",
                                  dispatch, range.binding, range.offset + offsets[at],
                                  range.offset + offsets[at] + range.bytes, buffer.name, buffer.bytes, offsets[at]),
                      number);
                offsets[at] = static_cast<std::uint32_t>(most);
            }
    }
    return offsets;
}

void Recorder::checkUse(const std::string& user, const BufferObject& buffer, std::optional<std::uint64_t> dispatch)
{
    const char* flaw = buffer.destroyed    ? "was destroyed before"
                       : !buffer.hasMemory ? "has no memory: bind some to it, or make a Buffer"
                                           : nullptr;
    if (flaw)
        fault("call", fmt::format("{} uses {}, which {}", user, describe(buffer), flaw), dispatch,
              fmt::format("buffer {} {}", buffer.index, flaw));
}

std::string Recorder::hintOfPipeline(const std::function<bool(const RecordedLayout&)>& fits) const
{
    for (const RecordedPipeline& one : recording.pipelines)
        if (const std::string name = one.name.empty() ? one.shader : one.name;
            !name.empty() && fits(recording.layouts[one.layout]))
            return fmt::format("; that of pipeline '{}' is: if it is meant, its cb.bindPipeline() is missing", name);
    return {};
}

void Recorder::resolve(NotedDispatch& noted, RecordedRun& run, std::uint64_t number)
{
    if (noted.what.label.empty() && noted.what.pipeline)  // so that findings can name it
        noted.what.label = recording.pipelines[*noted.what.pipeline].shader;
    const std::string text = fmt::format("dispatch {} '{}'", number, noted.what.label);
    const auto check = [&](const auto* object, Handle handle) {
        if (object && object->destroyed)
            fault("call",
                  fmt::format("{} uses {}, which was destroyed before the run was over: keep it as a member", text,
                              describe(*object)),
                  number, fmt::format("destroyed object {}", handle));
    };
    check(pipelines.find(noted.pipeline), noted.pipeline);
    if (noted.what.indirect) checkUse(text, madeAt(noted.what.indirect->buffer), number);

    const std::size_t most = recording.layouts[noted.what.layout].setLayouts.size();
    for (const auto& [place, bound] : noted.sets) {
        if (place >= most) continue;  // it was bound with a layout that has more sets
        const SetObject* object = sets.find(bound.set);
        check(object, bound.set);
        RecordedSet set;
        set.layout = bound.setLayout;
        const Index wanted = recording.layouts[noted.what.layout].setLayouts[place];
        if (recording.setLayouts[bound.setLayout] != recording.setLayouts[wanted]) {
            fault("call",
                  fmt::format("{}: what is bound as set {} was made with another set layout than the pipeline's layout "
                              "has there: bindings, types and counts must be the same{}",
                              text, place,
                              hintOfPipeline([this, at = place, own = bound.setLayout](const RecordedLayout& layout) {
                                  return at < layout.setLayouts.size() &&
                                         recording.setLayouts[layout.setLayouts[at]] == recording.setLayouts[own];
                              })),
                  number, fmt::format("set layout {} for {} at {}", bound.setLayout, wanted, place));
            continue;
        }
        if (object) set.name = object->name;
        for (const auto& [key, range] : object ? object->contents : bound.pushed) {
            set.ranges.push_back(range);
            checkUse(text, madeAt(range.buffer), number);
        }
        const auto offsets = checkedOffsets(bound, set, text, number);
        noted.what.sets.push_back({place, intern(std::move(set)), offsets});
    }
    run.commands.emplace_back(std::move(noted.what));
}

namespace {

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

void Recorder::endRun()
{
    CommandBufferObject& given = *commandBuffers.find(given_);
    given.stage = CommandBufferObject::Stage::ended;
    RecordedRun& run = recording.runs.emplace_back();
    std::uint64_t dispatches = 0;
    struct Signalled {
        EventSignal by;
        std::uint64_t before = 0;  // commands of this run
    };
    std::map<Handle, Signalled> setEvents;
    std::map<Handle, std::size_t> resetEvents;  // how many commands of this run came before the reset
    for (const auto& [handle, event] : events)
        if (event.signal && !event.destroyed) setEvents[handle] = {*event.signal, 0};
    const auto checkBarrier = [&](const RecordedBarrier& barrier) {
        for (const auto& one : barrier.dependencies)
            if (one.buffer) checkUse("a barrier", madeAt(*one.buffer));
    };
    for (NotedCommand& command : given.commands) {
        if (auto* dispatch = std::get_if<NotedDispatch>(&command)) {
            resolve(*dispatch, run, dispatches++);
        } else if (auto* barrier = std::get_if<RecordedBarrier>(&command)) {
            checkBarrier(*barrier);
            run.commands.emplace_back(std::move(*barrier));
        } else if (auto* transfer = std::get_if<RecordedTransfer>(&command)) {
            const bool copies = transfer->kind == RecordedTransfer::Kind::copy;
            checkUse(copies ? "a copy" : "a fill or update", madeAt(transfer->to));
            if (copies) checkUse("a copy", madeAt(transfer->from));
            run.commands.emplace_back(std::move(*transfer));
        } else if (auto* event = std::get_if<NotedEvent>(&command)) {
            const auto reset = resetEvents.find(event->event);
            if (!event->set) {
                setEvents.erase(event->event);
                resetEvents[event->event] = run.commands.size();
                continue;
            }
            const auto orders = [](const RecordedCommand& one) { return std::holds_alternative<RecordedBarrier>(one); };
            if (reset != resetEvents.end() && events.find(event->event) &&
                std::none_of(run.commands.begin() + static_cast<std::ptrdiff_t>(reset->second), run.commands.end(),
                             orders))
                fault("call",
                      fmt::format("after {} dispatches {} is set, and nothing orders that after its reset, which "
                                  "may come last: take another event, or put a pipeline barrier between them",
                                  dispatches, describe(*events.find(event->event))));
            // Setting an event that is set has no effect.
            setEvents.try_emplace(event->event, Signalled{*event->set, run.commands.size()});
        } else if (auto* wait = std::get_if<NotedWait>(&command)) {
            checkBarrier(wait->barrier);
            std::vector<EventSignal> signals;
            for (const Handle waited : wait->events)
                if (const auto found = setEvents.find(waited); found != setEvents.end())
                    signals.push_back(found->second.by);
            const bool all = signals.size() == wait->events.size();
            const std::string problem = all ? waitProblem(*wait, signals) : "";
            if (!problem.empty()) fault("call", fmt::format("after {} dispatches {}", dispatches, problem));
            std::vector<RecordedBarrier> waits;  // what the wait for each event orders
            for (const Handle waited : wait->events) {
                const auto found = setEvents.find(waited);
                const EventObject* object = events.find(waited);
                if (object && object->destroyed)
                    fault("call", fmt::format("a wait uses {}, which was destroyed before", describe(*object)));
                if (found == setEvents.end() && object)
                    fault(
                        "call",
                        fmt::format("after {} dispatches a wait for {} would never end: it is not set before, in this "
                                    "call of record()",
                                    dispatches, describe(*object)));
                RecordedBarrier one = wait->barrier;
                one.covered = found == setEvents.end() ? 0 : found->second.before;
                // A wait that does not name what its events were set with is only reported as wrong; its dependencies
                // stay.
                if (found != setEvents.end() && problem.empty()) one.dependencies = coveredBy(found->second.by, *wait);
                if (waits.empty() || waits.back() != one) waits.push_back(std::move(one));
            }
            for (RecordedBarrier& one : waits) run.commands.emplace_back(std::move(one));
        }
    }
    for (auto& [handle, event] : events) {
        const auto found = setEvents.find(handle);
        event.signal = found == setEvents.end() ? std::nullopt : std::optional(std::move(found->second.by));
    }
    // A fault about the next dispatch loses its number if no dispatch came, or if it is in no run.
    for (Fault& one : faults_)
        if (one.fault.dispatch && *one.fault.dispatch >= dispatches) one.fault.dispatch.reset();
    given.commands.clear();
    given.boundSets.clear();
    given.executed.clear();
    for (auto& [handle, one] : commandBuffers) {
        if (one.strays > 0)
            fault("call", fmt::format("{} commands went into {}, which is not the one that record() was given: they "
                                      "never run",
                                      one.strays, describe(one)));
        one.strays = 0;
    }
}

}  // namespace a2
