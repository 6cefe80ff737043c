// The memory model: small kernels that each have a race, or none. All waiting is done in loops, so that in every order
// of invocations the uses in question occur.

#include "support/EmulatedGlsl.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace a2 {

namespace {

enum class Expected { none, race };

struct Litmus {
    const char* name;
    Expected expected;
    const char* body;
};

// Work-groups of 8 in subgroups of 4. o: for plain uses; z: for atomics, all 0; c: coherent, all 0. f, g, h, s: shared,
// all 0. DO(g, i): what one invocation does. X: a plain use whose value is not needed.
const std::string litmusFrame = R"(#version 460
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer O { uint o[]; };
layout(set = 0, binding = 1) buffer Z { uint z[]; };
layout(set = 0, binding = 2) coherent buffer C { uint c[]; };
layout(set = 0, binding = 3) buffer R { uint r[]; };
shared uint f, g, h, s[64];
#define L gl_LocalInvocationIndex
#define G gl_WorkGroupID.x
#define I gl_GlobalInvocationID.x
#define DEV gl_ScopeDevice
#define WG gl_ScopeWorkgroup
#define SG gl_ScopeSubgroup
#define B gl_StorageSemanticsBuffer
#define S gl_StorageSemanticsShared
#define DO(group, one) if (G == group && L == one)
#define READ(what) r[I] = what
#define SET(at, n, scope) atomicStore(at, uint(n), scope, 0, 0)
#define SETREL(at, n, scope, of) atomicStore(at, uint(n), scope, of, gl_SemanticsRelease)
#define AWAIT(at, n, scope) while (atomicLoad(at, scope, 0, 0) != n) {}
#define AWAITACQ(at, n, scope, of) while (atomicLoad(at, scope, of, gl_SemanticsAcquire) != n) {}
#define SWAP(at, a, b, scope) while (atomicCompSwap(at, uint(a), uint(b), scope, 0, 0, 0, 0) != a) {}
#define REL(scope, of) memoryBarrier(scope, of, gl_SemanticsRelease)
#define ACQ(scope, of) memoryBarrier(scope, of, gl_SemanticsAcquire)
#define FENCE(scope, of) memoryBarrier(scope, of, gl_SemanticsAcquireRelease)
#define CBAR(scope, of, how) controlBarrier(WG, scope, of, how)
#define ACQREL gl_SemanticsAcquireRelease
void main() {
    if (L == 0) { f = g = h = 0; for (uint k = 0; k < 64; ++k) s[k] = 0; }
    barrier();
)";

constexpr auto none = Expected::none, race = Expected::race;

// After Khronos's tests with the same names (github.com/KhronosGroup/Vulkan-MemoryModel, alloy/tests): storage class 0
// is a buffer; 1 is shared memory, or a buffer if two work-groups use it.
const std::vector<Litmus> khronos = {
    {"asmo", none,
     "DO(0, 0) SET(z[0], 1, DEV); DO(1, 0) SET(z[0], 2, DEV); DO(2, 0) { READ(atomicLoad(z[0], DEV, 0, 0)); }"},
    {"corr", none, "DO(0, 0) { READ(atomicLoad(z[0], DEV, 0, 0)); } DO(1, 0) SET(z[0], 2, DEV);"},
    {"corw", none, "DO(0, 0) { READ(atomicLoad(z[0], DEV, 0, 0)); SET(z[0], 1, DEV); } DO(1, 0) SET(z[0], 2, DEV);"},
    {"cowr", none, "DO(0, 0) { SET(z[0], 1, DEV); READ(atomicLoad(z[0], DEV, 0, 0)); } DO(1, 0) SET(z[0], 2, DEV);"},
    {"coww", none, "DO(0, 0) { SET(z[0], 1, DEV); SET(z[0], 2, DEV); } DO(1, 0) READ(atomicLoad(z[0], DEV, 0, 0));"},
    {"atomicsc", none, "DO(0, 0) { o[0] = 1; SETREL(f, 1, WG, B); } DO(0, 4) { AWAITACQ(f, 1, WG, B) READ(o[0]); }"},
    {"atomwrongsc", none,
     "DO(0, 0) { READ(atomicLoad(z[0], WG, S, gl_SemanticsAcquire)); SETREL(z[1], 1, WG, B); }"
     "DO(0, 4) { AWAITACQ(z[1], 1, WG, B) z[0] = 1; }"},
    {"cbarinst", none, "CBAR(WG, 0, 0); CBAR(WG, 0, 0); CBAR(WG, 0, 0);"},
    {"fencefence", none,
     "DO(0, 0) { o[0] = 1; REL(WG, B); SET(z[0], 1, WG); } DO(0, 4) { AWAIT(z[0], 1, WG) ACQ(WG, B); READ(o[0]); }"},
    {"fencefence2", none,
     "DO(0, 0) { o[0] = 1; REL(WG, B | S); SET(f, 1, WG); } DO(0, 4) { AWAIT(f, 1, WG) ACQ(WG, B | S); READ(o[0]); }"},
    {"fencefence3", none,
     "DO(0, 0) { o[0] = 1; REL(WG, B); SET(z[0], 1, WG); }"
     "DO(0, 4) { AWAIT(z[0], 1, WG) ACQ(WG, B); REL(WG, B); SET(z[1], 1, WG); }"
     "DO(0, 1) { AWAIT(z[1], 1, WG) ACQ(WG, B); READ(o[0]); }"},
    {"fencefencebroken", race,
     "DO(0, 0) { o[0] = 1; REL(WG, B); SET(z[0], 1, DEV); } DO(1, 0) { AWAIT(z[0], 1, DEV) ACQ(WG, B); READ(o[0]); }"},
    {"mp", none, "DO(0, 0) { o[0] = 1; SETREL(z[0], 1, WG, B); } DO(0, 4) { AWAITACQ(z[0], 1, WG, B) READ(o[0]); }"},
    {"mp3", none,
     "DO(0, 0) { o[0] = 1; SETREL(f, 1, WG, B | S); } DO(0, 4) { AWAITACQ(f, 1, WG, B | S) SETREL(g, 1, WG, B | S); }"
     "DO(0, 1) { AWAITACQ(g, 1, WG, B | S) READ(o[0]); }"},
    {"mp3acqrel", none,
     "DO(0, 0) { o[0] = 1; SETREL(z[0], 1, DEV, B); }"
     "DO(1, 0) { while (atomicCompSwap(z[0], 1u, 2u, DEV, B, ACQREL, B, gl_SemanticsAcquire) != 1) {} }"
     "DO(2, 0) { AWAITACQ(z[0], 2, DEV, B) READ(o[0]); }"},
    {"mp3transitive", none,
     "DO(0, 0) { o[0] = 1; SETREL(f, 1, WG, B | S); } DO(0, 4) { AWAITACQ(f, 1, WG, B | S) SETREL(z[0], 1, DEV, B | "
     "S); } DO(1, 0) { AWAITACQ(z[0], 1, DEV, B | S) READ(o[0]); }"},
    {"mp3transitive2", none,
     "DO(0, 0) { o[0] = 1; SETREL(f, 1, WG, B | S); } DO(0, 4) { AWAITACQ(f, 1, WG, B | S) SETREL(z[0], 1, DEV, B | "
     "S); } DO(1, 0) { AWAITACQ(z[0], 1, DEV, B | S) SETREL(f, 1, WG, B | S); }"
     "DO(1, 4) { AWAITACQ(f, 1, WG, B | S) READ(o[0]); }"},
    {"mp3transitive3", none,
     "DO(0, 0) o[0] = 1; CBAR(WG, B, ACQREL); DO(0, 4) SETREL(z[0], 1, DEV, B | S);"
     "DO(1, 0) { AWAITACQ(z[0], 1, DEV, B | S) READ(o[0]); }"},
    {"mpinscope1", none,
     "DO(0, 0) { SETREL(z[0], 1, DEV, B); SETREL(z[1], 1, DEV, B); }"
     "DO(1, 0) { AWAITACQ(z[1], 1, DEV, B) READ(atomicLoad(z[0], DEV, B, gl_SemanticsAcquire)); }"},
    {"mpinscope4", none,
     "DO(0, 0) { SETREL(z[0], 1, DEV, B); REL(DEV, B); SETREL(z[1], 1, DEV, S); }"
     "DO(1, 0) { AWAITACQ(z[1], 1, DEV, S) ACQ(DEV, B); READ(atomicLoad(z[0], DEV, B, gl_SemanticsAcquire)); }"},
    {"mpnotinscope1", none,
     "DO(0, 0) { SETREL(z[0], 1, WG, B); SETREL(z[1], 1, DEV, B); }"
     "DO(1, 0) { AWAITACQ(z[1], 1, DEV, B) READ(atomicLoad(z[0], WG, B, gl_SemanticsAcquire)); }"},
    {"mpnotinscope4", none,
     "DO(0, 0) { SETREL(z[0], 1, WG, B); REL(DEV, B); SETREL(z[1], 1, DEV, B); }"
     "DO(1, 0) { AWAITACQ(z[1], 1, DEV, B) ACQ(DEV, B); READ(atomicLoad(z[0], WG, B, gl_SemanticsAcquire)); }"},
    {"mpsc1", none, "DO(0, 0) { s[0] = 1; SETREL(f, 1, WG, S); } DO(0, 4) { AWAITACQ(f, 1, WG, S) READ(s[0]); }"},
    {"noncohandatom", none, "DO(0, 0) { z[0] = 1; SWAP(z[0], 1, 2, WG) READ(z[0]); }"},
    {"noncohmp2", none,
     "DO(0, 0) { o[0] = 1; o[0] = 2; SETREL(z[0], 1, WG, B); } DO(0, 4) { AWAITACQ(z[0], 1, WG, B) READ(o[0]); }"},
    {"noncohmpbar", none,
     "DO(0, 0) { o[0] = 1; REL(DEV, B); SET(z[0], 1, DEV); } DO(1, 0) { AWAIT(z[0], 1, DEV) ACQ(DEV, B); READ(o[0]); "
     "}"},
    {"noncohmpbarsg", none, "DO(0, 0) o[0] = 1; controlBarrier(SG, SG, B, ACQREL); DO(0, 1) READ(o[0]);"},
    {"noncohmpfail2", race,
     "DO(0, 0) { o[0] = 1; SETREL(z[0], 1, WG, S); } DO(0, 4) { AWAITACQ(z[0], 1, WG, B) READ(o[0]); }"},
    {"noncohrmw", none,
     "DO(0, 0) z[0] = 1; CBAR(WG, B, ACQREL); DO(0, 0) SWAP(z[0], 2, 3, WG) DO(0, 4) SWAP(z[0], 1, 2, WG)"},
    {"noncohwar", none,
     "DO(0, 0) { READ(o[0]); SETREL(z[0], 1, WG, B); } DO(0, 4) { AWAITACQ(z[0], 1, WG, B) o[0] = 1; }"},
    {"privpo", none, "DO(0, 0) { READ(o[0]); o[0] = 1; READ(o[0]); o[0] = 2; }"},
    {"qfmp", none,
     "DO(0, 0) { o[0] = 1; SETREL(z[0], 1, gl_ScopeQueueFamily, B); }"
     "DO(1, 0) { AWAITACQ(z[0], 1, gl_ScopeQueueFamily, B) READ(o[0]); }"},
    {"releaseseq1", none, "DO(0, 0) { SETREL(z[0], 1, WG, B); SET(z[0], 2, WG); } DO(0, 4) SWAP(z[0], 2, 3, WG)"},
    {"releaseseq2", none,
     "DO(0, 0) { SETREL(z[0], 1, WG, B); AWAIT(z[0], 2, WG) SET(z[0], 3, WG); } DO(0, 4) SWAP(z[0], 1, 2, WG)"},
    {"releaseseq3", none,
     "DO(0, 0) { o[0] = 1; SETREL(z[0], 1, DEV, B); } DO(1, 0) SWAP(z[0], 1, 2, DEV)"
     "DO(2, 0) { AWAITACQ(z[0], 2, DEV, B) READ(o[0]); }"},
    {"releaseseq4", none,
     "DO(0, 0) { o[0] = 1; REL(DEV, B); SET(z[0], 1, DEV); } DO(1, 0) SWAP(z[0], 1, 2, DEV)"
     "DO(2, 0) { AWAITACQ(z[0], 2, DEV, B) READ(o[0]); }"},
    {"samethread", none,
     "DO(0, 0) { o[0] = 1; SETREL(z[0], 1, WG, B); AWAITACQ(z[1], 1, WG, B) READ(o[0]); }"
     "DO(0, 4) { AWAITACQ(z[0], 1, WG, B) o[0] = 2; SETREL(z[1], 1, WG, B); }"},
    {"samethread2", none,
     "DO(0, 0) { o[0] = 1; SETREL(z[0], 1, DEV, B); AWAITACQ(z[0], 2, DEV, B) o[0] = 3; }"
     "DO(1, 0) { AWAITACQ(z[0], 1, DEV, B) o[0] = 2; SETREL(z[0], 2, DEV, B); }"},
    {"test0", race,
     "DO(0, 0) { o[0] = 1; s[0] = 1; SETREL(f, 1, WG, S); } DO(0, 4) { AWAITACQ(f, 1, WG, B | S) READ(o[0]); }"},
    {"test1", race,
     "DO(0, 0) { o[0] = 1; SETREL(f, 1, WG, B); SETREL(z[0], 1, WG, S); }"
     "DO(0, 4) { AWAITACQ(z[0], 1, WG, S) READ(o[0]); }"},
    {"test2", race,
     "DO(0, 0) { o[0] = 1; SETREL(f, 1, WG, B); } DO(0, 4) { AWAITACQ(f, 1, WG, B | S) SETREL(z[0], 1, DEV, S); }"
     "DO(1, 0) { AWAITACQ(z[0], 1, DEV, S) READ(o[0]); }"},
    {"test3", none,
     "DO(0, 0) { o[0] = 1; REL(DEV, B); SET(z[0], 1, WG); } DO(0, 4) { AWAITACQ(z[0], 1, WG, B) SETREL(z[1], 1, DEV, "
     "B); } DO(1, 0) { AWAITACQ(z[1], 1, DEV, B) READ(o[0]); }"},
    {"test4", none,
     "DO(0, 0) { o[0] = 1; REL(DEV, B); SET(z[0], 1, WG); } DO(0, 4) { AWAITACQ(z[0], 1, WG, B) SETREL(z[1], 1, DEV, "
     "B); } DO(1, 0) { AWAITACQ(z[1], 1, DEV, B) SETREL(z[2], 1, WG, B); } DO(1, 4) { AWAITACQ(z[2], 1, WG, B) "
     "READ(o[0]); }"},
    {"test5", none,
     "DO(0, 0) { o[0] = 1; SETREL(z[0], 1, WG, B); } DO(0, 4) { AWAITACQ(z[0], 1, WG, B) SETREL(z[1], 1, DEV, B); }"
     "DO(1, 0) { AWAITACQ(z[1], 1, DEV, B) SETREL(z[2], 1, WG, B); }"
     "DO(1, 4) { AWAITACQ(z[2], 1, WG, B) READ(o[0]); }"},
    {"test9", none,
     "DO(0, 0) o[0] = 1; CBAR(WG, B, ACQREL); DO(0, 4) SETREL(z[0], 1, DEV, B);"
     "DO(1, 0) { AWAITACQ(z[0], 1, DEV, B) READ(o[0]); }"},
    {"test10", none,
     "DO(0, 0) o[0] = 1; DO(1, 0) AWAITACQ(z[0], 1, DEV, B) CBAR(WG, B, ACQREL); DO(0, 4) SETREL(z[0], 1, DEV, B);"
     "DO(1, 4) READ(o[0]);"},
    {"test11", none, "DO(0, 0) READ(o[0]); CBAR(WG, B | S, ACQREL); DO(0, 4) o[0] = 1;"},
    {"test12", none, "DO(0, 0) { o[0] = 1; REL(WG, B); } CBAR(WG, 0, 0); DO(0, 4) { ACQ(WG, B); READ(o[0]); }"},
    {"test13", none,
     "DO(0, 0) { o[0] = 1; REL(WG, B | S); SET(f, 1, WG); } DO(0, 4) { AWAITACQ(f, 1, WG, B) SETREL(z[0], 1, DEV, B); "
     "ACQ(WG, B); } DO(1, 0) { AWAITACQ(z[0], 1, DEV, B) READ(o[0]); }"},
    {"test14", none, "DO(0, 0) { o[0] = 1; SETREL(f, 1, WG, B); } DO(0, 4) { AWAITACQ(f, 1, WG, B) READ(o[0]); }"},
    {"test16", race, "DO(0, 0) SET(z[0], 1, WG); DO(0, 4) { AWAIT(z[0], 1, WG) READ(z[0]); }"},
    {"test17", none, "DO(0, 0) SETREL(z[0], 1, WG, B); DO(0, 4) { AWAITACQ(z[0], 1, WG, B) READ(z[0]); }"},
    {"test18", none, "DO(0, 0) SETREL(z[0], 1, DEV, B); DO(1, 0) { AWAITACQ(z[0], 1, DEV, B) READ(z[0]); }"},
    {"test20", none,
     "DO(0, 0) { SET(z[0], 1, DEV); SETREL(z[1], 1, DEV, B); } DO(1, 0) { AWAITACQ(z[1], 1, DEV, B) READ(z[0]); }"},
    {"waw", none,
     "DO(0, 0) { o[0] = 1; SETREL(z[0], 1, DEV, B); } DO(1, 0) { AWAITACQ(z[0], 1, DEV, B) o[0] = 2; SETREL(z[1], 1, "
     "DEV, B); } DO(2, 0) { AWAITACQ(z[1], 1, DEV, B) READ(o[0]); }"},
};

// As students write them, right and wrong.
const std::vector<Litmus> students = {
    {"flag, fence on both sides", none,
     "DO(0, 0) { o[0] = 7; memoryBarrierBuffer(); atomicExchange(z[0], 1); }"
     "DO(1, 0) { while (atomicAdd(z[0], 0) == 0) {} memoryBarrierBuffer(); READ(o[0]); }"},
    {"flag, no fence behind the wait", race,
     "DO(0, 0) { o[0] = 7; memoryBarrierBuffer(); atomicExchange(z[0], 1); }"
     "DO(1, 0) { while (atomicAdd(z[0], 0) == 0) {} READ(o[0]); }"},
    {"flag, no fence before it", race,
     "DO(0, 0) { o[0] = 7; atomicExchange(z[0], 1); }"
     "DO(1, 0) { while (atomicAdd(z[0], 0) == 0) {} memoryBarrierBuffer(); READ(o[0]); }"},
    {"flag before the data", race,
     "DO(0, 0) { memoryBarrierBuffer(); atomicExchange(z[0], 1); o[0] = 7; }"
     "DO(1, 0) { while (atomicAdd(z[0], 0) == 0) {} memoryBarrierBuffer(); READ(o[0]); }"},
    {"flag, fences of a work-group", race,
     "DO(0, 0) { o[0] = 7; groupMemoryBarrier(); atomicExchange(z[0], 1); }"
     "DO(1, 0) { while (atomicAdd(z[0], 0) == 0) {} groupMemoryBarrier(); READ(o[0]); }"},
    {"flag in a work-group, fences of it", none,
     "DO(0, 0) { o[0] = 7; groupMemoryBarrier(); atomicExchange(z[0], 1); }"
     "DO(0, 5) { while (atomicAdd(z[0], 0) == 0) {} groupMemoryBarrier(); READ(o[0]); }"},
    {"flag, fences about shared memory", race,
     "DO(0, 0) { o[0] = 7; memoryBarrierShared(); atomicExchange(z[0], 1); }"
     "DO(1, 0) { while (atomicAdd(z[0], 0) == 0) {} memoryBarrierShared(); READ(o[0]); }"},
    {"acquire on both sides", race,
     "DO(0, 0) { o[0] = 7; ACQ(DEV, B); SET(z[0], 1, DEV); } DO(1, 0) { AWAIT(z[0], 1, DEV) ACQ(DEV, B); READ(o[0]); "
     "}"},
    {"release on both sides", race,
     "DO(0, 0) { o[0] = 7; REL(DEV, B); SET(z[0], 1, DEV); } DO(1, 0) { AWAIT(z[0], 1, DEV) REL(DEV, B); READ(o[0]); "
     "}"},
    {"release store, relaxed wait", race,
     "DO(0, 0) { o[0] = 7; SETREL(z[0], 1, DEV, B); } DO(1, 0) { AWAIT(z[0], 1, DEV) READ(o[0]); }"},
    {"relaxed store, acquire wait", race,
     "DO(0, 0) { o[0] = 7; SET(z[0], 1, DEV); } DO(1, 0) { AWAITACQ(z[0], 1, DEV, B) READ(o[0]); }"},
    {"a release atomic is no fence for the next store", race,
     "DO(0, 0) { o[0] = 7; SETREL(z[0], 1, DEV, B); SET(z[1], 1, DEV); }"
     "DO(1, 0) { AWAITACQ(z[1], 1, DEV, B) READ(o[0]); }"},
    {"a relaxed store passes nothing on", race,
     "DO(0, 0) { o[0] = 7; SETREL(z[0], 1, DEV, B); } DO(1, 0) { AWAITACQ(z[0], 1, DEV, B) SET(z[1], 1, DEV); }"
     "DO(2, 0) { AWAITACQ(z[1], 1, DEV, B) READ(o[0]); }"},
    {"an acquire of the work-group alone", race,
     "DO(0, 0) { o[0] = 7; SETREL(z[0], 1, DEV, B); } DO(1, 0) { AWAITACQ(z[0], 1, WG, B) READ(o[0]); }"},
    {"atomics of a work-group, used by two", race,
     "DO(0, 0) SET(z[0], 1, WG); DO(1, 0) { READ(atomicLoad(z[0], WG, 0, 0)); }"},
    {"atomics of a subgroup, used by two", race,
     "DO(0, 0) SET(z[0], 1, SG); DO(0, 4) { READ(atomicLoad(z[0], DEV, 0, 0)); }"},
    {"atomics of a subgroup, used in it", none,
     "DO(0, 0) SET(z[0], 1, SG); DO(0, 1) { READ(atomicLoad(z[0], DEV, 0, 0)); }"},
    {"a store breaks the release sequence", race,
     "DO(0, 0) { o[0] = 7; SETREL(z[0], 1, DEV, B); } DO(1, 0) { AWAIT(z[0], 1, DEV) SET(z[0], 2, DEV); }"
     "DO(2, 0) { AWAIT(z[0], 2, DEV) AWAITACQ(z[0], 2, DEV, B) READ(o[0]); }"},
    {"a fence about buffers before a shared flag", race,
     "DO(0, 0) { o[0] = 7; memoryBarrierBuffer(); atomicExchange(f, 1); }"
     "DO(0, 5) { while (atomicAdd(f, 0) == 0) {} memoryBarrierBuffer(); READ(o[0]); }"},
    {"a fence about both before a shared flag", none,
     "DO(0, 0) { o[0] = 7; memoryBarrier(); atomicExchange(f, 1); }"
     "DO(0, 5) { while (atomicAdd(f, 0) == 0) {} memoryBarrier(); READ(o[0]); }"},
    {"message in shared memory", none,
     "DO(0, 0) { s[0] = 7; memoryBarrierShared(); atomicExchange(f, 1); }"
     "DO(0, 5) { while (atomicAdd(f, 0) == 0) {} memoryBarrierShared(); READ(s[0]); }"},
    {"message in shared memory, no fences", race,
     "DO(0, 0) { s[0] = 7; atomicExchange(f, 1); } DO(0, 5) { while (atomicAdd(f, 0) == 0) {} READ(s[0]); }"},
    {"last work-group, fences round the counter", none,
     "DO(G, 0) { o[G] = G; memoryBarrierBuffer(); bool last = atomicAdd(z[0], 1) == 2; memoryBarrierBuffer();"
     "if (last) { READ(o[0] + o[1] + o[2]); } }"},
    {"last work-group, no fence", race,
     "DO(G, 0) { o[G] = G; bool last = atomicAdd(z[0], 1) == 2; if (last) { READ(o[0] + o[1] + o[2]); } }"},
    {"last work-group, fence before the counter only", race,
     "DO(G, 0) { o[G] = G; memoryBarrierBuffer(); bool last = atomicAdd(z[0], 1) == 2;"
     "if (last) { READ(o[0] + o[1] + o[2]); } }"},
    {"last work-group, all of it read", none,
     "DO(G, 0) { o[G] = G; memoryBarrierBuffer(); f = atomicAdd(z[0], 1); memoryBarrierBuffer(); } barrier();"
     "if (f == 2 && L < 3) { READ(o[L]); }"},
    {"last work-group, acquire-release counter", none,
     "DO(G, 0) { o[G] = G; uint t = atomicAdd(z[0], 1, DEV, B, ACQREL); if (t == 2) { READ(o[0] + o[1] + o[2]); } }"},
    {"last work-group, all write, one counts", none,
     "o[I] = I; memoryBarrierBuffer(); barrier(); DO(G, 0) f = atomicAdd(z[0], 1); memoryBarrierBuffer(); barrier();"
     "if (f == 2) { READ(o[I]); READ(o[(I + 8) % 24]); }"},
    {"last work-group, all write, one counts, no fence", race,
     "o[I] = I; barrier(); DO(G, 0) { f = atomicAdd(z[0], 1); memoryBarrierBuffer(); } barrier();"
     "if (f == 2) { READ(o[(I + 8) % 24]); }"},
    {"relaxed counter", none, "atomicAdd(z[0], 1);"},
    {"relaxed counter, read behind barrier()", race, "atomicAdd(z[G], 1); barrier(); DO(G, 0) READ(z[G]);"},
    {"relaxed counter, read behind a fence and barrier()", none,
     "atomicAdd(z[G], 1); memoryBarrierBuffer(); barrier(); DO(G, 0) READ(z[G]);"},
    {"shared counter, read behind barrier()", none, "atomicAdd(f, 1); barrier(); READ(f);"},
    {"shared counter, read at once", race, "atomicAdd(f, 1); READ(f);"},
    {"shared counter, a barrier whose memory is a subgroup's", race, "atomicAdd(f, 1); CBAR(SG, S, ACQREL); READ(f);"},
    {"shared counter, the same and a barrier of buffers", race,
     "atomicAdd(f, 1); CBAR(SG, S, ACQREL); CBAR(WG, B, ACQREL); DO(G, 0) READ(f);"},
    {"shared counter of a subgroup, a barrier whose memory is a subgroup's", none,
     "atomicAdd(s[L / 4], 1); CBAR(SG, S, ACQREL); READ(s[L / 4]);"},
    {"buffer's counter, a barrier whose memory is a subgroup's", race,
     "atomicAdd(z[G], 1); CBAR(SG, B, ACQREL); DO(G, 0) READ(z[G]);"},
    {"shared words, read by all, a barrier whose memory is a subgroup's", race,
     "READ(s[0]); CBAR(SG, S, ACQREL); DO(G, 0) s[0] = 1;"},
    {"tickets", none, "uint t = atomicAdd(z[0], 1); o[t] = I;"},
    {"double buffering", none,
     "uint at = 0; s[L] = I; barrier(); for (uint d = 1; d < 8; d *= 2) { s[8 - at + L] = s[at + L] + (L >= d ? s[at + "
     "L - d] : 0); at = 8 - at; barrier(); } READ(s[at + L]);"},
    {"double buffering, one barrier too few", race,
     "uint at = 0; s[L] = I; for (uint d = 1; d < 8; d *= 2) { s[8 - at + L] = s[at + L] + (L >= d ? s[at + "
     "L - d] : 0); at = 8 - at; barrier(); } READ(s[at + L]);"},
    {"buffer behind barrier() alone", race, "o[I] = I; barrier(); READ(o[I ^ 1]);"},
    {"buffer behind memoryBarrierBuffer() and barrier()", none,
     "o[I] = I; memoryBarrierBuffer(); barrier(); READ(o[I ^ 1]);"},
    {"buffer, the memory barrier behind barrier()", race,
     "o[I] = I; barrier(); memoryBarrierBuffer(); READ(o[I ^ 1]);"},
    {"buffer, write after read, barrier() alone", race, "uint y = o[I ^ 1]; barrier(); o[I] = y;"},
    {"buffer, write after read", none, "uint y = o[I ^ 1]; memoryBarrierBuffer(); barrier(); o[I] = y;"},
    {"an execution barrier orders no memory", race, "s[L] = I; CBAR(WG, 0, 0); READ(s[L ^ 1]);"},
    {"a barrier that only acquires", race, "s[L] = I; CBAR(WG, S, gl_SemanticsAcquire); READ(s[L ^ 1]);"},
    {"a barrier that only releases", race, "s[L] = I; CBAR(WG, S, gl_SemanticsRelease); READ(s[L ^ 1]);"},
    {"a release, and a barrier that acquires", none,
     "s[L] = I; REL(WG, S); CBAR(WG, S, gl_SemanticsAcquire); READ(s[L ^ 1]);"},
    {"a barrier that releases, and an acquire", none,
     "s[L] = I; CBAR(WG, S, gl_SemanticsRelease); ACQ(WG, S); READ(s[L ^ 1]);"},
    {"an acquire before an execution barrier", race, "s[L] = I; ACQ(WG, S); CBAR(WG, 0, 0); READ(s[L ^ 1]);"},
    {"fences round an execution barrier", none,
     "s[L] = I; memoryBarrierShared(); CBAR(WG, 0, 0); memoryBarrierShared(); READ(s[L ^ 1]);"},
    {"a barrier about buffers", none, "o[I] = I; CBAR(WG, B, ACQREL); READ(o[I ^ 1]);"},
    {"a barrier about buffers, used for shared memory", race, "s[L] = I; CBAR(WG, B, ACQREL); READ(s[L ^ 1]);"},
    {"a barrier that reaches a subgroup's memory", race, "s[L] = I; CBAR(SG, S, ACQREL); READ(s[7 - L]);"},
    {"a barrier that reaches the device, and a flag", none,
     "o[I] = I; CBAR(DEV, B, ACQREL); DO(0, 0) SET(z[0], 1, DEV); DO(1, 0) { AWAIT(z[0], 1, DEV) ACQ(DEV, B); "
     "READ(o[5]); }"},
    {"a subgroup's exchange", none, "s[L] = I; subgroupBarrier(); READ(s[L ^ 1]);"},
    {"a subgroup's exchange with another one", race, "s[L] = I; subgroupBarrier(); READ(s[7 - L]);"},
    {"fences round a subgroup's execution barrier", none,
     "s[L] = I; subgroupMemoryBarrierShared(); controlBarrier(SG, SG, 0, 0); subgroupMemoryBarrierShared(); READ(s[L ^ "
     "1]);"},
    {"a subgroup's execution barrier", race, "s[L] = I; controlBarrier(SG, SG, 0, 0); READ(s[L ^ 1]);"},
    {"a subgroup's operation orders no memory", race, "s[L] = I; uint y = subgroupAdd(1); READ(s[L ^ 1] + y);"},
    {"a subgroup's writes, published by one of it", none,
     "if (G == 0 && L < 4) { o[L] = L; subgroupBarrier(); if (L == 0) SETREL(z[0], 1, DEV, B); }"
     "DO(1, 0) { AWAITACQ(z[0], 1, DEV, B) READ(o[3]); }"},
    {"a subgroup's writes, published without its barrier", race,
     "if (G == 0 && L < 4) { o[L] = L; if (L == 0) SETREL(z[0], 1, DEV, B); }"
     "DO(1, 0) { AWAITACQ(z[0], 1, DEV, B) READ(o[3]); }"},
    {"a chain of two sub-sets of a subgroup", none,
     "if (L < 2) { if (L == 0) s[0] = 1; subgroupBarrier(); } if (L == 1 || L == 2) { subgroupBarrier(); if (L == 2) "
     "READ(s[0]); }"},
    {"three readers, of which one is not waited for", race,
     "if (G == 0 && L < 3) READ(o[0]); DO(0, 0) SETREL(z[0], 1, DEV, B); DO(0, 1) SETREL(z[1], 1, DEV, B);"
     "DO(1, 0) { AWAITACQ(z[0], 1, DEV, B) AWAITACQ(z[1], 1, DEV, B) o[0] = 1; }"},
    {"three readers, all waited for", none,
     "if (G == 0 && L < 3) { READ(o[0]); SETREL(z[L], 1, DEV, B); }"
     "DO(1, 0) { AWAITACQ(z[0], 1, DEV, B) AWAITACQ(z[1], 1, DEV, B) AWAITACQ(z[2], 1, DEV, B) o[0] = 1; }"},
    {"a lock with fences", none,
     "DO(G, 0) { while (atomicCompSwap(z[0], 0, 1) != 0) {} memoryBarrierBuffer(); o[0] += 1; memoryBarrierBuffer(); "
     "atomicExchange(z[0], 0); }"},
    {"a lock without fences", race,
     "DO(G, 0) { while (atomicCompSwap(z[0], 0, 1) != 0) {} o[0] += 1; atomicExchange(z[0], 0); }"},
    {"a lock, fence at its end alone", race,
     "DO(G, 0) { while (atomicCompSwap(z[0], 0, 1) != 0) {} o[0] += 1; memoryBarrierBuffer(); atomicExchange(z[0], 0); "
     "}"},
    {"coherent flag behind fences", none,
     "DO(0, 0) { o[0] = 7; memoryBarrierBuffer(); c[0] = 1; }"
     "DO(1, 0) { while (c[0] == 0) {} memoryBarrierBuffer(); READ(o[0]); }"},
    {"coherent flag, no fence behind the wait", race,
     "DO(0, 0) { o[0] = 7; memoryBarrierBuffer(); c[0] = 1; } DO(1, 0) { while (c[0] == 0) {} READ(o[0]); }"},
    {"coherent flag that is the value, too", none,
     "DO(0, 0) { memoryBarrierBuffer(); c[0] = 7; } DO(1, 0) { while (c[0] == 0) {} READ(c[0]); }"},
    {"coherent flag, awaited by one, read by all", none,
     "DO(0, 0) { memoryBarrierBuffer(); c[0] = 7; } if (G == 1) { DO(1, 0) { while (c[0] == 0) {} } barrier(); "
     "READ(c[0]); }"},
    {"coherent flag, by a function and a variable", none,
     "DO(0, 0) { o[0] = 7; memoryBarrierBuffer(); c[0] = 1; }"
     "DO(1, 0) { uint seen; do { uint now = max(c[0], 0); seen = now; } while (seen == 0); memoryBarrierBuffer(); "
     "READ(o[0]); }"},
    {"coherent value, fence before it", race,
     "DO(0, 0) { memoryBarrierBuffer(); c[1] = 7; atomicExchange(z[0], 1); }"
     "DO(1, 0) { while (atomicAdd(z[0], 0) == 0) {} memoryBarrierBuffer(); READ(c[1]); }"},
    {"coherent value, fence between it and the flag", none,
     "DO(0, 0) { c[1] = 7; memoryBarrierBuffer(); atomicExchange(z[0], 1); }"
     "DO(1, 0) { while (atomicAdd(z[0], 0) == 0) {} memoryBarrierBuffer(); READ(c[1]); }"},
    {"coherent sum, added to by two", race, "DO(G, 0) { memoryBarrierBuffer(); c[0] += 1; }"},
    {"coherent words, no order", race, "DO(0, 0) c[0] = 1; DO(1, 0) c[0] = 2;"},
    {"look-back by sums with flags in one word", none,
     "DO(G, 0) { uint t = atomicAdd(z[0], 1), sum = 0; for (int k = int(t) - 1; k >= 0; --k) { uint w; do { w = "
     "atomicAdd(z[1 + k], 0); } while (w == 0); sum += w; } atomicExchange(z[1 + t], t + 1); o[t] = sum; }"},
};

// Under Vulkan's memory model, which separates availability and visibility from order: o is private, n nonprivate, and
// d, q, w and u are coherent as far as the device, the queue family, a work-group and a subgroup; all of them are in
// one buffer. AV and VI are the semantics for making available and visible.
const std::vector<Litmus> khronosVulkan = {
    {"mp3transitive", none,
     "DO(0, 0) { w[0] = 1; SETREL(f, 1, WG, B | S); } DO(0, 4) { AWAITACQ(f, 1, WG, B | S) SETAV(z[0], 1, DEV, B | S); "
     "} DO(1, 0) { AWAITACQ(z[0], 1, DEV, B | S) READ(d[0]); }"},
    {"mp3transitive2", none,
     "DO(0, 0) { n[0] = 1; SETAV(f, 1, WG, B | S); } DO(0, 4) { AWAITACQ(f, 1, WG, B | S) SETAV(z[0], 1, DEV, B | S); }"
     "DO(1, 0) { AWAITVIS(z[0], 1, DEV, B | S) SETREL(f, 1, WG, B | S); }"
     "DO(1, 4) { AWAITVIS(f, 1, WG, B | S) READ(n[0]); }"},
    {"mp3transitive3", none,
     "DO(0, 0) w[0] = 1; CBAR(WG, B, ACQREL); DO(0, 4) SETAV(z[0], 1, DEV, B | S);"
     "DO(1, 0) { AWAITACQ(z[0], 1, DEV, B | S) READ(d[0]); }"},
    {"mp3transitive4", none,
     "DO(0, 0) { n[0] = 1; SETAV(z[0], 1, WG, B); } DO(0, 4) { AWAITACQ(z[0], 1, WG, B) SETAV(z[1], 1, DEV, B | S); }"
     "DO(1, 0) { AWAITACQ(z[1], 1, DEV, S) SETREL(z[2], 1, DEV, S); }"
     "DO(2, 0) { AWAITVIS(z[2], 1, DEV, B | S) SETREL(z[3], 1, WG, B); } DO(2, 4) { AWAITVIS(z[3], 1, WG, B) "
     "READ(n[0]); }"},
    {"mp3transitivefail", race,
     "DO(0, 0) { n[0] = 1; SETREL(f, 1, WG, B | S); } DO(0, 4) { AWAITACQ(f, 1, WG, B | S) SETAV(z[0], 1, DEV, B | S); "
     "} DO(1, 0) { AWAITVIS(z[0], 1, DEV, B | S) SETREL(f, 1, WG, B | S); }"
     "DO(1, 4) { AWAITVIS(f, 1, WG, B | S) READ(n[0]); }"},
    {"mp3transitivefail2", race,
     "DO(0, 0) { n[0] = 1; SETAV(f, 1, WG, B | S); } DO(0, 4) { AWAITACQ(f, 1, WG, B | S) SETAV(z[0], 1, DEV, B | S); }"
     "DO(1, 0) { AWAITVIS(z[0], 1, DEV, B | S) SETREL(f, 1, WG, B | S); }"
     "DO(1, 4) { AWAITACQ(f, 1, WG, B | S) READ(n[0]); }"},
    {"mpinscope2", none,
     "DO(0, 0) { SETREL(z[0], 1, DEV, B); SETREL(z[1], 1, DEV, S); }"
     "DO(1, 0) { AWAITACQ(z[1], 1, DEV, S) READ(atomicLoad(z[0], DEV, B, gl_SemanticsAcquire)); }"},
    {"mpinscope3", none,
     "DO(0, 0) { SETAV(z[0], 1, DEV, B); SETREL(z[1], 1, DEV, S); }"
     "DO(1, 0) { AWAITACQ(z[1], 1, DEV, S) READ(atomicLoad(z[0], DEV, B, gl_SemanticsAcquire | VI)); }"},
    {"mpinscope4", none,
     "DO(0, 0) { SETREL(z[0], 1, DEV, B); RELAV(DEV, B); SETREL(z[1], 1, DEV, S); }"
     "DO(1, 0) { AWAITACQ(z[1], 1, DEV, S) ACQVIS(DEV, B); READ(atomicLoad(z[0], DEV, B, gl_SemanticsAcquire)); }"},
    {"mpinscope5", none,
     "DO(0, 0) { RELAV(DEV, B); SETREL(z[0], 1, DEV, B); SETREL(z[1], 1, DEV, S); }"
     "DO(1, 0) { AWAITACQ(z[1], 1, DEV, S) READ(atomicLoad(z[0], DEV, B, gl_SemanticsAcquire)); ACQVIS(DEV, B); }"},
    {"mpnotinscope1", none,
     "DO(0, 0) { SETREL(z[0], 1, WG, B); SETAV(z[1], 1, DEV, B); }"
     "DO(1, 0) { AWAITVIS(z[1], 1, DEV, B) READ(atomicLoad(z[0], WG, B, gl_SemanticsAcquire)); }"},
    {"mpnotinscope2", race,
     "DO(0, 0) { SETREL(z[0], 1, WG, B); SETREL(z[1], 1, DEV, B); }"
     "DO(1, 0) { AWAITACQ(z[1], 1, DEV, B) READ(atomicLoad(z[0], WG, B, gl_SemanticsAcquire)); }"},
    {"mpnotinscope3", race,
     "DO(0, 0) { SETAV(z[0], 1, WG, B); SETREL(z[1], 1, DEV, B); }"
     "DO(1, 0) { AWAITACQ(z[1], 1, DEV, B) READ(atomicLoad(z[0], WG, B, gl_SemanticsAcquire | VI)); }"},
    {"mpnotinscope4", none,
     "DO(0, 0) { SETREL(z[0], 1, WG, B); RELAV(DEV, B); SETREL(z[1], 1, DEV, B); }"
     "DO(1, 0) { AWAITACQ(z[1], 1, DEV, B) ACQVIS(DEV, B); READ(atomicLoad(z[0], WG, B, gl_SemanticsAcquire)); }"},
    {"mpnotinscope5", race,
     "DO(0, 0) { RELAV(WG, B); SETREL(z[0], 1, WG, B); SETREL(z[1], 1, DEV, B); }"
     "DO(1, 0) { AWAITACQ(z[1], 1, DEV, B) READ(atomicLoad(z[0], WG, B, gl_SemanticsAcquire)); ACQVIS(WG, B); }"},
    {"mpnotinscope6", race,
     "DO(0, 0) { SETREL(z[0], 1, WG, B); RELAV(WG, B); SETREL(z[1], 1, DEV, B); }"
     "DO(1, 0) { AWAITACQ(z[1], 1, DEV, B) ACQVIS(WG, B); READ(atomicLoad(z[0], WG, B, gl_SemanticsAcquire)); }"},
    {"noncohandatom", none, "DO(0, 0) { n[0] = 1; SWAP(n[0], 1, 2, WG) READ(o[0]); }"},
    {"noncohcoww", race, "DO(0, 0) { w[0] = 1; SET(w[0], 2, WG); } DO(0, 4) { AWAIT(w[0], 2, WG) READ(w[0]); }"},
    {"noncohmp", none,
     "DO(0, 0) { n[0] = 1; SETAV(z[0], 1, WG, B); } DO(0, 4) { AWAITVIS(z[0], 1, WG, B) READ(n[0]); }"},
    {"noncohmp2", none,
     "DO(0, 0) { n[0] = 1; n[0] = 2; SETAV(z[0], 1, WG, B); } DO(0, 4) { AWAITVIS(z[0], 1, WG, B) READ(n[0]); }"},
    {"noncohmp3", none,
     "DO(0, 0) { n[0] = 1; d[0] = 2; SETREL(z[0], 1, WG, B); }"
     "DO(0, 4) { AWAITACQ(z[0], 1, WG, B) READ(d[0]); READ(n[0]); READ(n[0]); }"},
    {"noncohmpbar", none,
     "DO(0, 0) { n[0] = 1; RELAV(DEV, B); SET(z[0], 1, DEV); }"
     "DO(1, 0) { AWAIT(z[0], 1, DEV) ACQVIS(DEV, B); READ(n[0]); }"},
    {"noncohmpbarsg", none, "DO(0, 0) n[0] = 1; controlBarrier(SG, SG, B, ACQREL | AV | VI); DO(0, 1) READ(n[0]);"},
    {"noncohmpfail", race,
     "DO(0, 0) { n[0] = 1; d[1] = 1; SETREL(z[0], 1, WG, B); } DO(0, 4) { AWAITACQ(z[0], 1, WG, B) READ(d[0]); }"},
    {"noncohmpfail2", race,
     "DO(0, 0) { n[0] = 1; SETAV(z[0], 1, WG, S); } DO(0, 4) { AWAITVIS(z[0], 1, WG, B) READ(n[0]); }"},
    {"noncohrmw", none,
     "DO(0, 0) w[0] = 1; CBAR(WG, B, ACQREL); DO(0, 0) SWAP(w[0], 2, 3, WG) DO(0, 4) SWAP(w[0], 1, 2, WG)"},
    {"noncohrmwfail", none,
     "DO(0, 0) w[0] = 1; CBAR(WG, B, ACQREL);"
     "if (G == 0 && L % 4 == 0) READ(atomicCompSwap(w[0], 1u, 2u, WG, 0, 0, 0, 0));"},
    {"noncohwar", none,
     "DO(0, 0) { READ(n[0]); SETAV(z[0], 1, WG, B); } DO(0, 4) { AWAITVIS(z[0], 1, WG, B) n[0] = 1; }"},
    {"privmp", race, "DO(0, 0) { o[0] = 1; SETAV(z[0], 1, WG, B); } DO(0, 4) { AWAITVIS(z[0], 1, WG, B) READ(o[0]); }"},
    {"privpo", none, "DO(0, 0) { READ(o[0]); o[0] = 1; READ(o[0]); n[0] = 2; }"},
    {"privwar", race,
     "DO(0, 0) { READ(o[0]); SETAV(z[0], 1, WG, B); } DO(0, 4) { AWAITVIS(z[0], 1, WG, B) o[0] = 1; }"},
    {"qfmp", none,
     "DO(0, 0) { q[0] = 1; SETREL(z[0], 1, gl_ScopeQueueFamily, B); }"
     "DO(1, 0) { AWAITACQ(z[0], 1, gl_ScopeQueueFamily, B) READ(q[0]); }"},
    // A subgroup replaces a work-group, and a work-group the device: all of it must reach its barrier.
    {"scnottransitive", race,
     "DO(0, 0) { d[0] = 1; REL(SG, B | S); REL(WG, S); SET(f, 1, WG); }"
     "DO(0, 4) { AWAIT(f, 1, WG) ACQ(WG, S); ACQ(SG, B | S); READ(d[0]); }"},
    {"scopeaccum", none,
     "DO(0, 0) d[0] = 1; controlBarrier(SG, SG, B, ACQREL); CBAR(WG, B, ACQREL); DO(0, 4) READ(d[0]);"},
    {"test6", none,
     "DO(0, 0) d[0] = 1; controlBarrier(SG, SG, B, ACQREL); CBAR(WG, B, ACQREL); controlBarrier(SG, SG, B, ACQREL);"
     "DO(0, 5) READ(d[0]);"},
    {"test7", race,
     "DO(0, 0) d[0] = 1; controlBarrier(SG, SG, B, ACQREL); CBAR(WG, S, ACQREL); controlBarrier(SG, SG, B, ACQREL);"
     "DO(0, 5) READ(d[0]);"},
    {"test16", race, "DO(0, 0) SET(d[0], 1, WG); DO(0, 4) { AWAIT(d[0], 1, WG) READ(d[0]); }"},
    {"test17", none, "DO(0, 0) SETREL(w[0], 1, WG, B); DO(0, 4) { AWAITACQ(w[0], 1, WG, B) READ(w[0]); }"},
    {"test18", none, "DO(0, 0) SETREL(d[0], 1, DEV, B); DO(1, 0) { AWAITACQ(d[0], 1, DEV, B) READ(d[0]); }"},
    {"test19", none, "DO(0, 0) SETAV(d[0], 1, DEV, B); DO(1, 0) { AWAITACQ(d[0], 1, DEV, B) READ(d[0]); }"},
    {"test20", none,
     "DO(0, 0) { SET(d[0], 1, DEV); SETAV(z[0], 1, DEV, B); } DO(1, 0) { AWAITACQ(z[0], 1, DEV, B) READ(d[0]); }"},
    {"test21", race,
     "DO(0, 0) { w[0] = 1; SETREL(z[0], 1, DEV, B); } DO(1, 0) { AWAITACQ(z[0], 1, DEV, B) READ(w[0]); }"},
};

// As students write them under that model, right and wrong. says: a part of the message.
struct Said : Litmus {
    const char* says = "";
};
const std::vector<Said> vulkanStudents = {
    {{"privmp, not private", none,
      "DO(0, 0) { n[0] = 1; SETAV(z[0], 1, DEV, B); } DO(1, 0) { AWAITVIS(z[0], 1, DEV, B); READ(n[0]); }"}},
    {{"privwar, coherent", none,
      "DO(0, 0) { READ(d[0]); SETREL(z[0], 1, DEV, B); } DO(1, 0) { AWAITACQ(z[0], 1, DEV, B); d[0] = 1; }"}},
    {{"private, and published", race,
      "DO(0, 0) { o[0] = 1; SETAV(z[0], 1, DEV, B); } DO(1, 0) { AWAITVIS(z[0], 1, DEV, B); READ(o[0]); }"},
     "under Vulkan's memory model it is private to each of them; declare its buffer devicecoherent, or nonprivate"},
    {{"one of them private", race,
      "DO(0, 0) { d[0] = 1; SETREL(z[0], 1, DEV, B); } DO(1, 0) { AWAITACQ(z[0], 1, DEV, B); READ(o[0]); READ(d[0]); "
      "}"},
     "private"},
    {{"private behind a barrier", race, "o[I] = 1; memoryBarrierBuffer(); barrier(); READ(o[I ^ 1]);"},
     "declare its buffer subgroupcoherent, or nonprivate"},
    {{"private, each its own", none, "o[I] = 1; memoryBarrierBuffer(); barrier(); READ(o[I]);"}},
    {{"shared memory is coherent", none, "s[L] = 1; barrier(); READ(s[7 - L]);"}},
    {{"coherent, and no order", race, "DO(0, 0) d[0] = 1; DO(1, 0) d[0] = 2;"}, "nothing orders work-groups"},
    {{"a flag that is no atomic", race,
      "DO(0, 0) { n[0] = 1; memoryBarrierBuffer(); d[1] = 1; } DO(1, 0) { memoryBarrierBuffer(); READ(d[1]); }"}},
    {{"nonprivate, and a release that makes nothing available", race,
      "DO(0, 0) { n[0] = 1; SETREL(z[0], 1, DEV, B); } DO(1, 0) { AWAITVIS(z[0], 1, DEV, B) READ(n[0]); }"},
     "nothing makes it available that far; declare its buffer devicecoherent, or let the writer release with "
     "gl_SemanticsMakeAvailable and gl_ScopeDevice"},
    {{"nonprivate, and an acquire that makes nothing visible", race,
      "DO(0, 0) { n[0] = 1; SETAV(z[0], 1, DEV, B); } DO(1, 0) { AWAITACQ(z[0], 1, DEV, B) READ(n[0]); }"},
     "nothing makes it visible there; declare its buffer devicecoherent, or let the reader acquire with "
     "gl_SemanticsMakeVisible and gl_ScopeDevice"},
    {{"coherent in the work-group, read by another one", race,
      "DO(0, 0) { w[0] = 1; SETREL(z[0], 1, DEV, B); } DO(1, 0) { AWAITACQ(z[0], 1, DEV, B) READ(w[0]); }"},
     "declare its buffer devicecoherent"},
    {{"coherent in the work-group, read in it", none, "w[I] = I; CBAR(WG, B, ACQREL); READ(w[G * 8 + 7 - L]);"}},
    {{"coherent in the subgroup, read by another one", race, "u[I] = I; CBAR(WG, B, ACQREL); READ(u[G * 8 + 7 - L]);"},
     "declare its buffer workgroupcoherent"},
    {{"coherent in the subgroup, read in it", none, "u[I] = I; CBAR(WG, B, ACQREL); READ(u[I ^ 1]);"}},
    {{"coherent, memoryBarrierBuffer() and barrier()", none,
      "d[I] = I; memoryBarrierBuffer(); barrier(); READ(d[G * 8 + 7 - L]);"}},
    {{"nonprivate, memoryBarrierBuffer() and barrier()", race,
      "n[I] = I; memoryBarrierBuffer(); barrier(); READ(n[G * 8 + 7 - L]);"},
     "declare its buffer workgroupcoherent"},
    {{"nonprivate, a barrier that makes available and visible", none,
      "n[I] = I; CBAR(WG, B, ACQREL | AV | VI); READ(n[G * 8 + 7 - L]);"}},
    {{"nonprivate, a barrier that only makes available", race,
      "n[I] = I; CBAR(WG, B, ACQREL | AV); READ(n[G * 8 + 7 - L]);"},
     "let the reader acquire with gl_SemanticsMakeVisible and gl_ScopeWorkgroup"},
    {{"nonprivate, a barrier that makes available too near", race,
      "n[I] = I; CBAR(WG, B, ACQREL | AV | VI); DO(0, 0) SETREL(z[0], 1, DEV, B);"
      "DO(1, 0) { AWAITVIS(z[0], 1, DEV, B) READ(n[5]); }"},
     "let the writer release with gl_SemanticsMakeAvailable and gl_ScopeDevice"},
    {{"nonprivate, written by all, published by one", none,
      "n[I] = I; CBAR(WG, B, ACQREL | AV | VI); DO(0, 0) SETAV(z[0], 1, DEV, B);"
      "DO(1, 0) { AWAITVIS(z[0], 1, DEV, B) READ(n[5]); }"}},
    {{"nonprivate, awaited by one, read by all", none,
      "DO(0, 0) { n[0] = 1; SETAV(z[0], 1, DEV, B); } DO(1, 0) AWAITVIS(z[0], 1, DEV, B)"
      "CBAR(WG, B, ACQREL | AV | VI); if (G == 1) READ(n[0]);"}},
    {{"nonprivate, awaited by one, read by all, of whom none sees it", race,
      "DO(0, 0) { n[0] = 1; SETAV(z[0], 1, DEV, B); } DO(1, 0) AWAITVIS(z[0], 1, DEV, B)"
      "CBAR(WG, B, ACQREL); if (G == 1) READ(n[0]);"},
     "nothing makes it visible there"},
    {{"coherent in the work-group, seen by one that awaits it, read by all", none,
      "DO(0, 0) { d[0] = 1; SETREL(z[0], 1, DEV, B); } DO(1, 0) AWAITVIS(z[0], 1, DEV, B)"
      "CBAR(WG, B, ACQREL); if (G == 1) READ(w[0]);"}},
    {{"written over by another work-group, not available to it", race,
      "DO(0, 0) { n[0] = 1; SETREL(z[0], 1, DEV, B); } DO(1, 0) { AWAITACQ(z[0], 1, DEV, B) n[0] = 2; }"},
     "gl_SemanticsMakeAvailable"},
    {{"written over by another work-group", none,
      "DO(0, 0) { n[0] = 1; SETAV(z[0], 1, DEV, B); } DO(1, 0) { AWAITACQ(z[0], 1, DEV, B) n[0] = 2; }"}},
    {{"fences that make available and visible, round relaxed atomics", none,
      "DO(G, 0) { n[G] = G; RELAV(DEV, B); uint t = atomicAdd(z[0], 1, DEV, 0, 0); ACQVIS(DEV, B);"
      "if (t == 2) { READ(n[0] + n[1] + n[2]); } }"}},
    {{"fences round relaxed atomics, nothing made visible", race,
      "DO(G, 0) { n[G] = G; RELAV(DEV, B); uint t = atomicAdd(z[0], 1, DEV, 0, 0); ACQ(DEV, B);"
      "if (t == 2) { READ(n[0] + n[1] + n[2]); } }"},
     "gl_SemanticsMakeVisible"},
    {{"last work-group, one atomic", none,
      "DO(G, 0) { n[G] = G; uint t = atomicAdd(z[0], 1, DEV, B, ACQREL | AV | VI);"
      "if (t == 2) { READ(n[0] + n[1] + n[2]); } }"}},
    {{"the payload of a flag, read again", none,
      "DO(0, 0) SETREL(n[0], 1, DEV, B); DO(1, 0) { AWAITACQ(n[0], 1, DEV, B) READ(n[0]); }"}},
    {{"a chain of work-groups", none,
      "DO(0, 0) { n[0] = 1; SETAV(z[0], 1, DEV, B); } DO(1, 0) { AWAITVIS(z[0], 1, DEV, B) n[1] = n[0] + 1; "
      "SETAV(z[1], 1, DEV, B); } DO(2, 0) { AWAITVIS(z[1], 1, DEV, B) READ(n[0] + n[1]); }"}},
    {{"private of what only one uses, beside coherent ones", none,
      "o[I] += 1; d[32 + I] = o[I]; CBAR(WG, B, ACQREL); READ(d[32 + G * 8 + 7 - L]);"}},
};

Emulated walkedLitmus(const std::vector<std::uint32_t>& words, EmulatorSettings::Order order)
{
    EmulatedGlsl kernel(words, Specialisation{});
    for (int k = 0; k < 4; ++k) kernel.buffer(std::vector<std::uint32_t>(64));
    kernel.settings.subgroupSize = 4;
    kernel.settings.together = 3;
    kernel.settings.order = order;
    kernel.settings.seed = 5;
    return kernel.run({3, 1, 1});
}

void judge(const Litmus& one, const std::string& frame, const std::string& says = {})
{
    SCOPED_TRACE(one.name);
    const std::vector<std::uint32_t> words = compileGlsl(frame + one.body + "\n}\n");
    for (const auto order :
         {EmulatorSettings::Order::forwards, EmulatorSettings::Order::backwards, EmulatorSettings::Order::shuffled}) {
        const Emulated walked = walkedLitmus(words, order);
        EXPECT_TRUE(walked.complete) << findingsText(walked);
        const auto found = std::find_if(walked.findings.begin(), walked.findings.end(), [](const auto& finding) {
            return finding.rule == "shared-race" || finding.rule == "global-race";
        });
        EXPECT_EQ(found != walked.findings.end(), one.expected == race) << findingsText(walked);
        if (found == walked.findings.end()) continue;
        EXPECT_NE((found->what + "; " + found->cure).find(says), std::string::npos) << findingsText(walked);
        EXPECT_GT(found->where.line, 0U);
        EXPECT_GT(found->other.line, 0U);
    }
}

void judge(const std::vector<Litmus>& all, const std::string& frame = litmusFrame)
{
    for (const Litmus& one : all) judge(one, frame);
}

std::string underVulkan(const std::vector<std::pair<std::string, std::string>>& exchanged)
{
    std::string frame = litmusFrame;
    frame.replace(frame.find('\n') + 1, 0, "#pragma use_vulkan_memory_model\n");
    for (const auto& [from, to] : exchanged) frame.replace(frame.find(from), from.size(), to);
    return frame;
}

std::string vulkanFrame()
{
    return underVulkan(
        {{"layout(set = 0, binding = 2) coherent buffer C { uint c[]; };",
          "layout(set = 0, binding = 0) nonprivate buffer N { uint n[]; };\n"
          "layout(set = 0, binding = 0) devicecoherent buffer D { uint d[]; };\n"
          "layout(set = 0, binding = 0) queuefamilycoherent buffer Q { uint q[]; };\n"
          "layout(set = 0, binding = 0) workgroupcoherent buffer W { uint w[]; };\n"
          "layout(set = 0, binding = 0) subgroupcoherent buffer U { uint u[]; };\n"
          "#define AV gl_SemanticsMakeAvailable\n"
          "#define VI gl_SemanticsMakeVisible\n"
          "#define SETAV(at, n, scope, of) atomicStore(at, uint(n), scope, of, gl_SemanticsRelease | AV)\n"
          "#define AWAITVIS(at, n, scope, of) "
          "while (atomicLoad(at, scope, of, gl_SemanticsAcquire | VI) != n) {}\n"
          "#define RELAV(scope, of) memoryBarrier(scope, of, gl_SemanticsRelease | AV)\n"
          "#define ACQVIS(scope, of) memoryBarrier(scope, of, gl_SemanticsAcquire | VI)"}});
}

}  // namespace

TEST(EmulatorLitmus, KhronosMemoryModel) { judge(khronos); }

// The original tests: accesses that are not atomic are coherent as far as the device.
TEST(EmulatorLitmus, KhronosMemoryModelUnderVulkansModel)
{
    const std::string frame = underVulkan({{"binding = 0) buffer", "binding = 0) devicecoherent buffer"},
                                           {"binding = 1) buffer", "binding = 1) devicecoherent buffer"}});
    for (const Litmus& one : khronos) {
        const bool other = std::any_of(khronosVulkan.begin(), khronosVulkan.end(),
                                       [&](const Litmus& two) { return std::string(two.name) == one.name; });
        if (!other) judge(one, frame);
    }
}

TEST(EmulatorLitmus, KhronosAvailabilityAndVisibility) { judge(khronosVulkan, vulkanFrame()); }

TEST(EmulatorLitmus, AsStudentsWriteThemUnderVulkansModel)
{
    for (const Said& one : vulkanStudents) judge(one, vulkanFrame(), one.says);
}

TEST(EmulatorLitmus, AsStudentsWriteThem) { judge(students); }

}  // namespace a2
