// What code of a stranger's tries from inside the worker. Each says whether it got there.
#pragma once

#include <functional>
#include <map>
#include <string>

namespace a2 {

// Empty where the system is none of those that a worker is confined on.
const std::map<std::string, std::function<bool()>>& attacks();

// Does one, and says on the standard output "REACHED name" or "refused name".
void attack(const std::string& name);

}  // namespace a2
