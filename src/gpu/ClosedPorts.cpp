#include "gpu/ClosedPorts.h"

#ifdef __linux__

#include <dlfcn.h>
#include <sys/socket.h>

#include <atomic>
#include <cerrno>

namespace {

std::atomic<bool> closed = false;

}  // namespace

// Every library that the program loads calls this function instead of the C library's.
extern "C" __attribute__((visibility("default"))) int bind(int socket, const sockaddr* address,
                                                           socklen_t length) noexcept
{
    if (closed && address && (address->sa_family == AF_INET || address->sa_family == AF_INET6)) {
        errno = EACCES;
        return -1;
    }
    using Bind = int (*)(int, const sockaddr*, socklen_t);
    static const auto next = reinterpret_cast<Bind>(dlsym(RTLD_NEXT, "bind"));
    return next(socket, address, length);
}

void a2::keepPortsClosed() { closed = true; }

#else

void a2::keepPortsClosed() {}

#endif
