#include "cli/VersionText.h"

#include "a2/Vulkan.h"
#include "base/BuildFacts.h"
#include "files/Project.h"
#include "files/ProjectCommit.h"
#include "files/Utf8Path.h"
#include "recording/Recording.h"
#include "report/Report.h"

#include <fmt/format.h>
#include <uv.h>
#include <CLI/Version.hpp>
#include <nlohmann/json.hpp>
#include <pugixml.hpp>
#include <spirv/unified1/spirv.hpp>
#if __has_include(<tbb/version.h>)
#include <tbb/version.h>
#endif

namespace a2 {

namespace {

std::string builtFrom()
{
    std::string commit = installation() ? buildFacts.commit : projectCommit();
    if (commit.empty()) return "files that git knows no commit of";
    const bool changed = commit.ends_with("-dirty");
    if (changed) commit.resize(commit.rfind('-'));
    return fmt::format("commit {}{}", commit, changed ? ", and files that were changed since" : "");
}

std::string linked()
{
    std::string text =
        fmt::format("fmt {}.{}.{}, pugixml {}.{}, libuv {}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100,
                    FMT_VERSION % 100, PUGIXML_VERSION / 1000, PUGIXML_VERSION / 10 % 100, uv_version_string());
#ifdef TBB_VERSION_MAJOR
    text += fmt::format(", oneTBB {}.{}", TBB_VERSION_MAJOR, TBB_VERSION_MINOR);
#endif
    return text;
}

std::filesystem::path licences()
{
    return installation() ? installation()->shared.parent_path() / "doc/a2/licences.txt"
                          : projectFolder() / "third_party/licences.txt";
}

// The folder of the headers for host code, with a comment on each call.
std::filesystem::path forHostCode()
{
    return (installation() ? installation()->shared / "include" : projectFolder() / "include") / "a2";
}

}  // namespace

std::string versionLine()
{
    return fmt::format("a2 {} (reports {}, recordings {})\n", buildFacts.version, reportVersion,
                       std::uint32_t{Recording::currentVersion});
}

std::string versionText()
{
    return versionLine() +
           fmt::format(
               "built from   {}\n"
               "compiler     {}, {}\n"
               "kernels      {}, for {}\n"
               "headers      Vulkan {}.{}.{}, SPIR-V {}.{}, CLI11 {}, nlohmann-json {}.{}.{}\n"
               "libraries    {}\n"
               "host code    {}\n"
               "licences     {}\n",
               builtFrom(), buildFacts.compiler, buildFacts.buildType, buildFacts.glslang, buildFacts.targetEnv,
               VK_API_VERSION_MAJOR(VK_HEADER_VERSION_COMPLETE), VK_API_VERSION_MINOR(VK_HEADER_VERSION_COMPLETE),
               VK_API_VERSION_PATCH(VK_HEADER_VERSION_COMPLETE), spv::Version >> 16, spv::Version >> 8 & 0xFF,
               CLI11_VERSION, NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR, NLOHMANN_JSON_VERSION_PATCH,
               linked(), utf8Of(forHostCode()), utf8Of(licences()));
}

}  // namespace a2
