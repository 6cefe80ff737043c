// Answers to many requests, as a file: what one a2 has had recorded, another judges, without any student code.
#pragma once

#include "recording/Request.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace a2 {

class RecordingBook {
public:
    RecordingBook();
    // What bytes() has made. Any bytes may be given. Throws RecordingError (RecordingFile.h) for what is no such file,
    // is cut short, is of another version, or has an answer that is no recording of what was asked for.
    explicit RecordingBook(std::vector<std::uint8_t> bytes);

    // Keeps an answer; the first one to a request counts.
    void add(const RecordRequest& request, const RecordAnswer& answer);
    std::uint64_t bytesOf(const std::string& task) const;  // of its answers
    std::size_t size() const { return places_.size(); }    // requests

    // Empty where there is none.
    std::optional<RecordAnswer> find(const RecordRequest& request) const;
    // Whether there is any for this device, whatever limits of its work-groups were asked for.
    bool isFor(const DeviceFacts& device) const;
    // The device of the first request; empty where there is none.
    std::optional<DeviceFacts> device() const;

    // The file form: a line that says what it is, then each request and answer (RecordingFile.h), both after 8 bytes
    // of length, little-endian.
    const std::vector<std::uint8_t>& bytes() const { return bytes_; }

private:
    struct Place {
        std::size_t begin = 0, length = 0;  // of the answer
    };
    void note(const RecordRequest& request, Place place);

    std::vector<std::uint8_t> bytes_;
    std::map<std::vector<std::uint8_t>, Place> places_;  // by what tells requests apart
    std::map<std::string, std::uint64_t> bytesOfTask_;
    std::vector<DeviceFacts> devices_;
};

}  // namespace a2
