// Patterns, the CPU reference, and the expected results of each kind of task.

#include "a2/Error.h"
#include "support/temporary.h"
#include "tasks/Expectation.h"
#include "tasks/Task.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

namespace a2 {

namespace {

std::vector<std::uint32_t> results(const TaskClass& taskClass, const Input& input, const KernelShape& shape)
{
    const Expectation expectation(taskClass, input, shape);
    std::vector<std::uint32_t> all;
    for (std::uint64_t i = 0; i < expectation.resultSize(); ++i) all.push_back(expectation.result(i));
    return all;
}

class TextFile {
public:
    explicit TextFile(const std::string& text) : path_(temporaryPath("a2-input-test").string())
    {
        std::ofstream(path_) << text;
    }
    ~TextFile() { std::remove(path_.c_str()); }
    std::string pattern() const { return "file:" + path_; }

private:
    std::string path_;
};

using Values = std::vector<std::uint32_t>;

Values made(const Pattern& pattern, std::uint64_t n, std::uint64_t seed)
{
    Values values(n);
    pattern.fill(values, seed);
    return values;
}

// The random pattern as its authors define it, number after number (SplitMix64), upper halves.
Values splitMix(std::uint64_t n, std::uint64_t state)
{
    Values values;
    for (std::uint64_t i = 0; i < n; ++i) {
        std::uint64_t z = state += 0x9E3779B97F4A7C15;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
        values.push_back(static_cast<std::uint32_t>((z ^ (z >> 31)) >> 32));
    }
    return values;
}

// Lengths around those from which on several threads make and compare an array.
constexpr std::uint64_t oddLengths[] = {
    1, 97, parallelBlock - 1, parallelBlock, parallelBlock + 1, 3 * parallelBlock - 5, (std::uint64_t{1} << 20) + 7};

}  // namespace

TEST(Pattern, MakesWhatItsNameSays)
{
    EXPECT_EQ(made(Pattern::parse("mod97"), 99, 1).back(), 1U);
    EXPECT_EQ(made(Pattern::parse("ones"), 3, 1), (Values{1, 1, 1}));
    EXPECT_EQ(made(Pattern::parse("iota"), 3, 1), (Values{0, 1, 2}));
    EXPECT_EQ(made(Pattern::parse("max"), 2, 1), (Values{UINT32_MAX, UINT32_MAX}));
    EXPECT_EQ(made(Pattern::parse("shuffled"), 6, 1), (Values{0, 37, 74, 14, 51, 88}));
    Values shuffled = made(Pattern::parse("shuffled"), 97, 1);
    EXPECT_FALSE(std::is_sorted(shuffled.begin(), shuffled.end()));
    std::sort(shuffled.begin(), shuffled.end());
    EXPECT_EQ(shuffled, made(Pattern::parse("mod97"), 97, 1));
    const Values edges = made(Pattern::parse("edges"), 23, 1);
    for (const std::uint32_t one : {0U, 1U, 0x7FFFFFFFU, 0x80000000U, UINT32_MAX})
        EXPECT_EQ(std::count(edges.begin(), edges.end(), one), 1) << one;
    EXPECT_EQ(made(Pattern::parse("edges"), 24, 2).back(), edges.front());
    EXPECT_EQ(made(Pattern::parse("onehot:1"), 3, 1), (Values{0, 1, 0}));
    EXPECT_EQ(made(Pattern::parse("onehot:2=4294967295"), 3, 1), (Values{0, 0, UINT32_MAX}));
    EXPECT_EQ(Pattern::oneHot(2, 7).text(), "onehot:2=7");
    for (const char* const wrong : {"onehot:2=", "onehot:=2", "onehot:2=4294967296", "onehot:2=-1", "onehot:2=1x"})
        EXPECT_THROW(Pattern::parse(wrong), UsageError) << wrong;
    EXPECT_EQ(made(Pattern::parse("onehot:9"), 3, 1), (Values{0, 0, 0}));
}

TEST(Pattern, RandomDependsOnTheSeedAndOnNothingElse)
{
    const Pattern random = Pattern::parse("random");
    EXPECT_EQ(made(random, 100, 7), made(random, 100, 7));
    EXPECT_NE(made(random, 100, 7), made(random, 100, 8));
    const Values shorter = made(random, 10, 7), longer = made(random, 100, 7);
    EXPECT_TRUE(std::equal(shorter.begin(), shorter.end(), longer.begin()));
}

TEST(Pattern, IsTheSameFromAllCoresAsNumberAfterNumber)
{
    for (const std::uint64_t n : oddLengths) {
        Values mod97, iota;
        for (std::uint64_t i = 0; i < n; ++i) {
            mod97.push_back(static_cast<std::uint32_t>(i % 97));
            iota.push_back(static_cast<std::uint32_t>(i));
        }
        EXPECT_TRUE(made(Pattern::parse("random"), n, 7) == splitMix(n, 7)) << n;
        EXPECT_TRUE(made(Pattern::parse("mod97"), n, 7) == mod97) << n;
        EXPECT_TRUE(made(Pattern::parse("iota"), n, 7) == iota) << n;
        Values last(n, 0);
        last.back() = 1;
        EXPECT_TRUE(made(Pattern::oneHot(n - 1), n, 7) == last) << n;
    }
}

TEST(Pattern, RejectsWhatItDoesNotKnow)
{
    for (const char* text :
         {"", "one", "onehot", "onehot:", "onehot:-1", "onehot:1x", "file:", "file:/nonexistent", "file:/"})
        EXPECT_THROW(Pattern::parse(text), UsageError) << text;
}

TEST(Pattern, ReadsNumbersFromAFile)
{
    const TextFile file("3 1\t7\r\n0 4\n\n4294967295\n");
    const Pattern pattern = Pattern::parse(file.pattern());
    EXPECT_EQ(pattern.fileLength(), 6U);
    EXPECT_EQ(made(pattern, 6, 1), (Values{3, 1, 7, 0, 4, UINT32_MAX}));
    EXPECT_EQ(made(pattern, 2, 1), (Values{3, 1}));
}

TEST(Pattern, NamesLineAndColumnOfWhatIsNoNumber)
{
    for (const char* text : {"", " \n", "1 2\n3 x", "1.5", "-1", "4294967296", "1,2"})
        EXPECT_THROW(Pattern::parse(TextFile(text).pattern()), UsageError) << text;
    try {
        Pattern::parse(TextFile("1 2\n3 x").pattern());
        FAIL();
    } catch (const UsageError& error) {
        EXPECT_NE(std::string(error.what()).find("line 2, column 3"), std::string::npos) << error.what();
    }
}

TEST(Reference, IsTheAssignmentsTable)
{
    const TextFile file("3 11 2 5 7 0 9 3");
    const Input input(Pattern::parse(file.pattern()), 8, 1);
    EXPECT_EQ(input.sum(), 40U);
    EXPECT_EQ(results(TaskClass::reduction, input, {}), (Values{40}));
    EXPECT_EQ(results(TaskClass::scan, input, {}), (Values{3, 14, 16, 21, 28, 28, 37, 40}));
    EXPECT_EQ(results(TaskClass::scan, input, {256, 2, true}), (Values{0, 3, 14, 16, 21, 28, 28, 37}));
    EXPECT_EQ(results(TaskClass::localScan, input, {2, 2, false}), (Values{3, 14, 16, 21, 7, 7, 16, 19}));
    EXPECT_EQ(results(TaskClass::localScan, input, {2, 2, true}), (Values{0, 3, 14, 16, 0, 7, 7, 16}));
}

TEST(Reference, IsTheSameFromAllCoresAsOneElementAfterTheOther)
{
    for (const std::uint64_t n : oddLengths) {
        const Input input(Pattern::parse("random"), n, 3);
        const Values values = splitMix(n, 3);
        Values sums;
        std::uint32_t sum = 0;
        for (const std::uint32_t value : values) sums.push_back(sum += value);
        EXPECT_TRUE(std::equal(values.begin(), values.end(), input.values().begin(), input.values().end())) << n;
        EXPECT_TRUE(std::equal(sums.begin(), sums.end(), input.prefixSums().begin(), input.prefixSums().end())) << n;
        EXPECT_EQ(input.sum(), sum);
    }
}

TEST(Reference, IsTimedOnOneThreadWhenAskedForAndStaysAsItWas)
{
    const Input input(Pattern::parse("random"), 200001, 3);
    const Values before(input.prefixSums().begin(), input.prefixSums().end());
    const double reduceMs = input.cpuReduceMs(), scanMs = input.cpuScanMs();
    EXPECT_GT(reduceMs, 0);
    EXPECT_GT(scanMs, 0);
    EXPECT_EQ(input.cpuReduceMs(), reduceMs) << "once";
    EXPECT_EQ(input.cpuScanMs(), scanMs) << "once";
    EXPECT_TRUE(std::equal(before.begin(), before.end(), input.prefixSums().begin(), input.prefixSums().end()));
}

TEST(Reference, OfAFileIsNoLongerThanTheFile)
{
    const TextFile file("3 11 2");
    EXPECT_EQ(Input(Pattern::parse(file.pattern()), 8, 1).size(), 3U);
}

TEST(Reference, IsModuloTwoToThe32)
{
    const Input input(Pattern::parse("max"), 3, 1);
    EXPECT_EQ(input.sum(), UINT32_MAX - 2);
}

TEST(Expectation, GivesTheOffsetTaskLocalScansAndOffsets)
{
    const Input input(Pattern::parse("iota"), 7, 1);
    for (const bool exclusive : {false, true}) {
        const KernelShape shape{1, 2, exclusive};
        const Expectation local(TaskClass::localScan, input, shape), offset(TaskClass::offset, input, shape);
        ASSERT_EQ(offset.offsetCount(), 4U);
        for (std::uint64_t i = 0; i < 7; ++i) {
            EXPECT_EQ(offset.given(i), local.result(i));
            EXPECT_EQ(offset.given(i) + offset.givenOffset(i / 2), offset.result(i));
        }
        EXPECT_EQ(offset.givenOffset(0), 0U);
    }
}

TEST(Expectation, MatchesPartsOfTheResultExactly)
{
    const Input input(Pattern::parse("random"), 1000, 3);
    for (const TaskClass* taskClass : {&TaskClass::scan, &TaskClass::localScan, &TaskClass::offset})
        for (const bool exclusive : {false, true}) {
            const Expectation expectation(*taskClass, input, {16, 2, exclusive});
            Values all = results(*taskClass, input, {16, 2, exclusive});
            for (const std::uint64_t first : {0U, 1U, 31U, 500U}) {
                const std::span<std::uint32_t> part(all.data() + first, 400);
                EXPECT_TRUE(expectation.matches(first, part));
                for (const std::size_t spoilt : {0U, 200U, 399U}) {
                    part[spoilt] ^= 1;
                    EXPECT_FALSE(expectation.matches(first, part));
                    part[spoilt] ^= 1;
                }
            }
        }
}

// A tile of 6 elements crosses the ends of what one thread compares, and of what is compared at once.
TEST(Expectation, MatchesAndGivesLongPartsAsElementByElement)
{
    constexpr std::uint64_t n = 3 * parallelBlock + 11;
    const Input input(Pattern::parse("random"), n, 3);
    for (const TaskClass* taskClass : {&TaskClass::scan, &TaskClass::localScan, &TaskClass::offset})
        for (const bool exclusive : {false, true})
            for (const std::uint64_t first : {std::uint64_t{0}, std::uint64_t{5}, parallelBlock}) {
                const KernelShape shape{3, 2, exclusive};
                const Expectation expectation(*taskClass, input, shape);
                Values all = results(*taskClass, input, shape);
                const std::span<std::uint32_t> part = std::span(all).subspan(first);
                EXPECT_TRUE(expectation.matches(first, part));
                for (const std::size_t spoilt : {std::size_t{0}, std::size_t{1}, parallelBlock - 1, parallelBlock,
                                                 parallelBlock + 6, part.size() - 1}) {
                    part[spoilt] ^= 0x80000000;
                    EXPECT_FALSE(expectation.matches(first, part)) << spoilt;
                    part[spoilt] ^= 0x80000000;
                }
                Values given(n - first);
                expectation.give(first, given);
                for (std::uint64_t i = first; i < n; ++i)
                    if (given[i - first] != expectation.given(i)) FAIL() << "element " << i;
            }
}

TEST(Tasks, AreSelectedByIdAndGlob)
{
    // The ids of the rows that are meant, in the table's order.
    const auto meant = [](auto&& wanted) {
        std::vector<std::string> ids;
        for (const Task& task : allTasks())
            if (wanted(task)) ids.push_back(task.id);
        return ids;
    };
    const auto selected = [](const std::vector<std::string>& globs, bool all) {
        std::vector<std::string> ids;
        for (const Task& task : selectTasks(globs, all)) ids.push_back(task.id);
        return ids;
    };
    const auto every = meant([](const Task&) { return true; });
    EXPECT_EQ(selected({}, false), meant([](const Task& task) { return task.byDefault; }));
    EXPECT_EQ(selected({}, true), every);
    EXPECT_EQ(selected({"scan/naive"}, true), every);
    EXPECT_EQ(selected({"reduce/*"}, false), meant([](const Task& task) { return task.id.starts_with("reduce/"); }));
    EXPECT_EQ(selected({"scan/offset", "*/naive"}, false),
              meant([](const Task& task) { return task.id == "scan/offset" || task.id.ends_with("/naive"); }));
    for (const char* glob : {"r*at*c", "*reduce/atomic*", "re?uce/*to*ic", "**/a*t*o*m*i*c", "reduce/atomi?"})
        EXPECT_EQ(selectTasks({glob}, false).at(0).id, "reduce/atomic") << glob;
    for (const char* glob : {"", "?", "reduce/", "*X*", "reduce/atomic?", "*/*/*"})
        EXPECT_THROW(selectTasks({glob}, false), UsageError) << glob;
    // Trying every place for each '*' would take longer than the age of the universe.
    EXPECT_THROW(selectTasks({std::string(4000, '*') + "X" + std::string(4000, '*')}, false), UsageError);
    std::string stars;
    for (int i = 0; i < 2000; ++i) stars += "*e*";
    EXPECT_THROW(selectTasks({stars}, false), UsageError);
    EXPECT_EQ(selectTasks({"scan/offset", "scan/naive"}, false).front().id, "scan/naive");  // in the table's order
    EXPECT_EQ(selected({"scan/?????"}, false), meant([](const Task& task) {
                  return task.id.starts_with("scan/") && task.id.size() == std::string("scan/?????").size();
              }));
    EXPECT_THROW(selectTasks({"reduce"}, false), UsageError);
    EXPECT_THROW(selectTasks({"reduce/atomic", "x*"}, false), UsageError);
}

TEST(Tasks, AreLabelledByTaskOrAsLab)
{
    const auto taskNamed = [](const char* id) { return selectTasks({id}, false).front(); };
    EXPECT_EQ(taskNamed("reduce/atomic").consoleLabel(), "[Task1] KernelDecomposition Atomic");
    EXPECT_EQ(taskNamed("scan/naive").consoleLabel(), "[Task2] Naive");
    EXPECT_EQ(taskNamed("scan/kogge-stone").consoleLabel(), "[Lab] KoggeStone");
    EXPECT_EQ(taskNamed("reduce/local-modulo").consoleTag(), "[Lab]");
}

TEST(Tasks, AreWorthTheAssignmentsPoints)
{
    int reduce = 0, scan = 0;
    for (const Task& task : allTasks()) (task.taskClass == &TaskClass::reduction ? reduce : scan) += task.points;
    EXPECT_EQ(reduce, 11);
    EXPECT_EQ(scan, 9);
}

}  // namespace a2
