// The emulated device, as the judge uses it: every row is right on it, and what kernels do wrong is reported.

#include "gpu/EmulatedBackend.h"

#include "GpuFixture.h"
#include "a2/Error.h"
#include "gpu/NotFollowed.h"
#include "gpu/Staging.h"
#include "judge/Matrix.h"
#include "support/ChangedShaders.h"
#include "support/LeakOnPurpose.h"
#include "support/Prepared.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace a2 {

namespace {

// The results of every row at these lengths; each element was compared with the reference.
std::vector<std::vector<std::uint32_t>> resultsOn(Device& gpu)
{
    std::vector<std::vector<std::uint32_t>> results;
    for (const Task& task : allTasks())
        for (const std::uint64_t n : {1U, 37U, 1000U, 5000U})
            for (const bool exclusive : {false, true}) {
                KernelShape shape{64, static_cast<std::uint32_t>(ceilDiv(2, task.elementsUnit) * task.elementsUnit)};
                shape.exclusive = exclusive && task.taskClass->hasExclusive;
                Prepared made(gpu, task, n, shape);
                made.trial.runLint().leaveKernelsAlone();
                const Verdict verdict = made.trial.judgedRun();
                EXPECT_TRUE(verdict.passed()) << task.id << ", n = " << n;
                std::vector<std::uint32_t>& words = results.emplace_back(made.expectation.resultSize());
                fillHost(gpu, made.trial.result(), words);
                for (std::uint64_t i = 0; i < words.size(); ++i)
                    if (words[i] != made.expectation.result(i)) ADD_FAILURE() << task.id << ", element " << i;
            }
    return results;
}

// The error that a judged run of two elements throws.
template <class Problem>
std::string problemOf(Device& gpu)
{
    try {
        Prepared made(gpu, taskNamed("reduce/sequential"), 2, KernelShape{4, 2});
        made.trial.runLint().leaveKernelsAlone();  // so that the kernel reaches the driver
        made.trial.judgedRun();
    } catch (const Problem& error) {
        return error.what();
    }
    return "nothing";
}

const char* const sequential = "A2Task1Sequential.comp";
const std::string last = "data[first] = sum;";

}  // namespace

TEST(EmulatedBackend, IsAskedForByName)
{
    EXPECT_TRUE(wantsEmulator("emulator"));
    EXPECT_TRUE(wantsEmulator("Emulator"));
    for (const char* other : {"", "cpu", "emulato", "emulators", "a2 emulator", "0"})
        EXPECT_FALSE(wantsEmulator(other)) << other;
}

TEST(EmulatedBackend, IsADeviceLikeOthers)
{
    const OpenDevice gpu = openEmulator();
    EXPECT_TRUE(gpu->isEmulated());
    EXPECT_TRUE(gpu->isCpu());
    EXPECT_STREQ(gpu->properties.deviceName.data(), "a2 emulator");
    EXPECT_EQ(gpu->subgroupSize, 32U);
    EXPECT_TRUE(gpu->subgroupArithmetic);
    EXPECT_TRUE(gpu->int64Atomics);
    EXPECT_EQ(gpu->timestampBits, 0U);
    EXPECT_FALSE(openTestGpu()->isEmulated());
}

TEST(EmulatedBackend, EveryRowIsRightAndAsOnTheDevice)
{
    const auto emulated = resultsOn(*openEmulator());
    const auto onDevice = resultsOn(*openTestGpu());
    EXPECT_GE(emulated.size(), 16U * 4 * 2);
    EXPECT_TRUE(emulated == onDevice);
}

TEST(EmulatedBackend, KeepsToTheBoundsOfWhatIsBound)
{
    const ChangedShaders shaders(sequential, last, last + " data[first + 4u] = 7u; data[first + 400000000u] = 7u;");
    const OpenDevice gpu = openEmulator(shaders.path());
    Prepared made(*gpu, taskNamed("reduce/sequential"), 2, KernelShape{4, 2});
    const Verdict verdict = made.trial.judgedRun();
    EXPECT_FALSE(verdict.mismatches);
    EXPECT_TRUE(std::any_of(verdict.findings.begin(), verdict.findings.end(),
                            [](const Finding& one) { return one.rule == "out-of-bounds"; }));
}

TEST(EmulatedBackend, TellsWhereAKernelNeverEnds)
{
    const LeakOnPurpose kept;
    const ChangedShaders shaders(sequential, last, last + " while (data[first] == sum) { }");
    const OpenDevice gpu = openEmulator(shaders.path());
    const std::string problem = problemOf<DeviceError>(*gpu);
    EXPECT_NE(
        problem.find("kernel A2Task1Sequential does not end: A2Task1Sequential.comp:" + std::to_string(shaders.line())),
        std::string::npos)
        << problem;
    ASSERT_TRUE(gpu->failure());
    EXPECT_TRUE(gpu->failure()->timeout);
}

// The kernel may end some time, but a2 waits no longer than the time-out.
TEST(EmulatedBackend, EndsAtTheTimeOut)
{
    const LeakOnPurpose kept;
    const ChangedShaders shaders(
        sequential, last,
        "for (uint i = 0; i < 900u; ++i) for (uint j = 0; j < 900u; ++j) for (uint k = 0; k < 900u; "
        "++k) for (uint l = 0; l < 900u; ++l) sum = sum * 3u + l; " +
            last);
    const OpenDevice gpu = openEmulator(shaders.path(), 0.1);
    EXPECT_EQ(problemOf<DeviceError>(*gpu), "the device did not finish within 0.1 s (--timeout)");
    ASSERT_TRUE(gpu->failure());
    EXPECT_TRUE(gpu->failure()->timeout);
}

// The kernel has more values of its own than the emulator supports: it is unknown what it does.
TEST(EmulatedBackend, AKernelThatItCannotFollowIsNoPass)
{
    std::string copies = "uint a[5400], b[5400]; a[0] = b[0] = sum; ";
    for (int i = 0; i < 100; ++i) copies += "a = b; b = a; ";
    ChangedShaders shaders(sequential, last, copies + "sum = a[0]; " + last);
    const OpenDevice gpu = openEmulator(shaders.path());
    const std::string problem = problemOf<NotFollowedError>(*gpu);
    EXPECT_NE(problem.find("kernel A2Task1Sequential is not followed by the emulator: "), std::string::npos) << problem;
    EXPECT_NE(problem.find("an invocation needs more than"), std::string::npos) << problem;
    EXPECT_FALSE(gpu->failure());
    Prepared other(*gpu, taskNamed("reduce/atomic"), 1000, KernelShape{64, 2});
    EXPECT_TRUE(other.trial.judgedRun().passed()) << "the device goes on";
}

TEST(EmulatedBackend, TakesNoLongerArraysThanOneWouldWaitFor)
{
    const OpenDevice gpu = openEmulator();
    const Task task = taskNamed("reduce/atomic");
    EXPECT_NO_THROW(checkSize(*gpu, task, longestEmulated));
    EXPECT_THROW(checkSize(*gpu, task, longestEmulated + 1), LimitError);
    EXPECT_LE(matrixSizes(*gpu, false).back(), longestInEmulatedMatrix);
    EXPECT_LE(matrixSizes(*gpu, true).back(), longestInEmulatedMatrix);
    EXPECT_EQ(evaluate(*gpu, task, longestEmulated + 1).status, Status::skipped);
}

TEST(EmulatedBackend, TakesNoTimes)
{
    const OpenDevice gpu = openEmulator();
    for (const std::uint64_t n : {0U, 100U}) {
        const TaskOutcome outcome = evaluate(*gpu, taskNamed("scan/naive"), n);
        EXPECT_EQ(outcome.status, Status::passed);
        EXPECT_EQ(outcome.benchmark(), nullptr);
    }
}

}  // namespace a2
