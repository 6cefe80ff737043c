// a2 theory: what a student reads about a task, counted; and the assignment's own example of a scan.

#include "BrokenShaders.h"

#include <gtest/gtest.h>

namespace contract {

namespace {

// The last number in the line that begins like this.
std::string numberIn(const std::string& out, const std::string& start)
{
    for (const std::string& line : linesOf(out))
        if (line.starts_with(start)) {
            const std::size_t first = line.find_first_of("0123456789", 40);
            return line.substr(first, line.find(' ', first) - first);
        }
    return "no line " + start;
}

}  // namespace

class TheoryOf : public testing::TestWithParam<std::string> {};

TEST_P(TheoryOf, AnyRowIsToldAtAnyLength)
{
    for (const char* n : {"1", "10007"}) {
        const Finished theory = runA2({"theory", GetParam(), "-n", n, "--processors", "16"});
        EXPECT_EQ(theory.status, 0) << theory;
        for (const char* part : {"dispatch ", "T(n, 16)", "work-optimal: ", "cost-optimal: "})
            EXPECT_TRUE(contains(theory.out, part)) << "no word of " << part << "\n" << theory;
        for (const std::string& line : linesOf(theory.out)) EXPECT_LE(line.size(), 80U) << line;
    }
}

INSTANTIATE_TEST_SUITE_P(Theory, TheoryOf, testing::ValuesIn(allRows()),
                         [](const testing::TestParamInfo<std::string>& row) { return testName(row.param); });

TEST(Theory, CountsWhatALearnerCanCheckOnPaper)
{
    const Finished sequential = runA2({"theory", "reduce/sequential", "-n", "8"});
    EXPECT_EQ(numberIn(sequential.out, "additions"), "7") << sequential;
    EXPECT_EQ(numberIn(sequential.out, "T(n, p)"), "3") << sequential;
    EXPECT_EQ(numberIn(sequential.out, "C(n, p)"), "12") << sequential;
    const Finished naive = runA2({"theory", "scan/naive", "-n", "8"});
    EXPECT_EQ(numberIn(naive.out, "additions"), "17") << naive;
    EXPECT_TRUE(contains(naive.out, "n L - (2^L - 1) = 17")) << naive;
    EXPECT_TRUE(contains(naive.out, "work-optimal: no, W / n grows: 10.00 at n = 1024, 16.00 at n = 65536")) << naive;
    const Finished efficient = runA2({"theory", "scan/work-efficient", "-n", "8", "-w", "4"});
    EXPECT_EQ(numberIn(efficient.out, "additions"), "22") << efficient;
    EXPECT_TRUE(contains(efficient.out, "work-optimal: yes, W / n stays bounded")) << efficient;
}

TEST(Theory, ShowsConflictsOfTheKernelAsItIsCompiled)
{
    const Words command = {"theory", "scan/local", "-n", "512", "-w", "256"};
    const std::string before = "\n5                  1-way        16-way";
    const Finished right = runA2(command);
    EXPECT_TRUE(contains(right.out, before)) << right;
    const BrokenShaders shaders("include/A2Kernels.h", "((index) + (index) / NUM_BANKS)", "(index)");
    Words withBroken = command;
    withBroken.insert(withBroken.end(), {"--shader-dir", shaders.path()});
    const Finished broken = runA2(withBroken);
    EXPECT_FALSE(contains(broken.out, before)) << broken;
    EXPECT_TRUE(contains(broken.out, "Padding changes nothing here.")) << broken;
}

TEST(Theory, CountsMemoryRequestsAndBranches)
{
    const auto rowOf = [](const std::string& id) {
        const Finished theory = runA2({"theory", id, "-n", "1024"});
        for (const std::string& line : linesOf(theory.out))
            if (line.starts_with("0 ") && line.ends_with("  2")) return line;
        return theory.out;
    };
    // 16 subgroups load two words and store one each: neighbouring words, or every second one.
    EXPECT_TRUE(contains(rowOf("reduce/sequential"), "        48       192   4.00        48 "));
    EXPECT_TRUE(contains(rowOf("reduce/interleaved"), "        48       384   8.00        96 "));
}

TEST(Theory, FollowsWhatDependsOnMemory)
{
    const Finished lookback = runA2({"theory", "scan/lookback", "-n", "20000"});
    EXPECT_EQ(lookback.status, 0) << lookback;
    EXPECT_TRUE(contains(lookback.out, "cost-optimal: yes, C / n stays bounded")) << lookback;
    EXPECT_FALSE(contains(lookback.out, "not known")) << lookback;
}

// A length that takes too long to follow is refused; the message names the largest possible one.
TEST(Theory, NamesTheLargestLength)
{
    const Finished theory = runA2({"theory", "scan/brute-force", "-n", "2^26"});
    EXPECT_EQ(theory.status, 3) << theory;
    const std::string before = "the largest n is ";
    std::string text;  // in one line
    for (const std::string& line : linesOf(theory.out)) text += line + " ";
    ASSERT_TRUE(contains(text, before)) << theory;
    EXPECT_GT(std::stoull(text.substr(text.find(before) + before.size())), 100'000U) << theory;
    for (const std::string& line : linesOf(theory.out)) EXPECT_LE(line.size(), 80U) << line;
}

TEST(Theory, SaysWhereAKernelIsWrongAndWhatToDo)
{
    const BrokenShaders shaders("A2Task1KernelDecomposition.comp", "void main()\n{",
                                "void main()\n{\n    if (gl_LocalInvocationID.x > 2) return;");
    const Finished theory = runA2({"theory", "reduce/decomposition", "-n", "256", "--shader-dir", shaders.path()});
    EXPECT_EQ(theory.status, 1) << theory;
    EXPECT_TRUE(contains(theory.err, "barrier-divergence: dispatch 0")) << theory;
    EXPECT_TRUE(contains(theory.err, "shaders/A2Task1KernelDecomposition.comp:")) << theory;
}

TEST(Theory, WritesJson)
{
    const Folder folder;
    const std::string file = folder / "theory.json";
    for (const Words& what : {Words{"scan/naive", "-n", "0"}, Words{"rotate"}}) {
        Words command = {"theory", "--json", file};
        command.insert(command.end(), what.begin(), what.end());
        const Finished theory = runA2(command);
        EXPECT_EQ(theory.status, 0) << theory;
        const Finished valid = inspect({"validate", A2_SCHEMA, file});
        EXPECT_EQ(valid.status, 0) << valid;
    }
    const Finished local = runA2({"theory", "scan/local", "-n", "512", "--json", file});
    EXPECT_EQ(local.status, 0) << local;
    const Finished strict = inspect({"strict", A2_SCHEMA, file});
    EXPECT_EQ(strict.status, 0) << strict;
    // Counted by hand: 16 loads and 16 stores of 32 words, and the total; one subgroup diverges on five levels up and
    // five down, and at the root; phase 5 of the table.
    const std::string text = textOf(file);
    for (const char* part : {"\"additions\": 1534", "\"requests\": 33", "\"sectors\": 129", "\"transactions\": 33",
                             "\"divergent_branches\": 11", "\"value\": 1534"})
        EXPECT_TRUE(contains(text, part)) << "no " << part << "\n" << text;

    // A refused length gives a report without an entry.
    EXPECT_EQ(runA2({"theory", "scan/local", "-n", "2^30", "--json", file}).status, 3);
    EXPECT_TRUE(contains(textOf(file), "\"theory\": []")) << textOf(file);
    EXPECT_EQ(inspect({"validate", A2_SCHEMA, file}).status, 0);
    expectError(runA2({"theory", "scan/naive", "--json", folder / "no/such/folder.json"}), 2, "folder.json");
    expectError(runA2({"theory", "scan/naive", "--json", ""}), 2, "--json");
}

TEST(Theory, RotatesAMatrixAndMeasures)
{
    const Finished rotate = runA2({"theory", "rotate", "--matrix", "100x70", "--measure", "-r", "2"});
    EXPECT_EQ(rotate.status, 0) << rotate;
    EXPECT_TRUE(contains(rotate.out, "1                  1-way        32-way         1-way        16-way")) << rotate;
    EXPECT_TRUE(contains(rotate.out, " ms, 2 repetitions")) << rotate;
    EXPECT_EQ(linesOf(rotate.out).back(), "TEST PASSED") << rotate;
    for (const std::string& line : linesOf(rotate.out)) EXPECT_LE(line.size(), 80U) << line;

    const BrokenShaders shaders("A2LabRotate.comp", "push.rows - 1 - y", "y");
    const Finished broken = runA2({"theory", "rotate", "--shader-dir", shaders.path()});
    EXPECT_EQ(broken.status, 1) << broken;
    EXPECT_EQ(linesOf(broken.out).back(), "TEST FAILED") << broken;
}

TEST(Theory, MeasuresWithAndWithoutPadding)
{
    const Finished scan = runA2({"theory", "scan/local", "-n", "5000", "--measure", "-r", "3"});
    EXPECT_EQ(scan.status, 0) << scan;
    EXPECT_TRUE(contains(scan.out, "\npadded ")) << scan;
    EXPECT_TRUE(contains(scan.out, "\nunpadded ")) << scan;
    const Finished naive = runA2({"theory", "scan/naive", "--measure"});
    EXPECT_TRUE(contains(naive.out, "nothing to measure")) << naive;
}

TEST(Theory, IsSkippedWhereTheDeviceCannotHoldIt)
{
    for (const Words& shape : {Words{"-n", "2^40"}, Words{"-w", "65536"}}) {
        Words command = {"theory", "scan/naive"};
        command.insert(command.end(), shape.begin(), shape.end());
        const Finished theory = runA2(command);
        EXPECT_EQ(theory.status, 3) << theory;
        EXPECT_TRUE(contains(theory.out, "SKIPPED: ")) << theory;
    }
}

TEST(Theory, OfNothingIsShort)
{
    const Finished theory = runA2({"theory", "scan/naive", "-n", "0"});
    EXPECT_EQ(theory.status, 0) << theory;
    EXPECT_TRUE(contains(theory.out, "n = 0: nothing to do")) << theory;
}

TEST(Theory, RefusesWhatMakesNoSense)
{
    expectError(runA2({"theory"}), 2, "takes one task");
    expectError(runA2({"theory", "scan/*"}), 2, "takes one task");
    expectError(runA2({"theory", "nothing"}), 2, "unknown task");
    expectError(runA2({"theory", "rotate", "-n", "8"}), 2, "--matrix");
    expectError(runA2({"theory", "rotate", "--matrix", "8"}), 2, "rows x columns");
    expectError(runA2({"theory", "rotate", "--matrix", "8x"}), 2, "--matrix");
    expectError(runA2({"theory", "rotate", "--matrix", "0x8"}), 2, "from 1 to 65535");
    expectError(runA2({"theory", "scan/naive", "--matrix", "8x8"}), 2, "rotate alone");
    expectError(runA2({"theory", "scan/naive", "--processors", "0"}), 2, "--processors");
}

// The assignment's table of an inclusive and an exclusive scan.
TEST(AssignmentExample, IsWhatTheScansGive)
{
    const Folder folder;
    const std::string pattern = "file:" + folder.file("table1.txt", "3 11 2 5 7 0 9 3\n");
    for (const char* task : {"scan/naive", "scan/work-efficient"})
        for (const bool exclusive : {false, true}) {
            Words words = {"steps", task, "-p", pattern};
            if (exclusive) words.push_back("--exclusive");
            const Finished steps = runA2(words);
            EXPECT_EQ(steps.status, 0) << steps;
            std::string plain;  // without marks, one space between numbers
            for (const char c : steps.out)
                if (c != '*' && !(c == ' ' && plain.ends_with(' '))) plain += c;
            const char* expected = exclusive ? "0: 0 3 14 16 21 28 28 37\n" : "0: 3 14 16 21 28 28 37 40\n";
            EXPECT_TRUE(contains(plain, expected)) << steps;
        }
}

}  // namespace contract
