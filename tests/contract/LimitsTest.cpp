// Kernels that need more than they should are wrong; they do not exceed the device: no skip, and no pass.

#include "BrokenShaders.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

namespace contract {

namespace {

const std::string kernel = "A2Task1KernelDecompositionAtomic.comp";
const std::string layout = "layout(local_size_x_id = SPEC_WORK_GROUP) in;";

void expectFailed(const Words& words, const std::string& shaders, const std::string& told)
{
    Words all = words;
    all.insert(all.end(), {"--shader-dir", shaders});
    const Finished run = runA2(all);
    EXPECT_EQ(run.status, 1) << run;
    EXPECT_TRUE(contains(run.out, "TEST FAILED")) << run;
    EXPECT_FALSE(contains(run.out, "TEST PASSED")) << run;
    EXPECT_FALSE(contains(run.out, "SKIPPED")) << run;
    std::string unbroken;  // tables break lines
    for (const std::string& line : linesOf(run.out))
        unbroken.append(1, ' ').append(line, std::min(line.find_first_not_of(' '), line.size()));
    EXPECT_TRUE(contains(unbroken, told)) << told << "\n" << run;
}

void expectFailedEverywhere(const std::string& task, const std::string& shaders, const std::string& told)
{
    expectFailed({"run", task, "-n", "4096"}, shaders, told);
    expectFailed({"check", task, "--up-to", "33"}, shaders, told);
    expectFailed({"bench", task, "-n", "4096", "-r", "1"}, shaders, told);
}

}  // namespace

TEST(Limits, SharedMemoryThatTheShapeDoesNotAskForFails)
{
    for (const char* array : {"big[100000]", "big[gl_WorkGroupSize.x * 100]"}) {
        BrokenShaders shaders(kernel, "groupSum = 0;", "{ groupSum = 0; big[0] = 1; }");
        shaders.change(kernel, "shared uint groupSum;", std::string("shared uint groupSum, ") + array + ";");
        expectFailedEverywhere("reduce/atomic", shaders.path(), "bytes of shared memory are more than this device's");
    }
}

TEST(Limits, AWorkGroupOfTheKernelsOwnFails)
{
    for (const auto& [own, told] : {std::pair("local_size_x = 4096", "'local_size' : too large"),
                                    std::pair("local_size_x = 16, local_size_y = 16, local_size_z = 16",
                                              "has local_size 16 x 16 x 16: these 4096 invocations"),
                                    std::pair("local_size_x = 32", "has local_size_x = 32, and work-groups of ")}) {
        const BrokenShaders shaders("include/A2Kernels.h", layout, std::string("layout(") + own + ") in;");
        expectFailedEverywhere("reduce/interleaved", shaders.path(), told);
    }
}

// Without elements no kernel starts, so other lengths must find a broken one.
TEST(Limits, NoElementsAreNoPassOfABrokenKernel)
{
    const BrokenShaders shaders("A2Task1Interleaved.comp", "uint sum = data", "uint sum = 1 + data");
    for (const char* command : {"run", "check", "bench", "steps"})
        expectFailed({command, "reduce/interleaved", "-n", "0"}, shaders.path(), "failed with -n 2 ");
    const Finished none = runA2({"check", "reduce/interleaved", "--up-to", "0"});
    EXPECT_EQ(none.status, 3) << none;
    EXPECT_TRUE(contains(none.out, "SKIPPED: no kernel was started, for n = 0 needs none")) << none;
}

// The labs run kernels of the same folder.
TEST(Limits, TheLabsDoNotPassThemEither)
{
    const BrokenShaders shaders("include/A2Kernels.h", layout,
                                "layout(local_size_x = 16, local_size_y = 16, local_size_z = 16) in;");
    for (const Words& words : {Words{"obstacles", "-n", "100"}, Words{"prescan", "-n", "1000"},
                               Words{"theory", "rotate"}, Words{"theory", "reduce/local-modulo", "--measure"}}) {
        Words all = words;
        all.insert(all.end(), {"--shader-dir", shaders.path()});
        const Finished run = runA2(all);
        EXPECT_EQ(run.status, 1) << run;
        EXPECT_FALSE(contains(run.out, "TEST PASSED")) << run;
        EXPECT_TRUE(contains(run.out + run.err, "has local_size 16 x 16 x 16")) << run;
    }
}

}  // namespace contract
