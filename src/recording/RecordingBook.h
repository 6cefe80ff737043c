// Answers to many requests, as a file: one a2 can have them recorded, and another can judge them without any student
// code.
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
    // Reads what bytes() has made. Any bytes may be given. Throws RecordingError (RecordingFile.h) if they are no such
    // file, are cut short, have another version, or have an answer that is no recording of what was asked for.
    explicit RecordingBook(std::vector<std::uint8_t> bytes);

    // Keeps an answer; only the first answer to a request counts.
    void add(const RecordRequest& request, const RecordAnswer& answer);
    std::uint64_t bytesOf(const std::string& task) const;  // of its answers
    std::size_t size() const { return places_.size(); }    // requests

    // Empty where there is none.
    std::optional<RecordAnswer> find(const RecordRequest& request) const;
    // Whether there is an answer for this device, with any limits of work-groups.
    bool isFor(const DeviceFacts& device) const;
    // The device of the first request; empty where there is none.
    std::optional<DeviceFacts> device() const;

    // The file form: a line with its name and version, then each request and answer (RecordingFile.h), both preceded by
    // 8 bytes of length, little-endian.
    const std::vector<std::uint8_t>& bytes() const { return bytes_; }

private:
    struct Place {
        std::size_t begin = 0, length = 0;  // of the answer
    };
    void note(const RecordRequest& request, Place place);

    std::vector<std::uint8_t> bytes_;
    std::map<std::vector<std::uint8_t>, Place> places_;  // by placeKey()
    std::map<std::string, std::uint64_t> bytesOfTask_;
    std::vector<DeviceFacts> devices_;
};

}  // namespace a2
