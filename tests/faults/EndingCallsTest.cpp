// A driver's call never returns or crashes, or the process is killed or stopped in it: the a2 that the user started
// ends by itself, with status 4, one line, and whole reports; earlier results are printed.
//
// The distance between the tried calls is chosen so that the tests take minutes. A2_FAULTS=closely: twice as many;
// A2_FAULTS=all: every call.

#include "Faults.h"

#include "support/ChangedShaders.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace faults {

namespace {

// The shortest time-out that a2 accepts (cli/DeviceProcess.h).
const Words impatient = {"--timeout", "0.5"};

Words twoRows(const Folder& folder)
{
    return {"run",
            "reduce/atomic",
            "scan/work-efficient",
            "-n",
            "5000",
            "-r",
            "2",
            "--json",
            folder / "r.json",
            "--csv",
            folder / "r.csv",
            "--junit",
            folder / "r.xml"};
}

Words both(Words first, const Words& second)
{
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

void expectReports(const Folder& folder, const Finished& run)
{
    EXPECT_TRUE(nlohmann::json::accept(textOf(folder / "r.json"))) << run;
    EXPECT_TRUE(pugi::xml_document().load_file((folder / "r.xml").c_str())) << run;
    EXPECT_FALSE(textOf(folder / "r.csv").empty()) << run;
}

// Returns whether there was such a call.
bool expectSoundEnd(const char* how, const std::string& first)
{
    const Folder folder;
    const Finished run =
        runFaulty(both(twoRows(folder), impatient),
                  {{"END", how}, {"FIRST", first}, {"ONCE", folder / "once"}, {"LOG", folder / "log"}});
    const Words failed = linesOf(textOf(folder / "log"));
    if (failed.empty()) {
        EXPECT_EQ(run.status, 0) << run;
        return false;
    }
    SCOPED_TRACE(std::string(how) + " at call " + failed.front());
    EXPECT_EQ(run.status, 4) << run;
    EXPECT_EQ(errorLines(run), 1U) << run;
    expectReports(folder, run);
    return true;
}

}  // namespace

struct Ending {
    const char* how;
    unsigned share, shares;
    double growth;  // of the distance between two calls
};

void PrintTo(const Ending& ending, std::ostream* stream) { *stream << ending.how << " " << ending.share; }

class EndingCalls : public testing::TestWithParam<Ending> {};

TEST_P(EndingCalls, OneByOne)
{
    if (!whyNot().empty()) GTEST_SKIP() << whyNot();
    const auto next = [](double call) {
        const double growth = howMany() == "closely" ? std::sqrt(GetParam().growth) : GetParam().growth;
        return howMany() == "all" ? call + 1 : std::max(call + 1, call * growth);
    };
    unsigned number = 0;
    for (double call = 1;; call = next(call))
        if (number++ % GetParam().shares == GetParam().share)
            if (!expectSoundEnd(GetParam().how, std::to_string(static_cast<std::uint64_t>(call)))) break;
    EXPECT_GT(number, howMany().empty() ? 5U : 8U) << "hardly any call";
}

INSTANTIATE_TEST_SUITE_P(, EndingCalls, testing::ValuesIn([] {
                             std::vector<Ending> all;
                             for (unsigned share = 0; share < 3; ++share) {
                                 all.push_back({"segv", share, 3, 1.15});
                                 all.push_back({"hang", share, 3, 1.8});
                             }
                             all.push_back({"kill", 0, 1, 2});
                             all.push_back({"stop", 0, 1, 4});
                             return all;
                         }()),
                         [](const auto& one) { return one.param.how + std::to_string(one.param.share); });

// Includes calls that cannot fail.
class NeverReturns : public testing::TestWithParam<const char*> {};

TEST_P(NeverReturns, IsNamed)
{
    if (!whyNot().empty()) GTEST_SKIP() << whyNot();
    const Folder folder;
    const std::string call = GetParam();
    const Finished run = runFaulty(
        both(twoRows(folder), impatient),
        {{"END", "hang"}, {"CALL", call}, {"FIRST", "1"}, {"ONCE", folder / "once"}, {"LOG", folder / "log"}});
    ASSERT_FALSE(textOf(folder / "log").empty()) << "a2 does not call it";
    EXPECT_EQ(run.status, 4) << run;
    EXPECT_EQ(errorLines(run), 1U) << run;
    EXPECT_TRUE(contains(run.err, "the driver's " + call + " did not return within 5 s (--timeout) while ")) << run;
    expectReports(folder, run);
    const bool opens = contains(run.err, "opening the device"), closes = contains(run.err, "closing the device");
    const std::string json = textOf(folder / "r.json");
    EXPECT_EQ(count(json, "\"status\": \"timeout\"") > 0, !opens && !closes && !contains(run.err, "copy kernel"))
        << run;
    if (closes) {
        EXPECT_EQ(count(run.out, "TEST PASSED"), 2U) << run;
    }
}

INSTANTIATE_TEST_SUITE_P(, NeverReturns,
                         testing::Values("vkCreateInstance", "vkEnumeratePhysicalDevices", "vkCreateDevice",
                                         "vkAllocateMemory", "vkCreateComputePipelines", "vkCmdDispatch",
                                         "vkQueueSubmit", "vkWaitForFences", "vkDestroyPipeline", "vkDestroyDevice",
                                         "vkDestroyInstance"),
                         [](const auto& one) { return std::string(one.param); });

// Commands without rows.
TEST(NeverReturning, EndsAnyCommand)
{
    if (!whyNot().empty()) GTEST_SKIP() << whyNot();
    for (const Words& words : {Words{"obstacles", "-r", "1"}, Words{"theory", "rotate"}}) {
        const Finished run =
            runFaulty(both(words, impatient), {{"END", "hang"}, {"CALL", "vkCreateDevice"}, {"FIRST", "1"}});
        EXPECT_EQ(run.status, 4) << run;
        EXPECT_EQ(errorLines(run), 1U) << run;
        EXPECT_TRUE(contains(run.err, "vkCreateDevice did not return within 5 s (--timeout)")) << run;
    }
}

TEST(NeverReturning, SaysWhatWasDone)
{
    if (!whyNot().empty()) GTEST_SKIP() << whyNot();
    for (const auto& [call, during] : {std::pair{"vkCreateComputePipelines", "working on the device (compiling Copy)"},
                                       std::pair{"vkQueueSubmit", "working on the device"}}) {
        const Finished run = runFaulty(both({"prescan", "-n", "5000", "-r", "1"}, impatient),
                                       {{"END", "hang"}, {"CALL", call}, {"FIRST", "1"}});
        EXPECT_EQ(run.status, 4) << run;
        EXPECT_TRUE(
            contains(run.err, call + std::string(" did not return within 5 s (--timeout) while ") + during + ";"))
            << run;
    }
}

// The driver is not at fault, and a2 does not say that it is.
TEST(Killed, IsCalledSo)
{
    if (!whyNot().empty()) GTEST_SKIP() << whyNot();
    const Folder folder;
    const Finished run = runFaulty(
        twoRows(folder), {{"END", "kill"}, {"CALL", "vkCmdDispatch"}, {"FIRST", "1"}, {"ONCE", folder / "once"}});
    EXPECT_EQ(run.status, 4) << run;
    EXPECT_TRUE(contains(run.err,
                         "another process, or the system for want of memory, ended a2's device process with "
                         "signal 9 (killed) while "))
        << run;
    EXPECT_FALSE(contains(run.out + run.err, "the driver ended")) << run;
}

// A row with too little memory is neither passed nor failed, and --strict must report it.
TEST(OutOfMemory, InOneRowIsCountedAndNoPassOfAStrictRun)
{
    if (!whyNot().empty()) GTEST_SKIP() << whyNot();
    bool found = false;
    for (int first = 1; first <= 20 && !found; ++first) {
        const Environment plan = {
            {"RESULT", outOfDeviceMemory}, {"CALL", "vkAllocateMemory"}, {"FIRST", std::to_string(first)}};
        const Words words = {"run", "reduce/atomic", "scan/naive", "-n", "5000", "-r", "2"};
        const Finished run = runFaulty(words, plan);
        found = contains(run.out, "SKIPPED: ") && contains(run.out, "TEST PASSED");
        if (!found) continue;
        EXPECT_EQ(run.status, 0) << run;
        EXPECT_TRUE(contains(run.err, "1 of 2 rows passed") && contains(run.err, "; 1 skipped for want of memory"))
            << run;
        const Finished strict = runFaulty(both(words, {"--strict"}), plan);
        EXPECT_EQ(strict.status, 3) << strict;
    }
    EXPECT_TRUE(found);
}

// Earlier findings of the walk on the host are reported first, whatever the device does after that.
class FoundBefore : public testing::TestWithParam<const char*> {};

TEST_P(FoundBefore, StandsFirst)
{
    if (!whyNot().empty()) GTEST_SKIP() << whyNot();
    const a2::ChangedShaders racing("A2Task1KernelDecomposition.comp", "barrier();  // the next step reads", "//");
    for (const Words& command :
         {Words{"run", "reduce/decomposition", "-n", "300"}, Words{"check", "reduce/decomposition", "--up-to", "9"},
          Words{"steps", "reduce/decomposition", "-n", "300"}}) {
        const Folder folder;
        const std::string how = GetParam();
        Environment plan = {{"CALL", "vkCmdDispatch"}, {"FIRST", "1"}, {"END", how}, {"LOG", folder / "log"}};
        const char* end = how == "segv" ? "ended a2's device process" : "did not return";
        if (how == "timeout") {  // a2 itself notices it
            plan = {{"CALL", "vkWaitForFences"},
                    {"FIRST", "2"},
                    {"EVERY", "1"},
                    {"RESULT", timeOut},
                    {"LOG", folder / "log"}};
            end = "did not finish within";
        }
        Words words = both(command, {"--shader-dir", racing.path(), "--json", folder / "r.json"});
        if (how == "hang") words = both(words, impatient);
        const Finished run = runFaulty(words, plan);
        SCOPED_TRACE(how + " of " + command.front());
        ASSERT_FALSE(textOf(folder / "log").empty()) << run;
        EXPECT_EQ(run.status, 4) << run;
        const auto tests = nlohmann::json::parse(textOf(folder / "r.json")).at("tests");
        EXPECT_TRUE(contains(tests.at(0).at("lint").dump(), "shared-race")) << tests.dump() << run;
        const std::size_t found = run.out.find("shared-race: "), ended = run.out.find(end);
        EXPECT_TRUE(found < ended && ended != std::string::npos) << run;
    }
}

INSTANTIATE_TEST_SUITE_P(, FoundBefore, testing::Values("segv", "hang", "timeout"),
                         [](const auto& one) { return std::string(one.param); });

}  // namespace faults
