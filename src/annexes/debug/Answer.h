// The answers of a2 debug: text, and with --json the same as one line of JSON.
#pragma once

#include <nlohmann/json.hpp>

#include <string>

namespace a2::debug {

class Answer {
public:
    explicit Answer(bool json) : json_(json) {}

    bool isJson() const { return json_; }
    void say(const std::string& text) { text_ += text; }
    // Adds a member to the line of JSON.
    void tell(const char* name, nlohmann::json value) { told_[name] = std::move(value); }
    // Writes the answer to this command, and begins the next one. fine: the command succeeded.
    void flush(const std::string& command, bool fine);

private:
    bool json_;
    std::string text_;
    nlohmann::json told_ = nlohmann::json::object();
};

}  // namespace a2::debug
