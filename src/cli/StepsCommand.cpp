// a2 steps: one small run, dispatch by dispatch.

#include "cli/OptionGroups.h"
#include "cli/Subcommand.h"
#include "cli/TaskCommand.h"
#include "report/PhasesText.h"
#include "report/PrintedText.h"
#include "report/StepsDump.h"
#include "report/StepsText.h"
#include "report/TreeText.h"

#include <fmt/format.h>

#include <algorithm>

namespace a2 {

namespace {

void addStepsOptions(CLI::App& app, Options& options, Raw& raw)
{
    addOneTask(app, options, raw);
    addCourseOption(app, options);
    addTaskOptions(app, options, raw, "mod97, easy to read (of a sort: shuffled); random where -s names a seed");
    addTimer(app, raw);
    addRecordingsOf(app, options, "show a run of those that --record-only of another command wrote");
    inGroup(app, whatIsShown);
    addText(app, "--dump", "DIR", options.dumpFolder,
            "write each buffer after each dispatch into this new folder, as .npy", "none");
    addText(app, "--html", "FILE", options.pageFile,
            fmt::format("draw the run as one page for a browser: a slider over the dispatches and the phases between "
                        "barrier() calls, and what makes which element; up to {} elements",
                        longestTraced),
            "none");
    addText(app, "--beside", "FILE", options.besideFile,
            "with --html: draw another run beside this one, from a file that --json of a2 steps has written", "none");
    addFlag(app, "--tree", options.tree,
            fmt::format("draw that here instead, elements from top to bottom and steps from left to right; up to "
                        "{} elements",
                        longestTree));
    addFlag(app, "--phases", options.phases,
            fmt::format("also the shared memory of one work-group after each barrier() of a dispatch, walked "
                        "on the host; --json has it for up to {} elements without being asked; there "
                        "arrays of up to {} numbers are whole, longer ones null",
                        largestOnHost, mostValuesKept));
    addText(app, "--group", "G", raw.group,
            "with --phases or --tree: its number, along x, then y, then z; with --printf: the only one that prints",
            "0");
    addPrintOptions(app, options, raw, "it is shown without this option, too, which --group asks for");
}

void interpretSteps(const Raw& raw, Options& options)
{
    interpretPrints(raw, options);
    if (!raw.group.empty() && !options.phases && !options.tree && !options.evaluation.print.always)
        throw UsageError("--group G is for --phases, --tree and --printf: the work-group that they show");
    if (!raw.group.empty()) options.group = parseNumber("--group", raw.group, 0, UINT32_MAX);
    const auto refuseLonger = [&](const char* option, std::uint64_t longest) {
        if (options.size.value_or(0) > longest)
            throw UsageError(fmt::format("{} draws up to {} elements, and n is {}: -n {} fits", option, longest,
                                         *options.size, longest));
    };
    if (!options.besideFile.empty() && options.pageFile.empty())
        throw UsageError("--beside FILE is for --html, which draws both runs on its page: add --html PAGE.html");
    if (!options.pageFile.empty()) refuseLonger("--html", longestTraced);
    if (options.tree) refuseLonger("--tree", longestTree);
}

// A report has the phases and accesses of short runs, whether they are shown or not.
bool isReported(const Options& options) { return !options.jsonFile().empty() || !options.pageFile.empty(); }
bool traces(const Options& options)
{
    return options.tree || (isReported(options) && options.size.value_or(0) <= longestTraced);
}
std::optional<std::uint64_t> watchedGroup(const Options& options)
{
    const bool reported = isReported(options) && options.size.value_or(0) <= largestOnHost;
    return options.phases || options.tree || reported ? std::optional(options.group) : std::nullopt;
}

ExitStatus showSteps(const Options& options, DeviceChannel& channel)
{
    std::optional<StepsDump> dump;
    if (!options.dumpFolder.empty()) dump.emplace(options.dumpFolder);
    TaskCommand command(options, channel);
    const Task& task = command.tasks().front();
    const ConsoleStyle style = command.style();

    StepsOutcome steps;
    const TaskOutcome outcome =
        command.evaluator().steps(task,
                                  {[&](const CaseOutcome& run, const std::vector<NamedValues>& given) {
                                       command.printText(stepsHead(task, run, given, style));
                                       if (dump) dump->begin(given, *task.element);
                                   },
                                   [&](const StepView& view) {
                                       if (!options.tree) command.printText(stepText(view, style));
                                       command.printText(printedText(view.step.printed, style));
                                       if (options.phases) command.printText(phasesText(view.step, style));
                                       if (dump) dump->add(view);
                                   },
                                   watchedGroup(options), traces(options)},
                                  steps);
    command.printText(unprintedText(steps.printed, style));
    if (options.tree) command.printText(treeText(steps, options.group, style));
    if (options.size == 0) command.printText("n = 0: nothing to do, so there is no dispatch\n");
    command.printText(stepsTail(outcome, steps, style));
    const auto untimed = std::find_if(steps.steps.begin(), steps.steps.end(),
                                      [&](const Step& step) { return step.timer != options.evaluation.timer; });
    if (untimed != steps.steps.end())
        command.noteClock(fmt::format("dispatch {}", untimed->dispatch.index), untimed->timer);
    if (dump) dump->commit();
    channel.send({{"is", "dispatches"}, {"json", dispatchesJson(steps)}});
    command.tell(outcome);
    return ExitStatus::passed;
}

}  // namespace

constinit const Subcommand Subcommand::steps = {.name = "steps",
                                                .description = "one small run, dispatch by dispatch",
                                                .place = 40,
                                                .addOptions = addStepsOptions,
                                                .interpret = interpretSteps,
                                                .work = showSteps,
                                                .hasRows = true,
                                                .takesOneTask = true,
                                                .smallRun = true};

}  // namespace a2
