// Output and files: the document's format byte for byte, and files that appear whole or not at all.

#include "a2/Error.h"
#include "files/OutputFile.h"
#include "report/Console.h"
#include "report/Explanation.h"
#include "report/Report.h"
#include "report/Summary.h"
#include "support/temporary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace a2 {

namespace {

namespace fs = std::filesystem;

TaskOutcome passed(const std::string& id, std::uint64_t n, double ms)
{
    TaskOutcome outcome;
    outcome.task = selectTasks({id}, false).front();
    Benchmark& benchmark = outcome.cases.emplace_back().benchmark.emplace();
    benchmark.n = n;
    benchmark.ms = statistics({ms});
    return outcome;
}

// Sets the result of the one case of `outcome`.
void ends(TaskOutcome& outcome, Status status, std::vector<Finding> findings)
{
    outcome.status = status;
    outcome.single = true;
    outcome.cases.back().status = status;
    outcome.cases.back().findings = std::move(findings);
}

std::string content(const fs::path& path)
{
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

class OutputFileTest : public testing::Test {
protected:
    void SetUp() override
    {
        folder_ = temporaryPath("a2-report-test");
        fs::create_directory(folder_);
    }
    void TearDown() override { fs::remove_all(folder_); }
    std::size_t files() const { return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), {})); }
    fs::path folder_;
};

}  // namespace

TEST(Console, PrintsTheDocumentsThreeLines)
{
    EXPECT_EQ(outcomeText(passed("reduce/interleaved", 134217728, 12.38184), {}),
              "[Task1] evaluating Interleaved\n"
              "Execution time: 12.3818 ms, Throughput: 10.8399 GE/s\n"
              "TEST PASSED\n");
    EXPECT_EQ(outcomeText(passed("scan/local", 1000, 0.25), {}),
              "[Task2] evaluating KernelDecomposition Local\n"
              "Execution time: 0.25 ms, Throughput: 0.004 GE/s\n"
              "TEST PASSED\n");
}

TEST(Console, EndsAFailedTaskWithTestFailed)
{
    TaskOutcome outcome = passed("reduce/atomic", 8, 1);
    ends(outcome, Status::failed, {});
    outcome.cases.back().mismatches = Mismatches{1, 0, 8, 7};
    EXPECT_EQ(outcomeText(outcome, {}),
              "[Task1] evaluating KernelDecomposition Atomic\n"
              "  expected sum 8, got 7 (modulo 2^32)\n"
              "TEST FAILED\n");
}

TEST(Console, NamesTheLimitOfASkippedTask)
{
    TaskOutcome outcome = passed("reduce/atomic", 8, 1);
    ends(outcome, Status::skipped, {{"", "too large", {}}});
    EXPECT_EQ(outcomeText(outcome, {}), "[Task1] evaluating KernelDecomposition Atomic\nSKIPPED: too large\n");
}

TEST(Console, BreaksLongLinesOnATerminalOnly)
{
    TaskOutcome outcome = passed("reduce/atomic", 8, 1);
    const std::string words = std::string(30, 'a') + " " + std::string(40, 'b') + " " + std::string(90, 'c') + " d";
    ends(outcome, Status::failed, {{"", "short", {}}, {"", words, {}}});
    const std::string elsewhere = outcomeText(outcome, {});
    EXPECT_EQ(std::count(elsewhere.begin(), elsewhere.end(), '\n'), 4);
    ConsoleStyle terminal;
    terminal.columns = 80;
    EXPECT_EQ(outcomeText(outcome, terminal),
              "[Task1] evaluating KernelDecomposition Atomic\n"
              "  short\n"
              "  " +
                  std::string(30, 'a') + " " + std::string(40, 'b') +
                  "\n"
                  "      " +
                  std::string(90, 'c') +
                  "\n"
                  "      d\n"
                  "TEST FAILED\n");
}

TEST(Explanation, SaysEachCauseOnce)
{
    std::vector<Finding> findings;
    for (std::uint64_t i = 1; i <= 15; ++i)
        findings.push_back({"missing-barrier",
                            "dispatch " + std::to_string(i) + " 'Sequential, " + std::to_string(1 << i) + "' reads it",
                            i});
    findings.push_back({"missing-barrier", "another cause", 3});
    findings.push_back({"weak-barrier", "another cause", 3});
    EXPECT_EQ(failureLines(findings),
              (std::vector<std::string>{"missing-barrier: dispatch 1 'Sequential, 2' reads it (and 14 more like it, at "
                                        "dispatches 2-15)",
                                        "missing-barrier: another cause", "weak-barrier: another cause"}));
}

TEST(Explanation, IsMadeFromTheDiagnosis)
{
    TaskOutcome outcome = passed("reduce/atomic", 8, 1);
    ends(outcome, Status::failed, {});
    CaseOutcome& failure = outcome.cases.back();
    failure.n = 100;
    failure.pattern = "random";
    failure.shape = {256, 16};
    failure.limit = LowerLimits{7, 9};
    failure.mismatches = Mismatches{1, 0, 8, 7};
    outcome.single = false;
    Diagnosis& diagnosis = outcome.diagnosis.emplace();
    diagnosis.smallest = failure;
    diagnosis.smallest->n = 3;
    diagnosis.smallest->shape = {4, 2};
    diagnosis.contributions.emplace();
    diagnosis.contributions->n = 3;
    diagnosis.contributions->never = {2};
    diagnosis.firstWrong = WrongStep{1, "second", {"sums", 4, 10, 9}, 2};
    diagnosis.command = "a2 steps";
    EXPECT_EQ(
        reportLines(outcome),
        (std::vector<std::string>{
            "failed with -n 100 -p random -s 0 -w 256 --elements 16 --dispatch-limit 7x9",
            "expected sum 8, got 7 (modulo 2^32)",
            "here the device was said to start no more than 7 x 9 work-groups in a dispatch, which stands for n > "
            "268431360, where 65535 x 1 are not enough: fold with foldGroups(), and count by workGroupNumber()",
            "smallest failing size: 3, with -w 4 --elements 2",
            "one-hot inputs at n = 3:", "  never added: 2 (1 element)", "  added more than once: none",
            "first wrong: dispatch 1 'second': element 4 of buffer 'sums' should be 10, is 9 (2 wrong in all)",
            "to see every step: a2 steps"}));
    // The text distinguishes what was only tried from what is known.
    diagnosis.contributions->sampled = true;
    const std::vector<std::string> sampled = reportLines(outcome);
    EXPECT_EQ(
        std::count(sampled.begin(), sampled.end(), "one-hot inputs at n = 3 (only some of the elements were tried):"),
        1);
    EXPECT_EQ(std::count(sampled.begin(), sampled.end(), "  never added, of those tried: 2 (1 element)"), 1);
    diagnosis.contributions->never = {0, 2};
    diagnosis.contributions->tried = 2;
    const std::vector<std::string> lost = reportLines(outcome);
    EXPECT_EQ(std::count(lost.begin(), lost.end(), "  never added: none of the 2 that were tried is added"), 1);
}

// What is known of a size of subgroups with which a run is right depends on the work-group.
TEST(Explanation, SaysWhatOtherSubgroupsChange)
{
    TaskOutcome outcome = passed("reduce/subgroup", 8, 1);
    ends(outcome, Status::failed, {});
    Diagnosis& diagnosis = outcome.diagnosis.emplace();
    const auto said = [&](std::uint32_t workGroup, std::uint32_t own, std::uint32_t right) {
        outcome.cases.back().shape = {workGroup, 2};
        diagnosis.ownSubgroups = own;
        diagnosis.rightSubgroups = right;
        return reportLines(outcome).back();
    };
    const std::string walked = "walked on the host with subgroups of ";
    EXPECT_EQ(said(4, 8, 4), walked +
                                 "4 instead of 8, the same run is right: there every subgroup of a work-group of 4 "
                                 "is full, and here the last one has 4 invocations of 8: gl_SubgroupSize does not "
                                 "say how many take part, subgroupAdd(1) does");
    EXPECT_EQ(said(32, 8, 32), walked +
                                   "32 instead of 8, the same run is right: there a work-group of 32 is one "
                                   "subgroup, and here it has 4: look for what each of them does where one was "
                                   "meant, and for what nothing orders between them");
    EXPECT_EQ(said(256, 8, 32), walked +
                                    "32 instead of 8, the same run is right: look for what counts on 32 "
                                    "invocations, or on so many going on together");
}

// Lengths and inputs do not matter here, and there are no steps to look at.
TEST(Explanation, OfAKernelThatDoesNotCompileIsItsPlace)
{
    TaskOutcome outcome = passed("reduce/atomic", 8, 1);
    ends(outcome, Status::failed, {{"", "shaders/A.comp:3 does not compile: 'x' : undeclared identifier", {}}});
    outcome.cases.back().place = {"A.comp", 3, {}, true};
    outcome.single = false;
    outcome.diagnosis.emplace();
    EXPECT_EQ(reportLines(outcome), std::vector<std::string>{outcome.cases.back().findings.front().message});
}

TEST(Explanation, OfHostCodeThatDidNotComeBackNamesADebugger)
{
    TaskOutcome outcome = passed("reduce/atomic", 8, 1);
    ends(outcome, Status::timeout, {{"", "recording run 1, n = 2: 8 s were not enough", {}}});
    outcome.diagnosis.emplace().command = "gdb --args a2 steps reduce/atomic --in-process";
    EXPECT_EQ(reportLines(outcome).back(), "in a debugger: gdb --args a2 steps reduce/atomic --in-process");
}

TEST(Summary, CountsRowsThatLackedMemory)
{
    std::vector<TaskOutcome> outcomes = {passed("reduce/atomic", 8, 1), passed("scan/naive", 8, 1),
                                         passed("scan/local", 8, 1)};
    ends(outcomes[1], Status::skipped, {{"", "the device ran out of memory; choose a smaller --size", {}}});
    ends(outcomes[2], Status::skipped, {{"", "this device has no 64-bit atomics", {}}});
    EXPECT_TRUE(lackedMemory(outcomes[1]));
    EXPECT_FALSE(lackedMemory(outcomes[0]) || lackedMemory(outcomes[2]));
    const std::string line = summaryLines(outcomes).front();
    EXPECT_NE(line.find("1 of 3 rows passed"), std::string::npos) << line;
    EXPECT_NE(line.find("; 1 skipped, 1 skipped for want of memory"), std::string::npos) << line;
}

TEST_F(OutputFileTest, AppearsOnlyWhenCommitted)
{
    const fs::path path = folder_ / "out.json";
    {
        OutputFile file(path.string());
        EXPECT_FALSE(fs::exists(path));
        file.commit("text\n");
        EXPECT_EQ(content(path), "text\n");
    }
    EXPECT_EQ(files(), 1U);
}

TEST_F(OutputFileTest, LeavesWhatWasThereWhenNothingIsCommitted)
{
    const fs::path path = folder_ / "out.json";
    std::ofstream(path) << "mine";
    {
        OutputFile file(path.string());
    }
    EXPECT_EQ(content(path), "mine");
    EXPECT_EQ(files(), 1U);
}

TEST_F(OutputFileTest, RefusesWhatCannotBeWritten)
{
    EXPECT_THROW(OutputFile(folder_.string()), UsageError);
    EXPECT_THROW(OutputFile((folder_ / "no" / "out.json").string()), UsageError);
    EXPECT_EQ(files(), 0U);
}

TEST_F(OutputFileTest, TellsWhenTheDiskIsFull)
{
    if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full on this system";
    OutputFile full("/dev/full");
    EXPECT_THROW(full.commit("text"), UsageError);
    EXPECT_TRUE(fs::exists("/dev/full"));
}

TEST_F(OutputFileTest, WritesWhereALinkPoints)
{
    const fs::path target = folder_ / "target", link = folder_ / "link";
    std::ofstream(target) << "old";
    fs::create_symlink(target, link);
    OutputFile(link.string()).commit("new");
    EXPECT_TRUE(fs::is_symlink(link));
    EXPECT_EQ(content(target), "new");
}

TEST(Csv, HasALinePerTask)
{
    const std::string text = csvReport({passed("reduce/atomic", 8, 1), passed("scan/naive", 8, 1)});
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);
    EXPECT_NE(text.find("\nscan/naive,[Task2] Naive,passed,"), std::string::npos) << text;
}

TEST(Csv, HasNoFormulasAndNothingThatATerminalObeys)
{
    TaskOutcome outcome = passed("reduce/atomic", 8, 1);
    for (const std::string pattern : {"=1+1", "+1", "-1", "@sum", "\x1b[2Jfile", "\xE2\x80\xAE,"}) {
        outcome.cases.back().pattern = pattern;
        const std::string text = csvReport({outcome});
        EXPECT_EQ(text.find("," + pattern), std::string::npos) << text;
        EXPECT_EQ(text.find('\x1b'), std::string::npos) << text;
    }
    outcome.cases.back().pattern = "=1+1";
    EXPECT_NE(csvReport({outcome}).find(",'=1+1,"), std::string::npos);
}

TEST(JUnit, EscapesAndCounts)
{
    TaskOutcome failed = passed("reduce/atomic", 8, 1);
    ends(failed, Status::failed, {{"", "a < b & \"c\" \x01", {}}});
    const std::string text = junitReport({failed, passed("scan/naive", 8, 1)});
    EXPECT_NE(text.find("tests=\"2\" failures=\"1\" errors=\"0\" skipped=\"0\""), std::string::npos) << text;
    EXPECT_NE(text.find("a &lt; b &amp; &quot;c&quot; ?"), std::string::npos) << text;
}

}  // namespace a2
