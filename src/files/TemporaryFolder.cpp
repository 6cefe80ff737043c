#include "files/TemporaryFolder.h"

#include "a2/Error.h"
#include "files/Utf8Path.h"

#include <fmt/format.h>
#include <uv.h>

#include <system_error>

namespace a2 {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder()
{
    std::error_code error;
    const fs::path parent = fs::absolute(fs::temp_directory_path(error), error);
    const std::string pattern = utf8Of(parent / "a2-XXXXXX");
    uv_fs_t request;
    const int made = error ? UV_ENOENT : uv_fs_mkdtemp(nullptr, &request, pattern.c_str(), nullptr);
    if (made == 0) path_ = pathOf(request.path);
    if (!error) uv_fs_req_cleanup(&request);
    if (made != 0)
        throw EnvironmentError(fmt::format("no temporary folder could be made in '{}': {} (TMPDIR names another place)",
                                           utf8Of(parent), uv_strerror(made)));
}

TemporaryFolder::~TemporaryFolder()
{
    std::error_code ignored;
    fs::remove_all(path_, ignored);
}

}  // namespace a2
