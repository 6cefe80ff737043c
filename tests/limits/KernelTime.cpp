// How long one dispatch of a kernel takes, right or wrong: a2 itself times only what gives the right result.
//
// usage: a2_kernel_time FOLDER KERNEL -n N -w W -e E [-t TILES] [-g GROUPS] [-r RUNS] [-d DEVICE]
//
// FOLDER/KERNEL.comp is compiled now and gets N elements at binding 0, the result at 1, the tiles' states at 2 and the
// push constants of the look-back, or of the copy kernel if that is its name. GROUPS: work-groups of the dispatch; one
// per tile if it is left out. Prints one line of JSON: the median and the least of five command buffers of RUNS
// dispatches each, in ms per dispatch, and whether the result is the inclusive sum of the elements. Exit status: 0; 2
// for a wrong call; 3 where the device or the kernel cannot be used.
#include "A2Kernels.h"
#include "A2Task2.h"
#include "a2/Error.h"
#include "gpu/Device.h"
#include "gpu/DeviceBuffer.h"
#include "gpu/Shaders.h"
#include "gpu/SingleDispatch.h"
#include "gpu/TimedRun.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace {

struct Asked {
    std::string folder, kernel, device;
    std::uint32_t n = 1 << 27, workGroup = 256, elements = 44, tiles = 0, groups = 0, runs = 20;
};

int measure(const Asked& asked)
{
    a2::GpuOptions options;
    options.device = asked.device;
    options.shaderDir = asked.folder;
    const a2::OpenDevice gpu = a2::openDevice(options);

    constexpr std::uint32_t mostWordsPerState = 64;  // experiments place the states further apart
    const std::uint32_t tile = asked.workGroup * asked.elements,
                        tiles = asked.tiles != 0 ? asked.tiles : (asked.n + tile - 1) / tile;
    const a2::DeviceBuffer in(*gpu, "in", asked.n), out(*gpu, "out", asked.n),
        states(*gpu, "tile states", TILE_STATE_COUNTERS + std::uint64_t{tiles} * mostWordsPerState);
    std::vector<std::uint32_t> values(asked.n);
    for (std::uint32_t i = 0; i < asked.n; ++i) values[i] = i * 0x9E3779B9U >> 7;
    a2::fillDevice(*gpu, in, values);

    const bool copies = asked.kernel == a2::copyShader;
    const a2::KernelShape shape{asked.workGroup, asked.elements, false};
    const a2::WorkGroups groups = copies ? gpu->groupsFor(asked.n / 4, asked.workGroup)
                                         : gpu->foldGroups(asked.groups != 0 ? asked.groups : tiles);
    const std::vector<a2::BoundElements> bound =
        copies ? std::vector<a2::BoundElements>{in, out} : std::vector<a2::BoundElements>{in, out, states};
    const std::vector<std::uint32_t> push =
        copies ? std::vector{asked.n / 4} : a2::wordsOf(a2::LookbackPush{asked.n, 0, tiles});
    const a2::OwnDispatch dispatch(*gpu, asked.kernel, shape, bound, push, groups, asked.kernel);

    a2::TimedRun timed(*gpu);
    timed.run(a2::Timer::host, {}, [&](a2::Commands& commands) { commands.fill(states.region(), 0); });
    const auto runs = [&](a2::Commands& commands) {
        for (std::uint32_t i = 0; i < asked.runs; ++i) {
            if (i > 0) a2::waitForWrites(commands);
            dispatch.record(commands);
        }
    };
    const bool clock = gpu->timestampBits != 0;
    const a2::Timer timer = clock ? a2::Timer::gpu : a2::Timer::host;
    constexpr double warmUpMs = 300;  // clocks rise in steps (docs/record.md, Warming up)
    for (double ms = 0; ms < warmUpMs;) ms += timed.run(timer, {}, runs).hostMs;
    std::vector<double> times;
    for (int i = 0; i < 5; ++i) {
        const a2::RunTime one = timed.run(timer, {}, runs).perRun(asked.runs);
        times.push_back(one.gpuMs.value_or(one.hostMs));
    }
    std::sort(times.begin(), times.end());

    std::vector<std::uint32_t> result(asked.n);
    a2::fillHost(*gpu, out, result);
    std::uint32_t sum = 0, wrong = 0;
    for (std::uint32_t i = 0; i < asked.n; ++i) {
        sum += values[i];
        wrong += result[i] != sum;
    }
    fmt::print("{{\"median\": {:.6f}, \"least\": {:.6f}, \"right\": {}, \"device\": \"{}\"}}\n",
               times[times.size() / 2], times.front(), wrong == 0, std::string_view(gpu->properties.deviceName));
    return 0;
}

}  // namespace

int main(int argc, char** argv)
{
    Asked asked;
    CLI::App app("how long one dispatch of a kernel takes, right or wrong");
    app.add_option("FOLDER", asked.folder)->required();
    app.add_option("KERNEL", asked.kernel)->required();
    app.add_option("-n", asked.n);
    app.add_option("-w", asked.workGroup);
    app.add_option("-e", asked.elements);
    app.add_option("-t", asked.tiles);
    app.add_option("-g", asked.groups);
    app.add_option("-r", asked.runs);
    app.add_option("-d", asked.device);
    CLI11_PARSE(app, argc, argv);
    try {
        return measure(asked);
    } catch (const a2::Error& error) {
        fmt::print(stderr, "a2_kernel_time: {}\n", error.what());
        return 3;
    }
}
