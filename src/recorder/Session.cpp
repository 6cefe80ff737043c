#include "recorder/Session.h"

#include "a2/Error.h"
#include "recorder/EntryPoints.h"
#include "recorder/RunResolver.h"

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

std::string Recorder::hintOfPipeline(const std::function<bool(const RecordedLayout&)>& fits) const
{
    for (const RecordedPipeline& one : recording.pipelines)
        if (const std::string name = one.name.empty() ? one.shader : one.name;
            !name.empty() && fits(recording.layouts[one.layout]))
            return fmt::format("; that of pipeline '{}' is: if it is meant, its cb.bindPipeline() is missing", name);
    return {};
}

void Recorder::endRun()
{
    CommandBufferObject& given = *commandBuffers.find(given_);
    given.stage = CommandBufferObject::Stage::ended;
    recording.runs.emplace_back();
    const std::uint64_t dispatches = RunResolver(*this).resolve(given.commands);
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
