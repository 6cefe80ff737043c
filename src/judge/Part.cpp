#include "judge/Part.h"

#include <fmt/format.h>

namespace a2 {

std::string wrongInPart(std::uint64_t first, std::uint64_t n)
{
    return fmt::format(
        "that is in a part of the array, elements {} to {}: indices and numbers are of the part, before anything was "
        "added to it",
        first, first + n - 1);
}

}  // namespace a2
