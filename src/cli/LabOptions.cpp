#include "cli/LabOptions.h"

#include "base/FloatText.h"
#include "a2/Error.h"

#include <fmt/format.h>

#include <cmath>

namespace a2 {

namespace {

// How something is run and timed, and on what.
void addRunOptions(CLI::App& app, Options& options, Raw& raw)
{
    addText(app, "--timeout", raw.timeout, "seconds one submit may take; default: 60");
    addText(app, "--shader-dir", options.gpu.shaderDir,
            "kernels from this folder, compiled now; what it lacks is the project's");
    addTimingOptions(app, raw);
    addDeviceOptions(app, options, raw);
}

}  // namespace

void addTheoryOptions(CLI::App& app, Options& options, Raw& raw)
{
    app.add_option("TASK", options.tasks, "one id, such as scan/naive (see a2 list), or rotate")
        ->expected(1)
        ->required();
    addText(app, "-n,--size", raw.size, "elements: 1000000, 2^20, 128Mi; default: 1024");
    addText(app, "-w,--workgroup", raw.workGroup, "invocations per work-group; default: 256");
    addText(app, "--elements", raw.elements,
            "elements per invocation, even, 2 to 64; default: the fewest. rotate: the side of a tile; default: 32");
    app.add_flag("--exclusive", options.evaluation.exclusive, "exclusive scans instead of inclusive ones");
    addText(app, "--processors", raw.processors, "time and cost with so many processors, too");
    addText(app, "--matrix", raw.matrix, "rotate: rows x columns; default: 500x300");
    app.add_flag("--measure", options.measure, "time the kernels with and without padding on the device");
    addRunOptions(app, options, raw);
}

void addPrescanOptions(CLI::App& app, Options& options, Raw& raw)
{
    app.add_option("FILE", options.prescanFiles,
                   "none: random input, checked and timed, report; A: and the result to A; A B: a random input of as "
                   "many numbers as A says to B, no device needed; A B C: as many numbers as A says from B, the result "
                   "to C")
        ->expected(0, 3);
    addText(app, "-n,--size", raw.size, "elements: 1000000, 2^20, 128Mi; default: 16000000");
    addText(app, "--type", raw.element, "float (the default) or uint32, whose sums are modulo 2^32")
        ->check(CLI::IsMember({"float", "uint32"}));
    CLI::Option* exclusive =
        app.add_flag("--exclusive", raw.exclusive, "each element's sum is without itself (the default: prescan)");
    app.add_flag("--inclusive", raw.inclusive, "each element's sum is with itself (scan)")->excludes(exclusive);
    addText(app, "--max-rand", raw.maxRand,
            "random elements are whole numbers from 0 up to, and not including, this one; default: 3");
    addText(app, "-s,--seed", raw.seed, "seed of the random input; default: 1");
    addText(app, "-w,--workgroup", raw.workGroup, "invocations per work-group; default: 128");
    addText(app, "--elements", raw.elements, "elements per invocation, even, 2 to 64; default: 8");
    addRunOptions(app, options, raw);
}

void addObstaclesOptions(CLI::App& app, Options& options, Raw& raw)
{
    addText(app, "FILE", options.sweep.file,
            "distances, separated by white space; none: the obstacle report's pattern, or what --seed says");
    addText(app, "-n,--size", raw.size, "beams, without FILE: 1000000, 2^20, 128Mi; default: 1024");
    app.add_option_function<std::string>(
           "-s,--seed",
           [&](const std::string& text) {
               raw.seed = text;
               options.sweep.simulated = true;
           },
           "a simulated sweep past round and flat obstacles, by this seed")
        ->check([](const std::string& text) { return text.empty() ? std::string("the value is empty") : ""; });
    addText(app, "--max-distance", raw.maxDistance, "what is nearer is an obstacle; default: 9");
    addText(app, "-w,--workgroup", raw.workGroup, "invocations per work-group; default: up to 512");
    addRunOptions(app, options, raw);
}

namespace {

// "500x300"
MatrixSize parseMatrix(const std::string& text)
{
    constexpr std::uint64_t most = 65535;  // so that indices have 32 bits
    const std::size_t times = text.find('x');
    if (times == std::string::npos)
        throw UsageError(fmt::format("--matrix '{}': write rows x columns, such as 500x300", text));
    return {parseNumber("--matrix", text.substr(0, times), 1, most),
            parseNumber("--matrix", text.substr(times + 1), 1, most)};
}

}  // namespace

void interpretTheory(const Raw& raw, Options& options)
{
    constexpr std::uint64_t usualSize = 1024, mostProcessors = std::uint64_t{1} << 32;
    options.rotation = options.tasks == std::vector<std::string>{"rotate"};
    if (options.rotation && options.size)
        throw UsageError("--size with rotate: a matrix has two sides; give --matrix, such as 500x300");
    if (!options.rotation && !raw.matrix.empty()) throw UsageError("--matrix is about a2 theory rotate alone");
    if (!raw.matrix.empty()) options.matrix = parseMatrix(raw.matrix);
    if (!raw.processors.empty()) options.processors = parseNumber("--processors", raw.processors, 1, mostProcessors);
    if (!options.size) options.size = usualSize;
}

void interpretPrescan(const Raw& raw, Options& options)
{
    PrescanSettings& prescan = options.prescan;
    prescan.element = raw.element == "uint32" ? Element::uint32 : Element::float32;
    prescan.shape.exclusive = !raw.inclusive;
    prescan.shape.workGroup = options.evaluation.workGroup.value_or(prescan.shape.workGroup);
    prescan.shape.elements = options.evaluation.elements.value_or(prescan.shape.elements);
    prescan.seed = options.evaluation.seed;
    // Up to here every whole number is one of the type.
    const std::uint64_t most = std::uint64_t{1} << (prescan.element == Element::uint32 ? 32 : 24);
    if (!raw.maxRand.empty()) prescan.maxRand = parseNumber("--max-rand", raw.maxRand, 1, most);
    for (const std::string& file : options.prescanFiles)
        if (file.empty()) throw UsageError("FILE: the value is empty; name a file");
    if (options.size && options.prescanFiles.size() > 1)
        throw UsageError(
            fmt::format("--size with a size file: {} says how many numbers there are", options.prescanFiles[0]));
}

void interpretObstacles(const Raw& raw, Options& options)
{
    const std::string& text = raw.maxDistance;
    float& distance = options.sweep.maxDistance;
    const auto [end, error] = parseFloat(text.data(), text.data() + text.size(), distance);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(distance) || distance <= 0)
        throw UsageError(fmt::format("--max-distance '{}': must be a number over 0", text));
    if (options.sweep.file.empty()) return;
    if (options.sweep.simulated)
        throw UsageError("--seed with a FILE: a sweep is read or simulated; leave one of them out");
    if (raw.size != "auto") throw UsageError("--size with a FILE: the file says how many beams there are");
}

}  // namespace a2
