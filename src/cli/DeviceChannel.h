// The device's process, as it sees the a2 that started it.
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
    // Takes the pipe and reads the request. Throws UsageError where no a2 has started it.
    DeviceChannel();
    // From here on this process ends, and leaves nothing behind, when the other one has ended, and says twice a second
    // that it is alive, and which call of the driver it is in. Throws std::system_error where there can be no threads.
    void listen();
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
    void tellOfLife();

    Pipe pipe_;
    std::shared_ptr<std::mutex> writing_;  // of whoever writes into the pipe; of the thread that says it lives, too
    DeviceRequest request_;
    HearDevice hear_;
    std::shared_ptr<Answers> answers_;  // of the thread that listens, too
};

}  // namespace a2
