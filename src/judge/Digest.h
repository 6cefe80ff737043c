// An array by two numbers, made on the device: results after every timed repetition, and the parts of a scan over
// several devices, which are summed first.
#pragma once

#include "gpu/SingleDispatch.h"
#include "gpu/Staging.h"
#include "tasks/Expectation.h"
#include "tasks/Task.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace a2 {

// The sum of all numbers, and of all numbers times their index, modulo 2^32 (after Fletcher's checksum, 1982). One
// wrong number changes the first, two that swapped places the second; of others that are wrong one in 2^64 goes unseen.
struct Digest {
    std::uint32_t sum = 0, weighted = 0;
    bool operator==(const Digest&) const = default;
};

Digest digestOf(std::span<const std::uint32_t> words, const ElementType& element = ElementType::uint32);
Digest expectedDigest(const Expectation& expectation);  // on all cores of this host

// Digests of arrays that stay on the device, made by shaders/A2Digest.comp, slice by slice.
class DeviceDigests {
public:
    // So many of them. Throws as DeviceBuffer does.
    DeviceDigests(Device& gpu, unsigned count, const ElementType& element = ElementType::uint32);

    // Digest `number` becomes that of the buffer's first `words` words. What was written before is there; waits for
    // itself. Throws as OwnDispatch does.
    void record(Commands& cb, unsigned number, const DeviceBuffer& buffer, std::uint64_t words);
    Region region(unsigned number) const;                       // where it is, sum and weighted sum
    Region spareWord() const { return digests_.region(2, 1); }  // beside them, for any other use
    const DeviceMemory* memory() const { return digests_.memory(); }

private:
    struct Push {
        std::uint32_t count, first, reals;
    };
    using Dispatches = std::vector<SingleDispatch<Push>>;  // one per slice
    Dispatches makeDispatches(unsigned number, const DeviceBuffer& buffer, std::uint64_t words) const;

    static constexpr std::uint64_t apart = DeviceBuffer::sliceAlignment;  // elements from one digest to the next
    Device& gpu_;
    const ElementType& element_;
    DeviceBuffer digests_;
    std::map<std::pair<const DeviceMemory*, unsigned>, Dispatches> dispatches_;
};

}  // namespace a2
