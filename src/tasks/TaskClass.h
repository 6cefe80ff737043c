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

// An element of the input is larger than `given` by this amount, modulo 2^32.
struct Change {
    std::uint64_t index = 0;
    std::uint32_t given = 0, by = 0;
};

// Elements first .. end - 1 of a result are larger by this amount, modulo 2^32; or each equals the element `shift`
// places further on in the result without the changes.
struct Effect {
    std::uint64_t first = 0, end = 0;
    std::uint32_t by = 0;
    std::int64_t shift = 0;
};

// The array that a dispatch leaves.
struct LeftArray {
    std::string what;  // "each pair of keys 4 apart in order"
    std::vector<std::uint32_t> elements;
};

// Several threads may call the functions of `expectation` at once; they read only its input and shape.
struct TaskClass {
    const char* tag;  // in front of the labels of its tasks: "[Task1]"

    // The number of elements in its result, for any length of the array; 0: one for each of the array's elements.
    std::uint64_t fixedResults = 0;
    const char* resultName = "element";  // the name of one of them
    const char* easyPattern = "mod97";   // input with small numbers that are easy to read and still show faults
    bool compares = false;               // the values that its steps read decide whether they write
    bool valuesArePlaces = false;        // an element's value decides where it goes or is counted
    bool addsUp = true;                  // its results add up elements in order: a sum, or a scan
    bool hasExclusive = false;           // its results can be inclusive or exclusive
    bool ownArray = false;               // its result lies in a different array from its input
    bool perTile = false;                // its input or expected result depends on the tile of the kernel's shape
    bool endsAtTiles = false;            // each tile is a separate task
    bool givenBlockOffsets = false;      // the solution also gets the sum before each tile

    // The fewest bytes of global memory that any algorithm reads and writes, for n > 0 elements.
    std::uint64_t (*minimumTraffic)(std::uint64_t n, const KernelShape& shape);

    // Writes elements first .. first + out.size() - 1 of the device's input array.
    void (*give)(const Expectation& expectation, std::uint64_t first, std::span<std::uint32_t> out);
    // Element `index` of the result.
    std::uint32_t (*result)(const Expectation& expectation, std::uint64_t index);
    // Whether elements first .. first + got.size() - 1 of the result, at least one, are all right.
    bool (*matches)(const Expectation& expectation, std::uint64_t first, std::span<const std::uint32_t> got);
    // The combined effect on the result of changes to some elements, each of another one. Only a class with a reference
    // shifts elements.
    std::vector<Effect> (*effects)(const Expectation& expectation, std::span<const Change> changes);
    // The whole result, if it cannot be derived from the input's prefix sums: computed once, and kept by `expectation`.
    std::vector<std::uint32_t> (*reference)(std::span<const std::uint32_t> elements) = nullptr;

    // For a class whose result is made in steps that each leave a whole array: the step whose result from `found` is
    // nearest to `left`, by the number of elements that differ; with `exactly`, one that left just that, or an empty
    // text. null: the whole result is one step.
    LeftArray (*nearestStep)(std::span<const std::uint32_t> found, std::span<const std::uint32_t> left,
                             bool exactly) = nullptr;
    // What a wrong result is instead of the right one, as in "the array is in order as signed numbers: ..."; empty: not
    // known. null: it never is.
    std::string (*otherwise)(const Expectation& expectation, std::span<const std::uint32_t> left) = nullptr;
    // A hint on element `index` of a result that is wrongly `got`; null: none.
    std::string (*hint)(const Expectation& expectation, std::uint64_t index, std::uint32_t got) = nullptr;

    // The work on a processor, with the standard library's algorithms, on one core or on all. `out` gets the result;
    // for a class without an array of its own it first holds the device's input.
    void (*onHost)(const Expectation& expectation, std::span<std::uint32_t> out, bool allCores);
    // The time of one core, in milliseconds, for the whole array of which the task is a part.
    double (*oneCoreMs)(const Input& input);

    static const TaskClass reduction, scan, localScan, offset;
};

}  // namespace a2
