// The judge fails a wrong result, whatever element is wrong and however the result arrives.

#include "judge/Comparison.h"

#include <gtest/gtest.h>

namespace a2 {

namespace {

constexpr std::uint64_t elements = 1000;

class JudgeTest : public testing::Test {
protected:
    JudgeTest() : input_(Pattern::parse("random"), elements, 5), expectation_(TaskClass::scan, input_, {64, 2, false})
    {
        for (std::uint64_t i = 0; i < elements; ++i) result_.push_back(expectation_.result(i));
    }
    std::optional<Mismatches> judge(std::size_t partSize) const
    {
        Judge judge(expectation_);
        const std::span<const std::uint32_t> all(result_);
        for (std::size_t first = 0; first < all.size(); first += partSize)
            judge.look(all.subspan(first, std::min(partSize, all.size() - first)));
        return judge.verdict();
    }

    Input input_;
    Expectation expectation_;
    std::vector<std::uint32_t> result_;
};

}  // namespace

TEST_F(JudgeTest, PassesWhatIsRight)
{
    for (const std::size_t part : {1000U, 999U, 64U, 1U}) EXPECT_FALSE(judge(part)) << part;
}

TEST_F(JudgeTest, FailsOneWrongElementAnywhere)
{
    for (const std::size_t spoilt : {0U, 1U, 63U, 64U, 500U, 998U, 999U})
        for (const std::size_t part : {1000U, 64U}) {
            result_[spoilt] += 1;
            const auto found = judge(part);
            ASSERT_TRUE(found) << spoilt;
            EXPECT_EQ(found->count, 1U);
            EXPECT_EQ(found->firstIndex, spoilt);
            EXPECT_EQ(found->expected, result_[spoilt] - 1);
            EXPECT_EQ(found->got, result_[spoilt]);
            result_[spoilt] -= 1;
        }
}

TEST_F(JudgeTest, CountsEveryWrongElementAndNamesTheFirst)
{
    result_[700] ^= 4;
    result_[300] ^= 4;
    result_[301] ^= 4;
    const auto found = judge(256);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->count, 3U);
    EXPECT_EQ(found->firstIndex, 300U);
}

TEST_F(JudgeTest, FailsAResultThatIsTooShort)
{
    result_.resize(elements - 1);
    const auto found = judge(1000);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->count, 1U);
    EXPECT_EQ(found->firstIndex, elements - 1);
    result_.clear();
    EXPECT_EQ(judge(1000)->count, elements);
}

TEST_F(JudgeTest, LooksAtNoMoreThanTheResult)
{
    result_.push_back(12345);
    EXPECT_FALSE(judge(1001));
}

}  // namespace a2
