// a2 theory: the cost of a task, counted.

#include "annexes/theory/Rotate.h"
#include "annexes/theory/TheoryJson.h"
#include "annexes/theory/TheoryText.h"
#include "cli/OptionGroups.h"
#include "cli/Subcommand.h"
#include "cli/TaskCommand.h"
#include "files/OutputFile.h"
#include "judge/Matrix.h"
#include "judge/Unwritten.h"
#include "report/BenchTable.h"
#include "report/Text.h"

#include <fmt/format.h>

#include <algorithm>

namespace a2 {

namespace {

struct TheoryOptions {
    bool rotation = false;                    // of the matrix rotation, which is no task
    MatrixSize matrix = {500, 300};           // of the rotation
    std::optional<std::uint64_t> processors;  // an additional number of them
    bool measure = false;                     // time the kernels with and without padding
    std::string matrixTyped, processorsTyped;
};

const TheoryOptions& askedTheory(const Options& options) { return options.own.of<TheoryOptions>(); }

constexpr std::uint64_t countedLength = 1024;  // elements

// The size for which the kernels were written, or the device's largest if that is smaller.
std::uint32_t usualWorkGroup(const Device& gpu)
{
    return std::min(KernelShape().workGroup, matrixWorkGroups(gpu).back());
}

std::string timeLine(const char* name, const Statistics& ms)
{
    return fmt::format("{:<10}{:>10} ms, {} repetitions, cv {:.1f} %\n", name, digitsText(ms.median), ms.count,
                       ms.cv * 100);
}

KernelShape unpadded(KernelShape shape)
{
    shape.banks = KernelShape::noPadding;
    return shape;
}

// Times the task as it is and without padding; false if one of them has a wrong result.
bool measure(TaskCommand& command, const Options& options, const Task& task, std::uint64_t n, const KernelShape& shape)
{
    const Input input = task.inputOf(Pattern::parse("random"), n, options.evaluation.seed);
    const auto time = [&](const char* name, const KernelShape& one) {
        const Expectation expectation(*task.taskClass, input, one);
        const DeviceInput onDevice(command.gpu(), expectation);
        Trial trial(command.gpu(), task, expectation, onDevice);
        trial.timedRun(options.evaluation.timer);  // makes the driver finish the pipelines
        const SeriesResult series = timeSeries(trial, seriesOn(command.gpu(), options.evaluation));
        command.printText(series.verdict.passed()
                              ? timeLine(name, series.ms)
                              : fmt::format("{:<10}wrong result for random input of seed {}: TEST FAILED\n", name,
                                            options.evaluation.seed));
        command.noteClock(name, series.timer);
        return series.verdict.passed();
    };
    command.printText("\nmeasured on this device, the whole task\n");
    const bool right = time("padded", shape);
    return time("unpadded", unpadded(shape)) && right;
}

ExitStatus theoryOfTask(TaskCommand& command, const Options& options, const Task& task, TheoryOutcome& found)
{
    const std::uint64_t n = *options.size;
    KernelShape shape;
    shape.workGroup = options.evaluation.workGroup.value_or(usualWorkGroup(command.gpu()));
    shape.elements = options.evaluation.elements.value_or(task.elementsUnit);
    shape.exclusive = options.evaluation.exclusive && task.taskClass->hasExclusive;
    command.printText(fmt::format("{} theory of {}\nn = {}, work-group {}, {} elements per invocation{}\n",
                                  task.consoleLabel().substr(0, task.consoleLabel().find(']') + 1), task.label, n,
                                  shape.workGroup, shape.elements, shape.exclusive ? ", exclusive" : ""));
    found = {task.id, n, shape, {}, {}, usualColumns(shape), {}, {}};
    if (n == 0) {
        command.printText("n = 0: nothing to do, so there is no dispatch\n");
        return ExitStatus::passed;
    }
    if (const std::string file = unwrittenFile(command.gpu(), task, shape, n); !file.empty()) {
        command.printText(fmt::format("NOT WRITTEN YET {}\n", file));
        return ExitStatus::failed;
    }
    const Workload work = workloadOf(command.gpu(), task);
    command.terminal().progress("theory: following the kernels on the host");
    found.dispatches = countDispatches(work, n, shape);
    command.printText(fmt::format("\n{}\n{}", dispatchTable(found.dispatches), requestTable(found.dispatches)));
    found.textbook = task.scheme.textbook(n, shape.exclusive);
    command.printText(
        fmt::format("\n{}", measuresText(found.dispatches, askedTheory(options).processors, found.textbook,
                                         task.taskClass->addsUp ? Formula{"n - 1", n - 1} : Formula{"n", n})));
    found.conflicts = countConflicts(work, n, found.columns);
    bool padded = false;
    for (const KernelConflicts& kernel : found.conflicts) {
        if (!kernel.any()) continue;
        padded = padded || kernel.paddingMatters(found.columns);
        command.printText(fmt::format("\n{}", conflictTable(kernel, found.columns)));
    }
    found.growth = optimality(work, task, shape.exclusive);
    command.printText(fmt::format("\n{}", growthText(*found.growth)));
    if (options.verbose) command.printText(fmt::format("\n{}", rateText(walkRate(work, n, shape))));
    if (!askedTheory(options).measure) return ExitStatus::passed;
    if (!padded) {
        command.printText("\nnothing to measure: padding makes no difference to this task's kernels\n");
        return ExitStatus::passed;
    }
    return measure(command, options, task, n, shape) ? ExitStatus::passed : ExitStatus::failed;
}

// Checked, and with --measure timed; false if it is wrong.
bool runRotations(TaskCommand& command, const Options& options, const KernelShape& shape)
{
    std::optional<SeriesSettings> series;
    if (askedTheory(options).measure) series = seriesOn(command.gpu(), options.evaluation);
    bool right = true;
    command.printText("\non this device, compared with the CPU's\n");
    for (const bool padded : {true, false}) {
        const RotationRun run =
            runRotation(command.gpu(), askedTheory(options).matrix, padded ? shape : unpadded(shape), series);
        const char* name = padded ? "padded" : "unpadded";
        for (const std::string& line : linesOf(run.findings)) command.printText(fmt::format("{:<10}{}\n", name, line));
        if (run.wrong)
            command.printText(fmt::format("{:<10}wrong from element {} on\n", name, *run.wrong));
        else if (run.passed())
            command.printText(series ? timeLine(name, run.times.ms)
                                     : fmt::format("{:<10}every element is right\n", name));
        if (series) command.noteClock(name, run.times.timer);
        right = right && run.passed();
    }
    command.printText(right ? "TEST PASSED\n" : "TEST FAILED\n");
    return right;
}

ExitStatus theoryOfRotation(TaskCommand& command, const Options& options, TheoryOutcome& found)
{
    const MatrixSize& size = askedTheory(options).matrix;
    KernelShape shape;
    shape.workGroup = options.evaluation.workGroup.value_or(usualWorkGroup(command.gpu()));
    shape.elements = options.evaluation.elements.value_or(32);
    command.printText(
        fmt::format("[Lab] theory of a matrix rotation\n{} x {} elements, work-group {}, tiles of {} x {}\n", size.rows,
                    size.columns, shape.workGroup, shape.elements, shape.elements));
    found = {"rotate", size.elements(), shape, {}, {}, usualColumns(shape), {}, {}};
    const Workload work = rotation(command.gpu(), size);
    command.terminal().progress("theory: following the kernel on the host");
    found.dispatches = countDispatches(work, found.n, shape);
    command.printText(fmt::format("\n{}\n{}", dispatchTable(found.dispatches), requestTable(found.dispatches)));

    // As many banks as the tile's width, unless the user chose the width.
    for (ConflictColumn& column : found.columns) {
        if (!options.evaluation.elements) column.shape.elements = column.banks;
        column.title = fmt::format("{} {}", column.shape.elements, column.title);
    }
    found.conflicts = countConflicts(work, found.n, found.columns);
    for (const KernelConflicts& kernel : found.conflicts)
        command.printText(fmt::format("\n{}", conflictTable(kernel, found.columns)));
    command.printText("The number before it is the side of a tile.\n");
    return runRotations(command, options, shape) ? ExitStatus::passed : ExitStatus::failed;
}

void addTheoryOptions(CLI::App& app, Options& options, Raw& raw)
{
    TheoryOptions& own = options.own.of<TheoryOptions>();
    inGroup(app, whatIsRun);
    addTaskName(app, options, "one id, such as scan/naive (see a2 list), or rotate");
    addText(app, "-n,--size", "N", raw.size,
            "elements: 1000000, 2^20, 128Mi; of what takes too long to be followed on the host, the largest that does "
            "not is named",
            std::to_string(countedLength));
    addText(app, "-w,--workgroup", "N", raw.workGroup, "invocations per work-group", "256");
    addText(app, "--elements", "N", raw.elements, "elements per invocation, even, 2 to 64; rotate: the side of a tile",
            "the fewest; rotate: 32");
    addElementType(app, raw);
    addFlag(app, "--exclusive", options.evaluation.exclusive, "exclusive scans instead of inclusive ones");
    addText(app, "--matrix", "RxC", own.matrixTyped, "rotate: rows x columns",
            fmt::format("{}x{}", own.matrix.rows, own.matrix.columns));
    addText(app, "--processors", "P", own.processorsTyped, "time and cost with so many processors, too",
            "only as many as are ever active at a time");
    addFlag(app, "--measure", own.measure, "time the kernels with and without padding on the device");
    addJsonOption(app, options);
    addRunOptions(app, options, raw);
}

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

void interpretTheory(const Raw&, Options& options)
{
    constexpr std::uint64_t mostProcessors = std::uint64_t{1} << 32;
    TheoryOptions& own = options.own.of<TheoryOptions>();
    own.rotation = options.noTask = options.tasks == std::vector<std::string>{"rotate"};
    if (own.rotation && options.size)
        throw UsageError("--size with rotate: a matrix has two sides; give --matrix, such as 500x300");
    if (own.rotation && options.gpu.element != &ElementType::uint32)
        throw UsageError("--type with rotate: its matrix has words of no type; leave it out");
    if (!own.rotation && !own.matrixTyped.empty()) throw UsageError("--matrix is about a2 theory rotate alone");
    if (!own.matrixTyped.empty()) own.matrix = parseMatrix(own.matrixTyped);
    if (!own.processorsTyped.empty())
        own.processors = parseNumber("--processors", own.processorsTyped, 1, mostProcessors);
    if (!options.size) options.size = countedLength;
}

ExitStatus showTheory(const Options& options, DeviceChannel& channel)
{
    Options shared = options;
    if (askedTheory(options).rotation) shared.tasks.clear();  // it is no task, and this is about tasks
    std::optional<OutputFile> json;
    if (!options.jsonFile().empty()) json.emplace(options.jsonFile());
    TaskCommand command(shared, channel);
    const ReportContext context =
        describeContext(command.gpu(), options.commandLine, options.evaluation.seed, options.evaluation.timer, 0);
    try {
        TheoryOutcome found;
        const ExitStatus status = askedTheory(options).rotation
                                      ? theoryOfRotation(command, options, found)
                                      : theoryOfTask(command, options, command.tasks().front(), found);
        if (json) json->commit(jsonReport(context, {}, {"theory", theoryJson(found)}));
        return status;
    } catch (const LimitError& error) {
        command.printText(wrapped(fmt::format("SKIPPED: {}", error.what()), 0, lineColumns));
        if (json) json->commit(jsonReport(context, {}, {"theory", "[]"}));
        return ExitStatus::environment;
    }
}

}  // namespace

extern const Subcommand theoryCommand;
constinit const Subcommand theoryCommand = {
    .name = "theory",
    .description = "a task's work, cost and memory traffic, counted",
    .place = 100,
    .addOptions = addTheoryOptions,
    .interpret = interpretTheory,
    .work = showTheory,
    .takesOneTask = true,
    .refusesEmulator = [](const Options& options) -> const char* {
        return askedTheory(options).measure ? "--measure is about times, and an emulator has none" : nullptr;
    }};

}  // namespace a2
