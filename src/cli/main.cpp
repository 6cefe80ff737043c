// The entry of the program, and the only place that catches all exceptions.

#include "cli/Program.h"

int main(int argc, char** argv)
{
    if (argc == 0) return a2::runProgram("a2", {});
    return a2::runProgram(argv[0], {argv + 1, argv + argc});
}
