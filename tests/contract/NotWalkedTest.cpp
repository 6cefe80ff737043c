// What the walk on the host cannot follow is a not-walked finding: a note, and with --strict a failure; and features
// that the device was not asked for are named.

#include "BrokenShaders.h"

#include <gtest/gtest.h>

namespace contract {

namespace {

const char* const sequential = "A2Task1Sequential.comp";
const char* const store = "data[first] = sum;";

// Right, but too long to be walked from some hundred elements on: an XOR with the same number twice changes nothing.
struct Long : BrokenShaders {
    Long() : BrokenShaders(sequential, store, "for (uint i = 0; i < 60000u; ++i) sum ^= i % 30000u; data[first] = sum;")
    {
    }
};

// Right, but too large: in work-groups of 1024, the invocations have more numbers of their own than the walk supports.
struct Large : BrokenShaders {
    Large()
        : BrokenShaders(
              sequential, store,
              "uint a[5300], b[5300]; for (uint i = 0; i < 5300; ++i) a[i] = sum; b = a; b[first % 5300] += 1; "
              "a = b; data[first] = a[first % 5300] - 1;")
    {
    }
};

std::size_t count(const std::string& text, const std::string& part)
{
    std::size_t times = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++times;
    return times;
}

// Removes line breaks.
std::string flat(const std::string& text)
{
    std::string all;
    for (const char c : text)
        if (c != '\n' && !(c == ' ' && all.ends_with(' '))) all += c;
    return all;
}

constexpr const char* tooLong =
    "not-walked: kernel A2Task1Sequential is walked on the host not to its end: the run takes more than 134217728 "
    "instructions";

}  // namespace

class NotWalked : public testing::TestWithParam<const char*> {};

TEST_P(NotWalked, IsANoteAndWithStrictAFailure)
{
    const Long shaders;
    const Folder folder;
    const std::string report = folder / "report.json";
    Words words = {
        GetParam(), "reduce/sequential", "--shader-dir", shaders.path(), "-w", "256", "--elements", "2", "--json",
        report};
    const Words lengths = std::string(GetParam()) == "check" ? Words{"--up-to", "513"} : Words{"-n", "513"};
    words.insert(words.end(), lengths.begin(), lengths.end());

    const Finished noted = runA2(words);
    EXPECT_EQ(noted.status, 0) << noted;
    EXPECT_TRUE(contains(flat(noted.err), std::string("reduce/sequential: note: ") + tooLong)) << noted;
    EXPECT_EQ(count(noted.err, "not-walked"), 1U) << "once for the row: " << noted;
    EXPECT_FALSE(contains(noted.out, "not-walked")) << noted;
    EXPECT_EQ(inspect({"validate", A2_SCHEMA, report}).status, 0);
    const std::string json = textOf(report);
    const bool steps = std::string(GetParam()) == "steps";  // it also reports this for its dispatches
    EXPECT_EQ(count(json, "\"rule\": \"not-walked\""), steps ? 2U : 1U) << json;
    EXPECT_TRUE(contains(json, "\"severity\": \"note\"")) << json;

    if (steps) return;  // a2 steps has no --strict
    words.emplace_back("--strict");
    const Finished strict = runA2(words);
    EXPECT_EQ(strict.status, 1) << strict;
    EXPECT_EQ(linesOf(strict.out).back(), "TEST FAILED") << strict;
    EXPECT_TRUE(contains(flat(strict.out), tooLong)) << strict;
    EXPECT_TRUE(contains(flat(strict.out), "write it with what the walk knows")) << "no cure: " << strict;
    EXPECT_EQ(inspect({"validate", A2_SCHEMA, report}).status, 0);
}

INSTANTIATE_TEST_SUITE_P(, NotWalked, testing::Values("run", "check", "steps"),
                         [](const testing::TestParamInfo<const char*>& command) { return command.param; });

TEST(NotWalkedRows, DoNotCountLengthsThatAreWalkedNowhere)
{
    const Finished run = runA2({"reduce/atomic", "-n", "2^17", "--strict"});
    EXPECT_EQ(run.status, 0) << run;
    EXPECT_FALSE(contains(run.err, "not-walked")) << run;
}

// If the emulator lacks something, the kernel is not at fault.
TEST(NotWalkedRows, AreSkippedOnTheEmulator)
{
    const Large shaders;
    const Folder folder;
    for (const Words& command : {Words{"run", "-n", "64"}, Words{"run", "-n", "5000"}, Words{"check", "--up-to", "9"},
                                 Words{"steps", "-n", "64"}}) {
        Words words = command;
        words.insert(words.end(), {"reduce/sequential", "-w", "1024", "--shader-dir", shaders.path(), "-d", "emulator",
                                   "--json", folder / "r.json"});
        const Finished run = runA2(words);
        EXPECT_EQ(run.status, 3) << run;
        EXPECT_TRUE(contains(run.out, "SKIPPED: not-walked: ")) << run;
        EXPECT_TRUE(contains(flat(run.out), "a work-group's invocations have")) << run;
        EXPECT_FALSE(contains(run.out, "FAILED")) << run;
        EXPECT_EQ(inspect({"validate", A2_SCHEMA, folder / "r.json"}).status, 0);
    }
    const Finished both = runA2({"reduce/sequential", "reduce/atomic", "-n", "64", "-w", "1024", "--shader-dir",
                                 shaders.path(), "-d", "emulator"});
    EXPECT_EQ(both.status, 3) << "nobody has judged one of them: " << both;
    EXPECT_TRUE(both.out.ends_with("[Task1] evaluating KernelDecomposition Atomic\nTEST PASSED\n")) << both;
}

TEST(NotWalkedRows, AreWalkedWhereTheyUseAllOfGlsl)
{
    BrokenShaders shaders(
        sequential, store,
        "float whole; int exponent; mat3 m = mat3(2.0); m[1][0] = float(clock2x32ARB().x & 1u);\n"
        "debugPrintfEXT(\"%u\", sum);\n"
        "if (modf(2.5, whole) + frexp(4.0, exponent) + determinant(inverse(m)) > 1.5 || "
        "packHalf2x16(vec2(whole)) == 0u) sum += 1u; data[first + 1] = data[first + 1]; data[first] = sum;");
    shaders.change(sequential, "#version 450",
                   "#version 450\n#extension GL_ARB_shader_clock : require\n"
                   "#extension GL_EXT_debug_printf : require");
    const Finished run = runA2({"reduce/sequential", "-n", "100", "--shader-dir", shaders.path(), "-d", "emulator"});
    EXPECT_EQ(run.status, 1) << run;
    EXPECT_TRUE(contains(run.out, "global-race")) << "the race behind all that is seen: " << run;
    EXPECT_FALSE(contains(run.out, "not-walked")) << run;
}

TEST(DeviceFeatures, ThatTheDeviceDoesNotOfferAreNamed)
{
    BrokenShaders shaders(sequential, store, "data[first] = sum + uint(dotOf(ivec2(0), ivec2(1)));");
    shaders.change(sequential, "#version 450", "#version 450\n#extension GL_EXT_spirv_intrinsics : require");
    shaders.change(
        sequential, "void main()",
        "spirv_instruction(extensions = [\"SPV_KHR_integer_dot_product\"], capabilities = [6016, 6019], id = "
        "4450) int dotOf(ivec2 x, ivec2 y);\nvoid main()");
    const Words words = {"reduce/sequential", "-n", "100", "--shader-dir", shaders.path()};
    const Finished run = runA2(words);
    EXPECT_NE(run.status, 0) << run;
    EXPECT_TRUE(
        contains(flat(run.out), "A2Task1Sequential needs shaderIntegerDotProduct, which this device does not offer"))
        << run;
    Words emulated = words;
    emulated.insert(emulated.end(), {"-d", "emulator"});
    const Finished skipped = runA2(emulated);
    EXPECT_EQ(skipped.status, 3) << skipped;
    EXPECT_TRUE(contains(skipped.out, "SKIPPED: ")) << skipped;
    EXPECT_TRUE(contains(flat(skipped.out), "needs shaderIntegerDotProduct")) << skipped;
}

TEST(DeviceFeatures, ThatA2AsksNoDeviceForAreNamed)
{
    if (contains(runA2({"doctor"}).out, "spirv-val is not installed")) GTEST_SKIP() << "it takes spirv-val";
    BrokenShaders shaders(sequential, "#version 450", "#version 450\n#extension GL_EXT_scalar_block_layout : require");
    shaders.change(sequential, "void main()",
                   "layout(set = 0, binding = 0, scalar) readonly buffer Triples { uvec3 triples[]; };\nvoid main()");
    shaders.change(sequential, store, "data[first] = sum + triples[0].x * 0u;");
    const Finished run = runA2({"reduce/sequential", "-n", "100", "--shader-dir", shaders.path()});
    EXPECT_EQ(run.status, 1) << run;
    EXPECT_TRUE(contains(flat(run.out), "a2 asks no device for scalarBlockLayout")) << run;
}

TEST(DeviceFeatures, ThatTheDeviceHasAreThere)
{
    BrokenShaders shaders(
        sequential, store,
        "double wide = double(sum); int16_t small = int16_t(1); uint8_t tiny = uint8_t(2); data[first] = "
        "uint(wide) + uint(small) + uint(tiny) - 3u;");
    shaders.change(sequential, "#version 450",
                   "#version 450\n#extension GL_EXT_shader_explicit_arithmetic_types : require");
    // Mesa runs features that it was not asked for; the layer reports them.
    const Finished run = runA2(
        {"reduce/sequential", "-n", "1000", "--shader-dir", shaders.path(), "--strict", "--validation", "required"});
    EXPECT_EQ(run.status, 0) << run;
}

// A work-group of 4 leaves places empty in a subgroup of 8. If a loop's end is read from memory, Mesa's CPU driver lets
// these places go on until no loop may go on. There the walk judges a right kernel; a wrong one still fails.
TEST(CpuDriver, IsNotBelievedWhereAWorkGroupDoesNotFillASubgroup)
{
    const std::string file = "A2Task1KernelDecomposition.comp", tree = "    for (uint stride = NEXT_POWER_OF_TWO";
    BrokenShaders shaders(file, tree,
                          "    if (lane == 0) width = gl_WorkGroupSize.x + 1u;\n    barrier();\n"
                          "    for (uint k = gl_WorkGroupSize.x; k >= width; k /= 2) barrier();\n" +
                              tree);
    shaders.change(file, "void main()", "shared uint width;\nvoid main()");
    const Words words = {"reduce/decomposition", "-n", "100", "-w", "4", "-r", "1", "--shader-dir", shaders.path()};
    const Finished right = runA2(words);
    EXPECT_EQ(right.status, 0) << right;
    shaders.change(file, "partial[lane + stride];", "partial[lane];");
    const Finished wrong = runA2(words);
    EXPECT_EQ(wrong.status, 1) << wrong;
}

// This driver ends an invocation after 65,535 turns of its loops; the invocation then leaves an array that it has not
// scanned to its end.
TEST(CpuDriver, IsNotBelievedWhereALoopTakesItTooManyTurns)
{
    BrokenShaders shaders("A2Task1KernelDecompositionAtomic.comp", "atomicAdd(groupSum, sumOfMyElements());",
                          "const uint begin = workGroupNumber() * gl_WorkGroupSize.x * ELEMENTS;\n"
                          "    if (gl_LocalInvocationID.x == 0)\n"
                          "        for (uint i = 0; i < gl_WorkGroupSize.x * ELEMENTS; ++i)\n"
                          "            if (begin + i < push.count) groupSum += source[begin + i];");
    const Finished run = runA2({"run", "reduce/atomic", "-n", "131072", "-w", "1024", "--elements", "64", "-r", "1",
                                "--shader-dir", shaders.path(), "-d", "cpu"});
    EXPECT_FALSE(contains(run.out, "TEST FAILED")) << run;
    if (contains(run.out, "TEST PASSED")) GTEST_SKIP() << "this driver goes on for longer";
    EXPECT_TRUE(contains(run.out, "and here an invocation takes about as many")) << run;
    // A wrong kernel stays wrong.
    shaders.change("A2Task1KernelDecompositionAtomic.comp", "begin + i < push.count", "begin + i + 1 < push.count");
    EXPECT_EQ(runA2({"run", "reduce/atomic", "-n", "131072", "-w", "1024", "--elements", "64", "-r", "1",
                     "--shader-dir", shaders.path(), "-d", "cpu"})
                  .status,
              1);
}

// Each invocation goes through the tile, which takes a turn more than the driver allows in all. It is right.
TEST(CpuDriver, IsNotBelievedWhereAllLoopsTogetherTakeItTooManyTurns)
{
    const BrokenShaders shaders(
        "A2HistogramShared.comp",
        "    for (uint i = begin + gl_LocalInvocationID.x; i < end; i += gl_WorkGroupSize.x)\n"
        "        atomicAdd(counted[source[i] % HISTOGRAM_BINS], 1);",
        "    for (uint bin = gl_LocalInvocationID.x; bin < HISTOGRAM_BINS; bin += gl_WorkGroupSize.x)\n"
        "        for (uint i = begin; i < end; ++i) counted[bin] += source[i] % HISTOGRAM_BINS == bin ? 1 : 0;");
    // A second work-group is started meanwhile.
    const Finished run = runA2({"run", "histogram/shared", "-n", "65537", "-w", "1024", "--elements", "64", "-r", "1",
                                "--shader-dir", shaders.path(), "-d", "cpu"});
    EXPECT_FALSE(contains(run.out, "TEST FAILED")) << run;
}

TEST(CpuDriver, IsNotBelievedWhereItWritesOutsideABuffer)
{
    const BrokenShaders shaders("A2SortScatter.comp", "subgroupBroadcastFirst(widthOfSubgroups)", "widthOfSubgroups");
    const Finished right =
        runA2({"sort/radix", "-n", "20", "-w", "4", "--elements", "2", "-r", "1", "--shader-dir", shaders.path()});
    EXPECT_EQ(right.status, 0) << right;
}

}  // namespace contract
