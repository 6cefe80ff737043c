// The program's one entry and its one place where exceptions end.

#include "cli/Program.h"

int main(int argc, char** argv)
{
    if (argc == 0) return a2::runProgram("a2", {});
    return a2::runProgram(argv[0], {argv + 1, argv + argc});
}
