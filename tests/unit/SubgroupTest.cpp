// The rows beyond the course on devices without the features that they use, and what their kernels may rely on.

#include "GpuFixture.h"
#include "cli/Oversee.h"
#include "gpu/Shaders.h"
#include "judge/Trial.h"
#include "spirv/SpirvDeclarations.h"
#include "support/ChangedShaders.h"

#include <fmt/format.h>

namespace a2 {

namespace {

OpenDevice openLacking(bool arithmetic, bool atomics, std::uint32_t bindingLimit = 0)
{
    GpuOptions options;
    options.record = recordedHere;
    options.device = "cpu";
    options.plainArithmetic = arithmetic;
    options.plainAtomics = atomics;
    options.bindingLimit = bindingLimit;
    return openDevice(options);
}

struct RanInSubgroups {
    Verdict verdict;
    std::vector<std::string> kernels;  // of the dispatches
};

RanInSubgroups sum(Device& gpu, std::uint64_t n, const KernelShape& shape, const char* pattern = "random")
{
    const Input input(Pattern::parse(pattern), n, 1);
    const Expectation expectation(TaskClass::reduction, input, shape);
    const DeviceInput onDevice(gpu, expectation);
    Trial trial(gpu, taskNamed("reduce/subgroup"), expectation, onDevice);
    RanInSubgroups ran{trial.judgeThreeRuns(), {}};
    for (const DispatchCommand* one : trial.log().dispatches()) ran.kernels.push_back(one->kernel);
    return ran;
}

}  // namespace

TEST(WithoutSubgroupArithmetic, RowsThatNeedItAreSkippedAndTheCoursesRun)
{
    const auto gpu = openLacking(true, false);
    for (const char* id : {"reduce/subgroup", "scan/lookback", "scan/persistent"}) {
        const TaskOutcome outcome = evaluate(*gpu, taskNamed(id), 5000);
        EXPECT_EQ(outcome.status, Status::skipped) << id;
        EXPECT_NE(explanation(outcome).find("needs subgroup arithmetic"), std::string::npos) << explanation(outcome);
        EXPECT_EQ(exitStatus({outcome}), ExitStatus::environment);
    }
    for (const Task& task : selectTasks({}, false)) {
        const TaskOutcome outcome = evaluate(*gpu, task, 5000);
        EXPECT_EQ(outcome.status, Status::passed) << task.id << ": " << explanation(outcome);
    }
}

TEST(WithoutInt64Atomics, TheReductionGoesLevelByLevel)
{
    const auto gpu = openLacking(false, true);
    EXPECT_FALSE(gpu->int64Atomics);
    for (const KernelShape& shape : {KernelShape{1024, 16}, KernelShape{64, 2}, KernelShape{100, 6}, KernelShape{1, 2}})
        for (const std::uint64_t n : {1U, 2U, 127U, 128U, 129U, 16384U, 16385U, 100003U}) {
            const RanInSubgroups ran = sum(*gpu, n, shape);
            EXPECT_TRUE(ran.verdict.passed()) << n << ", " << shape.workGroup << " x " << shape.elements;
            EXPECT_EQ(ran.kernels.front(), "A2Task1SubgroupLevels");
        }
    for (const char* id : {"scan/lookback", "scan/persistent"})
        EXPECT_EQ(evaluate(*gpu, taskNamed(id), 5000).status, Status::passed) << id;
}

TEST(WithoutInt64Atomics, TheReductionTakesSlices)
{
    const KernelShape shape{64, 2};
    for (const std::uint64_t slices : {2U, 3U, 17U}) {
        const std::uint64_t slice = DeviceBuffer::sliceAlignment * shape.tile();
        const auto gpu = openLacking(false, true, static_cast<std::uint32_t>(slice * 4));
        for (const std::uint64_t n : {slices * slice - 1, slices * slice, (slices - 1) * slice + 1}) {
            const RanInSubgroups ran = sum(*gpu, n, shape);
            EXPECT_TRUE(ran.verdict.passed()) << n;
            const std::uint64_t sums = ceilDiv(n, shape.tile());
            EXPECT_EQ(ran.kernels.size(), slices + (sums > shape.tile() ? 2 : 1)) << n;
        }
    }
}

TEST(Subgroup, WorkGroupsOfAnySizeAreRight)
{
    const auto gpu = openTestGpu();
    for (const std::uint32_t workGroup : {1U, 2U, 3U, 7U, 8U, 9U, 33U, 96U, 100U, 999U, 1024U})
        for (const std::uint32_t elements : {2U, 4U, 16U, 30U}) {
            const KernelShape shape{workGroup, elements};
            for (const std::uint64_t n :
                 {std::uint64_t{1}, shape.tile() - 1, shape.tile(), shape.tile() + 1, 10 * shape.tile() + 5})
                EXPECT_TRUE(sum(*gpu, n, shape).verdict.passed()) << n << ", " << workGroup << " x " << elements;
        }
}

TEST(Subgroup, SumsWrapRoundAndFoldedDispatchesAreRight)
{
    const auto gpu = openTestGpu();
    for (const char* pattern : {"max", "random"})
        for (const std::uint64_t n : {65537U, 300001U})
            EXPECT_TRUE(sum(*gpu, n, {64, 2}, pattern).verdict.passed()) << n << ", " << pattern;
    // 65537 groups: two rows of 32769, so one group has no tile.
    EXPECT_TRUE(sum(*gpu, 65537 * 2, {1, 2}).verdict.passed());
}

// A2SubgroupWidth.glsl gives the reason.
TEST(Subgroup, NoKernelCountsOnTheDevicesSubgroupSizeOrNumber)
{
    for (const BuiltInShader& one : builtInShaders()) {
        SpirvDeclarations module{KernelShape()};
        forEachInstruction(one.spirv, [&](spv::Op opcode, SpirvWords words) { module.read(opcode, words); });
        for (const auto& variable : module.variables())
            for (const auto doubtful : {spv::BuiltInSubgroupSize, spv::BuiltInNumSubgroups})
                EXPECT_NE(module.decoration(variable.id, spv::DecorationBuiltIn), doubtful) << one.name;
    }
}

// The test above can fail.
TEST(Subgroup, AKernelThatDoesIsTold)
{
    const ChangedShaders folder("include/A2SubgroupWidth.glsl", "subgroupAdd(1)", "gl_SubgroupSize");
    const auto gpu = openTestGpu(folder.path());
    SpirvDeclarations module{KernelShape()};
    forEachInstruction(loadShader(*gpu, "A2Task1Subgroup"),
                       [&](spv::Op opcode, SpirvWords words) { module.read(opcode, words); });
    const auto& all = module.variables();
    EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const auto& variable) {
        return module.decoration(variable.id, spv::DecorationBuiltIn) == spv::BuiltInSubgroupSize;
    }));
}

}  // namespace a2
