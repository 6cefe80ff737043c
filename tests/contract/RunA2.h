// Starts a2 as a user's shell would, and keeps its result.
#pragma once

#include <filesystem>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace contract {

using Words = std::vector<std::string>;
using Environment = std::vector<std::pair<std::string, std::string>>;

// A fresh, empty folder that is removed with the object.
class Folder {
public:
    Folder();
    ~Folder();
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    // The path of `name` in this folder; it need not exist.
    std::string operator/(const std::string& name) const { return (path_ / name).string(); }
    std::string path() const { return path_.string(); }
    // Writes a file and returns its path.
    std::string file(const std::string& name, const std::string& text) const;
    // The sorted names of all its entries.
    Words names() const;

private:
    std::filesystem::path path_;
};

// The environment in which a2 finds no library with this text in its name ("libvulkan"). A library is preloaded from
// this folder, because LD_PRELOAD cannot name a path with spaces, and the build folder's path may have some.
Environment withoutLibrary(const std::string& name, const Folder& folder);

struct Finished {
    int status = 0;  // exit status; or 128 + the number of the signal that ended the program, as in a shell
    std::string out, err;
};
std::ostream& operator<<(std::ostream& stream, const Finished& finished);

// stdoutTo: a file for stdout; `out` is then empty.
Finished runProgram(const std::string& program, const Words& arguments, const Environment& environment = {},
                    const std::string& stdoutTo = "");
Finished runA2(const Words& arguments, const Environment& environment = {});
// Runs tests/contract/reports.py, which reads a report in Python.
Finished inspect(const Words& arguments);
// Runs tools/inspect_capture.py.
Finished inspectCapture(const Words& arguments, const Environment& environment = {});

// From `a2 list`: the ids of the default set, those of --all that begin with this text, and an id in the form of a
// test's name.
Words courseRows();
Words allRows(const std::string& begin = "");
std::string testName(std::string id);

std::string textOf(const std::string& path);
Words linesOf(const std::string& text);
bool contains(const std::string& text, const std::string& part);

// Expects `status`, and as the last line on stderr one that starts with "a2: error: " and contains `part`; only notes
// may come before it.
void expectError(const Finished& finished, int status, const std::string& part);

}  // namespace contract
