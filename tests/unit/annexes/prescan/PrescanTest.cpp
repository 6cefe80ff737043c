// The prescan lab: its kernels at any length and shape, and what its judge accepts.

#include "a2/Error.h"
#include "annexes/prescan/AddPeak.h"
#include "annexes/prescan/DevicePrescan.h"
#include "annexes/prescan/HostPrescan.h"
#include "support/ChangedShaders.h"
#include "unit/GpuFixture.h"

#include <cmath>
#include <limits>

namespace a2 {

namespace {

std::uint32_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }

PrescanSettings settingsFor(const ElementType& element, const KernelShape& shape)
{
    PrescanSettings settings;
    settings.element = &element;
    settings.shape = shape;
    return settings;
}

OpenDevice openFor(const ElementType& element, const std::string& shaderDir = "")
{
    return openTestGpu(shaderDir, Validation::off, element);
}

std::vector<std::uint32_t> randomInput(const PrescanSettings& settings, std::uint64_t n)
{
    std::vector<std::uint32_t> words(n);
    fillRandom(settings, 0, words);
    return words;
}

InputFacts factsOf(const std::vector<std::uint32_t>& input, const ElementType& element)
{
    InputLook look(element);
    look.look(input);
    return look.facts();
}

struct OnDevice {
    DevicePrescan::Judged judged;
    std::vector<std::uint32_t> result;
};

OnDevice onDevice(Device& gpu, const PrescanSettings& settings, const std::vector<std::uint32_t>& input)
{
    DevicePrescan device(gpu, settings, input.size());
    device.upload(input);
    device.prepare();
    std::vector<std::uint32_t> kept(input.size());
    DevicePrescan::Judged judged = device.runAndJudge(factsOf(input, *settings.element), Timer::gpu, kept);
    return {std::move(judged), std::move(kept)};
}

PrescanVerdict judged(const PrescanSettings& settings, const std::vector<std::uint32_t>& input,
                      const std::vector<std::uint32_t>& result, std::uint64_t depth)
{
    PrescanJudge judge(settings, factsOf(input, *settings.element), depth);
    judge.look(input, result);
    return judge.verdict();
}

// The exclusive scan's differences, and what remains for the last element: together the input again.
std::vector<std::uint32_t> differences(const std::vector<std::uint32_t>& scan, const ElementType& element)
{
    std::vector<std::uint32_t> all;
    for (std::size_t i = 1; i < scan.size(); ++i)
        all.push_back(!element.isReal ? scan[i] - scan[i - 1]
                                      : bits(std::bit_cast<float>(scan[i]) - std::bit_cast<float>(scan[i - 1])));
    return all;
}

}  // namespace

TEST(Prescan, GivesTheLabsExample)
{
    const auto gpu = openFor(ElementType::float32);
    std::vector<std::uint32_t> input;
    for (const float value : {3.F, 1.F, 7.F, 0.F, 4.F, 1.F, 6.F, 3.F}) input.push_back(bits(value));
    std::vector<std::uint32_t> expected;
    for (const float value : {0.F, 3.F, 4.F, 11.F, 11.F, 15.F, 16.F, 22.F}) expected.push_back(bits(value));
    EXPECT_EQ(onDevice(*gpu, PrescanSettings(), input).result, expected);
}

// Also with tiles of few elements, so that there are many levels, and with work-groups that are not powers of two.
TEST(Prescan, IsRightAtAnyLengthAndShape)
{
    for (const ElementType* const element : {&ElementType::float32, &ElementType::uint32}) {
        const auto gpu = openFor(*element);
        for (const bool exclusive : {true, false})
            for (const KernelShape& shape : {KernelShape{128, 8, exclusive}, KernelShape{1, 2, exclusive},
                                             KernelShape{3, 6, exclusive}, KernelShape{100, 10, exclusive}})
                for (const std::uint64_t n : {1U, 2U, 7U, 511U, 512U, 513U, 1025U, 4099U}) {
                    const PrescanSettings settings = settingsFor(*element, shape);
                    const auto input = randomInput(settings, n);
                    const OnDevice done = onDevice(*gpu, settings, input);
                    EXPECT_TRUE(done.judged.passed()) << settings.typeName() << " " << n << " " << shape.workGroup
                                                      << ": " << done.judged.verdict.firstIndex;
                    if (!exclusive) continue;
                    ASSERT_EQ(differences(done.result, *element),
                              std::vector<std::uint32_t>(input.begin(), input.end() - 1));
                    EXPECT_EQ(done.result[0], 0U);
                }
    }
}

TEST(Prescan, IsRightOnAMillionElementsOfAnyValue)
{
    const auto gpu = openFor(ElementType::float32);
    PrescanSettings settings;
    std::vector<std::uint32_t> input = randomInput(settings, 1000003);
    EXPECT_TRUE(onDevice(*gpu, settings, input).judged.passed());
    for (std::size_t i = 0; i < input.size(); ++i)  // of both signs, over twenty powers of two
        input[i] = bits(std::ldexp(0.5F - static_cast<float>(randomElement(3, i)) / 4294967296.F, int(i % 20)));
    const OnDevice done = onDevice(*gpu, settings, input);
    EXPECT_TRUE(done.judged.passed());
    EXPECT_GT(done.judged.verdict.mostAllowed, 0);
    EXPECT_LT(done.judged.verdict.largestError, done.judged.verdict.mostAllowed);
}

// The kernel's own order of additions is used, and each of them rounds once.
TEST(Prescan, OfFloatsIsTheSameBitForBitWhereItIsEmulated)
{
    const auto results = [](Device& gpu) {
        std::vector<std::vector<std::uint32_t>> all;
        for (const std::uint64_t n : {1U, 1000U, 70001U}) {
            const PrescanSettings settings;
            std::vector<std::uint32_t> input(n);
            for (std::size_t i = 0; i < input.size(); ++i)
                input[i] = bits(std::ldexp(0.5F - static_cast<float>(randomElement(5, i)) / 4294967296.F, int(i % 20)));
            OnDevice done = onDevice(gpu, settings, input);
            EXPECT_TRUE(done.judged.passed()) << n;
            all.push_back(std::move(done.result));
        }
        return all;
    };
    // One after the other, because a program has one device at a time.
    const auto emulated = results(*openEmulator("", 600, ElementType::float32));
    EXPECT_TRUE(emulated == results(*openFor(ElementType::float32)));
}

TEST(Prescan, OneLostElementIsFound)
{
    // The last leaf of a tile leaves out its last element.
    ChangedShaders shaders("A2Task2KernelDecomposition.comp",
                           "tree[nodeIndex(myLeaf(i), 1)] = scanned[i * LEAF + LEAF - 1];",
                           "tree[nodeIndex(myLeaf(i), 1)] = scanned[i * LEAF + LEAF - (myLeaf(i) == 255 ? 2 : 1)];");
    const auto gpu = openFor(ElementType::float32, shaders.path());
    const PrescanSettings settings;
    const auto input = randomInput(settings, 1000003);
    const PrescanVerdict verdict = onDevice(*gpu, settings, input).judged.verdict;
    EXPECT_GT(verdict.wrong, 0U);
    EXPECT_EQ(verdict.firstIndex % settings.shape.tile(), 0U) << "a tile is the first that misses it";
    EXPECT_EQ(verdict.allowed, 0);
    EXPECT_LT(verdict.got, verdict.expected);
}

TEST(Prescan, AnElementThatNobodyWroteIsFound)
{
    ChangedShaders shaders("A2Task2KernelDecomposition.comp", "if (first + k < push.count) target",
                           "if (first + k + 1 < push.count) target");
    const auto gpu = openFor(ElementType::float32, shaders.path());
    const PrescanVerdict verdict =
        onDevice(*gpu, PrescanSettings(), randomInput(PrescanSettings(), 1001)).judged.verdict;
    EXPECT_EQ(verdict.wrong, 1U);
    EXPECT_EQ(verdict.firstIndex, 1000U);
    EXPECT_TRUE(std::isnan(verdict.got));
}

TEST(Prescan, AKernelThatWritesOverItsInputIsFound)
{
    ChangedShaders shaders("A2Task2KernelDecomposition.comp", "readonly buffer Source { ", "buffer Source { ");
    shaders.change("A2Task2KernelDecomposition.comp", "    storeMyLeaves(begin, full);\n    //",
                   "    storeMyLeaves(begin, full);\n    if (begin == 0) source[0] = 17.0;\n    //");
    const auto gpu = openFor(ElementType::float32, shaders.path());
    const OnDevice done = onDevice(*gpu, PrescanSettings(), randomInput(PrescanSettings(), 100));
    EXPECT_TRUE(done.judged.verdict.inputChanged);
    EXPECT_FALSE(done.judged.passed());
}

// On this device the result may be right even without it.
TEST(Prescan, AMissingBarrierIsFoundInTheKernel)
{
    for (const char* barrier : {"barrier();  // leaf sums are", "barrier();  // the next level reads this level's sums",
                                "barrier();  // the next level reads this level's prefixes"}) {
        ChangedShaders shaders("A2Task2KernelDecomposition.comp", barrier, "// ");
        const auto gpu = openFor(ElementType::float32, shaders.path());
        const OnDevice done = onDevice(*gpu, PrescanSettings(), randomInput(PrescanSettings(), 5000));
        EXPECT_FALSE(done.judged.passed()) << barrier;
        ASSERT_FALSE(done.judged.messages.empty()) << barrier;
        EXPECT_EQ(done.judged.messages[0].find("shared-race: "), 0U) << done.judged.messages[0];
    }
}

TEST(PrescanJudge, AllowsNothingWhereNoAdditionRounds)
{
    const PrescanSettings settings;
    std::vector<std::uint32_t> input(1000, bits(0.25F)), result;
    for (int i = 0; i < 1000; ++i) result.push_back(bits(0.25F * static_cast<float>(i)));
    EXPECT_TRUE(judged(settings, input, result, 40).passed());
    for (const std::size_t at : {0U, 1U, 500U, 999U}) {
        std::vector<std::uint32_t> spoilt = result;
        spoilt[at] += 1;  // the next float
        const PrescanVerdict verdict = judged(settings, input, spoilt, 40);
        EXPECT_EQ(verdict.wrong, 1U);
        EXPECT_EQ(verdict.firstIndex, at);
    }
}

// gamma_k of 4 additions is a little more than 4 units of 2^-24.
TEST(PrescanJudge, AllowsWhatSoManyAdditionsMayLose)
{
    const PrescanSettings settings = settingsFor(ElementType::float32, {128, 8, false});
    const std::vector<std::uint32_t> input = {bits(1.F), bits(std::ldexp(1.F, -60))};  // their exact sum is not a float
    const auto off = [&](double units) {
        const auto got = static_cast<float>(1 + std::ldexp(units, -24));
        return judged(settings, input, {bits(1.F), bits(got)}, 4).passed();
    };
    EXPECT_TRUE(off(0));
    EXPECT_TRUE(off(4));
    EXPECT_FALSE(off(6));
    EXPECT_TRUE(off(-4));
    EXPECT_FALSE(off(-5));
    for (const float got : {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()})
        EXPECT_FALSE(judged(settings, input, {bits(1.F), bits(got)}, 4).passed());
}

TEST(PrescanJudge, HoldsTheGoldCodeToItsOwnDepth)
{
    PrescanSettings settings;
    std::vector<std::uint32_t> input(100000), result(100000);
    for (std::size_t i = 0; i < input.size(); ++i)
        input[i] = bits(static_cast<float>(randomElement(5, i)) / 4294967296.F);
    hostPrescan(settings, input, result);
    const PrescanVerdict gold = judged(settings, input, result, hostAdditions(input.size()));
    EXPECT_TRUE(gold.passed());
    EXPECT_GT(gold.largestError, 0);
    EXPECT_FALSE(judged(settings, input, result, 1).passed()) << "a running sum rounds more than once";
}

TEST(PrescanJudge, IsExactModulo2To32)
{
    const PrescanSettings settings = settingsFor(ElementType::uint32, {128, 8, true});
    EXPECT_TRUE(judged(settings, {UINT32_MAX, 2, 5}, {0, UINT32_MAX, 1}, 9).passed());
    EXPECT_FALSE(judged(settings, {UINT32_MAX, 2, 5}, {0, UINT32_MAX, 2}, 9).passed());
}

TEST(PrescanJudge, GoesOnFromWhatLiesBeforeAPart)
{
    for (const ElementType* const element : {&ElementType::float32, &ElementType::uint32})
        for (const bool exclusive : {true, false}) {
            PrescanSettings settings = settingsFor(*element, {128, 8, exclusive});
            settings.maxRand = 3000;  // hardly an element is 0, and no sum rounds
            const auto input = randomInput(settings, 5000);
            std::vector<std::uint32_t> result(input.size());
            hostPrescan(settings, input, result);
            PreciseSum before;
            for (std::size_t i = 0; i < 2000; ++i) before.add(*element, input[i]);
            InputFacts facts;
            facts.quantum = 1;
            const auto wrongAfter = [&](std::size_t first) {
                PrescanJudge judge(settings, facts, 30, before, 2000);
                judge.look(std::span(input).subspan(first), std::span(result).subspan(first));
                return judge.verdict();
            };
            EXPECT_TRUE(wrongAfter(2000).passed());
            EXPECT_FALSE(wrongAfter(2001).passed()) << "of another part";
            result[2000] = element->isReal ? bits(std::bit_cast<float>(result[2000]) + 1) : result[2000] + 1;
            EXPECT_EQ(wrongAfter(2000).wrong, 1U);
            EXPECT_EQ(wrongAfter(2000).firstIndex, 2000U);
        }
}

TEST(PrescanInput, FactsAreOfAllElements)
{
    EXPECT_EQ(quantumOf(1.F), 1);
    EXPECT_EQ(quantumOf(-6.F), 2);
    EXPECT_EQ(quantumOf(0.375F), 0.125);
    EXPECT_EQ(quantumOf(std::numeric_limits<float>::denorm_min()), std::ldexp(1.0, -149));
    EXPECT_EQ(quantumOf(std::numeric_limits<float>::max()), std::ldexp(1.0, 104));
    const InputFacts facts = factsOf({bits(6.F), bits(-0.F), bits(-0.5F), bits(4.F)}, ElementType::float32);
    EXPECT_EQ(facts.quantum, 0.5);
    EXPECT_EQ(facts.magnitude, 10.5);
    EXPECT_NE(factsOf({1, 2}, ElementType::uint32).fingerprint, factsOf({2, 1}, ElementType::uint32).fingerprint);
}

TEST(PrescanInput, SumsThatLeaveTheRangeAreRefused)
{
    const std::uint32_t most = bits(std::numeric_limits<float>::max());
    EXPECT_THROW(checkRange(factsOf({most, most}, ElementType::float32), ElementType::float32), UsageError);
    EXPECT_NO_THROW(checkRange(factsOf({bits(1e38F), bits(2e38F)}, ElementType::float32), ElementType::float32));
    EXPECT_NO_THROW(checkRange(factsOf({UINT32_MAX, UINT32_MAX}, ElementType::uint32), ElementType::uint32));
}

TEST(PrescanInput, RandomElementsDependOnSeedAndIndexAlone)
{
    PrescanSettings settings = settingsFor(ElementType::uint32, {});
    const auto whole = randomInput(settings, 200000);
    std::vector<std::uint32_t> part(1000);
    fillRandom(settings, 150000, part);
    EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin() + 150000));
    for (const std::uint32_t value : {0U, 1U, 2U})
        EXPECT_NEAR(static_cast<double>(std::count(whole.begin(), whole.end(), value)), 66667, 1500);
    EXPECT_EQ(*std::max_element(whole.begin(), whole.end()), 2U) << "the limit itself is not among them";
    settings.seed = 2;
    EXPECT_NE(randomInput(settings, 1000), std::vector<std::uint32_t>(whole.begin(), whole.begin() + 1000));
    settings.maxRand = std::uint64_t{1} << 32;
    const auto wide = randomInput(settings, 1000);
    EXPECT_GT(*std::max_element(wide.begin(), wide.end()), 4000000000U);
}

TEST(AddPeak, AddsRightOnTheDevice)
{
    for (const ElementType* const element : {&ElementType::float32, &ElementType::uint32}) {
        EXPECT_GT(measureDeviceAddPeak(*openFor(*element), *element, ofThree(1)).rate, 0);
        EXPECT_GT(measureHostAddPeak(*element, ofThree(1)), 0);
    }
}

}  // namespace a2
