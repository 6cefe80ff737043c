// The tests' own main(): a2 must not see the devices and colours that the user's shell sets.

#include <gtest/gtest.h>

#include <cstdlib>

int main(int argc, char** argv)
{
    for (const char* name : {"A2_DEVICE", "NO_COLOR"}) unsetenv(name);
    testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
