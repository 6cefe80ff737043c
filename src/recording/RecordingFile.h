// Recordings, requests and answers as bytes: CBOR (RFC 8949), the same in a file and in a pipe.
#pragma once

#include "recording/Request.h"

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace a2 {

// What is wrong with bytes that should be a recording, in one line.
struct RecordingError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// A map that says first what it is ("a2") and of which version, then the members by their names: words as byte strings,
// little endian; enumerators by name. Of a text, 4096 bytes.
std::vector<std::uint8_t> toBytes(const Recording& recording);
std::vector<std::uint8_t> toBytes(const RecordRequest& request);
std::vector<std::uint8_t> toBytes(const RecordAnswer& answer);

// Any bytes may be given. Throw RecordingError if they are not what they should be: cut short, too long or of another
// version, a key too few or of another type, more than `limits` allow. Whether what they say makes sense is another
// question (RecordingCheck.h). Texts come back printable: control characters as spaces, what is not UTF-8 as '?'.
Recording recordingFrom(std::span<const std::uint8_t> bytes, const RecordingLimits& limits = {});
RecordRequest requestFrom(std::span<const std::uint8_t> bytes);
RecordAnswer answerFrom(std::span<const std::uint8_t> bytes, const RecordingLimits& limits = {});

}  // namespace a2
