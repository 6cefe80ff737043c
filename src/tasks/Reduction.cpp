// The reduction: one sum of the whole array, modulo 2^32.

#include "base/Policies.h"
#include "tasks/ClassParts.h"

#include <algorithm>
#include <numeric>

namespace a2 {

constinit const TaskClass TaskClass::reduction = {
    .tag = "[Task1]",
    .fixedResults = 1,
    .resultName = "sum",

    // Each element is read once.
    .minimumTraffic = [](std::uint64_t n, const KernelShape&) { return n * sizeof(std::uint32_t); },

    .give = giveInput,
    .result = [](const Expectation& expectation, std::uint64_t) { return expectation.input().sum(); },
    .matches =
        [](const Expectation& expectation, std::uint64_t, std::span<const std::uint32_t> got) {
            const std::uint32_t sum = expectation.input().sum();
            return std::all_of(got.begin(), got.end(), [sum](std::uint32_t one) { return one == sum; });
        },
    .effects =
        [](const Expectation&, std::span<const Change> changes) {
            return effectsOfEach(changes, [](const Change& one) { return Effect{0, 1, one.by}; });
        },

    .onHost =
        [](const Expectation& expectation, std::span<std::uint32_t> out, bool allCores) {
            const std::span<const std::uint32_t> in = expectation.input().values();
            withPolicy(allCores, [&](const auto&... policy) {
                out.front() = std::reduce(policy..., in.begin(), in.end(), std::uint32_t{0});
            });
        },
    .oneCoreMs = [](const Input& input) { return input.cpuReduceMs(); },
};

}  // namespace a2
