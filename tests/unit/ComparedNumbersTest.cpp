// Tests the numbers that kernels compare others with.

#include "spirv/ComparedNumbers.h"

#include "support/EmulatedGlsl.h"

#include <gtest/gtest.h>

namespace a2 {

TEST(ComparedNumbers, AreConstantsBesideEqualAndUnequal)
{
    const std::vector<std::uint32_t> words = compileGlsl(
        "#version 450\n"
        "layout(local_size_x = 4) in;\n"
        "layout(set = 0, binding = 0) buffer Z { uint z[]; };\n"
        "void main() {\n"
        "    if (z[0] == 0xDEADBEEFu) z[1] = 17u;\n"
        "    while (12345u != z[2]) z[3] += 19u;\n"
        "    atomicCompSwap(z[4], 4711u, 23u);\n"
        "    if (z[5] < 29u) z[6] = z[7] == z[8] ? 31u : 37u;\n"
        "}\n");
    EXPECT_EQ(comparedNumbers(SpirvModule(words)), (std::set<std::uint32_t>{4711, 12345, 0xDEADBEEF}));
}

}  // namespace a2
