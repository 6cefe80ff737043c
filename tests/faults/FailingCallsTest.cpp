// Every Vulkan call fails once, or every k-th one: a2 must not end by a signal or pass wrongly; it must say in a line
// what failed, and write its reports.
//
// The first calls fail one by one, then every sixth up to the last one of the first length; of the others, which repeat
// again and again, every 97th. Lack of host memory and of device memory take turns, too, because a2 catches both in the
// same places, with a message for each. A2_FAULTS=closely in the environment: all up to the last one of the first
// length, and then every 47th; A2_FAULTS=all: each one.

#include "Faults.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>

#include <string>
#include <utility>
#include <vector>

namespace faults {

namespace {

constexpr unsigned shares = 4;  // these tests divide the calls among them, so that they can run side by side

struct Calls {
    const char* name;
    const char* result;
    unsigned share;
};

void PrintTo(const Calls& calls, std::ostream* stream) { *stream << calls.name << " " << calls.share; }

std::uint64_t nextCall(std::uint64_t call)
{
    constexpr std::uint64_t first = 32, firstLength = 120;
    const bool closely = howMany() == "closely";
    if (call < first || howMany() == "all" || (closely && call < firstLength)) return call + 1;
    return call + (call < firstLength ? 6 : closely ? 47 : 97);
}

// For the calls, in the order in which they are tried.
bool isTried(const char* result, std::uint64_t number)
{
    if (result == std::string(deviceLost) || howMany() == "all") return true;
    return (number / shares % 2 == 0) == (result == std::string(outOfHostMemory));
}

// The loader can do without the answers to its own questions; names are only for debuggers; without a timestamp the
// host's time is used; and freed objects are not needed.
bool canBeDoneWithout(const std::string& call)
{
    return call == "vkSetDebugUtilsObjectNameEXT" || call == "vkGetQueryPoolResults" ||
           call == "vkFreeDescriptorSets" || call.starts_with("vkEnumerate");
}

// Whether the output contains the call's result, as Vulkan-Hpp names it, or a message of a2's.
bool saysWhat(const Finished& run)
{
    const std::string said = run.out + run.err;
    for (const char* one : {"ErrorOutOfHostMemory", "ErrorOutOfDeviceMemory", "ErrorDeviceLost", "the device was lost",
                            "which the device refused", "ran out of memory", "ran out of main memory", "no timestamps"})
        if (contains(said, one)) return true;
    return false;
}

void expectReports(const Folder& folder, const Finished& run)
{
    EXPECT_TRUE(nlohmann::json::accept(textOf(folder / "r.json"))) << run;
    EXPECT_TRUE(pugi::xml_document().load_file((folder / "r.xml").c_str())) << run;
    EXPECT_FALSE(textOf(folder / "r.csv").empty()) << run;
}

// Returns whether a call failed at all.
bool expectSoundRun(const char* result, const std::string& first, const std::string& every)
{
    const Folder folder;
    const Finished run = runFaulty({"run", "reduce/atomic", "scan/work-efficient", "-n", "5000", "-r", "2", "--json",
                                    folder / "r.json", "--csv", folder / "r.csv", "--junit", folder / "r.xml"},
                                   {{"RESULT", result}, {"FIRST", first}, {"EVERY", every}, {"LOG", folder / "log"}});
    const Words failed = linesOf(textOf(folder / "log"));
    const std::string call = failed.empty() ? "" : failed.front().substr(failed.front().find(' ') + 1);
    SCOPED_TRACE("call " + first + ", " + call + ", returned " + result);
    const std::size_t passed = count(run.out, "TEST PASSED");
    EXPECT_TRUE(run.status == 0 || run.status == 1 || run.status == 3 || run.status == 4) << run;
    EXPECT_LE(errorLines(run), 1U) << run;
    const bool began = contains(run.out, "] evaluating ");
    if (began)
        expectReports(folder, run);
    else
        EXPECT_TRUE(run.status == 3 && errorLines(run) == 1) << run;
    if (failed.empty()) {
        EXPECT_TRUE(run.status == 0 && passed == 2) << run;
        return false;
    }
    const bool needless = canBeDoneWithout(call) && result != std::string(deviceLost) && failed.size() == 1;
    // In Vulkan this call cannot fail, and code that frees something has no use for an error: another call shows the
    // loss.
    const bool unseen = call == "vkFreeDescriptorSets" && failed.size() == 1;
    const bool copyKernel = contains(run.err, "note: the copy kernel could not be timed: ");
    if (!needless && !copyKernel && !unseen) {
        EXPECT_LT(passed, 2U) << run;
        EXPECT_TRUE(saysWhat(run)) << run;
    }
    if (call == "vkSetDebugUtilsObjectNameEXT" && needless) {
        EXPECT_TRUE(run.status == 0 && passed == 2) << run;
    }
    if (result == std::string(deviceLost) && began && !unseen) {
        EXPECT_EQ(run.status, 4) << run;
        EXPECT_EQ(errorLines(run), 1U) << run;
    }
    return true;
}

}  // namespace

class FailingCalls : public testing::TestWithParam<Calls> {};

TEST_P(FailingCalls, OneByOne)
{
    if (!whyNot().empty()) GTEST_SKIP() << whyNot();
    std::uint64_t number = 0;
    for (std::uint64_t call = 1;; call = nextCall(call), ++number)
        if (number % shares == GetParam().share && isTried(GetParam().result, number))
            if (!expectSoundRun(GetParam().result, std::to_string(call), "0")) break;
    EXPECT_GT(number, howMany().empty() ? 46U : 100U) << "hardly any call failed";
}

TEST_P(FailingCalls, EveryKth)
{
    if (!whyNot().empty()) GTEST_SKIP() << whyNot();
    std::uint64_t number = 0;
    for (std::uint64_t k = 1;; k = k < 24 ? k + 1 : k * 3 / 2)
        if (number++ % shares == GetParam().share)
            if (!expectSoundRun(GetParam().result, std::to_string(k), std::to_string(k))) break;
    EXPECT_GT(number, 24U);
}

INSTANTIATE_TEST_SUITE_P(, FailingCalls, testing::ValuesIn([] {
                             std::vector<Calls> all;
                             for (const auto& [name, result] :
                                  {std::pair("HostMemory", outOfHostMemory),
                                   std::pair("DeviceMemory", outOfDeviceMemory), std::pair("DeviceLost", deviceLost)})
                                 for (unsigned share = 0; share < shares; ++share) all.push_back({name, result, share});
                             return all;
                         }()),
                         [](const auto& one) { return one.param.name + std::to_string(one.param.share); });

// The usual advice is to run a2 doctor.
TEST(FailingDoctor, DoesNotAdviseItself)
{
    if (!whyNot().empty()) GTEST_SKIP() << whyNot();
    for (const char* call : {"vkCreateInstance", "vkEnumeratePhysicalDevices"}) {
        const Finished run =
            runFaulty({"doctor"}, {{"RESULT", initializationFailed}, {"CALL", call}, {"FIRST", "1"}, {"EVERY", "1"}});
        EXPECT_EQ(run.status, 3) << run;
        EXPECT_FALSE(contains(run.out, "a2 doctor")) << run;
    }
}

// The commands without rows: each call of the other kinds fails.
class FailingLabs : public testing::TestWithParam<const char*> {};

TEST_P(FailingLabs, EndInOneLine)
{
    if (!whyNot().empty()) GTEST_SKIP() << whyNot();
    Words words = linesOf(GetParam());
    for (const char* result : {outOfHostMemory, initializationFailed, deviceLost})
        for (std::uint64_t call = 1;; call = call < 12 ? call + 1 : call * 3 / 2) {
            const Folder folder;
            const Finished run = runFaulty(
                words, {{"RESULT", result}, {"FIRST", std::to_string(call)}, {"EVERY", "1"}, {"LOG", folder / "log"}});
            if (textOf(folder / "log").empty()) {
                EXPECT_EQ(run.status, 0) << run;
                break;
            }
            SCOPED_TRACE("from call " + std::to_string(call) + " on: " + textOf(folder / "log").substr(0, 60));
            EXPECT_TRUE(run.status == 0 || run.status == 1 || run.status == 3 || run.status == 4) << run;
            EXPECT_EQ(errorLines(run) + count(run.out, "SKIPPED: "), run.status == 0 ? 0U : 1U) << run;
        }
}

INSTANTIATE_TEST_SUITE_P(, FailingLabs,
                         testing::Values("prescan\n-n\n5000\n-r\n1", "obstacles\n-r\n1",
                                         "theory\nscan/work-efficient\n-n\n256\n--measure\n-r\n1",
                                         "theory\nrotate\n--matrix\n40x30\n--measure\n-r\n1"));

}  // namespace faults
