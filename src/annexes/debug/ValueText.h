// How a2 debug shows a value.
#pragma once

#include "annexes/debug/Expression.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>

namespace a2::debug {

constexpr std::uint64_t mostShown = 64;  // elements of an array

// It has elements: an array, a vector or a matrix.
bool isList(const emulator::Spot& spot);
// "7", "2.5", "true"; "?" where nobody has set it.
std::string numberText(const emulator::SpotNumber& number);
// "(1, 2, 3)" of a vector, "{1, 2, ...}" of an array, "{sum = 3, flag = 0}" of a structure.
std::string valueText(const Value& value, const emulator::Standing& here);
// Numbers, arrays, objects; null where nobody has set it.
nlohmann::json valueJson(const Value& value, const emulator::Standing& here);
// An array in rows of as many as fit 80 columns, each with the index of its first; anything else as valueText.
std::string rowsText(const emulator::Spot& spot, const emulator::Standing& here, std::uint64_t first,
                     std::uint64_t count);

}  // namespace a2::debug
