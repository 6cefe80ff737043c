"""Wrong lab kernels; variants.py explains the lines. Their host code is the course's, and is broken there."""

from variants import group

# Tiles of 128 elements, as there: n = 1000 has 8 tiles.

add = group("shaders/A2LabBruteForce.comp", "scan/brute-force")
add("BruteForceShaderFirstElementForgotten", [("uint k = begin; k < index", "uint k = begin + 1; k < index")], "value", 0)
add("BruteForceShaderFromTheArraysStart", [("uint k = begin; k < index", "uint k = 0; k < index")], "value", 0)
add("BruteForceShaderTail", [("if (index < push.count) {", "if (index + 1 < push.count) {")], "unwritten-output", 0,
    n=100)
add("BruteForceShaderExclusiveForInclusive", [("EXCLUSIVE == 0 ? sum", "EXCLUSIVE == 1 ? sum")], "value", 0)
add("BruteForceShaderTotalWithoutItsLast", [("blockSums[workGroupNumber()] = sum;", "blockSums[workGroupNumber()] = before;")],
    "value", 0)
add("BruteForceShaderTotalOfTheElementBefore", [("i == TILE - 1 || index", "i == TILE - 2 || index")], "value", 0)

add = group("shaders/A2LabKoggeStone.comp", "scan/kogge-stone")
add("KoggeStoneShaderReadsBeforeItIsWritten", [("barrier();  // every sum of the step before", "// every sum of the step before")],
    "shared-race", 0)
add("KoggeStoneShaderOneBarrierPerStep", [("barrier();  // everybody has read", "// everybody has read")],
    "shared-race", 0)
add("KoggeStoneShaderWritesAtOnce",
    [("if (i >= stride) left[k] = sums[i - stride];", "if (i >= stride) sums[i] += sums[i - stride];"),
     ("if (i >= stride) sums[i] += left[k];", "")],
    "shared-race", 0)
add("KoggeStoneShaderFirstStepLeftOut", [("uint stride = 1; stride < TILE", "uint stride = 2; stride < TILE")], "value", 0)
add("KoggeStoneShaderLastStepLeftOut", [("stride < TILE; stride *= 2", "2 * stride < TILE; stride *= 2")], "value", 0)
add("KoggeStoneShaderOffByOne", [("if (i >= stride) sums[i] +=", "if (i > stride) sums[i] +=")], "value", 0)
add("KoggeStoneShaderTail",
    [("if (begin + i < push.count) { if (EXCLUSIVE", "if (begin + i + 1 < push.count) { if (EXCLUSIVE")],
    "unwritten-output", 0, n=100)
add("KoggeStoneShaderReadsPastItsArray", [("if (i >= stride) left[k] = sums[i - stride];", "left[k] = sums[i - stride];")],
    "out-of-bounds", 0)
add("KoggeStoneShaderBarrierBehindACondition",
    [("barrier();  // everybody has read", "if (lane >= stride) barrier();  // everybody has read")],
    "barrier-divergence", 0)

add = group("shaders/A2LabBrentKung.comp", "scan/brent-kung")
add("BrentKungShaderUpWithoutABarrier", [("barrier();  // the sums of the level below", "// the sums of the level below")],
    "shared-race", 0)
add("BrentKungShaderDownWithoutABarrier",
    [("barrier();  // the whole sums of the level above", "// the whole sums of the level above")], "shared-race", 0)
add("BrentKungShaderOutWithoutABarrier", [("barrier();  // all sums are whole", "// all sums are whole")],
    "shared-race", 0)
add("BrentKungShaderDownTooShort", [("stride > 0; stride /= 2", "stride > 1; stride /= 2")], "value", 0)
add("BrentKungShaderDownStartsLow", [("NEXT_POWER_OF_TWO(TILE) / 4", "NEXT_POWER_OF_TWO(TILE) / 8")], "value", 0)
add("BrentKungShaderUpTooShort", [("stride < TILE; stride *= 2", "2 * stride < TILE; stride *= 2")], "value", 0)
add("BrentKungShaderReadsPastItsArray",
    [("p < TILE / (2 * stride); p +=", "p <= TILE / (2 * stride); p +=")], "out-of-bounds", 0)
# The tile's size is no power of two: its last node has no whole pair, and still needs the last step down.
add("BrentKungShaderTrustsPowersOfTwo",
    [("uint stride = NEXT_POWER_OF_TWO(TILE) / 4", "uint stride = TILE / 4")], "value", 0, work_group=100)

add = group("shaders/A2LabLocalModulo.comp", "reduce/local-modulo")
add("LocalModuloShaderWithoutABarrier", [("barrier();  // the sums", "// the sums")], "shared-race", 0)
add("LocalModuloShaderLastStepLeftOut", [("stride < TILE; stride *= 2", "2 * stride < TILE; stride *= 2")], "value", 0)
add("LocalModuloShaderWrongRemainder", [("t % stride == 0", "t % (2 * stride) == 0")], "value", 0)
add("LocalModuloShaderReadsPastItsArray",
    [("t % stride == 0 && 2 * t + stride < TILE", "t % stride == 0")], "out-of-bounds", 0, work_group=100)
add("LocalModuloShaderTail", [("begin + i < push.count ?", "begin + i + 1 < push.count ?")], "value", 0)
add("LocalModuloShaderWritesItsSource",
    [("readonly buffer Source", "buffer Source"),
     ("if (lane == 0 && begin < push.count)", "source[begin] = partial[0];\n    if (lane == 0 && begin < push.count)")],
    "input-modified", 0, n=100)

add = group("shaders/A2LabLocalSequential.comp", "reduce/local-sequential")
add("LocalSequentialShaderWithoutABarrier", [("barrier();  // the sums", "// the sums")], "shared-race", 0)
add("LocalSequentialShaderOddOneLost", [("const uint width = (live + 1) / 2;", "const uint width = live / 2;"),
                                        ("live = (live + 1) / 2", "live = live / 2")], "value", 0, work_group=100)
add("LocalSequentialShaderLastStepLeftOut", [("live > 1; live", "live > 2; live")], "value", 0)
add("LocalSequentialShaderOddOneTwice", [("t + width < live; t", "t < width; t")], "value", 0, work_group=100)
add("LocalSequentialShaderTail", [("begin + i < push.count ?", "begin + i + 1 < push.count ?")], "value", 0)
add("LocalSequentialShaderSumOneFurther", [("sums[workGroupNumber()] = partial", "sums[workGroupNumber() + 1] = partial")],
    "out-of-bounds", 0, n=100)
