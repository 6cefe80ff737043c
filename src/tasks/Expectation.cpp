#include "tasks/Expectation.h"

#include "base/Parallel.h"

#include <atomic>

namespace a2 {

bool Expectation::matches(std::uint64_t first, std::span<const std::uint32_t> got) const
{
    std::atomic<bool> all = true;
    inParallel(got.size(), [&](std::uint64_t begin, std::uint64_t end) {
        if (!taskClass_.matches(*this, first + begin, got.subspan(begin, end - begin))) all = false;
    });
    return all;
}

void Expectation::give(std::uint64_t first, std::span<std::uint32_t> out) const
{
    inParallel(out.size(), [&](std::uint64_t begin, std::uint64_t end) {
        taskClass_.give(*this, first + begin, out.subspan(begin, end - begin));
    });
}

void Expectation::giveWords(std::uint64_t first, std::span<std::uint32_t> out) const
{
    give(first, out);
    if (!element().isReal) return;
    inParallel(out.size(),
               [&](std::uint64_t begin, std::uint64_t end) { element().toWords(out.subspan(begin, end - begin)); });
}

std::uint32_t Expectation::given(std::uint64_t index) const
{
    std::uint32_t element = 0;
    taskClass_.give(*this, index, {&element, 1});
    return element;
}

std::uint32_t Expectation::sumOfResults(std::uint64_t first, std::uint64_t end) const
{
    return parallelSum(reference().subspan(first, end - first));
}

std::uint64_t Expectation::offsetCount() const
{
    return taskClass_.givenBlockOffsets ? ceilDiv(input_.size(), shape_.tile()) : 0;
}

}  // namespace a2
