// A kernel's SPIR-V decoded for the emulator: its values in cells of one frame, its blocks in structured order.
//
// A cell holds one number (or bool) of up to 64 bits, without its sign extended; a vector, an array or a structure lies
// in neighbouring cells, a pointer in three. No function of SPIR-V calls itself, so that every function has its cells
// at a place of its own in the frame of an invocation, and no stack is needed.
#pragma once

#include "spirv/SpirvModule.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace a2::emulator {

using Cell = std::uint64_t;
using Mark = std::uint8_t;

// What is known of a cell's content besides its bits.
namespace mark {
constexpr Mark unset = 1;    // nobody set it, or it was made of what nobody set
constexpr Mark own = 2;      // with unset: it was so in shared memory or in a variable of the kernel
constexpr Mark derived = 4;  // with unset: it was calculated, not only copied
constexpr Mark data = 8;     // it came from a buffer or from shared memory

// Of a result that is calculated from both: one that is made of something unset is derived.
constexpr Mark of(Mark a, Mark b = 0)
{
    const unsigned both = static_cast<unsigned>(a | b);
    return static_cast<Mark>(both | (both & unset) << 2);
}
static_assert(of(unset) == (unset | derived));
}  // namespace mark

constexpr std::uint32_t none = UINT32_MAX;
constexpr std::uint32_t pointerCells = 3;  // root (0: null), offset, and bad: 0, or 1 + the step that left its array

enum class Form : std::uint8_t { nothing, boolean, number, real, vector, matrix, array, endless, structure, pointer };

struct Member {
    std::uint32_t type = 0, cell = 0;
    std::uint64_t offset = 0;  // bytes
    std::uint32_t matrixStride = 0;
    bool rowMajor = false, coherent = false, readOnly = false;
    std::string name;
};

struct Type {
    Form form = Form::nothing;
    std::uint32_t bits = 0;  // of a number
    bool isSigned = false;
    std::uint32_t element = 0;  // of what has elements; what a pointer points to
    std::uint32_t count = 0;    // elements
    std::uint32_t cells = 0;
    std::uint32_t depth = 0;   // of what has elements or members: one more than theirs
    std::uint32_t stride = 0;  // bytes from element to element; 0: none was given
    std::uint32_t scalar = 0;  // type of its numbers, where all have one
    std::vector<Member> members;
    spv::StorageClass storage = spv::StorageClassMax;
    bool block = false, bufferBlock = false;
    std::string name;
};

enum class Space : std::uint8_t { own, shared, buffer, push };

struct Variable {
    std::uint32_t id = 0, type = 0;  // type: what it holds
    Space space = Space::own;
    std::string name;
    std::uint32_t first = 0;  // cell; of a buffer its place among all descriptors
    std::uint32_t count = 1;  // descriptors
    std::uint32_t set = 0, binding = 0;
    bool uniform = false, written = false;
    bool restricted = false;  // `restrict`: no other variable names its memory
    // Of a function's own, where lines are followed: the cell of its pointer, and the instructions that use it.
    std::uint32_t pointer = none, firstUse = none, lastUse = 0;
};

// Operations besides those of SPIR-V, whose opcodes are used for all that calculates.
namespace op {
enum : std::uint16_t {
    copy = 10000,  // `count` cells
    gather,        // cell by cell, from a list
    extractAt,     // one element of a vector, by a value
    insertAt,
    chain,
    load,
    store,
    arrayLength,
    enter,  // makes a function's own variables unset
    branch,
    branchIf,
    branchOn,  // a switch
    call,
    leave,
    end,      // OpKill
    unknown,  // of Code::unknown
    glsl,
    print,    // of Code::prints
    line,     // where an invocation comes to another line of the source
    bits,     // OpBitcast between other widths
    relaxed,  // what was calculated with RelaxedPrecision, in its place
    groupBarrier,
};
}

// The flags of op::relaxed: what its numbers are.
enum : std::uint8_t { relaxedUnsigned, relaxedSigned, relaxedReal };

// The flags of op::line: nothing where an invocation is in that line already; where another turn of a loop begins,
// which may stand on one line; after a call, in the line that has begun before it.
enum : std::uint8_t { lineOnce, lineOfTurn, lineAgain };

constexpr bool isAtomic(std::uint16_t opcode)
{
    return (opcode >= spv::OpAtomicLoad && opcode <= spv::OpAtomicXor) || opcode == spv::OpAtomicFAddEXT ||
           opcode == spv::OpAtomicFMinEXT || opcode == spv::OpAtomicFMaxEXT;
}
constexpr bool isSubgroupOperation(std::uint16_t opcode)
{
    return (opcode >= spv::OpGroupNonUniformElect && opcode <= spv::OpGroupNonUniformQuadSwap) ||
           opcode == spv::OpGroupNonUniformRotateKHR || opcode == spv::OpGroupNonUniformPartitionNV;
}
// Or where one waits: barriers of a work-group are op::groupBarrier in decoded code.
constexpr bool isOfSubgroup(std::uint16_t opcode)
{
    return isSubgroupOperation(opcode) || opcode == spv::OpControlBarrier;
}
// An operation of subgroups that gives each what another one has.
constexpr bool isShuffle(std::uint16_t opcode)
{
    switch (opcode) {
        case spv::OpGroupNonUniformBroadcast:
        case spv::OpGroupNonUniformShuffle:
        case spv::OpGroupNonUniformShuffleXor:
        case spv::OpGroupNonUniformShuffleUp:
        case spv::OpGroupNonUniformShuffleDown:
        case spv::OpGroupNonUniformQuadBroadcast:
        case spv::OpGroupNonUniformQuadSwap:
        case spv::OpGroupNonUniformRotateKHR:
            return true;
        default:
            return false;
    }
}

// Cells by their number in the frame; the meaning of a, b and c is the operation's.
struct Instruction {
    std::uint16_t op = 0;
    std::uint8_t width = 0;  // bits of the numbers that it works on
    std::uint8_t flags = 0;
    std::uint32_t count = 0;
    std::uint32_t result = 0, a = 0, b = 0, c = 0;
};

struct Move {
    std::uint32_t to = 0, from = 0, count = 0;
};

struct Edge {
    std::uint32_t target = 0;   // instruction
    std::uint32_t loop = none;  // of which the target is the header
    bool back = false;          // a turn of it, not its first
    bool parallel = false;      // a move reads what another one writes
    std::uint32_t firstMove = 0, moves = 0;
};

struct Loop {
    std::uint32_t begin = 0, end = 0;  // instructions
    std::uint32_t outer = none;
    std::uint32_t function = 0;
    bool looks = false;                    // reads memory that others may change, or calls a function
    bool meets = false, barriers = false;  // has operations of subgroups, or barriers of the work-group, in it
};

// One index of a pointer.
struct Step {
    std::uint32_t cell = 0;
    std::uint64_t stride = 0;
    std::uint64_t length = 0;  // 0: the binding's end decides
    std::uint8_t width = 32;
    bool isSigned = false;
    bool descriptor = false;  // the index of one in an array of them
    std::uint32_t name = 0;   // of Code::names
};

struct Chain {
    std::uint64_t constant = 0;
    std::uint32_t firstStep = 0, steps = 0;
};

// What a load or a store of a type in explicit memory touches, number by number.
struct Piece {
    std::uint64_t offset = 0;  // bytes
    std::uint32_t width = 32;  // bits
};
struct Access {
    Space space = Space::own;
    std::uint32_t variable = none;  // whose part it is, where that is known
    std::uint32_t cells = 0;
    std::uint32_t first = 0, pieces = 0;  // of Code::pieces; in buffers and push constants
    std::uint64_t bytes = 0;              // from the first to the last
    bool plain = false;                   // 32-bit words side by side
    bool coherent = false, readOnly = false;
    bool isPrivate = false;  // Vulkan's memory model: of this invocation alone
    std::uint8_t reach = 3;  // Reach: how far what it writes is made available by it, or what it reads visible
};

// What an atomic instruction is about.
struct Atomic {
    std::uint32_t scope = 0, semantics = 0;
    std::uint32_t comparator = 0;  // cell
    std::uint32_t access = 0;
    bool isUsed = false;     // its result is
    bool isNeutral = false;  // it leaves its word as it is, or often does
};

// Something that has a name and is no variable.
struct Named {
    std::string name;
    std::uint32_t type = 0, cell = 0;
};

struct Function {
    std::uint32_t id = 0, entry = 0;
    std::string name;
    std::vector<std::uint32_t> parameters;  // first cells
    std::vector<std::uint32_t> parameterCells;
    std::vector<Named> parameterNames;
    std::uint32_t returned = 0, returnedCells = 0;
    std::uint32_t returnCell = 0;                                    // holds where its caller goes on
    std::vector<std::pair<std::uint32_t, std::uint32_t>> variables;  // cells that are unset on entry
};

struct Place {
    std::uint32_t file = 0, line = 0;  // file: id of its name; 0: none
};

struct Source {
    std::string name, text;
};

struct Print;

struct Code {
    std::unordered_map<std::uint32_t, Type> types;
    std::vector<Variable> variables;
    std::unordered_map<std::uint32_t, std::uint32_t> variableOf;  // by id
    std::vector<Instruction> instructions;
    std::vector<Place> places;          // of each instruction
    std::vector<std::uint32_t> loopOf;  // of each instruction: the innermost
    std::vector<std::uint32_t> functionOf;
    std::unordered_map<std::uint32_t, std::uint32_t> meetingOf;  // of a branch: the instruction where its ways meet
    std::vector<Edge> edges;
    std::vector<Move> moves;
    std::vector<Loop> loops;
    std::vector<Chain> chains;
    std::vector<Step> steps;
    std::vector<Access> accesses;
    std::vector<Atomic> atomics;
    std::vector<Piece> pieces;
    std::vector<Function> functions;  // 0: main
    std::vector<std::uint32_t> lists;
    std::vector<std::uint64_t> literals;  // of switches
    std::vector<std::string> names;
    std::vector<std::string> unknown;                  // what is not known, by name
    std::vector<std::shared_ptr<const Print>> prints;  // EmulatorPrint.h; none where nobody prints
    std::map<std::uint32_t, Source> sources;
    std::vector<Named> constants;  // that have names: those of specialisation

    std::vector<Cell> frame;  // as an invocation starts with it
    std::vector<Mark> marks;
    std::uint32_t privates = 0, privatesEnd = 0;  // cells that are set up anew for each invocation
    std::uint32_t sharedCells = 0;
    std::vector<Cell> sharedStart;
    std::vector<Mark> sharedStartMarks;
    std::uint32_t descriptors = 0;  // all variables' together
    std::array<std::uint32_t, 3> localSize = {1, 1, 1};
    std::uint32_t invocations = 1;                                  // of a work-group
    std::vector<std::pair<std::uint32_t, std::uint32_t>> builtIns;  // which, first cell
    std::uint8_t finelyOrdered = 0;                                 // memory (KeptMask) that more orders than barrier()
    bool synchronises = false;                                      // it has fences, or atomics that order memory
    bool groupBarriers = false;
    bool weakBarriers = false;  // some of them do not order shared memory
    bool vulkanModel = false;   // it declares Vulkan's memory model, which has private accesses
    // Some of them are not. glslang declares that model for gl_ScopeQueueFamily alone, too, and then all would be
    // private.
    bool hasNonPrivate = false;
};

// "sums[17].x": what lies so many cells (or, in a buffer, bytes) from the variable's beginning.
std::string elementName(const Code& code, const Variable& variable, std::uint64_t at);
// What to do where elements of a buffer's array do not follow one another, as in std140 and with vec3; empty where they
// do.
std::string paddingText(const Code& code, const Variable& variable);

constexpr std::uint64_t lowBits(unsigned width) { return width >= 64 ? UINT64_MAX : (std::uint64_t{1} << width) - 1; }
constexpr std::int64_t signedOf(std::uint64_t value, unsigned width)
{
    const unsigned shift = width == 0 || width >= 64 ? 0 : 64 - width;
    return static_cast<std::int64_t>(value << shift) >> shift;
}

}  // namespace a2::emulator
