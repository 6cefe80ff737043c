// Tests that kernels for CPU drivers keep to their own arrays.

#include "spirv/WithinArrays.h"

#include "GpuFixture.h"
#include "support/ChangedShaders.h"
#include "support/EmulatedGlsl.h"
#include "support/Prepared.h"

#include <gtest/gtest.h>

namespace a2 {

namespace {

std::uint64_t countOf(std::span<const std::uint32_t> words, spv::Op wanted)
{
    std::uint64_t count = 0;
    forEachInstruction(SpirvModule(words), [&](spv::Op opcode, SpirvWords) { count += opcode == wanted; });
    return count;
}

}  // namespace

TEST(WithinArrays, BoundsWhatIsNotKnownToBeInside)
{
    const std::vector<std::uint32_t> words = compileGlsl(
        "#version 450\n"
        "layout(local_size_x_id = 0) in;\n"
        "layout(set = 0, binding = 0) buffer Z { uint z[]; };\n"
        "shared uint few[8], many[gl_WorkGroupSize.x];\n"
        "shared uvec4 wide[4];\n"
        "void main() {\n"
        "    uint own[3];\n"
        "    own[z[0]] = z[1];\n"                 // 1
        "    few[z[2]] = few[7];\n"               // 1, and one that is inside
        "    many[z[3]] = own[int(z[4]) - 9];\n"  // 2
        "    wide[z[5]][z[6]] = few[1];\n"        // 2
        "    z[many[0]] = 5u;\n"                  // a length that is not known; and a buffer's, which is left alone
        "}\n");
    const std::vector<std::uint32_t> bounded = withinArrays(SpirvModule(words));
    EXPECT_NO_THROW(static_cast<void>(SpirvModule(bounded)));
    EXPECT_EQ(countOf(bounded, spv::OpExtInst), countOf(words, spv::OpExtInst) + 7);
    EXPECT_EQ(countOf(bounded, spv::OpExtInstImport), countOf(words, spv::OpExtInstImport));
    EXPECT_EQ(countOf(bounded, spv::OpAccessChain), countOf(words, spv::OpAccessChain));
}

// On a CPU driver such an index reaches memory of a2 itself.
TEST(WithinArrays, KeepsACpuDriverFromForeignMemory)
{
    const ChangedShaders folder("A2Task1Interleaved.comp", "void main()\n{\n",
                                "shared uint few[64];\n"
                                "void main()\n{\n"
                                "    if (push.stride == 1 && gl_GlobalInvocationID.x == 0) {\n"
                                "        few[63] = 7;\n"
                                "        few[0x10000003u + push.stride] += 1;\n"
                                "        if (few[63] != 8) data[0] += 1;  // the last element is what is reached\n"
                                "    }\n");
    const auto gpu = openTestGpu(folder.path());
    if (!gpu->isCpu()) GTEST_SKIP() << "this device's memory is its own";
    Prepared made(*gpu, taskNamed("reduce/interleaved"), 1000, KernelShape{64, 2});
    made.trial.runLint().leaveKernelsAlone();  // so that the kernel reaches the driver
    EXPECT_TRUE(made.trial.judgedRun().passed());
}

}  // namespace a2
