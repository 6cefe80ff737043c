// The command line as a table, from which completion and the man page are made. It is read from the options themselves.
#pragma once

#include <string>
#include <vector>

namespace a2 {

struct OptionEntry {
    std::vector<std::string> shortNames, longNames;  // "-n", "--size"; none of a positional argument
    std::string value;                               // the name of its value, such as N; empty: it takes none
    std::vector<std::string> choices;                // all allowed values, if they are a fixed set
    std::string description;
    bool many = false;  // several values may follow

    std::vector<std::string> names() const;  // the short ones first
};

struct CommandEntry {
    std::string name, description;
    std::vector<OptionEntry> arguments, options;  // those that --help shows
};

// In the order of `a2 --help`.
std::vector<CommandEntry> commandTable();
std::vector<std::string> namesOf(const std::vector<CommandEntry>& table);

}  // namespace a2
