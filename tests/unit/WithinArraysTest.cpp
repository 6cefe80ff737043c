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

// A compute kernel has no other inputs than those that are built in.
TEST(SpirvModule, RefusesAnInputThatIsNotBuiltIn)
{
    std::vector<std::uint32_t> words = compileGlsl(
        "#version 450\nlayout(local_size_x_id = 0) in;\nlayout(set = 0, binding = 0) buffer Z { uint z[]; };\n"
        "void main() { z[0] = gl_NumWorkGroups.x; }\n");
    EXPECT_NO_THROW(static_cast<void>(SpirvModule(words)));
    for (std::size_t at = SpirvModule::headerWords; at < words.size(); at += words[at] >> 16)
        if ((words[at] & 0xFFFF) == spv::OpDecorate && words[at + 2] == spv::DecorationBuiltIn)
            words[at + 2] = spv::DecorationLocation;
    EXPECT_THROW(static_cast<void>(SpirvModule(words)), InvalidSpirvError);
}

// The index of 64 bits that glslang refuses and SPIR-V has. Its high half must not lead out of the array.
TEST(WithinArrays, BoundsIndicesOfOtherWidths)
{
    std::vector<std::uint32_t> words = compileGlsl(
        "#version 450\n"
        "#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require\n"
        "layout(local_size_x_id = 0) in;\n"
        "layout(set = 0, binding = 0) buffer Z { uint z[]; };\n"
        "shared uint many[gl_WorkGroupSize.x];\n"
        "void main() {\n"
        "    uint64_t large = uint64_t(z[0]) << 32;\n"
        "    uint index = uint(large);\n"
        "    many[index] = 1u;\n"
        "}\n");
    std::uint32_t wholeNumber = 0, ofSixtyFour = 0, shared = 0;
    std::size_t chains = 0;
    for (std::size_t at = SpirvModule::headerWords; at < words.size(); at += words[at] >> 16) {
        const std::uint32_t opcode = words[at] & 0xFFFF;
        if (opcode == spv::OpTypeInt && words[at + 2] == 64) wholeNumber = words[at + 1];
        if (opcode == spv::OpVariable && words[at + 3] == spv::StorageClassWorkgroup) shared = words[at + 2];
        if (opcode == spv::OpLoad && words[at + 1] == wholeNumber) ofSixtyFour = words[at + 2];
        if (opcode == spv::OpAccessChain && words[at + 3] == shared) {
            words[at + 4] = ofSixtyFour;
            ++chains;
        }
    }
    ASSERT_EQ(chains, 1U);
    ASSERT_NE(ofSixtyFour, 0U);
    const std::vector<std::uint32_t> bounded = withinArrays(SpirvModule(words));
    EXPECT_NO_THROW(static_cast<void>(SpirvModule(bounded)));
    EXPECT_EQ(countOf(bounded, spv::OpExtInst), countOf(words, spv::OpExtInst) + 1);
    EXPECT_EQ(countOf(bounded, spv::OpUConvert), countOf(words, spv::OpUConvert) + 1);
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
