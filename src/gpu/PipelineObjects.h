// What one kernel in one shape and layout compiles to, kept by the device so that it is built once.
#pragma once

#include "gpu/Backend.h"
#include "recording/Recording.h"
#include "spirv/KernelFacts.h"

#include <compare>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace a2 {

// Everything that a pipeline depends on.
struct PipelineKey {
    std::string shader;  // file under shaders/ without .comp; empty: `code`
    KernelShape shape;   // of `shader`
    std::vector<std::uint32_t> code;
    std::string entry = "main";
    std::vector<RecordedPipeline::Constant> constants;  // of `code`
    std::vector<RecordedSetLayout> sets;
    std::vector<RecordedLayout::PushRange> push;
    bool dispatchBase = false;  // work-groups may be numbered from another one than the first
    auto operator<=>(const PipelineKey&) const = default;

    std::uint32_t pushBytes() const;  // up to the end of the last range
};

struct PipelineObjects {
    const PipelineKey* key = nullptr;          // in Device::pipelines
    std::unique_ptr<DevicePipeline> pipeline;  // its layout alone until somebody asks compiled() for it
    bool isCompiled = false;
    std::string name;                  // of the kernel, for people
    std::optional<KernelFacts> facts;  // always there, once it is made
};

class Device;

// Makes all but the pipeline, or finds what was made before; it lives as long as the device.
// Throws LimitError if the device cannot run the shape, KernelError if the kernel does not compile, or asks for more
// shared memory or a larger work-group than it was asked to and the device has, EnvironmentError if it is missing.
PipelineObjects& pipelineFor(Device& gpu, const PipelineKey& key);

// Its pipeline, which the driver compiles when somebody asks for the first time. A driver may not survive that, as
// Mesa's CPU driver does not survive some endless loops: so a walk on the host goes before the first run.
const DevicePipeline& compiled(Device& gpu, PipelineObjects& objects);

}  // namespace a2
