// --json, --csv and --junit, as other programs read them: a JSON schema validator and Python's own parsers.

#include "BrokenShaders.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace contract {

namespace {

// Runs a2 with all three reports in a folder.
struct Reported {
    Folder folder;
    Finished run;

    explicit Reported(Words words)
    {
        words.insert(words.end(),
                     {"--quiet", "--json", json(), "--csv", folder / "r.csv", "--junit", folder / "r.xml"});
        run = runA2(words);
    }
    std::string json() const { return folder / "r.json"; }
    Words rows() const { return linesOf(inspect({"table", folder / "r.csv"}).out); }

    void expectValid(int status) const
    {
        EXPECT_EQ(run.status, status) << run;
        const Finished valid = inspect({"validate", A2_SCHEMA, json()});
        EXPECT_EQ(valid.status, 0) << valid;
    }
    void expectJUnit(const std::string& counts) const
    {
        const Finished suite = inspect({"junit", folder / "r.xml"});
        EXPECT_EQ(suite.status, 0) << suite;
        EXPECT_TRUE(suite.out.starts_with("claims " + counts + "\nholds " + counts + "\n")) << suite;
    }
};

long occurrences(const std::string& text, const std::string& part)
{
    long count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
    return count;
}

const char* const header =
    "id\tlabel\tstatus\tcases\tn\tpattern\tseed\tworkgroup\telements\ttimer\tmin_ms\tmedian_ms\tmax_ms\tcv\tge_per_s";

}  // namespace

TEST(Reports, OfAPassingRun)
{
    const Reported reported({"-n", "5000"});
    const Words ids = courseRows();
    reported.expectValid(0);
    reported.expectJUnit(std::to_string(ids.size()) + " 0 0 0");
    const std::string text = textOf(reported.json());
    EXPECT_EQ(occurrences(text, "\"real_time\""), static_cast<long>(ids.size()));
    EXPECT_FALSE(contains(text, "\"copy_peak_GBps\": null")) << "measured in the same run";
    const Words rows = reported.rows();
    ASSERT_EQ(rows.size(), ids.size() + 1);
    EXPECT_EQ(rows[0], header);
    EXPECT_TRUE(rows[1].starts_with("reduce/interleaved\t[Task1] Interleaved\tpassed\t")) << rows[1];
    for (std::size_t i = 0; i < ids.size(); ++i) EXPECT_TRUE(rows[i + 1].starts_with(ids[i] + "\t")) << rows[i + 1];
}

TEST(Reports, OfAFailingRun)
{
    const BrokenShaders shaders("A2Task1KernelDecomposition.comp", "stride > 0;", "stride > 1;");
    const Reported reported({"reduce/*", "-n", "500", "--shader-dir", shaders.path()});
    const std::size_t ran = allRows("reduce/").size();
    const long passed = static_cast<long>(ran) - 1;
    reported.expectValid(1);
    reported.expectJUnit(std::to_string(ran) + " 1 0 0");
    const std::string text = textOf(reported.json());
    EXPECT_EQ(occurrences(text, "\"real_time\""), passed) << "what failed has no benchmark";
    EXPECT_TRUE(contains(text, "\"first_index\": 0")) << text;
    EXPECT_EQ(occurrences(text, "\"diagnosis\": null"), passed) << "only what failed has one";
    for (const char* part :
         {"\"smallest_n\": 2,", "\"never_added\": [\n     1\n    ],", "\"added_twice\": [],", "\"dispatch\": 0,",
          "\"buffer\": \"partial sums\",", "\"element\": 0,", "\"points\": 3,", "\"command\": \""})
        EXPECT_TRUE(contains(text, part)) << part << "\n" << text;
    const Words rows = reported.rows();
    ASSERT_EQ(rows.size(), ran + 1);
    EXPECT_TRUE(rows[3].starts_with("reduce/decomposition\t[Task1] KernelDecomposition\tfailed\t")) << rows[3];
    EXPECT_TRUE(rows[3].ends_with("\t\t\t\t\t\t")) << "no times\n" << rows[3];
}

TEST(Reports, OfALintFinding)
{
    const BrokenShaders shaders("A2Task2KernelDecompositionOffset.comp", "data[index] += offset",
                                "data[index + 2] += offset");
    const Reported reported(
        {"scan/offset", "-n", "500", "-w", "64", "--elements", "2", "--shader-dir", shaders.path()});
    reported.expectValid(1);
    EXPECT_TRUE(contains(textOf(reported.json()), "\"rule\": \"out-of-bounds\"")) << textOf(reported.json());
}

TEST(Reports, OfAKernelThatDoesNotCompile)
{
    const BrokenShaders shaders("A2Task1Interleaved.comp", "uint sum = data", "uint sum = \"<data>\" & data");
    const Reported reported({"reduce/interleaved", "-n", "64", "--shader-dir", shaders.path()});
    reported.expectValid(1);
    reported.expectJUnit("1 1 0 0");
    const std::string text = textOf(reported.json());
    EXPECT_TRUE(contains(text, "\"file\": \"A2Task1Interleaved.comp\"")) << text;
    EXPECT_TRUE(contains(text, "\"line\": " + std::to_string(shaders.line()) + ",")) << text;
}

TEST(Reports, OfACheck)
{
    const Reported reported({"check", "reduce/atomic", "scan/*", "--up-to", "9"});
    reported.expectValid(0);
    const std::size_t ran = allRows("scan/").size() + 1;
    reported.expectJUnit(std::to_string(ran) + " 0 0 0");
    const std::string text = textOf(reported.json());
    EXPECT_FALSE(contains(text, "real_time")) << "check times nothing";
    EXPECT_GE(occurrences(text, "\"pattern\": \"random\""), static_cast<long>(10 * ran));
    EXPECT_EQ(reported.rows().size(), ran + 1);
}

TEST(Reports, OfASkippedRun)
{
    const Reported reported({"-n", "2^40"});
    reported.expectValid(3);
    const std::size_t ran = courseRows().size();
    reported.expectJUnit(std::to_string(ran) + " 0 0 " + std::to_string(ran));
    EXPECT_EQ(occurrences(textOf(reported.json()), "\"status\": \"skipped\""), static_cast<long>(2 * ran))
        << "each task and its case";
    EXPECT_EQ(reported.rows().size(), ran + 1);
}

TEST(Reports, OfNothingAtAll)
{
    const Reported reported({"-n", "0"});
    reported.expectValid(0);
    const std::size_t ran = courseRows().size();
    reported.expectJUnit(std::to_string(ran) + " 0 0 0");
    EXPECT_TRUE(contains(textOf(reported.json()), "\"copy_peak_GBps\": null"));
}

// Google Benchmark's compare tool looks for these in each benchmark.
TEST(Reports, HaveWhatGoogleBenchmarksCompareToolReads)
{
    const Reported reported({"reduce/atomic", "-n", "5000", "-r", "3"});
    const std::string text = textOf(reported.json());
    for (const char* part : {"\"name\": \"reduce/atomic/5000\"", "\"run_type\": \"iteration\"", "\"iterations\": 3",
                             "\"real_time\": ", "\"cpu_time\": ", "\"time_unit\": \"us\"",
                             "\"items_per_second\": ", "\"bytes_per_second\": "})
        EXPECT_TRUE(contains(text, part)) << part << "\n" << text;
}

// File names may contain characters that CSV and XML must quote, and bytes that are not UTF-8.
TEST(Reports, SurviveAnyFileName)
{
    const BrokenShaders shaders("A2Task1KernelDecompositionAtomic.comp", "groupSum = 0;", "groupSum = 1;");
    for (const std::string name : {"a,\"b<&>'\t\n\x01 \xc3\xa9.txt", "\xff.txt"}) {
        SCOPED_TRACE(name);
        const Folder folder;
        const Reported reported(
            {"reduce/atomic", "-p", "file:" + folder.file(name, "5"), "--shader-dir", shaders.path()});
        reported.expectValid(1);
        reported.expectJUnit("1 1 0 0");
        EXPECT_EQ(inspect({"table", reported.folder / "r.csv"}).status, 0);
    }
}

// With a schema that accepts anything, all of the above would be worthless.
TEST(Schema, RefusesReportsThatWereTamperedWith)
{
    const BrokenShaders shaders("A2Task2KernelDecompositionOffset.comp", "data[index] += offset",
                                "data[index + 2] += offset");
    const Reported reported(
        {"scan/offset", "scan/naive", "-n", "500", "-w", "64", "--elements", "2", "--shader-dir", shaders.path()});
    const Finished strict = inspect({"strict", A2_SCHEMA, reported.json()});
    EXPECT_EQ(strict.status, 0) << strict;
}

}  // namespace contract
