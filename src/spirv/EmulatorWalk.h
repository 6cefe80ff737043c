// The walk through a dispatch.
#pragma once

#include "spirv/EmulatorAtomics.h"
#include "spirv/EmulatorDelays.h"
#include "spirv/EmulatorFaults.h"
#include "spirv/EmulatorGroup.h"
#include "spirv/EmulatorInvocation.h"
#include "spirv/EmulatorMemory.h"
#include "spirv/EmulatorMemoryNotes.h"
#include "spirv/EmulatorPauses.h"
#include "spirv/EmulatorStarts.h"
#include "spirv/EmulatorState.h"
#include "spirv/EmulatorSync.h"
#include "spirv/EmulatorTurns.h"
#include "spirv/EmulatorUnset.h"

#include <cstdint>

namespace a2::emulator {

class Walk {
public:
    // Walks this many work-groups, from the first one on, if they run forwards; otherwise all of them.
    Walk(const EmulatedDispatch& dispatch, const EmulatorSettings& settings, std::uint64_t first = 0,
         std::uint64_t groups = UINT64_MAX);
    // Runs the invocations of a work-group from the last to the first.
    void goLastFirst() { groupWalk_.goLastFirst(); }
    Emulated run();

private:
    void finishGroup(std::unique_ptr<Group>& group);
    void unblock();
    bool letGoOn();
    bool isHopeless() const;
    void endWaiting();
    bool advanceOne(std::size_t place);
    bool advanceAll();

    WalkState state_;
    UnsetOrigins unset_{state_};
    Faults faults_{state_, unset_};
    MemoryNotes notes_{state_, faults_};
    Synchronisation synchronisation_{state_};
    Delays delays_{state_, synchronisation_};
    Memory memory_{state_, faults_, unset_, notes_, synchronisation_, delays_};
    Atomics atomics_{state_, faults_, unset_, notes_, synchronisation_, delays_, memory_};
    Pauses pauses_{state_};
    Turns turns_{state_, faults_, pauses_};
    InvocationWalk invocations_{state_, faults_, memory_, atomics_, delays_, pauses_, turns_};
    GroupWalk groupWalk_{state_, faults_, delays_, turns_, invocations_};
    GroupStarts starts_;
    std::uint64_t rounds_ = 0;
};

}  // namespace a2::emulator
