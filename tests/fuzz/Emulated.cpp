// A fuzz target: the bytes of a kernel's SPIR-V, decoded and walked by the emulator with small buffers.
// `a2_fuzz_emulated CORPUS`.

#include "a2/Error.h"
#include "spirv/Emulator.h"

#include <cstring>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    std::vector<std::uint32_t> words(size / sizeof(std::uint32_t));
    if (!words.empty()) std::memcpy(words.data(), data, words.size() * sizeof(std::uint32_t));
    try {
        a2::Specialisation given;
        given.values = {{0, 8}, {1, 2}};
        const a2::EmulatedKernel kernel(a2::SpirvModule(words), given);
        std::vector<a2::EmulatedBuffer> buffers;
        for (std::uint32_t i = 0; i < 4; ++i) {
            buffers.emplace_back(250 - i);  // cuts off the last word
            if (i != 1) buffers.back().fill(0, 248, 3);
        }
        a2::EmulatedDispatch dispatch;
        dispatch.kernel = &kernel;
        dispatch.groups = {3, 1, 1};
        dispatch.push = {60, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 1};
        for (std::uint32_t i = 0; i < buffers.size(); ++i)
            dispatch.bindings.push_back({0, i, 0, &buffers[i], i % 2, 240});
        a2::EmulatorSettings settings;
        settings.subgroupSize = 4;
        settings.together = 2;
        settings.counts = true;
        settings.watched = 1;
        settings.seen = [](const auto&) {};
        settings.budget = 20'000;
        a2::emulate(dispatch, settings);
    } catch (const a2::KernelError&) {
    }
    return 0;
}
