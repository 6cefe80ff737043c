// The work of tasks on the CPU: right (a wrong result throws), and timed.

#include "a2/Error.h"
#include "base/Parallel.h"
#include "judge/CpuTimes.h"

#include <gtest/gtest.h>

#include <thread>

namespace a2 {

TEST(CpuTimes, AreMeasuredOfEveryClassOfTasksAtAnyLength)
{
    for (const std::uint64_t n : {1U, 7U, 512U, 513U, 100000U}) {
        const Input input(Pattern::parse("random"), n, 1);
        CpuTimer timer(input);
        for (const TaskClass* taskClass :
             {&TaskClass::reduction, &TaskClass::scan, &TaskClass::localScan, &TaskClass::offset})
            for (const bool exclusive : {false, true}) {
                const CpuTimes times = timer.of(Expectation(*taskClass, input, {256, 2, exclusive}));
                const double least = n > 1000 ? 1e-6 : 0;  // the clock may tick once while a few elements are added
                EXPECT_GE(times.oneThreadMs, least) << n;
#ifdef A2_PARALLEL_ALGORITHMS
                ASSERT_TRUE(times.allCoresMs);
                EXPECT_GE(*times.allCoresMs, least) << n;
#else
                EXPECT_FALSE(times.allCoresMs) << "one core's time, under the name of all";
#endif
            }
    }
}

TEST(CpuTimes, AreMeasuredOnceForTasksOfOneClass)
{
    const Input input(Pattern(), 100000, 1);
    CpuTimer timer(input);
    const auto once = [&](const TaskClass& taskClass, std::uint32_t workGroup) {
        return timer.of(Expectation(taskClass, input, {workGroup, 2, false})).oneThreadMs;
    };
    EXPECT_EQ(once(TaskClass::reduction, 64), once(TaskClass::reduction, 128)) << "the sum knows no tiles";
    EXPECT_EQ(once(TaskClass::localScan, 64), once(TaskClass::localScan, 64));
}

// Whatever the time of a run: it makes the first one, and as many more as fit into the time.
TEST(CpuTimes, TakeNoMoreThanTheTimeTheyAreGiven)
{
    unsigned runs = 0;
    const auto median = [&](double budgetMs, unsigned runMs) {
        runs = 0;
        return medianWithin(
            budgetMs,
            [&] {
                ++runs;
                std::this_thread::sleep_for(std::chrono::milliseconds(runMs));
            },
            [] { return true; });
    };
    EXPECT_GE(median(10, 20), 20);
    EXPECT_EQ(runs, 1U) << "a single run is over the time: it is the one that counts";
    EXPECT_GE(median(30, 20), 20);
    EXPECT_EQ(runs, 1U) << "no time is left for a second one";
    median(110, 50);
    EXPECT_LE(runs, 2U) << "fewer where other work holds a run up";
    median(60000, 0);
    EXPECT_EQ(runs, 6U) << "one to warm up and five";
    EXPECT_THROW(medianWithin(
                     10, [] {}, [] { return false; }),
                 Error);
}

}  // namespace a2
