#include "recording/RecordingCheck.h"

#include "recording/Bindings.h"
#include "recording/RecordingFile.h"

#include <fmt/format.h>
#include <vulkan/vulkan_core.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

namespace a2 {

namespace {

constexpr std::uint64_t pushBytes = 65536;       // more than any device has
constexpr std::uint64_t updateBytes = 65536;     // the most that vkCmdUpdateBuffer takes
constexpr std::uint32_t bindingNumbers = 65536;  // drivers keep a table up to the highest number
constexpr std::uint32_t bindingCount = 1024;
constexpr std::uint64_t allDescriptors = std::uint64_t{1} << 24;  // of all sets: 32 bits can count them
constexpr std::uint64_t allBytes = std::uint64_t{1} << 60;        // of all buffers: no sum with them overflows
constexpr std::uint32_t shapeNumber = std::uint32_t{1} << 30;
constexpr std::size_t shaderName = 200;  // together with .comp a valid file name everywhere

bool isBuffer(std::uint32_t type)
{
    return type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER || type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER || isDynamic(type);
}

class Check {
public:
    explicit Check(const Recording& recording) : all_(recording) {}

    void run()
    {
        if (all_.version != Recording::currentVersion)
            refuse("version", fmt::format("{} instead of {}", all_.version, std::uint32_t{Recording::currentVersion}));
        shape(all_.shape);
        buffers();
        each("uploads", all_.uploads, [this](const RecordedUpload& one) { upload(one); });
        each("setLayouts", all_.setLayouts, [this](const RecordedSetLayout& one) { setLayout(one); });
        compareSetLayouts();
        each("layouts", all_.layouts, [this](const RecordedLayout& one) { layout(one); });
        each("pipelines", all_.pipelines, [this](const RecordedPipeline& one) { pipeline(one); });
        sets();
        faults(all_.faults, 0);
        if (all_.runs.empty()) refuse("runs", "there are none");
        each("runs", all_.runs, [this](const RecordedRun& one) { run(one); });
    }

private:
    struct Step {
        const char* key;
        std::size_t place;
    };
    struct SetLayout {
        std::uint64_t descriptors = 0;
        std::size_t dynamic = 0;                // descriptors with a dynamic offset
        std::vector<std::size_t> firstDynamic;  // for each binding: how many are in the bindings before it
        Index alike = 0;                        // equal set layouts have the same number
    };
    // A dynamic offset moves the range of one descriptor.
    struct Moved {
        std::size_t offset;  // which of the set's dynamic offsets
        const RecordedSet::Range* range;
    };

    [[noreturn]] void refuse(const char* key, const std::string& what) const
    {
        std::string where;
        for (const Step& step : path_) where += fmt::format("{}[{}].", step.key, step.place);
        throw RecordingError(fmt::format("a2 recording: {}{}: {}", where, key, what));
    }

    template <class T, class Visit>
    void each(const char* key, const std::vector<T>& all, const Visit& visit)
    {
        for (std::size_t i = 0; i < all.size(); ++i) {
            path_.push_back({key, i});
            visit(all[i]);
            path_.pop_back();
        }
    }

    void index(const char* key, Index value, std::size_t count) const
    {
        if (value >= count) refuse(key, fmt::format("{}, and there are {}", value, count));
    }
    void multipleOf4(const char* key, std::uint64_t value) const
    {
        if (value % 4 != 0) refuse(key, fmt::format("{} is no multiple of 4", value));
    }
    void oneTo(const char* key, std::uint64_t value, std::uint64_t most) const
    {
        if (value == 0 || value > most) refuse(key, fmt::format("{} is not 1 to {}", value, most));
    }
    template <class Enum>
    void enumerator(const char* key, Enum value, Enum last) const
    {
        if (value > last) refuse(key, fmt::format("{} has no meaning", static_cast<unsigned>(value)));
    }
    void range(const char* key, Index buffer, std::uint64_t offset, std::uint64_t bytes) const
    {
        const std::uint64_t size = all_.buffers[buffer].bytes;
        if (bytes == 0) refuse(key, "0 bytes");
        if (offset > size || bytes > size - offset)
            refuse(key, fmt::format("{} bytes from byte {} on are not all in buffer {}, which has {}", bytes, offset,
                                    buffer, size));
    }

    void shape(const KernelShape& one) const
    {
        oneTo("shape.workGroup", one.workGroup, shapeNumber);
        oneTo("shape.elements", one.elements, shapeNumber);
        oneTo("shape.places", one.places, shapeNumber);
        if (one.banks > KernelShape::noPadding)
            refuse("shape.banks", fmt::format("{} is more than {}", one.banks, std::uint32_t{KernelShape::noPadding}));
        if (one.tile() > std::numeric_limits<std::uint32_t>::max())
            refuse("shape", fmt::format("a tile of {} elements", one.tile()));
    }

    void buffers()
    {
        using Role = RecordedBuffer::Role;
        std::uint64_t sum = 0;
        std::size_t inputs = 0, blockOffsets = 0;
        each("buffers", all_.buffers, [&](const RecordedBuffer& one) {
            enumerator("role", one.role, Role::made);
            enumerator("lifetime", one.lifetime, RecordedBuffer::Lifetime::solution);
            inputs += one.role == Role::input;
            blockOffsets += one.role == Role::blockOffsets;
            if (inputs > 1) refuse("role", "a second input");
            if (blockOffsets > 1) refuse("role", "a second blockOffsets");
            if (one.bytes == 0) refuse("bytes", "0");
            if (one.bytes > allBytes - sum) refuse("bytes", fmt::format("{} are more than could be", one.bytes));
            sum += one.bytes;
        });
    }

    void upload(const RecordedUpload& one) const
    {
        index("buffer", one.buffer, all_.buffers.size());
        if (all_.buffers[one.buffer].role != RecordedBuffer::Role::made)
            refuse("buffer", fmt::format("{} is given, not made", one.buffer));
        if (one.firstWord > allBytes / 4) refuse("firstWord", fmt::format("{} is in no buffer", one.firstWord));
        oneTo("times", one.times, one.words.size() == 1 ? allBytes / 4 : 1);
        range("words", one.buffer, one.firstWord * 4, one.count() * 4);
    }

    void setLayout(const RecordedSetLayout& one)
    {
        std::uint64_t next = 0;
        SetLayout& facts = setLayouts_.emplace_back();
        each("bindings", one.bindings, [&](const RecordedSetLayout::Binding& binding) {
            if (binding.number >= bindingNumbers)
                refuse("number", fmt::format("{} is not below {}", binding.number, bindingNumbers));
            if (binding.number < next) refuse("number", fmt::format("{} stands after {}", binding.number, next - 1));
            next = std::uint64_t{binding.number} + 1;
            if (!isBuffer(binding.type)) refuse("type", fmt::format("{} is no buffer", binding.type));
            oneTo("count", binding.count, bindingCount);
            facts.descriptors += binding.count;
            facts.firstDynamic.push_back(facts.dynamic);
            if (isDynamic(binding.type)) facts.dynamic += binding.count;
        });
    }

    // Compared once, and sorted: there may be many, and each dispatch asks about them.
    void compareSetLayouts()
    {
        using Binding = RecordedSetLayout::Binding;
        const auto bindings = [this](Index one) -> const std::vector<Binding>& {
            return all_.setLayouts[one].bindings;
        };
        std::vector<Index> order(setLayouts_.size());
        std::iota(order.begin(), order.end(), Index{0});
        std::sort(order.begin(), order.end(), [&](Index left, Index right) {
            return std::lexicographical_compare(bindings(left).begin(), bindings(left).end(), bindings(right).begin(),
                                                bindings(right).end(), [](const Binding& a, const Binding& b) {
                                                    return std::tie(a.number, a.type, a.count) <
                                                           std::tie(b.number, b.type, b.count);
                                                });
        });
        for (std::size_t i = 0; i < order.size(); ++i) {
            const bool again = i > 0 && bindings(order[i]) == bindings(order[i - 1]);
            setLayouts_[order[i]].alike = again ? setLayouts_[order[i - 1]].alike : order[i];
        }
    }

    void layout(const RecordedLayout& one)
    {
        for (const Index set : one.setLayouts) index("setLayouts", set, all_.setLayouts.size());
        each("push", one.push, [&](const RecordedLayout::PushRange& push) {
            multipleOf4("offset", push.offset);
            multipleOf4("bytes", push.bytes);
            pushed(push.offset, push.bytes);
        });
    }

    void pushed(std::uint64_t offset, std::uint64_t bytes) const
    {
        oneTo("bytes", bytes, pushBytes);
        if (offset > pushBytes - bytes)
            refuse("offset", fmt::format("{} bytes from byte {} on are beyond {}", bytes, offset, pushBytes));
    }

    void pipeline(const RecordedPipeline& one)
    {
        if (one.shader.empty() == one.code.empty())
            refuse("shader", one.code.empty() ? "neither it nor code" : "both it and code");
        if (one.shader.size() > shaderName)  // it becomes a file's name, too
            refuse("shader", fmt::format("a name of {} bytes", one.shader.size()));
        const auto mayStand = [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
        };
        if (!std::all_of(one.shader.begin(), one.shader.end(), mayStand))
            refuse("shader", "other characters than letters, digits, _ and -");
        shape(one.shape);
        if (one.entry.empty() || one.entry.find('\0') != std::string::npos) refuse("entry", "no name");
        if (!one.shader.empty() && one.entry != "main") refuse("entry", "a kernel of shaders/ has \"main\" alone");
        if (!one.shader.empty() && !one.constants.empty()) refuse("constants", "beside those that its shape sets");
        std::vector<std::uint32_t> ids;
        each("constants", one.constants, [&](const RecordedPipeline::Constant& constant) {
            oneTo("bytes", constant.bytes.size(), 8);
            ids.push_back(constant.id);
        });
        std::sort(ids.begin(), ids.end());
        const auto twice = std::adjacent_find(ids.begin(), ids.end());
        if (twice != ids.end()) refuse("constants", fmt::format("id {} twice", *twice));
        index("layout", one.layout, all_.layouts.size());
    }

    void sets()
    {
        std::uint64_t sum = 0;
        moved_.reserve(all_.sets.size());
        each("sets", all_.sets, [&](const RecordedSet& one) {
            index("layout", one.layout, all_.setLayouts.size());
            sum += setLayouts_[one.layout].descriptors;
            if (sum > allDescriptors) refuse("layout", fmt::format("more than {} descriptors in all", allDescriptors));
            set(one);
        });
    }

    void set(const RecordedSet& one)
    {
        const auto& bindings = all_.setLayouts[one.layout].bindings;
        std::vector<std::pair<std::uint32_t, std::uint32_t>> written;
        std::vector<Moved>& moved = moved_.emplace_back();
        each("ranges", one.ranges, [&](const RecordedSet::Range& range) {
            const auto binding = std::lower_bound(
                bindings.begin(), bindings.end(), range.binding,
                [](const RecordedSetLayout::Binding& left, std::uint32_t number) { return left.number < number; });
            if (binding == bindings.end() || binding->number != range.binding)
                refuse("binding", fmt::format("layout {} has no {}", one.layout, range.binding));
            if (range.element >= binding->count)
                refuse("element", fmt::format("{}, and there are {}", range.element, binding->count));
            index("buffer", range.buffer, all_.buffers.size());
            this->range("bytes", range.buffer, range.offset, range.bytes);
            written.emplace_back(range.binding, range.element);
            if (!isDynamic(binding->type)) return;
            const auto place = static_cast<std::size_t>(binding - bindings.begin());
            moved.push_back({setLayouts_[one.layout].firstDynamic[place] + range.element, &range});
        });
        std::sort(written.begin(), written.end());
        const auto twice = std::adjacent_find(written.begin(), written.end());
        if (twice != written.end())
            refuse("ranges", fmt::format("element {} of binding {} twice", twice->second, twice->first));
    }

    void run(const RecordedRun& one)
    {
        index("result", one.result, all_.buffers.size());
        std::uint64_t before = 0, dispatches = 0;
        each("commands", one.commands, [&](const RecordedCommand& command) {
            if (const auto* dispatch = std::get_if<RecordedDispatch>(&command))
                this->dispatch(*dispatch);
            else if (const auto* barrier = std::get_if<RecordedBarrier>(&command))
                this->barrier(*barrier, before);
            else
                transfer(std::get<RecordedTransfer>(command));
            dispatches += std::holds_alternative<RecordedDispatch>(command);
            ++before;
        });
        faults(one.faults, dispatches);
    }

    void faults(const std::vector<RecordedFault>& all, std::uint64_t dispatches)
    {
        each("faults", all, [&](const RecordedFault& one) {
            if (one.dispatch && *one.dispatch >= dispatches)
                refuse("dispatch", fmt::format("{}, and there are {}", *one.dispatch, dispatches));
        });
    }

    void dispatch(const RecordedDispatch& one)
    {
        if (one.pipeline) index("pipeline", *one.pipeline, all_.pipelines.size());
        // Without bound sets, pipeline and push constants, there may be no layout at all.
        if (one.pipeline || !one.sets.empty() || !one.push.empty() || one.layout != 0)
            index("layout", one.layout, all_.layouts.size());
        std::uint64_t next = 0;
        each("sets", one.sets, [&](const RecordedDispatch::Set& set) {
            if (set.number < next) refuse("number", fmt::format("{} stands after {}", set.number, next - 1));
            next = std::uint64_t{set.number} + 1;
            bound(set, all_.layouts[one.layout]);
        });
        std::optional<std::uint64_t> end;
        each("push", one.push, [&](const RecordedDispatch::Push& push) {
            multipleOf4("offset", push.offset);
            multipleOf4("bytes", push.bytes.size());
            pushed(push.offset, push.bytes.size());
            if (end && push.offset <= *end)
                refuse("offset", fmt::format("{} is not after a run that ends at byte {}", push.offset, *end));
            end = push.offset + push.bytes.size();
        });
        if (!one.indirect) return;
        index("indirect.buffer", one.indirect->buffer, all_.buffers.size());
        multipleOf4("indirect.offset", one.indirect->offset);
        range("indirect.offset", one.indirect->buffer, one.indirect->offset, sizeof(VkDispatchIndirectCommand));
        if (one.base != decltype(one.base){}) refuse("base", "beside what lies in a buffer");
    }

    void bound(const RecordedDispatch::Set& one, const RecordedLayout& layout) const
    {
        index("number", one.number, layout.setLayouts.size());
        index("set", one.set, all_.sets.size());
        const Index made = all_.sets[one.set].layout, wanted = layout.setLayouts[one.number];
        if (setLayouts_[made].alike != setLayouts_[wanted].alike)
            refuse("set", fmt::format("{} is of set layout {}, and {} is wanted", one.set, made, wanted));
        if (one.dynamicOffsets.size() != setLayouts_[made].dynamic)
            refuse("dynamicOffsets",
                   fmt::format("{} instead of {}", one.dynamicOffsets.size(), setLayouts_[made].dynamic));
        for (const std::uint32_t offset : one.dynamicOffsets) multipleOf4("dynamicOffsets", offset);
        for (const Moved& moved : moved_[one.set])
            range("dynamicOffsets", moved.range->buffer, moved.range->offset + one.dynamicOffsets[moved.offset],
                  moved.range->bytes);
    }

    void barrier(const RecordedBarrier& one, std::uint64_t before)
    {
        each("dependencies", one.dependencies, [&](const RecordedBarrier::Dependency& dependency) {
            if (!dependency.buffer) return;
            index("buffer", *dependency.buffer, all_.buffers.size());
            range("bytes", *dependency.buffer, dependency.offset, dependency.bytes);
        });
        if (one.covered > (one.waits ? before : 0))
            refuse("covered", fmt::format("{} commands, and it may cover {}", one.covered, one.waits ? before : 0));
    }

    void transfer(const RecordedTransfer& one) const
    {
        using Kind = RecordedTransfer::Kind;
        enumerator("kind", one.kind, Kind::copy);
        index("to", one.to, all_.buffers.size());
        range("bytes", one.to, one.toOffset, one.bytes);
        if (one.kind == Kind::copy) {
            index("from", one.from, all_.buffers.size());
            range("bytes", one.from, one.fromOffset, one.bytes);
            const auto [first, second] = std::minmax(one.fromOffset, one.toOffset);
            if (one.from == one.to && second - first < one.bytes) refuse("bytes", "it copies onto what it copies");
        } else {
            multipleOf4("toOffset", one.toOffset);
            multipleOf4("bytes", one.bytes);
        }
        if (one.kind == Kind::update) oneTo("bytes", one.bytes, updateBytes);
        if (one.data.size() != (one.kind == Kind::update ? one.bytes : 0))
            refuse("data", fmt::format("{} bytes", one.data.size()));
    }

    const Recording& all_;
    std::vector<Step> path_;
    std::vector<SetLayout> setLayouts_;
    std::vector<std::vector<Moved>> moved_;  // of each set
};

}  // namespace

void checkRecording(const Recording& recording) { Check(recording).run(); }

void checkAnswers(const Recording& recording, const RecordRequest& request)
{
    if (recording.task != request.task) throw RecordingError("it is of another task");
    if (recording.count != request.count) throw RecordingError("it is of another length");
    if (recording.shape != request.shape) throw RecordingError("it is of another shape");
    if (recording.runs.size() != request.runs) throw RecordingError("it has another number of runs");
}

}  // namespace a2
