// What a2 itself checks against a device's limits before a driver sees it: a shape, a kernel, a binding.
//
// A LimitError means that the device cannot run what was asked for, whatever the kernel does. A KernelError means that
// the kernel needs more than the shape asks for.
#pragma once

#include "a2/KernelShape.h"
#include "gpu/Device.h"
#include "spirv/KernelFacts.h"

#include <string>

namespace a2 {

// Throws LimitError if the device does not support work-groups with that many invocations.
void checkShape(const Device& gpu, const KernelShape& shape);

// Bytes of shared memory that a kernel may need in this shape: twice its tile, padded and rounded up to a power of two,
// and also a word per invocation.
std::uint64_t sharedBytesFor(const KernelShape& shape);

// Throws if the kernel needs more shared memory than the device has. LimitError: any kernel of its row may need more in
// this shape, up to `asked` bytes. KernelError: the shape does not need that much.
void checkSharedMemory(const Device& gpu, const std::string& shader, const KernelFacts& facts, const KernelShape& shape,
                       std::uint64_t asked);

// Throws as the function above. Throws also KernelError if the kernel's own work-group is larger than the device
// allows, or has no invocation, or if the kernel needs a feature that the device lacks.
void checkKernel(const Device& gpu, const std::string& shader, const KernelFacts& facts, const KernelShape& shape);

// Throws LimitError if `count` elements are too many for one binding. buffer: its name.
void checkBinding(const Device& gpu, std::uint64_t count, const std::string& buffer);

}  // namespace a2
