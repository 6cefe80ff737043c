#include "judge/Matrix.h"

#include "a2/Error.h"
#include "gpu/Device.h"
#include "gpu/DeviceBuffer.h"
#include "judge/Steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#ifndef _WIN32
#include <unistd.h>
#endif

namespace a2 {

namespace {

// Bytes of main memory; a guess if the system does not say.
std::uint64_t hostMemory()
{
#if !defined(_WIN32) && defined(_SC_PHYS_PAGES)
    const long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
    if (pages > 0 && bytes > 0) return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(bytes);
#endif
    return std::uint64_t{8} << 30;
}

// A quarter is left for everything else.
std::uint64_t usableHostMemory() { return hostMemory() / 4 * 3; }

// Bytes per element. On the device: the pristine input, the one that is worked on, and the scan if it is not made in
// place. On the host: the input and its prefix sums.
constexpr std::uint64_t deviceInPlace = 2 * sizeof(std::uint32_t), deviceOutOfPlace = 3 * sizeof(std::uint32_t);
constexpr std::uint64_t onHost = 2 * sizeof(std::uint32_t);

}  // namespace

std::uint64_t largestInOneBinding(const Device& gpu)
{
    const Device& state = gpu;
    const std::uint64_t binding =
        std::min<std::uint64_t>(gpu.limits().maxStorageBufferRange, state.maxAllocation - 2 * DeviceBuffer::guardBytes);
    // Pristine input, input, and up to two arrays of the solution; on the host 8 bytes per element, of half its memory.
    return std::min({binding / 4, state.deviceHeap() / 16 / 9 * 8, hostMemory() / 16});
}

std::uint64_t largestInMemory(const Device& gpu)
{
    return std::min(gpu.usableHeap() / deviceOutOfPlace, usableHostMemory() / onHost);
}

void checkMemory(const Device& gpu, std::uint64_t n, std::uint64_t onDevice, std::uint64_t inMainMemory)
{
    const auto check = [n](std::uint64_t bytesPerElement, std::uint64_t usable, const std::string& here) {
        const std::uint64_t most = usable / bytesPerElement;
        if (n <= most) return;
        throw LimitError(fmt::format("n = {} needs {} of {}: choose a smaller --size, up to {}", n,
                                     sizeText(static_cast<double>(n) * static_cast<double>(bytesPerElement)), here,
                                     most));
    };
    check(onDevice, gpu.usableHeap(), fmt::format("device memory, this device has {}", sizeText(gpu.deviceHeap())));
    check(inMainMemory, usableHostMemory(), fmt::format("main memory, this machine has {}", sizeText(hostMemory())));
}

void checkSize(const Device& gpu, const Task& task, std::uint64_t n)
{
    if (gpu.isEmulated() && n > longestEmulated)
        throw LimitError(fmt::format(
            "n = {} is more than the {} elements that -d emulator takes, so that no run takes minutes: choose a "
            "smaller --size, or a device",
            n, longestEmulated));
    const bool keepsReference = task.taskClass->reference && task.taskClass->fixedResults == 0;
    checkMemory(gpu, n, task.taskClass->ownArray ? deviceOutOfPlace : deviceInPlace,
                onHost + (keepsReference ? sizeof(std::uint32_t) : 0));
}

namespace {

// Just over a power of two above 2^20, up to the first number that a float cannot hold.
bool isBeyondFloats(std::uint64_t n)
{
    constexpr std::uint64_t mebi = std::uint64_t{1} << 20;
    return n > 2 * mebi && n <= beyondFloats && std::has_single_bit(n - 1);
}

std::vector<std::uint64_t> courseSizes(const Device& gpu, std::uint64_t most)
{
    constexpr std::uint64_t perGroup = 256;  // elements of a kernel with one for each invocation
    most = std::min(most, perGroup * gpu.limits().maxComputeWorkGroupCount[0]);
    std::vector<std::uint64_t> sizes;
    for (std::uint64_t n = 1; n <= most; n *= 2) sizes.push_back(n);
    return sizes;
}

}  // namespace

std::vector<std::uint64_t> matrixSizes(const Device& gpu, bool course, std::uint64_t upTo)
{
    const std::uint64_t most = gpu.isEmulated() ? longestInEmulatedMatrix : largestInOneBinding(gpu);
    const std::uint64_t largest = std::min(most, upTo);
    if (course) return courseSizes(gpu, largest);
    std::vector<std::uint64_t> sizes;
    for (std::uint64_t n = 0; n <= 9; ++n) sizes.push_back(n);
    for (const std::uint64_t power : {32U, 64U, 128U, 256U, 512U, 1024U, 2048U, 4096U, 65536U})
        for (const std::uint64_t n : {power - 1, power, power + 1}) sizes.push_back(n);
    sizes.push_back(1000);
    const std::uint64_t mebi = std::uint64_t{1} << 20;
    sizes.insert(sizes.end(), {mebi - 1, mebi, mebi + 3, beyondFloats});
    // Host code that counts steps by a float's logarithm is right up to 2^20 + 1, and lacks one here.
    if (const std::uint64_t last = largest > 0 ? std::bit_floor(largest - 1) + 1 : 0; isBeyondFloats(last))
        sizes.push_back(std::min(last, beyondFloats));
    std::erase_if(sizes, [&](std::uint64_t n) { return n >= largest; });
    sizes.push_back(largest);
    std::sort(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    return sizes;
}

bool isBrief(bool onCpu, const std::vector<std::uint64_t>& lengths, std::uint64_t n)
{
    if (!onCpu || n <= mediumOnCpu || n >= lengths.back()) return false;
    return n > longSize || *std::ranges::upper_bound(lengths, n) <= longSize;
}

std::vector<Pattern> matrixPatterns(const Device& gpu, std::uint64_t n)
{
    if (isBeyondFloats(n) || (gpu.isCpu() && n > mediumOnCpu)) return {Pattern::parse("random")};
    if (n > longSize) return {Pattern::parse("random"), Pattern::parse("max")};
    std::vector<Pattern> all = {Pattern::parse("random"), Pattern::parse("mod97"), Pattern::parse("ones"),
                                Pattern::oneHot(n > 0 ? n - 1 : 0), Pattern::parse("max")};
    if (n <= longestEdges) all.push_back(Pattern::parse("edges"));
    return all;
}

std::vector<std::uint32_t> matrixWorkGroups(const Device& gpu)
{
    const std::uint32_t largest =
        std::min(gpu.limits().maxComputeWorkGroupInvocations, gpu.limits().maxComputeWorkGroupSize[0]);
    std::vector<std::uint32_t> sizes = {64, 128, 256};
    std::erase_if(sizes, [&](std::uint32_t size) { return size >= largest; });
    sizes.push_back(largest);
    return sizes;
}

std::vector<MatrixShape> matrixShapes(const Device& gpu, std::uint64_t n, bool randomPattern, bool brief)
{
    if (isBeyondFloats(n)) return {{n}};
    if (brief) return {{n, matrixWorkGroups(gpu).front()}, {n, matrixWorkGroups(gpu).back()}, {n}};
    std::vector<MatrixShape> all;
    for (const std::uint32_t size : matrixWorkGroups(gpu)) all.push_back({n, size});
    all.insert(all.end(), {{n}, {longInOnePlace}});
    if (!randomPattern && n == std::uint64_t{matrixWorkGroups(gpu).back()} * mostPerInvocation)
        all.push_back({.n = n, .workGroup = matrixWorkGroups(gpu).back(), .mostElements = true});
    if (!randomPattern || n > longSize) return all;
    constexpr std::uint32_t noPowerOfTwo = 96;
    constexpr std::uint64_t severalTiles = 4097;  // a row passes the other lengths if its host code knows some sizes
    if (n == severalTiles)
        for (const std::uint32_t size : {32U, 512U})
            if (size < matrixWorkGroups(gpu).back()) all.push_back({n, size});
    for (const std::uint32_t size : {64U, noPowerOfTwo, 256U}) all.push_back({n, size, true});
    all.push_back({n, noPowerOfTwo});
    all.push_back({n, {}, false, true});
    for (const std::uint32_t size : {64U, noPowerOfTwo}) all.push_back({n, size, true, true});
    if (n <= largestWalk)
        for (const bool exclusive : {false, true}) all.push_back({n, smallestWorkGroup, true, exclusive});
    return all;
}

std::vector<std::uint64_t> quickSizes(std::uint64_t n, bool course)
{
    constexpr std::uint64_t mediumLength = 4096;
    std::vector<std::uint64_t> sizes = {1, 2, 3, 33, 1000, 1025, 4097, 65537};
    if (course) sizes = {1, 2, 4, 32, 512, 1024, 4096, 65536};
    const std::uint64_t end = n > 0 ? n : mediumLength;
    std::erase_if(sizes, [&](std::uint64_t size) { return size >= end; });
    return sizes;
}

}  // namespace a2
