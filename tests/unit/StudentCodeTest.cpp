// Exceptions of a solution's code, and kernels that need more than they should: never a skipped case, and so never a
// pass without work. And what is rightly skipped: limits that a2 itself computes.

#include "GpuFixture.h"
#include "a2/Error.h"
#include "cli/Oversee.h"
#include "gpu/DeviceLimits.h"
#include "gpu/Shaders.h"
#include "judge/Matrix.h"
#include "judge/RowLimits.h"
#include "support/ChangedShaders.h"
#include "support/DriverCalls.h"
#include "support/LeakOnPurpose.h"

#include <fmt/format.h>

#include <functional>
#include <new>
#include <stdexcept>

namespace a2 {

namespace {

using Act = std::function<void(Gpu& gpu)>;

// A row's own solution that also does something: where it is made, or in a run, counted from 1.
class Acting : public Solution {
public:
    Acting(const Given& given, std::unique_ptr<Solution> inner, unsigned run, Act act)
        : Solution(given), inner_(std::move(inner)), run_(run), act_(std::move(act))
    {
    }
    void record(vk::CommandBuffer cb) override
    {
        if (++recorded_ == run_) act_(gpu);
        inner_->record(cb);
    }
    const Buffer& result() const override { return inner_->result(); }

private:
    std::unique_ptr<Solution> inner_;
    unsigned run_, recorded_ = 0;
    Act act_;
};

// run 0: where it is made.
Task acting(const std::string& id, unsigned run, const Act& act)
{
    return withChanged(taskNamed(id), [run, act](const Given& given, std::unique_ptr<Solution> own) {
        if (run == 0) act(given.gpu);
        return std::make_unique<Acting>(given, std::move(own), run, act);
    });
}

// A row's own solution, with an additional buffer that it uses.
class Filling : public Solution {
public:
    Filling(const Given& given, std::unique_ptr<Solution> inner, std::uint64_t elements)
        : Solution(given), inner_(std::move(inner)), big_(gpu, "big", elements)
    {
    }
    void record(vk::CommandBuffer cb) override
    {
        cb.fillBuffer(big_.handle(), 0, big_.bytes(), 0);
        inner_->record(cb);
    }
    const Buffer& result() const override { return inner_->result(); }

private:
    std::unique_ptr<Solution> inner_;
    Buffer big_;
};

struct Thrower {
    const char* name;
    Act act;
    const char* told;
};

void PrintTo(const Thrower& thrower, std::ostream* stream) { *stream << thrower.name; }

const Thrower throwers[] = {
    {"LimitError", [](Gpu&) { throw LimitError("too large"); }, "(LimitError): too large"},
    {"OutOfDeviceMemory", [](Gpu&) { throw vk::OutOfDeviceMemoryError("vkAllocateMemory"); },
     "more device memory than there is (vkAllocateMemory"},
    {"OutOfHostMemory", [](Gpu&) { throw vk::OutOfHostMemoryError("vkCreateBuffer"); },
     "more host memory than there is (vkCreateBuffer"},
    {"BadAlloc", [](Gpu&) { throw std::bad_alloc(); }, "more main memory than there is (std::bad_alloc)"},
    {"RuntimeError", [](Gpu&) { throw std::runtime_error("two\nlines"); }, "threw an exception: two lines"},
    {"AnotherVulkanError", [](Gpu&) { throw vk::TooManyObjectsError("vkCreateFence"); },
     "threw an exception: vkCreateFence"},
    {"EnvironmentError", [](Gpu&) { throw EnvironmentError("no such thing"); }, "threw an exception: no such thing"},
    {"Int", [](Gpu&) { throw 7; }, "threw something that is no std::exception"},
    {"TooManyGroups", [](Gpu& gpu) { gpu.foldGroups(UINT64_MAX); }, "(LimitError): 18446744073709551615 work-groups"},
    {"DeviceErrorOfNoDevice", [](Gpu&) { throw DeviceError("too slow", true); }, "threw an exception: too slow"},
};

class Throwing : public testing::TestWithParam<Thrower> {};

EvaluationSettings smallSettings(std::optional<std::uint64_t> onlySize = {})
{
    EvaluationSettings settings;
    settings.onlySize = onlySize;
    settings.size = onlySize.value_or(100);
    settings.upTo = 100;
    settings.repeat = 2;
    return settings;
}

TaskOutcome checked(Device& gpu, const Task& task, const EvaluationSettings& settings)
{
    return Evaluator(gpu, settings, [](const std::string&) {}).check({task}).front();
}

TaskOutcome benched(Device& gpu, const Task& task, const EvaluationSettings& settings)
{
    return Evaluator(gpu, settings, [](const std::string&) {})
        .bench({task}, [](const Task&, const CaseOutcome&) {})
        .front();
}

// Judged by run, check and bench.
std::vector<TaskOutcome> judgedThrice(Device& gpu, const Task& task)
{
    return {evaluate(gpu, task, 100), checked(gpu, task, smallSettings()), benched(gpu, task, smallSettings(100))};
}

void expectFailed(Device& gpu, const Task& task, const std::string& told)
{
    for (const TaskOutcome& outcome : judgedThrice(gpu, task)) {
        EXPECT_EQ(outcome.status, Status::failed) << explanation(outcome);
        EXPECT_NE(explanation(outcome).find(told), std::string::npos) << told << " in\n" << explanation(outcome);
        EXPECT_EQ(exitStatus({outcome}), ExitStatus::failed);
    }
}

// Devices with less than the CPU driver has.
OpenDevice openWith(const std::string& shaderDir, const std::function<void(vk::PhysicalDeviceLimits&)>& change)
{
    auto gpu = openTestGpu(shaderDir);
    change(gpu->properties.limits);
    return gpu;
}

constexpr const char* atomicKernel = "A2Task1KernelDecompositionAtomic.comp";
constexpr const char* sharedLine = "shared uint groupSum;";

// reduce/atomic with an additional shared array, which it uses, so that no compiler removes it.
class MoreShared : public ChangedShaders {
public:
    explicit MoreShared(const std::string& declaration, const std::string& element = "big[0]")
        : ChangedShaders(atomicKernel, sharedLine, declaration)
    {
        change(atomicKernel, "groupSum = 0;", "{ groupSum = 0; " + element + " = 1; }");
    }
};

}  // namespace

TEST_P(Throwing, FailsWherePreparing)
{
    const auto gpu = openTestGpu();
    for (const char* id : {"reduce/atomic", "scan/naive"})
        for (const TaskOutcome& outcome : judgedThrice(*gpu, acting(id, 0, GetParam().act))) {
            EXPECT_EQ(outcome.status, Status::failed) << explanation(outcome);
            EXPECT_NE(explanation(outcome).find(": the solution "), std::string::npos) << explanation(outcome);
            EXPECT_NE(explanation(outcome).find(GetParam().told), std::string::npos) << explanation(outcome);
        }
}

TEST_P(Throwing, FailsWhereRecording)
{
    const auto gpu = openTestGpu();
    for (const unsigned run : {1U, 3U})
        expectFailed(*gpu, acting("reduce/atomic", run, GetParam().act), fmt::format("recording run {}, n = ", run));
}

INSTANTIATE_TEST_SUITE_P(StudentCode, Throwing, testing::ValuesIn(throwers),
                         [](const testing::TestParamInfo<Thrower>& one) { return std::string(one.param.name); });

TEST(StudentCode, ThatAsksForAKernelThatIsNotThereFails)
{
    const auto gpu = openTestGpu();
    for (const unsigned run : {0U, 1U, 3U})
        expectFailed(*gpu, acting("reduce/atomic", run, [](Gpu& on) { ComputePipeline(on, "Nothing", 1, 4, {}); }),
                     "shaders/Nothing.comp does not exist");
}

TEST(StudentCode, ThatMakesNoSolutionFails)
{
    const auto gpu = openTestGpu();
    const Task task = withSolution(taskNamed("reduce/atomic"), [](const Given&) { return nullptr; });
    expectFailed(*gpu, task, "KernelDecomposition made no solution");
}

TEST(StudentCode, ThatThrowsAtLongArraysOnlyFailsThere)
{
    const auto gpu = openTestGpu();
    Task task = taskNamed("reduce/atomic");
    task.record = [](const RecordRequest& request) {
        return recordSolution(request, [&](const Given& given) {
            if (given.count > 64) throw LimitError("not so many");
            return makeSolution(request)(given);
        });
    };
    expectFailed(*gpu, task, "preparing, n = ");
}

// Its process ends, or does not end in time: each has its own verdict, and the device is not at fault.
TEST(StudentCode, ThatEndsItsProcessIsCrashedOrTimedOut)
{
    const auto gpu = openTestGpu();
    for (const auto& [kind, status] : {std::pair(RecordFailure::Kind::ended, Status::crashed),
                                       std::pair(RecordFailure::Kind::timeout, Status::timeout)}) {
        Task task = taskNamed("reduce/atomic");
        task.record = [kind = kind](const RecordRequest&) -> RecordAnswer {
            return RecordFailure{kind, "recording run 2", "that was its end", ""};
        };
        for (const TaskOutcome& outcome : judgedThrice(*gpu, task)) {
            EXPECT_EQ(outcome.status, status) << explanation(outcome);
            EXPECT_NE(explanation(outcome).find("recording run 2, n = "), std::string::npos) << explanation(outcome);
            EXPECT_FALSE(outcome.deviceFailed());
            EXPECT_EQ(exitStatus({outcome}), ExitStatus::failed);
        }
    }
}

// The device fails while a solution records.
Task failing(Device& gpu, Task task, std::uint64_t beyond = 0)
{
    task.record = [&gpu, beyond](const RecordRequest& request) {
        if (request.count > beyond) gpu.giveUp(DeviceError("too slow", true));
        return recordedHere(request);
    };
    return task;
}

TEST(StudentCode, LeavesTheDevicesOwnTroubleAlone)
{
    const LeakOnPurpose kept;
    const auto gpu = openTestGpu();
    EXPECT_EQ(checked(*gpu, failing(*gpu, taskNamed("reduce/atomic")), smallSettings()).status, Status::timeout);
}

// The driver refuses a solution's memory: the device is too small only if a2 gets none either.
TEST(Memory, ThatNobodyGetsSkipsAndOtherFails)
{
    static decltype(VULKAN_HPP_DEFAULT_DISPATCHER.vkAllocateMemory) drivers;
    static vk::DeviceSize most;
    const auto gpu = openTestGpu();
    auto& table = tableOf(*gpu);
    evaluate(*gpu, taskNamed("reduce/atomic"), 10);  // makes the staging buffer
    drivers = table.vkAllocateMemory;
    table.vkAllocateMemory = [](VkDevice device, const VkMemoryAllocateInfo* info,
                                const VkAllocationCallbacks* callbacks, VkDeviceMemory* memory) {
        return info->allocationSize > most ? VK_ERROR_OUT_OF_DEVICE_MEMORY : drivers(device, info, callbacks, memory);
    };
    // No memory at all: every case is skipped, and so is the task.
    most = 0;
    for (const Task& task : selectTasks({}, false))
        for (const TaskOutcome& outcome : judgedThrice(*gpu, task)) {
            EXPECT_EQ(outcome.status, Status::skipped) << task.id << ": " << explanation(outcome);
            EXPECT_NE(explanation(outcome).find("which the device refused"), std::string::npos) << explanation(outcome);
            EXPECT_EQ(exitStatus({outcome}), ExitStatus::environment);
        }
    // As much memory as the row needs: a solution that asks for more is wrong.
    most = 1 << 20;
    EXPECT_EQ(evaluate(*gpu, taskNamed("scan/naive"), 1000).status, Status::passed);
    expectFailed(*gpu,
                 withChanged(taskNamed("scan/naive"),
                             [](const Given& given, std::unique_ptr<Solution> own) {
                                 return std::make_unique<Filling>(given, std::move(own), 1 << 19);
                             }),
                 "big needs 2 MiB, which the device refused");

    // Room for the input but not for another array: a scan has no room, whether the solution or a2 asks for it.
    const std::uint64_t n = 1000;
    const Task task = taskNamed("scan/naive");
    const Input input(Pattern(), n, 1);
    const Expectation expectation(*task.taskClass, input, task.shape);
    const DeviceInput onDevice(*gpu, expectation);
    most = 0;
    EXPECT_THROW(Trial(*gpu, task, expectation, onDevice), LimitError);
    // Claims of a solution's code about memory do not count: its process has neither a device nor an input.
    EXPECT_THROW(Trial(*gpu, acting("scan/naive", 0, [](Gpu&) { throw std::bad_alloc(); }), expectation, onDevice),
                 KernelError);
}

TEST(NoElements, AreNoPassWithoutOthers)
{
    const auto gpu = openTestGpu();
    const Task right = taskNamed("reduce/atomic");
    const Task wrong = acting("reduce/atomic", 1, [](Gpu&) { throw LimitError("no"); });
    for (const TaskOutcome& outcome :
         {evaluate(*gpu, right, 0), checked(*gpu, right, smallSettings(0)), benched(*gpu, right, smallSettings(0))}) {
        EXPECT_EQ(outcome.status, Status::passed) << explanation(outcome);
        EXPECT_TRUE(
            std::any_of(outcome.cases.begin(), outcome.cases.end(), [](const CaseOutcome& one) { return one.n > 0; }));
        EXPECT_TRUE(
            std::any_of(outcome.cases.begin(), outcome.cases.end(), [](const CaseOutcome& one) { return one.n == 0; }));
    }
    for (const TaskOutcome& outcome :
         {evaluate(*gpu, wrong, 0), checked(*gpu, wrong, smallSettings(0)), benched(*gpu, wrong, smallSettings(0))})
        EXPECT_EQ(outcome.status, Status::failed) << explanation(outcome);

    EvaluationSettings nothing = smallSettings();
    nothing.upTo = 0;
    const TaskOutcome none = checked(*gpu, right, nothing);
    EXPECT_EQ(none.status, Status::skipped);
    EXPECT_NE(explanation(none).find("n = 0"), std::string::npos) << explanation(none);
}

// A case that did not finish because the device failed has no outcome: it is run again in another process.
TEST(NoElements, NorAreThoseBeforeTheDeviceFailed)
{
    const LeakOnPurpose kept;
    for (const std::uint64_t beyond : {0U, 9U}) {
        const auto gpu = openTestGpu();
        const Task slow = failing(*gpu, taskNamed("reduce/sequential"), beyond);
        const auto outcomes = Evaluator(*gpu, smallSettings(), [](const std::string&) {
                              }).check({taskNamed("reduce/atomic"), slow, taskNamed("scan/naive")});
        ASSERT_EQ(outcomes.size(), 1U);
        EXPECT_EQ(outcomes[0].task.id, "reduce/sequential");
        EXPECT_EQ(outcomes[0].status, Status::timeout) << explanation(outcomes[0]);
        EXPECT_EQ(exitStatus(outcomes), ExitStatus::device);
    }
}

TEST(SharedMemory, OfMoreThanTheShapeAsksForFails)
{
    for (const char* declaration :
         {"shared uint groupSum, big[100000];", "shared uint groupSum, big[gl_WorkGroupSize.x * 100];",
          "shared uint groupSum, big[1 << 30];", "shared uint groupSum, big[100][100];"}) {
        const MoreShared shaders(declaration,
                                 std::string(declaration).ends_with("[100][100];") ? "big[0][0]" : "big[0]");
        const auto gpu = openTestGpu(shaders.path());
        const Task task = taskNamed("reduce/atomic");
        EvaluationSettings settings = smallSettings();
        settings.workGroup = 1024;
        const TaskOutcome outcome = checked(*gpu, task, settings);
        EXPECT_EQ(outcome.status, Status::failed) << declaration << explanation(outcome);
        EXPECT_NE(explanation(outcome).find("more than it was asked for"), std::string::npos) << explanation(outcome);
        EXPECT_NE(explanation(outcome).find("maxComputeSharedMemorySize of 32768"), std::string::npos);
        EXPECT_EQ(evaluate(*gpu, task, 100).status, Status::failed) << declaration;
        EXPECT_EQ(checked(*gpu, task, smallSettings()).status, Status::failed) << declaration;
    }
}

TEST(SharedMemory, OfAShapeThatMayNeedSoMuchIsSkipped)
{
    const auto gpu = openTestGpu();
    EvaluationSettings large = smallSettings();
    large.workGroup = 1024;
    large.elements = 64;
    for (const Task& task : allTasks()) {
        const TaskOutcome outcome = checked(*gpu, task, large);
        EXPECT_NE(outcome.status, Status::failed) << task.id << ": " << explanation(outcome);
        if (outcome.status == Status::skipped) {
            EXPECT_TRUE(explanation(outcome).find("maxComputeSharedMemorySize") != std::string::npos ||
                        explanation(outcome).find("loop iterations") != std::string::npos)
                << explanation(outcome);
        }
    }
    EXPECT_EQ(checked(*gpu, taskNamed("reduce/local-modulo"), large).status, Status::skipped);

    // Two arrays that take turns, as a right kernel may have.
    const MoreShared twice("shared uint groupSum, big[2 * gl_WorkGroupSize.x * ELEMENTS];");
    const auto doubled = openTestGpu(twice.path());
    EXPECT_EQ(checked(*doubled, taskNamed("reduce/atomic"), smallSettings()).status, Status::passed);
    EXPECT_EQ(evaluate(*doubled, taskNamed("reduce/atomic"), 100).status, Status::passed);
    for (const std::uint32_t elements : {6U, 8U, 64U}) {
        large.elements = elements;
        EXPECT_EQ(checked(*doubled, taskNamed("reduce/atomic"), large).status, Status::skipped) << elements;
    }
    const auto least = openWith(twice.path(), [](auto& limits) { limits.maxComputeSharedMemorySize = 16384; });
    EXPECT_EQ(checked(*least, taskNamed("reduce/atomic"), smallSettings()).status, Status::passed)
        << "the shapes that the device can run";
}

// One bound for all kernels; otherwise right ones would be accused on devices with little memory.
TEST(SharedMemory, OfEveryRowIsWithinTheBound)
{
    const auto gpu = openTestGpu();
    for (const Task& task : allTasks())
        for (const std::uint32_t workGroup : {1U, 2U, 64U, 100U, 256U, 384U, 513U, 1024U})
            for (const std::uint32_t elements : {2U, 4U, 12U, 36U, 64U})
                for (const std::uint32_t banks : {0U, 16U})
                    for (const std::string& shader : task.shaders) {
                        const KernelShape shape{workGroup, elements, false, 1, banks};
                        const KernelFacts facts = kernelFacts(loadShader(*gpu, shader), shape);
                        ASSERT_TRUE(facts.sharedBytes) << shader;
                        EXPECT_LE(*facts.sharedBytes, sharedBytesFor(task, shape)) << shader << ", " << workGroup;
                    }
}

TEST(LocalSize, OfTheKernelsOwnIsNamed)
{
    const std::string layout = "layout(local_size_x_id = SPEC_WORK_GROUP) in;";
    const auto with = [&](const char* own) { return ChangedShaders("include/A2Kernels.h", layout, own); };
    {
        const ChangedShaders shaders = with("layout(local_size_x = 512) in;");
        const auto gpu = openWith(shaders.path(), [](auto& limits) { limits.maxComputeWorkGroupSize[0] = 256; });
        expectFailed(*gpu, taskNamed("reduce/interleaved"),
                     "A2Task1Interleaved has local_size_x = 512: that is more than this device's "
                     "maxComputeWorkGroupSize[0] of 256. A work-group of ");
    }
    {
        const ChangedShaders shaders = with("layout(local_size_x = 16, local_size_y = 16, local_size_z = 16) in;");
        const auto gpu = openTestGpu(shaders.path());
        expectFailed(*gpu, taskNamed("reduce/interleaved"),
                     "has local_size 16 x 16 x 16: these 4096 invocations are more than this device's "
                     "maxComputeWorkGroupInvocations of 1024");
    }
    {
        const ChangedShaders shaders = with("layout(local_size_x = 1, local_size_z = 64) in;");
        const auto gpu = openWith(shaders.path(), [](auto& limits) { limits.maxComputeWorkGroupSize[2] = 32; });
        expectFailed(*gpu, taskNamed("reduce/interleaved"), "maxComputeWorkGroupSize[2] of 32");
    }
    // The size taken from the tile's part, and the default of a constant that a2 does not set.
    for (const char* own : {"layout(local_size_x_id = SPEC_ELEMENTS) in;", "layout(local_size_x_id = 7) in;"}) {
        const ChangedShaders shaders = with(own);
        const auto gpu = openTestGpu(shaders.path());
        expectFailed(*gpu, taskNamed("reduce/decomposition"), "fixed-shape: dispatch 0 ");
    }
    // A size that fits is distinguished from the size asked for, and only then.
    const ChangedShaders shaders = with("layout(local_size_x = 256) in;");
    const auto gpu = openTestGpu(shaders.path());
    EvaluationSettings settings = smallSettings();
    for (const std::uint32_t asked : {64U, 1024U}) {
        settings.workGroup = asked;
        const TaskOutcome other = checked(*gpu, taskNamed("scan/naive"), settings);
        EXPECT_EQ(other.status, Status::failed);
        EXPECT_NE(explanation(other).find(fmt::format(
                      "kernel A2Task2Naive has local_size_x = 256, and work-groups of {} were asked for", asked)),
                  std::string::npos)
            << explanation(other);
    }
    settings.workGroup = 256;
    EXPECT_EQ(checked(*gpu, taskNamed("scan/naive"), settings).status, Status::passed);
}

// A kernel of a row that does not need the feature.
TEST(Features, ThatTheRowDoesNotNeedFail)
{
    ChangedShaders shaders(atomicKernel, "#extension GL_EXT_control_flow_attributes : require",
                           "#extension GL_EXT_control_flow_attributes : require\n"
                           "#extension GL_KHR_shader_subgroup_arithmetic : require");
    shaders.change(atomicKernel, "groupSum = 0;", "groupSum = subgroupAdd(0);");
    GpuOptions options;
    options.record = recordedHere;
    options.device = "cpu";
    options.shaderDir = shaders.path();
    options.plainArithmetic = true;
    const OpenDevice opened = openDevice(options);
    Device& gpu = *opened;
    expectFailed(gpu, taskNamed("reduce/atomic"),
                 "A2Task1KernelDecompositionAtomic needs subgroup arithmetic, which this device does not offer");
}

// Limits of the row, the shape and the device are checked before any code of the solution runs.
TEST(RowLimits, SkipBeforeTheSolutionIsMade)
{
    const auto never = [](const std::string& id) {
        Task task = taskNamed(id);
        task.record = [](const RecordRequest&) -> RecordAnswer { throw std::runtime_error("it was made"); };
        return task;
    };
    const auto expectSkipped = [&](Device& gpu, const std::string& id, std::uint64_t n, const EvaluationSettings& like,
                                   const std::string& limit) {
        EvaluationSettings settings = like;
        settings.onlySize = n;
        settings.upTo = UINT64_MAX;
        const TaskOutcome outcome = checked(gpu, never(id), settings);
        EXPECT_EQ(outcome.status, Status::skipped) << explanation(outcome);
        EXPECT_NE(explanation(outcome).find(limit), std::string::npos) << explanation(outcome);
    };
    const auto gpu = openTestGpu();
    EvaluationSettings settings;
    settings.workGroup = 2048;
    for (const Task& task : allTasks()) expectSkipped(*gpu, task.id, 100, settings, "maxComputeWorkGroupInvocations");
    settings = {};
    settings.workGroup = 64;
    settings.elements = 6;
    expectSkipped(*gpu, "scan/lookback", 100, settings, "choose --elements 4, 8");
    settings.elements = 64;
    expectSkipped(*gpu, "scan/brute-force", 100, settings, "loop iterations");

    const auto binding = openWith("", [](auto& limits) { limits.maxStorageBufferRange = 4096; });
    settings.elements = 2;
    for (const char* id : {"reduce/interleaved", "reduce/sequential", "scan/naive"})
        expectSkipped(*binding, id, 1025, settings, "1025 elements of buffer 'input' need ");
    for (const char* id : {"reduce/atomic", "scan/work-efficient"})
        expectSkipped(*binding, id, 1025, settings, "a slice of 64 tiles");

    const auto groups = openWith("", [](auto& limits) { limits.maxComputeWorkGroupCount = {{2, 2, 1}}; });
    for (const char* id : {"reduce/interleaved", "reduce/atomic", "scan/work-efficient", "scan/naive"})
        expectSkipped(*groups, id, 5 * 128, settings, "5 work-groups are more than this device starts");
}

}  // namespace a2
