// a2 report: one command makes a folder with a page, or ends with one clear line. tests/report tests the drawings.

#include "BrokenShaders.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace contract {

namespace {

class ReportCommand : public testing::Test {
protected:
    void SetUp() override
    {
        if (runProgram("/usr/bin/python3", {"-c", "import matplotlib, jinja2"}).status != 0)
            GTEST_SKIP() << "Python has no matplotlib or jinja2 here";
    }

    // Runs it for a small "reduce/atomic", with more options, into `out`.
    Finished report(const Words& more, const Environment& environment = {}) const
    {
        Words words = {"report", "-o", folder / "out"};
        words.insert(words.end(), more.begin(), more.end());
        return runA2(words, environment);
    }

    // Expects only the files from before, not even a part of a report.
    void expectNothingMade(std::size_t before = 0) const
    {
        std::size_t found = 0;
        for (const auto& one : std::filesystem::directory_iterator(folder.path())) {
            ++found;
            EXPECT_FALSE(one.is_directory()) << one.path();
        }
        EXPECT_EQ(found, before);
    }

    Folder folder;
};

}  // namespace

TEST_F(ReportCommand, RunsWhatItNeedsAndKeepsTheJson)
{
    const Finished made = report({"reduce/atomic", "-n", "4096", "-r", "2", "-s", "9", "--quiet"});
    EXPECT_EQ(made.status, 0) << made;
    EXPECT_EQ(made.err, "");
    EXPECT_EQ(linesOf(made.out).size(), 3U) << made;
    const std::string page = textOf(folder / "out/report.html");
    for (const char* part : {"Atomic is the fastest sum", "id=\"workgroups\"", "id=\"lengths\"", "id=\"roofline\"",
                             "id=\"theory\"", "id=\"memory\"", "id=\"timeline\"", "<dd>9</dd>", "-n 1024"})
        EXPECT_TRUE(contains(page, part)) << "no " << part;
    EXPECT_FALSE(contains(page, "--json")) << "where the JSON was written before";
    std::size_t files = 0;
    for (const auto& one : std::filesystem::directory_iterator(folder / "out/data")) {
        const Finished valid = inspect({"validate", A2_SCHEMA, one.path().string()});
        EXPECT_EQ(valid.status, 0) << one.path() << "\n" << valid;
        ++files;
    }
    EXPECT_EQ(files, 5U) << "lengths, work-groups, theory in two shapes, steps";

    const std::string linked =
        R"(<p class="note">Each step of a run of 16 elements: <a href="steps/reduce-atomic.html">)"
        "Atomic</a>.</p>\n";
    EXPECT_TRUE(contains(page, linked));
    EXPECT_TRUE(contains(textOf(folder / "out/steps/reduce-atomic.html"), "reduce/atomic"));

    // From these files it makes the same report in another folder, but without the pages, because it has not run them.
    const Finished again = runA2({"report", "--from", folder / "out/data", "-o", folder / "again"});
    EXPECT_EQ(again.status, 0) << again;
    std::string without = page;
    without.erase(without.find(linked), linked.size());
    EXPECT_EQ(textOf(folder / "again/report.html"), without);
}

TEST_F(ReportCommand, OfAWrongTaskHasARowAndFails)
{
    const BrokenShaders shaders("A2Task1KernelDecompositionAtomic.comp", "atomicAdd(", "atomicMax(");
    const Finished made =
        report({"reduce/interleaved", "reduce/atomic", "-n", "4096", "-r", "1", "--shader-dir", shaders.path()});
    EXPECT_EQ(made.status, 1) << made;
    EXPECT_TRUE(contains(textOf(folder / "out/report.html"), "<th scope=\"row\">Atomic</th><td>failed</td>"));
}

TEST_F(ReportCommand, RefusesWhatItCannotRead)
{
    const std::string empty = folder.file("empty.json", "");
    const std::string other = folder.file("other.json", "{\"schema\": 1}");
    expectError(report({"--from", empty}), 2, "empty.json is empty");
    expectError(report({"--from", other}), 2, "has schema 1");
    expectError(report({"--from", folder / "none.json"}), 2, "cannot be read");
    expectNothingMade(2);
}

TEST_F(ReportCommand, RefusesTargetsBeforeItRuns)
{
    expectError(runA2({"report", "-o", folder / "no/such/folder"}), 2, "there is no folder");
    const std::string mine = folder.file("mine", "mine");
    expectError(runA2({"report", "-o", mine}), 2, "it is no folder");
    EXPECT_EQ(textOf(mine), "mine");
    expectNothingMade(1);
}

TEST_F(ReportCommand, NamesThePackagesThatAreMissing)
{
    const std::string hidden = folder.file("jinja2.py", "raise ImportError('hidden')\n");
    expectError(report({"reduce/atomic"}, {{"PYTHONPATH", folder.path()}}), 3, "python3-jinja2");
    expectNothingMade(1);
}

TEST_F(ReportCommand, IsToldWhatMakesNoSense)
{
    expectError(runA2({"report"}), 2, "-o");
    expectError(report({"-d", "emulator"}), 2, "emulator");
    expectError(report({"-n", "100"}), 2, "--size 100");
    expectError(report({"--from", "a.json", "-n", "4096"}), 2, "--from runs nothing");
    expectError(report({"reduce/nothing"}), 2, "reduce/nothing");
    expectError(report({"reduce/atomic", "-d", "no such device"}), 2, "no such device");
    expectNothingMade();
}

}  // namespace contract
