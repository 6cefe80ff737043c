// A right result by another method than the row asks for: a note, and with --strict a failure.

#include "BrokenShaders.h"

#include <gtest/gtest.h>

namespace contract {

namespace {

// It is right, but has bank conflicts.
struct Unpadded : BrokenShaders {
    Unpadded() : BrokenShaders("include/A2Kernels.h", "((index) + (index) / NUM_BANKS)", "(index)") {}
};

constexpr const char* said = "method: no bank conflicts: worst bank conflict 16-way, of 32 banks: pad the addresses";

Finished judged(const char* command, const Unpadded& shaders, const std::string& report, bool strict)
{
    Words words = {command,      "scan/local", "-n",           "4096",         "-w",     "256",
                   "--elements", "2",          "--shader-dir", shaders.path(), "--json", report};
    if (strict) words.push_back("--strict");
    return runA2(words);
}

// Ignores white space, which depends on where lines are wrapped.
bool says(const std::string& text, const std::string& part)
{
    std::string flat;
    for (const char c : text)
        if (c != '\n' && !(c == ' ' && flat.ends_with(' '))) flat += c;
    return contains(flat, part);
}

}  // namespace

class Method : public testing::TestWithParam<const char*> {};

TEST_P(Method, IsANoteAndWithStrictAFailure)
{
    const Unpadded shaders;
    const Folder folder;
    const std::string report = folder / "report.json";

    const Finished noted = judged(GetParam(), shaders, report, false);
    EXPECT_EQ(noted.status, 0) << noted;
    EXPECT_EQ(linesOf(noted.out).size(), 3U) << noted;
    EXPECT_EQ(linesOf(noted.out).back(), "TEST PASSED") << noted;
    EXPECT_TRUE(says(noted.err, std::string("scan/local: note: ") + said)) << noted;
    EXPECT_EQ(inspect({"validate", A2_SCHEMA, report}).status, 0);
    EXPECT_TRUE(contains(textOf(report), "\"criterion\": \"no bank conflicts\""));
    EXPECT_TRUE(contains(textOf(report), "\"met\": false"));
    EXPECT_TRUE(contains(textOf(report), "\"met\": true"));

    const Finished strict = judged(GetParam(), shaders, report, true);
    EXPECT_EQ(strict.status, 1) << strict;
    EXPECT_EQ(linesOf(strict.out).back(), "TEST FAILED") << strict;
    EXPECT_TRUE(says(strict.out, said)) << strict;
    EXPECT_EQ(inspect({"validate", A2_SCHEMA, report}).status, 0);
    EXPECT_TRUE(contains(textOf(report), "\"file\": \"A2Task2KernelDecomposition.comp\""));
}

INSTANTIATE_TEST_SUITE_P(, Method, testing::Values("run", "check"),
                         [](const testing::TestParamInfo<const char*>& command) { return command.param; });

TEST(MethodOfAllRows, IsTheirOwn)
{
    for (const Words& words : {Words{"--strict", "--all", "-n", "5000"}, Words{"--strict", "--course", "-n", "8192"}}) {
        const Finished finished = runA2(words);
        EXPECT_EQ(finished.status, 0) << finished;
        EXPECT_FALSE(contains(finished.err, "method")) << finished;
    }
}

}  // namespace contract
