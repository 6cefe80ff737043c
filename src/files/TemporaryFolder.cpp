#include "files/TemporaryFolder.h"

#include "a2/Error.h"
#include "files/Utf8Path.h"

#include <fmt/format.h>
#include <uv.h>

#include <cstdlib>
#include <random>
#include <system_error>
#include <utility>

namespace a2 {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder()
{
    std::error_code error;
    const fs::path parent = fs::absolute(fs::temp_directory_path(error), error);
    std::random_device random;
    path_ = parent / fmt::format("a2-{:08x}{:08x}", random(), random());
    Leftover leftover(path_, Leftover::Kind::folder);
    constexpr int ownersOnly = 0700;
    uv_fs_t request;
    const int made = error ? UV_ENOENT : uv_fs_mkdir(nullptr, &request, utf8Of(path_).c_str(), ownersOnly, nullptr);
    if (!error) uv_fs_req_cleanup(&request);
    if (made == 0) {
        leftovers_.push_back(std::move(leftover));
        return;
    }
    leftover.keep();  // the thing with this name does not belong to this program
    const char* const wish = std::getenv("TMPDIR");
    throw EnvironmentError(fmt::format("no temporary folder could be made in '{}': {} (TMPDIR names another place)",
                                       error && wish ? wish : utf8Of(parent), uv_strerror(made)));
}

TemporaryFolder::~TemporaryFolder()
{
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

fs::path TemporaryFolder::file(const std::string& name)
{
    fs::path path = path_ / pathOf(name);
    leftovers_.emplace_back(path, Leftover::Kind::file);
    return path;
}

fs::path TemporaryFolder::folder(const std::string& name)
{
    fs::path path = path_ / pathOf(name);
    leftovers_.emplace_back(path, Leftover::Kind::folder);
    fs::create_directory(path);
    return path;
}

}  // namespace a2
