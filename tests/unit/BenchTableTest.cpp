// a2 bench's tables: how numbers are shown; every line must fit 80 columns.

#include "report/BenchTable.h"
#include "report/Report.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace a2 {

namespace {

Benchmark benchmark(std::uint64_t n, std::vector<double> samples)
{
    Benchmark made;
    made.n = n;
    made.shape = {1024, 64};
    made.ms = statistics(std::move(samples));
    made.hostMs = made.cpuMs = made.ms.median;
    made.minimumTraffic = 8 * n;
    made.whole = {made.hostMs, made.hostMs, made.hostMs, made.hostMs, made.hostMs};
    return made;
}

CaseOutcome timed(std::uint64_t n, double ms)
{
    CaseOutcome one;
    one.n = n;
    one.shape = {1024, 64};
    one.benchmark = benchmark(n, {ms, ms});
    return one;
}

std::size_t widest(const std::string& text)
{
    std::istringstream stream(text);
    std::size_t most = 0;
    for (std::string line; std::getline(stream, line);) most = std::max(most, line.size());
    return most;
}

Task task(const std::string& id)
{
    Task made = allTasks().front();
    made.id = id;
    return made;
}

const Task longest = task("reduce/local-sequential");

}  // namespace

TEST(InFlight, IsToldInTheHeadAndInNotes)
{
    const auto head = [](unsigned inFlight) { return BenchTable({longest}, 100, inFlight).head(); };
    EXPECT_NE(head(1).find("kernel ms"), std::string::npos);
    EXPECT_EQ(head(8).find("kernel ms"), std::string::npos) << "it is no kernel's time then";
    EXPECT_NE(head(8).find("ms / run"), std::string::npos);
    EXPECT_EQ(head(1).size(), head(8).size());

    const std::vector<Task> tasks = selectTasks({"reduce/interleaved", "reduce/atomic", "scan/offset"}, false);
    EXPECT_FALSE(chainNote(tasks, 1));
    EXPECT_FALSE(chainNote({tasks[1]}, 8));
    const auto note = chainNote(tasks, 8);
    ASSERT_TRUE(note);
    EXPECT_NE(note->find(": reduce/interleaved, scan/offset ("), std::string::npos) << *note;

    Benchmark few = benchmark(1 << 20, {1});
    few.batch = 64;
    few.inFlight = 5;
    EXPECT_FALSE(fewerNote(tasks[1], few, 5));
    EXPECT_FALSE(fewerNote(tasks[0], few, 8)) << "that is no matter of memory";
    ASSERT_TRUE(fewerNote(tasks[1], few, 8));
    EXPECT_EQ(*fewerNote(tasks[1], few, 8),
              "note: reduce/atomic, n = 2^20: 5 in flight instead of 8, because memory does not hold more of them");
    few.batch = 5;
    EXPECT_FALSE(fewerNote(tasks[1], few, 8)) << "there are no more runs";
}

TEST(LengthText, ShowsPowersOfTwoAndWhatLiesNearThem)
{
    EXPECT_EQ(lengthText(1024), "2^10");
    EXPECT_EQ(lengthText(1023), "2^10-1");
    EXPECT_EQ(lengthText((1 << 20) - 3), "2^20-3");
    EXPECT_EQ(lengthText((1 << 16) + 1), "2^16+1");
    EXPECT_EQ(lengthText(std::uint64_t{1} << 63), "2^63");
    EXPECT_EQ(lengthText(UINT64_MAX), "18446744073709551615");
    for (const std::uint64_t n : {0U, 1U, 2U, 512U, 1000U, 5000U, 1000000U})
        EXPECT_EQ(lengthText(n), std::to_string(n));
}

TEST(DigitsText, ShowsFourDigitsAndNoExponent)
{
    EXPECT_EQ(digitsText(0), "0");
    EXPECT_EQ(digitsText(0.00123456), "0.001235");
    EXPECT_EQ(digitsText(0.5), "0.5000");
    EXPECT_EQ(digitsText(12.345678), "12.35");
    EXPECT_EQ(digitsText(999.96), "1000.0");
    EXPECT_EQ(digitsText(4145.3), "4145");
    EXPECT_EQ(digitsText(1234567.8), "1234568");
}

TEST(BenchTable, FitsEightyColumns)
{
    const BenchTable table({longest}, 20000);
    for (const double ms : {0.01, 0.0123, 99.999, 1234.5, 100000.0})
        for (const std::uint64_t n : {std::uint64_t{1} << 10, std::uint64_t{123456789}, std::uint64_t{1} << 31}) {
            const CaseOutcome one = timed(n, ms);
            EXPECT_LE(widest(table.row(longest, one)), 80U) << table.row(longest, one);
            EXPECT_LE(widest(table.detailRow(longest, *one.benchmark)), 80U);
            EXPECT_LE(widest(table.wholeRow(longest, *one.benchmark)), 80U);
        }
    EXPECT_LE(widest(table.wholeHead()), 80U);
    EXPECT_LE(widest(table.head()), 80U);
    EXPECT_LE(widest(table.detailHead()), 80U);
}

TEST(BenchTable, HasOneColumnBelowTheOther)
{
    const BenchTable table({longest, task("scan/x")}, 100);
    const CaseOutcome one = timed(1 << 20, 0.5);
    EXPECT_EQ(table.head().size(), table.row(longest, one).size());
    EXPECT_EQ(table.head().size(), table.row(task("scan/x"), one).size());
    EXPECT_EQ(table.detailHead().size(), table.detailRow(longest, *one.benchmark).size());
    EXPECT_EQ(table.wholeHead().size(), table.wholeRow(longest, *one.benchmark).size());
}

TEST(BenchTable, DrawsTheThroughputAsBars)
{
    const BenchTable table({longest, task("scan/x")}, 100);
    TaskOutcome fast, slow, skipped;
    fast.task = longest;
    slow.task = skipped.task = task("scan/x");
    fast.cases = {timed(1 << 20, 1), timed(1 << 20, 2)};
    slow.cases = {timed(1 << 20, 4)};
    skipped.cases = {CaseOutcome()};
    const std::string text = table.bars({fast, slow, skipped});
    EXPECT_EQ(widest(text), 80U) << text;
    std::vector<std::ptrdiff_t> lengths;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lengths.push_back(std::count(line.begin(), line.end(), '#'));
    ASSERT_EQ(lengths.size(), 4U) << "a head, and a line for what was timed\n" << text;
    EXPECT_EQ(lengths[0], 0);
    EXPECT_NEAR(static_cast<double>(lengths[1]), 2.0 * static_cast<double>(lengths[2]), 1) << text;
    EXPECT_NEAR(static_cast<double>(lengths[1]), 4.0 * static_cast<double>(lengths[3]), 2) << text;
    EXPECT_EQ(table.bars({skipped}), "");
}

TEST(BenchTable, SplitsTheWholeTime)
{
    Benchmark split = benchmark(1 << 20, {0.5});
    split.whole = {0.0104, 1.5, 0.25, 12.345, 2000};
    EXPECT_DOUBLE_EQ(split.whole.sum(), 0.0104 + 1.5 + 0.25 + 12.345 + 2000);
    const BenchTable table({task("scan/naive")}, 100);
    EXPECT_EQ(table.wholeHead(), "whole ms =         n   wg  alloc. +upload  +prep. +launch +downl.\n");
    EXPECT_EQ(table.wholeRow(task("scan/naive"), split),
              "scan/naive      2^20 1024   0.010   1.500   0.250   12.35    2000\n");
}

TEST(BenchTable, ShowsWhatFollowsFromTheTime)
{
    const std::string row = BenchTable({task("scan/x")}, 100).row(task("scan/x"), timed(1000000, 0.5));
    EXPECT_EQ(row, "scan/x    1000000 1024 x 64    0.5000    2.000    16.00    16.0\n");
    const std::string unknown = BenchTable({task("scan/x")}, 0).row(task("scan/x"), timed(1000000, 0.5));
    EXPECT_TRUE(unknown.ends_with("       -\n")) << unknown;
}

TEST(BenchTable, ShowsNoNumberWithoutAMeasurement)
{
    const BenchTable table({longest}, 100);
    CaseOutcome one = timed(1 << 20, 0.5);
    one.benchmark.reset();
    one.status = Status::failed;
    EXPECT_TRUE(table.row(longest, one).ends_with("1024 x 64 FAILED\n")) << table.row(longest, one);
    one.status = Status::skipped;
    one.findings = {{"", "a limit, which takes so many words to be told that they do not fit into one line", {}}};
    const std::string row = table.row(longest, one);
    EXPECT_NE(row.find("1024 x 64 SKIPPED: a limit"), std::string::npos) << row;
    EXPECT_LE(widest(row), 80U) << row;
}

TEST(SpreadNote, ComesWhereRepetitionsLieFarApart)
{
    const auto outcome = [](const std::vector<Benchmark>& benchmarks) {
        TaskOutcome made;
        made.task = longest;
        for (const Benchmark& one : benchmarks) made.cases.emplace_back().benchmark = one;
        return made;
    };
    const auto expectParts = [](const std::optional<std::string>& note, const std::vector<std::string>& parts) {
        ASSERT_TRUE(note);
        for (const std::string& part : parts) EXPECT_NE(note->find(part), std::string::npos) << part << ": " << *note;
    };
    EXPECT_FALSE(spreadNote({}));
    EXPECT_FALSE(spreadNote({outcome({benchmark(1024, {1, 1.02, 0.99}), benchmark(1024, {1})})}));
    expectParts(spreadNote({outcome({benchmark(1 << 16, {1, 1.2, 0.8})})}),
                {"note: repetitions spread", "reduce/local-sequential", "2^16", "1024 x 64", "20.0 %", "-r 15"});
    // A single line, which names the widest spread.
    expectParts(spreadNote({outcome({benchmark(1024, {1, 1.02, 0.99}), benchmark(1 << 12, {1, 1.1, 0.9})}),
                            outcome({benchmark(1 << 16, {1, 1.2, 0.8}), benchmark(1 << 18, {1, 1.1, 0.9})})}),
                {"3 of 4 cases", "n = 2^16", "20.0 %"});
}

// The first tile of an offset task is already finished: a short array needs no work at all.
TEST(LeastBytes, AreNoneWhereNothingIsToBeDone)
{
    const KernelShape shape{64, 2, false};
    EXPECT_EQ(selectTasks({"reduce/atomic"}, false).front().taskClass->minimumTraffic(1000, shape), 4000U);
    EXPECT_EQ(selectTasks({"scan/naive"}, false).front().taskClass->minimumTraffic(1000, shape), 8000U);
    EXPECT_EQ(selectTasks({"scan/offset"}, false).front().taskClass->minimumTraffic(1000, shape), 8U * (1000 - 128));
    EXPECT_EQ(selectTasks({"scan/offset"}, false).front().taskClass->minimumTraffic(100, shape), 0U);
}

TEST(BenchCsv, HasALinePerCaseWithAsManyFieldsAsTheHeader)
{
    TaskOutcome outcome;
    outcome.task = longest;
    outcome.cases = {timed(1024, 1), timed(4096, 2)};
    outcome.cases[1].benchmark.reset();
    outcome.cases[1].status = Status::skipped;
    std::istringstream stream(benchCsvReport({outcome}, 0));
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    ASSERT_EQ(lines.size(), 3U);
    for (const std::string& line : lines)
        EXPECT_EQ(std::count(line.begin(), line.end(), ','), std::count(lines[0].begin(), lines[0].end(), ',')) << line;
    EXPECT_NE(lines[2].find(",skipped,"), std::string::npos);
}

}  // namespace a2
