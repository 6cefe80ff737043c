#include "judge/Part.h"

#include <fmt/format.h>

namespace a2 {

std::string wrongInPart(std::uint64_t first, std::uint64_t n, bool goesOn)
{
    return fmt::format("that is in a part of the array, elements {} to {}: {}", first, first + n - 1,
                       goesOn ? "indices are of the part, whose numbers go on from what lies before it"
                              : "indices and numbers are of the part, before anything was added to it");
}

}  // namespace a2
