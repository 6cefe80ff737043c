// The Khronos validation layer has nothing to report about any kernel or host code.

#include "RunA2.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace contract {

TEST(Validation, FindsNothingInTheWholeMatrixOfShortLengths)
{
    const Folder folder;
    const Finished check = runA2({"check", "--up-to", "300", "--validation", "required", "--json", folder / "r.json"});
    EXPECT_EQ(check.status, 0) << check;
    const Words lines = linesOf(check.out);
    EXPECT_EQ(std::count(lines.begin(), lines.end(), "TEST PASSED"), static_cast<long>(courseRows().size())) << check;
    EXPECT_FALSE(contains(check.out + check.err, "VUID")) << check;
    EXPECT_FALSE(contains(check.err, "warning")) << check;
    const Finished valid = inspect({"validate", A2_SCHEMA, folder / "r.json"});
    EXPECT_EQ(valid.status, 0) << valid;
}

TEST(Validation, FindsNothingInATimedRun)
{
    const Finished run = runA2({"-n", "5000", "-r", "2", "--validation", "on"});
    EXPECT_EQ(run.status, 0) << run;
    EXPECT_EQ(linesOf(run.out).size(), 27U) << run;
    EXPECT_FALSE(contains(run.err, "warning")) << run;
}

}  // namespace contract
