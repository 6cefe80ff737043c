// a2 prescan: the prescan lab.

#include "annexes/prescan/AddPeak.h"
#include "annexes/prescan/HostPrescan.h"
#include "annexes/prescan/NumberFile.h"
#include "annexes/prescan/PrescanJson.h"
#include "annexes/prescan/PrescanPart.h"
#include "annexes/prescan/PrescanReport.h"
#include "annexes/prescan/PrescanWork.h"
#include "base/Clock.h"
#include "cli/OptionGroups.h"
#include "cli/Subcommand.h"
#include "cli/TaskCommand.h"
#include "files/OutputFile.h"
#include "files/Utf8Path.h"
#include "judge/CopyPeak.h"
#include "judge/Matrix.h"
#include "report/Report.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace a2 {

namespace {

namespace fs = std::filesystem;

struct PrescanOptions {
    PrescanSettings settings;
    std::vector<std::string> files;  // up to three
    std::string element = "float", maxRand;
    bool exclusive = false, inclusive = false;
};

const PrescanOptions& askedPrescan(const Options& options) { return options.own.of<PrescanOptions>(); }

// Fails before a disk is filled in vain.
void checkDisk(const std::string& target, std::uint64_t n)
{
    std::error_code error;
    const fs::path path = pathOf(target);
    if (fs::exists(path, error) && !fs::is_regular_file(path, error)) return;  // a device or a pipe
    const fs::space_info space = fs::space(fs::absolute(path).parent_path(), error);
    constexpr std::uint64_t least = 2;  // bytes of a number and its line break
    if (!error && n > space.available / least)
        throw UsageError(fmt::format("{} numbers take at least {}, and the disk of {} has {} left: ask for fewer", n,
                                     sizeText(static_cast<double>(n) * least), target,
                                     sizeText(vk::DeviceSize{space.available})));
}

// Two arguments: writes a random input. Needs no device, and hardly any memory.
ExitStatus writeRandomInput(const Options& options)
{
    const PrescanOptions& own = askedPrescan(options);
    const PrescanSettings& settings = own.settings;
    const std::string& target = own.files[1];
    const std::uint64_t n = readSizeFile(own.files[0]);
    OutputFile file(target);
    file.refuseAsInput(own.files[0]);
    checkDisk(target, n);

    constexpr std::uint64_t atOnce = std::uint64_t{1} << 20;
    std::vector<std::uint32_t> words(std::min(n, atOnce));
    for (std::uint64_t first = 0; first < n; first += atOnce) {
        const std::span<std::uint32_t> part(words.data(), std::min(atOnce, n - first));
        fillRandom(settings, first, part);
        writeNumbers(file, *settings.element, part);
    }
    file.commit();
    Terminal(options.quiet, options.verbose)
        .note(fmt::format("{}: {} random whole numbers 0 to {}, seed {}", target, n, settings.maxRand - 1,
                          settings.seed));
    return ExitStatus::passed;
}

class PrescanRun {
public:
    PrescanRun(const Options& options, DeviceChannel& channel);
    ExitStatus run();

private:
    bool measures() const { return own_.files.size() < 3; }
    void noteClock(const char* what, Timer used) { a2::noteClock(terminal_, what, series_.timer, used); }
    void progress(const char* what);
    void readInput();
    void measureLimits();
    void measureHost();
    void bringToDevice();
    void judgeAndTime();
    void judgeFractions();
    ConsoleStyle style() const { return {options_.verbose, options_.colour && stdoutIsTerminal(), 80, 0}; }
    void print(const std::string& text) { terminal_.print(text); }
    void printReport();
    void writeResult();
    void writeJson();

    const Options& options_;
    const PrescanOptions& own_;
    DeviceChannel& channel_;
    Terminal terminal_;
    std::uint64_t n_ = 0;
    std::optional<OutputFile> file_, json_;
    std::unique_ptr<Worker> worker_;  // the device asks it
    OpenDevice gpu_;
    SeriesSettings series_, hostSeries_;
    HostArray input_, result_;  // the second only for a file
    InputLook look_;
    std::optional<DevicePrescan> device_;
    DevicePrescan::Judged judged_;
    PrescanFigures figures_;
};

PrescanRun::PrescanRun(const Options& options, DeviceChannel& channel)
    : options_(options),
      own_(askedPrescan(options)),
      channel_(channel),
      terminal_(options.quiet, options.verbose),
      look_(*own_.settings.element)
{
    const std::vector<std::string>& files = own_.files;
    n_ = files.size() == 3 ? readSizeFile(files[0]) : options.size.value_or(prescanSize);
    if (!files.empty()) file_.emplace(files.back());
    if (!options.jsonFile().empty()) json_.emplace(options.jsonFile());
    for (std::size_t input = 0; input + 1 < files.size(); ++input)
        for (auto* output : {&file_, &json_})
            if (*output) (*output)->refuseAsInput(files[input]);
    hostSeries_ = {options.evaluation.timer, options.evaluation.repeat, options.evaluation.maxSeconds};
    hostSeries_.warmUpMs = 30;  // a processor wakes up faster than a GPU
}

ExitStatus PrescanRun::run()
{
    if (n_ > 0 || json_) {  // a report names the device
        worker_ = openWorker(terminal_, options_);
        gpu_ = openDevice(withHelpOf(
            terminal_, [this](const RecordRequest& request) { return worker_->record(request); }, channel_, options_));
        series_ = seriesOn(*gpu_, options_.evaluation);
        announceDevice(*gpu_, terminal_, series_.timer);
        gpu_->enter(workingPhase);
        constexpr std::uint64_t twoArrays = 2 * sizeof(std::uint32_t);  // on the device, and on the host
        checkMemory(*gpu_, n_, twoArrays, twoArrays);
        if (measures() && n_ > 0) measureLimits();
    }
    readInput();
    if (n_ > 0) {
        if (measures()) measureHost();
        bringToDevice();
        judgeAndTime();
    }
    print(prescanVerdictText(n_, figures_.kernelMs, judged_, style()));
    if (judged_.passed() && measures() && n_ > 0) printReport();
    if (json_) writeJson();
    if (!judged_.passed()) return ExitStatus::failed;
    if (file_) writeResult();
    return ExitStatus::passed;
}

// Before arrays fill the memory. Not with a short array, which may fit a cache; the copy kernel binds a whole one.
void PrescanRun::measureLimits()
{
    constexpr std::uint64_t least = std::uint64_t{1} << 22;
    progress("limits of the device");
    const DeviceRate copy = measureCopyPeak(*gpu_, std::min(std::max(n_, least), largestInOneBinding(*gpu_)), series_);
    const DeviceRate additions = measureDeviceAddPeak(*gpu_, *own_.settings.element, series_);
    noteClock("the copy kernel", copy.timer);
    noteClock("the device's additions", additions.timer);
    figures_.deviceCopyGBps = copy.rate;
    figures_.deviceAddPeak = additions.rate;
    progress("limits of the host");
    figures_.hostAddPeak = measureHostAddPeak(*own_.settings.element, hostSeries_);
}

void PrescanRun::readInput()
{
    progress("input");
    input_ = makeHostArray(n_);
    const std::span<std::uint32_t> input(input_.get(), n_);
    const std::vector<std::string>& files = own_.files;
    if (files.size() == 3)
        readNumbers(files[1], *own_.settings.element, input, files[0]);
    else
        fillRandom(own_.settings, 0, input);
    look_.look(input);
    checkRange(look_.facts(), *own_.settings.element);
}

void PrescanRun::measureHost()
{
    progress("host");
    const HostArray scanned = makeHostArray(n_);
    const std::span<const std::uint32_t> input(input_.get(), n_);
    const std::span<std::uint32_t> output(scanned.get(), n_);
    const auto median = [&](const auto& work) {
        return timeUnjudged(
                   [&] {
                       const auto start = Clock::now();
                       work();
                       return msSince(start);
                   },
                   hostSeries_)
            .median;
    };
    const auto bytes = static_cast<double>(2 * n_ * sizeof(std::uint32_t));
    figures_.hostCopyGBps = bytes / median([&] { hostCopy(input, output); }) / 1e6;
    figures_.hostMs = median([&] { hostPrescan(own_.settings, input, output); });

    PrescanJudge judge(own_.settings, look_.facts(), hostAdditions(n_));
    judge.look(input, output);
    if (!judge.verdict().passed())
        throw Error(ExitStatus::internal, "the host's own prescan is wrong: is the memory sound?");
    figures_.hostError = judge.verdict().largestError;
}

// The host's array is freed as soon as the device has it: on a CPU device both are main memory.
void PrescanRun::bringToDevice()
{
    progress("upload");
    device_.emplace(*gpu_, own_.settings, n_);
    const auto upload = [&] { return device_->upload({input_.get(), n_}); };
    if (measures())
        figures_.uploadMs = timeUnjudged(upload, hostSeries_).median;
    else
        upload();
    input_.reset();
    device_->prepare();
}

// Judges before and after the timed runs; the file gets the words that were judged last.
void PrescanRun::judgeAndTime()
{
    progress("kernels");
    if (file_) result_ = makeHostArray(n_);
    const std::span<std::uint32_t> result(result_.get(), file_ ? n_ : 0);
    judged_ = device_->runAndJudge(look_.facts(), series_.timer, measures() ? std::span<std::uint32_t>() : result);
    const RunTime& time = judged_.time;
    figures_.kernelMs = time.by(series_.timer);
    if (judged_.passed()) judgeFractions();
    if (!judged_.passed() || !measures()) {
        noteClock("the kernels", time.lacks(series_.timer) ? Timer::host : series_.timer);
        return;
    }
    const DeviceTimes times = device_->time(series_);
    noteClock("the kernels", times.timer);
    figures_.kernelMs = times.ms.median;
    figures_.repeat = times.ms.count;
    figures_.downloadMs = timeUnjudged([&] { return device_->timeDownload(); }, hostSeries_).median;
    judged_ = device_->runAndJudge(look_.facts(), Timer::gpu, result);
}

// Kernels may keep the document's random numbers, which are whole and not negative, in integers. These are neither.
void PrescanRun::judgeFractions()
{
    constexpr std::uint64_t most = 5000;  // elements: several tiles
    if (!own_.settings.element->isReal) return;
    std::vector<std::uint32_t> numbers(most);
    for (std::uint64_t i = 0; i < most; ++i) {
        const double share = std::ldexp(randomElement(own_.settings.seed, i), -32);
        numbers[i] = std::bit_cast<std::uint32_t>(static_cast<float>(2 * share - 1));
    }
    InputLook look(*own_.settings.element);
    look.look(numbers);
    DevicePrescan shorter(*gpu_, own_.settings, most);
    shorter.upload(numbers);
    shorter.prepare();
    const DevicePrescan::Judged judged = shorter.runAndJudge(look.facts());
    if (judged.passed()) return;
    judged_.messages.push_back(fmt::format(
        "right for these numbers, and wrong for {} random ones from -1 to 1, fractions among them: expected {} at "
        "index {}, got {}; rounding explains up to {:.4g}: keep sums as float everywhere",
        most, judged.verdict.expected, judged.verdict.firstIndex, judged.verdict.got, judged.verdict.allowed));
}

void PrescanRun::progress(const char* what)
{
    terminal_.progress(fmt::format("prescan: {}", what));
    channel_.send("phase", fmt::format("working on: {}", what));
}

void PrescanRun::printReport()
{
    const ReportContext context =
        describeContext(*gpu_, options_.commandLine, own_.settings.seed, series_.timer, figures_.deviceCopyGBps);
    figures_.buildType = context.buildType;
    figures_.compiler = context.compiler;
    figures_.banks = bankTurns(*gpu_, own_.settings);
    print(prescanReportText(own_.settings, n_, figures_, judged_.verdict));
}

void PrescanRun::writeResult()
{
    progress("writing");
    const std::uint64_t depth = n_ > 0 ? prescanWork(n_, own_.settings.shape).depth : 0;
    file_->write(accuracyLine(own_.settings, judged_.verdict, depth) + "\n");
    writeNumbers(*file_, *own_.settings.element, {result_.get(), n_});
    file_->commit();
}

void PrescanRun::writeJson()
{
    const ReportContext context =
        describeContext(*gpu_, options_.commandLine, own_.settings.seed, series_.timer, figures_.deviceCopyGBps);
    json_->commit(jsonReport(context, {}, {"prescan", prescanJson(own_.settings, n_, figures_, judged_)}));
}

// An array that several ranks share: the process of rank 0 shows and writes the results of all.
ExitStatus prescanTogether(const Options& options, DeviceChannel& channel, const Together& together)
{
    const PrescanSettings& settings = askedPrescan(options).settings;
    const bool first = together.own.rank == 0;
    const std::uint64_t n = options.size.value_or(prescanSize);
    Terminal terminal(options.quiet, options.verbose, first ? Terminal::Forward() : Terminal::toNobody());
    std::optional<OutputFile> json;
    if (first && !options.jsonFile().empty()) json.emplace(options.jsonFile());

    const std::unique_ptr<Worker> worker = openWorker(terminal, options);
    const OpenDevice gpu = openDevice(withHelpOf(
        terminal, [&](const RecordRequest& request) { return worker->record(request); }, channel, options));
    const SeriesSettings series = seriesOn(*gpu, options.evaluation);
    announceDevice(*gpu, terminal, series.timer);
    gpu->enter(workingPhase);
    noteSharedDevices(*gpu, channel.request().ranksOnHost, terminal);
    constexpr std::uint64_t word = sizeof(std::uint32_t);
    checkMemory(*gpu, ceilDiv(n, together.own.ranks), 2 * word, word);

    SharedPrescan shared;
    if (n > 0) {
        const PrescanPart own = prescanPart(*gpu, settings, n, series, together, [&](const char* what) {
            terminal.progress(fmt::format("prescan: {}", what));
            channel.send("phase", fmt::format("working on: {}", what));
        });
        std::vector<PrescanPart> parts;
        for (const auto& one : channel.ask({{"is", "gather"}, {"part", wireOf(own)}}))
            parts.push_back(prescanPartFrom(one));
        if (first) shared = putTogether(parts);
    }
    if (!first) return ExitStatus::passed;
    if (n > 0) noteClock(terminal, "the kernels", series.timer, shared.timer);
    terminal.print(prescanVerdictText(n, shared.ms, shared.judged, ConsoleStyle()));
    const bool passed = shared.judged.passed();
    if (passed && n > 0) terminal.print(sharedPrescanText(settings, n, shared));
    if (json) {
        PrescanFigures figures;
        figures.kernelMs = shared.ms;
        figures.repeat = shared.repeat;
        const ReportContext context = describeContext(*gpu, options.commandLine, settings.seed, series.timer, 0);
        json->commit(jsonReport(
            context, {}, {"prescan", prescanJson(settings, n, figures, shared.judged, n > 0 ? &shared : nullptr)}));
    }
    return passed ? ExitStatus::passed : ExitStatus::failed;
}

void addPrescanOptions(CLI::App& app, Options& options, Raw& raw)
{
    PrescanOptions& own = options.own.of<PrescanOptions>();
    inGroup(app, whatIsRun);
    addArguments(app, "FILE", own.files,
                 "none: random input, checked and timed, report; A: and the result to A; A B: a random input of as "
                 "many numbers as A says to B, no device needed; A B C: as many numbers as A says from B, the result "
                 "to C",
                 3);
    const PrescanSettings& usual = own.settings;
    addText(app, "-n,--size", "N", raw.size, "elements: 1000000, 2^20, 128Mi", "16000000");
    addText(app, "-w,--workgroup", "N", raw.workGroup, "invocations per work-group",
            std::to_string(usual.shape.workGroup));
    addText(app, "--elements", "N", raw.elements, "elements per invocation, even, 2 to 64",
            std::to_string(usual.shape.elements));
    addText(app, "--type", "TYPE", own.element, "float (float32), or uint32, whose sums are modulo 2^32", own.element,
            {"float", "float32", "uint32"});
    addText(app, "--max-rand", "M", own.maxRand,
            "random elements are whole numbers from 0 up to, and not including, this one",
            std::to_string(usual.maxRand));
    addText(app, "-s,--seed", "S", raw.seed, "seed of the random input", "1");
    addFlag(app, "--exclusive", own.exclusive, "each element's sum is without itself (prescan); the default");
    addFlag(app, "--inclusive", own.inclusive, "each element's sum is with itself (scan); not with --exclusive",
            "--exclusive");
    addJsonOption(app, options);
    addRunOptions(app, options, raw);
}

void interpretPrescan(const Raw&, Options& options)
{
    PrescanOptions& own = options.own.of<PrescanOptions>();
    options.inputFiles = own.files;
    PrescanSettings& prescan = own.settings;
    prescan.element = own.element == "uint32" ? &ElementType::uint32 : &ElementType::float32;
    options.gpu.element = prescan.element;
    prescan.shape.exclusive = !own.inclusive;
    prescan.shape.workGroup = options.evaluation.workGroup.value_or(prescan.shape.workGroup);
    prescan.shape.elements = options.evaluation.elements.value_or(prescan.shape.elements);
    prescan.seed = options.evaluation.seed;
    // Up to here the type holds every whole number.
    const std::uint64_t most = std::uint64_t{1} << (!prescan.element->isReal ? 32 : 24);
    if (!own.maxRand.empty()) prescan.maxRand = parseNumber("--max-rand", own.maxRand, 1, most);
    if (!options.jsonFile().empty() && own.files.size() == 2)
        throw UsageError("--json with A and B: a random input is written, and there is no result to report");
    for (const std::string& file : own.files)
        if (file.empty()) throw UsageError("FILE: the value is empty; name a file");
    if (options.size && own.files.size() > 1)
        throw UsageError(fmt::format("--size with a size file: {} says how many numbers there are", own.files[0]));
}

ExitStatus runPrescan(const Options& options, DeviceChannel& channel)
{
    const auto together = channel.together();
    if (together && !askedPrescan(options).files.empty())
        throw UsageError("a prescan of files is for one device: leave out mpirun, or FILE, and the input is random");
    if (together) return prescanTogether(options, channel, *together);
    if (askedPrescan(options).files.size() == 2) return writeRandomInput(options);
    return PrescanRun(options, channel).run();
}

}  // namespace

extern const Subcommand prescanCommand;
constinit const Subcommand prescanCommand = {
    .name = "prescan",
    .description = "scans numbers from and to files, with a report",
    .place = 80,
    .addOptions = addPrescanOptions,
    .interpret = interpretPrescan,
    .work = runPrescan,
    .usualSeed = true,
    .sharesArrays = true,
    .refusesEmulator = [](const Options& options) -> const char* {
        return askedPrescan(options).files.size() < 2 ? "its report is about times, and an emulator has none" : nullptr;
    }};

}  // namespace a2
