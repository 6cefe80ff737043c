// What a worker answers: the frames that come through its pipe (recording/Frames.h), of which nothing is trusted.
#pragma once

#include "recording/Request.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace a2 {

class AnswerFrames {
public:
    enum class Stage { starting, loading, serving };

    // worker: its path, for messages.
    AnswerFrames(std::string worker, const RecordingLimits& limits) : worker_(std::move(worker)), limits_(limits) {}

    void beginRequest();
    // The next bytes. entered: called when a stage begins. False: the process is to be ended.
    bool take(std::string_view bytes, const std::function<void()>& entered);
    // The answer, after checking that it fits this request. There must be one.
    RecordAnswer checked(const RecordRequest& request);

    Stage stage() const { return stage_; }
    bool hasAnswer() const { return answer_.has_value(); }
    bool isBetweenFrames() const { return frame_.empty(); }
    const std::string& phase() const { return phase_; }      // of the request, that began last
    const std::string& call() const { return call_; }        // of Vulkan, the last, if a signal ended it
    const std::string& stack() const { return stack_; }      // where that was in its code
    const std::string& trouble() const { return trouble_; }  // a problem of the environment
    const std::string& problem() const { return problem_; }  // why nothing from this process can be trusted

private:
    std::uint64_t frameLength() const;
    // Whether an undisturbed worker could begin a frame like this.
    bool isPlausible() const;
    // False: it is of another version.
    bool takeFrame(const std::function<void()>& entered);

    std::string worker_;
    const RecordingLimits& limits_;
    Stage stage_ = Stage::starting;
    std::vector<std::uint8_t> frame_;                  // the bytes of the next frame so far
    std::optional<std::vector<std::uint8_t>> answer_;  // the whole frame
    std::string phase_, call_, stack_, trouble_, problem_;
};

}  // namespace a2
