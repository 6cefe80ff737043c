// Arrays that several ranks share: how they are cut, and how the ranks' results become one outcome.

#include "judge/Part.h"
#include "judge/WholeOutcome.h"
#include "report/RanksTable.h"
#include "tasks/Expectation.h"

#include <gtest/gtest.h>

#include <sstream>

namespace a2 {

namespace {

Task taskOf(const char* id) { return selectTasks({id}, false).front(); }

CaseOutcome timed(unsigned rank, std::vector<double> ms, std::vector<double> exchange, std::vector<double> sum,
                  std::vector<double> offset = {})
{
    CaseOutcome one;
    one.n = 100;
    Benchmark& benchmark = one.benchmark.emplace();
    benchmark.n = 50;
    benchmark.parts = {{rank, "a device", 50, std::move(ms), std::move(exchange), std::move(sum), std::move(offset)}};
    return one;
}

}  // namespace

TEST(Parts, TogetherAreTheArrayOnceWhateverItsLength)
{
    for (const unsigned ranks : {1U, 2U, 3U, 5U, 64U})
        for (const std::uint64_t n : {0ULL, 1ULL, 2ULL, 4ULL, 1023ULL, 1000003ULL, (1ULL << 35) + 7}) {
            std::uint64_t end = 0;
            for (unsigned rank = 0; rank < ranks; ++rank) {
                const Part part{rank, ranks};
                EXPECT_EQ(part.begin(n, ranks), end);
                end = part.end(n, ranks);
                EXPECT_LE(end - part.begin(n, ranks), n / ranks + 1);
            }
            EXPECT_EQ(end, n);
        }
}

TEST(Parts, OfRanksThatDoNotShareTheArrayAreEmpty)
{
    const Part part{2, 3};
    EXPECT_EQ(part.end(1000, 2) - part.begin(1000, 2), 0U);
    EXPECT_EQ((Part{1, 3}.end(1000, 2)), 1000U);
}

TEST(Parts, AreFilledAsTheWholeArrayIs)
{
    for (const char* pattern : {"mod97", "ones", "iota", "random", "onehot:70", "max", "shuffled", "edges"}) {
        const Input whole(Pattern::parse(pattern), 1000, 7);
        const Input part(Pattern::parse(pattern), 400, 7, 60);
        for (std::uint64_t i = 0; i < part.size(); ++i) ASSERT_EQ(part.values()[i], whole.values()[60 + i]) << pattern;
    }
    const Pattern file = Pattern::ofFile("file:x", {1, 2, 3, 4, 5});
    EXPECT_EQ(Input(file, 3, 1, 3).size(), 2U);
    EXPECT_EQ(Input(file, 3, 1, 3).sum(), 9U);
    EXPECT_EQ(Input(file, 3, 1, 9).size(), 0U);
}

TEST(Parts, AreExpectedToGoOnFromWhatLiesBeforeThem)
{
    const Input whole(Pattern::parse("random"), 1000, 7);
    const Input part(Pattern::parse("random"), 400, 7, 60);
    for (const bool exclusive : {false, true}) {
        const KernelShape shape{4, 2, exclusive};
        const Expectation all(TaskClass::scan, whole, shape);
        const Expectation own(TaskClass::scan, part, shape, whole.sumBefore(60));
        std::vector<std::uint32_t> right(400);
        for (std::uint64_t i = 0; i < right.size(); ++i) {
            right[i] = all.result(60 + i);
            ASSERT_EQ(own.result(i), right[i]);
        }
        EXPECT_TRUE(own.matches(0, right));
        EXPECT_TRUE(own.matches(100, std::span(right).subspan(100)));
        for (const std::size_t wrong : {std::size_t{0}, std::size_t{399}}) {
            ++right[wrong];
            EXPECT_FALSE(own.matches(0, right)) << wrong;
            --right[wrong];
        }
    }
}

TEST(WholeOutcome, TakesTheLongestOfEachRepetition)
{
    const CaseOutcome whole =
        wholeCase(taskOf("scan/lookback"), {timed(0, {3, 1, 2}, {1, 1, 1}, {0, 0, 7}, {0, 0, 0}),
                                            timed(1, {1, 5, 2}, {2, 1, 3}, {4, 4, 4}, {10, 20, 30})});
    ASSERT_TRUE(whole.benchmark);
    EXPECT_EQ(whole.benchmark->ms.samples, (std::vector<double>{3 + 2 + 4 + 10, 5 + 1 + 4 + 20, 2 + 3 + 7 + 30}));
    EXPECT_EQ(whole.benchmark->exchangeMs, 2);
    EXPECT_EQ(whole.benchmark->n, 100U);
    EXPECT_EQ(whole.benchmark->minimumTraffic, 800U);
    EXPECT_EQ(whole.benchmark->parts.size(), 2U);
    EXPECT_EQ(whole.benchmark->nameSuffix, "/ranks:2");
}

TEST(WholeOutcome, IsThatOfTheRankThatFailedAndNamesIt)
{
    TaskOutcome right, wrong;
    right.task = wrong.task = taskOf("scan/lookback");
    right.cases.resize(1);
    right.cases[0].n = 100;
    right.cases[0].sharing = 3;
    right.cases[0].elsewhere = Halt::failed;
    EXPECT_TRUE(right.isOver());
    wrong.status = Status::failed;
    wrong.cases.resize(1);
    wrong.cases[0].n = 100;
    wrong.cases[0].sharing = 3;
    wrong.cases[0].status = Status::failed;
    wrong.cases[0].mismatches = {2, 70, 1, 2};
    wrong.cases[0].findings = {{"guard-overwritten", "it wrote behind its array", {}}};
    const TaskOutcome whole = wholeOutcome({right, wrong, right});
    EXPECT_EQ(whole.status, Status::failed);
    EXPECT_EQ(whole.cases[0].status, Status::failed);
    ASSERT_TRUE(whole.cases[0].mismatches);
    EXPECT_EQ(whole.cases[0].mismatches->firstIndex, 70U);
    ASSERT_EQ(whole.cases[0].findings.size(), 1U);
    EXPECT_EQ(whole.cases[0].findings[0].message, "rank 1: it wrote behind its array");
    EXPECT_EQ(wholeOutcome({wrong, wrong, wrong}).cases[0].findings[0].message, "it wrote behind its array");
    // A rank whose part has no element has no say.
    right.cases[0].sharing = wrong.cases[0].sharing = 2;
    EXPECT_EQ(wholeOutcome({wrong, wrong, right}).cases[0].findings[0].message, "it wrote behind its array");
    // A case of its own, which others have not.
    TaskOutcome more = wrong;
    more.cases[0] = right.cases[0];
    more.cases.push_back(wrong.cases[0]);
    const TaskOutcome own = wholeOutcome({right, more});
    ASSERT_EQ(own.cases.size(), 2U);
    EXPECT_EQ(own.cases[1].findings[0].message, "rank 1: it wrote behind its array");
}

TEST(RanksTable, SaysWhatMoreRanksAreWorthWithin80Columns)
{
    TaskOutcome outcome;
    outcome.task = taskOf("scan/work-efficient");
    outcome.cases = {wholeCase(outcome.task, {timed(0, {4}, {0}, {0})})};
    EXPECT_FALSE(speedUpOf(outcome, *outcome.cases[0].benchmark));
    outcome.cases.push_back(wholeCase(outcome.task, {timed(0, {2}, {0.5}, {0.25}), timed(1, {1.75}, {0.1}, {0})}));
    const auto speedUp = speedUpOf(outcome, *outcome.cases[1].benchmark);
    ASSERT_TRUE(speedUp);
    EXPECT_DOUBLE_EQ(speedUp->times, 4 / 2.75);
    EXPECT_DOUBLE_EQ(speedUp->efficiency, 2 / 2.75);
    for (CaseOutcome& one : outcome.cases) one.n = one.benchmark->n = (std::uint64_t{1} << 35) + 1000;
    for (PartTimes& part : outcome.cases[1].benchmark->parts) {
        part.n = (std::uint64_t{1} << 34) + 1000;
        part.device = std::string(70, 'x');
    }
    const std::string ofScan = ranksTable(outcome.cases[1].benchmark->parts);
    EXPECT_NE(ofScan.find("   sum ms\n"), std::string::npos) << ofScan;
    for (const std::string& table : {scalingTable({outcome}), ofScan}) {
        std::istringstream lines(table);
        for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
    }
}

}  // namespace a2
