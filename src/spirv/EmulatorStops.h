// What can be seen of a walk when an invocation reaches a line (EmulatorSettings::atLine): the places of the
// invocations, and every value by its name.
#pragma once

#include "spirv/Emulator.h"
#include "spirv/EmulatorCode.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace a2::emulator {

struct WalkState;
struct Group;

// A typed value and its place.
struct Spot {
    const Type* type = nullptr;
    Space space = Space::own;
    std::uint32_t invocation = 0;           // for Space::own: the invocation that has it
    std::uint32_t descriptor = 0;           // for Space::buffer
    std::uint64_t at = 0;                   // cell; or byte of what is bound, or of the push constants
    const EmulatedBuffer* whole = nullptr;  // for Space::buffer: this whole buffer instead of what is bound
    std::vector<std::uint64_t> built;       // numbers without a place in memory: those of a built-in
    std::uint32_t matrixStride = 0;         // bytes, for a matrix in memory by columns
    bool readable = true;                   // false for a matrix by rows
};

bool isNumber(const Type& type);  // without parts

// A buffer as words; it need not be bound.
Spot wordsOf(const EmulatedBuffer& buffer);

// One number with its present value.
struct SpotNumber {
    std::uint64_t bits = 0;
    bool set = true;
    Form form = Form::number;  // number, real or boolean
    std::uint32_t width = 32;
    bool isSigned = false;

    bool operator==(const SpotNumber&) const = default;
};

// The place of a spot's number, whatever name it has elsewhere.
struct Whereabouts {
    Space space = Space::own;
    const EmulatedBuffer* buffer = nullptr;
    std::uint64_t group = 0;       // not for buffers
    std::uint32_t invocation = 0;  // for Space::own
    std::uint64_t at = 0;          // cell; or byte of the whole buffer
};

class Standing {
public:
    explicit Standing(const WalkState& state)
        : state_(state) {}  // at the dispatch's end, when all invocations are gone
    Standing(const WalkState& state, const Group& group, std::uint32_t invocation, std::uint32_t at)
        : state_(state), group_(&group), invocation_(invocation), at_(at)
    {
    }

    // The invocation that has come here; none at the dispatch's end.
    bool atEnd() const { return !group_; }
    bool isCut() const;  // at the end: some invocations were not followed to their end
    std::uint64_t group() const;
    std::uint32_t invocation() const { return invocation_; }
    std::uint32_t place() const { return at_; }  // instruction: the same for all that reach this line
    bool isAgain() const;                        // after a call, in a line that it had reached before
    std::uint64_t phase() const;
    std::uint32_t invocations() const;  // of a work-group

    // The invocations of the work-group that runs now.
    enum class State { notStarted, running, atBarrier, atSubgroup, waiting, ended };
    State state(std::uint32_t invocation) const;
    // The invocation's place, and then the calls that led there, from the innermost function on.
    struct Frame {
        KernelLine where;
        std::string function;
    };
    std::vector<Frame> frames(std::uint32_t invocation) const;
    std::uint32_t depth() const;  // number of calls around this place

    // Those found so far in this dispatch.
    const std::vector<KernelFinding>& findings() const;

    KernelLine line(std::uint32_t place) const;
    // The kernel's source texts, with their files' names.
    std::vector<std::pair<std::string, std::string>> sources() const;

    // What a name means to an invocation at its place; empty: not known. At the dispatch's end only buffers and push
    // constants have a meaning.
    std::optional<Spot> find(const std::string& name, std::uint32_t invocation) const;
    struct Names {
        std::vector<std::string> locals, shared, buffers, others;  // others: push constants and constants
    };
    Names names(std::uint32_t invocation) const;

    std::uint64_t elements(const Spot& spot) const;  // of an array or vector; without a length: as many as bound
    // Empty beyond the end, or if there is no such member.
    std::optional<Spot> element(const Spot& spot, std::uint64_t index) const;
    std::optional<Spot> member(const Spot& spot, const std::string& name) const;
    const Type* typeOf(std::uint32_t id) const;
    // For a spot that is one number; empty: it cannot be read there.
    std::optional<SpotNumber> number(const Spot& spot) const;
    std::optional<Whereabouts> whereabouts(const Spot& spot) const;
    // The same place later, in any dispatch; empty: it does not exist at present.
    std::optional<SpotNumber> numberAt(const Whereabouts& where, const SpotNumber& as) const;
    std::uint32_t subgroupSize() const;

private:
    static std::optional<Spot> memberOf(const Spot& spot, const Member& member);
    std::optional<Spot> inBlocks(const std::string& name) const;
    std::optional<Spot> builtIn(const std::string& name, std::uint32_t invocation) const;
    std::optional<Spot> pointedTo(const Named& parameter, std::uint32_t invocation) const;
    bool isLocal(std::uint32_t cell) const;
    std::vector<std::uint32_t> placesOf(std::uint32_t invocation) const;
    const Cell* cells(std::uint32_t invocation) const;

    const WalkState& state_;
    const Group* group_ = nullptr;
    std::uint32_t invocation_ = 0, at_ = 0;
};

// The invocation reaches a line: calls EmulatorSettings::atLine, if the line is new to it. at: the instruction.
void stopAt(const WalkState& state, Group& group, std::uint32_t invocation, std::uint32_t at);

}  // namespace a2::emulator
