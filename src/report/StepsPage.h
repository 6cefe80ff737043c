// `a2 steps --html`: the run as one page for a browser, which needs nothing else.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace a2 {

// src/report/steps/steps.html, with the files beside it that it names
std::string_view stepsPageTemplate();
std::string_view besidePageTemplate();  // beside.html there

// The text of each file that a line of the report's kernels stands in, by the name that the report has for it: from
// that folder of --shader-dir (empty: none), or else the project's. What cannot be read, or has other lines than the
// report, is left out.
using KernelTexts = std::map<std::string, std::string>;
KernelTexts kernelTexts(const std::string& report, const std::string& shaderDir);

// The page with a report of `a2 steps` (jsonReport) and these texts in it: it draws them, and knows nothing else.
std::string stepsPage(const std::string& report, const KernelTexts& kernels);

// Two such pages in one, beside each other, and what they are called there.
struct RunToDraw {
    std::string title, report;
    KernelTexts kernels;
};
std::string stepsPages(const RunToDraw& one, const RunToDraw& other);

// A file that `a2 steps --json` has written, to be drawn beside another run. Throws UsageError where it is none, or is
// one of another version of reports.
std::string readStepsReport(const std::string& file);
std::string titleOfRun(const std::string& report);  // "scan/naive, n = 16: passed"

}  // namespace a2
