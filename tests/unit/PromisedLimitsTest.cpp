// Tests the notes on what Vulkan does not promise of every device.

#include "judge/PromisedLimits.h"

#include "GpuFixture.h"
#include "support/ChangedShaders.h"

namespace a2 {

namespace {

std::string notesOf(Device& gpu, const Task& task)
{
    std::string text;
    for (const Finding& one : beyondPromisedLimits(gpu, task)) {
        EXPECT_EQ(one.rule, "promised-limits");
        EXPECT_EQ(one.severity, Severity::note);
        text += one.message + "\n";
    }
    return text;
}

// Work-groups of a size of their own, unless the device allows fewer.
class OwnGroups : public Solution {
public:
    OwnGroups(const Given& given, bool asks)
        : Solution(given), kernel_(gpu, "A2Task1Sequential", 1, 8, {sizeFor(gpu, asks), 2})
    {
        set_ = kernel_.makeDescriptorSet({input});
    }

    void record(vk::CommandBuffer cb) override
    {
        const std::array<std::uint32_t, 2> push{static_cast<std::uint32_t>(count), static_cast<std::uint32_t>(count)};
        cb.bindPipeline(vk::PipelineBindPoint::eCompute, kernel_.pipeline());
        cb.bindDescriptorSets(vk::PipelineBindPoint::eCompute, kernel_.layout(), 0, set_, {});
        cb.pushConstants<std::array<std::uint32_t, 2>>(kernel_.layout(), vk::ShaderStageFlagBits::eCompute, 0, push);
        cb.dispatch(1, 1, 1);
    }
    const Buffer& result() const override { return input; }

private:
    static std::uint32_t sizeFor(const Gpu& gpu, bool asks)
    {
        return asks ? std::min(256U, gpu.limits().maxComputeWorkGroupInvocations) : 256U;
    }

    ComputePipeline kernel_;
    vk::DescriptorSet set_;
};

}  // namespace

TEST(PromisedLimits, NoRowExceedsThem)
{
    const auto gpu = openTestGpu();
    for (const Task& task : allTasks()) EXPECT_EQ(notesOf(*gpu, task), "") << task.id;
}

TEST(PromisedLimits, WorkGroupsOfAnOwnSizeDoUnlessTheyAsk)
{
    const auto gpu = openTestGpu();
    const auto notes = [&](bool asks) {
        return notesOf(*gpu, withSolution(taskNamed("reduce/sequential"), [=](const Given& given) {
            return std::make_unique<OwnGroups>(given, asks);
        }));
    };
    EXPECT_NE(notes(false).find("takes 256 invocations in a work-group, and Vulkan promises 128"), std::string::npos)
        << notes(false);
    EXPECT_EQ(notes(true), "");
}

TEST(PromisedLimits, SharedMemoryOfAnOwnSizeDoes)
{
    const ChangedShaders folder("A2Task1KernelDecomposition.comp", "shared uint partial[gl_WorkGroupSize.x];",
                                "shared uint partial[8192];");
    const auto gpu = openTestGpu(folder.path());
    const std::string notes = notesOf(*gpu, taskNamed("reduce/decomposition"));
    EXPECT_NE(notes.find("takes 32768 bytes of shared memory, and Vulkan promises 16384"), std::string::npos) << notes;
}

}  // namespace a2
