#include "report/StepsPage.h"

#include <nlohmann/json.hpp>

namespace a2 {

std::string stepsPage(const std::string& report)
{
    std::string data;
    for (const char one : nlohmann::ordered_json::parse(report).dump(-1, ' ', true)) {
        // In strings only, where a tag would end the data.
        if (one == '<')
            data += "\\u003c";
        else
            data += one;
    }
    std::string page(stepsPageTemplate());
    const std::string mark = "@REPORT@";
    return page.replace(page.find(mark), mark.size(), data);
}

}  // namespace a2
