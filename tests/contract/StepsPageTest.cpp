// a2 steps --html and --tree: the same run as a picture.

#include "BrokenShaders.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace contract {

class PictureOf : public testing::TestWithParam<std::string> {};

TEST_P(PictureOf, ARunIsDrawnFromItsReport)
{
    const Folder folder;
    const Finished steps =
        runA2({"steps", GetParam(), "--tree", "--html", folder / "s.html", "--json", folder / "s.json"});
    EXPECT_EQ(steps.status, 0) << steps;
    for (const std::string& line : linesOf(steps.out)) EXPECT_LE(line.size(), 80U) << line;
    // A histogram in device memory adds ones: none of them comes from an element.
    EXPECT_EQ(contains(steps.out, ">"), GetParam() != "histogram/global") << steps;
    // The page has all of shared memory after each phase: 2048 words in histogram/replicas, that of 24 dispatches in
    // sort/radix.
    const bool isLarge = GetParam() == "histogram/replicas" || GetParam() == "sort/radix";
    EXPECT_LT(std::filesystem::file_size(folder / "s.html"), isLarge ? 2'500'000U : 300'000U);
    const Finished same = inspect({"page-of-report", folder / "s.html", folder / "s.json"});
    EXPECT_EQ(same.status, 0) << same;
}

INSTANTIATE_TEST_SUITE_P(StepsPage, PictureOf, testing::ValuesIn(allRows()),
                         [](const testing::TestParamInfo<std::string>& row) { return testName(row.param); });

TEST(StepsPage, IsOneFileThatAsksForNoOther)
{
    const Folder folder;
    EXPECT_EQ(runA2({"steps", "scan/naive", "-d", "emulator", "--html", folder / "s.html"}).status, 0);
    const std::string page = textOf(folder / "s.html");
    EXPECT_TRUE(page.starts_with("<!DOCTYPE html>\n<html lang=\"en\">"));
    EXPECT_TRUE(contains(page, "default-src 'none'"));
    for (const char* part : {"src=", "href=", "url(", "import ", "fetch(", "@REPORT@"})
        EXPECT_FALSE(contains(page, part)) << part;
}

// The user chooses a pattern's name, for example that of a file.
TEST(StepsPage, TakesNamesForNamesOnly)
{
    const Folder folder;
    const std::string file = folder.file("<script>alert(1)", "1 2 3 4 5 6 7 8");
    EXPECT_EQ(runA2({"steps", "scan/naive", "-n", "8", "-p", "file:" + file, "--html", folder / "s.html"}).status, 0);
    EXPECT_FALSE(contains(textOf(folder / "s.html"), "<script>alert"));
    EXPECT_TRUE(contains(textOf(folder / "s.html"), "\\u003cscript>alert"));
}

// The source as it was run, shown as text: it may contain anything.
TEST(StepsPage, HasTheTextOfItsKernels)
{
    const BrokenShaders shaders("A2Task2KernelDecomposition.comp", "// From the root down",
                                "// </script><script>alert(2)</script>");
    const Folder folder;
    EXPECT_EQ(runA2({"steps", "scan/local", "-n", "16", "-d", "emulator", "--shader-dir", shaders.path(), "--html",
                     folder / "s.html"})
                  .status,
              0);
    const std::string page = textOf(folder / "s.html");
    EXPECT_TRUE(contains(page, "// \\u003c/script>\\u003cscript>alert(2)")) << "the kernel's text is missing";
    EXPECT_FALSE(contains(page, "<script>alert(2)"));
}

TEST(StepsPage, ShowsAnotherRunBesideThisOne)
{
    const Folder folder;
    const auto steps = [](Words more) {
        more.insert(more.begin(), {"steps", "scan/naive", "-d", "emulator"});
        return runA2(more);
    };
    EXPECT_EQ(steps({"-n", "20", "--json", folder / "before.json"}).status, 0);
    EXPECT_EQ(steps({"-n", "16", "--html", folder / "s.html", "--beside", folder / "before.json"}).status, 0);
    const std::string page = textOf(folder / "s.html");
    EXPECT_TRUE(contains(page, "this run: scan/naive, n = 16: passed"));
    EXPECT_TRUE(contains(page, "before.json: scan/naive, n = 20: passed"));
    for (const char* part : {"@RUNS@", "src=", "href=", "url(", "import ", "fetch("})
        EXPECT_FALSE(contains(page, part)) << part;

    expectError(steps({"--beside", folder / "before.json"}), 2, "--beside FILE is for --html");
    const std::string own = folder.file("own.json", textOf(folder / "before.json"));
    expectError(steps({"--html", own, "--beside", own}), 2, own);
    const std::vector<std::pair<std::string, std::string>> none = {
        {"", "is no report"},
        {"{}", "is no report"},
        {"[1]", "is no report"},
        {R"({"schema": 2, "tests": [], "dispatches": []})", "is no report"},
        {R"({"schema": 1, "tests": [], "dispatches": []})", "is a report of version 1, and this a2 draws version 2"}};
    for (const auto& [text, why] : none)
        expectError(steps({"--html", folder / "t.html", "--beside", folder.file("other.json", text)}), 2, why);
    expectError(steps({"--html", folder / "t.html", "--beside", folder / "missing.json"}), 2, "missing.json");
    expectError(steps({"--html", folder / "t.html", "--beside", folder / "."}), 2, "is a folder");
    EXPECT_FALSE(std::filesystem::exists(folder / "t.html"));
}

TEST(StepsPage, ShowsAFailedRunToo)
{
    const BrokenShaders shaders("A2Task2KernelDecomposition.comp", "tree[root] = 0;", "");
    const Folder folder;
    const Finished steps = runA2({"steps", "scan/local", "-n", "16", "--tree", "--shader-dir", shaders.path(), "--html",
                                  folder / "s.html", "--json", folder / "s.json"});
    EXPECT_EQ(steps.status, 1) << steps;
    EXPECT_TRUE(contains(steps.out, " !28 ")) << "no wrong number is marked\n" << steps;
    EXPECT_EQ(linesOf(steps.out).back(), "TEST FAILED") << steps;
    const Finished same = inspect({"page-of-report", folder / "s.html", folder / "s.json"});
    EXPECT_EQ(same.status, 0) << same;
    const Finished wrong = inspect({"wrong-cells", folder / "s.json"});
    EXPECT_TRUE(contains(wrong.out, "scan, level 0 0 0 28\n")) << wrong;
    EXPECT_TRUE(contains(wrong.out, "phase 4 of 0: tree 3 0 28\n")) << wrong;
    EXPECT_TRUE(contains(wrong.out, "phase 4 of 1: tree 3 0 92\n")) << "only one work-group was judged\n" << wrong;
}

TEST(StepsPage, RefusesWhatIsTooLong)
{
    const Folder folder;
    expectError(runA2({"steps", "scan/naive", "-n", "257", "--html", folder / "s.html"}), 2,
                "--html draws up to 256 elements, and n is 257: -n 256 fits");
    expectError(runA2({"steps", "scan/naive", "-n", "33", "--tree"}), 2, "--tree draws up to 32 elements");
    EXPECT_TRUE(folder.names().empty());
    EXPECT_EQ(runA2({"steps", "scan/naive", "-n", "256", "--html", folder / "s.html"}).status, 0);
    EXPECT_EQ(runA2({"steps", "scan/naive", "-n", "257", "--json", folder / "s.json"}).status, 0);
    EXPECT_TRUE(contains(textOf(folder / "s.json"), R"("trace": null)"));
}

TEST(StepsPage, OfAnEmptyArrayHasNoSteps)
{
    const Folder folder;
    const Finished steps = runA2({"steps", "scan/naive", "-n", "0", "--tree", "--html", folder / "s.html"});
    EXPECT_EQ(steps.status, 0) << steps;
    EXPECT_TRUE(contains(textOf(folder / "s.html"), "\"dispatches\":[]"));
}

TEST(StepsTree, DrawsWhoMakesWhatOfWhat)
{
    const Finished naive = runA2({"steps", "scan/naive", "-n", "4", "--tree"});
    EXPECT_TRUE(contains(naive.out,
                         "     from     0     1\n"
                         "  0:    0 +-> 0 +-> 0\n"
                         "  1:    1 ++> 1 |+> 1\n"
                         "  2:    2 ++> 3 +|> 3\n"
                         "  3:    3 +-> 5 -+> 6\n"))
        << naive;
    EXPECT_TRUE(contains(naive.out, "  1: Naive, stride 2, sums of up to 4 elements (Figure 9): ok\n")) << naive;
    const Finished local = runA2({"steps", "scan/local", "-n", "8", "--tree"});
    EXPECT_TRUE(contains(local.out, "'scan, level 0'; also numbers kept in registers: ok\n")) << local;
    const Finished lab = runA2({"steps", "scan/kogge-stone", "-n", "8", "--tree"});
    EXPECT_TRUE(contains(lab.out, "  2:    2 >  2 ++>  3 +|+>  3 ")) << "what is read a phase before has no line\n"
                                                                     << lab;
    const Finished other = runA2({"steps", "reduce/decomposition", "-n", "16", "--tree", "--group", "1"});
    EXPECT_TRUE(contains(other.out, "16 to 2: work-group 1 of 2; --group\n")) << other;
    EXPECT_TRUE(contains(other.out, "  8:    8 +")) << other;
}

}  // namespace contract
