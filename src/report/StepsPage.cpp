#include "report/StepsPage.h"

#include "a2/Error.h"
#include "files/InputFile.h"
#include "files/Utf8Path.h"
#include "gpu/KernelSources.h"
#include "report/Report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace a2 {

namespace {

using Json = nlohmann::ordered_json;

// As the text of a script element: "<" occurs only in strings, where a tag would end the script.
std::string embedded(const Json& json)
{
    std::string data;
    for (const char one : json.dump(-1, ' ', true, Json::error_handler_t::replace)) {
        if (one == '<')
            data += "\\u003c";
        else
            data += one;
    }
    return data;
}

void put(std::string& page, const std::string& mark, const std::string& text)
{
    page.replace(page.find(mark), mark.size(), text);
}

struct LineOfReport {
    std::string file;
    std::size_t line = 0;  // 0: not known
    std::string text;
};

// The lines of the kernels, and each kernel's own file.
std::vector<LineOfReport> linesIn(const Json& report)
{
    std::vector<LineOfReport> lines;
    const auto dispatches = report.find("dispatches");
    if (dispatches == report.end() || !dispatches->is_array()) return lines;
    for (const Json& dispatch : *dispatches) {
        lines.push_back({dispatch.at("kernel").get<std::string>() + ".comp", 0, {}});
        if (!dispatch.at("trace").is_null())
            for (const Json& line : dispatch.at("trace").at("lines"))
                lines.push_back({line.at("file"), line.at("line"), line.at("text")});
    }
    return lines;
}

std::string_view lineOf(std::string_view text, std::size_t number)
{
    for (; number > 1 && text.find('\n') != std::string_view::npos; --number) text.remove_prefix(text.find('\n') + 1);
    return number > 1 ? std::string_view() : text.substr(0, text.find('\n'));
}

}  // namespace

KernelTexts kernelTexts(const std::string& report, const std::string& shaderDir)
{
    KernelTexts texts;
    const std::vector<LineOfReport> lines = linesIn(Json::parse(report));
    try {
        const KernelSources sources(pathOf(shaderDir));
        for (const LineOfReport& one : lines) {
            if (one.file.empty() || texts.contains(one.file)) continue;
            std::optional<std::string> text = sources.textOf(one.file);
            if (!text) text = sources.textOf("include/" + one.file);
            if (text) texts.emplace(one.file, std::move(*text));
        }
    } catch (const Error&) {  // the folder was removed meanwhile
    }
    for (const LineOfReport& one : lines)
        if (const auto found = texts.find(one.file); found != texts.end() && one.line > 0)
            if (lineOf(found->second, one.line).find(one.text) == std::string_view::npos) texts.erase(found);
    return texts;
}

std::string stepsPage(const std::string& report, const KernelTexts& kernels)
{
    std::string page(stepsPageTemplate());
    put(page, "@KERNELS@", embedded(Json(kernels)));
    put(page, "@REPORT@", embedded(Json::parse(report)));
    return page;
}

std::string stepsPages(const RunToDraw& one, const RunToDraw& other)
{
    Json both = {{"page", stepsPageTemplate()}, {"runs", Json::array()}};
    for (const RunToDraw* const run : {&one, &other})
        both["runs"].push_back(
            {{"title", run->title}, {"report", Json::parse(run->report)}, {"kernels", Json(run->kernels)}});
    std::string page(besidePageTemplate());
    put(page, "@RUNS@", embedded(both));
    return page;
}

std::string readStepsReport(const std::string& file)
{
    constexpr std::size_t largest = std::size_t{1} << 26;  // bytes
    const auto refused = [&file](const std::string& why) {
        return UsageError(fmt::format("--beside {}: {}", file, why));
    };
    std::string text;
    InputFile input(file);
    std::array<char, 1 << 16> part;
    for (std::size_t got = 1; got > 0;) {
        got = input.read(part.data(), part.size());
        text.append(part.data(), got);
        if (text.size() > largest) throw refused("is too long for a report that a2 steps --json has written");
    }
    try {
        const Json json = Json::parse(text);
        if (json.at("schema") != reportVersion)
            throw refused(
                fmt::format("is a report of version {}, and this a2 draws version {}: write it again, by a2 "
                            "steps --json",
                            json.at("schema").dump(), reportVersion));
        const Json& test = json.at("tests").at(0);
        for (const char* const name : {"id", "label", "status"}) test.at(name).get<std::string>();
        test.at("cases").at(0).at("n").get<std::uint64_t>();
        json.at("context").at("device").at("name").get<std::string>();
        if (!json.at("dispatches").is_array()) throw refused("is no report of a2 steps --json");
        linesIn(json);
    } catch (const Json::exception&) {
        throw refused("is no report that a2 steps --json has written");
    }
    return text;
}

std::string titleOfRun(const std::string& report)
{
    const Json json = Json::parse(report);
    const Json& test = json.at("tests").at(0);
    return fmt::format("{}, n = {}: {}", test.at("id").get<std::string>(), test.at("cases").at(0).at("n").dump(),
                       test.at("status").get<std::string>());
}

}  // namespace a2
