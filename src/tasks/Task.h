// What a task is: its id and label, what it is given, what must come out, and how its solution is made.
#pragma once

#include "tasks/Input.h"
#include "a2/KernelShape.h"
#include "recording/Request.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace a2 {

class Device;

enum class TaskKind {
    reduce,     // one sum
    scan,       // the scan of the whole array
    localScan,  // the scan of each tile on its own
    offset,     // given local scans and block offsets, the scan of the whole array
};

// What each dispatch of a row does, so that every step can be judged on its own (src/judge/StepModel.h).
enum class StepModel { none, strided, front, groupSums, sum, windows, tileScans, offsets, scan };

// One row: a line in src/tasks/A2Task1.cpp, src/tasks/A2Task2.cpp or src/tasks/A2Labs.cpp.
struct Task {
    std::string id;     // "reduce/atomic"
    std::string label;  // "KernelDecomposition Atomic"
    TaskKind kind;
    int points;                         // of the assignment
    std::vector<std::string> shaders;   // files under shaders/, without .comp
    std::string hostFile;               // under src/
    std::string factory;                // in that file: what makes the solution (a2/Factory.h)
    KernelShape shape;                  // default work-group size and elements per invocation
    bool keepsInput = false;            // must leave its input as it was
    StepModel steps = StepModel::none;  // what its dispatches do, one by one
    // Where its recordings come from, if not from where the device has them: solutions of tests.
    std::function<RecordAnswer(const RecordRequest&)> record = {};

    std::uint32_t workGroupForTwo = 0;  // work-group size with the assignment's 2 elements, where it is another one
    std::uint32_t elementsUnit = 2;     // elements per invocation are a multiple of it
    bool byDefault = true;              // run without being asked for by id or --all
    bool lab = false;                   // a kernel of the labs, beside the course's tasks
    // Instead of `shape` for arrays of up to `count` elements; the first that fits, shortest first.
    struct ShapeUpTo {
        std::uint64_t count;
        KernelShape shape;
    };
    std::vector<ShapeUpTo> shortShapes = {};

    // What a2 holds against the device, beside memory, before any code of the solution runs (judge/RowLimits.h).
    bool bindsWhole = false;               // the array, in one binding; otherwise it is gone through in slices
    bool needsSubgroupArithmetic = false;  // in its kernels
    std::uint32_t wordsPerTile = 2;        // of device memory that the solution may keep for each tile
    // Further limits of the row; throws LimitError.
    std::function<void(const Device&, const KernelShape&, std::uint64_t count)> limits = {};

    KernelShape shapeFor(std::uint64_t count) const;
    std::string consoleTag() const;    // "[Task1]"; "[Lab]" of a lab kernel
    std::string consoleLabel() const;  // "[Task1] KernelDecomposition Atomic"
    // The fewest bytes of global memory any algorithm for this task reads and writes, for n elements. The first tile of
    // an offset task is finished as it is given.
    std::uint64_t leastBytes(std::uint64_t n, const KernelShape& chosen) const
    {
        if (kind == TaskKind::offset) n -= std::min(n, chosen.tile());
        return (kind == TaskKind::reduce ? 4 : 8) * n;
    }
};

std::vector<Task> task1Rows();  // src/tasks/A2Task1.cpp
std::vector<Task> task2Rows();  // src/tasks/A2Task2.cpp
std::vector<Task> labRows();    // src/tasks/A2Labs.cpp
std::vector<Task> allTasks();

// Tasks whose id matches one of the ids or globs ('*' and '?'), in the table's order; if there are none, the default
// set. all: also those beyond the default set, as if there were the glob '*' beside the others.
// Throws UsageError if one matches nothing.
std::vector<Task> selectTasks(const std::vector<std::string>& globs, bool all);

// What goes in and what must come out, as functions of the input's prefix sums, so that no further array is needed.
class Expectation {
public:
    Expectation(TaskKind kind, const Input& input, const KernelShape& shape) : kind_(kind), input_(input), shape_(shape)
    {
    }

    // Elements of the result that are judged.
    std::uint64_t resultSize() const { return kind_ == TaskKind::reduce ? 1 : input_.size(); }
    std::uint32_t result(std::uint64_t index) const;
    // Whether results first .. first + got.size() - 1 are all as expected; quick, for the many that are.
    bool matches(std::uint64_t first, std::span<const std::uint32_t> got) const;

    // What the device is given as element `index`, and how many blockOffsets there are (0 for most tasks).
    std::uint32_t given(std::uint64_t index) const;
    void give(std::uint64_t first, std::span<std::uint32_t> out) const;  // elements first ..., quick
    std::uint64_t offsetCount() const;
    std::uint32_t givenOffset(std::uint64_t tile) const { return input_.sumBefore(tile * shape_.tile()); }

    const Input& input() const { return input_; }
    const KernelShape& shape() const { return shape_; }
    TaskKind kind() const { return kind_; }

private:
    std::uint32_t scanned(std::uint64_t index) const { return input_.sumBefore(shape_.exclusive ? index : index + 1); }
    bool matchesRange(std::uint64_t first, std::span<const std::uint32_t> got) const;
    std::uint32_t tileStartSum(std::uint64_t index) const
    {
        return input_.sumBefore(index / shape_.tile() * shape_.tile());
    }

    TaskKind kind_;
    const Input& input_;
    KernelShape shape_;
};

}  // namespace a2
