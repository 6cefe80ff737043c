// What `a2 prescan` found, as `prescan` in the JSON report.
#pragma once

#include "labs/prescan/PrescanReport.h"

#include <string>

namespace a2 {

// Times, rates and bank turns are null where they were not measured: with files, without numbers, or where the result
// is wrong.
std::string prescanJson(const PrescanSettings& settings, std::uint64_t n, const PrescanFigures& figures,
                        const DevicePrescan::Judged& judged);

}  // namespace a2
