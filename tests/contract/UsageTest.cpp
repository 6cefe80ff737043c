// Exit status 2: the command line asks for something that does not exist. One line says so, and nothing is written or
// run.

#include "RunA2.h"

#include <gtest/gtest.h>

namespace contract {

namespace {

// Runs a2 with a report file that already exists; the error must not change that file and its folder.
void expectUsageError(Words words, const std::string& part, const Environment& environment = {})
{
    const Folder folder;
    const std::string report = folder.file("old.json", "before");
    const bool hasCommand = !words.empty() && (words[0] == "run" || words[0] == "check" || words[0] == "bench");
    words.insert(words.begin() + (hasCommand ? 1 : 0), {"--json", report});
    const Finished finished = runA2(words, environment);

    std::string line;
    for (const std::string& word : words) line += " " + word;
    SCOPED_TRACE("a2" + line);
    expectError(finished, 2, part);
    EXPECT_EQ(finished.out, "");
    EXPECT_EQ(folder.names(), Words{"old.json"});
    EXPECT_EQ(textOf(report), "before");
}

}  // namespace

TEST(Usage, ASizeMustBeAWholeNumberOrAPowerOrHaveABinaryUnit)
{
    for (const char* size :
         {"-1", "1e6", "5x", "128M", " 5", "5 ", "+5", "0x10", "2^", "2^x", "2^-1", "Ki", "1.5Mi", "nan"})
        expectUsageError({"reduce/atomic", "-n", size}, "not a number of elements");
    expectUsageError({"reduce/atomic", "-n", ""}, "--size: the value is empty");
}

TEST(Usage, ASizeBeyondSixtyFourBitsIsRefused)
{
    for (const char* size : {"2^64", "2^999", "99999999999999999999", "18446744073709551616", "17179869184Gi"})
        expectUsageError({"reduce/atomic", "-n", size}, "2^64");
    expectUsageError({"check", "--up-to", "2^64"}, "--up-to");
}

TEST(Usage, AnUnknownTaskIsNamedAndTheListPointedAt)
{
    expectUsageError({"reduce/nothing", "-n", "64"}, "unknown task or command 'reduce/nothing': `a2 list`");
    expectUsageError({"run", "reduce/atomic", "merge/*", "-n", "64"}, "'merge/*'");
    expectUsageError({"reduce/atomik", "-n", "64"}, "'reduce/atomik': did you mean reduce/atomic? `a2 list`");
    expectUsageError({"sequentail", "-n", "64"}, "did you mean reduce/sequential?");
    expectUsageError({"runn", "-n", "64"}, "'runn'");
    expectUsageError({"check", "reduce"}, "'reduce'");
}

TEST(Usage, OfAMistypedTaskOrCommandTheNearestIsNamed)
{
    const auto expectNear = [](const Words& words, const std::string& near) {
        expectError(runA2(words), 2, near.empty() ? "': `a2 list`" : "did you mean " + near + "? `a2 list`");
    };
    expectNear({"stpes"}, "steps");
    expectNear({"stpes", "reduce/atomic", "--phases"}, "steps");  // `a2 run` does not have it
    expectNear({"chekc"}, "check");
    expectNear({"reduce/atomc"}, "reduce/atomic");
    expectNear({"run", "reduce/atomc"}, "reduce/atomic");
    expectNear({"steps", "scan/naiv"}, "scan/naive");
    expectNear({"atomic"}, "reduce/atomic");
    for (const char* far : {"r", "xyzzy", "reduce/nothing", "merge/*", "one-more-command"}) expectNear({far}, "");
}

TEST(Usage, AnUnknownPatternIsNamedAndAllAreListed)
{
    for (const char* pattern : {"mod98", "Ones", "onehot", "file"})
        expectUsageError({"reduce/atomic", "-n", "64", "-p", pattern},
                         "choose mod97, ones, iota, random, onehot:K, max, shuffled, edges or file:PATH");
    for (const char* pattern : {"onehot:", "onehot:-1", "onehot:x", "onehot:1x"})
        expectUsageError({"reduce/atomic", "-n", "64", "-p", pattern}, "onehot:K");
}

TEST(Usage, AnUnknownDeviceIsNamedAndAllAreListed)
{
    expectUsageError({"reduce/atomic", "-n", "64", "-d", "no such device"}, "'no such device' (devices: 0: ");
    expectUsageError({"reduce/atomic", "-n", "64", "-d", "4711"}, "'4711'");
    expectUsageError({"reduce/atomic", "-n", "64"}, "'from the environment'", {{"A2_DEVICE", "from the environment"}});
    const Finished doctor = runA2({"doctor", "-d", "no such device"});
    EXPECT_EQ(doctor.status, 2) << doctor;
}

TEST(Usage, AnUnknownOptionPointsAtTheHelp)
{
    expectUsageError({"reduce/atomic", "--frobnicate"}, "--frobnicate; `a2 run --help`");
    expectUsageError({"check", "--repeat", "3"}, "`a2 check --help`");
    expectUsageError({"reduce/atomic", "-n"}, "--size");
    expectError(runA2({"list", "--quiet"}), 2, "`a2 list --help`");
}

TEST(Usage, AnUnknownChoiceListsAll)
{
    expectUsageError({"reduce/atomic", "-n", "64", "--validation", "maybe"}, "{off,on,gpu,required}");
    expectUsageError({"reduce/atomic", "-n", "64", "--timer", "sundial"}, "{gpu,host}");
}

TEST(Usage, NumbersOutOfRangeNameTheRange)
{
    for (const char* text : {"0", "-1", "x", "4294967296"})
        expectUsageError({"reduce/atomic", "-n", "64", "-w", text}, "from 1 to 4294967295");
    for (const char* text : {"0", "65", "x"})
        expectUsageError({"reduce/atomic", "-n", "64", "--elements", text}, "from 2 to 64");
    expectUsageError({"reduce/atomic", "-n", "64", "--elements", "3"}, "even");
    for (const char* text : {"0", "1.5"}) expectUsageError({"reduce/atomic", "-n", "64", "-r", text}, "--repeat");
    for (const char* text : {"-1", "x"}) expectUsageError({"reduce/atomic", "-n", "64", "-s", text}, "--seed");
    for (const char* text : {"0", "-1", "x", "", "nan", "inf", "1e9"})
        expectUsageError({"reduce/atomic", "-n", "64", "--timeout", text}, "--timeout");
    for (const char* text : {"0", "-1", "x"})
        expectUsageError({"reduce/atomic", "-n", "64", "--max-time", text}, "--max-time");
}

TEST(Usage, OfBenchIsChecked)
{
    for (const char* sweep : {"foo", "size,foo", "sizes"})
        expectUsageError({"bench", "reduce/atomic", "--sweep", sweep}, "{size,workgroup}");
    for (const char* batch : {"0", "-1", "x", "65537"})
        expectUsageError({"bench", "reduce/atomic", "--batch", batch}, "--batch '");
    for (const char* inFlight : {"0", "-1", "x", "65"})
        expectUsageError({"bench", "reduce/atomic", "--batch", "99", "--in-flight", inFlight}, "--in-flight '");
    expectUsageError({"bench", "reduce/atomic", "--in-flight", "4"}, "add --batch N");
    expectUsageError({"run", "reduce/atomic", "--in-flight", "4"}, "`a2 run --help`");
    expectUsageError({"bench", "--sweep", "size", "-n", "64"}, "--size with --sweep size");
    expectUsageError({"bench", "--sweep", "workgroup", "-w", "64"}, "--workgroup with --sweep workgroup");
    expectUsageError({"bench", "--up-to", "64"}, "add --sweep size");
    expectUsageError({"bench", "--sweep", "size", "--up-to", "0"}, "--up-to 0");
    expectUsageError({"bench", "--sweep"}, "--sweep");
    expectUsageError({"bench", "--max-time", "0"}, "--max-time");
    expectUsageError({"run", "reduce/atomic", "--batch", "2"}, "`a2 run --help`");
}

// A script passes an empty text if its variable is not set; silently ignoring the option would hide that.
TEST(Usage, AnEmptyValueIsRefused)
{
    for (const char* option : {"-w", "--elements", "-p", "--max-time", "--csv", "--junit", "--shader-dir"})
        expectUsageError({"reduce/atomic", "-n", "64", option, ""}, "");
    expectUsageError({"check", "reduce/atomic", "-n", "64", "--up-to", ""}, "");
}

TEST(Usage, AnInputFileMustHoldWholeNumbers)
{
    const Folder folder;
    const auto refused = [&](const std::string& text, const std::string& part) {
        expectUsageError({"reduce/atomic", "-p", "file:" + folder.file("numbers.txt", text)}, part);
    };
    refused("1 2 three", "numbers.txt, line 1, column 5: 'three' is not a whole number");
    refused("1\n2 -3\n", "line 2, column 3");
    refused("4294967296", "from 0 to 4294967295");
    refused("1,2,3", "column 1");
    refused(" \n\t\n", "holds no numbers");
    refused(std::string("1\0 2", 4), "column 1");
}

TEST(Usage, AnEmptyInputFileHoldsNoNumbers)
{
    const Folder folder;
    expectUsageError({"reduce/atomic", "-p", "file:" + folder.file("empty.txt", "")}, "holds no numbers");
}

TEST(Usage, AnInputFileThatCannotBeReadIsNamed)
{
    const Folder folder;
    expectUsageError({"reduce/atomic", "-p", "file:" + (folder / "missing.txt")}, "missing.txt");
    expectUsageError({"reduce/atomic", "-p", "file:" + folder.path()}, folder.path());
    expectUsageError({"reduce/atomic", "-p", "file:"}, "file:");
}

TEST(Usage, MoreElementsThanTheInputFileHoldsAreRefused)
{
    const Folder folder;
    expectUsageError({"reduce/atomic", "-p", "file:" + folder.file("three.txt", "1 2 3"), "-n", "4"}, "only 3 numbers");
}

}  // namespace contract
