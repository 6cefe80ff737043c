// The rotation of a matrix through a shared tile: the smallest example of how padding affects bank conflicts.
#pragma once

#include "judge/CountedWork.h"
#include "judge/Runnable.h"
#include "judge/Series.h"
#include "lint/Finding.h"

#include <optional>
#include <span>
#include <vector>

namespace a2 {

struct MatrixSize {
    std::uint64_t rows = 0, columns = 0;
    std::uint64_t elements() const { return rows * columns; }
};

// The matrix turned by 90 degrees clockwise, row by row like the input: element (y, x) moves to (x, rows - 1 - y).
std::vector<std::uint32_t> rotatedOnHost(std::span<const std::uint32_t> matrix, const MatrixSize& size);

// The same by the kernel, for counting. n: elements; the matrix keeps its number of columns, and has as many whole rows
// as fit. shape.elements: the side of a tile. The device must outlive it.
Workload rotation(Device& gpu, const MatrixSize& size);

// Runs on the device, on poisoned memory, between guards. Returns whether every element of the result is right, and
// with `series` how long it takes.
struct RotationRun {
    std::optional<std::uint64_t> wrong;  // the first element that differs from the host's
    std::vector<Finding> findings;       // of lint, guards and validation layer
    DeviceTimes times;                   // of the repetitions; none without a series
    bool passed() const { return !wrong && !anyFails(findings); }
};
RotationRun runRotation(Device& gpu, const MatrixSize& size, const KernelShape& shape,
                        const std::optional<SeriesSettings>& series);

}  // namespace a2
