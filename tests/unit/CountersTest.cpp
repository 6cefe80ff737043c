// Two ways to count what a kernel does, which have nothing in common: following it on the host (KernelCounts), and
// running it with counters in its code (CountedKernel).

#include "GpuFixture.h"
#include "labs/prescan/CountedRun.h"
#include "theory/Theory.h"

#include <fmt/format.h>

#include <set>

namespace a2 {

namespace {

// Additions that only one of the two counts: to a known zero, where a sum begins, only the kernel itself; of the
// look-back's ticket, which comes from a buffer but is no data, only who follows it.
const std::set<std::string> countedOnce = {"reduce/decomposition", "reduce/unroll",    "reduce/atomic", "scan/local",
                                           "scan/work-efficient",  "scan/brute-force", "scan/lookback"};

// Dispatches that were counted both ways.
std::size_t compare(Device& gpu, const Task& task, std::uint64_t n)
{
    const KernelShape shape{32, 4};
    const Workload workload = workloadOf(gpu, task, n);
    const std::vector<CountedDispatch> followed = countDispatches(gpu, workload, shape);
    const DeviceBuffer input(gpu, "input", n);
    const std::vector<KernelTotals> counted =
        countedRun(gpu, *workload.prepare(gpu, shape, input), [](const DeviceBuffer&) {});
    EXPECT_EQ(followed.size(), counted.size()) << task.id;

    std::size_t compared = 0;
    for (std::size_t i = 0; i < std::min(followed.size(), counted.size()); ++i) {
        const Measures here = measures({followed[i]});
        if (!here.complete) continue;
        ++compared;
        const std::string where = fmt::format("{}, n = {}, dispatch {}", task.id, n, i);
        EXPECT_EQ(here.reads, counted[i].reads) << where;
        EXPECT_EQ(here.writes, counted[i].writes) << where;
        if (!countedOnce.count(task.id)) {
            EXPECT_EQ(here.additions, counted[i].additions) << where;
        }
    }
    return compared;
}

}  // namespace

TEST(Counters, AgreeOnEveryDispatchThatCanBeFollowed)
{
    const auto gpu = openTestGpu();
    std::size_t compared = 0;
    for (const Task& task : allTasks())
        for (const std::uint64_t n : {1U, 100U, 1000U, 5000U}) compared += compare(*gpu, task, n);
    EXPECT_GT(compared, 100U);
}

}  // namespace a2
