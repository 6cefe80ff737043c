// Tests the numbers that kernels compare others with.

#include "spirv/ComparedNumbers.h"

#include "support/EmulatedGlsl.h"

#include <gtest/gtest.h>

namespace a2 {

TEST(ComparedNumbers, AreConstantsBesideEqualAndUnequalAndCases)
{
    const std::vector<std::uint32_t> words = compileGlsl(
        "#version 450\n"
        "#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require\n"
        "layout(constant_id = 0) const uint NOTHING = 9001;\n"
        "layout(local_size_x = 4) in;\n"
        "layout(set = 0, binding = 0) buffer Z { uint z[]; };\n"
        "void main() {\n"
        "    if (z[0] == 0xDEADBEEFu) z[1] = 17u;\n"
        "    while (12345u != z[2]) z[3] += 19u;\n"
        "    atomicCompSwap(z[4], 4711u, 23u);\n"
        "    if (z[5] < 29u) z[6] = z[7] == z[8] ? 31u : 37u;\n"
        "    if (z[9] != NOTHING) z[10] = 41u;\n"
        "    if (packUint2x32(uvec2(z[11], z[12])) == 0x1234567800000BADul) z[13] = 43u;\n"
        "    switch (z[14]) { case 815u: z[15] = 47u; }\n"
        "}\n");
    EXPECT_EQ(comparedNumbers(SpirvModule(words)),
              (std::set<std::uint32_t>{815, 0xBAD, 4711, 9001, 12345, 0x12345678, 0xDEADBEEF}));
}

// What a kernel writes to tell a value from "nothing" is "nothing" for one value.
TEST(ComparedNumbers, HaveThoseThatBecomeThem)
{
    const std::vector<std::uint32_t> words = compileGlsl(
        "#version 450\n"
        "layout(local_size_x = 4) in;\n"
        "layout(set = 0, binding = 0) buffer Z { uint z[]; };\n"
        "void main() { while (atomicAdd(z[0], 0) == 0) {} atomicExchange(z[1], (z[2] + 1) ^ 0xBADC0DE5u); }\n");
    EXPECT_EQ(comparedNumbers(SpirvModule(words)), (std::set<std::uint32_t>{0, 0xBADC0DE5, 0xFFFFFFFF}));
}

}  // namespace a2
