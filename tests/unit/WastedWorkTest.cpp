// The words that dispatches use: for work-groups without work, what is a failure, what is a note, and what is neither;
// and for two dispatches in one buffer.

#include "A2Task2.h"
#include "GpuFixture.h"
#include "lint/Lint.h"
#include "report/Report.h"
#include "support/ChangedShaders.h"

#include <array>

namespace a2 {

namespace {

constexpr std::uint32_t workGroup = 64;

// The textbook's naive scan: one invocation per element, two buffers that take turns.
struct TextbookFaults {
    std::function<std::uint64_t(std::uint64_t n)> groups = [](std::uint64_t n) { return ceilDiv(n, workGroup); };
    bool empty = false, idle = false;  // starts with such a dispatch
    bool halves = false;               // each step is two dispatches: one for each half of the array
};

class TextbookScan : public Solution {
public:
    TextbookScan(const Given& given, TextbookFaults how)
        : Solution(given),
          how_(std::move(how)),
          kernel_(gpu, "A2Task2Naive", 2, sizeof(NaivePush), {workGroup, 1}),
          other_(gpu, "ping-pong", count),
          buffers_{&input, &other_},
          sets_{kernel_.makeDescriptorSet({input, other_}), kernel_.makeDescriptorSet({other_, input})}
    {
    }

    void record(vk::CommandBuffer cb) override
    {
        cb.bindPipeline(vk::PipelineBindPoint::eCompute, kernel_.pipeline());
        source_ = 0;
        if (how_.empty) dispatch(cb, 1, count, 0);
        if (how_.idle) dispatch(cb, 1, 0, 5);
        for (std::uint64_t stride = 1; stride < count; stride *= 2) {
            if (how_.halves) {
                dispatch(cb, stride, count / 2, how_.groups(count / 2), false);
                dispatch(cb, stride, count - count / 2, how_.groups(count - count / 2), true, count / 2);
            } else {
                dispatch(cb, stride, count, how_.groups(count));
            }
            source_ = 1 - source_;
        }
    }
    const Buffer& result() const override { return *buffers_[source_]; }

private:
    void dispatch(vk::CommandBuffer cb, std::uint64_t stride, std::uint64_t live, std::uint64_t groups,
                  bool separated = true, std::uint64_t first = 0)
    {
        constexpr auto computing = vk::PipelineStageFlagBits::eComputeShader;
        const NaivePush push{static_cast<uint>(live), static_cast<uint>(stride), static_cast<uint>(first)};
        cb.bindDescriptorSets(vk::PipelineBindPoint::eCompute, kernel_.layout(), 0, sets_[source_], {});
        cb.pushConstants<NaivePush>(kernel_.layout(), vk::ShaderStageFlagBits::eCompute, 0, push);
        cb.dispatch(static_cast<std::uint32_t>(groups), 1, 1);
        if (!separated) return;
        cb.pipelineBarrier(computing, computing, {},
                           vk::MemoryBarrier(vk::AccessFlagBits::eShaderWrite, vk::AccessFlagBits::eShaderRead), {},
                           {});
    }

    TextbookFaults how_;
    ComputePipeline kernel_;
    Buffer other_;
    std::array<const Buffer*, 2> buffers_;
    std::array<vk::DescriptorSet, 2> sets_;
    std::size_t source_ = 0;
};

Task textbook(const TextbookFaults& how = {})
{
    return withSolution(taskNamed("scan/naive"),
                        [how](const Given& given) { return std::make_unique<TextbookScan>(given, how); });
}

TaskOutcome walked(Device& gpu, const Task& task, std::uint64_t n)
{
    EvaluationSettings settings;
    settings.size = n;
    settings.workGroup = workGroup;
    settings.pattern = Pattern::parse("random");
    StepsOutcome steps;
    return Evaluator(gpu, settings, [](const std::string&) {}).steps(task, {}, steps);
}

using Lines = std::vector<std::string>;

// "failure wasted-invocations@0"
Lines found(const TaskOutcome& outcome)
{
    Lines lines;
    for (const Finding& one : lintFindings(outcome))
        lines.push_back((one.severity == Severity::note ? "note " : "failure ") + one.rule + "@" +
                        std::to_string(one.dispatch.value_or(99)));
    return lines;
}

}  // namespace

// In its step with stride s it only copies the first s elements, and uses an invocation for each.
TEST(WastedWork, NoneOfATextbooksNaiveScan)
{
    const auto gpu = openTestGpu();
    for (const std::uint64_t n : {1U, 2U, 63U, 64U, 65U, 128U, 129U, 1000U}) {
        const TaskOutcome outcome = walked(*gpu, textbook(), n);
        if (n > 1) {  // with one element it has no step, and writes nothing
            EXPECT_EQ(outcome.status, Status::passed) << n << explanation(outcome);
            EXPECT_EQ(found(outcome), Lines()) << n;
        }
    }
}

TEST(WastedWork, OfTwiceTheWorkGroupsFails)
{
    const auto gpu = openTestGpu();
    TextbookFaults twice;
    twice.groups = [](std::uint64_t n) { return 2 * ceilDiv(n, workGroup) + 1; };
    const TaskOutcome outcome = walked(*gpu, textbook(twice), 1000);
    EXPECT_EQ(outcome.status, Status::failed);
    ASSERT_EQ(found(outcome).size(), 10U) << "each step's";
    EXPECT_EQ(found(outcome)[0], "failure wasted-invocations@0");
    EXPECT_EQ(explanation(outcome),
              "wasted-invocations: dispatch 0 'A2Task2Naive' starts 33 work-groups of 64, but reads only 1000 "
              "elements that no dispatch has read since they were written, and writes 1000: 16 work-groups are enough "
              "(cb.dispatch() counts work-groups, not invocations) (and 9 "
              "more like it, at dispatches 1-9)\n"
              "more: a2 explain wasted-invocations\n");
}

TEST(WastedWork, OfAGridThatIsTheSameForEveryLengthIsNoted)
{
    ChangedShaders shaders("A2Task2Naive.comp", "void main()\n", R"(void main()
{
    const uint step = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
    for (uint index = gl_GlobalInvocationID.x; index < push.count; index += step)
        target[index] = source[index] + (index >= push.stride ? source[index - push.stride] : 0);
}
void inTiles()
)");
    const auto gpu = openTestGpu(shaders.path());
    TextbookFaults fixed;
    fixed.groups = [](std::uint64_t) { return 8; };
    const TaskOutcome few = walked(*gpu, textbook(fixed), 65), many = walked(*gpu, textbook(fixed), 3000);
    EXPECT_EQ(few.status, Status::passed) << explanation(few);
    ASSERT_EQ(found(few).size(), 7U);
    EXPECT_EQ(found(few)[0], "note wasted-invocations@0");
    EXPECT_EQ(noteLines(few),
              Lines{"note: wasted-invocations: dispatch 0 'A2Task2Naive' starts 8 work-groups of 64, but reads only 65 "
                    "elements that no dispatch has read since they were written, and writes 65, with as many "
                    "work-groups as for a longer array (and 6 more like it, at "
                    "dispatches 1-6)"});
    EXPECT_EQ(many.status, Status::passed) << explanation(many);
    EXPECT_EQ(found(many), Lines());
}

TEST(WastedWork, OfDispatchesWithoutEffectIsNoted)
{
    const auto gpu = openTestGpu();
    TextbookFaults idle;
    idle.empty = idle.idle = true;
    const TaskOutcome outcome = walked(*gpu, textbook(idle), 65);
    EXPECT_EQ(outcome.status, Status::passed) << explanation(outcome);
    EXPECT_EQ(found(outcome), (Lines{"note empty-dispatch@0", "note wasted-invocations@1"}));

    // In every command that judges, and together with the task's other reports.
    EvaluationSettings settings;
    settings.workGroup = workGroup;  // it supports no other
    EXPECT_EQ(evaluate(*gpu, textbook(idle), 65, settings).status, Status::passed);
    const std::string json = jsonReport({}, {outcome});
    EXPECT_NE(json.find("\"severity\": \"note\""), std::string::npos) << json;
    EXPECT_EQ(json.find("\"findings\""), std::string::npos) << "it is no reason to fail: " << json;
}

// They write to one buffer, but never to the same word.
TEST(WordsInUse, DispatchesOnTheHalvesOfABufferNeedNoBarrier)
{
    const auto halfScan = [](const char* first) {
        return "void main()\n{\n    const uint mine = gl_GlobalInvocationID.x, index = mine + " + std::string(first) +
               ";\n    if (mine < push.count)\n"
               "        target[index] = source[index] + (index >= push.stride ? source[index - push.stride] : 0);\n}\n"
               "void whole()\n";
    };
    TextbookFaults how;
    how.halves = true;
    const ChangedShaders apart("A2Task2Naive.comp", "void main()\n", halfScan("push.shift"));
    const auto gpu = openTestGpu(apart.path());
    for (const std::uint64_t n : {100U, 1001U, 10000U}) {
        const TaskOutcome outcome = walked(*gpu, textbook(how), n);
        EXPECT_EQ(outcome.status, Status::passed) << explanation(outcome);
        EXPECT_EQ(found(outcome), Lines()) << n;
    }
    // For an array that is too long to be walked on the host, a shorter one shows it.
    const TaskOutcome longer = walked(*gpu, textbook(how), 140000);
    EXPECT_EQ(longer.status, Status::passed) << explanation(longer);
    ASSERT_FALSE(found(longer).empty());
    EXPECT_EQ(found(longer)[0], "note missing-barrier@1");

    // The second dispatch begins one element too early.
    const ChangedShaders meeting("A2Task2Naive.comp", "void main()\n",
                                 halfScan("push.shift - (push.shift > 0 ? 1 : 0)"));
    const auto broken = openTestGpu(meeting.path());
    for (const std::uint64_t n : {1001U, 10000U}) {
        const TaskOutcome outcome = walked(*broken, textbook(how), n);
        EXPECT_EQ(outcome.status, Status::failed);
        EXPECT_NE(explanation(outcome).find("missing-barrier: "), std::string::npos) << explanation(outcome);
    }
}

TEST(Findings, OfOneCauseAreOneLine)
{
    const Finding first{"missing-barrier", "dispatch 1", 1, Severity::failure, "kernel"},
        second{"missing-barrier", "dispatch 2", 2, Severity::failure, "kernel"},
        note{"missing-barrier", "dispatch 2", 2, Severity::note, "kernel"}, other{"", "another", {}};
    EXPECT_EQ(linesOf({first, other, second, note, second}),
              (Lines{"missing-barrier: dispatch 1 (and 2 more like it, at dispatch 2)", "another",
                     "note: missing-barrier: dispatch 2"}));
    EXPECT_TRUE(anyFails({note, other}));
    EXPECT_FALSE(anyFails({note}));
}

}  // namespace a2
