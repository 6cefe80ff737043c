// Lines of source as messages quote them.

#include "base/SourceText.h"

#include <gtest/gtest.h>

namespace a2 {

TEST(SourceText, QuotesALineAndTheOneBeforeThatIsNotEmpty)
{
    const std::string text = "barrier();\n\n  sum += a;\t\r\n";
    EXPECT_EQ(sourceLine(text, 3), (SourceLine{"sum += a;", "barrier();"}));
    EXPECT_EQ(quoted(sourceLine(text, 3)), " `sum += a;`, after `barrier();`");
    EXPECT_EQ(quoted(sourceLine(text, 2)), "");
    EXPECT_EQ(quoted(sourceLine(text, 9)), "");
}

TEST(SourceText, CutsLongLinesBetweenLetters)
{
    const std::string whole(160, 'x');
    EXPECT_EQ(sourceLine(whole, 1).text, whole);
    EXPECT_EQ(sourceLine(whole + "y", 1).text, whole + " ...");
    EXPECT_EQ(sourceLine(whole.substr(1) + "\xc3\xa4z", 1).text, whole.substr(1) + " ...");
    EXPECT_EQ(sourceLine(whole.substr(3) + "\xf0\x9f\x98\x80", 1).text, whole.substr(3) + " ...");
}

}  // namespace a2
