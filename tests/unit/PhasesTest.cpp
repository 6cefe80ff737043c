// The phases of a work-group: to which scheme they belong, and which one is wrong.

#include "GpuFixture.h"
#include "gpu/BuiltInShaders.h"
#include "judge/HostPhases.h"
#include "spirv/KernelFacts.h"
#include "support/EmulatedGlsl.h"

namespace a2 {

namespace {

const char* const kernelHead = R"(#version 450
layout(local_size_x = 8) in;
layout(binding = 0) readonly buffer In { uint x[]; };
layout(binding = 1) buffer Out { uint o[]; };
#define L gl_LocalInvocationID.x
#define G gl_WorkGroupID.x
)";

struct JudgedPhases {
    PhaseJudgements found;
    std::vector<EmulatorSettings::SeenPhase> seen;

    // "ok ok wrong"
    std::string verdicts() const
    {
        std::string text;
        for (const PhaseJudgement& one : found.phases)
            text += (text.empty() ? "" : " ") + std::string(verdictText(one.verdict));
        return text;
    }
};

// For 16 elements in each work-group of 8 invocations.
JudgedPhases judgedPhases(const std::string& kernel, bool scans, bool resultWrong = false, std::uint64_t group = 0)
{
    JudgedPhases all;
    std::vector<std::uint32_t> input(32);
    for (std::size_t i = 0; i < input.size(); ++i) input[i] = static_cast<std::uint32_t>(3 * i * i + 7 * i + 5);
    EmulatedGlsl compiled(kernelHead + kernel);
    compiled.buffer(input).buffer(input.size());
    compiled.settings.watched = group;
    compiled.settings.seen = [&](const EmulatorSettings::SeenPhase& phase) { all.seen.push_back(phase); };
    EXPECT_TRUE(compiled.run({2, 1, 1}).complete);
    PhaseContext context;
    context.shape = {8, 2, false};
    context.subgroupSize = 32;
    context.group = group;
    context.scans = scans;
    context.resultWrong = resultWrong;
    context.sources = {input};
    all.found = judgePhases(all.seen, context);
    return all;
}

const std::string loadTile =
    "shared uint s[16]; void main() { s[L] = x[16 * G + L]; s[L + 8] = x[16 * G + L + 8]; barrier(); ";
const std::string upSweepTile =
    "for (uint d = 1; d < 16; d *= 2) { if (L < 8 / d) s[(L + 1) * 2 * d - 1] += s[(L + 1) * 2 * d - 1 - d]; "
    "barrier(); } ";

std::string downSweepTile(const std::string& from = "8", const std::string& times = "2",
                          const std::string& left = "s[b]")
{
    return "for (uint d = " + from + "; d > 0; d /= " + times +
           ") { if (L < 8 / d) { uint b = (L + 1) * 2 * d - 1, a = b - d, t = s[a]; s[a] = " + left +
           "; s[b] += t; } barrier(); } ";
}

const std::string zeroRoot = "if (L == 0) s[15] = 0; barrier(); ";
const std::string storeTile = "o[16 * G + L] = s[L]; o[16 * G + L + 8] = s[L + 8]; }";

}  // namespace

TEST(PhaseVerdicts, KnowUpSweepAndDownSweep)
{
    for (const std::uint64_t group : {0U, 1U}) {
        const JudgedPhases right =
            judgedPhases(loadTile + upSweepTile + zeroRoot + downSweepTile() + storeTile, true, false, group);
        EXPECT_EQ(right.verdicts(), "ok ok ok ok ok ok ok ok ok ok ok");
        EXPECT_EQ(right.found.phases[0].what, "16 elements loaded");
        EXPECT_EQ(right.found.phases[3].what, "up-sweep: 2 sums of 8");
        EXPECT_EQ(right.found.phases[5].what, "0 at the root");
        EXPECT_EQ(right.found.phases[6].what, "down-sweep: 2 prefix sums, 8 apart");
        EXPECT_EQ(right.found.phases[10].what, "nothing changes");
        EXPECT_EQ(right.seen[3].active, 2U);
    }
}

// The assignment's figures, one by one.
TEST(PhaseVerdicts, NameTheFirstPhaseThatGoesWrong)
{
    const auto wrongPhase = [](const std::string& body) -> std::string {
        const JudgedPhases one = judgedPhases(loadTile + body + storeTile, true, true);
        for (std::size_t i = 0; i < one.found.phases.size(); ++i)
            if (one.found.phases[i].verdict == StepVerdict::wrong)
                return std::to_string(i) + ": " + one.found.phases[i].what;
        return one.found.remark;
    };
    EXPECT_EQ(wrongPhase(upSweepTile + downSweepTile()), "5: 0 at the root; down-sweep: 2 prefix sums, 8 apart");
    EXPECT_EQ(wrongPhase(upSweepTile + zeroRoot + downSweepTile("8", "4")), "7: down-sweep: 4 prefix sums, 4 apart");
    EXPECT_EQ(wrongPhase(upSweepTile + zeroRoot + downSweepTile("8", "2", "d == 4 ? s[a] : s[b]")),
              "7: down-sweep: 4 prefix sums, 4 apart");
    EXPECT_EQ(wrongPhase("if (L == 3) s[3] += 1; barrier(); " + upSweepTile + zeroRoot + downSweepTile()), "");
    EXPECT_EQ(wrongPhase(upSweepTile + zeroRoot + downSweepTile("8", "8")), "7: down-sweep: 4 prefix sums, 4 apart");
    EXPECT_EQ(wrongPhase(upSweepTile + zeroRoot), "after its last phase the down-sweep has not come to its last step");
    EXPECT_EQ(wrongPhase(upSweepTile + zeroRoot + downSweepTile()),
              "its shared memory is right to the end: look at what is stored from there to buffers");
}

TEST(PhaseVerdicts, SayWhatIsWrong)
{
    const JudgedPhases one = judgedPhases(
        loadTile + upSweepTile + zeroRoot + downSweepTile("8", "2", "d == 4 ? s[a] : s[b]") + storeTile, true, true);
    const PhaseJudgement& wrong = one.found.phases.at(7);
    ASSERT_TRUE(wrong.firstWrong);
    EXPECT_EQ(wrong.firstWrong->index, 3U);
    EXPECT_EQ(wrong.firstWrong->expected, 0U);
    EXPECT_EQ(wrong.wrongCount, 2U);
    EXPECT_EQ(wrongNumberText(wrong, ElementType::uint32).substr(0, 36), "number 3 of 's' should be 0, is 104 ");
    EXPECT_EQ(one.found.phases.at(8).verdict, StepVerdict::ok) << "judged by what it found";
}

// A load that leaves out one element is recognised once the sweeps after it are known.
TEST(PhaseVerdicts, KnowAWrongLoadByWhatFollows)
{
    std::string wrong = loadTile;
    wrong.replace(wrong.find("x[16 * G + L + 8]"), 17, "L == 7 ? 0 : x[16 * G + L + 8]");
    const JudgedPhases one = judgedPhases(wrong + upSweepTile + zeroRoot + downSweepTile() + storeTile, true, true);
    EXPECT_EQ(one.verdicts(), "wrong ok ok ok ok ok ok ok ok ok ok");
    EXPECT_EQ(one.found.phases[0].firstWrong->index, 15U);
}

// If the result is right, no phase is accused, whatever the phases look like.
TEST(PhaseVerdicts, AccuseNobodyOfARightResult)
{
    for (const std::string& body : {upSweepTile + downSweepTile(), upSweepTile + zeroRoot + downSweepTile("8", "4"),
                                    upSweepTile + zeroRoot + downSweepTile("8", "2", "d == 4 ? s[a] : s[b]")}) {
        const JudgedPhases one = judgedPhases(loadTile + body + storeTile, true, false);
        EXPECT_EQ(one.verdicts().find("wrong"), std::string::npos) << one.verdicts();
        EXPECT_NE(one.verdicts().find("unchecked"), std::string::npos) << one.verdicts();
        EXPECT_EQ(one.found.remark, "");
    }
}

// A wrong result of an unknown scheme: no phase can be blamed.
TEST(PhaseVerdicts, AccuseNobodyOfAnUnknownScheme)
{
    const std::string rotates =
        "for (uint k = 1; k < 4; ++k) { uint t = s[(L + k) % 16] ^ s[L]; barrier(); s[L] = t; barrier(); } ";
    for (const std::string& kernel :
         {loadTile + rotates,
          std::string("shared uint s[16]; void main() { s[15 - L] = s[7 - L] = x[16 * G + L] * 3; barrier(); ")}) {
        const JudgedPhases one = judgedPhases(kernel + storeTile, true, true);
        EXPECT_EQ(one.verdicts().find("wrong"), std::string::npos) << one.verdicts();
        EXPECT_NE(one.verdicts().find("unchecked"), std::string::npos) << one.verdicts();
        EXPECT_EQ(one.found.remark, "");
    }
}

TEST(PhaseVerdicts, KnowTwoArraysByTurns)
{
    const std::string turns =
        "shared uint s[32]; void main() { s[L] = x[16 * G + L]; s[L + 8] = x[16 * G + L + 8]; barrier(); uint p = 0; "
        "for (uint d = 1; d < 16; d *= 2) { for (uint i = L; i < 16; i += 8) s[16 - p + i] = s[p + i] + (i >= d ? s[p "
        "+ i "
        "- d] : 0); p = 16 - p; barrier(); } o[16 * G + L] = s[p + L]; o[16 * G + L + 8] = s[p + L + 8]; }";
    const JudgedPhases one = judgedPhases(turns, true);
    EXPECT_EQ(one.verdicts(), "ok ok ok ok ok ok");
    EXPECT_EQ(one.found.phases[4].what, "sums of up to 16");
}

TEST(PhaseVerdicts, KnowReductionsAndPadding)
{
    const std::string padded =
        "shared uint s[64]; shared uint t; uint at(uint i) { return i + i / 4; } void main() { s[at(L)] = x[16 * G + "
        "L] + "
        "x[16 * G + L + 8]; barrier(); for (uint d = 4; d > 0; d /= 2) { if (L < d) s[at(L)] += s[at(L + d)]; "
        "barrier(); "
        "} if (L == 0) o[G] = s[0]; }";
    const JudgedPhases one = judgedPhases(padded, false);
    EXPECT_EQ(one.verdicts(), "ok ok ok ok ok");
    EXPECT_EQ(one.found.phases[0].what, "8 sums, one per invocation");
    EXPECT_EQ(one.found.phases[3].what, "1 partial sum at the front");
    const std::string atOnce =
        "shared uint s[16]; void main() { s[L] = x[16 * G + L]; s[L + 8] = x[16 * G + L + 8]; barrier(); if (L < 4) "
        "s[4 * L] "
        "+= s[4 * L + 1] + s[4 * L + 2] + s[4 * L + 3]; barrier(); if (L == 0) o[G] = s[0] + s[4] + s[8] + s[12]; }";
    const JudgedPhases two = judgedPhases(atOnce, false);
    EXPECT_EQ(two.verdicts(), "ok ok ok");
    EXPECT_EQ(two.found.phases[1].what, "8 partial sums, 2 apart; 4 partial sums, 4 apart");
}

// Without shared memory there are no phases to check.
bool usesSharedMemory(const Task& task)
{
    for (const BuiltInShader& kernel : builtInShaders())
        if (kernel.name == task.shaders.front())
            return kernelFacts(SpirvModule(kernel.spirv), KernelShape{64, 4, false}).sharedBytes.value_or(0) > 0;
    ADD_FAILURE() << task.id << " has no kernel";
    return false;
}

class PhasesOf : public testing::TestWithParam<Task> {};

// In right rows no phase is wrong, and if there is shared memory, all phases are known.
TEST_P(PhasesOf, ARightRowAreKnown)
{
    const Task& task = GetParam();
    const auto gpu = openTestGpu();
    bool any = false;
    for (const KernelShape& shape : {KernelShape{4, 4, false}, KernelShape{64, 4, true}, KernelShape{100, 8, false}}) {
        if (shape.exclusive && !task.taskClass->hasExclusive) continue;
        for (const std::uint64_t n : {1U, 33U, 700U})
            for (const std::uint64_t group : {0U, 1U}) {
                EvaluationSettings settings;
                settings.size = n;
                settings.pattern = Pattern::parse("random");
                settings.workGroup = shape.workGroup;
                settings.elements = shape.elements;
                settings.exclusive = shape.exclusive;
                StepsOutcome found;
                Evaluator evaluator(*gpu, settings, [](const std::string&) {});
                EXPECT_EQ(evaluator.steps(task, {{}, {}, group}, found).status, Status::passed);
                for (const Step& step : found.steps) {
                    ASSERT_TRUE(step.phases);
                    EXPECT_TRUE(step.phases->remark.empty() || step.phases->remark.starts_with("no phases: "))
                        << step.phases->remark;
                    for (const Phase& phase : step.phases->phases) {
                        any = true;
                        // A tile's prefix in look-back is not a step of a scheme, and a sort has no scheme for phases.
                        const bool known = phase.judgement.verdict == StepVerdict::ok;
                        const bool mayNotBe = task.scheme.steps == StepModel::scan || task.taskClass->nearestStep;
                        EXPECT_TRUE(known || (mayNotBe && phase.judgement.verdict == StepVerdict::unchecked))
                            << "n = " << n << ", work-group " << shape.workGroup << ", dispatch " << step.dispatch.index
                            << ", phase " << phase.seen.number;
                    }
                }
            }
    }
    EXPECT_EQ(any, usesSharedMemory(task));
}

INSTANTIATE_TEST_SUITE_P(, PhasesOf, testing::ValuesIn(allTasks()), [](const testing::TestParamInfo<Task>& row) {
    std::string name = row.param.id;
    std::erase_if(name, [](char c) { return c == '/' || c == '-'; });
    return name;
});

}  // namespace a2
