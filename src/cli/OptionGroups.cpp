#include "cli/OptionGroups.h"

namespace a2 {

CLI::Option* addText(CLI::App& app, const std::string& names, std::string& variable, const std::string& description)
{
    return app.add_option(names, variable, description)->check([](const std::string& text) {
        return text.empty() ? std::string("the value is empty") : std::string();
    });
}

void addDeviceOptions(CLI::App& app, Options& options, Raw& raw)
{
    addText(app, "-d,--device", raw.device, "device: an index, a part of its name, or cpu (also: A2_DEVICE)");
    addText(app, "--validation", raw.validation, "Vulkan validation layer: off, on, gpu (GPU-assisted), required")
        ->check(CLI::IsMember({"off", "on", "gpu", "required"}));
    app.add_flag("--verbose", options.verbose, "more on stdout: spread, shape, times");
    app.add_flag("--quiet", options.quiet, "no notes and no progress on stderr");
    app.add_flag("--no-color", raw.noColour, "no colours on a terminal (also: NO_COLOR)");
}

void addManyTasks(CLI::App& app, Options& options, Raw& raw)
{
    app.add_option("TASK", options.tasks, "ids or globs such as 'reduce/*'; none: the default set (see a2 list)");
    addText(app, "-n,--size", raw.size, "elements: 1000000, 2^20, 128Mi, auto");
    addText(app, "-w,--workgroup", raw.workGroup, "invocations per work-group, instead of each task's default");
    addText(app, "--elements", raw.elements, "elements per invocation, even, 2 to 64; the assignment's shape is 2");
}

void addOneTask(CLI::App& app, Options& options, Raw& raw)
{
    app.add_option("TASK", options.tasks, "one id, such as reduce/sequential (see a2 list)");
    addText(app, "-n,--size", raw.size, "elements: 1000000, 2^20, 128Mi; default: 32");
    addText(app, "-w,--workgroup", raw.workGroup,
            "invocations per work-group; default: 4, so that a tree fits the screen");
    addText(app, "--elements", raw.elements, "elements per invocation, even, 2 to 64; default: the fewest");
}

void addTaskOptions(CLI::App& app, Options& options, Raw& raw)
{
    addText(app, "-p,--pattern", raw.pattern, "input: mod97, ones, iota, random, onehot:K, max, file:PATH");
    addText(app, "-s,--seed", raw.seed, "seed of the random pattern");
    app.add_flag("--exclusive", options.evaluation.exclusive, "exclusive scans instead of inclusive ones");
    addText(app, "--timeout", raw.timeout, "seconds one submit may take");
    addText(app, "--shader-dir", options.gpu.shaderDir, "compile the kernels from this folder now, without a rebuild");
    addText(app, "--json", options.jsonFile, "write results to this file as JSON");
    addText(app, "--csv", options.csvFile, "write results to this file as CSV");
    addText(app, "--junit", options.junitFile, "write results to this file as JUnit XML");
    app.add_flag("--all", options.all, "also the tasks beyond the default set");
    addDeviceOptions(app, options, raw);
}

void addTimingOptions(CLI::App& app, Raw& raw)
{
    addText(app, "-r,--repeat", raw.repeat, "timed repetitions");
    addText(app, "--max-time", raw.maxTime, "stop repeating a task after so many seconds");
    addText(app, "--timer", raw.timer, "clock: gpu (timestamps) or host")->check(CLI::IsMember({"gpu", "host"}));
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
    addText(app, "--timeout", raw.timeout, "seconds one submit may take");
    addText(app, "--shader-dir", options.gpu.shaderDir, "compile the kernels from this folder now, without a rebuild");
    addTimingOptions(app, raw);
    addDeviceOptions(app, options, raw);
}

void addTheoryOptions(CLI::App& app, Options& options, Raw& raw)
{
    app.add_option("TASK", options.tasks, "one id, such as scan/naive (see a2 list), or rotate");
    addText(app, "-n,--size", raw.size, "elements: 1000000, 2^20, 128Mi; default: 1024");
    addText(app, "-w,--workgroup", raw.workGroup, "invocations per work-group; default: 256");
    addText(app, "--elements", raw.elements,
            "elements per invocation, even, 2 to 64; default: the fewest. rotate: the side of a tile; default: 32");
    app.add_flag("--exclusive", options.evaluation.exclusive, "exclusive scans instead of inclusive ones");
    addText(app, "--processors", raw.processors, "time and cost with so many processors, too");
    addText(app, "--matrix", raw.matrix, "rotate: rows x columns; default: 500x300");
    app.add_flag("--measure", options.measure, "time the kernels with and without padding on the device");
    addText(app, "--timeout", raw.timeout, "seconds one submit may take");
    addText(app, "--shader-dir", options.gpu.shaderDir, "compile the kernels from this folder now, without a rebuild");
}

void addBenchOptions(CLI::App& app, Raw& raw)
{
    app.add_option(
           "--sweep", raw.sweeps,
           "many measurements: size (2^10, 2^12, ... to the largest), workgroup (32 to 1024), or size,workgroup")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(CLI::IsMember({"size", "workgroup"}));
    addText(app, "--up-to", raw.upTo, "only lengths up to this one, with --sweep size");
    addText(app, "--batch", raw.batch,
            "runs per repetition, recorded one behind the other; times are of one run. For short runs");
    addText(app, "--in-flight", raw.inFlight,
            "with --batch: so many runs at a time need not wait for each other; times are then of throughput");
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
    addText(app, "-s,--seed", raw.seed, "seed of the random input");
    addText(app, "-w,--workgroup", raw.workGroup, "invocations per work-group; default: 128");
    addText(app, "--elements", raw.elements, "elements per invocation, even, 2 to 64; default: 8");
    addText(app, "--timeout", raw.timeout, "seconds one submit may take");
    addText(app, "--shader-dir", options.gpu.shaderDir, "compile the kernels from this folder now, without a rebuild");
    addTimingOptions(app, raw);
    addDeviceOptions(app, options, raw);
}

}  // namespace a2
