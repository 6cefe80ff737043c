// a2 record, and a2 run --recording.

#include "base/ShellWord.h"
#include "cli/OptionGroups.h"
#include "cli/Subcommand.h"
#include "cli/TaskCommand.h"
#include "files/InputFile.h"
#include "files/OutputFile.h"
#include "judge/StudentSolution.h"
#include "recording/RecordingCheck.h"
#include "recording/RecordingFile.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace a2 {

namespace {

// "reduce/sequential" -> "a2-reduce-sequential-n16.a2r"
std::string defaultFile(const Task& task, std::uint64_t n)
{
    std::string id = task.id;
    std::replace(id.begin(), id.end(), '/', '-');
    return fmt::format("a2-{}-n{}.a2r", id, n);
}

Recording readRecording(const std::string& path)
{
    const RecordingLimits limits;
    InputFile file(path);
    file.limitPipeTo(limits.bytes);
    std::vector<std::uint8_t> bytes;
    std::array<char, 1 << 16> block{};
    while (const std::size_t count = file.read(block.data(), block.size())) {
        bytes.insert(bytes.end(), block.begin(), block.begin() + static_cast<std::ptrdiff_t>(count));
        if (bytes.size() > limits.bytes)
            throw UsageError(fmt::format("{} is no recording: it is longer than the {} MiB that one may have", path,
                                         limits.bytes >> 20));
    }
    try {
        Recording recording = recordingFrom(bytes, limits);
        checkRecording(recording);
        return recording;
    } catch (const RecordingError& error) {
        throw UsageError(
            fmt::format("{} is no recording that a2 can judge: {}; `a2 record TASK` writes one", path, error.what()));
    }
}

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
    const Task task = selectTasks(options.tasks, options.all).front();
    const std::string path = options.outputFile.empty() ? defaultFile(task, *options.size) : options.outputFile;
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
    fmt::print("  to judge it: {} run --recording {}\n", options.evaluation.program, shellWord(path));
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
    if (options.verbose || !options.jsonFile.empty()) command.copyPeakGBps();
    if (!command.evaluator().deviceFailed()) command.tell(command.evaluator().runOne(task, shape));
    return ExitStatus::passed;
}

constinit const Subcommand Subcommand::record = {.name = "record",
                                                 .description = "what a solution records, as a file",
                                                 .addOptions = addRecordOptions,
                                                 .work = writeRecording,
                                                 .takesOneTask = true,
                                                 .smallRun = true};

}  // namespace a2
