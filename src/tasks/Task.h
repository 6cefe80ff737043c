// The rows of tasks: of each its id and label, its class, how its solution is made, and what it needs.
#pragma once

#include "a2/KernelShape.h"
#include "base/ElementType.h"
#include "recording/Request.h"
#include "tasks/Scheme.h"
#include "tasks/TaskClass.h"

#include <functional>
#include <string>
#include <vector>

namespace a2 {

class Device;

constexpr std::uint32_t mostPerInvocation = 64;  // elements, of each row's --elements

// One row: a line in src/tasks/A2Task1.cpp, src/tasks/A2Task2.cpp or src/tasks/A2Labs.cpp, or in a course's Rows.cpp.
struct Task {
    std::string id = {};     // "reduce/atomic"
    std::string label = {};  // "KernelDecomposition Atomic"
    const TaskClass* taskClass = nullptr;
    int points = 0;                                     // of the assignment
    std::vector<std::string> shaders = {};              // files under shaders/, without .comp
    std::string hostFile = {};                          // under src/
    std::string factory = {};                           // in that file: what makes the solution (a2/Factory.h)
    KernelShape shape = {};                             // default work-group size and elements per invocation
    Scheme scheme = {};                                 // what it does
    const ElementType* element = &ElementType::uint32;  // what is run, of --type
    bool keepsInput = false;                            // must leave its input as it was
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
    bool bindsWhole = false;                     // the array, in one binding; otherwise it is gone through in slices
    std::vector<std::string> needs = {};         // of the device, for its kernels, as kernelNeeds() calls it
    std::uint32_t sharedWords = 0;               // of its kernels' shared memory, whatever the shape is
    std::uint32_t sharedWordsPerInvocation = 0;  // beside the tile
    std::uint32_t wordsPerTile = 2;              // of device memory that the solution may keep for each tile
    // Further limits of the row; throws LimitError.
    std::function<void(const Device&, const KernelShape&, std::uint64_t count)> limits = {};

    KernelShape shapeFor(std::uint64_t count) const;
    // As Pattern::parse and Input's constructor, of the task's type.
    Pattern patternOf(const std::string& text) const { return Pattern::parse(text, *element); }
    Input inputOf(const Pattern& pattern, std::uint64_t n, std::uint64_t seed, std::uint64_t first = 0) const
    {
        return {pattern, n, seed, first, *element};
    }
    std::string consoleTag() const;    // "[Task1]"; "[Lab]" of a lab kernel
    std::string consoleLabel() const;  // "[Task1] KernelDecomposition Atomic"
};

// What a solution of the row is asked to record for `count` elements; who asks fills in how many runs, and for which
// device.
RecordRequest recordRequest(const Task& task, const KernelShape& shape, std::uint64_t count);

std::vector<Task> task1Rows();      // src/tasks/A2Task1.cpp
std::vector<Task> task2Rows();      // src/tasks/A2Task2.cpp
std::vector<Task> labRows();        // src/tasks/A2Labs.cpp
std::vector<Task> rowsOfCourses();  // those of each folder of src/courses/: CMakeLists.txt writes it
std::vector<Task> allTasks();

// Tasks whose id matches one of the ids or globs ('*' and '?'), in the table's order; if there are none, the default
// set. all: also those beyond the default set, as if there were the glob '*' beside the others.
// commands: what the user may have meant as well.
// Throws UsageError if one matches nothing; it names what is nearly the same.
std::vector<Task> selectTasks(const std::vector<std::string>& globs, bool all,
                              const std::vector<std::string>& commands = {});
// The same of another type of elements. Rows whose class adds nothing up have a limit that skips them.
std::vector<Task> selectTasks(const std::vector<std::string>& globs, bool all, const ElementType& element);

}  // namespace a2
