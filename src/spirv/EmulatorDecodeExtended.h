// Instructions of sets beside SPIR-V's own: those of GLSL, and what debugPrintf() writes.
#pragma once

#include "spirv/EmulatorDecodePointers.h"

namespace a2::emulator {

class ExtendedDecoder {
public:
    // prints: what debugPrintf() writes is kept.
    ExtendedDecoder(Emitter& out, PointerDecoder& pointers, bool prints)
        : out_(out), pointers_(pointers), prints_(prints)
    {
    }

    void decode(SpirvWords words);

private:
    // Its values are not checked beforehand: they may be anything.
    void print(SpirvWords words);
    // modf() and frexp() of old: one part of the result goes where a pointer leads.
    void split(SpirvWords words);

    Emitter& out_;
    PointerDecoder& pointers_;
    bool prints_;
};

}  // namespace a2::emulator
