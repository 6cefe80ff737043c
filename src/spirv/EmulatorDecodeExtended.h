// Instructions of other sets than SPIR-V's own: those of GLSL, and debugPrintf().
#pragma once

#include "spirv/EmulatorDecodePointers.h"

namespace a2::emulator {

class ExtendedDecoder {
public:
    // prints: keep the output of debugPrintf().
    ExtendedDecoder(Emitter& out, PointerDecoder& pointers, bool prints)
        : out_(out), pointers_(pointers), prints_(prints)
    {
    }

    void decode(SpirvWords words);

private:
    // Its arguments were not checked before: they may be anything.
    void print(SpirvWords words);
    // The old modf() and frexp(): one part of the result is stored through a pointer.
    void split(SpirvWords words);

    Emitter& out_;
    PointerDecoder& pointers_;
    bool prints_;
};

}  // namespace a2::emulator
