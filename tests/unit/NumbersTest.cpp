// Numbers on the command line, and arithmetic that must not overflow.

#include "a2/Error.h"
#include "a2/KernelShape.h"
#include "cli/Options.h"
#include "gpu/Device.h"

#include <gtest/gtest.h>

namespace a2 {

TEST(Size, IsReadInAllItsForms)
{
    EXPECT_EQ(parseSize("-n", "0"), 0U);
    EXPECT_EQ(parseSize("-n", "1000000"), 1000000U);
    EXPECT_EQ(parseSize("-n", "2^20"), 1U << 20);
    EXPECT_EQ(parseSize("-n", "2^63"), std::uint64_t{1} << 63);
    EXPECT_EQ(parseSize("-n", "128Mi"), 128U << 20);
    EXPECT_EQ(parseSize("-n", "3Ki"), 3072U);
    EXPECT_EQ(parseSize("-n", "4Gi"), std::uint64_t{4} << 30);
    EXPECT_EQ(parseSize("-n", "18446744073709551615"), UINT64_MAX);
}

TEST(Size, RejectsWhatIsNoSize)
{
    for (const char* text : {"", "-1", "+1", " 1", "1 ", "1e6", "5x", "0x10", "2^", "2^-1", "2^64", "2^2^2", "Mi", "Ki",
                             "128M", "128mi", "18446744073709551616", "99999999999Gi", "auto "})
        EXPECT_THROW(parseSize("-n", text), UsageError) << text;
}

TEST(Number, HoldsItsBounds)
{
    EXPECT_EQ(parseNumber("-w", "64", 1, 64), 64U);
    EXPECT_THROW(parseNumber("-w", "65", 1, 64), UsageError);
    EXPECT_THROW(parseNumber("-w", "0", 1, 64), UsageError);
    EXPECT_THROW(parseNumber("-w", "1.0", 1, 64), UsageError);
}

TEST(CeilDiv, DoesNotOverflow)
{
    EXPECT_EQ(ceilDiv(0, 256), 0U);
    EXPECT_EQ(ceilDiv(256, 256), 1U);
    EXPECT_EQ(ceilDiv(257, 256), 2U);
    EXPECT_EQ(ceilDiv(UINT64_MAX, 2), std::uint64_t{1} << 63);
    EXPECT_EQ(ceilDiv((std::uint64_t{1} << 32) - 1, 256), std::uint64_t{1} << 24);  // 0 in 32 bits
}

TEST(FoldGroups, CoversEveryGroupAndWastesLessThanOneRowCount)
{
    for (const std::uint64_t groups :
         {1ULL, 2ULL, 65534ULL, 65535ULL, 65536ULL, 65537ULL, 131071ULL, 1000003ULL, 65535ULL * 65535ULL}) {
        const WorkGroups folded = foldGroups(groups, 65535, 65535);
        const std::uint64_t started = std::uint64_t{folded.x} * folded.y;
        EXPECT_LE(folded.x, 65535U);
        EXPECT_LE(folded.y, 65535U);
        EXPECT_GE(started, groups);
        EXPECT_LT(started - groups, folded.y) << groups;
    }
    EXPECT_EQ(foldGroups(65535, 65535, 65535).y, 1U);
    EXPECT_EQ(foldGroups(65536, 65535, 65535).x, 32768U);
}

TEST(FoldGroups, RefusesMoreThanTheDeviceStarts)
{
    EXPECT_THROW(foldGroups(65535ULL * 65535ULL + 1, 65535, 65535), LimitError);
}

}  // namespace a2
