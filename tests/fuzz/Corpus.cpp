// Writes the seeds of the fuzz target into a folder: the SPIR-V of every kernel of this build. `a2_fuzz_seeds FOLDER`.

#include "gpu/BuiltInShaders.h"

#include <filesystem>
#include <fstream>

int main(int count, char** arguments)
{
    if (count != 2) return 2;
    for (const a2::BuiltInShader& one : a2::builtInShaders()) {
        std::ofstream file(std::filesystem::path(arguments[1]) / (std::string(one.name) + ".spv"), std::ios::binary);
        file.write(reinterpret_cast<const char*>(one.spirv.data()),
                   static_cast<std::streamsize>(one.spirv.size_bytes()));
        if (!file) return 1;
    }
}
