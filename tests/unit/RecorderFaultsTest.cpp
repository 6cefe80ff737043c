// What the recorder reports about wrong solutions. No device.
#include "RecorderFixture.h"

namespace a2 {

using namespace recorded;

TEST(Runs, BeginWithNothing)
{
    std::optional<Plain> plain;
    vk::DescriptorSet set;
    const Recording recording = noted(
        [&](vk::CommandBuffer cb, Gpu&, const Buffer& input, unsigned run) {
            if (run == 1) {
                plain->write(set, 0, {input.handle(), 0, 256});
                plain->bind(cb, set);
                cb.pushConstants<std::uint32_t>(plain->layout, computeStage, 0, 1U);
            }
            cb.dispatch(1, 1, 1);
            if (run == 1) {
                plain->write(set, 0, {input.handle(), 512, 256});
                labelDispatch(cb, "for nobody");
            }
        },
        [&](Gpu& gpu, const Buffer&) {
            plain.emplace(gpu);
            set = plain->makeSet();
        },
        2);
    const auto first = dispatchesOf(recording.runs.at(0)).at(0), second = dispatchesOf(recording.runs.at(1)).at(0);
    EXPECT_EQ(recording.sets.at(first.sets.at(0).set).ranges.at(0).offset, 512U);
    EXPECT_EQ(
        textsOf(recording.runs[0].faults),
        Texts{"call: vkUpdateDescriptorSets: descriptor set without a name is updated after it was bound: the command "
              "buffer becomes invalid; write to it before, or make a set for each content"});
    EXPECT_FALSE(second.pipeline);
    EXPECT_TRUE(second.sets.empty());
    EXPECT_TRUE(second.push.empty());
    EXPECT_EQ(second.label, "");
    EXPECT_TRUE(recording.runs[1].faults.empty());
}

TEST(Runs, OfFiveThousandDispatchesAreFast)
{
    const std::clock_t start = std::clock();  // the CPU time of this process: others may run meanwhile
    const Recording recording = noted([](vk::CommandBuffer cb, Gpu& gpu, const Buffer& input, unsigned) {
        static std::optional<ComputePipeline> kernel;
        kernel.emplace(gpu, "Kernel", 1U, 16U, KernelShape());
        for (std::uint32_t i = 0; i < 5000; ++i) {
            cb.bindPipeline(compute, kernel->pipeline());
            cb.bindDescriptorSets(compute, kernel->layout(), 0, kernel->makeDescriptorSet({input}), {});
            cb.pushConstants<std::uint32_t>(kernel->layout(), computeStage, 0, {i, i, i, i});
            labelDispatch(cb, "dispatch " + std::to_string(i));
            cb.dispatch(i + 1, 1, 1);
            cb.pipelineBarrier(vk::PipelineStageFlagBits::eComputeShader, vk::PipelineStageFlagBits::eComputeShader, {},
                               vk::MemoryBarrier(), {}, {});
        }
    });
    EXPECT_EQ(recording.runs[0].commands.size(), 10'000U);
    EXPECT_EQ(recording.sets.size(), 1U);
    EXPECT_LT(std::clock() - start, 5 * CLOCKS_PER_SEC);
}

TEST(Runs, LeaveTheDispatcherAsItWas)
{
    const auto before = VULKAN_HPP_DEFAULT_DISPATCHER.vkCmdDispatch;
    noted([&](vk::CommandBuffer, Gpu&, const Buffer&, unsigned) {
        EXPECT_NE(VULKAN_HPP_DEFAULT_DISPATCHER.vkCmdDispatch, before);
    });
    answerTo([](vk::CommandBuffer, Gpu&, const Buffer&, unsigned) { throw 1; });
    EXPECT_EQ(VULKAN_HPP_DEFAULT_DISPATCHER.vkCmdDispatch, before);
}

TEST(Runs, EnterTheirPhases)
{
    Texts phases;
    RecordRequest request = requestFor(8);
    request.runs = 2;
    recordSolution(request, scripted({}), [&](const std::string& phase) { phases.push_back(phase); });
    EXPECT_EQ(phases, (Texts{"preparing", "recording run 1", "asked for the result", "recording run 2",
                             "asked for the result", "destroying the solution"}));
}

// A solution keeps objects that outlive the recording.
TEST(Runs, MayBeOutlived)
{
    static std::optional<Buffer> kept;
    static std::optional<ComputePipeline> kernel;
    for (int i = 0; i < 2; ++i) {
        const Recording recording = noted({}, [](Gpu& gpu, const Buffer& input) {
            kept.emplace(gpu, "kept", 1);
            kernel.emplace(gpu, "Kernel", 1U, 4U, KernelShape());
            kernel->makeDescriptorSet({input});
        });
        EXPECT_TRUE(recording.faults.empty());
    }
    kept.reset();
    kernel.reset();
}

TEST(Refusals, AreNotedByTheirNames)
{
    const Recording recording = noted([](vk::CommandBuffer cb, Gpu& gpu, const Buffer&, unsigned) {
        const auto& call = VULKAN_HPP_DEFAULT_DISPATCHER;
        const vk::Queue queue = gpu.device().getQueue(0, 0);
        for (int i = 0; i < 3; ++i)
            EXPECT_EQ(call.vkQueueSubmit(queue, 0, nullptr, nullptr), VK_ERROR_FEATURE_NOT_PRESENT);
        void* mapped = nullptr;
        EXPECT_EQ(call.vkMapMemory(gpu.device(), nullptr, 0, 4, 0, &mapped), VK_ERROR_FEATURE_NOT_PRESENT);
        EXPECT_STREQ(lastVulkanCall(), "vkMapMemory");
        call.vkQueueWaitIdle(queue);
        call.vkDeviceWaitIdle(gpu.device());
        call.vkGetFenceStatus(gpu.device(), nullptr);
        call.vkCreateImage(gpu.device(), nullptr, nullptr, nullptr);
        cb.draw(3, 1, 0, 0);
        cb.setViewport(0, vk::Viewport());
        call.vkQueueSubmit2(queue, 0, nullptr, nullptr);
        const auto unknown =
            reinterpret_cast<VkResult (*)(int, double)>(call.vkGetInstanceProcAddr(nullptr, "vkNobodyKnows"));
        EXPECT_EQ(unknown(1, 2), VK_ERROR_FEATURE_NOT_PRESENT);
        EXPECT_EQ(call.vkGetInstanceProcAddr(nullptr, "vkNobodyKnows"), reinterpret_cast<PFN_vkVoidFunction>(unknown));
        EXPECT_EQ(call.vkGetDeviceProcAddr(gpu.device(), "vkCmdDispatch"),
                  reinterpret_cast<PFN_vkVoidFunction>(call.vkCmdDispatch));
        EXPECT_EQ(call.vkGetInstanceProcAddr(nullptr, nullptr), nullptr);
    });
    const char* others =
        "a recording cannot hold it; what can be recorded are dispatches, barriers, events, and fills, "
        "updates and copies of buffers";
    EXPECT_EQ(textsOf(recording.runs[0].faults),
              (Texts{"call: vkQueueSubmit: record() only records; the harness submits what you recorded (3 times)",
                     "call: vkMapMemory: there is no memory to map while you record; fill a buffer with "
                     "fillDeviceWithStagingBuffer() where the solution is made, or with cb.updateBuffer()",
                     "call: vkQueueWaitIdle: nothing runs while you record; the harness waits for what it submits",
                     "call: vkDeviceWaitIdle: nothing runs while you record; the harness waits for what it submits",
                     "call: vkGetFenceStatus: nothing runs while you record, and no fence is ever signalled",
                     "call: vkCreateImage: a recording has buffers, no images; use a Buffer",
                     "call: vkCmdDraw: a recording has compute work alone; use cb.dispatch()",
                     std::string("call: vkCmdSetViewport: ") + others,
                     "call: vkQueueSubmit2: record() only records; the harness submits what you recorded",
                     std::string("call: vkNobodyKnows: ") + others}));
}

// Vulkan-Hpp throws because of the result of a refused call.
TEST(Refusals, AreSaidWhereTheyThrow)
{
    const RecordFailure failure = failureOf(
        answerTo([](vk::CommandBuffer, Gpu& gpu, const Buffer&, unsigned) { gpu.device().getQueue(0, 0).waitIdle(); }));
    EXPECT_EQ(failure.kind, RecordFailure::Kind::threw);
    EXPECT_EQ(failure.phase, "recording run 1");
    EXPECT_EQ(failure.call, "vkQueueWaitIdle");
    EXPECT_EQ(failure.what,
              "the solution threw an exception: vk::Queue::waitIdle: ErrorFeatureNotPresent (before that: "
              "vkQueueWaitIdle: nothing runs while you record; the harness waits for what it submits)");
}

TEST(Faults, OfWhatWasDestroyed)
{
    const Recording recording = noted([](vk::CommandBuffer cb, Gpu& gpu, const Buffer& input, unsigned) {
        static std::optional<ComputePipeline> kernel;
        kernel.emplace(gpu, "Kernel", 2U, 4U, KernelShape());
        std::optional<Buffer> gone(std::in_place, gpu, "gone", 64U);
        cb.bindPipeline(compute, kernel->pipeline());
        cb.bindDescriptorSets(compute, kernel->layout(), 0, kernel->makeDescriptorSet({input, *gone}), {});
        for (int i = 0; i < 3; ++i) {
            labelDispatch(cb, "x");
            cb.dispatch(1, 1, 1);
        }
        cb.fillBuffer(gone->handle(), 0, 4, 0);
        const vk::Buffer handle = gone->handle();
        gone.reset();
        cb.fillBuffer(handle, 0, 4, 0);
        kernel.reset();
    });
    EXPECT_EQ(textsOf(recording.runs[0].faults),
              (Texts{"call: vkCmdFillBuffer: buffer 'gone' was destroyed before",
                     "call: dispatch 0 'x' uses pipeline 'Kernel', which was destroyed before the run was over: keep "
                     "it as a member (3 times)",
                     "call: dispatch 0 'x' uses descriptor set 'Kernel descriptor set', which was destroyed before the "
                     "run was over: keep it as a member (3 times)",
                     "call: dispatch 0 'x' uses buffer 'gone', which was destroyed before (4 times)"}));
    EXPECT_EQ(recording.runs[0].commands.size(), 4U);
}

TEST(Faults, AMovedPipelineIsNotDestroyedWithWhatItCameFrom)
{
    const Recording recording = noted([](vk::CommandBuffer cb, Gpu& gpu, const Buffer& input, unsigned) {
        static std::optional<ComputePipeline> kernel;
        kernel.reset();
        {
            ComputePipeline made(gpu, "Kernel", 1U, 4U, KernelShape());
            kernel.emplace(std::move(made));
        }
        cb.bindPipeline(compute, kernel->pipeline());
        cb.bindDescriptorSets(compute, kernel->layout(), 0, kernel->makeDescriptorSet({input}), {});
        const std::uint32_t push = 1;
        cb.pushConstants<std::uint32_t>(kernel->layout(), vk::ShaderStageFlagBits::eCompute, 0, push);
        cb.dispatch(1, 1, 1);
    });
    EXPECT_EQ(textsOf(recording.runs[0].faults), Texts());
}

// There is one queue: a buffer handed to another family is visible to none.
TEST(Faults, OfABarrierThatHandsABufferToAnotherFamily)
{
    const Recording recording = noted([](vk::CommandBuffer cb, Gpu&, const Buffer& input, unsigned) {
        constexpr auto stage = vk::PipelineStageFlagBits::eComputeShader;
        constexpr auto written = vk::AccessFlagBits::eShaderWrite, read = vk::AccessFlagBits::eShaderRead;
        const auto hand = [&](std::uint32_t from, std::uint32_t to) {
            cb.pipelineBarrier(stage, stage, {}, {},
                               vk::BufferMemoryBarrier(written, read, from, to, input.handle(), 0, VK_WHOLE_SIZE), {});
        };
        hand(0, 0);
        hand(VK_QUEUE_FAMILY_IGNORED, VK_QUEUE_FAMILY_IGNORED);
        hand(0, 7);
    });
    EXPECT_EQ(textsOf(recording.runs[0].faults),
              (Texts{"call: vkCmdPipelineBarrier: a barrier hands buffer 'input' from queue family 0 to 7, and a "
                     "recording has one queue: give VK_QUEUE_FAMILY_IGNORED for both"}));
}

// C code may forget what Vulkan-Hpp sets.
TEST(Faults, OfAStructureThatSaysItIsAnother)
{
    const Recording recording = noted([](vk::CommandBuffer cb, Gpu&, const Buffer&, unsigned) {
        VkMemoryBarrier barrier{};
        VULKAN_HPP_DEFAULT_DISPATCHER.vkCmdPipelineBarrier(cb, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                                                           VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1, &barrier, 0,
                                                           nullptr, 0, nullptr);
        VkMemoryBarrier2 second{};
        second.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
        VkDependencyInfo info{};
        info.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO;
        info.memoryBarrierCount = 1;
        info.pMemoryBarriers = &second;
        VULKAN_HPP_DEFAULT_DISPATCHER.vkCmdPipelineBarrier2(cb, &info);
    });
    const std::string first =
        "call: vkCmdPipelineBarrier: a structure's sType is 0, as if it were another one: set it to ";
    const std::string other =
        "call: vkCmdPipelineBarrier2: a structure's sType is 46, as if it were another one: set it to ";
    EXPECT_EQ(textsOf(recording.runs[0].faults),
              (Texts{first + "VK_STRUCTURE_TYPE_MEMORY_BARRIER", other + "VK_STRUCTURE_TYPE_MEMORY_BARRIER_2"}));
}

// A barrier must not name an access that its stages do not make, in either version.
TEST(Faults, OfAccessesThatNoStageMakes)
{
    using Stage = vk::PipelineStageFlagBits;
    using Access = vk::AccessFlagBits;
    const Recording recording = noted([](vk::CommandBuffer cb, Gpu&, const Buffer& input, unsigned) {
        const auto right = [&](vk::PipelineStageFlags from, vk::PipelineStageFlags to, vk::AccessFlags made,
                               vk::AccessFlags wanted) {
            cb.pipelineBarrier(from, to, {}, vk::MemoryBarrier(made, wanted), {}, {});
        };
        constexpr auto shader = Stage::eComputeShader;
        right(shader, shader, Access::eShaderWrite, Access::eShaderRead | Access::eUniformRead);
        right(shader, Stage::eAllCommands, Access::eMemoryWrite, Access::eMemoryRead | Access::eTransferRead);
        right(Stage::eTransfer | shader, Stage::eDrawIndirect | shader, Access::eTransferWrite | Access::eShaderWrite,
              Access::eIndirectCommandRead);
        right(Stage::eHost, shader, Access::eHostWrite, Access::eShaderRead);
        right(Stage::eTopOfPipe, Stage::eBottomOfPipe, {}, {});
        right(shader, Stage::eTransfer, Access::eTransferWrite, Access::eTransferRead);
        const vk::BufferMemoryBarrier2 second(
            vk::PipelineStageFlagBits2::eComputeShader, vk::AccessFlagBits2::eShaderStorageWrite,
            vk::PipelineStageFlagBits2::eClear, vk::AccessFlagBits2::eTransferRead | vk::AccessFlagBits2::eShaderRead,
            0, 0, input.handle(), 0, VK_WHOLE_SIZE);
        cb.pipelineBarrier2(vk::DependencyInfo({}, {}, second));
    });
    EXPECT_EQ(
        textsOf(recording.runs[0].faults),
        (Texts{"call: vkCmdPipelineBarrier: srcAccessMask of a barrier has TransferWrite, which the stages of its "
               "srcStageMask, ComputeShader, do not make: name the stage that does, or the access that the stage "
               "makes",
               "call: vkCmdPipelineBarrier2: dstAccessMask of a barrier has ShaderRead+TransferRead, which the "
               "stages of its dstStageMask, Clear, do not make: name the stage that does, or the access that the "
               "stage makes"}));
}

// Harmless here, but forbidden by the specification: other drivers may react in any way.
TEST(Faults, OfHarmlessMisuse)
{
    const Recording recording = noted([](vk::CommandBuffer cb, Gpu& gpu, const Buffer& input, unsigned) {
        cb.copyBuffer(input.handle(), input.handle(), vk::ArrayProxy<const vk::BufferCopy>());
        {
            const Buffer twice(gpu, "twice", 16);
            gpu.device().destroyBuffer(twice.handle());
        }
        using Stages = vk::ShaderStageFlagBits;
        const auto layoutOf = [&](const std::vector<vk::PushConstantRange>& ranges) {
            return gpu.device().createPipelineLayoutUnique({{}, {}, ranges});
        };
        const auto forCompute = layoutOf({{Stages::eCompute, 0, 8}, {Stages::eVertex, 8, 8}});
        const auto forAll = layoutOf({{Stages::eAll, 0, 16}});
        cb.pushConstants<std::uint32_t>(*forCompute, Stages::eCompute, 4, 1U);
        cb.pushConstants<std::uint32_t>(*forCompute, Stages::eAll, 0, 1U);
        cb.pushConstants<std::uint32_t>(*forAll, Stages::eAll, 0, 1U);
        cb.pushConstants<std::uint32_t>(*forAll, Stages::eCompute, 12, 1U);
        layoutOf({{Stages::eCompute, 0, 8}, {Stages::eCompute, 8, 8}});
        const ComputePipeline kernel(gpu, "Kernel", 1, 16, {});
        cb.pushConstants<std::uint32_t>(kernel.layout(), Stages::eAll, 0, 1U);
    });
    EXPECT_EQ(textsOf(recording.runs[0].faults),
              (Texts{"call: vkCmdCopyBuffer: a copy of no region",
                     "call: vkDestroyBuffer: buffer 'twice' was destroyed before: a Buffer destroys itself",
                     "call: vkCmdPushConstants: the stages of what is pushed are All, and pipeline layout without a "
                     "name has these bytes for Compute: name the same stages in both",
                     "call: vkCmdPushConstants: the stages of what is pushed are Compute, and pipeline layout without "
                     "a name has these bytes for All: name the same stages in both",
                     "call: vkCreatePipelineLayout: 2 push constant ranges are for eCompute: give one from the first "
                     "byte to the last",
                     "call: vkCmdPushConstants: the stages of what is pushed are All, and pipeline layout 'Kernel "
                     "pipeline layout' has these bytes for Compute: name the same stages in both"}));
}

TEST(Faults, OfWhatWasNeverMade)
{
    const auto made = [](auto handle) {
        return decltype(handle)(handleOf<typename decltype(handle)::NativeType>(1U << 30));
    };
    EXPECT_EQ(faultsOf([&](vk::CommandBuffer cb, Gpu& gpu, const Buffer& input, unsigned) {
                  const ComputePipeline kernel(gpu, "Kernel", 1, 4, {});
                  cb.bindPipeline(compute, made(vk::Pipeline()));
                  cb.bindPipeline(compute, {});
                  cb.bindDescriptorSets(compute, made(vk::PipelineLayout()), 0, vk::DescriptorSet(), {});
                  cb.bindDescriptorSets(compute, kernel.layout(), 0, made(vk::DescriptorSet()), {});
                  cb.pushConstants<std::uint32_t>({}, computeStage, 0, 1U);
                  cb.fillBuffer(made(vk::Buffer()), 0, 4, 0);
                  cb.copyBuffer(input.handle(), {}, vk::BufferCopy(0, 0, 4));
                  cb.setEvent({}, {});
                  made(vk::CommandBuffer()).dispatch(1, 1, 1);
                  gpu.device().destroyBuffer({});
                  gpu.device().destroyBuffer(made(vk::Buffer()));
              }),
              (Texts{"call: vkCmdBindPipeline: there is no such pipeline: it was never made (2 times)",
                     "call: vkCmdBindDescriptorSets: there is no such pipeline layout: it was never made",
                     "call: vkCmdBindDescriptorSets: there is no such descriptor set: it was never made",
                     "call: vkCmdPushConstants: there is no such pipeline layout: it was never made",
                     "call: vkCmdFillBuffer: there is no such buffer: it was never made",
                     "call: vkCmdCopyBuffer: there is no such buffer: it was never made",
                     "call: vkCmdSetEvent: there is no such event: it was never made",
                     "call: vkCmdDispatch: there is no such command buffer: it was never made",
                     "call: vkDestroyBuffer: there is no such buffer: it was never made"}));
}

TEST(Faults, OfCommandBuffers)
{
    static vk::CommandBuffer last;
    const auto record = [](vk::CommandBuffer cb, Gpu& gpu, const Buffer& input, unsigned run) {
        if (run == 1) {
            cb.begin(vk::CommandBufferBeginInfo());
            cb.end();
            last = cb;
            const vk::CommandBuffer own = ownBuffer(gpu, vk::CommandBufferLevel::ePrimary);
            own.dispatch(1, 1, 1);
            own.begin(vk::CommandBufferBeginInfo());
            own.dispatch(1, 1, 1);
            own.fillBuffer(input.handle(), 0, 4, 0);
        } else {
            last.dispatch(1, 1, 1);
        }
    };
    const Recording recording = noted(record, {}, 2);
    EXPECT_EQ(textsOf(recording.runs[0].faults),
              (Texts{"call: vkBeginCommandBuffer: record() must leave begin and end to the harness",
                     "call: vkEndCommandBuffer: record() must leave begin and end to the harness",
                     "call: vkCmdDispatch: command buffer without a name is not being recorded: begin it first",
                     "call: 2 commands went into command buffer without a name, which is not the one that record() was "
                     "given: they never run"}));
    EXPECT_EQ(textsOf(recording.runs[1].faults),
              Texts{"call: vkCmdDispatch: command buffer 'of run 1' is not being recorded: record() has returned"});
    EXPECT_TRUE(recording.runs[0].commands.empty());
    EXPECT_TRUE(recording.runs[1].commands.empty());
}

TEST(Faults, OfDescriptors)
{
    std::optional<Plain> plain;
    const Recording recording = noted({}, [&](Gpu& gpu, const Buffer& input) {
        plain.emplace(gpu);
        const vk::DescriptorSet set = plain->makeSet();
        nameIt(gpu, set, "s");
        plain->write(set, 0, {input.handle(), 256, 1024});
        plain->write(set, 0, {input.handle(), 2048, 4});
        plain->write(set, 1, {input.handle(), 0, 4});
        plain->write(set, 0, {input.handle(), 0, 4}, vk::DescriptorType::eUniformBuffer);
        gpu.device().updateDescriptorSets(
            vk::WriteDescriptorSet(set, 0, 0, 1, vk::DescriptorType::eStorageImage, nullptr, nullptr), {});
        gpu.device().updateDescriptorSets({}, vk::CopyDescriptorSet(set, 0, 0, set, 0, 1, 1));
        const vk::DescriptorSetLayoutBinding bindings[] = {{0, vk::DescriptorType::eSampler, 1, computeStage},
                                                           {1, vk::DescriptorType::eStorageBuffer, 1, {}},
                                                           {1, vk::DescriptorType::eStorageBuffer, 1, computeStage}};
        const auto made = gpu.device().createDescriptorSetLayoutUnique({{}, bindings});
    });
    EXPECT_EQ(
        textsOf(recording.faults),
        (Texts{"range-limit: binding 0 would bind bytes 256 to 1280 of buffer 'input', which ends at byte 1024: bind "
               "Buffer::descriptor()",
               "range-limit: binding 0 would bind bytes 2048 to 2052 of buffer 'input', which ends at byte 1024: bind "
               "Buffer::descriptor()",
               "call: descriptor set 's' has 0 descriptors from binding 1 on, and 1 are written",
               "call: binding 0 of descriptor set 's' was made for another type of descriptor than is written",
               "call: vkUpdateDescriptorSets: what is written at binding 0 is no buffer; a recording has storage and "
               "uniform buffers",
               "call: vkUpdateDescriptorSets: 1 descriptors cannot be copied from binding 0 of descriptor set 's' to "
               "binding 0 of descriptor set 's': there are fewer",
               "call: vkCreateDescriptorSetLayout: binding 0 is of a type that a recording has not: it has storage "
               "and uniform buffers",
               "call: vkCreateDescriptorSetLayout: binding 1 is not for the compute stage: set eCompute",
               "call: vkCreateDescriptorSetLayout: binding 1 is there twice"}));
}

TEST(Faults, OfSetsThatDoNotFit)
{
    const Recording recording = noted([&](vk::CommandBuffer cb, Gpu& gpu, const Buffer& input, unsigned) {
        static std::optional<ComputePipeline> one, two;
        one.emplace(gpu, "One", 1U, 4U, KernelShape());
        two.emplace(gpu, "Two", 2U, 4U, KernelShape());
        cb.bindPipeline(compute, two->pipeline());
        cb.bindDescriptorSets(compute, two->layout(), 0, one->makeDescriptorSet({input}), {});
        cb.bindDescriptorSets(compute, one->layout(), 1, one->makeDescriptorSet({input}), {});
        cb.bindDescriptorSets(compute, one->layout(), 0, one->makeDescriptorSet({input}), {});
        cb.pushConstants<std::uint32_t>(two->layout(), computeStage, 0, 1U);
        cb.pushConstants<std::uint32_t>(two->layout(), computeStage, 1 << 16, 1U);
        cb.pushConstants<std::uint16_t>(two->layout(), computeStage, 2, std::uint16_t{1});
        cb.dispatch(1, 1, 1);
    });
    EXPECT_EQ(
        textsOf(recording.runs[0].faults),
        (Texts{"call: vkCmdBindDescriptorSets: descriptor set 'One descriptor set' does not fit set 0 of pipeline "
               "layout 'Two pipeline layout': its layout is another one",
               "call: vkCmdBindDescriptorSets: descriptor set 'One descriptor set' does not fit set 1 of pipeline "
               "layout 'One pipeline layout': its layout is another one",
               "push-constant-size: bytes 65536 to 65540 of push constants are more than any device has",
               "call: vkCmdPushConstants: 2 bytes from byte 2 on are no whole words of 4 bytes",
               "call: dispatch 0 'Two': what is bound as set 0 was made with another set layout than the pipeline's "
               "layout has there: bindings, types and counts must be the same; that of pipeline 'One' is: if it is "
               "meant, its cb.bindPipeline() is missing"}));
}

// A secondary command buffer that was recorded much earlier, and a set that it binds.
TEST(Faults, OfSetsUpdatedInSecondaryCommandBuffers)
{
    std::optional<Plain> plain;
    EXPECT_EQ(faultsOf([&](vk::CommandBuffer cb, Gpu& gpu, const Buffer& input, unsigned) {
                  plain.emplace(gpu);
                  const vk::DescriptorSet set = plain->makeSet();
                  const vk::CommandBuffer secondary = ownBuffer(gpu, vk::CommandBufferLevel::eSecondary);
                  const vk::CommandBufferInheritanceInfo inherited;
                  secondary.begin({{}, &inherited});
                  plain->bind(secondary, set);
                  secondary.end();
                  plain->write(set, 0, input.descriptor());
                  cb.executeCommands(secondary);
              }),
              Texts{"call: vkCmdExecuteCommands: command buffer without a name binds a descriptor set that was updated "
                    "since: record it again"});
}

TEST(Faults, OfPoolsThatAreUsedUp)
{
    const Recording recording = noted({}, [](Gpu& gpu, const Buffer&) {
        Plain plain(gpu);
        std::vector<vk::DescriptorSet> sets;
        for (int i = 0; i < 16; ++i) sets.push_back(plain.makeSet());
        EXPECT_THROW(plain.makeSet(), vk::OutOfPoolMemoryError);
        gpu.device().freeDescriptorSets(plain.pool, sets[3]);
        EXPECT_NE(plain.makeSet(), sets[3]) << "no handle is used again";
        gpu.device().resetDescriptorPool(plain.pool);
        plain.makeSet();
    });
    EXPECT_TRUE(recording.faults.empty());
}

TEST(Buffers, AreHeldAgainstTheDevicesLimits)
{
    noted(
        [](vk::CommandBuffer, Gpu& gpu, const Buffer& input, unsigned) {
            std::vector<std::uint32_t> values(1);
            EXPECT_THROW(fillDeviceWithStagingBuffer(gpu, input, values), KernelError);
            EXPECT_THROW(fillHostWithStagingBuffer(gpu, input, values), KernelError);
        },
        [](Gpu& gpu, const Buffer& input) {
            const Buffer large(gpu, "large", (1 << 25) + 1);
            EXPECT_THROW(large.descriptor(), LimitError);
            EXPECT_EQ(large.slice(64, 64).descriptor().offset, 256U);
            EXPECT_THROW(large.slice(1, 1), KernelError);
            EXPECT_THROW(large.slice(0, large.elements() + 1), KernelError);
            EXPECT_THROW(Buffer(gpu, "endless", UINT64_MAX), LimitError);
            EXPECT_EQ(Buffer(gpu, "empty", 0).elements(), 1U);
            const std::vector<std::uint32_t> values(inputElements + 1);
            EXPECT_THROW(fillDeviceWithStagingBuffer(gpu, input, values), KernelError);
            Buffer moved = Buffer(gpu, "moved", 3);
            const Buffer here = std::move(moved);
            EXPECT_EQ(here.bytes(), 12U);
            ComputePipeline first(gpu, "First", 1, 4, {}), second(gpu, "Second", 1, 4, {});
            const vk::Pipeline pipeline = second.pipeline();
            first = std::move(second);
            EXPECT_EQ(first.pipeline(), pipeline);
        });
}

TEST(Results, ThatAreGoneAreNone)
{
    struct Gone : Solution {
        explicit Gone(const Given& given) : Solution(given) { const Buffer away = std::move(buffer); }
        void record(vk::CommandBuffer) override {}
        const Buffer& result() const override { return buffer; }
        Buffer buffer{gpu, "mine", 1};
    };
    const RecordFailure failure = failureOf(recordSolution(requestFor(8), make<Gone>));
    EXPECT_EQ(failure.phase, "asked for the result");
    EXPECT_EQ(failure.what, "result() returned a Buffer that does not exist any more");
}

// What no recording may hold spoils all of it: the call that was given it is the reason.
TEST(Exceptions, NameTheCallThatWasGivenWhatCannotBe)
{
    using Act = std::function<void(Gpu&, vk::ShaderModule, vk::PipelineLayout)>;
    const auto pipeline = [](Gpu& gpu, vk::ShaderModule module, vk::PipelineLayout layout, const char* entry) {
        const vk::PipelineShaderStageCreateInfo stage({}, computeStage, module, entry);
        static_cast<void>(gpu.device().createComputePipelines({}, vk::ComputePipelineCreateInfo({}, stage, layout)));
    };
    const struct {
        Act act;
        const char* what;
    } all[] = {
        {[&](Gpu& gpu, vk::ShaderModule module, vk::PipelineLayout layout) { pipeline(gpu, module, layout, nullptr); },
         "vkCreateComputePipelines: pName is empty: give the entry point's name, \"main\""},
        {[&](Gpu& gpu, vk::ShaderModule, vk::PipelineLayout layout) {
             const std::uint32_t word = 0;
             pipeline(gpu, gpu.device().createShaderModule({{}, 3, &word}), layout, "main");
         },
         "vkCreateShaderModule: 3 bytes are no SPIR-V"},
        {[](Gpu& gpu, vk::ShaderModule, vk::PipelineLayout) {
             const vk::DescriptorSetLayoutBinding binding(UINT32_MAX, vk::DescriptorType::eStorageBuffer, 1,
                                                          computeStage);
             static_cast<void>(gpu.device().createDescriptorSetLayout({{}, binding}));
         },
         "a2 recording: setLayouts[0].bindings[0].number: 4294967295 is not below 65536"},
    };
    for (const auto& one : all) {
        const RecordFailure failure = failureOf(answerTo(
            [](vk::CommandBuffer, Gpu&, const Buffer&, unsigned) {},
            [&](Gpu& gpu, const Buffer&) {
                const std::uint32_t word = 0;
                one.act(gpu, gpu.device().createShaderModule({{}, 4, &word}), gpu.device().createPipelineLayout({}));
            }));
        EXPECT_EQ(failure.what, one.what);
        EXPECT_EQ(failure.phase, "recording");
    }
}

TEST(Exceptions, BecomeFailures)
{
    using Thrower = std::function<void(Gpu&)>;
    const struct {
        Thrower act;
        RecordFailure::Kind kind;
        const char* what;
    } all[] = {
        {[](Gpu&) { throw LimitError("too large"); }, RecordFailure::Kind::memory,
         "the solution asked for more than there is (LimitError): too large"},
        {[](Gpu&) { throw vk::OutOfDeviceMemoryError("vkAllocateMemory"); }, RecordFailure::Kind::memory,
         "the solution asked for more device memory than there is (vkAllocateMemory: ErrorOutOfDeviceMemory)"},
        {[](Gpu&) { throw vk::OutOfHostMemoryError("vkCreateBuffer"); }, RecordFailure::Kind::memory,
         "the solution asked for more host memory than there is (vkCreateBuffer: ErrorOutOfHostMemory)"},
        {[](Gpu&) { throw std::bad_alloc(); }, RecordFailure::Kind::memory,
         "the solution asked for more main memory than there is (std::bad_alloc)"},
        {[](Gpu&) { throw std::runtime_error("two\nlines"); }, RecordFailure::Kind::threw,
         "the solution threw an exception: two lines"},
        {[](Gpu&) { throw KernelError("a sentence"); }, RecordFailure::Kind::threw, "a sentence"},
        {[](Gpu&) { throw EnvironmentError("no such thing"); }, RecordFailure::Kind::threw,
         "the solution threw an exception: no such thing"},
        {[](Gpu&) { throw 7; }, RecordFailure::Kind::threw, "the solution threw something that is no std::exception"},
        {[](Gpu& gpu) { gpu.foldGroups(UINT64_MAX); }, RecordFailure::Kind::memory,
         "the solution asked for more than there is (LimitError): 18446744073709551615 work-groups are more than this "
         "device starts in one dispatch (maxComputeWorkGroupCount 65535 x 65535), and more than the 256 elements of "
         "this run: look how this number is computed"},
    };
    for (const auto& one : all)
        for (const unsigned where : {0U, 2U}) {
            const RecordFailure failure = failureOf(answerTo(
                [&](vk::CommandBuffer, Gpu& gpu, const Buffer&, unsigned run) {
                    if (run == where) one.act(gpu);
                },
                [&](Gpu& gpu, const Buffer&) {
                    if (where == 0) one.act(gpu);
                },
                2));
            EXPECT_EQ(failure.kind, one.kind) << one.what;
            EXPECT_EQ(failure.what, one.what);
            EXPECT_EQ(failure.phase, where == 0 ? "preparing" : "recording run 2");
        }
    const RecordFailure none = failureOf(recordSolution(requestFor(8), [](const Given&) { return nullptr; }));
    EXPECT_EQ(none.what, "Test made no solution");
}

TEST(Limits, EndWhatIsEndless)
{
    const auto fills = [](vk::CommandBuffer cb, Gpu&, const Buffer& input, unsigned) {
        for (int i = 0; i < 1000; ++i) cb.fillBuffer(input.handle(), 0, 4, 0);
    };
    const RecordFailure commands = failureOf(answerTo(fills, {}, 2, {.commands = 1999}));
    EXPECT_EQ(commands.kind, RecordFailure::Kind::tooMuch);
    EXPECT_EQ(commands.phase, "recording run 2");
    EXPECT_TRUE(std::holds_alternative<Recording>(answerTo(fills, {}, 2, {.commands = 2000})));

    const RecordFailure bytes =
        failureOf(answerTo({},
                           [](Gpu& gpu, const Buffer& input) {
                               for (;;)
                                   fillDeviceWithStagingBuffer(gpu, input, std::vector<std::uint32_t>(64, 0)),
                                       Buffer(gpu, "one more", 1);
                           },
                           1, {.bytes = 1 << 20}));
    EXPECT_EQ(bytes.kind, RecordFailure::Kind::tooMuch);
    const RecordFailure objects = failureOf(answerTo({},
                                                     [](Gpu& gpu, const Buffer&) {
                                                         for (;;) static_cast<void>(gpu.device().createFence({}));
                                                     },
                                                     1, {.objects = 1000}));
    EXPECT_EQ(objects.kind, RecordFailure::Kind::tooMuch);
}

TEST(Factories, AreFoundByName)
{
    for (const char* name : {"Interleaved", "Sequential", "KernelDecomposition", "Subgroup", "Naive", "LocalScan",
                             "WorkEfficient", "DecoupledLookback", "Offset"})
        EXPECT_TRUE(findFactory(name)) << name;
    EXPECT_FALSE(findFactory("Nobody"));

    RecordRequest request = requestFor(8);
    request.factory = "Nobody";
    EXPECT_EQ(failureOf(recordSolution(request, makeSolution(request))).what,
              "no file has a Factory \"Nobody\", which reduce/test is made by");
    request.file = "A2Task1Solution/Nobody.cpp";
    EXPECT_EQ(failureOf(recordSolution(request, makeSolution(request))).what,
              "no file has a Factory \"Nobody\", which reduce/test is made by: it belongs in "
              "src/A2Task1Solution/Nobody.cpp");
    Factory::Make* const none = nullptr;
    const Factory first("Twice", none), second("Twice", none);
    request.factory = "Twice";
    EXPECT_EQ(failureOf(recordSolution(request, makeSolution(request))).what,
              "two files have a Factory \"Twice\": choose another name");
}

TEST(Requests, WithoutADeviceAreRefused)
{
    RecordRequest request = requestFor(8);
    request.device.properties.pop_back();
    EXPECT_THROW(recordSolution(request, scripted({})), Error);
}

}  // namespace a2
