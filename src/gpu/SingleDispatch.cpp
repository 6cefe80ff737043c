#include "gpu/SingleDispatch.h"

#include "a2/Error.h"

#include <fmt/format.h>

namespace a2 {

namespace {

PipelineKey keyOf(const std::string& shader, std::size_t bindings, std::size_t pushWords, const KernelShape& shape)
{
    PipelineKey key;
    key.shader = shader;
    key.shape = shape;
    RecordedSetLayout& set = key.sets.emplace_back();
    for (std::uint32_t i = 0; i < bindings; ++i) set.bindings.push_back({i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1});
    if (pushWords > 0) key.push.push_back({0, static_cast<std::uint32_t>(pushWords * sizeof(std::uint32_t))});
    return key;
}

}  // namespace

OwnDispatch::OwnDispatch(Device& gpu, const std::string& shader, const KernelShape& shape,
                         const std::vector<BoundElements>& buffers, std::vector<std::uint32_t> push,
                         const WorkGroups& groups, std::string label)
    : gpu_(&gpu),
      objects_(&pipelineFor(gpu, keyOf(shader, buffers.size(), push.size(), shape))),
      push_(std::move(push)),
      groups_(groups),
      label_(std::move(label))
{
    for (const KernelBinding& one : objects_->facts->bindings)
        if (one.set != 0 || one.binding >= buffers.size())
            throw KernelError(
                fmt::format("{} declares '{}' at set {}, binding {}, where nothing is bound: the buffers of "
                            "this kernel are bindings 0 to {} of set 0",
                            shader, one.name, one.set, one.binding, buffers.size() - 1));
    DeviceSet::Contents contents{&objects_->key->sets.front(), shader + " descriptor set", {}};
    for (const BoundElements& one : buffers) {
        contents.ranges.push_back({static_cast<std::uint32_t>(bound_.size()), 0, one.descriptor()});
        bound_.push_back(contents.ranges.back().bound);
        elements_.push_back(one.count());
    }
    gpu.checkDevice();
    set_ = std::move(gpu.backend->makeSets({&contents, 1}).front());
}

void OwnDispatch::record(Commands& commands) const
{
    Launch launch;
    launch.pipeline = &compiled(*gpu_, *objects_);
    launch.sets.push_back({0, set_.get(), {}});
    if (!push_.empty()) {
        const auto* const bytes = reinterpret_cast<const std::uint8_t*>(push_.data());
        launch.push.push_back({0, {bytes, bytes + push_.size() * sizeof(std::uint32_t)}});
    }
    launch.groups = {groups_.x, groups_.y, 1};
    launch.label = label_;
    commands.dispatch(std::move(launch));
}

}  // namespace a2
