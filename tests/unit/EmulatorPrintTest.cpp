// debugPrintfEXT(): its formats, which invocations print, and in which phase.

#include "support/EmulatedGlsl.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace a2 {

namespace {

using Texts = std::vector<std::string>;

std::string kernelOf(const std::string& body, const std::string& before = "", unsigned invocations = 1)
{
    return "#version 450\n#extension GL_EXT_debug_printf : require\n"
           "#extension GL_EXT_shader_explicit_arithmetic_types : require\n" +
           before + "layout(local_size_x = " + std::to_string(invocations) +
           ") in;\nlayout(binding = 0) buffer Numbers { uint u[]; };\nshared uint box[4];\n"
           "void main()\n{\n    const uint l = gl_LocalInvocationIndex;\n    " +
           body + "\n}\n";
}

std::vector<EmulatorSettings::Printed> printedIn(const std::string& text, std::uint32_t groups = 1)
{
    std::vector<EmulatorSettings::Printed> all;
    EmulatedGlsl kernel(compileGlsl(text), {}, true);
    kernel.buffer(std::vector<std::uint32_t>{7, 8, 9, 10, 11, 12, 13, 14});
    kernel.settings.printed = [&](const EmulatorSettings::Printed& one) { all.push_back(one); };
    EXPECT_TRUE(kernel.run({groups, 1, 1}).complete);
    return all;
}

Texts textsOf(const std::string& body, unsigned invocations = 1)
{
    Texts texts;
    for (const auto& one : printedIn(kernelOf(body, "", invocations))) texts.push_back(one.text);
    return texts;
}

std::string textOf(const std::string& format, const std::string& values)
{
    const auto all =
        printedIn(kernelOf("debugPrintfEXT(\"" + format + "\"" + (values.empty() ? "" : ", " + values) + ");"));
    return all.size() != 1 ? "not once" : all.front().wrong ? "wrong: " + all.front().text : all.front().text;
}

}  // namespace

TEST(EmulatorPrint, Numbers)
{
    EXPECT_EQ(textOf("plain 100%%", ""), "plain 100%");
    EXPECT_EQ(textOf("%u of %d", "u[1], -3"), "8 of -3");
    EXPECT_EQ(textOf("%d", "4000000000u"), "-294967296") << "the bits, as printf() has it";
    EXPECT_EQ(textOf("%u", "-1"), "4294967295");
    EXPECT_EQ(textOf("%x %X %#o", "255u, 255u, 8"), "ff FF 010");
    EXPECT_EQ(textOf("[%5u|%-5u|%05u|%+d]", "7, 7, 7, 7"), "[    7|7    |00007|+7]");
    EXPECT_EQ(textOf("%f %.2f %e %g", "0.5, 2.0 / 3.0, 1024.0, 0.25"), "0.500000 0.67 1.024000e+03 0.25");
    EXPECT_EQ(textOf("%f", "double(0.1LF)"), "0.100000");
    EXPECT_EQ(textOf("%lu %ul %lx", "uint64_t(1) << 40, uint64_t(1) << 40, uint64_t(1) << 40"),
              "1099511627776 1099511627776 10000000000");
    EXPECT_EQ(textOf("%ld", "int64_t(-5)"), "-5");
    EXPECT_EQ(textOf("%d %u", "int16_t(-5), uint8_t(200)"), "-5 200");
    EXPECT_EQ(textOf("%.3f", "float16_t(1.5)"), "1.500");
}

TEST(EmulatorPrint, Vectors)
{
    EXPECT_EQ(textOf("<%v4u>", "uvec4(1, 2, 3, 4)"), "<1, 2, 3, 4>");
    EXPECT_EQ(textOf("%v2d %.1v3f", "ivec2(-1, 1), vec3(0.5, 1.0, 2.0)"), "-1, 1 0.5, 1.0, 2.0");
    EXPECT_EQ(textOf("%1.2v2f", "vec2(0.5, 1.0)"), "0.50, 1.00") << "as the extension's own example has it";
}

TEST(EmulatorPrint, WhatNobodyHasSet) { EXPECT_EQ(textsOf("debugPrintfEXT(\"%u\", box[l]);"), Texts{"?"}); }

TEST(EmulatorPrint, WrongFormatsSayWhy)
{
    const auto expectWrong = [](const std::string& format, const std::string& values, const std::string& why) {
        const std::string text = textOf(format, values);
        EXPECT_TRUE(text.starts_with("wrong: ")) << format << ": " << text;
        EXPECT_NE(text.find(why), std::string::npos) << format << ": " << text;
    };
    expectWrong("%y", "1", "'%y' is no conversion");
    expectWrong("%s", "1", "'%s' is no conversion");
    expectWrong("50%", "", "'%' is no conversion");
    expectWrong("%v5u", "uvec4(0)", "'%v' is no conversion");
    expectWrong("%999u", "1", "is no conversion");
    expectWrong("%u %u", "1", "'%u' has no value: there is 1");
    expectWrong("%u", "1, 2", "it prints 1 of the 2 values");
    expectWrong("%u", "1.5", "'%u' is for whole numbers, and value 1 is a float");
    expectWrong("%f", "l", "'%f' is for real numbers, and value 1 is a uint");
    expectWrong("%f", "l == 1", "value 1 is a bool");
    expectWrong("%u", "uvec2(1)", "%v2u is for a vector of 2");
    expectWrong("%v4u", "uvec2(1)", "is for a vector of 4, and value 1 is a vector of 2 uint");
    expectWrong("%u", "uint64_t(1)", "is for 32 bits (%lu for 64), and value 1 is a uint64_t");
    expectWrong("%lu", "1u", "is for 64 bits, and value 1 is a uint");
}

// Between two barriers, in a loop, in a function, under a condition.
TEST(EmulatorPrint, WhoAndWhereAndWhen)
{
    const auto all = printedIn(kernelOf("debugPrintfEXT(\"a%u\", l); barrier();\n"
                                        "for (uint i = 0; i < l; ++i) say(i);\n"
                                        "barrier(); if (l == 1) debugPrintfEXT(\"last\");",
                                        "void say(uint i) { debugPrintfEXT(\"turn %u\", i); }\n", 3),
                               2);
    ASSERT_EQ(all.size(), 2U * (3 + 3 + 1));
    std::string story;
    for (const auto& one : all)
        if (one.actor.group == 1)
            story += std::to_string(one.phase) + ":" + std::to_string(one.actor.invocation) + ":" +
                     std::to_string(one.where.line) + " " + one.text + "\n";
    EXPECT_EQ(story, "0:0:11 a0\n0:1:11 a1\n0:2:11 a2\n1:1:4 turn 0\n1:2:4 turn 0\n1:2:4 turn 1\n2:1:13 last\n");
}

// A walk that looks for faults ignores it.
TEST(EmulatorPrint, NothingWhereNobodyAsks)
{
    EmulatedGlsl kernel(compileGlsl(kernelOf("debugPrintfEXT(\"here\");")), {});
    kernel.buffer(std::vector<std::uint32_t>{1});
    kernel.settings.printed = [](const EmulatorSettings::Printed&) { FAIL(); };
    const Emulated walked = kernel.run();
    EXPECT_TRUE(walked.complete);
    EmulatedGlsl without(compileGlsl(kernelOf("")), {});
    without.buffer(std::vector<std::uint32_t>{1});
    EXPECT_EQ(walked.instructions, without.run().instructions);
}

TEST(EmulatorPrint, InALoopWithoutAnEnd)
{
    EmulatedGlsl kernel(compileGlsl(kernelOf("for (uint i = 1; i < 8u; i *= 1u) debugPrintfEXT(\"i %u\", i);")), {},
                        true);
    kernel.buffer(std::vector<std::uint32_t>{1});
    std::uint64_t lines = 0;
    kernel.settings.printed = [&](const EmulatorSettings::Printed&) { ++lines; };
    const Emulated walked = kernel.run();
    EXPECT_FALSE(walked.complete);
    EXPECT_NE(findingsText(walked).find("endless-loop"), std::string::npos) << findingsText(walked);
    EXPECT_GT(lines, 0U);
}

}  // namespace a2
