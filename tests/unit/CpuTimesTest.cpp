// The work of tasks on the CPU: done right (a wrong result throws), and timed.

#include "evaluate/CpuTimes.h"

#include <gtest/gtest.h>

#include <version>

namespace a2 {

TEST(CpuTimes, AreMeasuredOfEveryKindOfTaskAtAnyLength)
{
    for (const std::uint64_t n : {1U, 7U, 512U, 513U, 100000U}) {
        const Input input(Pattern::parse("random"), n, 1);
        CpuTimer timer(input);
        for (const TaskKind kind : {TaskKind::reduce, TaskKind::scan, TaskKind::localScan, TaskKind::offset})
            for (const bool exclusive : {false, true}) {
                const CpuTimes times = timer.of(Expectation(kind, input, {256, 2, exclusive}));
                EXPECT_GT(times.oneThreadMs, 0) << n;
#ifdef __cpp_lib_parallel_algorithm
                ASSERT_TRUE(times.allCoresMs);
                EXPECT_GT(*times.allCoresMs, 0) << n;
#endif
            }
    }
}

TEST(CpuTimes, AreMeasuredOnceForTasksOfOneKind)
{
    const Input input(Pattern(), 100000, 1);
    CpuTimer timer(input);
    const auto once = [&](TaskKind kind, std::uint32_t workGroup) {
        return timer.of(Expectation(kind, input, {workGroup, 2, false})).oneThreadMs;
    };
    EXPECT_EQ(once(TaskKind::reduce, 64), once(TaskKind::reduce, 128)) << "the sum knows no tiles";
    EXPECT_EQ(once(TaskKind::localScan, 64), once(TaskKind::localScan, 64));
}

}  // namespace a2
