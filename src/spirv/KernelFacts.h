// What a2 must know about a kernel before a driver sees it, read from its SPIR-V.
#pragma once

#include "spirv/Specialisation.h"
#include "spirv/SpirvModule.h"

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace a2 {

// A storage or uniform buffer, and how the kernel's code uses it: a buffer that is declared without `readonly` but only
// loaded from does not count as written.
struct KernelBinding {
    std::uint32_t set = 0, binding = 0;
    std::string name;  // name of the block in GLSL: "Source"
    bool reads = false, writes = false;
    bool uniform = false;
};

// One number of the push constant block, 4 bytes.
struct PushMember {
    std::string name;
    std::uint32_t offset = 0;  // bytes
};

struct KernelFacts {
    // Bytes of shared (Workgroup) memory. This is computed because specialisation constants may give the sizes of
    // arrays: no driver and no validation layer checks those against maxComputeSharedMemorySize. Empty if the module
    // uses a type or a constant expression that a2 does not understand (SPIR-V 1.x, sections 3.32.6-7).
    std::optional<std::uint64_t> sharedBytes;
    // Bytes of an invocation's own variables and of its largest value, which drivers keep there, too. May be empty, as
    // above.
    std::optional<std::uint64_t> ownBytes;
    std::array<std::uint32_t, 3> localSize = {1, 1, 1};  // invocations of a work-group along x, y, z
    std::vector<KernelBinding> bindings;                 // buffers, by set and binding
    std::vector<PushMember> push;                        // by offset
    std::uint32_t pushBytes = 0;                         // of the whole push constant block
    std::set<std::string> needs;                         // features of the device (KernelNeeds.h)
    bool asksForLengths = false;                         // asks for the length of what is bound: source.length()
    // The first variable without any bytes, such as an array whose length a specialisation constant makes 0 (SPIR-V
    // 1.x, section 2.16.1, requires at least 1). Drivers do not check it, and Mesa's CPU driver crashes on it.
    std::optional<std::string> empty;

    std::uint64_t invocations() const { return std::uint64_t{localSize[0]} * localSize[1] * localSize[2]; }
};

// "local_size_x = 256", or "local_size 16 x 16 x 4".
std::string localSizeText(const KernelFacts& facts);

// The facts of the kernel with these constants. Throws KernelError if they leave it undefined.
KernelFacts kernelFacts(const SpirvModule& spirv, const Specialisation& given);

}  // namespace a2
