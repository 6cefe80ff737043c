// A task that has not been written yet: every command with a verdict says so in one line.

#include "BrokenShaders.h"

#include <gtest/gtest.h>

namespace contract {

namespace {

const char* const task = "reduce/interleaved";

// The kernel adds up, but stores nothing.
struct Emptied : BrokenShaders {
    Emptied() : BrokenShaders("A2Task1Interleaved.comp", "data[first] = sum;", ";") {}
};

void expectNotWritten(const Finished& run, const std::string& line)
{
    EXPECT_EQ(run.status, 1) << run;
    const Words lines = linesOf(run.out);
    ASSERT_GE(lines.size(), 2U) << run;
    EXPECT_EQ(lines[lines.size() - 2], line) << run;
    EXPECT_EQ(lines.back(), "TEST FAILED") << run;
    for (const char* forensics : {"never added", "expected sum", "first wrong", "to see every step"})
        EXPECT_FALSE(contains(run.out, forensics)) << run;
}

}  // namespace

TEST(NotWritten, IsWhatEveryCommandSays)
{
    const Emptied shaders;
    const std::string line = "NOT WRITTEN YET shaders/A2Task1Interleaved.comp, 2 points";
    const Finished run = runA2({task, "-n", "100", "--quiet", "--shader-dir", shaders.path()});
    expectNotWritten(run, line);
    EXPECT_EQ(linesOf(run.out).front(), "[Task1] evaluating Interleaved");
    EXPECT_EQ(linesOf(run.out).size(), 3U) << run;
    for (const char* command : {"check", "bench", "steps"})
        expectNotWritten(runA2({command, task, "-n", "100", "--quiet", "--shader-dir", shaders.path()}), line);

    const Folder folder;
    ASSERT_EQ(runA2({"record", task, "-n", "100", "-o", folder / "r.a2r"}).status, 0);
    expectNotWritten(runA2({"--recording", folder / "r.a2r", "--shader-dir", shaders.path()}), line);
}

TEST(NotWritten, HasNoTheory)
{
    const Emptied shaders;
    const Folder folder;
    const Finished theory = runA2({"theory", task, "--shader-dir", shaders.path(), "--json", folder / "r.json"});
    EXPECT_EQ(theory.status, 1) << theory;
    EXPECT_EQ(linesOf(theory.out).back(), "NOT WRITTEN YET shaders/A2Task1Interleaved.comp") << theory;
    EXPECT_FALSE(contains(theory.out, "work-optimal")) << theory;
    const Finished valid = inspect({"validate", A2_SCHEMA, folder / "r.json"});
    EXPECT_EQ(valid.status, 0) << valid;
}

TEST(NotWritten, IsAStatusOfReports)
{
    const Emptied shaders;
    const Folder folder;
    const Finished run = runA2({task, "reduce/sequential", "-n", "100", "--shader-dir", shaders.path(), "--json",
                                folder / "r.json", "--csv", folder / "r.csv", "--junit", folder / "r.xml"});
    EXPECT_EQ(run.status, 1) << run;
    const Finished valid = inspect({"validate", A2_SCHEMA, folder / "r.json"});
    EXPECT_EQ(valid.status, 0) << valid;
    EXPECT_TRUE(contains(textOf(folder / "r.json"), "\"status\": \"not-written\"")) << textOf(folder / "r.json");
    EXPECT_TRUE(contains(textOf(folder / "r.csv"), ",not-written,")) << textOf(folder / "r.csv");
    EXPECT_TRUE(contains(textOf(folder / "r.xml"), "<failure type=\"not-written\" message=\"NOT WRITTEN YET shaders/"));
    EXPECT_TRUE(inspect({"junit", folder / "r.xml"}).out.starts_with("claims 2 1 0 0\n"));
}

// With one tile there is no offset to add: an empty kernel must not pass there either.
TEST(NotWritten, IsAlsoWhatHasNothingToDo)
{
    const BrokenShaders shaders("A2Task2KernelDecompositionOffset.comp", "void main()",
                                "void main() {}\nvoid nobody()");
    for (const char* command : {"run", "check", "bench", "steps"})
        expectNotWritten(
            runA2({command, "scan/offset", "-n", "64", "--course", "--quiet", "--shader-dir", shaders.path()}),
            "NOT WRITTEN YET shaders/A2Task2KernelDecompositionOffset.comp");
    const Finished run = runA2({"scan/offset", "-n", "64", "--course"});
    EXPECT_EQ(run.status, 0) << run;
}

TEST(NotWritten, SaysNoPointsWhereThereAreNone)
{
    const BrokenShaders shaders("A2LabLocalModulo.comp", "sums[workGroupNumber()] = partial[0];", ";");
    expectNotWritten(runA2({"reduce/local-modulo", "-n", "100", "--quiet", "--shader-dir", shaders.path()}),
                     "NOT WRITTEN YET shaders/A2LabLocalModulo.comp");
}

TEST(NotWritten, IsNoKernelThatIsHalfWritten)
{
    const BrokenShaders shaders("A2Task1Interleaved.comp", "data[first] = sum;", "data[first] = 0;");
    const Finished run = runA2({task, "-n", "100", "--shader-dir", shaders.path()});
    EXPECT_EQ(run.status, 1) << run;
    EXPECT_FALSE(contains(run.out, "NOT WRITTEN")) << run;
    EXPECT_TRUE(contains(run.out, "never added: ")) << run;
}

}  // namespace contract
