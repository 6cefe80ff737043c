// -d emulator: a verdict on a machine without a driver and without a loader.

#include "BrokenShaders.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace contract {

namespace {

// A machine without both, and a2 on it.
class Bare {
public:
    Bare() : environment_(withoutLibrary("libvulkan", folder_))
    {
        environment_.insert(environment_.end(),
                            {{"VK_DRIVER_FILES", "/nonexistent"}, {"VK_ICD_FILENAMES", "/nonexistent"}});
    }
    Finished a2(const Words& words) const { return runA2(words, environment_); }
    Finished emulated(Words words) const
    {
        words.insert(words.end(), {"-d", "emulator"});
        return a2(words);
    }
    std::string operator/(const std::string& name) const { return folder_ / name; }

private:
    Folder folder_;
    Environment environment_;
};

const char* const twoPassed =
    "[Task1] evaluating KernelDecomposition Atomic\n"
    "TEST PASSED\n"
    "[Task2] evaluating Naive\n"
    "TEST PASSED\n";

}  // namespace

TEST(Emulator, JudgesARunWithoutADriver)
{
    const Bare machine;
    const Finished run = machine.emulated({"reduce/atomic", "scan/naive", "-n", "3000", "--json", machine / "r.json",
                                           "--csv", machine / "r.csv", "--junit", machine / "r.xml"});
    EXPECT_EQ(run.status, 0) << run;
    EXPECT_EQ(run.out, twoPassed) << "times of an emulator mean nothing";
    const Finished strict = inspect({"strict", A2_SCHEMA, machine / "r.json"});
    EXPECT_EQ(strict.status, 0) << strict;
    const std::string json = textOf(machine / "r.json");
    for (const char* part : {"\"name\": \"a2 emulator\"", "\"type\": \"CPU\"", "\"benchmarks\": []",
                             "\"copy_peak_GBps\": null", "\"n\": 3000", "\"dispatch A2Task2Naive "})
        EXPECT_TRUE(contains(json, part)) << part << "\n" << json;
    EXPECT_EQ(machine.emulated({"reduce/atomic", "-n", "0"}).out, linesOf(twoPassed)[0] + "\nTEST PASSED\n");
}

TEST(Emulator, IsChosenByTheEnvironmentToo)
{
    const Finished run = runA2({"reduce/atomic", "-n", "100"}, {{"A2_DEVICE", "Emulator"}});
    EXPECT_EQ(run.status, 0) << run;
    EXPECT_TRUE(contains(run.err, "a2 emulator")) << run;
    EXPECT_FALSE(contains(run.out, "ms")) << run;
}

TEST(Emulator, HasALengthOfItsOwnWhereNoneIsNamed)
{
    const Finished run = runA2({"reduce/atomic", "-d", "emulator"});
    EXPECT_EQ(run.status, 0) << run;
    EXPECT_TRUE(contains(run.err, "2^16 elements instead of 2^27")) << run;
    const Finished longer = runA2({"reduce/atomic", "-d", "emulator", "-n", "2^21"});
    EXPECT_EQ(longer.status, 3) << longer;
    EXPECT_TRUE(contains(longer.out, "SKIPPED: n = 2097152 is more than the 1048576 elements")) << longer;
}

TEST(Emulator, ChecksWithoutADriver)
{
    const Bare machine;
    const Finished check = machine.emulated({"check", "reduce/atomic", "scan/offset", "--up-to", "64"});
    EXPECT_EQ(check.status, 0) << check;
    EXPECT_TRUE(contains(check.out, "lengths up to 64, 6 work-group sizes\nTEST PASSED\n")) << check;
}

TEST(Emulator, ShowsStepsWithoutADriver)
{
    const Bare machine;
    const Finished steps = machine.emulated({"steps", "reduce/sequential", "-n", "16", "--json", machine / "s.json"});
    EXPECT_EQ(steps.status, 0) << steps;
    EXPECT_TRUE(contains(steps.out, "*120")) << steps;
    EXPECT_TRUE(contains(steps.out, "\n4 dispatches\nTEST PASSED\n")) << steps;
    EXPECT_FALSE(contains(steps.out, " ms")) << steps;
    EXPECT_EQ(inspect({"validate", A2_SCHEMA, machine / "s.json"}).status, 0);
    EXPECT_TRUE(contains(textOf(machine / "s.json"), "\"ms\": null"));
}

TEST(Emulator, RecordsCountsAndJudgesRecordingsWithoutADriver)
{
    const Bare machine;
    const Finished record = machine.emulated({"record", "scan/naive", "-n", "100", "-o", machine / "r.a2r"});
    EXPECT_EQ(record.status, 0) << record;
    const Finished run = machine.emulated({"run", "--recording", machine / "r.a2r"});
    EXPECT_EQ(run.status, 0) << run;
    EXPECT_EQ(run.out, "[Task2] evaluating Naive\nTEST PASSED\n");
    const Finished theory = machine.emulated({"theory", "rotate", "--matrix", "20x30"});
    EXPECT_EQ(theory.status, 0) << theory;
    EXPECT_TRUE(contains(theory.out, "every element is right")) << theory;
}

TEST(Emulator, FailsAWrongKernelWithItsSteps)
{
    const BrokenShaders shaders("A2Task1KernelDecomposition.comp", "stride > 0;", "stride > 1;");
    const Finished run =
        runA2({"reduce/decomposition", "-n", "1000", "--shader-dir", shaders.path(), "-d", "emulator"});
    EXPECT_EQ(run.status, 1) << run;
    EXPECT_TRUE(contains(run.out, "never added: 1 (1 element)")) << run;
    const std::string command = printedCommand(run.out);
    EXPECT_TRUE(command.ends_with(" -d emulator")) << run;
    const Finished steps = pasted(command);
    EXPECT_EQ(steps.status, 1) << steps;
    EXPECT_TRUE(contains(steps.out, "wrong: should leave")) << steps;
}

TEST(Emulator, FindsWhatTheRulesFind)
{
    const BrokenShaders shaders("A2Task1KernelDecomposition.comp", "barrier();", "");
    const Finished run =
        runA2({"reduce/decomposition", "-n", "1000", "--shader-dir", shaders.path(), "-d", "emulator"});
    EXPECT_EQ(run.status, 1) << run;
    EXPECT_TRUE(contains(run.out, "shared-race")) << run;
}

TEST(Emulator, EndsAKernelThatDoesNotEnd)
{
    const Folder folder;
    const BrokenShaders shaders("A2Task1Sequential.comp", "data[first] = sum;",
                                "data[first] = sum; while (data[first] == sum) { }");
    const Finished run = runA2({"reduce/sequential", "reduce/atomic", "-n", "1000", "--shader-dir", shaders.path(),
                                "-d", "emulator", "--json", folder / "r.json"});
    EXPECT_EQ(run.status, 1) << run;
    EXPECT_TRUE(contains(run.out, "endless-loop: ")) << run;
    EXPECT_TRUE(contains(run.out, "shaders/A2Task1Sequential.comp:" + std::to_string(shaders.line()) + " ")) << run;
    EXPECT_TRUE(run.out.ends_with("[Task1] evaluating KernelDecomposition Atomic\nTEST PASSED\n")) << run;
    EXPECT_EQ(inspect({"validate", A2_SCHEMA, folder / "r.json"}).status, 0);
    EXPECT_TRUE(contains(textOf(folder / "r.json"), R"("rule": "endless-loop")")) << textOf(folder / "r.json");
}

// These faults do not show in any order in which each work-group goes on as soon as it can: states of the previous run,
// tiles that have a sum but no prefix yet, the path of work-groups that wait in vain.
TEST(Emulator, TriesWhatWorkGroupsFindThatPause)
{
    const std::string file = "A2Task2DecoupledLookback.comp";
    struct Edit {
        std::string from, to, rule = "group-order";
    };
    const std::vector<Edit> edits = {{"high >> 16 && low >> 24", "high >> 16 || low >> 24", "stale-state"},
                                     {"run = ticket >> 24", "run = ticket >> 25", "stale-state"},
                                     {"nearestPrefix < nearestGap", "nearestPrefix <= nearestGap"},
                                     {"prefix += sum;", "prefix = sum;"},
                                     {"--last;", ""},
                                     {"begin + k * gl_WorkGroupSize.x + gl", "begin + k + gl"}};
    for (const auto& [from, to, rule] : edits) {
        SCOPED_TRACE(to);
        const BrokenShaders shaders(file, from, to);
        const Finished run = runA2({"scan/lookback", "-n", "1000", "--shader-dir", shaders.path(), "-d", "emulator"});
        EXPECT_EQ(run.status, 1) << run;
        EXPECT_TRUE(contains(run.out, rule + ": ")) << run;
        EXPECT_EQ(contains(run.out,
                           "or let the kernel number the runs in memory: what record() records, push constants "
                           "too, may run many times"),
                  rule == "stale-state")
            << run;
        const std::string command = printedCommand(run.out);
        EXPECT_TRUE(contains(command, " --schedule ")) << run;
        const Finished again = pasted(command);
        EXPECT_EQ(again.status, 1) << again;
        EXPECT_TRUE(contains(again.out + again.err, rule)) << again;
    }
    const Finished right = runA2({"scan/lookback", "-n", "1000", "-d", "emulator"});
    EXPECT_EQ(right.status, 0) << right;
    const Finished wrong = runA2({"scan/lookback", "-n", "1000", "-d", "emulator", "--schedule", "4.1:2"});
    EXPECT_EQ(wrong.status, 2) << wrong;
}

// A path that only a work-group takes that waits in vain writes outside an array. A device has such orders by chance,
// and may crash: once the walk has found the fault, nothing runs on the device, not even the search for a smaller run.
TEST(Emulator, KeepsFromTheDeviceWhatOtherOrdersShow)
{
    const BrokenShaders shaders(
        "A2Task2DecoupledLookback.comp",
        "if (subgroupElect()) subgroupSums[gl_SubgroupID] = sum;\n    barrier();  // every",
        "if (subgroupElect()) subgroupSums[gl_SubgroupID - 1] = sum;\n    barrier();  // every");
    const Finished run =
        runA2({"scan/lookback", "-n", "5000", "-r", "1", "--shader-dir", shaders.path(), "-d", "cpu", "--verbose"});
    EXPECT_EQ(run.status, 1) << run;
    EXPECT_TRUE(contains(run.out, "out-of-bounds: ")) << run;
    EXPECT_TRUE(contains(printedCommand(run.out), " --schedule ")) << run;
    EXPECT_FALSE(contains(run.out, "smallest failing size")) << run;
    EXPECT_FALSE(contains(run.out, "one-hot")) << run;
}

// In every order the first run is right: the fault needs the sum of the previous run.
TEST(Emulator, CallsWhatALaterRunAloneShowsStaleState)
{
    const BrokenShaders shaders("A2Task1Subgroup.comp", "if (push.groups > 1) atomicExchange(sumAndGroups, 0);", "");
    for (const std::string device : {"cpu", "emulator"}) {
        const Finished run =
            runA2({"reduce/subgroup", "-n", "5000", "-r", "1", "--shader-dir", shaders.path(), "-d", device});
        EXPECT_EQ(run.status, 1) << run;
        EXPECT_TRUE(contains(run.out, "stale-state: in a second run, on the memory that the one before has left"))
            << run;
        EXPECT_TRUE(contains(run.out, "let record() start from the same state each time")) << run;
        EXPECT_FALSE(contains(run.out, "group-order") || contains(run.out, "--schedule")) << run;
        EXPECT_FALSE(contains(run.out, "depends on the values or on timing")) << run;
        EXPECT_EQ(pasted(printedCommand(run.out)).status, 1) << run;
    }
}

// Work-groups that are walked for their orders are more than those before, with smaller subgroups, too.
TEST(Emulator, CallsWhatSmallSubgroupsAloneShowNoOrder)
{
    const BrokenShaders shaders(
        "A2Task1Subgroup.comp", "const uint sum = sumOfTile();",
        "uint sum = sumOfTile();\n    if (gl_SubgroupSize == 4 && gl_WorkGroupID.x == 9) sum = 0;");
    const Finished run = runA2({"reduce/subgroup", "-n", "5000", "--shader-dir", shaders.path(), "-d", "emulator"});
    EXPECT_EQ(run.status, 1) << run;
    EXPECT_TRUE(contains(run.out, "subgroup-size: with subgroups of 4 invocations, ")) << run;
    EXPECT_FALSE(contains(run.out, "group-order")) << run;
}

// A sum and a counter in two words: the counter may be seen first, unless the sum is released before it.
TEST(Emulator, TriesAtomicsThatAreLate)
{
    const auto kernel = [](const std::string& fence) {
        return R"(#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_EXT_control_flow_attributes : require
#include "include/A2Task1.h"
layout(constant_id = SPEC_ELEMENTS) const uint ELEMENTS = 2;
layout(set = 0, binding = BINDING_IN) readonly buffer Source { uint source[]; };
layout(set = 0, binding = BINDING_IN) readonly buffer SourceVectors { uvec4 sourceVectors[]; };
layout(set = 0, binding = BINDING_OUT) writeonly buffer Sum { uint total; };
layout(set = 0, binding = BINDING_RUNNING_SUM) buffer Running { uint sum, count; };
layout(push_constant) uniform Push { SubgroupPush push; };
#include "include/A2SubgroupSum.glsl"
void main()
{
    const uint mine = sumOfTile();
    if (gl_SubgroupID == 0 && subgroupElect()) {
        atomicAdd(sum, mine);
        )" + fence +
               R"(
        if (atomicAdd(count, 1) + 1 == push.groups) {
            )" +
               fence +
               R"(
            total = atomicExchange(sum, 0);
            atomicExchange(count, 0);
        }
    }
}
)";
    };
    for (const bool right : {false, true}) {
        const Folder folder;
        std::ofstream(folder / "A2Task1Subgroup.comp") << kernel(right ? "memoryBarrierBuffer();" : "");
        const Finished run = runA2({"reduce/subgroup", "-n", "1000", "--shader-dir", folder / ".", "-d", "emulator"});
        EXPECT_EQ(run.status, right ? 0 : 1) << run;
        if (right) continue;
        EXPECT_TRUE(contains(run.out, "group-order: ")) << run;
        EXPECT_TRUE(contains(run.out, "A2Task1Subgroup.comp:17 of each work-group takes effect after later ones"))
            << run;
        EXPECT_TRUE(contains(run.out, "put memoryBarrierBuffer() after that atomic")) << run;
        const std::string command = printedCommand(run.out);
        EXPECT_TRUE(contains(command, "l-all")) << run;
        EXPECT_EQ(pasted(command).status, 1) << run;
    }
}

TEST(Emulator, RefusesWhatIsAboutTimes)
{
    for (const Words& words : {Words{"bench", "reduce/atomic"}, Words{"capture", "reduce/atomic"}, Words{"obstacles"},
                               Words{"theory", "scan/local", "--measure"}, Words{"prescan", "-n", "100"}}) {
        Words all = words;
        all.insert(all.end(), {"-d", "emulator"});
        expectError(runA2(all), 2, "a2 " + words.front() + " with -d emulator: ");
    }
}

TEST(Emulator, HasNoValidationLayer)
{
    const Finished run = runA2({"reduce/atomic", "-n", "100", "-d", "emulator", "--validation", "on"});
    EXPECT_EQ(run.status, 0) << run;
    EXPECT_TRUE(contains(run.err, "warning")) << run;
    expectError(runA2({"reduce/atomic", "-n", "100", "-d", "emulator", "--validation", "required"}), 3, "validation");
}

TEST(Emulator, IsOfferedWhereThereIsNoDriver)
{
    const Bare machine;
    expectError(machine.a2({"reduce/atomic"}), 3, "`-d emulator` judges without any");
    expectError(runA2({"reduce/atomic"}, {{"VK_DRIVER_FILES", "/nonexistent"}, {"VK_ICD_FILENAMES", "/nonexistent"}}),
                3, "`-d emulator` judges without any");
    const Finished doctor = machine.a2({"doctor"});
    EXPECT_EQ(doctor.status, 3) << doctor;
    EXPECT_TRUE(contains(doctor.out, "`-d emulator` judges without a driver")) << doctor;
    const Finished chosen = machine.emulated({"doctor"});
    EXPECT_EQ(chosen.status, 0) << chosen;
    EXPECT_TRUE(contains(chosen.out, "a2 uses      device 0: a2 emulator (CPU)")) << chosen;
    EXPECT_TRUE(contains(runA2({"run", "--help"}).out, "emulator")) << "not in the help text";
}

}  // namespace contract
