// What is read of a student's folder, which may come from somebody else, and what a2 keeps in it.

#include "a2/Error.h"
#include "files/OwnFolder.h"
#include "files/SourceFile.h"
#include "files/TemporaryFolder.h"
#include "worker/CompilerMessages.h"
#include "worker/FolderSources.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#ifndef _WIN32
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace a2 {

namespace {

namespace fs = std::filesystem;

void write(const fs::path& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

#ifndef _WIN32
std::string messageOf(const std::function<void()>& work)
{
    try {
        work();
    } catch (const EnvironmentError& error) {
        return error.what();
    }
    return {};
}
#endif

}  // namespace

TEST(CompilerMessages, SayWhyAFileDoesNotCompile)
{
    const std::string file = "Naive.cpp";
    EXPECT_EQ(whyUncompiled("/x/Naive.cpp: In function 'f':\n/x/Naive.cpp:12:3: error: no such name\n", file),
              ":12 does not compile: no such name");
    EXPECT_EQ(whyUncompiled("Naive.cpp:1:10: fatal error: a.h: No such file\r\nmore", file),
              ":1 does not compile: a.h: No such file");
    EXPECT_EQ(whyUncompiled("/x/A.h:3:2: error: first\n/x/Naive.cpp:4:5: error: second\n", file),
              ":4 does not compile: second");
    EXPECT_EQ(whyUncompiled("/x/A.h:3:2: error: first\n", file), "does not compile: A.h:3: first");
    EXPECT_EQ(whyUncompiled("cc1plus: error: out of space\n", file), "does not compile: out of space");
    EXPECT_EQ(whyUncompiled("Naive.cpp:1:1: warning: odd\n", file), "");
    EXPECT_EQ(whyUncompiled("", file), "");
}

TEST(CompilerMessages, TellAFaultOfTheFilesFromOneOfTheMachine)
{
    EXPECT_EQ(whyUnlinked("a.o: in function `f':\na.cpp:(.text+0x5): undefined reference to `g()'\n"),
              "does not link: undefined reference to `g()'");
    EXPECT_EQ(whyUnlinked("b.o: multiple definition of `f()'; a.o:a.cpp:1: first defined here\n"),
              "does not link: multiple definition of `f()'");
    EXPECT_EQ(whyUnlinked("/usr/bin/ld: final link failed: No space left on device\ncollect2: error: ld returned 1\n"),
              "");
    EXPECT_EQ(whyUnlinked("collect2: fatal error: ld terminated with signal 25 [File size limit exceeded]\n"), "");
}

TEST(CompilerMessages, MayBeOfAnyLength)
{
    const std::string longText(4'000'000, 'x'), longNumber(4'000'000, '1');
    EXPECT_LT(whyUncompiled("Naive.cpp:1:2: error: " + longText, "Naive.cpp").size(), 400U);
    EXPECT_LT(whyUncompiled("Naive.cpp:" + longNumber + ":2: error: " + longText, "Naive.cpp").size(), 700U);
    EXPECT_EQ(whyUncompiled(longText, "Naive.cpp"), "");
    EXPECT_LT(whyUnlinked("undefined reference to `" + longText).size(), 400U);
    EXPECT_EQ(whyUncompiled("Naive.cpp:1:2: error: \xF6\x1B[31m", "Naive.cpp"), ":1 does not compile: ? [31m");
}

TEST(BoundedText, IsThatOfARegularFileThatIsShortEnough)
{
    const TemporaryFolder folder;
    const fs::path file = folder.path() / "file";
    EXPECT_EQ(boundedText(file), std::nullopt);
    write(file, "text");
    EXPECT_EQ(boundedText(file), "text");
    EXPECT_EQ(boundedText(file, 4), "text");
    EXPECT_EQ(boundedText(file, 3), std::nullopt);
    EXPECT_EQ(boundedText(folder.path()), std::nullopt);
#ifndef _WIN32
    fs::resize_file(file, std::uintmax_t{20} << 30);
    EXPECT_EQ(boundedText(file), std::nullopt);
    const fs::path pipe = folder.path() / "pipe";
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    EXPECT_EQ(boundedText(pipe), std::nullopt);
#endif
}

#ifndef _WIN32
TEST(OwnFolder, IsNoLinkAndNobodyElses)
{
    const TemporaryFolder folder;
    const fs::path own = folder.path() / "own", elsewhere = folder.path() / "elsewhere";
    readyOwnFolder(own);
    readyOwnFolder(own);
    EXPECT_TRUE(fs::is_directory(own));
    fs::create_directory_symlink(own, elsewhere);
    EXPECT_NE(messageOf([&] { readyOwnFolder(elsewhere); }).find("is a link"), std::string::npos);
    if (geteuid() != 0) GTEST_SKIP() << "the rest is for root";
    fs::create_directory(own / "below");
    EXPECT_EQ(lchown((own / "below").c_str(), 61'234, 61'234), 0);
    EXPECT_NE(messageOf([&] { removeAllButFiles(own); }).find("below belongs to another user"), std::string::npos);
    EXPECT_EQ(lchown(own.c_str(), 61'234, 61'234), 0);
    EXPECT_NE(messageOf([&] { readyOwnFolder(own); }).find("belongs to another user"), std::string::npos);
}

TEST(OwnFolder, LeadsNowhereElse)
{
    const TemporaryFolder folder;
    const fs::path own = folder.path() / "own", mine = folder.path() / "mine";
    write(mine, "mine");
    fs::create_directories(own / "below");
    write(own / "file", "kept");
    fs::create_symlink(mine, own / "link");
    fs::create_directory_symlink(folder.path(), own / "below/link");
    ASSERT_EQ(mkfifo((own / "below/pipe").c_str(), 0600), 0);
    removeAllButFiles(own);
    EXPECT_EQ(textOfFile(own / "file"), "kept");
    EXPECT_TRUE(fs::is_empty(own / "below"));
    EXPECT_FALSE(fs::exists(fs::symlink_status(own / "link")));
    fs::create_symlink(mine, own / "link");
    fs::create_hard_link(mine, own / "second name");
    for (const char* name : {"link", "second name", "new"}) {
        writeOwnFile(own / name, "text");
        EXPECT_EQ(textOfFile(own / name), "text") << name;
    }
    EXPECT_EQ(textOfFile(mine), "mine");
    EXPECT_NE(messageOf([&] { writeOwnFile(own / "below", "text"); }).find("below cannot be written: "),
              std::string::npos);
    EXPECT_EQ(std::distance(fs::directory_iterator(own), fs::directory_iterator()), 5) << "a part has stayed";
}

TEST(FolderSources, AreAnotherAfterEachTimeTheyAreWritten)
{
    const TemporaryFolder folder;
    const fs::path file = folder.path() / "file";
    EXPECT_EQ(stampOf(file), "");
    write(file, "one");
    const std::string before = stampOf(file);
    EXPECT_NE(before, "");
    EXPECT_EQ(stampOf(file), before);
    const auto time = fs::last_write_time(file);
    usleep(20'000);  // longer than a tick of the clock that files have
    write(file, "two");
    fs::last_write_time(file, time);
    EXPECT_NE(stampOf(file), before);
}
#endif

TEST(FolderSources, MayIncludeWhateverIsThere)
{
    const TemporaryFolder folder;
    fs::create_directories(folder.path() / "src/A2Task1Solution");
    fs::create_directories(folder.path() / "shaders/include");
    for (const char* name : {"src/A2Task1Solution/A.cpp", "src/A2Task1Solution/b.h", "src/c.inc", "src/.d.h.swp",
                             "src/e.h~", "shaders/include/vector", "shaders/F.comp"})
        write(folder.path() / name, "");
    EXPECT_EQ(includableNames(folder.path()), "shaders/include/vector\nsrc/A2Task1Solution/b.h\nsrc/c.inc\n");
}

}  // namespace a2
