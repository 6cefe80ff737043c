// Whether the writes of other invocations are available, and visible, under Vulkan's memory model: operations that each
// reach further than the one before it take a write from its invocation out to a subgroup, a work-group and the device;
// others take it in to another invocation, in the opposite order.
#pragma once

#include "spirv/EmulatorKnown.h"

#include <utility>

namespace a2::emulator {

// What two conflicting uses lack.
enum class Lack : std::uint8_t { nothing, order, notPrivate, availability, visibility };

class Availability {
public:
    explicit Availability(GroupKnowledge& known) : known_(known) {}

    void start() { seen_.assign(known_.invocations, {}); }
    // What the earlier use, by another invocation, lacks to come before this one.
    Lack lack(const Use& earlier, const Use& use, std::uint32_t invocation, Kept kept) const;
    // own: this is the first such operation for all writes of this `who`; 0: for none.
    void makeAvailable(std::uint32_t invocation, Reach reach, KeptMask by, std::uint64_t own);
    void makeVisible(std::uint32_t invocation, Reach reach, KeptMask by);

private:
    using Writes = std::vector<std::pair<Known::About, std::uint32_t>>;
    Writes writesKnown(std::uint32_t invocation, KeptMask by) const;

    GroupKnowledge& known_;
    std::vector<Knowledge> seen_;  // what was made visible to each
};

}  // namespace a2::emulator
