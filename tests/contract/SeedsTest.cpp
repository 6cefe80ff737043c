// Timed inputs are random with a fresh seed; every report and every printed command names it.

#include "BrokenShaders.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace contract {

namespace {

// The values after "key": in a report, unchanged.
std::set<std::string> valuesOf(const std::string& json, const std::string& key)
{
    std::set<std::string> values;
    const std::string name = "\"" + key + "\":";
    for (std::size_t at = json.find(name); at != std::string::npos; at = json.find(name, at + 1)) {
        const std::size_t first = json.find_first_not_of(' ', at + name.size());
        values.insert(json.substr(first, json.find_first_of(",\n}", first) - first));
    }
    return values;
}

struct SeedsAndPatterns {
    std::set<std::string> seeds, patterns;  // in the context and in all cases
};

SeedsAndPatterns reported(Words words)
{
    const Folder folder;
    words.insert(words.end(), {"--json", folder / "report.json"});
    const Finished run = runA2(words);
    EXPECT_EQ(run.status, 0) << run;
    const std::string json = textOf(folder / "report.json");
    return {valuesOf(json, "seed"), valuesOf(json, "pattern")};
}

// A kernel that always uses the elements of the pattern mod97, in arrays that are too long for earlier trials.
BrokenShaders knowingThePattern()
{
    const std::string given = "source[first + k]";
    return {"A2Task2KernelDecomposition.comp", "first + k < push.count ? " + given,
            "first + k < push.count ? (push.count < 70000 ? " + given + " : (first + k) % 97)"};
}

}  // namespace

TEST(Seeds, AreFreshAndReported)
{
    std::set<std::string> seeds;
    for (const char* command : {"run", "run", "bench", "check"}) {
        const SeedsAndPatterns run = reported({command, "reduce/atomic", "-n", "100"});
        ASSERT_EQ(run.seeds.size(), 1U) << command << ": the context's and every case's are the same";
        const std::string seed = *run.seeds.begin();
        EXPECT_LE(std::stoull(seed), 4294967295ULL) << "short enough to paste";
        seeds.insert(seed);
        if (command != std::string("check")) {
            EXPECT_EQ(run.patterns, std::set<std::string>{"\"random\""}) << command;
        }
    }
    EXPECT_EQ(seeds.size(), 4U) << "the same by chance once in 700 million times";
}

TEST(Seeds, AreWhatWasAskedFor)
{
    for (const char* command : {"run", "bench", "steps"}) {
        const SeedsAndPatterns run = reported({command, "reduce/atomic", "-n", "100", "-s", "12"});
        EXPECT_EQ(run.seeds, std::set<std::string>{"12"}) << command;
        EXPECT_EQ(run.patterns, std::set<std::string>{"\"random\""}) << command;
    }
    EXPECT_EQ(reported({"check", "reduce/atomic", "-n", "100", "-s", "12"}).seeds, std::set<std::string>{"12"});
    const SeedsAndPatterns named = reported({"bench", "reduce/atomic", "-n", "100", "-s", "12", "-p", "mod97"});
    EXPECT_EQ(named.patterns, std::set<std::string>{"\"mod97\""});
    EXPECT_EQ(reported({"steps", "reduce/atomic"}).patterns, std::set<std::string>{"\"mod97\""}) << "easy to read";
}

TEST(Seeds, ArePrintedWithAFailure)
{
    const BrokenShaders shaders("A2Task1Sequential.comp", "k < ELEMENTS", "k < ELEMENTS - 1");
    const Words words = {"reduce/sequential", "-n", "1000", "--shader-dir", shaders.path()};
    Words asked = words;
    asked.insert(asked.end(), {"-s", "12"});
    const Finished run = runA2(asked), fresh = runA2(words);
    const Finished steps = runA2({"steps", "reduce/sequential", "-n", "5", "--shader-dir", shaders.path(), "-s", "12"});
    EXPECT_TRUE(contains(run.out, " -p random -s 12 ")) << run;
    EXPECT_TRUE(contains(printedCommand(run.out), " -p mod97 ")) << "easier to read, and it fails as well\n" << run;
    EXPECT_TRUE(contains(fresh.out, " -p random -s ")) << fresh;
    EXPECT_FALSE(contains(fresh.out, " -s 1 ")) << fresh;
    EXPECT_TRUE(contains(steps.out, "n = 5, random,")) << steps;
    const Finished again = pasted(printedCommand(fresh.out));
    EXPECT_EQ(again.status, 1) << fresh << again;
}

TEST(Seeds, LeaveNothingToKnow)
{
    const BrokenShaders shaders = knowingThePattern();
    const Words words = {"scan/local", "-n", "100000", "--elements", "2", "--shader-dir", shaders.path()};
    const Finished unknown = runA2(words);
    EXPECT_EQ(unknown.status, 1) << unknown;
    EXPECT_TRUE(contains(unknown.out, "at index ")) << unknown;
    Words named = words;
    named.insert(named.end(), {"-p", "mod97", "-r", "2"});
    EXPECT_EQ(runA2(named).status, 0) << "nothing but a pattern that nobody knows shows it";
    named.back() = "3";
    const Finished third = runA2(named);
    EXPECT_EQ(third.status, 1) << "a repetition has an input that nobody knows, either\n" << third;
    EXPECT_TRUE(contains(third.out, "stale-state: repetition 2 of 3: it passed before")) << third;
}

}  // namespace contract
