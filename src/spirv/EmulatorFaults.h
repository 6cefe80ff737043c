// The faults that a walk finds: each becomes a finding that names invocations, variable and elements, and says what to
// do.
#pragma once

#include "spirv/EmulatorArithmetic.h"
#include "spirv/EmulatorState.h"
#include "spirv/EmulatorUnset.h"

#include <cstdint>
#include <set>
#include <string>
#include <utility>

namespace a2::emulator {

class Faults {
public:
    Faults(WalkState& state, const UnsetOrigins& unset) : state_(state), unset_(unset) {}

    KernelActor describe(const Group& group, std::uint32_t invocation) const;
    // before: the invocation named last; the same work-group need not be named again.
    std::string called(const KernelActor& actor, const KernelActor* before) const;
    // "reads what", "writes what" or "uses what atomically", as the instruction does.
    std::string does(std::uint32_t at, const std::string& what) const;

    // offset: in bytes for a buffer, else in cells.
    void race(const Actor& actor, const Conflict& conflict, Kept kept, std::uint32_t variable, std::uint64_t offset,
              const AccessWays& ways);
    // For a pointer that has left an array, or is null.
    void outside(const Actor& actor, const Cell* pointer, bool writes);
    // problem: why this element cannot be used; null: it is beyond the end.
    void behindEnd(const Actor& actor, const Resource& resource, std::uint64_t offset, bool writes,
                   const char* problem);
    // use: what is done with it, such as "decides a branch". decides: a branch or an index may depend on it.
    void unset(const Actor& actor, const char* use, bool decides = true);
    void undefined(const Actor& actor, Undefined what);
    // what: the rest of the sentence after the invocation's name.
    // cure: empty for the rule's own.
    void endless(const Group& group, std::uint32_t invocation, std::uint32_t loop, const std::string& what,
                 const std::string& cure = {});
    // An invocation waits at a barrier at which the other one is not, and will not be.
    void divergence(const Group& group, std::uint32_t waiting, std::uint32_t other);
    // An invocation has waited for something that another one of its work-group has now done; nothing guarantees that
    // this happens first.
    void awaited(const Group& group, std::uint32_t invocation, const WordName& name);
    // An invocation that has waited reads something from a work-group that was only started because all others waited.
    void late(const Actor& actor, const Shadow& shadow, std::uint64_t byte, const Resource& resource);
    // Something that the emulator does not know. at: the instruction; 0: none.
    void unknown(std::uint32_t at, const std::string& what);

private:
    std::string guarding(const Actor& actor) const;  // the cure of an access out of bounds
    KernelActor describeThread(const Group& group, const Use& use, Kept kept) const;
    struct SecondName {
        std::string name;    // of the element; empty: there is none
        bool twice = false;  // its buffer is bound at two bindings
    };
    SecondName secondName(std::uint32_t variable, std::uint64_t offset) const;
    void once(std::uint32_t at, const char* what);

    WalkState& state_;
    const UnsetOrigins& unset_;
    std::set<std::pair<std::uint32_t, const char*>> noted_;  // for Emulated::notes: instructions, and the texts
};

}  // namespace a2::emulator
