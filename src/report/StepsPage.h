// `a2 steps --html`: the run as one page for a browser, which needs nothing else.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace a2 {

// src/report/steps/page.html, with the files beside it that it names
std::string_view stepsPageTemplate();

// The text of each file that a line of the report's kernels stands in, by the name that the report has for it: from
// that folder of --shader-dir (empty: none), or else the project's. What cannot be read is left out.
using KernelTexts = std::map<std::string, std::string>;
KernelTexts kernelTexts(const std::string& report, const std::string& shaderDir);

// The page with a report of `a2 steps` (jsonReport) and these texts in it: it draws them, and knows nothing else.
std::string stepsPage(const std::string& report, const KernelTexts& kernels);

}  // namespace a2
