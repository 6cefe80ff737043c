// A kernel's SPIR-V decoded for the emulator: its values are in cells of one frame, its blocks in structured order.
//
// A cell holds one number (or bool) of up to 64 bits, without sign extension. A vector, an array or a structure takes
// neighbouring cells, a pointer takes three. In SPIR-V no function is recursive, so every function has its own cells in
// the frame of an invocation, and no stack is needed.
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

// What is known of a cell's contents besides its bits.
namespace mark {
constexpr Mark unset = 1;    // never set, or made of something that was never set
constexpr Mark own = 2;      // with unset: it was unset in shared memory or in a variable of the kernel
constexpr Mark derived = 4;  // with unset: it was calculated, not only copied
constexpr Mark data = 8;     // it came from a buffer or from shared memory

// The marks of a result calculated from both: if one of them is unset, it is derived.
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
    std::uint32_t bits = 0;  // for a number
    bool isSigned = false;
    std::uint32_t element = 0;  // type of the elements, or of what a pointer points to
    std::uint32_t count = 0;    // elements
    std::uint32_t cells = 0;
    std::uint32_t depth = 0;   // 1 more than that of its elements or members
    std::uint32_t stride = 0;  // bytes from element to element; 0: not given
    std::uint32_t scalar = 0;  // type of its numbers, if all have the same
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
    std::uint32_t first = 0;  // first cell; for a buffer its place among all descriptors
    std::uint32_t count = 1;  // descriptors
    std::uint32_t set = 0, binding = 0;
    bool uniform = false, written = false;
    bool restricted = false;  // `restrict`: no other variable names its memory
    // For a function's own variable, where lines are followed: the cell of its pointer, and the instructions that use
    // it.
    std::uint32_t pointer = none, firstUse = none, lastUse = 0;
};

// Operations in addition to SPIR-V's; calculations keep the opcodes of SPIR-V.
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
    unknown,  // see Code::unknown
    glsl,
    print,    // see Code::prints
    line,     // an invocation reaches another line of the source
    bits,     // OpBitcast between different widths
    relaxed,  // a result with RelaxedPrecision, in place
    groupBarrier,
};
}

// Flags of op::relaxed: the kind of its numbers.
enum : std::uint8_t { relaxedUnsigned, relaxedSigned, relaxedReal };

// Flags of op::line. lineOnce: no effect if the invocation is already in that line. lineOfTurn: here another turn of a
// loop begins, which may be all on one line. lineAgain: after a call, in the line that began before it.
enum : std::uint8_t { lineOnce, lineOfTurn, lineAgain };

constexpr bool isAtomic(std::uint16_t opcode)
{
    return (opcode >= spv::OpAtomicLoad && opcode <= spv::OpAtomicXor) || opcode == spv::OpAtomicFAddEXT ||
           opcode == spv::OpAtomicFMinEXT || opcode == spv::OpAtomicFMaxEXT;
}
// An atomic that adds a whole number: such ones come in any order where nobody uses their results.
constexpr bool addsWhole(std::uint16_t opcode)
{
    return opcode == spv::OpAtomicIIncrement || opcode == spv::OpAtomicIDecrement || opcode == spv::OpAtomicIAdd ||
           opcode == spv::OpAtomicISub;
}
constexpr bool isSubgroupOperation(std::uint16_t opcode)
{
    return (opcode >= spv::OpGroupNonUniformElect && opcode <= spv::OpGroupNonUniformQuadSwap) ||
           opcode == spv::OpGroupNonUniformRotateKHR || opcode == spv::OpGroupNonUniformPartitionNV;
}
// Also an operation where a subgroup waits: in decoded code, barriers of a work-group are op::groupBarrier.
constexpr bool isOfSubgroup(std::uint16_t opcode)
{
    return isSubgroupOperation(opcode) || opcode == spv::OpControlBarrier;
}
// A subgroup operation that gives each invocation a value of another one.
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

// How the walk executes an instruction. The numbers are side by side, so that its switch is one jump through a table;
// calculations that kernels make often have handlers of their own, for one number.
enum class Handler : std::uint8_t {
    calculate,
    load,
    store,
    loadOwn,     // one number of the invocation's own, from cell c
    storeOwn,    // to cell c
    loadPushed,  // 32 bits of the push constants, from byte c
    index,       // a chain with one index into an array, which is step c
    chain,
    arrayLength,
    atomic,
    subgroup,
    clock,
    branch,
    branchIf,
    branchOn,
    enter,
    call,
    leave,
    end,
    unknown,
    groupBarrier,
    fence,
    print,
    line,
    copy,
    add,
    subtract,
    multiply,
    shiftLeft,
    shiftRight,
    bitAnd,
    equal,
    notEqual,
    less,
    lessOrEqual,
    greater,
    greaterOrEqual,
    signedLess,
};

// Cells are given by their numbers in the frame; the meaning of a, b and c depends on the operation. Of op::load and
// op::store, c is the target where the pointer is known before the kernel starts, else none. Of op::chain, c is its
// first step.
struct alignas(32) Instruction {  // so that its place is found by a shift
    std::uint16_t op = 0;
    std::uint8_t width = 0;  // bits of the numbers that it works on
    std::uint8_t flags = 0;
    Handler handler = Handler::calculate;  // EmulatorHandlers.h
    std::uint32_t count = 0;
    std::uint32_t result = 0, a = 0, b = 0, c = 0;
};

struct Move {
    std::uint32_t to = 0, from = 0, count = 0;
};

struct Edge {
    std::uint32_t target = 0;   // instruction
    std::uint32_t loop = none;  // the loop that has the target as its header
    bool back = false;          // begins another turn of the loop, not its first
    bool parallel = false;      // a move reads a cell that another one writes
    std::uint32_t firstMove = 0, moves = 0;
};

struct Loop {
    std::uint32_t begin = 0, end = 0;  // instructions
    std::uint32_t outer = none;
    std::uint32_t function = 0;
    bool looks = false;                    // reads memory that other invocations may change, or calls a function
    bool meets = false, barriers = false;  // contains operations of subgroups, or barriers of the work-group
};

// One index of a pointer.
struct Step {
    std::uint32_t cell = 0;
    std::uint64_t stride = 0;
    std::uint64_t length = 0;  // 0: it depends on the end of the binding
    std::uint64_t limit = 0;   // the cells of all indices that may be right are below
    std::uint8_t width = 32;
    bool isSigned = false;
    bool descriptor = false;  // the index into an array of descriptors
    std::uint32_t name = 0;   // index into Code::names
};

struct Chain {
    std::uint64_t constant = 0;
    std::uint32_t firstStep = 0, steps = 0;
};

// The memory that a load or a store of a type with explicit layout accesses, number by number.
struct Piece {
    std::uint64_t offset = 0;  // bytes
    std::uint32_t width = 32;  // bits
};
struct Access {
    Space space = Space::own;
    std::uint32_t variable = none;  // the variable that it is a part of, if known
    std::uint32_t cells = 0;
    std::uint32_t first = 0, pieces = 0;  // in Code::pieces; for buffers and push constants
    std::uint64_t bytes = 0;              // from the first to the last
    bool plain = false;                   // 32-bit words side by side
    bool coherent = false, readOnly = false;
    bool polls = false;      // of a coherent load: its value decides where the invocation goes on
    bool isPrivate = false;  // in Vulkan's memory model: private to this invocation
    std::uint8_t reach = 3;  // a Reach: how far the access itself makes its write available, or its read visible
};

// The operands of an atomic instruction.
struct Atomic {
    std::uint32_t scope = 0, semantics = 0;
    std::uint32_t comparator = 0;  // cell
    std::uint32_t access = 0;
    bool isUsed = false;      // its result is used
    bool mayBeEarly = false;  // it does not change its word, or often does not, or replaces it and gives what was there
};

// Anything with a name except variables.
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
    std::uint32_t returnCell = 0;                                    // contains the place where its caller goes on
    std::vector<std::pair<std::uint32_t, std::uint32_t>> variables;  // cells that become unset on entry
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
    std::vector<Place> places;          // for each instruction
    std::vector<std::uint32_t> loopOf;  // for each instruction: the innermost loop
    std::vector<std::uint32_t> functionOf;
    std::unordered_map<std::uint32_t, std::uint32_t> meetingOf;  // for each branch: the instruction where its ways meet
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
    std::vector<std::uint64_t> literals;  // for switches
    std::vector<std::string> names;
    std::vector<std::string> unknown;                  // unknown operations, by name
    std::vector<std::shared_ptr<const Print>> prints;  // EmulatorPrint.h; empty if nothing is printed
    std::map<std::uint32_t, Source> sources;
    std::vector<Named> constants;  // constants with names: those of specialisation

    std::vector<Cell> frame;  // the initial frame of an invocation
    std::vector<Mark> marks;
    std::uint32_t privates = 0, privatesEnd = 0;  // cells that are initialised for each invocation
    std::uint32_t sharedCells = 0;
    std::vector<Cell> sharedStart;
    std::vector<Mark> sharedStartMarks;
    std::uint32_t descriptors = 0;  // those of all variables together
    std::array<std::uint32_t, 3> localSize = {1, 1, 1};
    std::uint32_t invocations = 1;                                  // of a work-group
    std::vector<std::pair<std::uint32_t, std::uint32_t>> builtIns;  // which one, first cell
    std::uint8_t finelyOrdered = 0;  // kinds of memory (KeptMask) that more than barrier() orders
    bool synchronises = false;       // has fences, or atomics that order memory
    bool groupBarriers = false;
    bool weakBarriers = false;  // some barriers do not order shared memory
    bool vulkanModel = false;   // declares Vulkan's memory model, which has private accesses
    // Some accesses are not private. glslang also declares that model only because of gl_ScopeQueueFamily; all accesses
    // would then be private.
    bool hasNonPrivate = false;
};

// "sums[17].x": the element at this many cells (or, in a buffer, bytes) from the variable's beginning.
std::string elementName(const Code& code, const Variable& variable, std::uint64_t at);
// What to do if the elements of a buffer's array have gaps between them, as in std140 and with vec3; empty if they have
// none.
std::string paddingText(const Code& code, const Variable& variable);

constexpr std::uint64_t lowBits(unsigned width) { return width >= 64 ? UINT64_MAX : (std::uint64_t{1} << width) - 1; }
constexpr std::int64_t signedOf(std::uint64_t value, unsigned width)
{
    const unsigned shift = width == 0 || width >= 64 ? 0 : 64 - width;
    return static_cast<std::int64_t>(value << shift) >> shift;
}

}  // namespace a2::emulator
