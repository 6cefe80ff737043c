// What must not stay behind where the program ends on the way: files that are not whole yet, and folders made for them.
#pragma once

#include <filesystem>
#include <functional>

namespace a2 {

// One file, link or folder, removed with this object unless it is kept. A folder goes only where it is empty by then;
// what was named last goes first.
class Leftover {
public:
    enum class Kind { file, folder };

    Leftover() = default;
    // From here on it goes away if the program ends by an exception, by a signal or by removeLeftovers(). It may be
    // made right after this: a signal in between finds nothing to remove.
    Leftover(const std::filesystem::path& path, Kind kind);
    ~Leftover() { remove(); }
    Leftover(Leftover&& other) noexcept;
    Leftover& operator=(Leftover&& other) noexcept;

    void keep() noexcept;
    void remove() noexcept;

    struct Entry;

private:
    Entry* entry_ = nullptr;  // of the list that a signal's handler walks; never freed
};

// From now on told of each leftover, when it is named and when it is kept: for another process, which removes those of
// one that cannot any more.
using LeftoverNews = std::function<void(const std::filesystem::path&, Leftover::Kind, bool kept)>;
void tellOfLeftovers(LeftoverNews news);

// A process that a signal's handler ends, and waits for, before it removes anything: it has leftovers of its own.
// 0: none. (On Windows a job ends it.)
void endBeforeLeftovers(int process) noexcept;

// Before the program leaves without destructors. Safe in a signal's handler.
void removeLeftovers() noexcept;

// From now on SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU and SIGPIPE (Ctrl-C and a closed console on Windows) remove
// what is left over, and the program still ends by them. SIGPIPE ends it only where the reader of stdout has gone. A
// file size limit is an error of the write. Signals that whoever started the program had ignored stay ignored.
void removeLeftoversOnSignals();

}  // namespace a2
