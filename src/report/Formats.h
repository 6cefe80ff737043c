// The formats in which the results of rows are written to files. To add one, add a line here, and a function in a file
// of its own.
#pragma once

#include "report/Report.h"

#include <span>

namespace a2 {

struct RowsReport {
    const ReportContext& context;
    const std::vector<TaskOutcome>& outcomes;
    JsonPart part;
    TimesAs times = TimesAs::median;
    bool timesAlone = false;  // nothing was checked, as in `a2 bench`
};

struct ReportFormat {
    const char* option;  // of the command line, which takes a file
    const char* name;    // "write results to this file as ..."
    std::string (*text)(const RowsReport&);
};

std::span<const ReportFormat> reportFormats();

}  // namespace a2
