// Floats are read as std::from_chars() reads them, with any standard library and any release of fast_float.

#include "base/FloatText.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string_view>

namespace a2 {

namespace {

struct Parsed {
    double value;
    std::ptrdiff_t length;
    std::errc error;
};

template <class Float>
Parsed parsed(std::string_view text)
{
    Float value = 77;
    const auto [stop, error] = parseFloat(text.data(), text.data() + text.size(), value);
    return {static_cast<double>(value), stop - text.data(), error};
}

template <class Float>
void expectNumber(std::string_view text, Float value, std::ptrdiff_t length)
{
    const Parsed one = parsed<Float>(text);
    EXPECT_EQ(one.error, std::errc()) << text;
    EXPECT_EQ(one.value, static_cast<double>(value)) << text;
    EXPECT_EQ(one.length, length) << text;
}

}  // namespace

TEST(FloatText, ReadsADecimalNumberAndStopsBehindIt)
{
    expectNumber("1.5", 1.5F, 3);
    expectNumber("-0.25e1 x", -2.5, 7);
    expectNumber("7e", 7.0, 1);
    expectNumber(".5", 0.5, 2);
    expectNumber("0.1", 0.1F, 3);
    expectNumber("0.1", 0.1, 3);
    expectNumber("0e999", 0.0F, 5);
    expectNumber("1.401298464324817e-45", std::numeric_limits<float>::denorm_min(), 21);
    expectNumber("3.4028234663852886e38", std::numeric_limits<float>::max(), 21);
    expectNumber("inf", std::numeric_limits<float>::infinity(), 3);
    EXPECT_TRUE(std::isnan(parsed<float>("nan").value));
    EXPECT_TRUE(std::signbit(parsed<float>("-0").value));
}

TEST(FloatText, TellsWhatIsBeyondTheType)
{
    for (const char* text : {"1e39", "-3.5e38", "1e-50", "-1E-50", "1e999", "1e-999", "0.000001e-44"}) {
        const Parsed one = parsed<float>(text);
        EXPECT_EQ(one.error, std::errc::result_out_of_range) << text;
        EXPECT_EQ(one.length, static_cast<std::ptrdiff_t>(std::string_view(text).size())) << text;
        EXPECT_EQ(one.value, 77) << text;
    }
    EXPECT_EQ(parsed<double>("1e999").error, std::errc::result_out_of_range);
    EXPECT_EQ(parsed<double>("1e39").error, std::errc());
}

TEST(FloatText, RefusesWhatIsNoNumber)
{
    for (const char* text : {"", "+1", " 1", "x", "-", ".", "e5"}) {
        const Parsed one = parsed<double>(text);
        EXPECT_EQ(one.error, std::errc::invalid_argument) << "'" << text << "'";
        EXPECT_EQ(one.length, 0) << "'" << text << "'";
    }
    expectNumber("0x10", 0.0, 1);
}

}  // namespace a2
