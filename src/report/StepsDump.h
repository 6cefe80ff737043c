// `a2 steps --dump`: every buffer after every dispatch as a NumPy file.
#pragma once

#include "evaluate/Steps.h"

#include <filesystem>
#include <string>
#include <vector>

namespace a2 {

class StepsDump {
public:
    // Makes the folder. Throws UsageError if it cannot be made, or is there and holds anything.
    explicit StepsDump(const std::string& folder);

    // SLUG is a buffer's name with '-' for whatever is no letter or digit. input.npy and block-offsets.npy; then for
    // dispatch NN NN-SLUG.npy, and NN-SLUG.expected.npy where it is known: the same with every judged element right.
    // A buffer that is kept from run to run is NN-SLUG.kept.npy: another run would leave other things there.
    // Throws UsageError if a file cannot be written.
    void begin(const std::vector<NamedValues>& given) const;
    void add(const StepView& view) const;

private:
    void write(const std::string& name, const std::vector<std::uint32_t>& values) const;
    std::filesystem::path folder_;
};

// The bytes of an .npy file, version 1.0 (NumPy manual, "NPY format"): a one-dimensional array of little-endian uint32.
std::string npyText(const std::vector<std::uint32_t>& values);

}  // namespace a2
