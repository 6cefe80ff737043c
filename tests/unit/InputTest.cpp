// Patterns, the CPU reference, and what each kind of task expects.

#include "Task.h"
#include "a2/Error.h"
#include "support/temporary.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

namespace a2 {

namespace {

std::vector<std::uint32_t> results(TaskKind kind, const Input& input, const KernelShape& shape)
{
    const Expectation expectation(kind, input, shape);
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

}  // namespace

TEST(Pattern, MakesWhatItsNameSays)
{
    EXPECT_EQ(Pattern::parse("mod97").make(99, 1).back(), 1U);
    EXPECT_EQ(Pattern::parse("ones").make(3, 1), (Values{1, 1, 1}));
    EXPECT_EQ(Pattern::parse("iota").make(3, 1), (Values{0, 1, 2}));
    EXPECT_EQ(Pattern::parse("max").make(2, 1), (Values{UINT32_MAX, UINT32_MAX}));
    EXPECT_EQ(Pattern::parse("onehot:1").make(3, 1), (Values{0, 1, 0}));
    EXPECT_EQ(Pattern::parse("onehot:9").make(3, 1), (Values{0, 0, 0}));
}

TEST(Pattern, RandomDependsOnTheSeedAndOnNothingElse)
{
    const Pattern random = Pattern::parse("random");
    EXPECT_EQ(random.make(100, 7), random.make(100, 7));
    EXPECT_NE(random.make(100, 7), random.make(100, 8));
    const Values shorter = random.make(10, 7), longer = random.make(100, 7);
    EXPECT_TRUE(std::equal(shorter.begin(), shorter.end(), longer.begin()));
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
    EXPECT_EQ(pattern.make(6, 1), (Values{3, 1, 7, 0, 4, UINT32_MAX}));
    EXPECT_EQ(pattern.make(2, 1), (Values{3, 1}));
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
    EXPECT_EQ(results(TaskKind::reduce, input, {}), (Values{40}));
    EXPECT_EQ(results(TaskKind::scan, input, {}), (Values{3, 14, 16, 21, 28, 28, 37, 40}));
    EXPECT_EQ(results(TaskKind::scan, input, {256, 2, true}), (Values{0, 3, 14, 16, 21, 28, 28, 37}));
    EXPECT_EQ(results(TaskKind::localScan, input, {2, 2, false}), (Values{3, 14, 16, 21, 7, 7, 16, 19}));
    EXPECT_EQ(results(TaskKind::localScan, input, {2, 2, true}), (Values{0, 3, 14, 16, 0, 7, 7, 16}));
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
        const Expectation local(TaskKind::localScan, input, shape), offset(TaskKind::offset, input, shape);
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
    for (const TaskKind kind : {TaskKind::scan, TaskKind::localScan, TaskKind::offset})
        for (const bool exclusive : {false, true}) {
            const Expectation expectation(kind, input, {16, 2, exclusive});
            Values all = results(kind, input, {16, 2, exclusive});
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

TEST(Tasks, AreSelectedByIdAndGlob)
{
    EXPECT_EQ(selectTasks({}, false).size(), 9U);  // the default set
    EXPECT_EQ(selectTasks({}, true).size(), 11U);
    EXPECT_EQ(selectTasks({"scan/naive"}, true).size(), 11U);
    EXPECT_EQ(selectTasks({"reduce/*"}, false).size(), 6U);
    EXPECT_EQ(selectTasks({"scan/offset", "*/naive"}, false).size(), 2U);
    EXPECT_EQ(selectTasks({"scan/offset", "scan/naive"}, false).front().id, "scan/naive");  // in the table's order
    EXPECT_EQ(selectTasks({"scan/?????"}, false).size(), 2U);
    EXPECT_THROW(selectTasks({"reduce"}, false), UsageError);
    EXPECT_THROW(selectTasks({"reduce/atomic", "x*"}, false), UsageError);
}

TEST(Tasks, AreWorthTheAssignmentsPoints)
{
    int reduce = 0, scan = 0;
    for (const Task& task : allTasks()) (task.kind == TaskKind::reduce ? reduce : scan) += task.points;
    EXPECT_EQ(reduce, 11);
    EXPECT_EQ(scan, 9);
}

}  // namespace a2
