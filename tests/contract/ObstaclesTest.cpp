// a2 obstacles: it finds the report's numbers in the report's data, reads or refuses files, and fails a wrong kernel.

#include "BrokenShaders.h"

#include <gtest/gtest.h>

namespace contract {

namespace {

// The lines after the one that begins with `from`, up to the first one that does not begin with white space.
Words below(const Finished& run, const std::string& from)
{
    Words lines = linesOf(run.out), found;
    bool inside = false;
    for (const std::string& line : lines) {
        if (inside && !line.starts_with(" ")) break;
        if (inside) found.push_back(line);
        inside = inside || line.starts_with(from);
    }
    return found;
}

std::string squeezed(const std::string& line)
{
    std::string text;
    for (const char c : line)
        if (c != ' ' || (!text.empty() && text.back() != ' ')) text += c;
    return text;
}

bool anyLine(const Finished& run, const std::string& part)
{
    for (const std::string& line : linesOf(run.out))
        if (contains(squeezed(line), part)) return true;
    return false;
}

void expectEightyColumns(const Finished& run)
{
    for (const std::string& line : linesOf(run.out)) EXPECT_LE(line.size(), 80U) << line;
}

}  // namespace

TEST(Obstacles, OfTheReportAreFoundAndCounted)
{
    const Finished run = runA2({"obstacles", "-r", "3"});
    EXPECT_EQ(run.status, 0) << run;
    expectEightyColumns(run);
    for (const char* part : {"1024 beams, every 8th reads 3, the others 9; an obstacle is nearer than 9",
                             "Obstacle array's scan: 1 1 1 1 1 1 1 1 2 2 2 2",
                             "128 obstacle readings in 128 obstacles\n", "120 more with --verbose\n", "TEST PASSED\n"})
        EXPECT_TRUE(contains(run.out, part)) << part << run;
    // The counts, and below them the report's formulas.
    for (const char* part :
         {" 523776 524800 1024 ", "the report's formulas 524800 524800 525824", " 9217 1024 1025 ",
          "the report's formulas 10240 1024 10240", " 2036 1024 1025 ", "the report's formulas 2036 2048 2048"})
        EXPECT_TRUE(anyLine(run, part)) << part << run;
    for (const char* part : {"BruteForce whole ran first", "KoggeStone, additions: ", "KoggeStone, writes: ",
                             "BrentKung, reads: ", "BruteForce, writes: ", "One write more is the tile's total"})
        EXPECT_TRUE(contains(run.out, part)) << part << run;
}

TEST(Obstacles, AreReportedAsJson)
{
    const Folder folder;
    const std::string json = folder / "o.json", file = folder.file("sweep.txt", "2 1.5 9 9\n4 9 9 9 8.5 8 8.25");
    for (const Words& what : {Words{"-n", "0"}, Words{file, "-r", "1"}}) {
        Words command = {"obstacles", "--json", json};
        command.insert(command.end(), what.begin(), what.end());
        const Finished run = runA2(command);
        EXPECT_EQ(run.status, 0) << run;
        const Finished valid = inspect({"validate", A2_SCHEMA, json});
        EXPECT_EQ(valid.status, 0) << valid;
    }
    std::string text;
    for (const char c : textOf(json))
        if (c != ' ' && c != '\n') text += c;
    for (const char* part :
         {"\"beams\":11,", "\"readings\":6,", "\"status\":\"passed\"",
          "\"obstacles\":[{\"first\":0,\"beams\":2},{\"first\":4,\"beams\":1},{\"first\":8,\"beams\":3}]",
          "\"name\":\"BrentKung\""})
        EXPECT_TRUE(contains(text, part)) << part << "\n" << text;
    expectError(runA2({"obstacles", file, "--json", file}), 2, "sweep.txt");
}

TEST(Obstacles, OfAFileAreListedWithExtentAndNearestBeam)
{
    const Folder folder;
    const std::string file = folder.file("sweep.txt", "2 1.5 9 9\n4 9 9 9 8.5 8 8.25");
    const Finished run = runA2({"obstacles", file, "-r", "1", "--quiet"});
    EXPECT_EQ(run.status, 0) << run;
    EXPECT_TRUE(contains(run.out, "6 obstacle readings in 3 obstacles\n")) << run;
    EXPECT_TRUE(contains(run.out, "A reading is one beam")) << run;
    EXPECT_TRUE(contains(run.out, "scan: 1 2 2 2 3 3 3 3 4 5 6\n")) << run;
    Words rows = below(run, "A reading");
    ASSERT_EQ(rows.size(), 4U) << run;
    EXPECT_EQ(squeezed(rows[1]), "1 0 1 2 1.5");
    EXPECT_EQ(squeezed(rows[2]), "2 4 4 1 4");
    EXPECT_EQ(squeezed(rows[3]), "3 8 10 3 8");
    const Finished nearer = runA2({"obstacles", file, "--max-distance", "4", "-r", "1"});
    EXPECT_TRUE(contains(nearer.out, "2 obstacle readings in 1 obstacle\n")) << nearer;
}

TEST(Obstacles, OfASimulatedSweepAreThoseOfItsSeed)
{
    const auto found = [](const char* seed) {
        const Finished run = runA2({"obstacles", "--seed", seed, "-n", "3001", "-r", "1", "--verbose"});
        EXPECT_EQ(run.status, 0) << run;
        EXPECT_TRUE(contains(run.out, "simulated sweep (seed")) << run;
        return below(run, "A reading");
    };
    const Words once = found("3");
    EXPECT_GT(once.size(), 2U);
    EXPECT_EQ(found("3"), once);
    EXPECT_NE(found("4"), once);
}

TEST(Obstacles, NoneOrNoBeamsAreFine)
{
    const Finished none = runA2({"obstacles", "-n", "0"});
    EXPECT_EQ(none.status, 0) << none;
    EXPECT_TRUE(contains(none.out, "0 obstacles")) << none;
    const Folder folder;
    for (const auto& [text, says] :
         {std::pair{"9", "0 obstacle readings in 0 obstacles"}, std::pair{"1", "1 obstacle reading in 1 obstacle\n"}}) {
        const Finished one = runA2({"obstacles", folder.file("one.txt", text), "-r", "1"});
        EXPECT_EQ(one.status, 0) << one;
        EXPECT_TRUE(contains(one.out, says)) << one;
    }
}

TEST(Obstacles, BadFilesAndOptionsAreRefused)
{
    const Folder folder;
    const std::string good = folder.file("good.txt", "1 2 3"), bad = folder.file("bad.txt", "1 2\n3 4,5\n");
    expectError(runA2({"obstacles", bad}), 2, "bad.txt, line 2, column 3: '4,5' is not a number");
    expectError(runA2({"obstacles", folder.path()}), 2, "is a folder");
    expectError(runA2({"obstacles", folder / "missing.txt"}), 2, "cannot be opened");
    expectError(runA2({"obstacles", folder.file("empty.txt", "")}), 2, "holds no distances");
    expectError(runA2({"obstacles", good, "--seed", "1"}), 2, "--seed with a FILE");
    expectError(runA2({"obstacles", good, "-n", "3"}), 2, "--size with a FILE");
    for (const char* distance : {"0", "-1", "x", "nan", "inf", "9x"})
        expectError(runA2({"obstacles", good, "--max-distance", distance}), 2, "--max-distance");
    expectError(runA2({"obstacles", "-n", "2^40"}), 3, "choose a smaller --size");
    EXPECT_EQ(folder.names().size(), 3U);
}

TEST(Obstacles, AWrongKernelFails)
{
    for (const auto& [file, from, to, says] :
         {std::tuple{"A2LabBrentKung.comp", "stride > 0; stride /= 2", "stride > 1; stride /= 2",
                     "BrentKung: element "},
          std::tuple{"A2LabBruteForceWhole.comp", "k <= index", "k < index", "BruteForce whole: element 0 of the scan"},
          std::tuple{"A2LabObstacleFlags.comp", "< push.maxDistance;", "<= push.maxDistance;",
                     "search: flag of beam 1"},
          std::tuple{"A2LabObstacleRuns.comp", "flags[beam - 1] == 0) firsts", "flags[beam - 1] == 1) firsts",
                     "obstacle 2 should be beams 8 to 8, is "},
          std::tuple{"A2LabObstacleRuns.comp", "beam == push.count - 1 || ", "", "1 beam, a near one: search: "}}) {
        const BrokenShaders folder(file, from, to);
        const Finished run = runA2({"obstacles", "-r", "1", "--shader-dir", folder.path()});
        EXPECT_EQ(run.status, 1) << run;
        EXPECT_TRUE(contains(run.out, says)) << run;
        EXPECT_TRUE(run.out.ends_with("TEST FAILED\n")) << run;
        EXPECT_FALSE(contains(run.out, "TEST PASSED")) << run;
    }
}

TEST(Obstacles, ValidationHasNothingToSay)
{
    const Finished run = runA2({"obstacles", "-n", "5000", "--seed", "2", "-r", "1", "--validation", "required"});
    EXPECT_EQ(run.status, 0) << run;
}

}  // namespace contract
