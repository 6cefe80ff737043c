// Atomics that are late or early (EmulatorSettings::Pause::Way): operations that only the program's order keeps
// together must come apart; released and acquired ones must not.

#include "a2/Error.h"
#include "judge/Schedule.h"
#include "support/EmulatedGlsl.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace a2 {

namespace {

using Words = std::vector<std::uint32_t>;
using Pause = EmulatorSettings::Pause;
using Pauses = std::vector<Pause>;

const std::string delaysFrame = R"(#version 460
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Z { uint z[]; };
layout(set = 0, binding = 1) buffer O { uint o[]; };
#define L gl_LocalInvocationIndex
#define G gl_WorkGroupID.x
#define RELAXED gl_ScopeDevice, 0, 0
#define RELEASE gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelease
#define ACQUIRE gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquire
#define BOTH gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease
#define SHARED(semantics) gl_ScopeDevice, gl_StorageSemanticsShared, semantics
)";

// All ways in which one of the kernel's atomics may be late or early, alone and while work-groups pause before another
// one.
std::vector<Pauses> allDelays(const EmulatedKernel& kernel)
{
    std::vector<Pauses> all;
    const auto atomics = kernel.atomics();
    for (std::uint32_t i = 0; i < atomics.size(); ++i)
        for (const Pause::Way way : {Pause::Way::late, Pause::Way::early}) {
            if (way == Pause::Way::late ? !atomics[i].mayBeLate : !atomics[i].mayBeEarly) continue;
            for (const bool lastFirst : {false, true}) all.push_back({{i, false, {}, lastFirst, way}});
            for (const std::uint32_t group : {0U, 1U}) all.push_back({{i, false, group, false, way}});
            for (std::uint32_t other = 0; other < atomics.size(); ++other)
                for (const bool lastFirst : {false, true})
                    if (other != i) all.push_back({{other, false, {}, lastFirst}, {i, false, {}, false, way}});
        }
    return all;
}

// What the kernel, with four work-groups, leaves in o[0] in each of these ways, and without any; 0 if it has not ended.
// It must have no race.
std::vector<std::uint32_t> resultsOf(const std::string& text)
{
    const Words words = compileGlsl(delaysFrame + text);
    std::vector<Pauses> all = allDelays(EmulatedKernel(SpirvModule(words), {}));
    all.push_back({});
    std::vector<std::uint32_t> results;
    for (const Pauses& pauses : all)
        for (const std::uint32_t size : {4U, 32U}) {
            EmulatedGlsl kernel(words, {});
            kernel.buffer(Words(256)).buffer(Words(256));
            kernel.settings.subgroupSize = size;
            kernel.settings.pauses = pauses;
            const Emulated done = kernel.run({4, 1, 1});
            EXPECT_EQ(findingsText(done), "");
            results.push_back(done.complete ? kernel.words(1)[0] : 0);
        }
    return results;
}

bool isAlways7(const std::string& text)
{
    for (const std::uint32_t one : resultsOf(text))
        if (one != 7) return false;
    return true;
}

// The first work-group has a value for the second one: 7, and a flag: 1.
std::string messageOf(const std::string& write, const std::string& read)
{
    return "void main() {\n if (L == 0 && G == 0) {" + write + "}\n if (L == 0 && G == 1) {" + read + "}\n}";
}

const std::string readsIt = "const uint f = atomicLoad(z[64], ACQUIRE); o[0] = f == 1 ? atomicLoad(z[0], RELAXED) : 7;";
const std::string writesIt = "atomicStore(z[0], 7u, RELAXED); atomicStore(z[64], 1u, RELEASE);";

}  // namespace

TEST(EmulatorDelays, RelaxedAtomicsOfAWriterComeApart)
{
    EXPECT_TRUE(isAlways7(messageOf(writesIt, readsIt)));
    for (const char* const right : {"atomicAdd(z[0], 7); atomicAdd(z[64], 1, BOTH);",
                                    "atomicAdd(z[0], 7); memoryBarrierBuffer(); atomicAdd(z[64], 1);",
                                    "atomicExchange(z[0], 7); memoryBarrier(); atomicOr(z[64], 1);",
                                    "atomicExchange(z[0], 7); memoryBarrier(RELEASE); atomicOr(z[64], 1);",
                                    "atomicAdd(z[0], 3); atomicAdd(z[0], 4); atomicStore(z[64], 1u, RELEASE);"}) {
        SCOPED_TRACE(right);
        EXPECT_TRUE(isAlways7(messageOf(right, readsIt)));
    }
    for (const char* const wrong :
         {"atomicStore(z[0], 7u, RELAXED); atomicStore(z[64], 1u, RELAXED);",
          "atomicAdd(z[0], 7); atomicAdd(z[64], 1);", "atomicExchange(z[0], 7); atomicOr(z[64], 1);",
          // Something is released, but not this value, not far enough, or not at the right time.
          "atomicStore(z[0], 7u, RELAXED); atomicStore(z[64], 1u, SHARED(gl_SemanticsRelease));",
          "atomicAdd(z[0], 7); memoryBarrierShared(); atomicAdd(z[64], 1);",
          "atomicAdd(z[0], 7); groupMemoryBarrier(); atomicAdd(z[64], 1);",
          "atomicAdd(z[0], 7); subgroupMemoryBarrierBuffer(); atomicAdd(z[64], 1);",
          "atomicAdd(z[0], 7); memoryBarrier(ACQUIRE); atomicAdd(z[64], 1);",
          "memoryBarrierBuffer(); atomicAdd(z[0], 7); atomicAdd(z[64], 1);",
          "atomicStore(z[0], 7u, RELEASE); atomicStore(z[64], 1u, RELAXED);"}) {
        SCOPED_TRACE(wrong);
        EXPECT_FALSE(isAlways7(messageOf(wrong, readsIt)));
    }
}

TEST(EmulatorDelays, RelaxedAtomicsOfAReaderComeApart)
{
    for (const char* const right :
         {"const uint f = atomicOr(z[64], 0); memoryBarrierBuffer(); o[0] = f == 1 ? atomicOr(z[0], 0) : 7;",
          "const uint f = atomicAdd(z[64], 0, BOTH); o[0] = f == 1 ? atomicLoad(z[0], RELAXED) : 7;",
          "while (atomicAdd(z[64], 0) != 1) ; memoryBarrier(ACQUIRE); o[0] = atomicLoad(z[0], RELAXED);",
          // An invocation does not forget what it has read.
          "const uint v = atomicLoad(z[0], RELAXED); o[0] = v == 7 ? atomicLoad(z[0], RELAXED) : 7;"}) {
        SCOPED_TRACE(right);
        EXPECT_TRUE(isAlways7(messageOf(writesIt, right)));
    }
    for (const char* const wrong :
         {"const uint f = atomicLoad(z[64], RELAXED); o[0] = f == 1 ? atomicLoad(z[0], RELAXED) : 7;",
          "const uint f = atomicOr(z[64], 0); o[0] = f == 1 ? atomicAdd(z[0], 0) : 7;",
          "while (atomicAdd(z[64], 0) != 1) ; o[0] = atomicOr(z[0], 0);",
          "const uint f = atomicOr(z[64], 0); memoryBarrierShared(); o[0] = f == 1 ? atomicOr(z[0], 0) : 7;",
          "const uint f = atomicOr(z[64], 0); groupMemoryBarrier(); o[0] = f == 1 ? atomicLoad(z[0], RELAXED) : 7;",
          "const uint f = atomicOr(z[64], 0); memoryBarrier(RELEASE); o[0] = f == 1 ? atomicLoad(z[0], RELAXED) : 7;",
          "const uint f = atomicLoad(z[64], RELAXED); o[0] = f == 1 ? atomicLoad(z[0], ACQUIRE) : 7;"}) {
        SCOPED_TRACE(wrong);
        EXPECT_FALSE(isAlways7(messageOf(writesIt, wrong)));
    }
    // A memory barrier comes before both reads, and the writes come after it.
    std::string before = messageOf(
        writesIt,
        "memoryBarrierBuffer(); const uint f = atomicOr(z[64], 0); o[0] = f == 1 ? atomicLoad(z[0], RELAXED) : 7;");
    before.replace(before.find("G == 0"), 6, "G == 2");
    EXPECT_FALSE(isAlways7(before));
}

// The last of four work-groups takes the sum of all: 1 + 2 + 4 + 0, one from each.
TEST(EmulatorDelays, SumsAndCountersComeApart)
{
    const auto counted = [](const std::string& between, const std::string& before, const std::string& take) {
        return "void main() {\n if (L == 0) {\n atomicAdd(z[0], G == 3 ? 0 : 1 << G);" + between +
               "\n if (atomicAdd(z[64], 1) == 3) {" + before + " o[0] = " + take + "; }\n }\n}";
    };
    const std::string fence = "memoryBarrierBuffer();";
    for (const char* const take : {"atomicExchange(z[0], 0)", "atomicAdd(z[0], 0)", "atomicLoad(z[0], RELAXED)"}) {
        SCOPED_TRACE(take);
        EXPECT_TRUE(isAlways7(counted(fence, fence, take)));
        EXPECT_FALSE(isAlways7(counted("", fence, take)));
        EXPECT_FALSE(isAlways7(counted("", "", take)));
        EXPECT_FALSE(isAlways7(counted("memoryBarrier(ACQUIRE);", "memoryBarrier(ACQUIRE);", take)));
    }
    // What replaces the sum may come before additions, which then add to what it leaves.
    for (const char* const take : {"atomicAdd(z[0], 0)", "atomicExchange(z[0], 0)", "atomicAnd(z[0], 0)"})
        EXPECT_FALSE(isAlways7(counted(fence, "", take))) << take;
    // An acquire there and a release here pass on in the opposite direction: if an addition came after the exchange, it
    // would read what is released, and then the counter after it could not have come first.
    EXPECT_TRUE(isAlways7(counted("memoryBarrier(ACQUIRE);", "memoryBarrier(RELEASE);", "atomicExchange(z[0], 0)")));
    EXPECT_FALSE(isAlways7(counted("memoryBarrier(ACQUIRE);", "memoryBarrier(RELEASE);", "atomicLoad(z[0], RELAXED)")));
}

TEST(EmulatorDelays, BarriersHandOnWhatTheyAreAbout)
{
    const auto byTwo = [](const std::string& first, const std::string& second) {
        return "void main() {\n if (G == 0) { if (L == 0) {" + first + "}\n barrier();\n if (L == 1) {" + second +
               "} }\n if (G == 1 && L == 0) {" + readsIt + "}\n}";
    };
    EXPECT_TRUE(isAlways7(byTwo("atomicAdd(z[0], 7); memoryBarrierBuffer();", "atomicAdd(z[64], 1);")));
    EXPECT_FALSE(isAlways7(byTwo("atomicAdd(z[0], 7);", "memoryBarrierBuffer(); atomicAdd(z[64], 1);")));
    EXPECT_TRUE(isAlways7(messageOf(
        writesIt, "const uint f = atomicOr(z[64], 0); memoryBarrierBuffer(); o[0] = f == 1 ? atomicOr(z[0], 0) : 7;")));
    // A whole work-group that looks after the barrier.
    const std::string all =
        "shared uint f;\nvoid main() {\n if (L == 0 && G == 0) {" + writesIt +
        "}\n if (G == 1) {\n if (L == 0) { f = atomicOr(z[64], 0); FENCE }\n barrier();\n if (L == 5) o[0] = f == 1 ? "
        "atomicOr(z[0], 0) : 7; }\n}";
    const auto with = [&](const std::string& fence) {
        std::string text = all;
        return text.replace(text.find("FENCE"), 5, fence);
    };
    EXPECT_TRUE(isAlways7(with("memoryBarrierBuffer();")));
    EXPECT_FALSE(isAlways7(with("")));
}

TEST(EmulatorDelays, SharedMemoryComesApartToo)
{
    const auto counted = [](const std::string& fence) {
        return "shared uint s, n;\nvoid main() {\n if (L == 0) s = n = 0;\n barrier();\n if (G == 0) {\n atomicAdd(s, "
               "L == "
               "0 ? 7 : 0);" +
               fence + "\n if (atomicAdd(n, 1) == 7) {" + fence + " o[0] = atomicAdd(s, 0); }\n }\n}";
    };
    EXPECT_TRUE(isAlways7(counted("memoryBarrierShared();")));
    EXPECT_TRUE(isAlways7(counted("groupMemoryBarrier();")));
    EXPECT_FALSE(isAlways7(counted("")));
    EXPECT_FALSE(isAlways7(counted("memoryBarrierBuffer();")));
}

// Halves with the same tag belong together, whichever comes first; late atomics take effect at the end.
TEST(EmulatorDelays, WhatNeedsNoOrderIsRight)
{
    EXPECT_TRUE(
        isAlways7(messageOf("atomicStore(z[0], 0x10003u, RELAXED); atomicStore(z[64], 0x10004u, RELAXED);",
                            "uint a, b; do { a = atomicLoad(z[0], RELAXED); b = atomicLoad(z[64], RELAXED); } while "
                            "(a >> 16 != 1 || b >> 16 != 1); o[0] = (a + b) & 0xFFFF;")));
    const Words words =
        compileGlsl(delaysFrame + "void main() { if (L == 0) atomicAdd(z[G], 1); if (L == 0) atomicMax(z[8], G); }");
    for (const std::uint32_t atomic : {0U, 1U}) {
        EmulatedGlsl kernel(words, {});
        kernel.buffer(Words(256)).buffer(Words(256));
        kernel.settings.pauses = {{atomic, false, {}, false, Pause::Way::late}};
        EXPECT_EQ(findingsText(kernel.run({4, 1, 1})), "");
        EXPECT_EQ(kernel.words(0)[3], 1U);
        EXPECT_EQ(kernel.words(0)[8], 3U);
    }
}

// How many atomics of the kernel commute with all others in their kind of memory: other orders of these need no walk.
std::ptrdiff_t commuting(const std::string& text)
{
    const EmulatedKernel kernel(SpirvModule(compileGlsl(delaysFrame + text)), {});
    return std::ranges::count_if(kernel.atomics(), &EmulatedKernel::Atomic::commutes);
}

TEST(EmulatorDelays, AtomicsOfOneKindCommuteWhereNobodyUsesTheirResults)
{
    EXPECT_EQ(commuting("void main() { atomicAdd(z[L], L); atomicAdd(z[0], uint(-1)); }"), 2);
    EXPECT_EQ(commuting("void main() { for (uint i = 0; i < L; ++i) atomicMax(z[i], L); }"), 1);
    EXPECT_EQ(commuting("void main() { atomicOr(z[L], L); atomicXor(z[0], L); }"), 0);
    EXPECT_EQ(commuting("void main() { o[L] = atomicAdd(z[L], 1); atomicAdd(z[0], 1); }"), 0);
    EXPECT_EQ(commuting("void main() { atomicExchange(z[0], L); }"), 0);
    EXPECT_EQ(commuting("void main() { atomicStore(z[0], L, RELAXED); }"), 0);
    EXPECT_EQ(
        commuting("shared uint s[8]; void main() { atomicAdd(s[0], 1); atomicAdd(z[0], 1); atomicMin(z[1], L); }"),
        1);  // in shared memory
}

TEST(EmulatorDelays, SchedulesAreWrittenAndRead)
{
    const Schedule schedule{4,
                            1,
                            2,
                            {{3, false, {}, true},
                             {5, false, {}, false, Pause::Way::late},
                             {7, false, 12, false, Pause::Way::early},
                             {1, false, {}, false, Pause::Way::pauses, true}}};
    EXPECT_EQ(scheduleText(schedule), "4.1.2:3b-last,5l-all,7e-12,1r-all");
    EXPECT_EQ(parseSchedule("4.1.2:3b-last,5l-all,7e-12,1r-all"), schedule);
    for (const char* const wrong :
         {"4.1.2:3x-all", "4.1.2:3la-all", "4.1.2:3l", "4.1.2:l-all", "4.1.2:3e-", "4.1.2:3L-all"})
        EXPECT_THROW(parseSchedule(wrong), UsageError) << wrong;
}

}  // namespace a2
