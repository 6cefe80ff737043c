#include "base/RunDelay.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <system_error>

namespace a2 {

namespace {

namespace fs = std::filesystem;
using std::chrono::nanoseconds;

// The second number of /proc/PID/schedstat (Linux, Documentation/scheduler/sched-stats.rst).
nanoseconds runDelayOf(int process)
{
    std::ifstream file("/proc/" + std::to_string(process) + "/schedstat");
    std::int64_t running = 0, waiting = 0;
    return file >> running >> waiting ? nanoseconds(waiting) : nanoseconds(0);
}

// For each process that this one sees, the process that started it.
std::map<int, int> parents()
{
    std::map<int, int> all;
    std::error_code none;
    for (fs::directory_iterator entry("/proc", none); !none && entry != fs::directory_iterator();
         entry.increment(none)) {
        const std::string name = entry->path().filename().string();
        if (name.find_first_not_of("0123456789") != std::string::npos) continue;
        std::ifstream file(entry->path() / "stat");
        std::string text;
        std::getline(file, text);
        const std::size_t end = text.rfind(')');  // end of its program's name, which may have any characters
        if (end != std::string::npos && end + 4 < text.size()) all[std::stoi(name)] = std::atoi(&text[end + 4]);
    }
    return all;
}

}  // namespace

RunDelay::RunDelay(int process)
{
    all_.push_back({process});
    const std::map<int, int> startedBy = parents();
    for (std::size_t i = 0; i < all_.size(); ++i)
        for (const auto& [child, parent] : startedBy)
            if (parent == all_[i].process) all_.push_back({child});
}

void RunDelay::begin()
{
    for (One& one : all_) one.before = runDelayOf(one.process);
}

nanoseconds RunDelay::waited() const
{
    nanoseconds most(0);
    for (const One& one : all_) most = std::max(most, runDelayOf(one.process) - one.before);
    return most;
}

}  // namespace a2
