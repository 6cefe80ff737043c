// From what was noted during a call of record() to the commands of a recorded run.
#pragma once

#include "recorder/Session.h"

namespace a2 {

// Descriptor sets count with the contents that they have when the run ends, and a wait for events orders what setting
// them covers: neither is known while a command is noted.
class RunResolver {
public:
    // For the last run of the recording.
    explicit RunResolver(Recorder& recorder);

    // Moves the commands into the run, notes the faults that show only now, and keeps how events stand for the next
    // run. Returns the number of dispatches.
    std::uint64_t resolve(std::vector<NotedCommand>& commands);

private:
    struct Signalled {
        EventSignal by;
        std::uint64_t before = 0;  // commands of this run
    };

    void add(NotedDispatch& noted);
    void add(RecordedBarrier& barrier);
    void add(RecordedTransfer& transfer);
    void add(NotedEvent& event);
    void add(NotedWait& wait);
    void addSet(NotedDispatch& noted, std::uint32_t place, const BoundSet& bound, const std::string& dispatch);
    std::vector<std::uint32_t> checkedOffsets(const BoundSet& bound, const RecordedSet& set,
                                              const std::string& dispatch);
    template <class T>
    void checkAlive(const T* object, Handle handle, const std::string& dispatch);
    void checkUse(const std::string& user, const BufferObject& buffer, std::optional<std::uint64_t> dispatch = {});
    void checkUse(const RecordedBarrier& barrier);

    Recorder& recorder_;
    Recording& recording_;
    RecordedRun& run_;
    std::uint64_t dispatches_ = 0;
    std::map<Handle, Signalled> setEvents_;
    std::map<Handle, std::size_t> resetEvents_;  // how many commands of this run came before the reset
};

}  // namespace a2
