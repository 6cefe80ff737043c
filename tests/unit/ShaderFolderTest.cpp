// Kernels from a folder (--shader-dir) instead of the built-in ones. tests/known-bad/ tests broken ones.

#include "GpuFixture.h"
#include "support/ChangedShaders.h"

namespace a2 {

TEST(ShaderFolder, HoldsKernelsThatPass)
{
    const ChangedShaders shaders("Copy.comp", "uint count", "uint count");
    const auto gpu = openTestGpu(shaders.path());
    for (const Task& task : allTasks()) EXPECT_EQ(evaluate(*gpu, task, 1000).status, Status::passed) << task.id;
}

TEST(ShaderFolder, KernelsThatDoNotCompileFailWithFileAndLine)
{
    const ChangedShaders shaders("A2Task1Sequential.comp", "uint sum = data[first];", "uint sum = dato[first];");
    const auto gpu = openTestGpu(shaders.path());
    const TaskOutcome outcome = evaluate(*gpu, taskNamed("reduce/sequential"), 1000);
    EXPECT_EQ(outcome.status, Status::failed);
    EXPECT_NE(explanation(outcome).find("A2Task1Sequential.comp:"), std::string::npos) << explanation(outcome);
    EXPECT_NE(explanation(outcome).find("'dato'"), std::string::npos) << explanation(outcome);
}

}  // namespace a2
