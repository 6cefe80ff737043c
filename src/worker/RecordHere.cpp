#include "worker/RecordHere.h"

#include "a2/Error.h"
#include "files/Utf8Path.h"
#include "recording/Pipe.h"
#include "recording/RecordingCheck.h"
#include "recording/RecordingFile.h"

#include <fmt/format.h>
#include <uv.h>

#include <future>
#include <vector>

#ifdef _WIN32
#include <io.h>
#endif

namespace a2 {

namespace {

A2Serve* loadedLibrary(const WorkerPrograms& programs)
{
    const auto refused = [&](const std::string& why) {
        throw EnvironmentError(fmt::format("{} {}; build a2 again, and keep the files of one build together",
                                           utf8Of(programs.library), why));
    };
    static uv_lib_t library;  // stays loaded: its code may have left threads running
    if (uv_dlopen(utf8Of(programs.library).c_str(), &library) != 0)
        refused(fmt::format("cannot be loaded: {}", uv_dlerror(&library)));
    void *version = nullptr, *serve = nullptr;
    if (uv_dlsym(&library, "a2WorkerVersion", &version) != 0 || uv_dlsym(&library, "a2Serve", &serve) != 0)
        refused("is no library of solutions");
    if (const unsigned theirs = reinterpret_cast<A2WorkerVersion*>(version)(); theirs != workerVersion)
        refused(fmt::format("is of version {}, and a2 of version {}", theirs, workerVersion));
    return reinterpret_cast<A2Serve*>(serve);
}

// A pipe inside this process.
class OwnPipe {
public:
    OwnPipe()
    {
        if (const int error = uv_pipe(ends_, 0, 0); error != 0)
            throw EnvironmentError(fmt::format("no pipe can be made: {}", uv_strerror(error)));
    }
    ~OwnPipe()
    {
        close(0);
        close(1);
    }
    OwnPipe(const OwnPipe&) = delete;
    OwnPipe& operator=(const OwnPipe&) = delete;

    Pipe reading() const { return Pipe(handle(ends_[0])); }
    Pipe writing() const { return Pipe(handle(ends_[1])); }
    void closeWriting() { close(1); }

private:
    static std::intptr_t handle(uv_file file)
    {
#ifdef _WIN32
        return _get_osfhandle(file);
#else
        return file;
#endif
    }

    void close(int which)
    {
        if (ends_[which] < 0) return;
        uv_fs_t request;
        uv_fs_close(nullptr, &request, ends_[which], nullptr);
        uv_fs_req_cleanup(&request);
        ends_[which] = -1;
    }

    uv_file ends_[2] = {-1, -1};
};

// The answer's bytes, found among the frames of one request.
std::vector<std::uint8_t> answerFrame(const Pipe& pipe)
{
    std::vector<std::uint8_t> answer;
    std::array<std::uint8_t, frameHead> head;
    while (pipe.read(head)) {
        std::vector<std::uint8_t> bytes(lengthFrom(head.data() + 1));
        if (!pipe.read(bytes)) break;
        if (Frame{head[0]} == Frame::answer) answer = std::move(bytes);
    }
    return answer;
}

}  // namespace

RecordAnswer recordHere(const WorkerPrograms& programs, const RecordRequest& request)
{
    if (auto failure = failureOf(programs, request)) return std::move(*failure);
    static A2Serve* const serve = loadedLibrary(programs);
    OwnPipe requests, answers;
    const std::vector<std::uint8_t> asked = toBytes(request);
    std::array<std::uint8_t, lengthBytes> length;
    putLength(asked.size(), length.data());
    // A request has a few hundred bytes, which fit any pipe. The library returns when it reaches their end.
    if (!requests.writing().write(length) || !requests.writing().write(asked))
        throw EnvironmentError("a pipe inside a2 cannot be written");
    requests.closeWriting();
    // An answer can be longer than a pipe holds.
    std::future<std::vector<std::uint8_t>> read =
        std::async(std::launch::async, [&answers] { return answerFrame(answers.reading()); });
    ServeLimits limits;
    limits.seconds = 100'000'000;  // a user at a debugger may take any time
    serve(requests.reading().handle(), answers.writing().handle(), &limits);
    answers.closeWriting();
    RecordAnswer answer = answerFrom(read.get(), limits.recording);
    if (const auto* const recording = std::get_if<Recording>(&answer)) checkRecording(*recording);
    return answer;
}

}  // namespace a2
