// Which text of a kernel is used: the project's on disk, the one in a folder, or the built-in one.

#include "a2/Error.h"
#include "files/TemporaryFolder.h"
#include "files/Utf8Path.h"
#include "gpu/KernelSources.h"

#include <gtest/gtest.h>
#include <spirv/unified1/spirv.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <span>

namespace a2 {

namespace {

namespace fs = std::filesystem;

const std::string kernel = "A2Task1KernelDecompositionAtomic";
const std::string kernelFile = kernel + ".comp";
const std::string header = "include/A2LoadTile.glsl";

std::string textOf(const fs::path& path)
{
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

void write(const fs::path& path, const std::string& text)
{
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
}

// Removes the instructions that say where it was compiled, and from which text.
std::vector<std::uint32_t> code(std::span<const std::uint32_t> words)
{
    std::vector<std::uint32_t> kept(words.begin(), words.begin() + 5);
    for (std::size_t at = 5; at < words.size(); at += words[at] >> 16) {
        const auto opcode = static_cast<spv::Op>(words[at] & spv::OpCodeMask);
        if (opcode == spv::OpSource || opcode == spv::OpSourceContinued || opcode == spv::OpString ||
            opcode == spv::OpLine || opcode == spv::OpNoLine)
            continue;
        const auto instruction = words.subspan(at, words[at] >> 16);
        kept.insert(kept.end(), instruction.begin(), instruction.end());
    }
    return kept;
}

std::vector<std::uint32_t> builtIn(const std::string& name)
{
    for (const BuiltInShader& one : builtInShaders())
        if (one.name == name) return code(one.spirv);
    return {};
}

// A separate project, and the notes about it.
class KernelSourcesTest : public testing::Test {
protected:
    KernelSourcesTest() { fs::copy(A2_SHADERS, project_, fs::copy_options::recursive); }

    void change(const fs::path& path, const std::string& from, const std::string& to)
    {
        std::string text = textOf(path);
        ASSERT_NE(text.find(from), std::string::npos) << path;
        write(path, text.replace(text.find(from), from.size(), to));
    }
    std::vector<std::uint32_t> load(const fs::path& dir = {}, const std::string& name = kernel)
    {
        KernelSources sources(
            dir, [this](const std::string& note) { notes_.push_back(note); }, "", project_);
        const auto first = code(sources.spirv(name)), second = code(sources.spirv(name));
        EXPECT_EQ(first, second);
        return first;
    }
    std::string problem(const fs::path& dir = {}, const std::string& name = kernel)
    {
        try {
            load(dir, name);
        } catch (const KernelError& error) {
            return error.what();
        }
        return "nothing was thrown";
    }
    bool noted(const std::string& part) const
    {
        return std::any_of(notes_.begin(), notes_.end(),
                           [&](const std::string& one) { return one.find(part) != std::string::npos; });
    }

    const TemporaryFolder temporary_;
    const fs::path project_ = temporary_.path() / "shaders", folder_ = temporary_.path() / "-x 'mine'";
    std::vector<std::string> notes_;
};

}  // namespace

TEST_F(KernelSourcesTest, TheBuiltInKernelIsUsedWhileItsTextIsTheSame)
{
    EXPECT_EQ(load(), builtIn(kernel));
    write(project_ / kernelFile, textOf(project_ / kernelFile));  // touched
    EXPECT_EQ(load(), builtIn(kernel));
    std::string returns;
    for (const char c : textOf(project_ / kernelFile)) returns += c == '\n' ? "\r\n" : std::string(1, c);
    write(project_ / kernelFile, returns);
    EXPECT_EQ(load(), builtIn(kernel));
    change(project_ / "A2Task1Interleaved.comp", "#version", "// another kernel\n#version");
    EXPECT_EQ(load(), builtIn(kernel));
    EXPECT_TRUE(notes_.empty()) << notes_.front();
}

TEST_F(KernelSourcesTest, AChangedKernelIsCompiledWithOneNote)
{
    change(project_ / kernelFile, "groupSum = 0;", "groupSum = 1;");
    EXPECT_NE(load(), builtIn(kernel));
    ASSERT_EQ(notes_.size(), 1U);
    EXPECT_EQ(notes_.front(), "note: shaders/" + kernelFile + " has changed since this build: compiled now");
}

TEST_F(KernelSourcesTest, WhetherItSaysElementIsSeenInLinesOfAnyLength)
{
    const KernelSources sources(project_, nullptr, "", project_);
    const std::string spaces(2'000'000, ' ');
    const auto says = [&](const std::string& text) {
        write(project_ / kernelFile, text);
        return sources.saysElement(kernel);
    };
    for (const std::string text :
         {"#include \"A2Element.h\"\n", "\t# include <include/A2Element.h>", "x\r\n#include \"A2Element.h\"\r\n"})
        EXPECT_TRUE(says(text)) << text;
    EXPECT_TRUE(says(spaces + "#" + spaces + "include" + spaces + "\"A2Element.h\""));
    for (const std::string text :
         {"", "//#include \"A2Element.h\"", "#include \"A2Elements.h\"", "#include", "#\ninclude \"A2Element.h\""})
        EXPECT_FALSE(says(text)) << text;
    EXPECT_FALSE(says(spaces + "#" + spaces));
}

TEST_F(KernelSourcesTest, AChangedHeaderCountsForWhatIncludesIt)
{
    change(project_ / header, "Element sum = 0;", "Element sum = 7;");
    EXPECT_NE(load(), builtIn(kernel));
    EXPECT_TRUE(noted("shaders/" + header + " has changed"));
    EXPECT_EQ(load({}, "A2Task1Sequential"), builtIn("A2Task1Sequential"));
    EXPECT_NE(load({}, "A2Task1Subgroup"), builtIn("A2Task1Subgroup")) << "it includes the header by another one";
}

TEST_F(KernelSourcesTest, WhatIsNewIsCompiled)
{
    fs::copy(project_ / kernelFile, project_ / "Mine.comp");
    EXPECT_EQ(load({}, "Mine"), builtIn(kernel));
    EXPECT_TRUE(noted("shaders/Mine.comp is newer than this build"));
}

TEST_F(KernelSourcesTest, WhatIsGoneOrBrokenIsNoKernel)
{
    change(project_ / kernelFile, "groupSum = 0;", "groupSum = zero;");
    EXPECT_NE(problem().find("shaders/" + kernelFile + ":"), std::string::npos) << problem();
    fs::remove(project_ / kernelFile);
    EXPECT_NE(problem().find("shaders/" + kernelFile + " does not exist"), std::string::npos) << problem();
    EXPECT_NE(problem({}, "Nowhere").find("shaders/Nowhere.comp does not exist"), std::string::npos);
    fs::create_directory(project_ / kernelFile);
    EXPECT_NE(problem().find("is not a regular file"), std::string::npos) << problem();
    fs::remove(project_ / kernelFile);
    write(project_ / kernelFile, std::string((16 << 20) + 1, ' '));
    EXPECT_NE(problem().find("is longer than"), std::string::npos) << problem();
    fs::remove(project_ / header);
    EXPECT_NE(problem({}, "A2Task1KernelDecomposition").find("A2LoadTile.glsl"), std::string::npos);
}

TEST_F(KernelSourcesTest, TheBuiltInKernelIsUsedWhereTheProjectIsNot)
{
    fs::remove_all(project_);
    EXPECT_EQ(load(), builtIn(kernel));
    EXPECT_TRUE(notes_.empty()) << notes_.front();
    EXPECT_NE(problem({}, "Nowhere").find("does not exist"), std::string::npos);
}

TEST_F(KernelSourcesTest, WhatAFolderLacksIsTheProjects)
{
    for (const bool projectIsThere : {true, false}) {
        if (!projectIsThere) fs::remove_all(project_);
        // Nothing, a kernel without headers, a header without kernels.
        fs::remove_all(folder_);
        fs::create_directory(folder_);
        notes_.clear();
        EXPECT_EQ(load(folder_), builtIn(kernel));
        EXPECT_TRUE(noted(kernelFile + " is not in "));

        write(folder_ / kernelFile, textOf(fs::path(A2_SHADERS) / kernelFile));
        notes_.clear();
        EXPECT_EQ(load(folder_), builtIn(kernel));
        EXPECT_TRUE(notes_.empty()) << notes_.front();
        change(folder_ / kernelFile, "groupSum = 0;", "groupSum = 1;");
        EXPECT_NE(load(folder_), builtIn(kernel));

        fs::remove(folder_ / kernelFile);
        write(folder_ / header, textOf(fs::path(A2_SHADERS) / header));
        EXPECT_EQ(load(folder_), builtIn(kernel));
        change(folder_ / header, "Element sum = 0;", "Element sum = 7;");
        EXPECT_NE(load(folder_), builtIn(kernel));
        EXPECT_NE(load(folder_, "A2Task1Subgroup"), builtIn("A2Task1Subgroup"));
    }
}

// An unchanged text is not compiled again: no such compiler exists.
TEST_F(KernelSourcesTest, TheBuiltInKernelIsUsedWhereAFolderHasTheSame)
{
    const auto spirv = [this] { return KernelSources(folder_, {}, "/a2/no/such/jail", project_).spirv(kernel); };
    write(folder_ / kernelFile, textOf(project_ / kernelFile));
    write(folder_ / header, textOf(project_ / header));
    write(folder_ / "A2Task1Sequential.comp", "of another kernel");
    EXPECT_EQ(code(spirv()), builtIn(kernel));
    // It has the name of an included file; only the compiler knows which of the two is meant.
    write(folder_ / "A2Kernels.h", textOf(project_ / "include/A2Kernels.h"));
    EXPECT_THROW(spirv(), EnvironmentError);
    fs::remove(folder_ / "A2Kernels.h");
    EXPECT_EQ(code(spirv()), builtIn(kernel));
    change(folder_ / header, "Element sum = 0;", "Element sum = 7;");
    EXPECT_THROW(spirv(), EnvironmentError);
}

TEST_F(KernelSourcesTest, AFolderMayHaveHeadersOfItsOwn)
{
    write(folder_ / "include/Mine.h", "#include \"A2Task1.h\"\n#define FIRST 0u\n");
    write(folder_ / kernelFile, textOf(project_ / kernelFile));
    change(folder_ / kernelFile, "#include \"include/A2Task1.h\"", "#include \"include/Mine.h\"");
    change(folder_ / kernelFile, "groupSum = 0;", "groupSum = FIRST;");
    // Its ids differ, because one more file has a name in it.
    EXPECT_EQ(load(folder_).size(), builtIn(kernel).size());
}

// Texts in which each directive, comment or name would extend to the end: a mebibyte of them takes no more time and
// memory than any other text, or is refused by name.
TEST_F(KernelSourcesTest, WhatMayBeADirectiveIsBounded)
{
    const std::string version = "#version 450\n", end = "\nlayout(local_size_x = 1) in;\nvoid main() {}\n";
    const auto problem = [&](const std::string& shape, const std::string& last) {
        std::string text = version + "// \\\n";
        while (text.size() < (1U << 20)) text += shape;
        write(folder_ / kernelFile, text + last + end);
        try {
            load(folder_);
        } catch (const KernelError& error) {
            EXPECT_LT(std::string(error.what()).size(), 2000U) << shape;
            return std::string(error.what());
        }
        return std::string();
    };
    for (const std::string shape :
         {"// \\\n#include<", "// \\\n#line ", "#include<", "#include \"", "#line 1 ", "#line \""})
        EXPECT_NE(problem(shape, "\n").find(kernelFile + ": it may have more than 4096 #include and #line"),
                  std::string::npos)
            << shape;
    for (const std::string shape : {"#/*", "/*#/**/", "# \\\n", "#/**/"})
        for (const std::string last : {"\n", "*/\n"}) problem(shape, last);
    EXPECT_NE(problem("#/*", "\n").find("characters of white space and comments"), std::string::npos);
}

TEST_F(KernelSourcesTest, ALongNameLeadsNowhereElse)
{
    const std::string text = textOf(project_ / kernelFile);
    std::string longName = "/";
    while (longName.size() < 2000) longName += "./";
    for (const std::string& name : {longName + "etc/hostname", std::string(2000, 'x')}) {
        write(folder_ / kernelFile, text + "#include \"" + name + "\"\n");
        try {
            load(folder_);
            ADD_FAILURE() << name;
        } catch (const KernelError& error) {
            EXPECT_NE(std::string(error.what()).find("which is outside of the kernel's folder"), std::string::npos)
                << error.what();
            EXPECT_LT(std::string(error.what()).size(), 500U) << "the name is shortened";
        }
    }
}

TEST_F(KernelSourcesTest, NoNameIsTakenForAnOption)
{
    for (const std::string name : {"-o", "--help", "-", "a b", "it's", "@x", "\xc3\xbc", "$HOME", "--version"}) {
        write(folder_ / pathOf(name + ".comp"), textOf(project_ / kernelFile));
        EXPECT_EQ(load(folder_, name), builtIn(kernel)) << name;
    }
}

TEST_F(KernelSourcesTest, AFolderMustExist)
{
    EXPECT_THROW(load(temporary_.path() / "nowhere"), UsageError);
    EXPECT_THROW(load(project_ / kernelFile), UsageError);
}

#ifndef _WIN32
// A compiler that does what the script says; $out is the file that it should write.
class BadCompiler : public testing::Test {
protected:
    void expect(const std::string& script, const std::string& part,
                std::chrono::milliseconds time = std::chrono::seconds(30))
    {
        KernelCompiler compiler;
        compiler.programs = {(temporary_.path() / "glslang").string()};
        compiler.limits.time = time;
        write(compiler.programs.front(), "#!/bin/sh\nout=$6\n" + script + "\n");
        fs::permissions(compiler.programs.front(), fs::perms::owner_all);
        write(temporary_.path() / "K.comp", "");
        try {
            compiler.compile(temporary_.path(), "K", {}, "shaders/K.comp");
            ADD_FAILURE() << script << " gave a kernel";
        } catch (const KernelError& error) {
            EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
            EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
        }
    }
    const TemporaryFolder temporary_;
};

TEST_F(BadCompiler, CrashingIsTheKernelsFault)
{
    expect("kill -SEGV $$", "crashed on it, or ran out of memory (signal 11)");
}
TEST_F(BadCompiler, TakingTooLongIsTheKernelsFault)
{
    expect("exec sleep 60", "0.5 s", std::chrono::milliseconds(500));
}
TEST_F(BadCompiler, FailingWithoutAReasonIsTheKernelsFault) { expect("exit 3", "gave no reason (exit status 3)"); }
TEST_F(BadCompiler, SomethingElseThanSpirvIsNoKernel)
{
    expect("true", "is not SPIR-V");
    expect("echo text >\"$out\"", "is not SPIR-V");
    expect("printf '\\003\\002\\043\\007x' >\"$out\"", "is not SPIR-V");
    expect("dd if=/dev/zero of=\"$out\" bs=1 count=1 seek=33554432 2>/dev/null", "make it smaller");
}
TEST_F(BadCompiler, EndlessOutputIsBounded)
{
    expect("echo 'ERROR: X:1: first'; yes ERROR: 2>/dev/null | head -c 50000000; exit 2",
           "does not compile: X:1: first");
}

TEST_F(BadCompiler, OneThatIsNotThereIsNoFaultOfTheKernel)
{
    KernelCompiler compiler;
    EXPECT_EQ(compiler.installed(), compiler.programs.front());
    write(temporary_.path() / "K.comp", "#version 450\nvoid main() {}\n");
    compiler.programs.insert(compiler.programs.begin(), "/a2/no/such/glslang");
    EXPECT_FALSE(compiler.compile(temporary_.path(), "K", {}, "K").empty()) << "the next one was not tried";
    compiler.programs = {"/a2/no/such/glslang", "a2-no-such-glslang"};
    EXPECT_FALSE(compiler.installed());
    EXPECT_THROW(compiler.compile(temporary_.path(), "K", {}, "K"), EnvironmentError);
}
#endif

}  // namespace a2
