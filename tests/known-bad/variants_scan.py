"""Wrong scans; variants.py explains the lines."""

from variants import group

# ------------------------------------------------------------------------------------------------------- scan/naive
add = group("src/A2Task2Solution/Naive.cpp", "scan/naive")
add("NaivePingPongReversed", [("inSecond ? fromSecond : fromInput", "inSecond ? fromInput : fromSecond")], "value", 0)
add("NaiveBindsItsPipelineInTheFirstRunOnly",
    [("bool inSecond{};", "bool inSecond{}, bound{};"),
     ("cb.bindPipeline(vk::PipelineBindPoint::eCompute, kernel.pipeline());",
      "if (!bound) cb.bindPipeline(vk::PipelineBindPoint::eCompute, kernel.pipeline());\n        bound = true;")],
    "no-dispatch", 0)
add("NaiveStrideTimesFour", [("stride *= 2)", "stride *= 4)")], "value", 1)
add("NaiveLastStepMissing", [("|| stride < count;", "|| 2 * stride < count;")], "unfinished", None)
add("NaiveInPlace",
    [("inSecond ? second : input;", "input;"), ("makeDescriptorSet({input, second})", "makeDescriptorSet({input, input})"),
     ("makeDescriptorSet({second, input})", "makeDescriptorSet({input, input})")],
    "value", 0)
add("NaiveResultInTheOtherBuffer", [("inSecond ? second : input;", "inSecond ? input : second;")], "elsewhere", None)
add("NaiveSourceNotReset", [("inSecond = false; for (", "for (")],
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
    [("gpu.foldGroups(part.tiles);", "gpu.foldGroups(part.count / shape.tile());")], "unwritten-output", 0)
add("LocalResultInTheSums", [("return levels.front().scanned;", "return levels.front().blockSums;")],
    "elsewhere", None)
add("LocalOverwritesTheInput",
    [("level.scanned.slice(part.first, part.count), level.blockSums",
      "source.slice(part.first, part.count), level.blockSums")],
    "input-modified", 0)
add("LocalBindingsSwapped",
    [("level.scanned.slice(part.first, part.count), level.blockSums.slice(part.firstTile, part.tiles)",
      "level.blockSums.slice(part.firstTile, part.tiles), level.scanned.slice(part.first, part.count)")],
    "out-of-bounds", 0)

add = group("shaders/A2Task2KernelDecomposition.comp", "scan/local")
# Its timed repetitions would show it (tests/contract/SeedsTest.cpp).
KNOWS = [("first + k < push.count ? source[first + k] : 0", "first + k < push.count ? (first + k) % 97 : 0")]
add("LocalShaderKnowsThePattern", KNOWS, "value", 0)
add("LocalShaderKnowsThePatternThatIsAskedFor", KNOWS, "passed", None, pattern="mod97")
# Works only if it finds the word with which a2 once poisoned memory, and otherwise does nothing.
add("LocalShaderKnowsThePoison",
    [("writeonly buffer Target { Element target[]; }", "buffer Target { Element target[]; }"),
     ("void loadMyLeaves(",
      """bool looked(uint was)
         {
             return was == 0xDEADBEEF || was == 0xA5C3F00D || was == 0x5BADC0DE || was == 0xFEEDFACE;
         }
         void loadMyLeaves("""),
     ("if (first + k < push.count) target[first + k] =",
      "if (first + k < push.count && looked(target[first + k])) target[first + k] =")],
    "unwritten-output", 0)
add("LocalShaderTail",
    [("if (first + k < push.count) target", "if (first + k + 1 < push.count) target")], "unwritten-output", 0)
add("LocalShaderRootNotCleared", [("tree[root] = 0;", "")], "value", 0)
add("LocalShaderDownSweepSkipsALevel", [("span > 0; span /= 2", "span > 0; span /= 4")], "value", 0)
add("LocalShaderDownSweepForgetsTheLeftChild", [("tree[left] = tree[right];", "")], "value", 0)
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
    "input-modified", 0)

# ----------------------------------------------------------------------------------------------- scan/work-efficient
add = group("src/A2Task2Solution/KernelDecomposition.cpp", "scan/work-efficient")
add("WorkEfficientInclusiveOffsets", [("sizeof(TileScanPush), exclusive(shape));", "sizeof(TileScanPush), shape);")],
    "value", 2)
add("WorkEfficientOffsetsNotScanned",
    [("addOffsetSets(levels[i], levels[i + 1].scanned)", "addOffsetSets(levels[i], levels[i].blockSums)")],
    "value", 2)
add("WorkEfficientLastTileWithoutOffset",
    [("gpu.foldGroups(part.tiles - firstTile)", "gpu.foldGroups(part.tiles - firstTile - 1)")],
    "value", 2)
add("WorkEfficientTwoLevelsOnly", [("while (offsetKernel && levels.back()", "if (offsetKernel && levels.back()")],
    "unfinished", None, n=20000)
add("WorkEfficientLastSumForgotten",
    [("ceilDiv(elements, shape.tile())),", "elements / shape.tile()),")],
    "8 elements from element 0 on of buffer 'block sums, level 0' were asked for, which has 7", None)
add("WorkEfficientBarrierAfterTheFirstLevelMissing",
    [("if (i > 0) waitForWrites(cb);", "if (i > 1) waitForWrites(cb);")],
    "missing-barrier", 1, n=20000)
add("WorkEfficientBarrierBeforeOffsetsOnce",
    [("waitForWrites(cb); // the offsets", "if (i > 0) waitForWrites(cb); // the offsets")],
    "missing-barrier", 4, n=20000)
add("WorkEfficientOffsetsTopDownForgotten", [("i-- > 0;) {", "--i > 0;) {")], "unfinished", None)
add("WorkEfficientOffsetsUpwards",
    [("for (std::size_t i = levels.size() - 1; i-- > 0;) {",
      "for (std::size_t i = 0; i + 1 < levels.size(); ++i) {")],
    "value", 3, n=20000)

add = group("shaders/A2Task2KernelDecomposition.comp", "scan/work-efficient")
add("WorkEfficientShaderDownSweepTooShort", [("span > 0; span /= 2", "span > 1; span /= 2")], "value", 0)
add = group("shaders/include/A2Kernels.h", "scan/work-efficient")
add("WorkEfficientShaderPaddingOverlaps",
    [("((index) + (index) / NUM_BANKS)", "((index) - (index) / NUM_BANKS)")], "value", 0)

# ------------------------------------------------------------------------------------------------------- scan/offset
add = group("src/A2Task2Solution/Offset.cpp", "scan/offset")
add("OffsetNoDispatch", [("cb.dispatch(groups.x, groups.y, 1);", "")], "not-written", None)
add("OffsetReturnsEarly", [("if (tiles < 2) return;", "if (tiles < 20) return;")], "no-dispatch", None)
add("OffsetLastTileForgotten",
    [("gpu.foldGroups(parts[i].tiles - firstTile)", "gpu.foldGroups(parts[i].tiles - 2)")], "value", 0)
add("OffsetNothingBound",
    [("cb.bindDescriptorSets(vk::PipelineBindPoint::eCompute, kernel.layout(), 0, sets[i], {});", "")],
    "out-of-bounds", 0)
add("OffsetBuffersSwapped",
    [("{input.slice(part.first, part.count), blockOffsets->slice(part.firstTile, part.tiles)}",
      "{blockOffsets->slice(part.firstTile, part.tiles), input.slice(part.first, part.count)}")],
    "no-dispatch", None)
BIND = """
        const vk::DescriptorBufferInfo info(input.handle(), {}, {});
        gpu.device().updateDescriptorSets(
            vk::WriteDescriptorSet(sets.front(), 0, 0, 1, vk::DescriptorType::eStorageBuffer, nullptr, &info), {{}});"""
BOUND = "blockOffsets->slice(part.firstTile, part.tiles)}));"
add("OffsetRangeBeyondTheBuffer", [(BOUND, BOUND + BIND.format("0", "input.bytes() + 4096"))],
    "range-limit", None)
add("OffsetRangeNotAligned", [(BOUND, BOUND + BIND.format("4", "input.bytes() - 4"))],
    "range-limit", None)

add = group("shaders/A2Task2KernelDecompositionOffset.comp", "scan/offset")
add("OffsetShaderTail", [("if (index < push.count) data", "if (index + 1 < push.count) data")], "value", 0)
add("OffsetShaderTileBefore", [("offsets[number]", "offsets[number - 1]")], "value", 0)
add("OffsetShaderOneTileEarly", [("workGroupNumber() + push.firstTile", "workGroupNumber()")], "value", 0)
add("OffsetShaderTwoInvocationsForOneElement",
    [("if (index < push.count) data[index] += offset;", "if (index < push.count) data[index / 2 * 2] += offset;")],
    "global-race", 0)
add("OffsetShaderClearsOffsets",
    [("readonly buffer Offsets", "buffer Offsets"),
     ("offsets[number];", "offsets[number];\n        barrier();\n        offsets[number] = 0;")],
    "input-modified", 0)

# ----------------------------------------------------------------------------------------------------- scan/lookback
add = group("src/A2Task2Solution/DecoupledLookback.cpp", "scan/lookback", elements=4)
add("LookbackResultKept", [('"scan", count}', '"scan", count, Lifetime::solution}')], "stale-state", None)
add("LookbackStatesNotKept", [("allGroups, Lifetime::solution}", "allGroups}")],
    "unset-memory", 0)
add("LookbackOneGroupTooMany", [("allGroups = groupsOf(parts);", "allGroups = groupsOf(parts) + 1;")],
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
# The tickets know how many runs there were.
add("LookbackShaderStopsAfterSixRuns",
    [("storeRows(begin, full, tile == 0 ?", "if (run < 6) storeRows(begin, full, tile == 0 ?")], "stale-state", None)
# Right for the same input again, because the run before published the same. With zeros some tiles are late,
# permanently.
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
add("LookbackShaderPrefixOfTheTileBefore", [("uint last = tile - 1;", "uint last = tile - 2;")], "value", 0)
add("LookbackShaderPublishedCutTo16Bits", [("tag | bits >> 16,", "tag,")], "value", 0)
add("LookbackShaderStopsAtASum",
    [("flag == PREFIX ?", "flag != NOTHING ?"), ("if (missing == NONE) publish(", "if (false) publish(")],
    "value", 0, n=5000)
add("LookbackShaderRowsOfAllSubgroupsMixed", [("before * ROWS + row", "before + row")], "value", 0, elements=8)
add("LookbackShaderTrustsThirtyTwo", [("i += width)", "i += 32)")], "value", 0, n=5000, work_group=1024)
# Every third tile does not publish its sum: others must add it up themselves.
STARVED = [("subgroupElect()) publish(tile, run, tile == 0", "tile % 3 != 1 && subgroupElect()) publish(tile, run, tile == 0"),
           ("if (missing == NONE) publish(", "if (missing == NONE && tile % 3 != 1) publish(")]
add("LookbackShaderStarvedIsRight", STARVED, "passed", None, n=5000)
add("LookbackShaderFallbackWithoutABarrier",
    STARVED + [("barrier();  // every subgroup's sum of the missing tile", "// every subgroup's sum of the missing tile")],
    "shared-race", 0, n=5000)
add("LookbackShaderFallbackOfTheNextTile",
    STARVED + [("const uint begin = (tile - push.firstGroup) * TILE; Element sum = 0; for (uint k",
                "const uint begin = (tile + 1 - push.firstGroup) * TILE; Element sum = 0; for (uint k")],
    "value", 0, n=5000)
add("LookbackShaderFallbackWithoutATail",
    STARVED + [("if (index < push.count) sum +=", "sum +=")], "passed", None, n=5000)  # the last tile is never missing
add("LookbackShaderGapsSkipped",
    STARVED + [("min(nearestPrefix + 1, nearestGap);", "nearestPrefix + 1;"),
               ("if (nearestPrefix < nearestGap) return NONE;", "if (nearestPrefix < width) return NONE;")],
    "value", 0, n=5000)

# ----------------------------------------------------------------------------------------------------- scan/persistent
add = group("src/A2Task2Solution/Persistent.cpp", "scan/persistent", elements=4)
add("PersistentResultKept", [('"scan", count}', '"scan", count, Lifetime::solution}')], "stale-state", None)
add("PersistentStatesNotKept", [("parts.front().tiles, Lifetime::solution}", "parts.front().tiles}")], "unset-memory", 0)
add("PersistentSlicesAllFirst", [("static_cast<uint>(i)}", "0}")], "result", None, n=40000, sliced=True)
add("PersistentBarrierAfterTransfer",
    [("vk::PipelineStageFlagBits::eComputeShader, vk::PipelineStageFlagBits::eComputeShader",
      "vk::PipelineStageFlagBits::eTransfer, vk::PipelineStageFlagBits::eComputeShader")],
    "weak-barrier", 1, n=40000, sliced=True)
add("PersistentBarrierBeforeTheSecondSliceOnly", [("if (i > 0)", "if (i == 1)")],
    "missing-barrier", 2, n=40000, sliced=True)
# The others take more tiles each.
add("PersistentHalfTheGroupsIsRight", [("std::min<std::uint64_t>(parts[i].tiles, most)", "(parts[i].tiles + 1) / 2")],
    "passed", None)

add = group("shaders/A2Task2Persistent.comp", "scan/persistent", elements=4)
TICKET_RESET = "if ((ticket & 0xFFFFFF) + 1 == draws) atomicAdd(tickets, (1 << 24) - draws);"
add("PersistentShaderTicketNotReset", [(TICKET_RESET, "")], "stale-state", None)
add("PersistentShaderVainDrawsNotCounted", [("tiles + gl_NumWorkGroups.x;", "tiles;")], "value", 0)
add("PersistentShaderStopsAfterSixRuns",
    [("store(tile, vectors, prefix + left);", "if (run < 6) store(tile, vectors, prefix + left);")], "stale-state", None)
add("PersistentShaderTilesFromTheRight",
    [("run = ticket >> 24; return ticket & 0xFFFFFF;",
      "run = ticket >> 24; const uint turn = ticket & 0xFFFFFF; return turn < tiles ? tiles - 1 - turn : turn;")],
    "value", 0)
add("PersistentShaderTail", [("i < push.count; ++i)", "i + 1 < push.count; ++i)")], "unwritten-output", 0, n=1001)
add("PersistentShaderTailWithoutASum", [("target[i] = EXCLUSIVE == 1 ? sum : sum + value;", "target[i] = value;")],
    "value", 0, n=1001)
add("PersistentShaderExclusiveForInclusive", [("(EXCLUSIVE == 1 ? Element4", "(EXCLUSIVE == 0 ? Element4")], "value", 0)
add("PersistentShaderKnowsItsTileToo", [("known = tile;", "known = tile + 1;")], "value", 0)
add("PersistentShaderKnowsNothing", [("known = tile;", "")], "value", 0)
add("PersistentShaderForgetsThePrefix", [("prefix += sumOfAll(OTHERS", "prefix = sumOfAll(OTHERS")], "value", 0)
add("PersistentShaderPublishedCutTo16Bits", [("tag | bits >> 16,", "tag,")], "value", 0)
add("PersistentShaderPublishesTheTileBefore", [("publish(nextTile, run, nextAll)", "publish(nextTile, run, all)")], "value", 0)
add("PersistentShaderRowsOfAllSubgroupsMixed", [("before * ROWS + row", "before + row")], "value", 0, elements=8)
add("PersistentShaderTrustsThirtyTwo", [("i += width)", "i += 32)")], "value", 0, n=5000, work_group=1024)
add("PersistentShaderWithoutPatienceIsRight", [("PATIENCE = 256", "PATIENCE = 0")], "passed", None, n=5000)
# Every third tile does not publish its sum: others must add it up themselves.
STARVED = [("const uint bits = BITS_OF(sum), tag", "if (tile % 3 == 1) return; const uint bits = BITS_OF(sum), tag")]
add("PersistentShaderStarvedIsRight", STARVED, "passed", None, n=5000)
add("PersistentShaderFallbackOfTheNextTile",
    STARVED + [("sourceVectors[tile * TILE_VECTORS + v]", "sourceVectors[(tile + 1) * TILE_VECTORS + v]")], "value", 0, n=5000)
add("PersistentShaderFallbackOfHalfATile", STARVED + [("v < TILE_VECTORS; ++v", "v < TILE_VECTORS / 2; ++v")], "value", 0, n=5000)
