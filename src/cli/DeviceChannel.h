// The device's process, as it sees the a2 that started it.
#pragma once

#include "cli/DeviceFrames.h"
#include "recording/Pipe.h"

#include <functional>
#include <string>
#include <utility>

namespace a2 {

class DeviceChannel {
public:
    // Takes the pipe and reads the request. From here on this process ends, and leaves nothing behind, when the other
    // one has ended. Throws UsageError where no a2 has started it.
    DeviceChannel();
    // Without a second process: `hear` gets the messages.
    using Hear = std::function<void(const nlohmann::json& message)>;
    DeviceChannel(DeviceRequest request, Hear hear) : request_(std::move(request)), hear_(std::move(hear)) {}
    DeviceChannel(const DeviceChannel&) = delete;
    DeviceChannel& operator=(const DeviceChannel&) = delete;

    const DeviceRequest& request() const { return request_; }
    void send(const nlohmann::json& message) const;
    // A message with a text: "note", "progress", "print", "phase".
    void send(const char* is, const std::string& text) const { send({{"is", is}, {"text", text}}); }

private:
    void endWithParent() const;

    Pipe pipe_;
    DeviceRequest request_;
    Hear hear_;
};

}  // namespace a2
