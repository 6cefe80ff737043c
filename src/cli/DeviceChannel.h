// The connection of the device's process to the a2 that started it.
#pragma once

#include "cli/DeviceFrames.h"
#include "recording/Pipe.h"

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace a2 {

class DeviceChannel {
public:
    // Takes the pipe and reads the request. Throws UsageError if no a2 has started it.
    DeviceChannel();
    // From now on this process ends, and leaves nothing behind, when the other one has ended. Twice a second it reports
    // that it is alive, and which call of the driver it is in. Throws std::system_error if threads cannot be created.
    void listen();
    // For use without a second process: `hear` gets the messages.
    DeviceChannel(DeviceRequest request, HearDevice hear) : request_(std::move(request)), hear_(std::move(hear)) {}
    DeviceChannel(const DeviceChannel&) = delete;
    DeviceChannel& operator=(const DeviceChannel&) = delete;

    const DeviceRequest& request() const { return request_; }
    void send(const nlohmann::json& message) const;
    // Sends a message that is answered, and waits for the answer.
    nlohmann::json ask(const nlohmann::json& message) const;
    // The connection to the other ranks that share the arrays, through the a2 that started this process; empty if there
    // are none. It must not outlive this object.
    std::optional<Together> together() const;
    // A message with a text: "note", "progress", "print", "phase".
    void send(const char* is, const std::string& text) const { send({{"is", is}, {"text", text}}); }

private:
    class Answers;
    void tellOfLife();

    Pipe pipe_;
    std::shared_ptr<std::mutex> writing_;  // for writing into the pipe; shared with the thread that reports life
    DeviceRequest request_;
    HearDevice hear_;
    std::shared_ptr<Answers> answers_;  // shared with the thread that listens
};

}  // namespace a2
