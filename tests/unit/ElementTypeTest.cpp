// Types of elements: what words stand for, how inputs are made, and rows that run with them.

#include "a2/Error.h"
#include "judge/Digest.h"
#include "support/ChangedShaders.h"
#include "support/temporary.h"
#include "unit/GpuFixture.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fstream>
#include <limits>

namespace a2 {

namespace {

const ElementType& reals = ElementType::float32;

std::uint32_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }
std::uint32_t minus(std::uint32_t number) { return 0 - number; }

Task rowOf(const std::string& id, const ElementType& element) { return selectTasks({id}, false, element).front(); }

// The outcome of one row with a changed kernel, in a short run.
TaskOutcome withChange(const std::string& id, const std::string& kernel, const std::string& from, const std::string& to)
{
    const ChangedShaders shaders(kernel, from, to);
    const auto gpu = openTestGpu(shaders.path(), Validation::off, reals);
    return evaluate(*gpu, rowOf(id, reals), 3000);
}

struct Fault {
    const char *row, *kernel, *from, *to;
};
TaskOutcome withChange(const Fault& one) { return withChange(one.row, one.kernel, one.from, one.to); }

// It must fail because of its numbers, or by the rule, not because it does not compile.
bool isWrong(const TaskOutcome& outcome)
{
    return std::any_of(outcome.cases.begin(), outcome.cases.end(), [](const CaseOutcome& one) {
        const Finding* const first = firstThatFails(one.findings);
        return one.mismatches || (first && first->rule == "rounding");
    });
}

}  // namespace

TEST(ElementType, WordsAreWholeNumbersAndBack)
{
    for (const std::uint32_t number : {0U, 1U, minus(1), 97U, minus(1U << 24), 1U << 24})
        for (const ElementType* const one : allElementTypes()) EXPECT_EQ(one->number(one->word(number)), number);
    EXPECT_EQ(reals.word(minus(3)), bits(-3.F));
    EXPECT_EQ(reals.number(bits(-0.F)), 0U);
    EXPECT_EQ(ElementType::uint32.word(0xFFFFFFFF), 0xFFFFFFFF);
    EXPECT_EQ(elementTypeNamed("int32"), &ElementType::int32);
    EXPECT_EQ(elementTypeNamed("float"), nullptr);
}

// A result cannot contain anything but whole numbers: a sum of a million numbers up to 32 is at most 2^25.
TEST(ElementType, WhatIsNoWholeNumberIsNoResult)
{
    for (const float value : {0.5F, -0.25F, 16777218.F, -1e30F, -3e38F, std::numeric_limits<float>::infinity(),
                              -std::numeric_limits<float>::infinity(), std::numeric_limits<float>::denorm_min(),
                              -std::numeric_limits<float>::min(), std::bit_cast<float>(5)}) {
        const std::uint32_t number = reals.number(bits(value));
        EXPECT_GT(std::abs(std::int64_t{static_cast<std::int32_t>(number)}), ElementType::largestReal) << value;
        EXPECT_FALSE(reals.isWhole(number)) << value;
        EXPECT_EQ(reals.word(number), bits(value)) << value;
    }
    EXPECT_GT(reals.number(0x7FC00000), 1U << 25);
    EXPECT_EQ(reals.word(reals.number(0xFFC00000)), 0xFFC00000);
}

TEST(ElementType, IsShownAsWhatItIs)
{
    EXPECT_EQ(ElementType::uint32.text(minus(1)), "4294967295");
    EXPECT_EQ(ElementType::int32.text(minus(1)), "-1");
    EXPECT_EQ(reals.text(reals.number(bits(-12.F))), "-12");
    EXPECT_EQ(reals.text(reals.number(bits(12.25F))), "12.25");
    EXPECT_EQ(reals.text(reals.number(bits(1e30F))), "1e+30");
    EXPECT_EQ(reals.text(reals.number(bits(-3e38F))), "-3e+38");
    EXPECT_EQ(reals.text(reals.number(bits(-std::numeric_limits<float>::infinity()))), "-inf");
    EXPECT_EQ(reals.text(reals.number(bits(16777218.F))), "16777218");
    EXPECT_EQ(reals.text(reals.number(bits(4294967296.F))), "4294967296");
}

TEST(ElementType, SumsOfRealsStayWhole)
{
    for (const char* pattern : {"mod97", "iota", "random", "max", "shuffled", "edges", "onehot:7"}) {
        const Input input(Pattern::parse(pattern), 1 << 22, 3, 0, reals);
        bool negative = false, positive = false;
        for (const std::uint32_t number : input.values()) {
            negative = negative || static_cast<std::int32_t>(number) < 0;
            positive = positive || static_cast<std::int32_t>(number) > 0;
        }
        EXPECT_TRUE(positive) << pattern;
        EXPECT_EQ(negative, std::string(pattern) != "onehot:7") << pattern;
    }
    // Two elements use all bits that a number has.
    const Input random(Pattern::parse("random"), 1000, 3, 0, reals);
    const auto isLarge = [](std::uint32_t number) { return std::abs(static_cast<std::int32_t>(number)) > 1 << 22; };
    EXPECT_EQ(std::count_if(random.values().begin(), random.values().end(), isLarge), 2);
    const Input easy(Pattern::parse("mod97"), 100, 1, 0, reals);
    EXPECT_EQ(easy.values()[96], 96U);
    EXPECT_EQ(easy.values()[98], minus(1));
    EXPECT_THROW(Input(Pattern::parse("ones"), (1 << 24) + 1, 1, 0, reals), LimitError);
    EXPECT_NO_THROW(Input(Pattern::parse("ones"), 1 << 24, 1, 0, reals));
}

TEST(ElementType, FilesHoldNumbersOfTheType)
{
    const std::string path = temporaryPath("a2-element-test").string();
    const auto holds = [&](const char* text) { std::ofstream(path) << text; };
    holds("-2147483648 2147483647\n");
    EXPECT_EQ(Pattern::parse("file:" + path, ElementType::int32).fileValues(),
              (std::vector<std::uint32_t>{0x80000000, 0x7FFFFFFF}));
    EXPECT_THROW(Pattern::parse("file:" + path), UsageError);
    EXPECT_THROW(Pattern::parse("file:" + path, reals), UsageError) << "beyond 2^24";
    holds("16777216 -5 0\n");
    EXPECT_EQ(Pattern::parse("file:" + path, reals).fileValues(), (std::vector<std::uint32_t>{1 << 24, minus(5), 0}));
    holds("-0\n");
    EXPECT_THROW(Pattern::parse("file:" + path), UsageError) << "as before there were types";
    holds("4294967295\n");
    EXPECT_THROW(Pattern::parse("file:" + path, ElementType::int32), UsageError);
    std::filesystem::remove(path);
}

// Sums of neighbours that occur in no scan count, too.
TEST(ElementType, SumsThatMayRoundAreRefused)
{
    const auto input = [](std::vector<std::uint32_t> values) {
        const std::uint64_t n = values.size();
        return Input(Pattern::ofFile("file:numbers", std::move(values)), n, 1, 0, reals);
    };
    constexpr std::uint32_t most = ElementType::largestReal;
    EXPECT_NO_THROW(input({most, minus(most), 7}));
    EXPECT_THROW(input({most, 1}), LimitError);
    EXPECT_THROW(input({most, minus(most), minus(most), most, 7}), LimitError);
}

TEST(ElementType, RowsThatSayElementPassWithReals)
{
    for (const bool emulated : {false, true}) {
        const auto gpu = emulated ? openEmulator("", 600, reals) : openTestGpu("", Validation::off, reals);
        for (const char* row : {"reduce/subgroup", "reduce/local-modulo", "reduce/local-sequential", "scan/local",
                                "scan/work-efficient", "scan/offset", "scan/lookback", "scan/persistent",
                                "scan/brute-force", "scan/kogge-stone", "scan/brent-kung"}) {
            for (const bool exclusive : {false, true}) {
                EvaluationSettings settings;
                settings.exclusive = exclusive;
                const Task task = rowOf(row, reals);
                if (exclusive && !task.taskClass->hasExclusive) continue;
                const TaskOutcome outcome = evaluate(*gpu, task, emulated ? 300 : 5000, settings);
                EXPECT_EQ(outcome.status, Status::passed) << row << "\n" << explanation(outcome);
            }
        }
    }
}

TEST(ElementType, OtherRowsAreSkippedWithTheReason)
{
    const auto gpu = openTestGpu("", Validation::off, reals);
    const TaskOutcome kernel = evaluate(*gpu, rowOf("scan/naive", reals), 100);
    EXPECT_EQ(kernel.status, Status::skipped);
    EXPECT_NE(explanation(kernel).find("A2Task2Naive.comp is written for uint"), std::string::npos)
        << explanation(kernel);
    const TaskOutcome keys = evaluate(*gpu, rowOf("sort/radix", reals), 100);
    EXPECT_EQ(keys.status, Status::skipped);
    EXPECT_NE(explanation(keys).find("uint32 alone"), std::string::npos) << explanation(keys);
}

TEST(ElementType, WrongRealsFail)
{
    const TaskOutcome quarter = withChange("scan/kogge-stone", "A2LabKoggeStone.comp", "target[begin + i] = sums[i];",
                                           "target[begin + i] = sums[i] + 0.25;");
    EXPECT_EQ(quarter.status, Status::failed);
    EXPECT_NE(explanation(quarter).find(".25\n"), std::string::npos) << explanation(quarter);
    EXPECT_EQ(explanation(quarter).find("modulo"), std::string::npos) << explanation(quarter);
    // A fault in the last bit of a sum.
    EXPECT_TRUE(isWrong(withChange("scan/lookback", "A2Task2DecoupledLookback.comp", "value = ELEMENT_OF(low",
                                   "value = ELEMENT_OF(1 + low")));
    EXPECT_TRUE(isWrong(withChange("scan/persistent", "A2Task2Persistent.comp", "return ELEMENT_OF(low & 0xFFFF",
                                   "return ELEMENT_OF(1 + (low & 0xFFFF)")));
    // A fault only below zero.
    EXPECT_TRUE(isWrong(withChange("reduce/local-sequential", "A2LabLocalSequential.comp", "? source[begin + i] : 0",
                                   "? abs(source[begin + i]) : 0")));
    // It adds words instead of numbers.
    EXPECT_TRUE(
        isWrong(withChange("scan/brent-kung", "A2LabBrentKung.comp", "readonly buffer Source { Element source[]; }",
                           "readonly buffer Source { uint source[]; }")));
    // A fault in shared memory: the phase is named.
    const TaskOutcome phase = withChange("scan/kogge-stone", "A2LabKoggeStone.comp", "sums[i] += left[k];",
                                         "sums[i] += stride == 2 ? Element(0) : left[k];");
    EXPECT_NE(explanation(phase).find("of 'sums' should be"), std::string::npos) << explanation(phase);
}

// These faults leave whole numbers right.
TEST(ElementType, RealsShowWhatWholeNumbersDoNot)
{
    const Fault faults[] = {
        {"scan/kogge-stone", "A2LabKoggeStone.comp", "? source[begin + i] : 0", "? float(int(source[begin + i])) : 0"},
        {"scan/brent-kung", "A2LabBrentKung.comp", "? source[begin + i] : 0", "? round(source[begin + i]) : 0"},
        {"scan/lookback", "A2Task2DecoupledLookback.comp", "= BITS_OF(value)",
         "= floatBitsToUint(uintBitsToFloat(BITS_OF(value)) - fract(abs(value)) * 1e-3)"},
        {"scan/offset", "A2Task2KernelDecompositionOffset.comp", "data[index] += offset;",
         "data[index] += round(offset);"},
        {"scan/local", "A2Task2KernelDecomposition.comp", "return before + ", "return round(before) + "},
    };
    for (const auto& one : faults) {
        const TaskOutcome outcome = withChange(one);
        EXPECT_EQ(outcome.status, Status::failed) << one.row;
        EXPECT_NE(explanation(outcome).find("rounding: of "), std::string::npos) << explanation(outcome);
        EXPECT_FALSE(outcome.diagnosis && outcome.diagnosis->smallest) << "no other run shows it";
    }
}

// Fewer bits, the limits of another type, and saturation.
TEST(ElementType, NumbersTakeAllBitsThatTheyHave)
{
    const Fault faults[] = {
        {"scan/lookback", "A2Task2DecoupledLookback.comp", "= BITS_OF(value)", "= (BITS_OF(value) & 0xFFFFFFF0u)"},
        {"scan/lookback", "A2Task2DecoupledLookback.comp", "= BITS_OF(value)", "= (BITS_OF(value) & 0xFFFFFF00u)"},
        {"scan/persistent", "A2Task2Persistent.comp", "= BITS_OF(sum), tag", "= (BITS_OF(sum) & 0xFFFFFF00u), tag"},
        {"reduce/local-sequential", "A2LabLocalSequential.comp", "? source[begin + i] : 0",
         "? clamp(source[begin + i], -2047, 2047) : 0"},
        {"scan/kogge-stone", "A2LabKoggeStone.comp", "target[begin + i] = sums[i];",
         "target[begin + i] = min(sums[i], 1048576.0);"},
        {"scan/brent-kung", "A2LabBrentKung.comp", "target[begin + i] = sums[i];",
         "target[begin + i] = max(sums[i], -1048576.0);"},
    };
    for (const auto& one : faults) EXPECT_TRUE(isWrong(withChange(one))) << one.to;
}

TEST(ElementType, HowFarOffASumIsIsSaid)
{
    const auto gpu = openTestGpu("", Validation::off, reals);
    for (const bool exclusive : {false, true}) {
        EvaluationSettings settings;
        settings.exclusive = exclusive;
        const TaskOutcome outcome = evaluate(*gpu, rowOf("scan/kogge-stone", reals), 5000, settings);
        ASSERT_EQ(outcome.status, Status::passed) << explanation(outcome);
        ASSERT_EQ(noteLines(outcome).size(), 1U);
        const std::string note = noteLines(outcome).front();
        EXPECT_NE(note.find("rounding: of 5000 random reals from 0 to 1, the last element"), std::string::npos) << note;
        EXPECT_NE(note.find("4999 additions"), std::string::npos) << note;
    }
}

TEST(ElementType, DigestsOfADeviceAreOfNumbers)
{
    const auto gpu = openTestGpu("", Validation::off, reals);
    std::vector<std::uint32_t> words;
    for (std::uint32_t i = 0; i < 3000; ++i) words.push_back(reals.word(i % 7 - 3));
    DeviceBuffer buffer(*gpu, "words", words.size());
    DeviceDigests digests(*gpu, 1, reals);
    TimedRun timed(*gpu);
    const auto onDevice = [&] {
        fillDevice(*gpu, buffer, words);
        timed.run(
            Timer::host, [](Commands&) {}, [&](Commands& cb) { digests.record(cb, 0, buffer, words.size()); },
            [&](Commands& cb) { recordGather(*gpu, cb, {digests.region(0)}); });
        const auto found = gathered(*gpu, 2);
        return Digest{found[0], found[1]};
    };
    const Digest right = onDevice();
    EXPECT_EQ(right, digestOf(words, reals));
    for (const std::uint32_t word : {bits(0.5F), bits(-16777218.F), bits(2.0000002F), 5U, 0xFFFFFFF0U, 0x7F800000U}) {
        words[17] = word;
        EXPECT_NE(onDevice(), right) << word;
        EXPECT_EQ(onDevice(), digestOf(words, reals)) << word;
    }
}

TEST(ElementType, ChangesOfATimedRunAreNumbersOfTheType)
{
    const auto gpu = openTestGpu("", Validation::off, reals);
    const Task task = rowOf("scan/lookback", reals);
    const Input input = task.inputOf(Pattern::parse("random"), 100000, 1);
    const Expectation expectation(*task.taskClass, input, task.shapeFor(input.size()));
    const DeviceInput onDevice(*gpu, expectation);
    Trial trial(*gpu, task, expectation, onDevice);
    ASSERT_TRUE(trial.judgedRun().passed());
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(trial.repetition(Timer::host).verdict.passed());
    // As a part of a longer array; the elements before it add up to 4711.
    std::uint32_t sum = 0;
    const Trial::PartStart start{true, [&](std::uint32_t ofPart) {
                                     sum = ofPart;
                                     return 4711U;
                                 }};
    EXPECT_TRUE(trial.repetition(Timer::host, 1, &start).verdict.passed());
    EXPECT_EQ(sum + 4711, trial.expectedSum());
}

// With sums as large as they may be.
TEST(ElementType, ChangesLeaveSumsWhereTheyAreExact)
{
    const auto gpu = openTestGpu("", Validation::off, reals);
    const Task task = rowOf("reduce/subgroup", reals);
    const Input input = task.inputOf(Pattern::parse("ones"), 1 << 24, 1);
    const Expectation expectation(*task.taskClass, input, task.shape);
    const DeviceInput onDevice(*gpu, expectation);
    Trial trial(*gpu, task, expectation, onDevice);
    ASSERT_TRUE(trial.judgedRun().passed());
    for (int i = 0; i < 4; ++i) EXPECT_TRUE(trial.repetition(Timer::host).verdict.passed());
}

TEST(ElementType, IntegersRunTheSameKernelsAndAreShownWithTheirSign)
{
    const ChangedShaders shaders("A2Task1Sequential.comp", "sum += data[index];", "sum -= data[index];");
    const auto gpu = openTestGpu(shaders.path(), Validation::off, ElementType::int32);
    EXPECT_EQ(evaluate(*gpu, rowOf("scan/naive", ElementType::int32), 3000).status, Status::passed);
    const TaskOutcome wrong = evaluate(*gpu, rowOf("reduce/sequential", ElementType::int32), 3000);
    EXPECT_EQ(wrong.status, Status::failed);
    EXPECT_NE(explanation(wrong).find("got -"), std::string::npos) << explanation(wrong);
}

}  // namespace a2
