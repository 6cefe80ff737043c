// The tests' own main(): a2 must see nothing of what the user's shell says about devices and colours.

#include <gtest/gtest.h>

#include <cstdlib>

int main(int argc, char** argv)
{
    for (const char* name : {"A2_DEVICE", "NO_COLOR"}) unsetenv(name);
    testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
