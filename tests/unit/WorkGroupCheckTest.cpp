// The check of shared memory on kernels with subgroup arithmetic and 64-bit integers: what it finds, and how far it
// goes.

#include "spirv/WorkGroupCheck.h"

#include "GpuFixture.h"
#include "gpu/Shaders.h"
#include "support/ChangedShaders.h"

namespace a2 {

namespace {

// Of reduce/subgroup with one change, 1000 elements in work-groups of 64 x 2.
std::string fault(const std::string& file, const std::string& from, const std::string& to, std::uint32_t workGroup = 64)
{
    const ChangedShaders folder(file, from, to);
    const auto gpu = openTestGpu(folder.path());
    WorkGroupCheck check(loadShader(*gpu, "A2Task1Subgroup"), KernelShape{workGroup, 2, false});
    const auto found = check.fault({8, 1, 1}, {1000U, 8U});
    return found ? std::string(found->rule) + ": " + found->what : "";
}

constexpr const char* sums = "include/A2SubgroupSum.glsl";

}  // namespace

TEST(WorkGroupCheckOfSubgroups, FindsNothingInTheRightKernel)
{
    EXPECT_EQ(fault(sums, "barrier();", "barrier(); "), "");
}

TEST(WorkGroupCheckOfSubgroups, FindsAMissingBarrierBetweenThem)
{
    EXPECT_EQ(fault(sums, "barrier();", ""),
              "missing-barrier: invocation 32 of work-group 0 writes element 1 of the shared array 'subgroupSums', and "
              "invocation 1 uses it, with no barrier() between");
}

TEST(WorkGroupCheckOfSubgroups, FollowsAnInvocationToWhereItsWayIsUnknown)
{
    // Invocation 0 ends at a branch on the atomic's result; what it has done before still counts.
    const std::string afterwards = fault("A2Task1Subgroup.comp", "        // The sum is modulo",
                                         "        subgroupSums[1] = sum;\n        // The sum is modulo");
    EXPECT_EQ(afterwards,
              "missing-barrier: invocation 0 of work-group 0 writes element 1 of the shared array 'subgroupSums', and "
              "invocation 1 uses it, with no barrier() between");
}

TEST(WorkGroupCheckOfSubgroups, FindsElementsBehindTheEnd)
{
    EXPECT_EQ(fault(sums, "subgroupSums[gl_WorkGroupSize.x]", "subgroupSums[1]"),
              "out-of-bounds: invocation 1 of work-group 0 reads element 1 of the shared array 'subgroupSums', which "
              "has 1 elements");
}

TEST(WorkGroupCheckOfSubgroups, FindsABarrierThatOnlySomeComeTo)
{
    const std::string found = fault(sums, "    uint sum = 0;\n    if (gl_SubgroupID == 0) {",
                                    "    uint sum = 0;\n    if (gl_SubgroupID == 0) {\n        barrier();");
    EXPECT_EQ(found.find("missing-barrier: invocation 32 of work-group 0 comes to 1 barrier() calls, others to 2"), 0U)
        << found;
}

// Who is elected is known only where the subgroup's first invocation comes, too.
TEST(WorkGroupCheckOfSubgroups, DoesNotGuessWhoIsElectedInPartOfASubgroup)
{
    EXPECT_EQ(fault("A2Task1Subgroup.comp", "void main()\n{",
                    "void main()\n{\n    if (gl_SubgroupInvocationID > 3 && subgroupElect()) "
                    "++subgroupSums[(gl_SubgroupID + 1) % 2];"),
              "");
    EXPECT_NE(fault("A2Task1Subgroup.comp", "void main()\n{",
                    "void main()\n{\n    if (subgroupElect()) ++subgroupSums[(gl_SubgroupID + 1) % 2];"),
              "");
}

// 64-bit numbers are not followed: a branch on one is a way that cannot be told.
TEST(WorkGroupCheckOfSubgroups, KnowsNoWideNumbers)
{
    EXPECT_EQ(fault("A2Task1Subgroup.comp", "void main()\n{",
                    "void main()\n{\n    uint64_t wide = 0x100000000ul;\n    if (wide == 0) subgroupSums[100] = 1;"),
              "");
}

// A CPU driver has its own memory there: it would end in a signal.
TEST(WorkGroupCheckOfSubgroups, KeepsADispatchFarBehindASharedArrayFromTheDriver)
{
    const ChangedShaders shaders("A2Task1KernelDecomposition.comp", "partial[lane] = sum;",
                                 "partial[lane + 0x10000000] = sum;");
    const auto gpu = openTestGpu(shaders.path());
    const Task task = taskNamed("reduce/decomposition");
    EvaluationSettings settings;
    settings.size = 4097;
    settings.repeat = 2;
    Evaluator evaluator(*gpu, settings, [](const std::string&) {});
    StepsOutcome steps;
    for (const TaskOutcome& outcome :
         {evaluator.run(task), evaluator.steps(task, {}, steps), evaluator.bench({task}, [](auto&&...) {}).front()}) {
        EXPECT_EQ(outcome.status, Status::failed);
        const std::string text = explanation(outcome);
        const std::string what = "of the shared array 'partial', which has ";
        const std::size_t found = text.find(what);
        ASSERT_NE(found, std::string::npos) << text;
        EXPECT_EQ(text.find(what, found + 1), std::string::npos) << "said once: " << text;
    }
    EXPECT_TRUE(steps.steps.empty());
}

}  // namespace a2
