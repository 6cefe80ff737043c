#include "cli/CourseFile.h"

#include "a2/Error.h"
#include "base/BuildFacts.h"
#include "base/Process.h"
#include "cli/Subcommand.h"
#include "files/Project.h"
#include "files/Utf8Path.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>

namespace a2 {

namespace {

bool isCommand(const std::vector<std::string>& section)
{
    const auto all = allSubcommands();
    return section.size() == 1 &&
           std::any_of(all.begin(), all.end(), [&](const Subcommand* one) { return one->name == section.front(); });
}

// What is asked of all students. Whoever enters somebody else's folder has not read its course.ini, so that nothing in
// it may name a file to read or to write, another library or kernel, or run the solution's code inside a2.
bool mayStand(const std::string& option)
{
    static constexpr std::array all = {"all",     "size",   "workgroup", "elements", "course",   "strict",    "pattern",
                                       "type",    "seed",   "exclusive", "up-to",    "repeat",   "max-time",  "timer",
                                       "timeout", "device", "verbose",   "quiet",    "no-color", "validation"};
    return std::find(all.begin(), all.end(), option) != all.end();
}

// The text of a file that is there, and is a course.ini.
std::optional<std::string> textOf(const std::filesystem::path& path)
{
    constexpr std::uintmax_t most = std::uintmax_t{1} << 20;  // bytes
    namespace fs = std::filesystem;
    std::error_code error;
    if (fs::symlink_status(path, error).type() == fs::file_type::not_found) return {};
    if (!fs::is_regular_file(path, error) || fs::file_size(path, error) > most)
        throw UsageError(fmt::format("{} is no file of options: mend it, or remove it", utf8Of(path)));
    std::ifstream file(path, std::ios::binary);
    std::string text((std::istreambuf_iterator<char>(file)), {});
    if (!file.is_open() || file.bad())
        throw UsageError(fmt::format("{} cannot be read: make it readable, or remove it", utf8Of(path)));
    return text;
}

using Version = std::array<unsigned, 3>;

// "1", "1.2" or "1.2.3"; nothing for any other text.
std::optional<Version> versionOf(const std::string& text)
{
    Version version = {};
    char rest = 0;
    const bool isNumbers = text.find_first_not_of("0123456789.") == std::string::npos && !text.ends_with('.');
    const int read = std::sscanf(text.c_str(), "%u.%u.%u%c", &version[0], &version[1], &version[2], &rest);
    if (!isNumbers || read > 3 || read != 1 + std::count(text.begin(), text.end(), '.')) return {};
    return version;
}

// A different first number means a different a2 (docs/changes.md).
void checkVersion(const std::string& place, const std::string& asked)
{
    const std::optional<Version> least = versionOf(asked), own = versionOf(buildFacts.version);
    if (!least) throw UsageError(fmt::format("{}: a2 = {} is no version, such as 1.2", place, asked));
    if (least->front() == own->front() && *least <= *own) return;
    std::string problem;
    throw EnvironmentError(fmt::format("{} asks for a2 {}{}, and {} is {}: use the a2 that this folder came with",
                                       place, asked, least->front() < own->front() ? "" : " or newer",
                                       ownProgram(problem), buildFacts.version));
}

}  // namespace

std::vector<std::string> applyCourseFile(CLI::App& command)
{
    std::vector<std::string> values;
    if (!hasProject()) return values;
    const std::filesystem::path path = projectFolder() / "course.ini";
    const std::optional<std::string> text = textOf(path);
    if (!text) return values;
    std::istringstream lines(*text);
    for (const CLI::ConfigItem& item : CLI::ConfigINI().from_config(lines)) {
        if (item.name == "++" || item.name == "--") continue;  // CLI11's marks round a section
        if (item.name == "a2" && item.parents.empty()) {
            checkVersion(utf8Of(path), item.inputs.empty() ? "" : item.inputs.front());
            continue;
        }
        if (!isCommand(item.parents))
            throw UsageError(fmt::format("{}: '{}' stands below no command, such as [run]; `a2 --help` lists them",
                                         utf8Of(path), item.name));
        if (item.parents.front() != command.get_name()) continue;
        CLI::Option* const option = command.get_option_no_throw("--" + item.name);
        if (!option)
            throw UsageError(fmt::format("{}: a2 {} has no option --{}; `a2 {} --help` lists them", utf8Of(path),
                                         command.get_name(), item.name, command.get_name()));
        if (!mayStand(item.name))
            throw UsageError(
                fmt::format("{}: --{} is for the command line alone; remove the line", utf8Of(path), item.name));
        const auto isFile = [](const std::string& value) { return value.starts_with("file:"); };
        if (item.name == "pattern" && std::any_of(item.inputs.begin(), item.inputs.end(), isFile))
            throw UsageError(
                fmt::format("{}: --pattern file:PATH is for the command line alone; remove the line", utf8Of(path)));
        if (!option->empty()) continue;
        const bool isFlag = option->get_expected_min() == 0;
        try {
            for (const std::string& value : item.inputs)
                option->add_result(isFlag ? option->get_flag_value(item.name, value) : value);
            option->run_callback();
        } catch (const CLI::ParseError&) {
            throw UsageError(fmt::format("{}: --{} cannot be '{}'; `a2 {} --help` shows what it takes", utf8Of(path),
                                         item.name, fmt::join(item.inputs, " "), command.get_name()));
        }
        if (!isFlag) values.insert(values.end(), item.inputs.begin(), item.inputs.end());
    }
    return values;
}

}  // namespace a2
