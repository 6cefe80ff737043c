// `a2 steps --dump`: every buffer after every dispatch as a NumPy file.
#pragma once

#include "files/Leftover.h"
#include "judge/Steps.h"

#include <filesystem>
#include <string>
#include <vector>

namespace a2 {

class StepsDump {
public:
    // Makes the folder. Throws UsageError if it cannot be made, or exists and is not empty.
    explicit StepsDump(const std::string& folder);
    // Removes what was not committed, and the folder if it was made here.
    ~StepsDump();
    StepsDump(const StepsDump&) = delete;
    StepsDump& operator=(const StepsDump&) = delete;

    // SLUG is a buffer's name with '-' for everything that is no letter or digit. input.npy and block-offsets.npy;
    // then, for dispatch NN, NN-SLUG.npy, and NN-SLUG.expected.npy if it is known: the same with every judged element
    // right. poison.npy: the one word that marks what is not yet written; each run has another one. A buffer that is
    // kept from run to run is NN-SLUG.kept.npy: another run would leave other values there. Throws UsageError if a file
    // cannot be written.
    void begin(const std::vector<NamedValues>& given, const ElementType& element);
    void add(const StepView& view);

    // Keeps the files: everything was written.
    void commit();

private:
    void makeFolder(const std::filesystem::path& folder, std::error_code& error);
    void write(const std::string& name, const std::vector<std::uint32_t>& values, const ElementType& element);
    void clear();
    std::filesystem::path folder_;
    std::vector<Leftover> made_;  // the folder, then its files
};

// The bytes of an .npy file, version 1.0 (NumPy manual, "NPY format"): a one-dimensional array of these numbers, as
// little-endian words.
std::string npyText(std::vector<std::uint32_t> values, const ElementType& element = ElementType::uint32);

}  // namespace a2
