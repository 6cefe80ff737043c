// Files of numbers: read and written without loss; every error in one is reported with its line and column.

#include "annexes/prescan/NumberFile.h"

#include "a2/Error.h"
#include "annexes/prescan/PrescanJudge.h"
#include "support/temporary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <random>

namespace a2 {

namespace {

namespace fs = std::filesystem;

class NumberFileTest : public testing::Test {
protected:
    NumberFileTest() : path_(temporaryPath("a2-numbers")) {}
    ~NumberFileTest() override { fs::remove(path_); }

    void put(const std::string& text) const { std::ofstream(path_, std::ios::binary) << text; }
    std::vector<std::uint32_t> read(std::uint64_t n, const ElementType& element) const
    {
        std::vector<std::uint32_t> words(n);
        readNumbers(path_.string(), element, words, "size.txt");
        return words;
    }
    // The message about a text, without the file's name; empty if it can be read.
    std::string refusal(const std::string& text, std::uint64_t n,
                        const ElementType& element = ElementType::float32) const
    {
        put(text);
        return caught([&] { read(n, element); });
    }
    std::string sizeRefusal(const std::string& text) const
    {
        put(text);
        return caught([&] { readSizeFile(path_.string()); });
    }
    template <class Body>
    std::string caught(const Body& body) const
    {
        try {
            body();
        } catch (const UsageError& error) {
            const std::string message = error.what();
            EXPECT_EQ(message.find(path_.string() + ", "), 0U) << message;
            return message.substr(path_.string().size() + 2);
        }
        return "";
    }

    fs::path path_;
};

std::vector<float> floats(const std::vector<std::uint32_t>& words)
{
    std::vector<float> values;
    for (const std::uint32_t word : words) values.push_back(std::bit_cast<float>(word));
    return values;
}

bool startsWith(const std::string& text, const std::string& start) { return text.find(start) == 0; }

}  // namespace

TEST_F(NumberFileTest, AnyFloatIsReadBackAsItWasWritten)
{
    std::mt19937 random(7);
    std::vector<std::uint32_t> words;
    while (words.size() < 300001) {  // more than one range writes at once
        const auto word = static_cast<std::uint32_t>(random());
        if (std::isfinite(std::bit_cast<float>(word))) words.push_back(word);
    }
    words.push_back(std::bit_cast<std::uint32_t>(-std::numeric_limits<float>::max()));
    words.push_back(1);  // the smallest subnormal number
    words.push_back(std::bit_cast<std::uint32_t>(-std::numeric_limits<float>::min()));
    OutputFile file(path_.string());
    writeNumbers(file, ElementType::float32, words);
    file.commit();
    EXPECT_EQ(read(words.size(), ElementType::float32), words);
}

TEST_F(NumberFileTest, AnyWholeNumberIsReadBackAsItWasWritten)
{
    std::mt19937 random(7);
    std::vector<std::uint32_t> words(1000003);  // more than are written at once
    for (std::uint32_t& word : words) word = static_cast<std::uint32_t>(random() >> (random() % 32));
    words.back() = UINT32_MAX;
    OutputFile file(path_.string());
    writeNumbers(file, ElementType::uint32, words);
    file.commit();
    EXPECT_EQ(read(words.size(), ElementType::uint32), words);
}

TEST_F(NumberFileTest, AnyWhiteSpaceSeparates)
{
    put("1 2\t3\r\n4\r\n\r\n  5.5e0");  // no line break at the end
    EXPECT_EQ(floats(read(5, ElementType::float32)), (std::vector<float>{1, 2, 3, 4, 5.5F}));
    put(" \n");
    EXPECT_TRUE(read(0, ElementType::float32).empty());
    put("");
    EXPECT_TRUE(read(0, ElementType::float32).empty());
}

TEST_F(NumberFileTest, TheAccuracyLineIsPassedOver)
{
    put("# accuracy: largest error 0.5\r\n7\n8\n");
    EXPECT_EQ(floats(read(2, ElementType::float32)), (std::vector<float>{7, 8}));
    put("# accuracy: exact");
    EXPECT_TRUE(read(0, ElementType::uint32).empty());
    EXPECT_TRUE(startsWith(refusal("# accuracy: exact\n7\nx\n", 2), "line 3, column 1: 'x' is not a number"));
    EXPECT_TRUE(startsWith(refusal("# comment\n7\n", 1), "line 1, column 1: '#' is not a number"));
    EXPECT_TRUE(startsWith(refusal("7\n# accuracy: exact\n", 1), "line 2, column 1: '#'"));
}

TEST_F(NumberFileTest, WhatIsNoNumberIsTold)
{
    EXPECT_TRUE(startsWith(refusal("1 2\n3 abc", 4), "line 2, column 3: 'abc' is not a number"));
    EXPECT_TRUE(startsWith(refusal("1,2", 1), "line 1, column 1: '1,2' is not a number"));
    EXPECT_TRUE(startsWith(refusal("\r\n\r\n 0x10", 1), "line 3, column 2: '0x10'"));
    EXPECT_TRUE(startsWith(refusal(std::string("1\0 2", 4), 2), "line 1, column 1: '1?'"));
    EXPECT_TRUE(startsWith(refusal("1 --2", 2), "line 1, column 3"));
    EXPECT_TRUE(startsWith(refusal("1 \xC3\xA4", 2),
                           "line 1, column 3: '?"
                           "?' is not a number"));
}

TEST_F(NumberFileTest, WhatTheTypeDoesNotHoldIsTold)
{
    for (const char* word : {"nan", "-NaN", "inf", "-inf", "infinity"})
        EXPECT_TRUE(startsWith(refusal(std::string("0 ") + word, 2),
                               "line 1, column 3: '" + std::string(word) + "' is not finite"))
            << word;
    for (const char* word : {"1e39", "-3.5e38", "1e-50", "1e999", "1e-999"})
        EXPECT_TRUE(startsWith(refusal(std::string("\n0 ") + word, 2),
                               "line 2, column 3: '" + std::string(word) + "' is out of the range of float"))
            << word;
    for (const char* word : {"-1", "4294967296", "1.5", "1e3", "99999999999999999999"})
        EXPECT_TRUE(startsWith(refusal(std::string("0\n") + word, 2, ElementType::uint32),
                               "line 2, column 1: '" + std::string(word) + "' is not a whole number from 0 to"))
            << word;
    EXPECT_TRUE(startsWith(refusal("0 inf", 2, ElementType::uint32), "line 1, column 3: 'inf' is not finite"));
}

TEST_F(NumberFileTest, TooFewAndTooManyAreTold)
{
    EXPECT_TRUE(
        startsWith(refusal("1 2\n3", 4), "line 2, column 2: the file ends after 3 numbers, and size.txt says 4"));
    EXPECT_TRUE(startsWith(refusal("", 1), "line 1, column 1: the file ends after 0 numbers"));
    EXPECT_TRUE(startsWith(refusal("1 2\n3 4\n", 3), "line 2, column 3: a number more than the 3 that size.txt says"));
    EXPECT_TRUE(startsWith(refusal("1", 0), "line 1, column 1: a number more"));
    EXPECT_TRUE(startsWith(refusal("1 2 x", 2), "line 1, column 5: 'x' is not a number")) << "not a number at all";
}

// Blocks, and the ranges in them, may end anywhere: inside numbers, between \r and \n.
TEST_F(NumberFileTest, LongFilesAreReadAsShortOnes)
{
    std::string text;
    std::vector<float> expected;
    for (int i = 0; text.size() < (std::size_t{9} << 20); ++i) {
        const std::string number = std::to_string(i % 99991) + (i % 2 ? ".125" : ".5");
        expected.push_back(std::stof(number));
        text += number;
        text += i % 7 ? " " : "\r\n";
    }
    put(text);
    EXPECT_EQ(floats(read(expected.size(), ElementType::float32)), expected);
    const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
    const std::size_t column = text.size() - text.rfind('\n');
    EXPECT_TRUE(startsWith(refusal(text + "oops 1", expected.size() + 2),
                           "line " + std::to_string(lines + 1) + ", column " + std::to_string(column) + ": 'oops'"));
    EXPECT_TRUE(startsWith(refusal("1 ?\n" + text, expected.size() + 2), "line 1, column 3: '?'"))
        << "the first fault is told, whatever is further on";
}

TEST_F(NumberFileTest, AWordWithoutEndIsNoNumber)
{
    std::string text(std::size_t{10} << 20, '7');
    text[1] = ' ';
    EXPECT_TRUE(startsWith(refusal(text, 2), "line 1, column 3: "));
}

TEST_F(NumberFileTest, WhatCannotBeReadIsNamed)
{
    EXPECT_THROW(read(1, ElementType::float32), UsageError);
    std::vector<std::uint32_t> none;
    EXPECT_THROW(readNumbers(fs::temp_directory_path().string(), ElementType::float32, none, ""), UsageError);
    EXPECT_THROW(readSizeFile(fs::temp_directory_path().string()), UsageError);
    EXPECT_THROW(readSizeFile(path_.string()), UsageError);
}

TEST_F(NumberFileTest, ASizeFileHoldsOneWholeNumber)
{
    put("\r\n 16000000\r\n");
    EXPECT_EQ(readSizeFile(path_.string()), 16000000U);
    put("0");
    EXPECT_EQ(readSizeFile(path_.string()), 0U);
    EXPECT_TRUE(startsWith(sizeRefusal(""), "line 1, column 1: there is no number"));
    EXPECT_TRUE(startsWith(sizeRefusal("8\n9\n"), "line 2, column 1: '9' is one more"));
    for (const char* word : {"-8", "8.0", "8x", "1e6", "eight"})
        EXPECT_TRUE(
            startsWith(sizeRefusal(std::string(" ") + word), "line 1, column 2: '" + std::string(word) + "' is none"))
            << word;
    EXPECT_TRUE(
        startsWith(sizeRefusal("18446744073709551616"), "line 1, column 1: '18446744073709551616' is more than"));
}

TEST_F(NumberFileTest, WhatIsNotCommittedLeavesNothing)
{
    {
        OutputFile file(path_.string());
        writeNumbers(file, ElementType::uint32, std::vector<std::uint32_t>(1000, 1));
    }
    EXPECT_FALSE(fs::exists(path_));
}

}  // namespace a2
