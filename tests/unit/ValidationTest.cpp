// The validation layer: its messages fail the task they came from, every time, and it is known to be on.

#include "A2Task1.h"
#include "GpuFixture.h"
#include "a2/Error.h"
#include "gpu/Canary.h"
#include "support/ChangedShaders.h"

namespace a2 {

namespace {

// KernelDecomposition without a pipeline barrier between its levels: right on the CPU driver, wrong on others.
class WithoutBarrier : public Solution {
public:
    explicit WithoutBarrier(const Given& given)
        : Solution(given),
          kernel_(gpu, "A2Task1KernelDecomposition", 2, sizeof(DecompositionPush), shape),
          middle_(gpu, "middle", count),
          last_(gpu, "last", 1),
          first_(kernel_.makeDescriptorSet({input, middle_})),
          second_(kernel_.makeDescriptorSet({middle_, last_}))
    {
    }
    void record(vk::CommandBuffer cb) override
    {
        cb.bindPipeline(vk::PipelineBindPoint::eCompute, kernel_.pipeline());
        const std::uint64_t tiles = ceilDiv(count, shape.tile());
        level(cb, first_, count, tiles);
        level(cb, second_, tiles, 1);
    }
    const Buffer& result() const override { return last_; }

private:
    void level(vk::CommandBuffer cb, vk::DescriptorSet set, std::uint64_t live, std::uint64_t tiles)
    {
        const DecompositionPush push{static_cast<uint>(live)};
        const WorkGroups groups = gpu.foldGroups(tiles);
        cb.bindDescriptorSets(vk::PipelineBindPoint::eCompute, kernel_.layout(), 0, set, {});
        cb.pushConstants<DecompositionPush>(kernel_.layout(), vk::ShaderStageFlagBits::eCompute, 0, push);
        cb.dispatch(groups.x, groups.y, 1);
    }

    ComputePipeline kernel_;
    Buffer middle_, last_;
    vk::DescriptorSet first_, second_;
};

Task withoutBarrier() { return withSolution(taskNamed("reduce/decomposition"), make<WithoutBarrier>); }

}  // namespace

TEST(ValidationLayer, ReportsAKnownHazard)
{
    const auto gpu = openTestGpu("", Validation::required);
    EXPECT_NO_THROW(proveValidation(*gpu));
}

TEST(ValidationLayer, ReportsAKnownAccessOutsideABuffer)
{
    const auto gpu = openTestGpu("", Validation::gpu);
    EXPECT_NO_THROW(proveValidation(*gpu));
}

TEST(ValidationLayer, IsMissedWhereItIsOff)
{
    const auto gpu = openTestGpu("", Validation::off);
    EXPECT_THROW(proveValidation(*gpu), EnvironmentError);
}

TEST(ValidationLayer, FailsATaskEveryTime)
{
    // The layer itself falls silent after ten repeats of one message; a2 must not.
    const auto gpu = openTestGpu("", Validation::required);
    for (int time = 0; time < 15; ++time) {
        const TaskOutcome outcome = evaluate(*gpu, withoutBarrier(), 3000);
        EXPECT_EQ(outcome.status, Status::failed) << "time " << time;
        EXPECT_NE(explanation(outcome).find("READ-AFTER-WRITE"), std::string::npos) << explanation(outcome);
    }
    EXPECT_EQ(evaluate(*gpu, taskNamed("reduce/decomposition"), 3000).status, Status::passed);
}

TEST(ValidationLayer, FindsAReadOutsideABuffer)
{
    // One element too far, and the sum is right all the same. The walk on the host finds it, too; a run that a driver
    // might not survive is not even tried then, and the layer is not asked.
    const ChangedShaders shaders(
        "include/A2LoadTile.glsl",
        "index < min(begin + tile, push.count); index += gl_WorkGroupSize.x) sum += source[index];",
        "index < min(begin + tile, push.count + 1); index += gl_WorkGroupSize.x)\n"
        "if (index < push.count) sum += source[index]; else if (source[index] == 77) sum += 0 * source[index];");
    const auto gpu = openTestGpu(shaders.path(), Validation::gpu);
    const TaskOutcome outcome = evaluate(*gpu, taskNamed("reduce/atomic"), 1000);
    EXPECT_EQ(outcome.status, Status::failed);
    const std::string told = explanation(outcome);
    EXPECT_TRUE(told.find("access out of bounds") != std::string::npos ||
                told.find("out-of-bounds: ") != std::string::npos)
        << told;
}

}  // namespace a2
