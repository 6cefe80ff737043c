#include "annexes/debug/Answer.h"

#include <fmt/format.h>

#include <cstdio>
#include <utility>

namespace a2::debug {

void Answer::flush(const std::string& command, bool fine)
{
    nlohmann::json all = std::exchange(told_, nlohmann::json::object());
    const std::string text = std::exchange(text_, "");
    if (json_) {
        all["command"] = command;
        all["ok"] = fine;
        all["text"] = text;
        fmt::print("{}\n", all.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    } else {
        fmt::print("{}", text);
    }
    std::fflush(stdout);
}

}  // namespace a2::debug
