// Devices for tests: the CPU driver, and folders of deliberately changed kernels.
#pragma once

#include "gpu/Device.h"
#include "judge/Evaluator.h"
#include "report/Explanation.h"
#include "support/RecordedHere.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace a2 {

inline OpenDevice openTestGpu(const std::string& shaderDir = "", Validation validation = Validation::off,
                              const ElementType& element = ElementType::uint32)
{
    GpuOptions options;
    options.element = &element;
    options.device = "cpu";
    options.shaderDir = shaderDir;
    options.validation = validation;
    options.record = recordedHere;
    return openDevice(options);
}

// The emulated device; seconds: --timeout.
inline OpenDevice openEmulator(const std::string& shaderDir = "", double seconds = 600,
                               const ElementType& element = ElementType::uint32)
{
    GpuOptions options;
    options.element = &element;
    options.device = "emulator";
    options.shaderDir = shaderDir;
    options.timeout = std::chrono::duration<double>(seconds);
    options.record = recordedHere;
    return openDevice(options);
}

inline Task taskNamed(const std::string& id) { return selectTasks({id}, false).front(); }

// `a2 run` of one task at one length.
inline TaskOutcome evaluate(Device& gpu, const Task& task, std::uint64_t n, const EvaluationSettings& like = {})
{
    EvaluationSettings settings = like;
    settings.size = n;
    settings.repeat = 2;
    Evaluator evaluator(gpu, settings, [](const std::string&) {});
    return evaluator.run(task);
}

// Three repetitions, with no warm-up.
inline SeriesSettings ofThree(unsigned batch)
{
    SeriesSettings settings;
    settings.repeat = 3;
    settings.batch = batch;
    settings.warmUpMs = 0;
    return settings;
}

inline std::string explanation(const TaskOutcome& outcome)
{
    std::string text;
    for (const std::string& line : explanationLines(outcome)) text += line + "\n";
    return text;
}

}  // namespace a2
