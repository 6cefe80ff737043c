// Exit status 3: the machine lacks something. If a device lacks it for only one task, the task is SKIPPED.

#include "RunA2.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <tuple>

namespace contract {

namespace {

const Environment noDriver = {{"VK_DRIVER_FILES", "/nonexistent"}, {"VK_ICD_FILENAMES", "/nonexistent"}};

// The task's two lines, the second naming the limit.
void expectSkipped(const Words& words, const std::string& limit)
{
    const Finished run = runA2(words);
    EXPECT_EQ(run.status, 3) << run;
    const Words lines = linesOf(run.out);
    ASSERT_EQ(lines.size(), 2U) << run;
    EXPECT_EQ(lines[0], "[Task1] evaluating KernelDecomposition Atomic");
    EXPECT_TRUE(lines[1].starts_with("SKIPPED: ")) << run;
    EXPECT_TRUE(contains(lines[1], limit)) << run;
    EXPECT_FALSE(contains(run.err, "error")) << run;
}

// Expects the error, and no report, not even a part of one.
void expectMissing(const Words& words, const Environment& environment, const std::string& part)
{
    const Folder folder;
    Words all = words;
    all.insert(all.end(), {"--json", folder / "r.json"});
    const Finished run = runA2(all, environment);
    expectError(run, 3, part);
    EXPECT_FALSE(contains(run.out, "TEST")) << run;
    EXPECT_EQ(folder.names(), Words{});
}

}  // namespace

TEST(Environment, AWorkGroupOverTheDevicesLimitIsSkipped)
{
    expectSkipped({"reduce/atomic", "-n", "64", "-w", "1000000"}, "maxComputeWorkGroupInvocations");
    expectSkipped({"reduce/atomic", "-n", "64", "-w", "4294967295"}, "maxComputeWorkGroup");
    expectSkipped({"check", "reduce/atomic", "-n", "64", "-w", "1000000"}, "maxComputeWorkGroupInvocations");
}

TEST(Environment, ASizeTheDeviceCannotHoldIsSkipped)
{
    for (const char* command : {"run", "check"}) {
        expectSkipped({command, "reduce/atomic", "-n", "1024Gi"},
                      "n = 1099511627776 needs 8 TiB of device memory, this device has ");
        for (const char* size : {"2^40", "2^62", "2^63", "18446744073709551615"})
            expectSkipped({command, "reduce/atomic", "-n", size}, "iB of device memory, this device has ");
    }
}

// For a new user, who has no ~/.cache yet: the driver may write there, and prints nothing.
TEST(Environment, AHomeWithoutACacheIsNothingToSpeakOf)
{
    const Folder home;
    const Finished run = runA2({"reduce/sequential", "-n", "64"}, {{"HOME", home.path()}});
    EXPECT_EQ(run.status, 0) << run;
    for (const std::string& line : linesOf(run.err)) EXPECT_TRUE(line.starts_with("a2: ")) << run;
    EXPECT_EQ(home.names(), Words{".cache"});
}

// A shape that only some kernels support: those are run, the others are skipped, and this is a success.
TEST(Environment, ASkippedTaskBesideAPassedOneIsNoFailure)
{
    const Finished run = runA2({"reduce/atomic", "scan/lookback", "-n", "64", "--elements", "2"});
    EXPECT_TRUE(contains(run.out, "SKIPPED: ")) << run;
    EXPECT_TRUE(contains(run.out, "choose --elements 4, 8")) << run;
    EXPECT_TRUE(contains(run.out, "TEST PASSED")) << run;
    EXPECT_EQ(run.status, 0) << run;
}

TEST(Environment, NoDriverIsToldWithWhatToInstall)
{
    expectMissing({"-n", "64"}, noDriver, "no Vulkan driver on this machine: install");
    expectMissing({"check", "-n", "64"}, noDriver, "install");
}

TEST(Environment, ABrokenDriverManifestIsNamed)
{
    const auto library = [](const std::string& path) {
        return "{\"file_format_version\": \"1.0.0\", \"ICD\": {\"library_path\": \"" + path +
               "\", \"api_version\": \"1.3.0\"}}";
    };
    const Folder folder;
    for (const auto& [name, text, part] :
         {std::tuple{"garbage.json", std::string("no JSON at all"), "it is not JSON"},
          std::tuple{"number.json", std::string("7"), "it names no library"},
          std::tuple{"empty.json", std::string("{}"), "it names no library"},
          std::tuple{"missing.json", library("/nowhere/libgone.so"), "/nowhere/libgone.so"},
          std::tuple{"relative.json", library("./libgone.so"), "./libgone.so"},
          std::tuple{"other.json", library("libc.so.6"), "it is no Vulkan driver"}}) {
        const std::string file = folder.file(name, text);
        const Environment broken = {{"VK_DRIVER_FILES", file}, {"VK_ICD_FILENAMES", file}};
        expectMissing({"-n", "64"}, broken, file + ": ");
        expectMissing({"-n", "64"}, broken, part);
        expectError(runA2({"prescan", "-n", "64"}, broken), 3, file);
        const Finished doctor = runA2({"doctor"}, broken);
        EXPECT_EQ(doctor.status, 3) << doctor;
        EXPECT_TRUE(contains(doctor.out, file + ": ") && contains(doctor.out, part)) << doctor;
        EXPECT_TRUE(contains(doctor.out, "glslang ")) << doctor;
        EXPECT_EQ(doctor.err, "");
    }
}

TEST(Environment, NoLoaderIsToldWithWhatToInstall)
{
    const Folder folder;
    expectMissing({"-n", "64"}, withoutLibrary("libvulkan", folder),
                  "no Vulkan loader on this machine: install libvulkan1");
}

TEST(Environment, ValidationIsMissedOnlyWhereItIsRequired)
{
    const Environment hidden = {{"VK_LAYER_PATH", "/nonexistent"}};
    if (contains(runA2({"doctor"}, hidden).out, "validation layer is installed"))
        GTEST_SKIP() << "VK_LAYER_PATH does not hide the layer";
    expectMissing({"reduce/atomic", "-n", "64", "--validation", "required"}, hidden, "vulkan-validationlayers");
    for (const char* wish : {"on", "gpu"}) {
        const Finished run = runA2({"reduce/atomic", "-n", "64", "--validation", wish}, hidden);
        EXPECT_EQ(run.status, 0) << run;
        EXPECT_TRUE(contains(run.err, "warning")) << run;
    }
}

// Either one line that names the limit, or a pass.
TEST(Environment, NarrowLimitsAreNamed)
{
    const auto limited = [](const std::string& limit) {
        return runProgram("/bin/bash", {"-c", limit + "; exec \"$0\" reduce/sequential -n 100 -r 1", A2_PROGRAM});
    };
    int failed = 0;
    for (const std::string files : {"8", "12", "16", "20"}) {
        const Finished run = limited("ulimit -n " + files);
        if (run.status == 0) continue;
        ++failed;
        EXPECT_EQ(run.status, 3) << run;
        EXPECT_EQ(run.err.find("error: "), run.err.rfind("error: ")) << run;
        EXPECT_TRUE(contains(run.err, "ulimit -n " + files)) << run;
    }
    EXPECT_GT(failed, 0);
    const std::string another = "setpriv --reuid 65533 --regid 65533 --clear-groups \"$0\" ";
    if (runProgram("/bin/bash", {"-c", another + "version", A2_PROGRAM}).status != 0)
        GTEST_SKIP() << "that limit binds a user who has no processes: it takes root, setpriv, and a readable folder";
    const Finished run =
        runProgram("/bin/bash", {"-c", "ulimit -u 3; exec " + another + "reduce/sequential -n 100 -r 1", A2_PROGRAM});
    EXPECT_EQ(run.status, 3) << run;
    EXPECT_EQ(run.err.find("error: "), run.err.rfind("error: ")) << run;
    EXPECT_TRUE(contains(run.err, "ulimit -u 3")) << run;
}

}  // namespace contract
