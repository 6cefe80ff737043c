// Options of the commands about theory and labs.
#pragma once

#include "cli/OptionGroups.h"

namespace a2 {

void addTheoryOptions(CLI::App& app, Options& options, Raw& raw);
void addPrescanOptions(CLI::App& app, Options& options, Raw& raw);
void addObstaclesOptions(CLI::App& app, Options& options, Raw& raw);

// What the user typed, checked; after the options that commands share. Throw UsageError.
void interpretTheory(const Raw& raw, Options& options);
void interpretPrescan(const Raw& raw, Options& options);
void interpretObstacles(const Raw& raw, Options& options);

}  // namespace a2
