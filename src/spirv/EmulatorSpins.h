// Spins inside a work-group that only end because who sets the word comes first: the dispatch is walked once more, its
// invocations from the last to the first.
#pragma once

#include "spirv/Emulator.h"

#include <optional>

namespace a2::emulator {

// A dispatch with buffers of its own, as they are before it is walked.
class OtherWay {
public:
    explicit OtherWay(const EmulatedDispatch& dispatch);
    // Adds to what was found in the usual order which loops have waited for others of their work-group.
    void walk(const EmulatorSettings& settings, Emulated& found);

private:
    EmulatedDispatch dispatch_;
    std::vector<std::pair<EmulatedBuffer*, std::unique_ptr<EmulatedBuffer>>> copies_;  // of which buffer
};

// Empty where no loop of it reads what others may write without a race, or where it is a long one.
std::optional<OtherWay> otherWayOf(const EmulatedDispatch& dispatch, const EmulatorSettings& settings);

}  // namespace a2::emulator
