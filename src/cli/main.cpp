// The program's one entry and its one place where exceptions end.

#include "cli/Commands.h"

int main(int argc, char** argv) { return a2::runProgram({argv + 1, argv + argc}); }
