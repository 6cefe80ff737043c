#include "cli/Oversee.h"

#include "cli/FailurePage.h"
#include "cli/TaskCommand.h"
#include "files/Leftover.h"
#include "files/OutputFile.h"
#include "files/Project.h"
#include "files/Utf8Path.h"
#include "gpu/Device.h"
#include "judge/CopyPeak.h"
#include "judge/OutcomeWire.h"
#include "judge/WholeOutcome.h"
#include "report/BenchTable.h"
#include "report/Formats.h"
#include "report/RanksTable.h"
#include "report/StepsPage.h"
#include "report/Summary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <list>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace a2 {

namespace {

using Json = nlohmann::json;

constexpr unsigned mostEndedEarly = 3;

constexpr const char* courseNote =
    "note: --course asks for powers of two, 256 x 2 and inclusive scans; `a2 check --no-course{}` asks for every "
    "length, other work-groups and elements, exclusive scans and more than 65535 work-groups, too";

constexpr const char* smallShapeNote =
    "note: work-groups of 4, so that a tree fits the screen; what the assignment asks for is -w 256 --elements 2";

// The code that was built is judged, not later edits of it.
void noteChangedCode(const std::vector<Task>& tasks, Terminal& terminal)
{
    namespace fs = std::filesystem;
    std::error_code none;
    const fs::file_time_type built = fs::last_write_time(workerPrograms().library, none);
    std::set<std::string> changed;
    for (const Task& task : tasks) {
        const fs::path file = projectFolder() / "src" / task.hostFile;
        std::error_code error;
        if (const auto written = fs::last_write_time(file, error); !error && !none && written > built)
            changed.insert("src/" + task.hostFile);
    }
    if (!changed.empty())
        terminal.note(
            fmt::format("note: {} {} changed since the build, which is what runs here; tools/run builds again",
                        fmt::join(changed, ", "), changed.size() == 1 ? "has" : "have"));
}

// Handles the messages of a device process that are the same for every command.
class Process {
public:
    Process(Terminal& terminal, RunDevice runDevice) : terminal_(terminal), runDevice_(std::move(runDevice)) {}

    // Runs one to its end. hear: gets the other messages.
    void run(const Call& call, const DeviceRequest& request, const HearDevice& hear)
    {
        phase_ = openingPhase;
        done_.reset();
        saidBefore_.merge(std::exchange(said_, {}));
        end_ = runDevice_(call, request, [&](const Json& message) -> Json {
            const auto is = message.at("is").get<std::string>();
            if (is == "note")
                note(message.at("text"));
            else if (is == "progress")
                terminal_.progress(message.at("text"));
            else if (is == "print")
                terminal_.print(message.at("text"));
            else if (is == "phase")
                phase_ = message.at("text");
            else if (is == "leftover")
                takeLeftover(message);
            else if (is == "done")
                done_.emplace(Done{static_cast<ExitStatus>(message.at("status").get<int>()), message.at("message")});
            else
                return hear(message);
            return {};
        });
        if (done_)  // it has removed them itself
            for (auto& [path, leftover] : leftovers_) leftover.keep();
        while (!leftovers_.empty()) leftovers_.pop_back();  // the last one made is removed first
    }

    // Runs one as that of a rank, and waits for the other ranks' ends. Returns all of them on rank 0, by rank; none on
    // the others. own: this rank's.
    std::vector<RankEnd> runAsRank(const Call& call, const DeviceRequest& request, const HearDevice& hear, Ranks& ranks,
                                   RankEnd& own)
    {
        try {
            run(call, request, hear);
            own = endOfRank();
        } catch (const Ranks::Ended&) {  // the reason is reported now
        }
        terminal_.clearProgress();
        return ranks.end(own);
    }

    struct Done {
        ExitStatus status;
        std::string message;  // empty for none
    };
    // Empty if it ended in a way that a2 itself never does.
    const std::optional<Done>& done() const { return done_; }
    const std::string& phase() const { return phase_; }

    // Why it ended before it was done.
    std::string howItEnded(const std::string& phase) const { return end_.story(phase); }
    bool wasOverdue() const { return !end_.overdue.empty(); }
    // The exit status for such an end.
    ExitStatus failure() const { return end_.isOwnFault() ? ExitStatus::internal : ExitStatus::device; }
    // The reader of a command's output has gone: this program ends in the same way, without a message.
    void endAlikeIfUnread() const
    {
#ifndef _WIN32
        if (end_.signal == SIGPIPE) raise(SIGPIPE);
#endif
    }

private:
    // Empty if it ended normally.
    RankEnd endOfRank() const
    {
        if (!done_ || wasOverdue()) return {ExitStatus::device, howItEnded(phase_)};
        return done_->message.empty() ? RankEnd() : RankEnd{done_->status, done_->message};
    }

    // Leaves out what an earlier process said already.
    void note(const std::string& text)
    {
        if (!saidBefore_.contains(text)) terminal_.note(text);
        said_.insert(text);
    }

    void takeLeftover(const Json& message)
    {
        const std::filesystem::path path = pathOf(message.at("path").get<std::string>());
        if (!message.at("kept").get<bool>()) {
            const bool folder = message.at("folder");
            leftovers_.emplace_back(path, Leftover(path, folder ? Leftover::Kind::folder : Leftover::Kind::file));
            return;
        }
        const auto kept =
            std::find_if(leftovers_.begin(), leftovers_.end(), [&](const auto& one) { return one.first == path; });
        if (kept == leftovers_.end()) return;
        kept->second.keep();
        leftovers_.erase(kept);
    }

    Terminal& terminal_;
    RunDevice runDevice_;
    std::string phase_;
    std::set<std::string> said_, saidBefore_;  // notes
    std::optional<Done> done_;
    DeviceProcessEnd end_;
    std::vector<std::pair<std::filesystem::path, Leftover>> leftovers_;
};

DeviceRequest requestFor(const Options& options, const Ranks* ranks = nullptr)
{
    DeviceRequest request;
    if (ranks) {
        request.part = ranks->part();
        request.rankHere = ranks->here();
        request.ranksOnHost = ranks->onHost();
    }
    request.seed = options.evaluation.seed;
    request.ignoredSignals = ignoredSignals();
    if (options.evaluation.pattern) request.fileValues = options.evaluation.pattern->fileValues();
    return request;
}

bool isFirst(const Ranks* ranks) { return !ranks || ranks->part().rank == 0; }

// Of several ranks only the first shows anything.
Terminal terminalOf(const Options& options, const Ranks* ranks)
{
    return Terminal(options.quiet, options.verbose, isFirst(ranks) ? Terminal::Forward() : Terminal::toNobody());
}

// The values of all ranks, on rank 0; empty on the others. Throws what Ranks::meet throws.
std::vector<Json> gatherAll(Ranks& ranks, const Json& own)
{
    std::string bytes;
    Json::to_cbor(own, bytes);
    std::vector<Json> all;
    for (const std::string& text : ranks.gather(bytes)) all.push_back(Json::from_cbor(text));
    return all;
}

class Rows {
public:
    Rows(const Options& options, const Call& call, const RunDevice& runDevice, Ranks* ranks);
    ExitStatus oversee();
    ExitStatus overseeTogether();

private:
    struct Row {
        TaskOutcome outcome;
        bool finished = false;
    };

    bool isCommand(const Subcommand& command) const { return options_.command == &command; }
    bool wantsOthers() const;
    Json hear(const Json& message);
    template <class Outcome>
    std::optional<std::vector<Outcome>> ofRanks(const Json& own, Outcome (*from)(const Json&));
    void takeOutcome(const Json& own);
    Row& rowOf(const std::string& id);
    void takePeak(double GBps);
    void takeCase(Row& row, CaseOutcome one);
    void finishRow(Row& row);
    void startTable();
    void noteFindings(const TaskOutcome& outcome);
    void showRest();
    void takeEnd();
    void blame(Row& row, const std::string& why);
    std::size_t finishedRows() const;
    std::string pageOf(const std::string& report) const;
    ExitStatus finish();

    const Options& options_;
    const Call& call_;
    Ranks* ranks_;
    Terminal terminal_;
    ConsoleStyle style_;
    std::list<OutputFile> files_;
    std::vector<std::pair<const ReportFormat*, OutputFile*>> reports_;
    OutputFile* page_ = nullptr;
    std::string beside_;  // a report of another run; empty: none
    Process process_;
    std::vector<Row> rows_;
    ReportContext context_;
    std::string dispatches_;
    std::optional<double> peak_;

    std::string begunRow_;  // what is worked on; empty before the first case of a process
    CaseOutcome begunCase_;
    std::size_t finishedBefore_ = 0;     // rows finished before the process was started
    unsigned endedEarly_ = 0;            // processes in a row that finished nothing
    std::vector<std::string> failures_;  // of the device or its driver, or of a2 itself
    ExitStatus failure_ = ExitStatus::device;
    std::string whyNotRun_ = "a2's device process ended three times before its first case";

    std::optional<BenchTable> table_;
    std::string details_, wholes_;    // of a2 bench --verbose
    std::vector<std::string> notes_;  // shown after the table, which they would interrupt
};

Rows::Rows(const Options& options, const Call& call, const RunDevice& runDevice, Ranks* ranks)
    : options_(options),
      call_(call),
      ranks_(ranks),
      terminal_(terminalOf(options, ranks)),
      style_(consoleStyle(options)),
      process_(terminal_, runDevice),
      context_(describeContext(options.commandLine, options.evaluation.seed, options.evaluation.timer))
{
    if (options.recordingFile.empty())  // the recording names its row itself
        for (const Task& task : selectTasks(options.tasks, options.all, *options.gpu.element))
            rows_.emplace_back().outcome.task = task;
    if (!isFirst(ranks)) return;
    const auto open = [this](const std::string& path) -> OutputFile& {
        OutputFile& file = files_.emplace_back(path);
        if (options_.evaluation.pattern) file.refuseAsInput(options_.evaluation.pattern->file());
        return file;
    };
    for (const ReportFormat& one : reportFormats())
        if (const std::string path = options_.reportFile(one.option); !path.empty())
            reports_.emplace_back(&one, &open(path));
    if (!options_.pageFile.empty()) page_ = &open(options_.pageFile);
    if (!options_.besideFile.empty()) {
        beside_ = readStepsReport(options_.besideFile);
        for (OutputFile& file : files_) file.refuseAsInput(options_.besideFile);
    }
    std::vector<Task> tasks;
    for (const Row& row : rows_) tasks.push_back(row.outcome.task);
    if (options.solutions.empty() && options.recordingsFile.empty() && !installation())
        noteChangedCode(tasks, terminal_);
}

// Whether there is work left for another process.
bool Rows::wantsOthers() const
{
    const bool left = std::any_of(rows_.begin(), rows_.end(), [](const Row& row) { return !row.finished; });
    return left && endedEarly_ < mostEndedEarly && !options_.inProcess;  // --in-process has no other process
}

ExitStatus Rows::oversee()
{
    do {
        DeviceRequest request = requestFor(options_);
        request.copyPeakGBps = peak_;
        for (const Row& row : rows_)
            if (!row.finished) request.rows.push_back(row.outcome);
        begunRow_.clear();
        finishedBefore_ = finishedRows();
        process_.run(call_, request, [this](const Json& message) { return hear(message); });
        terminal_.clearProgress();
        takeEnd();
    } while (wantsOthers());
    return finish();
}

// If several ranks share the arrays, the end of one ends all: the rest of an array has no verdict.
ExitStatus Rows::overseeTogether()
{
    DeviceRequest request = requestFor(options_, ranks_);
    for (const Row& row : rows_) request.rows.push_back(row.outcome);
    RankEnd own;
    const auto ends = process_.runAsRank(
        call_, request, [this](const Json& message) { return hear(message); }, *ranks_, own);
    if (!isFirst(ranks_)) return own.status;
    for (const auto& [status, why] : troubles(ends)) {
        if (status != ExitStatus::device) throw Error(status, why);
        whyNotRun_ = "a rank had come to its end before";
        Row* const begun = begunRow_.empty() ? nullptr : &rowOf(begunRow_);
        if (failures_.empty() && begun && !begun->finished) blame(*begun, why);
        failures_.push_back(begun ? fmt::format("{}: {}", begunRow_, why) : why);
    }
    return finish();
}

// The results of all ranks, on rank 0, which combines them; empty on the others.
template <class Outcome>
std::optional<std::vector<Outcome>> Rows::ofRanks(const Json& own, Outcome (*from)(const Json&))
{
    const std::vector<Json> ofAll = gatherAll(*ranks_, own);
    if (!isFirst(ranks_)) return std::nullopt;
    std::vector<Outcome> all;
    for (const Json& one : ofAll) all.push_back(from(one));
    return all;
}

Rows::Row& Rows::rowOf(const std::string& id)
{
    for (Row& row : rows_)
        if (row.outcome.task.id == id) return row;
    rows_.emplace_back().outcome.task = selectTasks({id}, false, *options_.gpu.element).front();
    return rows_.back();
}

Json Rows::hear(const Json& message)
{
    const auto is = message.at("is").get<std::string>();
    if (is == "context") {
        context_ = contextFrom(message.at("context"));
    } else if (is == "peak") {
        takePeak(message.at("GBps"));
    } else if (is == "begin") {
        begunRow_ = message.at("row");
        begunCase_ = caseOutcomeFrom(message.at("case"));
    } else if (is == "case") {
        Row& row = rowOf(message.at("row"));
        if (!ranks_)
            takeCase(row, caseOutcomeFrom(message.at("case")));
        else if (const auto parts = ofRanks(message.at("case"), caseOutcomeFrom))
            takeCase(row, wholeCase(row.outcome.task, *parts));
    } else if (is == "outcome") {
        takeOutcome(message.at("outcome"));
    } else if (is == "dispatches") {
        dispatches_ = message.at("json");
    } else if (is == "meet" && ranks_) {
        return wireOf(ranks_->meet(broughtFrom(message)));
    }
    return {};
}

void Rows::takeOutcome(const Json& own)
{
    TaskOutcome outcome = taskOutcomeFrom(own);
    if (ranks_) {
        const auto parts = ofRanks(own, taskOutcomeFrom);
        if (!parts) return;
        outcome = wholeOutcome(*parts);
    }
    Row& row = rowOf(outcome.task.id);
    row.outcome = std::move(outcome);
    finishRow(row);
}

void Rows::takePeak(double GBps)
{
    peak_ = GBps;
    style_.copyPeakGBps = GBps;
    if (isCommand(Subcommand::bench)) startTable();
}

void Rows::startTable()
{
    if (table_) return;
    std::vector<Task> tasks;
    for (const Row& row : rows_) tasks.push_back(row.outcome.task);
    const double peak = peak_.value_or(0);
    const unsigned inFlight = options_.evaluation.inFlight;
    if (peak > 0) terminal_.note(fmt::format("% copy: of the copy kernel's {:.4g} GB/s on this device", peak));
    if (const auto note = chainNote(tasks, inFlight)) terminal_.note(*note);
    table_.emplace(tasks, peak, inFlight);
    terminal_.print(table_->head());
    details_ = table_->detailHead();
    wholes_ = table_->wholeHead();
}

void Rows::takeCase(Row& row, CaseOutcome one)
{
    startTable();
    const Task& task = row.outcome.task;
    terminal_.print(table_->row(task, one));
    if (one.benchmark) {
        details_ += table_->detailRow(task, *one.benchmark);
        wholes_ += table_->wholeRow(task, *one.benchmark);
        noteClock(terminal_, task.id, options_.evaluation.timer, one.benchmark->timer);
        if (auto note = fewerNote(task, *one.benchmark, options_.evaluation.inFlight))
            notes_.push_back(std::move(*note));
    }
    row.outcome.cases.push_back(std::move(one));
}

// Its outcome has arrived.
void Rows::finishRow(Row& row)
{
    row.finished = true;
    const bool shown = isCommand(Subcommand::run) || isCommand(Subcommand::check);
    if (shown) terminal_.print(outcomeText(row.outcome, style_));
    const Benchmark* const benchmark = shown ? row.outcome.benchmark() : nullptr;
    if (benchmark && ranks_ && style_.verbose) terminal_.print(ranksTable(benchmark->parts));
    if (!isCommand(Subcommand::bench)) noteFindings(row.outcome);
    if (benchmark) noteClock(terminal_, row.outcome.task.id, options_.evaluation.timer, benchmark->timer);
}

// Findings that fail nothing, on stderr.
void Rows::noteFindings(const TaskOutcome& outcome)
{
    if (outcome.status != Status::passed) return;  // they are among the other findings
    for (const std::string& line : noteLines(outcome)) terminal_.note(fmt::format("{}: {}", outcome.task.id, line));
}

// Shows what has to wait until no outcome can change any more.
void Rows::showRest()
{
    if (!isCommand(Subcommand::bench)) return;
    startTable();
    std::vector<TaskOutcome> outcomes;
    for (const Row& row : rows_) outcomes.push_back(row.outcome);
    if (auto note = spreadNote(outcomes)) notes_.push_back(std::move(*note));
    for (const std::string& note : notes_) terminal_.note(note);
    if (ranks_) terminal_.print("\n" + scalingTable(outcomes));
    if (options_.verbose) terminal_.print(fmt::format("\n{}\n{}", details_, wholes_));
    if (ranks_ && options_.verbose)
        for (const TaskOutcome& outcome : outcomes)
            for (const CaseOutcome& one : outcome.cases)
                if (one.benchmark)
                    terminal_.print(
                        fmt::format("\n{}, n = {}\n{}", outcome.task.id, one.n, ranksTable(one.benchmark->parts)));
    if (options_.verbose && stdoutIsTerminal() && !ranks_) terminal_.print("\n" + table_->bars(outcomes));
    for (const TaskOutcome& outcome : outcomes)
        if (outcome.status != Status::passed && outcome.status != Status::skipped)
            terminal_.print(fmt::format("\n{}", outcomeText(outcome, style_)));
}

std::size_t Rows::finishedRows() const
{
    return static_cast<std::size_t>(
        std::count_if(rows_.begin(), rows_.end(), [](const Row& row) { return row.finished; }));
}

// What the end of a process means for the row that it was working on.
void Rows::takeEnd()
{
    const auto& done = process_.done();
    if (done && done->status != ExitStatus::device && !done->message.empty()) throw Error(done->status, done->message);
    Row* const begun = begunRow_.empty() ? nullptr : &rowOf(begunRow_);
    const bool copyKernel = !begun && !peak_ && process_.phase().starts_with(copyKernelPhase);
    if (!done || done->status == ExitStatus::device || process_.wasOverdue()) {
        const bool toldWhy = done && done->status == ExitStatus::device;
        const bool all = finishedRows() == rows_.size();
        std::string why = toldWhy ? done->message : process_.howItEnded(all ? "closing the device" : process_.phase());
        if (copyKernel && toldWhy) why += "; that was the copy kernel, before any task: a larger --timeout?";
        if (begun && !begun->finished) blame(*begun, why);  // a finished row is not at fault
        if (copyKernel) takePeak(0);
        if (failures_.empty() || process_.failure() == ExitStatus::device) failure_ = process_.failure();
        failures_.push_back(begun && !all ? fmt::format("{}: {}", begunRow_, why) : why);
        // Another process would only run into the same time-out.
        const bool hopeless = process_.wasOverdue() && !begun && !copyKernel;
        if (hopeless) {
            whyNotRun_ = why;
            endedEarly_ = mostEndedEarly;
            return;
        }
    }
    endedEarly_ = copyKernel || finishedRows() > finishedBefore_ ? 0 : endedEarly_ + 1;
}

void Rows::blame(Row& row, const std::string& why)
{
    CaseOutcome one = begunCase_;
    one.status = process_.wasOverdue() ? Status::timeout : Status::crashed;
    one.deviceFailed = true;
    one.findings.push_back({"", why, {}});  // after the findings of the walk on the host
    if (isCommand(Subcommand::bench))
        takeCase(row, std::move(one));
    else
        row.outcome.cases.push_back(std::move(one));
    row.outcome.status = process_.wasOverdue() ? Status::timeout : Status::crashed;
    row.outcome.diagnosis.emplace().command = stepsCommand(row.outcome.task, begunCase_, options_.evaluation);
    finishRow(row);
    if (options_.command->takesOneTask)  // the others show their rows when they are finished
        terminal_.print(verdictText(row.outcome, style_));
}

std::string Rows::pageOf(const std::string& report) const
{
    const auto texts = [this](const std::string& one) { return kernelTexts(one, options_.gpu.shaderDir); };
    if (beside_.empty()) return stepsPage(report, texts(report));
    return stepsPages({"this run: " + titleOfRun(report), report, texts(report)},
                      {options_.besideFile + ": " + titleOfRun(beside_), beside_, texts(beside_)});
}

ExitStatus Rows::finish()
{
    for (Row& row : rows_) {
        if (row.finished) continue;
        row.outcome.status = Status::skipped;
        CaseOutcome& none = row.outcome.cases.emplace_back();
        none.n = options_.evaluation.size;
        none.pattern = "random";
        none.status = Status::skipped;
        none.findings = {{"", "not run: " + whyNotRun_, {}}};
        finishRow(row);
    }
    showRest();
    terminal_.clearProgress();
    const auto any = [&](Status status) {
        return std::any_of(rows_.begin(), rows_.end(), [&](const Row& row) { return row.outcome.status == status; });
    };
    const bool passed = any(Status::passed), failed = any(Status::failed);
    if (options_.evaluation.course && passed) terminal_.note(fmt::format(courseNote, typeOption(options_)));
    if (isCommand(Subcommand::steps) && options_.smallShape && failed) terminal_.note(smallShapeNote);
    context_.copyPeakGBps = peak_.value_or(0);
    std::vector<TaskOutcome> outcomes;
    for (Row& row : rows_) outcomes.push_back(std::move(row.outcome));
    const RowsReport report{context_,
                            outcomes,
                            {"dispatches", dispatches_},
                            options_.eachRepetition ? TimesAs::repetitions : TimesAs::median,
                            isCommand(Subcommand::bench)};
    for (const auto& [format, file] : reports_) file->commit(format->text(report));
    if (page_) page_->commit(pageOf(jsonReport(context_, outcomes, report.part)));
    if (isCommand(Subcommand::run) || isCommand(Subcommand::check))
        for (const std::string& line : summaryLines(outcomes)) terminal_.note(line);
    // A user at a terminal has a browser; with redirected output, a file would be unexpected.
    if (isCommand(Subcommand::run) && !options_.noPage && !page_ && !options_.quiet && stderrIsTerminal()) {
        const std::string page = drawFailure(outcomes);
        if (!page.empty()) terminal_.note("its picture, for a browser: " + page);
    }
    if (failures_.empty()) {
        const ExitStatus status = exitStatus(outcomes);
        const bool lacked = std::any_of(outcomes.begin(), outcomes.end(), lackedMemory);
        return options_.evaluation.strict && lacked && status == ExitStatus::passed ? ExitStatus::environment : status;
    }
    const std::size_t more = failures_.size() - 1;
    throw Error(failure_, failures_.front() +
                              (more > 0 ? fmt::format(" (and {} more such end{})", more, more == 1 ? "" : "s") : ""));
}

// Its processes combine their results themselves.
ExitStatus overseeCommandTogether(const Options& options, const Call& call, const RunDevice& runDevice, Ranks& ranks)
{
    Terminal terminal = terminalOf(options, &ranks);
    Process process(terminal, runDevice);
    const auto hear = [&](const Json& message) -> Json {
        if (message.at("is") == "meet") return wireOf(ranks.meet(broughtFrom(message)));
        if (message.at("is") == "gather") return gatherAll(ranks, message.at("part"));
        return {};
    };
    RankEnd own;
    const std::vector<RankEnd> all = troubles(process.runAsRank(call, requestFor(options, &ranks), hear, ranks, own));
    if (!all.empty()) throw Error(all.front().status, all.front().message);
    return process.done() ? process.done()->status : own.status;
}

}  // namespace

ExitStatus overseeRows(const Options& options, const Call& call, const RunDevice& runDevice, Ranks* ranks)
{
    Rows rows(options, call, runDevice, ranks);
    return ranks ? rows.overseeTogether() : rows.oversee();
}

ExitStatus overseeCommand(const Options& options, const Call& call, const RunDevice& runDevice, Ranks* ranks)
{
    if (ranks) return overseeCommandTogether(options, call, runDevice, *ranks);
    Terminal terminal(options.quiet, options.verbose);
    Process process(terminal, runDevice);
    process.run(call, requestFor(options), [](const Json&) { return Json(); });
    if (!process.done()) {
        process.endAlikeIfUnread();
        const bool own = process.failure() == ExitStatus::internal;
        throw Error(process.failure(), process.howItEnded(process.phase()) +
                                           (own ? ""
                                                : "; `a2 doctor` shows the drivers, and `-d cpu` takes the CPU's, "
                                                  "where there is one"));
    }
    if (!process.done()->message.empty()) throw Error(process.done()->status, process.done()->message);
    if (process.wasOverdue()) throw Error(ExitStatus::device, process.howItEnded(process.phase()));
    return process.done()->status;
}

ExitStatus exitStatus(const std::vector<TaskOutcome>& outcomes)
{
    const auto any = [&](auto... statuses) {
        return std::any_of(outcomes.begin(), outcomes.end(),
                           [&](const TaskOutcome& one) { return ((one.status == statuses) || ...); });
    };
    if (std::any_of(outcomes.begin(), outcomes.end(), [](const TaskOutcome& one) { return one.deviceFailed(); }))
        return ExitStatus::device;
    if (any(Status::failed, Status::timeout, Status::crashed, Status::notWritten)) return ExitStatus::failed;
    const bool unknown = std::any_of(outcomes.begin(), outcomes.end(), [](const TaskOutcome& one) {
        return one.status == Status::skipped && std::any_of(one.cases.begin(), one.cases.end(), isUnknown);
    });
    return any(Status::passed) && !unknown ? ExitStatus::passed : ExitStatus::environment;
}

}  // namespace a2
