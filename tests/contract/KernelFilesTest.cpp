// Kernels that differ from the built-in ones: changed since the build, or from a folder.

#include "BrokenShaders.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace contract {

namespace {

namespace fs = std::filesystem;

const std::string atomic = "A2Task1KernelDecompositionAtomic.comp";

// A folder that a2, started in it, takes for its project.
class Project {
public:
    Project() { fs::copy(A2_SHADERS, folder_ / "shaders", fs::copy_options::recursive); }

    void change(const std::string& file, const std::string& from, const std::string& to) const
    {
        std::string text = textOf(path(file));
        ASSERT_TRUE(contains(text, from)) << file;
        folder_.file("shaders/" + file, text.replace(text.find(from), from.size(), to));
    }
    std::string path(const std::string& file) const { return folder_ / ("shaders/" + file); }
    const Folder& folder() const { return folder_; }

    // before: a shell command to run first.
    Finished run(Words arguments, const std::string& before = "true") const
    {
        Words words = {"-c", "cd \"$0\" && " + before + " && exec \"$@\"", folder_.path(), A2_HERE};
        words.insert(words.end(), arguments.begin(), arguments.end());
        return runProgram("/bin/sh", words);
    }

private:
    Folder folder_;
};

long count(const std::string& text, const std::string& part)
{
    long found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
}

// A kernel that makes glslang itself crash.
std::string crashingKernel()
{
    std::string sum = "n";
    for (int i = 0; i < 200000; ++i) sum += "+n";
    return "#version 450\nlayout(local_size_x = 1) in;\nlayout(binding = 0) buffer Data { uint data[]; };\n"
           "void main() { uint n = data[0]; data[0] = " +
           sum + "; }\n";
}

}  // namespace

TEST(KernelFiles, AnEditIsJudgedWithoutARebuild)
{
    const Project project;
    const Finished same = project.run({"reduce/atomic", "reduce/interleaved", "-n", "4096"});
    EXPECT_EQ(same.status, 0) << same;
    EXPECT_FALSE(contains(same.err, "has changed")) << same;

    project.change(atomic, "groupSum = 0;", "groupSum = 1;");
    const Finished edited = project.run({"reduce/atomic", "reduce/interleaved", "-n", "4096"});
    EXPECT_EQ(edited.status, 1) << edited;
    EXPECT_EQ(count(edited.out, "TEST FAILED"), 1) << edited;
    EXPECT_EQ(count(edited.out, "TEST PASSED"), 1) << edited;
    EXPECT_EQ(count(edited.err, "a2: note: shaders/" + atomic + " has changed since this build: compiled now\n"), 1)
        << edited;

    project.change(atomic, "groupSum = 1;", "groupSum = 0;");
    EXPECT_EQ(project.run({"reduce/atomic", "-n", "4096"}).status, 0);
}

TEST(KernelFiles, AnEditedHeaderIsJudgedInWhatIncludesIt)
{
    const Project project;
    project.change("include/A2LoadTile.glsl", "Element sum = 0;", "Element sum = 1;");
    const Finished run = project.run({"reduce/atomic", "reduce/unroll", "reduce/sequential", "-n", "4096"});
    EXPECT_EQ(run.status, 1) << run;
    EXPECT_EQ(count(run.out, "TEST FAILED"), 2) << run;
    EXPECT_EQ(count(run.err, "shaders/include/A2LoadTile.glsl has changed"), 1) << run;
}

TEST(KernelFiles, ABrokenOrDeletedOneFailsItsOwnRowsOnly)
{
    const Project project;
    project.change(atomic, "groupSum = 0;", "groupSum = zero;");
    fs::remove(project.path("A2Task2Naive.comp"));
    project.folder().file("shaders/A2Task1Sequential.comp", crashingKernel());
    for (const char* command : {"run", "check"}) {
        const Finished run = project.run({command, "reduce/interleaved", "reduce/sequential", "reduce/atomic",
                                          "scan/naive", "scan/local", "-n", "1000", "-p", "ones", "-w", "64"});
        EXPECT_EQ(run.status, 1) << run;
        EXPECT_EQ(count(run.out, "TEST FAILED"), 3) << run;
        EXPECT_EQ(count(run.out, "TEST PASSED"), 2) << run;
        EXPECT_TRUE(contains(run.out, "shaders/" + atomic + ":")) << run;
        EXPECT_TRUE(contains(run.out, "shaders/A2Task2Naive.comp does not exist")) << run;
        EXPECT_TRUE(contains(run.out, "glslang crashed on it, or ran out of memory")) << run;
        EXPECT_FALSE(contains(run.out, "to see every step")) << "there is no run to repeat" << run;
    }
}

// Files as editors save them, and targets of links, are reported by name; glslang's own messages do not help here.
TEST(KernelFiles, OnesThatNoCompilerReadsAreNamed)
{
    const Project project;
    const std::string text = textOf(project.path(atomic)), kernels = project.folder().path() + "/shaders/";
    struct Case {
        std::string bytes, says;
    };
    for (const Case& one :
         {Case{"\xEF\xBB\xBF" + text, "begins with a byte order mark, which GLSL does not know: save it as UTF-8"},
          Case{std::string("\xFF\xFE#\0v\0", 6), "is UTF-16: save it as UTF-8"},
          Case{"", "is a link to what is not there"}}) {
        fs::remove(kernels + atomic);
        if (one.bytes.empty())
            fs::create_symlink("nobody.comp", kernels + atomic);
        else
            project.folder().file("shaders/" + atomic, one.bytes);
        for (const std::vector<std::string>& more : {std::vector<std::string>(), {"--shader-dir", kernels}}) {
            std::vector<std::string> arguments = {"run", "reduce/atomic", "-n", "100"};
            arguments.insert(arguments.end(), more.begin(), more.end());
            const Finished run = project.run(arguments);
            EXPECT_EQ(run.status, 1) << run;
            EXPECT_TRUE(contains(run.out, one.says)) << run;
            EXPECT_FALSE(contains(run.out, "to see every step")) << run;
        }
    }
}

TEST(KernelFiles, ACopiedProgramHasItsKernelsWithIt)
{
    const Folder empty;
    const Finished run = runProgram("/bin/sh", {"-c", "cd \"$0\" && exec \"$@\"", empty.path(), A2_HERE,
                                                "reduce/atomic", "scan/naive", "-n", "1000"});
    EXPECT_EQ(run.status, 0) << run;
    EXPECT_FALSE(contains(run.err, "shaders/")) << run;
}

TEST(KernelFiles, AFolderNeedsToHoldOnlyWhatIsChanged)
{
    const Folder folder;
    fs::create_directory(folder / "-x 'y'");
    const std::string mine = folder.file("-x 'y'/" + atomic, textOf(std::string(A2_SHADERS) + "/" + atomic));
    const std::string option = "--shader-dir=" + folder / "-x 'y'";
    const Finished run = runA2({"reduce/atomic", "reduce/sequential", "-n", "4096", option});
    EXPECT_EQ(run.status, 0) << run;
    EXPECT_EQ(count(run.err, "A2Task1Sequential.comp is not in "), 1) << run;
    EXPECT_FALSE(contains(run.err, atomic)) << run;

    std::string text = textOf(mine);
    folder.file("-x 'y'/" + atomic, text.replace(text.find("groupSum = 0;"), 13, "groupSum = zero;"));
    const Finished broken = runA2({"reduce/atomic", "reduce/sequential", "-n", "4096", option});
    EXPECT_EQ(broken.status, 1) << broken;
    EXPECT_EQ(count(broken.out, "TEST PASSED"), 1) << broken;
}

TEST(KernelFiles, ARelativeFolderIsThatOfTheUser)
{
    const Project project;
    fs::create_directory(project.folder() / "-x");
    fs::copy(project.path(atomic), project.folder() / ("-x/" + atomic));
    const Finished run = project.run({"reduce/atomic", "-n", "64", "--shader-dir=-x"});
    EXPECT_EQ(run.status, 0) << run;
    EXPECT_FALSE(contains(run.err, "is not in")) << run;
}

TEST(KernelFiles, AFolderThatIsNotThereIsAMistakeOfTheCommandLine)
{
    const Folder folder;
    const std::string file = folder.file("file", "");
    for (const std::string& path : {folder / "nowhere", file})
        for (const Words& command :
             {Words{"reduce/atomic"}, Words{"check", "reduce/atomic"}, Words{"prescan", "-n", "64"}}) {
            Words words = command;
            words.insert(words.end(), {"--shader-dir", path});
            expectError(runA2(words), 2, path);
        }
}

TEST(KernelFiles, ABindingThatTheKernelDoesNotDeclareIsNamed)
{
    const BrokenShaders shaders("A2Task1KernelDecomposition.comp", "binding = BINDING_OUT", "binding = BINDING_IN");
    const Finished run = runA2({"reduce/decomposition", "-n", "100", "-r", "1", "--shader-dir", shaders.path()});
    EXPECT_EQ(run.status, 1) << run;
    EXPECT_TRUE(contains(run.out, "it is bound at binding 1, which kernel A2Task1KernelDecomposition does not declare"))
        << run;
}

// Files that glslang writes go to a separate folder, whatever is in the temporary one.
TEST(KernelFiles, NothingIsLeftBehind)
{
    const Folder temporary;
    const Finished run =
        runA2({"reduce/atomic", "-n", "64", "--shader-dir", A2_SHADERS}, {{"TMPDIR", temporary.path()}});
    EXPECT_EQ(run.status, 0) << run;
    EXPECT_TRUE(temporary.names().empty());
    const BrokenShaders broken(atomic, "groupSum = 0;", "groupSum = zero;");
    EXPECT_EQ(
        runA2({"reduce/atomic", "-n", "64", "--shader-dir", broken.path()}, {{"TMPDIR", temporary.path()}}).status, 1);
    EXPECT_TRUE(temporary.names().empty());
}

}  // namespace contract
