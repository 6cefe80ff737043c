// The device's process, as it sees the a2 that started it.
#pragma once

#include "cli/DeviceFrames.h"
#include "recording/Pipe.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace a2 {

class DeviceChannel {
public:
    // Takes the pipe and reads the request. From here on this process ends, and leaves nothing behind, when the other
    // one has ended. Throws UsageError where no a2 has started it.
    DeviceChannel();
    // Without a second process: `hear` gets the messages.
    DeviceChannel(DeviceRequest request, HearDevice hear) : request_(std::move(request)), hear_(std::move(hear)) {}
    DeviceChannel(const DeviceChannel&) = delete;
    DeviceChannel& operator=(const DeviceChannel&) = delete;

    const DeviceRequest& request() const { return request_; }
    void send(const nlohmann::json& message) const;
    // A message that is answered: waits for the answer.
    nlohmann::json ask(const nlohmann::json& message) const;
    // With the other ranks that share the arrays, through the a2 that started this process; empty where it is alone.
    // Not longer than this object is.
    std::optional<Together> together() const;
    // A message with a text: "note", "progress", "print", "phase".
    void send(const char* is, const std::string& text) const { send({{"is", is}, {"text", text}}); }

private:
    class Answers;
    void listen();

    Pipe pipe_;
    DeviceRequest request_;
    HearDevice hear_;
    std::shared_ptr<Answers> answers_;  // of the thread that listens, too
};

}  // namespace a2
