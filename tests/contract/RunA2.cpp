#include "RunA2.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace contract {

namespace fs = std::filesystem;

namespace {

std::string quoted(const std::string& word)
{
    std::string text = "'";
    for (const char c : word) {
        if (c == '\'') text += "'\\'";  // end the quotes, one escaped quote; below, begin them again
        text += c;
    }
    text += '\'';
    return text;
}

}  // namespace

Folder::Folder()
{
    std::string name = (fs::temp_directory_path() / "a2-contract-XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("no temporary folder could be made: " + name);
    path_ = name;
}

Folder::~Folder()
{
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

std::string Folder::file(const std::string& name, const std::string& text) const
{
    std::ofstream(path_ / name, std::ios::binary) << text;
    return *this / name;
}

Words Folder::names() const
{
    Words names;
    for (const auto& entry : fs::directory_iterator(path_)) names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
}

std::ostream& operator<<(std::ostream& stream, const Finished& finished)
{
    return stream << "exit status " << finished.status << "\nstdout:\n" << finished.out << "stderr:\n" << finished.err;
}

Finished runProgram(const std::string& program, const Words& arguments, const Environment& environment,
                    const std::string& stdoutTo)
{
    const Folder folder;
    std::string command;
    for (const auto& [name, value] : environment) command.append(name).append("=").append(quoted(value)).append(" ");
    command += quoted(program);
    for (const std::string& argument : arguments) command.append(" ").append(quoted(argument));
    command.append(" </dev/null >").append(quoted(stdoutTo.empty() ? folder / "out" : stdoutTo));
    command.append(" 2>").append(quoted(folder / "err"));
    const int ended = std::system(command.c_str());
    const int status = WIFEXITED(ended) ? WEXITSTATUS(ended) : 128 + WTERMSIG(ended);
    return {status, stdoutTo.empty() ? textOf(folder / "out") : "", textOf(folder / "err")};
}

Finished runA2(const Words& arguments, const Environment& environment)
{
    return runProgram(A2_PROGRAM, arguments, environment);
}

Finished inspect(const Words& arguments)
{
    Words words = {A2_REPORTS};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return runProgram(A2_PYTHON, words);
}

Finished inspectCapture(const Words& arguments, const Environment& environment)
{
    Words words = {A2_INSPECT};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return runProgram(A2_PYTHON, words, environment);
}

namespace {

// Ids in the order of `a2 list`: a row's first line begins with its id, and its files are indented.
Words listedRows(bool beyondTheDefaultSet)
{
    Words ids;
    for (const std::string& line : linesOf(runA2({"list"}).out)) {
        const std::string id = line.substr(0, line.find(' '));
        if (contains(id, "/") && (beyondTheDefaultSet || !line.ends_with(" with --all"))) ids.push_back(id);
    }
    return ids;
}

}  // namespace

Words courseRows() { return listedRows(false); }

Words allRows(const std::string& begin)
{
    Words rows = listedRows(true);
    std::erase_if(rows, [&](const std::string& id) { return !id.starts_with(begin); });
    return rows;
}

std::string testName(std::string id)
{
    std::replace_if(
        id.begin(), id.end(), [](char c) { return c == '/' || c == '-'; }, '_');
    return id;
}

std::string textOf(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

Words linesOf(const std::string& text)
{
    Words lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

void expectError(const Finished& finished, int status, const std::string& part)
{
    EXPECT_EQ(finished.status, status) << finished;
    const Words lines = linesOf(finished.err);
    ASSERT_FALSE(lines.empty()) << "nothing on stderr\n" << finished;
    const std::string start = "a2: error: ";
    EXPECT_EQ(
        std::count_if(lines.begin(), lines.end(), [&](const std::string& line) { return line.starts_with(start); }), 1)
        << finished;
    EXPECT_TRUE(lines.back().starts_with(start)) << "the error is not the last line\n" << finished;
    EXPECT_TRUE(contains(lines.back(), part)) << "no word of '" << part << "'\n" << finished;
    EXPECT_FALSE(contains(lines.back(), "a fault of a2")) << finished;
    for (const std::string& line : lines) EXPECT_TRUE(line.starts_with("a2: ")) << line;
}

Environment withoutLibrary(const std::string& name, const Folder& folder)
{
    const std::string library = folder / "hide-library.so";
    std::filesystem::copy_file(A2_HIDE_LIBRARY, library);
    return {{"LD_PRELOAD", library}, {"A2_TEST_HIDDEN", name}};
}

}  // namespace contract
