// A device that does not finish in time, in every command: exit status 4, one line, the reports; and a2 makes no more
// calls on it and destroys nothing (otherwise the layer ends a2).

#include "Faults.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace faults {

namespace {

struct Command {
    const char* name;
    Words arguments;  // a minute of work at most
    Words more;       // enough work for 5 ms to be too short
    bool reports = true;
    int times = 10;
};

void PrintTo(const Command& command, std::ostream* stream) { *stream << command.name; }

const std::vector<Command> commands = {
    {"run", {"run", "reduce/atomic", "scan/naive", "-r", "2"}, {"-n", "2^24"}},
    {"check", {"check", "reduce/atomic", "-p", "ones"}, {"-n", "2^24", "-w", "256"}},
    {"bench", {"bench", "scan/local", "-r", "2"}, {"-n", "2^24"}},
    {"steps", {"steps", "scan/work-efficient"}, {"-n", "2^22"}},
    {"capture", {"capture", "reduce/atomic"}, {"-n", "2^23"}},
    {"prescan", {"prescan", "-r", "1"}, {}, false},
    {"obstacles", {"obstacles", "-r", "1"}, {"-n", "2^20"}, false},
    {"theory",
     {"theory", "scan/work-efficient", "--measure", "-r", "1"},
     {"-n", "2^20"},
     false,
     2},  // each follows its kernels first
    {"rotate", {"theory", "rotate", "--measure", "-r", "1"}, {"--matrix", "2000x2000"}, false, 3},
};

Words both(Words first, const Words& second)
{
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

}  // namespace

class Timeouts : public testing::TestWithParam<Command> {
protected:
    void SetUp() override
    {
        if (!whyNot().empty()) GTEST_SKIP() << whyNot();
        const bool captures = GetParam().name == std::string("capture");
        if (captures && !contains(contract::runA2({"doctor"}).out, "RenderDoc is installed"))
            GTEST_SKIP() << "RenderDoc is not installed";
    }

    void expectTimeout(const Words& arguments, Environment plan)
    {
        const Folder folder;
        plan.emplace_back("LOG", folder / "log");
        Words words = arguments;
        if (GetParam().reports) words = both(words, {"--json", folder / "r.json"});
        if (words.front() == "capture") words = both(words, {"-o", folder / "c.rdc"});
        const Finished run = runFaulty(words, plan);
        const bool brought = plan.size() > 1;  // the layer causes it, if there are enough waits
        if (brought && textOf(folder / "log").empty()) return;
        EXPECT_EQ(run.status, 4) << run;
        EXPECT_EQ(errorLines(run), 1U) << run;
        EXPECT_TRUE(contains(run.err, "did not finish within")) << run;
        EXPECT_TRUE(linesOf(run.err).back().starts_with("a2: error: ")) << run;
        if (!GetParam().reports) return;
        EXPECT_TRUE(nlohmann::json::accept(textOf(folder / "r.json"))) << run;
    }
};

TEST_P(Timeouts, OfFiveMillisecondsAgainAndAgain)
{
    const Words words = both(both(GetParam().arguments, GetParam().more), {"--timeout", "0.005"});
    for (int i = 0; i < GetParam().times; ++i) expectTimeout(words, {});
}

// At any wait, with the work still in flight.
TEST_P(Timeouts, AtEachOfTheFirstWaits)
{
    Words words = GetParam().arguments;
    if (!GetParam().more.empty() && GetParam().name != std::string("rotate")) words = both(words, {"-n", "2000"});
    if (GetParam().name == std::string("prescan")) words = both(words, {"-n", "2000"});
    for (const char* wait : {"1", "2", "3", "4", "5"})
        expectTimeout(words, {{"RESULT", timeOut}, {"FIRST", wait}, {"CALL", "vkWaitForFences"}});
}

TEST_P(Timeouts, AFailedSubmitOrResetIsNoBetter)
{
    Words words = GetParam().arguments;
    if (GetParam().name != std::string("rotate")) words = both(words, {"-n", "2000"});
    for (const char* call : {"vkQueueSubmit", "vkWaitForFences", "vkResetFences"})
        for (const char* result : {outOfHostMemory, outOfDeviceMemory, deviceLost, initializationFailed}) {
            const Finished run = runFaulty(words, {{"RESULT", result}, {"FIRST", "2"}, {"CALL", call}});
            EXPECT_EQ(run.status, 4) << call << " returns " << result << "\n" << run;
            EXPECT_EQ(errorLines(run), 1U) << run;
        }
}

INSTANTIATE_TEST_SUITE_P(, Timeouts, testing::ValuesIn(commands), [](const auto& one) { return one.param.name; });

}  // namespace faults
