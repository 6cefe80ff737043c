// The objects that one kernel in one shape and layout compiles to. The device keeps them, so that they are built once.
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
    bool dispatchBase = false;  // work-group numbers may begin at another number than 0
    auto operator<=>(const PipelineKey&) const = default;

    std::uint32_t pushBytes() const;  // up to the end of the last range
};

struct PipelineObjects {
    const PipelineKey* key = nullptr;          // in Device::pipelines
    std::unique_ptr<DevicePipeline> pipeline;  // its layout alone until compiled() is called for it
    bool isCompiled = false;
    std::string name;                  // the kernel's, for messages
    std::optional<KernelFacts> facts;  // always set, once it is made
};

class Device;

// Makes everything except the pipeline, or finds what was made before; it lives as long as the device. Throws
// LimitError if the device cannot run the shape; KernelError if the kernel does not compile, or needs more shared
// memory or a larger work-group than the shape asks for and the device has; EnvironmentError if it is missing.
PipelineObjects& pipelineFor(Device& gpu, const PipelineKey& key);

// Its pipeline, which the driver compiles at the first call. That may crash a driver, as some endless loops crash
// Mesa's CPU driver: so the host walks the kernel before the first run.
const DevicePipeline& compiled(Device& gpu, PipelineObjects& objects);

}  // namespace a2
