// The form of a2's help texts. Apart from the options, so that few files read CLI11, which takes seconds each.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace a2 {

// a2's form of help: groups in the same order everywhere, the name of each value, no line over 80 columns.
class HelpText : public CLI::Formatter {
public:
    std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
    std::string make_usage(const CLI::App* app, std::string name) const override;
    std::string make_option_name(const CLI::Option* option, bool isPositional) const override;
    std::string make_option_opts(const CLI::Option* option) const override;
    std::string make_option_desc(const CLI::Option* option) const override;
    std::string make_option_usage(const CLI::Option* option) const override;
};
// A help text without blanks at the ends of lines and without repeated empty lines, which CLI11 writes from 2.5 on.
std::string tidyHelp(const std::string& text);

}  // namespace a2
