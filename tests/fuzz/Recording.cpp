// A fuzz target: bytes that may be a recording, and what a2 does with them. `a2_fuzz_recordings CORPUS`.

#include "recording/RecordingCheck.h"
#include "recording/RecordingFile.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    a2::Recording one;
    try {
        one = a2::recordingFrom({data, size});
    } catch (const a2::RecordingError&) {
        return 0;
    }
    if (a2::recordingFrom(a2::toBytes(one)) != one) std::abort();
    try {
        a2::checkRecording(one);
    } catch (const a2::RecordingError&) {
    }
    return 0;
}
