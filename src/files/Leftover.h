// Files and folders that must not stay behind if the program ends early: unfinished files, and folders made for them.
#pragma once

#include <filesystem>
#include <functional>

namespace a2 {

// One file, link or folder, removed with this object unless it is kept. A folder is removed only if it is empty by
// then; the last one named is removed first.
class Leftover {
public:
    enum class Kind { file, folder };

    Leftover() = default;
    // From here on it is removed if the program ends by an exception, by a signal or by removeLeftovers(). Create the
    // file right after this: a signal in between finds nothing to remove.
    Leftover(const std::filesystem::path& path, Kind kind);
    ~Leftover() { remove(); }
    Leftover(Leftover&& other) noexcept;
    Leftover& operator=(Leftover&& other) noexcept;

    void keep() noexcept;
    void remove() noexcept;

    struct Entry;

private:
    Entry* entry_ = nullptr;  // in the list that a signal handler walks; never freed
};

// From now on called for each leftover, when it is named and when it is kept. Another process can then remove the
// leftovers of a process that no longer can.
using LeftoverNews = std::function<void(const std::filesystem::path&, Leftover::Kind, bool kept)>;
void tellOfLeftovers(LeftoverNews news);

// A process with leftovers of its own: a signal handler ends it, and waits for its end, before it removes anything. 0:
// none. (On Windows a job ends it.)
void endBeforeLeftovers(int process) noexcept;

// Call it before the program ends without destructors. Safe in a signal handler.
void removeLeftovers() noexcept;

// From now on SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU and SIGPIPE (Ctrl-C and a closed console on Windows) end the
// programs that runProcess() has started and remove all leftovers, and the program still ends by them. SIGPIPE ends it
// only if the reader of stdout has gone. Exceeding the file size limit is an error of the write. Signals that were
// ignored when the program started stay ignored.
void removeLeftoversOnSignals();

}  // namespace a2
