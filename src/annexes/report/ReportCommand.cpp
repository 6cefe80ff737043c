// a2 report: measures and counts what a write-up needs, and lets tools/report draw it.

#include "base/Python.h"
#include "cli/OptionGroups.h"
#include "cli/Subcommand.h"
#include "cli/Terminal.h"
#include "files/InputFile.h"
#include "files/Project.h"
#include "files/TemporaryFolder.h"
#include "files/Utf8Path.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <future>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace a2 {

namespace {

// The output, and its sources.
struct ReportOptions {
    std::string folder;
    std::vector<std::string> from;  // files and folders; empty: it runs the commands itself
    bool wall = false;              // a poster, too
};

const ReportOptions& askedReport(const Options& options) { return options.own.of<ReportOptions>(); }

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr const char* errorStart = "a2: error: ";

// For programs without limits of time and memory.
ProcessLimits noLimits()
{
    ProcessLimits limits;
    limits.time = std::chrono::hours(24 * 365);
    limits.memoryBytes = limits.fileBytes = UINT64_MAX;
    return limits;
}

// A program's error message, without "a2: error: "; its last line if it has none.
std::string complaint(const std::string& output)
{
    std::string last;
    for (std::size_t at = 0; at < output.size();) {
        const std::size_t end = std::min(output.find('\n', at), output.size());
        const std::string line = output.substr(at, end - at);
        if (line.starts_with(errorStart)) return line.substr(std::string(errorStart).size());
        if (!line.empty()) last = line;
        at = end + 1;
    }
    return last;
}

// The Python program that draws.
class Drawing {
public:
    // Finds a Python with the needed packages, and checks that the folder can be made. Throws Error.
    explicit Drawing(const Options& options) : options_(options)
    {
        const fs::path program = toolsFolder() / "report" / "report.py";
        std::error_code ignored;
        if (!fs::is_regular_file(program, ignored))
            throw EnvironmentError(
                fmt::format("{} is missing, which draws the report: run the a2 that was built in "
                            "its project's folder",
                            utf8Of(program)));
        program_ = utf8Of(program);
        // The Python to which a distribution's packages belong comes first.
        bool found = false;
        ProcessResult result;
        for (const char* python : {"/usr/bin/python3", "python3", "python"}) {
            const ProcessResult one = run(python, {"--check"}, askedReport(options).from);
            if (one.ended == ProcessResult::Ended::notStarted) continue;
            if (!found || lacksPackages(result)) {
                python_ = python;
                result = one;
            }
            found = true;
            if (!lacksPackages(one)) break;
        }
        if (!found)
            throw EnvironmentError(
                "a2 report needs Python 3: install python3, python3-matplotlib and "
                "python3-jinja2, as `tools/run report` does");
        throwUnlessGood(result);
    }

    // Throws Error. pages: a folder of pages of a2 steps, group-name.html, for the report; empty: none.
    void draw(const Words& files, const std::string& pages = "") const
    {
        Words arguments;
        if (askedReport(options_).wall) arguments.emplace_back("--wall");
        if (!pages.empty()) arguments.insert(arguments.end(), {"--pages", pages});
        throwUnlessGood(run(python_, arguments, files));
    }

private:
    static bool lacksPackages(const ProcessResult& result)
    {
        return result.ended == ProcessResult::Ended::exited &&
               result.status == static_cast<int>(ExitStatus::environment);
    }

    ProcessResult run(const std::string& python, Words arguments, const Words& files) const
    {
        arguments.insert(arguments.end(), {"-o", askedReport(options_).folder});
        if (!options_.tasks.empty() || options_.all)
            for (const Task& task : selectTasks(options_.tasks, options_.all, *options_.gpu.element))
                arguments.insert(arguments.end(), {"--task", task.id});
        arguments.emplace_back("--");
        arguments.insert(arguments.end(), files.begin(), files.end());
        return runProcess(python, pythonWords(program_, arguments), noLimits());
    }

    static void throwUnlessGood(const ProcessResult& result)
    {
        if (result.succeeded()) return;
        const bool told = result.ended == ProcessResult::Ended::exited &&
                          (result.status == static_cast<int>(ExitStatus::usage) || lacksPackages(result));
        if (told) throw Error(static_cast<ExitStatus>(result.status), complaint(result.output));
        throw Error(ExitStatus::internal, fmt::format("tools/report ended with {}: {} (this is a fault of a2)",
                                                      result.howItEnded(noLimits()), complaint(result.output)));
    }

    const Options& options_;
    std::string program_, python_;
};

// This program, started once for each of the report's source files.
class Measurements {
public:
    Measurements(const Options& options, Terminal& terminal) : options_(options), terminal_(terminal)
    {
        std::string problem;
        program_ = ownProgram(problem);
        if (program_.empty()) throw EnvironmentError("a2 cannot start itself: " + problem);
        for (const Task& task : selectTasks(options.tasks, options.all, *options.gpu.element))
            tasks_.push_back(task.id);
    }

    // Makes the files. Throws Error if nothing could be timed.
    void make()
    {
        const bool onCpu = isCpu();
        // A length that two cores process in some seconds; on a GPU, one that shows its bandwidth.
        const std::uint64_t usual = std::uint64_t{1} << (onCpu ? 20 : 27);
        const std::uint64_t longest = std::max<std::uint64_t>(1, options_.size.value_or(usual));
        const std::string lengths = require("lengths", {"bench", "--sweep", "size", "--up-to", text(longest)}, tasks_);
        const std::uint64_t shorter = std::max<std::uint64_t>(1024, longest / 4);
        require("workgroups", {"bench", "--sweep", "workgroup", "-n", text(shorter)}, tasks_);
        std::vector<Attempt> counts, runs;
        for (const std::string& task : tasks_) counts.push_back({"theory-" + fileWord(task), {"theory", task}});
        for (const auto& [task, workGroup, elements] : ownShapes(lengths)) {
            const Words shape = {"-w", text(workGroup), "--elements", text(elements)};
            // In the timed shape, for the roofline; the assignment's shape is counted already.
            Words count = {"theory", task, "-n", text(std::min(longest, std::uint64_t{1} << 15))};
            count.insert(count.end(), shape.begin(), shape.end());
            counts.push_back({"counts-" + fileWord(task), count});
            Words steps = {"steps", task, "-n", text(std::min(shorter, std::uint64_t{1} << 20))};
            steps.insert(steps.end(), shape.begin(), shape.end());
            runs.push_back({"steps-" + fileWord(task), withSeed(steps)});
        }
        attemptAll(counts, std::clamp(std::thread::hardware_concurrency(), 1U, 4U));
        attemptAll(runs, 1);  // whose dispatches are timed
        std::vector<Attempt> drawn;
        for (const std::string& task : tasks_) drawn.push_back({fileWord(task), {"steps", task, "-n", "16"}, true});
        attemptAll(drawn, 1);
    }

    std::string folder() const { return utf8Of(folder_.path()); }
    std::string pages() const { return utf8Of(pages_.path()); }

    ExitStatus status() const { return status_; }

private:
    static const char* validationText(Validation validation)
    {
        switch (validation) {
            case Validation::on:
                return "on";
            case Validation::gpu:
            case Validation::prints:
                return "gpu";
            case Validation::required:
                return "required";
            case Validation::off:
                break;
        }
        return "";
    }

    static std::string text(std::uint64_t number) { return std::to_string(number); }
    static std::string fileWord(std::string task)
    {
        std::replace(task.begin(), task.end(), '/', '-');
        return task;
    }

    // Options for every command.
    Words common() const
    {
        Words words;
        const auto add = [&](const char* name, const std::string& value) {
            if (!value.empty()) words.insert(words.end(), {name, value});
        };
        add("-d", options_.gpu.device);
        add("--type", options_.gpu.element->name);
        add("--shader-dir", options_.gpu.shaderDir);
        add("--validation", validationText(options_.gpu.validation));
        return words;
    }

    Words withSeed(Words words) const
    {
        words.insert(words.end(), {"-s", text(options_.evaluation.seed)});
        return words;
    }

    bool isCpu()
    {
        const std::string file = pathFor("device");
        const ProcessResult result = run({"theory", tasks_.front(), "-n", "0"}, file);
        const nlohmann::json json = read(file);
        remove(file);  // the report does not use it
        if (!json.is_object()) refuse(result);
        return json.at("context").at("device").at("type") == "CPU";
    }

    std::string pathFor(const std::string& name) { return utf8Of(folder_.file(name + ".json")); }

    static void remove(const std::string& file)
    {
        std::error_code ignored;
        fs::remove(pathOf(file), ignored);
    }

    ProcessResult run(Words words, const std::string& file, const char* form = "--json")
    {
        const Words shared = common();
        words.insert(words.end(), shared.begin(), shared.end());
        words.insert(words.end(), {form, file});
        const ProcessResult result = runProcess(program_, words, noLimits());
        const std::lock_guard lock(mutex_);
        forwardNotes(result.output);
        return result;
    }

    // Shows the device, and what is printed once: not each command's remarks on its times.
    void forwardNotes(const std::string& output)
    {
        const std::string start = "a2: device ";
        if (!output.starts_with(start)) return;
        const std::string line = output.substr(4, output.find('\n') - 4);
        if (said_.insert(line).second) terminal_.note(line);
    }

    static nlohmann::json read(const std::string& path)
    {
        std::error_code ignored;
        if (!fs::is_regular_file(pathOf(path), ignored)) return {};
        InputFile file(path);
        std::string content;
        std::array<char, 65536> chunk{};
        while (const std::size_t count = file.read(chunk.data(), chunk.size())) content.append(chunk.data(), count);
        return nlohmann::json::parse(content, nullptr, false);
    }

    [[noreturn]] void refuse(const ProcessResult& result) const
    {
        const bool known = result.ended == ProcessResult::Ended::exited && result.status > 0 && result.status <= 5;
        throw Error(known ? static_cast<ExitStatus>(result.status) : ExitStatus::internal, complaint(result.output));
    }

    void countStep(const std::string& name)
    {
        terminal_.progress(fmt::format("report: {} of about {}: {}", ++step_, 2 + 4 * tasks_.size(), name));
    }

    // Times of all tasks; a failing task loses only its own rows.
    std::string require(const std::string& name, Words words, const Words& tasks)
    {
        countStep(name);
        words.insert(words.begin() + 1, tasks.begin(), tasks.end());
        words.insert(words.end(), {"-r", text(options_.evaluation.repeat)});
        const std::string file = pathFor(name);
        const ProcessResult result = run(withSeed(words), file);
        if (!read(file).is_object()) refuse(result);
        if (result.status != 0) status_ = static_cast<ExitStatus>(result.status);
        return file;
    }

    // A file that the report can do without.
    struct Attempt {
        std::string name;
        Words words;
        bool isPage = false;
    };
    void attempt(const Attempt& one)
    {
        const std::string file = [&] {
            const std::lock_guard lock(mutex_);
            countStep(one.name);
            return one.isPage ? utf8Of(pages_.file(one.name + ".html")) : pathFor(one.name);
        }();
        const ProcessResult result = run(one.words, file, one.isPage ? "--html" : "--json");
        if (result.succeeded()) return;
        const std::lock_guard lock(mutex_);
        remove(file);
        terminal_.note(fmt::format("note: without {}: {}", one.name, complaint(result.output)));
    }

    // So many at a time.
    void attemptAll(const std::vector<Attempt>& all, unsigned atATime)
    {
        std::atomic<std::size_t> next = 0;
        const auto work = [&] {
            for (std::size_t i = next++; i < all.size(); i = next++) attempt(all[i]);
        };
        std::vector<std::future<void>> workers;
        for (unsigned i = 0; i < atATime; ++i) workers.push_back(std::async(std::launch::async, work));
        for (std::future<void>& one : workers) one.get();
    }

    struct OwnShape {
        std::string task;
        std::uint64_t workGroup, elements;
    };
    // For each task that was timed, at its longest array.
    static std::vector<OwnShape> ownShapes(const std::string& lengths)
    {
        std::vector<OwnShape> shapes;
        const nlohmann::json json = read(lengths);
        for (const nlohmann::json& one : json.at("benchmarks")) {
            const std::string name = one.at("name");
            const std::string task = name.substr(0, name.find('/', name.find('/') + 1));
            const auto known =
                std::find_if(shapes.begin(), shapes.end(), [&](const OwnShape& shape) { return shape.task == task; });
            OwnShape& shape = known == shapes.end() ? shapes.emplace_back() : *known;
            shape = {task, one.at("workgroup"), one.at("elements")};
        }
        return shapes;
    }

    const Options& options_;
    Terminal& terminal_;
    std::string program_;
    Words tasks_;
    TemporaryFolder folder_, pages_;
    std::mutex mutex_;  // for what parallel attempts share: the next two, the folder and the terminal
    std::set<std::string> said_;
    std::size_t step_ = 0;
    ExitStatus status_ = ExitStatus::passed;
};

void addReportOptions(CLI::App& app, Options& options, Raw& raw)
{
    ReportOptions& own = options.own.of<ReportOptions>();
    inGroup(app, whatIsRun);
    addTaskNames(app, options);
    addFlag(app, "--all", options.all, "also the tasks beyond the default set");
    addTexts(app, "--from", "FILE...", own.from,
             "run nothing: JSON files that a2 wrote here or elsewhere, or the data folders of reports; several "
             "machines or versions are compared with the first; default: it runs what it needs");
    addText(app, "-n,--size", "N", raw.size, "the longest array: 1000000, 2^20, 128Mi", "2^27 on a GPU, 2^20 on a CPU");
    addElementType(app, raw);
    addText(app, "-s,--seed", "S", raw.seed, "seed of the random input", "another one each time");
    addShaderFolder(app, options);
    inGroup(app, howItIsTimed);
    addText(app, "-r,--repeat", "N", raw.repeat, "timed repetitions", raw.repeat);
    inGroup(app, whatIsShown);
    addText(app, "-o,--output", "DIR", own.folder,
            "the folder to make: report.html, report.md, figures, data; an untouched report there is replaced",
            "none; it must be named");
    addFlag(app, "--wall", own.wall,
            "also wall.html: two figures in large type, shown anew when the report is made again");
    addDeviceOptions(app, options, raw);
}

void interpretReport(const Raw& raw, Options& options)
{
    const ReportOptions& own = askedReport(options);
    if (own.folder.empty()) throw UsageError("a2 report writes a folder: name it with -o, such as `a2 report -o out`");
    for (const std::string& file : own.from)
        if (file.empty()) throw UsageError("--from: the value is empty; name a file or a folder");
    if (!own.from.empty() && (options.size || !raw.seed.empty()))
        throw UsageError("--from runs nothing: leave out --size and --seed");
    if (options.size && *options.size < 1024)
        throw UsageError(fmt::format("--size {}: the report goes through lengths from 1024 on", *options.size));
}

ExitStatus makeReport(const Options& options)
{
    const ReportOptions& own = askedReport(options);
    Terminal terminal(options.quiet, options.verbose);
    const Drawing drawing(options);
    ExitStatus status = ExitStatus::passed;
    if (!own.from.empty()) {
        drawing.draw(own.from);
    } else {
        Measurements measurements(options, terminal);
        measurements.make();
        status = measurements.status();
        terminal.progress("report: drawing");
        drawing.draw({measurements.folder()}, measurements.pages());
    }
    terminal.clearProgress();
    const auto inFolder = [&](const char* name) { return utf8Of(pathOf(own.folder) / name); };
    std::string text =
        fmt::format("page:             {}\nfor a write-up:   {} and {}\nthe numbers:      {}\n",
                    inFolder("report.html"), inFolder("report.md"), inFolder("figures"), inFolder("data"));
    if (own.wall) text += fmt::format("for the wall:     {}\n", inFolder("wall.html"));
    terminal.print(text);
    return status;
}

}  // namespace

extern const Subcommand reportCommand;
constinit const Subcommand reportCommand = {
    .name = "report",
    .description = "figures and a page for a write-up",
    .place = 110,
    .addOptions = addReportOptions,
    .interpret = interpretReport,
    .workHere = makeReport,
    .refusesEmulator = [](const Options& options) -> const char* {
        return askedReport(options).from.empty() ? "it is about times, and an emulator has none" : nullptr;
    }};

}  // namespace a2
