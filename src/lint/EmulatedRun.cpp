#include "lint/EmulatedRun.h"

#include "a2/Error.h"
#include "recording/UsedBuffers.h"
#include "spirv/EmulatorCode.h"

#include <fmt/format.h>
#include <vulkan/vulkan_core.h>

#include <algorithm>
#include <utility>
#include <variant>

namespace a2 {

namespace {

std::span<const std::uint8_t> asBytes(std::span<const std::uint32_t> words)
{
    return {reinterpret_cast<const std::uint8_t*>(words.data()), words.size_bytes()};
}

bool hasDynamicOffset(std::uint32_t type)
{
    return type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC || type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC;
}

}  // namespace

Specialisation specialisationOf(const RecordedPipeline& pipeline)
{
    if (!pipeline.shader.empty()) return pipeline.shape;
    Specialisation given;
    for (const auto& constant : pipeline.constants) given.add(constant.id, constant.bytes);
    return given;
}

std::optional<EmulatedStep::NotWalked> EmulatedStep::notWalked() const
{
    if (!problem.empty()) return NotWalked{{}, problem, true};
    if (walk.unknown) return NotWalked{walk.unknown->where, walk.unknown->what, true};
    if (walk.overBudget) return NotWalked{{}, fmt::format("the run takes more than {} instructions", budget), false};
    if (!walk.unchecked.empty()) return NotWalked{{}, walk.unchecked, false};
    if (walk.complete || !walk.findings.empty()) return {};
    return NotWalked{{}, "the reason is not known", true};
}

EmulatedRun::EmulatedRun(const Recording& recording, KernelOf kernelOf, GivenWords given, bool inPieces)
    : recording_(recording), source_(std::move(kernelOf)), given_(std::move(given))
{
    const std::vector<bool> used = usedBuffers(recording);
    std::uint64_t bytes = 0;
    for (std::size_t i = 0; i < used.size(); ++i) bytes += used[i] ? recording.buffers[i].bytes : 0;
    if (bytes > mostBytes && !inPieces)
        tooLarge_ = fmt::format("its buffers have {} MiB together, and {} MiB are held", bytes >> 20, mostBytes >> 20);
    for (std::size_t i = 0; i < used.size(); ++i) {
        buffers_.emplace_back(used[i] && tooLarge_.empty() ? recording.buffers[i].bytes : 0);
        if (recording.buffers[i].lifetime == RecordedBuffer::Lifetime::solution) buffers_.back().keep();
    }
    if (!tooLarge_.empty()) return;
    for (const RecordedUpload& one : recording.uploads) {
        const std::uint64_t offset = one.firstWord * sizeof(std::uint32_t);
        if (one.words.size() == 1)
            buffers_.at(one.buffer).fill(offset, one.times * sizeof(std::uint32_t), one.words[0]);
        else
            buffers_.at(one.buffer).update(offset, asBytes(one.words));
    }
}

void EmulatedRun::begin(std::optional<std::uint32_t> poison)
{
    if (!tooLarge_.empty()) return;
    for (Index i = 0; i < buffers_.size(); ++i) {
        const RecordedBuffer& one = recording_.buffers[i];
        if (one.role == RecordedBuffer::Role::input)
            buffers_[i].update(0, asBytes(given_.input));
        else if (one.role == RecordedBuffer::Role::blockOffsets)
            buffers_[i].update(0, asBytes(given_.blockOffsets));
        else if (one.lifetime == RecordedBuffer::Lifetime::run)
            poison ? buffers_[i].poison(*poison) : buffers_[i].scatter(i);
    }
}

bool EmulatedRun::walk(const RecordedRun& run, EmulatorSettings settings,
                       const std::function<void(const EmulatedStep&)>& seen, std::optional<std::uint32_t> poison,
                       const std::function<void(std::uint64_t command)>& moved)
{
    begin(poison);
    const std::uint64_t budget = settings.budget;
    std::uint64_t dispatches = 0;
    for (std::uint64_t i = 0; i < run.commands.size(); ++i) {
        if (const auto* one = std::get_if<RecordedTransfer>(&run.commands[i])) {
            transfer(*one);
            if (moved) moved(i);
        }
        const auto* one = std::get_if<RecordedDispatch>(&run.commands[i]);
        if (!one) continue;
        EmulatedStep step;
        step.dispatch = one;
        step.command = i;
        step.number = dispatches++;
        step.budget = budget;
        if (settings.pauses.empty() || !pausedIn_ || *pausedIn_ == step.number) {
            dispatch(*one, settings, step);
        } else {
            EmulatorSettings unpaused = settings;
            unpaused.pauses.clear();
            dispatch(*one, unpaused, step);
        }
        settings.budget -= std::min(settings.budget, step.walk.effort);
        const bool followed = step.problem.empty() && step.walk.complete;
        if (seen) seen(step);
        if (!followed) return false;
    }
    return true;
}

void EmulatedRun::transfer(const RecordedTransfer& one)
{
    if (!tooLarge_.empty()) return;
    EmulatedBuffer& to = buffers_.at(one.to);
    switch (one.kind) {
        case RecordedTransfer::Kind::fill:
            to.fill(one.toOffset, one.bytes, one.fill);
            break;
        case RecordedTransfer::Kind::update:
            to.update(one.toOffset, one.data);
            break;
        case RecordedTransfer::Kind::copy:
            to.copy(buffers_.at(one.from), one.fromOffset, one.toOffset, one.bytes);
            break;
    }
}

const EmulatedRun::Kernel& EmulatedRun::kernelOf(Index pipeline)
{
    const auto [found, isNew] = kernels_.try_emplace(pipeline);
    if (!isNew) return found->second;
    const RecordedPipeline& one = recording_.pipelines.at(pipeline);
    try {
        const std::span<const std::uint32_t> words = one.shader.empty() ? std::span(one.code) : source_(one.shader);
        found->second.kernel.emplace(SpirvModule(words), specialisationOf(one), observed_);
    } catch (const KernelError& error) {
        found->second.problem = error.what();
    }
    return found->second;
}

const EmulatedKernel* EmulatedRun::kernel(const RecordedDispatch& dispatch)
{
    if (!dispatch.pipeline) return nullptr;
    const Kernel& found = kernelOf(*dispatch.pipeline);
    return found.kernel ? &*found.kernel : nullptr;
}

bool EmulatedRun::anyKernel(const RecordedRun& run, const std::function<bool(const EmulatedKernel&)>& is)
{
    return std::ranges::any_of(run.commands, [&](const RecordedCommand& command) {
        const auto* const dispatch = std::get_if<RecordedDispatch>(&command);
        const EmulatedKernel* const found = dispatch ? kernel(*dispatch) : nullptr;
        return found && is(*found);
    });
}

// A set's dynamic offsets are ordered by binding, and within an array of descriptors by element.
bool EmulatedRun::bind(const RecordedDispatch& one, EmulatedDispatch& made, std::string& problem)
{
    for (const RecordedDispatch::Set& bound : one.sets) {
        const RecordedSet& set = recording_.sets.at(bound.set);
        std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> moved;
        std::size_t next = 0;
        for (const auto& binding : recording_.setLayouts.at(set.layout).bindings)
            for (std::uint32_t element = 0; hasDynamicOffset(binding.type) && element < binding.count; ++element) {
                if (next == bound.dynamicOffsets.size()) {
                    problem = "it has fewer dynamic offsets than its descriptor set asks for";
                    return false;
                }
                moved[{binding.number, element}] = bound.dynamicOffsets[next++];
            }
        for (const RecordedSet::Range& range : set.ranges) {
            EmulatedBinding binding;
            binding.set = bound.number;
            binding.binding = range.binding;
            binding.element = range.element;
            binding.buffer = &buffers_.at(range.buffer);
            binding.offset = range.offset;
            binding.bytes = range.bytes;
            if (const auto offset = moved.find({range.binding, range.element}); offset != moved.end())
                binding.offset += offset->second;
            made.bindings.push_back(binding);
        }
    }
    return true;
}

void EmulatedRun::dispatch(const RecordedDispatch& one, const EmulatorSettings& settings, EmulatedStep& step)
{
    step.problem = one.pipeline ? tooLarge_ : "no pipeline is bound";
    if (!step.problem.empty()) return;
    const Kernel& kernel = kernelOf(*one.pipeline);
    if (!kernel.kernel) {
        step.problem = kernel.problem;
        return;
    }
    EmulatedDispatch made;
    made.kernel = &*kernel.kernel;
    made.base = one.base;
    made.groups = one.groups;
    if (one.indirect) {
        const EmulatedBuffer& from = buffers_.at(one.indirect->buffer);
        for (std::size_t i = 0; i < made.groups.size(); ++i) {
            const std::uint64_t word = one.indirect->offset / sizeof(std::uint32_t) + i;
            if (word >= from.words().size() || from.setMarks()[word] != EmulatedBuffer::allSet) {
                step.problem = "the numbers of its work-groups were never set";
                return;
            }
            made.groups.at(i) = from.words()[word];
        }
    }
    step.groups = made.groups;
    for (const RecordedDispatch::Push& run : one.push) {
        const std::size_t end = run.offset + run.bytes.size();
        made.push.resize(std::max(made.push.size(), end));
        made.pushed.resize(made.push.size());
        std::copy(run.bytes.begin(), run.bytes.end(), made.push.begin() + std::ptrdiff_t{run.offset});
        std::fill_n(made.pushed.begin() + std::ptrdiff_t{run.offset}, run.bytes.size(), true);
    }
    if (bind(one, made, step.problem)) step.walk = emulate(made, settings);
}

std::vector<Index> EmulatedRun::writtenBy(const RecordedDispatch& one)
{
    std::vector<Index> written;
    if (!one.pipeline || !kernelOf(*one.pipeline).kernel) return written;
    for (const emulator::Variable& variable : kernelOf(*one.pipeline).kernel->code().variables) {
        if (variable.space != emulator::Space::buffer || !variable.written) continue;
        for (const RecordedDispatch::Set& bound : one.sets)
            for (const RecordedSet::Range& range : recording_.sets.at(bound.set).ranges)
                if (bound.number == variable.set && range.binding == variable.binding) written.push_back(range.buffer);
    }
    return written;
}

bool EmulatedRun::mayTellEachOther(const RecordedDispatch& one)
{
    if (!one.pipeline || !kernelOf(*one.pipeline).kernel) return true;
    const emulator::Code& code = kernelOf(*one.pipeline).kernel->code();
    return !code.atomics.empty() ||
           std::any_of(code.accesses.begin(), code.accesses.end(), [](const auto& access) { return access.coherent; });
}

}  // namespace a2
