#include "report/StepsPage.h"

#include "a2/Error.h"
#include "files/Utf8Path.h"
#include "gpu/KernelSources.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <set>
#include <utility>

namespace a2 {

namespace {

using Json = nlohmann::ordered_json;

// As the text of a script element: "<" is in strings only, where a tag would end it.
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

std::set<std::string> filesIn(const Json& report)
{
    std::set<std::string> files;
    const auto dispatches = report.find("dispatches");
    if (dispatches == report.end() || !dispatches->is_array()) return files;
    for (const Json& dispatch : *dispatches) {
        files.insert(dispatch.at("kernel").get<std::string>() + ".comp");
        if (!dispatch.at("trace").is_null())
            for (const Json& line : dispatch.at("trace").at("lines")) files.insert(line.at("file").get<std::string>());
    }
    return files;
}

}  // namespace

KernelTexts kernelTexts(const std::string& report, const std::string& shaderDir)
{
    KernelTexts texts;
    try {
        const KernelSources sources(pathOf(shaderDir));
        for (const std::string& file : filesIn(Json::parse(report))) {
            std::optional<std::string> text = sources.textOf(file);
            if (!text) text = sources.textOf("include/" + file);
            if (text) texts.emplace(file, std::move(*text));
        }
    } catch (const Error&) {  // the folder has gone since
    }
    return texts;
}

std::string stepsPage(const std::string& report, const KernelTexts& kernels)
{
    std::string page(stepsPageTemplate());
    put(page, "@KERNELS@", embedded(Json(kernels)));
    put(page, "@REPORT@", embedded(Json::parse(report)));
    return page;
}

}  // namespace a2
