// The result of `a2 prescan`, as `prescan` in the JSON report.
#pragma once

#include "annexes/prescan/PrescanReport.h"

#include <string>

namespace a2 {

// Times, rates and bank turns are null if they were not measured: with files, without numbers, or if the result is
// wrong. shared: the combined results of several ranks; null if there were none.
std::string prescanJson(const PrescanSettings& settings, std::uint64_t n, const PrescanFigures& figures,
                        const DevicePrescan::Judged& judged, const SharedPrescan* shared = nullptr);

}  // namespace a2
