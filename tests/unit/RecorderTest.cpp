// What the recorder records of right solutions, and of their calls. No device.
#include "RecorderFixture.h"

namespace a2 {

using namespace recorded;

TEST(CourseSolutions, Interleaved)
{
    const Recording recording = recordCourse("Interleaved", 100);
    const auto dispatches = dispatchesOf(recording.runs[0]);
    ASSERT_EQ(dispatches.size(), 7U);
    EXPECT_EQ(recording.runs[0].commands.size(), 13U) << "a barrier between any two";
    for (std::uint32_t i = 0; i < 7; ++i) {
        const std::uint32_t stride = 1U << i;
        EXPECT_EQ(wordsOf(dispatches[i]), (Words{100, stride, (100 - stride + 2 * stride - 1) / (2 * stride)}));
        EXPECT_EQ(dispatches[i].groups, (std::array<std::uint32_t, 3>{1, 1, 1}));
        EXPECT_EQ(dispatches[i].label, fmt::format("Interleaved, stride {}", stride));
        EXPECT_EQ(boundTo(recording, dispatches[i]), Names{"input"});
        EXPECT_EQ(dispatches[i].pipeline, 0U);
    }
    const auto& barrier = std::get<RecordedBarrier>(recording.runs[0].commands[1]);
    ASSERT_EQ(barrier.dependencies.size(), 2U);
    EXPECT_EQ(barrier.dependencies[1].srcStages, VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT);
    EXPECT_EQ(barrier.dependencies[1].srcAccess, VK_ACCESS_2_SHADER_WRITE_BIT);
    EXPECT_EQ(barrier.dependencies[1].dstAccess, VK_ACCESS_2_SHADER_WRITE_BIT | VK_ACCESS_2_SHADER_READ_BIT);
    EXPECT_EQ(recording.sets.size(), 1U) << "equal sets have one place";
    EXPECT_EQ(recording.buffers[recording.runs[0].result].role, RecordedBuffer::Role::input);
    EXPECT_EQ(recording.pipelines[0].shader, "First");
    EXPECT_EQ(recording.layouts[recording.pipelines[0].layout].push[0].bytes, sizeof(InterleavedPush));
}

TEST(CourseSolutions, Sequential)
{
    const Recording recording = recordCourse("Sequential", 100);
    const auto dispatches = dispatchesOf(recording.runs[0]);
    ASSERT_EQ(dispatches.size(), 7U);
    EXPECT_EQ(wordsOf(dispatches[0]), (Words{100, 50}));
    EXPECT_EQ(wordsOf(dispatches[1]), (Words{50, 25}));
    EXPECT_EQ(wordsOf(dispatches[6]), (Words{2, 1}));
}

TEST(CourseSolutions, KernelDecompositionTakesTurns)
{
    const Recording recording = recordCourse("KernelDecomposition", 100'000);
    const auto dispatches = dispatchesOf(recording.runs[0]);
    ASSERT_EQ(dispatches.size(), 3U);  // 100000, 782, 7 sums
    EXPECT_EQ(wordsOf(dispatches[0]), Words{100'000});
    EXPECT_EQ(wordsOf(dispatches[1]), Words{782});
    EXPECT_EQ(wordsOf(dispatches[2]), Words{7});
    EXPECT_EQ(dispatches[0].groups[0], 782U);
    EXPECT_EQ(boundTo(recording, dispatches[0]), (Names{"input", "partial sums"}));
    EXPECT_EQ(boundTo(recording, dispatches[1]), (Names{"partial sums", "sums of partial sums"}));
    EXPECT_EQ(boundTo(recording, dispatches[2]), (Names{"sums of partial sums", "partial sums"}));
    EXPECT_EQ(recording.buffers[recording.runs[0].result].name, "partial sums");
    EXPECT_EQ(recording.buffers[recording.runs[0].result].bytes, 782U * 4);
    EXPECT_EQ(dispatches[0].label, "First, 100000 to 782");
}

TEST(CourseSolutions, SlicesOfALongArray)
{
    VkPhysicalDeviceProperties properties = deviceProperties();
    properties.limits.maxStorageBufferRange = 64 * 128 * 4;  // one slice of 64 tiles
    const Recording recording = recordCourse("KernelDecomposition", 3 * 64 * 128 + 1, 2, properties);
    const auto dispatches = dispatchesOf(recording.runs[0]);
    ASSERT_EQ(dispatches.size(), 6U);  // four slices, then 193 sums, then 2
    const auto& last = recording.sets[dispatches[3].sets[0].set];
    EXPECT_EQ(last.ranges[0].offset, 3U * 64 * 128 * 4);
    EXPECT_EQ(last.ranges[0].bytes, 4U);
    EXPECT_EQ(last.ranges[1].offset, 192U * 4);
    EXPECT_EQ(wordsOf(dispatches[3]), Words{1});
}

TEST(CourseSolutions, FoldedOverXAndY)
{
    VkPhysicalDeviceProperties properties = deviceProperties();
    properties.limits.maxComputeWorkGroupCount[0] = 100;
    const Recording recording = recordCourse("KernelDecomposition", 100'000, 2, properties);
    EXPECT_EQ(dispatchesOf(recording.runs[0])[0].groups, (std::array<std::uint32_t, 3>{98, 8, 1}));
}

TEST(CourseSolutions, Subgroup)
{
    const Recording recording = recordCourse("Subgroup", 1000);
    const auto dispatches = dispatchesOf(recording.runs[0]);
    ASSERT_EQ(dispatches.size(), 1U);
    EXPECT_EQ(wordsOf(dispatches[0]), (Words{1000, 8}));
    EXPECT_EQ(boundTo(recording, dispatches[0]), (Names{"input", "sum", "running sum"}));
    ASSERT_EQ(recording.uploads.size(), 1U);
    EXPECT_EQ(recording.buffers[recording.uploads[0].buffer].name, "running sum");
    EXPECT_EQ(recording.buffers[recording.uploads[0].buffer].lifetime, RecordedBuffer::Lifetime::solution);
    EXPECT_EQ(recording.uploads[0].words, (Words{0, 0}));
}

TEST(CourseSolutions, SubgroupWithoutAtomics)
{
    RecordRequest request = requestFor(1000);
    request.factory = "Subgroup";
    request.device.int64Atomics = false;
    const Recording recording = recordingOf(recordSolution(request, makeSolution(request)));
    ASSERT_EQ(recording.pipelines.size(), 1U);
    EXPECT_EQ(recording.pipelines[0].shader, "ShaderLevels");
}

TEST(CourseSolutions, Naive)
{
    const Recording recording = recordCourse("Naive", 100);
    const auto dispatches = dispatchesOf(recording.runs[0]);
    ASSERT_EQ(dispatches.size(), 7U);
    for (std::uint32_t i = 0; i < 7; ++i) {
        EXPECT_EQ(wordsOf(dispatches[i]), (Words{100, 1U << i, 0}));
        EXPECT_EQ(boundTo(recording, dispatches[i]),
                  i % 2 == 0 ? (Names{"input", "ping-pong"}) : (Names{"ping-pong", "input"}));
    }
    EXPECT_EQ(recording.sets.size(), 2U);
    EXPECT_EQ(recording.buffers[recording.runs[0].result].name, "ping-pong");
}

TEST(CourseSolutions, LocalScanAndWorkEfficient)
{
    EXPECT_EQ(dispatchesOf(recordCourse("LocalScan", 100'000).runs[0]).size(), 1U);

    const Recording recording = recordCourse("WorkEfficient", 100'000);
    const auto dispatches = dispatchesOf(recording.runs[0]);
    ASSERT_EQ(dispatches.size(), 5U);  // 100000, 782, 7 down, two offsets up
    EXPECT_EQ(wordsOf(dispatches[2]), Words{7});
    EXPECT_EQ(wordsOf(dispatches[3]), (Words{782, 1}));
    EXPECT_EQ(dispatches[4].groups[0], 781U);
    EXPECT_EQ(boundTo(recording, dispatches[4]), (Names{"scan, level 0", "scan, level 1"}));
    EXPECT_EQ(recording.pipelines[*dispatches[0].pipeline].shape.exclusive, false);
    EXPECT_EQ(recording.pipelines[*dispatches[1].pipeline].shape.exclusive, true);
    EXPECT_EQ(recording.pipelines[*dispatches[3].pipeline].shader, "Second");
    EXPECT_EQ(recording.runs[0].commands.size(), 9U);
}

TEST(CourseSolutions, DecoupledLookback)
{
    const Recording recording = recordCourse("DecoupledLookback", 1000);
    const auto dispatches = dispatchesOf(recording.runs[0]);
    ASSERT_EQ(dispatches.size(), 1U);
    EXPECT_EQ(wordsOf(dispatches[0]), (Words{1000, 0, 8}));
    ASSERT_EQ(recording.uploads.size(), 1U);
    EXPECT_EQ(recording.uploads[0].words.size(), TILE_STATE_COUNTERS + WORDS_PER_TILE_STATE * 8U);
}

// As many work-groups as tiles, and no more than stay.
TEST(CourseSolutions, Persistent)
{
    const Recording recording = recordCourse("Persistent", 1000);
    const auto dispatches = dispatchesOf(recording.runs[0]);
    ASSERT_EQ(dispatches.size(), 1U);
    EXPECT_EQ(wordsOf(dispatches[0]), (Words{1000, 0}));
    EXPECT_EQ(dispatches[0].groups[0], 8U);
    ASSERT_EQ(recording.uploads.size(), 1U);
    EXPECT_EQ(recording.uploads[0].words.size(), PERSISTENT_COUNTERS + PERSISTENT_WORDS_PER_TILE * 8U);
    EXPECT_EQ(dispatchesOf(recordCourse("Persistent", 1 << 20).runs[0])[0].groups[0], 1024U);
}

TEST(CourseSolutions, Offset)
{
    const Recording recording = recordCourse("Offset", 1000);
    const auto dispatches = dispatchesOf(recording.runs[0]);
    ASSERT_EQ(dispatches.size(), 1U);
    EXPECT_EQ(wordsOf(dispatches[0]), (Words{1000, 1}));
    EXPECT_EQ(boundTo(recording, dispatches[0]), (Names{"input", "block offsets"}));
    EXPECT_EQ(recording.buffers[1].role, RecordedBuffer::Role::blockOffsets);
    EXPECT_EQ(recording.buffers[1].bytes, 8U * 4);
    EXPECT_TRUE(recordCourse("Offset", 128).runs[0].commands.empty());
}

TEST(CourseSolutions, OfEveryLength)
{
    for (const char* name : {"Interleaved", "Sequential", "KernelDecomposition", "Subgroup", "Naive", "LocalScan",
                             "WorkEfficient", "DecoupledLookback", "Persistent"})
        for (const std::uint64_t n : {1U, 2U, 127U, 128U, 129U, 1U << 20}) recordCourse(name, n);
}

TEST(Calls, OfAPipelineMadeByHand)
{
    std::optional<Plain> plain;
    vk::DescriptorSet set;
    const Recording recording = noted(
        [&](vk::CommandBuffer cb, Gpu&, const Buffer&, unsigned) {
            plain->bind(cb, set);
            cb.dispatch(3, 2, 1);
            plain->device.destroyPipeline(plain->pipeline);
            plain->device.destroyDescriptorPool(plain->pool);
        },
        [&](Gpu& gpu, const Buffer& input) {
            plain.emplace(gpu);
            set = plain->makeSet();
            nameIt(gpu, set, "mine");
            plain->write(set, 0, {input.handle(), 256, VK_WHOLE_SIZE});
        });
    ASSERT_EQ(recording.pipelines.size(), 1U);
    EXPECT_EQ(recording.pipelines[0].shader, "");
    EXPECT_EQ(recording.pipelines[0].entry, "main");
    EXPECT_TRUE(std::equal(std::begin(spirv), std::end(spirv), recording.pipelines[0].code.begin(),
                           recording.pipelines[0].code.end()));
    const auto dispatch = dispatchesOf(recording.runs[0]).at(0);
    EXPECT_EQ(dispatch.groups, (std::array<std::uint32_t, 3>{3, 2, 1}));
    const RecordedSet& noteOfSet = recording.sets.at(dispatch.sets.at(0).set);
    EXPECT_EQ(noteOfSet.name, "mine");
    EXPECT_EQ(noteOfSet.ranges, (std::vector<RecordedSet::Range>{{0, 0, 0, 256, 768}}));
    EXPECT_EQ(recording.setLayouts.at(noteOfSet.layout).bindings.at(0).type,
              static_cast<std::uint32_t>(VK_DESCRIPTOR_TYPE_STORAGE_BUFFER));
    EXPECT_EQ(recording.layouts.at(dispatch.layout).push.at(0).bytes, 16U);
    EXPECT_EQ(textsOf(recording.runs[0].faults), (Texts{"call: dispatch 0 '' uses pipeline without a name, which was "
                                                        "destroyed before the run was over: keep it as a member",
                                                        "call: dispatch 0 '' uses descriptor set 'mine', which was "
                                                        "destroyed before the run was over: keep it as a member"}));
    EXPECT_EQ(recording.runs[0].faults[0].dispatch, 0U);
}

TEST(Calls, OfSpecialisationConstants)
{
    const Recording recording = noted({}, [](Gpu& gpu, const Buffer&) {
        const Plain plain(gpu);
        struct {
            std::uint32_t small = 7;
            double large = 2.5;
        } values;
        const vk::SpecializationMapEntry entries[] = {{0, 0, 4}, {5, offsetof(decltype(values), large), 8}, {6, 0, 99}};
        const vk::SpecializationInfo info(3, entries, sizeof values, &values);
        const vk::PipelineShaderStageCreateInfo stage({}, computeStage, plain.module, "other", &info);
        EXPECT_TRUE(gpu.device().createComputePipelineUnique({}, {{}, stage, plain.layout}).value);
    });
    const auto& pipeline = recording.pipelines.at(1);
    EXPECT_EQ(pipeline.entry, "other");
    ASSERT_EQ(pipeline.constants.size(), 2U);
    EXPECT_EQ(pipeline.constants[0].id, 0U);
    EXPECT_EQ(pipeline.constants[0].bytes, (std::vector<std::uint8_t>{7, 0, 0, 0}));
    EXPECT_EQ(pipeline.constants[1].id, 5U);
    EXPECT_EQ(pipeline.constants[1].bytes.size(), 8U);
    ASSERT_EQ(recording.faults.size(), 1U);
    EXPECT_NE(recording.faults[0].message.find("specialisation constant 6"), std::string::npos);
}

// States that start at zero take as much room as a single word.
TEST(Calls, OfUploadsOfEqualWords)
{
    std::optional<Buffer> states;
    Words values(3, 1);
    values.resize(10'003, 5);
    values.resize(10'005, 6);
    values.resize(20'000, 0);
    const Recording recording = noted({}, [&](Gpu& gpu, const Buffer&) {
        states.emplace(gpu, "states", values.size());
        fillDeviceWithStagingBuffer(gpu, *states, values);
        fillDeviceWithStagingBuffer(gpu, *states, Words(4095, 7));
        states.reset();
    });
    EXPECT_EQ(recording.uploads, (std::vector<RecordedUpload>{{1, 0, {1, 1, 1}},
                                                              {1, 3, {5}, 10'000},
                                                              {1, 10'003, {6, 6}},
                                                              {1, 10'005, {0}, 9'995},
                                                              {1, 0, Words(4095, 7)}}));
    RecordingLimits limits;
    limits.bytes = 100'000;
    const auto much = [&](std::uint32_t step) {
        return answerTo(
            {},
            [&, step](Gpu& gpu, const Buffer&) {
                Words words(1 << 20);
                for (std::size_t i = 0; i < words.size(); ++i) words[i] = static_cast<std::uint32_t>(i) * step;
                states.emplace(gpu, "states", words.size());
                fillDeviceWithStagingBuffer(gpu, *states, words);
                states.reset();
            },
            1, limits);
    };
    EXPECT_EQ(recordingOf(much(0)).uploads.size(), 1U);
    EXPECT_EQ(failureOf(much(1)).kind, RecordFailure::Kind::tooMuch);
}

// The number of a fault must be that of one of the run's own dispatches.
TEST(Calls, FaultsOfADispatchThatDoesNotComeHaveNoNumber)
{
    std::optional<Plain> plain;
    const auto push = [&](vk::CommandBuffer cb) {
        const std::uint32_t word = 0;
        cb.pushConstants(plain->layout, computeStage, 65536, 4, &word);
    };
    const Recording recording = noted(
        [&](vk::CommandBuffer cb, Gpu&, const Buffer&, unsigned run) {
            push(cb);
            if (run == 1) cb.dispatch(1, 1, 1);
        },
        [&](Gpu& gpu, const Buffer&) {
            plain.emplace(gpu);
            const vk::CommandBuffer own = ownBuffer(gpu, vk::CommandBufferLevel::eSecondary);
            own.begin(vk::CommandBufferBeginInfo());
            push(own);
        },
        2);
    const auto numberOfFirst = [](const std::vector<RecordedFault>& faults) {
        return faults.empty() ? std::optional<std::uint64_t>(99) : faults[0].dispatch;
    };
    EXPECT_EQ(numberOfFirst(recording.faults), std::nullopt);
    EXPECT_EQ(numberOfFirst(recording.runs.at(0).faults), 0U);
    EXPECT_EQ(numberOfFirst(recording.runs.at(1).faults), std::nullopt);
}

TEST(Calls, OfPushConstantsInPieces)
{
    const Recording recording = noted([](vk::CommandBuffer cb, Gpu& gpu, const Buffer&, unsigned) {
        const ComputePipeline kernel(gpu, "Kernel", 1, 16, {});
        cb.bindPipeline(compute, kernel.pipeline());
        cb.pushConstants<std::uint32_t>(kernel.layout(), computeStage, 0, 1U);
        cb.pushConstants<std::uint32_t>(kernel.layout(), computeStage, 8, 3U);
        cb.dispatch(1, 1, 1);
        cb.pushConstants<std::uint32_t>(kernel.layout(), computeStage, 4, 2U);
        cb.dispatch(1, 1, 1);
    });
    const auto dispatches = dispatchesOf(recording.runs[0]);
    ASSERT_EQ(dispatches[0].push.size(), 2U);
    EXPECT_EQ(dispatches[0].push[1].offset, 8U);
    EXPECT_EQ(wordsOf(dispatches[1]), (Words{1, 2, 3}));
}

// Pipelines with different push constants, one after the other: each sees what was pushed through its own layout.
TEST(Calls, OfPushConstantsOfTwoPipelines)
{
    const Recording recording = noted([](vk::CommandBuffer cb, Gpu& gpu, const Buffer& input, unsigned) {
        static std::optional<ComputePipeline> wide, narrow;
        wide.emplace(gpu, "Wide", 1U, 16U, KernelShape());
        narrow.emplace(gpu, "Narrow", 1U, 8U, KernelShape());
        const std::array<std::uint32_t, 4> four = {1, 2, 3, 4};
        const std::array<std::uint32_t, 2> two = {5, 6};
        const auto run = [&](ComputePipeline& one) {
            cb.bindPipeline(compute, one.pipeline());
            cb.bindDescriptorSets(compute, one.layout(), 0, one.makeDescriptorSet({input}), {});
            cb.dispatch(1, 1, 1);
        };
        cb.pushConstants<std::uint32_t>(wide->layout(), computeStage, 0, four);
        run(*wide);
        cb.pushConstants<std::uint32_t>(narrow->layout(), computeStage, 0, two);
        run(*narrow);
        run(*wide);  // the other one overlaps two of its words
    });
    const auto dispatches = dispatchesOf(recording.runs[0]);
    EXPECT_EQ(wordsOf(dispatches.at(0)), (Words{1, 2, 3, 4}));
    EXPECT_EQ(wordsOf(dispatches.at(1)), (Words{5, 6}));
    EXPECT_EQ(textsOf(recording.runs[0].faults),
              Texts{"call: vkCmdDispatch: push constants were pushed through a layout that has bytes 0 to 8, and the "
                    "pipeline's layout has bytes 0 to 16: push through the layout of the pipeline that is dispatched; "
                    "that of pipeline 'Narrow' is: if it is meant, its cb.bindPipeline() is missing"});
}

// Each layout has its own sets; push constants are shared by all layouts with the same ranges (Vulkan specification,
// "Pipeline Layout Compatibility").
TEST(Calls, OfPushConstantsLeaveTheSetsThatAreBound)
{
    const Recording recording = noted([](vk::CommandBuffer cb, Gpu& gpu, const Buffer& input, unsigned) {
        static std::optional<ComputePipeline> one, other;
        one.emplace(gpu, "One", 1U, 4U, KernelShape());
        other.emplace(gpu, "Other", 2U, 4U, KernelShape());
        cb.bindPipeline(compute, one->pipeline());
        cb.bindDescriptorSets(compute, one->layout(), 0, one->makeDescriptorSet({input}), {});
        cb.pushConstants<std::uint32_t>(other->layout(), computeStage, 0, 7U);
        cb.dispatch(1, 1, 1);
    });
    EXPECT_EQ(textsOf(recording.runs[0].faults), Texts{});
    const auto dispatches = dispatchesOf(recording.runs[0]);
    EXPECT_EQ(dispatches.at(0).sets.size(), 1U);
    EXPECT_EQ(wordsOf(dispatches.at(0)), Words{7});
}

TEST(Calls, OfDynamicOffsets)
{
    constexpr auto type = vk::DescriptorType::eStorageBufferDynamic;
    std::optional<Plain> plain;
    const Recording recording = noted(
        [&](vk::CommandBuffer cb, Gpu&, const Buffer& input, unsigned) {
            const vk::DescriptorSet set = plain->makeSet();
            plain->write(set, 0, {input.handle(), 0, 256}, type);
            plain->write(set, 1, {input.handle(), 256, 256}, type);
            plain->bind(cb, set, {256, 512});
            cb.dispatch(1, 1, 1);
            plain->bind(cb, set, {0, 768});
            cb.dispatch(1, 1, 1);
            plain->bind(cb, set, {0});
            plain->bind(cb, set, {0, 0, 0});
        },
        [&](Gpu& gpu, const Buffer&) {
            plain.emplace(gpu, std::vector{type, type});
        });
    const auto dispatches = dispatchesOf(recording.runs[0]);
    EXPECT_EQ(dispatches[0].sets[0].dynamicOffsets, (Words{256, 512}));
    EXPECT_EQ(dispatches[1].sets[0].dynamicOffsets, (Words{0, 512})) << "as far as there is";
    EXPECT_EQ(dispatches[0].sets[0].set, dispatches[1].sets[0].set);
    EXPECT_EQ(
        textsOf(recording.runs[0].faults),
        (Texts{"call: vkCmdBindDescriptorSets: descriptor set without a name has 2 dynamic offsets, and 1 are given",
               "call: vkCmdBindDescriptorSets: 1 dynamic offsets more than there are dynamic buffers",
               "range-limit: dispatch 1 '': binding 1 would bind bytes 1024 to 1280 of buffer 'input', which ends at "
               "byte 1024: its dynamic offset of 768 is too large, or the descriptor's range: VK_WHOLE_SIZE goes up to "
               "the end "
               "already"}));
}

// The message uses Vulkan's terms, not those of the file form, which has no place for it.
TEST(Calls, OfASetThatThePipelineDoesNotTake)
{
    std::optional<Plain> one, two;
    vk::DescriptorSet set;
    const Recording recording = noted(
        [&](vk::CommandBuffer cb, Gpu&, const Buffer&, unsigned) {
            one->bind(cb, set);
            cb.bindPipeline(compute, two->pipeline);
            cb.pushConstants<std::uint32_t>(two->layout, computeStage, 0, 1U);
            cb.dispatch(1, 1, 1);
        },
        [&](Gpu& gpu, const Buffer& input) {
            one.emplace(gpu);
            two.emplace(gpu, std::vector(2, vk::DescriptorType::eStorageBuffer));
            set = one->makeSet();
            one->write(set, 0, {input.handle(), 256, VK_WHOLE_SIZE});
        });
    EXPECT_TRUE(dispatchesOf(recording.runs[0]).at(0).sets.empty());
    EXPECT_EQ(textsOf(recording.runs[0].faults),
              Texts{"call: dispatch 0 '': what is bound as set 0 was made with another set layout than the pipeline's "
                    "layout has there: bindings, types and counts must be the same"});
}

TEST(Calls, OfPushedDescriptors)
{
    std::optional<Plain> plain;
    const Recording recording = noted(
        [&](vk::CommandBuffer cb, Gpu& gpu, const Buffer& input, unsigned) {
            const vk::DescriptorBufferInfo first(input.handle(), 0, 256), second(input.handle(), 256, 256);
            const auto write = [&](std::uint32_t binding, const vk::DescriptorBufferInfo& info) {
                return vk::WriteDescriptorSet({}, binding, 0, 1, vk::DescriptorType::eStorageBuffer, nullptr, &info);
            };
            cb.bindPipeline(compute, plain->pipeline);
            cb.pushDescriptorSetKHR(compute, plain->layout, 0, write(0, first));
            cb.dispatch(1, 1, 1);
            cb.pushDescriptorSetKHR(compute, plain->layout, 0, write(1, second));
            cb.dispatch(1, 1, 1);
            const vk::DescriptorUpdateTemplateEntry entry(0, 0, 1, vk::DescriptorType::eStorageBuffer, 0, 0);
            const auto made = gpu.device().createDescriptorUpdateTemplateUnique(
                {{}, entry, pushTemplate, {}, compute, plain->layout, 0});
            cb.pushDescriptorSetWithTemplateKHR(*made, plain->layout, 0, second);
            cb.dispatch(1, 1, 1);
        },
        [&](Gpu& gpu, const Buffer&) {
            plain.emplace(gpu, std::vector(2, vk::DescriptorType::eStorageBuffer), vk::PipelineCreateFlags(),
                          pushLayout);
        });
    const auto dispatches = dispatchesOf(recording.runs[0]);
    const auto rangesOf = [&](std::size_t i) { return recording.sets.at(dispatches[i].sets.at(0).set).ranges; };
    using Ranges = std::vector<RecordedSet::Range>;
    EXPECT_EQ(rangesOf(0), (Ranges{{0, 0, 0, 0, 256}}));
    EXPECT_EQ(rangesOf(1), (Ranges{{0, 0, 0, 0, 256}, {1, 0, 0, 256, 256}}));
    EXPECT_EQ(rangesOf(2), (Ranges{{0, 0, 0, 256, 256}, {1, 0, 0, 256, 256}}));
}

TEST(Calls, OfTemplatesAndCopies)
{
    std::optional<Plain> plain;
    const Recording recording = noted(
        [&](vk::CommandBuffer cb, Gpu& gpu, const Buffer& input, unsigned) {
            const vk::DescriptorSet first = plain->makeSet(), second = plain->makeSet();
            const vk::DescriptorUpdateTemplateEntry entry(0, 0, 4, vk::DescriptorType::eStorageBuffer, 0,
                                                          sizeof(vk::DescriptorBufferInfo));
            const auto made = gpu.device().createDescriptorUpdateTemplateUnique(
                {{}, entry, vk::DescriptorUpdateTemplateType::eDescriptorSet, plain->setLayout, compute, {}, 0});
            std::array<vk::DescriptorBufferInfo, 4> infos;
            for (std::uint32_t i = 0; i < 4; ++i) infos[i] = vk::DescriptorBufferInfo(input.handle(), 256 * i, 256);
            gpu.device().updateDescriptorSetWithTemplate(first, *made, infos);
            gpu.device().updateDescriptorSets({}, vk::CopyDescriptorSet(first, 0, 1, second, 1, 0, 2));
            plain->bind(cb, first);
            cb.dispatch(1, 1, 1);
            plain->bind(cb, second);
            cb.dispatch(1, 1, 1);
        },
        [&](Gpu& gpu, const Buffer&) {  // two bindings of two descriptors
            plain.emplace(gpu, std::vector(2, vk::DescriptorType::eStorageBuffer), vk::PipelineCreateFlags(),
                          vk::DescriptorSetLayoutCreateFlags(), 2U);
        });
    const auto dispatches = dispatchesOf(recording.runs[0]);
    using Ranges = std::vector<RecordedSet::Range>;
    EXPECT_EQ(recording.sets.at(dispatches[0].sets.at(0).set).ranges,
              (Ranges{{0, 0, 0, 0, 256}, {0, 1, 0, 256, 256}, {1, 0, 0, 512, 256}, {1, 1, 0, 768, 256}}))
        << "behind the last descriptor of a binding comes the first one of the next";
    EXPECT_EQ(recording.sets.at(dispatches[1].sets.at(0).set).ranges,
              (Ranges{{1, 0, 0, 256, 256}, {1, 1, 0, 512, 256}}));
    EXPECT_TRUE(recording.runs[0].faults.empty());
}

TEST(Calls, OfOtherDispatches)
{
    std::optional<Plain> plain;
    const Recording recording = noted(
        [&](vk::CommandBuffer cb, Gpu&, const Buffer& input, unsigned) {
            cb.dispatch(5, 1, 1);
            cb.bindPipeline(compute, plain->pipeline);
            cb.dispatchBase(1, 2, 3, 4, 5, 6);
            cb.dispatchIndirect(input.handle(), 1012);
            cb.dispatchIndirect(input.handle(), 1016);
        },
        [&](Gpu& gpu, const Buffer&) {
            plain.emplace(gpu, std::vector{vk::DescriptorType::eStorageBuffer},
                          vk::PipelineCreateFlagBits::eDispatchBase);
        });
    const auto dispatches = dispatchesOf(recording.runs[0]);
    ASSERT_EQ(dispatches.size(), 3U);
    EXPECT_FALSE(dispatches[0].pipeline);
    EXPECT_LT(dispatches[0].layout, recording.layouts.size());
    EXPECT_EQ(dispatches[1].base, (std::array<std::uint32_t, 3>{1, 2, 3}));
    EXPECT_EQ(dispatches[1].groups, (std::array<std::uint32_t, 3>{4, 5, 6}));
    EXPECT_EQ(dispatches[2].indirect, (RecordedDispatch::Indirect{0, 1012}));
    EXPECT_EQ(
        textsOf(recording.runs[0].faults),
        Texts{"out-of-bounds: vkCmdDispatchIndirect: bytes 1016 to 1028 of buffer 'input' are meant, which ends at "
              "byte 1024: name no more than it has"});
}

TEST(Calls, OfTransfers)
{
    const Recording recording = noted([](vk::CommandBuffer cb, Gpu& gpu, const Buffer& input, unsigned) {
        static std::optional<Buffer> other;
        other.emplace(gpu, "other", 4);
        cb.fillBuffer(input.handle(), 1000, VK_WHOLE_SIZE, 7);
        cb.updateBuffer<std::uint32_t>(input.handle(), 4, {1U, 2U});
        const vk::BufferCopy regions[] = {{0, 4, 8}, {512, 0, 4}};
        cb.copyBuffer(input.handle(), other->handle(), regions);
        const vk::BufferCopy2 region(0, 0, 16);
        cb.copyBuffer2({other->handle(), input.handle(), region});
        cb.copyBuffer(input.handle(), other->handle(), vk::BufferCopy(0, 8, 16));
        cb.fillBuffer(input.handle(), 2048, 16, 0);
        cb.fillBuffer(input.handle(), 8, 0, 0);
        cb.fillBuffer(input.handle(), 1024, VK_WHOLE_SIZE, 0);
        cb.fillBuffer(input.handle(), 2, 4, 0);
    });
    const auto& commands = recording.runs[0].commands;
    ASSERT_EQ(commands.size(), 6U);
    const auto transfer = [&](std::size_t i) { return std::get<RecordedTransfer>(commands[i]); };
    using Way = RecordedTransfer::Kind;
    EXPECT_EQ(transfer(0), (RecordedTransfer{Way::fill, 0, 0, 1000, 0, 24, 7, {}}));
    EXPECT_EQ(transfer(1), (RecordedTransfer{Way::update, 0, 0, 4, 0, 8, 0, {1, 0, 0, 0, 2, 0, 0, 0}}));
    EXPECT_EQ(transfer(2), (RecordedTransfer{Way::copy, 1, 0, 4, 0, 8, 0, {}}));
    EXPECT_EQ(transfer(3), (RecordedTransfer{Way::copy, 1, 0, 0, 512, 4, 0, {}}));
    EXPECT_EQ(transfer(4), (RecordedTransfer{Way::copy, 0, 1, 0, 0, 16, 0, {}}));
    EXPECT_EQ(transfer(5).bytes, 8U) << "as far as there is";
    EXPECT_EQ(
        textsOf(recording.runs[0].faults),
        (Texts{
            "out-of-bounds: vkCmdCopyBuffer: bytes 8 to 24 of buffer 'other' are meant, which ends at byte 16: name no "
            "more than it has",
            "out-of-bounds: vkCmdFillBuffer: bytes 2048 to 2064 of buffer 'input' are meant, which ends at byte "
            "1024: name no more than it has",
            "call: vkCmdFillBuffer: 0 bytes from byte 8 on are meant, and Vulkan wants at least one word of 4: leave "
            "the call out where there is nothing to do",
            "call: vkCmdFillBuffer: 0 bytes from byte 1024 on are meant, and Vulkan wants at least one word of 4: "
            "leave the call out where there is nothing to do",
            "call: vkCmdFillBuffer: 4 bytes from byte 2 on are no whole words of 4 bytes"}));
}

TEST(Calls, OfBarriers)
{
    using Stage = vk::PipelineStageFlagBits;
    using Stage2 = vk::PipelineStageFlagBits2;
    const Recording recording = noted([](vk::CommandBuffer cb, Gpu&, const Buffer& input, unsigned) {
        cb.pipelineBarrier(Stage::eTransfer, Stage::eComputeShader, {}, {},
                           vk::BufferMemoryBarrier(vk::AccessFlagBits::eTransferWrite, vk::AccessFlagBits::eShaderRead,
                                                   0, 0, input.handle(), 256, VK_WHOLE_SIZE),
                           {});
        const vk::MemoryBarrier2 memory(Stage2::eComputeShader, vk::AccessFlagBits2::eShaderStorageWrite, Stage2::eCopy,
                                        vk::AccessFlagBits2::eTransferRead);
        cb.pipelineBarrier2({{}, memory});
        cb.pipelineBarrier2KHR({{}, memory});
        const vk::BufferMemoryBarrier2 beyond(Stage2::eCopy, {}, Stage2::eCopy, {}, 0, 0, input.handle(), 1024, 4);
        cb.pipelineBarrier2({{}, {}, beyond});
    });
    const auto barrier = [&](std::size_t i) { return std::get<RecordedBarrier>(recording.runs[0].commands.at(i)); };
    const auto transfers = VK_PIPELINE_STAGE_2_TRANSFER_BIT, kernels = VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT;
    using Dependencies = std::vector<RecordedBarrier::Dependency>;
    EXPECT_EQ(
        barrier(0).dependencies,
        (Dependencies{{transfers, kernels, 0, 0, {}, 0, 0},
                      {transfers, kernels, VK_ACCESS_2_TRANSFER_WRITE_BIT, VK_ACCESS_2_SHADER_READ_BIT, 0, 256, 768}}));
    EXPECT_EQ(barrier(1).dependencies, (Dependencies{{kernels,
                                                      VK_PIPELINE_STAGE_2_COPY_BIT,
                                                      VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT,
                                                      VK_ACCESS_2_TRANSFER_READ_BIT,
                                                      {},
                                                      0,
                                                      0}}));
    EXPECT_EQ(barrier(2), barrier(1));
    EXPECT_FALSE(barrier(1).waits);
    EXPECT_EQ(
        textsOf(recording.runs[0].faults),
        Texts{"out-of-bounds: vkCmdPipelineBarrier2: bytes 1024 to 1028 of buffer 'input' are meant, which ends at "
              "byte 1024: name no more than it has"});
}

TEST(Calls, OfEvents)
{
    std::vector<vk::Event> events;
    const auto fill = [](vk::CommandBuffer cb, const Buffer& input) { cb.fillBuffer(input.handle(), 0, 4, 0); };
    constexpr auto transfers = vk::PipelineStageFlagBits::eTransfer;
    const vk::MemoryBarrier2 memory(vk::PipelineStageFlagBits2::eCopy, {}, vk::PipelineStageFlagBits2::eCopy, {});
    const vk::DependencyInfo info({}, memory);
    const Recording recording = noted(
        [&](vk::CommandBuffer cb, Gpu&, const Buffer& input, unsigned) {
            fill(cb, input);
            cb.setEvent(events[0], transfers);
            fill(cb, input);
            cb.setEvent2(events[1], info);
            cb.waitEvents(events, transfers, transfers, vk::MemoryBarrier(), {}, {});  // one has the other version
            cb.waitEvents2(events[1], info);
            cb.resetEvent(events[0], transfers);
            cb.waitEvents(events[0], transfers, transfers, {}, {}, {});
        },
        [&](Gpu& gpu, const Buffer&) {
            for (int i = 0; i < 2; ++i) events.push_back(gpu.device().createEvent({}));
        });
    const auto barrier = [&](std::size_t i) { return std::get<RecordedBarrier>(recording.runs[0].commands.at(i)); };
    EXPECT_TRUE(barrier(2).waits);
    EXPECT_EQ(barrier(2).covered, 1U);
    EXPECT_EQ(barrier(2).dependencies.size(), 2U);
    EXPECT_EQ(barrier(3).covered, 2U) << "each of two events orders what was before it";
    EXPECT_EQ(barrier(4).covered, 2U);
    EXPECT_EQ(barrier(5).covered, 0U);
    EXPECT_EQ(textsOf(recording.runs[0].faults),
              (Texts{"call: after 0 dispatches an event is set by vkCmdSetEvent2 and waited for by vkCmdWaitEvents: "
                     "take the functions of one version for both",
                     "call: after 0 dispatches a wait for event without a name would never end: it is not set before, "
                     "in this call of record()"}));
}

// Setting a set event again has no effect, not even in the next run; a wait only orders what the event was set for.
TEST(Calls, OfEventsThatAreNotReset)
{
    std::vector<vk::Event> events;
    using Stage = vk::PipelineStageFlagBits;
    using Stage2 = vk::PipelineStageFlagBits2;
    using Access2 = vk::AccessFlagBits2;
    const vk::MemoryBarrier2 whole(Stage2::eCopy, Access2::eTransferWrite, Stage2::eCopy, Access2::eTransferRead);
    const vk::MemoryBarrier2 other(Stage2::eComputeShader, {}, Stage2::eCopy, {});
    const vk::DependencyInfo full({}, whole), less({}, other), nothing;
    const Recording recording = noted(
        [&](vk::CommandBuffer cb, Gpu&, const Buffer& input, unsigned) {
            const auto wait = [&](vk::Event event) {
                cb.waitEvents(event, Stage::eTransfer, Stage::eTransfer, {}, {}, {});
            };
            cb.fillBuffer(input.handle(), 0, 4, 0);
            cb.setEvent(events[0], Stage::eTransfer);
            cb.fillBuffer(input.handle(), 0, 4, 0);
            cb.setEvent(events[0], Stage::eTransfer);
            wait(events[0]);
            cb.setEvent(events[1], Stage::eTopOfPipe);
            wait(events[1]);
            cb.resetEvent(events[1], Stage::eTransfer);
            cb.setEvent2(events[2], less);
            cb.waitEvents2(events[2], full);
            cb.setEvent2(events[3], full);
            cb.waitEvents2(events[3], full);
            cb.setEvent2(events[4], nothing);
            wait(events[4]);
        },
        [&](Gpu& gpu, const Buffer&) {
            for (int i = 0; i < 5; ++i) events.push_back(gpu.device().createEvent({}));
        },
        2);
    const auto barrier = [&](std::size_t run, std::size_t i) {
        return std::get<RecordedBarrier>(recording.runs.at(run).commands.at(2 + i));
    };
    EXPECT_EQ(barrier(0, 0).covered, 1U) << "as far as it was set first";
    EXPECT_EQ(barrier(1, 0).covered, 0U) << "set in the run before";
    EXPECT_NE(barrier(0, 0).dependencies.at(0).srcStages, 0U);
    for (const std::size_t run : {0U, 1U}) {
        EXPECT_EQ(barrier(run, 1).covered, 3U) << "it is reset";
        // A wait for events that were set for other stages, or with another dependency, is reported as wrong, and is
        // judged as it was recorded.
        for (const std::size_t i : {1U, 2U, 4U}) {
            ASSERT_EQ(barrier(run, i).dependencies.size(), 1U) << i;
            EXPECT_NE(barrier(run, i).dependencies.at(0).srcStages, 0U) << i;
        }
        EXPECT_EQ(barrier(run, 3).dependencies.size(), 1U);
    }
    EXPECT_EQ(barrier(0, 3).covered, 5U);
    EXPECT_EQ(textsOf(recording.runs[0].faults),
              (Texts{"call: after 0 dispatches vkCmdWaitEvents has the source stages Transfer, and what it waits for "
                     "was set after TopOfPipe: name the same stages in both",
                     "call: after 0 dispatches vkCmdWaitEvents2 has another VkDependencyInfo for an event than "
                     "vkCmdSetEvent2 had: give both the same",
                     "call: after 0 dispatches an event is set by vkCmdSetEvent2 and waited for by vkCmdWaitEvents: "
                     "take the functions of one version for both"}));
}

TEST(Calls, OfLabels)
{
    const Recording recording = noted([](vk::CommandBuffer cb, Gpu&, const Buffer&, unsigned) {
        cb.dispatch(1, 1, 1);
        cb.beginDebugUtilsLabelEXT(vk::DebugUtilsLabelEXT("outer"));
        cb.beginDebugUtilsLabelEXT(vk::DebugUtilsLabelEXT("inner"));
        cb.dispatch(1, 1, 1);
        labelDispatch(cb, "this one");
        cb.dispatch(1, 1, 1);
        cb.endDebugUtilsLabelEXT();
        cb.dispatch(1, 1, 1);
        cb.endDebugUtilsLabelEXT();
        cb.endDebugUtilsLabelEXT();  // no label is open
        cb.dispatch(1, 1, 1);
    });
    EXPECT_EQ(
        textsOf(recording.runs[0].faults),
        Texts{"call: vkCmdEndDebugUtilsLabelEXT: no label was begun that it could end: begin one before, or leave "
              "it out"});
    Names labels;
    for (const RecordedDispatch& one : dispatchesOf(recording.runs[0])) labels.push_back(one.label);
    EXPECT_EQ(labels, (Names{"", "inner", "this one", "outer", ""}));
}

TEST(Calls, OfSecondaryCommandBuffers)
{
    std::optional<ComputePipeline> kernel;
    vk::CommandBuffer secondary;
    const auto begin = [&] {
        const vk::CommandBufferInheritanceInfo inherited;
        secondary.begin({vk::CommandBufferUsageFlagBits::eSimultaneousUse, &inherited});
    };
    const Recording recording = noted(
        [&](vk::CommandBuffer cb, Gpu&, const Buffer& input, unsigned) {
            cb.fillBuffer(input.handle(), 0, 4, 0);
            cb.bindPipeline(compute, kernel->pipeline());
            cb.beginDebugUtilsLabelEXT(vk::DebugUtilsLabelEXT("region"));
            cb.executeCommands(secondary);
            cb.executeCommands(secondary);
            cb.dispatch(9, 1, 1);
        },
        [&](Gpu& gpu, const Buffer&) {
            kernel.emplace(gpu, "Kernel", 1U, 4U, KernelShape());
            secondary = ownBuffer(gpu, vk::CommandBufferLevel::eSecondary);
            begin();
            secondary.dispatch(1, 1, 1);  // it has bound no pipeline
            secondary.bindPipeline(compute, kernel->pipeline());
            secondary.dispatch(2, 1, 1);
            secondary.end();
        },
        2);
    for (const RecordedRun& run : recording.runs) {
        const auto dispatches = dispatchesOf(run);
        ASSERT_EQ(dispatches.size(), 5U);
        EXPECT_TRUE(run.faults.empty());
        EXPECT_FALSE(dispatches[0].pipeline);
        EXPECT_TRUE(dispatches[1].pipeline);
        EXPECT_EQ(dispatches[1].label, "region");
        EXPECT_EQ(dispatches[3].groups[0], 2U);
        EXPECT_FALSE(dispatches[4].pipeline) << "no state is left behind secondary command buffers";
    }
    kernel.reset();

    EXPECT_EQ(faultsOf([&](vk::CommandBuffer cb, Gpu& gpu, const Buffer&, unsigned) {
                  secondary = ownBuffer(gpu, vk::CommandBufferLevel::eSecondary);
                  begin();
                  cb.executeCommands(secondary);
                  cb.executeCommands(cb);
              }),
              (Texts{"call: vkCmdExecuteCommands: command buffer without a name was not ended before it was executed",
                     "call: vkCmdExecuteCommands: command buffer 'of run 1' is no secondary command buffer"}));
    // VUID-vkCmdExecuteCommands-pCommandBuffers-00092
    EXPECT_EQ(faultsOf([&](vk::CommandBuffer cb, Gpu& gpu, const Buffer&, unsigned) {
                  secondary = ownBuffer(gpu, vk::CommandBufferLevel::eSecondary);
                  const vk::CommandBufferInheritanceInfo inherited;
                  secondary.begin({{}, &inherited});
                  secondary.end();
                  cb.executeCommands(secondary);
                  cb.executeCommands(secondary);
              }),
              (Texts{"call: vkCmdExecuteCommands: command buffer without a name is executed a second time: begin it "
                     "with eSimultaneousUse, or record another one"}));
}

TEST(Calls, OfEventsThatAreSetAfterTheirReset)
{
    constexpr auto stage = vk::PipelineStageFlagBits::eComputeShader;
    for (const bool ordered : {false, true}) {
        const Texts faults = faultsOf([&](vk::CommandBuffer cb, Gpu& gpu, const Buffer&, unsigned) {
            const vk::Event event = gpu.device().createEvent({});
            for (int i = 0; i < 2; ++i) {
                if (i > 0 && ordered) cb.pipelineBarrier(stage, stage, {}, {}, {}, {});
                cb.setEvent(event, stage);
                cb.waitEvents(event, stage, stage, {}, {}, {});
                cb.resetEvent(event, stage);
            }
        });
        const Texts unordered = {
            "call: after 0 dispatches event without a name is set, and nothing orders that after its reset, which may "
            "come last: take another event, or put a pipeline barrier between them"};
        EXPECT_EQ(faults, ordered ? Texts() : unordered);
    }
}

TEST(Calls, OfBuffersMadeByHand)
{
    vk::Buffer first, second;
    const Recording recording = noted(
        [&](vk::CommandBuffer cb, Gpu&, const Buffer& input, unsigned) {
            cb.copyBuffer(input.handle(), first, vk::BufferCopy(0, 0, 256));
            cb.copyBuffer(input.handle(), second, vk::BufferCopy(0, 0, 256));
        },
        [&](Gpu& gpu, const Buffer&) {
            const vk::Device device = gpu.device();
            first = device.createBuffer({{}, 300, vk::BufferUsageFlagBits::eTransferDst});
            second = device.createBuffer({{}, 300, vk::BufferUsageFlagBits::eTransferDst});
            device.setDebugUtilsObjectNameEXT(
                {vk::ObjectType::eBuffer, numberOf(static_cast<VkBuffer>(first)), "by hand"});
            const auto needs = device.getBufferMemoryRequirements2({first}).memoryRequirements;
            EXPECT_EQ(needs.size, 512U);
            EXPECT_EQ(needs.memoryTypeBits, 1U);
            const auto memory = device.allocateMemory({needs.size, 0});
            device.bindBufferMemory(first, memory, 0);
            const auto third = device.createBuffer({{}, 100, vk::BufferUsageFlagBits::eTransferDst});
            device.bindBufferMemory2(vk::BindBufferMemoryInfo(third, memory, 256));
            device.destroyBuffer(third);
            device.freeMemory(memory);
        });
    EXPECT_EQ(recording.buffers.at(1).name, "by hand");
    EXPECT_EQ(recording.buffers.at(1).bytes, 300U);
    EXPECT_EQ(
        textsOf(recording.faults),
        Texts{"call: vkBindBufferMemory: buffer 'buffer 3' would share its memory with buffer 'by hand': a recording "
              "has memory for each buffer"});
    EXPECT_EQ(textsOf(recording.runs[0].faults),
              Texts{"call: a copy uses buffer 'buffer 2', which has no memory: bind some to it, or make a Buffer"});
}

TEST(Calls, OfWhatTheDeviceIs)
{
    noted({}, [](Gpu& gpu, const Buffer&) {
        EXPECT_EQ(vk::enumerateInstanceVersion(), VK_API_VERSION_1_3);
        const vk::UniqueInstance instance = vk::createInstanceUnique({});
        const vk::PhysicalDevice physical = instance->enumeratePhysicalDevices().at(0);
        EXPECT_STREQ(physical.getProperties().deviceName, "a device");
        const auto properties =
            physical.getProperties2<vk::PhysicalDeviceProperties2, vk::PhysicalDeviceSubgroupProperties>();
        EXPECT_EQ(properties.get<vk::PhysicalDeviceSubgroupProperties>().subgroupSize, 32U);
        EXPECT_EQ(properties.get<vk::PhysicalDeviceProperties2>().properties.limits.maxPushConstantsSize, 128U);
        EXPECT_TRUE(physical.getFeatures().shaderInt64);
        EXPECT_FALSE(physical.getFeatures().shaderFloat64);
        EXPECT_EQ(physical.getMemoryProperties().memoryHeapCount, 1U);
        EXPECT_EQ(physical.getQueueFamilyProperties().at(0).queueFlags,
                  vk::QueueFlagBits::eCompute | vk::QueueFlagBits::eTransfer);
        EXPECT_FALSE(physical.enumerateDeviceExtensionProperties().empty());
        const vk::UniqueDevice device = physical.createDeviceUnique({});
        EXPECT_TRUE(device->getQueue(0, 0));
        const auto fence = gpu.device().createFenceUnique({});
        const auto semaphore = gpu.device().createSemaphoreUnique({});
        const auto cache = gpu.device().createPipelineCacheUnique({});
        EXPECT_TRUE(gpu.device().getPipelineCacheData(*cache).empty());
        EXPECT_EQ(gpu.limits().maxPushConstantsSize, 128U);
        EXPECT_EQ(gpu.groupsFor(0, 64).x, 0U);
        EXPECT_THROW(gpu.groupsFor(1, 0), KernelError);
        EXPECT_THROW(gpu.foldGroups(UINT64_MAX), LimitError);
        EXPECT_THROW(slices(gpu, 1, 0), KernelError);
    });
}

TEST(Calls, OfQueriesAreLeftOut)
{
    const Recording recording = noted([](vk::CommandBuffer cb, Gpu& gpu, const Buffer&, unsigned) {
        const auto pool = gpu.device().createQueryPoolUnique({{}, vk::QueryType::eTimestamp, 2});
        cb.resetQueryPool(*pool, 0, 2);
        cb.writeTimestamp(vk::PipelineStageFlagBits::eComputeShader, *pool, 0);
        cb.beginQuery(*pool, 1, {});
        cb.endQuery(*pool, 1);
    });
    EXPECT_TRUE(recording.runs[0].commands.empty());
    EXPECT_TRUE(recording.runs[0].faults.empty());
}

// Each record() begins with nothing bound, pushed or named; the contents of a set at the end of the run count.

}  // namespace a2
