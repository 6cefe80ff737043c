// The validation layer: its messages fail the task they came from, every time, and it is known to be on.

#include "A2Task1.h"
#include "GpuFixture.h"
#include "a2/Error.h"
#include "gpu/Canary.h"
#include "support/ChangedShaders.h"

namespace a2 {

namespace {

// KernelDecomposition with barriers about exactly what the level before leaves, or without any: right on the CPU
// driver, wrong on others.
class Levels : public Solution {
public:
    Levels(const Given& given, bool separate)
        : Solution(given),
          separate_(separate),
          kernel_(gpu, "A2Task1KernelDecomposition", 2, sizeof(DecompositionPush), shape)
    {
        for (std::uint64_t live = count; sums_.empty() || live > 1;) {
            live = ceilDiv(live, shape.tile());
            sums_.emplace_back(gpu, "sums", live);
        }
        for (std::size_t i = 0; i < sums_.size(); ++i)
            sets_.push_back(kernel_.makeDescriptorSet({i == 0 ? input : sums_[i - 1], sums_[i]}));
    }
    void record(vk::CommandBuffer cb) override
    {
        constexpr auto stage = vk::PipelineStageFlagBits::eComputeShader;
        cb.bindPipeline(vk::PipelineBindPoint::eCompute, kernel_.pipeline());
        std::uint64_t live = count;
        for (std::size_t i = 0; i < sums_.size(); ++i) {
            if (separate_ && i > 0) {
                const Buffer& read = sums_[i - 1];
                const vk::BufferMemoryBarrier left(vk::AccessFlagBits::eShaderWrite, vk::AccessFlagBits::eShaderRead,
                                                   VK_QUEUE_FAMILY_IGNORED, VK_QUEUE_FAMILY_IGNORED, read.handle(), 0,
                                                   read.bytes());
                cb.pipelineBarrier(stage, stage, {}, {}, left, {});
            }
            const DecompositionPush push{static_cast<uint>(live)};
            live = sums_[i].elements();
            const WorkGroups groups = gpu.foldGroups(live);
            cb.bindDescriptorSets(vk::PipelineBindPoint::eCompute, kernel_.layout(), 0, sets_[i], {});
            cb.pushConstants<DecompositionPush>(kernel_.layout(), vk::ShaderStageFlagBits::eCompute, 0, push);
            cb.dispatch(groups.x, groups.y, 1);
        }
    }
    const Buffer& result() const override { return sums_.back(); }

private:
    bool separate_;
    ComputePipeline kernel_;
    std::vector<Buffer> sums_;
    std::vector<vk::DescriptorSet> sets_;
};

Task levels(bool separate)
{
    return withSolution(taskNamed("reduce/decomposition"),
                        [=](const Given& given) { return std::make_unique<Levels>(given, separate); });
}

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
        const TaskOutcome outcome = evaluate(*gpu, levels(false), 3000);
        EXPECT_EQ(outcome.status, Status::failed) << "time " << time;
        EXPECT_NE(explanation(outcome).find("READ-AFTER-WRITE"), std::string::npos) << explanation(outcome);
    }
    EXPECT_EQ(evaluate(*gpu, taskNamed("reduce/decomposition"), 3000).status, Status::passed);
}

TEST(ValidationLayer, TakesABarrierAboutTheArrayAlone)
{
    // Kernels are bound the guard behind an array, too.
    const auto gpu = openTestGpu("", Validation::required);
    const TaskOutcome outcome = evaluate(*gpu, levels(true), 3000);
    EXPECT_EQ(outcome.status, Status::passed) << explanation(outcome);
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
