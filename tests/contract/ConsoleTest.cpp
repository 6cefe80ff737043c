// stdout and stderr of `a2 run`, byte for byte where the assignment gives the bytes.

#include "RunA2.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <regex>

namespace contract {

namespace {

const Words labels = {
    "[Task1] evaluating Interleaved",
    "[Task1] evaluating Sequential",
    "[Task1] evaluating KernelDecomposition",
    "[Task1] evaluating KernelDecomposition Unroll",
    "[Task1] evaluating KernelDecomposition Atomic",
    "[Task2] evaluating Naive",
    "[Task2] evaluating KernelDecomposition Local",
    "[Task2] evaluating KernelDecomposition",
    "[Task2] evaluating KernelDecomposition Offset",
};

std::string sixDigits(double value)
{
    char text[64];
    std::snprintf(text, sizeof text, "%.6g", value);
    return text;
}

void expectTimeLine(const std::string& line, double n)
{
    static const std::regex format("Execution time: (\\S+) ms, Throughput: (\\S+) GE/s");
    std::smatch parts;
    ASSERT_TRUE(std::regex_match(line, parts, format)) << line;
    const double ms = std::strtod(parts.str(1).c_str(), nullptr), rate = std::strtod(parts.str(2).c_str(), nullptr);
    EXPECT_EQ(parts.str(1), sixDigits(ms));
    EXPECT_EQ(parts.str(2), sixDigits(rate));
    EXPECT_GT(ms, 0) << line;
    // Both numbers are rounded to six digits.
    EXPECT_NEAR(rate * ms * 1e6 / n, 1, 2e-5) << line;
}

// One task's three lines, from line `first` on.
void expectRow(const Words& lines, std::size_t first, const std::string& label, double n)
{
    ASSERT_LE(first + 3, lines.size());
    EXPECT_EQ(lines[first], label);
    expectTimeLine(lines[first + 1], n);
    EXPECT_EQ(lines[first + 2], "TEST PASSED");
}

// Runs the command in a terminal; all that it shows counts as stdout.
Finished inTerminal(const Words& arguments, const Environment& environment = {})
{
    Words words = {"-c", "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))",
                   A2_PROGRAM};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return runProgram(A2_PYTHON, words, environment);
}

}  // namespace

TEST(Console, RunPrintsThreeLinesForEachOfTheNineTasksAndNothingElse)
{
    const Finished run = runA2({"run", "-n", "65536"});
    EXPECT_EQ(run.status, 0) << run;
    const Words lines = linesOf(run.out);
    ASSERT_EQ(lines.size(), 3 * labels.size()) << run;
    for (std::size_t i = 0; i < labels.size(); ++i) expectRow(lines, 3 * i, labels[i], 65536);
    EXPECT_EQ(run.out.back(), '\n');
}

TEST(Console, TheWordRunMayBeLeftOutAndOptionsMayStandAnywhere)
{
    for (const Words& words : {Words{"-n", "64", "reduce/atomic"}, Words{"reduce/atomic", "-n", "64"},
                               Words{"run", "--size=64", "reduce/atomic"}}) {
        const Finished run = runA2(words);
        EXPECT_EQ(run.status, 0) << run;
        const Words lines = linesOf(run.out);
        ASSERT_EQ(lines.size(), 3U) << run;
        expectRow(lines, 0, labels[4], 64);
    }
}

TEST(Console, GlobsChooseTasksInTheOrderOfTheList)
{
    const Finished reduce = runA2({"run", "reduce/*", "-n", "64"});
    const Words lines = linesOf(reduce.out);
    ASSERT_EQ(lines.size(), 3 * allRows("reduce/").size()) << reduce;
    for (std::size_t i = 0; i < 5; ++i) expectRow(lines, 3 * i, labels[i], 64);
    for (std::size_t i = 5; i < lines.size() / 3; ++i) expectRow(lines, 3 * i, lines[3 * i], 64);
    std::size_t from = 15;
    for (const char* later :
         {"[Task1] evaluating Subgroup", "[Lab] evaluating LocalModulo", "[Lab] evaluating LocalSequential"}) {
        while (from < lines.size() && lines[from] != later) from += 3;
        EXPECT_LT(from, lines.size()) << later;
    }

    const Finished two = runA2({"run", "scan/naive", "*/atomic", "-n", "64"});
    const Words few = linesOf(two.out);
    ASSERT_EQ(few.size(), 6U) << two;
    EXPECT_EQ(few[0], labels[4]);
    EXPECT_EQ(few[3], labels[5]);
}

TEST(Console, AllAddsTheRowsBeyondTheCourse)
{
    for (const char* command : {"run", "check"}) {
        const Finished all = runA2({command, "--all", "-n", "4097"});
        EXPECT_EQ(all.status, 0) << all;
        Words evaluated;
        for (const std::string& line : linesOf(all.out))
            if (contains(line, "] evaluating ")) evaluated.push_back(line);
        EXPECT_EQ(evaluated.size(), allRows().size()) << all;
        Words expected = labels;
        expected.insert(expected.begin() + 5, "[Task1] evaluating Subgroup");
        expected.insert(expected.end(),
                        {"[Task2] evaluating DecoupledLookback", "[Task2] evaluating Persistent",
                         "[Lab] evaluating LocalModulo", "[Lab] evaluating LocalSequential",
                         "[Lab] evaluating BruteForce", "[Lab] evaluating KoggeStone", "[Lab] evaluating BrentKung"});
        std::erase_if(evaluated, [&](const std::string& line) {  // rows that were added later
            return std::find(expected.begin(), expected.end(), line) == expected.end();
        });
        EXPECT_EQ(evaluated, expected) << all;
        EXPECT_FALSE(contains(all.out, "SKIPPED")) << all;
    }
    // Also when it is named; the others are not added.
    const Finished one = runA2({"scan/lookback", "-n", "5000"});
    EXPECT_EQ(one.status, 0) << one;
    ASSERT_EQ(linesOf(one.out).size(), 3U) << one;
    expectRow(linesOf(one.out), 0, "[Task2] evaluating DecoupledLookback", 5000);
    EXPECT_EQ(linesOf(runA2({"scan/*", "--exclusive", "-n", "5000"}).out).size(), 3 * allRows("scan/").size());
}

TEST(Console, ElementsThatATaskCannotTakeSkipIt)
{
    const Finished odd = runA2({"scan/lookback", "-n", "5000", "--elements", "6"});
    EXPECT_EQ(odd.status, 3) << odd;
    EXPECT_TRUE(contains(odd.out, "SKIPPED: ") && contains(odd.out, "--elements 4, 8")) << odd;
}

TEST(Console, StderrNamesTheDeviceUnlessQuiet)
{
    const Finished told = runA2({"reduce/atomic", "-n", "64"});
    EXPECT_TRUE(told.err.starts_with("a2: device ")) << told;
    const Finished quiet = runA2({"reduce/atomic", "-n", "64", "--quiet"});
    EXPECT_EQ(quiet.err, "") << quiet;
    EXPECT_EQ(linesOf(quiet.out).size(), 3U) << quiet;
}

TEST(Console, VerboseAddsLinesBetweenTheAssignmentsOwn)
{
    const Finished run = runA2({"reduce/atomic", "-n", "1000", "--verbose"});
    EXPECT_EQ(run.status, 0) << run;
    const Words lines = linesOf(run.out);
    ASSERT_GT(lines.size(), 3U) << run;
    EXPECT_EQ(lines.front(), labels[4]);
    expectTimeLine(lines[1], 1000);
    EXPECT_EQ(lines.back(), "TEST PASSED");
}

TEST(Console, CheckPrintsNoTimes)
{
    const Finished check = runA2({"check", "reduce/atomic", "-n", "64"});
    EXPECT_EQ(check.status, 0) << check;
    const Words lines = linesOf(check.out);
    ASSERT_EQ(lines.size(), 3U) << check;
    EXPECT_EQ(lines[0], labels[4]);
    EXPECT_FALSE(contains(check.out, "Execution time")) << check;
    EXPECT_EQ(lines[2], "TEST PASSED");
}

TEST(Console, ColourOnlyOnATerminalAndOnlyIfWanted)
{
    const Words words = {"reduce/atomic", "-n", "64", "--quiet"};
    const std::string escape = "\x1b";
    EXPECT_FALSE(contains(runA2(words).out, escape));
    // Some containers and small systems have no pseudo-terminals.
    const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
    const bool available = terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0 &&
                           std::filesystem::exists(ptsname(terminal));
    if (terminal >= 0) close(terminal);
    if (!available) GTEST_SKIP() << "this system has no pseudo-terminals";
    const Finished coloured = inTerminal(words);
    EXPECT_TRUE(contains(coloured.out, escape + "[32mTEST PASSED")) << coloured;

    // On a terminal, lines of notes are broken, too.
    for (const std::string& line : linesOf(inTerminal({"reduce/atomic", "-d", "emulator", "--no-color"}).out))
        EXPECT_TRUE(contains(line, escape) || line.size() <= 81) << line;  // including its carriage return

    const Finished byVariable = inTerminal(words, {{"NO_COLOR", "1"}});
    EXPECT_EQ(byVariable.status, 0) << byVariable;
    EXPECT_FALSE(contains(byVariable.out, escape)) << byVariable;
    Words withOption = words;
    withOption.push_back("--no-color");
    const Finished byOption = inTerminal(withOption);
    EXPECT_EQ(byOption.status, 0) << byOption;
    EXPECT_FALSE(contains(byOption.out, escape)) << byOption;
}

}  // namespace contract
