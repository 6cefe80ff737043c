#include "ShellWord.h"
#include "cli/Commands.h"
#include "cli/Terminal.h"
#include "report/Leftover.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <new>

namespace a2 {

namespace {

ExitStatus dispatch(const Options& options)
{
    if (!options.finished.empty()) {
        fmt::print("{}", options.finished);
        return ExitStatus::passed;
    }
    if (options.command == "check") return checkCommand(options);
    if (options.command == "bench") return benchCommand(options);
    if (options.command == "steps") return stepsCommand(options);
    if (options.command == "capture") return captureCommand(options);
    if (options.command == "record") return recordCommand(options);
    if (options.command == "theory") return theoryCommand(options);
    if (options.command == "prescan") return prescanCommand(options);
    if (options.command == "obstacles") return obstaclesCommand(options);
    if (options.command == "doctor") return doctorCommand(options);
    if (options.command == "list") return listCommand();
    return options.recordingFile.empty() ? runCommand(options) : judgeRecording(options);
}

int complain(ExitStatus status, const std::string& message)
{
    printError("a2: error: " + message);
    return static_cast<int>(status);
}

int complainOfStdout()
{
    return complain(ExitStatus::usage, "standard output could not be written: is the disk full?");
}

// What came of the command: its exit status, with everything said.
int tryProgram(const std::string& calledAs, const std::vector<std::string>& arguments)
{
    try {
        Options options = parseOptions(arguments);
        options.evaluation.program = programWord(calledAs);
        const ExitStatus status = dispatch(options);
        if (deviceGivenUp()) return complain(deviceGivenUp()->status(), deviceGivenUp()->what());
        if (std::fflush(stdout) != 0 || std::ferror(stdout)) return complainOfStdout();
        return static_cast<int>(status);
    } catch (const Error& error) {
        return complain(error.status(), error.what());
    } catch (const vk::DeviceLostError&) {
        return complain(ExitStatus::device, deviceLost().what());
    } catch (const vk::SystemError& error) {
        const bool memory = error.code() == vk::make_error_code(vk::Result::eErrorOutOfHostMemory) ||
                            error.code() == vk::make_error_code(vk::Result::eErrorOutOfDeviceMemory);
        return complain(memory ? ExitStatus::environment : ExitStatus::failed,
                        fmt::format("a Vulkan call failed ({}): {}", error.what(),
                                    memory ? "is there memory left? Choose a smaller --size"
                                           : "`a2 doctor` shows the devices and drivers"));
    } catch (const std::bad_alloc&) {
        return complain(ExitStatus::environment,
                        "this machine's main memory is too small for that; choose a smaller --size");
    } catch (const std::exception& error) {
        if (std::ferror(stdout)) return complainOfStdout();  // what {fmt} threw when it printed
        return complain(ExitStatus::internal, fmt::format("{} (this is a fault of a2)", error.what()));
    }
}

}  // namespace

int runProgram(const std::string& calledAs, const std::vector<std::string>& arguments)
{
    prepareStreams();
    removeLeftoversOnSignals();
    const int status = tryProgram(calledAs, arguments);
    if (!deviceGivenUp()) return status;
    // The device may still be at work: whatever would be destroyed or unloaded now, at exit too, may be in use.
    std::fflush(nullptr);
    removeLeftovers();
    std::_Exit(static_cast<int>(ExitStatus::device));
}

}  // namespace a2
