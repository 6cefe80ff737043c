// What a process reports when it crashes, and how the end of the device's process is described.

#include "base/Sanitized.h"
#include "cli/CrashNews.h"
#include "cli/DeviceProcess.h"
#include "gpu/WatchedCalls.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <csignal>
#include <functional>

#ifndef _WIN32
#include <sys/wait.h>
#include <unistd.h>
#endif

namespace a2 {

namespace {

#if !defined(_WIN32) && !A2_IS_SANITIZED

int* volatile nowhere = nullptr;

VkResult VKAPI_CALL crashingWait(VkDevice)
{
    *nowhere = 1;
    return VK_SUCCESS;
}

PFN_vkVoidFunction VKAPI_CALL crashingDriver(VkInstance, const char* name)
{
    return name == std::string("vkDeviceWaitIdle") ? reinterpret_cast<PFN_vkVoidFunction>(crashingWait) : nullptr;
}

// What a child that calls `what` reports before it ends by this signal. fromOutside: the signal is sent to it.
nlohmann::json lastWordsOf(const std::function<void()>& what, int signal, bool fromOutside = false)
{
    int ends[2] = {};
    EXPECT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
        tellOfCrashes(Pipe(ends[1]), std::make_shared<std::mutex>());
        EXPECT_EQ(write(ends[1], "+", 1), 1);
        what();
        _exit(0);
    }
    close(ends[1]);
    char ready = 0;
    EXPECT_EQ(read(ends[0], &ready, 1), 1);
    if (fromOutside) kill(child, signal);
    std::vector<std::uint8_t> bytes(lengthBytes);
    const Pipe from(ends[0]);
    if (from.read(bytes)) {
        bytes.resize(lengthFrom(bytes.data()));
        EXPECT_TRUE(from.read(bytes));
    }
    close(ends[0]);
    int ended = 0;
    waitpid(child, &ended, 0);
    EXPECT_TRUE(WIFSIGNALED(ended) && WTERMSIG(ended) == signal) << ended;
    return nlohmann::json::from_cbor(bytes, true, false);
}

#endif

}  // namespace

#if !defined(_WIN32) && !A2_IS_SANITIZED

TEST(CrashNews, SayWhoseFaultItWas)
{
    EXPECT_EQ(lastWordsOf([] { *nowhere = 1; }, SIGSEGV),
              (nlohmann::json{{"is", "crash"}, {"who", "a2"}, {"call", ""}}));
    EXPECT_EQ(lastWordsOf([] { std::abort(); }, SIGABRT).at("who"), "a2");
    EXPECT_EQ(lastWordsOf([] { pause(); }, SIGSEGV, true).at("who"), "outside");
    if (driverCall().number > 0) GTEST_SKIP() << "another test has used a driver in this process";
    const auto inDriver = [] {
        const auto get = watchedVulkan(crashingDriver);
        reinterpret_cast<PFN_vkDeviceWaitIdle>(get(nullptr, "vkDeviceWaitIdle"))(nullptr);
    };
    EXPECT_EQ(lastWordsOf(inDriver, SIGSEGV),
              (nlohmann::json{{"is", "crash"}, {"who", "driver"}, {"call", "vkDeviceWaitIdle"}}));
}

#endif

#ifndef _WIN32  // Windows has no signals

TEST(DeviceProcessEnd, TellsWhoEndedIt)
{
    DeviceProcessEnd end;
    end.signal = SIGSEGV;
    EXPECT_EQ(end.story("judging"),
              "the driver ended a2's device process with signal 11 (segmentation fault) while judging");
    end.who = "driver";
    end.call = "vkQueueSubmit";
    EXPECT_TRUE(end.story("judging").starts_with("the driver ended ")) << end.story("judging");
    EXPECT_TRUE(end.story("judging").ends_with(" while judging, in vkQueueSubmit")) << end.story("judging");
    EXPECT_FALSE(end.isOwnFault());
    end = {0, SIGSEGV, "", "a2", ""};
    EXPECT_EQ(end.story("walking"),
              "a2's own code ended a2's device process with signal 11 (segmentation fault) while "
              "walking (this is a fault of a2)");
    EXPECT_TRUE(end.isOwnFault());
    end.who = "kernel";
    EXPECT_TRUE(end.story("walking").find("or a kernel wrote over a2's memory") != std::string::npos);
    EXPECT_FALSE(end.isOwnFault());
    end = {0, SIGTERM, "", "", ""};
    EXPECT_TRUE(end.story("judging").starts_with("another process, or the system for want of memory, ended "));
    end.overdue = "the driver's vkQueueSubmit did not return within 60 s (--timeout)";
    EXPECT_EQ(end.story("judging"), end.overdue + " while judging");
}

#endif

}  // namespace a2
