// Runs one prepared scan whose work-groups depend on one another (scan/lookback, scan/persistent) on one input again
// and again, and counts how often one had to add up a tile for another one.
#pragma once

#include "gpu/Device.h"
#include "judge/DeviceInput.h"
#include "judge/Trial.h"
#include "tasks/Expectation.h"
#include "tasks/Task.h"

#include <stdexcept>
#include <string>

namespace a2 {

class TileStateRuns {
public:
    TileStateRuns(Device& gpu, const std::string& row, const Input& input, const KernelShape& shape)
        : row_(row),
          expectation_(TaskClass::scan, input, shape),
          onDevice_(gpu, expectation_),
          trial_(gpu, selectTasks({row}, false).front(), expectation_, onDevice_)
    {
    }
    Verdict run() { return trial_.judgedRun(); }

    // For all runs so far.
    std::uint32_t fallbacks() const
    {
        const std::vector<RecordedBuffer>& buffers = trial_.solution().recording().buffers;
        for (Index i = 0; i < buffers.size(); ++i)
            if (buffers[i].name == "tile states") return trial_.contents(i).at(1);
        throw std::runtime_error(row_ + " has no buffer 'tile states' any more: this helper must follow it");
    }
    std::size_t groups() const
    {
        std::size_t all = 0;
        for (const DispatchCommand* one : trial_.log().dispatches()) all += one->groupCount();
        return all;
    }

private:
    std::string row_;
    Expectation expectation_;
    DeviceInput onDevice_;
    Trial trial_;
};

}  // namespace a2
