// A recorded run that is walked repeatedly, each time up to the place to be looked at. The walk is the same each time,
// so going back means walking forwards to an earlier place.
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

// An invocation reaches a line; without a line, a dispatch has ended.
struct Event {
    std::uint64_t group = 0;
    std::uint32_t dispatch = 0;  // of the run's dispatches
    std::uint32_t invocation = 0;
    std::uint32_t place = 0;  // the kernel's instruction
    std::uint32_t phase = 0;
    std::uint16_t depth = 0;     // number of calls around it
    std::uint16_t findings = 0;  // of its dispatch, so far
    bool isEnd = false;          // of the dispatch
    bool isAgain = false;        // back from a call, in a line that was reached before

    bool sameInvocation(const Event& other) const
    {
        return !isEnd && !other.isEnd && dispatch == other.dispatch && group == other.group &&
               invocation == other.invocation;
    }
};

// A number that differs before this event and at it.
struct Change {
    std::uint64_t event = 0;  // the first that saw it: the code before it made the change
    emulator::SpotNumber before, after;
    bool byTransfer = false;  // between two dispatches
};

// A place that the walk has reached.
struct Look {
    const emulator::Standing& here;
    const Event& event;
    std::uint64_t number = 0;                         // of the event
    bool runEnded = false;                            // it is the last one
    std::uint32_t found = 0;                          // number of findings from the line before
    bool full = false;                                // what follows is not walked: it would be too much
    const std::optional<Change>* searched = nullptr;  // after a search
};

// How the walk goes on after a place was looked at.
struct Way {
    enum class Kind {
        onward,  // until `until` returns true, or to the run's end
        seek,    // to the event of this number, before or after this place
        search,  // through all events before this one for the last change at `watched`
        again,   // from the first event to `target`, calling `until` at each; then to the event that `then` returns
        quit
    } kind = Kind::quit;
    std::function<bool(const Look&)> until = {};
    std::function<std::uint64_t()> then = {};
    std::uint64_t target = 0;
    std::optional<emulator::Whereabouts> watched = {};
    emulator::SpotNumber as = {};  // the type of the number there
    std::uint32_t dispatch = 0;    // in which dispatch; not used for buffers
};

class Timeline {
public:
    // The recording must outlive this object. folders: those with kernels' files.
    Timeline(const Recording& recording, EmulatedRun::KernelOf kernelOf, GivenWords given, const Schedule& schedule,
             std::vector<std::filesystem::path> folders);

    // The file of a kernel with this name under shaders/; empty: none of these folders has it.
    std::filesystem::path fileOf(const std::string& name) const;

    using LookAt = std::function<Way(const Look&)>;
    // Gets the kernels' output, when a place is walked for the first time.
    using Printed = std::function<void(const EmulatorSettings::Printed&, std::uint32_t dispatch)>;

    // Walks from the first event on. Calls `lookAt` there, and at each place that its answers lead to, until one is
    // quit. Returns why the run could not be walked to its end; empty: it could, or its end was not needed.
    std::string walk(const LookAt& lookAt, const Printed& printed);

    // "input" and "result", by the task's names.
    const std::map<std::string, const EmulatedBuffer*>& buffers() const { return buffers_; }
    // The number of events that were walked so far.
    std::uint64_t known() const { return events_.size(); }
    const Event& event(std::uint64_t number) const { return events_.at(static_cast<std::size_t>(number)); }
    std::uint32_t dispatches() const { return static_cast<std::uint32_t>(dispatches_.size()); }
    const RecordedDispatch& dispatch(std::uint32_t number) const { return *dispatches_.at(number); }
    // All lines of the run's kernels that an invocation can reach, in order and each once.
    const std::vector<KernelLine>& lines() const { return lines_; }
    // The last event before `from` for which `holds` is true.
    std::optional<std::uint64_t> lastBefore(std::uint64_t from, const std::function<bool(const Event&)>& holds) const;

    static constexpr std::size_t mostEvents = std::size_t{1} << 23;

private:
    struct Again {};  // thrown through the walk: start again
    struct Quit {};

    void walkOnce(const LookAt& lookAt, const Printed& printed);
    void come(const emulator::Standing& here, const LookAt& lookAt);
    void search(const emulator::Standing& here, const Event& event, std::uint64_t number);
    void follow(Way way, std::uint64_t number);

    const RecordedRun& run_;
    EmulatedRun walked_;
    std::vector<EmulatedBuffer> start_;  // the buffers' contents at the start
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
    std::string ended_;  // why the walk ended early
};

}  // namespace a2::debug
