// Exit status 1: a kernel made to break what reads it. It fails its own row in one line; no other row fails, and no
// program crashes. Where spirv-val is not installed, kernels with their own SPIR-V instructions are refused for that
// reason.

#include "RunA2.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace contract {

namespace {

struct Hostile {
    const char* name;
    bool ownInstructions;
    const char* declarations;
    const char* statements;
};

void PrintTo(const Hostile& kernel, std::ostream* stream) { *stream << kernel.name; }

const Hostile hostileKernels[] = {
    {"CallOfAValue", true, "spirv_instruction(id = 57) uint act(uint a, uint b);", "data[0] = act(data[1], data[2]);"},
    {"LoadFromAValue", true, "spirv_instruction(id = 61) uint act(uint a);", "data[0] = act(data[1]);"},
    {"StoreToAValue", true, "spirv_instruction(id = 62) void act(uint a, uint b);", "act(data[1], data[2]);"},
    {"PartOfAValue", true, "spirv_instruction(id = 65) uint act(uint a, uint b);", "data[0] = act(data[1], data[2]);"},
    {"BranchToAValue", true, "spirv_instruction(id = 249) void act(uint a);", "act(data[1]);"},
    {"SwitchOnNothing", true, "spirv_instruction(id = 251) void act();", "act();"},
    {"FunctionEndsEarly", true, "spirv_instruction(id = 56) void act();", "act();"},
    {"FunctionInsideMain", true, "spirv_instruction(id = 54) uint act();", "data[0] = act();"},
    {"LabelAsAValue", true, "spirv_instruction(id = 248) uint act();", "data[0] = act();"},
    {"TypeAsAValue", true, "spirv_instruction(id = 30) uint act(uint a);", "data[0] = act(data[1]);"},
    {"PhiOfOneValue", true, "spirv_instruction(id = 245) uint act(uint a);", "data[0] = act(data[1]);"},
    {"MergeWithAValue", true, "spirv_instruction(id = 247) void act(uint a, uint b);", "act(data[1], data[2]);"},
    {"AdditionOfOne", true, "spirv_instruction(id = 128) uint act(uint a);", "data[0] = act(data[1]);"},
    {"SelectOfTwo", true, "spirv_instruction(id = 169) uint act(uint a, uint b);", "data[0] = act(data[1], data[2]);"},
    {"AtomicOnAValue", true, "spirv_instruction(id = 234) uint act(uint a, uint b, uint c, uint d);",
     "data[0] = act(data[1], 1, 0, 1);"},
    {"ComponentFarAway", true, "spirv_instruction(id = 81) uint act(uvec2 a, spirv_literal uint b);",
     "data[0] = act(uvec2(data[1]), 4000000000u);"},
    {"UnknownInstruction", true, "spirv_instruction(id = 9999) uint act(uint a);", "data[0] = act(data[1]);"},
    {"UnknownMemory", true, "spirv_storage_class(7777) uint far;", "data[0] = far;"},
    {"GibibytesOfItsOwn", false, "uint big[0x10000000];", "big[data[1]] = 3; data[0] = big[data[2]];"},
    {"GibibytesInMain", false, "", "uint big[0x10000000]; big[data[1]] = 3; data[0] = big[data[2]];"},
    {"OwnArrayBySpecialisation", false, "layout(constant_id = SPEC_ELEMENTS) const uint ELEMENTS = 2;",
     "uint big[ELEMENTS * 0x4000000]; big[data[1]] = 3; data[0] = big[data[2]];"},
    {"LeastNumberByMinusOne", false,
     "layout(constant_id = SPEC_ELEMENTS) const int ELEMENTS = 2;\n"
     "const int LEAST = ELEMENTS * 0 + int(0x80000000);\nconst int WHAT = LEAST / (ELEMENTS * 0 - 1);",
     "data[0] = WHAT;"},
};

std::string text(const Hostile& kernel)
{
    return std::string("#version 450\n#extension GL_GOOGLE_include_directive : require\n") +
           (kernel.ownInstructions ? "#extension GL_EXT_spirv_intrinsics : require\n" : "") +
           "#include \"include/A2Task1.h\"\n"
           "layout(set = 0, binding = BINDING_IN) buffer Data { uint data[]; };\n"
           "layout(push_constant) uniform Push { InterleavedPush push; };\n" +
           kernel.declarations + "\nvoid main()\n{\n    " + kernel.statements + "\n}\n";
}

// Functions that each call the next one twice: 2^40 calls, which drivers would inline.
std::string callsWithoutEnd()
{
    std::string all = "void call0() { ++data[0]; }\n";
    for (int i = 1; i <= 40; ++i) {
        const std::string before = "call" + std::to_string(i - 1) + "(); ";
        all += "void call" + std::to_string(i) + "() { " + before + before + "}\n";
    }
    return all;
}

void expectOnlyItsOwnRowFails(const std::string& kernel, const Environment& environment = {})
{
    const Folder folder;
    folder.file("A2Task1Interleaved.comp", kernel);
    const Finished run =
        runA2({"reduce/interleaved", "reduce/sequential", "-n", "1024", "-r", "1", "--shader-dir", folder.path()},
              environment);
    EXPECT_EQ(run.status, 1) << run;
    const Words lines = linesOf(run.out);
    ASSERT_EQ(std::count(lines.begin(), lines.end(), "TEST FAILED"), 1) << run;
    EXPECT_EQ(std::count(lines.begin(), lines.end(), "TEST PASSED"), 1) << run;
    EXPECT_TRUE(contains(run.out, "A2Task1Interleaved")) << run;
}

class AHostileKernel : public testing::TestWithParam<Hostile> {};

}  // namespace

TEST_P(AHostileKernel, FailsItsOwnRow) { expectOnlyItsOwnRowFails(text(GetParam())); }

// Nothing of this reaches the driver, even without a validator.
TEST_P(AHostileKernel, FailsItsOwnRowWithoutSpirvVal)
{
    const Folder noPrograms;  // glslang is found by its path
    expectOnlyItsOwnRowFails(text(GetParam()), {{"PATH", noPrograms.path()}});
}

INSTANTIATE_TEST_SUITE_P(HostileKernels, AHostileKernel, testing::ValuesIn(hostileKernels),
                         [](const auto& kernel) { return std::string(kernel.param.name); });

TEST(HostileKernels, CallsThatMultiplyAreCounted)
{
    expectOnlyItsOwnRowFails(text({"", false, callsWithoutEnd().c_str(), "call40();"}));
}

// A size beyond the device may be due to the device's limit; it must pass nowhere, and crash nothing.
TEST(HostileKernels, GibibytesSharedPassNowhere)
{
    const Folder folder;
    folder.file("A2Task1Interleaved.comp", text({"", false, "shared uint big[0x40000000];",
                                                 "big[data[1]] = 3; barrier(); data[0] = big[data[2]];"}));
    const Finished run =
        runA2({"reduce/interleaved", "reduce/sequential", "-n", "1024", "-r", "1", "--shader-dir", folder.path()});
    const Words lines = linesOf(run.out);
    EXPECT_EQ(std::count(lines.begin(), lines.end(), "TEST PASSED"), 1) << run;
    EXPECT_LT(run.status, 4) << run;
}

TEST(HostileKernels, AreRefusedByEveryCommand)
{
    const Folder folder;
    folder.file("A2Task1Interleaved.comp", text(hostileKernels[0]));
    for (const Words& command :
         {Words{"check", "reduce/interleaved", "--up-to", "65"},
          Words{"bench", "reduce/interleaved", "-n", "1024", "-r", "1"},
          Words{"steps", "reduce/interleaved", "-n", "16"}, Words{"theory", "reduce/interleaved", "-n", "64"}}) {
        Words words = command;
        words.insert(words.end(), {"--shader-dir", folder.path()});
        const Finished run = runA2(words);
        EXPECT_EQ(run.status, 1) << command.front() << "\n" << run;
    }
}

}  // namespace contract
