#include "annexes/prescan/NumberFile.h"

#include <algorithm>
#include <charconv>
#include <memory>
#include <vector>

namespace a2 {

namespace {

constexpr std::uint64_t longestNumber = 16;  // characters with the line break: -1.17549435e-38
constexpr std::uint64_t numbersAtOnce = 8 * parallelBlock;

char* written(char* to, std::uint32_t word, const ElementType& element)
{
    char* const end = to + longestNumber;
    char* const stop =
        !element.isReal ? std::to_chars(to, end, word).ptr : std::to_chars(to, end, std::bit_cast<float>(word)).ptr;
    *stop = '\n';
    return stop + 1;
}

}  // namespace

void writeNumbers(OutputFile& file, const ElementType& element, std::span<const std::uint32_t> words)
{
    const std::uint64_t most = std::min<std::uint64_t>(numbersAtOnce, words.size());
    const std::unique_ptr<char[]> text(new char[most * longestNumber]);
    for (std::size_t begin = 0; begin < words.size(); begin += numbersAtOnce) {
        const auto part = words.subspan(begin, std::min<std::size_t>(numbersAtOnce, words.size() - begin));
        // Each range has its own place in the text, large enough for the longest numbers.
        std::vector<std::size_t> lengths(ceilDiv(part.size(), parallelBlock));
        inParallel(part.size(), [&](std::uint64_t first, std::uint64_t end) {
            char* const start = text.get() + first * longestNumber;
            char* at = start;
            for (std::uint64_t i = first; i < end; ++i) at = written(at, part[i], element);
            lengths[first / parallelBlock] = static_cast<std::size_t>(at - start);
        });
        for (std::size_t range = 0; range < lengths.size(); ++range)
            file.write({text.get() + range * parallelBlock * longestNumber, lengths[range]});
    }
}

}  // namespace a2
