// The functions of a module as they are read: blocks, their instructions, and how these follow each other.
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
    std::uint32_t merge = 0, next = 0;                 // next: where a loop goes on
    std::uint32_t begin = none, last = none;           // instructions; none: nobody comes here
    std::map<std::uint32_t, std::vector<Move>> moves;  // by the block that is come from
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

// What is not in a function, the declarations read.
Bodies readBodies(const SpirvModule& module, Declarations& declarations);

// Of an instruction in a function: it is a part of a statement, and no mere frame of one.
bool doesSomething(spv::Op opcode);

// Blocks in the order in which they are gone through: all of a construct before where it ends.
std::vector<std::size_t> structuredOrder(const Body& body);

// Of each loop the block that a turn begins with: where it goes on, or where it asks whether to, if nothing is done
// there.
std::unordered_set<std::uint32_t> turnsOf(const Body& body);

}  // namespace a2::emulator
