#include "recording/RecordingFile.h"

#include "base/PrintableText.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <limits>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

namespace a2 {

namespace {

constexpr std::size_t longestText = 4096;  // bytes

// The keys of all members: one list for reading and writing. visit(key, member) is called for each.
template <class T, class Wanted>
concept Is = std::same_as<std::remove_const_t<T>, Wanted>;

void fields(auto&& visit, Is<KernelShape> auto& one)
{
    visit("workGroup", one.workGroup);
    visit("elements", one.elements);
    visit("exclusive", one.exclusive);
    visit("places", one.places);
    visit("banks", one.banks);
}
void fields(auto&& visit, Is<RecordedBuffer> auto& one)
{
    visit("name", one.name);
    visit("bytes", one.bytes);
    visit("role", one.role);
    visit("lifetime", one.lifetime);
}
void fields(auto&& visit, Is<RecordedUpload> auto& one)
{
    visit("buffer", one.buffer);
    visit("firstWord", one.firstWord);
    visit("words", one.words);
    visit("times", one.times);
}
void fields(auto&& visit, Is<RecordedSetLayout> auto& one) { visit("bindings", one.bindings); }
void fields(auto&& visit, Is<RecordedSetLayout::Binding> auto& one)
{
    visit("number", one.number);
    visit("type", one.type);
    visit("count", one.count);
}
void fields(auto&& visit, Is<RecordedLayout> auto& one)
{
    visit("setLayouts", one.setLayouts);
    visit("push", one.push);
}
void fields(auto&& visit, Is<RecordedLayout::PushRange> auto& one)
{
    visit("offset", one.offset);
    visit("bytes", one.bytes);
}
void fields(auto&& visit, Is<RecordedPipeline> auto& one)
{
    visit("shader", one.shader);
    visit("shape", one.shape);
    visit("code", one.code);
    visit("entry", one.entry);
    visit("constants", one.constants);
    visit("layout", one.layout);
    visit("name", one.name);
}
void fields(auto&& visit, Is<RecordedPipeline::Constant> auto& one)
{
    visit("id", one.id);
    visit("bytes", one.bytes);
}
void fields(auto&& visit, Is<RecordedSet> auto& one)
{
    visit("layout", one.layout);
    visit("ranges", one.ranges);
    visit("name", one.name);
}
void fields(auto&& visit, Is<RecordedSet::Range> auto& one)
{
    visit("binding", one.binding);
    visit("element", one.element);
    visit("buffer", one.buffer);
    visit("offset", one.offset);
    visit("bytes", one.bytes);
}
void fields(auto&& visit, Is<RecordedDispatch> auto& one)
{
    visit("label", one.label);
    visit("pipeline", one.pipeline);
    visit("layout", one.layout);
    visit("sets", one.sets);
    visit("push", one.push);
    visit("base", one.base);
    visit("groups", one.groups);
    visit("indirect", one.indirect);
}
void fields(auto&& visit, Is<RecordedDispatch::Set> auto& one)
{
    visit("number", one.number);
    visit("set", one.set);
    visit("dynamicOffsets", one.dynamicOffsets);
}
void fields(auto&& visit, Is<RecordedDispatch::Push> auto& one)
{
    visit("offset", one.offset);
    visit("bytes", one.bytes);
}
void fields(auto&& visit, Is<RecordedDispatch::Indirect> auto& one)
{
    visit("buffer", one.buffer);
    visit("offset", one.offset);
}
void fields(auto&& visit, Is<RecordedBarrier> auto& one)
{
    visit("dependencies", one.dependencies);
    visit("waits", one.waits);
    visit("covered", one.covered);
}
void fields(auto&& visit, Is<RecordedBarrier::Dependency> auto& one)
{
    visit("srcStages", one.srcStages);
    visit("dstStages", one.dstStages);
    visit("srcAccess", one.srcAccess);
    visit("dstAccess", one.dstAccess);
    visit("buffer", one.buffer);
    visit("offset", one.offset);
    visit("bytes", one.bytes);
}
void fields(auto&& visit, Is<RecordedTransfer> auto& one)
{
    visit("kind", one.kind);
    visit("to", one.to);
    visit("from", one.from);
    visit("toOffset", one.toOffset);
    visit("fromOffset", one.fromOffset);
    visit("bytes", one.bytes);
    visit("fill", one.fill);
    visit("data", one.data);
}
void fields(auto&& visit, Is<RecordedFault> auto& one)
{
    visit("rule", one.rule);
    visit("message", one.message);
    visit("dispatch", one.dispatch);
}
void fields(auto&& visit, Is<RecordedRun> auto& one)
{
    visit("commands", one.commands);
    visit("faults", one.faults);
    visit("result", one.result);
}
void fields(auto&& visit, Is<Recording> auto& one)  // its version is written separately
{
    visit("task", one.task);
    visit("count", one.count);
    visit("shape", one.shape);
    visit("buffers", one.buffers);
    visit("uploads", one.uploads);
    visit("setLayouts", one.setLayouts);
    visit("layouts", one.layouts);
    visit("pipelines", one.pipelines);
    visit("sets", one.sets);
    visit("faults", one.faults);
    visit("runs", one.runs);
}
void fields(auto&& visit, Is<DeviceFacts> auto& one)
{
    visit("properties", one.properties);
    visit("int64Atomics", one.int64Atomics);
    visit("subgroupArithmetic", one.subgroupArithmetic);
    visit("subgroupSize", one.subgroupSize);
}
void fields(auto&& visit, Is<RecordRequest> auto& one)
{
    visit("task", one.task);
    visit("factory", one.factory);
    visit("file", one.file);
    visit("shaders", one.shaders);
    visit("shape", one.shape);
    visit("count", one.count);
    visit("offsetCount", one.offsetCount);
    visit("runs", one.runs);
    visit("device", one.device);
}
void fields(auto&& visit, Is<RecordFailure> auto& one)
{
    visit("kind", one.kind);
    visit("phase", one.phase);
    visit("what", one.what);
    visit("call", one.call);
}

// Enumerators are written as names, listed here in the order of their values.
template <class Enum>
constexpr std::array<const char*, 0> names{};
template <>
constexpr std::array names<RecordedBuffer::Role> = {"input", "blockOffsets", "made"};
template <>
constexpr std::array names<RecordedBuffer::Lifetime> = {"run", "solution"};
template <>
constexpr std::array names<RecordedTransfer::Kind> = {"fill", "update", "copy"};
template <>
constexpr std::array names<RecordFailure::Kind> = {"threw", "memory", "ended", "timeout", "tooMuch", "broken"};

// A variant is a map with one key, which names the alternative.
template <class T>
constexpr const char* keyOf = nullptr;
template <>
constexpr const char* keyOf<RecordedDispatch> = "dispatch";
template <>
constexpr const char* keyOf<RecordedBarrier> = "barrier";
template <>
constexpr const char* keyOf<RecordedTransfer> = "transfer";
template <>
constexpr const char* keyOf<Recording> = "recording";
template <>
constexpr const char* keyOf<RecordFailure> = "failure";

// Types that count against RecordingLimits::objects. For other types in vectors the file's size is limit enough: each
// of them has keys of its own there.
template <class T>
constexpr bool isObject =
    std::same_as<T, RecordedBuffer> || std::same_as<T, RecordedUpload> || std::same_as<T, RecordedSetLayout> ||
    std::same_as<T, RecordedLayout> || std::same_as<T, RecordedPipeline> || std::same_as<T, RecordedSet> ||
    std::same_as<T, RecordedFault> || std::same_as<T, RecordedRun> || std::same_as<T, std::string>;

// Cuts a text that is too long to be read again, such as the message of an exception.
std::string_view cut(std::string_view text) { return firstBytes(text, longestText); }

// The major types of CBOR items. Of its simple values, three are used.
enum class Major : unsigned { number, negative, bytes, text, array, map, tag, simple };
constexpr std::uint64_t simpleFalse = 20, simpleTrue = 21, simpleNull = 22;

class Writer {
public:
    // A map whose first entries say what it is.
    template <class T>
    void whole(const char* kind, std::uint32_t version, const T& one)
    {
        head(Major::map, 2 + fieldsOf(one));
        key("a2");
        text(kind);
        key("version");
        write(version);
        pairs(one);
    }
    void write(const Recording& recording) { whole("recording", recording.version, recording); }

    std::vector<std::uint8_t> take() { return std::move(bytes_); }

private:
    // Writes the value in as few bytes as possible.
    void head(Major major, std::uint64_t value)
    {
        const unsigned size = value < 24 ? 0 : value <= 0xFF ? 1 : value <= 0xFFFF ? 2 : value <= 0xFFFF'FFFF ? 4 : 8;
        const unsigned info = size == 0 ? static_cast<unsigned>(value) : 24U + (size > 1) + (size > 2) + (size > 4);
        bytes_.push_back(static_cast<std::uint8_t>(static_cast<unsigned>(major) << 5 | info));
        for (unsigned i = size; i > 0; --i) bytes_.push_back(static_cast<std::uint8_t>(value >> (i - 1) * 8));
    }
    void text(std::string_view value)
    {
        head(Major::text, value.size());
        bytes_.insert(bytes_.end(), value.begin(), value.end());
    }
    void key(const char* name) { text(name); }

    template <class T>
    static std::uint64_t fieldsOf(const T& one)
    {
        std::uint64_t count = 0;
        fields([&](const char*, const auto&) { ++count; }, one);
        return count;
    }
    template <class... Choices>
    static std::uint64_t fieldsOf(const std::variant<Choices...>&)
    {
        return 1;
    }
    template <class T>
    void pairs(const T& one)
    {
        fields(
            [&](const char* name, const auto& member) {
                key(name);
                write(member);
            },
            one);
    }
    template <class... Choices>
    void pairs(const std::variant<Choices...>& one)
    {
        std::visit(
            [&]<class T>(const T& chosen) {
                key(keyOf<T>);
                write(chosen);
            },
            one);
    }

    template <class T>
    void write(const T& one)
    {
        head(Major::map, fieldsOf(one));
        pairs(one);
    }
    template <class T>
    requires std::is_arithmetic_v<T>
    void write(const T& value) { head(Major::number, value); }
    void write(const bool& value) { head(Major::simple, value ? simpleTrue : simpleFalse); }
    template <class T>
    requires std::is_enum_v<T>
    void write(const T& value) { text(names<T>.at(static_cast<std::size_t>(value))); }
    void write(const std::string& value) { text(cut(value)); }
    void write(const std::vector<std::uint8_t>& value)
    {
        head(Major::bytes, value.size());
        bytes_.insert(bytes_.end(), value.begin(), value.end());
    }
    void write(const std::vector<std::uint32_t>& value)  // little endian
    {
        head(Major::bytes, value.size() * 4);
        for (const std::uint32_t word : value)
            for (unsigned shift = 0; shift < 32; shift += 8) bytes_.push_back(static_cast<std::uint8_t>(word >> shift));
    }
    void write(const std::array<std::uint32_t, 3>& value)
    {
        head(Major::array, value.size());
        for (const std::uint32_t one : value) write(one);
    }
    template <class T>
    void write(const std::optional<T>& value)
    {
        if (value)
            write(*value);
        else
            head(Major::simple, simpleNull);
    }
    template <class T>
    void write(const std::vector<T>& all)
    {
        head(Major::array, all.size());
        for (const T& one : all) write(one);
    }

    std::vector<std::uint8_t> bytes_;
};

// Reads what Writer writes, and no other CBOR: definite lengths, no tags, no floating point. The bytes come from a
// process that may do anything. So they are read directly into their final types, and the first byte that does not fit
// ends the reading: nothing is allocated for a length that is only claimed, and nothing nests deeper than the types do.
// A general CBOR reader recurses as deep as the bytes say, and builds a tree of many times their size before it can be
// checked.
class Reader {
public:
    Reader(const char* kind, std::span<const std::uint8_t> bytes, const RecordingLimits& limits)
        : kind_(kind), bytes_(bytes), limits_(limits)
    {
        if (bytes.size() > limits.bytes)
            fail(fmt::format("{} bytes are more than the {} that are read", bytes.size(), limits.bytes));
    }

    template <class T>
    T all()
    {
        T result;
        if constexpr (std::same_as<T, Recording>)
            read(result);
        else
            whole(kind_, result);
        if (at_ != bytes_.size()) fail(fmt::format("{} bytes after its end", bytes_.size() - at_));
        return result;
    }

private:
    struct Head {
        Major major;
        std::uint64_t value;
    };
    struct Step {
        const char* key;  // null: an index in an array
        std::size_t place;
    };

    [[noreturn]] void fail(const std::string& what) const
    {
        std::string where;
        for (const Step& step : path_) {
            if (step.key == nullptr)
                where += fmt::format("[{}]", step.place);
            else
                where.append(where.empty() ? "" : ".").append(step.key);
        }
        throw RecordingError(fmt::format("a2 {}: {}{}{}", kind_, where, where.empty() ? "" : ": ", what));
    }

    std::size_t left() const { return bytes_.size() - at_; }

    Head head()
    {
        if (left() == 0) fail("the bytes end here");
        const unsigned first = bytes_[at_++];
        const unsigned info = first & 31;
        Head result = {static_cast<Major>(first >> 5), info};
        if (result.major == Major::simple) return result;  // a floating-point number does not count as known
        if (info >= 28) fail(fmt::format("byte {:#04x} has no meaning here", first));
        if (info >= 24) {
            const std::size_t length = std::size_t{1} << (info - 24);
            if (left() < length) fail("the bytes end here");
            result.value = 0;
            for (std::size_t i = 0; i < length; ++i) result.value = result.value << 8 | bytes_[at_++];
        }
        return result;
    }
    std::uint64_t head(Major major, const char* expected)
    {
        const Head one = head();
        if (one.major != major) fail(fmt::format("{} expected", expected));
        return one.value;
    }
    // Checks that there are as many bytes as the length says.
    std::span<const std::uint8_t> content(Major major, const char* expected)
    {
        const std::uint64_t length = head(major, expected);
        if (length > left()) fail("the bytes end here");
        const auto result = bytes_.subspan(at_, static_cast<std::size_t>(length));
        at_ += result.size();
        return result;
    }
    std::string_view text(const char* expected = "a text")
    {
        const auto bytes = content(Major::text, expected);
        if (bytes.size() > longestText)
            fail(fmt::format("a text of {} bytes is longer than {}", bytes.size(), std::size_t{longestText}));
        return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    }
    bool isNull()
    {
        constexpr auto null = static_cast<unsigned>(Major::simple) << 5 | simpleNull;
        if (left() == 0 || bytes_[at_] != null) return false;
        ++at_;
        return true;
    }

    template <class T>
    void member(const char* key, T& value)
    {
        path_.push_back({key, 0});
        read(value);
        path_.pop_back();
    }

    // Reads `count` pairs of a map; each must be a different field.
    template <class T>
    void pairs(std::uint64_t count, T& one)
    {
        std::uint64_t seen = 0;
        for (; count > 0; --count) {
            const std::string_view key = text("a key");
            bool known = false;
            std::uint64_t bit = 1;
            fields(
                [&](const char* name, auto& value) {
                    if (key == name) {
                        known = true;
                        if ((seen & bit) != 0) fail(fmt::format("key {} stands here twice", name));
                        seen |= bit;
                        member(name, value);
                    }
                    bit <<= 1;
                },
                one);
            if (!known) fail(fmt::format("key \"{}\" is unknown", printableText(key.substr(0, 40))));
        }
        std::uint64_t bit = 1;
        fields(
            [&](const char* name, auto&) {
                if ((seen & bit) == 0) fail(fmt::format("key {} is missing", name));
                bit <<= 1;
            },
            one);
    }
    template <class... Choices>
    void pairs(std::uint64_t count, std::variant<Choices...>& one)
    {
        if (count != 1) fail("one key expected");
        const std::string_view key = text("a key");
        const auto is = [&]<class T>(std::type_identity<T>) {
            if (key != keyOf<T>) return false;
            member(keyOf<T>, one.template emplace<T>());
            return true;
        };
        if (!(is(std::type_identity<Choices>()) || ...))
            fail(fmt::format("key \"{}\" is unknown", printableText(key.substr(0, 40))));
    }
    // A map whose first entries say what it is.
    template <class T>
    void whole(const char* kind, T& one)
    {
        const std::uint64_t count = head(Major::map, "a map");
        if (count < 2 || text("a key") != "a2" || text() != kind) fail(fmt::format("it is no {} of a2", kind));
        if (text("a key") != "version") fail("key version is missing");
        std::uint32_t version = 0;
        member("version", version);
        if (version != Recording::currentVersion)
            fail(fmt::format("it is of version {}, and this a2 reads version {}", version,
                             std::uint32_t{Recording::currentVersion}));
        pairs(count - 2, one);
    }

    template <class T>
    void read(T& one)
    {
        pairs(head(Major::map, "a map"), one);
    }
    void read(Recording& one) { whole("recording", one); }
    template <class T>
    requires std::is_arithmetic_v<T>
    void read(T& value)
    {
        const std::uint64_t number = head(Major::number, "a whole number, 0 or more,");
        if (number > std::numeric_limits<T>::max())
            fail(fmt::format("{} is more than {}", number, std::numeric_limits<T>::max()));
        value = static_cast<T>(number);
    }
    void read(bool& value)
    {
        const Head one = head();
        if (one.major != Major::simple || (one.value != simpleFalse && one.value != simpleTrue))
            fail("true or false expected");
        value = one.value == simpleTrue;
    }
    template <class T>
    requires std::is_enum_v<T>
    void read(T& value)
    {
        const auto& known = names<T>;
        const std::string_view name = text();
        const auto found = std::find(known.begin(), known.end(), name);
        if (found == known.end())
            fail(fmt::format("\"{}\" is none of {}", printableText(name.substr(0, 40)), fmt::join(known, ", ")));
        value = static_cast<T>(found - known.begin());
    }
    void read(std::string& value) { value = printableText(text()); }
    void read(std::vector<std::uint8_t>& value)
    {
        const auto bytes = content(Major::bytes, "a byte string");
        value.assign(bytes.begin(), bytes.end());
    }
    void read(std::vector<std::uint32_t>& value)
    {
        const auto bytes = content(Major::bytes, "a byte string");
        if (bytes.size() % 4 != 0) fail(fmt::format("{} bytes are no whole words of 4", bytes.size()));
        value.reserve(bytes.size() / 4);
        for (std::size_t i = 0; i < bytes.size(); i += 4)
            value.push_back(bytes[i] | std::uint32_t{bytes[i + 1]} << 8 | std::uint32_t{bytes[i + 2]} << 16 |
                            std::uint32_t{bytes[i + 3]} << 24);
    }
    void read(std::array<std::uint32_t, 3>& value)
    {
        if (head(Major::array, "three numbers") != value.size()) fail("three numbers expected");
        for (std::uint32_t& one : value) read(one);
    }
    template <class T>
    void read(std::optional<T>& value)
    {
        if (isNull()) return;
        T one;
        read(one);
        value = std::move(one);
    }
    template <class... Choices>
    void read(std::variant<Choices...>& one)
    {
        pairs(head(Major::map, "a map"), one);
    }
    template <class T>
    void read(std::vector<T>& all)
    {
        const std::uint64_t length = head(Major::array, "an array");
        if (length > left()) fail("the bytes end here");
        if constexpr (std::same_as<T, RecordedCommand>)
            take(length, commands_, limits_.commands, "commands");
        else if constexpr (isObject<T>)
            take(length, objects_, limits_.objects, "objects");
        for (std::size_t i = 0; i < length; ++i) {
            path_.push_back({nullptr, i});
            read(all.emplace_back());
            path_.pop_back();
        }
    }
    void take(std::uint64_t count, std::uint64_t& sum, std::uint64_t limit, const char* what) const
    {
        sum += count;
        if (sum > limit) fail(fmt::format("more than {} {}", limit, what));
    }

    const char* kind_;
    std::span<const std::uint8_t> bytes_;
    RecordingLimits limits_;
    std::size_t at_ = 0;
    std::vector<Step> path_;
    std::uint64_t commands_ = 0, objects_ = 0;
};

}  // namespace

std::vector<std::uint8_t> toBytes(const Recording& recording)
{
    Writer writer;
    writer.write(recording);
    return writer.take();
}

std::vector<std::uint8_t> toBytes(const RecordRequest& request)
{
    Writer writer;
    writer.whole("request", Recording::currentVersion, request);
    return writer.take();
}

std::vector<std::uint8_t> toBytes(const RecordAnswer& answer)
{
    Writer writer;
    writer.whole("answer", Recording::currentVersion, answer);
    return writer.take();
}

Recording recordingFrom(std::span<const std::uint8_t> bytes, const RecordingLimits& limits)
{
    return Reader("recording", bytes, limits).all<Recording>();
}

RecordRequest requestFrom(std::span<const std::uint8_t> bytes)
{
    return Reader("request", bytes, {}).all<RecordRequest>();
}

RecordAnswer answerFrom(std::span<const std::uint8_t> bytes, const RecordingLimits& limits)
{
    return Reader("answer", bytes, limits).all<RecordAnswer>();
}

}  // namespace a2
