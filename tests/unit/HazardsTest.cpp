// Which barriers suffice between two commands, by made-up logs.

#include "observe/Hazards.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace a2 {

namespace {

using Stage = vk::PipelineStageFlagBits2;
using Access = vk::AccessFlagBits2;

vk::Buffer buffer(std::uintptr_t number) { return vk::Buffer(reinterpret_cast<VkBuffer>(number)); }

struct Bound {
    std::uintptr_t buffer;
    bool reads, writes;
};

Command dispatch(std::uint64_t index, const std::vector<Bound>& bound)
{
    DispatchCommand command;
    command.index = index;
    command.label = "step";
    command.groups = {1, 1, 1};
    for (const Bound& one : bound)
        command.buffers.push_back({0, 0, "data", "Data", one.reads, one.writes, buffer(one.buffer), 0, 256});
    return command;
}

Command barrier(vk::PipelineStageFlags2 src, vk::PipelineStageFlags2 dst, vk::AccessFlags2 made, vk::AccessFlags2 seen)
{
    return BarrierCommand{{{src, dst, made, seen}}};
}

Command fill(std::uintptr_t number, vk::DeviceSize offset, vk::DeviceSize size)
{
    TransferCommand command;
    command.call = "vkCmdFillBuffer";
    command.to = buffer(number);
    command.region = vk::BufferCopy(0, offset, size);
    return command;
}

// The assignment's own.
const Command documents =
    barrier(Stage::eComputeShader, Stage::eComputeShader, Access::eShaderWrite, Access::eShaderRead);

// "missing-barrier@1 weak-barrier@2"
std::string found(const std::vector<Command>& commands)
{
    std::string text;
    for (const Finding& finding : hazards(commands))
        text += finding.dispatch ? fmt::format(" {}@{}", finding.rule, *finding.dispatch) : " " + finding.rule;
    return text.empty() ? text : text.substr(1);
}

const Command inPlace0 = dispatch(0, {{1, true, true}}), inPlace1 = dispatch(1, {{1, true, true}}),
              inPlace2 = dispatch(2, {{1, true, true}});

}  // namespace

TEST(Hazards, InPlaceDispatchesNeedABarrierAndTheDocumentsIsEnough)
{
    EXPECT_EQ(found({inPlace0, inPlace1}), "missing-barrier@1");
    EXPECT_EQ(found({inPlace0, documents, inPlace1}), "");
    EXPECT_EQ(found({inPlace0, documents, inPlace1, documents, inPlace2}), "");
    EXPECT_EQ(found({inPlace0, documents, inPlace1, inPlace2}), "missing-barrier@2");
    EXPECT_EQ(found({documents, inPlace0, inPlace1, documents}), "missing-barrier@1") << "in the wrong places";
}

TEST(Hazards, PingPongWithTheDocumentsBarrier)
{
    const Command there = dispatch(0, {{1, true, false}, {2, false, true}}),
                  back = dispatch(1, {{2, true, false}, {1, false, true}}),
                  again = dispatch(2, {{1, true, false}, {2, false, true}});
    EXPECT_EQ(found({there, documents, back, documents, again}), "");
    EXPECT_EQ(found({there, back, again}), "missing-barrier@1 missing-barrier@2");
}

TEST(Hazards, ReadersNeedNothingBetweenThem)
{
    EXPECT_EQ(
        found({dispatch(0, {{1, true, false}, {2, false, true}}), dispatch(1, {{1, true, false}, {3, false, true}})}),
        "");
}

TEST(Hazards, SlicesOfOneBufferAreApartUnlessTheyShareBytes)
{
    const auto slice = [](std::uint64_t index, vk::DeviceSize offset, vk::DeviceSize range) {
        Command command = dispatch(index, {{1, true, true}});
        BoundBuffer& bound = std::get<DispatchCommand>(command).buffers[0];
        bound.offset = offset;
        bound.range = range;
        return command;
    };
    constexpr vk::DeviceSize GiB = vk::DeviceSize{1} << 30;
    EXPECT_EQ(found({slice(0, 256, 4 * GiB), slice(1, 256 + 4 * GiB, 4 * GiB), slice(2, 256 + 8 * GiB, 64)}), "");
    EXPECT_EQ(found({slice(0, 256, 4 * GiB), slice(1, 252 + 4 * GiB, 4 * GiB)}), "missing-barrier@1");
    EXPECT_EQ(found({slice(0, 256 + 4 * GiB, 64), slice(1, 256, VK_WHOLE_SIZE)}), "missing-barrier@1");
    EXPECT_EQ(found({slice(0, 256, 512), documents, slice(1, 256, 1024), slice(2, 1280, 64)}), "");
}

TEST(Hazards, OverwritingWhatWasOnlyReadNeedsNoMemoryDependency)
{
    const Command reads = dispatch(0, {{1, true, false}}), writes = dispatch(1, {{1, false, true}});
    EXPECT_EQ(found({reads, writes}), "missing-barrier@1");
    EXPECT_EQ(found({reads, barrier(Stage::eComputeShader, Stage::eComputeShader, {}, {}), writes}), "");
}

TEST(Hazards, WeakMasksAndStages)
{
    const auto between = [](const Command& one) { return found({inPlace0, one, inPlace1}); };
    const auto compute = Stage::eComputeShader;
    EXPECT_EQ(between(barrier(compute, compute, Access::eShaderWrite, Access::eShaderWrite)), "weak-barrier@1");
    EXPECT_EQ(between(barrier(compute, compute, Access::eShaderRead, Access::eShaderWrite)), "weak-barrier@1");
    EXPECT_EQ(between(barrier(compute, compute, {}, {})), "weak-barrier@1");
    EXPECT_EQ(between(barrier(Stage::eTransfer, compute, Access::eTransferWrite, Access::eShaderRead)),
              "weak-barrier@1");
    EXPECT_EQ(between(barrier(compute, Stage::eTransfer, Access::eShaderWrite, Access::eTransferRead)),
              "weak-barrier@1");
    EXPECT_EQ(between(barrier(Stage::eTopOfPipe, compute, Access::eShaderWrite, Access::eShaderRead)),
              "weak-barrier@1");
    EXPECT_EQ(between(barrier(Stage::eAllCommands, Stage::eAllCommands, Access::eMemoryWrite, Access::eMemoryRead)),
              "");
    EXPECT_EQ(between(barrier(compute, compute, Access::eShaderStorageWrite, Access::eShaderStorageRead)), "");
}

TEST(Hazards, ABufferBarrierIsAboutItsBufferOnly)
{
    const auto about = [](std::uintptr_t number, vk::DeviceSize offset, vk::DeviceSize size) {
        return Command(BarrierCommand{{{Stage::eComputeShader, Stage::eComputeShader, Access::eShaderWrite,
                                        Access::eShaderRead, buffer(number), offset, size}}});
    };
    EXPECT_EQ(found({inPlace0, about(1, 0, VK_WHOLE_SIZE), inPlace1}), "");
    EXPECT_EQ(found({inPlace0, about(2, 0, VK_WHOLE_SIZE), inPlace1}), "weak-barrier@1");
    EXPECT_EQ(found({inPlace0, about(1, 0, 128), inPlace1}), "weak-barrier@1");
}

TEST(Hazards, BarriersChain)
{
    // Compute -> transfer -> compute: together they order the two dispatches, and carry the write along.
    const Command first = barrier(Stage::eComputeShader, Stage::eTransfer, Access::eShaderWrite, Access::eTransferRead),
                  second =
                      barrier(Stage::eTransfer, Stage::eComputeShader, Access::eTransferWrite, Access::eShaderRead);
    EXPECT_EQ(found({inPlace0, first, second, inPlace1}), "");
    EXPECT_EQ(found({inPlace0, second, first, inPlace1}), "weak-barrier@1");
}

TEST(Hazards, AnEventOrdersOnlyWhatCameBeforeItWasSet)
{
    BarrierCommand waited = std::get<BarrierCommand>(documents);
    waited.covered = 1;  // set behind the first dispatch
    EXPECT_EQ(found({inPlace0, waited, inPlace1}), "");
    waited.covered = 0;  // set before it
    EXPECT_EQ(found({inPlace0, waited, inPlace1}), "missing-barrier@1");
}

TEST(Hazards, TransfersCountToo)
{
    const Command wait = barrier(Stage::eTransfer, Stage::eComputeShader, Access::eTransferWrite, Access::eShaderRead);
    EXPECT_EQ(found({fill(1, 0, 256), inPlace0}), "missing-barrier@0");
    EXPECT_EQ(found({fill(1, 0, 256), wait, inPlace0}), "");
    EXPECT_EQ(found({fill(1, 256, 64), inPlace0}), "") << "other bytes";
    EXPECT_EQ(found({fill(2, 0, 256), inPlace0}), "") << "another buffer";
    EXPECT_EQ(found({inPlace0, fill(1, 0, 4)}), "missing-barrier") << "a transfer has no dispatch number";
}

TEST(Hazards, AnEmptyDispatchTouchesNothing)
{
    Command empty = inPlace0;
    std::get<DispatchCommand>(empty).groups = {4, 0, 1};
    EXPECT_EQ(found({empty, inPlace1}), "");
}

TEST(Hazards, TheMessageNamesBothDispatchesTheBufferAndTheBarrier)
{
    const std::vector<Finding> findings = hazards({inPlace0, inPlace1});
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings[0].message,
              "dispatch 1 'step' reads and writes buffer 'data', which dispatch 0 'step' writes, with no pipeline "
              "barrier between them; insert before it: cb.pipelineBarrier(vk::PipelineStageFlagBits::eComputeShader, "
              "vk::PipelineStageFlagBits::eComputeShader, {}, vk::MemoryBarrier(vk::AccessFlagBits::eShaderWrite, "
              "vk::AccessFlagBits::eShaderRead), {}, {});");
}

TEST(Hazards, DependenciesReadAsText)
{
    EXPECT_EQ(dependencyText(std::get<BarrierCommand>(documents).dependencies[0]),
              "ComputeShader/ShaderWrite -> ComputeShader/ShaderRead");
}

// Nobody looks back beyond a barrier that leaves nothing open: or this would take hours.
TEST(Hazards, OfManyDispatchesAreFoundInOneWalk)
{
    std::vector<Command> many;
    for (std::uint64_t i = 0; i < 20'000; ++i) {
        many.push_back(dispatch(i, {{1, true, true}}));
        if (i != 9'999) many.push_back(documents);
    }
    EXPECT_EQ(found(many), "missing-barrier@10000");
}

// What separates dispatches does not separate transfers from them.
TEST(Hazards, OfATransferAreFoundBeyondTheBarriersOfDispatches)
{
    EXPECT_EQ(found({fill(1, 0, 256), documents, inPlace0, documents, inPlace1}), "weak-barrier@0 weak-barrier@1");
    EXPECT_EQ(found({inPlace0, documents, inPlace1, documents, fill(1, 0, 256)}), "weak-barrier");
}

}  // namespace a2
