// a2 record, a2 run --recording, and --record-only.

#include "base/ShellWord.h"
#include "cli/OptionGroups.h"
#include "cli/RecordingFiles.h"
#include "cli/Subcommand.h"
#include "cli/TaskCommand.h"
#include "files/OutputFile.h"
#include "judge/StudentSolution.h"
#include "recording/RecordingFile.h"

#include <fmt/format.h>

#include <algorithm>

namespace a2 {

namespace {

void addRecordOptions(CLI::App& app, Options& options, Raw& raw)
{
    addOneTask(app, options, raw);
    addTaskOptions(app, options, raw, "none, for nothing runs");
    inGroup(app, whatIsShown);
    addText(app, "-o,--output", "FILE", options.outputFile, "the recording", "a2-GROUP-NAME-nN.a2r");
}

ExitStatus writeRecording(const Options& options, DeviceChannel& channel)
{
    if (options.size == 0) throw UsageError("--size 0: no dispatch would be recorded; name a length");
    const Task task = selectTasks(options.tasks, options.all, *options.gpu.element).front();
    const std::string path = outputFileOf(options, task, "a2r");
    OutputFile target(path);
    TaskCommand command(options, channel);
    Device& gpu = command.gpu();
    KernelShape shape = command.evaluator().shapeOf(task, *options.size, options.evaluation.workGroup);
    const Recording recording = recordingOf(gpu, task, shape, *options.size);
    const std::vector<std::uint8_t> bytes = toBytes(recording);
    target.write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    target.commit();
    fmt::print("{} recorded {}: {} runs, {} commands in the first\nfile: {}\n", task.consoleTag(), task.label,
               recording.runs.size(), recording.runs.front().commands.size(), path);
    fmt::print("  to judge it: {} run --recording {}{}\n", options.evaluation.program, shellWord(path),
               typeOption(options));
    return ExitStatus::passed;
}

}  // namespace

ExitStatus judgeRecording(const Options& given, DeviceChannel& channel)
{
    Recording recording = readRecording(given.recordingFile);
    Options options = given;
    if (!options.tasks.empty() || options.all || options.size)
        throw UsageError("--recording FILE names task and length itself: leave out TASK, --all and --size");
    const std::vector<Task> known = allTasks();
    if (std::none_of(known.begin(), known.end(), [&](const Task& one) { return one.id == recording.task; }))
        throw UsageError(fmt::format("{} is of a task '{}', which there is not; `a2 list` shows the tasks",
                                     given.recordingFile, recording.task));
    options.tasks = {recording.task};
    options.size = recording.count;
    TaskCommand command(options, channel);
    Task task = command.tasks().front();
    const KernelShape shape = recording.shape;
    task.record = [&recording](const RecordRequest&) { return recording; };
    if (options.verbose || !options.jsonFile().empty()) command.copyPeakGBps();
    if (!command.evaluator().deviceFailed()) command.tell(command.evaluator().runOne(task, shape));
    return ExitStatus::passed;
}

ExitStatus recordAhead(const Options& options, DeviceChannel& channel, RecordAll recordAll)
{
    constexpr std::uint64_t mostBytes = std::uint64_t{128} << 20;  // of a task
    OutputFile target(options.recordOnly);
    TaskCommand command(options, channel);
    const RecordingBook& book = command.recordings();
    (command.evaluator().*recordAll)(command.tasks(),
                                     [&](const Task& task) { return book.bytesOf(task.id) < mostBytes; });
    target.write({reinterpret_cast<const char*>(book.bytes().data()), book.bytes().size()});
    target.commit();
    const std::size_t tasks = command.tasks().size();
    fmt::print("recorded {} runs of {} {}, judged none\nfile: {}\n", book.size(), tasks, tasks == 1 ? "task" : "tasks",
               options.recordOnly);
    fmt::print("  to judge them: the same command with --recordings {}\n", shellWord(options.recordOnly));
    return ExitStatus::passed;
}

constinit const Subcommand Subcommand::record = {.name = "record",
                                                 .description = "what a solution records, as a file",
                                                 .place = 60,
                                                 .addOptions = addRecordOptions,
                                                 .work = writeRecording,
                                                 .takesOneTask = true,
                                                 .smallRun = true};

}  // namespace a2
