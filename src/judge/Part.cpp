#include "judge/Part.h"

#include <fmt/format.h>

namespace a2 {

std::string wrongInPart(std::uint64_t first, std::uint64_t n, bool goesOn)
{
    const std::string place =
        n == 1 ? fmt::format("element {}", first) : fmt::format("elements {} to {}", first, first + n - 1);
    return fmt::format("that is in a part of the array, {}: {}", place,
                       goesOn ? "indices are of the part, whose numbers go on from what lies before it"
                              : "indices and numbers are of the part, before anything was added to it");
}

}  // namespace a2
