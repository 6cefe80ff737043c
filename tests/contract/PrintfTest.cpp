// debugPrintfEXT() in a student's kernel: run, steps, and their options.

#include "BrokenShaders.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>

namespace contract {

namespace {

const char* const sequential = "A2Task1Sequential.comp";
const char* const store = "data[first] = sum;";

class Printing : public BrokenShaders {
public:
    explicit Printing(const std::string& body) : BrokenShaders(sequential, store, body)
    {
        change(sequential, "#version 450", "#version 450\n#extension GL_EXT_debug_printf : require");
    }
    Finished a2(Words words) const
    {
        words.insert(words.begin() + 1, "reduce/sequential");
        words.insert(words.end(), {"--shader-dir", path()});
        return runA2(words);
    }
};

// As if the terminal were wide enough.
std::string withoutBreaks(const std::string& text)
{
    std::string wide;
    for (const char one : text)
        if (const char next = one == '\n' ? ' ' : one; next != ' ' || !wide.ends_with(' ')) wide += next;
    return wide;
}

std::size_t timesIn(const std::string& text, const std::string& part)
{
    std::size_t times = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++times;
    return times;
}

const std::string say = "debugPrintfEXT(\"sum %u\", sum); ";

}  // namespace

TEST(Printf, IsShownByStepsWithEachDispatch)
{
    const Printing shaders(say + store);
    const Finished steps = shaders.a2({"steps", "-n", "4", "-w", "2"});
    EXPECT_EQ(steps.status, 0) << steps;
    const std::size_t first = steps.out.find("printed in phase 0:\n"), second = steps.out.find("printed in", first + 1);
    ASSERT_NE(second, std::string::npos) << steps;
    EXPECT_TRUE(contains(steps.out.substr(first, second - first),
                         "    invocation 0 of work-group 0 (A2Task1Sequential.comp:27): sum 2\n"
                         "    invocation 1 of work-group 0 (A2Task1Sequential.comp:27): sum 4\n"))
        << steps;
    EXPECT_TRUE(contains(steps.out.substr(second), "invocation 0 of work-group 0 (A2Task1Sequential.comp:27): sum 6\n"))
        << steps;
    for (const char* device : {"emulator", "cpu"})
        EXPECT_EQ(timesIn(shaders.a2({"steps", "-n", "4", "-d", device}).out, ": sum "), 3U);
}

TEST(Printf, IsShownByRunWhereItFails)
{
    const Printing shaders(say + "data[first] = sum + 1u;");
    const Finished run = shaders.a2({"run", "-n", "1000", "-r", "1"});
    EXPECT_EQ(run.status, 1) << run;
    EXPECT_TRUE(contains(run.out, "\n  printed in a run of n = 2, with -w ")) << run;
    EXPECT_TRUE(contains(run.out,
                         "\n  dispatch 0 'Sequential, 2 to 1', phase 0:\n    invocation 0 of work-group 0 "
                         "(A2Task1Sequential.comp:27): sum "))
        << run;
    EXPECT_TRUE(run.out.ends_with("TEST FAILED\n")) << run;
}

TEST(Printf, ChangesNothingOfARunThatPasses)
{
    const Printing shaders(say + store);
    const Folder folder;
    const Finished run = shaders.a2({"run", "-n", "1000", "-r", "1", "--json", folder / "r.json"});
    EXPECT_EQ(run.status, 0) << run;
    EXPECT_FALSE(contains(run.out, "printed")) << run;
    EXPECT_EQ(inspect({"validate", A2_SCHEMA, folder / "r.json"}).status, 0);
    const Finished asked = shaders.a2({"run", "-n", "1000", "--elements", "2", "-r", "1", "--printf", "--limit", "3"});
    EXPECT_EQ(asked.status, 0) << asked;
    EXPECT_EQ(timesIn(asked.out, ": sum "), 3U) << asked;
    EXPECT_TRUE(contains(asked.out, "printed in a run of n = 1000, with -w ")) << asked;
    EXPECT_TRUE(contains(asked.out, "  996 more lines were printed: --limit shows more")) << asked;
    EXPECT_TRUE(asked.out.ends_with("TEST PASSED\n")) << asked;
    EXPECT_FALSE(contains(runA2({"run", "reduce/sequential", "-n", "1000", "-r", "1", "--printf"}).out, "printed"));
}

// glslang makes invalid strings of non-ASCII characters.
TEST(Printf, ShowsAQuestionMarkForEachCharacterBeyondASCII)
{
    const Printing shaders("debugPrintfEXT(\"Länge %u → €\", sum); " + std::string(store));
    const Finished steps = shaders.a2({"steps", "-n", "2", "-w", "2"});
    EXPECT_EQ(steps.status, 0) << steps;
    EXPECT_TRUE(contains(steps.out, ": L?nge 1 ? ?\n")) << steps;
}

TEST(Printf, IsShownAsTheLayerSaysItWithGpuValidation)
{
    const Printing shaders(say + store);
    const Finished run =
        shaders.a2({"run", "-n", "64", "-w", "4", "--elements", "2", "-r", "1", "--validation", "gpu", "--printf"});
    if (contains(run.err, "is not installed")) GTEST_SKIP() << "it takes the layer";
    EXPECT_EQ(run.status, 0) << run;
    EXPECT_TRUE(contains(run.out, "printed on the device, as the validation layer says it, in a run of n = 64,"))
        << run;
    EXPECT_GT(timesIn(run.out, "\n    sum "), 10U) << run;
}

TEST(Printf, IsCountedWhereThereIsNoRoomForIt)
{
    const Printing shaders("for (uint i = 0; i < 5000; ++i) debugPrintfEXT(\"%u\", i); " + std::string(store));
    const Finished run =
        shaders.a2({"run", "-n", "256", "-w", "64", "--elements", "2", "-r", "1", "--printf", "--limit", "2"});
    EXPECT_EQ(run.status, 0) << run;
    EXPECT_TRUE(contains(run.out, ": 0\n")) << run;
    EXPECT_TRUE(contains(run.out, ": 1\n")) << run;
    const std::size_t invocations = 128 + 64 + 32 + 16 + 8 + 4 + 2 + 1;
    EXPECT_TRUE(contains(run.out, "  " + std::to_string(invocations * 5000 - 2) + " more lines were printed")) << run;
}

TEST(Printf, StandsInReports)
{
    const Printing shaders(say + "data[first] = sum + 1u;");
    const Folder folder;
    const Finished run = shaders.a2({"run", "-n", "1000", "-r", "1", "--limit", "1", "--json", folder / "r.json"});
    EXPECT_EQ(run.status, 1) << run;
    EXPECT_EQ(inspect({"validate", A2_SCHEMA, folder / "r.json"}).status, 0);
    const auto printed = nlohmann::json::parse(textOf(folder / "r.json"))["tests"][0]["printed"];
    EXPECT_EQ(printed["n"], 2) << printed;
    EXPECT_EQ(printed["lines"].size(), 1U) << printed;
    EXPECT_EQ(printed["lines"][0]["file"], sequential) << printed;
    EXPECT_EQ(printed["lines"][0]["line"], 27) << printed;

    EXPECT_EQ(shaders.a2({"steps", "-n", "4", "--json", folder / "s.json"}).status, 1);
    EXPECT_EQ(inspect({"validate", A2_SCHEMA, folder / "s.json"}).status, 0);
    const auto dispatches = nlohmann::json::parse(textOf(folder / "s.json"))["dispatches"];
    ASSERT_EQ(dispatches.size(), 2U);
    EXPECT_EQ(dispatches[0]["printed"].size(), 2U) << dispatches;
    EXPECT_EQ(dispatches[1]["printed"].size(), 1U) << dispatches;
    EXPECT_EQ(dispatches[0]["printed"][1]["invocation"], 1) << dispatches;
}

TEST(Printf, OfOneWorkGroupAndOneInvocation)
{
    const Printing shaders(say + store);
    const Finished one = shaders.a2(
        {"run", "-n", "64", "-w", "4", "--elements", "2", "-r", "1", "--printf", "--group", "1", "--invocation", "2"});
    EXPECT_EQ(one.status, 0) << one;
    EXPECT_EQ(timesIn(one.out, ": sum "), timesIn(one.out, "invocation 2 of work-group 1 ")) << one;
    EXPECT_EQ(timesIn(one.out, ": sum "), 3U) << "of 32, 16 and 8 invocations: " << one;
    const Finished steps = shaders.a2({"steps", "-n", "32", "-w", "4", "--printf", "--group", "3"});
    EXPECT_EQ(timesIn(steps.out, ": sum "), 4U) << steps;
    expectError(shaders.a2({"run", "--limit", "0"}), 2, "--limit");
    expectError(shaders.a2({"run", "--invocation", "x"}), 2, "--invocation");
}

TEST(Printf, NamesAFormatThatIsWrongWithItsLine)
{
    const Printing shaders("debugPrintfEXT(\"sum %f of %u\\n\", sum, first); " + std::string(store));
    const Finished steps = shaders.a2({"steps", "-n", "8"});
    EXPECT_EQ(steps.status, 0) << steps;
    EXPECT_EQ(timesIn(withoutBreaks(steps.out),
                      "A2Task1Sequential.comp:27: debugPrintfEXT() cannot print this: '%f' is for real numbers, "
                      "and value 1 is a uint"),
              3U)
        << "once in each dispatch: " << steps;
}

// Control characters are shown as text, and a line that ends in a newline stays one line.
TEST(Printf, IsOnePrintableLine)
{
    const Printing shaders("debugPrintfEXT(\"a\\33[31m \\nb\\n\"); " + std::string(store));
    const Finished steps = shaders.a2({"steps", "-n", "2"});
    EXPECT_EQ(steps.status, 0) << steps;
    EXPECT_FALSE(contains(steps.out, "\33")) << steps;
    EXPECT_FALSE(contains(steps.out, "\nb")) << steps;
}

// If the kernel never ends, its earlier output is what helps.
TEST(Printf, BeforeAnEndlessLoop)
{
    const Printing shaders("for (uint s = 1u; s < 8u; s *= 1u) debugPrintfEXT(\"s is %u\", s); " + std::string(store));
    const Finished run = shaders.a2({"run", "-n", "64", "-r", "1", "--limit", "5"});
    EXPECT_EQ(run.status, 1) << run;
    EXPECT_TRUE(contains(run.out, "endless-loop")) << run;
    EXPECT_EQ(timesIn(run.out, ": s is 1\n"), 5U) << run;
}

}  // namespace contract
