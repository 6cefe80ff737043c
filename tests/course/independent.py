"""The same tasks solved by three people who have not seen each other's code: what an honest class has in common.

Each file is the hand-out with these texts for its solutions, in their order.
"""

from grade_support import INTERLEAVED, PROJECT

import markers

KERNELS = {
    "shaders/A2Task1Interleaved.comp": ["""\
    uint id = invocationNumber();
    if (id >= push.invocations) return;
    uint step = push.stride;
    uint pos = id * step * ELEMENTS;
    uint acc = 0u;
    uint i = 0u;
    while (i < ELEMENTS) {
        if (pos < push.count) acc += data[pos];
        pos += step;
        ++i;
    }
    data[id * step * ELEMENTS] = acc;
"""], "shaders/A2Task1Sequential.comp": ["""\
    uint id = invocationNumber();
    if (id >= push.width) return;
    uint acc = 0u;
    uint pos = id;
    uint i = 0u;
    while (i < ELEMENTS) {
        if (pos < push.live) acc += data[pos];
        pos += push.width;
        ++i;
    }
    data[id] = acc;
"""], "shaders/A2Task1KernelDecomposition.comp": ["""\
shared uint cache[gl_WorkGroupSize.x];
""", """\
    uint tid = gl_LocalInvocationIndex;
    cache[tid] = sumOfMyElements();
    memoryBarrierShared();
    barrier();
    uint living = gl_WorkGroupSize.x;
    while (living > 1u) {
        uint upper = (living + 1u) / 2u;
        if (tid + upper < living) cache[tid] += cache[tid + upper];
        living = upper;
        memoryBarrierShared();
        barrier();
    }
    if (workGroupHasTile() && tid == 0u) sums[workGroupNumber()] = cache[0];
"""], "shaders/A2Task2Naive.comp": ["""\
    uint end = (workGroupNumber() + 1) * gl_WorkGroupSize.x * ELEMENTS;
    uint pos = end - gl_WorkGroupSize.x * ELEMENTS + gl_LocalInvocationIndex;
    while (pos < min(end, push.count)) {
        uint result = 0u;
        if (pos >= push.shift) result = source[pos - push.shift];
        if (pos >= push.shift + push.stride) result += source[pos - push.shift - push.stride];
        target[pos] = result;
        pos += gl_WorkGroupSize.x;
    }
"""], "shaders/A2Task2KernelDecompositionOffset.comp": ["""\
    uint group = workGroupNumber() + push.firstTile;
    uint pos = group * gl_WorkGroupSize.x * ELEMENTS + gl_LocalInvocationIndex;
    uint i = 0u;
    while (i < ELEMENTS && pos < push.count) {
        data[pos] += offsets[group];
        pos += gl_WorkGroupSize.x;
        ++i;
    }
"""]}

FUNCTIONS = {
    "shaders/A2Task1Interleaved.comp": ["""\
    const uint width = ELEMENTS * push.stride;
    const uint left = width * invocationNumber();
    if (left < push.count && invocationNumber() < push.invocations) {
        const uint right = min(left + width, push.count);
        uint total = data[left];
        for (uint at = left + push.stride; at < right; at += push.stride) {
            total = total + data[at];
        }
        data[left] = total;
    }
"""], "shaders/A2Task1Sequential.comp": ["""\
    const uint me = invocationNumber();
    uint total = 0;
    if (me < min(push.width, push.live)) {
        for (uint at = me; at < push.live; at += push.width) {
            total = total + data[at];
        }
        data[me] = total;
    }
"""], "shaders/A2Task1KernelDecomposition.comp": ["""\
shared uint tile[2][gl_WorkGroupSize.x];

void fold(uint lane, uint half_, uint from)
{
    uint other = lane + half_;
    uint right = other < gl_WorkGroupSize.x ? tile[from][other] : 0;
    tile[1 - from][lane] = tile[from][lane] + right;
    barrier();
}
""", """\
    uint lane = gl_LocalInvocationID.x, which = 0;
    tile[0][lane] = sumOfMyElements();
    barrier();
    for (uint distance = 1; distance < gl_WorkGroupSize.x; distance <<= 1) {
        fold(lane, distance, which);
        which = 1 - which;
    }
    if (workGroupHasTile()) {
        if (lane == 0) sums[workGroupNumber()] = tile[which][lane];
    }
"""], "shaders/A2Task2Naive.comp": ["""\
    for (uint k = 0; k < ELEMENTS; k++) {
        const uint n = (workGroupNumber() * ELEMENTS + k) * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
        if (n >= push.count) return;
        const int from = int(n) - int(push.shift);
        const int before = from - int(push.stride);
        target[n] = (from < 0 ? 0 : source[from]) + (before < 0 ? 0 : source[before]);
    }
"""], "shaders/A2Task2KernelDecompositionOffset.comp": ["""\
    const uint length = ELEMENTS * gl_WorkGroupSize.x;
    const uint which = push.firstTile + workGroupNumber();
    const uint stop = min(push.count, (which + 1) * length);
    for (uint at = which * length + gl_LocalInvocationID.x; at < stop; at += gl_WorkGroupSize.x) {
        data[at] = data[at] + offsets[which];
    }
"""]}

PLAIN = {
    "shaders/A2Task1Interleaved.comp": ["""\
    uint gid = invocationNumber();
    if (gid < push.invocations) {
        for (uint e = 1; e < ELEMENTS; e++) {
            uint base = gid * push.stride * ELEMENTS;
            uint partner = base + e * push.stride;
            if (partner >= push.count) break;
            data[base] += data[partner];
        }
    }
"""], "shaders/A2Task1Sequential.comp": ["""\
    uint gid = invocationNumber();
    if (gid >= push.width || gid >= push.live) return;
    for (uint e = 1; e < ELEMENTS; e++) {
        uint partner = gid + e * push.width;
        if (partner >= push.live) break;
        data[gid] += data[partner];
    }
"""], "shaders/A2Task1KernelDecomposition.comp": ["""\
shared uint scratch[gl_WorkGroupSize.x];
""", """\
    scratch[gl_LocalInvocationID.x] = sumOfMyElements();
    barrier();
    if (gl_LocalInvocationID.x == 0) {
        uint s = 0;
        for (int i = 0; i < int(gl_WorkGroupSize.x); i++) s += scratch[i];
        if (workGroupHasTile()) sums[workGroupNumber()] = s;
    }
"""], "shaders/A2Task2Naive.comp": ["""\
    uint first = workGroupNumber() * gl_WorkGroupSize.x * ELEMENTS + gl_LocalInvocationID.x;
    for (uint e = 0; e < ELEMENTS; e++) {
        uint idx = first + e * gl_WorkGroupSize.x;
        if (idx < push.count) {
            if (idx < push.shift) {
                target[idx] = 0;
            } else if (idx < push.shift + push.stride) {
                target[idx] = source[idx - push.shift];
            } else {
                target[idx] = source[idx - push.shift] + source[idx - push.shift - push.stride];
            }
        }
    }
"""], "shaders/A2Task2KernelDecompositionOffset.comp": ["""\
    uint t = workGroupNumber() + push.firstTile;
    uint add = 0;
    if (t * gl_WorkGroupSize.x * ELEMENTS < push.count) add = offsets[t];
    for (uint e = 0; e < ELEMENTS; e++) {
        uint idx = (t * ELEMENTS + e) * gl_WorkGroupSize.x + gl_LocalInvocationID.x;
        if (idx < push.count) data[idx] += add;
    }
"""]}

HOST = {
    "one": """\
        std::uint64_t step = 1;
        while (step < count) {
            const std::uint64_t pairs = ceilDiv(count - step, step * shape.elements);
            if (step != 1) {
                vk::MemoryBarrier wait;
                wait.srcAccessMask = vk::AccessFlagBits::eShaderWrite;
                wait.dstAccessMask = vk::AccessFlagBits::eShaderRead | vk::AccessFlagBits::eShaderWrite;
                cb.pipelineBarrier(vk::PipelineStageFlagBits::eComputeShader, vk::PipelineStageFlagBits::eComputeShader,
                                   {}, wait, {}, {});
            }
            InterleavedPush values{};
            values.count = uint(count);
            values.stride = uint(step);
            values.invocations = uint(pairs);
            cb.pushConstants(kernel.layout(), vk::ShaderStageFlagBits::eCompute, 0, sizeof values, &values);
            const auto [x, y] = gpu.groupsFor(pairs, shape.workGroup);
            cb.dispatch(x, y, 1);
            step = step * shape.elements;
        }
""", "two": """\
        const auto stage = vk::PipelineStageFlagBits::eComputeShader;
        const auto both = vk::AccessFlagBits::eShaderRead | vk::AccessFlagBits::eShaderWrite;
        bool first = true;
        for (std::uint64_t distance = 1, next; distance < count; distance = next, first = false) {
            next = distance * shape.elements;
            if (!first) cb.pipelineBarrier(stage, stage, {}, vk::MemoryBarrier(both, both), nullptr, nullptr);
            auto n = (count - distance + next - 1) / next;
            InterleavedPush p = {(uint)count, (uint)distance, (uint)n};
            auto g = gpu.groupsFor(n, shape.workGroup);
            cb.pushConstants<InterleavedPush>(kernel.layout(), vk::ShaderStageFlagBits::eCompute, 0, p);
            cb.dispatch(g.x, g.y, 1);
        }
""", "three": """\
        std::vector<InterleavedPush> steps;
        for (std::uint64_t s = 1; s < count; s *= shape.elements)
            steps.push_back({static_cast<uint>(count), static_cast<uint>(s),
                             static_cast<uint>(ceilDiv(count - s, s * shape.elements))});
        for (const InterleavedPush& step : steps) {
            if (&step != &steps.front()) {
                const vk::MemoryBarrier memory(vk::AccessFlagBits::eShaderWrite, vk::AccessFlagBits::eShaderRead);
                cb.pipelineBarrier(vk::PipelineStageFlagBits::eComputeShader, vk::PipelineStageFlagBits::eComputeShader,
                                   vk::DependencyFlags{}, {memory}, {}, {});
            }
            cb.pushConstants<InterleavedPush>(kernel.layout(), vk::ShaderStageFlagBits::eCompute, 0, step);
            const WorkGroups n = gpu.groupsFor(step.invocations, shape.workGroup);
            cb.dispatch(n.x, n.y, 1);
        }
"""}


def filled(file, parts):
    """The hand-out of a file with these solutions."""
    text, given = markers.read(PROJECT / file), list(parts)
    return markers.replaced(text, markers.parts_of(text, file), lambda part: [given.pop()])


def independent():
    """name -> {file: text}."""
    return {name: {**{file: filled(file, parts) for file, parts in kernels.items()},
                   INTERLEAVED: filled(INTERLEAVED, [HOST[name]])}
            for name, kernels in (("one", KERNELS), ("two", FUNCTIONS), ("three", PLAIN))}
