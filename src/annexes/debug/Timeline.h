// A recorded run that is walked again and again, up to wherever somebody wants to look at it: the walk is the same each
// time, so that going back is going forwards to an earlier place.
#pragma once

#include "judge/Schedule.h"
#include "lint/EmulatedRun.h"
#include "spirv/EmulatorStops.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace a2::debug {

// An invocation comes to a line; or, where there is none, a dispatch has ended.
struct Event {
    std::uint64_t group = 0;
    std::uint32_t dispatch = 0;  // of the run's dispatches
    std::uint32_t invocation = 0;
    std::uint32_t place = 0;  // the kernel's instruction
    std::uint32_t phase = 0;
    std::uint16_t depth = 0;     // calls round it
    std::uint16_t findings = 0;  // of its dispatch, so far
    bool isEnd = false;          // of the dispatch
    bool isAgain = false;        // after a call, in a line that has been come to before

    bool sameInvocation(const Event& other) const
    {
        return !isEnd && !other.isEnd && dispatch == other.dispatch && group == other.group &&
               invocation == other.invocation;
    }
};

// A number that was another one before this event than at it.
struct Change {
    std::uint64_t event = 0;  // that saw it first: what comes before it made it
    emulator::SpotNumber before, after;
    bool byTransfer = false;  // between two dispatches
};

// A place that the walk has come to.
struct Look {
    const emulator::Standing& here;
    const Event& event;
    std::uint64_t number = 0;                         // of the event
    bool runEnded = false;                            // nothing comes after it
    std::uint32_t found = 0;                          // the line before has made so many findings
    bool full = false;                                // what comes after it is not followed: it would be too much
    const std::optional<Change>* searched = nullptr;  // after a search
};

// How somebody who looked at a place goes on from there.
struct Way {
    enum class Kind {
        onward,  // until `until` says so, or the run's end
        seek,    // to the event of this number, before or after this place
        search,  // through all events before this one for the last change of what lies at `watched`
        again,   // from the first event to `target`, asking `until` at each; then to the event that `then` names
        quit
    } kind = Kind::quit;
    std::function<bool(const Look&)> until = {};
    std::function<std::uint64_t()> then = {};
    std::uint64_t target = 0;
    std::optional<emulator::Whereabouts> watched = {};
    emulator::SpotNumber as = {};  // what kind of number lies there
    std::uint32_t dispatch = 0;    // in which; of buffers: of no meaning
};

class Timeline {
public:
    // The recording outlives this object.
    // folders: where kernels' files are.
    Timeline(const Recording& recording, EmulatedRun::KernelOf kernelOf, GivenWords given, const Schedule& schedule,
             std::vector<std::filesystem::path> folders);

    // A kernel's file, of its name under shaders/; empty: it is in none of these folders.
    std::filesystem::path fileOf(const std::string& name) const;

    using LookAt = std::function<Way(const Look&)>;
    // Gets what kernels print, where it is walked through for the first time.
    using Printed = std::function<void(const EmulatorSettings::Printed&, std::uint32_t dispatch)>;

    // Walks from the first event on, and asks `lookAt` there, and at each place that its answers lead to, until one is
    // quit. Gives why the run could not be walked to its end; empty: it was, or nobody asked for it.
    std::string walk(const LookAt& lookAt, const Printed& printed);

    // "input" and "result", as the task has them.
    const std::map<std::string, const EmulatedBuffer*>& buffers() const { return buffers_; }
    // Of events that have been walked through.
    std::uint64_t known() const { return events_.size(); }
    const Event& event(std::uint64_t number) const { return events_.at(static_cast<std::size_t>(number)); }
    std::uint32_t dispatches() const { return static_cast<std::uint32_t>(dispatches_.size()); }
    const RecordedDispatch& dispatch(std::uint32_t number) const { return *dispatches_.at(number); }
    // Of all kernels of the run, where an invocation can come to a line, in order and each once.
    const std::vector<KernelLine>& lines() const { return lines_; }
    // The last event before `from` that this holds of.
    std::optional<std::uint64_t> lastBefore(std::uint64_t from, const std::function<bool(const Event&)>& holds) const;

    static constexpr std::size_t mostEvents = std::size_t{1} << 23;

private:
    struct Again {};  // thrown through the walk: from the beginning
    struct Quit {};

    void walkOnce(const LookAt& lookAt, const Printed& printed);
    void come(const emulator::Standing& here, const LookAt& lookAt);
    void search(const emulator::Standing& here, const Event& event, std::uint64_t number);
    void follow(Way way, std::uint64_t number);

    const RecordedRun& run_;
    EmulatedRun walked_;
    std::vector<EmulatedBuffer> start_;  // what the buffers held
    std::vector<const RecordedDispatch*> dispatches_;
    std::vector<std::filesystem::path> folders_;
    EmulatorSettings settings_;
    std::vector<Event> events_;
    std::vector<KernelLine> lines_;
    std::map<std::string, const EmulatedBuffer*> buffers_;

    Way way_;
    std::uint64_t next_ = 0;  // number of the next event
    std::uint32_t dispatch_ = 0;
    std::optional<emulator::SpotNumber> last_;  // of a search
    std::optional<Change> found_;
    std::string ended_;  // why the walk is over early
};

}  // namespace a2::debug
