// A driver that ends its process: the row that it worked on is `crashed`, the others get their verdicts, reports are
// whole, and the exit status is 4.

#include "Faults.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>

namespace faults {

namespace {

struct Command {
    const char* name;
    Words arguments;
    std::size_t rows;
};

void PrintTo(const Command& command, std::ostream* stream) { *stream << command.name; }

const std::vector<Command> commands = {
    {"run", {"run", "reduce/atomic", "scan/naive", "-n", "2000", "-r", "2"}, 2},
    {"check", {"check", "reduce/atomic", "scan/naive", "--up-to", "9", "-p", "random"}, 2},
    {"bench", {"bench", "reduce/atomic", "scan/naive", "-n", "2000", "-r", "2"}, 2},
    {"sweep", {"bench", "reduce/atomic", "scan/naive", "--sweep", "size", "--up-to", "4096", "-r", "2"}, 2},
    {"steps", {"steps", "scan/work-efficient", "-n", "100"}, 1},
};

constexpr const char* end = "the driver ended a2's device process with ";

}  // namespace

class Crashes : public testing::TestWithParam<Command> {
protected:
    void SetUp() override
    {
        if (!whyNot().empty()) GTEST_SKIP() << whyNot();
    }

    // Ends a process at the call with this name and number only.
    Finished crash(const Folder& folder, const char* how, const char* call, unsigned first)
    {
        Words words = GetParam().arguments;
        for (const Words& report :
             {Words{"--json", folder / "r.json"}, Words{"--csv", folder / "r.csv"}, Words{"--junit", folder / "r.xml"}})
            words.insert(words.end(), report.begin(), report.end());
        return runFaulty(words,
                         {{"END", how}, {"CALL", call}, {"FIRST", std::to_string(first)}, {"ONCE", folder / "ended"}});
    }
};

TEST_P(Crashes, CostOneRowAtMost)
{
    std::size_t crashed = 0;
    for (const char* call : {"vkQueueSubmit", "vkWaitForFences", "vkCreateComputePipelines"})
        for (const unsigned first : {1U, 2U, 3U, 5U, 8U, 13U, 21U}) {
            const Folder folder;
            const char* const how = first % 2 == 0 ? "abort" : "segv";
            const Finished run = crash(folder, how, call, first);
            if (folder.names().size() == 3) continue;  // there were fewer calls
            SCOPED_TRACE(std::string(how) + " at " + call + " " + std::to_string(first));
            EXPECT_EQ(run.status, 4) << run;
            EXPECT_EQ(errorLines(run), 1U) << run;
            EXPECT_TRUE(contains(
                run.err, std::string(end) +
                             (first % 2 == 0 ? "signal 6 (aborted) while " : "signal 11 (segmentation fault) while ")))
                << run;
            EXPECT_EQ(folder.names(), (Words{"ended", "r.csv", "r.json", "r.xml"}));
            const auto tests = nlohmann::json::parse(textOf(folder / "r.json")).at("tests");
            ASSERT_EQ(tests.size(), GetParam().rows) << run;
            std::size_t ofRow = 0;
            for (const auto& test : tests) {
                if (test.at("status") == "passed") continue;
                ++ofRow;
                EXPECT_EQ(test.at("status"), "crashed") << run;
                const auto& last = test.at("cases").back();
                EXPECT_EQ(last.at("status"), "crashed") << run;
                const std::string n = std::to_string(last.at("n").get<std::uint64_t>());
                std::string why;
                for (const auto& line : test.at("explanation")) why += line.get<std::string>() + "\n";
                const bool oneCase = GetParam().name == std::string("steps");
                EXPECT_TRUE(oneCase || contains(why, "failed with -n " + n + " -p ")) << why;
                EXPECT_TRUE(contains(why, end)) << why;
                EXPECT_TRUE(contains(run.out, "TEST FAILED")) << run;
                EXPECT_TRUE(contains(run.err, test.at("id").get<std::string>() + ": " + end)) << run;
            }
            // Crashes before the first case, and during the copy kernel, belong to no row.
            EXPECT_LE(ofRow, 1U) << run;
            crashed += ofRow;
            pugi::xml_document junit;
            EXPECT_TRUE(junit.load_file((folder / "r.xml").c_str())) << run;
            const auto suite = junit.child("testsuites").child("testsuite");
            EXPECT_EQ(suite.attribute("errors").as_uint(), ofRow) << run;
            EXPECT_EQ(ofRow > 0, contains(textOf(folder / "r.xml"), "type=\"crashed\"")) << run;
        }
    EXPECT_GT(crashed, 4U) << "hardly ever in a row";
}

// A driver that calls exit() is not better, whatever its status.
TEST_P(Crashes, AnUnexpectedEndIsOneToo)
{
    // How many submits the copy kernel makes before the first row depends on its measured times.
    for (unsigned first = 5; first <= 25; ++first) {
        const Folder folder;
        const Finished run = crash(folder, "exit", "vkQueueSubmit", first);
        SCOPED_TRACE(first);
        ASSERT_EQ(run.status, 4) << run;
        ASSERT_TRUE(contains(run.err, std::string(end) + "exit status 0 while ")) << run;
        if (contains(run.out, "TEST FAILED")) return;
    }
    ADD_FAILURE() << "never in a row";
}

INSTANTIATE_TEST_SUITE_P(, Crashes, testing::ValuesIn(commands), [](const auto& one) { return one.param.name; });

// Every process ends like this: each row once, and then there is nothing left to try.
TEST(AlwaysCrashing, EachRowHasItsVerdict)
{
    if (!whyNot().empty()) GTEST_SKIP() << whyNot();
    const Folder folder;
    const Finished run = runFaulty({"run", "reduce/*", "-n", "2000", "--junit", folder / "r.xml"},
                                   {{"END", "segv"}, {"CALL", "vkQueueSubmit"}, {"FIRST", "2"}});
    EXPECT_EQ(run.status, 4) << run;
    EXPECT_EQ(errorLines(run), 1U) << run;
    EXPECT_EQ(count(run.out, "TEST FAILED"), count(run.out, "] evaluating ")) << run;
    EXPECT_GT(count(run.out, "TEST FAILED"), 4U) << run;
}

// Before there is a row: three processes are tried.
TEST(AlwaysCrashing, WhereTheDeviceIsOpenedIsGivenUp)
{
    if (!whyNot().empty()) GTEST_SKIP() << whyNot();
    const Folder folder;
    const Finished run =
        runFaulty({"run", "reduce/atomic", "scan/naive", "-n", "2000", "--json", folder / "r.json"},
                  {{"END", "abort"}, {"CALL", "vkCreateCommandPool"}, {"FIRST", "1"}, {"LOG", folder / "log"}});
    EXPECT_EQ(run.status, 4) << run;
    EXPECT_EQ(errorLines(run), 1U) << run;
    EXPECT_EQ(linesOf(textOf(folder / "log")).size(), 3U) << run;
    EXPECT_EQ(count(run.out, "SKIPPED: not run: "), 2U) << run;
    EXPECT_TRUE(contains(run.err, "signal 6 (aborted) while opening the device")) << run;
    EXPECT_TRUE(nlohmann::json::accept(textOf(folder / "r.json"))) << run;
}

// Commands without rows end in one line, and leave nothing behind.
TEST(AlwaysCrashing, IsOneLineOfAnyCommand)
{
    if (!whyNot().empty()) GTEST_SKIP() << whyNot();
    for (const Words& words : {Words{"doctor"}, Words{"theory", "rotate"}, Words{"obstacles", "-r", "1"},
                               Words{"prescan", "-n", "5000", "-r", "1"}}) {
        const Folder folder;
        Words all = words;
        if (words.front() == "prescan") all.push_back(folder / "result");
        const bool doctor = words.front() == "doctor";
        const Finished run = runFaulty(all, {{"END", "segv"},
                                             {"CALL", doctor ? "vkEnumeratePhysicalDevices" : "vkQueueSubmit"},
                                             {"FIRST", doctor ? "1" : "3"}});
        EXPECT_EQ(run.status, 4) << run;
        EXPECT_EQ(errorLines(run), 1U) << run;
        EXPECT_TRUE(contains(run.err, std::string(end) + "signal 11 (segmentation fault) while ")) << run;
        EXPECT_EQ(folder.names(), Words()) << run;
    }
}

}  // namespace faults
