// Repetitions without a timestamp: the time is the host's, for the whole series, and a note says so.

#include "Faults.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace faults {

namespace {

constexpr const char* note = "the device gave no timestamps that count; the time is the host's";

}  // namespace

TEST(Timestamps, MissingInOneRepetitionMakeItAllTheHosts)
{
    if (!whyNot().empty()) GTEST_SKIP() << whyNot();
    for (const char* how : {"equal", "notready"}) {
        int host = 0, copies = 0;
        // From the copy kernel's first run into the task's series: the number of calls between them depends on their
        // times.
        for (int call = 1; call <= 40 && (host < 2 || copies < 2); ++call) {
            const Folder folder;
            const Finished run =
                runFaulty({"bench", "reduce/atomic", "-n", "5000", "-r", "4", "--json", folder / "r.json"},
                          {{"TIMESTAMPS", how}, {"UNTIMED", std::to_string(call)}});
            EXPECT_EQ(run.status, 0) << run;
            const auto report = nlohmann::json::parse(textOf(folder / "r.json"));
            const auto& benchmark = report.at("benchmarks").at(0);
            const bool byHost = benchmark.at("timer") == "host";
            EXPECT_EQ(byHost, contains(run.err, std::string("reduce/atomic: ") + note)) << run;
            EXPECT_GT(benchmark.at("min_ms").get<double>(), 0) << run;
            EXPECT_EQ(benchmark.at("iterations").get<int>(), 4) << run;
            host += byHost;
            copies += contains(run.err, std::string("the copy kernel: ") + note);
        }
        EXPECT_GE(host, 2) << how;
        EXPECT_GE(copies, 2) << how;
    }
}

TEST(Timestamps, MissingAltogetherAreNotedByEachCommand)
{
    if (!whyNot().empty()) GTEST_SKIP() << whyNot();
    for (const Words& words :
         {Words{"run", "scan/local", "-n", "5000", "-r", "2"}, Words{"bench", "scan/local", "-n", "5000", "-r", "2"},
          Words{"steps", "scan/work-efficient", "-n", "5000"}, Words{"prescan", "-n", "5000", "-r", "2"},
          Words{"obstacles", "-n", "1024", "-r", "2"}, Words{"theory", "scan/work-efficient", "--measure", "-r", "2"},
          Words{"theory", "rotate", "--measure", "-r", "2"}})
        for (const char* how : {"equal", "notready"}) {
            const Finished run = runFaulty(words, {{"TIMESTAMPS", how}});
            EXPECT_EQ(run.status, 0) << run;
            EXPECT_TRUE(contains(run.err, note)) << run;
            EXPECT_FALSE(contains(run.out, " 0 ms")) << run;
        }
}

}  // namespace faults
