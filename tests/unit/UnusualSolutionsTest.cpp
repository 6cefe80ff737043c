// Right solutions that work in other ways than the course's, each through a whole evaluation, and wrong uses of the
// same calls, each with the message about it.

#include "A2Task1.h"
#include "A2Task2.h"
#include "GpuFixture.h"
#include "gpu/Shaders.h"
#include "support/ChangedShaders.h"
#include "support/DecompositionLevels.h"

#include <algorithm>
#include <array>

namespace a2 {

namespace {

constexpr auto compute = vk::PipelineBindPoint::eCompute;
constexpr auto computeStage = vk::ShaderStageFlagBits::eCompute;
constexpr auto kernels = vk::PipelineStageFlagBits::eComputeShader, transfers = vk::PipelineStageFlagBits::eTransfer;
constexpr auto storage = vk::DescriptorType::eStorageBuffer;
constexpr const char* kernelFile = "A2Task2Naive.comp";

class OwnScan;

// Variations of a naive scan with one invocation per element.
struct How {
    std::vector<std::uint32_t> spirv;
    std::vector<vk::DescriptorType> types = {storage, storage};  // by binding
    std::uint32_t set = 0;                                       // the number of the set with these bindings
    vk::DescriptorSetLayoutCreateFlags setFlags = {};
    vk::PipelineCreateFlags pipelineFlags = {};
    bool push = true;  // push constants
    std::function<void(OwnScan&)> prepare = {};
    std::function<void(OwnScan&, vk::CommandBuffer)> record = {}, separate = {};
    std::function<void(OwnScan&, vk::CommandBuffer, std::uint64_t step)> bind = {};
    std::function<void(OwnScan&, vk::CommandBuffer, std::uint32_t groups)> dispatch = {};
};

void barrier(vk::CommandBuffer cb, vk::PipelineStageFlags src, vk::AccessFlags made, vk::PipelineStageFlags dst,
             vk::AccessFlags seen)
{
    cb.pipelineBarrier(src, dst, {}, vk::MemoryBarrier(made, seen), {}, {});
}

void betweenKernels(vk::CommandBuffer cb)
{
    barrier(cb, kernels, vk::AccessFlagBits::eShaderWrite, kernels, vk::AccessFlagBits::eShaderRead);
}

// All objects are made by hand: layouts, pipeline, pool and sets.
class OwnScan : public Solution {
public:
    OwnScan(const Given& given, How what)
        : Solution(given),
          how(std::move(what)),
          device(gpu.device()),
          workGroup(shape.workGroup),
          other(gpu, "ping-pong", count + 3)
    {
        std::vector<vk::DescriptorSetLayoutBinding> bindings;
        std::vector<vk::DescriptorPoolSize> sizes;
        for (std::uint32_t i = 0; i < how.types.size(); ++i) {
            bindings.emplace_back(i, how.types[i], 1, computeStage);
            sizes.emplace_back(how.types[i], 8);
        }
        setLayout = device.createDescriptorSetLayout({how.setFlags, bindings});
        std::vector<vk::DescriptorSetLayout> layouts(how.set, device.createDescriptorSetLayout({}));
        layouts.push_back(setLayout);
        const vk::PushConstantRange range(computeStage, 0, sizeof(NaivePush));
        layout = device.createPipelineLayout({{}, layouts, range});
        const std::array<std::uint32_t, 2> constants = {workGroup, 1};
        const std::array<vk::SpecializationMapEntry, 2> entries = {vk::SpecializationMapEntry(SPEC_WORK_GROUP, 0, 4),
                                                                   vk::SpecializationMapEntry(SPEC_ELEMENTS, 4, 4)};
        const vk::SpecializationInfo special(2, entries.data(), sizeof constants, constants.data());
        const auto module = device.createShaderModule({{}, how.spirv.size() * 4, how.spirv.data()});
        const vk::PipelineShaderStageCreateInfo stage({}, computeStage, module, "main", &special);
        pipeline = device.createComputePipeline({}, {how.pipelineFlags, stage, layout}).value;
        if (!how.setFlags) {
            pool = device.createDescriptorPool({{}, 8, sizes});
            for (vk::DescriptorSet& one : sets) one = device.allocateDescriptorSets({pool, setLayout}).front();
            for (std::size_t i = 0; i < 2; ++i) {
                write(sets[i], BINDING_IN, from(i));
                write(sets[i], BINDING_OUT, from(i + 1));
            }
        }
        if (how.prepare) how.prepare(*this);
    }

    const Buffer& from(std::uint64_t step) const { return step % 2 == 0 ? input : other; }
    void write(vk::DescriptorSet set, std::uint32_t binding, const Buffer& buffer, vk::DeviceSize bytes = VK_WHOLE_SIZE)
    {
        const vk::DescriptorBufferInfo info(buffer.handle(), 0, bytes);
        device.updateDescriptorSets(vk::WriteDescriptorSet(set, binding, 0, 1, how.types[binding], nullptr, &info), {});
    }

    void record(vk::CommandBuffer cb) override
    {
        ++run;
        if (how.record) return how.record(*this, cb);
        scan(cb);
    }

    void scan(vk::CommandBuffer cb)
    {
        const auto groups = static_cast<std::uint32_t>(ceilDiv(count, workGroup));
        steps = 0;
        cb.bindPipeline(compute, pipeline);
        do {
            if (steps > 0) how.separate ? how.separate(*this, cb) : betweenKernels(cb);
            const NaivePush push{static_cast<uint>(count), 1U << steps, 0};
            if (how.bind)
                how.bind(*this, cb, steps);
            else
                cb.bindDescriptorSets(compute, layout, how.set, sets[steps % 2], {});
            if (how.push) cb.pushConstants<NaivePush>(layout, computeStage, 0, push);
            how.dispatch ? how.dispatch(*this, cb, groups) : cb.dispatch(groups, 1, 1);
            ++steps;
        } while (std::uint64_t{1} << steps < count);
    }

    const Buffer& result() const override { return copied ? *copied : from(steps); }

    using Given::count;
    using Given::gpu;
    using Given::input;
    How how;
    vk::Device device;
    std::uint32_t workGroup;
    Buffer other;
    vk::DescriptorSetLayout setLayout;
    vk::PipelineLayout layout;
    vk::Pipeline pipeline;
    vk::DescriptorPool pool;
    std::array<vk::DescriptorSet, 2> sets;
    std::uint64_t steps = 0;
    unsigned run = 0;
    // For variations that need more buffers.
    std::optional<Buffer> copied, extra;
    std::vector<vk::Event> events;
    vk::CommandBuffer own;
    vk::DescriptorUpdateTemplate updates;
};

// On the CPU driver, and on the emulated device: never both at once, because there is one table of Vulkan's calls.
class Unusual : public testing::TestWithParam<const char*> {
protected:
    static OpenDevice open(const std::string& shaderDir = "")
    {
        GpuOptions options;
        options.device = GetParam();
        options.shaderDir = shaderDir;
        options.record = recordedHere;
        return openDevice(options);
    }
    Device& plain()
    {
        if (!plain_) plain_ = open();
        return *plain_;
    }

    static TaskOutcome outcomeOf(Device& gpu, How how, std::uint64_t n)
    {
        const auto spirv = loadShader(gpu, "A2Task2Naive");
        how.spirv.assign(spirv.begin(), spirv.end());
        return evaluate(gpu,
                        withSolution(taskNamed("scan/naive"),
                                     [how](const Given& given) { return std::make_unique<OwnScan>(given, how); }),
                        n);
    }
    void expectPassed(const How& how) { expectPassed(plain(), how); }
    static void expectPassed(Device& gpu, const How& how)
    {
        const TaskOutcome outcome = outcomeOf(gpu, how, 1000);
        EXPECT_EQ(outcome.status, Status::passed) << explanation(outcome);
        EXPECT_EQ(noteLines(outcome), std::vector<std::string>());
    }
    void expectSaid(const How& how, const std::string& said) { expectSaid(plain(), how, said); }
    static void expectSaid(Device& gpu, const How& how, const std::string& said)
    {
        const TaskOutcome outcome = outcomeOf(gpu, how, 1000);
        EXPECT_EQ(outcome.status, Status::failed);
        EXPECT_NE(explanation(outcome).find(said), std::string::npos) << said << " in\n" << explanation(outcome);
    }

private:
    OpenDevice plain_;
};
INSTANTIATE_TEST_SUITE_P(On, Unusual, testing::Values("cpu", "emulator"),
                         [](const auto& one) { return std::string(one.param); });

void makeOwnBuffer(OwnScan& scan, vk::CommandBufferLevel level)
{
    const auto pool = scan.device.createCommandPool({vk::CommandPoolCreateFlagBits::eResetCommandBuffer, 0});
    scan.own = scan.device.allocateCommandBuffers({pool, level, 1}).front();
}

// The place of a dispatch's work-groups: after 16 other bytes.
constexpr vk::DeviceSize groupsOffset = 16;
constexpr auto indirectStage = vk::PipelineStageFlagBits::eDrawIndirect;
constexpr auto indirectRead = vk::AccessFlagBits::eIndirectCommandRead;

void makeExtra(OwnScan& scan) { scan.extra.emplace(scan.gpu, "work-groups", 8); }

void writeGroups(OwnScan& scan, vk::CommandBuffer cb, std::uint32_t groups)
{
    cb.updateBuffer<std::uint32_t>(scan.extra->handle(), groupsOffset, {groups, 1U, 1U});
}

// Written by commands before the first step.
How indirect()
{
    How how;
    how.prepare = makeExtra;
    how.record = [](OwnScan& scan, vk::CommandBuffer cb) {
        writeGroups(scan, cb, static_cast<std::uint32_t>(ceilDiv(scan.count, scan.workGroup)));
        barrier(cb, transfers, vk::AccessFlagBits::eTransferWrite, indirectStage, indirectRead);
        scan.scan(cb);
    };
    how.dispatch = [](OwnScan& scan, vk::CommandBuffer cb, std::uint32_t) {
        cb.dispatchIndirect(scan.extra->handle(), groupsOffset);
    };
    return how;
}

// The kernel with its numbers in a uniform buffer instead of push constants.
ChangedShaders uniformKernel()
{
    return {kernelFile, "layout(push_constant) uniform Push { NaivePush push; };",
            "layout(set = 0, binding = 2, std140) uniform Numbers { NaivePush push; };"};
}

How uniform(vk::AccessFlags seen = vk::AccessFlagBits::eUniformRead)
{
    How how;
    how.types = {storage, storage, vk::DescriptorType::eUniformBuffer};
    how.push = false;
    how.prepare = [](OwnScan& scan) {
        scan.extra.emplace(scan.gpu, "numbers", 4);
        for (const vk::DescriptorSet set : scan.sets) scan.write(set, 2, *scan.extra);
    };
    how.bind = [seen](OwnScan& scan, vk::CommandBuffer cb, std::uint64_t step) {
        // The last step reads its numbers after an update has written them.
        if (step > 0) barrier(cb, kernels, {}, transfers, vk::AccessFlagBits::eTransferWrite);
        cb.updateBuffer<std::uint32_t>(scan.extra->handle(), 0, {static_cast<uint>(scan.count), 1U << step, 0U});
        barrier(cb, transfers, vk::AccessFlagBits::eTransferWrite, kernels, seen);
        cb.bindDescriptorSets(compute, scan.layout, 0, scan.sets[step % 2], {});
    };
    return how;
}

}  // namespace

TEST_P(Unusual, PipelinesLayoutsAndPoolsOfItsOwn) { expectPassed({}); }

TEST_P(Unusual, SecondaryCommandBuffers)
{
    How how;
    how.prepare = [](OwnScan& scan) { makeOwnBuffer(scan, vk::CommandBufferLevel::eSecondary); };
    how.record = [](OwnScan& scan, vk::CommandBuffer cb) {
        const vk::CommandBufferInheritanceInfo inherits;
        scan.own.begin({{}, &inherits});
        scan.scan(scan.own);
        scan.own.end();
        cb.executeCommands(scan.own);
    };
    expectPassed(how);
}

// State bound before an executeCommands() is no longer bound after it (Vulkan 1.3, 6.7).
TEST_P(Unusual, NothingBoundAfterASecondaryCommandBuffer)
{
    How how;
    how.prepare = [](OwnScan& scan) { makeOwnBuffer(scan, vk::CommandBufferLevel::eSecondary); };
    how.record = [](OwnScan& scan, vk::CommandBuffer cb) {
        const vk::CommandBufferInheritanceInfo inherits;
        scan.own.begin({{}, &inherits});
        scan.own.end();
        cb.bindPipeline(compute, scan.pipeline);
        cb.bindDescriptorSets(compute, scan.layout, 0, scan.sets[0], {});
        cb.executeCommands(scan.own);
        cb.dispatch(1, 1, 1);
    };
    expectSaid(how, "comes before any bindPipeline, or after an executeCommands(), after which nothing is bound");
}

TEST_P(Unusual, DispatchBase)
{
    How how;
    how.pipelineFlags = vk::PipelineCreateFlagBits::eDispatchBase;
    how.dispatch = [](OwnScan&, vk::CommandBuffer cb, std::uint32_t groups) {
        cb.dispatchBase(0, 0, 0, 1, 1, 1);
        if (groups == 1) return;
        betweenKernels(cb);
        cb.dispatchBase(1, 0, 0, groups - 1, 1, 1);
    };
    const TaskOutcome outcome = outcomeOf(plain(), how, 1000);
    EXPECT_EQ(outcome.status, Status::passed) << explanation(outcome);
}

// Both dispatches bind the same whole buffers, and no shorter run has them: only a walk shows that they use different
// elements.
TEST_P(Unusual, HalvesOfLongArraysAlone)
{
    How how;
    how.pipelineFlags = vk::PipelineCreateFlagBits::eDispatchBase;
    how.dispatch = [](OwnScan& scan, vk::CommandBuffer cb, std::uint32_t groups) {
        if (scan.count <= 8192) return cb.dispatch(groups, 1, 1);
        cb.dispatchBase(0, 0, 0, groups / 2, 1, 1);
        cb.dispatchBase(groups / 2, 0, 0, groups - groups / 2, 1, 1);
    };
    const TaskOutcome outcome = outcomeOf(plain(), how, 9000);
    EXPECT_EQ(outcome.status, Status::passed) << explanation(outcome);
    for (const std::string& note : noteLines(outcome))
        EXPECT_EQ(note.find("missing-barrier"), std::string::npos) << note;
}

// In the task's shape no run that is short enough for a walk has two of these dispatches. Others may begin again with a
// word that an earlier one writes: that shows only in the long run itself.
TEST_P(Unusual, PartsOfLongArrays)
{
    static constexpr std::uint32_t most = 600;  // work-groups of a dispatch
    How how;
    how.pipelineFlags = vk::PipelineCreateFlagBits::eDispatchBase;
    how.dispatch = [](OwnScan&, vk::CommandBuffer cb, std::uint32_t groups) {
        for (std::uint32_t first = 0; first < groups; first += most)
            cb.dispatchBase(first, 0, 0, std::min(most, groups - first), 1, 1);
    };
    const TaskOutcome right = outcomeOf(plain(), how, 200000);
    EXPECT_EQ(right.status, Status::passed) << explanation(right);

    how.dispatch = [parts = how.dispatch](OwnScan& scan, vk::CommandBuffer cb, std::uint32_t groups) {
        parts(scan, cb, groups);
        if (scan.count > longestApart) cb.dispatchBase(0, 0, 0, 1, 1, 1);
    };
    const TaskOutcome again = outcomeOf(plain(), how, 200000);
    EXPECT_EQ(again.status, Status::failed) << explanation(again);
    EXPECT_NE(explanation(again).find("missing-barrier: dispatch 2 "), std::string::npos) << explanation(again);
}

TEST_P(Unusual, DispatchBaseBeyondTheLimit)
{
    How how;
    how.pipelineFlags = vk::PipelineCreateFlagBits::eDispatchBase;
    how.dispatch = [](OwnScan&, vk::CommandBuffer cb, std::uint32_t groups) {
        cb.dispatchBase(0, 0, 1 << 24, groups, 1, 1);  // the kernel does not ask for z
    };
    const TaskOutcome outcome = outcomeOf(plain(), how, 1000);
    EXPECT_EQ(outcome.status, Status::failed);
    EXPECT_NE(explanation(outcome).find("begins at work-group 16777216 along z, and the last of its 1 is beyond"),
              std::string::npos)
        << explanation(outcome);
}

TEST_P(Unusual, DispatchIndirect)
{
    expectPassed(indirect());

    How kept = indirect();  // from a buffer that was filled once
    kept.record = {};
    kept.prepare = [](OwnScan& scan) {
        scan.extra.emplace(scan.gpu, "work-groups", 8, Lifetime::solution);
        const auto groups = static_cast<std::uint32_t>(ceilDiv(scan.count, scan.workGroup));
        fillDeviceWithStagingBuffer(scan.gpu, *scan.extra, std::array<std::uint32_t, 7>{9, 9, 9, 9, groups, 1, 1});
    };
    expectPassed(kept);

    How pieced = indirect();  // by fills and a copy
    pieced.record = [](OwnScan& scan, vk::CommandBuffer cb) {
        const auto made = vk::AccessFlagBits::eTransferWrite;
        const vk::Buffer buffer = scan.extra->handle();
        cb.fillBuffer(buffer, 0, 12, 1);
        barrier(cb, transfers, made, transfers, made);
        cb.fillBuffer(buffer, 0, 4, static_cast<std::uint32_t>(ceilDiv(scan.count, scan.workGroup)));
        barrier(cb, transfers, made, transfers, vk::AccessFlagBits::eTransferRead);
        cb.copyBuffer(buffer, buffer, vk::BufferCopy(0, groupsOffset, 12));
        barrier(cb, transfers, made, indirectStage, indirectRead);
        scan.scan(cb);
    };
    expectPassed(pieced);
}

TEST_P(Unusual, DispatchIndirectDoneWrong)
{
    How unsynchronised = indirect();
    unsynchronised.record = [](OwnScan& scan, vk::CommandBuffer cb) {
        writeGroups(scan, cb, static_cast<std::uint32_t>(ceilDiv(scan.count, scan.workGroup)));
        scan.scan(cb);
    };
    expectSaid(unsynchronised,
               "missing-barrier: dispatch 0 'a kernel of the solution's own' takes its work-groups from buffer "
               "'work-groups', which vkCmdUpdateBuffer writes");

    const auto writing = [](std::uint32_t groups) {
        How how = indirect();
        how.record = [groups](OwnScan& scan, vk::CommandBuffer cb) {
            writeGroups(scan, cb, groups);
            barrier(cb, transfers, vk::AccessFlagBits::eTransferWrite, indirectStage, indirectRead);
            scan.scan(cb);
        };
        return how;
    };
    expectSaid(writing(4'000'000'000),
               "group-limit: dispatch 0 'a kernel of the solution's own' starts 4000000000 work-groups along x");
    expectSaid(writing(0), "empty-dispatch: dispatch 0 'a kernel of the solution's own' starts 0 x 1 x 1 work-groups");

    How unset = indirect();
    unset.record = {};
    expectSaid(unset,
               "takes its work-groups from bytes 16 to 28 of buffer 'work-groups', and what lies there is not known "
               "before it runs");

    How computed = indirect();  // the first step writes the second step's work-groups
    computed.dispatch = [](OwnScan& scan, vk::CommandBuffer cb, std::uint32_t groups) {
        if (scan.steps == 0) return cb.dispatch(groups, 1, 1);
        cb.dispatchIndirect(scan.other.handle(), 0);
    };
    computed.record = [](OwnScan& scan, vk::CommandBuffer cb) {
        cb.updateBuffer<std::uint32_t>(scan.other.handle(), 0, {1U, 1U, 1U});
        barrier(cb, transfers, vk::AccessFlagBits::eTransferWrite, kernels, vk::AccessFlagBits::eShaderWrite);
        scan.scan(cb);
    };
    expectSaid(computed,
               "takes its work-groups from bytes 0 to 12 of buffer 'ping-pong', and what lies there is not "
               "known before it runs");

    How unusable = indirect();
    unusable.record = [](OwnScan& scan, vk::CommandBuffer cb) {
        const auto buffer = scan.device.createBuffer({{}, 64, vk::BufferUsageFlagBits::eTransferDst});
        const auto needs = scan.device.getBufferMemoryRequirements(buffer);
        scan.device.bindBufferMemory(buffer, scan.device.allocateMemory({needs.size, 0}), 0);
        cb.bindPipeline(compute, scan.pipeline);
        cb.dispatchIndirect(buffer, 0);
    };
    expectSaid(unusable, "was made without eIndirectBuffer in its usage");
}

TEST_P(Unusual, TheSecondVersionOfBarriers)
{
    How how;
    how.separate = [](OwnScan&, vk::CommandBuffer cb) {
        using Stage = vk::PipelineStageFlagBits2;
        const vk::MemoryBarrier2 memory(Stage::eComputeShader, vk::AccessFlagBits2::eShaderStorageWrite,
                                        Stage::eComputeShader, vk::AccessFlagBits2::eShaderStorageRead);
        cb.pipelineBarrier2({{}, memory});
    };
    expectPassed(how);
}

TEST_P(Unusual, Events)
{
    How how;
    how.prepare = [](OwnScan& scan) {
        for (int i = 0; i < 3; ++i) scan.events.push_back(scan.device.createEvent({}));
    };
    // An event is reset two waits before it is set again: nothing else orders the two.
    how.separate = [step = 0U](OwnScan& scan, vk::CommandBuffer cb) mutable {
        const vk::MemoryBarrier memory(vk::AccessFlagBits::eShaderWrite, vk::AccessFlagBits::eShaderRead);
        const vk::Event mine = scan.events[step % 3], last = scan.events[(step + 2) % 3];
        ++step;
        cb.resetEvent(last, kernels);
        cb.setEvent(mine, kernels);
        cb.waitEvents(mine, kernels, kernels, memory, {}, {});
    };
    expectPassed(how);
}

TEST_P(Unusual, BarriersForExactlyTheArrays)
{
    How how;
    how.separate = [](OwnScan& scan, vk::CommandBuffer cb) {
        std::vector<vk::BufferMemoryBarrier> both;
        for (const Buffer* one : {&scan.input, static_cast<const Buffer*>(&scan.other)})
            both.emplace_back(vk::AccessFlagBits::eShaderWrite, vk::AccessFlagBits::eShaderRead,
                              VK_QUEUE_FAMILY_IGNORED, VK_QUEUE_FAMILY_IGNORED, one->handle(), 0, one->bytes());
        cb.pipelineBarrier(kernels, kernels, {}, {}, both, {});
    };
    expectPassed(how);
}

// reduce/sequential with barriers for a part of the array: that many bytes for each remaining element.
class PartByPart : public Solution {
public:
    PartByPart(const Given& given, std::uint64_t bytesPerElement)
        : Solution(given),
          kernel_(gpu, "A2Task1Sequential", 1, sizeof(SequentialPush), shape),
          bytesPerElement_(bytesPerElement),
          set_(kernel_.makeDescriptorSet({input}))
    {
    }

    void record(vk::CommandBuffer cb) override
    {
        cb.bindPipeline(compute, kernel_.pipeline());
        cb.bindDescriptorSets(compute, kernel_.layout(), 0, set_, {});
        std::uint64_t width = 0;
        for (std::uint64_t live = count; live > 1; live = width) {
            width = ceilDiv(live, shape.elements);
            if (live < count) {
                const auto access = vk::AccessFlagBits::eShaderWrite;
                const vk::BufferMemoryBarrier part(access, access | vk::AccessFlagBits::eShaderRead,
                                                   VK_QUEUE_FAMILY_IGNORED, VK_QUEUE_FAMILY_IGNORED, input.handle(), 0,
                                                   live * bytesPerElement_);
                cb.pipelineBarrier(kernels, kernels, {}, {}, part, {});
            }
            const SequentialPush push{static_cast<uint>(live), static_cast<uint>(width)};
            cb.pushConstants<SequentialPush>(kernel_.layout(), computeStage, 0, push);
            const WorkGroups groups = gpu.groupsFor(std::min(width, live - width), shape.workGroup);
            cb.dispatch(groups.x, groups.y, 1);
        }
    }
    const Buffer& result() const override { return input; }

private:
    ComputePipeline kernel_;
    std::uint64_t bytesPerElement_;
    vk::DescriptorSet set_;
};

TEST_P(Unusual, BarriersForExactlyWhatIsLeft)
{
    const auto outcomeWith = [&](std::uint64_t bytesPerElement) {
        return evaluate(
            plain(),
            withSolution(taskNamed("reduce/sequential"),
                         [=](const Given& given) { return std::make_unique<PartByPart>(given, bytesPerElement); }),
            100000);
    };
    const TaskOutcome right = outcomeWith(4);
    EXPECT_EQ(right.status, Status::passed) << explanation(right);
    const TaskOutcome wrong = outcomeWith(2);  // half of them: a device may show old values in the others
    EXPECT_EQ(wrong.status, Status::failed);
    EXPECT_NE(explanation(wrong).find("weak-barrier"), std::string::npos) << explanation(wrong);
}

// The words that dispatches of a long array use are known of some work-groups only.
TEST_P(Unusual, BarriersForAPartOfALongArray)
{
    const auto outcomeWith = [&](Between between) {
        return evaluate(
            plain(),
            withSolution(taskNamed("reduce/decomposition"),
                         [=](const Given& given) { return std::make_unique<DecompositionLevels>(given, between); }),
            1'000'000);
    };
    const TaskOutcome right = outcomeWith(Between::array);
    EXPECT_EQ(right.status, Status::passed) << explanation(right);
    const TaskOutcome wrong = outcomeWith(Between::start);
    EXPECT_EQ(wrong.status, Status::failed);
    EXPECT_NE(explanation(wrong).find("weak-barrier"), std::string::npos) << explanation(wrong);
}

TEST_P(Unusual, FillsUpdatesAndCopies)
{
    How how;
    how.prepare = [](OwnScan& scan) { scan.copied.emplace(scan.gpu, "copy", scan.count); };
    how.record = [](OwnScan& scan, vk::CommandBuffer cb) {
        const auto made = vk::AccessFlagBits::eTransferWrite;
        cb.fillBuffer(scan.copied->handle(), 0, VK_WHOLE_SIZE, 7);
        barrier(cb, transfers, made, transfers, made);
        cb.updateBuffer<std::uint32_t>(scan.copied->handle(), 0, {8U});
        scan.scan(cb);
        barrier(cb, kernels | transfers, vk::AccessFlagBits::eShaderWrite | made, transfers,
                vk::AccessFlagBits::eTransferRead | made);
        cb.copyBuffer(scan.from(scan.steps).handle(), scan.copied->handle(),
                      vk::BufferCopy(0, 0, scan.count * sizeof(std::uint32_t)));
    };
    expectPassed(how);
}

TEST_P(Unusual, DynamicOffsets)
{
    How how;
    how.types = {storage, storage, vk::DescriptorType::eUniformBufferDynamic};
    how.push = false;
    how.prepare = [](OwnScan& scan) {  // every step's numbers, 256 bytes apart
        std::vector<std::uint32_t> numbers(32 * 64);
        for (std::uint32_t step = 0; step < 32; ++step) {
            numbers[step * 64] = static_cast<std::uint32_t>(scan.count);
            numbers[step * 64 + 1] = 1U << step;
        }
        scan.extra.emplace(scan.gpu, "numbers", numbers.size(), Lifetime::solution);
        fillDeviceWithStagingBuffer(scan.gpu, *scan.extra, numbers);
        for (const vk::DescriptorSet set : scan.sets) scan.write(set, 2, *scan.extra, 12);
    };
    how.bind = [](OwnScan& scan, vk::CommandBuffer cb, std::uint64_t step) {
        cb.bindDescriptorSets(compute, scan.layout, 0, scan.sets[step % 2], static_cast<std::uint32_t>(step * 256));
    };
    const ChangedShaders shaders = uniformKernel();
    const auto gpu = open(shaders.path());
    expectPassed(*gpu, how);
}

TEST_P(Unusual, PushDescriptors)
{
    How how;
    how.setFlags =
        static_cast<vk::DescriptorSetLayoutCreateFlagBits>(VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR);
    how.bind = [](OwnScan& scan, vk::CommandBuffer cb, std::uint64_t step) {
        const vk::DescriptorBufferInfo in(scan.from(step).handle(), 0, VK_WHOLE_SIZE),
            out(scan.from(step + 1).handle(), 0, VK_WHOLE_SIZE);
        const std::array<vk::WriteDescriptorSet, 2> writes = {
            vk::WriteDescriptorSet({}, BINDING_IN, 0, 1, storage, nullptr, &in),
            vk::WriteDescriptorSet({}, BINDING_OUT, 0, 1, storage, nullptr, &out)};
        cb.pushDescriptorSetKHR(compute, scan.layout, 0, writes);
    };
    expectPassed(how);
}

TEST_P(Unusual, UpdateTemplates)
{
    How how;
    how.prepare = [](OwnScan& scan) {
        constexpr std::size_t size = sizeof(vk::DescriptorBufferInfo);
        const std::array<vk::DescriptorUpdateTemplateEntry, 2> entries = {
            vk::DescriptorUpdateTemplateEntry(BINDING_IN, 0, 1, storage, 0, size),
            vk::DescriptorUpdateTemplateEntry(BINDING_OUT, 0, 1, storage, size, size)};
        vk::DescriptorUpdateTemplateCreateInfo info;
        info.setDescriptorUpdateEntries(entries)
            .setTemplateType(vk::DescriptorUpdateTemplateType::eDescriptorSet)
            .setDescriptorSetLayout(scan.setLayout);
        scan.updates = scan.device.createDescriptorUpdateTemplate(info);
        for (std::size_t i = 0; i < 2; ++i) {
            const std::array<vk::DescriptorBufferInfo, 2> infos = {
                vk::DescriptorBufferInfo(scan.from(i).handle(), 0, VK_WHOLE_SIZE),
                vk::DescriptorBufferInfo(scan.from(i + 1).handle(), 0, VK_WHOLE_SIZE)};
            scan.device.updateDescriptorSetWithTemplate(scan.sets[i], scan.updates, infos);
        }
    };
    expectPassed(how);
}

TEST_P(Unusual, SetsWithAnotherNumber)
{
    ChangedShaders shaders(kernelFile, "set = 0, binding = BINDING_IN", "set = 2, binding = BINDING_IN");
    shaders.change(kernelFile, "set = 0, binding = BINDING_OUT", "set = 2, binding = BINDING_OUT");
    const auto gpu = open(shaders.path());
    How how;
    how.set = 2;
    expectPassed(*gpu, how);
}

TEST_P(Unusual, SeveralBindingsOfOneBufferAndOneThatNobodyUses)
{
    ChangedShaders shaders(kernelFile, "layout(push_constant)",
                           "layout(set = 0, binding = 2) readonly buffer Again { uint again[]; };\n"
                           "layout(set = 0, binding = 3) buffer Unused { uint unused[]; };\n"
                           "layout(push_constant)");
    shaders.change(kernelFile, "sum += source[index - distance]", "sum += again[index - distance]");
    const auto gpu = open(shaders.path());
    How how;
    how.types = {storage, storage, storage, storage};
    how.prepare = [](OwnScan& scan) {
        for (std::size_t i = 0; i < 2; ++i) scan.write(scan.sets[i], 2, scan.from(i));
    };
    expectPassed(*gpu, how);
}

TEST_P(Unusual, BuffersMadeInTheFirstRecord)
{
    How how;
    how.record = [](OwnScan& scan, vk::CommandBuffer cb) {
        if (scan.run == 1) scan.copied.emplace(scan.gpu, "late", scan.count);
        scan.scan(cb);
        barrier(cb, kernels, vk::AccessFlagBits::eShaderWrite, transfers, vk::AccessFlagBits::eTransferRead);
        cb.copyBuffer(scan.from(scan.steps).handle(), scan.copied->handle(),
                      vk::BufferCopy(0, 0, scan.count * sizeof(std::uint32_t)));
    };
    expectPassed(how);
}

TEST_P(Unusual, UniformBuffers)
{
    const ChangedShaders shaders = uniformKernel();
    const auto gpu = open(shaders.path());
    expectPassed(*gpu, uniform());
    expectSaid(*gpu, uniform(vk::AccessFlagBits::eShaderRead),
               "weak-barrier: dispatch 0 'a kernel of the solution's own' reads uniform buffer 'numbers', which "
               "vkCmdUpdateBuffer writes");

    How mistaken = uniform();
    mistaken.types[2] = storage;
    expectSaid(*gpu, mistaken,
               "binding 2 of set 0 ('Numbers') is a uniform buffer in the kernel, and a storage buffer in the "
               "pipeline's layout");

    const auto little = open(shaders.path());
    little->properties.limits.maxUniformBufferRange = 8;
    expectSaid(*little, uniform(),
               "range-limit: binding 2 would bind 16 bytes of buffer 'numbers', more than this "
               "device's maxUniformBufferRange of 8");
}

// Of the first wrong step it is said what it has in common with the one before it.
TEST_P(Unusual, StepsThatKeepWhatTheStepBeforeHadAreNamed)
{
    const auto bindOf = [](OwnScan& scan, vk::CommandBuffer cb, std::uint64_t step) {
        cb.bindDescriptorSets(compute, scan.layout, 0, scan.sets[step % 2], {});
    };
    const auto pushOf = [](OwnScan& scan, vk::CommandBuffer cb, std::uint64_t step) {
        const NaivePush push{static_cast<uint>(scan.count), 1U << step, 0};
        cb.pushConstants<NaivePush>(scan.layout, computeStage, 0, push);
    };
    How bound;
    bound.bind = [=](OwnScan& scan, vk::CommandBuffer cb, std::uint64_t step) {
        if (step == 0) bindOf(scan, cb, step);
    };
    expectSaid(bound,
               "no-dispatch: none of the 2 dispatches writes the buffer that result() returns; all of them have "
               "the same buffers bound, and write 'ping-pong': bind the descriptor set of each before it, or "
               "let result() name what they write");
    expectSaid(bound,
               "; it has the same buffers bound as dispatch 0: if it needs others, bind their descriptor set "
               "before it\n");
    How pushed;
    pushed.push = false;
    pushed.bind = [=](OwnScan& scan, vk::CommandBuffer cb, std::uint64_t step) {
        bindOf(scan, cb, step);
        if (step == 0) pushOf(scan, cb, step);
    };
    expectSaid(pushed, "; it has the push constants of dispatch 0: if it needs its own, push them before it\n");
}

TEST_P(Unusual, SwappedBindingsAreNamed)
{
    How swapped;
    swapped.prepare = [](OwnScan& scan) {
        for (std::uint64_t i = 0; i < 2; ++i) {
            scan.write(scan.sets[i], BINDING_IN, scan.from(i + 1));
            scan.write(scan.sets[i], BINDING_OUT, scan.from(i));
        }
    };
    expectSaid(swapped,
               "has it at binding 0 ('Source'), which the kernel only reads, and 'input' at binding 1 "
               "('Target'), which it writes: swap the two where the descriptor set is made, or let result() "
               "name what is written");
}

TEST_P(Unusual, CallsDoneWrongAreNamed)
{
    How destroyed;
    destroyed.dispatch = [](OwnScan& scan, vk::CommandBuffer cb, std::uint32_t groups) {
        cb.dispatch(groups, 1, 1);
        if (scan.run == 1 && scan.steps == 0) scan.device.destroyDescriptorSetLayout(scan.setLayout);
    };
    expectPassed(destroyed);  // once the set exists, its layout is not needed any more
    destroyed.dispatch = [](OwnScan& scan, vk::CommandBuffer cb, std::uint32_t groups) {
        cb.dispatch(groups, 1, 1);
        if (scan.run == 1 && scan.steps == 0) scan.device.destroyPipeline(scan.pipeline);
    };
    expectSaid(destroyed, "was destroyed before");

    How elsewhere;
    elsewhere.prepare = [](OwnScan& scan) { makeOwnBuffer(scan, vk::CommandBufferLevel::ePrimary); };
    elsewhere.record = [](OwnScan& scan, vk::CommandBuffer) {
        scan.own.begin(vk::CommandBufferBeginInfo());
        scan.scan(scan.own);
        scan.own.end();
    };
    expectSaid(elsewhere, "which is not the one that record() was given");

    How again;
    again.record = [](OwnScan& scan, vk::CommandBuffer cb) {
        scan.scan(cb);
        cb.end();
        cb.begin(vk::CommandBufferBeginInfo());
    };
    expectSaid(again, "record() must leave begin and end to the harness");

    How updated;
    updated.bind = [](OwnScan& scan, vk::CommandBuffer cb, std::uint64_t step) {
        cb.bindDescriptorSets(compute, scan.layout, 0, scan.sets[step % 2], {});
        scan.write(scan.sets[step % 2], BINDING_IN, scan.from(step));
    };
    expectSaid(updated, "is updated");
}

}  // namespace a2
