#include "annexes/prescan/HostPrescan.h"

#include <algorithm>

namespace a2 {

namespace {

template <class Number>
void scan(bool exclusive, std::span<const std::uint32_t> input, std::span<std::uint32_t> scanned)
{
    if (input.empty()) return;
    const std::size_t back = exclusive ? 1 : 0;
    Number sum = exclusive ? Number(0) : std::bit_cast<Number>(input[0]);
    scanned[0] = std::bit_cast<std::uint32_t>(sum);
    for (std::size_t i = 1; i < input.size(); ++i) {
        sum = std::bit_cast<Number>(input[i - back]) + sum;
        scanned[i] = std::bit_cast<std::uint32_t>(sum);
    }
}

}  // namespace

void hostPrescan(const PrescanSettings& settings, std::span<const std::uint32_t> input,
                 std::span<std::uint32_t> scanned)
{
    if (!settings.element->isReal)
        scan<std::uint32_t>(settings.shape.exclusive, input, scanned);
    else
        scan<float>(settings.shape.exclusive, input, scanned);
}

void hostCopy(std::span<const std::uint32_t> from, std::span<std::uint32_t> to)
{
    std::copy(from.begin(), from.end(), to.begin());
}

}  // namespace a2
