// Attacks that foreign code may try from inside the worker. Each returns whether it succeeded.
#pragma once

#include <functional>
#include <map>
#include <string>

namespace a2 {

// Empty on systems where a worker is not confined.
const std::map<std::string, std::function<bool()>>& attacks();

// Does one attack, and prints "REACHED name" or "refused name" on the standard output.
void attack(const std::string& name);

}  // namespace a2
