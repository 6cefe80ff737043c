// What all tasks of one class have in common. A class is one value, in a file of its own: Reduction.cpp, Scan.cpp,
// LocalScan.cpp, Offset.cpp here, and those of courses in their folders of src/courses/.
#pragma once

#include "a2/KernelShape.h"
#include "tasks/Input.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace a2 {

class Expectation;

// An element of what is given is by so much more than `given`, modulo 2^32.
struct Change {
    std::uint64_t index = 0;
    std::uint32_t given = 0, by = 0;
};

// Elements first .. end - 1 of a result are by so much more, modulo 2^32; or each is the one that is `shift` further on
// in the result without the changes.
struct Effect {
    std::uint64_t first = 0, end = 0;
    std::uint32_t by = 0;
    std::int64_t shift = 0;
};

// What a dispatch leaves of an array.
struct LeftArray {
    std::string what;  // "each pair of keys 4 apart in order"
    std::vector<std::uint32_t> elements;
};

// The functions of `expectation` may be called by several threads at once, and look at its input and shape alone.
struct TaskClass {
    const char* tag;  // in front of the labels of its tasks: "[Task1]"

    // Elements of its result, however long the array is; 0: one for each of the array's elements.
    std::uint64_t fixedResults = 0;
    const char* resultName = "element";  // what one of them is called
    const char* easyPattern = "mod97";   // input whose small numbers are easy to read, and say something
    bool compares = false;               // its steps decide by what they read whether there is anything to write
    bool valuesArePlaces = false;        // where an element goes, or is counted, its value says
    bool addsUp = true;                  // its results add up elements, in order: a sum, or a scan
    bool hasExclusive = false;           // its results come in two kinds, inclusive and exclusive
    bool ownArray = false;               // its result lies in another array than its input
    bool perTile = false;                // what is given or expected depends on the tile of the kernel's shape
    bool endsAtTiles = false;            // each tile is a task of its own
    bool givenBlockOffsets = false;      // beside the array, a solution is given what lies before each tile

    // The fewest bytes of global memory that any algorithm reads and writes, for n > 0 elements.
    std::uint64_t (*minimumTraffic)(std::uint64_t n, const KernelShape& shape);

    // What the device is given as elements first .. first + out.size() - 1 of the array.
    void (*give)(const Expectation& expectation, std::uint64_t first, std::span<std::uint32_t> out);
    // Element `index` of the result.
    std::uint32_t (*result)(const Expectation& expectation, std::uint64_t index);
    // Whether elements first .. first + got.size() - 1 of the result, at least one, are all right.
    bool (*matches)(const Expectation& expectation, std::uint64_t first, std::span<const std::uint32_t> got);
    // What changes of some elements, each of another one, do to the result, all together. Only a class with a reference
    // shifts elements.
    std::vector<Effect> (*effects)(const Expectation& expectation, std::span<const Change> changes);
    // The whole result, where it is none that the input's prefix sums say: worked out once, and kept by `expectation`.
    std::vector<std::uint32_t> (*reference)(std::span<const std::uint32_t> elements) = nullptr;

    // Of a class whose result comes by steps, each of which leaves a whole array: the step that makes of `found` what
    // is nearest to `left`, by how many elements differ. null: the whole result is one step.
    LeftArray (*nearestStep)(std::span<const std::uint32_t> found, std::span<const std::uint32_t> left) = nullptr;
    // What may help with element `index` of a result that is `got` and should not be; null: nothing.
    std::string (*hint)(const Expectation& expectation, std::uint64_t index, std::uint32_t got) = nullptr;

    // What a processor does for it, by the standard library's algorithms, on one core or on all. `out` takes the
    // result; a class without an array of its own finds in it what the device is given.
    void (*onHost)(const Expectation& expectation, std::span<std::uint32_t> out, bool allCores);
    // The time of one core for the array that a task of the class is part of, in milliseconds.
    double (*oneCoreMs)(const Input& input);

    static const TaskClass reduction, scan, localScan, offset;
};

}  // namespace a2
