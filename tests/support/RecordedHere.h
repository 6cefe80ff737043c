// Solutions that record in the test's own program: those of tests, and the rows' own ones, which are linked into it.
#pragma once

#include "recorder/Factories.h"
#include "recorder/Recorder.h"
#include "tasks/Task.h"

#include <utility>

namespace a2 {

// The row with another solution.
inline Task withSolution(Task task, MakeSolution make)
{
    task.record = [make = std::move(make)](const RecordRequest& request) { return recordSolution(request, make); };
    return task;
}

// The row's own solution, changed: change(given, the solution) returns the one to use.
using ChangeSolution = std::function<std::unique_ptr<Solution>(const Given& given, std::unique_ptr<Solution> own)>;
inline Task withChanged(Task task, ChangeSolution change)
{
    task.record = [change = std::move(change)](const RecordRequest& request) {
        const MakeSolution own = makeSolution(request);
        return recordSolution(request, [&](const Given& given) { return change(given, own(given)); });
    };
    return task;
}

// For GpuOptions::record.
inline RecordAnswer recordedHere(const RecordRequest& request)
{
    return recordSolution(request, makeSolution(request));
}

}  // namespace a2
