// The events that a2 watch waits for: a save in some folders, a key, a signal, the end of another program.
#pragma once

#include "base/Process.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace a2 {

// While it lives, keys arrive at once if the standard input is a terminal; its mode is restored afterwards.
class WatchLoop {
public:
    // Throws EnvironmentError if a folder cannot be watched.
    explicit WatchLoop(const std::vector<std::filesystem::path>& folders);
    ~WatchLoop();
    WatchLoop(const WatchLoop&) = delete;
    WatchLoop& operator=(const WatchLoop&) = delete;

    // Waits until something was saved in one of the folders, and nothing more for a moment: editors write a file in
    // several steps. False: the user has ended it, by q, Ctrl-C or a signal.
    bool awaitSave();

    // Runs a program to its end, as runProcess does, without limits. Empty if the user has ended it, or something was
    // saved meanwhile: the program is then ended.
    std::optional<ProcessResult> run(const std::string& program, const std::vector<std::string>& arguments);

private:
    class Handles;
    std::unique_ptr<Handles> handles_;
};

}  // namespace a2
