// A place in a kernel's GLSL.
#pragma once

#include "base/SourceText.h"

#include <cstdint>
#include <string>

namespace a2 {

// line 0: the kernel was built without debug lines.
struct KernelLine {
    std::string file;
    std::uint32_t line = 0;
    SourceLine source;

    bool operator==(const KernelLine&) const = default;
};

}  // namespace a2
