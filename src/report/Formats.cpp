#include "report/Formats.h"

#include <array>

namespace a2 {

std::span<const ReportFormat> reportFormats()
{
    static constexpr std::array all = {
        ReportFormat{"--json", "JSON",
                     [](const RowsReport& of) { return jsonReport(of.context, of.outcomes, of.part, of.times); }},
        ReportFormat{"--csv", "CSV",
                     [](const RowsReport& of) {
                         return of.timesAlone ? benchCsvReport(of.outcomes, of.context.copyPeakGBps)
                                              : csvReport(of.outcomes);
                     }},
        ReportFormat{"--junit", "JUnit XML", [](const RowsReport& of) { return junitReport(of.outcomes); }},
    };
    return all;
}

}  // namespace a2
