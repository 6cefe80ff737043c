// A recording that contains everything a recording can contain, once, for tests that break it.
#pragma once

#include "recording/Request.h"

#include <vulkan/vulkan_core.h>

namespace a2 {

inline Recording exampleRecording()
{
    using Role = RecordedBuffer::Role;
    Recording all;
    all.task = "A2Task2KernelDecomposition";
    all.count = 1000;
    all.shape = {128, 4, true, 2, 16};
    all.buffers = {{"input", 4000, Role::input, RecordedBuffer::Lifetime::solution},
                   {"block offsets", 64, Role::blockOffsets, RecordedBuffer::Lifetime::solution},
                   {"sums", 1024, Role::made, RecordedBuffer::Lifetime::run},
                   {"groups \xC3\xA9", 256, Role::made, RecordedBuffer::Lifetime::solution}};
    all.uploads = {{3, 2, {1, 0xDEADBEEF, 0}}, {2, 0, {7}, 5}};
    all.setLayouts = {{{{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1}, {2, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 2}}},
                      {{{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC, 2},
                        {1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1},
                        {5, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, 1}}},
                      {}};
    all.layouts = {{{0, 1}, {{0, 16}}}, {{2, 1}, {}}};
    RecordedPipeline own;
    own.code = {0x07230203, 0x00010000, 0, 1, 0};
    own.entry = "start";
    own.constants = {{0, {64, 0, 0, 0}}, {7, {1}}};
    own.layout = 1;
    RecordedPipeline made;
    made.shader = "A2Task2KernelDecomposition";
    made.shape = {64, 2, false, 1, KernelShape::noPadding};
    made.name = "scan of the tiles";
    all.pipelines = {made, own};
    all.sets = {{0, {{0, 0, 0, 0, 4000}, {2, 1, 3, 16, 32}}, "tiles"},
                {1, {{0, 1, 2, 0, 512}, {1, 0, 1, 0, 64}, {5, 0, 3, 0, 64}}, ""},
                {2, {}, "nothing"}};
    all.faults = {{"call", "vkCreateSampler is not for this", {}}};

    RecordedDispatch dispatch;
    dispatch.label = "level 1";
    dispatch.pipeline = 0;
    dispatch.sets = {{0, 0, {}}, {1, 1, {0, 512, 64}}};
    dispatch.push = {{0, {1, 2, 3, 4}}, {8, {5, 6, 7, 8, 9, 10, 11, 12}}};
    dispatch.base = {1, 0, 0};
    dispatch.groups = {8, 2, 1};
    RecordedDispatch indirect;
    indirect.pipeline = 1;
    indirect.layout = 1;
    indirect.sets = {{1, 1, {4, 0, 0}}};
    indirect.indirect = {3, 244};
    RecordedBarrier barrier;
    barrier.dependencies = {{0x800, 0x800, 0x40, 0x20, {}, 0, 0}, {0x1000, 0x800, 0x1000, 0x60, 2, 4, 1020}};
    RecordedBarrier wait;
    wait.dependencies = {{std::uint64_t{1} << 40, 1, 0, 0, {}, 0, 0}};
    wait.waits = true;
    wait.covered = 2;
    using Kind = RecordedTransfer::Kind;
    RecordedRun run;
    run.commands = {dispatch,
                    barrier,
                    indirect,
                    wait,
                    RecordedTransfer{Kind::fill, 2, 0, 4, 0, 1020, 0xFFFFFFFF, {}},
                    RecordedTransfer{Kind::update, 3, 0, 8, 0, 4, 0, {1, 2, 3, 4}},
                    RecordedTransfer{Kind::copy, 2, 0, 24, 8, 1000, 0, {}},
                    RecordedTransfer{Kind::copy, 3, 3, 0, 128, 128, 0, {}}};
    run.faults = {{"unset-push", "bytes 4 to 7 were never pushed", 0}};
    run.result = 2;
    all.runs = {run, {{RecordedDispatch()}, {}, 3}};
    return all;
}

inline RecordRequest exampleRequest()
{
    RecordRequest request;
    request.task = "offset";
    request.factory = "makeOffset";
    request.shaders = {"A2Task2Offset", "A2Task2Other"};
    request.shape = {32, 8, true, 1, 0};
    request.count = std::uint64_t{1} << 40;
    request.offsetCount = 17;
    request.runs = 3;
    request.device = {{1, 2, 3}, true, true, 32};
    return request;
}

}  // namespace a2
