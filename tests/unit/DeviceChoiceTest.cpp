// Which device is chosen, and what is reported about the others.

#include "a2/Error.h"
#include "gpu/DeviceChoice.h"

#include <gtest/gtest.h>

namespace a2 {

namespace {

using Type = vk::PhysicalDeviceType;

std::vector<DeviceCandidate> candidates(std::initializer_list<std::pair<const char*, Type>> all)
{
    std::vector<DeviceCandidate> made;
    for (const auto& [name, type] : all) {
        DeviceCandidate one;
        one.index = static_cast<std::uint32_t>(made.size());
        one.name = name;
        one.type = type;
        one.queueFamily = 0;
        made.push_back(one);
    }
    return made;
}

const auto four = candidates({{"llvmpipe", Type::eCpu},
                              {"Virtio", Type::eVirtualGpu},
                              {"Iris Xe", Type::eIntegratedGpu},
                              {"GeForce RTX", Type::eDiscreteGpu}});

}  // namespace

TEST(DeviceChoice, TakesDiscreteIntegratedVirtualCpuInThisOrder)
{
    auto left = four;
    for (const std::size_t best : {3U, 2U, 1U, 0U}) {
        EXPECT_EQ(chooseDevice(left, "").chosen, best);
        left.pop_back();
    }
}

TEST(DeviceChoice, TakesIndexNameAndCpu)
{
    EXPECT_EQ(chooseDevice(four, "2").chosen, 2U);
    EXPECT_EQ(chooseDevice(four, "geforce").chosen, 3U);
    EXPECT_EQ(chooseDevice(four, "cpu").chosen, 0U);
    EXPECT_EQ(chooseDevice(four, "CPU").chosen, 0U);
}

TEST(DeviceChoice, GivesEachProgramOfAMachineADeviceOfItsOwnAmongTheBest)
{
    const auto devices = candidates({{"GeForce A", Type::eDiscreteGpu},
                                     {"Iris Xe", Type::eIntegratedGpu},
                                     {"GeForce B", Type::eDiscreteGpu},
                                     {"llvmpipe", Type::eCpu}});
    for (const auto& [rankHere, chosen] : {std::pair{0U, 0U}, {1U, 2U}, {2U, 0U}, {3U, 2U}}) {
        const DeviceChoice choice = chooseDevice(devices, "", rankHere);
        EXPECT_EQ(choice.chosen, chosen) << rankHere;
        EXPECT_EQ(choice.alike, 2U);
    }
    EXPECT_EQ(chooseDevice(devices, "geforce b", 1).chosen, 2U);
    EXPECT_EQ(chooseDevice(devices, "cpu", 1).chosen, 3U);
    EXPECT_EQ(chooseDevice(devices, "cpu", 1).alike, 1U);
}

TEST(DeviceChoice, GivesAReasonForEveryDevice)
{
    auto devices = four;
    devices[3].rejection = "has no queue for compute";
    const DeviceChoice choice = chooseDevice(devices, "");
    EXPECT_EQ(choice.chosen, 2U);
    ASSERT_EQ(choice.reasons.size(), 4U);
    EXPECT_NE(choice.reasons[2].find("chosen"), std::string::npos);
    EXPECT_NE(choice.reasons[3].find("has no queue for compute"), std::string::npos);
    EXPECT_NE(choice.reasons[0].find("an integrated GPU comes first"), std::string::npos) << choice.reasons[0];
}

TEST(DeviceChoice, RefusesWhatIsNotThere)
{
    EXPECT_THROW(chooseDevice(four, "4"), UsageError);
    EXPECT_THROW(chooseDevice(four, "radeon"), UsageError);
    EXPECT_THROW(chooseDevice({}, ""), EnvironmentError);
    auto rejected = candidates({{"old", Type::eDiscreteGpu}});
    rejected[0].rejection = "supports Vulkan 1.0 only";
    EXPECT_THROW(chooseDevice(rejected, ""), EnvironmentError);
    EXPECT_THROW(chooseDevice(rejected, "old"), EnvironmentError);
}

}  // namespace a2
