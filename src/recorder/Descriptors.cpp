// Descriptor sets: their layouts, their pools, and their contents.
#include "recorder/EntryPoints.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>

namespace a2 {

namespace {

bool isBuffer(VkDescriptorType type)
{
    return type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER || type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER ||
           type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC || type == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC;
}

template <class Info>
const Info* inChain(const void* chain, VkStructureType type)
{
    for (auto* one = static_cast<const VkBaseInStructure*>(chain); one; one = one->pNext)
        if (one->sType == type) return reinterpret_cast<const Info*>(one);
    return nullptr;
}

SetLayoutObject makeSetLayout(Recorder& recorder, const VkDescriptorSetLayoutCreateInfo& info)
{
    const auto* flags = inChain<VkDescriptorSetLayoutBindingFlagsCreateInfo>(
        info.pNext, VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO);
    SetLayoutObject object;
    std::map<std::uint32_t, RecordedSetLayout::Binding> bindings;
    for (std::uint32_t i = 0; i < info.bindingCount; ++i) {
        const VkDescriptorSetLayoutBinding& one = info.pBindings[i];
        if (one.descriptorCount == 0) continue;
        const auto refuse = [&](const char* why) {
            recorder.fault("call", fmt::format("vkCreateDescriptorSetLayout: binding {} {}", one.binding, why));
        };
        if (!isBuffer(one.descriptorType)) {
            refuse("is of a type that a recording has not: it has storage and uniform buffers");
            continue;
        }
        if (!(one.stageFlags & VK_SHADER_STAGE_COMPUTE_BIT)) refuse("is not for the compute stage: set eCompute");
        if (!bindings
                 .try_emplace(one.binding,
                              RecordedSetLayout::Binding{one.binding, static_cast<std::uint32_t>(one.descriptorType),
                                                         one.descriptorCount})
                 .second)
            refuse("is there twice");
        if (flags && i < flags->bindingCount && (flags->pBindingFlags[i] & VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT))
            object.updateAfterBind.insert(one.binding);
    }
    RecordedSetLayout layout;
    for (const auto& [number, binding] : bindings) layout.bindings.push_back(binding);
    object.index = recorder.intern(std::move(layout));
    return object;
}

VkResult createSetLayout(Recorder& recorder, VkDevice, const VkDescriptorSetLayoutCreateInfo* info,
                         const VkAllocationCallbacks*, VkDescriptorSetLayout* made)
{
    if (!recorder.mayMake()) return VK_ERROR_OUT_OF_HOST_MEMORY;
    *made = handleOf<VkDescriptorSetLayout>(recorder.setLayouts.add(makeSetLayout(recorder, *info)));
    return VK_SUCCESS;
}

void destroySetLayout(Recorder& recorder, VkDevice, VkDescriptorSetLayout layout, const VkAllocationCallbacks*)
{
    recorder.destroy(recorder.setLayouts, numberOf(layout));
}

void getLayoutSupport(Recorder&, VkDevice, const VkDescriptorSetLayoutCreateInfo* info,
                      VkDescriptorSetLayoutSupport* support)
{
    const std::span bindings(info->pBindings, info->bindingCount);
    support->supported = std::all_of(bindings.begin(), bindings.end(), [](const VkDescriptorSetLayoutBinding& one) {
        return one.descriptorCount == 0 || isBuffer(one.descriptorType);
    });
}

VkResult createDescriptorPool(Recorder& recorder, VkDevice, const VkDescriptorPoolCreateInfo* info,
                              const VkAllocationCallbacks*, VkDescriptorPool* made)
{
    if (!recorder.mayMake()) return VK_ERROR_OUT_OF_HOST_MEMORY;
    PoolObject pool;
    pool.freesSets = (info->flags & VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT) != 0;
    pool.setsLeft = info->maxSets;
    for (const VkDescriptorPoolSize& one : std::span(info->pPoolSizes, info->poolSizeCount))
        pool.descriptorsLeft[one.type] += one.descriptorCount;
    pool.setsAtFirst = pool.setsLeft;
    pool.descriptorsAtFirst = pool.descriptorsLeft;
    *made = handleOf<VkDescriptorPool>(recorder.pools.add(std::move(pool)));
    return VK_SUCCESS;
}

void destroySetsOf(Recorder& recorder, Handle pool)
{
    for (auto& [handle, set] : recorder.sets)
        if (set.pool == pool && pool != 0) set.destroyed = true;
}

void destroyDescriptorPool(Recorder& recorder, VkDevice, VkDescriptorPool pool, const VkAllocationCallbacks*)
{
    recorder.destroy(recorder.pools, numberOf(pool));
    destroySetsOf(recorder, numberOf(pool));
}

VkResult resetDescriptorPool(Recorder& recorder, VkDevice, VkDescriptorPool pool, VkDescriptorPoolResetFlags)
{
    if (PoolObject* found = recorder.need(recorder.pools, numberOf(pool))) {
        found->setsLeft = found->setsAtFirst;
        found->descriptorsLeft = found->descriptorsAtFirst;
        destroySetsOf(recorder, numberOf(pool));
    }
    return VK_SUCCESS;
}

VkResult allocateSets(Recorder& recorder, VkDevice, const VkDescriptorSetAllocateInfo* info, VkDescriptorSet* made)
{
    PoolObject* pool = recorder.need(recorder.pools, numberOf(info->descriptorPool));
    if (!pool) return VK_ERROR_INITIALIZATION_FAILED;
    PoolObject after = *pool;  // all of them or none are taken
    std::vector<SetObject> sets;
    for (const VkDescriptorSetLayout one : std::span(info->pSetLayouts, info->descriptorSetCount)) {
        const SetLayoutObject* layout = recorder.need(recorder.setLayouts, numberOf(one));
        if (!layout) return VK_ERROR_INITIALIZATION_FAILED;
        if (after.setsLeft-- == 0) return VK_ERROR_OUT_OF_POOL_MEMORY;
        for (const auto& binding : recorder.recording.setLayouts[layout->index].bindings) {
            std::uint32_t& left = after.descriptorsLeft[static_cast<VkDescriptorType>(binding.type)];
            if (left < binding.count) return VK_ERROR_OUT_OF_POOL_MEMORY;
            left -= binding.count;
        }
        SetObject& set = sets.emplace_back();
        set.layout = *layout;
        set.pool = numberOf(info->descriptorPool);
    }
    *pool = after;
    for (SetObject& set : sets) {
        if (!recorder.mayMake()) return VK_ERROR_OUT_OF_HOST_MEMORY;
        *made++ = handleOf<VkDescriptorSet>(recorder.sets.add(std::move(set)));
    }
    return VK_SUCCESS;
}

VkResult freeSets(Recorder& recorder, VkDevice, VkDescriptorPool from, std::uint32_t count, const VkDescriptorSet* sets)
{
    PoolObject* pool = recorder.need(recorder.pools, numberOf(from));
    if (!pool) return VK_SUCCESS;
    if (!pool->freesSets)
        recorder.fault("call",
                       fmt::format("vkFreeDescriptorSets: {} was made without eFreeDescriptorSet", describe(*pool)));
    for (const VkDescriptorSet one : std::span(sets, count)) {
        SetObject* set = one ? recorder.need(recorder.sets, numberOf(one)) : nullptr;
        if (!set) continue;
        set->destroyed = true;
        ++pool->setsLeft;
        for (const auto& binding : recorder.recording.setLayouts[set->layout.index].bindings)
            pool->descriptorsLeft[static_cast<VkDescriptorType>(binding.type)] += binding.count;
    }
    return VK_SUCCESS;
}

// The places of `count` descriptors from this one on: after the last one of a binding comes the first one of the next
// binding.
std::vector<std::pair<std::uint32_t, std::uint32_t>> places(const Recorder& recorder, const SetLayoutObject& layout,
                                                            std::uint32_t binding, std::uint32_t element,
                                                            std::uint32_t count)
{
    const auto& bindings = recorder.recording.setLayouts[layout.index].bindings;
    auto at = std::find_if(bindings.begin(), bindings.end(), [&](const auto& one) { return one.number == binding; });
    std::vector<std::pair<std::uint32_t, std::uint32_t>> all;
    while (at != bindings.end() && all.size() < count) {
        if (element >= at->count) {
            element -= at->count;
            const auto next = std::next(at);
            if (next == bindings.end() || next->type != at->type || next->number != at->number + 1) break;
            at = next;
            continue;
        }
        all.emplace_back(at->number, element++);
    }
    return all;
}

void write(Recorder& recorder, const std::string& set, const SetLayoutObject& layout, SetContents& contents,
           std::uint32_t binding, std::uint32_t element, VkDescriptorType type,
           const std::vector<VkDescriptorBufferInfo>& infos)
{
    const auto written = places(recorder, layout, binding, element, static_cast<std::uint32_t>(infos.size()));
    if (written.size() != infos.size())
        recorder.fault("call", fmt::format("{} has {} descriptors from binding {} on, and {} are written", set,
                                           written.size(), binding, infos.size()));
    for (std::size_t i = 0; i < written.size(); ++i) {
        const auto& [number, place] = written[i];
        for (const auto& one : recorder.recording.setLayouts[layout.index].bindings)
            if (one.number == number && one.type != static_cast<std::uint32_t>(type))
                recorder.fault("call",
                               fmt::format("binding {} of {} was made for another type of descriptor than is written",
                                           number, set));
        const BufferObject* buffer = recorder.need(recorder.buffers, numberOf(infos[i].buffer));
        if (!buffer || !recorder.mayNote(sizeof(RecordedSet::Range))) continue;
        const Recorder::Bytes bytes = recorder.within(*buffer, infos[i].offset, infos[i].range);
        if (bytes.clamped || bytes.bytes == 0)
            recorder.fault(
                "range-limit",
                fmt::format("binding {} would bind bytes {} to {} of buffer '{}', which ends at byte {}: bind "
                            "Buffer::descriptor()",
                            number, infos[i].offset,
                            infos[i].range == VK_WHOLE_SIZE ? recorder.recorded(*buffer).bytes
                                                            : infos[i].offset + infos[i].range,
                            buffer->name, recorder.recorded(*buffer).bytes));
        if (bytes.bytes > 0) contents[written[i]] = {number, place, buffer->index, bytes.offset, bytes.bytes};
    }
}

// Call it before a set changes: command buffers in which it is bound become invalid.
void changes(Recorder& recorder, Handle handle, const SetObject& set, std::uint32_t binding)
{
    if (set.layout.updateAfterBind.count(binding)) return;
    for (auto& [number, one] : recorder.commandBuffers) {
        if (one.destroyed || !one.boundSets.count(handle)) continue;
        if (one.stage == CommandBufferObject::Stage::recording)
            recorder.fault(
                "call",
                fmt::format("{}: {} is updated after it was bound: the command buffer becomes invalid; write to "
                            "it before, or make a set for each content",
                            lastCall.load(), describe(set)));
        else if (one.stage == CommandBufferObject::Stage::ended)
            one.stage = CommandBufferObject::Stage::invalid;
    }
}

void writeSet(Recorder& recorder, VkDescriptorSet handle, std::uint32_t binding, std::uint32_t element,
              VkDescriptorType type, const std::vector<VkDescriptorBufferInfo>& infos)
{
    SetObject* set = recorder.need(recorder.sets, numberOf(handle));
    if (!set) return;
    changes(recorder, numberOf(handle), *set, binding);
    write(recorder, describe(*set), set->layout, set->contents, binding, element, type, infos);
}

void noBuffer(Recorder& recorder, std::uint32_t binding)
{
    recorder.fault("call", fmt::format("{}: what is written at binding {} is no buffer; a recording has storage and "
                                       "uniform buffers",
                                       lastCall.load(), binding));
}

std::vector<VkDescriptorBufferInfo> infosOf(Recorder& recorder, const VkWriteDescriptorSet& write)
{
    mustBe(recorder, write.sType, VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, "VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET");
    if (!write.pBufferInfo || !isBuffer(write.descriptorType)) {
        noBuffer(recorder, write.dstBinding);
        return {};
    }
    return {write.pBufferInfo, write.pBufferInfo + write.descriptorCount};
}

void copySet(Recorder& recorder, const VkCopyDescriptorSet& copy)
{
    SetObject* from = recorder.need(recorder.sets, numberOf(copy.srcSet));
    SetObject* to = recorder.need(recorder.sets, numberOf(copy.dstSet));
    if (!from || !to) return;
    changes(recorder, numberOf(copy.dstSet), *to, copy.dstBinding);
    const auto fromPlaces = places(recorder, from->layout, copy.srcBinding, copy.srcArrayElement, copy.descriptorCount);
    const auto toPlaces = places(recorder, to->layout, copy.dstBinding, copy.dstArrayElement, copy.descriptorCount);
    if (fromPlaces.size() != copy.descriptorCount || toPlaces.size() != copy.descriptorCount)
        return recorder.fault(
            "call",
            fmt::format("vkUpdateDescriptorSets: {} descriptors cannot be copied from binding {} "
                        "of {} to binding {} of {}: there are fewer",
                        copy.descriptorCount, copy.srcBinding, describe(*from), copy.dstBinding, describe(*to)));
    const SetContents before = from->contents;  // a copy: it may be the same set
    for (std::size_t i = 0; i < toPlaces.size(); ++i) {
        const auto found = before.find(fromPlaces[i]);
        if (found == before.end()) continue;
        RecordedSet::Range range = found->second;
        range.binding = toPlaces[i].first;
        range.element = toPlaces[i].second;
        to->contents[toPlaces[i]] = range;
    }
}

void updateSets(Recorder& recorder, VkDevice, std::uint32_t writeCount, const VkWriteDescriptorSet* writes,
                std::uint32_t copyCount, const VkCopyDescriptorSet* copies)
{
    for (const VkWriteDescriptorSet& one : std::span(writes, writeCount))
        writeSet(recorder, one.dstSet, one.dstBinding, one.dstArrayElement, one.descriptorType, infosOf(recorder, one));
    for (const VkCopyDescriptorSet& one : std::span(copies, copyCount)) copySet(recorder, one);
}

VkResult createTemplate(Recorder& recorder, VkDevice, const VkDescriptorUpdateTemplateCreateInfo* info,
                        const VkAllocationCallbacks*, VkDescriptorUpdateTemplate* made)
{
    if (!recorder.mayMake()) return VK_ERROR_OUT_OF_HOST_MEMORY;
    TemplateObject object;
    object.entries.assign(info->pDescriptorUpdateEntries,
                          info->pDescriptorUpdateEntries + info->descriptorUpdateEntryCount);
    *made = handleOf<VkDescriptorUpdateTemplate>(recorder.templates.add(std::move(object)));
    return VK_SUCCESS;
}

void destroyTemplate(Recorder& recorder, VkDevice, VkDescriptorUpdateTemplate handle, const VkAllocationCallbacks*)
{
    recorder.destroy(recorder.templates, numberOf(handle));
}

std::vector<VkDescriptorBufferInfo> infosOf(Recorder& recorder, const VkDescriptorUpdateTemplateEntry& entry,
                                            const void* data)
{
    std::vector<VkDescriptorBufferInfo> infos;
    if (!isBuffer(entry.descriptorType)) {
        noBuffer(recorder, entry.dstBinding);
        return infos;
    }
    for (std::uint32_t i = 0; i < entry.descriptorCount; ++i)
        std::memcpy(&infos.emplace_back(), static_cast<const std::uint8_t*>(data) + entry.offset + i * entry.stride,
                    sizeof(VkDescriptorBufferInfo));
    return infos;
}

void updateWithTemplate(Recorder& recorder, VkDevice, VkDescriptorSet set, VkDescriptorUpdateTemplate handle,
                        const void* data)
{
    const TemplateObject* found = recorder.need(recorder.templates, numberOf(handle));
    if (!found) return;
    for (const VkDescriptorUpdateTemplateEntry& one : found->entries)
        writeSet(recorder, set, one.dstBinding, one.dstArrayElement, one.descriptorType, infosOf(recorder, one, data));
}

// The set that is pushed at this number, including what was pushed there before. Null if there can be none.
BoundSet* pushedSet(Recorder& recorder, CommandBufferObject& into, const LayoutObject& layout, std::uint32_t number)
{
    if (number >= layout.sets.size()) {
        recorder.fault("call", fmt::format("{}: {} has {} descriptor sets, and set {} is pushed", lastCall.load(),
                                           describe(layout), layout.sets.size(), number));
        return nullptr;
    }
    BoundSet& bound = recorder.bindAt(into, layout, number);
    if (bound.set != 0 || bound.setLayout != layout.sets[number].index) bound = {};
    bound.setLayout = layout.sets[number].index;
    bound.layout = layout.index;
    return &bound;
}

void pushSet(Recorder& recorder, VkCommandBuffer commandBuffer, VkPipelineBindPoint, VkPipelineLayout handle,
             std::uint32_t number, std::uint32_t count, const VkWriteDescriptorSet* writes)
{
    CommandBufferObject* into = recorder.recordingInto(commandBuffer);
    const LayoutObject* layout = recorder.need(recorder.layouts, numberOf(handle));
    BoundSet* bound = into && layout ? pushedSet(recorder, *into, *layout, number) : nullptr;
    if (!bound) return;
    for (const VkWriteDescriptorSet& one : std::span(writes, count))
        write(recorder, "the pushed descriptor set", layout->sets[number], bound->pushed, one.dstBinding,
              one.dstArrayElement, one.descriptorType, infosOf(recorder, one));
}

void pushWithTemplate(Recorder& recorder, VkCommandBuffer commandBuffer, VkDescriptorUpdateTemplate handle,
                      VkPipelineLayout layoutHandle, std::uint32_t number, const void* data)
{
    CommandBufferObject* into = recorder.recordingInto(commandBuffer);
    const LayoutObject* layout = recorder.need(recorder.layouts, numberOf(layoutHandle));
    const TemplateObject* found = recorder.need(recorder.templates, numberOf(handle));
    BoundSet* bound = into && layout && found ? pushedSet(recorder, *into, *layout, number) : nullptr;
    if (!bound) return;
    for (const VkDescriptorUpdateTemplateEntry& one : found->entries)
        write(recorder, "the pushed descriptor set", layout->sets[number], bound->pushed, one.dstBinding,
              one.dstArrayElement, one.descriptorType, infosOf(recorder, one, data));
}

}  // namespace

std::vector<EntryPoint> descriptorEntryPoints()
{
    return {
        entry<"vkCreateDescriptorSetLayout", PFN_vkCreateDescriptorSetLayout, createSetLayout>(),
        entry<"vkDestroyDescriptorSetLayout", PFN_vkDestroyDescriptorSetLayout, destroySetLayout>(),
        entry<"vkGetDescriptorSetLayoutSupport", PFN_vkGetDescriptorSetLayoutSupport, getLayoutSupport>(),
        entry<"vkGetDescriptorSetLayoutSupportKHR", PFN_vkGetDescriptorSetLayoutSupport, getLayoutSupport>(),
        entry<"vkCreateDescriptorPool", PFN_vkCreateDescriptorPool, createDescriptorPool>(),
        entry<"vkDestroyDescriptorPool", PFN_vkDestroyDescriptorPool, destroyDescriptorPool>(),
        entry<"vkResetDescriptorPool", PFN_vkResetDescriptorPool, resetDescriptorPool>(),
        entry<"vkAllocateDescriptorSets", PFN_vkAllocateDescriptorSets, allocateSets>(),
        entry<"vkFreeDescriptorSets", PFN_vkFreeDescriptorSets, freeSets>(),
        entry<"vkUpdateDescriptorSets", PFN_vkUpdateDescriptorSets, updateSets>(),
        entry<"vkCreateDescriptorUpdateTemplate", PFN_vkCreateDescriptorUpdateTemplate, createTemplate>(),
        entry<"vkCreateDescriptorUpdateTemplateKHR", PFN_vkCreateDescriptorUpdateTemplate, createTemplate>(),
        entry<"vkDestroyDescriptorUpdateTemplate", PFN_vkDestroyDescriptorUpdateTemplate, destroyTemplate>(),
        entry<"vkDestroyDescriptorUpdateTemplateKHR", PFN_vkDestroyDescriptorUpdateTemplate, destroyTemplate>(),
        entry<"vkUpdateDescriptorSetWithTemplate", PFN_vkUpdateDescriptorSetWithTemplate, updateWithTemplate>(),
        entry<"vkUpdateDescriptorSetWithTemplateKHR", PFN_vkUpdateDescriptorSetWithTemplate, updateWithTemplate>(),
        entry<"vkCmdPushDescriptorSetKHR", PFN_vkCmdPushDescriptorSetKHR, pushSet>(),
        entry<"vkCmdPushDescriptorSet", PFN_vkCmdPushDescriptorSetKHR, pushSet>(),
        entry<"vkCmdPushDescriptorSetWithTemplateKHR", PFN_vkCmdPushDescriptorSetWithTemplateKHR, pushWithTemplate>(),
        entry<"vkCmdPushDescriptorSetWithTemplate", PFN_vkCmdPushDescriptorSetWithTemplateKHR, pushWithTemplate>(),
    };
}

}  // namespace a2
