// Finds spins inside a work-group that only end because the invocation that sets the word runs first, or goes on at
// once. The dispatch is walked again with its invocations from the last to the first, and those that have just written
// a word on which others spin pause, as an invocation that has taken a lock may.
#pragma once

#include "spirv/Emulator.h"

#include <map>
#include <optional>

namespace a2::emulator {

// A dispatch, and the contents of its buffers before it is walked.
class OtherWays {
public:
    explicit OtherWays(const EmulatedDispatch& dispatch);
    // Adds to the findings of the usual order which loops have waited for others of their work-group.
    void walk(const EmulatorSettings& settings, Emulated& found) const;

private:
    bool walkOne(const EmulatorSettings& settings, bool lastFirst, Emulated& found) const;

    EmulatedDispatch dispatch_;
    std::map<EmulatedBuffer*, EmulatedBuffer> before_;
};

// Empty if the dispatch is long, or if none of its loops reads, without a race, what others may write.
std::optional<OtherWays> otherWaysOf(const EmulatedDispatch& dispatch, const EmulatorSettings& settings);

}  // namespace a2::emulator
