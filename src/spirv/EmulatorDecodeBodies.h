// The functions of a module as they are read: blocks, their instructions, and the order of these.
#pragma once

#include "spirv/EmulatorCode.h"
#include "spirv/EmulatorTypes.h"

#include <map>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace a2::emulator {

struct Raw {
    SpirvWords words;
    Place place;
};

struct Block {
    std::uint32_t label = 0;
    std::size_t first = 0, end = 0;                    // of the body's instructions, after the label
    std::uint32_t merge = 0, next = 0;                 // next: the block where a loop continues
    std::uint32_t begin = none, last = none;           // instructions; none: the block is never reached
    std::map<std::uint32_t, std::vector<Move>> moves;  // by the block that precedes
};

struct Body {
    std::uint32_t id = 0, returned = 0;
    std::vector<std::uint32_t> parameters;
    std::vector<Raw> code;
    std::vector<Block> blocks;
    std::unordered_map<std::uint32_t, std::size_t> byLabel;
};

struct Bodies {
    std::map<std::uint32_t, Body> functions;                          // by their ids
    std::unordered_map<std::uint32_t, std::uint32_t> parameterTypes;  // by the ids of parameters
    std::unordered_set<std::uint32_t> used;  // ids that instructions of functions have as operands
};

// The functions of a module; `declarations` reads everything else.
Bodies readBodies(const SpirvModule& module, Declarations& declarations);

// Whether an instruction in a function belongs to a statement, and not only to its frame.
bool doesSomething(spv::Op opcode);

// The blocks in structured order: all of a construct before its end.
std::vector<std::size_t> structuredOrder(const Body& body);

// For each loop the block with which a turn begins: where the loop continues or, if nothing is done there, where it
// checks whether to continue.
std::unordered_set<std::uint32_t> turnsOf(const Body& body);

}  // namespace a2::emulator
