// A kernel broken by hand fails its row: one small change each, of the kinds that students make.

#include "ChangedShaders.h"
#include "GpuFixture.h"

namespace a2 {

namespace {

struct Mutation {
    const char* name;
    const char* task;
    const char* file;
    const char* from;
    const char* to;
    const char* finding = "";  // something the explanation must say
};

void PrintTo(const Mutation& mutation, std::ostream* stream) { *stream << mutation.name; }

const Mutation mutations[] = {
    // The tail is dropped.
    {"InterleavedTail", "reduce/interleaved", "A2Task1Interleaved.comp", "k <= partners", "k < partners",
     "never added"},
    {"SequentialTail", "reduce/sequential", "A2Task1Sequential.comp", "index < push.live", "index + 1 < push.live",
     "never added"},
    {"DecompositionTail", "reduce/decomposition", "include/A2LoadTile.glsl",
     "if (index < push.count) sum +=", "if (index + 1 < push.count) sum +=", "never added"},
    {"NaiveTail", "scan/naive", "A2Task2Naive.comp", "if (index < push.count) {", "if (index + 1 < push.count) {",
     "poison"},
    {"LocalScanTail", "scan/local", "A2Task2KernelDecomposition.comp", "if (begin + index < push.count) target",
     "if (begin + index + 1 < push.count) target", "poison"},
    {"OffsetTail", "scan/offset", "A2Task2KernelDecompositionOffset.comp", "if (index < push.count) data",
     "if (index + 1 < push.count) data"},
    // A step is missing, or one too many.
    {"DecompositionStopsOneStepEarly", "reduce/decomposition", "A2Task1KernelDecomposition.comp", "live > 1;",
     "live > 2;", "never added"},
    {"UnrollWithoutItsLastStep", "reduce/unroll", "A2Task1KernelDecompositionUnroll.comp", "    STEP(1)\n", "",
     "never added"},
    {"SequentialSkipsAChunk", "reduce/sequential", "A2Task1Sequential.comp", "uint k = 1;", "uint k = 2;",
     "never added"},
    {"InterleavedAddsItselfTwice", "reduce/interleaved", "A2Task1Interleaved.comp", "uint k = 1;", "uint k = 0;",
     "more than once"},
    {"RootIsNotCleared", "scan/local", "A2Task2KernelDecomposition.comp", "tile[root] = 0;", ""},
    {"DownSweepStopsOneLevelEarly", "scan/work-efficient", "A2Task2KernelDecomposition.comp", "span > 0; span /= 2",
     "span > 1; span /= 2"},
    // A barrier is missing.
    {"TreeWithoutABarrier", "reduce/decomposition", "A2Task1KernelDecomposition.comp", "barrier();  // the next step",
     "// the next step"},
    {"AtomicWithoutABarrier", "reduce/atomic", "A2Task1KernelDecompositionAtomic.comp", "barrier();  // every",
     "// every"},
    {"UpSweepWithoutABarrier", "scan/local", "A2Task2KernelDecomposition.comp",
     "barrier();  // the next level reads this level's sums", ""},
    // Something starts wrong.
    {"SumStartsAtOne", "reduce/atomic", "A2Task1KernelDecompositionAtomic.comp", "groupSum = 0;", "groupSum = 1;"},
    {"ExclusiveForInclusive", "scan/local", "A2Task2KernelDecomposition.comp", "const uint shift = 1 - EXCLUSIVE;",
     "const uint shift = EXCLUSIVE;"},
    {"FirstStepShifted", "scan/naive", "A2Task2Naive.comp", "push.stride + push.shift;", "push.stride + 1;"},
    // Ping-pong the wrong way round: what is read is where the result should go.
    {"PingPongSwapped", "scan/naive", "include/A2Kernels.h", "#define BINDING_IN 0",
     "#define BINDING_IN 1\n#undef BINDING_OUT\n#define BINDING_OUT 0\n//"},
    // Offsets on the wrong tile; padding that puts two elements into one word.
    {"OffsetOfTheTileBefore", "scan/offset", "A2Task2KernelDecompositionOffset.comp", "offsets[number]",
     "offsets[number - 1]"},
    {"OffsetsOneTileEarly", "scan/offset", "A2Task2KernelDecompositionOffset.comp", "workGroupNumber() + 1",
     "workGroupNumber()"},
    {"PaddingOverlaps", "scan/work-efficient", "include/A2Kernels.h", "((index) + (index) / NUM_BANKS)",
     "((index) - (index) / NUM_BANKS)"},
    // A hard-coded work-group size.
    {"WorkGroupSizeHardCoded", "reduce/sequential", "include/A2Kernels.h", "workGroupNumber() * gl_WorkGroupSize.x",
     "workGroupNumber() * 64"},
};

class BrokenShader : public testing::TestWithParam<Mutation> {};

}  // namespace

TEST_P(BrokenShader, FailsItsRow)
{
    const Mutation& mutation = GetParam();
    std::string from = mutation.from, to = mutation.to;
    if (to.find("#undef") != std::string::npos) {  // swap both bindings in one go
        from =
            "#define BINDING_IN 0          // what the kernel reads; in-place kernels read and write it\n#define "
            "BINDING_OUT 1 ";
        to = "#define BINDING_IN 1\n#define BINDING_OUT 0 ";
    }
    const ChangedShaders shaders(mutation.file, from, to);
    const auto gpu = openTestGpu(shaders.path());
    const TaskOutcome outcome = evaluate(*gpu, taskNamed(mutation.task), 65536);  // a power of two, as the default is
    EXPECT_EQ(outcome.status, Status::failed);
    EXPECT_NE(explanation(outcome).find(mutation.finding), std::string::npos) << explanation(outcome);
}

INSTANTIATE_TEST_SUITE_P(, BrokenShader, testing::ValuesIn(mutations),
                         [](const testing::TestParamInfo<Mutation>& mutation) { return mutation.param.name; });

TEST(UnbrokenShaders, PassFromAFolderToo)
{
    const ChangedShaders shaders("Copy.comp", "uint count", "uint count");
    const auto gpu = openTestGpu(shaders.path());
    for (const Task& task : allTasks()) EXPECT_EQ(evaluate(*gpu, task, 1000).status, Status::passed) << task.id;
}

TEST(BrokenShaders, ThatDoNotCompileFailWithFileAndLine)
{
    const ChangedShaders shaders("A2Task1Sequential.comp", "uint sum = data[first];", "uint sum = dato[first];");
    const auto gpu = openTestGpu(shaders.path());
    const TaskOutcome outcome = evaluate(*gpu, taskNamed("reduce/sequential"), 1000);
    EXPECT_EQ(outcome.status, Status::failed);
    EXPECT_NE(explanation(outcome).find("A2Task1Sequential.comp does not compile: line "), std::string::npos)
        << explanation(outcome);
    EXPECT_NE(explanation(outcome).find("'dato'"), std::string::npos) << explanation(outcome);
}

}  // namespace a2
