// The output of kernels and log points between two stops, one line each.
#pragma once

#include "annexes/debug/View.h"
#include "base/PrintableText.h"
#include "spirv/Emulator.h"

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace a2::debug {

class PrintedLines {
public:
    // show: gets each line with its line end; at most `most` of them between two stops.
    PrintedLines(std::uint64_t most, std::function<void(const std::string&)> show) : most_(most), show_(std::move(show))
    {
    }

    void add(const EmulatorSettings::Printed& one, std::uint32_t dispatch)
    {
        const char* const prints = one.wrong ? "cannot print this" : "prints";
        add(fmt::format("dispatch {}, work-group {}, invocation {} {}: {}", dispatch, one.actor.group,
                        one.actor.invocation, prints, trimmed(one.text)));
    }

    void add(const std::string& line)
    {
        if (++count_ <= most_) show_(printableText(line) + '\n');
    }

    // Call at a stop.
    void end()
    {
        if (count_ > most_) show_(fmt::format("{} more lines were printed on the way\n", count_ - most_));
        count_ = 0;
    }

private:
    std::uint64_t most_;
    std::function<void(const std::string&)> show_;
    std::uint64_t count_ = 0;
};

}  // namespace a2::debug
