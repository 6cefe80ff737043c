// What a2 says about itself: help, version, the list of tasks, the doctor.

#include "RunA2.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>

namespace contract {

namespace {

// CLI11 writes "-n,--size" or, from 2.5 on, "-n,     --size".
void expectAll(const Finished& finished, const Words& parts)
{
    EXPECT_EQ(finished.status, 0) << finished;
    EXPECT_EQ(finished.err, "");
    const std::string text = std::regex_replace(finished.out, std::regex(", +--"), ",--");
    for (const std::string& part : parts)
        EXPECT_TRUE(contains(text, part)) << "no word of " << part << "\n" << finished;
}

const Words taskOptions = {
    "-n,--size",    "-w,--workgroup", "--elements",  "-p,--pattern",     "-s,--seed",
    "--exclusive",  "--timeout",      "-d,--device", "A2_DEVICE",        "--validation",
    "--shader-dir", "--json",         "--csv",       "--junit",          "--verbose",
    "--quiet",      "--no-color",     "NO_COLOR",    "--dispatch-limit", "--binding-limit",
    "--schedule",
};

const Words commands = {"run",    "check",  "bench", "steps",  "debug",  "capture", "record",  "prescan",   "obstacles",
                        "theory", "report", "new",   "submit", "doctor", "list",    "explain", "completion"};

// Each option's name, value and description in a help text, in one line of single blanks.
Words optionsIn(const std::string& help)
{
    Words options;
    for (const std::string& line : linesOf(help)) {
        if (std::regex_search(line, std::regex("^ {2,10}-")))
            options.push_back(line);
        else if (line.starts_with("  ") && !options.empty())
            options.back() += line;
    }
    return options;
}

}  // namespace

TEST(Help, NamesCommandsAndExitStatuses)
{
    for (const char* word : {"--help", "-h"}) {
        expectAll(runA2({word}), commands);
        expectAll(runA2({word}), {"--version", "a2 COMMAND --help", "0 all passed", "1 a task failed", "2 wrong usage",
                                  "3 something is missing here", "4 time-out or device lost", "5 internal error"});
    }
}

// They are described in docs/jails.md, and work.
TEST(Help, HasNoneOfTheOptionsThatAreForGraders)
{
    for (const char* command : {"run", "check", "bench", "steps"}) {
        const Finished help = runA2({command, "--help"});
        EXPECT_EQ(help.status, 0) << help;
        for (const char* option : {"--jail", "--device-jail", "--record-only", "--device-of", "--recordings"})
            EXPECT_FALSE(contains(help.out, option)) << help;
    }
}

TEST(Help, IsACommandAsWell)
{
    EXPECT_EQ(runA2({"help"}).out, runA2({"--help"}).out);
    EXPECT_EQ(runA2({"help", "check"}).out, runA2({"check", "--help"}).out);
    expectError(runA2({"help", "nonsense"}), 2, "a2 help takes one command: run, ");
}

TEST(Help, OfRunNamesEveryOption)
{
    const Finished help = runA2({"run", "--help"});
    expectAll(help, taskOptions);
    expectAll(help, {"--all", "--course", "--strict", "-r,--repeat", "--max-time", "--timer", "gpu", "host",
                     "mod97, ones, iota, random, onehot:K", "file:PATH", "128Mi", "2^20", "1000000", "auto", "off",
                     "required"});
    expectAll(help, {"--printf", "--group", "--invocation", "--limit"});
}

TEST(Help, OfCheckNamesEveryOption)
{
    const Finished help = runA2({"check", "--help"});
    expectAll(help, taskOptions);
    expectAll(help, {"--all", "--course", "--strict", "--up-to"});
    EXPECT_FALSE(contains(help.out, "--repeat")) << "check times nothing\n" << help;
}

TEST(Help, OfBenchNamesEveryOption)
{
    const Finished help = runA2({"bench", "--help"});
    expectAll(help, taskOptions);
    expectAll(help, {"--all", "--course", "-r,--repeat", "--max-time", "--timer", "--sweep", "size", "workgroup",
                     "--up-to", "--batch", "--in-flight"});
}

TEST(Help, OfStepsAndCaptureNamesEveryOption)
{
    const Finished steps = runA2({"steps", "--help"});
    expectAll(steps, taskOptions);
    expectAll(steps, {"--course", "--dump", "--timer", "--printf", "--group", "--invocation", "--limit"});
    expectAll(runA2({"debug", "--help"}),
              {"--course", "-p,--pattern", "--run", "-x,--commands", "--json", "--dap", "--schedule"});
    const Finished capture = runA2({"capture", "--help"});
    expectAll(capture, taskOptions);
    expectAll(capture, {"-o,--output"});
}

TEST(Help, OfPrescanNamesEveryOption)
{
    expectAll(runA2({"prescan", "--help"}),
              {"FILE", "-n,--size", "--type", "--exclusive", "--inclusive", "--max-rand", "not including", "-s,--seed",
               "-w,--workgroup", "--elements", "-r,--repeat", "--max-time", "--timer", "--timeout", "--shader-dir",
               "-d,--device", "--validation", "--quiet"});
}

TEST(Help, OfObstaclesNamesEveryOption)
{
    expectAll(runA2({"obstacles", "--help"}), {"FILE", "-n,--size", "-s,--seed", "--max-distance", "-w,--workgroup",
                                               "-r,--repeat", "--max-time", "--timer", "--timeout", "--shader-dir",
                                               "-d,--device", "--validation", "--verbose", "--quiet", "--no-color"});
}

TEST(Help, OfReportNamesEveryOption)
{
    expectAll(runA2({"report", "--help"}), {"TASK", "--all", "--from", "-n,--size", "-s,--seed", "--shader-dir",
                                            "-r,--repeat", "-d,--device", "-o,--output", "--wall", "--quiet"});
}

TEST(Help, OfDoctorNamesTheDeviceOption) { expectAll(runA2({"doctor", "--help"}), {"-d,--device", "--validation"}); }

TEST(Help, FitsATerminal)
{
    for (const std::string& line : linesOf(runA2({"--help"}).out)) EXPECT_LE(line.size(), 80U) << line;
    for (const std::string& command : commands)
        for (const std::string& line : linesOf(runA2({command, "--help"}).out))
            EXPECT_LE(line.size(), 80U) << command << ": " << line;
}

TEST(Help, NamesTheDefaultOfEveryOptionThatHasAValue)
{
    std::size_t values = 0;
    for (const std::string& command : commands)
        for (const std::string& option : optionsIn(runA2({command, "--help"}).out)) {
            // "  -r,--repeat N               timed ...", "  --json FILE ...", or without a value "  --all      also
            // ..."
            if (!std::regex_search(option, std::regex("^ +(-\\w, *)?--[a-z-]+ [^ ]"))) continue;
            ++values;
            EXPECT_TRUE(contains(std::regex_replace(option, std::regex(" +"), " "), "; default: "))
                << command << ": " << option;
        }
    EXPECT_GT(values, 50U) << "no options were seen";
    expectAll(runA2({"run", "--help"}), {"timed repetitions; default: 10", "one submit may take; default: 60"});
}

TEST(Help, HasItsGroupsInOneOrder)
{
    const Words order = {
        "Arguments:", "What is run:", "How it is timed:", "What it runs on:", "What is shown and written:",
        "About a2:"};
    for (const std::string& command : commands) {
        std::size_t next = 0;
        for (const std::string& line : linesOf(runA2({command, "--help"}).out)) {
            if (!line.ends_with(':') || line.starts_with(' ')) continue;
            const auto place = std::find(order.begin() + std::ptrdiff_t(next), order.end(), line);
            ASSERT_NE(place, order.end()) << command << ": " << line;
            next = std::size_t(place - order.begin()) + 1;
        }
        EXPECT_EQ(next, order.size()) << command << " has no --help at its end";
    }
}

TEST(Help, NamesOneTaskOrMany)
{
    for (const char* command : {"run", "check", "bench"})
        expectAll(runA2({command, "--help"}), {std::string("Usage: a2 ") + command + " [OPTIONS] [TASK...]\n"});
    for (const char* command : {"steps", "capture", "record", "theory"})
        expectAll(runA2({command, "--help"}), {std::string("Usage: a2 ") + command + " [OPTIONS] TASK\n"});
}

TEST(Explain, ShowsARule)
{
    expectAll(runA2({"explain", "weak-barrier"}), {"weak-barrier\n", "Wrong, for example:\n", "Mend it: "});
    EXPECT_EQ(runA2({"list", "--rules"}).status, 0);
    for (const Words& words : {Words{"explain"}, Words{"explain", "weak-barier"}, Words{"explain", "a", "b"}}) {
        const Finished wrong = runA2(words);
        EXPECT_EQ(wrong.status, 2) << wrong;
        EXPECT_EQ(linesOf(wrong.err).size(), 1U) << wrong;
    }
}

TEST(Help, VersionIsOneLine)
{
    const Finished version = runA2({"--version"});
    expectAll(version, {"a2 ", " (reports 2, recordings 2)"});
    EXPECT_EQ(linesOf(version.out).size(), 1U) << version;
}

// The first line is the same for both, so that a program may use either.
TEST(Help, VersionSaysWhatA2WasBuiltFromAndWith)
{
    const Finished version = runA2({"version"});
    EXPECT_EQ(version.status, 0) << version;
    EXPECT_TRUE(version.out.starts_with(runA2({"--version"}).out)) << version;
    expectAll(version, {"built from   ", "compiler     ", "kernels      ", "headers      Vulkan 1.",
                        "libraries    fmt ", "host code    ", "licences     "});
    const std::string licences = linesOf(version.out).back().substr(13);
    EXPECT_TRUE(std::filesystem::is_regular_file(licences)) << licences;
    expectError(runA2({"version", "more"}), 2, "unknown task or command 'version'");
}

TEST(List, NamesEveryTaskItsLabelAndItsFiles)
{
    const Finished list = runA2({"list"});
    expectAll(list, {"reduce/interleaved ", "reduce/sequential ", "reduce/decomposition ", "reduce/unroll ",
                     "reduce/atomic ", "scan/naive ", "scan/local ", "scan/work-efficient ", "scan/offset "});
    for (const std::string& line : linesOf(list.out)) {
        const bool beyond = line.starts_with("reduce/subgroup ") || line.starts_with("scan/lookback ") ||
                            line.starts_with("scan/persistent ") || contains(line, " [Lab] ");
        EXPECT_EQ(line.ends_with(" with --all"), beyond) << line;
    }
    EXPECT_GT(allRows().size(), courseRows().size()) << list;
    expectAll(list, {"[Task1] KernelDecomposition Unroll", "[Task2] KernelDecomposition Local",
                     "shaders/A2Task1Interleaved.comp", "src/A2Task2Solution/Naive.cpp", "points"});
}

TEST(List, IsWrittenAsJsonThatNamesTheSame)
{
    const Folder folder;
    const Finished shown = runA2({"list", "--json", "-"}), written = runA2({"list", "--json", folder / "list.json"});
    EXPECT_EQ(shown.status, 0) << shown;
    EXPECT_EQ(written.status, 0) << written;
    EXPECT_EQ(written.out, "");
    EXPECT_EQ(textOf(folder / "list.json"), shown.out);
    EXPECT_EQ(inspect({"validate", A2_LIST_SCHEMA, folder / "list.json"}).status, 0);
    const Finished strict = inspect({"strict", A2_LIST_SCHEMA, folder / "list.json"});
    EXPECT_EQ(strict.status, 0) << strict;
    for (const std::string& id : allRows()) EXPECT_TRUE(contains(shown.out, "\"id\": \"" + id + "\",")) << id;
    expectAll(shown, {"\"label\": \"[Task2] Naive\"", "\"points\": 5", "\"default\": false",
                      "\"shaders/A2Task2KernelDecompositionOffset.comp\"", "\"src/A2Task2Solution/Offset.cpp\""});
    expectError(runA2({"list", "--json", ""}), 2, "the value is empty");
}

TEST(List, NeedsNoDriver)
{
    const Finished list = runA2({"list"}, {{"VK_DRIVER_FILES", "/nonexistent"}, {"VK_ICD_FILENAMES", "/nonexistent"}});
    EXPECT_EQ(list.status, 0) << list;
}

TEST(Doctor, TellsWhatTheMachineHas)
{
    expectAll(runA2({"doctor"}),
              {"loader", "device", "driver", "work-group", "a2 uses", "validation", "glslang", "RenderDoc"});
}

TEST(Doctor, FindsAMissingDriverAndAdvises)
{
    const Finished doctor =
        runA2({"doctor"}, {{"VK_DRIVER_FILES", "/nonexistent"}, {"VK_ICD_FILENAMES", "/nonexistent"}});
    EXPECT_EQ(doctor.status, 3) << doctor;
    EXPECT_TRUE(contains(doctor.out, "-> ")) << "no advice\n" << doctor;
    EXPECT_TRUE(contains(doctor.out, "install")) << doctor;
}

TEST(Doctor, FindsAMissingLoaderAndAdvises)
{
    const Folder folder;
    const Finished doctor = runA2({"doctor"}, withoutLibrary("libvulkan", folder));
    EXPECT_EQ(doctor.status, 3) << doctor;
    EXPECT_TRUE(contains(doctor.out, "no Vulkan loader")) << doctor;
}

}  // namespace contract
