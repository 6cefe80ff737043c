// The recording of one dispatch of one of a2's own kernels.
#pragma once

#include "recording/Recording.h"

namespace a2 {

struct OneDispatch {
    std::string shader, label;  // shader: file under shaders/ without .comp
    KernelShape shape;
    std::vector<std::uint64_t> elements;  // of the storage buffers at bindings 0, 1, ...: input first, result last
    std::vector<std::uint32_t> push;
    std::array<std::uint32_t, 3> groups{};
};
Recording recordingOf(const OneDispatch& one);

}  // namespace a2
