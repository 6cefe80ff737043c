#include "base/PrintableText.h"
#include "report/Explanation.h"
#include "report/Report.h"

#include <fmt/format.h>
#include <pugixml.hpp>

#include <algorithm>
#include <sstream>

namespace a2 {

namespace {

// XML 1.0 cannot represent most control characters, and names of files may hold bytes that are not UTF-8.
std::string printable(std::string text)
{
    std::replace_if(
        text.begin(), text.end(), [](unsigned char c) { return c < 0x20 && c != '\n' && c != '\t'; }, '?');
    return printableLines(text);
}

std::string joined(const std::vector<std::string>& lines)
{
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return printable(text);
}

}  // namespace

std::string junitReport(const std::vector<TaskOutcome>& outcomes)
{
    const auto count = [&](auto predicate) {
        return static_cast<long long>(std::count_if(outcomes.begin(), outcomes.end(), predicate));
    };
    pugi::xml_document document;
    pugi::xml_node suite = document.append_child("testsuites").append_child("testsuite");
    suite.append_attribute("name") = "a2";
    suite.append_attribute("tests") = static_cast<long long>(outcomes.size());
    const auto failed = [](const TaskOutcome& one) {
        return one.status == Status::failed || one.status == Status::notWritten;
    };
    suite.append_attribute("failures") = count(failed);
    suite.append_attribute("errors") =
        count([](const TaskOutcome& one) { return one.status == Status::timeout || one.status == Status::crashed; });
    suite.append_attribute("skipped") = count([](const TaskOutcome& one) { return one.status == Status::skipped; });
    for (const TaskOutcome& outcome : outcomes) {
        pugi::xml_node test = suite.append_child("testcase");
        test.append_attribute("classname") = outcome.task.id.substr(0, outcome.task.id.find('/')).c_str();
        test.append_attribute("name") = outcome.task.id.c_str();
        if (outcome.benchmark()) {
            double seconds = 0;
            for (const CaseOutcome& one : outcome.cases)
                if (one.benchmark) seconds += one.benchmark->ms.median / 1e3;
            test.append_attribute("time") = fmt::format("{:.6f}", seconds).c_str();
        }
        if (outcome.status == Status::passed) continue;
        const char* kind = outcome.status == Status::skipped ? "skipped" : failed(outcome) ? "failure" : "error";
        const std::vector<std::string> lines = reportLines(outcome);
        pugi::xml_node why = test.append_child(kind);
        if (outcome.status != Status::skipped) why.append_attribute("type") = statusText(outcome.status);
        why.append_attribute("message") = printable(lines.empty() ? statusText(outcome.status) : lines.front()).c_str();
        why.text() = joined(lines).c_str();
    }
    std::ostringstream stream;
    document.save(stream, "  ");
    return stream.str();
}

}  // namespace a2
