// What a2 itself holds against a device's limits before a driver sees it: a shape, a kernel, a binding.
//
// A LimitError says that the device cannot run what was asked for, whatever the kernel does; a KernelError that a
// kernel asks for more than it was asked to.
#pragma once

#include "a2/KernelShape.h"
#include "gpu/Device.h"
#include "spirv/KernelFacts.h"

#include <string>

namespace a2 {

// Throws LimitError if the device has no work-groups of so many invocations.
void checkShape(const Device& gpu, const KernelShape& shape);

// Bytes of shared memory that a kernel in this shape may need: room for its tile twice, padded and rounded up to a
// power of two, and a word per invocation beside it.
std::uint64_t sharedBytesFor(const KernelShape& shape);

// Throws if the kernel needs more shared memory than the device has. LimitError: any kernel of its row in this shape
// may need more, up to `asked` bytes. KernelError: the shape does not ask for it.
void checkSharedMemory(const Device& gpu, const std::string& shader, const KernelFacts& facts, const KernelShape& shape,
                       std::uint64_t asked);

// Throws likewise, and KernelError if the kernel's own work-group is more than the device has, or has no invocation, or
// the kernel needs a feature that the device lacks.
void checkKernel(const Device& gpu, const std::string& shader, const KernelFacts& facts, const KernelShape& shape);

// Throws LimitError if one binding does not take `count` elements of the buffer of this name.
void checkBinding(const Device& gpu, std::uint64_t count, const std::string& buffer);

}  // namespace a2
