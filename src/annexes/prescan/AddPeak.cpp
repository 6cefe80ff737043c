#include "annexes/prescan/AddPeak.h"

#include "A2Labs.h"
#include "a2/Error.h"
#include "base/Clock.h"
#include "gpu/Shaders.h"
#include "gpu/SingleDispatch.h"
#include "gpu/Staging.h"
#include "judge/Matrix.h"

#include <algorithm>
#include <array>

namespace a2 {

namespace {

constexpr AddPeakPush startValues{3, 5};

// As cheap as an addition, and compilers cannot simplify it together with the additions around it.
float combined(float y, float x) { return y - x; }
std::uint32_t combined(std::uint32_t y, std::uint32_t x) { return y ^ x; }

// The result of an invocation of shaders/A2LabAddPeaks.comp. The values are small whole numbers, also for floats.
template <class Number>
Number expectedSum()
{
    constexpr auto a = static_cast<Number>(startValues.x), b = static_cast<Number>(startValues.y);
    std::array<Number, 8> x{a, a, a, a, a, b, a, b}, y{b, b, b, b, b, b, a, a};
    for (int k = 0; k < ADD_PEAK_ROUNDS * ADD_PEAK_UNROLL; ++k)
        for (std::size_t i = 0; i < x.size(); ++i) {
            x[i] += y[i];
            y[i] = combined(y[i], x[i]);
        }
    Number sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] + y[i];
    return sum;
}

void checkSum(Device& gpu, const DeviceBuffer& sums, const ElementType& element)
{
    std::uint32_t word = 0;
    fillHost(gpu, sums, {&word, 1});
    const bool right =
        !element.isReal ? word == expectedSum<std::uint32_t>() : std::bit_cast<float>(word) == expectedSum<float>();
    if (!right) throw Error(ExitStatus::internal, "the add peak kernel added wrong: is the driver sound?");
}

// Enough independent chains to hide the latency of the adders, few enough to stay in registers.
constexpr std::size_t chains = 32;
constexpr std::uint64_t rounds = 1 << 20;

template <class Number>
Number hostChains(Number from)
{
    std::array<Number, chains> x, y;
    for (std::size_t i = 0; i < chains; ++i) {
        x[i] = static_cast<Number>(i);
        y[i] = from;
    }
    for (std::uint64_t k = 0; k < rounds; ++k) {
        for (std::size_t i = 0; i < chains; ++i) x[i] += y[i];
        for (std::size_t i = 0; i < chains; ++i) y[i] = combined(y[i], x[i]);
    }
    Number sum = 0;
    for (std::size_t i = 0; i < chains; ++i) sum += x[i] + y[i];
    return sum;
}

template <class Number>
double hostRate(const SeriesSettings& settings)
{
    volatile Number from = startValues.y,
                    sum = 0;  // so that nothing is computed at compile time, or left out
    const auto once = [&] {
        const auto begin = Clock::now();
        sum = hostChains<Number>(from);
        return msSince(begin);
    };
    return static_cast<double>(2 * chains * rounds) / timeUnjudged(once, settings).median / 1e6;
}

}  // namespace

DeviceRate measureDeviceAddPeak(Device& gpu, const ElementType& element, const SeriesSettings& settings)
{
    constexpr std::uint64_t operations = 16 * std::uint64_t{ADD_PEAK_ROUNDS} * ADD_PEAK_UNROLL;  // of one invocation
    constexpr std::uint64_t most = std::uint64_t{1} << 22;                                       // invocations
    constexpr double enoughMs = 10;
    const KernelShape shape{std::min(256U, matrixWorkGroups(gpu).back()), 2, false};
    TimedRun timed(gpu);
    // More invocations, until starting them no longer dominates the time.
    for (std::uint64_t invocations = 4096;; invocations *= 4) {
        const DeviceBuffer sums(gpu, "sums", invocations);
        const SingleDispatch<AddPeakPush> kernel(gpu, "A2LabAddPeaks", shape, {sums}, startValues,
                                                 gpu.groupsFor(invocations, shape.workGroup), "add peak");
        const auto once = [&](Timer timer) { return timed.run(timer, {}, [&](Commands& cb) { kernel.record(cb); }); };
        once(settings.timer);
        if (once(settings.timer).by(settings.timer) < enoughMs && invocations < most) continue;
        checkSum(gpu, sums, element);
        const DeviceTimes times = timeOnDevice(once, settings);
        return {static_cast<double>(invocations * operations) / times.ms.median / 1e6, times.timer};
    }
}

double measureHostAddPeak(const ElementType& element, const SeriesSettings& settings)
{
    return !element.isReal ? hostRate<std::uint32_t>(settings) : hostRate<float>(settings);
}

}  // namespace a2
