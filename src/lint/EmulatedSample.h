// Walks a few work-groups of each dispatch of a long run on the host: the first, the last, those at the end of a row of
// a folded dispatch, some in between. Parts of long arrays that they do not touch take no memory.
//
// The work-groups walked count as running one after the other, which is one of the orders that a device may choose.
// What earlier dispatches have written is not known. So only findings are kept that depend on nothing unknown and on no
// work-group that was left out: out-of-bounds, races within a work-group, barrier-divergence, and an endless loop of a
// kernel whose work-groups cannot communicate. A work-group has no further findings once a value that was never set
// decides a branch or an index, or is stored, or once it takes too long.
#pragma once

#include "lint/EmulatedRun.h"

#include <cstdint>
#include <functional>

namespace a2 {

// Word `word` of a buffer of the run's data.
using GivenWord = std::function<std::uint32_t(RecordedBuffer::Role role, std::uint64_t word)>;

// What walkSample() calls. used: with each work-group's walk whose accesses depend on nothing unknown, and the index of
// each buffer that it uses, before `found`. found: with each walk that has a finding; its `endangers` concerns the
// findings that were kept.
struct SampleSeen {
    std::function<void(const EmulatedStep& step, Index buffer, const EmulatedUse& use)> used = {};
    std::function<void(const EmulatedStep& step)> found = {};
};

// The recording must have passed checkRecording. settings: subgroups; budget: instructions for all walks together, of
// which each dispatch gets its share. May throw std::bad_alloc where buffers are longer than this machine's address
// space.
void walkSample(const Recording& recording, const RecordedRun& run, const EmulatedRun::KernelOf& kernelOf,
                const GivenWord& given, EmulatorSettings settings, const SampleSeen& seen);

}  // namespace a2
