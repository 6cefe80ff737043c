// How every owner of a libuv loop ends it.
#pragma once

#include <uv.h>

namespace a2 {

// Closes all handles that are still open in the loop, and then the loop. Blocks until all of them are closed: whatever
// the loop ran must have ended before, or must end without help.
inline void endLoop(uv_loop_t& loop)
{
    uv_walk(
        &loop,
        [](uv_handle_t* handle, void*) {
            if (!uv_is_closing(handle)) uv_close(handle, nullptr);
        },
        nullptr);
    uv_run(&loop, UV_RUN_DEFAULT);
    uv_loop_close(&loop);
}

}  // namespace a2
