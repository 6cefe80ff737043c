"""Wrong solutions, one small change each, and how each must be rejected.

A change replaces a piece of text, which must be in its file exactly once (white space aside), by another.
What the verdict must be:
  a rule of the lint       the first finding of that rule is about this dispatch (None: about the run as a whole)
  "value"                  the first wrong dispatch is this one
  "unfinished"             every dispatch is right, but one is missing
  "elsewhere"              every dispatch is right, but result() returns another buffer
  "result"                 the result is wrong though every dispatch does right with what it was given
  "passed"                 nothing is wrong with it, though it looks like something that is
  any other text           it cannot run, and the message says this
Shapes: 64 invocations with 2 elements each make tiles of 128 elements, so n = 1000 has 8 tiles and two levels, and
n = 20000 three. Where a change needs an array in slices, the device binds no more than 64 tiles (sliced=True).
"""

from collections import namedtuple

Variant = namedtuple("Variant", "name task file changes rule dispatch n work_group elements pattern sliced")
VARIANTS = []

# Barriers in kernels, by file and comment, whose mere removal neither a result on the CPU driver nor the check of shared
# memory shows, and why.
SEEN_BY_NOBODY = {
    ("shaders/A2Task2DecoupledLookback.comp", "the first subgroup has said what it found"):
        "whether it is come to depends on a ticket, so that it is beyond the check on the host; and the CPU driver runs "
        "the subgroups of a work-group in their order, so that the first one has always said it",
    ("shaders/A2Task2DecoupledLookback.comp", "every subgroup's sum of the missing tile is there"):
        "only come to where a tile is missing: LookbackShaderFallbackWithoutABarrier makes that happen",
    ("shaders/A2LabRotate.comp", "the whole tile is there before anyone reads what others loaded"):
        "the rotation is no row: the unit tests of a2 theory remove it",
}


def group(file, task, elements=2):
    """add(name, changes, rule, dispatch, ...) for one file, and one task where none is named."""

    def add(name, changes, rule, dispatch, n=1000, work_group=64, elements=elements, pattern="random", task=task,
            sliced=False):
        names_one = {"value": True, "unfinished": False, "elsewhere": False, "result": False, "passed": False}
        if names_one.get(rule, dispatch is not None) != (dispatch is not None):
            raise ValueError(f"variant {name}: \"value\" names a dispatch, other wrong results do not")
        VARIANTS.append(Variant(name, task, file, changes, rule, dispatch, n, work_group, elements, pattern, sliced))

    return add


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
add("InterleavedStopsOneStepEarly", [("stride < count_;", "stride * shape_.elements < count_;")], "unfinished", None)
add("InterleavedPushesTheNextStride",
    [("static_cast<uint>(count_), static_cast<uint>(stride),",
      "static_cast<uint>(count_), static_cast<uint>(2 * stride),")],
    "value", 0)
add("InterleavedAlwaysStartsAll",
    [("gpu_.groupsFor(invocations, shape_.workGroup)", "gpu_.groupsFor(count_, shape_.workGroup)")],
    "wasted-invocations", 2, n=4096)
add("InterleavedDispatchesNX0X0",
    [("cb.dispatch(groups.x, groups.y, 1)", "cb.dispatch(static_cast<uint>(count_), 0, 0)")],
    "empty-dispatch", 0)
add("InterleavedSmallestOfZero",
    [("cb.dispatch(groups.x, groups.y, 1)", "cb.dispatch(std::min(groups.x, 0U), groups.y, 1)")],
    "empty-dispatch", 0)
add("InterleavedDividesByZero",
    [("gpu_.groupsFor(invocations, shape_.workGroup)", "gpu_.groupsFor(invocations, std::min(shape_.workGroup, 0U))")],
    "work-groups of 0 invocations", None)
add("InterleavedWorkGroupSizeHardCoded",
    [("gpu_.groupsFor(invocations, shape_.workGroup)", "gpu_.groupsFor(invocations, 256)")],
    "value", 0)

add = group("shaders/A2Task1Interleaved.comp", "reduce/interleaved")
add("InterleavedShaderTail", [("k <= partners", "k < partners")], "value", 0)
add("InterleavedShaderAddsItselfTwice", [("uint k = 1;", "uint k = 0;")], "value", 0)
add("InterleavedShaderComparesAVector",
    [("if (invocationNumber() < push.invocations)", "if (gl_GlobalInvocationID < push.invocations)")],
    "A2Task1Interleaved.comp does not compile", None)

# ------------------------------------------------------------------------------------------------ reduce/sequential
add = group("src/A2Task1Solution/Sequential.cpp", "reduce/sequential")
add("SequentialBarrierReadToRead",
    [("vk::MemoryBarrier(vk::AccessFlagBits::eShaderWrite,", "vk::MemoryBarrier(vk::AccessFlagBits::eShaderRead,")],
    "weak-barrier", 1)
add("SequentialWidthRoundedDown", [("ceilDiv(live, shape_.elements)", "live / shape_.elements")],
    "value", 3)  # 1000, 500, 250, 125: the first odd one
add("SequentialStopsAtTwo", [("live > 1; live = width", "live > 2; live = width")], "unfinished", None)
add("SequentialPushesHalfTheStruct",
    [("cb.pushConstants<SequentialPush>(kernel_.layout(), vk::ShaderStageFlagBits::eCompute, 0, push)",
      "cb.pushConstants<uint>(kernel_.layout(), vk::ShaderStageFlagBits::eCompute, 0, push.live)")],
    "push-constant-size", 0)
add("SequentialPushesMoreThanTheLayoutHas", [("sizeof(SequentialPush), shape)", "sizeof(uint), shape)")],
    "push-constant-size", 0)
add("SequentialOneGroupPerInvocation",
    [("gpu_.groupsFor(invocations, shape_.workGroup)", "{static_cast<uint>(invocations), 1}")],
    "group-limit", 0, n=200000)
add("SequentialSumFromTheHost",
    [("std::uint64_t width = 0;",
      """uint sum = 0;
         for (std::uint64_t i = 0; i < count_; ++i) sum += static_cast<uint>(i % 97);
         cb.updateBuffer<uint>(data_->handle(), data_->firstByte(), sum);
         return;
         std::uint64_t width = 0;""")],
    "no-dispatch", None, pattern="mod97")
add("SequentialSumFromTheHostAfterDispatches",
    [("labelDispatch(", "sum_ = 0; labelDispatch("),
     ("cb.dispatch(groups.x, groups.y, 1); }",
      """cb.dispatch(groups.x, groups.y, 1); }
         for (std::uint64_t i = 0; i < count_; ++i) sum_ += static_cast<uint>(i % 97);
         cb.pipelineBarrier(vk::PipelineStageFlagBits::eComputeShader, vk::PipelineStageFlagBits::eTransfer, {},
                            vk::MemoryBarrier(vk::AccessFlagBits::eShaderWrite, vk::AccessFlagBits::eTransferWrite),
                            {}, {});
         cb.updateBuffer<uint>(data_->handle(), data_->firstByte(), sum_);"""),
     ("std::uint64_t count_ = 0;", "std::uint64_t count_ = 0; uint sum_ = 0;")],
    "no-dispatch", None, pattern="mod97")
# Sums up in prepare(), and has the kernels add zeros to that: the harness gives it no input to sum up.
add("SequentialSumFromPrepare",
    [("data_ = &input;",
      """data_ = &input;
         std::vector<uint> values(count);
         fillHostWithStagingBuffer(gpu_, input, values);
         for (const uint value : values) sum_ += value;"""),
     ("std::uint64_t width = 0;",
      """cb.fillBuffer(data_->handle(), data_->firstByte() + 4, data_->bytes() - 4, 0);
         cb.updateBuffer<uint>(data_->handle(), data_->firstByte(), sum_);
         cb.pipelineBarrier(vk::PipelineStageFlagBits::eTransfer, vk::PipelineStageFlagBits::eComputeShader, {},
                            vk::MemoryBarrier(vk::AccessFlagBits::eTransferWrite, vk::AccessFlagBits::eShaderRead),
                            {}, {});
         std::uint64_t width = 0;"""),
     ("std::uint64_t count_ = 0;", "std::uint64_t count_ = 0; uint sum_ = 0;")],
    "result", None)

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
add("DecompositionDividesByTheWorkGroup",
    [("const std::uint64_t sums = ceilDiv(count, shape_.tile());",
      "const std::uint64_t sums = ceilDiv(count, shape_.workGroup);"),
     ("live = ceilDiv(live, shape_.tile());", "live = ceilDiv(live, shape_.workGroup);")],
    "value", 1)
add("DecompositionCountsMoreSumsThanThereAre",
    [("live = ceilDiv(live, shape_.tile());", "live = ceilDiv(live, shape_.workGroup);")],
    "16 elements from element 0 on of buffer 'partial sums' were asked for, which has 8", None)
add("DecompositionResultInTheInput", [("result_ = source;", "result_ = &input;")], "no-dispatch", None, n=100)
add("DecompositionResultInTheWrongBuffer", [("result_ = source;", "result_ = target;")], "elsewhere", None)
add("DecompositionBarrierOnTheWrongBuffer",
    [("""vk::MemoryBarrier(vk::AccessFlagBits::eShaderWrite,
                           vk::AccessFlagBits::eShaderRead | vk::AccessFlagBits::eShaderWrite),
         {}, {});""",
      """{}, vk::BufferMemoryBarrier(vk::AccessFlagBits::eShaderWrite, vk::AccessFlagBits::eShaderRead,
                                     VK_QUEUE_FAMILY_IGNORED, VK_QUEUE_FAMILY_IGNORED,
                                     sumsOfSums_->handle(), 0, VK_WHOLE_SIZE), {});""")],
    "weak-barrier", 1)
add("DecompositionOneGroupPerElement",
    [("cb.dispatch(groups.x, groups.y, 1)", "cb.dispatch(static_cast<uint>(live), 1, 1)")],
    "wasted-invocations", 0)

# Counts the levels in a member that nobody resets: the second run records nothing, or only the levels it forgot.
LEVEL_MEMBER = ("const Buffer* result_ = nullptr;", "const Buffer* result_ = nullptr; std::size_t level_ = 0;")
add("UnrollLevelNotReset",
    [("for (std::size_t i = 0; i < levels_.size(); ++i) {", "for (; level_ < levels_.size(); ++level_) {"),
     ("if (i > 0)", "if (level_ > 0)"), ("levels_[i])", "levels_[level_])"), LEVEL_MEMBER],
    "stale-state", None, n=100, task="reduce/unroll")
add("UnrollStartsAtTheLevelItEndedWith",
    [("for (std::size_t i = 0; i < levels_.size(); ++i) {",
      "for (std::size_t i = level_; i < levels_.size(); level_ = i++) {"), LEVEL_MEMBER],
    "stale-state", None, n=20000, task="reduce/unroll")
add("UnrollStopsAtOneWorkGroup", [("while (live > 1)", "while (live > shape_.workGroup)")],
    "unfinished", None, task="reduce/unroll")
add("UnrollBuffersNotSwapped", [("source = target;", "")], "value", 1, task="reduce/unroll")
add("UnrollNeverBinds",
    [("cb.bindDescriptorSets(vk::PipelineBindPoint::eCompute, kernel_.layout(), 0, part.descriptorSet, {});",
      "")],
    "out-of-bounds", 0, task="reduce/unroll")

add("AtomicPingPongReversed",
    [("{source.slice(slice.first, slice.count), target.slice(slice.firstTile, slice.tiles)}",
      "{target.slice(slice.firstTile, slice.tiles), source.slice(slice.first, slice.count)}")],
    "value", 0, task="reduce/atomic")
add("AtomicSumsIntoTheInput", [("addLevel(*source, live, *target);", "addLevel(*source, live, *source);"),
                               ("source = target;", "")],
    "input-modified", None, task="reduce/atomic")
add("AtomicBarrierWithoutMasks",
    [("""vk::MemoryBarrier(vk::AccessFlagBits::eShaderWrite,
                           vk::AccessFlagBits::eShaderRead | vk::AccessFlagBits::eShaderWrite)""",
      "vk::MemoryBarrier()")],
    "weak-barrier", 1, task="reduce/atomic")
add("AtomicTooManyGroups", [("cb.dispatch(groups.x, groups.y, 1)", "cb.dispatch(65536, 1, 1)")],
    "group-limit", 0, task="reduce/atomic")
add("AtomicBarrierInOneLevelOnly", [("if (i > 0)", "if (i > 1)")],
    "missing-barrier", 1, n=20000, task="reduce/atomic")

add = group("shaders/A2Task1KernelDecomposition.comp", "reduce/decomposition")
add("DecompositionShaderStopsOneStepEarly", [("stride > 0;", "stride > 1;")], "value", 0)
add("DecompositionShaderTreeWithoutABarrier", [("barrier();  // the next step", "// the next step")], "value", 0)
add("DecompositionShaderReadsPastItsArray", [("partial[lane + stride];", "partial[lane + stride + 1];")], "value", 0)
add("DecompositionShaderLosesAnOddOne", [("NEXT_POWER_OF_TWO(gl_WorkGroupSize.x) / 2", "gl_WorkGroupSize.x / 2")],
    "value", 0, work_group=100)
add("DecompositionShaderReturnsBeforeABarrier",
    [("reads a neighbour's\n", "reads a neighbour's\n    if (lane >= gl_WorkGroupSize.x / 2) return;\n")], "value", 0)
add("DecompositionShaderReturnsBeforeTheLastBarriers",
    [("barrier();  // the next step", "if (lane == 0 && stride == 1) return;\n        barrier();  // the next step")],
    "missing-barrier", 0)
add("DecompositionShaderBarrierUnderACondition",
    [("partial[lane] = sum;\n        }\n        barrier();", "partial[lane] = sum;\n        barrier();\n        }")],
    "missing-barrier", 0)
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
    [("layout(local_size_x_id = SPEC_WORK_GROUP) in;", "layout(local_size_x = 64) in;")], "value", 0, work_group=128)

add = group("shaders/A2Task1KernelDecompositionUnroll.comp", "reduce/unroll")
add("UnrollShaderWithoutItsLastStep", [("STEP(1)\n", "")], "value", 0)
add("UnrollShaderTrustsTheSubgroup", [("barrier();                                               \\",
                                       "if (stride > 8) barrier();                                               \\")],
    "missing-barrier", 0)
add("UnrollShaderReadsPastItsArray", [("lane < stride && lane + stride < gl_WorkGroupSize.x", "lane < stride")],
    "out-of-bounds", 0, work_group=100)

add = group("shaders/A2Task1KernelDecompositionAtomic.comp", "reduce/atomic")
add("AtomicShaderReadsTooEarly", [("barrier();  // every", "// every")], "value", 0)
add("AtomicShaderReturnsBeforeABarrier",
    [("if (gl_LocalInvocationID.x == 0) groupSum = 0;",
      "if (invocationNumber() >= push.count) return;\n    if (gl_LocalInvocationID.x == 0) groupSum = 0;")],
    "missing-barrier", 1)
add("AtomicShaderSumStartsAtOne", [("groupSum = 0;", "groupSum = 1;")], "value", 0)

# ------------------------------------------------------------------------------------------------------- scan/naive
add = group("src/A2Task2Solution/Naive.cpp", "scan/naive")
add("NaivePingPongReversed", [("descriptorSets_[source_], {}", "descriptorSets_[1 - source_], {}")], "value", 0)
add("NaiveStrideTimesFour", [("stride *= 2;", "stride *= 4;")], "value", 1)
add("NaiveLastStepMissing", [("while (stride < count_)", "while (2 * stride < count_)")], "unfinished", None)
add("NaiveInPlace",
    [("buffers_ = {&input, &*second_};", "buffers_ = {&input, &input};"),
     ("{kernel_.makeDescriptorSet({input, *second_}), kernel_.makeDescriptorSet({*second_, input})}",
      "{kernel_.makeDescriptorSet({input, input}), kernel_.makeDescriptorSet({input, input})}")],
    "value", 0)
add("NaiveResultInTheOtherBuffer", [("*buffers_[source_];", "*buffers_[1 - source_];")], "elsewhere", None)
add("NaiveSourceNotReset", [("source_ = 0; std::uint64_t stride", "std::uint64_t stride")],
    "stale-state", None, n=300)  # 9 steps: an odd number

add = group("shaders/A2Task2Naive.comp", "scan/naive")
add("NaiveShaderTail", [("if (index < push.count) {", "if (index + 1 < push.count) {")], "unwritten-output", 0, n=300)
add("NaiveShaderFirstStepShifted", [("push.stride + push.shift;", "push.stride + 1;")], "value", 0)
add = group("shaders/include/A2Kernels.h", "scan/naive")
add("NaiveShaderBindingsSwapped",
    [("#define BINDING_IN 0", "#define BINDING_IN 1"), ("#define BINDING_OUT 1", "#define BINDING_OUT 0")], "value", 0)

# ------------------------------------------------------------------------------------------------------- scan/local
add = group("src/A2Task2Solution/KernelDecomposition.cpp", "scan/local")
add("LocalLastTileForgotten",
    [("gpu_.foldGroups(slice.tiles);", "gpu_.foldGroups(slice.count / shape_.tile());")], "unwritten-output", 0)
add("LocalResultInTheSums", [("return levels_.front().scanned;", "return levels_.front().blockSums;")],
    "elsewhere", None)
add("LocalOverwritesTheInput",
    [("level.scanned.slice(slice.first, slice.count), level.blockSums",
      "source.slice(slice.first, slice.count), level.blockSums")],
    "input-modified", None)
add("LocalBindingsSwapped",
    [("level.scanned.slice(slice.first, slice.count), level.blockSums.slice(slice.firstTile, slice.tiles)",
      "level.blockSums.slice(slice.firstTile, slice.tiles), level.scanned.slice(slice.first, slice.count)")],
    "out-of-bounds", 0)

add = group("shaders/A2Task2KernelDecomposition.comp", "scan/local")
add("LocalShaderTail",
    [("if (first + k < push.count) target", "if (first + k + 1 < push.count) target")], "unwritten-output", 0)
add("LocalShaderRootNotCleared", [("tree[root] = 0;", "")], "value", 0)
add("LocalShaderUpSweepWithoutABarrier", [("barrier();  // the next level reads this level's sums", "")], "value", 0)
add("LocalShaderExclusiveForInclusive", [("if (EXCLUSIVE == 0) return before", "if (EXCLUSIVE == 1) return before")],
    "value", 0)
add("LocalShaderSumsOneFurther", [("blockSums[workGroupNumber()] = tree", "blockSums[workGroupNumber() + 1] = tree")],
    "out-of-bounds", 0)
add("LocalShaderWritesItsSource",
    [("readonly buffer Source {", "buffer Source {"),
     ("if (first + k < push.count) target[first + k] =",
      "if (first + k < push.count) source[first + k] = target[first + k] ="),
     ("writeonly buffer Target {", "buffer Target {")],
    "input-modified", None)

# ----------------------------------------------------------------------------------------------- scan/work-efficient
add = group("src/A2Task2Solution/KernelDecomposition.cpp", "scan/work-efficient")
add("WorkEfficientInclusiveOffsets", [("sizeof(TileScanPush), exclusive(shape));", "sizeof(TileScanPush), shape);")],
    "value", 2)
add("WorkEfficientOffsetsNotScanned",
    [("addOffsetSets(levels_[i], levels_[i + 1].scanned)", "addOffsetSets(levels_[i], levels_[i].blockSums)")],
    "value", 2)
add("WorkEfficientLastTileWithoutOffset",
    [("gpu_.foldGroups(slice.tiles - firstTile)", "gpu_.foldGroups(slice.tiles - firstTile - 1)")],
    "value", 2)
add("WorkEfficientTwoLevelsOnly", [("while (addOffsets_ && levels_.back()", "if (addOffsets_ && levels_.back()")],
    "unfinished", None, n=20000)
add("WorkEfficientLastSumForgotten",
    [("ceilDiv(count, shape_.tile())),", "count / shape_.tile()),")],
    "8 elements from element 0 on of buffer 'block sums, level 0' were asked for, which has 7", None)
add("WorkEfficientBarrierAfterTheFirstLevelMissing",
    [("if (i > 0) waitForWrites(cb);", "if (i > 1) waitForWrites(cb);")],
    "missing-barrier", 1, n=20000)
add("WorkEfficientBarrierBeforeOffsetsOnce",
    [("waitForWrites(cb); // the offsets", "if (i > 0) waitForWrites(cb); // the offsets")],
    "missing-barrier", 4, n=20000)
add("WorkEfficientOffsetsTopDownForgotten", [("i-- > 0;) {", "--i > 0;) {")], "unfinished", None)
add("WorkEfficientOffsetsUpwards",
    [("for (std::size_t i = levels_.size() - 1; i-- > 0;) {",
      "for (std::size_t i = 0; i + 1 < levels_.size(); ++i) {")],
    "value", 3, n=20000)

add = group("shaders/A2Task2KernelDecomposition.comp", "scan/work-efficient")
add("WorkEfficientShaderDownSweepTooShort", [("span > 0; span /= 2", "span > 1; span /= 2")], "value", 0)
add = group("shaders/include/A2Kernels.h", "scan/work-efficient")
add("WorkEfficientShaderPaddingOverlaps",
    [("((index) + (index) / NUM_BANKS)", "((index) - (index) / NUM_BANKS)")], "value", 0)

# ------------------------------------------------------------------------------------------------------- scan/offset
add = group("src/A2Task2Solution/Offset.cpp", "scan/offset")
add("OffsetNoDispatch", [("cb.dispatch(groups.x, groups.y, 1);", "")], "no-dispatch", None)
add("OffsetReturnsEarly", [("if (tiles < 2) return;", "if (tiles < 20) return;")], "no-dispatch", None)
add("OffsetLastTileForgotten",
    [("gpu_.foldGroups(slices_[i].tiles - firstTile)", "gpu_.foldGroups(slices_[i].tiles - 2)")], "value", 0)
add("OffsetNothingBound",
    [("cb.bindDescriptorSets(vk::PipelineBindPoint::eCompute, kernel_.layout(), 0, descriptorSets_[i], {});", "")],
    "out-of-bounds", 0)
add("OffsetBuffersSwapped",
    [("{localScans.slice(slice.first, slice.count), blockOffsets.slice(slice.firstTile, slice.tiles)}",
      "{blockOffsets.slice(slice.firstTile, slice.tiles), localScans.slice(slice.first, slice.count)}")],
    "no-dispatch", None)
BIND = """
        const vk::DescriptorBufferInfo info(localScans.handle(), {}, {});
        gpu_.device().updateDescriptorSets(
            vk::WriteDescriptorSet(descriptorSets_.front(), 0, 0, 1, vk::DescriptorType::eStorageBuffer, nullptr, &info), {{}});"""
BOUND = "blockOffsets.slice(slice.firstTile, slice.tiles)}));"
add("OffsetRangeBeyondTheBuffer", [(BOUND, BOUND + BIND.format("localScans.firstByte()", "localScans.bytes() + 4096"))],
    "range-limit", None)
add("OffsetRangeNotAligned", [(BOUND, BOUND + BIND.format("localScans.firstByte() + 4", "localScans.bytes() - 4"))],
    "range-limit", None)

add = group("shaders/A2Task2KernelDecompositionOffset.comp", "scan/offset")
add("OffsetShaderTail", [("if (index < push.count) data", "if (index + 1 < push.count) data")], "value", 0)
add("OffsetShaderTileBefore", [("offsets[number]", "offsets[number - 1]")], "value", 0)
add("OffsetShaderOneTileEarly", [("workGroupNumber() + push.firstTile", "workGroupNumber()")], "value", 0)
add("OffsetShaderClearsOffsets",
    [("readonly buffer Offsets", "buffer Offsets"),
     ("offsets[number];", "offsets[number];\n        barrier();\n        offsets[number] = 0;")],
    "input-modified", None)

# --------------------------------------------------------------------------------------------------- reduce/subgroup
add = group("src/A2Task1Solution/Subgroup.cpp", "reduce/subgroup")
add("SubgroupResultKept", [('sum_(gpu, "sum", 1),', 'sum_(gpu, "sum", 1, Lifetime::solution),')], "stale-state", None)
add("SubgroupRunningSumNotKept", [('"running sum", 2, Lifetime::solution)', '"running sum", 2)')],
    "unwritten-output", 0)
add("SubgroupGroupsOfTheLastSliceOnly", [("groups_ += groups.x * groups.y;", "groups_ = groups.x * groups.y;")],
    "result", None, n=20000, sliced=True)
add("SubgroupOneGroupTooMany", [("groups_ += groups.x * groups.y;", "groups_ += groups.x * groups.y + 1;")],
    "unwritten-output", 0)
add("SubgroupBarrierWithoutMasks",
    [("""vk::MemoryBarrier(vk::AccessFlagBits::eShaderWrite,
                           vk::AccessFlagBits::eShaderRead | vk::AccessFlagBits::eShaderWrite)""",
      "vk::MemoryBarrier()")],
    "weak-barrier", 1, n=20000, sliced=True)

add = group("shaders/A2Task1Subgroup.comp", "reduce/subgroup")
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

# ----------------------------------------------------------------------------------------------------- scan/lookback
add = group("src/A2Task2Solution/DecoupledLookback.cpp", "scan/lookback", elements=4)
add("LookbackResultKept", [('"scan", count);', '"scan", count, Lifetime::solution);')], "stale-state", None)
add("LookbackStatesNotKept", [('"tile states", words, Lifetime::solution);', '"tile states", words);')],
    "unwritten-output", 0)
add("LookbackOneGroupTooMany", [("groups_ = static_cast<uint>(groups);", "groups_ = static_cast<uint>(groups) + 1;")],
    "stale-state", None)
add("LookbackSlicesNumberedAnew", [("firstGroup += groups.x * groups.y;", "")],
    "unwritten-output", None, n=40000, sliced=True)
add("LookbackBarrierAfterTransfer",
    [("vk::PipelineStageFlagBits::eComputeShader, vk::PipelineStageFlagBits::eComputeShader",
      "vk::PipelineStageFlagBits::eTransfer, vk::PipelineStageFlagBits::eComputeShader")],
    "weak-barrier", 1, n=40000, sliced=True)
add("LookbackBarrierBeforeTheSecondSliceOnly", [("if (i > 0)", "if (i == 1)")],
    "missing-barrier", 2, n=40000, sliced=True)

add = group("shaders/A2Task2DecoupledLookback.comp", "scan/lookback", elements=4)
TICKET_RESET = "if ((ticket & 0xFFFFFF) + 1 == push.groups) atomicAdd(tickets, (1 << 24) - push.groups);"
add("LookbackShaderTicketNotReset", [(TICKET_RESET, "")], "stale-state", None)
# Right for the same input again: what the run before published is the same. With zeros some tiles are late, for good.
add("LookbackShaderRunNotCounted",
    [("(1 << 24) - push.groups", "-push.groups"),
     ("subgroupElect()) publish(tile, run, tile == 0",
      "leftOrAll != 0 && subgroupElect()) publish(tile, run, tile == 0"),
     ("if (missing == NONE) publish(", "if (missing == NONE && prefix + all != 0) publish(")],
    "stale-state", None)
add("LookbackShaderLateTilesAreRight",
    [("subgroupElect()) publish(tile, run, tile == 0",
      "leftOrAll != 0 && subgroupElect()) publish(tile, run, tile == 0"),
     ("if (missing == NONE) publish(", "if (missing == NONE && prefix + all != 0) publish(")],
    "passed", None)
add("LookbackShaderTail",
    [("if (first + c < push.count) target", "if (first + c + 1 < push.count) target")], "unwritten-output", 0)
add("LookbackShaderExclusiveForInclusive", [("EXCLUSIVE == 1 ?", "EXCLUSIVE == 0 ?")], "value", 0)
add("LookbackShaderPrefixOfTheTileBefore", [("uint last = tile - 1,", "uint last = tile - 2,")], "value", 0)
add("LookbackShaderPublishedCutTo16Bits", [("tag | value >> 16,", "tag,")], "value", 0)
add("LookbackShaderStopsAtASum",
    [("flag == PREFIX ?", "flag != NOTHING ?"), ("if (missing == NONE) publish(", "if (false) publish(")],
    "value", 0, n=5000)
add("LookbackShaderRowsOfAllSubgroupsMixed", [("before * ROWS + row", "before + row")], "value", 0, elements=8)
add("LookbackShaderTrustsThirtyTwo", [("i += width)", "i += 32)")], "value", 0, n=5000, work_group=1024)
# Every third tile keeps what it has to itself: others must add it up for themselves.
STARVED = [("subgroupElect()) publish(tile, run, tile == 0", "tile % 3 != 1 && subgroupElect()) publish(tile, run, tile == 0"),
           ("if (missing == NONE) publish(", "if (missing == NONE && tile % 3 != 1) publish(")]
add("LookbackShaderStarvedIsRight", STARVED, "passed", None, n=5000)
add("LookbackShaderFallbackWithoutABarrier",
    STARVED + [("barrier();  // every subgroup's sum of the missing tile", "// every subgroup's sum of the missing tile")],
    "value", 0, n=5000)
add("LookbackShaderFallbackOfTheNextTile",
    STARVED + [("const uint begin = (tile - push.firstGroup) * TILE; uint sum = 0; for (uint k",
                "const uint begin = (tile + 1 - push.firstGroup) * TILE; uint sum = 0; for (uint k")],
    "value", 0, n=5000)
add("LookbackShaderFallbackWithoutATail",
    STARVED + [("if (index < push.count) sum +=", "sum +=")], "passed", None, n=5000)  # the last tile is never missing
add("LookbackShaderGapsSkipped",
    STARVED + [("min(nearestPrefix + 1, nearestGap);", "nearestPrefix + 1;"),
               ("if (nearestPrefix < nearestGap) return NONE;", "if (nearestPrefix < width) return NONE;")],
    "value", 0, n=5000)
