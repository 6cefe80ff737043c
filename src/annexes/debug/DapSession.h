// a2 debug for an editor that uses the Debug Adapter Protocol: invocations are its threads.
#pragma once

#include "annexes/debug/DapChannel.h"
#include "annexes/debug/DapVariables.h"
#include "annexes/debug/Moves.h"
#include "annexes/debug/PrintedLines.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace a2::debug {

// An editor's launch request.
struct DapLaunch {
    nlohmann::json request;          // answered when the session begins
    std::vector<std::string> words;  // as typed after `a2`: debug, the task, its options
    bool stopsAtEntry = true;
};
// Handles the first messages of an editor. task: if the command line names it; otherwise the launch names `task`, or
// `kernel`, a file of shaders/ or of a folder like it, and options as `args`. Empty: the editor has gone.
std::optional<DapLaunch> launchOf(DapChannel& channel, const std::vector<std::string>& typed);

class DapSession {
public:
    // head: what is wrong with the run, in lines.
    DapSession(DapChannel& channel, Timeline& timeline, std::string head);

    // Answers the launch, and returns when the editor has gone.
    void run(const DapLaunch& launch);

private:
    Way lookAt(const Look& look);
    // Where a request leads the walk, if anywhere.
    std::optional<Way> answer(const Look& look, const nlohmann::json& request);
    std::optional<Way> move(const View& view, const std::string& command);
    void tellStop(const View& view);
    void setBreakpoints(const nlohmann::json& request);
    void setDataBreakpoints(const View& view, const nlohmann::json& request);
    nlohmann::json threads(const View& view) const;
    nlohmann::json stack(const View& view, std::uint64_t thread) const;
    View viewOf(const View& view, std::uint64_t frame) const;

    DapChannel& channel_;
    Timeline& timeline_;
    std::string head_;
    Stops stops_;
    Moves moves_;
    DapVariables variables_;
    bool begun_ = false, entry_ = true;
    PrintedLines printed_{1000, [this](const std::string& line) {
                              channel_.tell("output", {{"category", "stdout"}, {"output", line}});
                          }};
};

}  // namespace a2::debug
