// Spins inside a work-group that only end because who sets the word comes first, or goes on at once: the dispatch is
// walked again, its invocations from the last to the first, and with those pausing that have just written to what
// others spin on, as who has taken a lock may.
#pragma once

#include "spirv/Emulator.h"

#include <map>
#include <optional>

namespace a2::emulator {

// A dispatch, and what its buffers hold before it is walked.
class OtherWays {
public:
    explicit OtherWays(const EmulatedDispatch& dispatch);
    // Adds to what was found in the usual order which loops have waited for others of their work-group.
    void walk(const EmulatorSettings& settings, Emulated& found) const;

private:
    bool walkOne(const EmulatorSettings& settings, bool lastFirst, Emulated& found) const;

    EmulatedDispatch dispatch_;
    std::map<EmulatedBuffer*, EmulatedBuffer> before_;
};

// Empty where no loop of it reads what others may write without a race, or where it is a long one.
std::optional<OtherWays> otherWaysOf(const EmulatedDispatch& dispatch, const EmulatorSettings& settings);

}  // namespace a2::emulator
