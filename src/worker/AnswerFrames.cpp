#include "worker/AnswerFrames.h"

#include "recording/Frames.h"
#include "recording/RecordingCheck.h"
#include "recording/RecordingFile.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace a2 {

namespace {

constexpr const char* garbage = "it wrote into the pipe that its recording goes through";

// Makes one line of printable ASCII of the worker's text, which may contain anything.
std::string cleaned(std::string text)
{
    if (text.size() > mostText) text.resize(mostText);
    for (char& one : text)
        if (one < ' ' || one > '~') one = one == '\n' || one == '\t' ? ' ' : '?';
    return text;
}

std::string textOf(std::span<const std::uint8_t> bytes) { return cleaned({bytes.begin(), bytes.end()}); }

}  // namespace

void AnswerFrames::beginRequest()
{
    phase_.clear();
    call_.clear();
    stack_.clear();
    answer_.reset();
}

bool AnswerFrames::take(std::string_view bytes, const std::function<void()>& entered)
{
    while (!bytes.empty() && problem_.empty()) {
        const std::size_t whole = frame_.size() < frameHead ? frameHead : frameHead + frameLength();
        const std::size_t count = std::min(whole - frame_.size(), bytes.size());
        frame_.insert(frame_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(count));
        bytes.remove_prefix(count);
        if (frame_.size() < frameHead) return true;
        if (!isPlausible()) {
            problem_ = garbage;
            return false;
        }
        if (frame_.size() < frameHead + frameLength()) continue;
        if (!takeFrame(entered)) return false;
        frame_.clear();
    }
    return true;
}

std::uint64_t AnswerFrames::frameLength() const { return lengthFrom(frame_.data() + 1); }

bool AnswerFrames::isPlausible() const
{
    const bool known = Frame{frame_[0]} == Frame::version;
    if (stage_ == Stage::starting) return known && frameLength() <= mostText;
    switch (Frame{frame_[0]}) {
        case Frame::trouble:
        case Frame::ready:
            return stage_ == Stage::loading && frameLength() <= mostText;
        case Frame::phase:
            return stage_ == Stage::serving && !answer_ && frameLength() <= mostText;
        case Frame::lastCall:
            return stage_ == Stage::serving && frameLength() <= mostText;
        case Frame::answer:
            return stage_ == Stage::serving && !answer_ && frameLength() <= limits_.bytes;
        case Frame::version:
            break;
    }
    return false;
}

bool AnswerFrames::takeFrame(const std::function<void()>& entered)
{
    const std::span<const std::uint8_t> bytes = std::span(frame_).subspan(frameHead);
    switch (Frame{frame_[0]}) {
        case Frame::version:
            if (const std::string theirs = textOf(bytes); theirs != std::to_string(workerVersion)) {
                trouble_ = fmt::format("{} is of version {}, and a2 of version {}", worker_, theirs, workerVersion);
                return false;
            }
            stage_ = Stage::loading;
            entered();
            break;
        case Frame::trouble:
            trouble_ = textOf(bytes);
            break;
        case Frame::ready:
            stage_ = Stage::serving;
            entered();
            break;
        case Frame::phase:
            phase_ = textOf(bytes);
            break;
        case Frame::lastCall: {  // after it, on a new line, its place in the code: recorder/StudentLibrary.cpp
            const auto end = std::find(bytes.begin(), bytes.end(), std::uint8_t{'\n'});
            call_ = textOf({bytes.begin(), end});
            stack_ = textOf({end, bytes.end()});
            break;
        }
        case Frame::answer:
            answer_ = std::move(frame_);
            break;
    }
    return true;
}

RecordAnswer AnswerFrames::checked(const RecordRequest& request)
{
    const auto wrong = [this](const std::string& why) {
        problem_ = "its answer is no recording of what was asked for: " + why;
        return RecordFailure{RecordFailure::Kind::ended, phase_, problem_, call_};
    };
    try {
        RecordAnswer answer = answerFrom(std::span(*answer_).subspan(frameHead), limits_);
        if (std::holds_alternative<RecordFailure>(answer)) return answer;
        const Recording& recording = std::get<Recording>(answer);
        checkRecording(recording);
        checkAnswers(recording, request);
        return answer;
    } catch (const RecordingError& error) {
        return wrong(cleaned(error.what()));
    }
}

}  // namespace a2
