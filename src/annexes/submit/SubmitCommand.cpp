// a2 submit: packs a student's submission with tools/submit.

#include "a2/Error.h"
#include "base/Python.h"
#include "cli/OptionGroups.h"
#include "cli/Subcommand.h"
#include "files/Project.h"
#include "files/Utf8Path.h"

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <system_error>

namespace a2 {

namespace {

struct SubmitOptions {
    std::string archive = "submission.zip";
};

void addSubmitOptions(CLI::App& app, Options& options, Raw&)
{
    addArgument(app, "FILE.zip", options.own.of<SubmitOptions>().archive,
                "what is written, or replaced; default: submission.zip");
}

ExitStatus packSubmission(const Options& options)
{
    if (!hasProject())
        throw UsageError("no folder of an assignment is here: change into yours, which `a2 new` has made");
    const std::string packer = utf8Of(toolsFolder() / "submit");
    std::error_code none;
    if (!std::filesystem::is_regular_file(pathOf(packer), none))
        throw EnvironmentError(fmt::format("{} is missing, which packs: install a2 again", packer));
    std::string problem;
    ProcessLimits limits;
    limits.time = std::chrono::minutes(5);
    limits.memoryBytes = std::uint64_t{64} << 30;  // a2 is started, and a driver with it
    const ProcessResult result = runPython(packer,
                                           {"--a2", ownProgram(problem), "--folder", utf8Of(projectFolder()), "--",
                                            options.own.of<SubmitOptions>().archive},
                                           limits);
    if (result.ended == ProcessResult::Ended::notStarted)
        throw EnvironmentError("Python 3 is not here, which packs: install it");
    if (!result.succeeded() && result.ended != ProcessResult::Ended::exited)
        throw EnvironmentError(fmt::format("packing ended: {}", result.howItEnded(limits)));
    std::fputs(result.output.c_str(), result.succeeded() ? stdout : stderr);
    return static_cast<ExitStatus>(result.status);
}

}  // namespace

extern const Subcommand submitCommand;
constinit const Subcommand submitCommand = {.name = "submit",
                                            .description = "pack what is handed in",
                                            .place = 117,
                                            .addOptions = addSubmitOptions,
                                            .workHere = packSubmission};

}  // namespace a2
