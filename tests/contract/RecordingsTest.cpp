// --record-only and --recordings: student code records first; a2 judges when that code has ended.

#include "BrokenShaders.h"
#include "RunA2.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>

namespace contract {

namespace {

using Json = nlohmann::json;

Words with(Words words, const Words& more)
{
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

// The tests of a report, without their commands, which contain the library's name.
Json testsOf(const std::string& path)
{
    Json tests = Json::parse(textOf(path)).at("tests");
    for (Json& test : tests) {
        if (test.at("diagnosis").is_object()) test.at("diagnosis").erase("command");
        if (test.contains("explanation"))
            std::erase_if(test.at("explanation").get_ref<Json::array_t&>(),
                          [](const Json& line) { return contains(line.get<std::string>(), "steps reduce/"); });
    }
    return tests;
}

// The place where two reports differ; empty if they are equal.
std::string difference(const Json& one, const Json& other)
{
    const Json changes = Json::diff(one, other);
    return changes.empty() ? "" : changes.dump(1).substr(0, 2000);
}

struct Judged {
    int status;
    Json tests;
};

Judged judged(const Words& command, const Environment& environment = {})
{
    const Folder folder;
    const Finished run = runA2(with(command, {"--json", folder / "r.json"}), environment);
    return {run.status, testsOf(folder / "r.json")};
}

const std::string noLibrary = "/there/is/no/such/library.so";

}  // namespace

// In long arrays, the ranges that dispatches bind may look as if a barrier were missing. A run of 131,072 elements
// shows whether one is, even if the matrix does not have that length. a2 bench only needs the run itself.
TEST(Recordings, HaveWhatTellsTheWordsOfLongArraysApart)
{
    const Folder folder;
    const Words shape = {"-w", "256", "--elements", "2"};
    const Words row = {"reduce/atomic", "--record-only", folder / "r"};
    ASSERT_EQ(runA2(with(with({"check"}, row), with(shape, {"--up-to", "131075"}))).status, 0);
    const Words timed =
        with({"bench", "reduce/atomic", "--recordings", folder / "r", "--solutions", noLibrary, "-r", "1"}, shape);
    EXPECT_EQ(runA2(with(timed, {"-n", "131072"})).status, 0);
    const Finished other = runA2(with(timed, {"-n", "131071"}));
    EXPECT_EQ(other.status, 1);
    EXPECT_TRUE(contains(other.out, "has no recording of n = 131071")) << other;
}

// What is walked beside the cases needs recordings of its own: other orders of exclusive scans, for example.
TEST(Recordings, HaveThoseOfOtherOrders)
{
    const Folder folder;
    const BrokenShaders shaders("A2Task2DecoupledLookback.comp", "if (index < push.count) sum += source[index];",
                                "if (index < push.count && (EXCLUSIVE == 0 || index + 1 < begin + TILE)) sum += "
                                "source[index];");
    const Words check = {"check", "scan/lookback", "--up-to", "1025", "-s", "5", "--shader-dir", shaders.path()};
    ASSERT_EQ(runA2(with(check, {"--record-only", folder / "r"})).status, 0);
    const Finished run = runA2(with(check, {"--recordings", folder / "r", "--solutions", noLibrary}));
    EXPECT_EQ(run.status, 1) << run;
    EXPECT_TRUE(contains(run.out, "group-order: ")) << run;
}

TEST(Recordings, AreJudgedAsTheSolutionsAre)
{
    const Folder folder;
    const std::string file = folder / "it.a2s";
    for (const Words& command :
         {Words{"check", "reduce/atomic", "scan/work-efficient", "scan/offset", "--up-to", "300"},
          Words{"check", "reduce/sequential", "--course", "--up-to", "8192"},
          Words{"run", "reduce/unroll", "scan/local", "-n", "5000", "-r", "2"}}) {
        const Words same = with(command, {"-s", "7"});
        const Finished recorded = runA2(with(same, {"--record-only", file}));
        ASSERT_EQ(recorded.status, 0) << recorded;
        EXPECT_TRUE(contains(recorded.out, "judged none\nfile: ")) << recorded;
        const Judged own = judged(same), ahead = judged(with(same, {"--recordings", file, "--solutions", noLibrary}));
        EXPECT_EQ(own.status, 0);
        EXPECT_EQ(ahead.status, 0);
        EXPECT_EQ(difference(own.tests, ahead.tests), "");
    }
}

// So one machine can record what another judges: the device is only named.
TEST(Recordings, AreMadeForADeviceThatIsNotOpened)
{
    const Folder folder;
    const std::string device = folder / "device.a2s", file = folder / "it.a2s";
    const Environment noDriver = {{"VK_DRIVER_FILES", folder / "none.json"},
                                  {"VK_ICD_FILENAMES", folder / "none.json"}};
    ASSERT_EQ(runA2({"check", "reduce/atomic", "-n", "64", "--record-only", device}).status, 0);
    for (const Words& command : {Words{"check", "reduce/atomic", "scan/work-efficient", "--up-to", "129"},
                                 Words{"check", "scan/naive", "--course", "--up-to", "1024"},
                                 Words{"run", "reduce/unroll", "scan/offset", "-n", "5000", "-r", "2"}}) {
        const Words same = with(command, {"-s", "7"});
        expectError(runA2(with(same, {"--record-only", file}), noDriver), 3, "");
        const Finished recorded = runA2(with(same, {"--record-only", file, "--device-of", device}), noDriver);
        ASSERT_EQ(recorded.status, 0) << recorded;
        const Judged own = judged(same), ahead = judged(with(same, {"--recordings", file, "--solutions", noLibrary}));
        EXPECT_EQ(ahead.status, 0);
        EXPECT_EQ(difference(own.tests, ahead.tests), "");
    }
    expectError(runA2({"check", "-n", "64", "--record-only", file, "--device-of", folder / "none.a2s"}), 2, "none.a2s");
    expectError(runA2({"check", "--record-only", file, "--device-of", device}), 2, "-n or --up-to");
    expectError(runA2({"check", "-n", "64", "--device-of", device}), 2, "--device-of is for --record-only alone");
}

// They fail for the right reasons, explained as well as with the solution at hand.
TEST(Recordings, OfWhatIsWrongFailAsItDoes)
{
    const Folder folder;
    const std::string file = folder / "it.a2s";
    for (const char* cheat : {"make throw-number", "record exit", "record crash", "record no-dispatch-entry"}) {
        const Environment environment = {{"A2_TEST_CHEAT", cheat}};
        const Words same = {
            "check", "reduce/interleaved", "reduce/sequential", "-w", "256", "--elements", "2", "--up-to", "600", "-s",
            "7"};
        const Finished recorded = runA2(with(same, {"--record-only", file, "--solutions", A2_CHEATS}), environment);
        ASSERT_EQ(recorded.status, 0) << recorded;
        const Judged own = judged(with(same, {"--solutions", A2_CHEATS}), environment),
                     ahead = judged(with(same, {"--recordings", file}));
        EXPECT_EQ(own.status, 1) << cheat;
        EXPECT_EQ(difference(own.tests, ahead.tests), "") << cheat;
    }
}

// The first wrong run that was judged can be drawn without the solution.
TEST(Recordings, ShowTheRunThatFailed)
{
    const Folder folder;
    const std::string file = folder / "it.a2s", report = folder / "r.json", page = folder / "p.html";
    const std::filesystem::path shaders = folder / "shaders";
    std::filesystem::create_directory(shaders);
    std::string kernel = textOf(A2_SHADERS "/A2Task1Sequential.comp");
    const std::string right = "+=";
    ASSERT_NE(kernel.find(right), std::string::npos);
    kernel.replace(kernel.find(right), right.size(), "=");
    folder.file("shaders/A2Task1Sequential.comp", kernel);
    const Words options = {"reduce/sequential", "--course", "--up-to", "2048", "-s", "7", "--shader-dir", shaders};
    ASSERT_EQ(runA2(with(with({"check"}, options), {"--record-only", file})).status, 0);
    const Words ahead = {"--recordings", file, "--solutions", noLibrary};
    ASSERT_EQ(runA2(with(with(with({"check"}, options), ahead), {"--json", report})).status, 1);
    const Json wrong = Json::parse(textOf(report)).at("tests").at(0).at("diagnosis");
    const Words drawn = {"steps",
                         "reduce/sequential",
                         "--course",
                         "-n",
                         wrong.at("smallest_n").dump(),
                         "-p",
                         "random",
                         "-s",
                         "7",
                         "--shader-dir",
                         shaders,
                         "--html",
                         page};
    const Finished run = runA2(with(drawn, ahead));
    EXPECT_EQ(run.status, 1) << run;
    EXPECT_TRUE(contains(textOf(page), "<html")) << run;
}

// A solution must not pass because its recording is too slow, or has other options.
TEST(Recordings, ThatAreMissingAreNoPass)
{
    const Folder folder;
    const std::string file = folder / "it.a2s";
    ASSERT_EQ(runA2({"check", "reduce/atomic", "-n", "64", "--record-only", file}).status, 0);
    const Finished longer = runA2({"check", "reduce/atomic", "-n", "65", "--recordings", file});
    EXPECT_EQ(longer.status, 1) << longer;
    EXPECT_TRUE(contains(longer.out, "has no recording of n = 65")) << longer;
    EXPECT_TRUE(contains(longer.out, "TEST FAILED")) << longer;
    const Finished other = runA2({"check", "reduce/unroll", "-n", "64", "--recordings", file});
    EXPECT_EQ(other.status, 1) << other;
}

TEST(Recordings, ThatAreNoneAreRefusedInOneLine)
{
    const Folder folder;
    const std::string file = folder / "it.a2s";
    ASSERT_EQ(runA2({"check", "reduce/atomic", "-n", "64", "--record-only", file}).status, 0);
    const std::string whole = textOf(file);
    std::string older = whole;
    older.replace(older.find('\n') - 1, 1, "1");
    for (const std::string& bytes :
         {std::string(), std::string("no"), whole.substr(0, whole.size() / 2), whole + "more", older}) {
        folder.file("bad.a2s", bytes);
        const Finished run = runA2({"check", "reduce/atomic", "-n", "64", "--recordings", folder / "bad.a2s"});
        expectError(run, 2, "bad.a2s has no recordings that a2 can judge: ");
        EXPECT_EQ(run.out, "") << run;
    }
    expectError(runA2({"check", "--recordings", folder / "none.a2s"}), 2, "none.a2s");
    expectError(runA2({"check", "--record-only", file, "--recordings", file}), 2, "--record-only judges nothing");
    expectError(runA2({"run", "--record-only", file, "--json", "-"}), 2, "--record-only judges nothing");
    expectError(runA2({"run", "--record-only", file, "--in-process"}), 2, "--in-process is for a debugger");
    expectError(runA2({"run", "--recording", file, "--recordings", file}), 2, "--recording judges the file");
}

// A recording under the name of another length or another task is not accepted.
TEST(Recordings, OfSomethingElseAreRefused)
{
    const Folder folder;
    const std::string file = folder / "it.a2s";
    ASSERT_EQ(runA2({"check", "reduce/atomic", "-n", "64", "--record-only", file}).status, 0);
    std::string bytes = textOf(file);
    const std::string id = "reduce/atomic", other = "reduce/unroll";
    const std::size_t request = bytes.find(id), answer = bytes.find(id, request + 1);
    ASSERT_NE(answer, std::string::npos);
    folder.file("bad.a2s", bytes.replace(answer, id.size(), other));
    expectError(runA2({"check", "reduce/atomic", "-n", "64", "--recordings", folder / "bad.a2s"}), 2,
                "it is of another task");
}

}  // namespace contract
