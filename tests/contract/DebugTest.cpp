// a2 debug: the commands, their answers, and where it stops.

#include "BrokenShaders.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace contract {

namespace {

// Runs it with these commands, typed into a file.
Finished debug(const Words& typed, Words more = {"reduce/decomposition", "-n", "16", "-w", "4"})
{
    const Folder folder;
    std::string text;
    for (const std::string& line : typed) text += line + "\n";
    more.insert(more.begin(), "debug");
    more.insert(more.end(), {"--quiet", "-x", folder.file("typed", text)});
    return runA2(more);
}

// The answer to the last command.
std::string lastAnswer(const Finished& run)
{
    const std::size_t at = run.out.rfind("(a2) ");
    return at == std::string::npos ? run.out : run.out.substr(std::min(run.out.find('\n', at) + 1, run.out.size()));
}

std::string lineOf(const std::string& text, const std::string& part)
{
    const Words lines = linesOf(text);
    for (std::size_t i = 0; i < lines.size(); ++i)
        if (contains(lines[i], part)) return std::to_string(i + 1);
    return "?";
}
std::string lineWith(const std::string& kernel, const std::string& part)
{
    return lineOf(textOf(A2_SHADERS "/" + kernel), part);
}

const char* const decomposition = "A2Task1KernelDecomposition.comp";

}  // namespace

TEST(Debug, GoesLineByLineAndBack)
{
    const Finished run = debug({"next", "next", "print lane", "back", "next"});
    EXPECT_EQ(run.status, 0) << run;
    EXPECT_TRUE(contains(run.out, "\nthis run passes\n")) << run;
    EXPECT_TRUE(contains(run.out, "(a2) print lane\nlane = 0\n(a2) back\n")) << run;
    EXPECT_TRUE(contains(lastAnswer(run), "partial[lane] = sum;\n")) << run;
    EXPECT_TRUE(contains(lastAnswer(debug({"step", "step"})), "A2LoadTile") ||
                contains(debug({"step", "step", "where"}).out, "sumOfMyElements() at shaders/include/A2LoadTile.glsl:"))
        << "a step goes into a call";
    EXPECT_TRUE(contains(lastAnswer(debug({"step", "step", "finish"})), "uint sum = sumOfMyElements();"));
    EXPECT_TRUE(contains(lastAnswer(debug({"until barrier"})), "phase 1\n"));
    EXPECT_TRUE(contains(lastAnswer(debug({"until barrier", "until barrier", "back barrier"})), "phase 1\n"));
    EXPECT_TRUE(contains(lastAnswer(debug({"next dispatch"})), "dispatch 1 of 2 "));
    EXPECT_TRUE(contains(lastAnswer(debug({"next dispatch", "restart"})), "dispatch 0 of 2 "));
    const std::string line = lineWith(decomposition, "partial[lane] = sum;");
    EXPECT_TRUE(contains(lastAnswer(debug({"break " + line, "continue", "until dispatch", "back breakpoint"})),
                         "at a breakpoint"));
}

TEST(Debug, StopsAtBreakpointsWithConditions)
{
    const std::string line = lineWith(decomposition, "if (lane < stride");
    const Finished run =
        debug({"break " + line + " if lane == 2 && stride == 1", "continue", "print lane * 10 + stride"});
    EXPECT_EQ(run.status, 0) << run;
    EXPECT_TRUE(contains(run.out, "\nbreakpoint 1\n")) << run;
    EXPECT_EQ(lastAnswer(run), "lane * 10 + stride = 21\n") << run;
    const Finished moved = debug({"break 1"});
    EXPECT_TRUE(contains(lastAnswer(moved), "breakpoint 1 at shaders/A2Task1KernelDecomposition.comp:")) << moved;
    EXPECT_TRUE(contains(lastAnswer(moved), "(line 1 has no code)")) << moved;
    const Finished deleted = debug({"break " + line, "delete 1", "continue"});
    EXPECT_TRUE(contains(lastAnswer(deleted), "the run has ended")) << deleted;
    EXPECT_TRUE(contains(debug({"break " + line + " if nothing > 1", "continue"}).out, "'nothing' means nothing here"));
    expectError(debug({"break 100000"}), 2, "no line with code of this run's kernels");
}

TEST(Debug, FindsWhoWroteSomething)
{
    const Finished run = debug({"continue", "why result[0]", "print sum", "return"});
    EXPECT_EQ(run.status, 0) << run;
    EXPECT_TRUE(
        contains(run.out, "\nresult[0]: ? -> 120, by invocation 0 of work-group 0 in dispatch 1, on this line\n"))
        << run;
    EXPECT_TRUE(contains(run.out, "\nsum = 120\n")) << run;
    EXPECT_TRUE(contains(lastAnswer(run), "the run has ended")) << run;
    EXPECT_TRUE(contains(debug({"why input[0]"}).out, "up to here nothing in this run has changed input[0]"));
    const Finished watched = debug({"until barrier", "watch partial[1]", "continue"});
    EXPECT_TRUE(contains(watched.out, "\npartial[1]: ")) << watched;
    EXPECT_TRUE(contains(lastAnswer(watched), "partial[lane] = sum;\n")) << watched;
}

TEST(Debug, ShowsValuesOfAllKinds)
{
    const auto shown = [](const std::string& what) { return lastAnswer(debug({"until barrier", what})); };
    EXPECT_EQ(shown("print gl_LocalInvocationID"), "gl_LocalInvocationID = (0, 0, 0)\n");
    EXPECT_EQ(shown("print gl_WorkGroupSize.x"), "gl_WorkGroupSize.x = 4\n");
    EXPECT_EQ(shown("print push"), "push = {count = 16}\n");
    EXPECT_EQ(shown("print partial"), "partial = {4, 6, 8, 10}\n");
    EXPECT_EQ(shown("print -1 < 0 ? 0x10 : 2u"), "-1 < 0 ? 0x10 : 2u = 16\n");
    EXPECT_EQ(shown("print 1.5 + float(lane)"), "1.5 + float(lane) = 1.5\n");
    EXPECT_EQ(shown("print !(partial[1] == partial[2])"), "!(partial[1] == partial[2]) = true\n");
    // As a kernel calculates, even where GLSL leaves the result undefined.
    EXPECT_EQ(shown("print -7 % 3"), "-7 % 3 = 2\n");
    EXPECT_EQ(shown("print 7 % -3"), "7 % -3 = -2\n");
    EXPECT_EQ(shown("print uint(-1.5)"), "uint(-1.5) = 0\n");
    EXPECT_EQ(shown("print int(3e9)"), "int(3e9) = 2147483647\n");
    EXPECT_EQ(shown("print max(-1, 1u)"), "max(-1, 1u) = 4294967295\n");
    EXPECT_TRUE(contains(shown("shared"), "partial\n  [0]"));
    EXPECT_TRUE(contains(shown("buffer"), "  source[16]\n"));
    EXPECT_TRUE(contains(shown("buffer source 4 2"), "  [4] 4 5\n  ... "));
    EXPECT_TRUE(contains(shown("locals"), "  lane   = 0\n"));
    EXPECT_TRUE(contains(shown("invocations"), "*    0 "));
    EXPECT_TRUE(contains(shown("list"), "> "));
    EXPECT_EQ(lastAnswer(debug({"print sum"})), "sum = ? (never set)\n");
    EXPECT_TRUE(contains(debug({"until barrier", "switch 2", "print lane"}).out, "lane = 2\n"));
    EXPECT_TRUE(contains(lastAnswer(debug({"until barrier", "switch 2", "next"})), "if (lane < stride"));
}

TEST(Debug, StopsWhereARuleIsBroken)
{
    const BrokenShaders shaders(decomposition, "        barrier();  // the next step reads",
                                "        // the next step reads");
    const Finished run = debug({"continue", "print lane"},
                               {"reduce/decomposition", "-n", "16", "-w", "4", "--shader-dir", shaders.path()});
    EXPECT_EQ(run.status, 0) << run;
    EXPECT_TRUE(contains(run.out, "\nit breaks shared-race\n")) << run;
    EXPECT_TRUE(contains(run.out, "(a2) continue\nshared-race: invocation 1 of work-group 0 writes 'partial[1]'"))
        << run;
    EXPECT_EQ(lastAnswer(run), "lane = 1\n") << run;
}

TEST(Debug, FindsAgainWhatItHasFoundBefore)
{
    const BrokenShaders shaders(decomposition, "        barrier();  // the next step reads",
                                "        // the next step reads");
    for (const char* between : {"restart", "back"}) {
        const Finished run = debug({"continue", between, "continue"},
                                   {"reduce/decomposition", "-n", "8", "-w", "4", "--shader-dir", shaders.path()});
        EXPECT_NE(run.out.find("\nshared-race: "), run.out.rfind("\nshared-race: ")) << run;
    }
}

TEST(Debug, KnowsWhichOfSeveralVariablesIsMeant)
{
    const std::string code =
        "partial[lane] = sum;\n"
        "    uint x = 100u;\n"
        "    for (uint i = 0; i < 2; ++i) {\n"
        "        uint x = i;\n"
        "        x += 10u;\n"
        "    }\n"
        "    x += 1u;\n"
        "    uint y = 0; while (y < 3) y += x; /* ü */\n"
        "    partial[lane] += x - x;\n";
    const BrokenShaders shaders(decomposition, "partial[lane] = sum;\n", code);
    const std::string inner = lineOf(textOf(shaders.path() + "/" + decomposition), "x += 10u"),
                      outer = lineOf(textOf(shaders.path() + "/" + decomposition), "x += 1u;");
    const Finished run = debug({"until " + inner, "print x", "until " + inner, "print x", "until " + outer, "print x",
                                "next", "print x", "next", "print x", "list"},
                               {"reduce/decomposition", "-n", "16", "-w", "4", "--shader-dir", shaders.path()});
    EXPECT_EQ(run.status, 0) << run;
    std::string shown;
    for (const std::string& line : linesOf(run.out))
        if (line.starts_with("x = ")) shown += line.substr(4) + " ";
    EXPECT_EQ(shown, "0 1 100 101 101 ") << run;
    EXPECT_TRUE(contains(run.out, "while (y < 3) y += x; /* ü */\n")) << "as it stands in the file\n" << run;
    EXPECT_TRUE(contains(run.out, "    partial[lane] += x - x;\n")) << run;
}

// Up to version 14, glslang damages what follows such a character in the kernel, even the ends of lines.
TEST(Debug, OfAKernelWithCommentsThatAreNotAsciiNothingWrongIsQuoted)
{
    const BrokenShaders shaders(decomposition, "        barrier();  // the next step reads",
                                "        // Grüße, ä\n        //");
    const Finished run =
        runA2({"run", "reduce/decomposition", "-n", "16", "-r", "1", "-d", "emulator", "--shader-dir", shaders.path()});
    EXPECT_EQ(run.status, 1) << run;
    EXPECT_TRUE(contains(run.out, "shared-race: ")) << run;
    EXPECT_FALSE(contains(run.out, "?")) << run;
}

TEST(Debug, EndsWhereALoopHasNoEnd)
{
    const BrokenShaders shaders(decomposition, "stride /= 2", "stride /= 1");
    const Finished run = debug({"continue", "print stride"},
                               {"reduce/decomposition", "-n", "16", "-w", "4", "--shader-dir", shaders.path()});
    EXPECT_TRUE(contains(run.out, "endless-loop")) << run;
    EXPECT_EQ(lastAnswer(run), "stride = 2\n") << run;
}

TEST(Debug, ShowsWhatIsPrinted)
{
    BrokenShaders shaders(decomposition, "partial[lane] = sum;\n    barrier();",
                          "partial[lane] = sum; debugPrintfEXT(\"lane %u\", lane);\n    barrier();");
    shaders.change(decomposition, "#version 450", "#version 450\n#extension GL_EXT_debug_printf : require");
    const Finished run = debug({"continue", "restart", "continue"},
                               {"reduce/decomposition", "-n", "8", "-w", "4", "--shader-dir", shaders.path()});
    EXPECT_EQ(run.status, 0) << run;
    const std::string line = "dispatch 0, work-group 0, invocation 3 prints: lane 3\n";
    EXPECT_TRUE(contains(run.out, line)) << run;
    EXPECT_EQ(run.out.find(line), run.out.rfind(line)) << "once\n" << run;
}

TEST(Debug, AnswersAsJson)
{
    const Finished run = debug({"next", "print lane", "print nonsense", "continue"},
                               {"reduce/decomposition", "-n", "16", "-w", "4", "--json"});
    EXPECT_EQ(run.status, 2) << run;
    std::vector<nlohmann::json> answers;
    for (const std::string& line : linesOf(run.out)) answers.push_back(nlohmann::json::parse(line));
    ASSERT_EQ(answers.size(), 5U) << run;
    EXPECT_EQ(answers[0]["stop"]["invocation"], 0) << run;
    EXPECT_EQ(answers[1]["command"], "next") << run;
    EXPECT_EQ(answers[1]["stop"]["file"], decomposition) << run;
    EXPECT_EQ(answers[2]["value"], 0) << run;
    EXPECT_EQ(answers[3]["ok"], false) << run;
    EXPECT_TRUE(contains(answers[3]["error"], "means nothing here")) << run;
    EXPECT_EQ(answers[4]["stop"]["end"], true) << run;
}

TEST(Debug, RefusesInOneLineAndGoesOn)
{
    for (const auto& [typed, why] : std::vector<std::pair<std::string, std::string>>{
             {"fly", "'fly' is no command"},
             {"print", "print EXPRESSION"},
             {"print 1 +", "is no expression"},
             {"print lane = 2", "nothing can be assigned here"},
             {"print partial[4]", "element 4 is past the end: there are 4"},
             {"print partial[-1]", "element -1 is past the end"},
             {"print 1 / 0", "a division by 0"},
             {"print partial + 1", "more than one number"},
             {"print lane.x", "there is no member 'x'"},
             {"print 99999999999", "no number of 32 bits"},
             {"print " + std::string(500, '('), "it is too deep"},
             {"print 1" + std::string(2000, '-') + "1", "it is too"},
             {"next 0", "0 lines: name at least 1"},
             {"continue 5", "nothing comes after 'continue'"},
             {"break 3 if", "there is no condition"},
             {"break nowhere.comp:3", "they are in"},
             {"why 1 + 1", "nothing that a kernel writes to"},
             {"watch gl_WorkGroupSize.x", "nothing that a kernel writes to"},
             {"break x", "is no line"},
             {"switch 4", "from 0 to 3"},
             {"until never", "until barrier"},
             {"back never", "is no number of lines"},
             {"return", "'return' goes to where"},
             {"buffer lane", "is no buffer"},
             {"shared lane", "no shared variable"}}) {
        const Finished run = debug({"next", typed, "print lane"});
        EXPECT_EQ(run.status, 2) << typed << "\n" << run;
        EXPECT_TRUE(contains(run.err, why)) << typed << "\n" << run;
        EXPECT_EQ(linesOf(run.err).size(), 1U) << typed << "\n" << run;
        EXPECT_EQ(lastAnswer(run), "lane = 0\n") << typed << "\n" << run;
    }
    expectError(runA2({"debug", "reduce/sequential", "-x", "/nowhere/at/all"}), 3, "cannot be read");
#ifndef _WIN32
    expectError(runA2({"debug", "reduce/sequential", "-x", "/dev/zero"}), 3, "more than a file of commands has");
#endif
    expectError(runA2({"debug"}), 2, "");
    expectError(runA2({"debug", "reduce/sequential", "--run", "4"}), 2, "--run");
    expectError(runA2({"debug", "reduce/sequential", "-n", "0"}), 2, "no line to stop at");
}

TEST(Debug, GoesThroughEachRow)
{
    for (const std::string& row : allRows()) {
        const Finished run = debug({"next", "locals", "continue", "print result[0]", "back"}, {row});
        EXPECT_EQ(run.status, 0) << row << "\n" << run;
        EXPECT_TRUE(contains(run.out, "the run has ended")) << row << "\n" << run;
    }
}

}  // namespace contract
