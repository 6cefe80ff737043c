#include "cli/DeviceChannel.h"

#include "a2/Error.h"
#include "files/Leftover.h"
#include "files/Utf8Path.h"

#include <array>
#include <csignal>
#include <cstdlib>
#include <new>

#ifdef _WIN32
#include <io.h>
#else
#include <fcntl.h>

#include <thread>
#endif

namespace a2 {

namespace {

// What is started from here is not to hold it open.
Pipe takePipe()
{
#ifdef _WIN32
    SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX);  // no window that waits for somebody
    const std::intptr_t handle = _get_osfhandle(devicePipe);
    SetHandleInformation(reinterpret_cast<HANDLE>(handle), HANDLE_FLAG_INHERIT, 0);
    return Pipe(handle);
#else
    fcntl(devicePipe, F_SETFD, FD_CLOEXEC);
    return Pipe(devicePipe);
#endif
}

std::vector<std::uint8_t> readFrame(const Pipe& pipe)
{
    std::array<std::uint8_t, lengthBytes> length{};
    std::vector<std::uint8_t> frame;
    if (pipe.read(length)) frame.resize(lengthFrom(length.data()));
    if (!pipe.read(frame)) frame.clear();
    return frame;
}

[[noreturn]] void leave()
{
    removeLeftovers();
    std::_Exit(static_cast<int>(ExitStatus::internal));
}

}  // namespace

DeviceChannel::DeviceChannel() : pipe_(takePipe())
{
    try {
        const std::vector<std::uint8_t> request = readFrame(pipe_);
        request_ = requestFrom(request, readFrame(pipe_));
    } catch (const std::exception&) {
        throw UsageError(std::string(deviceProcessWord) + " is for a2 itself: leave it out");
    }
    for (const int signal : request_.ignoredSignals) std::signal(signal, SIG_IGN);
    endWithParent();
    tellOfLeftovers([this](const std::filesystem::path& path, Leftover::Kind kind, bool kept) {
        send({{"is", "leftover"}, {"path", utf8Of(path)}, {"folder", kind == Leftover::Kind::folder}, {"kept", kept}});
    });
}

void DeviceChannel::send(const nlohmann::json& message) const
{
    if (hear_) return hear_(message);
    if (!pipe_.write(frameOf(message))) leave();
}

// On Windows a job of libuv's ends this process.
void DeviceChannel::endWithParent() const
{
#ifndef _WIN32
    std::thread([pipe = pipe_] {
        std::array<std::uint8_t, 1> none{};
        while (pipe.read(none)) {  // nothing more is sent: what comes is the end
        }
        leave();
    }).detach();
#endif
}

}  // namespace a2
