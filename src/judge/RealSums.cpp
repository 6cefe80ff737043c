#include "judge/RealSums.h"

#include "gpu/Staging.h"
#include "gpu/TimedRun.h"
#include "judge/StepModel.h"
#include "judge/StudentSolution.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <vector>

namespace a2 {

namespace {

// Each with all bits of a float, the last one set: 0 is none of them.
float realAt(std::uint64_t seed, std::uint64_t i)
{
    return std::ldexp(static_cast<float>(randomElement(seed, i) >> 8 | 1), -24);
}

// The array, what lies before each tile of it for a task that is given that, and what must come out.
struct RealArray {
    std::vector<float> given, offsets;
    std::vector<double> exact;
    std::vector<std::uint64_t> additions;  // k, of each element of the result
};

RealArray makeArray(const Task& task, const KernelShape& shape, std::uint64_t n, std::uint64_t seed)
{
    const TaskClass& kind = *task.taskClass;
    const std::uint64_t tile = shape.tile();
    RealArray made;
    double before = 0;  // in the tile, or in the whole array: of so many elements
    std::uint64_t added = 0;
    for (std::uint64_t i = 0; i < n; ++i) {
        const float element = realAt(seed, i);
        made.given.push_back(element);
        if (kind.givenBlockOffsets) {
            if (i % tile == 0) made.offsets.push_back(i == 0 ? 0 : realAt(~seed, i));
            made.exact.push_back(static_cast<double>(element) + static_cast<double>(made.offsets.back()));
            made.additions.push_back(1);
            continue;
        }
        if (kind.endsAtTiles && i % tile == 0) before = 0, added = 0;
        const double sum = before + static_cast<double>(element);
        if (kind.fixedResults == 0) {
            made.exact.push_back(shape.exclusive ? before : sum);
            made.additions.push_back(shape.exclusive && added > 0 ? added - 1 : added);
        }
        before = sum;
        ++added;
    }
    if (kind.fixedResults == 1) {
        made.exact = {before};
        made.additions = {added - 1};
    }
    return made;
}

void fill(Device& gpu, const DeviceBuffer& buffer, const std::vector<float>& reals)
{
    upload(gpu, buffer, reals.size(), [&](std::uint64_t first, std::span<std::uint32_t> chunk) {
        for (std::uint64_t i = 0; i < chunk.size(); ++i) chunk[i] = std::bit_cast<std::uint32_t>(reals[first + i]);
    });
}

// How far off k additions may be, of their sum.
double gammaOf(std::uint64_t additions)
{
    constexpr double unit = 1.0 / (1 << 24), ofDoubles = 1.0 / (std::uint64_t{1} << 40);
    const double rounded = static_cast<double>(additions) * unit;
    return rounded / (1 - rounded) + ofDoubles;
}

}  // namespace

Finding addReals(Device& gpu, const Task& task, const KernelShape& shape, std::uint64_t n, std::uint64_t seed)
{
    const RealArray array = makeArray(task, shape, n, seed);
    const DeviceBuffer input(gpu, "input", n);
    std::optional<DeviceBuffer> offsets;
    if (!array.offsets.empty()) offsets.emplace(gpu, "block offsets", array.offsets.size());
    StudentSolution solution(gpu, task, shape, input, offsets ? &*offsets : nullptr, n);
    fill(gpu, input, array.given);
    if (offsets) fill(gpu, *offsets, array.offsets);
    gpu.enter("adding reals");
    TimedRun(gpu).run(Timer::host, {}, [&](Commands& cb) { solution.record(cb); });

    const std::string what = fmt::format("of {} from 0 to 1, ", plural(n, "random real"));
    std::optional<Finding> wrong;
    float last = 0;
    download(
        gpu, solution.result(), array.exact.size(), [&](std::uint64_t first, std::span<const std::uint32_t> chunk) {
            for (std::uint64_t i = 0; i < chunk.size(); ++i) {
                last = std::bit_cast<float>(chunk[i]);
                const double exact = array.exact[first + i], allowed = gammaOf(array.additions[first + i]) * exact;
                const bool isRight =
                    std::abs(static_cast<double>(last) - exact) <= allowed;  // false of what is no number
                if (isRight || wrong) continue;
                wrong = {
                    "rounding",
                    fmt::format("{}element {} of the result is {} instead of {:.9g}, which {} may change by no more "
                                "than {:.2g}; sums of whole numbers are right",
                                what, first + i, last, exact, plural(array.additions[first + i], "addition"), allowed),
                    {}};
            }
        });
    if (wrong) return *wrong;
    const double exact = array.exact.back(), off = std::abs(static_cast<double>(last) - exact);
    return {
        "rounding",
        fmt::format("{}the last element of the result is {}, exactly {:.9g}: off by {:.2g} of that, and {} may be off "
                    "by {:.2g}",
                    what, last, exact, exact > 0 ? off / exact : 0, plural(array.additions.back(), "addition"),
                    gammaOf(array.additions.back())),
        {},
        Severity::note};
}

}  // namespace a2
