// Follows numbers from the reads that brought them to the writes that use them.
#pragma once

#include "spirv/EmulatorCode.h"
#include "spirv/Trace.h"

#include <functional>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

namespace a2::emulator {

// The reads that a number is made of: the number of one of the tracer's sets, 0 for none. Every cell of a traced
// invocation has one.
using Origin = std::uint32_t;

class Tracer {
public:
    // lineOf: gives the line of an instruction.
    Tracer(const Code& code, std::function<KernelLine(std::uint32_t)> lineOf);

    // Call it before each instruction; it only acts if the instruction calculates or copies.
    void follow(const Instruction& one, const Cell* cells, Origin* origins);
    void follow(const Edge& edge, Origin* origins);
    Origin joined(Origin a, Origin b);

    // at: the instruction. from: the origin of the number that is written. Returns the origin of a number that was
    // read.
    Origin add(TracedAccess access, std::uint32_t at, Origin from);
    // The index of a shared variable, as in SeenPhase::shared.
    std::uint32_t sharedPlace(std::uint32_t variable) const;

    Trace take();

private:
    std::uint32_t placeOf(std::uint32_t at);
    Origin setOf(std::vector<std::uint32_t> reads);

    const Code& code_;
    std::function<KernelLine(std::uint32_t)> lineOf_;
    Trace trace_;
    std::unordered_map<std::uint32_t, std::uint32_t> lines_;  // by instruction: index into Trace::lines
    std::vector<std::vector<std::uint32_t>> sets_;            // each sorted; indices into Trace::accesses
    std::map<std::vector<std::uint32_t>, Origin> originOf_;
    std::map<std::pair<Origin, Origin>, Origin> joined_;
    std::vector<Origin> moved_;
};

}  // namespace a2::emulator
