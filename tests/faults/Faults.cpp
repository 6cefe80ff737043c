#include "Faults.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

namespace faults {

const std::string& whyNot()
{
    static const std::string reason = [] {
        if (contract::runA2({"doctor", "-d", "cpu"}).status != 0) return "no CPU device";
        const Finished doctor = runFaulty({"doctor"}, {{"INVOCATIONS", "128"}});
        return contains(doctor.out, "work-group 128 invocations") ? "" : "the loader does not take the fault layer";
    }();
    return reason;
}

std::string howMany()
{
    const char* value = std::getenv("A2_FAULTS");
    return value ? value : "";
}

Finished runFaulty(const Words& arguments, const Environment& plan)
{
    // Mesa's layer for choosing devices does not handle failing calls itself, and is above this layer.
    Environment environment = {{"VK_LAYER_PATH", A2_FAULT_LAYER},
                               {"VK_INSTANCE_LAYERS", "VK_LAYER_A2_faults"},
                               {"NODEVICE_SELECT", "1"},
                               {"A2_DEVICE", "cpu"}};
    for (const auto& [name, value] : plan) environment.emplace_back("A2_FAULT_" + name, value);
    Finished run = contract::runA2(arguments, environment);
    // a2 goes on when its device's process ends, so only this line shows it.
    EXPECT_FALSE(contains(run.err, "fault layer: ")) << run;
    return run;
}

std::size_t errorLines(const Finished& run)
{
    const Words lines = linesOf(run.err);
    return static_cast<std::size_t>(std::count_if(
        lines.begin(), lines.end(), [](const std::string& line) { return line.starts_with("a2: error: "); }));
}

std::size_t count(const std::string& text, const std::string& part)
{
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++found;
    return found;
}

}  // namespace faults
