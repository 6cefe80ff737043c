// a2 bench: times only, in a table.

#include "a2/Error.h"
#include "cli/OptionGroups.h"
#include "cli/Subcommand.h"
#include "cli/TaskCommand.h"

#include <algorithm>

namespace a2 {

namespace {

void addBenchOptions(CLI::App& app, Options& options, Raw& raw)
{
    addManyTasks(app, options, raw, usualLength, "the task's own");
    addTexts(app, "--sweep", "WHAT", raw.sweeps,
             "many measurements: size (2^10, 2^12, ... to the largest), workgroup (32 to 1024), or "
             "size,workgroup; default: one",
             {"size", "workgroup"});
    addText(app, "--up-to", "N", raw.upTo, "only lengths up to this one, with --sweep size", "the largest that fits");
    addText(app, "--scaling", "WHAT", raw.scaling,
            "started by mpirun -n P: 1, 2, 4 ... P ranks share the same array (strong), or one that grows with them "
            "(weak)",
            "all P at once", {"strong", "weak"});
    addCourseOption(app, options);
    addTaskOptions(app, options, raw, "random");
    addTimingOptions(app, raw);
    addRecordingsOf(app, options, "time runs of those that --record-only of another command wrote");
    inGroup(app, howItIsTimed);
    addText(app, "--batch", "N", raw.batch,
            "runs per repetition, recorded one after the other; times are of one run. For short runs", "1");
    addText(app, "--in-flight", "K", raw.inFlight,
            "with --batch: up to so many runs at a time do not wait for each other; times are then of throughput", "1");
    inGroup(app, whatIsShown);
    addFlag(app, "--each-repetition", options.eachRepetition,
            "--json has an entry for each repetition, as the U test of Google Benchmark's compare tool wants them");
}

void interpretBench(const Raw& raw, Options& options)
{
    EvaluationSettings& evaluation = options.evaluation;
    const auto swept = [&](const char* what) {
        return std::find(raw.sweeps.begin(), raw.sweeps.end(), what) != raw.sweeps.end();
    };
    evaluation.sweepSizes = swept("size");
    evaluation.sweepWorkGroups = swept("workgroup");
    if (!raw.batch.empty()) evaluation.batch = static_cast<unsigned>(parseNumber("--batch", raw.batch, 1, 65536));
    if (!raw.inFlight.empty()) {
        evaluation.inFlight = static_cast<unsigned>(parseNumber("--in-flight", raw.inFlight, 1, 64));
        if (raw.batch.empty())
            throw UsageError("--in-flight is about the runs of a batch: add --batch N, with N several times as large");
    }
    if (!raw.scaling.empty()) options.scaling = raw.scaling == "weak" ? Scaling::weak : Scaling::strong;
    evaluation.weak = options.scaling == Scaling::weak;
    if (options.eachRepetition && options.jsonFile().empty())
        throw UsageError("--each-repetition is about the JSON: add --json FILE");
    if (evaluation.sweepSizes && raw.size != "auto")
        throw UsageError("--size with --sweep size: name one length or sweep them; --up-to N ends the sweep");
    if (!evaluation.sweepSizes && !raw.upTo.empty())
        throw UsageError("--up-to ends a sweep of lengths: add --sweep size, or name one length with --size");
    if (evaluation.sweepSizes && evaluation.upTo == 0)
        throw UsageError("--up-to 0: no length is left to sweep; name 1 or more");
    if (evaluation.sweepWorkGroups && evaluation.workGroup)
        throw UsageError("--workgroup with --sweep workgroup: name one work-group size or sweep them");
}

ExitStatus benchRows(const Options& options, DeviceChannel& channel)
{
    TaskCommand command(options, channel);
    Evaluator& evaluator = command.evaluator();
    command.copyPeakGBps();  // before inputs fill the memory
    if (evaluator.deviceFailed()) return ExitStatus::device;
    std::vector<std::vector<CaseOutcome>> known;
    for (const TaskOutcome& row : channel.request().rows) known.push_back(row.cases);
    const auto show = [&](const Task& task, const CaseOutcome& one) { command.tell(task, one); };
    for (const TaskOutcome& outcome : evaluator.bench(command.tasks(), show, known)) command.tell(outcome);
    return ExitStatus::passed;
}

}  // namespace

constinit const Subcommand Subcommand::bench = {
    .name = "bench",
    .description = "times alone, in a table; lengths may be swept",
    .place = 20,
    .addOptions = addBenchOptions,
    .interpret = interpretBench,
    .work = benchRows,
    .hasRows = true,
    .comparesBandwidths = true,
    .sharesArrays = true,
    .refusesEmulator = [](const Options&) { return "it is about times, and an emulator has none"; }};

}  // namespace a2
