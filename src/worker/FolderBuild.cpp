#include "worker/FolderBuild.h"

#include "a2/Error.h"
#include "base/BuildFacts.h"
#include "files/CacheFolder.h"
#include "files/FileLock.h"
#include "files/OutputFile.h"
#include "files/Project.h"
#include "files/SourceFile.h"
#include "files/Utf8Path.h"
#include "files/WrittenFile.h"
#include "worker/StudentCompiler.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <uv.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <regex>
#include <sstream>
#include <thread>
#include <utility>
#include <vector>

#ifndef _WIN32
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace a2 {

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr std::uintmax_t largestSource = std::uintmax_t{16} << 20;  // bytes
constexpr const char* stateName = "build.json";

// The state that the last call left in .a2/. Null where there was none, or where it has been changed by hand.
nlohmann::json stateIn(const fs::path& own)
{
    nlohmann::json state = nlohmann::json::parse(textOfFile(own / stateName), nullptr, false, true);
    const auto isTexts = [](const nlohmann::json& all) {
        return std::all_of(all.begin(), all.end(), [](const nlohmann::json& one) { return one.is_string(); });
    };
    const auto has = [&](const char* part, auto is) {
        return state.contains(part) && (state[part].*is)() && (state[part].is_primitive() || isTexts(state[part]));
    };
    using Json = nlohmann::json;
    const bool whole = state.is_object() && has("objects", &Json::is_array) && has("linked", &Json::is_boolean) &&
                       has("library", &Json::is_string) && has("unlinked", &Json::is_object) &&
                       has("broken", &Json::is_object);
    return whole ? state : nlohmann::json();
}

// Which file this is; empty if there is none that this user's a2 could have made. A copy of it, such as one that was
// handed in with a folder, is another file.
std::string identityOf(const fs::path& file)
{
    std::string text;
    uv_fs_t request;
    if (uv_fs_lstat(nullptr, &request, utf8Of(file).c_str(), nullptr) == 0) {
        const uv_stat_t& one = request.statbuf;
#ifdef _WIN32
        const bool isOwn = true;
#else
        const bool isOwn = one.st_uid == geteuid() && S_ISREG(one.st_mode);
#endif
        if (isOwn)
            text = fmt::format("file {} of {}, {} bytes, {}.{:09}", one.st_ino, one.st_dev, one.st_size,
                               one.st_mtim.tv_sec, one.st_mtim.tv_nsec);
    }
    uv_fs_req_cleanup(&request);
    return text;
}

// The files that a rule of make names after its colon, which a compiler has written: "a.o: a.cpp \\\n my\\ header.h".
Words prerequisitesOf(const std::string& rule)
{
    Words words;
    std::string word;
    const auto end = [&] {
        if (!word.empty()) words.push_back(std::exchange(word, {}));
    };
    // The target may have a drive's colon in it.
    std::size_t at = rule.find(": ");
    if (at == std::string::npos) return words;
    for (at += 2; at < rule.size(); ++at) {
        const char c = rule[at], next = at + 1 < rule.size() ? rule[at + 1] : char{};
        if (c == '\\' && (next == ' ' || next == '#' || next == '\n' || next == '\r')) {
            ++at;
            if (next == ' ' || next == '#') word += next;
        } else if (c == '$' && next == '$') {
            word += c;
            ++at;
        } else if (c == ' ' || c == '\n' || c == '\r') {
            end();
        } else {
            word += c;
        }
    }
    end();
    return words;
}

// One file of src/.
struct Source {
    std::string name;  // "A2Task1Solution/Naive.cpp"
    std::string text;
    fs::path object;             // in the package, or in .a2/
    bool given = false;          // unchanged since it was handed out
    bool compiled = false;       // by this call
    std::string broken, output;  // why it does not compile, and all that the compiler said
};

class Build {
public:
    Build(fs::path folder, const FolderNotes& notes) : folder_(std::move(folder)), own_(folder_ / ".a2"), notes_(notes)
    {
    }

    void run()
    {
        std::vector<Source> sources = sourcesHere();
        const bool allGiven = std::all_of(sources.begin(), sources.end(),
                                          [](const Source& one) { return one.given && one.broken.empty(); });
        if (allGiven && stateIn(own_).is_null()) return;
        makeFolder(own_);
        // `a2 watch` in one terminal and `a2 check` in another notice the same change.
        const FileLock alone(own_ / "lock",
                             [&] { notes_.progress("waiting for another a2, which builds this folder"); });
        const nlohmann::json before = stateIn(own_);
        if (!allGiven) compile(sources);
        for (const Source& one : sources) say(one);
        link(sources, before);
    }

private:
    // What the compiler said. A file that is no C++ has some thousand lines of errors.
    void say(const Source& source) const
    {
        constexpr int most = 200;  // lines
        int lines = 0;
        for (std::size_t at = 0; at < source.output.size();) {
            const std::size_t end = std::min(source.output.find('\n', at), source.output.size());
            if (lines++ == most)
                return notes_.said(source.broken.empty() ? "... and more" : "... and more: " + utf8Of(logOf(source)));
            notes_.said(source.output.substr(at, end - at));
            at = end + 1;
        }
    }

    static void makeFolder(const fs::path& folder)
    {
        std::error_code failed;
        fs::create_directories(folder, failed);
        if (failed)
            throw EnvironmentError(
                fmt::format("{} cannot be made: {}; copy the folder that it is in to where you may write",
                            utf8Of(folder), failed.message()));
    }

    // The headers that are handed out.
    std::string headers(const fs::path& of) const
    {
        std::string all;
        std::error_code none;
        std::vector<fs::path> files;
        for (const fs::path& folder : {of / "shaders/include", of / "src"})
            for (fs::recursive_directory_iterator one(folder, none), end; one != end; one.increment(none))
                if (one->path().extension() == ".h") files.push_back(one->path());
        std::sort(files.begin(), files.end());
        for (const fs::path& one : files) all += utf8Of(one.lexically_relative(of)) + '\n' + textOfFile(one);
        return all;
    }

    std::vector<Source> sourcesHere() const
    {
        const fs::path objects = installation()->student / "objects";
        const bool givenHeaders = headers(folder_) == headers(installation()->shared / "template");
        std::vector<Source> all;
        std::error_code none;
        for (fs::recursive_directory_iterator one(folder_ / "src", none), end; one != end; one.increment(none)) {
            if (one->path().extension() != ".cpp") continue;
            Source source;
            source.name = utf8Of(one->path().lexically_relative(folder_ / "src"));
            std::replace(source.name.begin(), source.name.end(), '\\', '/');
            try {
                source.text = readSourceFile(folder_ / "src", pathOf(source.name), largestSource).value_or("");
            } catch (const KernelError& error) {
                source.broken = fmt::format("cannot be read: {}", error.what());
            }
            const fs::path given = objects / pathOf(source.name);
            source.given = givenHeaders && fs::is_regular_file(given, none) && textOfFile(given) == source.text;
            source.object = (source.given ? objects : own_ / "objects") / pathOf(source.name + ".o");
            all.push_back(std::move(source));
        }
        std::sort(all.begin(), all.end(), [](const Source& a, const Source& b) { return a.name < b.name; });
        return all;
    }

    void compile(std::vector<Source>& sources) const
    {
        const auto& compiler = StudentCompiler::here();
        std::vector<Source*> changed;
        for (Source& one : sources) {
            if (one.given || !one.broken.empty()) {
                std::error_code none;
                fs::remove(logOf(one), none);
                continue;
            }
            // Without a compiler, an object made by any compiler is accepted.
            const std::string before = textOfFile(inputsOf(one)), now = inputsNow(one), which = identityOf(one.object);
            if ((compiler ? before == now + compiler->version + which : before.starts_with(now)) && !which.empty() &&
                before.ends_with(which))
                continue;
            if (!compiler) {
                one.broken = "has changed, and there is no C++ compiler here: install g++ or clang++";
                continue;
            }
            changed.push_back(&one);
        }
        if (changed.empty()) return;
        if (!StudentCompiler::unusable().empty()) notes_.said("a2: note: " + StudentCompiler::unusable());
        const fs::path ready = compiler->readAhead();
        notes_.progress(fmt::format("compiling {}", changed.size() == 1 ? "src/" + changed.front()->name
                                                                        : fmt::format("{} files", changed.size())));
        std::atomic<std::size_t> next = 0;
        std::mutex writing;
        std::vector<std::thread> threads;
        std::string trouble;
        const std::size_t most = std::max(1U, std::thread::hardware_concurrency());
        for (std::size_t i = 0; i < std::min(most, changed.size()); ++i)
            threads.emplace_back([&] {
                for (std::size_t at = next++; at < changed.size(); at = next++) {
                    const auto start = fs::file_time_type::clock::now();
                    const ProcessResult result = compileOne(*compiler, *changed[at], ready);
                    const std::scoped_lock lock(writing);
                    try {
                        finish(*compiler, *changed[at], result, start);
                    } catch (const Error& error) {
                        trouble = error.what();
                    }
                }
            });
        for (std::thread& one : threads) one.join();
        if (!trouble.empty()) throw EnvironmentError(trouble);
    }

    static fs::path inputsOf(const Source& source) { return fs::path(source.object).replace_extension(".inputs"); }
    static fs::path includedOf(const Source& source) { return fs::path(source.object).replace_extension(".included"); }
    static fs::path rulesOf(const Source& source) { return fs::path(source.object).replace_extension(".d"); }

    // All that an object is made of: options, the source, and the files that it included the last time. The compiler's
    // version comes after them.
    std::string inputsNow(const Source& source) const
    {
        std::string all =
            fmt::format("{}\n{}\n{}\n", buildFacts.version, fmt::join(StudentCompiler::options(), "\n"), source.text);
        std::istringstream names(textOfFile(includedOf(source)));
        for (std::string name; std::getline(names, name);)
            all += name + '\n' + textOfFile(folder_ / pathOf(name)) + '\n';
        return all;
    }

    static bool isIn(const fs::path& file, const fs::path& folder)
    {
        const fs::path inside = file.lexically_relative(folder);
        return !folder.empty() && !inside.empty() && *inside.begin() != "..";
    }

    // The compiler's list, one path per line: those in the folder are relative to it, so that it may be moved.
    void keepIncluded(const Source& source) const
    {
        const fs::path own = folder_ / "src" / pathOf(source.name);
        std::string lines;
        for (const std::string& name : prerequisitesOf(textOfFile(rulesOf(source)))) {
            const fs::path file = fs::path(pathOf(name)).lexically_normal();
            // The header that is compiled ahead belongs to a2.
            if (file == own.lexically_normal() || isIn(file, cacheFolder())) continue;
            lines += utf8Of(isIn(file, folder_) ? file.lexically_relative(folder_) : file) + '\n';
        }
        OutputFile(utf8Of(includedOf(source))).commit(lines);
    }

    // Whether an included file was written to since then, so that nobody knows which text was compiled.
    bool changedSince(const Source& source, fs::file_time_type start) const
    {
        const auto now = fs::file_time_type::clock::now();
        std::istringstream names(textOfFile(includedOf(source)));
        for (std::string name; std::getline(names, name);) {
            std::error_code failed;
            const auto written = fs::last_write_time(folder_ / pathOf(name), failed);
            if (failed || (written >= start && written <= now)) return true;
        }
        return false;
    }

    static fs::path freshOf(const Source& source) { return fs::path(source.object).replace_extension(".fresh"); }

    ProcessResult compileOne(const StudentCompiler& compiler, const Source& source, const fs::path& ready) const
    {
        std::error_code none;
        fs::create_directories(source.object.parent_path(), none);
        Words words = StudentCompiler::options();
        words.push_back("-I" + utf8Of(folder_ / "shaders/include"));
        if (!ready.empty()) words.insert(words.end(), {"-include", utf8Of(ready)});
        words.insert(words.end(), {"-c", utf8Of(folder_ / "src" / pathOf(source.name)), "-o", utf8Of(freshOf(source)),
                                   "-MMD", "-MF", utf8Of(rulesOf(source))});
        return compiler.run(words);
    }

    // "A2Task1Solution-Naive.cpp.txt": the compiler's output for a file.
    fs::path logOf(const Source& source) const
    {
        std::string flat = source.name;
        std::replace(flat.begin(), flat.end(), '/', '-');
        return own_ / "errors" / pathOf(flat + ".txt");
    }

    void finish(const StudentCompiler& compiler, Source& source, const ProcessResult& result,
                fs::file_time_type start) const
    {
        std::error_code failed;
        source.output = result.output;
        if (result.succeeded() && !fs::exists(freshOf(source), failed))
            return breakWith(source, "does not compile: the compiler ended well and wrote nothing", result.output);
        if (result.succeeded()) {
            fs::rename(freshOf(source), source.object, failed);
            if (failed)
                throw EnvironmentError(
                    fmt::format("{} cannot be written: {}", utf8Of(source.object), failed.message()));
            keepIncluded(source);
            if (changedSince(source, start))
                fs::remove(inputsOf(source), failed);  // it is compiled again the next time
            else
                OutputFile(utf8Of(inputsOf(source)))
                    .commit(inputsNow(source) + compiler.version + identityOf(source.object));
            fs::remove(logOf(source), failed);
            source.compiled = true;
            return;
        }
        fs::remove(freshOf(source), failed);
        const std::string file = utf8Of(pathOf(source.name).filename());
        const std::string pattern = std::regex_replace(file, std::regex("[.+*?()\\[\\]^$|{}\\\\]"), "\\$&");
        std::smatch found;
        std::string why;
        if (std::regex_search(result.output, found,
                              std::regex(pattern + ":([0-9]+):[0-9]+: (?:fatal )?error: ([^\r\n]*)")))
            why = fmt::format(":{} does not compile: {}", found.str(1), found.str(2));
        else if (std::regex_search(result.output, found, std::regex("error: ([^\r\n]*)")))
            why = fmt::format("does not compile: {}", found.str(1));
        else
            why = fmt::format("does not compile: {}", result.howItEnded(StudentCompiler::limits()));
        breakWith(source, why, result.output);
    }

    void breakWith(Source& source, const std::string& why, const std::string& output) const
    {
        makeFolder(own_ / "errors");
        OutputFile(utf8Of(logOf(source))).commit(output);
        source.broken = fmt::format("{}; all of it: {}", why, utf8Of(logOf(source).lexically_relative(folder_)));
    }

    ProcessResult linked(const std::vector<const Source*>& sources, const fs::path& target) const
    {
        Words words = {"-o", utf8Of(target)};
        for (const Source* one : sources) words.push_back(utf8Of(one->object));
        for (std::string& word : StudentCompiler::linking()) words.push_back(std::move(word));
        return StudentCompiler::here()->run(words);
    }

    // Links the objects that compiled, unless that was done before.
    void link(std::vector<Source>& sources, const nlohmann::json& before) const
    {
        nlohmann::json after = {
            {"objects", nlohmann::json::array()}, {"linked", false}, {"unlinked", nlohmann::json::object()}};
        std::vector<const Source*> good;
        bool changed = false, own = false;
        for (const Source& one : sources) {
            if (!one.broken.empty()) continue;
            good.push_back(&one);
            after["objects"].push_back(one.given ? one.name + " (given)" : one.name);
            changed = changed || one.compiled;
            own = own || !one.given;
        }
        const fs::path library = own_ / buildFacts.solutionsFile;
        const std::string which = identityOf(library);
        const bool isOwn = before.is_object() && (!before["linked"] || (!which.empty() && before["library"] == which));
        const bool asBefore = !changed && isOwn && before["objects"] == after["objects"] && before["linked"];
        // Without a compiler the old library is kept: it has the unchanged files, and the changed ones are not used.
        const bool mustDo = !StudentCompiler::here() && isOwn;
        if (asBefore || mustDo) {
            for (const char* part : {"objects", "linked", "unlinked"}) after[part] = before[part];
        } else if (StudentCompiler::here() && (own || good.size() < sources.size())) {
            after["linked"] = linkAnew(sources, good, library, after["unlinked"]);
        }
        nlohmann::json broken = after["unlinked"];
        for (const Source& one : sources)
            if (!one.broken.empty()) broken[one.name] = one.broken;
        after["broken"] = broken;
        after["library"] = after["linked"] ? identityOf(library) : "";
        if (after != before) OutputFile(utf8Of(own_ / stateName)).commit(after.dump(2) + '\n');
    }

    bool linkAnew(std::vector<Source>& sources, const std::vector<const Source*>& good, const fs::path& library,
                  nlohmann::json& unlinked) const
    {
        notes_.progress("linking");
        const fs::path fresh = unforeseenName(own_);
        ProcessResult result = linked(good, fresh);
        if (result.ended == ProcessResult::Ended::timedOut)
            throw EnvironmentError(fmt::format("linking with {} did not end: {}", StudentCompiler::here()->program,
                                               result.howItEnded(StudentCompiler::limits())));
        if (!result.succeeded()) {
            // Finds the files that cause it: those that do not link together with the files kept so far.
            std::vector<const Source*> kept;
            for (Source& one : sources) {
                if (!one.broken.empty()) continue;
                kept.push_back(&one);
                const ProcessResult alone = linked(kept, fresh);
                if (alone.succeeded()) continue;
                kept.pop_back();
                breakWith(one, whyUnlinked(alone.output), alone.output);
                unlinked[one.name] = one.broken;
                notes_.said(fmt::format("src/{} {}", one.name, one.broken));
            }
            result = linked(kept, fresh);
        }
        std::error_code failed, none;
        if (result.succeeded()) fs::rename(fresh, library, failed);
        if (result.succeeded() && !failed) return true;
        fs::remove(fresh, none);
        if (failed)
            throw EnvironmentError(
                fmt::format("{} cannot be written: {}; remove {}", utf8Of(library), failed.message(), utf8Of(own_)));
        throw EnvironmentError(
            fmt::format("{} cannot be linked: {}", utf8Of(library), result.output.substr(0, result.output.find('\n'))));
    }

    static std::string whyUnlinked(const std::string& output)
    {
        std::smatch found;
        const std::regex kinds(
            "(undefined reference to [^\r\n]*|undefined symbol: [^\r\n]*|multiple definition of [^\r\n;]*|"
            "duplicate symbol: [^\r\n]*)");
        return std::regex_search(output, found, kinds) ? fmt::format("does not link: {}", found.str(1))
                                                       : "does not link";
    }

    fs::path folder_, own_;
    const FolderNotes& notes_;
};

}  // namespace

void buildFolder(const fs::path& folder, const FolderNotes& notes)
{
    try {
        Build(folder, notes).run();
    } catch (const UsageError& error) {  // a file in .a2 cannot be written
        throw EnvironmentError(error.what());
    }
}

FolderBuild builtFolder(const fs::path& folder)
{
    FolderBuild built{installation()->programs / buildFacts.solutionsFile, {}};
    const fs::path own = folder / ".a2";
    const nlohmann::json state = stateIn(own);
    if (state.is_null()) return built;
    if (state["linked"]) built.library = own / buildFacts.solutionsFile;
    built.broken = state["broken"].get<std::map<std::string, std::string>>();
    return built;
}

}  // namespace a2
