#include "judge/RealSums.h"

#include "gpu/Staging.h"
#include "gpu/TimedRun.h"
#include "judge/StepModel.h"
#include "judge/StudentSolution.h"
#include "tasks/ClassParts.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <vector>

namespace a2 {

namespace {

// An odd number of 24 bits, 2^-24 times: never 0.
float randomReal(std::uint64_t seed, std::uint64_t i)
{
    return std::ldexp(static_cast<float>(randomElement(seed, i) >> 8 | 1), -24);
}

// For an element of the result.
struct Wanted {
    double exact = 0;
    std::uint64_t additions = 0;  // k
    double added = 0;             // m
    double allowed() const
    {
        constexpr double unit = 1.0 / (1 << 23);
        const double rounded = static_cast<double>(additions) * unit;
        return rounded / (1 - rounded) * added;
    }
};

// The array, the sums before each tile for a task that gets them, and the expected result.
struct RealArray {
    std::vector<float> given, offsets;
    std::vector<Wanted> wanted;
};

RealArray makeArray(const Task& task, const KernelShape& shape, std::uint64_t n, std::uint64_t seed)
{
    const TaskClass& kind = *task.taskClass;
    RealArray made;
    for (std::uint64_t i = 0; i < n; ++i) made.given.push_back(randomReal(seed, i));
    double before = 0;  // the sum of the elements so far: of the array or, for a local scan, of the tile
    std::uint64_t added = 0;
    eachTile(0, n, shape.tile(), [&](std::uint64_t number, std::uint64_t first, std::uint64_t end) {
        if (kind.endsAtTiles) before = 0, added = 0;
        if (kind.givenBlockOffsets) made.offsets.push_back(number == 0 ? 0 : randomReal(~seed, number));
        std::vector<Wanted> ofTile;
        for (std::uint64_t i = first; i < end; ++i) {
            const auto element = static_cast<double>(made.given[i]);
            if (kind.givenBlockOffsets) {
                const double sum = element + static_cast<double>(made.offsets.back());
                made.wanted.push_back({sum, 1, sum});
                continue;
            }
            ofTile.push_back({shape.exclusive ? before : before + element});
            before += element;
            ++added;
        }
        for (Wanted& one : ofTile) {
            one.additions = added - 1;
            one.added = before;
        }
        if (kind.fixedResults == 0) made.wanted.insert(made.wanted.end(), ofTile.begin(), ofTile.end());
        return true;
    });
    if (kind.fixedResults == 1) made.wanted = {{before, added - 1, before}};
    return made;
}

void fill(Device& gpu, const DeviceBuffer& buffer, const std::vector<float>& reals)
{
    upload(gpu, buffer, reals.size(), [&](std::uint64_t first, std::span<std::uint32_t> chunk) {
        for (std::uint64_t i = 0; i < chunk.size(); ++i) chunk[i] = std::bit_cast<std::uint32_t>(reals[first + i]);
    });
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
        gpu, solution.result(), array.wanted.size(), [&](std::uint64_t first, std::span<const std::uint32_t> chunk) {
            for (std::uint64_t i = 0; i < chunk.size(); ++i) {
                last = std::bit_cast<float>(chunk[i]);
                const Wanted& one = array.wanted[first + i];
                const bool isRight = std::abs(static_cast<double>(last) - one.exact) <= one.allowed();  // false for NaN
                if (isRight || wrong) continue;
                wrong = {
                    "rounding",
                    fmt::format("{}element {} of the result is {} instead of {:.9g}, which {} may change by no more "
                                "than {:.2g}; sums of whole numbers are right",
                                what, first + i, last, one.exact, plural(one.additions, "addition"), one.allowed()),
                    {}};
            }
        });
    if (wrong) return *wrong;
    const Wanted& end = array.wanted.back();
    const auto ofExact = [&](double off) { return end.exact > 0 ? off / end.exact : 0; };
    return {
        "rounding",
        fmt::format("{}the last element of the result is {}, exactly {:.9g}: off by {:.2g} of that, and {} may be off "
                    "by {:.2g}",
                    what, last, end.exact, ofExact(std::abs(static_cast<double>(last) - end.exact)),
                    plural(end.additions, "addition"), ofExact(end.allowed())),
        {},
        Severity::note};
}

}  // namespace a2
