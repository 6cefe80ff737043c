// a2 watch: builds and judges again on every save.

#include "annexes/watch/WatchLoop.h"
#include "base/Process.h"
#include "cli/OptionGroups.h"
#include "cli/Subcommand.h"
#include "cli/Terminal.h"
#include "files/OutputFile.h"
#include "files/Project.h"
#include "files/TemporaryFolder.h"
#include "files/Utf8Path.h"
#include "report/PrintedText.h"
#include "report/Text.h"
#include "tasks/Task.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

namespace a2 {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t mostLines = 20;  // of a failure; and the same number of kernels' output

struct WatchOptions {
    std::string page;  // empty: none
};

void addWatchOptions(CLI::App& app, Options& options, Raw& raw)
{
    addManyTasks(app, options, raw, "2^20", "the task's own");
    addCourseOption(app, options);
    addStrictOption(app, options);
    inGroup(app, whatIsRun);
    addText(app, "-p,--pattern", "P", raw.pattern, "input: mod97, ones, iota, random, onehot:K, max, shuffled, edges",
            "random");
    addElementType(app, raw);
    addText(app, "-s,--seed", "S", raw.seed, "seed of the random pattern", "another one each time");
    addFlag(app, "--exclusive", options.evaluation.exclusive, "exclusive scans instead of inclusive ones");
    addShaderFolder(app, options);
    addTimingOptions(app, raw);
    addTimeout(app, raw);
    addDeviceOptions(app, options, raw);
    inGroup(app, whatIsShown);
    addText(
        app, "--html", "PAGE", options.own.of<WatchOptions>().page,
        "of one task: draw a small run into this file on every save, as a2 steps --html does; a browser that has it "
        "open shows it anew",
        "none");
}

std::vector<std::string> linesOf(const std::string& text)
{
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

fs::path programPath()
{
    std::string problem;
    const std::string path = ownProgram(problem);
    if (path.empty()) throw EnvironmentError("a2 cannot start itself: " + problem);
    return pathOf(path);
}

class Watch {
public:
    explicit Watch(const Options& options)
        : options_(options),
          shaders_(options.gpu.shaderDir.empty() ? projectShaders() : pathOf(options.gpu.shaderDir)),
          project_(projectFolder()),
          program_(programPath()),
          page_(options.own.of<WatchOptions>().page),
          tasks_(selectTasks(options.tasks, options.all, *options.gpu.element)),
          terminal_(options.quiet, options.verbose),
          loop_(folders())
    {
        known_ = snapshot();
        passOn_ = options.passedOn;
        if (page_.empty()) return;
        if (tasks_.size() != 1)
            throw UsageError(fmt::format("--html draws one task, and these are {}: name one", tasks_.size()));
        OutputFile(page_).commit(pageUntilThen);  // fails at once if it cannot be written
        for (auto one = passOn_.begin(); one != passOn_.end(); ++one) {
            if (*one != "--html" && !one->starts_with("--html=")) continue;
            passOn_.erase(one, one + (*one == "--html" ? 2 : 1));
            break;
        }
    }

    ExitStatus run()
    {
        terminal_.note(fmt::format("watching {} of {}: save one and it is judged; q ends",
                                   counted(known_.size(), "file"), counted(tasks_.size(), "task")));
        std::set<std::string> left;  // ids of tasks that still have to be judged
        for (const Task& task : tasks_) left.insert(task.id);
        bool build = true;
        do {
            const std::vector<fs::path> changed = changes();
            for (const fs::path& file : changed) {
                build = build || file.extension() != ".comp";
                for (const Task& task : tasks_)
                    if (uses(task, file)) left.insert(task.id);
            }
            if (!changed.empty())
                print(fmt::format("\n{}{}\n", utf8Of(changed.front().filename()),
                                  changed.size() > 1 ? fmt::format(" and {} more", changed.size() - 1) : ""));
            if (left.empty()) continue;
            if (build && !built(build)) continue;
            judge(left);
            if (left.empty() && !page_.empty()) drawPage();
        } while (loop_.awaitSave());
        return ExitStatus::passed;
    }

private:
    struct Stamp {
        fs::file_time_type time;
        std::uintmax_t bytes = 0;
        bool operator==(const Stamp&) const = default;
    };

    static std::string counted(std::size_t count, const char* what)
    {
        return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
    }

    void print(const std::string& text) { terminal_.print(text); }

    std::vector<fs::path> folders() const
    {
        std::vector<fs::path> all = {shaders_, shaders_ / "include"};
        std::set<fs::path> hosts;
        for (const Task& task : tasks_) hosts.insert((project_ / "src" / pathOf(task.hostFile)).parent_path());
        all.insert(all.end(), hosts.begin(), hosts.end());
        std::error_code ignored;
        std::erase_if(all, [&](const fs::path& one) { return one != shaders_ && !fs::is_directory(one, ignored); });
        return all;
    }

    bool uses(const Task& task, const fs::path& file) const
    {
        const std::string name = utf8Of(file.filename());
        if (file.extension() == ".comp")
            return std::any_of(task.shaders.begin(), task.shaders.end(),
                               [&](const std::string& shader) { return shader + ".comp" == name; });
        static const std::set<std::string> included = {".h", ".hh", ".hpp", ".hxx", ".inc", ".inl", ".ipp", ".glsl"};
        return included.count(utf8Of(file.extension())) > 0 || file == project_ / "src" / pathOf(task.hostFile);
    }

    // The tasks' source files, in their present state.
    std::map<fs::path, Stamp> snapshot() const
    {
        std::map<fs::path, Stamp> all;
        std::error_code error;
        for (const fs::path& folder : folders())
            for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
                const fs::path& file = entry.path();
                const bool any =
                    std::any_of(tasks_.begin(), tasks_.end(), [&](const Task& task) { return uses(task, file); });
                const Stamp stamp{entry.last_write_time(error), entry.file_size(error)};
                if (any && !error) all[file] = stamp;
                error.clear();
            }
        return all;
    }

    std::vector<fs::path> changes()
    {
        std::map<fs::path, Stamp> now = snapshot();
        std::vector<fs::path> changed;
        for (const auto& [file, stamp] : now)
            if (const auto before = known_.find(file); before == known_.end() || !(before->second == stamp))
                changed.push_back(file);
        for (const auto& [file, stamp] : known_)  // or is a folder now
            if (!now.contains(file)) changed.push_back(file);
        known_ = std::move(now);
        return changed;
    }

    // Builds the solutions; resets `wanted` once that is done.
    bool built(bool& wanted)
    {
        if (installation()) {  // a2 run builds it itself
            wanted = false;
            return true;
        }
        terminal_.progress("building");
        const auto result = loop_.run("cmake", {"--build", utf8Of(program_.parent_path()), "--target", "a2_solutions"});
        terminal_.clearProgress();
        if (!result) return false;
        if (result->succeeded()) {
            wanted = false;
            return true;
        }
        std::vector<std::string> lines = result->problem.empty()
                                             ? linesOf(result->output)
                                             : std::vector{"cmake cannot be started: " + result->problem};
        // The compiler's messages, without its command line.
        const auto first = std::find_if(lines.begin(), lines.end(), [](const std::string& line) {
            return line.find("rror: ") != std::string::npos;
        });
        if (first != lines.end()) lines.erase(lines.begin(), first);
        print(styled("31", "FAILED") + "  the solutions do not build\n" + shortened(lines));
        return false;
    }

    // Judges these tasks; removes those that have a verdict.
    void judge(std::set<std::string>& left)
    {
        terminal_.progress("judging");
        TemporaryFolder folder;
        const fs::path report = folder.file("report.json");
        std::vector<std::string> words = {"run"};
        words.insert(words.end(), left.begin(), left.end());
        words.insert(words.end(), {"--json", utf8Of(report), "--quiet", "--limit", std::to_string(mostLines)});
        if (options_.gpu.shaderDir.empty()) words.insert(words.end(), {"--shader-dir", utf8Of(shaders_)});
        if (!options_.size) words.insert(words.end(), {"-n", "2^20"});
        words.insert(words.end(), passOn_.begin(), passOn_.end());
        const auto result = loop_.run(utf8Of(program_), words);
        terminal_.clearProgress();
        if (!result) return;
        nlohmann::json json;
        try {
            json = nlohmann::json::parse(std::ifstream(report));
        } catch (const nlohmann::json::exception&) {
            std::vector<std::string> lines = linesOf(result->output);
            print(shortened(lines.empty() ? std::vector{result->howItEnded({})} : lines));
            return;
        }
        std::map<std::string, double> ms;
        for (const nlohmann::json& one : json.at("benchmarks")) ms[taskOfBenchmark(one)] = one.at("median_ms");
        for (const Task& task : tasks_)
            for (const nlohmann::json& test : json.at("tests"))
                if (test.at("id") == task.id) {
                    show(task, test, ms);
                    left.erase(task.id);
                }
    }

    // A separate run: small, and always on the same input, so that a change can be seen.
    void drawPage()
    {
        TemporaryFolder folder;
        const fs::path drawn = folder.file("page.html");
        std::vector<std::string> words = {"steps", tasks_.front().id, "--html", utf8Of(drawn), "--quiet"};
        words.insert(words.end(), {"--shader-dir", utf8Of(shaders_)});
        if (!options_.gpu.device.empty()) words.insert(words.end(), {"-d", options_.gpu.device});
        if (options_.evaluation.exclusive) words.emplace_back("--exclusive");
        terminal_.progress("drawing");
        const auto result = loop_.run(utf8Of(program_), words);
        terminal_.clearProgress();
        if (!result) return;
        std::ostringstream text;
        text << std::ifstream(drawn).rdbuf();
        std::string page = text.str();
        const auto end = page.rfind("</body>");
        if (end == std::string::npos)
            return;  // such as code that does not compile, which the verdict reports: the last page stays
        page.insert(end, reloading);
        OutputFile(page_).commit(page);
    }

    // "reduce/atomic/..." -> "reduce/atomic"
    static std::string taskOfBenchmark(const nlohmann::json& one)
    {
        const auto name = one.at("name").get<std::string>();
        return name.substr(0, name.find('/', name.find('/') + 1));
    }

    void show(const Task& task, const nlohmann::json& test, const std::map<std::string, double>& times)
    {
        const auto status = test.at("status").get<std::string>();
        const bool passed = status == "passed";
        std::string line = fmt::format("{}  {}", passed ? styled("32", "PASSED") : styled("31", verdictWord(status)),
                                       task.consoleLabel());
        const auto time = times.find(task.id);
        if (passed && time != times.end()) {
            line += fmt::format("  {:.4g} ms", time->second);
            if (const auto before = lastMs_.find(task.id); before != lastMs_.end() && before->second > 0)
                line += fmt::format(", before {:.4g} ms ({:+.1f} %)", before->second,
                                    100 * (time->second / before->second - 1));
            lastMs_[task.id] = time->second;
        }
        print(line + "\n");
        if (passed || !test.contains("explanation")) return;
        std::vector<std::string> lines;
        for (const nlohmann::json& one : test.at("explanation"))
            for (const std::string& part : linesOf(one.get<std::string>()))
                for (std::string& broken : brokenOnATerminal(part)) lines.push_back(std::move(broken));
        if (test.contains("printed")) showPrinted(test.at("printed"));
        print(shortened(lines));
    }

    // What its kernels print with debugPrintfEXT().
    void showPrinted(const nlohmann::json& json)
    {
        PrintedRun run{.n = json.at("n"),
                       .shape = {.workGroup = json.at("workgroup"), .elements = json.at("elements")},
                       .pattern = json.at("pattern"),
                       .lines = {},
                       .more = json.at("more"),
                       .cut = json.at("cut").is_null() ? "" : json.at("cut").get<std::string>()};
        for (const nlohmann::json& one : json.at("lines")) {
            PrintedLine& line = run.lines.emplace_back(PrintedLine{.dispatch = one.at("dispatch"),
                                                                   .label = one.at("label"),
                                                                   .file = {},
                                                                   .line = 0,
                                                                   .group = one.at("group"),
                                                                   .phase = one.at("phase"),
                                                                   .invocation = one.at("invocation"),
                                                                   .text = one.at("text"),
                                                                   .wrong = one.at("wrong")});
            if (one.at("line").is_null()) continue;
            line.file = one.at("file");
            line.line = one.at("line");
        }
        print(printedText(run, {.columns = stdoutIsTerminal() ? lineColumns : 0}));
    }

    // On a terminal, a command is not broken, so that it can be copied with the mouse.
    static std::vector<std::string> brokenOnATerminal(const std::string& line)
    {
        if (!stdoutIsTerminal()) return {"  " + line};
        for (const std::string head : {"to see every step:", "in a debugger:"})
            if (line.starts_with(head + " ")) return {"  " + head, line.substr(head.size() + 1)};
        return linesOf(wrapped(line, 2, lineColumns));
    }

    static std::string verdictWord(const std::string& status)
    {
        std::string word = status == "not-written" ? "NOT WRITTEN YET" : status;
        std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return std::toupper(c); });
        return word;
    }

    std::string styled(const char* colour, const std::string& word) const
    {
        if (!options_.colour || !stdoutIsTerminal()) return word;
        return fmt::format("\033[{}m{}\033[0m", colour, word);
    }

    // One line is the verdict's. The last two stay, because they have a command.
    static std::string shortened(std::vector<std::string> lines)
    {
        if (lines.size() > mostLines - 1) {
            const std::size_t dropped = lines.size() - (mostLines - 2);
            const auto from = lines.end() - 2 - static_cast<std::ptrdiff_t>(dropped);
            *from = fmt::format("  ... and {}", counted(dropped, "more line"));
            lines.erase(from + 1, lines.end() - 2);
        }
        std::string text;
        for (const std::string& line : lines) text += line + "\n";
        return text;
    }

    static constexpr const char* reloading = "<script>keepReloading(1500);</script>\n";
    static constexpr const char* pageUntilThen =
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta http-equiv=\"refresh\" content=\"1\">"
        "<title>a2 watch</title></head><body><p>a2 watch is at the first run.</p></body></html>\n";

    const Options& options_;
    fs::path shaders_, project_, program_;
    std::string page_;                 // empty: none
    std::vector<std::string> passOn_;  // options for the runs that judge
    std::vector<Task> tasks_;
    Terminal terminal_;
    WatchLoop loop_;
    std::map<fs::path, Stamp> known_;
    std::map<std::string, double> lastMs_;  // of each task
};

ExitStatus watch(const Options& options) { return Watch(options).run(); }

}  // namespace

extern const Subcommand watchCommand;
constinit const Subcommand watchCommand = {.name = "watch",
                                           .description = "build and judge again on every save",
                                           .place = 70,
                                           .addOptions = addWatchOptions,
                                           .workHere = ::a2::watch};

}  // namespace a2
