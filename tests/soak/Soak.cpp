// Runs scan/lookback and scan/persistent over and over and judges every run: a fault that occurs once in a thousand
// runs, depending on the order in which a device runs work-groups, does not show in a single test.
//
//     a2_soak [RUNS [LENGTH[:WORKGROUPxELEMENTS]]...]
//
// RUNS per row and length, 50 without one; or A2_SOAK_RUNS. Lengths as for a2 --size; A2_DEVICE chooses the device.
// Every other length is scanned exclusively. Exit status: 0 all runs were right, 1 some were not, and otherwise as a2.

#include "a2/Error.h"
#include "cli/Options.h"
#include "gpu/Device.h"
#include "support/RecordedHere.h"
#include "support/TileStateRuns.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

namespace a2 {

namespace {

struct Case {
    std::string row;
    std::uint64_t n;
    KernelShape shape;
};

Case parseCase(const std::string& row, const std::string& text, bool exclusive)
{
    const std::size_t colon = text.find(':');
    Case one{row, parseSize("LENGTH", text.substr(0, colon)), {}};
    one.shape = selectTasks({row}, false).front().shapeFor(one.n);
    if (colon != std::string::npos) {
        const std::string shape = text.substr(colon + 1);
        const std::size_t by = std::min(shape.find('x'), shape.size());
        one.shape.workGroup = static_cast<std::uint32_t>(parseNumber("WORKGROUP", shape.substr(0, by), 1, 1024));
        one.shape.elements =
            static_cast<std::uint32_t>(parseNumber("ELEMENTS", shape.substr(std::min(by + 1, shape.size())), 4, 64));
    }
    one.shape.exclusive = exclusive;
    return one;
}

// How many runs were wrong.
std::uint64_t soak(Device& gpu, const Case& one, std::uint64_t runs)
{
    const Input input(Pattern::parse("random"), one.n, 1);
    TileStateRuns prepared(gpu, one.row, input, one.shape);
    std::uint64_t wrong = 0;
    for (std::uint64_t run = 0; run < runs; ++run) {
        const Verdict verdict = prepared.run();
        if (verdict.passed()) continue;
        ++wrong;
        fmt::print("run {} is wrong:", run);
        if (verdict.mismatches)
            fmt::print(" {} elements, the first at {}: {} for {}", verdict.mismatches->count,
                       verdict.mismatches->firstIndex, verdict.mismatches->got, verdict.mismatches->expected);
        for (const Finding& finding : verdict.findings) fmt::print(" {}", finding.text());
        fmt::print("\n");
    }
    fmt::print("{}{}, n = {}, {} x {}, {} work-groups: {} runs, {} wrong, {} fallbacks\n", one.row,
               one.shape.exclusive ? " --exclusive" : "", one.n, one.shape.workGroup, one.shape.elements,
               prepared.groups(), runs, wrong, prepared.fallbacks());
    std::fflush(stdout);
    return wrong;
}

int run(const std::vector<std::string>& words)
{
    const char* wished = std::getenv("A2_SOAK_RUNS");
    const std::uint64_t runs = parseNumber("RUNS", !words.empty() ? words[0] : wished ? wished : "50", 1, UINT32_MAX);
    std::vector<std::string> lengths(words.begin() + std::min<std::ptrdiff_t>(1, std::ssize(words)), words.end());
    if (lengths.empty()) lengths = {"5000", "65537:64x4", "1000003", "2^20", "1000003:64x4"};
    std::vector<Case> cases;
    for (const char* row : {"scan/lookback", "scan/persistent"})
        for (std::size_t i = 0; i < lengths.size(); ++i) cases.push_back(parseCase(row, lengths[i], i % 2 == 1));

    GpuOptions options;
    options.record = recordedHere;
    if (const char* device = std::getenv("A2_DEVICE")) options.device = device;
    const OpenDevice opened = openDevice(options);
    Device& gpu = *opened;
    fmt::print("{}\n", gpu.properties.deviceName.data());
    std::uint64_t wrong = 0;
    for (const Case& one : cases) wrong += soak(gpu, one, runs);
    return static_cast<int>(wrong == 0 ? ExitStatus::passed : ExitStatus::failed);
}

}  // namespace

}  // namespace a2

int main(int count, char** words)
{
    try {
        return a2::run({words + 1, words + count});
    } catch (const a2::Error& error) {
        fmt::print(stderr, "a2_soak: error: {}\n", error.what());
        std::fflush(nullptr);
        std::_Exit(static_cast<int>(error.status()));  // after a time-out nothing may be destroyed
    }
}
