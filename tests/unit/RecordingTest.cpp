// Recordings as bytes, and what is refused: bytes that are no recording, and an inconsistent recording.

#include "recording/RecordedText.h"
#include "recording/RecordingCheck.h"
#include "recording/RecordingFile.h"
#include "support/ExampleRecording.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace a2 {

namespace {

using Bytes = std::vector<std::uint8_t>;
using Json = nlohmann::ordered_json;  // the library's CBOR, to compare with ours
using Pointer = Json::json_pointer;

std::string refusal(const std::function<void()>& work)
{
    try {
        work();
    } catch (const RecordingError& error) {
        return error.what();
    }
    return "";
}

std::string refusal(const Bytes& bytes, const RecordingLimits& limits = {})
{
    return refusal([&] { recordingFrom(bytes, limits); });
}

std::string refusal(const Json& json) { return refusal(Json::to_cbor(json)); }

Json exampleJson() { return Json::from_cbor(toBytes(exampleRecording())); }

// A recording's map that continues with this key, and then these bytes.
Bytes under(const std::string& key, const Bytes& value)
{
    Bytes bytes = Json::to_cbor(Json{{"a2", "recording"}, {"version", Recording::currentVersion}, {key, 0}});
    bytes.pop_back();
    bytes.insert(bytes.end(), value.begin(), value.end());
    return bytes;
}

// Calls visit for each value of a tree, with its place.
void forEach(const Json& one, const Pointer& at, const std::function<void(const Pointer&, const Json&)>& visit)
{
    visit(at, one);
    if (!one.is_structured()) return;
    std::size_t place = 0;
    for (const auto& item : one.items()) forEach(item.value(), one.is_array() ? at / place++ : at / item.key(), visit);
}

}  // namespace

TEST(RecordingFile, GivesBackWhatItWasGiven)
{
    for (const Recording& one : {Recording(), exampleRecording()}) {
        EXPECT_EQ(recordingFrom(toBytes(one)), one);
        EXPECT_EQ(answerFrom(toBytes(RecordAnswer(one))), RecordAnswer(one));
    }
    for (const RecordRequest& one : {RecordRequest(), exampleRequest()}) EXPECT_EQ(requestFrom(toBytes(one)), one);
    using Kind = RecordFailure::Kind;
    for (const Kind kind : {Kind::threw, Kind::memory, Kind::ended, Kind::timeout, Kind::tooMuch, Kind::broken}) {
        const RecordAnswer failure = RecordFailure{kind, "recording run 2", "signal 11", "vkCmdDispatch"};
        EXPECT_EQ(answerFrom(toBytes(failure)), failure);
    }
}

TEST(RecordingFile, IsWhatAnotherReaderOfCborTakesAndAnotherWriterMakes)
{
    const Bytes bytes = toBytes(exampleRecording());
    const Json json = Json::from_cbor(bytes);
    EXPECT_EQ(json.begin().key(), "a2");
    EXPECT_EQ(json.at("a2"), "recording");
    EXPECT_EQ(json.at("/buffers/1/role"_json_pointer), "blockOffsets");
    EXPECT_EQ(json.at("/runs/0/commands/0/dispatch/groups"_json_pointer), (Json{8, 2, 1}));
    EXPECT_EQ(json.at("/runs/0/commands/3/barrier/dependencies/0/srcStages"_json_pointer), std::uint64_t{1} << 40);
    const Bytes words = {1, 0, 0, 0, 0xEF, 0xBE, 0xAD, 0xDE, 0, 0, 0, 0};
    EXPECT_EQ(static_cast<const Bytes&>(json.at("/uploads/0/words"_json_pointer).get_binary()), words);
    EXPECT_EQ(Json::to_cbor(json), bytes);
    EXPECT_EQ(Json::to_cbor(Json::from_cbor(toBytes(exampleRequest()))), toBytes(exampleRequest()));
}

TEST(RecordedText, SaysWhatWasRecordedAndNotHowItIsCalled)
{
    const std::vector<std::string> lines = {
        "dispatch A2Task2KernelDecomposition 8 x 2 x 1 from 1 x 0 x 0; 0.0 input, 0.2 made 0 [16, 32], 1.0 made 1 [0, "
        "512], 1.1 offsets, 1.5 made 0 [0, 64] + 0 + 512 + 64; push 67305985; push at 8 134678021, 202050057",
        "barrier; ComputeShader:ShaderWrite to ComputeShader:ShaderRead"};
    Recording one = exampleRecording();
    EXPECT_EQ(recordedLines(one, 1), std::vector(lines.begin(), lines.begin() + 1));
    const auto all = recordedLines(one, 100);
    ASSERT_EQ(all.size(), one.runs[0].commands.size());
    EXPECT_EQ(all[0], lines[0]);
    std::get<RecordedDispatch>(one.runs[0].commands[0]).label = "mine";
    one.pipelines[0].name = one.buffers[2].name = one.sets[0].name = "other";
    one.buffers.push_back(one.buffers[3]);  // the same contents, with another index
    for (RecordedSet& set : one.sets)
        for (RecordedSet::Range& range : set.ranges)
            if (range.buffer == 3) range.buffer = 4;
    EXPECT_EQ(recordedLines(one, 1), std::vector(lines.begin(), lines.begin() + 1));
    EXPECT_TRUE(recordedLines(Recording(), 1).empty());
}

TEST(RecordingFile, HoldsNumbersOfEverySize)
{
    for (unsigned bit = 0; bit < 64; ++bit)
        for (const std::uint64_t less : {0U, 1U}) {
            Recording one;
            one.count = (std::uint64_t{1} << bit) - less;
            one.shape.banks = static_cast<std::uint32_t>(one.count);
            const Bytes bytes = toBytes(one);
            EXPECT_EQ(recordingFrom(bytes), one);
            EXPECT_EQ(Json::to_cbor(Json::from_cbor(bytes)), bytes);
        }
}

TEST(RecordingFile, HoldsALongRecording)
{
    Recording one = exampleRecording();
    const auto commands = one.runs.at(0).commands;
    for (int i = 0; i < 5000; ++i) {
        one.runs.at(0).commands.push_back(commands.at(0));
        one.runs.at(0).commands.push_back(commands.at(1));
    }
    const Recording back = recordingFrom(toBytes(one));
    EXPECT_EQ(back, one);
    EXPECT_EQ(refusal([&] { checkRecording(back); }), "");
}

TEST(RecordingFile, RefusesOneThatIsCutShortOrGoesOn)
{
    Bytes bytes = toBytes(exampleRecording());
    for (std::size_t size = 0; size < bytes.size(); ++size)
        EXPECT_NE(refusal(Bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size))), "") << size;
    bytes.push_back(0);
    EXPECT_EQ(refusal(bytes), "a2 recording: 1 bytes after its end");
}

// Changes each bit, and a few whole bytes: what can still be read can be written, and is then read as the same.
TEST(RecordingFile, StandsEveryChangeOfAByte)
{
    const Bytes bytes = toBytes(exampleRecording());
    std::size_t taken = 0;
    for (std::size_t at = 0; at < bytes.size(); ++at)
        for (unsigned change = 1; change < 0x100; change = change < 0x80 ? change * 2 : change + 0x7F) {
            Bytes changed = bytes;
            changed[at] = static_cast<std::uint8_t>(changed[at] ^ change);
            Recording one;
            if (!refusal([&] { one = recordingFrom(changed); }).empty()) continue;
            EXPECT_EQ(recordingFrom(toBytes(one)), one) << at;
            refusal([&] { checkRecording(one); });
            ++taken;
        }
    EXPECT_GT(taken, bytes.size() / 10);
}

TEST(RecordingFile, RefusesAnyNestingThatItDoesNotHave)
{
    constexpr std::size_t deep = 1'000'000;
    for (const Bytes& level : {Bytes{0x81}, Bytes{0x9F}, Bytes{0xA1}, Bytes{0xA1, 0x61, 'x'}, Bytes{0xBF, 0x61, 'x'},
                               Bytes{0x7F}, Bytes{0x5F}, Bytes{0xC1}, Bytes{0xD8, 0x20}}) {
        Bytes bytes;
        while (bytes.size() < deep) bytes.insert(bytes.end(), level.begin(), level.end());
        EXPECT_NE(refusal(bytes), "");
        EXPECT_NE(refusal([&] { requestFrom(bytes); }), "");
        EXPECT_NE(refusal([&] { answerFrom(bytes); }), "");
        for (const char* key : {"task", "count", "shape", "buffers", "uploads", "layouts", "runs", "faults", "other"})
            EXPECT_NE(refusal(under(key, bytes)), "") << key;
    }
}

TEST(RecordingFile, AllocatesNothingForAClaimedLength)
{
    for (const unsigned major : {2U, 3U, 4U, 5U})
        for (const unsigned size : {0x1AU, 0x1BU})
            for (const std::uint8_t first : Bytes{0x00, 0x10, 0x7F, 0x80, 0xFF}) {
                Bytes bytes = {static_cast<std::uint8_t>(major << 5 | size), first};
                bytes.resize(size == 0x1A ? 5 : 9, 0xFF);
                EXPECT_NE(refusal(bytes), "");
                for (const char* key : {"task", "shape", "buffers", "runs"}) EXPECT_NE(refusal(under(key, bytes)), "");
            }
    // As many items as the bytes allow, but none of them is a buffer.
    Bytes zeros = {0x9A, 0x00, 0x0F, 0x00, 0x00};
    zeros.resize(zeros.size() + 0x0F0000);
    EXPECT_EQ(refusal(under("buffers", zeros)), "a2 recording: buffers[0]: a map expected");
}

TEST(RecordingFile, HoldsNoMoreThanTheLimits)
{
    Recording one = exampleRecording();
    const Bytes bytes = toBytes(one);
    RecordingLimits limits;
    limits.bytes = bytes.size();
    limits.commands = 9;
    limits.objects = 4 + 2 + 3 + 2 + 2 + 3 + 2 + 2;  // including faults and runs
    EXPECT_EQ(refusal(bytes, limits), "");
    RecordingLimits less = limits;
    --less.bytes;
    EXPECT_EQ(refusal(bytes, less), "a2 recording: " + std::to_string(bytes.size()) + " bytes are more than the " +
                                        std::to_string(bytes.size() - 1) + " that are read");
    less = limits;
    --less.commands;
    EXPECT_EQ(refusal(bytes, less), "a2 recording: runs[1].commands: more than 8 commands");
    less = limits;
    --less.objects;
    EXPECT_EQ(refusal(bytes, less), "a2 recording: runs[0].faults: more than 19 objects");
    EXPECT_NE(refusal([&] { answerFrom(toBytes(RecordAnswer(one)), less); }), "");
}

TEST(RecordingFile, HoldsTextsThatCanBePrinted)
{
    const std::pair<std::string, std::string> texts[] = {
        {"", ""},
        {"tile 1", "tile 1"},
        {"a\nb\tc\x1B[31m\x7F", "a b c [31m "},
        {std::string("a\0b", 3), "a b"},
        {"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80", "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"},
        {"\xC2\x9B"
         "31m\xC2\x80\xC2\xA0",
         " 31m \xC2\xA0"},                                      // control characters of 8 bits
        {"\x80\xFF\xC3", "???"},                                // no beginning, no end
        {"\xC0\xAF\xE0\x80\xAF\xF0\x80\x80\xAF", "?????????"},  // longer than necessary
        {"\xED\xA0\x80\xF4\x90\x80\x80\xF8", "????????"},       // half a pair, beyond the last character, never valid
        {"\xE2\x82"
         "a\xF0\x9F\x98",
         "??a???"},
        {"\xE2\x80\xAE"
         "desrever \xE2\x81\xA6\xE2\x80\x8B\xEF\xBB\xBF\xE2\x80\xA8",
         "<U+202E>desrever <U+2066><U+200B><U+FEFF><U+2028>"},  // changes the direction, invisible, ends a line
        {"\xF3\xA0\x81\x81\xC2\xAD\xE2\x80\x90", "<U+E0041><U+00AD>\xE2\x80\x90"},
    };
    for (const auto& [text, printed] : texts) {
        Recording one = exampleRecording();
        one.buffers.at(0).name = text;
        const Recording back = recordingFrom(toBytes(one));
        EXPECT_EQ(back.buffers.at(0).name, printed);
        EXPECT_EQ(recordingFrom(toBytes(back)), back);
        EXPECT_NO_THROW(nlohmann::json(printed).dump());
    }
}

TEST(RecordingFile, CutsATextThatIsTooLong)
{
    Recording one;
    one.task = std::string(4095, 'x') +
               "\xC3\xA9"
               "and more";
    EXPECT_EQ(recordingFrom(toBytes(one)).task, std::string(4095, 'x'));
    one.task = std::string(5000, '\x80');
    EXPECT_LE(recordingFrom(toBytes(one)).task.size(), 4096U);
    Json json = exampleJson();
    json["task"] = std::string(4097, 'x');
    EXPECT_EQ(refusal(json), "a2 recording: task: a text of 4097 bytes is longer than 4096");
}

TEST(RecordingFile, NeedsEveryKeyOnceAndNoOther)
{
    const Json json = exampleJson();
    forEach(json, Pointer(), [&](const Pointer& at, const Json& one) {
        if (!one.is_object()) return;
        for (const auto& item : one.items()) {
            Json changed = json;
            changed[at].erase(item.key());
            EXPECT_NE(refusal(changed), "") << at << " without " << item.key();
        }
        Json changed = json;
        changed[at]["other"] = 1;
        EXPECT_NE(refusal(changed), "") << at;
    });
    Json changed = json;
    changed["/runs/0/commands/0/dispatch"_json_pointer].erase("groups");
    EXPECT_EQ(refusal(changed), "a2 recording: runs[0].commands[0].dispatch: key groups is missing");
    changed = json;
    changed["/sets/1"_json_pointer]["\x1B[2J"] = 1;
    EXPECT_EQ(refusal(changed), "a2 recording: sets[1]: key \" [2J\" is unknown");

    Bytes twice = toBytes(Recording());
    const Bytes task = Json::to_cbor("task");
    twice.insert(twice.end(), task.begin(), task.end());
    twice.push_back(0x60);
    ++twice.at(0);
    EXPECT_EQ(refusal(twice), "a2 recording: key task stands here twice");
}

TEST(RecordingFile, TakesEachValueForWhatItIs)
{
    constexpr auto most = std::numeric_limits<std::uint64_t>::max();
    const Json json = exampleJson();
    const Json others[] = {
        nullptr,     true, -1, 1.0, 0.5, most, "text", Json::array(), Json::object(), Json::binary({1, 2, 3}),
        {1, 2, 3, 4}};
    std::size_t places = 0, taken = 0;
    forEach(json, Pointer(), [&](const Pointer& at, const Json& one) {
        ++places;
        for (const Json& other : others) {
            Json changed = json;
            changed[at] = other;
            taken += refusal(changed).empty();
            // A value of another type is only allowed instead of none.
            if (other.type() == one.type() || other.is_null() || one.is_null()) continue;
            if (other.is_number_unsigned() && one.is_number()) continue;
            EXPECT_NE(refusal(changed), "") << at << ' ' << other;
        }
    });
    EXPECT_GT(places, 300U);
    EXPECT_LT(taken, places * 3);

    struct Case {
        const char* at;
        Json value;
        std::string refusal;
    };
    const Case cases[] = {
        {"/a2", "answer", "it is no recording of a2"},
        {"/version", 1, "it is of version 1, and this a2 reads version 2"},
        {"/version", "1", "version: a whole number, 0 or more, expected"},
        {"/count", -1, "count: a whole number, 0 or more, expected"},
        {"/count", 1.0, "count: a whole number, 0 or more, expected"},
        {"/shape/workGroup", std::uint64_t{1} << 32, "shape.workGroup: 4294967296 is more than 4294967295"},
        {"/shape/exclusive", 1, "shape.exclusive: true or false expected"},
        {"/shape/exclusive", nullptr, "shape.exclusive: true or false expected"},
        {"/task", 1, "task: a text expected"},
        {"/task", Json::binary({'a'}), "task: a text expected"},
        {"/buffers", Json::object(), "buffers: an array expected"},
        {"/buffers/1", Json::array(), "buffers[1]: a map expected"},
        {"/buffers/1/role", "output", "buffers[1].role: \"output\" is none of input, blockOffsets, made"},
        {"/buffers/1/role", 1, "buffers[1].role: a text expected"},
        {"/uploads/0/words", Json::binary({1, 2, 3}), "uploads[0].words: 3 bytes are no whole words of 4"},
        {"/uploads/0/words", "1234", "uploads[0].words: a byte string expected"},
        {"/pipelines/1/constants/0/bytes", {1, 2}, "pipelines[1].constants[0].bytes: a byte string expected"},
        {"/runs/0/commands/0", {{"draw", 1}}, "runs[0].commands[0]: key \"draw\" is unknown"},
        {"/runs/0/commands/0", Json::object(), "runs[0].commands[0]: one key expected"},
        {"/runs/0/commands/0/dispatch/groups", {1, 2}, "runs[0].commands[0].dispatch.groups: three numbers expected"},
        {"/runs/0/commands/0/dispatch/groups", 1, "runs[0].commands[0].dispatch.groups: three numbers expected"},
        {"/runs/0/commands/0/dispatch/pipeline", "none",
         "runs[0].commands[0].dispatch.pipeline: a whole number, 0 or more, expected"},
    };
    for (const Case& one : cases) {
        Json changed = json;
        changed[Pointer(one.at)] = one.value;
        EXPECT_EQ(refusal(changed), "a2 recording: " + one.refusal);
    }
    for (const Bytes& half : {Bytes{0xF9, 0, 20}, Bytes{0xF9, 0, 21}, Bytes{0xF8, 20}, Bytes{0xF7}})
        EXPECT_NE(refusal(under("shape",
                                [&] {
                                    Bytes map = Json::to_cbor(Json{{"exclusive", 0}});
                                    map.pop_back();
                                    map.insert(map.end(), half.begin(), half.end());
                                    return map;
                                }()))
                      .find("true or false expected"),
                  std::string::npos);
}

TEST(RecordingFile, TellsRecordingsRequestsAndAnswersApart)
{
    const Bytes recording = toBytes(exampleRecording()), request = toBytes(exampleRequest()),
                answer = toBytes(RecordAnswer(exampleRecording()));
    EXPECT_EQ(refusal(request), "a2 recording: it is no recording of a2");
    EXPECT_EQ(refusal(answer), "a2 recording: it is no recording of a2");
    EXPECT_EQ(refusal([&] { requestFrom(recording); }), "a2 request: it is no request of a2");
    EXPECT_EQ(refusal([&] { answerFrom(recording); }), "a2 answer: it is no answer of a2");
    Json json = Json::from_cbor(answer);
    json["/recording/runs/1/result"_json_pointer] = "none";
    EXPECT_EQ(refusal([&] { answerFrom(Json::to_cbor(json)); }),
              "a2 answer: recording.runs[1].result: a whole number, 0 or more, expected");
}

TEST(RecordingCheck, TakesWhatHoldsTogether)
{
    EXPECT_EQ(refusal([] { checkRecording(exampleRecording()); }), "");
}

// Breaks each rule once, in the smallest way.
TEST(RecordingCheck, RefusesWhatDoesNot)
{
    using Kind = RecordedTransfer::Kind;
    static const auto command = [](Recording& all, std::size_t i) -> RecordedCommand& {
        return all.runs.at(0).commands.at(i);
    };
    static const auto dispatch = [](Recording& all) -> RecordedDispatch& {
        return std::get<RecordedDispatch>(command(all, 0));
    };
    static const auto indirect = [](Recording& all) -> RecordedDispatch& {
        return std::get<RecordedDispatch>(command(all, 2));
    };
    static const auto barrier = [](Recording& all) -> RecordedBarrier& {
        return std::get<RecordedBarrier>(command(all, 1));
    };
    static const auto wait = [](Recording& all) -> RecordedBarrier& {
        return std::get<RecordedBarrier>(command(all, 3));
    };
    static const auto fill = [](Recording& all) -> RecordedTransfer& {
        return std::get<RecordedTransfer>(command(all, 4));
    };
    static const auto update = [](Recording& all) -> RecordedTransfer& {
        return std::get<RecordedTransfer>(command(all, 5));
    };
    static const auto copy = [](Recording& all) -> RecordedTransfer& {
        return std::get<RecordedTransfer>(command(all, 6));
    };
    static const auto onto = [](Recording& all) -> RecordedTransfer& {
        return std::get<RecordedTransfer>(command(all, 7));
    };
    constexpr auto most = std::numeric_limits<std::uint64_t>::max();
    constexpr auto most32 = std::numeric_limits<std::uint32_t>::max();
    struct Case {
        const char* where;
        void (*change)(Recording&);
    };
    const Case cases[] = {
        {"version", [](Recording& all) { all.version = 1; }},
        {"shape.workGroup", [](Recording& all) { all.shape.workGroup = 0; }},
        {"shape.workGroup", [](Recording& all) { all.shape.workGroup = (1U << 30) + 1; }},
        {"shape.elements", [](Recording& all) { all.shape.elements = 0; }},
        {"shape.elements", [](Recording& all) { all.shape.elements = most32; }},
        {"shape.places", [](Recording& all) { all.shape.places = 0; }},
        {"shape.places", [](Recording& all) { all.shape.places = most32; }},
        {"shape.banks", [](Recording& all) { all.shape.banks = KernelShape::noPadding + 1; }},
        {"shape", [](Recording& all) { all.shape.workGroup = all.shape.elements = 1U << 16; }},
        {"runs", [](Recording& all) { all.runs.clear(); }},

        {"buffers[0].role", [](Recording& all) { all.buffers[0].role = static_cast<RecordedBuffer::Role>(3); }},
        {"buffers[2].lifetime",
         [](Recording& all) { all.buffers[2].lifetime = static_cast<RecordedBuffer::Lifetime>(2); }},
        {"buffers[2].role", [](Recording& all) { all.buffers[2].role = RecordedBuffer::Role::input; }},
        {"buffers[3].role", [](Recording& all) { all.buffers[3].role = RecordedBuffer::Role::blockOffsets; }},
        {"buffers[1].bytes", [](Recording& all) { all.buffers[1].bytes = 0; }},
        {"buffers[1].bytes", [](Recording& all) { all.buffers[1].bytes = most; }},
        {"buffers[3].bytes",
         [](Recording& all) { all.buffers[2].bytes = all.buffers[3].bytes = std::uint64_t{1} << 59; }},

        {"uploads[0].buffer", [](Recording& all) { all.uploads[0].buffer = 4; }},
        {"uploads[0].buffer", [](Recording& all) { all.uploads[0].buffer = 0; }},
        {"uploads[0].buffer", [](Recording& all) { all.uploads[0].buffer = 1; }},
        {"uploads[0].times", [](Recording& all) { all.uploads[0].words.clear(); all.uploads[0].times = 2; }},
        {"uploads[0].words", [](Recording& all) { all.uploads[0].words.clear(); }},
        {"uploads[0].times", [](Recording& all) { all.uploads[0].times = 2; }},
        {"uploads[1].times", [](Recording& all) { all.uploads[1].times = 0; }},
        {"uploads[1].times", [](Recording& all) { all.uploads[1].times = most; }},
        {"uploads[1].words", [](Recording& all) { all.uploads[1].times = 257; }},
        {"faults[0].dispatch", [](Recording& all) { all.faults[0].dispatch = 0; }},
        {"runs[0].faults[0].dispatch", [](Recording& all) { all.runs[0].faults[0].dispatch = 2; }},
        {"uploads[0].words", [](Recording& all) { all.uploads[0].firstWord = 62; }},
        {"uploads[0].firstWord", [](Recording& all) { all.uploads[0].firstWord = std::uint64_t{1} << 62; }},

        {"setLayouts[1].bindings[1].number", [](Recording& all) { all.setLayouts[1].bindings[1].number = 0; }},
        {"setLayouts[1].bindings[2].number", [](Recording& all) { all.setLayouts[1].bindings[1].number = 6; }},
        {"setLayouts[1].bindings[2].number", [](Recording& all) { all.setLayouts[1].bindings[2].number = 65536; }},
        {"setLayouts[0].bindings[0].type",
         [](Recording& all) { all.setLayouts[0].bindings[0].type = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE; }},
        {"setLayouts[0].bindings[0].type", [](Recording& all) { all.setLayouts[0].bindings[0].type = most32; }},
        {"setLayouts[0].bindings[1].count", [](Recording& all) { all.setLayouts[0].bindings[1].count = 0; }},
        {"setLayouts[0].bindings[1].count", [](Recording& all) { all.setLayouts[0].bindings[1].count = 1025; }},

        {"layouts[0].setLayouts", [](Recording& all) { all.layouts[0].setLayouts[1] = 3; }},
        {"layouts[0].push[0].offset", [](Recording& all) { all.layouts[0].push[0].offset = 2; }},
        {"layouts[0].push[0].offset", [](Recording& all) { all.layouts[0].push[0].offset = 65536 - 12; }},
        {"layouts[0].push[0].offset", [](Recording& all) { all.layouts[0].push[0].offset = most32 - 3; }},
        {"layouts[0].push[0].bytes", [](Recording& all) { all.layouts[0].push[0].bytes = 6; }},
        {"layouts[0].push[0].bytes", [](Recording& all) { all.layouts[0].push[0].bytes = 0; }},
        {"layouts[0].push[0].bytes", [](Recording& all) { all.layouts[0].push[0].bytes = 65540; }},

        {"pipelines[0].shader", [](Recording& all) { all.pipelines[0].shader = ""; }},
        {"pipelines[1].shader", [](Recording& all) { all.pipelines[1].shader = "both"; }},
        {"pipelines[0].shader", [](Recording& all) { all.pipelines[0].shader = "../A2Task1"; }},
        {"pipelines[0].shader", [](Recording& all) { all.pipelines[0].shader = ".."; }},
        {"pipelines[0].shader", [](Recording& all) { all.pipelines[0].shader = "a\\b"; }},
        {"pipelines[0].shader", [](Recording& all) { all.pipelines[0].shader = "A2 Task1"; }},
        {"pipelines[0].shader", [](Recording& all) { all.pipelines[0].shader = std::string("a\0b", 3); }},
        {"pipelines[0].shader", [](Recording& all) { all.pipelines[0].shader = "\xC3\xA9"; }},
        {"pipelines[0].shader", [](Recording& all) { all.pipelines[0].shader = std::string(201, 'a'); }},
        {"pipelines[0].shape.workGroup", [](Recording& all) { all.pipelines[0].shape.workGroup = 0; }},
        {"pipelines[0].constants", [](Recording& all) { all.pipelines[0].constants = {{0, {1}}}; }},
        {"pipelines[0].entry", [](Recording& all) { all.pipelines[0].entry = "maIn"; }},
        {"pipelines[1].entry", [](Recording& all) { all.pipelines[1].entry = ""; }},
        {"pipelines[1].entry", [](Recording& all) { all.pipelines[1].entry = std::string("a\0b", 3); }},
        {"pipelines[1].constants[1].bytes", [](Recording& all) { all.pipelines[1].constants[1].bytes.clear(); }},
        {"pipelines[1].constants[1].bytes", [](Recording& all) { all.pipelines[1].constants[1].bytes.resize(9); }},
        {"pipelines[1].constants", [](Recording& all) { all.pipelines[1].constants[1].id = 0; }},
        {"pipelines[1].layout", [](Recording& all) { all.pipelines[1].layout = 2; }},

        {"sets[2].layout", [](Recording& all) { all.sets[2].layout = 3; }},
        {"sets[0].ranges[0].binding", [](Recording& all) { all.sets[0].ranges[0].binding = 1; }},
        {"sets[0].ranges[1].binding", [](Recording& all) { all.sets[0].ranges[1].binding = 3; }},
        {"sets[0].ranges[1].element", [](Recording& all) { all.sets[0].ranges[1].element = 2; }},
        {"sets[0].ranges", [](Recording& all) { all.sets[0].ranges.push_back(all.sets[0].ranges[0]); }},
        {"sets[0].ranges[1].buffer", [](Recording& all) { all.sets[0].ranges[1].buffer = 4; }},
        {"sets[0].ranges[1].bytes", [](Recording& all) { all.sets[0].ranges[1].bytes = 0; }},
        {"sets[0].ranges[1].bytes", [](Recording& all) { all.sets[0].ranges[1].bytes = 241; }},
        {"sets[0].ranges[1].bytes", [](Recording& all) { all.sets[0].ranges[1].bytes = most; }},
        {"sets[0].ranges[1].bytes", [](Recording& all) { all.sets[0].ranges[1].offset = most - 31; }},
        {"sets[0].ranges[1].bytes", [](Recording& all) { all.sets[0].ranges[1].offset = 257; }},

        {"runs[1].result", [](Recording& all) { all.runs[1].result = 4; }},
        {"runs[0].commands[0].pipeline", [](Recording& all) { dispatch(all).pipeline = 2; }},
        {"runs[0].commands[0].layout", [](Recording& all) { dispatch(all).layout = 2; }},
        {"runs[1].commands[0].layout",
         [](Recording& all) { std::get<RecordedDispatch>(all.runs[1].commands[0]).layout = 2; }},
        {"runs[0].commands[0].sets[1].number", [](Recording& all) { dispatch(all).sets[1].number = 0; }},
        {"runs[0].commands[0].sets[1].number", [](Recording& all) { dispatch(all).sets[1].number = 2; }},
        {"runs[0].commands[0].sets[0].set", [](Recording& all) { dispatch(all).sets[0].set = 3; }},
        {"runs[0].commands[0].sets[0].set", [](Recording& all) { dispatch(all).sets[0].set = 2; }},
        {"runs[0].commands[0].sets[0].dynamicOffsets",
         [](Recording& all) { dispatch(all).sets[0].dynamicOffsets = {0}; }},
        {"runs[0].commands[0].sets[1].dynamicOffsets",
         [](Recording& all) { dispatch(all).sets[1].dynamicOffsets.pop_back(); }},
        {"runs[0].commands[0].sets[1].dynamicOffsets",
         [](Recording& all) { dispatch(all).sets[1].dynamicOffsets[0] = 2; }},
        {"runs[0].commands[0].sets[1].dynamicOffsets",
         [](Recording& all) { dispatch(all).sets[1].dynamicOffsets[1] = 516; }},
        {"runs[0].commands[0].sets[1].dynamicOffsets",
         [](Recording& all) { dispatch(all).sets[1].dynamicOffsets[2] = 196; }},
        {"runs[0].commands[0].push[0].offset", [](Recording& all) { dispatch(all).push[0].offset = 1; }},
        {"runs[0].commands[0].push[0].bytes", [](Recording& all) { dispatch(all).push[0].bytes.clear(); }},
        {"runs[0].commands[0].push[0].bytes", [](Recording& all) { dispatch(all).push[0].bytes.pop_back(); }},
        {"runs[0].commands[0].push[1].offset", [](Recording& all) { dispatch(all).push[1].offset = 0; }},
        {"runs[0].commands[0].push[1].offset", [](Recording& all) { dispatch(all).push[1].offset = 4; }},
        {"runs[0].commands[0].push[1].offset", [](Recording& all) { dispatch(all).push[1].offset = 65532; }},
        {"runs[0].commands[2].indirect.buffer", [](Recording& all) { indirect(all).indirect->buffer = 4; }},
        {"runs[0].commands[2].indirect.offset", [](Recording& all) { indirect(all).indirect->offset = 242; }},
        {"runs[0].commands[2].indirect.offset", [](Recording& all) { indirect(all).indirect->offset = 248; }},
        {"runs[0].commands[2].indirect.offset", [](Recording& all) { indirect(all).indirect->offset = most - 3; }},
        {"runs[0].commands[2].base", [](Recording& all) { indirect(all).base[2] = 1; }},

        {"runs[0].commands[1].dependencies[1].buffer",
         [](Recording& all) { barrier(all).dependencies[1].buffer = 4; }},
        {"runs[0].commands[1].dependencies[1].bytes", [](Recording& all) { barrier(all).dependencies[1].bytes = 0; }},
        {"runs[0].commands[1].dependencies[1].bytes",
         [](Recording& all) { barrier(all).dependencies[1].bytes = 1021; }},
        {"runs[0].commands[1].covered", [](Recording& all) { barrier(all).covered = 1; }},
        {"runs[0].commands[3].covered", [](Recording& all) { wait(all).covered = 4; }},

        {"runs[0].commands[4].kind", [](Recording& all) { fill(all).kind = static_cast<Kind>(3); }},
        {"runs[0].commands[4].to", [](Recording& all) { fill(all).to = 4; }},
        {"runs[0].commands[4].toOffset", [](Recording& all) { fill(all).toOffset = 2; }},
        {"runs[0].commands[4].bytes", [](Recording& all) { fill(all).bytes = 1018; }},
        {"runs[0].commands[4].bytes", [](Recording& all) { fill(all).bytes = 0; }},
        {"runs[0].commands[4].bytes", [](Recording& all) { fill(all).bytes = 1024; }},
        {"runs[0].commands[4].data", [](Recording& all) { fill(all).data = {1}; }},
        {"runs[0].commands[5].data", [](Recording& all) { update(all).data.pop_back(); }},
        {"runs[0].commands[5].toOffset", [](Recording& all) { update(all).toOffset = 1; }},
        {"runs[0].commands[5].bytes",
         [](Recording& all) {
             all.buffers[3].bytes = 70'000;
             update(all).bytes = 65540;
             update(all).data.resize(65540);
         }},
        {"runs[0].commands[6].from", [](Recording& all) { copy(all).from = 4; }},
        {"runs[0].commands[6].bytes", [](Recording& all) { copy(all).fromOffset = 3001; }},
        {"runs[0].commands[6].bytes", [](Recording& all) { copy(all).toOffset = 25; }},
        {"runs[0].commands[6].data", [](Recording& all) { copy(all).data = {1}; }},
        {"runs[0].commands[7].bytes", [](Recording& all) { onto(all).toOffset = 1; }},
        {"runs[0].commands[7].bytes", [](Recording& all) { onto(all).fromOffset = 127; }},
        {"runs[0].commands[7].bytes", [](Recording& all) { onto(all).fromOffset = 0; }},
    };
    for (const Case& one : cases) {
        Recording all = exampleRecording();
        one.change(all);
        const std::string message = refusal([&] { checkRecording(all); });
        const std::string where = std::string("a2 recording: ") + one.where + ": ";
        EXPECT_EQ(message.substr(0, where.size()), where) << message;
        EXPECT_EQ(message.find('\n'), std::string::npos);
    }
}

TEST(RecordingCheck, LeavesToOthersWhatADeviceOrTheRulesSay)
{
    Recording all = exampleRecording();
    all.buffers.at(2).bytes = std::uint64_t{1} << 50;
    all.runs.at(0).faults.push_back({"", "", {}});
    auto& dispatch = std::get<RecordedDispatch>(all.runs.at(0).commands.at(0));
    dispatch.groups = dispatch.base = {0, 0xFFFFFFFF, 0xFFFFFFFF};
    dispatch.push.push_back({65532, {1, 2, 3, 4}});
    dispatch.pipeline.reset();
    dispatch.sets.clear();
    EXPECT_EQ(refusal([&] { checkRecording(all); }), "");

    Recording bare;
    bare.buffers.push_back({"input", 4, RecordedBuffer::Role::input, RecordedBuffer::Lifetime::solution});
    bare.runs.push_back({{RecordedDispatch()}, {}, 0});
    EXPECT_EQ(refusal([&] { checkRecording(bare); }), "");
}

// Many set layouts, each the same as another one or nearly so: looking them up must be quick.
TEST(RecordingCheck, TakesSetLayoutsThatAreEqualForTheSame)
{
    Recording all = exampleRecording();
    const auto first = static_cast<Index>(all.setLayouts.size());
    for (std::uint32_t i = 0; i < 2000; ++i)
        all.setLayouts.push_back({{{i / 2, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1}}});
    all.layouts.push_back({{first + 10, first + 12}, {}});
    all.sets.push_back({first + 11, {{5, 0, 0, 0, 4}}, ""});
    const auto set = static_cast<Index>(all.sets.size() - 1);
    RecordedDispatch dispatch;
    dispatch.layout = static_cast<Index>(all.layouts.size() - 1);
    dispatch.sets = {{0, set, {}}};
    all.runs.at(0).commands.emplace_back(dispatch);
    EXPECT_EQ(refusal([&] { checkRecording(all); }), "");
    dispatch.sets = {{1, set, {}}};
    all.runs.at(0).commands.emplace_back(dispatch);
    EXPECT_EQ(refusal([&] { checkRecording(all); }),
              "a2 recording: runs[0].commands[9].sets[0].set: 3 is of set layout 14, and 15 is wanted");
}

}  // namespace a2
