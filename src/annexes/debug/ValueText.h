// How a2 debug shows values.
#pragma once

#include "annexes/debug/Expression.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>

namespace a2::debug {

constexpr std::uint64_t mostShown = 64;  // elements of an array

// It has elements: an array, a vector or a matrix.
bool isList(const emulator::Spot& spot);
// "7", "2.5", "true"; "?" if it was never set.
std::string numberText(const emulator::SpotNumber& number);
// "(1, 2, 3)" for a vector, "{1, 2, ...}" for an array, "{sum = 3, flag = 0}" for a structure.
std::string valueText(const Value& value, const emulator::Standing& here);
// Numbers, arrays, objects; null for what was never set.
nlohmann::json valueJson(const Value& value, const emulator::Standing& here);
// An array in rows of up to 80 columns, each with the index of its first element; anything else as in valueText.
std::string rowsText(const emulator::Spot& spot, const emulator::Standing& here, std::uint64_t first,
                     std::uint64_t count);

}  // namespace a2::debug
