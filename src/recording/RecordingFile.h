// Recordings, requests and answers as bytes: CBOR (RFC 8949), the same in a file and in a pipe.
#pragma once

#include "recording/Request.h"

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace a2 {

// The error in bytes that should be a recording, in one line.
struct RecordingError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// A map that begins with its kind ("a2") and version, then has the members by their names: words are byte strings,
// little-endian; enumerators are names. Texts are cut to 4096 bytes.
std::vector<std::uint8_t> toBytes(const Recording& recording);
std::vector<std::uint8_t> toBytes(const RecordRequest& request);
std::vector<std::uint8_t> toBytes(const RecordAnswer& answer);

// Any bytes may be given. These throw RecordingError if the bytes are invalid: cut short, too long or of another
// version, with a missing key or one of another type, or with more than `limits` allow. They do not check whether the
// content makes sense (RecordingCheck.h does). Texts are made printable: control characters become spaces, what is not
// UTF-8 becomes '?'.
Recording recordingFrom(std::span<const std::uint8_t> bytes, const RecordingLimits& limits = {});
RecordRequest requestFrom(std::span<const std::uint8_t> bytes);
RecordAnswer answerFrom(std::span<const std::uint8_t> bytes, const RecordingLimits& limits = {});

}  // namespace a2
