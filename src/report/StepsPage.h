// `a2 steps --html`: the run as a single, self-contained page for a browser.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace a2 {

// src/report/steps/steps.html, with the files beside it that it names
std::string_view stepsPageTemplate();
std::string_view besidePageTemplate();  // beside.html there

// The text of each file that a line of the report's kernels names, by its name in the report: from that folder of
// --shader-dir (empty: none), or else the project's. A file that cannot be read, or has other lines than the report, is
// left out.
using KernelTexts = std::map<std::string, std::string>;
KernelTexts kernelTexts(const std::string& report, const std::string& shaderDir);

// The page with a report of `a2 steps` (jsonReport) and these texts. It draws only from these.
std::string stepsPage(const std::string& report, const KernelTexts& kernels);

// Two such pages in one, side by side, with their titles.
struct RunToDraw {
    std::string title, report;
    KernelTexts kernels;
};
std::string stepsPages(const RunToDraw& one, const RunToDraw& other);

// Reads a file of `a2 steps --json`, to be drawn beside another run. Throws UsageError if it is no such file, or is one
// of another version of reports.
std::string readStepsReport(const std::string& file);
std::string titleOfRun(const std::string& report);  // "scan/naive, n = 16: passed"

}  // namespace a2
