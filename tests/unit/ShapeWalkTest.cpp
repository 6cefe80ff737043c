// What is walked on the host besides what a device runs: every kind of shape, the course's third level, some
// work-groups of long arrays; what is only recorded; and that right solutions are not accused.

#include "A2Task1.h"
#include "A2Task2.h"
#include "GpuFixture.h"
#include "judge/Matrix.h"
#include "judge/ShapeWalk.h"
#include "judge/ShortRuns.h"
#include "judge/StudentSolution.h"
#include "support/ChangedShaders.h"

#include <functional>

namespace a2 {

namespace {

constexpr auto compute = vk::PipelineBindPoint::eCompute;

// reduce/decomposition in the simplest way, and variations of it.
struct How {
    bool swaps = true;           // the two buffers of partial sums
    bool folds = true;           // long dispatches
    bool rowsLost = false;       // loses all rows but the first
    std::size_t hastyLevel = 0;  // this level does not wait for the one before; from 1; 0: none
    bool copiesOne = false;      // copies a single element instead of starting a dispatch
    bool alongZ = false;         // starts work-groups along z
    bool updates = false;        // first writes the sums by one vkCmdUpdateBuffer
    enum class Slices { none, right, allFromTheFirst, sumsFromTheFirst } slices = Slices::none;
    std::uint64_t grid = 0;                                                // number of work-groups, for any length
    std::function<KernelShape(const KernelShape&)> shape = {};             // the kernel's shape, from the one asked for
    std::function<void(const KernelShape&, std::uint64_t)> prepared = {};  // gets shape and length
};

class OwnSum : public Solution {
public:
    OwnSum(const Given& given, How how)
        : Solution(given),
          how_(std::move(how)),
          shape_(how_.shape ? how_.shape(shape) : shape),
          kernel_(gpu, "A2Task1KernelDecomposition", 2, sizeof(DecompositionPush), shape_),
          first_(gpu, "sums", tiles(count)),
          second_(gpu, "other sums", tiles(count))
    {
        if (how_.prepared) how_.prepared(shape, count);
        const Buffer* from = &input;
        const Buffer* to = &first_;
        const Buffer* other = how_.swaps ? &second_ : &first_;
        std::uint64_t live = count;
        do {
            addLevel(*from, live, *to);
            live = tiles(live);
            from = to;
            std::swap(to, other);
        } while (live > 1);
        result_ = from;
    }

    void record(vk::CommandBuffer cb) override
    {
        if (how_.updates) {
            const std::vector<std::uint32_t> zeros(tiles(count));
            cb.updateBuffer<std::uint32_t>(first_.handle(), 0, zeros);
            cb.pipelineBarrier(vk::PipelineStageFlagBits::eTransfer, vk::PipelineStageFlagBits::eComputeShader, {},
                               vk::MemoryBarrier(vk::AccessFlagBits::eTransferWrite, vk::AccessFlagBits::eShaderWrite),
                               {}, {});
        }
        cb.bindPipeline(compute, kernel_.pipeline());
        if (how_.copiesOne && count == 1)
            return cb.copyBuffer(input.handle(), first_.handle(), vk::BufferCopy(0, 0, sizeof(std::uint32_t)));
        for (const Part& part : parts_) {
            const std::uint64_t sums = tiles(part.live);
            const DecompositionPush push{static_cast<uint>(part.live)};
            const WorkGroups groups = how_.folds ? gpu.foldGroups(sums) : WorkGroups{static_cast<uint>(sums), 1};
            if (part.waits && static_cast<std::size_t>(&part - parts_.data()) + 1 != how_.hastyLevel)
                cb.pipelineBarrier(
                    vk::PipelineStageFlagBits::eComputeShader, vk::PipelineStageFlagBits::eComputeShader, {},
                    vk::MemoryBarrier(vk::AccessFlagBits::eShaderWrite, vk::AccessFlagBits::eShaderRead), {}, {});
            cb.bindDescriptorSets(compute, kernel_.layout(), 0, part.set, {});
            cb.pushConstants<DecompositionPush>(kernel_.layout(), vk::ShaderStageFlagBits::eCompute, 0, push);
            how_.alongZ ? cb.dispatch(1, 1, groups.x) : cb.dispatch(groups.x, how_.rowsLost ? 1 : groups.y, 1);
        }
    }

    const Buffer& result() const override { return *result_; }

private:
    struct Part {
        vk::DescriptorSet set;
        std::uint64_t live = 0;
        bool waits = false;
    };

    void addLevel(const Buffer& from, std::uint64_t live, const Buffer& to)
    {
        const bool sums = !parts_.empty();
        bool waits = sums;
        if (how_.slices == How::Slices::none)
            return parts_.push_back({kernel_.makeDescriptorSet({from, to}), live, waits});
        for (const Slice& one : slices(gpu, live, shape_.tile())) {
            const bool right =
                how_.slices == How::Slices::right || (how_.slices == How::Slices::sumsFromTheFirst && !sums);
            const std::uint64_t first = right ? one.firstTile : 0;
            const vk::DescriptorSet set =
                kernel_.makeDescriptorSet({from.slice(one.first, one.count), to.slice(first, one.tiles)});
            parts_.push_back({set, one.count, std::exchange(waits, false)});
        }
    }

    // How many sums a level with that many elements leaves.
    std::uint64_t tiles(std::uint64_t live) const
    {
        if (how_.grid > 0) return live > how_.grid ? how_.grid : 1;
        return ceilDiv(live, shape_.tile());
    }

    How how_;
    KernelShape shape_;
    ComputePipeline kernel_;
    Buffer first_, second_;
    std::vector<Part> parts_;
    const Buffer* result_ = nullptr;
};

Task ownSum(const How& how)
{
    return withSolution(taskNamed("reduce/decomposition"),
                        [how](const Given& given) { return std::make_unique<OwnSum>(given, how); });
}

EvaluationSettings courseSettings()
{
    EvaluationSettings settings;
    settings.course = true;
    settings.workGroup = courseShape.workGroup;
    settings.elements = courseShape.elements;
    return settings;
}

constexpr std::uint64_t thirdLevelOfTheCourse = std::uint64_t{1} << 19;  // with 256 x 2

bool fails(const Verdict& verdict, const std::string& rule)
{
    return std::any_of(verdict.findings.begin(), verdict.findings.end(),
                       [&](const Finding& one) { return one.rule == rule && one.severity == Severity::failure; });
}

}  // namespace

TEST(ShapeWalk, MeetsShapesThatTheDeviceIsNotAskedFor)
{
    struct Fault {
        const char* task;
        const char* file;
        const char* right;
        const char* wrong;
        std::uint32_t fewest;  // fewest elements per invocation that show it
    };
    for (const Fault& one : {Fault{"scan/local", "A2Task2KernelDecomposition.comp",
                                   "scanned[i * LEAF + k + 3] = four.w", "scanned[i * LEAF - k + 3] = four.w", 16},
                             Fault{"reduce/local-modulo", "A2LabLocalModulo.comp",
                                   "t < TILE / 2; t += gl_WorkGroupSize.x", "t < TILE / 2; t = gl_WorkGroupSize.x", 4},
                             Fault{"reduce/sequential", "A2Task1Sequential.comp", "if (index < push.live) sum",
                                   "if (index < push.live && ELEMENTS % 4 != 2) sum", 2}}) {
        const ChangedShaders shaders(one.file, one.right, one.wrong);
        const auto gpu = openTestGpu(shaders.path());
        const TaskOutcome outcome = evaluate(*gpu, taskNamed(one.task), 5000);
        ASSERT_EQ(outcome.status, Status::failed) << one.task;
        EXPECT_GE(outcome.firstFailure()->shape.elements, one.fewest) << one.task;
        EXPECT_EQ(outcome.benchmark(), nullptr) << one.task;
    }
}

// Barriers between levels that the row's own shape only has for longer arrays.
TEST(ShapeWalk, HoldsBarriersOfAllLevelsAgainstTheRules)
{
    const auto gpu = openTestGpu();
    for (const std::size_t level : {3U, 4U}) {
        How hasty;
        hasty.hastyLevel = level;
        const TaskOutcome outcome = evaluate(*gpu, ownSum(hasty), 1000);
        ASSERT_EQ(outcome.status, Status::failed) << level;
        EXPECT_NE(explanation(outcome).find("missing-barrier"), std::string::npos) << explanation(outcome);
    }
}

TEST(ShapeWalk, LetsACopyBeTheSumOfOneElement)
{
    const auto gpu = openTestGpu();
    How copies;
    copies.copiesOne = true;
    const TaskOutcome outcome = evaluate(*gpu, ownSum(copies), 1000);
    EXPECT_EQ(outcome.status, Status::passed) << explanation(outcome);
}

// The command that repeats a failure must show it, also for the length that was asked for.
TEST(OtherDevices, AreLookedAtInTheLengthThatWasAskedFor)
{
    const ChangedShaders shaders("include/A2SubgroupSum.glsl", "subgroupSums[gl_WorkGroupSize.x]", "subgroupSums[32]");
    const auto gpu = openTestGpu(shaders.path());
    EvaluationSettings settings;
    settings.workGroup = 256;
    settings.elements = 2;
    for (const std::uint64_t n : {std::uint64_t{1000}, std::uint64_t{5000}}) {
        const TaskOutcome outcome = evaluate(*gpu, taskNamed("reduce/unroll"), n, settings);
        EXPECT_EQ(outcome.status, Status::passed) << explanation(outcome);
        EXPECT_EQ(evaluate(*gpu, taskNamed("reduce/subgroup"), n, settings).status, Status::failed) << n;
    }
}

// A kernel that adds up two words of a ballot is wrong with subgroups of 128; with subgroups of 64, a shift by an
// invocation's number is undefined.
TEST(OtherDevices, HaveSubgroupsOf64And128)
{
    const std::string head = "\n#extension GL_KHR_shader_subgroup_ballot : require\n", line = "#extension GL_GOOGLE",
                      loop =
                          "for (bool done = false; !done;) {\nconst uint bin = source[i] % HISTOGRAM_BINS, first = "
                          "subgroupBroadcastFirst(bin);\nconst uvec4 same = subgroupBallot(bin == first);\n"
                          "if (bin == first) {\nif (subgroupElect()) atomicAdd(bins[bin], #);\ndone = true;\n}\n}\n",
                      two = "bitCount(same.x) + bitCount(same.y)", all = two + " + bitCount(same.z) + bitCount(same.w)",
                      shifted = all + " + (1u << gl_SubgroupInvocationID & 1) - uint(gl_SubgroupInvocationID == 0)";
    const std::pair<std::string, std::string> counts[] = {
        {all, ""},
        {two, "subgroup-size: with subgroups of 128 invocations"},
        {shifted, "with subgroups of 64 invocations, on a device where what GLSL leaves undefined"}};
    for (const auto& [count, found] : counts) {
        std::string counting = loop;
        counting.replace(counting.find('#'), 1, count);
        ChangedShaders shaders("A2HistogramGlobal.comp", "atomicAdd(bins[source[i] % HISTOGRAM_BINS], 1);", counting);
        shaders.change("A2HistogramGlobal.comp", line, head + line);
        const auto gpu = openTestGpu(shaders.path());
        const TaskOutcome outcome = evaluate(*gpu, taskNamed("histogram/global"), 5000);
        EXPECT_EQ(outcome.status, found.empty() ? Status::passed : Status::failed) << explanation(outcome);
        EXPECT_NE(explanation(outcome).find(found), std::string::npos) << explanation(outcome);
    }
}

// A work-group waits for one that need not have started, in a row whose own shape has one work-group in short runs.
TEST(OtherDevices, AreLookedAtWithSeveralWorkGroups)
{
    ChangedShaders shaders(
        "A2Task2DecoupledLookback.comp", "const uint begin = (tile - push.firstGroup) * TILE;\n    const bool full",
        "if (tile > 0 && gl_LocalInvocationID.x == 0)\n"
        "        while (atomicLoad(words[(tile - 1) * WORDS_PER_TILE_STATE], gl_ScopeDevice, 0, 0) >> 16 != "
        "(run << 8 | PREFIX));\n    const uint begin = (tile - push.firstGroup) * TILE;\n    const bool full");
    shaders.change("A2Task2DecoupledLookback.comp", "tile = min(ticket & 0xFFFFFF, push.groups - 1)",
                   "tile = workGroupNumber()");
    const auto gpu = openTestGpu(shaders.path());
    const TaskOutcome outcome = evaluate(*gpu, taskNamed("scan/lookback"), 4000);
    ASSERT_EQ(outcome.status, Status::failed);
    EXPECT_NE(explanation(outcome).find("forward-progress"), std::string::npos) << explanation(outcome);
}

// reduce/atomic, whose invocations add `mine` by this statement, between memory barriers: so the atomics take effect in
// place.
static std::string explanationOfAdding(const std::string& statement)
{
    const ChangedShaders shaders("A2Task1KernelDecompositionAtomic.comp", "    atomicAdd(groupSum, sumOfMyElements());",
                                 "    const uint mine = sumOfMyElements();\n    memoryBarrierShared();\n" + statement +
                                     "\n    memoryBarrierShared();");
    const TaskOutcome outcome = evaluate(*openTestGpu(shaders.path()), taskNamed("reduce/atomic"), 1000);
    EXPECT_EQ(outcome.status, Status::failed);
    return explanation(outcome);
}

// Two kinds of atomics on one word, without a defined order.
TEST(OtherDevices, HaveInvocationsThatGoFromTheLastToTheFirst)
{
    const std::string said = explanationOfAdding(
        "    if (gl_LocalInvocationID.x == 0)\n"
        "        atomicXor(groupSum, mine);\n"
        "    else\n        atomicAdd(groupSum, mine);");
    EXPECT_NE(said.find("the invocations of each, go from the last"), std::string::npos) << said;
}

// Reading and writing back loses what comes in between; only if the last invocation runs last does nothing come in
// between.
TEST(OtherDevices, HaveInvocationsThatPauseBeforeAllOthersHaveCome)
{
    const std::string said = explanationOfAdding(
        "    if (gl_LocalInvocationID.x == gl_WorkGroupSize.x - 1)\n"
        "        atomicExchange(groupSum, atomicAdd(groupSum, 0) + mine);\n"
        "    else\n        atomicAdd(groupSum, mine);");
    EXPECT_NE(said.find("let one atomic do what belongs together"), std::string::npos) << said;
}

// reduce/decomposition, whose kernel stores a work-group's sum by this statement.
static TaskOutcome storing(const std::string& statement)
{
    const ChangedShaders shaders("A2Task1KernelDecomposition.comp", "sums[workGroupNumber()] = sum;", statement);
    return evaluate(*openTestGpu(shaders.path()), taskNamed("reduce/decomposition"), 1000);
}

// On those devices, undefined results of GLSL, and the last digits of functions that Vulkan allows to err, are
// different.
TEST(OtherDevices, CalculateOtherwiseWhereTheyMay)
{
    const auto judged = [](const std::string& sum) { return storing("sums[workGroupNumber()] = " + sum + ";"); };
    const std::string zero = "(push.count >> 31)", power = "pow(2.0, 3.0 + float(" + zero + "))";
    struct Case {
        std::string sum, says;
    };
    for (const Case& one : {Case{"sum | sum >> (32 - " + zero + ")", "a shift by as many bits"},
                            // on some devices: by the lowest bits of the distance
                            Case{"sum + uint(sum >> (32 - " + zero + ") == sum)", "a shift by as many bits"},
                            // the result is not the same for all operands
                            Case{"sum + (sum / " + zero + " - (sum + 1) / " + zero + ")", "a division by 0"},
                            Case{"sum + uint((int(" + zero + ") - 7) % 5 + 2)", "% of a negative number"},
                            Case{"sum + uint(-1.0 - float(" + zero + "))", "a float that no whole number"},
                            Case{"sum * (uint(" + power + ") - 7)", "round it"},
                            Case{"sum * (uint(sqrt(64.0 + float(" + zero + "))) - 7)", "round it"}}) {
        const TaskOutcome outcome = judged(one.sum);
        EXPECT_EQ(outcome.status, Status::failed) << one.sum;
        EXPECT_NE(explanation(outcome).find(one.says), std::string::npos) << one.sum << ": " << explanation(outcome);
        EXPECT_EQ(explanation(outcome).find("subgroup-size"), std::string::npos) << explanation(outcome);
    }
    for (const std::string& right :
         {"sum * (uint(" + power + " + 0.5) - 7)", "sum * uint(float(8 + " + zero + ") / 8.0)",
          "sum | sum >> (31 - " + zero + ") >> 1", "sum + uint(((int(" + zero + ") - 7) % 5 + 5) % 5 - 3)"}) {
        const TaskOutcome outcome = judged(right);
        EXPECT_EQ(outcome.status, Status::passed) << right << ": " << explanation(outcome);
    }
}

// Mesa's CPU driver crashes if a kernel uses a set that its pipeline's layout does not have.
TEST(KernelsOfOtherSets, AreNotGivenToADriver)
{
    const ChangedShaders shaders("A2Task1KernelDecomposition.comp", "set = 0, binding = BINDING_OUT",
                                 "set = 1, binding = 0");
    const TaskOutcome outcome = evaluate(*openTestGpu(shaders.path()), taskNamed("reduce/decomposition"), 1000);
    EXPECT_EQ(outcome.status, Status::failed);
    EXPECT_NE(explanation(outcome).find("is in set 1 (binding 0) in the kernel, and its pipeline's layout has 1 "
                                        "descriptor set"),
              std::string::npos)
        << explanation(outcome);
}

// Divisions by the tile of 256 x 2 are exact on all devices; faults in other shapes are found with those shapes.
TEST(OtherDevices, CalculateOtherwiseInOtherShapes)
{
    const auto judged = [](const std::string& number) {
        const ChangedShaders shaders("A2Task2KernelDecompositionOffset.comp", "offsets[number]",
                                     "offsets[" + number + "]");
        const auto gpu = openTestGpu(shaders.path());
        return evaluate(*gpu, taskNamed("scan/offset"), 1000);
    };
    const std::string tile = "float(gl_WorkGroupSize.x * ELEMENTS)",
                      element = "float(number * gl_WorkGroupSize.x * ELEMENTS)";
    for (const std::string& wrong :
         {"uint(" + element + " / " + tile + ")", "uint(" + element + " * (1.0 / " + tile + "))"}) {
        const TaskOutcome outcome = judged(wrong);
        EXPECT_EQ(outcome.status, Status::failed) << wrong;
        EXPECT_NE(explanation(outcome).find("inexact functions give a little less"), std::string::npos)
            << explanation(outcome);
        EXPECT_NE(explanation(outcome).find("round it"), std::string::npos) << explanation(outcome);
    }
    EXPECT_EQ(judged("uint(" + element + " / " + tile + " + 0.5)").status, Status::passed);
}

// Whole numbers read as floats are denormalised floats: copying them is safe, adding them is not.
TEST(OtherDevices, TakeDenormalisedNumbersForZero)
{
    const auto judged = [](const std::string& low) {
        const ChangedShaders shaders("A2Task1KernelDecompositionAtomic.comp", "atomicAdd(groupSum, sumOfMyElements());",
                                     "uint mine = sumOfMyElements(); float low = uintBitsToFloat(mine & 0x7FFFFFu); "
                                     "atomicAdd(groupSum, floatBitsToUint(" +
                                         low + ") | (mine & 0xFF800000u));");
        const auto gpu = openTestGpu(shaders.path());
        return evaluate(*gpu, taskNamed("reduce/atomic"), 1000);
    };
    EXPECT_EQ(judged("low").status, Status::passed);
    const TaskOutcome outcome = judged("low + 0.0");
    EXPECT_EQ(outcome.status, Status::failed);
    EXPECT_NE(explanation(outcome).find("floats of less than 2^-126"), std::string::npos) << explanation(outcome);
}

// A word with one bit per element is too short from the 33rd element on.
TEST(OtherDevices, ShiftByThirtyTwoInShapesOfMoreElements)
{
    const ChangedShaders shaders("A2LabKoggeStone.comp", "if (i >= stride) sums[i] += left[k];",
                                 "if (i >= stride && 1u << k != 0) sums[i] += left[k];");
    const TaskOutcome outcome = evaluate(*openTestGpu(shaders.path()), taskNamed("scan/kogge-stone"), 1000);
    EXPECT_EQ(outcome.status, Status::failed);
    EXPECT_NE(explanation(outcome).find("a shift by as many bits as there are"), std::string::npos)
        << explanation(outcome);
}

// Between two atomics of one invocation others may do theirs: one invocation at a time, all of them, in the host's own
// order.
TEST(OtherOrders, OfTheInvocationsOfAWorkGroupAreTried)
{
    const auto judged = [](const std::string& sums) {
        const ChangedShaders shaders("A2Task1KernelDecompositionAtomic.comp", "atomicAdd(groupSum, sumOfMyElements());",
                                     sums);
        const auto gpu = openTestGpu(shaders.path());
        return evaluate(*gpu, taskNamed("reduce/atomic"), 1000);
    };
    const TaskOutcome outcome = judged(
        "uint mine = sumOfMyElements(); uint old = atomicExchange(groupSum, 0); "
        "atomicExchange(groupSum, old + mine);");
    EXPECT_EQ(outcome.status, Status::failed);
    EXPECT_NE(explanation(outcome).find("where each invocation pauses"), std::string::npos) << explanation(outcome);
    EXPECT_NE(explanation(outcome).find("let one atomic do what belongs together"), std::string::npos)
        << explanation(outcome);
    EXPECT_NE(explanation(outcome).find("let no place and no order depend on what that atomic returns"),
              std::string::npos)
        << explanation(outcome);
    EXPECT_NE(explanation(outcome).find("; let the result be the same in any order: look at"), std::string::npos)
        << explanation(outcome);
    EXPECT_NE(explanation(outcome).find("failed with"), std::string::npos) << explanation(outcome);
    // Adding and subtracting, in any order; and compare and swap.
    EXPECT_EQ(
        judged("uint mine = sumOfMyElements(); atomicAdd(groupSum, mine + 1); atomicAdd(groupSum, 0xFFFFFFFF);").status,
        Status::passed);
    EXPECT_EQ(
        judged("uint mine = sumOfMyElements(), seen = 0, had; do { had = seen; seen = atomicCompSwap(groupSum, had, "
               "had + mine); } while (seen != had);")
            .status,
        Status::passed);
}

TEST(OtherDevices, CalculateWithSixteenBitsWhereTheyMay)
{
    const auto judged = [](const std::string& sum) {
        return storing("{ " + sum + " sums[workGroupNumber()] = sum2; }");
    };
    for (const std::string wrong :
         {"mediump uint sum2 = sum; sum2 += 1; sum2 -= 1;", "lowp int s = int(sum); uint sum2 = uint(s);"}) {
        const TaskOutcome outcome = judged(wrong);
        EXPECT_EQ(outcome.status, Status::failed) << wrong;
        EXPECT_NE(explanation(outcome).find("may have 16 bits only"), std::string::npos) << explanation(outcome);
    }
    for (const std::string right :
         {"mediump uint one = push.count >> 31; uint sum2 = sum + one;",
          "mediump int less = -1 - int(push.count >> 31); uint sum2 = sum + uint(less + 1);"}) {
        const TaskOutcome outcome = judged(right);
        EXPECT_EQ(outcome.status, Status::passed) << right << ": " << explanation(outcome);
    }
}

// Work-groups of a folded dispatch beyond the last tile.
TEST(ShapeWalk, MeetsFoldedDispatches)
{
    const ChangedShaders shaders("A2Task1KernelDecomposition.comp", "lane == 0 && workGroupHasTile()", "lane == 0");
    const auto gpu = openTestGpu(shaders.path());
    const TaskOutcome outcome = evaluate(*gpu, ownSum({}), 1000);
    ASSERT_EQ(outcome.status, Status::failed);
    ASSERT_TRUE(outcome.firstFailure()->limit);
    EXPECT_NE(explanation(outcome).find("--dispatch-limit 4x65535"), std::string::npos) << explanation(outcome);
    How lost;  // only starts its first row
    lost.rowsLost = true;
    EXPECT_EQ(evaluate(*openTestGpu(), ownSum(lost), 1000).status, Status::failed);
    How flat;  // for which such a device is too small
    flat.folds = false;
    const TaskOutcome other = evaluate(*gpu, ownSum(flat), 1000);
    EXPECT_EQ(other.status, Status::passed) << explanation(other);
}

TEST(ShapeWalk, MeetsSlices)
{
    const auto gpu = openTestGpu();
    How sliced;
    sliced.slices = How::Slices::right;
    const TaskOutcome right = evaluate(*gpu, ownSum(sliced), 5000);
    EXPECT_EQ(right.status, Status::passed) << explanation(right);
    sliced.slices = How::Slices::allFromTheFirst;
    const TaskOutcome wrong = evaluate(*gpu, ownSum(sliced), 5000);
    ASSERT_EQ(wrong.status, Status::failed);
    EXPECT_NE(explanation(wrong).find("--binding-limit 10240"), std::string::npos) << explanation(wrong);
    EXPECT_NE(explanation(wrong).find("a2/Slices.h"), std::string::npos) << explanation(wrong);
    EXPECT_EQ(explanation(wrong).find("foldGroups()"), std::string::npos) << "it folds\n" << explanation(wrong);
}

// Sums of so many slices that the sums are sliced, too.
TEST(ShapeWalk, MeetsSlicesOfSums)
{
    const auto gpu = openTestGpu();
    How sliced;
    sliced.slices = How::Slices::sumsFromTheFirst;
    const TaskOutcome wrong = evaluate(*gpu, ownSum(sliced), 5000);
    ASSERT_EQ(wrong.status, Status::failed);
    EXPECT_NE(explanation(wrong).find("--binding-limit 2048"), std::string::npos) << explanation(wrong);
}

TEST(ShapeWalk, MeetsSlicesWithWorkGroupsToSpare)
{
    const auto gpu = openTestGpu();
    const Task& task = taskNamed("scan/lookback");
    const std::vector<WalkedRun> runs = walkedShapes(*gpu, task, ScanKinds::inclusive);
    const auto folded = std::find_if(runs.begin(), runs.end(), [](const WalkedRun& run) {
        return run.limit && run.limit->bindingBytes > 0 && run.limit->x > 0;
    });
    ASSERT_NE(folded, runs.end());
    const WithLowerLimits limited(*gpu, folded->limit);
    const Recording recording = recordingOf(*gpu, task, folded->shape, folded->n);
    std::uint64_t groups = 0;
    for (const RecordedCommand& command : recording.runs.front().commands)
        if (const auto* dispatch = std::get_if<RecordedDispatch>(&command); dispatch && groups == 0)
            groups = std::uint64_t{dispatch->groups[0]} * dispatch->groups[1];
    EXPECT_GT(groups, slices(folded->n, folded->shape.tile(), folded->limit->bindingBytes).front().tiles);
}

// A counter of work-groups that is not reset if the dispatch is folded.
TEST(ShapeWalk, GoesOnOnWhatIsKept)
{
    struct Fault {
        const char* task;
        const char* file;
        const char* right;
        const char* wrong;
    };
    for (const Fault& one :
         {Fault{"reduce/subgroup", "A2Task1Subgroup.comp", "if (push.groups > 1) atomicExchange",
                "if (push.groups > 1 && gl_NumWorkGroups.y == 1) atomicExchange"},
          Fault{"scan/lookback", "A2Task2DecoupledLookback.comp", "(ticket & 0xFFFFFF) + 1 == push.groups)",
                "(ticket & 0xFFFFFF) + 1 == push.groups && gl_NumWorkGroups.y == 1)"}}) {
        const ChangedShaders shaders(one.file, one.right, one.wrong);
        const auto gpu = openTestGpu(shaders.path());
        const TaskOutcome outcome = evaluate(*gpu, taskNamed(one.task), 5000);
        ASSERT_EQ(outcome.status, Status::failed) << one.task;
        EXPECT_NE(explanation(outcome).find("stale-state"), std::string::npos) << explanation(outcome);
    }
}

TEST(ShapeWalk, AccusesNoRow)
{
    const auto gpu = openTestGpu();
    for (const Task& task : allTasks()) {
        std::size_t walked = 0;
        for (const WalkedRun& run : walkedShapes(*gpu, task, ScanKinds::both)) {
            try {
                const HostWalk walk = walkOnHost(*gpu, task, run, 1);
                EXPECT_TRUE(walk.verdict.passed())
                    << task.id << ", n = " << run.n << ", " << run.shape.workGroup << " x " << run.shape.elements;
                walked += walk.complete;
            } catch (const LimitError&) {
            }
        }
        EXPECT_GT(walked, 8U) << task.id;
        for (const WalkedRun& run : recordedLengths(*gpu, task, task.shape))
            for (const Finding& one : lookAtRecording(*gpu, task, run, 1).findings)
                ADD_FAILURE() << task.id << ", n = " << run.n << ": " << one.rule << ": " << one.message;
    }
}

// On the third level the two buffers take turns for the first time.
TEST(Course, MeetsTheThirdLevelInSmallWorkGroups)
{
    const auto gpu = openTestGpu();
    EXPECT_EQ(evaluate(*gpu, ownSum({}), thirdLevelOfTheCourse, courseSettings()).status, Status::passed);
    How wrong;
    wrong.swaps = false;
    const TaskOutcome outcome = evaluate(*gpu, ownSum(wrong), thirdLevelOfTheCourse, courseSettings());
    EXPECT_EQ(outcome.status, Status::failed);
    EXPECT_NE(explanation(outcome).find("global-race"), std::string::npos) << explanation(outcome);
}

TEST(Course, LetsASolutionRestOnItsShape)
{
    const auto gpu = openTestGpu();
    How strict;
    strict.prepared = [](const KernelShape& shape, std::uint64_t) {
        if (shape.workGroup != 256) throw std::runtime_error("256 x 2 was promised");
    };
    How own;
    own.shape = [](const KernelShape&) { return courseShape; };
    for (const How& how : {strict, own}) {
        const TaskOutcome outcome = evaluate(*gpu, ownSum(how), thirdLevelOfTheCourse, courseSettings());
        EXPECT_EQ(outcome.status, Status::passed) << explanation(outcome);
    }
    const ChangedShaders shaders("include/A2Kernels.h", "layout(local_size_x_id = SPEC_WORK_GROUP) in;",
                                 "layout(local_size_x = 256) in;");
    const auto fixed = openTestGpu(shaders.path());
    for (const char* id : {"reduce/decomposition", "scan/work-efficient", "scan/naive"}) {
        const TaskOutcome outcome = evaluate(*fixed, taskNamed(id), thirdLevelOfTheCourse, courseSettings());
        EXPECT_EQ(outcome.status, Status::passed) << id << ": " << explanation(outcome);
    }
}

TEST(FixedShape, IsOneOfTheHostCodeToo)
{
    const auto gpu = openTestGpu();
    How fixed;
    fixed.shape = [](const KernelShape&) { return KernelShape{64, 2}; };
    for (const EvaluationSettings& settings : {courseSettings(), EvaluationSettings()}) {
        const TaskOutcome outcome = evaluate(*gpu, ownSum(fixed), 4096, settings);
        EXPECT_EQ(outcome.status, Status::failed);
        EXPECT_NE(explanation(outcome).find("fixed-shape: dispatch 0 "), std::string::npos) << explanation(outcome);
    }
}

// 512 x 2 where 1024 were asked for; and half as many invocations.
TEST(FixedShape, IsNoneThatFollowsInItsOwnWay)
{
    ChangedShaders shaders("A2Task2Naive.comp", "const uint tile = gl_WorkGroupSize.x * ELEMENTS;",
                           "const uint all = gl_WorkGroupSize.x * gl_WorkGroupSize.y, tile = all * ELEMENTS;");
    for (int i = 0; i < 2; ++i) shaders.change("A2Task2Naive.comp", "k * gl_WorkGroupSize.x", "k * all");
    shaders.change("A2Task2Naive.comp", "gl_LocalInvocationID.x", "gl_LocalInvocationIndex");
    shaders.change("A2Task2Naive.comp", "void main()", "layout(local_size_y = 2) in;\nvoid main()");
    const auto gpu = openTestGpu(shaders.path());
    Task task = taskNamed("scan/naive");
    task.record = [](const RecordRequest& request) {
        RecordRequest half = request;
        half.shape.workGroup = std::max<std::uint32_t>(1, half.shape.workGroup / 2);
        RecordAnswer answer = recordedHere(half);
        if (auto* recording = std::get_if<Recording>(&answer)) recording->shape = request.shape;
        return answer;
    };
    EvaluationSettings settings;
    settings.workGroup = 1024;
    const TaskOutcome outcome = evaluate(*gpu, task, 5000, settings);
    EXPECT_EQ(outcome.status, Status::passed) << explanation(outcome);

    How halved;
    halved.shape = [](const KernelShape& asked) {
        KernelShape shape = asked;
        shape.workGroup = std::max<std::uint32_t>(1, asked.workGroup / 2);
        return shape;
    };
    const auto plain = openTestGpu();
    const TaskOutcome other = evaluate(*plain, ownSum(halved), 5000);
    EXPECT_EQ(other.status, Status::passed) << explanation(other);
}

// In the whole matrix of a length: every device starts at least 65535 work-groups.
TEST(LongArrays, AccuseNoFixedGridAndNoWorkGroupsAlongZ)
{
    const auto check = [](Device& gpu, const Task& task) {
        EvaluationSettings settings;
        settings.onlySize = 1000;
        settings.pattern = Pattern::parse("random");
        Evaluator evaluator(gpu, settings, [](const std::string&) {});
        const TaskOutcome outcome = evaluator.check({task}).at(0);
        EXPECT_EQ(outcome.status, Status::passed) << explanation(outcome);
        const TaskOutcome ran = evaluate(gpu, task, 70000);
        EXPECT_EQ(ran.status, Status::passed) << explanation(ran);
    };
    How deep;
    deep.alongZ = true;
    deep.folds = false;
    const ChangedShaders alongZ("include/A2Kernels.h", "gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x",
                                "gl_WorkGroupID.z");
    check(*openTestGpu(alongZ.path()), ownSum(deep));

    How turns;
    turns.grid = 64;
    ChangedShaders strided("include/A2LoadTile.glsl", "    const uint tile",
                           "    uint all = 0;\n    for (uint i = invocationNumber(); i < push.count; i += "
                           "gl_NumWorkGroups.x * gl_WorkGroupSize.x) all += source[i];\n"
                           "    if (push.count > 0) return all;\n    const uint tile");
    strided.change("include/A2LoadTile.glsl", "return workGroupNumber() * gl_WorkGroupSize.x * ELEMENTS < push.count",
                   "return true");
    check(*openTestGpu(strided.path()), ownSum(turns));
}

// Host code that multiplies by a tile's reciprocal starts too few work-groups where the product is less than 1.
TEST(ShapeWalk, HasATileWhoseReciprocalIsTooSmall)
{
    const auto gpu = openTestGpu();
    for (const std::string row : {"reduce/decomposition", "scan/local", "scan/lookback", "histogram/shared"}) {
        const std::vector<WalkedRun> runs = walkedShapes(*gpu, taskNamed(row), ScanKinds::inclusive);
        EXPECT_TRUE(std::any_of(runs.begin(), runs.end(), [](const WalkedRun& run) {
            const auto tile = static_cast<double>(run.shape.tile());
            return run.n == run.shape.tile() + 1 && tile * (1.0 / tile) < 1;
        })) << row;
    }
}

// The scan has as many work-groups as there are digits, and the first row of a folded dispatch always has the same
// length.
TEST(LongArrays, WhoseRowsAreLeftOutFailBesideAFixedGrid)
{
    const auto gpu = openTestGpu();
    Task task = taskNamed("sort/radix");
    const auto walked = [&] {
        const std::vector<WalkedRun> runs = walkedShapes(*gpu, task, ScanKinds::inclusive);
        const auto folded = std::find_if(
            runs.begin(), runs.end(), [](const WalkedRun& run) { return run.limit && run.limit->bindingBytes == 0; });
        return walkOnHost(*gpu, task, *folded, 1);
    };
    const HostWalk right = walked();
    EXPECT_TRUE(right.run && right.complete && right.verdict.passed());
    task.record = [](const RecordRequest& request) {
        RecordAnswer answer = recordedHere(request);
        if (auto* recording = std::get_if<Recording>(&answer))
            for (RecordedCommand& command : recording->runs.front().commands)
                if (auto* dispatch = std::get_if<RecordedDispatch>(&command)) dispatch->groups[1] = 1;
        return answer;
    };
    const HostWalk wrong = walked();
    EXPECT_TRUE(wrong.run && wrong.complete && wrong.verdict.mismatches);
}

// Recordings are checked against Vulkan's guaranteed limits; a fixed grid keeps them.
TEST(LongArrays, AreRecordedAndHeldAgainstTheLimits)
{
    const auto gpu = openTestGpu();
    const WalkedRun many{{smallestWorkGroup, 2}, manyTiles * smallestWorkGroup * 2};
    EXPECT_TRUE(lookAtRecording(*gpu, ownSum({}), many, 1).passed());
    How flat;
    flat.folds = false;
    EXPECT_TRUE(fails(lookAtRecording(*gpu, ownSum(flat), many, 1), "group-limit"));
    How updating;  // one update has at most 65,536 bytes
    updating.updates = true;
    EXPECT_TRUE(lookAtRecording(*gpu, ownSum(updating), {many.shape, 16384 * many.shape.tile()}, 1).passed());
    EXPECT_TRUE(fails(lookAtRecording(*gpu, ownSum(updating), many, 1), "call"));

    const WithLowerLimits limited(*gpu, LowerLimits{7, 9});
    EXPECT_EQ(gpu->limits().maxComputeWorkGroupCount[0], 7U);
    EXPECT_EQ(gpu->limits().maxComputeWorkGroupCount[1], 9U);
    EXPECT_GT(gpu->limits().maxComputeWorkGroupCount[2], 1U);
}

// Host code that does not fold long dispatches gets a note. `a2 check` fails it, because it also runs a folded dispatch
// (contract.TheMatrix).
TEST(LongArrays, ThatNeedFoldingAreANoteInRun)
{
    const std::uint64_t n = manyTiles * smallestWorkGroup * 2;
    const auto gpu = openTestGpu();
    How flat;
    flat.folds = false;
    const TaskOutcome told = evaluate(*gpu, ownSum(flat), n);
    EXPECT_EQ(told.status, Status::passed) << explanation(told);
    ASSERT_EQ(noteLines(told).size(), 1U);
    EXPECT_NE(noteLines(told).front().find("group-limit"), std::string::npos) << noteLines(told).front();
}

// A kernel that is only wrong in long arrays. The device does not show it.
TEST(LongArrays, HaveSomeWorkGroupsWalked)
{
    struct Fault {
        const char* wrong;
        const char* rule;
    };
    for (const Fault& one :
         {Fault{"partial[push.count > 6000 ? lane + 70000 : lane] = sum;", "out-of-bounds"},
          Fault{"partial[push.count > 6000 ? lane / 2 : lane] = sum;", "shared-race"},
          Fault{"partial[lane] = sum; if (push.count > 6000 && lane > 3) return;", "barrier-divergence"}}) {
        const ChangedShaders shaders("A2Task1KernelDecomposition.comp", "partial[lane] = sum;", one.wrong);
        const auto gpu = openTestGpu(shaders.path());
        EvaluationSettings settings;
        settings.workGroup = 64;
        const TaskOutcome outcome = evaluate(*gpu, taskNamed("reduce/decomposition"), 8000, settings);
        EXPECT_EQ(outcome.status, Status::failed) << one.rule;
        EXPECT_EQ(outcome.firstFailure()->n, 8000U) << one.rule;
        EXPECT_NE(explanation(outcome).find(one.rule), std::string::npos) << explanation(outcome);
    }
}

TEST(LengthOfABinding, IsThatOfTheArray)
{
    ChangedShaders all("A2Task2Naive.comp", "begin < push.count && push.count - begin",
                       "begin < source.length() && source.length() - begin");
    all.change("A2Task2Naive.comp", "if (index < push.count)", "if (index < source.length())");
    for (const bool emulated : {false, true}) {
        const auto gpu = emulated ? openEmulator(all.path()) : openTestGpu(all.path());
        for (const std::uint64_t n : {1000U, 9001U}) {
            const TaskOutcome outcome = evaluate(*gpu, taskNamed("scan/naive"), n);
            EXPECT_EQ(outcome.status, Status::passed) << explanation(outcome);
        }
    }
}

}  // namespace a2
