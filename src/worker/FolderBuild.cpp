#include "worker/FolderBuild.h"

#include "a2/Error.h"
#include "base/BuildFacts.h"
#include "base/PrintableText.h"
#include "files/CacheFolder.h"
#include "files/FileLock.h"
#include "files/OwnFolder.h"
#include "files/Project.h"
#include "files/SourceFile.h"
#include "files/Utf8Path.h"
#include "worker/CompilerMessages.h"
#include "worker/FolderSources.h"
#include "worker/StudentCompiler.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <sstream>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace a2 {

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr const char* stateName = "build.json";
#ifdef _WIN32
constexpr const char* noHeader = "NUL";
#else
constexpr const char* noHeader = "/dev/null";
#endif
constexpr std::uintmax_t mostInputs = std::uintmax_t{64} << 20;  // bytes that are kept of all that an object is made of

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

class Build {
public:
    Build(fs::path folder, const FolderNotes& notes) : folder_(std::move(folder)), own_(folder_ / ".a2"), notes_(notes)
    {
    }

    void run()
    {
        std::vector<FolderSource> sources = sourcesOf(folder_);
        if (isHandOut(sources) && stateIn(own_).is_null()) return;
        readyOwnFolder(own_);
        // `a2 watch` in one terminal and `a2 check` in another notice the same change.
        const FileLock alone(own_ / "lock",
                             [&] { notes_.progress("waiting for another a2, which builds this folder"); });
        removeAllButFiles(own_);
        sources = sourcesOf(folder_);  // they may have changed while this waited
        includable_ = includableNames(folder_);
        const nlohmann::json before = stateIn(own_);
        if (!isHandOut(sources)) compile(sources);
        for (const FolderSource& one : sources) say(one);
        link(sources, before);
    }

private:
    // What the compiler said. A file that is no C++ has some thousand lines of errors.
    void say(const FolderSource& source) const
    {
        constexpr int most = 200;  // lines
        int lines = 0;
        for (std::size_t at = 0; at < source.output.size();) {
            const std::size_t end = std::min(source.output.find('\n', at), source.output.size());
            if (lines++ == most)
                return notes_.said(source.broken.empty() ? "... and more" : "... and more: " + utf8Of(logOf(source)));
            notes_.said(std::string(firstBytes(std::string_view(source.output).substr(at, end - at), 1000)));
            at = end + 1;
        }
    }

    void compile(std::vector<FolderSource>& sources) const
    {
        const auto& compiler = StudentCompiler::here();
        std::vector<FolderSource*> changed;
        for (FolderSource& one : sources) {
            if (one.given || !one.broken.empty()) {
                std::error_code none;
                fs::remove(logOf(one), none);
                continue;
            }
            // Without a compiler, an object made by any compiler is accepted.
            const std::optional<std::string> before = boundedText(inputsOf(one), mostInputs), now = inputsNow(one);
            const std::string which = identityOf(one.object);
            if (before && now && !which.empty() &&
                (compiler ? *before == *now + compiler->version + which
                          : before->starts_with(*now) && before->ends_with(which)))
                continue;
            if (!compiler) {
                one.broken = "has changed, and there is no C++ compiler here: install g++ or clang++";
                continue;
            }
            changed.push_back(&one);
        }
        if (changed.empty()) return;
        // Should this call end before it has linked, the next one does not take the old library for one of these files.
        std::error_code none;
        fs::remove(own_ / stateName, none);
        if (!StudentCompiler::unusable().empty()) notes_.said("a2: note: " + StudentCompiler::unusable());
        const fs::path ready = compiler->readAhead();
        notes_.progress(fmt::format("compiling {}", changed.size() == 1 ? "src/" + changed.front()->name
                                                                        : fmt::format("{} files", changed.size())));
        // The time that a file has may be behind by a tick of the system: so what was written until now is older than
        // any start below, and what is written from there on is not.
        constexpr auto tick = std::chrono::milliseconds(10);
        std::this_thread::sleep_for(tick);
        std::atomic<std::size_t> next = 0;
        std::mutex writing;
        std::vector<std::thread> threads;
        std::string trouble;
        const std::size_t most = std::max(1U, std::thread::hardware_concurrency());
        for (std::size_t i = 0; i < std::min(most, changed.size()); ++i)
            threads.emplace_back([&] {
                for (std::size_t at = next++; at < changed.size(); at = next++) {
                    const auto start = fs::file_time_type::clock::now() - tick;
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

    static fs::path inputsOf(const FolderSource& source)
    {
        return fs::path(source.object).replace_extension(".inputs");
    }
    static fs::path includedOf(const FolderSource& source)
    {
        return fs::path(source.object).replace_extension(".included");
    }
    static fs::path rulesOf(const FolderSource& source) { return fs::path(source.object).replace_extension(".d"); }

    // All that an object is made of: options, the names that an include may mean, the source, and the files that it
    // included the last time; nothing where one of these cannot be read. The compiler's version comes after them.
    std::optional<std::string> inputsNow(const FolderSource& source) const
    {
        std::string all = fmt::format("{}\n{}\n{}\n{}\n", buildFacts.version,
                                      fmt::join(StudentCompiler::options(), "\n"), includable_, source.text);
        std::istringstream names(textOfFile(includedOf(source)));
        for (std::string name; std::getline(names, name);) {
            const std::optional<std::string> text = boundedText(folder_ / pathOf(name));
            if (!text || all.size() + text->size() > mostInputs / 2) return std::nullopt;
            all += name + '\n' + *text + '\n';
        }
        return all;
    }

    static bool isIn(const fs::path& file, const fs::path& folder)
    {
        const fs::path inside = file.lexically_relative(folder);
        return !folder.empty() && !inside.empty() && *inside.begin() != "..";
    }

    // The compiler's list, one path per line: those in the folder are relative to it, so that it may be moved.
    void keepIncluded(const FolderSource& source) const
    {
        std::string lines;
        for (const std::string& name : prerequisitesOf(textOfFile(rulesOf(source)))) {
            const fs::path file = fs::path(pathOf(name)).lexically_normal();
            // The header that is compiled ahead belongs to a2.
            if (file == source.file.lexically_normal() || file == noHeader || isIn(file, cacheFolder())) continue;
            lines += utf8Of(isIn(file, folder_) ? file.lexically_relative(folder_) : file) + '\n';
        }
        writeOwnFile(includedOf(source), lines);
    }

    // Whether the source or an included file was written to since then, so that nobody knows which text was compiled.
    bool changedSince(const FolderSource& source, fs::file_time_type start) const
    {
        if (stampOf(source.file) != source.stamp || boundedText(source.file) != source.text) return true;
        const auto now = fs::file_time_type::clock::now();
        std::istringstream names(textOfFile(includedOf(source)));
        for (std::string name; std::getline(names, name);) {
            std::error_code failed;
            const auto written = fs::last_write_time(folder_ / pathOf(name), failed);
            if (failed || (written >= start && written <= now)) return true;
        }
        return false;
    }

    static fs::path freshOf(const FolderSource& source) { return fs::path(source.object).replace_extension(".fresh"); }

    ProcessResult compileOne(const StudentCompiler& compiler, const FolderSource& source, const fs::path& ready) const
    {
        std::error_code none;
        fs::create_directories(source.object.parent_path(), none);
        // A compiler writes into a file that is there, even if that has a second name elsewhere.
        for (const fs::path& one : {freshOf(source), rulesOf(source)}) fs::remove(one, none);
        Words words = StudentCompiler::options();
        words.push_back("-I" + utf8Of(folder_ / "shaders/include"));
        // Only what is included first is taken from a precompiled header: none of the folder's is believed.
        words.insert(words.end(), {"-include", ready.empty() ? noHeader : utf8Of(ready)});
        words.insert(words.end(), {"-c", utf8Of(source.file), "-o", utf8Of(freshOf(source)), "-MMD", "-MF",
                                   utf8Of(rulesOf(source))});
        return compiler.run(words);
    }

    // "A2Task1Solution-Naive.cpp.txt": the compiler's output for a file.
    fs::path logOf(const FolderSource& source) const
    {
        std::string flat = source.name;
        std::replace(flat.begin(), flat.end(), '/', '-');
        // A source's name may be as long as names can be.
        return own_ / "errors" / pathOf(std::string(firstBytes(flat, 200)) + ".txt");
    }

    void finish(const StudentCompiler& compiler, FolderSource& source, const ProcessResult& result,
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
            const std::optional<std::string> inputs = inputsNow(source);
            if (!inputs || changedSince(source, start))
                fs::remove(inputsOf(source), failed);  // it is compiled again the next time
            else
                writeOwnFile(inputsOf(source), *inputs + compiler.version + identityOf(source.object));
            fs::remove(logOf(source), failed);
            source.compiled = true;
            return;
        }
        fs::remove(freshOf(source), failed);
        std::string why = whyUncompiled(result.output, utf8Of(source.file.filename()));
        if (why.empty()) why = fmt::format("does not compile: {}", result.howItEnded(StudentCompiler::limits()));
        breakWith(source, why, result.output);
    }

    void breakWith(FolderSource& source, const std::string& why, const std::string& output) const
    {
        readyOwnFolder(own_ / "errors");
        writeOwnFile(logOf(source), output);
        source.broken = fmt::format("{}; all of it: {}", why, utf8Of(logOf(source).lexically_relative(folder_)));
    }

    ProcessResult linked(const std::vector<const FolderSource*>& sources, const fs::path& target) const
    {
        Words words = {"-o", utf8Of(target)};
        for (const FolderSource* one : sources) words.push_back(utf8Of(one->object));
        for (std::string& word : StudentCompiler::linking()) words.push_back(std::move(word));
        return StudentCompiler::here()->run(words);
    }

    // Links the objects that compiled, unless that was done before.
    void link(std::vector<FolderSource>& sources, const nlohmann::json& before) const
    {
        nlohmann::json after = {
            {"objects", nlohmann::json::array()}, {"linked", false}, {"unlinked", nlohmann::json::object()}};
        std::vector<const FolderSource*> good;
        bool changed = false;
        for (const FolderSource& one : sources) {
            if (!one.broken.empty()) continue;
            good.push_back(&one);
            after["objects"].push_back(one.given ? one.name + " (given)" : one.name);
            changed = changed || one.compiled;
        }
        const fs::path library = own_ / buildFacts.solutionsFile;
        const std::string which = identityOf(library);
        const bool isOwn = before.is_object() && (!before["linked"] || (!which.empty() && before["library"] == which));
        const bool asBefore = !changed && isOwn && before["objects"] == after["objects"] && before["linked"];
        // Without a compiler the old library is kept: it has the unchanged files, and the changed ones are not used.
        const bool mustDo = !StudentCompiler::here() && isOwn;
        if (asBefore || mustDo) {
            for (const char* part : {"objects", "linked", "unlinked"}) after[part] = before[part];
        } else if (StudentCompiler::here() && !isHandOut(sources)) {
            after["linked"] = linkAnew(sources, good, library, after["unlinked"]);
        }
        nlohmann::json broken = after["unlinked"];
        for (const FolderSource& one : sources)
            if (!one.broken.empty()) broken[one.name] = one.broken;
        after["broken"] = broken;
        after["library"] = after["linked"] ? identityOf(library) : "";
        std::error_code none;
        if (after != before || !fs::exists(own_ / stateName, none))
            writeOwnFile(own_ / stateName, after.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + '\n');
    }

    bool linkAnew(std::vector<FolderSource>& sources, const std::vector<const FolderSource*>& good,
                  const fs::path& library, nlohmann::json& unlinked) const
    {
        notes_.progress("linking");
        fs::path fresh = library;
        fresh += ".fresh";
        std::error_code failed;
        fs::remove(fresh, failed);
        ProcessResult result = linked(good, fresh);
        if (!result.succeeded()) {
            throwUnlessFault(result, library);
            // Finds the files that cause it: those that do not link together with the files kept so far.
            std::vector<const FolderSource*> kept;
            for (FolderSource& one : sources) {
                if (!one.broken.empty()) continue;
                kept.push_back(&one);
                const ProcessResult alone = linked(kept, fresh);
                if (alone.succeeded()) continue;
                kept.pop_back();
                breakWith(one, throwUnlessFault(alone, library), alone.output);
                unlinked[one.name] = one.broken;
                notes_.said(fmt::format("src/{} {}", one.name, one.broken));
            }
            result = linked(kept, fresh);
            if (!result.succeeded()) throwUnlinked(result, library);
        }
        if (!fs::exists(fresh, failed)) throwUnlinked(result, library);
        fs::rename(fresh, library, failed);
        if (failed)
            throw EnvironmentError(
                fmt::format("{} cannot be written: {}; remove {}", utf8Of(library), failed.message(), utf8Of(own_)));
        return true;
    }

    // Why the files do not link. Only what the linker says about them is their fault: a full disk, or a linker that was
    // killed, is not.
    static std::string throwUnlessFault(const ProcessResult& result, const fs::path& library)
    {
        std::string why = whyUnlinked(result.output);
        if (why.empty() || result.ended != ProcessResult::Ended::exited) throwUnlinked(result, library);
        return why;
    }

    [[noreturn]] static void throwUnlinked(const ProcessResult& result, const fs::path& library)
    {
        std::string why = printableText(firstBytes(result.output.substr(0, result.output.find('\n')), 300));
        if (why.empty() || result.ended != ProcessResult::Ended::exited)
            why = result.succeeded() ? "it wrote nothing" : result.howItEnded(StudentCompiler::limits());
        throw EnvironmentError(fmt::format(
            "{} could not be linked with {}: {}; see that there is room on the disk, or name another compiler in CXX",
            utf8Of(library), StudentCompiler::here()->program, why));
    }

    fs::path folder_, own_;
    std::string includable_;
    const FolderNotes& notes_;
};

}  // namespace

void buildFolder(const fs::path& folder, const FolderNotes& notes) { Build(folder, notes).run(); }

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
