#include "cli/HelpText.h"

#include "cli/OptionGroups.h"
#include "report/Text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

namespace a2 {

namespace {

constexpr std::size_t nameColumns = 30;  // CLI11's own width of the names

constexpr std::array groupOrder = {whatIsRun, howItIsTimed, onWhat, whatIsShown, aboutA2};

std::vector<const CLI::Option*> positionals(const CLI::App* app)
{
    return app->get_options([](const CLI::Option* option) { return option->get_positional(); });
}

}  // namespace

std::string HelpText::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const
{
    std::string text = make_description(app) + make_usage(app, std::move(name));
    if (!positionals(app).empty()) text += make_group("Arguments", true, positionals(app));
    std::vector<std::string> groups(groupOrder.begin(), groupOrder.end());
    for (const std::string& other : app->get_groups())  // an annex's own options; "": of no help page
        if (!other.empty() && std::find(groups.begin(), groups.end(), other) == groups.end())
            groups.insert(groups.end() - 1, other);  // before what all commands have
    for (const std::string& group : groups) {
        const auto options = app->get_options(
            [&](const CLI::Option* option) { return option->get_group() == group && option->nonpositional(); });
        if (!options.empty()) text += make_group(group, false, options);
    }
    return text + make_subcommands(app, mode) + '\n' + make_footer(app);
}

// CLI11's text before and after it differs from release to release.
std::string HelpText::make_usage(const CLI::App* app, std::string name) const
{
    std::string text = fmt::format("Usage: {} [OPTIONS]", name);
    for (const CLI::Option* one : positionals(app)) text += " " + make_option_usage(one);
    if (!app->get_subcommands({}).empty()) text += " COMMAND";
    return text + "\n";
}

// "--course,--no-course", where CLI11 says "--course,--no-course{false}".
std::string HelpText::make_option_name(const CLI::Option* option, bool isPositional) const
{
    const std::string name = CLI::Formatter::make_option_name(option, isPositional);
    return name.substr(0, name.find('{'));
}

// The name of the value, without types, needs and excludes: the descriptions give those.
std::string HelpText::make_option_opts(const CLI::Option* option) const
{
    const std::string& value = option->get_option_text();
    return value.empty() || option->get_positional() ? "" : " " + value;
}

std::string HelpText::make_option_desc(const CLI::Option* option) const
{
    std::string text = wrapped(CLI::Formatter::make_option_desc(option), 0, lineColumns - nameColumns);
    text.pop_back();  // the last line's end
    return text;
}

std::string HelpText::make_option_usage(const CLI::Option* option) const
{
    const std::string name = option->get_name(true) + (option->get_expected_max() > 1 ? "..." : "");
    return option->get_required() ? name : "[" + name + "]";
}

std::string tidyHelp(const std::string& text)
{
    std::string tidy;
    for (const char c : text) {
        if (c == '\n')
            while (tidy.ends_with(' ')) tidy.pop_back();
        if (c == '\n' && tidy.ends_with("\n\n")) continue;
        tidy += c;
    }
    return tidy;
}

}  // namespace a2
