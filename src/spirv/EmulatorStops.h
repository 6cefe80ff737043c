// What can be seen of a walk where an invocation comes to a line (EmulatorSettings::atLine): who stands where, and
// every value by its name.
#pragma once

#include "spirv/Emulator.h"
#include "spirv/EmulatorCode.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace a2::emulator {

class Walk;
struct Group;

// Something with a type, where it lies.
struct Spot {
    const Type* type = nullptr;
    Space space = Space::own;
    std::uint32_t invocation = 0;           // whose it is, of Space::own
    std::uint32_t descriptor = 0;           // of Space::buffer
    std::uint64_t at = 0;                   // cell; byte of what is bound, or of the push constants
    const EmulatedBuffer* whole = nullptr;  // of Space::buffer: this one as a whole, not what is bound
    std::vector<std::uint64_t> built;       // numbers that lie nowhere: a built-in's
    std::uint32_t matrixStride = 0;         // bytes, of a matrix in memory by columns
    bool readable = true;                   // not a matrix by rows
};

bool isNumber(const Type& type);  // and nothing that has parts

// A buffer as words, whether it is bound or not.
Spot wordsOf(const EmulatedBuffer& buffer);

// One number, as it is now.
struct SpotNumber {
    std::uint64_t bits = 0;
    bool set = true;
    Form form = Form::number;  // number, real or boolean
    std::uint32_t width = 32;
    bool isSigned = false;

    bool operator==(const SpotNumber&) const = default;
};

// Where the number of a spot lies, whatever it is called elsewhere.
struct Whereabouts {
    Space space = Space::own;
    const EmulatedBuffer* buffer = nullptr;
    std::uint64_t group = 0;       // not of buffers
    std::uint32_t invocation = 0;  // of Space::own
    std::uint64_t at = 0;          // cell; byte of the whole buffer
};

class Standing {
public:
    explicit Standing(const Walk& walk) : walk_(walk) {}  // at the dispatch's end, where no invocation is left
    Standing(const Walk& walk, const Group& group, std::uint32_t invocation, std::uint32_t at)
        : walk_(walk), group_(&group), invocation_(invocation), at_(at)
    {
    }

    // Who has come here. Of the dispatch's end: nobody.
    bool atEnd() const { return !group_; }
    bool isCut() const;  // at the end: some invocations were not followed to theirs
    std::uint64_t group() const;
    std::uint32_t invocation() const { return invocation_; }
    std::uint32_t place() const { return at_; }  // instruction: the same of all that come to this line
    bool isAgain() const;                        // after a call, in a line that it has come to before
    std::uint64_t phase() const;
    std::uint32_t invocations() const;  // of a work-group

    // The invocations of the work-group that is at work.
    enum class State { notStarted, running, atBarrier, atSubgroup, waiting, ended };
    State state(std::uint32_t invocation) const;
    // Where it stands, and after that the calls that led there; from the innermost function on.
    struct Frame {
        KernelLine where;
        std::string function;
    };
    std::vector<Frame> frames(std::uint32_t invocation) const;
    std::uint32_t depth() const;  // calls round this place

    // Found so far in this dispatch.
    const std::vector<KernelFinding>& findings() const;

    KernelLine line(std::uint32_t place) const;
    // The kernel's text, by the file's name.
    std::vector<std::pair<std::string, std::string>> sources() const;

    // What a name means to an invocation where it stands; nothing that is known: empty. At the dispatch's end buffers
    // and push constants alone.
    std::optional<Spot> find(const std::string& name, std::uint32_t invocation) const;
    struct Names {
        std::vector<std::string> locals, shared, buffers, others;  // others: push constants and constants
    };
    Names names(std::uint32_t invocation) const;

    std::uint64_t elements(const Spot& spot) const;  // of an array or a vector; of an endless one by what is bound
    // Empty past the end, or where there is no such member.
    std::optional<Spot> element(const Spot& spot, std::uint64_t index) const;
    std::optional<Spot> member(const Spot& spot, const std::string& name) const;
    const Type* typeOf(std::uint32_t id) const;
    // Of a spot that is one number; empty: it cannot be read there.
    std::optional<SpotNumber> number(const Spot& spot) const;
    std::optional<Whereabouts> whereabouts(const Spot& spot) const;
    // The same place later, in whatever dispatch; empty: it is not there at present.
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

    const Walk& walk_;
    const Group* group_ = nullptr;
    std::uint32_t invocation_ = 0, at_ = 0;
};

}  // namespace a2::emulator
