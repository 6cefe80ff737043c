// What the kernels of one run print with debugPrintfEXT(), from a walk on the host: no device and no layer is asked.
#pragma once

#include "a2/KernelShape.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace a2 {

// What of it is wanted.
struct PrintSettings {
    bool always = false;                      // of a run that is right, too
    std::optional<std::uint64_t> group;       // only of this work-group, along x, then y, then z; empty: of all
    std::optional<std::uint32_t> invocation;  // only of this one of a work-group (gl_LocalInvocationIndex)
    std::uint64_t most = 64;                  // lines
};

struct PrintedLine {
    std::uint64_t dispatch = 0;
    std::string label;  // of the dispatch
    std::string file;   // and line of the debugPrintfEXT(); line 0: not known
    std::uint64_t line = 0;
    std::uint64_t group = 0, phase = 0;
    std::uint32_t invocation = 0;
    std::string text;    // printable
    bool wrong = false;  // the format is, and the text says why, once for all who come there
};

struct PrintedRun {
    bool onDevice = false;  // by the validation layer: the texts alone are known, in the order in which they came
    std::uint64_t n = 0;
    KernelShape shape;
    std::string pattern;
    std::vector<PrintedLine> lines;  // by dispatch, work-group, phase and invocation
    std::uint64_t more = 0;          // lines beyond those
    std::string cut;                 // why the walk ended before the run; empty: it did not
};

}  // namespace a2
