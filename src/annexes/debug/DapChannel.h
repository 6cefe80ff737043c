// Messages of the Debug Adapter Protocol on standard input and output
// (https://microsoft.github.io/debug-adapter-protocol/overview: a header with Content-Length, an empty line, JSON).
#pragma once

#include <nlohmann/json.hpp>

#include <memory>
#include <optional>
#include <string>

namespace a2::debug {

class DapChannel {
public:
    DapChannel();  // a thread reads from here on
    ~DapChannel();
    DapChannel(const DapChannel&) = delete;
    DapChannel& operator=(const DapChannel&) = delete;

    // Requests in order. Other messages are refused here. Empty: the client has gone.
    std::optional<nlohmann::json> next();
    // Whether the next request asks to stop a running walk: `pause`, `disconnect`, `terminate`, or the client's end. It
    // stays the next one.
    bool wantsToStop() const;

    void respond(const nlohmann::json& request, nlohmann::json body = nlohmann::json::object());
    void refuse(const nlohmann::json& request, const std::string& why);
    void tell(const std::string& event, nlohmann::json body = nlohmann::json::object());

private:
    struct Requests;
    void send(nlohmann::json message);

    std::shared_ptr<Requests> requests_;  // shared with the thread, which may outlive this object: it waits for input
    int sent_ = 0;
};

}  // namespace a2::debug
