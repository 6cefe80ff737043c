// The speed of the emulator: SPIR-V instructions per second on one core, with all its checks, and also with the counts.
// `a2_emulator_speed`; not a test, because it depends on the machine.

#include "support/EmulatedGlsl.h"

#include <fmt/format.h>

#include <chrono>
#include <numeric>

int main()
{
    constexpr std::uint32_t groups = 512, workGroup = 256, elements = 4, n = groups * workGroup * elements;
    double least = 1e9;
    for (const char* const name : {"A2Task1KernelDecomposition", "A2Task1KernelDecompositionAtomic", "A2Task1Subgroup",
                                   "A2LabKoggeStone", "A2LabBrentKung", "A2Task2KernelDecomposition"})
        for (const bool counts : {false, true}) {
            a2::Specialisation given;
            given.values = {{0, workGroup}, {1, elements}, {2, 0}, {3, 1}};
            a2::EmulatedGlsl kernel(a2::compileGlslFile(std::string(A2_SHADERS) + "/" + name + ".comp"), given);
            std::vector<std::uint32_t> input(n);
            std::iota(input.begin(), input.end(), 1U);
            const std::vector<std::uint32_t> zeros(n + 64);
            kernel.buffer(input).buffer(zeros).buffer(zeros).buffer(zeros).push({n, 0, groups});
            kernel.settings.counts = counts;
            kernel.settings.cores = 1;
            const auto begin = std::chrono::steady_clock::now();
            const a2::Emulated all = kernel.run({groups, 1, 1});
            const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
            const double speed = static_cast<double>(all.instructions) / seconds.count() / 1e6;
            if (!counts) least = std::min(least, speed);
            fmt::print("{:34} {}{:>12} instructions {:8.3f} s {:8.1f} million/s{}\n", name,
                       counts ? "counted " : "        ", all.instructions, seconds.count(), speed,
                       all.complete ? "" : ", not complete");
        }
    fmt::print("slowest without counts: {:.1f} million instructions per second\n", least);
    return least >= 12 ? 0 : 1;
}
