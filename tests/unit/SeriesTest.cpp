// How long a device is kept busy before it is timed.

#include "GpuFixture.h"
#include "judge/Evaluator.h"

namespace a2 {

TEST(Series, WarmsUpLongerAfterTheDeviceHasIdled)
{
    const auto gpu = openTestGpu();
    SeriesSettings settings = seriesOn(*gpu, {});
    EXPECT_EQ(settings.device, gpu.get());
    EXPECT_EQ(warmUpNow(settings), 0) << "a CPU device has no clock to ramp up";

    settings.warmUpMs = 150;
    EXPECT_EQ(warmUpNow(settings), settings.coldWarmUpMs) << "it has not run anything yet";
    gpu->ranKernels(100);
    EXPECT_EQ(warmUpNow(settings), settings.coldWarmUpMs - 100) << "a few runs do not wake it";
    gpu->ranKernels(settings.coldWarmUpMs);
    EXPECT_EQ(warmUpNow(settings), 150);
    gpu->kernelsEnded = Clock::now() - std::chrono::seconds(1);
    EXPECT_EQ(warmUpNow(settings), settings.coldWarmUpMs);
    gpu->ranKernels(1);
    EXPECT_EQ(warmUpNow(settings), settings.coldWarmUpMs - 1) << "it slept before that";

    settings.device = nullptr;
    EXPECT_EQ(warmUpNow(settings), 150) << "the host is awake";
}

TEST(Series, NotesWhenTheDeviceWasLastBusy)
{
    const auto gpu = openTestGpu();
    const auto start = Clock::now();
    EXPECT_LT(gpu->kernelsEnded, start);
    evaluate(*gpu, taskNamed("reduce/atomic"), 100);
    EXPECT_GT(gpu->kernelsEnded, start);
    EXPECT_GT(gpu->busyMs, 0);
}

}  // namespace a2
