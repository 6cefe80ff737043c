// The end of a libuv loop, the same for whoever has one.
#pragma once

#include <uv.h>

namespace a2 {

// Closes what is still open in the loop, and the loop itself. Blocks until all of it is closed: what it ran must have
// ended before, or come to an end on its own.
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
