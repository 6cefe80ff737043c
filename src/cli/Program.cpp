#include "cli/Commands.h"
#include "cli/Terminal.h"
#include "report/Leftover.h"

#include <fmt/format.h>

#include <cstdio>
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
    if (options.command == "theory") return theoryCommand(options);
    if (options.command == "prescan") return prescanCommand(options);
    if (options.command == "obstacles") return obstaclesCommand(options);
    if (options.command == "doctor") return doctorCommand(options);
    if (options.command == "list") return listCommand();
    return runCommand(options);
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

}  // namespace

int runProgram(const std::vector<std::string>& arguments)
{
    prepareStreams();
    occupyClosedStreams();
    removeLeftoversOnSignals();
    try {
        const ExitStatus status = dispatch(parseOptions(arguments));
        if (std::fflush(stdout) != 0 || std::ferror(stdout)) return complainOfStdout();
        return static_cast<int>(status);
    } catch (const DeviceError& error) {
        // Work may still be running: leave without destroying what it uses.
        const int status = complain(error.status(), error.what());
        std::fflush(nullptr);
        removeLeftovers();
        std::_Exit(status);
    } catch (const Error& error) {
        return complain(error.status(), error.what());
    } catch (const vk::SystemError& error) {
        return complain(
            ExitStatus::internal,
            fmt::format("Vulkan refused a call ({}); `a2 doctor` shows the devices and drivers", error.what()));
    } catch (const std::bad_alloc&) {
        return complain(ExitStatus::environment,
                        "this machine's main memory is too small for that; choose a smaller --size");
    } catch (const std::exception& error) {
        if (std::ferror(stdout)) return complainOfStdout();  // what {fmt} threw when it printed
        return complain(ExitStatus::internal, fmt::format("{} (this is a fault of a2)", error.what()));
    }
}

}  // namespace a2
