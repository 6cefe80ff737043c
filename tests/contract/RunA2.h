// Starts a2 as a user's shell would, and keeps what came of it.
#pragma once

#include <filesystem>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace contract {

using Words = std::vector<std::string>;
using Environment = std::vector<std::pair<std::string, std::string>>;

// A fresh, empty folder that goes away with the object.
class Folder {
public:
    Folder();
    ~Folder();
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    // Where `name` in this folder is or would be.
    std::string operator/(const std::string& name) const { return (path_ / name).string(); }
    std::string path() const { return path_.string(); }
    // Writes a file and returns where it is.
    std::string file(const std::string& name, const std::string& text) const;
    // Sorted names of everything in it.
    Words names() const;

private:
    std::filesystem::path path_;
};

// The environment in which a2 finds no library with this in its name ("libvulkan"): one preloaded from this folder,
// because LD_PRELOAD cannot name a path with spaces, and the build folder's may have some.
Environment withoutLibrary(const std::string& name, const Folder& folder);

struct Finished {
    int status = 0;  // exit status; 128 + signal number where one ended the program, as the shell has it
    std::string out, err;
};
std::ostream& operator<<(std::ostream& stream, const Finished& finished);

// stdoutTo: a file that gets stdout instead; `out` is then empty.
Finished runProgram(const std::string& program, const Words& arguments, const Environment& environment = {},
                    const std::string& stdoutTo = "");
Finished runA2(const Words& arguments, const Environment& environment = {});
// tests/contract/reports.py, Python's view on a report.
Finished inspect(const Words& arguments);
// tools/inspect_capture.py.
Finished inspectCapture(const Words& arguments, const Environment& environment = {});

// As `a2 list` has them: the ids of the default set, those of --all that begin with this, and an id as a part of a
// test's name.
Words courseRows();
Words allRows(const std::string& begin = "");
std::string testName(std::string id);

std::string textOf(const std::string& path);
Words linesOf(const std::string& text);
bool contains(const std::string& text, const std::string& part);

// Expects `status`, one line on stderr that starts with "a2: error: " and mentions `part`, and only
// notes before it.
void expectError(const Finished& finished, int status, const std::string& part);

}  // namespace contract
