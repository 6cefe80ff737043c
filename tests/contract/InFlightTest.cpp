// a2 bench --batch N --in-flight K: what the reports and the notes say about it. tests/unit/InFlightTest.cpp tests that
// the runs are side by side, and are all judged.

#include "RunA2.h"

#include <gtest/gtest.h>

namespace contract {

namespace {

// For each benchmark in a report, its name, its batch and how many runs were in flight.
Words inFlight(Words words, Finished& run)
{
    const Folder folder;
    const std::string json = folder / "b.json";
    words.insert(words.begin(), "bench");
    words.insert(words.end(), {"-r", "2", "--json", json, "--csv", folder / "b.csv"});
    run = runA2(words);
    EXPECT_EQ(run.status, 0) << run;
    const Finished valid = inspect({"validate", A2_SCHEMA, json});
    EXPECT_EQ(valid.status, 0) << valid;
    EXPECT_TRUE(contains(linesOf(textOf(folder / "b.csv")).front(), ",batch,in_flight,bytes,"));
    return linesOf(inspect({"benchmarks", json, "name", "batch", "in_flight"}).out);
}

}  // namespace

TEST(InFlight, IsReportedAndAPartOfTheName)
{
    Finished run;
    const Words task = {"reduce/atomic", "-n", "5000", "-w", "64"};
    const auto with = [&](const Words& more) {
        Words words = task;
        words.insert(words.end(), more.begin(), more.end());
        return inFlight(words, run).front();
    };
    EXPECT_EQ(with({"--batch", "12", "--in-flight", "5"}),
              "reduce/atomic/5000/wg:64/elements:16/batch:12/in-flight:5 12 5");
    EXPECT_TRUE(contains(run.out, "ms / run")) << run;
    EXPECT_FALSE(contains(run.err, "in-flight")) << "nothing to remark\n" << run;
    EXPECT_EQ(with({"--batch", "12", "--in-flight", "1"}), "reduce/atomic/5000/wg:64/elements:16/batch:12 12 1");
    EXPECT_EQ(with({"--batch", "3", "--in-flight", "64"}),
              "reduce/atomic/5000/wg:64/elements:16/batch:3/in-flight:3 3 3")
        << "no more than there are runs";
    EXPECT_EQ(with({"--batch", "1", "--in-flight", "4"}), "reduce/atomic/5000/wg:64/elements:16 1 1");
    EXPECT_EQ(with({}), "reduce/atomic/5000/wg:64/elements:16 1 1");
}

TEST(InFlight, IsOneWithANoteWhereTheInputIsWrittenOver)
{
    Finished run;
    const Words found = inFlight(
        {"reduce/interleaved", "scan/local", "-n", "5000", "-w", "64", "--batch", "8", "--in-flight", "4"}, run);
    EXPECT_EQ(found, (Words{"reduce/interleaved/5000/wg:64/elements:16/batch:8 8 1",
                            "scan/local/5000/wg:64/elements:8/batch:8/in-flight:4 8 4"}));
    EXPECT_TRUE(contains(run.err, "note: without --in-flight, each run waits for the one before: reduce/interleaved ("))
        << run;
}

TEST(InFlight, GoesWithSweeps)
{
    Finished run;
    const Words found = inFlight(
        {"scan/lookback", "--sweep", "size,workgroup", "--up-to", "4096", "--batch", "4", "--in-flight", "2"}, run);
    ASSERT_FALSE(found.empty());
    for (const std::string& one : found) EXPECT_TRUE(one.ends_with("/batch:4/in-flight:2 4 2")) << one;
}

}  // namespace contract
