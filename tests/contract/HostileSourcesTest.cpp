// Sources of kernels that name files which are not theirs or are no regular files, or that contain bytes which a
// terminal or a browser obeys: their row fails, nothing of another file is shown, and all that is shown is text.

#include "RunA2.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#ifndef _WIN32
#include <sys/stat.h>
#endif

namespace contract {

namespace {

namespace fs = std::filesystem;

constexpr const char* secret = "topSecretWord";
constexpr const char* name = "A2Task1Interleaved.comp";

std::string kernel(const std::string& declarations, const std::string& statements)
{
    return "#version 450\n#extension GL_GOOGLE_include_directive : require\n"
           "#extension GL_GOOGLE_cpp_style_line_directive : enable\n"
           "#include \"include/A2Task1.h\"\n"
           "layout(set = 0, binding = BINDING_IN) buffer Data { uint data[]; };\n"
           "layout(push_constant) uniform Push { InterleavedPush push; };\n" +
           declarations + "\nvoid main()\n{\n" + statements + "\n}\n";
}

Finished judged(const Folder& folder, Words more = {})
{
    more.insert(more.begin(), {"run", "reduce/interleaved", "reduce/sequential", "-n", "1024", "-r", "1",
                               "--shader-dir", folder / "shaders"});
    return runA2(more);
}

void expectOnlyItsOwnRowFails(const Finished& run)
{
    EXPECT_EQ(run.status, 1) << run;
    const Words lines = linesOf(run.out);
    EXPECT_EQ(std::count(lines.begin(), lines.end(), "TEST FAILED"), 1) << run;
    EXPECT_EQ(std::count(lines.begin(), lines.end(), "TEST PASSED"), 1) << run;
}

// A folder of kernels, and beside it a secret file: its words are not valid GLSL.
struct Beside {
    Beside()
    {
        fs::create_directory(folder / "shaders");
        fs::create_directory(folder / "other");
        folder.file("other/secret", std::string(secret) + "\n" + secret + "\n");
    }
    void write(const std::string& file, const std::string& text) const { folder.file("shaders/" + file, text); }

    Folder folder;
};

void expectNothingIsObeyed(const std::string& text)
{
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = [&](std::size_t at) { return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U; };
        const unsigned one = byte(i), next = byte(i + 1), third = byte(i + 2);
        const bool control = (one < 0x20 && one != '\n' && one != '\t') || one == 0x7F || (one == 0xC2 && next < 0xA0);
        const bool turns =
            one == 0xE2 && ((next == 0x80 && ((third >= 0x8B && third <= 0x8F) || third >= 0xA8) && third <= 0xAE) ||
                            (next == 0x81 && third >= 0xA0 && third <= 0xAF));
        const bool broken = one >= 0x80 && one < 0xC0 && (i == 0 || byte(i - 1) < 0x80);
        const bool mark = one == 0xEF && next == 0xBB && third == 0xBF;
        EXPECT_FALSE(control || turns || broken || mark)
            << "byte " << one << " at " << i << " of " << text.substr(0, 2000);
        if (control || turns || broken || mark) return;
    }
}

struct Way {
    const char* what;
    const char* declarations;  // SECRET: the path of that file; FOLDER: the path of its folder
};

void PrintTo(const Way& way, std::ostream* stream) { *stream << way.what; }

const Way ways[] = {
    {"LineOfAFile", "#line 1 \"SECRET\"\nuint a = nobody;"},
    {"LineOfAFileBesides", "#line 1 \"../other/secret\"\nuint a = nobody;"},
    {"LineByAMacro", "#define WHERE \"SECRET\"\n#line 1 WHERE\nuint a = nobody;"},
    {"LineInTwoLines", "#li\\\nne 1 \"SECRET\"\nuint a = nobody;"},
    {"LineWithAComment", "#/* */line/* */1 \"SECRET\"\nuint a = nobody;"},
    {"LineOfAFolderToInclude", "#line 1 \"FOLDER/x\"\n#include \"secret\""},
    {"LineOfAFolderToIncludeByAMacro", "#define WHERE \"FOLDER/x\"\n#line 1 WHERE\n#include \"secret\""},
    {"Include", "#include \"SECRET\""},
    {"IncludeOfTheSystem", "#include <SECRET>"},
    {"IncludeBesides", "#include \"../other/secret\""},
    {"IncludeBesidesByOtherSlashes", "#include \"..\\other\\secret\""},
    {"IncludeInTwoLines", "#inc\\\nlude \"../other/secret\""},
    {"IncludeWithAComment", "#/* */include /* */ \"../other/secret\""},
    {"IncludeBehindAString",
     "#extension GL_EXT_debug_printf : enable\nvoid say() { debugPrintfEXT(\"\\\"/*\"); }\n#include "
     "\"../other/secret\"\n/* */"},
    {"IncludeBehindAnEndOfAComment", "// \\\n#include \"../other/secret\""},
    {"IncludeBehindACarriageReturn", "uint a;\r#include \"../other/secret\""},
    {"IncludeOfALink", "#include \"link\""},
    {"IncludeThroughALink", "#include \"folder/secret\""},
    {"IncludeOfAnIncludedFile", "#include \"mine.glsl\""},
    {"IncludeOfAPipe", "#include \"pipe\""},
    {"IncludeOfADevice", "#include \"zero\""},
};

class ASourceOutside : public testing::TestWithParam<Way> {};

std::string replaced(std::string text, const std::string& from, const std::string& to)
{
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
        text.replace(at, from.size(), to);
    return text;
}

}  // namespace

#ifndef _WIN32

TEST_P(ASourceOutside, IsNotReadAndFailsItsOwnRow)
{
    const Beside beside;
    const std::string other = beside.folder / "other";
    fs::create_symlink(other + "/secret", beside.folder / "shaders/link");
    fs::create_symlink(other, beside.folder / "shaders/folder");
    fs::create_symlink("/dev/zero", beside.folder / "shaders/zero");
    mkfifo((beside.folder / "shaders/pipe").c_str(), 0600);
    beside.write("mine.glsl", "#include \"../other/secret\"\n");
    beside.write(name, kernel(replaced(replaced(GetParam().declarations, "SECRET", other + "/secret"), "FOLDER", other),
                              "    data[0] = 1;"));
    const std::string json = beside.folder / "r.json";
    const Finished run = judged(beside.folder, {"--json", json});
    EXPECT_FALSE(contains(run.out + run.err + textOf(json), secret)) << run;
    if (std::string(GetParam().what) == "IncludeBehindAnEndOfAComment") return;  // in this GLSL: a comment
    expectOnlyItsOwnRowFails(run);
}

INSTANTIATE_TEST_SUITE_P(HostileSources, ASourceOutside, testing::ValuesIn(ways),
                         [](const auto& way) { return std::string(way.param.what); });

// Only a regular file in the folder is read; anything else of that name is refused.
TEST(HostileSources, AreRegularFilesOfTheFolder)
{
    for (const char* what : {"/dev/zero", "/dev/urandom", "/etc/passwd", "pipe", "folder", "long", "self", "gone"}) {
        const Beside beside;
        const std::string file = beside.folder / (std::string("shaders/") + name);
        if (*what == '/') fs::create_symlink(what, file);
        if (*what == 'p') mkfifo(file.c_str(), 0600);
        if (*what == 'f') fs::create_directory(file);
        if (*what == 's') fs::create_symlink(name, file);
        if (*what == 'g') fs::create_symlink("none", file);
        if (*what == 'l') {
            std::ofstream(file) << kernel("", "    data[0] = 1;");
            fs::resize_file(file, (std::uintmax_t{16} << 20) + 1);
        }
        const Finished run = judged(beside.folder);
        if (*what == 'g') continue;  // counts as missing: the project's file is used
        expectOnlyItsOwnRowFails(run);
        EXPECT_FALSE(contains(run.out, "root:")) << run;
    }
}

#endif

// In a comment, or where a condition leaves it out, a directive may name any file; files in the folder may be included.
TEST(HostileSources, RightfulOnesAreNotAccused)
{
    const Beside beside;
    std::string text = textOf(std::string(A2_SHADERS) + "/" + name);
    const std::size_t version = text.find("#version 450");
    ASSERT_NE(version, std::string::npos);
    const std::size_t at = text.find("#include");
    ASSERT_NE(at, std::string::npos);
    text.insert(at,
                "#ifdef __cplusplus\n#include \"../other/secret\"\n#line 7 \"/etc/passwd\"\n#endif\n"
                "// #include \"../other/secret\"\n/*\n#include \"/etc/passwd\"\n*/\n"
                "#include \"mine.glsl\"\n#include \"sub/other.glsl\"\n#include \"./mine2.glsl\"\n");
    beside.write(name, text);
    beside.write("mine.glsl", "#define MINE 1\n#line 100\n");
    beside.write("mine2.glsl", "#define MINE2 1\n");
    fs::create_directories(beside.folder / "shaders/sub");
    beside.write("sub/other.glsl", "#include \"deep.glsl\"\n");
    beside.write("sub/deep.glsl", "#line 5 \"deep.glsl\"\n#define DEEP 1\n");
    const Finished run = judged(beside.folder);
    EXPECT_EQ(run.status, 0) << run;
}

TEST(HostileSources, SayWhatIsWrongWithTheirDirectives)
{
    const Beside beside;
    beside.write(name, kernel("#include \"../other/secret\"", ""));
    Finished run = judged(beside.folder);
    EXPECT_TRUE(contains(run.out, ":7 does not compile: #include names '../other/secret'")) << run;
    beside.write(name, kernel("#line 1 \"/etc/passwd\"", ""));
    run = judged(beside.folder);
    EXPECT_TRUE(contains(run.out, ":7 does not compile: #line names '/etc/passwd'")) << run;
}

// ESC, an 8-bit control character, a character that changes the direction of writing, an invisible one, and bytes that
// are not UTF-8.
TEST(HostileSources, AreShownAsText)
{
    const std::string evil =
        "\x1b[2J\x1b]0;t\x07\x7f\xC2\x9B"
        "31m\xE2\x80\xAE\xE2\x81\xA6\xE2\x80\x8B\xEF\xBB\xBF\xFF\x08";
    const Beside beside;
    const std::string barrier = "shared uint one[1024];\n";
    const std::string kernels[] = {
        kernel("", "    data[0] = nobody; // " + evil),
        kernel("", "    data[0] = 1 \"" + evil + "\";"),
        kernel("#error " + evil, ""),
        kernel("#include \"" + evil + "\"", ""),
        kernel("#line 1 \"" + replaced(evil, "/", "") + ".comp\"", "    data[0] = nobody;"),
        kernel("", "    data[0] = gl_LocalInvocationID.x; // " + evil),  // a race that is quoted
    };
    for (const std::string& text : kernels) {
        beside.write(name, text);
        const std::string json = beside.folder / "r.json", csv = beside.folder / "r.csv",
                          junit = beside.folder / "r.xml";
        const Finished run = judged(beside.folder, {"--json", json, "--csv", csv, "--junit", junit});
        expectOnlyItsOwnRowFails(run);
        for (const std::string& shown : {run.out, run.err, textOf(json), textOf(csv), textOf(junit)})
            expectNothingIsObeyed(shown);
    }
}

}  // namespace contract
