// The process that student code runs in: whatever such code does to it becomes an answer, and the next request gets its
// own answer.

#include "worker/Worker.h"

#include "a2/Error.h"
#include "files/TemporaryFolder.h"

#include <gtest/gtest.h>
#include <vulkan/vulkan_core.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <random>
#include <thread>

#ifdef __linux__
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

namespace a2 {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using Kind = RecordFailure::Kind;
using std::chrono::milliseconds;

const WorkerPrograms programs{A2_TEST_WORKER, A2_TEST_SOLUTIONS};

#if defined(__SANITIZE_ADDRESS__)
constexpr bool sanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif
#else
constexpr bool sanitized = false;
#endif

// Whether functions on the stack have names here: this needs glibc, binutils, and no signal handlers of a sanitizer.
#ifdef __GLIBC__
const bool namesCode = !sanitized && std::system("addr2line --version >/dev/null 2>&1") == 0;
#else
const bool namesCode = false;
#endif

RecordRequest request(const std::string& what, std::uint64_t count = 1000)
{
    RecordRequest result;
    result.task = "reduce/misbehaving";
    result.factory = "Misbehaving";
    result.shaders = {what};
    result.count = count;
    result.runs = 2;
    result.device.properties.resize(sizeof(VkPhysicalDeviceProperties));
    result.device.subgroupSize = 32;
    return result;
}

// A worker, and the lines that it printed.
struct Watched {
    explicit Watched(const WorkerLimits& limits = {}, const WorkerPrograms& which = programs)
        : worker(
              which, [this](const std::string& line) { said.push_back(line); }, limits)
    {
    }

    RecordFailure failure(const std::string& what)
    {
        const RecordAnswer answer = worker.record(request(what));
        if (const auto* const one = std::get_if<RecordFailure>(&answer)) return *one;
        ADD_FAILURE() << what << ": there is a recording";
        return {};
    }

    bool has(const std::string& line) const { return std::find(said.begin(), said.end(), line) != said.end(); }

    std::vector<std::string> said;
    Worker worker;
};

void expectRecording(Worker& worker, const std::string& what = "none", std::uint64_t count = 1000)
{
    const RecordAnswer answer = worker.record(request(what, count));
    if (const auto* const failure = std::get_if<RecordFailure>(&answer)) {
        ADD_FAILURE() << what << ": " << failure->phase << ": " << failure->what;
        return;
    }
    const Recording& recording = std::get<Recording>(answer);
    EXPECT_EQ(recording.count, count);
    EXPECT_EQ(recording.runs.size(), 2U);
}

WorkerLimits limitedTo(milliseconds time)
{
    WorkerLimits limits;
    limits.time = time;
    return limits;
}

std::string environmentError(const WorkerPrograms& which)
{
    Worker worker(which);
    try {
        worker.record(request("none"));
    } catch (const EnvironmentError& error) {
        return error.what();
    }
    return "no EnvironmentError";
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

// Each is far from the limit of one request; a thousand would take half a minute.
TEST(Worker, EndsManySlowRequestsTogether)
{
    WorkerLimits limits;
    limits.brief = milliseconds(10);
    limits.together = milliseconds(200);
    Watched watched(limits);
    expectRecording(watched.worker, "record nap");
    std::optional<RecordFailure> failure;
    for (int i = 0; i < 100 && !failure; ++i) {
        const RecordAnswer answer = watched.worker.record(request("record nap"));
        if (const auto* const one = std::get_if<RecordFailure>(&answer)) failure = *one;
    }
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->kind, Kind::timeout);
    EXPECT_TRUE(failure->what.starts_with("its recordings take too long together: ")) << failure->what;
    EXPECT_EQ(watched.failure("none").kind, Kind::timeout) << "of the same solution";
    RecordRequest other = request("none");
    other.factory = "Absent";
    const RecordAnswer answer = watched.worker.record(other);
    EXPECT_NE(std::get<RecordFailure>(answer).kind, Kind::timeout) << "of another one";
}

TEST(Worker, AnswersRequestsOneAfterTheOther)
{
    Watched watched;
    for (std::uint64_t i = 1; i <= 1000; ++i) expectRecording(watched.worker, "none", i);
    EXPECT_TRUE(watched.said.empty());
}

TEST(Worker, IsQuick)
{
    using Milliseconds = std::chrono::duration<double, std::milli>;
    std::vector<double> starts, requests;
    for (int i = 0; i < 20; ++i) {
        Worker worker(programs);
        for (std::vector<double>* times : {&starts, &requests}) {
            const auto begin = Clock::now();
            expectRecording(worker);
            times->push_back(Milliseconds(Clock::now() - begin).count());
        }
    }
    for (std::vector<double>* times : {&starts, &requests}) std::sort(times->begin(), times->end());
    RecordProperty("start_ms", std::to_string(starts.front()));
    RecordProperty("request_ms", std::to_string(requests.front()));
    std::printf("start %.3f ms, request %.3f ms\n", starts.front(), requests.front());
    // The quickest start counts, with a generous limit: the machine may be busy.
    EXPECT_LT(starts.front(), sanitized ? 2000 : 300);
    EXPECT_LT(requests.front(), sanitized ? 100 : 10);
}

TEST(Worker, NamesAFactoryThatIsMissing)
{
    Worker worker(programs);
    RecordRequest unknown = request("none");
    unknown.factory = "Nobody";
    const RecordAnswer answer = worker.record(unknown);
    const auto& failure = std::get<RecordFailure>(answer);
    EXPECT_EQ(failure.kind, Kind::threw);
    EXPECT_TRUE(contains(failure.what, "Nobody")) << failure.what;
    expectRecording(worker);
}

// For every way in which the process ends, in any function.
TEST(Worker, SaysHowTheProcessEnded)
{
    struct Case {
        std::string deed, what;
    };
    std::vector<Case> cases = {{"exit", "exit status 0"},
                               {"leave", "exit status 0"},
                               {"status", "exit status 7"},
                               {"at-exit", "exit status 0"}};
#ifndef _WIN32
    if (!sanitized) {
        cases.insert(cases.end(), {{"crash", "signal 11 (segmentation fault)"},
                                   {"overflow", "signal 11 (segmentation fault)"},
                                   {"divide", "signal 8 (arithmetic error, such as a division by 0)"},
                                   {"abort", "signal 6 (aborted)"},
                                   {"terminate", "signal 6 (aborted)"},
                                   {"fork-and-crash", "signal 11 (segmentation fault)"},
                                   {"interrupt-all", "signal 9 (killed)"}});
    }
#endif
    Watched watched;
    for (const Case& one : cases) {
        for (const auto& [place, phase] : {std::pair("make", "preparing"), std::pair("record", "recording run 1"),
                                           std::pair("result", "asked for the result")}) {
            const std::string what = std::string(place) + " " + one.deed;
            const RecordFailure failure = watched.failure(what);
            EXPECT_EQ(failure.kind, Kind::ended) << what;
            EXPECT_TRUE(failure.phase.starts_with(phase)) << what << ": " << failure.phase;
            EXPECT_TRUE(failure.what.starts_with("it ended its process with " + one.what)) << what << failure.what;
            if (namesCode && one.deed == std::string("crash")) {
                EXPECT_TRUE(contains(failure.what, "; it was in ") && contains(failure.what, "(Solutions.cpp:"))
                    << failure.what;
            } else if (one.deed == std::string("exit")) {
                EXPECT_EQ(failure.what, "it ended its process with " + one.what) << what;
            }
            const bool caught = contains(one.what, "signal") && !contains(one.what, "killed");
            EXPECT_EQ(failure.call, caught && place == std::string("record") ? "vkCmdFillBuffer" : "") << what;
            expectRecording(watched.worker);
        }
        EXPECT_TRUE(watched.failure("destroy " + one.deed).what.starts_with("it ended its process with " + one.what));
        expectRecording(watched.worker);
    }
    EXPECT_TRUE(watched.has("TEST PASSED"));  // printed, but nothing more
}

TEST(Worker, SurvivesExceptions)
{
    Watched watched;
    for (const char* place : {"make", "record", "result"}) {
        const RecordFailure failure = watched.failure(std::string(place) + " throw");
        EXPECT_EQ(failure.kind, Kind::threw) << place;
        EXPECT_TRUE(contains(failure.what, "it did not want to")) << failure.what;
        EXPECT_FALSE(failure.phase.empty());
        expectRecording(watched.worker);
    }
    EXPECT_EQ(watched.failure("record throw-number").kind, Kind::threw);
    expectRecording(watched.worker);
}

TEST(Worker, EndsWhatTakesTooLong)
{
    // Long enough for the work after each, even on a busy machine.
    Watched watched(limitedTo(milliseconds(2000)));
    for (const char* what : {"make loop", "record sleep", "record loop", "result loop"}) {
        const RecordFailure failure = watched.failure(what);
        EXPECT_EQ(failure.kind, Kind::timeout) << what;
        EXPECT_TRUE(failure.what.starts_with("2 s were not enough")) << failure.what;
        EXPECT_TRUE(!namesCode || !contains(what, "loop") || contains(failure.what, "; it was in ")) << failure.what;
        EXPECT_FALSE(failure.phase.empty());
#ifndef _WIN32
        EXPECT_EQ(failure.call, contains(what, "record") ? "vkCmdFillBuffer" : "") << what;
#endif
        expectRecording(watched.worker);
    }
#ifndef _WIN32
    EXPECT_EQ(watched.failure("record stubborn").kind, Kind::timeout);
    expectRecording(watched.worker);
#endif
}

#ifdef __linux__
namespace {

// From now on, this thread and what it starts have one processor, and share it with threads that are never idle.
class BusyProcessor {
public:
    explicit BusyProcessor(unsigned others)
    {
        sched_getaffinity(0, sizeof before_, &before_);
        cpu_set_t one;
        CPU_ZERO(&one);
        for (int i = 0; CPU_COUNT(&one) == 0; ++i)
            if (CPU_ISSET(i, &before_)) CPU_SET(i, &one);
        isOne_ = sched_setaffinity(0, sizeof one, &one) == 0;
        for (unsigned i = 0; i < others; ++i)
            others_.emplace_back([this] {
                while (!over_) {
                }
            });
    }
    ~BusyProcessor()
    {
        over_ = true;
        for (std::thread& one : others_) one.join();
        sched_setaffinity(0, sizeof before_, &before_);
    }
    BusyProcessor(const BusyProcessor&) = delete;
    BusyProcessor& operator=(const BusyProcessor&) = delete;

    bool isOne() const { return isOne_; }

private:
    cpu_set_t before_{};
    bool isOne_ = false;
    std::atomic<bool> over_{false};
    std::vector<std::thread> others_;
};

}  // namespace

TEST(Worker, DoesNotCountTheTimeForWhichOthersHadTheProcessor)
{
    if (!std::ifstream("/proc/self/schedstat")) GTEST_SKIP() << "this kernel does not tell";
    const BusyProcessor busy(24);
    if (!busy.isOne()) GTEST_SKIP() << "this system lets nobody choose a processor";
    Watched watched(limitedTo(milliseconds(1000)));
    const auto begin = std::chrono::steady_clock::now();
    expectRecording(watched.worker, "record calculate");
    EXPECT_GT(std::chrono::steady_clock::now() - begin, milliseconds(1000)) << "the processor was not busy";
    EXPECT_EQ(watched.failure("record sleep").kind, Kind::timeout);
}

// So that a member that is used before it has a value is not 0 by luck; of a process of its own it often is.
TEST(Worker, FillsMemoryButInAProcessOfItsOwn)
{
#ifdef __GLIBC__
    if (sanitized) GTEST_SKIP() << "a sanitizer fills memory itself";
    Watched watched;
    const auto found = [&](bool alone) {
        RecordRequest asked = request("record no-value");
        asked.alone = alone;
        const RecordAnswer answer = watched.worker.record(asked);
        const auto* const failure = std::get_if<RecordFailure>(&answer);
        return failure ? failure->what : "a recording";
    };
    EXPECT_NE(found(false).find("it is filled"), std::string::npos) << found(false);
    EXPECT_NE(found(true).find("it is not filled"), std::string::npos) << found(true);
    EXPECT_NE(found(false).find("it is filled"), std::string::npos) << "again, in another process";
#else
    GTEST_SKIP() << "other systems' libraries have no such setting";
#endif
}

TEST(Worker, LimitsMemory)
{
    if (sanitized) GTEST_SKIP() << "a sanitizer takes terabytes of addresses for itself";
    WorkerLimits limits;
    limits.memoryBytes = 256 << 20;
    Watched watched(limits);
    for (const char* place : {"make", "record", "result"}) {
        const RecordFailure failure = watched.failure(std::string(place) + " allocate");
        EXPECT_EQ(failure.kind, Kind::memory) << place << ": " << failure.what;
        expectRecording(watched.worker);
    }
}
#endif

TEST(Worker, PassesOnWhatIsPrinted)
{
    Watched watched;
    expectRecording(watched.worker, "record print-lines");
    ASSERT_EQ(watched.said.size(), 5U);  // two runs; the second continues the first one's unfinished line
    EXPECT_TRUE(watched.has("to stderr"));
    EXPECT_TRUE(watched.has("first"));
    EXPECT_TRUE(watched.has("no end of linefirst"));
    watched.said.clear();
    expectRecording(watched.worker);
    EXPECT_TRUE(watched.said.empty());
    expectRecording(watched.worker, "result flood");
    EXPECT_LT(watched.said.size(), 64U * 1024 / 10);
    EXPECT_EQ(watched.said.back(), "(what it printed beyond 64 KiB is dropped)");
    expectRecording(watched.worker);
}

// What a solution leaves behind may end its process, but must not fail the next solution.
TEST(Worker, KeepsRequestsApart)
{
    Watched watched;
    for (const char* what : {"make thread", "record late-crash", "record thread"}) {
        expectRecording(watched.worker, what);
        for (int i = 0; i < 10; ++i) {
            std::this_thread::sleep_for(milliseconds(5));
            expectRecording(watched.worker);
        }
    }
}

#ifndef _WIN32

TEST(Worker, KeepsItsPipesFromStudentCode)
{
    Watched watched;
    for (const char* what : {"record close-standard", "record read", "record interrupt", "make fork", "record fork",
                             "record fork-and-stay", "record fork-and-flood"}) {
        expectRecording(watched.worker, what);
        expectRecording(watched.worker);
    }
    for (const char* what : {"make close", "record close", "result close", "destroy close"}) {
        const RecordFailure failure = watched.failure(what);
        EXPECT_EQ(failure.kind, Kind::ended) << what;
        EXPECT_EQ(failure.what, "it closed the pipe that its recording goes through") << what;
        expectRecording(watched.worker);
    }
    for (const char* what :
         {"make garbage", "record garbage", "result garbage", "destroy garbage", "record forged", "destroy forged"}) {
        const RecordFailure failure = watched.failure(what);
        EXPECT_EQ(failure.kind, Kind::ended) << what;
        EXPECT_TRUE(contains(failure.what, "it wrote into the pipe that its recording goes through") ||
                    contains(failure.what, "its answer is no recording of what was asked for"))
            << what << ": " << failure.what;
        expectRecording(watched.worker);
    }
}

TEST(Worker, KnowsWhatEndsTheProcessWhileItsLibraryIsLoaded)
{
    for (const auto& [what, how] :
         {std::pair("exit", "it ended its process with exit status 0 while its library was loaded"),
          std::pair("leave", "it ended its process with exit status 0 while its library was loaded"),
          std::pair("crash", "it ended its process with signal 6 (aborted) while its library was loaded"),
          std::pair("throw", "it ended its process with signal 6 (aborted) while its library was loaded"),
          std::pair("sleep", "0.1 s were not enough while its library was loaded")}) {
        setenv("A2_TEST_AT_LOAD", what, 1);
        Watched watched(limitedTo(milliseconds(what == std::string("sleep") ? 100 : 10'000)),
                        {A2_TEST_WORKER, A2_TEST_AT_LOAD_LIBRARY});
        for (int i = 0; i < 2; ++i) {
            const RecordFailure failure = watched.failure("none");
            EXPECT_EQ(failure.kind, what == std::string("sleep") ? Kind::timeout : Kind::ended) << what;
            EXPECT_EQ(failure.what, how);
            EXPECT_EQ(failure.phase, "loading the library of solutions");
        }
        unsetenv("A2_TEST_AT_LOAD");
    }
    Watched watched({}, {A2_TEST_WORKER, A2_TEST_AT_LOAD_LIBRARY});
    expectRecording(watched.worker);
    EXPECT_EQ(watched.said, std::vector<std::string>{"TEST PASSED"});
}

#endif

TEST(Worker, SaysWhatTheEnvironmentLacks)
{
    const TemporaryFolder folder;
    const fs::path missing = folder.path() / "missing", text = folder.path() / "text";
    std::ofstream(text) << "no program and no library\n";

    for (const auto& [which, part] :
         {std::pair(WorkerPrograms{missing, A2_TEST_SOLUTIONS}, "cannot be started"),
          std::pair(WorkerPrograms{text, A2_TEST_SOLUTIONS}, "cannot be started"),
          std::pair(WorkerPrograms{A2_TEST_NO_WORKER, A2_TEST_SOLUTIONS}, "is not the worker of this a2"),
          std::pair(WorkerPrograms{A2_TEST_WORKER, missing}, "missing"),
          std::pair(WorkerPrograms{A2_TEST_WORKER, text}, "cannot be loaded"),
          std::pair(WorkerPrograms{A2_TEST_WORKER, A2_TEST_NO_LIBRARY}, "is no library of solutions"),
          std::pair(WorkerPrograms{A2_TEST_WORKER, A2_TEST_OTHER_VERSION}, "is of version")}) {
        const std::string message = environmentError(which);
        EXPECT_TRUE(contains(message, part)) << message;
        EXPECT_TRUE(contains(message, "build a2 again")) << message;
        EXPECT_FALSE(contains(message, "\n")) << message;
    }
#ifndef _WIN32
    const fs::path other = folder.path() / "other";
    std::ofstream(other) << "#!/bin/sh\nprintf 'v\\003\\000\\000\\000\\000\\000\\000\\000999'\nsleep 10\n";
    fs::permissions(other, fs::perms::owner_all);
    const std::string message = environmentError({other, A2_TEST_SOLUTIONS});
    EXPECT_TRUE(contains(message, "is of version 999")) << message;
#endif
    try {
        workerPrograms();
        ADD_FAILURE() << "they lie beside this test";
    } catch (const EnvironmentError& error) {
        EXPECT_TRUE(contains(error.what(), "is missing; build a2 again")) << error.what();
    }
}

#ifdef __linux__

namespace {

std::ptrdiff_t openFiles() { return std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator()); }

// The processes that this one has started and not yet waited for.
std::vector<pid_t> children()
{
    std::vector<pid_t> all;
    for (const auto& task : fs::directory_iterator("/proc/self/task")) {
        std::ifstream list(task.path() / "children");
        for (pid_t one; list >> one;) all.push_back(one);
    }
    return all;
}

}  // namespace

TEST(Worker, IsReplacedWhenItIsKilled)
{
    expectRecording(*std::make_unique<Worker>(programs));  // libuv keeps some things for the next time
    ASSERT_TRUE(children().empty());
    const auto filesBefore = openFiles();
    {
        Worker worker(programs);
        std::atomic<bool> done = false;
        std::atomic<int> kills = 0;
        std::thread killer([&] {
            std::mt19937 random(7);
            while (!done) {
                std::this_thread::sleep_for(std::chrono::microseconds(random() % 20'000));
                const int signals[] = {SIGKILL, SIGTERM, SIGSEGV};
                for (const pid_t one : children())
                    // A sanitizer turns the last of these signals into an exit status.
                    if (::kill(one, signals[random() % (sanitized ? 2 : 3)]) == 0) ++kills;
            }
        });
        int answers = 0, failures = 0;
        for (const auto end = Clock::now() + std::chrono::minutes(1); kills < 100 && Clock::now() < end; ++answers) {
            try {
                const RecordAnswer answer = worker.record(request("none"));
                if (const auto* const failure = std::get_if<RecordFailure>(&answer)) {
                    ++failures;
                    EXPECT_EQ(failure->kind, Kind::ended);
                    EXPECT_TRUE(contains(failure->what, "it ended its process with signal")) << failure->what;
                }
            } catch (const EnvironmentError& error) {
                ++failures;  // killed before its own first line ran
            }
        }
        done = true;
        killer.join();
        EXPECT_GT(kills, 50);
        EXPECT_GT(answers, 0);
        expectRecording(worker);
        std::printf("%d kills, %d answers, %d of them failures\n", kills.load(), answers, failures);
    }
    EXPECT_TRUE(children().empty());
    EXPECT_EQ(openFiles(), filesBefore);
}

TEST(Worker, LeavesNothingBehind)
{
    expectRecording(*std::make_unique<Worker>(programs));
    const auto filesBefore = openFiles();
    {
        Watched watched(limitedTo(milliseconds(2000)));
        for (const char* what : {"record leave", "record close", "record garbage", "record loop", "none"})
            watched.worker.record(request(what));
        EXPECT_EQ(children().size(), 1U);
    }
    for (const char* path : {A2_TEST_NO_WORKER, "/a2/no/such/program"}) environmentError({path, A2_TEST_SOLUTIONS});
    EXPECT_TRUE(children().empty());
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
    EXPECT_EQ(openFiles(), filesBefore);
}

// A worker that gets no more requests ends, whatever it has left running.
TEST(Worker, DoesNotOutliveItsParent)
{
    int pipe[2];
    ASSERT_EQ(::pipe(pipe), 0);
    const pid_t parent = fork();
    ASSERT_GE(parent, 0);
    if (parent == 0) {
        Worker worker(programs);
        worker.record(request("none"));
        const std::vector<pid_t> started = children();
        (void)!write(pipe[1], started.data(), sizeof(pid_t));
        ::kill(getpid(), SIGKILL);
    }
    pid_t worker = 0;
    ASSERT_EQ(read(pipe[0], &worker, sizeof worker), static_cast<ssize_t>(sizeof worker));
    close(pipe[0]);
    close(pipe[1]);
    waitpid(parent, nullptr, 0);
    const auto ended = [&] {
        if (::kill(worker, 0) != 0) return true;
        std::ifstream stat("/proc/" + std::to_string(worker) + "/stat");
        std::string number, name, state;
        stat >> number >> name >> state;
        return state == "Z";  // not yet reaped by the process that takes over orphans
    };
    for (int i = 0; i < 60'000 && !ended(); ++i) std::this_thread::sleep_for(milliseconds(1));
    EXPECT_TRUE(ended());
}

#endif

}  // namespace a2
