// Text files of numbers with white space between them, of any length: processed in blocks, on all cores.
//
// A result file begins with a line about its accuracy (labs/prescan/PrescanJudge.h), which is skipped when the file is
// read.
#pragma once

#include "annexes/prescan/Prescan.h"
#include "files/OutputFile.h"

#include <cstdint>
#include <span>
#include <string>

namespace a2 {

// The one whole number in a size file. Throws UsageError with file, line and column.
std::uint64_t readSizeFile(const std::string& path);

// Reads a file that must hold exactly words.size() numbers; floats are stored as their bits. Throws UsageError with
// file, line and column for anything else, and for numbers that are not finite or not in the type's range. sizeFile:
// the file that gives the number of elements, for the message.
void readNumbers(const std::string& path, const ElementType& element, std::span<std::uint32_t> words,
                 const std::string& sizeFile);

// Writes one number per line, each as short as possible so that reading gives the same number.
void writeNumbers(OutputFile& file, const ElementType& element, std::span<const std::uint32_t> words);

}  // namespace a2
