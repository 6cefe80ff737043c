// The command line, parsed and checked.
#pragma once

#include "cli/Subcommand.h"
#include "gpu/Device.h"
#include "judge/EvaluationSettings.h"

#include <any>
#include <map>
#include <optional>
#include <string>
#include <typeindex>
#include <vector>

namespace a2 {

// An annex's options: a value of a type that only the annex knows, made when its options are added.
class OwnValues {
public:
    template <class T>
    T& of()
    {
        std::any& one = values_[typeid(T)];
        if (!one.has_value()) one = T();
        return std::any_cast<T&>(one);
    }
    template <class T>
    const T& of() const
    {
        return std::any_cast<const T&>(values_.at(typeid(T)));
    }

private:
    std::map<std::type_index, std::any> values_;
};

// What a2 bench compares for several ranks: nothing, the same array shared by more of them, or an array that grows with
// their number.
enum class Scaling { none, strong, weak };

struct Options {
    const Subcommand* command = &Subcommand::run;
    std::vector<std::string> tasks;  // ids or globs
    GpuOptions gpu;
    EvaluationSettings evaluation;               // sizes are filled in once the device is known
    std::optional<std::uint64_t> size;           // empty: chosen for the device
    std::map<std::string, std::string> reports;  // files, by the option for each (report/Formats.h)
    OwnValues own;                               // of annexes
    std::vector<std::string> inputFiles;         // of annexes: files that the device's process reads
    bool noTask = false;                         // of annexes: what is named is no task
    std::string dumpFolder;                      // steps
    bool smallShape = false;                     // of a small run: the user chose no work-groups
    bool noPage = false;                         // run: no page about a failure, on a terminal
    std::string pageFile;                        // steps: the page, as HTML
    std::string besideFile;                      // steps: a report whose run is drawn beside it
    bool listRules = false;                      // list: the rules instead of the tasks
    std::string rule;                            // explain
    bool tree = false;                           // steps: drawn in the terminal
    bool phases = false;                         // steps: shown
    std::uint64_t group = 0;                     // steps: the work-group whose phases are shown
    std::string outputFile;                      // capture, record; empty: named after the task
    std::string recordingFile;                   // run: judges this instead of a solution
    std::string recordOnly;             // run, check: records all that they may need into this file, judges nothing
    std::string deviceOf;               // with recordOnly: for the device of this file of recordings
    std::string recordingsFile;         // judges the recordings of such a file instead of the solutions
    std::vector<std::string> passedOn;  // watch: the other arguments, for the runs that it starts
    std::string solutions;              // the library of solutions; empty: the one beside the program
    bool eachRepetition = false;        // bench: each has its own entry in the JSON
    Scaling scaling = Scaling::none;    // bench, started by mpirun
    std::string deviceJail;             // a program that starts the device's process; empty: none
    bool inProcess = false;             // student code runs inside a2, for a debugger
    bool all = false, verbose = false, quiet = false, colour = true;

    std::string commandLine;  // as the user typed it
    std::string finished;     // not empty: print this (a help text) and exit with 0

    // Empty: no such report is wanted.
    std::string reportFile(const std::string& option) const
    {
        const auto found = reports.find(option);
        return found == reports.end() ? "" : found->second;
    }
    std::string jsonFile() const { return reportFile("--json"); }
};

// Whether the command has a verdict for each row.
inline bool hasVerdicts(const Options& options) { return options.command->hasRows && options.recordOnly.empty(); }

// " --type float32", for a printed command; empty for the default type.
std::string typeOption(const Options& options);

// Throws UsageError with one line that says what is wrong and what to do. fileValues: the numbers of the file of
// --pattern, if it was read already.
Options parseOptions(const std::vector<std::string>& arguments, std::vector<std::uint32_t> fileValues = {});

// 1000000, 2^20, 128Mi (also Ki, Gi); `name` is the option's, for the message. Throws UsageError.
std::uint64_t parseSize(const std::string& name, const std::string& text);
// A whole number from least to most. Throws UsageError.
std::uint64_t parseNumber(const std::string& name, const std::string& text, std::uint64_t least, std::uint64_t most);

}  // namespace a2
