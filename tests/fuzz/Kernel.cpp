// A fuzz target: the bytes of a kernel's SPIR-V, and what the host does with it. `a2_fuzz_kernels CORPUS`.

#include "support/ReadKernel.h"

#include <cstring>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    std::vector<std::uint32_t> words(size / sizeof(std::uint32_t));
    if (!words.empty()) std::memcpy(words.data(), data, words.size() * sizeof(std::uint32_t));
    a2::readKernel(words);
    return 0;
}
