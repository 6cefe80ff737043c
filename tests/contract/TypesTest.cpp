// --type: elements other than uint32.

#include "BrokenShaders.h"

#include <gtest/gtest.h>

namespace contract {

TEST(Types, OfFloatsRunTheRowsThatTakeThem)
{
    const Folder folder;
    const Finished run = runA2({"--type", "float32", "scan/*", "-n", "3000", "--json", folder / "f.json"});
    EXPECT_EQ(run.status, 0) << run;
    EXPECT_TRUE(contains(run.out, "evaluating KernelDecomposition Offset\n")) << run;
    EXPECT_TRUE(contains(run.out, "SKIPPED: --type float32: shaders/A2Task2Naive.comp is written for uint")) << run;
    EXPECT_TRUE(contains(run.err, "a2: float32: whole numbers, whose sums do not round")) << run;
    EXPECT_TRUE(contains(run.err, "scan/lookback: note: rounding: of 3000 random reals")) << run;
    const std::string json = textOf(folder / "f.json");
    EXPECT_TRUE(contains(json, R"("type": "float32")")) << json;
    EXPECT_TRUE(contains(json, R"("name": "scan/lookback/3000/float32")")) << json;
    const Finished held = inspect({"strict", A2_SCHEMA, folder / "f.json"});
    EXPECT_EQ(held.status, 0) << held << json;
}

TEST(Types, SayNothingOfUint32)
{
    const Folder folder;
    const Finished run = runA2({"reduce/atomic", "--type", "uint32", "-n", "3000", "--json", folder / "u.json"});
    EXPECT_EQ(run.status, 0) << run;
    EXPECT_FALSE(contains(textOf(folder / "u.json"), R"("type": "uint32")"));
}

TEST(Types, SkipARowWhoseKernelIsForUint)
{
    const Finished run = runA2({"scan/naive", "--type", "float32", "-n", "100"});
    EXPECT_EQ(run.status, 3) << run;
    EXPECT_TRUE(contains(run.out, "SKIPPED: --type float32: shaders/A2Task2Naive.comp is written for uint")) << run;
}

TEST(Types, AreRefusedByNameWhereThereIsNoSuchOne)
{
    expectError(runA2({"--type", "float16"}), 2, "--type 'float16': there are uint32, int32, float32");
    expectError(runA2({"theory", "rotate", "--type", "int32"}), 2, "--type with rotate");
}

TEST(Types, AreThoseOfTheCommandThatShowsAFailure)
{
    const BrokenShaders shaders("A2LabKoggeStone.comp", "target[begin + i] = sums[i];",
                                "target[begin + i] = sums[i] - 0.5;");
    const Folder folder;
    const Finished run = runA2({"scan/kogge-stone", "--type", "float32", "-n", "3000", "--shader-dir", shaders.path(),
                                "--json", folder / "w.json"});
    EXPECT_EQ(run.status, 1) << run;
    EXPECT_TRUE(contains(run.out, " --type float32\n")) << run;
    EXPECT_FALSE(contains(run.out, "modulo")) << run;
    EXPECT_EQ(inspect({"strict", A2_SCHEMA, folder / "w.json"}).status, 0);
    const Finished steps = runA2({"steps", "scan/kogge-stone", "--type", "float32", "-n", "9", "--shader-dir",
                                  shaders.path(), "--json", folder / "s.json", "--phases"});
    EXPECT_EQ(steps.status, 1) << steps;
    EXPECT_TRUE(contains(steps.out, "should be 0, is -0.5")) << steps;
    EXPECT_EQ(inspect({"validate", A2_SCHEMA, folder / "s.json"}).status, 0);
}

TEST(Types, OfAFileMayBeNegative)
{
    const Folder folder;
    const std::string numbers = "file:" + folder.file("numbers", "-7 3\n-2000000000\n");
    expectError(runA2({"steps", "scan/naive", "-p", numbers, "-n", "3"}), 2, "'-7' is not a whole number from 0 to");
    expectError(runA2({"steps", "scan/lookback", "--type", "float32", "-p", numbers, "-n", "3"}), 2,
                "'-2000000000' is not a whole number from -16777216 to 16777216");
    const Finished steps =
        runA2({"steps", "scan/naive", "--type", "int32", "-p", numbers, "-n", "3", "--dump", folder / "dump"});
    EXPECT_EQ(steps.status, 0) << steps;
    EXPECT_TRUE(contains(steps.out, "-2000000004")) << steps;
    EXPECT_TRUE(contains(textOf(folder / "dump/input.npy"), "'descr': '<i4'"));
    EXPECT_EQ(runA2({"steps", "scan/lookback", "--type", "float32", "-n", "9", "--dump", folder / "reals"}).status, 0);
    EXPECT_TRUE(contains(textOf(folder / "reals/input.npy"), "'descr': '<f4'"));
}

TEST(Types, GoThroughTheOtherCommands)
{
    const Folder folder;
    const Finished theory = runA2({"theory", "scan/brent-kung", "-n", "64", "--type", "float32"});
    EXPECT_EQ(theory.status, 0) << theory;
    const Finished record =
        runA2({"record", "scan/brent-kung", "-n", "1000", "--type", "float32", "-o", folder / "r.a2"});
    EXPECT_TRUE(record.out.ends_with(" --type float32\n")) << record;
    EXPECT_EQ(runA2({"--recording", folder / "r.a2", "--type", "float32"}).status, 0);
    const Finished debug = runA2({"debug", "scan/brent-kung", "-n", "8", "-w", "4", "--elements", "2", "--type",
                                  "float32", "-x", folder.file("commands", "print source[3]\n")});
    EXPECT_TRUE(contains(debug.out, "source[3] = 3")) << debug;
}

}  // namespace contract
