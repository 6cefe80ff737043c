// What the emulator reports for every access: which invocation, where, and what a written number is made of.

#include "support/EmulatedGlsl.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace a2 {

namespace {

const char* const traceHead = R"(#version 450
#extension GL_KHR_shader_subgroup_arithmetic : require
layout(local_size_x = 4) in;
layout(binding = 0) readonly buffer In { uint x[]; };
layout(binding = 1) buffer Out { uint o[]; };
shared uint s[8];
#define L gl_LocalInvocationID.x
#define I gl_GlobalInvocationID.x
)";

Trace traceOf(const std::string& body, std::uint32_t groups = 1)
{
    EmulatedGlsl kernel(traceHead + ("void main() { " + body + " }"));
    kernel.buffer({10, 11, 12, 13, 14, 15, 16, 17}).buffer(std::size_t{8});
    kernel.settings.counts = kernel.settings.traces = true;
    Emulated walked = kernel.run({groups, 1, 1});
    EXPECT_TRUE(walked.complete);
    return std::move(walked.trace);
}

// The last write there: "x0 s1" for the reads that its value is made of, by memory and index.
std::string madeOf(const Trace& trace, bool shared, std::uint64_t index)
{
    const auto found = std::find_if(trace.accesses.rbegin(), trace.accesses.rend(), [&](const TracedAccess& one) {
        return one.writes && one.shared == shared && one.index == index;
    });
    if (found == trace.accesses.rend()) return "never written";
    std::string text;
    for (const std::uint32_t read : found->from) {
        const TracedAccess& one = trace.accesses.at(read);
        text += (text.empty() ? "" : " ") + std::string(one.shared ? "s" : "x") + std::to_string(one.index);
    }
    return text;
}

}  // namespace

TEST(Trace, FollowsNumbersThroughRegistersToWhereTheyAreWritten)
{
    EXPECT_EQ(madeOf(traceOf("o[L] = x[L] + x[L + 4];"), false, 1), "x1 x5");
    EXPECT_EQ(madeOf(traceOf("uint all = 0; for (uint i = 0; i < 3; ++i) all += x[L + i]; o[L] = all;"), false, 2),
              "x2 x3 x4");
    EXPECT_EQ(madeOf(traceOf("uint kept[2]; kept[0] = x[L]; kept[1] = x[L + 1]; o[L] = kept[L & 1];"), false, 3), "x4");
    EXPECT_EQ(madeOf(traceOf("uint a = x[0], b = x[1]; o[L] = L > 1 ? a : b;"), false, 2), "x0");
    EXPECT_EQ(madeOf(traceOf("o[x[L] - 10] = 7;"), false, 2), "") << "an index is no source";
    EXPECT_EQ(madeOf(traceOf("if (x[L] > 11) o[L] = 7;"), false, 2), "") << "a decision is no source";
    EXPECT_EQ(madeOf(traceOf("uint sum = subgroupAdd(x[L]); if (L == 0) o[0] = sum;"), false, 0), "x0 x1 x2 x3");
    EXPECT_EQ(madeOf(traceOf("o[L] = subgroupInclusiveAdd(x[L]);"), false, 2), "x0 x1 x2");
    EXPECT_EQ(madeOf(traceOf("if (L == 0) o[0] = 0; barrier(); uint a = x[L]; atomicAdd(o[0], a);"), false, 0), "x3");
}

// In a down-sweep both children are made of values that were read before either was written.
TEST(Trace, TellsTheSourcesOfASwap)
{
    const Trace trace = traceOf(
        "s[2 * L] = x[L]; s[2 * L + 1] = x[L + 4]; barrier(); uint left = s[2 * L]; s[2 * L] = s[2 * L + 1]; "
        "s[2 * L + 1] += left;");
    EXPECT_EQ(madeOf(trace, true, 4), "s5");
    EXPECT_EQ(madeOf(trace, true, 5), "s4 s5");
}

TEST(Trace, SaysWhoAskedForWhatAndWhere)
{
    const Trace trace = traceOf("s[L] = x[I];\n barrier(); o[I] = s[3 - L];", 2);
    ASSERT_EQ(trace.accesses.size(), 32U);
    EXPECT_FALSE(trace.cut);
    const TracedAccess& one = trace.accesses.at(16 + 8 + 2);  // in work-group 1, after its barrier
    EXPECT_EQ(one.group, 1U);
    EXPECT_EQ(one.phase, 1U);
    EXPECT_EQ(one.invocation, 1U);
    EXPECT_TRUE(one.shared && one.reads && !one.writes);
    EXPECT_EQ(one.index, 2U);
    EXPECT_EQ(one.value, 16U);
    EXPECT_EQ(trace.lines.at(one.line).source.text, "barrier(); o[I] = s[3 - L]; }");
    const TracedAccess& other = trace.accesses.at(16 + 8 + 4);
    EXPECT_EQ(other.request, one.request) << "of one instruction, at once";
    EXPECT_NE(trace.accesses.at(16 + 8 + 1).request, one.request);
}

TEST(Trace, TellsWhatComesBehindAWriteInTheSamePhase)
{
    const Trace trace = traceOf("s[L] = x[L]; barrier(); if (L == 0) { s[3] = 0; s[2] = s[3]; }");
    std::vector<std::uint32_t> levels;
    for (const TracedAccess& one : trace.accesses)
        if (one.phase == 1) levels.push_back(one.level);
    EXPECT_EQ(levels, (std::vector<std::uint32_t>{0, 1, 1}));
}

// The sum stays in a register: the number in shared memory is a copy for the neighbours.
TEST(Trace, TellsWhichWriteANumberInARegisterStandsFor)
{
    const Trace trace = traceOf(
        "uint sum = x[L]; s[L] = sum; barrier(); if (L < 2) { sum += s[L + 2]; s[L] = sum; } barrier(); "
        "if (L == 0) o[0] = sum;");
    const TracedAccess& last = trace.accesses.back();
    ASSERT_TRUE(last.writes && last.after);
    EXPECT_EQ(trace.accesses.at(*last.after).phase, 1U);
    EXPECT_EQ(trace.accesses.at(*last.after).index, 0U);
}

TEST(Trace, EndsWhereThereIsTooMuch)
{
    const Trace trace = traceOf("uint sum = 0; for (uint i = 0; i < 5000; ++i) sum += x[i & 7]; o[L] = sum;");
    EXPECT_TRUE(trace.cut);
    EXPECT_EQ(trace.accesses.size(), mostTraced);
}

}  // namespace a2
