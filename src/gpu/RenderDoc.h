// RenderDoc's in-application API: one capture of one piece of work, without a window.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace a2 {

class OutputFile;

class RenderDoc {
public:
    // Whether the library is on this machine. Does not load it.
    static bool installed();
    // Whether this build found RenderDoc's header renderdoc_app.h. Without it load() always returns nothing.
    static bool builtWithHeader();

    // Call it before the first openDevice() or Instance: RenderDoc only sees instances that are made after it was
    // loaded. It stays loaded until the process ends, and makes times meaningless. On Linux it cannot open the TCP port
    // on which it would listen for its window. Empty where RenderDoc is not installed.
    static std::optional<RenderDoc> load();

    // Captures the work that `work` submits, and stores `comments` in the capture, where RenderDoc's window shows them.
    // The file appears whole under `target`, or nothing changes there. Exceptions of `work` pass through. Throws
    // UsageError if the target cannot be written or is no file, EnvironmentError if RenderDoc captured nothing.
    void capture(OutputFile& target, const std::string& comments, const std::function<void()>& work) const;

private:
    explicit RenderDoc(void* api) : api_(api) {}
    [[maybe_unused]] void* api_;  // RENDERDOC_API_1_4_0
};

}  // namespace a2
