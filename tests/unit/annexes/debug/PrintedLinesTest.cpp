// What kernels print between two stops of a2 debug.

#include "annexes/debug/PrintedLines.h"

#include <gtest/gtest.h>

namespace a2::debug {

namespace {

EmulatorSettings::Printed printed(const std::string& text, bool wrong = false)
{
    EmulatorSettings::Printed one;
    one.actor.group = 2;
    one.actor.invocation = 5;
    one.text = text;
    one.wrong = wrong;
    return one;
}

}  // namespace

TEST(PrintedLines, SayWhoPrintsAndWhatCannotBePrinted)
{
    std::string shown;
    PrintedLines lines(10, [&](const std::string& line) { shown += line; });
    lines.add(printed("sum 3\n"), 1);
    lines.add(printed("%q\x1b", true), 0);
    lines.end();
    EXPECT_EQ(shown,
              "dispatch 1, work-group 2, invocation 5 prints: sum 3\n"
              "dispatch 0, work-group 2, invocation 5 cannot print this: %q \n");
}

TEST(PrintedLines, AreCountedAnewAtEachStop)
{
    std::string shown;
    PrintedLines lines(1, [&](const std::string& line) { shown += line.substr(line.find_last_of(":") + 1); });
    for (int stop = 0; stop < 2; ++stop) {
        for (int i = 0; i < 3; ++i) lines.add(printed("a"), 0);
        lines.end();
    }
    lines.end();
    EXPECT_EQ(shown, " a\n2 more lines were printed on the way\n a\n2 more lines were printed on the way\n");
}

}  // namespace a2::debug
