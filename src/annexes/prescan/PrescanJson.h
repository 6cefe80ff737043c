// What `a2 prescan` found, as `prescan` in the JSON report.
#pragma once

#include "annexes/prescan/PrescanReport.h"

#include <string>

namespace a2 {

// Times, rates and bank turns are null where they were not measured: with files, without numbers, or where the result
// is wrong.
// shared: what several ranks found together; null where there were none.
std::string prescanJson(const PrescanSettings& settings, std::uint64_t n, const PrescanFigures& figures,
                        const DevicePrescan::Judged& judged, const SharedPrescan* shared = nullptr);

}  // namespace a2
