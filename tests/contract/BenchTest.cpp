// a2 bench: a table of measurements, each judged. No test here depends on how fast something is.

#include "BrokenShaders.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

namespace contract {

namespace {

Words wordsOf(const std::string& line)
{
    std::istringstream stream(line);
    Words words;
    for (std::string word; stream >> word;) words.push_back(word);
    return words;
}

const Words head = {"task", "n", "wg", "x", "elem", "kernel", "ms", "GE/s", "GB/s", "%", "copy"};

// id, n, work-group, x, elements, and four numbers over 0.
void expectRow(const std::string& line, const std::string& id, const std::string& n)
{
    const Words words = wordsOf(line);
    ASSERT_EQ(words.size(), 9U) << line;
    EXPECT_EQ(words[0], id);
    EXPECT_EQ(words[1], n);
    EXPECT_EQ(words[3], "x") << line;
    for (std::size_t i = 5; i < 8; ++i) EXPECT_GT(std::strtod(words[i].c_str(), nullptr), 0) << line;
}

// The lines of stdout between the head and the first empty line.
Words rowsOf(const Finished& run)
{
    Words lines = linesOf(run.out);
    EXPECT_FALSE(lines.empty()) << run;
    if (lines.empty()) return {};
    EXPECT_EQ(wordsOf(lines.front()), head) << run;
    lines.erase(lines.begin());
    lines.erase(std::find(lines.begin(), lines.end(), ""), lines.end());
    return lines;
}

void expectEightyColumns(const Finished& run)
{
    for (const std::string& line : linesOf(run.out)) EXPECT_LE(line.size(), 80U) << line;
}

// The different values in column `at` of all rows, in their order.
Words column(const Words& rows, std::size_t at)
{
    Words values;
    for (const std::string& row : rows) {
        const Words words = wordsOf(row);
        if (words.size() > at && std::find(values.begin(), values.end(), words[at]) == values.end())
            values.push_back(words[at]);
    }
    return values;
}

// Runs a2 bench with reports.
struct Benched {
    Folder folder;
    Finished run;

    explicit Benched(Words words)
    {
        words.insert(words.begin(), "bench");
        words.insert(words.end(), {"--json", json(), "--csv", folder / "b.csv", "--junit", folder / "b.xml"});
        run = runA2(words);
    }
    std::string json() const { return folder / "b.json"; }
    // For each benchmark, the values of these keys, separated by spaces.
    Words keys(Words names) const
    {
        names.insert(names.begin(), {"benchmarks", json()});
        return linesOf(inspect(names).out);
    }
    void expectValid() const
    {
        const Finished valid = inspect({"validate", A2_SCHEMA, json()});
        EXPECT_EQ(valid.status, 0) << valid;
    }
};

}  // namespace

TEST(Bench, PrintsARowForEachTaskInEightyColumns)
{
    const Finished run = runA2({"bench", "-n", "2^14", "-r", "2"});
    EXPECT_EQ(run.status, 0) << run;
    const Words rows = rowsOf(run), ids = courseRows();
    ASSERT_EQ(rows.size(), ids.size()) << run;
    for (std::size_t i = 0; i < ids.size(); ++i) expectRow(rows[i], ids[i], "2^14");
    EXPECT_EQ(linesOf(run.out).size(), ids.size() + 1) << "nothing else on stdout\n" << run;
    EXPECT_TRUE(contains(run.err, "% copy: of the copy kernel's ")) << run;
    expectEightyColumns(run);
}

TEST(Bench, VerboseAddsTablesOfTheOtherTimes)
{
    const Finished run = runA2({"bench", "-n", "5000", "-r", "2", "--verbose", "--quiet"});
    EXPECT_EQ(run.err, "");
    expectEightyColumns(run);
    const Words lines = linesOf(run.out);
    const auto empty = std::find(lines.begin(), lines.end(), "");
    ASSERT_EQ(lines.end() - empty, 22) << run;
    const auto end = empty + 11;  // where the third table begins
    EXPECT_EQ(wordsOf(empty[1]),
              (Words{"task", "n", "wg", "cv", "%", "host", "ms", "whole", "ms", "CPU", "1", "ms", "CPU", "n", "ms"}));
    for (auto line = empty + 2; line != end; ++line) {
        const Words words = wordsOf(*line);
        ASSERT_EQ(words.size(), 8U) << *line;
        for (std::size_t i = 4; i < 8; ++i) EXPECT_GT(std::strtod(words[i].c_str(), nullptr), 0) << *line;
    }
    EXPECT_EQ(end[0], "");
    EXPECT_TRUE(contains(end[1], "whole ms =")) << run;
    const auto whole = [](const std::string& line) {
        const Words words = wordsOf(line);
        double sum = 0;
        for (std::size_t i = 3; i < words.size(); ++i) sum += std::strtod(words[i].c_str(), nullptr);
        return sum;
    };
    for (std::ptrdiff_t i = 2; i < 11; ++i) {
        ASSERT_EQ(wordsOf(end[i]).size(), 8U) << end[i];
        const double sum = std::strtod(wordsOf(empty[i])[5].c_str(), nullptr);
        EXPECT_NEAR(whole(end[i]), sum, 0.003 + 0.003 * sum) << run;  // rounded to four digits
    }
}

TEST(Bench, SweepsLengthsUpToTheOneThatIsNamed)
{
    const Finished run =
        runA2({"bench", "reduce/atomic", "scan/local", "--sweep", "size", "--up-to", "2^17", "-r", "1"});
    EXPECT_EQ(run.status, 0) << run;
    const Words rows = rowsOf(run);
    EXPECT_EQ(column(rows, 1), (Words{"2^10", "2^12", "2^14", "2^16", "2^16+1", "2^17"})) << run;
    EXPECT_EQ(rows.size(), 12U) << run;
}

TEST(Bench, SweepsWorkGroupSizes)
{
    const Finished run = runA2({"bench", "reduce/atomic", "--sweep", "workgroup", "-n", "3000", "-r", "1"});
    EXPECT_EQ(run.status, 0) << run;
    const Words sizes = column(rowsOf(run), 2);
    ASSERT_GE(sizes.size(), 3U) << "Vulkan promises 128 invocations\n" << run;
    EXPECT_EQ(Words(sizes.begin(), sizes.begin() + 3), (Words{"32", "64", "128"})) << run;
    EXPECT_EQ(column(rowsOf(run), 1), Words{"3000"}) << run;
}

TEST(Bench, SweepsTheProductAndNamesEachCaseOnce)
{
    for (const Words& sweep : {Words{"--sweep", "size", "--sweep", "workgroup"}, Words{"--sweep", "workgroup,size"}}) {
        Words words = {"reduce/atomic", "--up-to", "4096", "-r", "1", "--batch", "3"};
        words.insert(words.begin() + 1, sweep.begin(), sweep.end());
        const Benched bench(words);
        EXPECT_EQ(bench.run.status, 0) << bench.run;
        bench.expectValid();
        const std::size_t groups = column(rowsOf(bench.run), 2).size();
        EXPECT_EQ(rowsOf(bench.run).size(), 2 * groups) << bench.run;
        const Words names = bench.keys({"name"});
        EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), 2 * groups);
        EXPECT_EQ(names.front(), "reduce/atomic/1024/wg:32/elements:16/batch:3");
        EXPECT_EQ(linesOf(inspect({"table", bench.folder / "b.csv"}).out).size(), 2 * groups + 1);
        const Finished suite = inspect({"junit", bench.folder / "b.xml"});
        EXPECT_TRUE(suite.out.starts_with("claims 1 0 0 0\nholds 1 0 0 0\n")) << suite;
    }
}

TEST(Bench, ReportsWhatItMeasuredAndOfWhat)
{
    const Benched bench({"reduce/atomic", "scan/local", "-n", "5000", "-w", "64", "-r", "3", "--batch", "2"});
    bench.expectValid();
    EXPECT_EQ(bench.keys({"name", "n", "workgroup", "batch", "bytes", "iterations"}),
              (Words{"reduce/atomic/5000/wg:64/elements:16/batch:2 5000 64 2 20000 3",
                     "scan/local/5000/wg:64/elements:8/batch:2 5000 64 2 40000 3"}));
    for (const char* key : {"real_time", "cpu_time", "host_ms", "whole_ms", "allocate_ms", "upload_ms", "prepare_ms",
                            "launch_ms", "download_ms", "cpu_ms", "cpu_all_ms", "peak_fraction"})
        for (const std::string& value : bench.keys({key})) EXPECT_GT(std::strtod(value.c_str(), nullptr), 0) << key;
    const Benched single({"reduce/atomic", "-n", "5000", "-r", "1"});
    EXPECT_TRUE(single.keys({"name"}).front().starts_with("reduce/atomic/5000/wg:")) << single.run;
    EXPECT_FALSE(contains(single.keys({"name"}).front(), "batch"));
}

TEST(Bench, GivesEachRepetitionToTheUTest)
{
    const Benched bench({"reduce/atomic", "-n", "5000", "-r", "3", "--each-repetition"});
    bench.expectValid();
    const std::string name = bench.keys({"name"}).front();
    EXPECT_EQ(bench.keys({"name", "repetitions", "repetition_index", "iterations"}),
              (Words{name + " 3 0 3", name + " 3 1 3", name + " 3 2 3"}));
    // The median of three is one of them, in microseconds.
    const double median = std::strtod(bench.keys({"median_ms"}).front().c_str(), nullptr);
    unsigned found = 0;
    for (const std::string& value : bench.keys({"real_time"}))
        if (std::abs(std::strtod(value.c_str(), nullptr) - median * 1e3) < 1e-6) ++found;
    EXPECT_GE(found, 1U);
    expectError(runA2({"bench", "reduce/atomic", "--each-repetition"}), 2, "--json");
}

TEST(Bench, NamesExclusiveScans)
{
    const Benched bench({"scan/local", "-n", "5000", "-r", "1", "-w", "64", "--exclusive"});
    bench.expectValid();
    EXPECT_EQ(bench.keys({"name"}), (Words{"scan/local/5000/wg:64/elements:8/exclusive"}));
}

// Tools that compare files by name must find the names that `a2 run` wrote before.
TEST(Bench, LeavesTheNamesOfRunAsTheyWere)
{
    const Folder folder;
    runA2({"reduce/atomic", "-n", "5000", "-r", "2", "--json", folder / "r.json"});
    EXPECT_EQ(inspect({"benchmarks", folder / "r.json", "name", "batch", "cpu_all_ms"}).out,
              "reduce/atomic/5000 1 None\n");
}

TEST(Bench, GivesAWrongResultNoThroughput)
{
    const BrokenShaders shaders("A2Task1KernelDecomposition.comp", "stride > 0;", "stride > 1;");
    const Benched bench(
        {"reduce/decomposition", "reduce/atomic", "-n", "5000", "-r", "2", "--shader-dir", shaders.path()});
    EXPECT_EQ(bench.run.status, 1) << bench.run;
    const Words rows = rowsOf(bench.run);
    ASSERT_EQ(rows.size(), 2U) << bench.run;
    EXPECT_TRUE(rows[0].starts_with("reduce/decomposition ")) << bench.run;
    EXPECT_EQ(wordsOf(rows[0]).size(), 6U) << "no numbers: " << rows[0];
    EXPECT_EQ(wordsOf(rows[0]).back(), "FAILED");
    expectRow(rows[1], "reduce/atomic", "5000");
    EXPECT_TRUE(contains(bench.run.out, "expected sum ")) << bench.run;
    EXPECT_EQ(linesOf(bench.run.out).back(), "TEST FAILED");
    EXPECT_EQ(bench.keys({"n"}).size(), 1U) << "what failed has no benchmark";
    bench.expectValid();
}

// A race in shared memory whose result is right all the same: the lint also checks what bench times.
TEST(Bench, GivesAFaultOfTheLintNoThroughput)
{
    const std::string last = "sums[workGroupNumber()] = sum;";
    const BrokenShaders shaders("A2Task1KernelDecomposition.comp", last, last + " partial[lane] = partial[lane ^ 1u];");
    const Benched bench({"reduce/decomposition", "-n", "5000", "--shader-dir", shaders.path()});
    EXPECT_EQ(bench.run.status, 1) << bench.run;
    EXPECT_TRUE(contains(bench.run.out, "shared-race: ")) << bench.run;
    EXPECT_TRUE(bench.keys({"n"}).empty()) << bench.run;
}

// Right on poisoned memory, wrong where the previous run left the right totals: only the state after a batch shows
// that.
TEST(Bench, JudgesABatchOfATaskThatKeepsItsInput)
{
    const BrokenShaders shaders("A2Task2KernelDecomposition.comp", "blockSums[workGroupNumber()] = tree[root]",
                                "blockSums[workGroupNumber()] = tree[root] + "
                                "uint(blockSums[workGroupNumber()] == tree[root])");
    const std::string file = shaders.path() + "/A2Task2KernelDecomposition.comp",
                      qualifier = "writeonly buffer BlockSums";
    std::string text = textOf(file);
    ASSERT_NE(text.find(qualifier), std::string::npos) << "this test must follow the kernel";
    std::ofstream(file) << text.replace(text.find(qualifier), qualifier.size(), "buffer BlockSums");
    Words words = {"bench", "scan/work-efficient", "-n", "20000", "-r", "2", "--shader-dir", shaders.path()};
    const Finished single = runA2(words);
    EXPECT_EQ(single.status, 0) << single;
    words.insert(words.end(), {"--batch", "2"});
    const Finished batch = runA2(words);
    EXPECT_EQ(batch.status, 1) << batch;
    EXPECT_TRUE(contains(rowsOf(batch).front(), "FAILED")) << batch;
    EXPECT_TRUE(contains(batch.out, "after 2 runs in a row; a single run passed")) << batch;
}

TEST(Bench, SkipsWhatTheDeviceCannotRunAndGoesOn)
{
    // The first goes through its array in slices, the second binds it whole.
    const Finished some = runA2({"bench", "reduce/atomic", "scan/naive", "-n", "33554435", "-r", "1"});
    EXPECT_EQ(some.status, 0) << some;
    const Words rows = rowsOf(some);
    expectRow(rows.front(), "reduce/atomic", "2^25+3");
    EXPECT_TRUE(contains(some.out, "SKIPPED: ")) << some;
    EXPECT_TRUE(contains(some.out, "maxStorageBufferRange")) << some;
    expectEightyColumns(some);

    const Finished all = runA2({"bench", "-n", "2^40", "--quiet"});
    EXPECT_EQ(all.status, 3) << all;
    EXPECT_TRUE(contains(all.out, "n = 1099511627776 needs ")) << all;
    expectEightyColumns(all);
}

TEST(Bench, StopsRepeatingInTime)
{
    const Benched bench({"reduce/atomic", "-n", "4096", "-r", "1000000", "--max-time", "0.05"});
    EXPECT_EQ(bench.run.status, 0) << bench.run;
    const double repetitions = std::strtod(bench.keys({"iterations"}).front().c_str(), nullptr);
    EXPECT_GE(repetitions, 1);
    EXPECT_LT(repetitions, 1000000);
}

TEST(Bench, OfNothingIsARowOfZeroes)
{
    const Benched bench({"reduce/atomic", "-n", "0"});
    EXPECT_EQ(bench.run.status, 0) << bench.run;
    EXPECT_EQ(wordsOf(rowsOf(bench.run).front())[5], "0") << bench.run;
    bench.expectValid();
}

TEST(Bench, SweepsOnlyAsFarAsAFileGoes)
{
    const Folder folder;
    std::string numbers;
    for (int i = 0; i < 1500; ++i) numbers += "7 ";
    const Finished run = runA2(
        {"bench", "reduce/atomic", "--sweep", "size", "-r", "1", "-p", "file:" + folder.file("numbers.txt", numbers)});
    EXPECT_EQ(column(rowsOf(run), 1), Words{"2^10"}) << run;
}

// The schema must say what may be left out of a report; nothing else may be.
TEST(Bench, ReportsKeepToAStrictSchema)
{
    const Benched bench({"reduce/atomic", "-n", "500", "--batch", "2"});
    const Finished strict = inspect({"strict", A2_SCHEMA, bench.json()});
    EXPECT_EQ(strict.status, 0) << strict;
}

}  // namespace contract
