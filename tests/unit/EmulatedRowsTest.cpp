// Every row's recording, walked by the emulator: it has no findings, and the result is right; and with any one
// barrier() of its kernels removed, there is a finding.

#include "files/SourceFile.h"
#include "lint/EmulatedRun.h"
#include "support/EmulatedGlsl.h"
#include "support/RecordedHere.h"
#include "tasks/Expectation.h"

#include <gtest/gtest.h>
#include <vulkan/vulkan_core.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <map>
#include <numeric>
#include <regex>
#include <sstream>

namespace a2 {

namespace {

using Words = std::vector<std::uint32_t>;

// The facts of a device like the CPU driver's; with a small binding limit, long arrays are processed in slices.
DeviceFacts modestDevice(std::uint32_t bindingBytes)
{
    VkPhysicalDeviceProperties properties = {};
    properties.apiVersion = VK_API_VERSION_1_1;
    std::strcpy(properties.deviceName, "emulator");
    auto& limits = properties.limits;
    limits.maxStorageBufferRange = bindingBytes;
    limits.maxPushConstantsSize = 128;
    limits.minStorageBufferOffsetAlignment = 16;
    limits.minUniformBufferOffsetAlignment = 16;
    limits.maxBoundDescriptorSets = 8;
    limits.maxComputeSharedMemorySize = 49152;
    limits.maxComputeWorkGroupInvocations = 1024;
    for (std::uint32_t& count : limits.maxComputeWorkGroupCount) count = 65535;
    for (std::uint32_t& size : limits.maxComputeWorkGroupSize) size = 1024;
    limits.maxPerStageDescriptorStorageBuffers = limits.maxDescriptorSetStorageBuffers = 32;
    limits.maxMemoryAllocationCount = 4096;
    limits.nonCoherentAtomSize = 64;
    DeviceFacts facts;
    facts.properties.resize(sizeof properties);
    std::memcpy(facts.properties.data(), &properties, sizeof properties);
    facts.int64Atomics = facts.subgroupArithmetic = true;
    facts.subgroupSize = 32;
    return facts;
}

const Words& compiledKernel(const std::string& name)
{
    static std::map<std::string, Words> all;
    Words& words = all[name];
    if (words.empty()) words = compileGlslFile(std::string(A2_SHADERS) + "/" + name + ".comp");
    return words;
}

std::vector<Task> everyRow()
{
    std::vector<Task> all = task1Rows();
    for (auto rows : {task2Rows(), labRows()})
        for (Task& task : rows) all.push_back(std::move(task));
    return all;
}

Recording recorded(const Task& task, const KernelShape& shape, std::uint64_t n, std::uint32_t bindingBytes)
{
    RecordRequest request = recordRequest(task, shape, n);
    request.device = modestDevice(bindingBytes);
    request.runs = 2;
    RecordAnswer answer = recordedHere(request);
    if (const auto* failure = std::get_if<RecordFailure>(&answer)) throw std::runtime_error(failure->what);
    return std::get<Recording>(std::move(answer));
}

struct Walked {
    std::string findings;  // of all dispatches, and the errors of the result
    std::uint64_t instructions = 0;
    std::vector<Emulated> dispatches;
};

// Two runs: the second one finds what the first one left. changed: kernels to replace.
Walked walkedRow(const Task& task, const KernelShape& shape, std::uint64_t n, const EmulatorSettings& settings,
                 const std::map<std::string, Words>& changed = {}, std::uint32_t bindingBytes = 1 << 27)
{
    const Input input(Pattern::parse("random"), n, 7);
    const Expectation expectation(*task.taskClass, input, shape);
    const Recording recording = recorded(task, shape, n, bindingBytes);
    Words given(n), offsets;
    expectation.give(0, given);
    if (task.taskClass->givenBlockOffsets)
        for (std::uint64_t tile = 0; tile < expectation.offsetCount(); ++tile)
            offsets.push_back(expectation.givenOffset(tile));
    EmulatedRun run(recording,
                    [&](const std::string& name) -> std::span<const std::uint32_t> {
                        const auto found = changed.find(name);
                        return found == changed.end() ? compiledKernel(name) : found->second;
                    },
                    {given, offsets});
    Walked all;
    for (const RecordedRun& one : recording.runs) {
        run.walk(one, settings, [&](const EmulatedStep& step) {
            all.findings += step.problem + findingsText(step.walk);
            all.instructions += step.walk.instructions;
            all.dispatches.push_back(step.walk);
        });
        const EmulatedBuffer& result = run.buffer(one.result);
        for (std::uint64_t i = 0; i < expectation.resultSize() && all.findings.empty(); ++i)
            if (result.words()[i] != expectation.result(i) || result.setMarks()[i] != EmulatedBuffer::allSet)
                all.findings += "element " + std::to_string(i) + " is wrong\n";
    }
    return all;
}

KernelShape shapeOf(const Task& task, std::uint32_t workGroup, bool exclusive)
{
    KernelShape shape = {workGroup, 2, exclusive && task.taskClass->hasExclusive};
    shape.elements = static_cast<std::uint32_t>(ceilDiv(2, task.elementsUnit) * task.elementsUnit);
    return shape;
}

// Whether the file is the kernel's own, or is included by it, directly or indirectly.
bool uses(const std::filesystem::path& including, const std::filesystem::path& file)
{
    if (including.filename() == file.filename()) return true;
    const std::filesystem::path shaders = A2_SHADERS;
    const bool own = std::filesystem::exists(shaders / including);
    const std::string text = textOfFile(own ? shaders / including : shaders / "include" / including);
    const std::regex include("#include \"([^\"]+)\"");
    for (auto at = std::sregex_iterator(text.begin(), text.end(), include); at != std::sregex_iterator(); ++at)
        if (uses((*at)[1].str(), file)) return true;
    return false;
}

}  // namespace

TEST(EmulatedRows, AreRightAtEverySubgroupSizeAndShape)
{
    for (const Task& task : everyRow())
        for (const std::uint32_t workGroup : {1U, 64U, 100U, 256U, 1024U})
            for (const std::uint32_t size : {4U, 8U, 16U, 32U, 64U}) {
                if (workGroup == 1 && task.id.find("brute") != std::string::npos) continue;
                EmulatorSettings settings;
                settings.subgroupSize = size;
                const std::uint64_t n = workGroup == 1 ? 37 : workGroup < 256 ? 1000 : 3000;
                const bool exclusive = (size & 0x28) != 0;
                const Walked all = walkedRow(task, shapeOf(task, workGroup, exclusive), n, settings);
                EXPECT_EQ(all.findings, "") << task.id << ", work-group " << workGroup << ", subgroup " << size;
                EXPECT_FALSE(all.dispatches.empty()) << task.id;
            }
}

TEST(EmulatedRows, AreRightInEveryOrderOfWorkGroups)
{
    for (const Task& task : everyRow())
        for (const auto order :
             {EmulatorSettings::Order::forwards, EmulatorSettings::Order::backwards, EmulatorSettings::Order::shuffled})
            for (const std::uint32_t together : {1U, 4U}) {
                EmulatorSettings settings;
                settings.order = order;
                settings.together = together;
                settings.subgroupSize = 8;
                settings.seed = 3;
                EXPECT_EQ(walkedRow(task, shapeOf(task, 64, true), 2000, settings).findings, "")
                    << task.id << ", together " << together;
                if (together == 1 || task.bindsWhole) continue;
                EXPECT_EQ(walkedRow(task, shapeOf(task, 64, false), 20000, settings, {}, 64 * 256 * 4).findings, "")
                    << task.id << " in slices";
            }
}

// The words that a dispatch reads and writes are known exactly. A walk holds all buffers several times: a run with
// larger buffers than it can hold is not walked, and unused buffers are not held.
TEST(EmulatedRows, HoldWhatIsUsedAndNoMoreThanTheyCan)
{
    const Task task = task1Rows().front();
    Recording recording = recorded(task, shapeOf(task, 64, false), 1000, 1 << 27);
    RecordedBuffer huge = recording.buffers.front();
    huge.role = RecordedBuffer::Role::made;
    huge.bytes = std::uint64_t{1} << 50;  // no machine has that much memory
    recording.buffers.push_back(huge);
    const auto problems = [&] {
        EmulatedRun run(recording, compiledKernel, {Words(1000), {}});
        std::vector<std::string> said;
        const bool complete =
            run.walk(recording.runs.front(), {}, [&](const EmulatedStep& step) { said.push_back(step.problem); });
        EXPECT_EQ(complete, said.back().empty());
        return said;
    };
    EXPECT_GT(problems().size(), 1U);
    EXPECT_EQ(problems().front(), "");
    RecordedTransfer fill;
    fill.to = static_cast<Index>(recording.buffers.size() - 1);
    fill.bytes = 4;
    recording.runs.front().commands.insert(recording.runs.front().commands.begin(), fill);
    EXPECT_EQ(problems(), std::vector<std::string>{"its buffers have 1073741824 MiB together, and 256 MiB are held"});
}

TEST(EmulatedRows, SayWhichWordsTheyUse)
{
    const auto rows = everyRow();
    const auto task =
        std::find_if(rows.begin(), rows.end(), [](const Task& one) { return one.id == "reduce/decomposition"; });
    const Walked all = walkedRow(*task, {64, 2}, 1000, {});
    const Emulated& first = all.dispatches.at(0);
    std::uint64_t read = 0, written = 0;
    for (const EmulatedUse& use : first.uses)
        for (std::uint64_t word = 0; word < use.read.size() * 64; ++word) {
            read += EmulatedUse::has(use.read, word);
            written += EmulatedUse::has(use.written, word);
        }
    EXPECT_EQ(read, 1000U);
    EXPECT_EQ(written, 8U);
}

TEST(EmulatedRows, NeedEveryBarrierOfTheirKernels)
{
    const std::filesystem::path shaders = A2_SHADERS;
    const std::regex barrier(R"(\bbarrier\(\)(?=;))");
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(shaders))
        if (entry.is_regular_file()) files.push_back(std::filesystem::relative(entry.path(), shaders));
    std::sort(files.begin(), files.end());
    const std::vector<Task> rows = everyRow();
    const TemporaryFolder changedShaders;
    const std::filesystem::path folder = changedShaders.path() / "shaders";
    std::filesystem::copy(shaders, folder, std::filesystem::copy_options::recursive);
    std::size_t removed = 0;
    for (const auto& file : files) {
        const std::string text = textOfFile(shaders / file);
        for (auto at = std::sregex_iterator(text.begin(), text.end(), barrier); at != std::sregex_iterator(); ++at) {
            const auto position = static_cast<std::size_t>(at->position());
            std::ofstream(folder / file) << text.substr(0, position) + "{}" + text.substr(position + 9);
            const auto line = 1 + std::count(text.begin(), text.begin() + at->position(), '\n');
            std::map<std::string, Words> changed;
            for (const Task& task : rows)
                for (const std::string& shader : task.shaders)
                    if (changed.count(shader) == 0 && uses(shader + ".comp", file))
                        changed[shader] = compileGlslFile(folder / (shader + ".comp"));
            for (const Task& task : rows) {
                if (std::none_of(task.shaders.begin(), task.shaders.end(),
                                 [&](const auto& one) { return changed.count(one) > 0; }))
                    continue;
                ++removed;
                // Only work-groups that have to wait for others need some of the barriers.
                std::string found;
                for (const std::uint32_t together : {1U, 4U}) {
                    EmulatorSettings settings;
                    settings.subgroupSize = 8;
                    settings.together = together;
                    found += walkedRow(task, shapeOf(task, 64, false), 2000, settings, changed).findings;
                    if (!found.empty()) break;
                }
                EXPECT_NE(found.find("-race at line"), std::string::npos)
                    << task.id << " without the barrier() of line " << line << " of " << file << ": " << found;
            }
        }
        std::filesystem::copy_file(shaders / file, folder / file, std::filesystem::copy_options::overwrite_existing);
    }
    EXPECT_GT(removed, 20U);
}

}  // namespace a2
