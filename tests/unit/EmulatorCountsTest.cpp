// The counts of work on data and of memory requests, compared with counts made by hand.

#include "support/EmulatedGlsl.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace a2 {

namespace {

using Figures = std::vector<std::uint64_t>;

// Two work-groups of 64, their subgroups of 32.
Emulated counted(const std::string& body, EmulatorSettings settings = {})
{
    EmulatedGlsl kernel(R"(#version 460
#extension GL_KHR_shader_subgroup_arithmetic : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer X { uint x[]; };
layout(set = 0, binding = 0) readonly buffer X4 { uvec4 x4[]; };
layout(set = 0, binding = 1) buffer O { uint o[]; };
#define L gl_LocalInvocationIndex
#define G gl_WorkGroupID.x
#define I gl_GlobalInvocationID.x
shared uint s[1024];
)" + body);
    kernel.settings = std::move(settings);
    kernel.settings.counts = true;
    kernel.settings.watched = 0;
    kernel.buffer(std::vector<std::uint32_t>(4096, 1)).buffer(std::vector<std::uint32_t>(4096));
    Emulated all = kernel.run({2, 1, 1});
    EXPECT_EQ(findingsText(all), "") << body;
    return all;
}

Conflicts conflictsOf(const std::string& body) { return counted(body).conflicts; }

}  // namespace

TEST(EmulatorCounts, OfATree)
{
    const Emulated all = counted(
        "void main() { s[L] = x[I]; barrier(); for (uint d = 32; d > 0; d /= 2) { if (L < d) s[L] += s[L + d]; "
        "barrier(); } if (L == 0) o[G] = s[0]; }");
    ASSERT_EQ(all.phases.size(), 8U);
    EXPECT_EQ(all.phases[0].reads, 128U);
    EXPECT_EQ(all.phases[0].active, Figures{128});
    for (std::size_t phase = 1; phase < 7; ++phase) {
        EXPECT_EQ(all.phases[phase].additions, 128U >> phase);
        EXPECT_EQ(all.phases[phase].active, Figures{128U >> phase});
        EXPECT_EQ(all.phases[phase].reads + all.phases[phase].writes, 0U);
    }
    EXPECT_EQ(all.phases[7].writes, 2U);
    EXPECT_EQ(all.phases[7].active, Figures{2});
    EXPECT_EQ(all.invocations, 128U);
}

TEST(EmulatorCounts, OfSumsThatBeginWith0AndOfSubgroups)
{
    // Three additions of four words; log2 of a subgroup in each of its invocations; those of each component.
    const Emulated all =
        counted("void main() { uint t = 0; for (uint k = 0; k < 4; ++k) t += x[4 * I + k]; o[I] = t; }");
    EXPECT_EQ(all.phases.at(0).additions, 128U * 3);
    EXPECT_EQ(all.phases.at(0).reads, 128U * 4);
    EXPECT_EQ(all.phases.at(0).active, (Figures{128, 128, 128}));
    EXPECT_EQ(counted("void main() { o[I] = subgroupAdd(x[I]); }").phases.at(0).additions, 128U * 5);
    EXPECT_EQ(counted("void main() { uvec4 v = uvec4(x[I]) + uvec4(x[I + 1]); o[I] = v.x; }").phases.at(0).additions,
              128U * 4);
}

TEST(EmulatorCounts, OfAtomicsThatTakeTurns)
{
    const Emulated all = counted(
        "void main() { if (L < 2) s[L] = 0; barrier(); atomicAdd(s[L % 2], x[I]); barrier(); if (L == 0) "
        "atomicAdd(o[0], s[0] + s[1]); }");
    ASSERT_EQ(all.phases.size(), 3U);
    EXPECT_EQ(all.sharedAtomics, (Figures{0, 128, 0}));
    EXPECT_EQ(all.phases[1].additions, 128U);
    // First all read at once; then each of the two words takes 32 turns, in both groups.
    EXPECT_EQ(all.phases[1].active.size(), 33U);
    EXPECT_EQ(all.phases[1].active.back(), 4U);
    EXPECT_EQ(all.phases[2].additions, 4U);  // s[0] + s[1], and the atomic one
    EXPECT_EQ(all.phases[2].reads, 2U);
    EXPECT_EQ(all.phases[2].writes, 2U);
}

TEST(EmulatorCounts, OfBanks)
{
    using Worst = Conflicts;
    EXPECT_EQ(conflictsOf("void main() { s[L] = x[I]; barrier(); o[I] = s[63 - L]; }"), (Worst{1, 1}));
    EXPECT_EQ(conflictsOf("void main() { s[2 * L] = x[I]; barrier(); o[I] = s[2 * L]; }"), (Worst{2, 2}));
    EXPECT_EQ(conflictsOf("void main() { s[16 * L] = x[I]; barrier(); o[I] = s[0]; }"), (Worst{16, 1}));
    EXPECT_EQ(conflictsOf("void main() { s[L * 33 % 1024] = x[I]; barrier(); o[I] = x[I]; }"), (Worst{1, 0}));
    // All n-th executions of one instruction form one access.
    EXPECT_EQ(conflictsOf("void main() { for (uint k = 0; k < 4; ++k) s[4 * L + k] = x[I]; }"), Worst{4});
    // Two subgroups: each stores once in two turns, and loads once in one.
    const Emulated all = counted("void main() { s[2 * L] = x[I]; barrier(); o[I] = s[0]; }");
    EXPECT_EQ(all.sharedRequests, 4U);
    EXPECT_EQ(all.bankTurns, 6U);
}

TEST(EmulatorCounts, OfOneWorkGroupAlone)
{
    EmulatorSettings settings;
    settings.watchedAlone = true;
    const Emulated all = counted("void main() { o[I] = x[I]; if (G > 0) o[I + 64] = 1; }", settings);
    EXPECT_EQ(all.invocations, 64U);
    EXPECT_EQ(all.phases.at(0).writes, 64U) << "the first one is watched";
}

TEST(EmulatorCounts, OfRequestsAndBranches)
{
    const auto asked = [](const std::string& body) {
        const Emulated all = counted(body);
        return Figures{all.requests, all.sectors, all.transactions};
    };
    // Four subgroups: 128 bytes side by side; every other word; one word for all; one byte too far.
    EXPECT_EQ(asked("void main() { uint y = x[I]; if (y > 5) o[I] = y; }"), (Figures{4, 16, 4}));
    EXPECT_EQ(asked("void main() { uint y = x[2 * I]; if (y > 5) o[I] = y; }"), (Figures{4, 32, 8}));
    EXPECT_EQ(asked("void main() { uint y = x[7]; if (y > 5) o[I] = y; }"), (Figures{4, 4, 4}));
    EXPECT_EQ(asked("void main() { uint y = x[I + 1]; if (y > 5) o[I] = y; }"), (Figures{4, 20, 8}));
    EXPECT_EQ(asked("void main() { uint y = x[32 * I]; if (y > 5) o[I] = y; }"), (Figures{4, 128, 128}));
    // Four words by one instruction: 512 bytes side by side.
    EXPECT_EQ(asked("void main() { uvec4 y = x4[I]; if (y.x > 5) o[I] = y.x; }"), (Figures{4, 64, 16}));
    // After a barrier() there is another request, even if some invocations reach the instruction for the first time.
    EXPECT_EQ(asked("void main() { for (uint k = 0; k < 2; ++k) { if (L % 32 <= k) o[I] = 1; barrier(); } }"),
              (Figures{8, 8, 8}));
    const auto parted = [](const std::string& body) {
        const Emulated all = counted(body);
        return Figures{all.branches, all.divergentBranches};
    };
    EXPECT_EQ(parted("void main() { if (L < 32) o[I] = 1; }"), (Figures{4, 0}));
    EXPECT_EQ(parted("void main() { if (L % 2 == 0) o[I] = 1; }"), (Figures{4, 4}));
    EXPECT_EQ(parted("void main() { if (L < 16) o[I] = 1; }"), (Figures{4, 2}));
}

TEST(EmulatorCounts, ShowsSharedMemoryAfterEachBarrier)
{
    std::vector<std::uint64_t> firsts, active;
    EmulatorSettings settings;
    settings.seen = [&](const EmulatorSettings::SeenPhase& phase) {
        const auto& all = phase.shared;
        ASSERT_EQ(all.size(), 1U);
        EXPECT_EQ(all[0].name, "s");
        EXPECT_EQ(all[0].bits, 32U);
        EXPECT_FALSE(all[0].isReal || all[0].isSigned);
        ASSERT_EQ(all[0].numbers.size(), 1024U);
        EXPECT_TRUE(all[0].set[63]);
        EXPECT_FALSE(all[0].set[64]);
        EXPECT_EQ(phase.number, firsts.size());
        active.push_back(phase.active);
        firsts.push_back(all[0].numbers[0]);
    };
    counted(
        "void main() { s[L] = x[I]; barrier(); for (uint d = 32; d > 0; d /= 2) { if (L < d) s[L] += s[L + d]; "
        "barrier(); } if (L == 0) o[G] = s[0]; }",
        settings);
    EXPECT_EQ(firsts, (std::vector<std::uint64_t>{1, 2, 4, 8, 16, 32, 64, 64}));
    EXPECT_EQ(active, (std::vector<std::uint64_t>{64, 32, 16, 8, 4, 2, 1, 1}));
}

TEST(EmulatorCounts, KnowsWhoIsIdle)
{
    EXPECT_EQ(counted("void main() { if (L < 48) o[I] = x[I]; }").idle, 32U);
    EXPECT_EQ(counted("void main() { if (L == 0) atomicAdd(o[0], x[I]); }").idle, 126U);
}

}  // namespace a2
