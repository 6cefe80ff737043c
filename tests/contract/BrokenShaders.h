// A copy of shaders/ with one fault in it.
#pragma once

#include "RunA2.h"

namespace contract {

class BrokenShaders {
public:
    // Replaces the first `right` in the file by `wrong`. Throws if the file holds no `right`.
    BrokenShaders(const std::string& file, const std::string& right, const std::string& wrong);

    std::string path() const { return folder_.path(); }
    // Line number of the fault in its file, from 1.
    long line() const { return line_; }

private:
    Folder folder_;
    long line_ = 0;
};

// The words of the `a2 ...` command that a failed task prints last, without "a2"; empty if it prints none.
Words printedCommand(const std::string& out);

}  // namespace contract
