// a2 debug: one small run, line by line, forwards and backwards.

#include "annexes/debug/DapSession.h"
#include "annexes/debug/Session.h"
#include "cli/DeviceChannel.h"
#include "cli/OptionGroups.h"
#include "cli/Oversee.h"
#include "cli/Subcommand.h"
#include "cli/TaskCommand.h"
#include "files/Project.h"
#include "files/Utf8Path.h"
#include "gpu/Shaders.h"
#include "report/Text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace a2 {

namespace {

struct DebugOptions {
    std::string commandFile, run;
    std::uint32_t before = 0;  // runs of the same object
    bool json = false, dap = false;
};

void addDebugOptions(CLI::App& app, Options& options, Raw& raw)
{
    auto& own = options.own.of<DebugOptions>();
    addOneTask(app, options, raw, false);  // an editor may name it later
    addCourseOption(app, options);
    addInputOptions(app, options, raw, "mod97, easy to read (of a sort: shuffled); random where -s names a seed");
    inGroup(app, whatIsRun);
    addText(app, "--run", "K", own.run,
            fmt::format("the object's first, second ... run: 1 to {}", StudentSolution::runsRecorded), "1");
    addDeviceOptions(app, options, raw);
    inGroup(app, whatIsShown);
    addText(app, "-x,--commands", "FILE", own.commandFile,
            "commands, a line each, before those that are typed; '#' begins a remark", "none");
    addFlag(app, "--json", own.json, "each answer as one line of JSON");
    addFlag(app, "--dap", own.dap,
            "for an editor: the Debug Adapter Protocol on standard input and output; the launch names `task` or "
            "`kernel`, and further options as `args`");
}

void interpretDebug(const Raw&, Options& options)
{
    auto& own = options.own.of<DebugOptions>();
    if (!own.run.empty())
        own.before = static_cast<std::uint32_t>(parseNumber("--run", own.run, 1, StudentSolution::runsRecorded) - 1);
    if (own.dap && (own.json || !own.commandFile.empty()))
        throw UsageError("--dap: an editor types, so leave out -x and --json");
    if (own.dap && options.inProcess)
        throw UsageError("--dap: kernels are stepped through, not host code, so leave out --in-process");
    options.noTask = own.dap && options.tasks.empty();
    if (options.size == 0) throw UsageError("--size 0: there would be no line to stop at; name a length");
    // Kernels are walked on the host, even if the command line was made from one with another device.
    options.gpu.device = "emulator";
    options.gpu.validation = Validation::off;
}

std::string headOf(const Task& task, const CaseOutcome& asked, const Verdict& verdict)
{
    std::string text = fmt::format("{}, n = {}, {} invocations with {} elements each, {}\n", task.id, asked.n,
                                   asked.shape.workGroup, asked.shape.elements, asked.pattern);
    if (verdict.mismatches) text += wrongText(*verdict.mismatches, *task.element) + "\n";
    std::set<std::string> broken;
    for (const Finding& one : verdict.findings)
        if (one.severity == Severity::failure) broken.insert(one.rule);
    if (!broken.empty()) text += wrapped(fmt::format("it breaks {}", fmt::join(broken, ", ")), 0, lineColumns);
    if (verdict.passed()) text += "this run passes\n";
    return text + (verdict.mismatches && broken.empty()
                       ? fmt::format("'continue' goes to its end, 'why result[{}]' from there to its write; 'help'\n",
                                     verdict.mismatches->firstIndex)
                       : "'continue' goes to what is wrong, or to the end; 'help' lists commands\n");
}

// Gets the execution of the task's kernels, line by line.
using LookInto = std::function<ExitStatus(debug::Timeline& timeline, const std::string& head)>;

ExitStatus withTimeline(const Options& options, const LookInto& look)
{
    const auto& own = options.own.of<DebugOptions>();
    DeviceRequest request;
    request.seed = options.evaluation.seed;
    Terminal terminal(options.quiet, options.verbose);
    DeviceChannel channel(request, [&terminal](const nlohmann::json& message) {
        if (message.at("is") == "note") terminal.note(message.at("text").get<std::string>());
        return nlohmann::json();
    });
    TaskCommand command(options, channel);
    const Task& task = command.tasks().front();
    std::optional<ExitStatus> status;
    const TaskOutcome outcome = command.evaluator().once(task, [&](const Evaluator::OneRun& one) {
        const Verdict* verdict = &one.judge();
        for (std::uint32_t run = 0; run < own.before; ++run) verdict = &one.judge();
        Schedule schedule;
        schedule.subgroupSize = command.gpu().subgroupSize;
        schedule.run = own.before;
        if (options.evaluation.schedule) schedule = *options.evaluation.schedule;
        std::vector<std::filesystem::path> folders = {projectShaders()};
        if (!options.gpu.shaderDir.empty()) folders.insert(folders.begin(), pathOf(options.gpu.shaderDir));
        debug::Timeline timeline(one.solution.recording(), shadersOf(command.gpu()), givenWords(one.expectation),
                                 schedule, std::move(folders));
        if (timeline.dispatches() == 0)
            throw UsageError(fmt::format("{} starts no dispatch in run {}", task.id, schedule.run + 1));
        status = look(timeline, headOf(task, one.asked, *verdict));
    });
    if (status) return *status;
    const std::string text = verdictText(outcome, command.style());
    if (own.dap) throw UsageError(text);  // the editor shows it
    if (own.json) {
        debug::Answer answer(true);
        answer.say(text);
        answer.tell("error", "the task's solution comes to no run");
        answer.flush("", false);
    } else {
        command.printText(text);
    }
    return exitStatus({outcome});
}

ExitStatus serveEditor(const Options& options)
{
    debug::DapChannel channel;
    std::vector<std::string> typed = options.passedOn;
    std::erase(typed, "--dap");
    typed.insert(typed.begin(), options.tasks.begin(), options.tasks.end());
    while (auto launch = debug::launchOf(channel, typed)) {
        try {
            launch->words.emplace_back("--dap");
            Options wanted = parseOptions(launch->words);
            if (!wanted.finished.empty())
                throw UsageError("an editor has no use for a help text: leave it out of \"args\"");
            if (wanted.noTask) throw UsageError("the launch names no \"task\" and no \"kernel\"");
            wanted.evaluation.program = options.evaluation.program;
            return withTimeline(wanted, [&](debug::Timeline& timeline, const std::string& head) {
                debug::DapSession(channel, timeline, head).run(*launch);
                return ExitStatus::passed;
            });
        } catch (const Error& error) {
            channel.refuse(launch->request, error.what());
        }
    }
    return ExitStatus::passed;
}

ExitStatus debugTask(const Options& options)
{
    const auto& own = options.own.of<DebugOptions>();
    if (own.dap) return serveEditor(options);
    return withTimeline(options, [&](debug::Timeline& timeline, const std::string& head) {
        const bool fine = debug::Session(timeline, {own.commandFile, own.json, head}).run();
        return fine ? ExitStatus::passed : ExitStatus::usage;
    });
}

}  // namespace

extern const Subcommand debugCommand;
constinit const Subcommand debugCommand = {.name = "debug",
                                           .description = "one small run, line by line, also backwards",
                                           .place = 45,
                                           .addOptions = addDebugOptions,
                                           .interpret = interpretDebug,
                                           .workHere = debugTask,
                                           .takesOneTask = true,
                                           .smallRun = true};

}  // namespace a2
