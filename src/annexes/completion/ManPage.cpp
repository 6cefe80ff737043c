#include "annexes/completion/Scripts.h"
#include "base/BuildFacts.h"
#include "cli/OptionGroups.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace a2 {

namespace {

// Escaped for roff: no line is read as a request, and hyphens can be copied.
std::string roff(const std::string& text)
{
    std::string safe = text.starts_with('.') || text.starts_with('\'') ? "\\&" : "";
    for (const char one : text) {
        if (one == '\\')
            safe += "\\e";
        else if (one == '-')
            safe += "\\-";
        else if (one == '\'')
            safe += "\\(aq";
        else if (one == '^')
            safe += "\\(ha";
        else if (one == '~')
            safe += "\\(ti";
        else if (one == '`')
            safe += "\\(ga";
        else
            safe += one;
    }
    return safe;
}

std::string optionText(const OptionEntry& option)
{
    std::vector<std::string> names;
    for (const std::string& name : option.names()) names.push_back("\\fB" + roff(name) + "\\fR");
    std::string head = fmt::format("{}", fmt::join(names, ", "));
    if (!option.value.empty()) head += (names.empty() ? "\\fI" : " \\fI") + roff(option.value) + "\\fR";
    return fmt::format(".TP\n{}{}\n{}\n", head, option.many ? " ..." : "", roff(option.description));
}

std::string commandText(const CommandEntry& command)
{
    std::string usage = fmt::format("\\fBa2 {}\\fR [\\fIoption\\fR ...]", command.name);
    for (const OptionEntry& argument : command.arguments)
        usage += fmt::format(" [\\fI{}\\fR{}]", roff(argument.value), argument.many ? " ..." : "");
    std::string text = fmt::format(".SS {}\n{}\n.PP\n{}.\n", roff(command.name), usage, roff(command.description));
    for (const OptionEntry& argument : command.arguments) text += optionText(argument);
    for (const OptionEntry& option : command.options) text += optionText(option);
    return text;
}

}  // namespace

std::string manPage(const std::vector<CommandEntry>& table)
{
    std::string text = fmt::format(
        ".TH A2 1 \"\" \"a2 {}\" \"User Commands\"\n"
        ".SH NAME\n"
        "a2 \\- parallel reduction and prefix sum in Vulkan compute, checked and timed\n"
        ".SH SYNOPSIS\n"
        ".B a2\n"
        "[\\fIcommand\\fR] [\\fIoption\\fR ...] [\\fItask\\fR ...]\n"
        ".SH DESCRIPTION\n"
        "Runs the solutions of a course's tasks on a Vulkan device or on an emulated one, holds what they leave, and "
        "how they get there, against references and rules, and times them.\n"
        "Without a command: \\fBrun\\fR.\n"
        "A task is an id, such as \\fBreduce/sequential\\fR, or a pattern, such as \\fB\\(aqscan/*\\(aq\\fR.\n"
        ".SH COMMANDS\n",
        roff(buildFacts.version));
    for (const CommandEntry& command : table) text += commandText(command);
    text += ".SH EXIT STATUS\n";
    for (const auto& [status, meaning] : exitStatuses())
        text += fmt::format(".TP\n.B {}\n{}\n", static_cast<int>(status), roff(meaning));
    return text +
           ".SH ENVIRONMENT\n"
           ".TP\n.B A2_DEVICE\nStands for \\fB\\-\\-device\\fR.\n"
           ".TP\n.B NO_COLOR\nStands for \\fB\\-\\-no\\-color\\fR.\n"
           ".SH SEE ALSO\n"
           ".BR vulkaninfo (1),\n.BR glslangValidator (1)\n";
}

}  // namespace a2
