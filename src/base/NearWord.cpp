#include "base/NearWord.h"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>

namespace a2 {

namespace {

std::size_t editDistance(std::string_view a, std::string_view b)
{
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = std::exchange(row[0], i + 1);
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i] != b[j]);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
        }
    }
    return row.back();
}

}  // namespace

std::string nearWord(const std::string& word, const std::vector<std::string>& known)
{
    // At least two changes, so that two characters may be swapped; more in long words, and fewer where they would leave
    // nothing of a word.
    std::size_t least = std::min(word.size() / 2, std::max<std::size_t>(2, word.size() / 4)) + 1;
    std::string nearest;
    for (const std::string& one : known)
        if (const std::size_t distance = editDistance(word, one); distance < least) {
            least = distance;
            nearest = one;
        }
    return nearest;
}

}  // namespace a2
