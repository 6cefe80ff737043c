"""Wrong reductions; variants.py explains the lines."""

from variants import group

# ---------------------------------------------------------------------------------------------- reduce/interleaved
add = group("src/A2Task1Solution/Interleaved.cpp", "reduce/interleaved")
add("InterleavedBarrierWriteToWrite",
    [("vk::AccessFlagBits::eShaderRead | vk::AccessFlagBits::eShaderWrite", "vk::AccessFlagBits::eShaderWrite")],
    "weak-barrier", 1)
add("InterleavedBarrierAfterTransfer",
    [("vk::PipelineStageFlagBits::eComputeShader, vk::PipelineStageFlagBits::eComputeShader",
      "vk::PipelineStageFlagBits::eTransfer, vk::PipelineStageFlagBits::eComputeShader")],
    "weak-barrier", 1)
add("InterleavedBarrierBeforeTheFirstStepOnly", [("if (stride > 1)", "if (stride == 1)")], "missing-barrier", 1)
add("InterleavedStopsOneStepEarly", [("stride < count;", "stride * shape.elements < count;")], "unfinished", None)
add("InterleavedPushesTheNextStride",
    [("static_cast<uint>(count), static_cast<uint>(stride),",
      "static_cast<uint>(count), static_cast<uint>(2 * stride),")],
    "value", 0)
add("InterleavedAlwaysStartsAll",
    [("gpu.groupsFor(invocations, shape.workGroup)", "gpu.groupsFor(count, shape.workGroup)")],
    "wasted-invocations", 2, n=4096)
add("InterleavedDispatchesNX0X0",
    [("cb.dispatch(groups.x, groups.y, 1)", "cb.dispatch(static_cast<uint>(count), 0, 0)")],
    "empty-dispatch", 0)
add("InterleavedSmallestOfZero",
    [("cb.dispatch(groups.x, groups.y, 1)", "cb.dispatch(std::min(groups.x, 0U), groups.y, 1)")],
    "empty-dispatch", 0)
add("InterleavedDividesByZero",
    [("gpu.groupsFor(invocations, shape.workGroup)", "gpu.groupsFor(invocations, std::min(shape.workGroup, 0U))")],
    "work-groups of 0 invocations", None)
add("InterleavedWorkGroupSizeHardCoded",
    [("gpu.groupsFor(invocations, shape.workGroup)", "gpu.groupsFor(invocations, 256)")],
    "value", 0)

add = group("shaders/A2Task1Interleaved.comp", "reduce/interleaved")
add("InterleavedShaderTail", [("k <= partners", "k < partners")], "value", 0)
# No driver meets these two.
add("InterleavedShaderWritesFarAway",
    [("data[first] = sum;", "data[first] = sum;\n        data[first + 0x3FFFFFF0u] = sum;")], "out-of-bounds", 0)
add("InterleavedShaderNeverEnds",
    [("data[first] = sum;", "data[first] = sum;\n        for (uint i = 0; i < 4;) i *= 2;")], "endless-loop", 0)
add("InterleavedShaderAddsItselfTwice", [("uint k = 1;", "uint k = 0;")], "value", 0)
add("InterleavedShaderComparesAVector",
    [("if (invocationNumber() < push.invocations)", "if (gl_GlobalInvocationID < push.invocations)")],
    "does not compile: '<'", None)

# ------------------------------------------------------------------------------------------------ reduce/sequential
add = group("src/A2Task1Solution/Sequential.cpp", "reduce/sequential")
add("SequentialBarrierReadToRead",
    [("vk::MemoryBarrier(vk::AccessFlagBits::eShaderWrite,", "vk::MemoryBarrier(vk::AccessFlagBits::eShaderRead,")],
    "weak-barrier", 1)
add("SequentialWidthRoundedDown", [("ceilDiv(live, shape.elements)", "live / shape.elements")],
    "value", 3)  # 1000, 500, 250, 125: the first odd one
add("SequentialStopsAtTwo", [("live > 1; live = width", "live > 2; live = width")], "unfinished", None)
add("SequentialPushesHalfTheStruct",
    [("cb.pushConstants<SequentialPush>(kernel.layout(), vk::ShaderStageFlagBits::eCompute, 0, push)",
      "cb.pushConstants<uint>(kernel.layout(), vk::ShaderStageFlagBits::eCompute, 0, push.live)")],
    "push-constant-size", 0)
add("SequentialPushesMoreThanTheLayoutHas", [("sizeof(SequentialPush), shape}", "sizeof(uint), shape}")],
    "push-constant-size", 0)
add("SequentialOneGroupPerInvocation",
    [("gpu.groupsFor(std::min(width, live - width), shape.workGroup)",
      "{static_cast<uint>(std::min(width, live - width)), 1}")],
    "group-limit", 0, n=200000)
add("SequentialSumFromTheHost",
    [("for (std::uint64_t live",
      """uint sum = 0;
         for (std::uint64_t i = 0; i < count; ++i) sum += static_cast<uint>(i % 97);
         cb.updateBuffer<uint>(input.handle(), 0, sum);
         return;
         for (std::uint64_t live""")],
    "no-dispatch", None, pattern="mod97")
SUM_MEMBER = ("using Solution::Solution;", "using Solution::Solution; uint sum = 0;")
add("SequentialSumFromTheHostAfterDispatches",
    [("labelDispatch(", "sum = 0; labelDispatch("),
     ("cb.dispatch(groups.x, groups.y, 1); }",
      """cb.dispatch(groups.x, groups.y, 1); }
         for (std::uint64_t i = 0; i < count; ++i) sum += static_cast<uint>(i % 97);
         cb.pipelineBarrier(vk::PipelineStageFlagBits::eComputeShader, vk::PipelineStageFlagBits::eTransfer, {},
                            vk::MemoryBarrier(vk::AccessFlagBits::eShaderWrite, vk::AccessFlagBits::eTransferWrite),
                            {}, {});
         cb.updateBuffer<uint>(input.handle(), 0, sum);"""),
     SUM_MEMBER],
    "no-dispatch", None, pattern="mod97")
# Sums up when the solution is made, and lets the kernels add zeros to that: while recording there is no input to sum
# up.
add("SequentialSumFromPrepare",
    [("using Solution::Solution;",
      """uint sum = 0;
         explicit Sequential(const Given& given) : Solution(given)
         {
             std::vector<uint> values(count);
             fillHostWithStagingBuffer(gpu, input, values);
             for (const uint value : values) sum += value;
         }"""),
     ("for (std::uint64_t live",
      """cb.fillBuffer(input.handle(), 4, input.bytes() - 4, 0);
         cb.updateBuffer<uint>(input.handle(), 0, sum);
         cb.pipelineBarrier(vk::PipelineStageFlagBits::eTransfer, vk::PipelineStageFlagBits::eComputeShader, {},
                            vk::MemoryBarrier(vk::AccessFlagBits::eTransferWrite, vk::AccessFlagBits::eShaderRead),
                            {}, {});
         for (std::uint64_t live""")],
    "there is no data", None)

add = group("shaders/A2Task1Sequential.comp", "reduce/sequential")
add("SequentialShaderTail", [("index < push.live", "index + 1 < push.live")], "value", 0)
add("SequentialShaderSkipsAChunk", [("uint k = 1;", "uint k = 2;")], "value", 0)
add("SequentialShaderBoundsOnTheWrongIndex", [("if (index < push.live)", "if (first < push.live)")],
    "value", 0, n=1001, elements=4)
add = group("shaders/include/A2Kernels.h", "reduce/sequential")
add("SequentialShaderWorkGroupSizeHardCoded",
    [("workGroupNumber() * gl_WorkGroupSize.x", "workGroupNumber() * 64")], "value", 0, work_group=128)

# ------------------------------------------------------------ reduce/decomposition, reduce/unroll, reduce/atomic
add = group("src/A2Task1Solution/KernelDecomposition.cpp", "reduce/decomposition")
add("DecompositionAddsASumThatNobodyWrote",
    [("ceilDiv(count, shape.tile())};", "ceilDiv(count, shape.tile()) + 1};"),
     ("live = ceilDiv(live, shape.tile());", "live = ceilDiv(live, shape.tile()) + (live == count ? 1 : 0);")],
    "unset-memory", 1, n=4096)
add("DecompositionDividesByTheWorkGroup",
    [('"partial sums", ceilDiv(count, shape.tile())', '"partial sums", ceilDiv(count, shape.workGroup)'),
     ("live = ceilDiv(live, shape.tile());", "live = ceilDiv(live, shape.workGroup);")],
    "value", 1)
add("DecompositionCountsMoreSumsThanThereAre",
    [("live = ceilDiv(live, shape.tile());", "live = ceilDiv(live, shape.workGroup);")],
    "16 elements from element 0 on of buffer 'partial sums' were asked for, which has 8", None)
add("DecompositionResultInTheInput", [("last = source;", "last = &input;")], "no-dispatch", None, n=100)
add("DecompositionResultInTheWrongBuffer", [("last = source;", "last = target;")], "elsewhere", None)
add("DecompositionBarrierOnTheWrongBuffer",
    [("""vk::MemoryBarrier(vk::AccessFlagBits::eShaderWrite,
                           vk::AccessFlagBits::eShaderRead | vk::AccessFlagBits::eShaderWrite),
         {}, {});""",
      """{}, vk::BufferMemoryBarrier(vk::AccessFlagBits::eShaderWrite, vk::AccessFlagBits::eShaderRead,
                                     VK_QUEUE_FAMILY_IGNORED, VK_QUEUE_FAMILY_IGNORED,
                                     sumsOfSums.handle(), 0, VK_WHOLE_SIZE), {});""")],
    "weak-barrier", 1)
add("DecompositionOneGroupPerElement",
    [("cb.dispatch(groups.x, groups.y, 1)", "cb.dispatch(static_cast<uint>(live), 1, 1)")],
    "wasted-invocations", 0)

# Counts the levels in a member that is never reset: the second run records nothing, or only the levels it forgot.
LEVEL_MEMBER = ("const Buffer* last = nullptr;", "const Buffer* last = nullptr; std::size_t level = 0;")
add("UnrollLevelNotReset",
    [("for (std::size_t i = 0; i < levels.size(); ++i) {", "for (; level < levels.size(); ++level) {"),
     ("if (i > 0)", "if (level > 0)"), ("levels[i])", "levels[level])"), LEVEL_MEMBER],
    "stale-state", None, n=100, task="reduce/unroll")
add("UnrollStartsAtTheLevelItEndedWith",
    [("for (std::size_t i = 0; i < levels.size(); ++i) {",
      "for (std::size_t i = level; i < levels.size(); level = i++) {"), LEVEL_MEMBER],
    "stale-state", None, n=20000, task="reduce/unroll")
add("UnrollStopsAtOneWorkGroup", [("while (live > 1)", "while (live > shape.workGroup)")],
    "unfinished", None, task="reduce/unroll")
add("UnrollBuffersNotSwapped", [("source = target;", "")], "value", 1, task="reduce/unroll")
add("UnrollNeverBinds",
    [("cb.bindDescriptorSets(vk::PipelineBindPoint::eCompute, kernel.layout(), 0, part.set, {});",
      "")],
    "out-of-bounds", 0, task="reduce/unroll")

add("AtomicPingPongReversed",
    [("{source.slice(slice.first, slice.count), target.slice(slice.firstTile, slice.tiles)}",
      "{target.slice(slice.firstTile, slice.tiles), source.slice(slice.first, slice.count)}")],
    "value", 0, task="reduce/atomic")
add("AtomicSumsIntoTheInput", [("addLevel(*source, live, *target);", "addLevel(*source, live, *source);"),
                               ("source = target;", "")],
    "input-modified", 0, task="reduce/atomic")
add("AtomicBarrierWithoutMasks",
    [("""vk::MemoryBarrier(vk::AccessFlagBits::eShaderWrite,
                           vk::AccessFlagBits::eShaderRead | vk::AccessFlagBits::eShaderWrite)""",
      "vk::MemoryBarrier()")],
    "weak-barrier", 1, task="reduce/atomic")
add("AtomicTooManyGroups", [("cb.dispatch(groups.x, groups.y, 1)", "cb.dispatch(65536, 1, 1)")],
    "group-limit", 0, task="reduce/atomic")
add("AtomicBarrierInOneLevelOnly", [("if (i > 0)", "if (i > 1)")],
    "missing-barrier", 1, n=20000, task="reduce/atomic")
# Works only in this many runs. Three are recorded, and the timed runs are these.
RUNS_MEMBER = ("const Buffer* last = nullptr;", "const Buffer* last = nullptr; unsigned runs = 0;")
for runs, rule in ((1, "stale-state"), (2, "stale-state"), (3, "passed")):
    add(f"AtomicWorksInTheFirst{runs}RunsOnly",
        [("cb.bindPipeline(vk::PipelineBindPoint::eCompute, kernel.pipeline());",
          f"if (this->runs++ >= {runs}) return; cb.bindPipeline(vk::PipelineBindPoint::eCompute, kernel.pipeline());"),
         RUNS_MEMBER],
        rule, None, task="reduce/atomic")

add = group("shaders/A2Task1KernelDecomposition.comp", "reduce/decomposition")
add("DecompositionShaderStopsOneStepEarly", [("stride > 0;", "stride > 1;")], "value", 0)
add("DecompositionShaderTreeWithoutABarrier", [("barrier();  // the next step", "// the next step")], "value", 0)
add("DecompositionShaderReadsPastItsArray", [("partial[lane + stride];", "partial[lane + stride + 1];")],
    "out-of-bounds", 0)
add("DecompositionShaderLosesAnOddOne", [("NEXT_POWER_OF_TWO(gl_WorkGroupSize.x) / 2", "gl_WorkGroupSize.x / 2")],
    "value", 0, work_group=100)
add("DecompositionShaderReturnsBeforeABarrier",
    [("reads a neighbour's\n", "reads a neighbour's\n    if (lane >= gl_WorkGroupSize.x / 2) return;\n")],
    "barrier-divergence", 0)
add("DecompositionShaderReturnsBeforeTheLastBarriers",
    [("barrier();  // the next step", "if (lane == 0 && stride == 1) return;\n        barrier();  // the next step")],
    "barrier-divergence", 0)
add("DecompositionShaderBarrierUnderACondition",
    [("partial[lane] = sum;\n        }\n        barrier();", "partial[lane] = sum;\n        barrier();\n        }")],
    "barrier-divergence", 0)
add("DecompositionShaderHalfTheArrayIsUnset",
    [("partial[lane] = sum;\n    barrier();", "if (lane % 2 == 0) partial[lane] = sum;\n    barrier();")], "unset-memory", 0)
add("DecompositionShaderArrayOfHalfTheLength",
    [("shared uint partial[gl_WorkGroupSize.x];", "shared uint partial[gl_WorkGroupSize.x / 2];")], "out-of-bounds", 0)
add("DecompositionShaderWholeGroupReturns",
    [("partial[lane] = sum;\n    barrier();", "if (!workGroupHasTile()) return;\n    partial[lane] = sum;\n    barrier();")],
    "passed", None, n=65536 * 2, work_group=1)
add("DecompositionShaderNobodyReturns",
    [("partial[lane] = sum;\n    barrier();",
      "if (lane >= gl_WorkGroupSize.x) return;\n    partial[lane] = sum;\n    barrier();")], "passed", None)
add = group("shaders/include/A2LoadTile.glsl", "reduce/decomposition")
add("DecompositionShaderTail", [("index < min(begin + tile, push.count)", "index + 1 < min(begin + tile, push.count)")], "value", 0)
add = group("shaders/include/A2Kernels.h", "reduce/decomposition")
add("DecompositionShaderLocalSizeHardCoded",
    [("layout(local_size_x_id = SPEC_WORK_GROUP) in;", "layout(local_size_x = 64) in;")], "fixed-shape", 0,
    work_group=128)

add = group("shaders/A2Task1KernelDecompositionUnroll.comp", "reduce/unroll")
add("UnrollShaderWithoutItsLastStep", [("STEP(1)\n", "")], "value", 0)
add("UnrollShaderTrustsTheSubgroup", [("barrier();                                               \\",
                                       "if (stride > 8) barrier();                                               \\")],
    "shared-race", 0)
add("UnrollShaderReadsPastItsArray", [("lane < stride && lane + stride < gl_WorkGroupSize.x", "lane < stride")],
    "out-of-bounds", 0, work_group=100)

add = group("shaders/A2Task1KernelDecompositionAtomic.comp", "reduce/atomic")
add("AtomicShaderReadsTooEarly", [("barrier();  // every", "// every")], "value", 0)
add("AtomicShaderReturnsBeforeABarrier",
    [("if (gl_LocalInvocationID.x == 0) groupSum = 0;",
      "if (invocationNumber() >= push.count) return;\n    if (gl_LocalInvocationID.x == 0) groupSum = 0;")],
    "barrier-divergence", 1)
add("AtomicShaderSumStartsAtOne", [("groupSum = 0;", "groupSum = 1;")], "value", 0)

# --------------------------------------------------------------------------------------------------- reduce/subgroup
add = group("src/A2Task1Solution/Subgroup.cpp", "reduce/subgroup")
add("SubgroupResultKept", [('sum{gpu, "sum", 1}', 'sum{gpu, "sum", 1, Lifetime::solution}')], "stale-state", None)
add("SubgroupRunningSumNotKept", [('"running sum", 2, Lifetime::solution}', '"running sum", 2}')],
    "unwritten-output", 0)
add("SubgroupGroupsOfTheLastSliceOnly", [("allGroups += groups.x * groups.y;", "allGroups = groups.x * groups.y;")],
    "result", None, n=20000, sliced=True)
add("SubgroupOneGroupTooMany", [("allGroups += groups.x * groups.y;", "allGroups += groups.x * groups.y + 1;")],
    "unwritten-output", 0)
add("SubgroupBarrierWithoutMasks",
    [("""vk::MemoryBarrier(vk::AccessFlagBits::eShaderWrite,
                           vk::AccessFlagBits::eShaderRead | vk::AccessFlagBits::eShaderWrite)""",
      "vk::MemoryBarrier()")],
    "weak-barrier", 1, n=20000, sliced=True)
# Of two words that are kept, only one is filled; the kernel adds to both.
add("SubgroupRunningSumHalfFilled",
    [("runningSum, std::array<std::uint32_t, 2>{0, 0}", "runningSum, std::array<std::uint32_t, 1>{0}")],
    "unset-memory", 0)
# Adds up what it keeps, of which half is filled: without atomics, by computing and storing.
add("SubgroupKeepsWhatIsHalfFilled",
    [('sum{gpu, "sum", 1}', 'sum{gpu, "sum", 1}, kept{gpu, "kept elements", 64, Lifetime::solution}'),
     ("input.slice(part.first, part.count)", "kept"),
     ("for (const Slice& part : parts) {",
      """fillDeviceWithStagingBuffer(gpu, kept, std::array<std::uint32_t, 32>{});
         for (const Slice& part : parts) {""")],
    "unset-memory", 0, n=64)

# The first run leaves the sum in a kept buffer, the others copy it from there.
add("SubgroupCopiesWhatItsFirstRunKept",
    [('sum{gpu, "sum", 1}', 'sum{gpu, "sum", 1}, kept{gpu, "kept sum", 1, Lifetime::solution}'),
     ("part.count), sum, runningSum})", "part.count), kept, runningSum})"),
     ("i < parts.size(); ++i) {", "i < parts.size() && runs == 0; ++i) {"),
     ("cb.dispatch(groups.x, groups.y, 1); }",
      """cb.dispatch(groups.x, groups.y, 1); }
         ++runs;
         cb.pipelineBarrier(vk::PipelineStageFlagBits::eComputeShader, vk::PipelineStageFlagBits::eTransfer, {},
                            vk::MemoryBarrier(vk::AccessFlagBits::eShaderWrite, vk::AccessFlagBits::eTransferRead),
                            {}, {});
         cb.copyBuffer(kept.handle(), sum.handle(), vk::BufferCopy(0, 0, 4));"""),
     ("uint allGroups = 0;", "uint allGroups = 0, runs = 0;")],
    "no-dispatch", None)

add = group("shaders/A2Task1Subgroup.comp", "reduce/subgroup")
# Computes the sum of 0, 1, ... 96, 0, 1, ... from the length alone: right only for that pattern.
add("SubgroupShaderKnowsThePattern",
    [("total = uint(before >> 32) + sum;",
      "total = push.count / 97 * 4656 + push.count % 97 * (push.count % 97 - 1) / 2;")],
    "value", 0)
add("SubgroupShaderRunningSumNotReset",
    [("if (push.groups > 1) atomicExchange(sumAndGroups, 0);", "")], "stale-state", None)
add("SubgroupShaderLastGroupForgetsItself", [("uint(before >> 32) + sum;", "uint(before >> 32);")], "value", 0)
add("SubgroupShaderSumCutTo16Bits", [("uint64_t(sum) << 32", "uint64_t(sum & 0xFFFF) << 32")], "value", 0)
add("SubgroupShaderWholeSubgroupAdds", [("gl_SubgroupID == 0 && subgroupElect()", "gl_SubgroupID == 0")], "value", 0)
# Adds up in the running sum, so that the second run starts with the first one's sum.
add("SubgroupShaderCountsRunsTogether",
    [("uint(before) + 1 == push.groups", "(uint(before) + 1) % push.groups == 0"), ("atomicExchange(sumAndGroups, 0);", ";")],
    "stale-state", None)
add = group("shaders/include/A2LoadTile.glsl", "reduce/subgroup")
add("SubgroupShaderTail", [("min(begin + tile, push.count);", "min(begin + tile, push.count - 1);")], "value", 0)
add = group("shaders/include/A2SubgroupSum.glsl", "reduce/subgroup")
add("SubgroupShaderTrustsThirtyTwo", [("i += width) sum", "i += 32) sum")], "value", 0, n=5000, work_group=1024)
add("SubgroupShaderFirstInvocationOnly",
    [("if (subgroupElect()) subgroupSums", "if (gl_LocalInvocationID.x == 0) subgroupSums")], "value", 0)
