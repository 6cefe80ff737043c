// A dispatch on several cores has the same result as the walk on one core.

#include "support/EmulatedGlsl.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace a2 {

namespace {

// 37 work-groups of 64, which four cores share unevenly.
struct WalkedOnCores {
    Emulated all;
    std::vector<std::uint32_t> out, in;  // the final words of O and X
};

WalkedOnCores walked(const std::string& body, std::uint32_t cores, const EmulatorSettings& settings)
{
    EmulatedGlsl kernel(R"(#version 460
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer X { uint x[]; };
layout(set = 0, binding = 1) buffer O { uint o[]; };
#define L gl_LocalInvocationIndex
#define G gl_WorkGroupID.x
#define I gl_GlobalInvocationID.x
shared uint s[64];
)" + body);
    std::vector<std::uint32_t> in(37 * 64);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::uint32_t>(i * 7919);
    kernel.buffer(in).buffer(std::size_t{37} * 64);
    kernel.settings = settings;
    kernel.settings.cores = cores;
    WalkedOnCores result{kernel.run({37, 1, 1}), kernel.words(1), kernel.words(0)};
    for (const EmulatedUse& use : result.all.uses)
        EXPECT_TRUE(use.buffer == &kernel.at(0) || use.buffer == &kernel.at(1));
    return result;
}

// How many of four cores walked it.
std::uint32_t expectSame(const std::string& body, const EmulatorSettings& settings = {})
{
    const WalkedOnCores one = walked(body, 1, settings), several = walked(body, 4, settings);
    EXPECT_EQ(findingsText(one.all), findingsText(several.all)) << body;
    EXPECT_EQ(one.out, several.out) << body;
    EXPECT_EQ(one.in, several.in) << body;
    EXPECT_EQ(one.all.cores, 1U);
    EXPECT_EQ(one.all.phases, several.all.phases) << body;
    EXPECT_EQ(one.all.sharedAtomics, several.all.sharedAtomics) << body;
    EXPECT_EQ(one.all.conflicts, several.all.conflicts) << body;
    EXPECT_EQ(one.all.uses.size(), several.all.uses.size());
    for (std::size_t i = 0; i < std::min(one.all.uses.size(), several.all.uses.size()); ++i) {
        EXPECT_EQ(one.all.uses[i].read, several.all.uses[i].read) << body;
        EXPECT_EQ(one.all.uses[i].written, several.all.uses[i].written) << body;
    }
    for (const auto figure : {&Emulated::instructions, &Emulated::invocations, &Emulated::idle,
                              &Emulated::sharedRequests, &Emulated::bankTurns, &Emulated::requests, &Emulated::sectors,
                              &Emulated::transactions, &Emulated::branches, &Emulated::divergentBranches})
        EXPECT_EQ(one.all.*figure, several.all.*figure) << body;
    return several.all.cores;
}

const std::string tree =
    "void main() { s[L] = x[I]; barrier(); for (uint d = 32; d > 0; d /= 2) { if (L < d) s[L] += s[L + d]; "
    "barrier(); } if (L == 0) o[G] = s[0]; }";

}  // namespace

TEST(EmulatorCores, AreUsedWhereWorkGroupsHaveNothingToDoWithOneAnother)
{
    EXPECT_EQ(expectSame(tree), 4U);
    EXPECT_EQ(expectSame("void main() { x[I] += x[I] >> 3; o[36 * 64 - I + 63] = x[I]; }"), 4U);
    EmulatorSettings counts;
    counts.counts = true;
    counts.watched = 20;
    EXPECT_EQ(expectSame(tree, counts), 4U);
}

TEST(EmulatorCores, AreOneWhereWorkGroupsMeet)
{
    EXPECT_EQ(expectSame("void main() { o[I] = x[I]; x[(I + 64) % (37 * 64)] = I; }"),
              1U);  // reads what another invocation writes
    // They are far from each other: in the parts of different cores.
    EXPECT_EQ(expectSame("void main() { o[I] = x[I]; x[(I + 20 * 64) % (37 * 64)] = I; }"), 1U);
    EXPECT_EQ(expectSame("void main() { o[I % (20 * 64)] = I; }"), 1U);
    EXPECT_EQ(expectSame("void main() { o[I] = x[I]; if (I == 0) x[0] = 7; if (I == 36 * 64) o[I] = x[0]; }"), 1U);
    EXPECT_EQ(expectSame("void main() { o[I % 64] = I; }"), 1U);  // all write
    EXPECT_EQ(expectSame("void main() { o[G / 20] = x[I]; }"), 1U);
    EXPECT_EQ(expectSame("void main() { atomicAdd(o[0], x[I]); }"), 1U);
}

TEST(EmulatorCores, AreOneWhereSomethingIsToBeSaid)
{
    EXPECT_EQ(expectSame("void main() { s[L] = x[I]; o[I] = s[63 - L]; }"), 1U);                // race
    EXPECT_EQ(expectSame("void main() { o[I] = x[I]; if (I == 2000) o[I + 9999] = 1; }"), 1U);  // out of bounds
    EXPECT_EQ(expectSame("void main() { if (I < 2000) o[I] = x[I]; else for (uint i = 0; i < 2; i *= 2) o[I] = 1; }"),
              1U);  // no end
    EmulatorSettings little;
    little.budget = 30'000;  // enough for each part, not for all
    EXPECT_EQ(walked(tree, 4, little).all.overBudget, true);
    EXPECT_EQ(walked(tree, 4, little).all.instructions, walked(tree, 1, little).all.instructions);
}

}  // namespace a2
