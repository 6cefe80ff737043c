// Preloaded into a2, it notes every internet socket that begins to listen: its address and port, one line each, in the
// file that A2_TEST_LISTENERS names.

#include <arpa/inet.h>
#include <dlfcn.h>
#include <sys/socket.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" int listen(int socket, int backlog) noexcept
{
    sockaddr_storage address{};
    socklen_t length = sizeof address;
    const char* const file = std::getenv("A2_TEST_LISTENERS");
    if (file && getsockname(socket, reinterpret_cast<sockaddr*>(&address), &length) == 0 &&
        (address.ss_family == AF_INET || address.ss_family == AF_INET6)) {
        sockaddr_in four{};
        std::memcpy(&four, &address, sizeof four);
        if (std::FILE* const notes = std::fopen(file, "a")) {
            std::fprintf(notes, "%s %d\n", address.ss_family == AF_INET ? inet_ntoa(four.sin_addr) : "IPv6",
                         ntohs(four.sin_port));
            std::fclose(notes);
        }
    }
    using Listen = int (*)(int, int);
    static const auto next = reinterpret_cast<Listen>(dlsym(RTLD_NEXT, "listen"));
    return next(socket, backlog);
}
