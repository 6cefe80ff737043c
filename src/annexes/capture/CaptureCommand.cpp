// a2 capture: one small run, as RenderDoc sees it.

#include "base/ShellWord.h"
#include "cli/OptionGroups.h"
#include "cli/Subcommand.h"
#include "cli/TaskCommand.h"
#include "files/OutputFile.h"
#include "gpu/RenderDoc.h"

#include <fmt/format.h>

#include <algorithm>
#include <list>

namespace a2 {

namespace {

RenderDoc loadRenderDoc()
{
    constexpr const char* instead = "`a2 steps` shows the same without it";
    if (!RenderDoc::builtWithHeader())
        throw EnvironmentError(
            fmt::format("this a2 was built without RenderDoc's header renderdoc_app.h: install "
                        "librenderdoc-dev and build again; {}",
                        instead));
    auto loaded = RenderDoc::load();
    if (!loaded)
        throw EnvironmentError(
            fmt::format("RenderDoc is not installed: install librenderdoc (Debian, Ubuntu) or RenderDoc; {}", instead));
    return *loaded;
}

void addCaptureOptions(CLI::App& app, Options& options, Raw& raw)
{
    addOneTask(app, options, raw);
    addTaskOptions(app, options, raw, "mod97, easy to read (of a sort: shuffled); random where -s names a seed");
    inGroup(app, whatIsShown);
    addText(app, "-o,--output", "FILE", options.outputFile, "the capture file", "a2-GROUP-NAME-nN.rdc");
}

ExitStatus captureRow(const Options& options, DeviceChannel& channel)
{
    if (options.size == 0) throw UsageError("--size 0: no dispatch would be in the capture; name a length");
    const Task task = selectTasks(options.tasks, options.all, *options.gpu.element).front();
    const std::string file = outputFileOf(options, task, "rdc");
    std::list<OutputFile> reports;  // written by the other process; none of them may be the capture's file
    for (const auto& [option, report] : options.reports)
        if (!report.empty()) reports.emplace_back(report);
    OutputFile target(file);
    static_cast<void>(target.folder());  // throws if it is no file
    if (options.evaluation.pattern) target.refuseAsInput(options.evaluation.pattern->file());
    const RenderDoc renderDoc = loadRenderDoc();  // before Vulkan is
    std::optional<TaskCommand> command;
    try {
        command.emplace(options, channel);
    } catch (const OpeningError& error) {
        if (error.result != vk::Result::eErrorInitializationFailed) throw;
        throw EnvironmentError(
            "under RenderDoc the device could not be opened: RenderDoc needs a queue family with graphics and compute; "
            "`a2 steps` shows the same without it");
    }
    const TaskOutcome outcome = command->evaluator().once(task, [&](const Evaluator::OneRun& one) {
        const std::string same = stepsCommand(task, one.asked, options.evaluation);
        renderDoc.capture(target, same, [&] { one.judge(); });
        command->printText(fmt::format("{} captured {}\nfile: {}\n", task.consoleTag(), task.label, file));
        command->printText(fmt::format("  with a window:     qrenderdoc {}\n", file));
        command->printText(fmt::format("  without one:       tools/inspect_capture.py {}\n", shellWord(file)));
        command->printText(fmt::format("  without RenderDoc: {}\n", same));
    });
    command->printText(verdictText(outcome, command->style()));
    command->tell(outcome);
    return ExitStatus::passed;
}

}  // namespace

extern const Subcommand captureCommand;
constinit const Subcommand captureCommand = {
    .name = "capture",
    .description = "one small run, as RenderDoc sees it",
    .place = 50,
    .addOptions = addCaptureOptions,
    .work = captureRow,
    .hasRows = true,
    .takesOneTask = true,
    .smallRun = true,
    .unconfined = true,  // RenderDoc writes where a2 does not know
    .refusesEmulator = [](const Options&) { return "RenderDoc sees drivers alone; `a2 steps` shows the same"; }};

}  // namespace a2
