#include "worker/StudentCompiler.h"

#include "a2/Error.h"
#include "base/BuildFacts.h"
#include "files/CacheFolder.h"
#include "files/OutputFile.h"
#include "files/Project.h"
#include "files/SourceFile.h"
#include "files/Utf8Path.h"
#include "files/WrittenFile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cctype>
#include <chrono>
#include <cstdlib>
#include <iterator>
#include <sstream>

namespace a2 {

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

}  // namespace

const std::optional<StudentCompiler>& StudentCompiler::here()
{
    static const std::optional<StudentCompiler> found = []() -> std::optional<StudentCompiler> {
        const char* const wish = std::getenv("CXX");
        for (const std::string& name : {std::string(wish ? wish : ""), std::string("g++"), std::string("clang++")}) {
            ProcessLimits limits;
            limits.time = std::chrono::seconds(10);
            const ProcessResult result = name.empty() ? ProcessResult() : runProcess(name, {"--version"}, limits);
            if (result.succeeded()) return StudentCompiler{name, result.output.substr(0, result.output.find('\n'))};
        }
        return std::nullopt;
    }();
    return found;
}

std::string StudentCompiler::unusable()
{
    const char* const wish = std::getenv("CXX");
    if (!wish || !*wish || !here() || here()->program == wish) return {};
    return fmt::format("CXX='{}' is no program that answers to --version: {} is used", wish, here()->program);
}

ProcessLimits StudentCompiler::limits()
{
    ProcessLimits limits;
    limits.time = std::chrono::minutes(2);
    limits.memoryBytes = std::uint64_t{6} << 30;
    limits.fileBytes = std::uint64_t{64} << 20;  // a line of assembler fills a disk
    return limits;
}

ProcessResult StudentCompiler::run(Words words) const
{
#ifdef _WIN32
    return runProcess(program, words, limits());
#else
    words.insert(words.begin(), {"LC_ALL=C", program});
    return runProcess("env", words, limits());
#endif
}

Words StudentCompiler::options()
{
    std::istringstream text(textOfFile(installation()->student / "options"));
    Words words(std::istream_iterator<std::string>(text), {});
    words.insert(words.end(), {"-isystem", utf8Of(installation()->shared / "include")});
    return words;
}

Words StudentCompiler::linking()
{
    const fs::path& student = installation()->student;
    const std::string name = "STUDENT/";
    std::istringstream text(textOfFile(student / "linking"));
    Words words(std::istream_iterator<std::string>(text), {});
    for (std::string& word : words)
        if (const std::size_t at = word.find(name); at != std::string::npos)
            word.replace(at, name.size(), utf8Of(student) + '/');
    return words;
}

fs::path StudentCompiler::readAhead() const
{
    const fs::path header = installation()->shared / "include/a2/Solution.h";
    std::error_code failed;
    std::string inputs = version + '\n' + fmt::format("{}", fmt::join(options(), "\n")) + '\n';
    const auto of = fs::last_write_time(header, failed);
    inputs += fmt::format("{} {}\n", buildFacts.version, of.time_since_epoch().count());
    std::string name = version;
    std::erase_if(name, [](unsigned char one) { return std::isalnum(one) == 0 && one != '.'; });
    const fs::path folder = cacheFolder() / pathOf(name);
    const bool isClang = version.find("clang") != std::string::npos;
    const fs::path own = folder / "Solution.h", made = folder / (isClang ? "Solution.h.pch" : "Solution.h.gch");
    const fs::path kept = folder / "inputs", begun = folder / "begun";
    if (cacheFolder().empty() || failed) return {};
    if (textOfFile(kept) == inputs && fs::is_regular_file(made, failed)) return own;
    if (!fs::create_directories(folder, failed) && failed) return {};
    const auto last = fs::last_write_time(begun, failed);
    if (!failed && fs::file_time_type::clock::now() - last < limits().time) return {};
    try {
        OutputFile(utf8Of(begun)).commit(std::string());
        OutputFile(utf8Of(own), OutputFile::Over::anything).commit(fmt::format("#include \"{}\"\n", utf8Of(header)));
        const fs::path fresh = unforeseenName(folder), freshInputs = unforeseenName(folder);
        OutputFile(utf8Of(freshInputs)).commit(inputs);
        // Whatever happens to this command, the compiler never finds a half-written file.
        Words words = {
            "-c",
            "fresh=$1 made=$2 inputs=$3 kept=$4; shift 4; rm -f \"$kept\"; nice \"$@\" -o \"$fresh\" && mv -f "
            "\"$fresh\" \"$made\" && mv -f \"$inputs\" \"$kept\"; rm -f \"$fresh\" \"$inputs\"",
            "a2",
            utf8Of(fresh),
            utf8Of(made),
            utf8Of(freshInputs),
            utf8Of(kept),
            program};
        for (std::string& word : options()) words.push_back(std::move(word));
        words.insert(words.end(), {"-x", "c++-header", utf8Of(own)});
        startAlone("sh", words);
    } catch (const Error&) {  // no space to write
    }
    return {};
}

}  // namespace a2
