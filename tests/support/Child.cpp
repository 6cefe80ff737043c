// A program that tests of src/base/Process.h start: its first argument says what it does.

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

int main(int count, char** words)
{
    const std::string what = count > 1 ? words[1] : "";
    if (what == "arguments")
        for (int i = 2; i < count; ++i) std::printf("[%s]\n", words[i]);
    if (what == "exit") return std::atoi(words[2]);
    if (what == "crash") std::abort();
    if (what == "sleep") std::this_thread::sleep_for(std::chrono::minutes(10));
    if (what == "stderr") std::fputs("to stderr\n", stderr);
    if (what == "stdin") std::printf("%d\n", std::getchar());
    if (what == "flood")
        for (int i = 0; i < 1 << 20; ++i) std::puts("0123456789");
    if (what == "memory") {
        volatile std::size_t size = std::size_t{1} << 30;  // volatile, or a compiler may remove the allocation
        std::vector<char> bytes(size);
        std::printf("%zu\n", bytes.size() + reinterpret_cast<std::uintptr_t>(bytes.data()) % 2);
    }
}
