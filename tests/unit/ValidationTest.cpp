// The validation layer: its messages fail the task that caused them, every time, and a2 checks that it is on.

#include "GpuFixture.h"
#include "a2/Error.h"
#include "gpu/Canary.h"
#include "support/ChangedShaders.h"
#include "support/DecompositionLevels.h"

namespace a2 {

namespace {

Task levels(Between between)
{
    return withSolution(taskNamed("reduce/decomposition"),
                        [=](const Given& given) { return std::make_unique<DecompositionLevels>(given, between); });
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
    // The layer itself drops a message after ten repeats; a2 must not.
    const auto gpu = openTestGpu("", Validation::required);
    for (int time = 0; time < 15; ++time) {
        const TaskOutcome outcome = evaluate(*gpu, levels(Between::nothing), 3000);
        EXPECT_EQ(outcome.status, Status::failed) << "time " << time;
        EXPECT_NE(explanation(outcome).find("READ-AFTER-WRITE"), std::string::npos) << explanation(outcome);
    }
    EXPECT_EQ(evaluate(*gpu, taskNamed("reduce/decomposition"), 3000).status, Status::passed);
}

TEST(ValidationLayer, TakesABarrierAboutTheArrayAlone)
{
    // Kernels' bindings include the guard after an array.
    const auto gpu = openTestGpu("", Validation::required);
    const TaskOutcome outcome = evaluate(*gpu, levels(Between::array), 3000);
    EXPECT_EQ(outcome.status, Status::passed) << explanation(outcome);
}

TEST(ValidationLayer, FindsAReadOutsideABuffer)
{
    // One element too far, although the sum is right. The walk on the host finds it, too; then a run that might crash a
    // driver is not even tried, and the layer has nothing to report.
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
