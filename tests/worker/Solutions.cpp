// A solution that does something forbidden in one of its functions. The row's "shader" says what and where, such as
// "record crash"; "none" does nothing of this kind.

#include "A2Task1.h"
#include "Attacks.h"
#include "a2/Solution.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <map>
#include <stdexcept>
#include <thread>
#include <vector>

#ifndef _WIN32
#include <unistd.h>
#endif

namespace a2 {

namespace {

using std::chrono::milliseconds;

volatile int zero = 0, sink = 0;
int* volatile nowhere = nullptr;

void sayPassed()
{
    std::puts("TEST PASSED");
    std::fflush(stdout);
}

[[noreturn]] void loop()
{
    for (;;) sink = 1 - sink;  // a counter would overflow within two seconds
}

int deep(int depth)
{
    volatile char room[4096];
    room[0] = static_cast<char>(depth);
    return depth < 0 ? 0 : deep(depth + 1) + room[0];
}

const std::map<std::string, std::function<void()>> deeds = {
    {"exit",
     [] {
         sayPassed();
         std::exit(0);
     }},
    {"leave",
     [] {
         sayPassed();
         std::_Exit(0);
     }},
    {"status", [] { std::exit(7); }},
    {"at-exit",
     [] {
         std::atexit([] {
             sayPassed();
             std::_Exit(0);
         });
         std::exit(1);
     }},
    {"crash", [] { *nowhere = 1; }},
    {"divide", [] { sink = 100 / zero; }},
    {"abort", [] { std::abort(); }},
    {"terminate", [] { std::thread([] { throw std::runtime_error("in a thread"); }).join(); }},
    {"overflow", [] { sink = deep(0); }},
    {"throw", [] { throw std::runtime_error("it did not want to"); }},
    {"throw-number", [] { throw 1; }},
    {"allocate",
     [] {
         std::vector<std::vector<char>> all;
         for (;;) all.emplace_back(std::size_t{16} << 20);
     }},
    {"no-value",  // what memory holds before it gets a value
     [] {
         constexpr std::size_t bytes = 5000;
         volatile unsigned char* const memory = new unsigned char[bytes];
         std::size_t filled = 0;
         for (std::size_t i = 64; i < bytes; ++i) filled += memory[i] == 0xA5;
         delete[] memory;
         throw std::runtime_error(filled == bytes - 64 ? "it is filled" : "it is not filled");
     }},
    {"loop", loop},
    {"calculate",  // for three tenths of a second of CPU time
     [] {
         const std::clock_t end = std::clock() + 3 * CLOCKS_PER_SEC / 10;
         while (std::clock() < end) sink = sink + 1;
     }},
    {"nap", [] { std::this_thread::sleep_for(milliseconds(30)); }},
    {"sleep", [] { std::this_thread::sleep_for(std::chrono::hours(1)); }},
    {"print", [] { sayPassed(); }},
    {"print-lines",
     [] {
         std::fputs("to stderr\r\n", stderr);
         std::fputs("first\nno end of line", stdout);
     }},
    {"flood",
     [] {
         for (int i = 0; i < 1 << 16; ++i) std::puts("0123456789");
     }},
    {"thread", [] { std::thread(loop).detach(); }},
    {"no-dispatch-entry",  // every work-group reports its start
     [] {
         VULKAN_HPP_DEFAULT_DISPATCHER.vkCmdDispatch = [](VkCommandBuffer, uint32_t, uint32_t, uint32_t) {
             sayPassed();
         };
     }},
    {"late-crash",
     [] {
         std::thread([] {
             std::this_thread::sleep_for(milliseconds(20));
             *nowhere = 1;
         }).detach();
     }},
#ifndef _WIN32
    {"stubborn",
     [] {
         std::signal(SIGTERM, SIG_IGN);
         loop();
     }},
    {"interrupt",
     [] {
         kill(0, SIGINT);
         sayPassed();
     }},
    {"recurse",
     [] {
         static const std::function<int(int)> more = [](int depth) { return zero + more(depth + 1) * depth; };
         sink = more(1);
     }},
    {"interrupt-all", [] { kill(0, SIGKILL); }},
    {"scribble",  // over all memory of this process that can be written
     [] {
         std::ifstream maps("/proc/self/maps");
         std::fstream memory("/proc/self/mem", std::ios::in | std::ios::out | std::ios::binary);
         for (std::string line; std::getline(maps, line);) {
             if (line.find(" rw") == std::string::npos || line.find("[stack]") != std::string::npos) continue;
             const unsigned long long from = std::stoull(line, nullptr, 16);
             memory.seekp(static_cast<std::streamoff>(from));
             memory.write("TEST PASSED\n", 12);
             memory.clear();
         }
     }},
    {"close",
     [] {
         for (int i = 0; i < 1024; ++i) close(i);
     }},
    {"close-standard",
     [] {
         for (int i = 0; i < 3; ++i) close(i);
     }},
    {"garbage",
     [] {
         for (int i = 0; i < 1024; ++i) (void)!write(i, "TEST PASSED\n", 12);
     }},
    {"forged",  // the beginning of an answer that never ends
     [] {
         for (int i = 3; i < 1024; ++i) (void)!write(i, "a\x10\0\0\0\0\0\0\0x", 10);
     }},
    {"read",  // files that are not its own
     [] {
         char bytes[64];
         for (int i = 0; i < 3; ++i) sink = static_cast<int>(read(i, bytes, sizeof bytes));
     }},
    {"fork", [] { fork(); }},
    {"fork-and-stay",
     [] {
         if (fork() == 0)
             for (;;) pause();
     }},
    {"fork-and-flood",
     [] {
         if (fork() == 0)
             for (;;) std::puts("0123456789");
     }},
    {"fork-and-crash",
     [] {
         if (fork() == 0)
             for (;;) pause();
         *nowhere = 1;
     }},
#endif
};

class Misbehaving : public Solution {
public:
    Misbehaving(const Given& given, const std::string& what)
        : Solution(given), where_(what.substr(0, what.find(' '))), deed_(what.substr(what.find(' ') + 1))
    {
        at("make");
    }
    ~Misbehaving() override { at("destroy"); }

    void record(vk::CommandBuffer cb) override
    {
        cb.fillBuffer(input.handle(), 0, sizeof(std::uint32_t), 0);
        at("record");
    }

    const Buffer& result() const override
    {
        at("result");
        return input;
    }

private:
    void at(const std::string& place) const
    {
        if (place != where_) return;
        if (deed_ == "attack-all")
            for (const auto& [name, ignored] : attacks()) attack(name);
        else if (const auto deed = deeds.find(deed_); deed != deeds.end())
            deed->second();
        else
            attack(deed_);
    }

    std::string where_, deed_;
};

std::unique_ptr<Solution> makeMisbehaving(const Given& given)
{
    return std::make_unique<Misbehaving>(given, given.shaders[0]);
}

const Factory factory("Misbehaving", makeMisbehaving);

// reduce/interleaved, but all objects of a process except the first leave out the last step.
class KeepsCount : public Solution {
public:
    using Solution::Solution;

    void record(vk::CommandBuffer cb) override
    {
        cb.bindPipeline(vk::PipelineBindPoint::eCompute, kernel_.pipeline());
        cb.bindDescriptorSets(vk::PipelineBindPoint::eCompute, kernel_.layout(), 0, set_, {});
        for (std::uint64_t stride = 1; stride < count; stride *= shape.elements) {
            if (!isFirst_ && stride > 1 && stride * shape.elements >= count) return;
            const std::uint64_t invocations = ceilDiv(count - stride, stride * shape.elements);
            const InterleavedPush push{static_cast<uint>(count), static_cast<uint>(stride),
                                       static_cast<uint>(invocations)};
            const WorkGroups groups = gpu.groupsFor(invocations, shape.workGroup);
            cb.pipelineBarrier(vk::PipelineStageFlagBits::eComputeShader, vk::PipelineStageFlagBits::eComputeShader, {},
                               vk::MemoryBarrier(vk::AccessFlagBits::eShaderWrite,
                                                 vk::AccessFlagBits::eShaderRead | vk::AccessFlagBits::eShaderWrite),
                               {}, {});
            cb.pushConstants<InterleavedPush>(kernel_.layout(), vk::ShaderStageFlagBits::eCompute, 0, push);
            cb.dispatch(groups.x, groups.y, 1);
        }
    }

    const Buffer& result() const override { return input; }

private:
    static inline unsigned objects = 0;

    ComputePipeline kernel_{gpu, "A2Task1Interleaved", 1, sizeof(InterleavedPush), shape};
    bool isFirst_ = objects++ == 0;
    vk::DescriptorSet set_ = kernel_.makeDescriptorSet({input});
};

// Replaces a row's own file: the environment says what it does.
std::unique_ptr<Solution> makeCheat(const Given& given)
{
    const char* const what = std::getenv("A2_TEST_CHEAT");
    if (what && what == std::string("count objects")) return std::make_unique<KeepsCount>(given);
    return std::make_unique<Misbehaving>(given, what ? what : "none");
}

const Factory cheat("Interleaved", makeCheat);

}  // namespace

}  // namespace a2
