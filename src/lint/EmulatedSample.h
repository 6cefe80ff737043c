// A few work-groups of each dispatch of a long run, walked on the host: the first, the last, those round the end of a
// row of a folded dispatch, some in between. Long arrays take no memory for what nobody looks at.
//
// Each is walked as if those that were walked before it had been first, which is one of the orders that a device may
// have. What earlier dispatches have written is not known. So only such findings stay that depend on nothing unknown,
// and on no work-group that was left out: out-of-bounds, races within a work-group, barrier-divergence, and an endless
// loop of a kernel whose work-groups cannot tell each other anything. From where anything that nobody has set decides a
// branch or an index, or is stored, nothing more is said of that work-group, nor where it takes too long.
#pragma once

#include "lint/EmulatedRun.h"

#include <cstdint>
#include <functional>

namespace a2 {

// Word `word` of a buffer that the run is given.
using GivenWord = std::function<std::uint32_t(RecordedBuffer::Role role, std::uint64_t word)>;

// Calls `seen` with each work-group's walk in which something was found; its `endangers` is about what stayed. The
// recording has passed checkRecording. settings: subgroups; budget: of all of it, in instructions. May throw
// std::bad_alloc where buffers are longer than this machine's addresses.
void walkSample(const Recording& recording, const RecordedRun& run, const EmulatedRun::KernelOf& kernelOf,
                const GivenWord& given, EmulatorSettings settings,
                const std::function<void(const EmulatedStep&)>& seen);

}  // namespace a2
