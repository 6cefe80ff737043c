// `a2 steps --html`: the run as one page for a browser, which needs nothing else.
#pragma once

#include <string>
#include <string_view>

namespace a2 {

// src/report/steps/page.html, with the files beside it that it names
std::string_view stepsPageTemplate();

// The page with a report of `a2 steps` (jsonReport) in it: it draws that, and knows nothing else.
std::string stepsPage(const std::string& report);

}  // namespace a2
