// A task's input and its expected result: functions of the input's prefix sums, which need no further array, or a
// class's own reference.
#pragma once

#include "a2/KernelShape.h"
#include "tasks/Input.h"
#include "tasks/TaskClass.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace a2 {

// Keeps a reference to the input.
class Expectation {
public:
    // before: the sum, modulo 2^32, of the elements before the input in a longer array of which it is a part. The scan
    // of the whole array continues from there.
    Expectation(const TaskClass& taskClass, const Input& input, const KernelShape& shape, std::uint32_t before = 0)
        : taskClass_(taskClass), input_(input), shape_(shape), before_(before)
    {
        if (taskClass.reference)
            reference_ = std::make_shared<const std::vector<std::uint32_t>>(taskClass.reference(input.values()));
    }

    // Elements of the result that are judged.
    std::uint64_t resultSize() const { return taskClass_.fixedResults > 0 ? taskClass_.fixedResults : input_.size(); }
    std::uint32_t result(std::uint64_t index) const { return taskClass_.result(*this, index); }
    // Whether results first .. first + got.size() - 1 are all as expected; on all cores.
    bool matches(std::uint64_t first, std::span<const std::uint32_t> got) const;

    // Element `index` of the device's input, and the number of blockOffsets (0 for most classes).
    std::uint32_t given(std::uint64_t index) const;
    void give(std::uint64_t first, std::span<std::uint32_t> out) const;  // elements first ..., on all cores
    std::uint64_t offsetCount() const;
    std::uint32_t givenOffset(std::uint64_t tile) const { return input_.sumBefore(tile * shape_.tile()); }

    // Element `index` of the scan of the whole array, and of the scan of its tile.
    std::uint32_t scanned(std::uint64_t index) const
    {
        return before_ + input_.sumBefore(shape_.exclusive ? index : index + 1);
    }
    std::uint32_t scannedInTile(std::uint64_t index) const
    {
        return scanned(index) - before_ - givenOffset(index / shape_.tile());
    }
    std::uint32_t before() const { return before_; }

    // The same as a word of memory; all other functions here return numbers.
    std::uint32_t givenWord(std::uint64_t index) const { return element().word(given(index)); }
    void giveWords(std::uint64_t first, std::span<std::uint32_t> out) const;
    std::uint32_t offsetWord(std::uint64_t tile) const { return element().word(givenOffset(tile)); }
    const ElementType& element() const { return input_.element(); }

    // For classes that have one (TaskClass::reference); and the sum of its elements first .. end - 1, modulo 2^32.
    std::span<const std::uint32_t> reference() const { return *reference_; }
    std::uint32_t sumOfResults(std::uint64_t first, std::uint64_t end) const;

    const Input& input() const { return input_; }
    const KernelShape& shape() const { return shape_; }
    const TaskClass& taskClass() const { return taskClass_; }

private:
    const TaskClass& taskClass_;
    const Input& input_;
    KernelShape shape_;
    std::uint32_t before_;
    std::shared_ptr<const std::vector<std::uint32_t>> reference_;
};

}  // namespace a2
