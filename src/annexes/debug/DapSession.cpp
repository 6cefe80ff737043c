#include "annexes/debug/DapSession.h"

#include "a2/Error.h"
#include "files/Project.h"
#include "files/Utf8Path.h"
#include "lint/EmulatedFindings.h"
#include "tasks/Task.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

namespace a2::debug {

using nlohmann::json;

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t framesOfThread = 256;

json capabilities()
{
    json all = json::object();
    for (const char* one : {"supportsConfigurationDoneRequest", "supportsStepBack", "supportsConditionalBreakpoints",
                            "supportsLogPoints", "supportsEvaluateForHovers", "supportsDataBreakpoints",
                            "supportsExceptionInfoRequest", "supportsTerminateRequest"})
        all[one] = true;
    all["exceptionBreakpointFilters"] = json::array({{{"filter", "rules"},
                                                      {"label", "Broken rules"},
                                                      {"description", "races, unset memory, bounds, barriers"},
                                                      {"default", true}}});
    return all;
}

// A number from the arguments, or the default if there is none. Throw UsageError for anything else.
std::uint64_t numberIn(const json& arguments, const char* name, std::uint64_t usual)
{
    const auto found = arguments.find(name);
    if (found == arguments.end() || found->is_null()) return usual;
    if (!found->is_number_integer() || found->get<std::int64_t>() < 0)
        throw UsageError(fmt::format("'{}' is no whole number", name));
    return found->get<std::uint64_t>();
}

std::string textIn(const json& arguments, const char* name)
{
    const auto found = arguments.find(name);
    if (found == arguments.end() || found->is_null()) return {};
    if (!found->is_string()) throw UsageError(fmt::format("'{}' is no text", name));
    return found->get<std::string>();
}

json listIn(const json& arguments, const char* name)
{
    const auto found = arguments.find(name);
    if (found == arguments.end() || found->is_null()) return json::array();
    if (!found->is_array()) throw UsageError(fmt::format("'{}' is no list", name));
    return *found;
}

// The first task with this kernel.
std::string taskOf(const std::string& kernel)
{
    const std::string name = utf8Of(pathOf(kernel).stem());
    for (const Task& task : selectTasks({}, true))
        if (std::find(task.shaders.begin(), task.shaders.end(), name) != task.shaders.end()) return task.id;
    throw UsageError(fmt::format("no task uses the kernel {}: name a \"task\"", kernel));
}

// The folder of a kernel that is not the project's; empty for the project's own. That file is debugged, not the
// project's file of the same name.
fs::path foreignFolderOf(const std::string& kernel)
{
    const fs::path folder = pathOf(kernel).parent_path();
    std::error_code failed;
    if (folder.empty()) return {};
    if (!fs::is_regular_file(pathOf(kernel), failed)) throw UsageError(fmt::format("there is no kernel {}", kernel));
    return fs::equivalent(folder, projectShaders(), failed) ? fs::path() : folder;
}

std::vector<std::string> wordsOf(const json& arguments, const std::vector<std::string>& typed)
{
    std::vector<std::string> words = {"debug"};
    words.insert(words.end(), typed.begin(), typed.end());
    const std::string task = textIn(arguments, "task"), kernel = textIn(arguments, "kernel");
    if (!task.empty()) words.push_back(task);
    if (task.empty() && !kernel.empty()) words.push_back(taskOf(kernel));
    for (const json& one : listIn(arguments, "args")) {
        if (!one.is_string()) throw UsageError("\"args\" is a list of texts");
        words.push_back(one.get<std::string>());
    }
    if (!kernel.empty() && std::find(words.begin(), words.end(), "--shader-dir") == words.end())
        if (const fs::path folder = foreignFolderOf(kernel); !folder.empty()) {
            words.emplace_back("--shader-dir");
            words.push_back(utf8Of(folder));
        }
    return words;
}

}  // namespace

std::optional<DapLaunch> launchOf(DapChannel& channel, const std::vector<std::string>& typed)
{
    while (const auto request = channel.next()) {
        const std::string command = (*request)["command"];
        if (command == "initialize") {
            channel.respond(*request, capabilities());
        } else if (command == "launch") {
            try {
                const json& arguments = (*request)["arguments"];
                const auto entry = arguments.find("stopOnEntry");
                return DapLaunch{*request, wordsOf(arguments, typed),
                                 entry == arguments.end() || !entry->is_boolean() || entry->get<bool>()};
            } catch (const UsageError& error) {
                channel.refuse(*request, error.what());
            }
        } else if (command == "disconnect" || command == "terminate") {
            channel.respond(*request);
            return {};
        } else {
            channel.refuse(*request, fmt::format("{} comes before the launch", command));
        }
    }
    return {};
}

DapSession::DapSession(DapChannel& channel, Timeline& timeline, std::string head)
    : channel_(channel),
      timeline_(timeline),
      head_(std::move(head)),
      stops_(timeline),
      moves_(timeline, stops_, [this] { return channel_.wantsToStop(); })
{
}

void DapSession::run(const DapLaunch& launch)
{
    entry_ = launch.stopsAtEntry;
    stops_.logTo([this](const std::string& line) { printed_.add(line); });
    channel_.respond(launch.request);
    channel_.tell("output", {{"category", "console"}, {"output", head_}});
    channel_.tell("initialized");
    const std::string ended = timeline_.walk(
        [this](const Look& look) { return lookAt(look); },
        [this](const EmulatorSettings::Printed& one, std::uint32_t dispatch) { printed_.add(one, dispatch); });
    if (!ended.empty()) channel_.tell("output", {{"category", "stderr"}, {"output", ended + "\n"}});
    channel_.tell("terminated");
}

Way DapSession::lookAt(const Look& look)
{
    if (auto way = moves_.arrive(look)) return *way;
    variables_.forget();
    printed_.end();
    if (begun_) tellStop(moves_.view(look));
    while (const auto request = channel_.next()) {
        try {
            if (auto way = answer(look, *request)) return *way;
        } catch (const UsageError& error) {
            channel_.refuse(*request, error.what());
        } catch (const json::exception& error) {
            channel_.refuse(*request, fmt::format("arguments of another form: {}", error.what()));
        }
    }
    return {};
}

void DapSession::tellStop(const View& view)
{
    using Reason = Moves::Reason;
    const Reason reason = moves_.reason();
    const std::string why = trimmed(moves_.why());
    json body = {{"threadId", view.look.event.isEnd ? 1 : view.selected.invocation + 1}, {"allThreadsStopped", true}};
    body["reason"] = reason == Reason::breakpoint    ? "breakpoint"
                     : reason == Reason::finding     ? "exception"
                     : reason == Reason::change      ? "data breakpoint"
                     : reason == Reason::interrupted ? "pause"
                                                     : "step";
    if (view.look.event.isEnd) {
        body["reason"] = "pause";
        body["description"] = view.look.runEnded ? "the run has ended" : "the dispatch has ended";
    }
    if (!why.empty()) {
        body["text"] = why;
        if (reason != Reason::breakpoint)
            channel_.tell("output",
                          {{"category", reason == Reason::finding ? "stderr" : "console"}, {"output", why + "\n"}});
    }
    channel_.tell("stopped", std::move(body));
}

std::optional<Way> DapSession::move(const View& view, const std::string& command)
{
    if (command == "continue") return moves_.goOn();
    if (command == "next") return moves_.next(view);
    if (command == "stepIn") return moves_.step(view);
    if (command == "stepOut") return moves_.finish(view);
    if (command == "stepBack") return moves_.back(view, 1);
    if (command == "reverseContinue") return moves_.backToStop(view);
    return {};
}

std::optional<Way> DapSession::answer(const Look& look, const json& request)
{
    const std::string command = request["command"];
    const json& arguments = request["arguments"];
    if (const std::uint64_t thread = numberIn(arguments, "threadId", 0);
        thread > 0 && !look.event.isEnd && thread <= look.here.invocations() && command != "stackTrace")
        moves_.select(static_cast<std::uint32_t>(thread - 1));
    const View view = moves_.view(look);
    if (look.runEnded && (command == "continue" || command == "next" || command == "stepIn" || command == "stepOut")) {
        channel_.respond(request);
        return Way{};  // the run is over
    }
    if (auto way = move(view, command)) {
        channel_.respond(request, command == "continue" ? json{{"allThreadsContinued", true}} : json::object());
        return way;
    }
    if (command == "configurationDone") {
        channel_.respond(request);
        begun_ = true;
        if (!entry_) return moves_.goOn();
        channel_.tell("stopped", {{"reason", "entry"}, {"threadId", 1}, {"allThreadsStopped", true}});
    } else if (command == "threads") {
        channel_.respond(request, {{"threads", threads(view)}});
    } else if (command == "stackTrace") {
        const json frames = stack(view, numberIn(arguments, "threadId", 1));
        channel_.respond(request, {{"stackFrames", frames}, {"totalFrames", frames.size()}});
    } else if (command == "scopes") {
        channel_.respond(request, {{"scopes", variables_.scopes(viewOf(view, numberIn(arguments, "frameId", 0)))}});
    } else if (command == "variables") {
        channel_.respond(
            request,
            {{"variables", variables_.variables(view, numberIn(arguments, "variablesReference", 0),
                                                numberIn(arguments, "start", 0), numberIn(arguments, "count", 0))}});
    } else if (command == "evaluate") {
        channel_.respond(request, variables_.evaluated(viewOf(view, numberIn(arguments, "frameId", 0)),
                                                       textIn(arguments, "expression")));
    } else if (command == "setBreakpoints") {
        setBreakpoints(request);
    } else if (command == "setExceptionBreakpoints") {
        const json filters = listIn(arguments, "filters");
        stops_.stopAtFindings(std::find(filters.begin(), filters.end(), "rules") != filters.end());
        channel_.respond(request);
    } else if (command == "exceptionInfo") {
        const std::string why = trimmed(moves_.why());
        channel_.respond(
            request, {{"exceptionId", why.substr(0, why.find(':'))}, {"description", why}, {"breakMode", "always"}});
    } else if (command == "dataBreakpointInfo") {
        const std::string expression =
            variables_.expressionOf(numberIn(arguments, "variablesReference", 0), textIn(arguments, "name"));
        static_cast<void>(placeOf(view, expression));
        channel_.respond(request, {{"dataId", expression},
                                   {"description", expression},
                                   {"accessTypes", json::array({"write"})},
                                   {"canPersist", false}});
    } else if (command == "setDataBreakpoints") {
        setDataBreakpoints(view, request);
    } else if (command == "pause") {  // it has stopped already
        channel_.respond(request);
    } else if (command == "disconnect" || command == "terminate") {
        channel_.respond(request);
        return Way{};
    } else {
        channel_.refuse(request, fmt::format("a2 debug knows no {}", command));
    }
    return {};
}

void DapSession::setBreakpoints(const json& request)
{
    const json& arguments = request["arguments"];
    const json source = arguments.value("source", json());
    if (!source.is_object()) throw UsageError("'source' names no file");
    const std::string file =
        underShaders(textIn(source, "path").empty() ? textIn(source, "name") : textIn(source, "path"));
    stops_.removeBreakpoints(file);
    json all = json::array();
    for (const json& one : listIn(arguments, "breakpoints")) {
        if (!one.is_object()) throw UsageError("a breakpoint is an object");
        const std::uint64_t line = numberIn(one, "line", 0);
        try {
            const auto [number, moved] =
                stops_.addBreakpoint(file, line, textIn(one, "condition"), textIn(one, "logMessage"));
            all.push_back({{"id", number}, {"verified", true}, {"line", moved}});
        } catch (const UsageError& error) {
            all.push_back({{"verified", false}, {"line", line}, {"message", error.what()}});
        }
    }
    channel_.respond(request, {{"breakpoints", std::move(all)}});
}

void DapSession::setDataBreakpoints(const View& view, const json& request)
{
    stops_.removeWatches();
    json all = json::array();
    for (const json& one : listIn(request["arguments"], "breakpoints")) {
        try {
            all.push_back({{"id", stops_.addWatch(view, textIn(one, "dataId"))}, {"verified", true}});
        } catch (const UsageError& error) {
            all.push_back({{"verified", false}, {"message", error.what()}});
        }
    }
    channel_.respond(request, {{"breakpoints", std::move(all)}});
}

json DapSession::threads(const View& view) const
{
    if (view.look.event.isEnd)
        return json::array(
            {{{"id", 1}, {"name", view.look.runEnded ? "the run has ended" : "the dispatch has ended"}}});
    json all = json::array();
    for (std::uint32_t i = 0; i < view.here().invocations(); ++i)
        all.push_back({{"id", i + 1}, {"name", fmt::format("group {}, invocation {}", view.selected.group, i)}});
    return all;
}

json DapSession::stack(const View& view, std::uint64_t thread) const
{
    if (view.look.event.isEnd)
        return json::array({{{"id", framesOfThread}, {"name", view.head()}, {"line", 0}, {"column", 0}}});
    if (thread == 0 || thread > view.here().invocations()) throw UsageError("there is no such invocation");
    json all = json::array();
    const auto invocation = static_cast<std::uint32_t>(thread - 1);
    const bool begun = view.here().state(invocation) != emulator::Standing::State::notStarted;
    for (const emulator::Standing::Frame& frame : view.here().frames(invocation)) {
        json one = {{"id", thread * framesOfThread + all.size()},
                    {"name", frame.function.empty() ? "main" : frame.function},
                    {"line", begun ? frame.where.line : 0},
                    {"column", begun ? 1 : 0}};
        const std::string name = underShaders(frame.where.file);
        json source = {{"name", name}};
        if (const std::filesystem::path path = timeline_.fileOf(name); !path.empty()) source["path"] = utf8Of(path);
        if (!name.empty()) one["source"] = std::move(source);
        all.push_back(std::move(one));
        if (all.size() + 1 >= framesOfThread) break;
    }
    return all;
}

// The view of the invocation that a frame belongs to; 0: the selected one.
View DapSession::viewOf(const View& view, std::uint64_t frame) const
{
    View seen = view;
    const std::uint64_t thread = frame / framesOfThread;
    if (thread == 0 || view.look.event.isEnd) return seen;
    if (thread > view.here().invocations()) throw UsageError("there is no such frame");
    seen.selected.invocation = static_cast<std::uint32_t>(thread - 1);
    return seen;
}

}  // namespace a2::debug
