// Writes the seeds of the fuzz targets, each into its folder: the SPIR-V of every kernel of this build, and recordings.
// `a2_fuzz_seeds KERNELS RECORDINGS`.

#include "gpu/BuiltInShaders.h"
#include "recording/RecordingFile.h"
#include "support/ExampleRecording.h"

#include <filesystem>
#include <fstream>
#include <span>
#include <string>

namespace {

template <class T>
bool write(const char* folder, const std::string& name, std::span<const T> content)
{
    std::ofstream file(std::filesystem::path(folder) / name, std::ios::binary);
    file.write(reinterpret_cast<const char*>(content.data()), static_cast<std::streamsize>(content.size_bytes()));
    return static_cast<bool>(file.flush());
}

}  // namespace

int main(int count, char** arguments)
{
    if (count != 3) return 2;
    for (const a2::BuiltInShader& one : a2::builtInShaders())
        if (!write<std::uint32_t>(arguments[1], std::string(one.name) + ".spv", one.spirv)) return 1;
    const auto whole = a2::exampleRecording();
    a2::Recording small = whole;
    small.runs.pop_back();
    small.runs.at(0).commands.resize(1);
    const bool written = write<std::uint8_t>(arguments[2], "empty.cbor", a2::toBytes(a2::Recording())) &&
                         write<std::uint8_t>(arguments[2], "small.cbor", a2::toBytes(small)) &&
                         write<std::uint8_t>(arguments[2], "whole.cbor", a2::toBytes(whole));
    return written ? 0 : 1;
}
