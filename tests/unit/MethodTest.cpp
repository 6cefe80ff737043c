// The method by which a solution gets its result: what the rows ask for is distinguished from what looks like it, and
// an honest solution in another style is not accused.

#include "judge/Method.h"

#include "A2Task1.h"
#include "A2Task2.h"
#include "GpuFixture.h"
#include "a2/Error.h"
#include "gpu/Shaders.h"
#include "judge/StudentSolution.h"
#include "spirv/SharedSums.h"
#include "support/ChangedShaders.h"
#include "support/EmulatedGlsl.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace a2 {

namespace {

using Criteria = std::vector<MethodCriterion>;
using Files = std::map<std::string, std::string>;

// A folder for --shader-dir with these kernels, by file name.
class OwnKernels {
public:
    explicit OwnKernels(const Files& files) : folder_(temporaryPath("a2-own-kernels"))
    {
        std::filesystem::create_directories(folder_);
        for (const auto& [name, text] : files) std::ofstream(folder_ / name) << text;
    }
    ~OwnKernels() { std::filesystem::remove_all(folder_); }
    OwnKernels(const OwnKernels&) = delete;
    OwnKernels& operator=(const OwnKernels&) = delete;
    std::string path() const { return folder_.string(); }

private:
    std::filesystem::path folder_;
};

std::string textOfKernel(const std::string& name)
{
    std::ifstream stream(std::string(A2_SHADERS) + "/" + name + ".comp");
    return {std::istreambuf_iterator<char>(stream), {}};
}

// One row's kernel in another row's file.
OwnKernels copiedKernel(const std::string& from, const std::string& over)
{
    return OwnKernels(Files{{over + ".comp", textOfKernel(from)}});
}

// The row with another row's host code and kernels.
Task solvedLike(const std::string& id, const std::string& other)
{
    Task task = taskNamed(id);
    const Task like = taskNamed(other);
    task.factory = like.factory;
    task.hostFile = like.hostFile;
    task.shaders = like.shaders;
    return task;
}

constexpr KernelShape courseShape{256, 2};

Criteria criteriaOf(Device& gpu, const Task& task, const KernelShape& shape, std::uint64_t n)
{
    return methodOf(gpu, task, shape, n, 1, recordingOf(gpu, task, shape, n));
}

std::string unmetText(const Criteria& all)
{
    std::string text;
    for (const MethodCriterion& one : all)
        if (!one.met) text += one.criterion + ": " + one.evidence + "\n";
    return text;
}

std::set<std::string> namesOf(const Criteria& all)
{
    std::set<std::string> names;
    for (const MethodCriterion& one : all) names.insert(one.criterion);
    return names;
}

const MethodCriterion* unmet(const Criteria& all, const std::string& name)
{
    for (const MethodCriterion& one : all)
        if (one.criterion == name && !one.met) return &one;
    return nullptr;
}

void expectUnmet(const Criteria& all, const std::string& name, const std::string& evidence)
{
    const MethodCriterion* found = unmet(all, name);
    ASSERT_TRUE(found) << name << "\n" << unmetText(all);
    EXPECT_NE(found->evidence.find(evidence), std::string::npos) << found->evidence;
}

std::vector<std::string> rowIds()
{
    std::vector<std::string> ids;
    for (const Task& task : allTasks()) ids.push_back(task.id);
    return ids;
}

// The frame of a kernel for the host code of KernelDecomposition; `body` adds up `sum` of the invocation at `lane`.
std::string reduction(const std::string& globals, const std::string& body)
{
    return R"(#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "include/A2Task1.h"
layout(constant_id = SPEC_ELEMENTS) const uint ELEMENTS = 2;
layout(set = 0, binding = BINDING_IN) readonly buffer Source { uint source[]; };
layout(set = 0, binding = BINDING_IN) readonly buffer SourceVectors { uvec4 sourceVectors[]; };
layout(set = 0, binding = BINDING_OUT) writeonly buffer Sums { uint sums[]; };
layout(push_constant) uniform Push { DecompositionPush push; };
#include "include/A2LoadTile.glsl"
const uint W = gl_WorkGroupSize.x;
)" + globals +
           "\nvoid main()\n{\n    const uint lane = gl_LocalInvocationID.x;\n" + body + "\n}\n";
}

struct Making {
    const char *name, *row, *globals, *body;
};

constexpr const char* partial = "shared uint partial[W];";
constexpr const char* store = "if (lane == 0 && workGroupHasTile()) sums[workGroupNumber()] = partial[0];";

// Honest solutions in other styles; %store is replaced by the line above.
const std::vector<Making> makings = {
    {"ShiftedStride", "reduce/decomposition", partial,
     R"(partial[lane] = sumOfMyElements();
        for (uint s = NEXT_POWER_OF_TWO(W) >> 1; s > 0; s >>= 1) {
            barrier();
            if (lane < s && lane + s < W) partial[lane] += partial[lane + s];
        }
        %store)"},
    {"Modulo", "reduce/decomposition", partial,
     R"(partial[lane] = sumOfMyElements();
        barrier();
        for (uint s = 1; s < W; s *= 2) {
            if (lane % (2 * s) == 0 && lane + s < W) partial[lane] += partial[lane + s];
            barrier();
        }
        %store)"},
    {"GridStride", "reduce/decomposition", partial,
     R"(const uint tile = W * ELEMENTS, groups = gl_NumWorkGroups.x * gl_NumWorkGroups.y;
        uint sum = 0;
        for (uint i = workGroupNumber() * W + lane; i < push.count; i += groups * W) sum += source[i];
        partial[lane] = sum;
        barrier();
        for (uint s = NEXT_POWER_OF_TWO(W) / 2; s > 0; s /= 2) {
            if (lane < s && lane + s < W) partial[lane] += partial[lane + s];
            barrier();
        }
        %store)"},
    {"SubgroupsThenATree", "reduce/decomposition", partial,
     R"(partial[lane] = 0;
        barrier();
        const uint sum = subgroupAdd(sumOfMyElements());
        if (subgroupElect()) partial[gl_SubgroupID] = sum;
        barrier();
        for (uint s = NEXT_POWER_OF_TWO(W) / 2; s > 0; s /= 2) {
            if (lane < s && lane + s < W) partial[lane] += partial[lane + s];
            barrier();
        }
        %store)"},
    {"SubgroupsThenOneInvocation", "reduce/decomposition", partial,
     R"(const uint sum = subgroupAdd(sumOfMyElements());
        if (subgroupElect()) partial[gl_SubgroupID] = sum;
        barrier();
        uint all = 0;
        if (lane == 0)
            for (uint i = 0; i < gl_NumSubgroups; ++i) all += partial[i];
        if (lane == 0 && workGroupHasTile()) sums[workGroupNumber()] = all;)"},
    {"TwoLevels", "reduce/decomposition", partial,
     R"(partial[lane] = sumOfMyElements();
        barrier();
        if (lane % 16 == 0)
            for (uint i = lane + 1; i < min(lane + 16, W); ++i) partial[lane] += partial[i];
        barrier();
        if (lane == 0)
            for (uint i = 16; i < W; i += 16) partial[0] += partial[i];
        %store)"},
    {"VectorsInSharedMemory", "reduce/decomposition", "shared uvec4 partial4[W / 4 + 1];",
     R"(if (lane % 4 == 0) partial4[lane / 4] = uvec4(0);
        barrier();
        partial4[lane / 4][lane % 4] = sumOfMyElements();
        barrier();
        const uint vectors = (W + 3) / 4;
        for (uint s = NEXT_POWER_OF_TWO(vectors) / 2; s > 0; s /= 2) {
            if (lane < s && lane + s < vectors) partial4[lane] += partial4[lane + s];
            barrier();
        }
        const uvec4 four = partial4[0];
        if (lane == 0 && workGroupHasTile()) sums[workGroupNumber()] = four.x + four.y + four.z + four.w;)"},

    {"LoopThenByHand", "reduce/unroll", partial,
     R"(partial[lane] = sumOfMyElements();
        barrier();
        for (uint s = NEXT_POWER_OF_TWO(W) / 2; s > 4; s >>= 1) {
            if (lane < s && lane + s < W) partial[lane] += partial[lane + s];
            barrier();
        }
        if (lane < 4 && lane + 4 < W) partial[lane] += partial[lane + 4];
        barrier();
        if (lane < 2 && lane + 2 < W) partial[lane] += partial[lane + 2];
        barrier();
        if (lane < 1 && lane + 1 < W) partial[lane] += partial[lane + 1];
        %store)"},
    {"UnrollAttribute", "reduce/unroll", partial,
     R"(partial[lane] = sumOfMyElements();
        barrier();
        [[unroll]] for (uint s = 512; s > 0; s /= 2) {
            if (lane < s && lane + s < W) partial[lane] += partial[lane + s];
            barrier();
        }
        %store)"},
    {"AFunctionForAStep", "reduce/unroll",
     R"(shared uint partial[W];
        void takeStep(uint lane, uint s)
        {
            if (lane < s && lane + s < W) partial[lane] += partial[lane + s];
            barrier();
        })",
     R"(partial[lane] = sumOfMyElements();
        barrier();
        takeStep(lane, 512); takeStep(lane, 256); takeStep(lane, 128); takeStep(lane, 64); takeStep(lane, 32);
        takeStep(lane, 16); takeStep(lane, 8); takeStep(lane, 4); takeStep(lane, 2); takeStep(lane, 1);
        %store)"},
    {"UnrolledInsideALoopOverParts", "reduce/unroll",
     R"(shared uint partial[W];
        #define STEP(s) if (W > s) { if (lane < s && lane + s < W) partial[lane] += partial[lane + s]; barrier(); })",
     R"(uint sum = 0;
        const uint begin = workGroupNumber() * W * ELEMENTS;
        for (uint k = 0; k < ELEMENTS; ++k) {
            const uint i = begin + k * W + lane;
            partial[lane] = i < push.count ? source[i] : 0;
            barrier();
            STEP(512) STEP(256) STEP(128) STEP(64) STEP(32) STEP(16) STEP(8) STEP(4) STEP(2) STEP(1)
            if (lane == 0) sum += partial[0];
            barrier();
        }
        if (lane == 0 && workGroupHasTile()) sums[workGroupNumber()] = sum;)"},
    {"LoopThenASubgroup", "reduce/unroll", partial,
     R"(partial[lane] = sumOfMyElements();
        barrier();
        for (uint s = NEXT_POWER_OF_TWO(W) / 2; s >= 4; s >>= 1) {
            if (lane < s && lane + s < W) partial[lane] += partial[lane + s];
            barrier();
        }
        const uint last = subgroupAdd(lane < min(4, W) ? partial[lane] : 0);
        if (lane == 0 && workGroupHasTile()) sums[workGroupNumber()] = last;)"},

    {"SubgroupsThenAnAtomic", "reduce/atomic", "shared uint groupSum;",
     R"(if (lane == 0) groupSum = 0;
        barrier();
        const uint sum = subgroupAdd(sumOfMyElements());
        if (subgroupElect()) atomicAdd(groupSum, sum);
        barrier();
        if (lane == 0 && workGroupHasTile()) sums[workGroupNumber()] = groupSum;)"},
    {"AnAtomicForEachElement", "reduce/atomic", "shared uint groupSum;",
     R"(if (lane == 0) groupSum = 0;
        barrier();
        const uint begin = workGroupNumber() * W * ELEMENTS;
        for (uint i = begin + lane; i < min(begin + W * ELEMENTS, push.count); i += W) atomicAdd(groupSum, source[i]);
        barrier();
        if (lane == 0 && workGroupHasTile()) sums[workGroupNumber()] = groupSum;)"},
};

std::string kernelOf(const Making& making)
{
    std::string body = making.body;
    if (const std::size_t at = body.find("%store"); at != std::string::npos) body.replace(at, 6, store);
    return reduction(making.globals, "barrier();\n" + body);
}

// A scan of each tile for the host code of KernelDecomposition: Hillis and Steele's between two arrays, for the sums
// that each invocation has added up alone.
constexpr const char* twoArrays = R"(#version 450
#extension GL_GOOGLE_include_directive : require
#include "include/A2Task2.h"
layout(constant_id = SPEC_ELEMENTS) const uint ELEMENTS = 2;
layout(constant_id = SPEC_EXCLUSIVE) const uint EXCLUSIVE = 0;
layout(set = 0, binding = BINDING_IN) readonly buffer Source { uint source[]; };
layout(set = 0, binding = BINDING_OUT) writeonly buffer Target { uint target[]; };
layout(set = 0, binding = BINDING_BLOCK_SUMS) writeonly buffer BlockSums { uint blockSums[]; };
layout(push_constant) uniform Push { TileScanPush push; };
const uint W = gl_WorkGroupSize.x;
shared uint mine[2][W];
void main()
{
    const uint lane = gl_LocalInvocationID.x, begin = workGroupNumber() * W * ELEMENTS, first = begin + lane * ELEMENTS;
    uint sum = 0;
    for (uint k = 0; k < ELEMENTS; ++k) sum += first + k < push.count ? source[first + k] : 0;
    mine[0][lane] = sum;
    barrier();
    uint now = 0;
    for (uint s = 1; s < W; s *= 2) {
        mine[1 - now][lane] = lane >= s ? mine[now][lane] + mine[now][lane - s] : mine[now][lane];
        now = 1 - now;
        barrier();
    }
    uint before = lane > 0 ? mine[now][lane - 1] : 0;
    for (uint k = 0; k < ELEMENTS; ++k)
        if (first + k < push.count) {
            const uint with = before + source[first + k];
            target[first + k] = EXCLUSIVE == 0 ? with : before;
            before = with;
        }
    if (lane == 0 && begin < push.count) blockSums[workGroupNumber()] = mine[now][W - 1];
}
)";

// The whole scan in place, by one work-group; each step goes from the last elements to the first.
constexpr const char* inPlace = R"(#version 450
#extension GL_GOOGLE_include_directive : require
#include "include/A2Task2.h"
layout(set = 0, binding = BINDING_IN) buffer Data { uint data[]; };
layout(push_constant) uniform Push { NaivePush push; };
void main()
{
    const uint lane = gl_LocalInvocationID.x, W = gl_WorkGroupSize.x;
    for (uint s = 1; s < push.count; s *= 2)
        for (uint part = (push.count + W - 1) / W; part-- > 0;) {
            const uint i = part * W + lane;
            const uint left = i >= s && i < push.count ? data[i - s] : 0;
            memoryBarrierBuffer();
            barrier();
            if (i < push.count) data[i] += left;
            memoryBarrierBuffer();
            barrier();
        }
}
)";

class InPlaceScan : public Solution {
public:
    using Solution::Solution;
    void record(vk::CommandBuffer cb) override
    {
        const NaivePush push{static_cast<uint>(count), 1, 0};
        cb.bindPipeline(vk::PipelineBindPoint::eCompute, kernel_.pipeline());
        cb.bindDescriptorSets(vk::PipelineBindPoint::eCompute, kernel_.layout(), 0, set_, {});
        cb.pushConstants<NaivePush>(kernel_.layout(), vk::ShaderStageFlagBits::eCompute, 0, push);
        cb.dispatch(1, 1, 1);
    }
    const Buffer& result() const override { return input; }

private:
    ComputePipeline kernel_{gpu, "A2Task2Naive", 1, sizeof(NaivePush), shape};
    vk::DescriptorSet set_ = kernel_.makeDescriptorSet({input});
};

Task inPlaceScan() { return withSolution(taskNamed("scan/naive"), make<InPlaceScan>); }

// A tree in global memory between two arrays, one dispatch per step: `live` sums become `live - live / 2`, or, where
// the odd one goes to the first sum, `live / 2`.
class TreeBetweenArrays : public Solution {
public:
    TreeBetweenArrays(const Given& given, bool oddToFirst)
        : Solution(given),
          kernel_(gpu, "A2Task1Sequential", 2, sizeof(SequentialPush), shape),
          other_(gpu, "other", count),
          oddToFirst_(oddToFirst),
          sets_{kernel_.makeDescriptorSet({input, other_}), kernel_.makeDescriptorSet({other_, input})}
    {
    }
    void record(vk::CommandBuffer cb) override
    {
        cb.bindPipeline(vk::PipelineBindPoint::eCompute, kernel_.pipeline());
        step_ = 0;
        std::uint64_t width = 0;
        for (std::uint64_t live = count; live > 1 || step_ == 0; live = width, ++step_) {
            width = oddToFirst_ && live > 1 ? live / 2 : live - live / 2;
            if (step_ > 0)
                cb.pipelineBarrier(
                    vk::PipelineStageFlagBits::eComputeShader, vk::PipelineStageFlagBits::eComputeShader, {},
                    vk::MemoryBarrier(vk::AccessFlagBits::eShaderWrite, vk::AccessFlagBits::eShaderRead), {}, {});
            const SequentialPush push{static_cast<uint>(live), static_cast<uint>(width)};
            cb.bindDescriptorSets(vk::PipelineBindPoint::eCompute, kernel_.layout(), 0, sets_[step_ % 2], {});
            cb.pushConstants<SequentialPush>(kernel_.layout(), vk::ShaderStageFlagBits::eCompute, 0, push);
            cb.dispatch(static_cast<uint>(ceilDiv(width, shape.workGroup)), 1, 1);
        }
    }
    const Buffer& result() const override { return step_ % 2 == 0 ? input : other_; }

private:
    ComputePipeline kernel_;
    Buffer other_;
    bool oddToFirst_;
    std::array<vk::DescriptorSet, 2> sets_;
    std::size_t step_ = 0;
};

// sum: the value for invocation i, from source[] and push.
std::string treeStep(const std::string& sum)
{
    return R"(#version 450
#extension GL_GOOGLE_include_directive : require
#include "include/A2Task1.h"
layout(set = 0, binding = BINDING_IN) readonly buffer Source { uint source[]; };
layout(set = 0, binding = BINDING_OUT) writeonly buffer Target { uint target[]; };
layout(push_constant) uniform Push { SequentialPush push; };
void main()
{
    const uint i = invocationNumber();
    if (i < push.width) {
        uint sum = 0;
        )" +
           sum + "\n        target[i] = sum;\n    }\n}\n";
}

TaskOutcome judged(Device& gpu, const Task& task, bool strict)
{
    EvaluationSettings settings;
    settings.workGroup = courseShape.workGroup;
    settings.elements = std::max(courseShape.elements, task.elementsUnit);
    settings.strict = strict;
    return evaluate(gpu, task, 5000, settings);
}

// By default a note, which fails nothing; under --strict a failure, for the same reason.
void expectNoteAndFailure(Device& gpu, const Task& task, const std::string& said)
{
    const TaskOutcome noted = judged(gpu, task, false);
    EXPECT_EQ(noted.status, Status::passed) << explanation(noted);
    ASSERT_FALSE(noteLines(noted).empty());
    EXPECT_NE(noteLines(noted).front().find("note: method: " + said), std::string::npos) << noteLines(noted).front();
    EXPECT_FALSE(noted.method.empty());

    const TaskOutcome strict = judged(gpu, task, true);
    EXPECT_EQ(strict.status, Status::failed);
    EXPECT_NE(explanation(strict).find("\nmethod: " + said), std::string::npos) << explanation(strict);
    EXPECT_EQ(unmetText(strict.method), unmetText(noted.method));
}

}  // namespace

class MethodOfRow : public testing::TestWithParam<std::string> {};

TEST_P(MethodOfRow, MeetsItsCriteria)
{
    const Task task = taskNamed(GetParam());
    const auto gpu = openTestGpu();
    for (const std::uint32_t workGroup : {4U, 64U, 96U, 256U, 1024U})
        for (const std::uint32_t elements : {2U, 8U, 16U}) {
            if (elements % task.elementsUnit != 0) continue;
            for (const bool exclusive : {false, true}) {
                const KernelShape shape{workGroup, elements, exclusive};
                if (exclusive && (!task.taskClass->hasExclusive || elements == 16)) continue;
                for (const std::uint64_t n : {64U, 1000U, 1025U, 4096U}) {
                    if (shape.tile() > 4 * n && n > 64) continue;
                    SCOPED_TRACE(fmt::format("{} x {}, n = {}", workGroup, elements, n));
                    try {
                        EXPECT_EQ(unmetText(criteriaOf(*gpu, task, shape, n)), "");
                    } catch (const LimitError&) {  // beyond a limit of the row
                    }
                }
            }
        }
}

INSTANTIATE_TEST_SUITE_P(, MethodOfRow, testing::ValuesIn(rowIds()), [](const testing::TestParamInfo<std::string>& id) {
    std::string name = id.param;
    std::erase_if(name, [](char c) { return c == '/' || c == '-'; });
    return name;
});

// For the rows of the assignment, every criterion can be checked.
TEST(Method, OfTheCourseHasEveryCriterion)
{
    const auto gpu = openTestGpu();
    const std::map<std::string, std::set<std::string>> wanted = {
        {"reduce/interleaved", {"one dispatch per step", "interleaved addressing"}},
        {"reduce/sequential", {"one dispatch per step", "sequential addressing"}},
        {"reduce/decomposition", {"tree in shared memory", "one result per work-group", "few dispatches"}},
        {"reduce/unroll", {"tree in shared memory", "one result per work-group", "few dispatches", "unrolled steps"}},
        {"reduce/atomic", {"shared atomic", "one result per work-group", "few dispatches"}},
        {"reduce/subgroup", {"subgroup arithmetic", "few dispatches"}},
        {"scan/naive", {"one dispatch per step", "ping-pong"}},
        {"scan/local", {"work-efficient", "no bank conflicts"}},
        {"scan/work-efficient", {"work-efficient", "block sums"}},
    };
    for (const auto& [id, names] : wanted)
        EXPECT_EQ(namesOf(criteriaOf(*gpu, taskNamed(id), courseShape, 4096)), names);
    EXPECT_TRUE(criteriaOf(*gpu, taskNamed("scan/offset"), courseShape, 4096).empty());
    EXPECT_TRUE(criteriaOf(*gpu, taskNamed("scan/naive"), courseShape, shortestForMethod - 1).empty());
}

TEST(Method, CountsAreWhatIsSaid)
{
    const auto gpu = openTestGpu();
    const auto naive = criteriaOf(*gpu, taskNamed("scan/naive"), courseShape, 4096);
    EXPECT_EQ(naive.at(0).evidence, "12 dispatches for 4096 elements: one per step needs 12");
    const auto sequential = criteriaOf(*gpu, taskNamed("reduce/sequential"), courseShape, 4096);
    EXPECT_EQ(sequential.at(0).evidence, "12 dispatches for 4096 elements: one per step of the tree needs 12");
    EXPECT_EQ(sequential.at(1).evidence, "the first step adds elements 0 and 2048: chunks of the array");
    const auto atomic = criteriaOf(*gpu, taskNamed("reduce/atomic"), courseShape, 4096);
    EXPECT_EQ(atomic.at(0).evidence, "2304 atomic operations on shared memory");
    EXPECT_EQ(atomic.at(1).evidence, "dispatch 0 writes 8 sums for 8 work-groups");
}

class HonestMaking : public testing::TestWithParam<Making> {};

TEST_P(HonestMaking, IsNotAccused)
{
    const Making& making = GetParam();
    const Task task = taskNamed(making.row);
    const OwnKernels folder(Files{{task.shaders[0] + ".comp", kernelOf(making)}});
    const auto gpu = openTestGpu(folder.path());
    const TaskOutcome outcome = judged(*gpu, task, true);
    EXPECT_EQ(outcome.status, Status::passed) << explanation(outcome);
    EXPECT_FALSE(outcome.method.empty());
    for (const KernelShape& shape : {KernelShape{64, 2}, KernelShape{96, 4}, KernelShape{512, 16}, KernelShape{8, 2}})
        for (const std::uint64_t n : {100U, 4097U})
            EXPECT_EQ(unmetText(criteriaOf(*gpu, task, shape, n)), "") << shape.workGroup << " invocations, n = " << n;
}

INSTANTIATE_TEST_SUITE_P(, HonestMaking, testing::ValuesIn(makings),
                         [](const testing::TestParamInfo<Making>& making) { return making.param.name; });

TEST(Method, HonestTreesBetweenTwoArraysAreNotAccused)
{
    struct Tree {
        const char *row, *sum;
        bool oddToFirst;
    };
    for (const Tree& one : {
             Tree{"reduce/sequential",
                  "sum = source[i]; if (i + push.width < push.live) sum += source[i + push.width];", false},
             Tree{"reduce/sequential",
                  "sum = source[i]; if (push.live > 1) sum += source[i + push.width];"
                  " if (i == 0 && push.live > 1 && push.live % 2 == 1) sum += source[push.live - 1];",
                  true},
             Tree{"reduce/interleaved", "sum = source[2 * i]; if (2 * i + 1 < push.live) sum += source[2 * i + 1];",
                  false},
         }) {
        SCOPED_TRACE(one.sum);
        const OwnKernels folder(Files{{"A2Task1Sequential.comp", treeStep(one.sum)}});
        const auto gpu = openTestGpu(folder.path());
        const Task task = withSolution(taskNamed(one.row), [&one](const Given& given) {
            return std::make_unique<TreeBetweenArrays>(given, one.oddToFirst);
        });
        const TaskOutcome outcome = judged(*gpu, task, true);
        EXPECT_EQ(outcome.status, Status::passed) << explanation(outcome);
        for (const KernelShape& shape : {courseShape, KernelShape{64, 16}, KernelShape{4, 2}})
            for (const std::uint64_t n : {64U, 1001U, 4097U}) {
                const Criteria found = criteriaOf(*gpu, task, shape, n);
                EXPECT_EQ(unmetText(found), "") << n;
                EXPECT_EQ(found.size(), 2U) << n;
            }
    }
}

TEST(Method, HonestScansAreNotAccused)
{
    {
        const OwnKernels folder(Files{{"A2Task2KernelDecomposition.comp", twoArrays}});
        const auto gpu = openTestGpu(folder.path());
        for (const char* id : {"scan/local", "scan/work-efficient"}) {
            const TaskOutcome outcome = judged(*gpu, taskNamed(id), true);
            EXPECT_EQ(outcome.status, Status::passed) << explanation(outcome);
        }
    }
    const ChangedShaders padding("include/A2Kernels.h", "((index) + (index) / NUM_BANKS)",
                                 "((index) + (index) / NUM_BANKS + (index) / (NUM_BANKS * NUM_BANKS))");
    const ChangedShaders sixteen("include/A2Kernels.h", "((index) + (index) / NUM_BANKS)", "((index) + (index) / 16)");
    for (const ChangedShaders* one : {&padding, &sixteen}) {
        const auto gpu = openTestGpu(one->path());
        for (const std::uint32_t workGroup : {64U, 256U, 512U})
            EXPECT_EQ(unmetText(criteriaOf(*gpu, taskNamed("scan/local"), {workGroup, 2}, 4096)), "") << workGroup;
    }
}

TEST(Method, AKernelCopiedOverAnotherRow)
{
    struct Copy {
        const char *row, *from, *over, *criterion, *evidence, *owner;
    };
    for (const Copy& one : {
             Copy{"reduce/atomic", "A2Task1KernelDecomposition", "A2Task1KernelDecompositionAtomic", "shared atomic",
                  "no atomic operation", "A2Task1KernelDecomposition.comp of reduce/decomposition"},
             Copy{"reduce/unroll", "A2Task1KernelDecomposition", "A2Task1KernelDecompositionUnroll", "unrolled steps",
                  "in a loop with barrier()", "A2Task1KernelDecomposition.comp of reduce/decomposition"},
             Copy{"reduce/decomposition", "A2Task1KernelDecompositionAtomic", "A2Task1KernelDecomposition",
                  "tree in shared memory", "steps with one active invocation: a tree of them takes 8",
                  "A2Task1KernelDecompositionAtomic.comp of reduce/atomic"},
         }) {
        SCOPED_TRACE(one.row);
        const OwnKernels folder = copiedKernel(one.from, one.over);
        const auto gpu = openTestGpu(folder.path());
        const Criteria found = criteriaOf(*gpu, taskNamed(one.row), courseShape, 4096);
        expectUnmet(found, one.criterion, one.evidence);
        expectUnmet(found, "own kernel", one.owner);
        expectNoteAndFailure(*gpu, taskNamed(one.row), one.criterion);
    }
    // The row that the copy was made from is not accused.
    const OwnKernels folder = copiedKernel("A2Task1KernelDecomposition", "A2Task1KernelDecompositionAtomic");
    const auto gpu = openTestGpu(folder.path());
    EXPECT_EQ(unmetText(criteriaOf(*gpu, taskNamed("reduce/decomposition"), courseShape, 4096)), "");
}

TEST(Method, ALoopIsNamedWithItsLine)
{
    const OwnKernels folder = copiedKernel("A2Task1KernelDecomposition", "A2Task1KernelDecompositionUnroll");
    const auto gpu = openTestGpu(folder.path());
    const TaskOutcome outcome = judged(*gpu, taskNamed("reduce/unroll"), true);
    const std::string text = textOfKernel("A2Task1KernelDecomposition");
    const auto line =
        1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(text.find("sum += partial")), '\n');
    ASSERT_TRUE(outcome.firstFailure());
    EXPECT_EQ(outcome.firstFailure()->place.file, "A2Task1KernelDecompositionUnroll.comp");
    EXPECT_EQ(outcome.firstFailure()->place.line, static_cast<std::uint64_t>(line));
}

TEST(Method, ReductionsByAnotherMethod)
{
    const auto gpu = openTestGpu();
    const auto found = [&](const char* id, const char* other) {
        return criteriaOf(*gpu, solvedLike(id, other), courseShape, 4096);
    };
    expectUnmet(found("reduce/interleaved", "reduce/sequential"), "interleaved addressing", "elements 0 and 2048");
    expectUnmet(found("reduce/sequential", "reduce/interleaved"), "sequential addressing",
                "elements 0 and 1, neighbours");
    expectUnmet(found("reduce/interleaved", "reduce/decomposition"), "one dispatch per step", "steps in shared memory");
    expectUnmet(found("reduce/sequential", "reduce/subgroup"), "one dispatch per step", "1 dispatch for 4096 elements");
    expectUnmet(found("reduce/decomposition", "reduce/sequential"), "one result per work-group", "writes 2048 sums");
    expectUnmet(found("reduce/decomposition", "reduce/sequential"), "few dispatches", "work-groups of 256 need 2");
    expectUnmet(found("reduce/decomposition", "reduce/sequential"), "tree in shared memory", "no shared memory");
    expectUnmet(found("reduce/subgroup", "reduce/decomposition"), "subgroup arithmetic", "no subgroup operation");
    expectNoteAndFailure(*gpu, solvedLike("reduce/interleaved", "reduce/sequential"), "interleaved addressing");
    expectNoteAndFailure(*gpu, solvedLike("reduce/sequential", "reduce/decomposition"), "one dispatch per step");
}

TEST(Method, AWorkGroupThatAddsUpInOneInvocation)
{
    const OwnKernels folder(
        Files{{"A2Task1KernelDecomposition.comp", reduction(partial, R"(partial[lane] = sumOfMyElements();
              barrier();
              uint sum = 0;
              if (lane == 0)
                  for (uint i = 0; i < W; ++i) sum += partial[i];
              if (lane == 0 && workGroupHasTile()) sums[workGroupNumber()] = sum;)")}});
    const auto gpu = openTestGpu(folder.path());
    expectUnmet(criteriaOf(*gpu, taskNamed("reduce/decomposition"), courseShape, 4096), "tree in shared memory",
                "steps with one active invocation");
    expectNoteAndFailure(*gpu, taskNamed("reduce/decomposition"), "tree in shared memory");
}

TEST(Method, ScansByAnotherMethod)
{
    const auto gpu = openTestGpu();
    const auto found = [&](const char* id, const char* other, const KernelShape& shape) {
        return criteriaOf(*gpu, solvedLike(id, other), shape, 4096);
    };
    expectUnmet(found("scan/naive", "scan/work-efficient", courseShape), "one dispatch per step",
                "one per step needs 12");
    expectUnmet(found("scan/work-efficient", "scan/naive", courseShape), "work-efficient",
                "additions for 4096 elements");
    expectUnmet(found("scan/work-efficient", "scan/lookback", {256, 4}), "block sums", "1 dispatch for 4096 elements");
    expectUnmet(found("scan/work-efficient", "scan/kogge-stone", courseShape), "work-efficient", "2 to 4 for each");
    expectUnmet(found("scan/work-efficient", "scan/brute-force", {64, 2}), "work-efficient", "2 to 4 for each");
    expectNoteAndFailure(*gpu, solvedLike("scan/naive", "scan/work-efficient"), "one dispatch per step");
    expectNoteAndFailure(*gpu, solvedLike("scan/work-efficient", "scan/kogge-stone"), "work-efficient");
}

TEST(Method, ALocalScanByOneInvocation)
{
    const OwnKernels folder(Files{{"A2Task2KernelDecomposition.comp", R"(#version 450
#extension GL_GOOGLE_include_directive : require
#include "include/A2Task2.h"
layout(constant_id = SPEC_ELEMENTS) const uint ELEMENTS = 2;
layout(constant_id = SPEC_EXCLUSIVE) const uint EXCLUSIVE = 0;
layout(set = 0, binding = BINDING_IN) readonly buffer Source { uint source[]; };
layout(set = 0, binding = BINDING_OUT) writeonly buffer Target { uint target[]; };
layout(set = 0, binding = BINDING_BLOCK_SUMS) writeonly buffer BlockSums { uint blockSums[]; };
layout(push_constant) uniform Push { TileScanPush push; };
void main()
{
    const uint tile = gl_WorkGroupSize.x * ELEMENTS, begin = workGroupNumber() * tile;
    if (gl_LocalInvocationID.x != 0 || begin >= push.count) return;
    uint sum = 0;
    for (uint i = begin; i < min(begin + tile, push.count); ++i) {
        const uint one = source[i];
        sum += one;
        target[i] = EXCLUSIVE == 0 ? sum : sum - one;
    }
    blockSums[workGroupNumber()] = sum;
}
)"}});
    const auto gpu = openTestGpu(folder.path());
    const Criteria found = criteriaOf(*gpu, taskNamed("scan/local"), courseShape, 4096);
    expectUnmet(found, "work-efficient", "steps with one active invocation");
    expectUnmet(found, "no bank conflicts", "no shared memory is used");
}

// One dispatch does the work of all, and the others are for show.
TEST(Method, AScanInOneOfManyDispatches)
{
    const OwnKernels folder(Files{{"A2Task2Naive.comp", R"(#version 450
#extension GL_GOOGLE_include_directive : require
#include "include/A2Task2.h"
layout(constant_id = SPEC_ELEMENTS) const uint ELEMENTS = 2;
layout(set = 0, binding = BINDING_IN) readonly buffer Source { uint source[]; };
layout(set = 0, binding = BINDING_OUT) writeonly buffer Target { uint target[]; };
layout(push_constant) uniform Push { NaivePush push; };
void main()
{
    const bool last = 2 * push.stride >= push.count;
    for (uint k = 0; k < ELEMENTS && !last; ++k) {
        const uint i = invocationNumber() * ELEMENTS + k;
        if (i < push.count) target[i] = source[i];
    }
    uint sum = 0;
    for (uint i = 0; last && invocationNumber() == 0 && i < push.count; ++i) {
        sum += source[i];
        target[i] = sum;
    }
}
)"}});
    const auto gpu = openTestGpu(folder.path());
    expectUnmet(criteriaOf(*gpu, taskNamed("scan/naive"), courseShape, 4096), "one dispatch per step",
                "takes 4096 steps one after another");
}

TEST(Method, ANaiveScanInPlace)
{
    const OwnKernels folder(Files{{"A2Task2Naive.comp", inPlace}});
    const auto gpu = openTestGpu(folder.path());
    const Criteria found = criteriaOf(*gpu, inPlaceScan(), courseShape, 4096);
    expectUnmet(found, "ping-pong", "dispatch 0 writes over 4096 elements that it reads");
    expectUnmet(found, "one dispatch per step", "1 dispatch for 4096 elements");
    expectNoteAndFailure(*gpu, inPlaceScan(), "one dispatch per step");
}

TEST(Method, ALocalScanWithoutPadding)
{
    const ChangedShaders folder("include/A2Kernels.h", "((index) + (index) / NUM_BANKS)", "(index)");
    const auto gpu = openTestGpu(folder.path());
    for (const std::uint32_t workGroup : {64U, 128U, 256U, 1024U})
        expectUnmet(criteriaOf(*gpu, taskNamed("scan/local"), {workGroup, 2}, 4096), "no bank conflicts", "worst bank");
    expectUnmet(criteriaOf(*gpu, taskNamed("scan/local"), courseShape, 4096), "no bank conflicts", "16-way");
    expectNoteAndFailure(*gpu, taskNamed("scan/local"), "no bank conflicts");
}

// ---- What the code alone shows

TEST(SharedSums, CountsCallsAndLoops)
{
    const auto sumsOf = [](const std::string& body, const std::string& globals = "") {
        const auto words = compileGlsl(
            "#version 450\n#extension GL_EXT_control_flow_attributes : require\n"
            "layout(local_size_x = 64) in;\nlayout(set = 0, binding = 0) buffer D { uint d[]; };\n"
            "shared uint s[64];\n" +
            globals + "\nvoid main() { uint i = gl_LocalInvocationIndex; s[i] = d[i]; barrier();\n" + body +
            "\nd[i] = s[0]; }\n");
        return sharedSums(SpirvModule(words));
    };
    const auto expect = [](const SharedSums& found, std::uint64_t places, std::uint64_t inLoops) {
        EXPECT_EQ(found.places, places);
        EXPECT_EQ(found.inLoops, inLoops);
    };
    const std::string loop = "for (uint k = 32; k > 0; k /= 2) { if (i < k) s[i] += s[i + k]; barrier(); }";
    expect(sumsOf("d[i + 64] = d[i] + i;"), 0, 0);
    expect(sumsOf(loop), 1, 1);
    expect(sumsOf("[[unroll]] " + loop), 1, 0);
    expect(sumsOf("for (uint k = 0; k < 64; ++k) d[64] += s[k];"), 1, 0);
    expect(sumsOf("for (uint t = 0; t < 4; ++t) { [[unroll]] " + loop + " barrier(); }"), 1, 0);
    const std::string function = "void f(uint i, uint k) { if (i < k) s[i] += s[i + k]; barrier(); }";
    expect(sumsOf("f(i, 32); f(i, 16);", function), 2, 0);
    expect(sumsOf("for (uint k = 32; k > 0; k /= 2) f(i, k);", function), 1, 1);
    // The number passes through a variable, a parameter and a result.
    const std::string sum = "uint f(uint a, uint b) { return a + b; }";
    expect(
        sumsOf(
            "for (uint k = 32; k > 0; k /= 2) { uint t = s[(i + k) % 64]; barrier(); s[i] = f(s[i], t); barrier(); }",
            sum),
        1, 1);
    const auto line = sumsOf("\n\n" + loop);
    EXPECT_EQ(line.line, 10U);
    EXPECT_EQ(line.file.substr(line.file.size() - 11), "kernel.comp");
}

TEST(SharedSums, CodeIsTheSameWhateverItsNames)
{
    const std::string text =
        "#version 450\nlayout(local_size_x = 64) in;\nlayout(set = 0, binding = 0) buffer D { uint d[]; };\n"
        "void main() { uint one = d[0]; d[1] = one + 2; }\n";
    const auto same = [&](const std::string& from, const std::string& to, const std::string& before = "") {
        std::string changed = text;
        for (std::size_t at = changed.find(from); at != std::string::npos; at = changed.find(from, at + to.size()))
            changed.replace(at, from.size(), to);
        const auto mine = compileGlsl(text), other = compileGlsl(before + changed);
        return sameCode(SpirvModule(mine), SpirvModule(other));
    };
    EXPECT_TRUE(same("one", "sum", "// a comment\n\n"));
    EXPECT_FALSE(same("+ 2", "+ 3"));
    EXPECT_FALSE(same("d[1]", "d[2]"));
}

}  // namespace a2
