// The output of one run's kernels through debugPrintfEXT(), from a walk on the host: neither the device nor the layer
// is used.
#pragma once

#include "a2/KernelShape.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace a2 {

// Which output is wanted.
struct PrintSettings {
    bool always = false;                      // also of a run that is right
    std::optional<std::uint64_t> group;       // only of this work-group, along x, then y, then z; empty: of all
    std::optional<std::uint32_t> invocation;  // only of this one of a work-group (gl_LocalInvocationIndex)
    std::uint64_t most = 64;                  // lines
};

struct PrintedLine {
    std::uint64_t dispatch = 0;
    std::string label;  // of the dispatch
    std::string file;   // file and line of the debugPrintfEXT(); line 0: not known
    std::uint64_t line = 0;
    std::uint64_t group = 0, phase = 0;
    std::uint32_t invocation = 0;
    std::string text;    // printable
    bool wrong = false;  // the format is wrong; the text says why, once for all invocations that reach it
};

struct PrintedRun {
    bool onDevice = false;  // by the validation layer: only the texts are known, in the order of arrival
    std::uint64_t n = 0;
    KernelShape shape;
    std::string pattern;
    std::vector<PrintedLine> lines;  // by dispatch, work-group, phase and invocation
    std::uint64_t more = 0;          // further lines
    std::string cut;                 // why the walk ended before the run did; empty: it did not
};

}  // namespace a2
