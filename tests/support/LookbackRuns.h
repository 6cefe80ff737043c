// One prepared scan/lookback on one input, run again and again, and how often a work-group had to add up a tile for
// another one.
#pragma once

#include "gpu/Device.h"
#include "gpu/Staging.h"
#include "judge/DeviceInput.h"
#include "judge/Trial.h"
#include "tasks/Expectation.h"
#include "tasks/Task.h"

#include <stdexcept>

namespace a2 {

class LookbackRuns {
public:
    LookbackRuns(Device& gpu, const Input& input, const KernelShape& shape)
        : gpu_(gpu),
          expectation_(TaskClass::scan, input, shape),
          onDevice_(gpu, expectation_),
          trial_(gpu, selectTasks({"scan/lookback"}, false).front(), expectation_, onDevice_)
    {
    }
    Verdict run() { return trial_.judgedRun(); }

    // Of all runs so far.
    std::uint32_t fallbacks() const
    {
        for (const LiveBuffer& live : trial_.buffers()) {
            if (live.name != "tile states") continue;
            std::uint32_t found = 0;
            download(gpu_, {live.handle, live.guardBytes, 2},
                     [&](std::uint64_t, std::span<const std::uint32_t> words) { found = words[1]; });
            return found;
        }
        throw std::runtime_error("scan/lookback has no buffer 'tile states' any more: this helper must follow it");
    }
    std::size_t groups() const
    {
        std::size_t all = 0;
        for (const DispatchCommand* one : trial_.log().dispatches()) all += one->groupCount();
        return all;
    }

private:
    Device& gpu_;
    Expectation expectation_;
    DeviceInput onDevice_;
    Trial trial_;
};

}  // namespace a2
