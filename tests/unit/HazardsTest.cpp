// Which barriers are enough between two commands, tested with artificial logs.

#include "lint/Hazards.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace a2 {

namespace {

using Stage = vk::PipelineStageFlagBits2;
using Access = vk::AccessFlagBits2;

struct Bound {
    Index buffer;
    bool reads, writes;
};

Command dispatch(std::uint64_t index, const std::vector<Bound>& bound)
{
    DispatchCommand command;
    command.index = index;
    command.label = "step";
    command.groups = {1, 1, 1};
    for (const Bound& one : bound)
        command.buffers.push_back({0, 0, "data", "Data", one.reads, one.writes, one.buffer, 0, 256});
    return command;
}

Command barrier(vk::PipelineStageFlags2 src, vk::PipelineStageFlags2 dst, vk::AccessFlags2 made, vk::AccessFlags2 seen)
{
    return BarrierCommand{{{src, dst, made, seen}}};
}

Command fill(Index number, vk::DeviceSize offset, vk::DeviceSize size)
{
    TransferCommand command;
    command.call = "vkCmdFillBuffer";
    command.to = number;
    command.region = vk::BufferCopy(0, offset, size);
    return command;
}

// The assignment's own barrier.
const Command documents =
    barrier(Stage::eComputeShader, Stage::eComputeShader, Access::eShaderWrite, Access::eShaderRead);

// "missing-barrier@1 weak-barrier@2"
std::string found(const std::vector<Command>& commands, const WordsOfDispatches& words = {})
{
    std::string text;
    for (const Finding& finding : hazards(commands, words))
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

// Vulkan specification, "Pipeline Stages": the top as a source and the bottom as a destination mean no stage at all; in
// the opposite roles they mean all commands, but none of their accesses. The bits mean the same in both versions of the
// call; the second version has other names for this.
TEST(Hazards, TheTopAndTheBottomOfThePipe)
{
    const Stage compute = Stage::eComputeShader, top = Stage::eTopOfPipe, bottom = Stage::eBottomOfPipe,
                all = Stage::eAllCommands, none = Stage::eNone;
    const Command reads = dispatch(0, {{1, true, false}}), writes = dispatch(1, {{1, false, true}});
    struct Case {
        Stage src, dst;
        bool waits;           // the second command waits for the first
        bool source, target;  // accesses count on this side
    };
    for (const Case& one : {Case{compute, compute, true, true, true}, Case{all, all, true, true, true},
                            Case{top, compute, false, false, true}, Case{none, compute, false, false, true},
                            Case{compute, bottom, false, true, false}, Case{compute, none, false, true, false},
                            Case{bottom, compute, true, false, true}, Case{bottom, all, true, false, true},
                            Case{compute, top, true, true, false}, Case{all, top, true, true, false},
                            Case{bottom, top, true, false, false}, Case{top, bottom, false, false, false}}) {
        SCOPED_TRACE(vk::to_string(one.src) + " -> " + vk::to_string(one.dst));
        const Command alone = barrier(one.src, one.dst, {}, {}),
                      masked = barrier(one.src, one.dst, Access::eShaderWrite, Access::eShaderRead);
        EXPECT_EQ(found({reads, alone, writes}), one.waits ? "" : "weak-barrier@1");
        EXPECT_EQ(found({inPlace0, masked, inPlace1}), one.waits && one.source && one.target ? "" : "weak-barrier@1");
    }
    const std::vector<Finding> bottomOnly =
        hazards({inPlace0, barrier(bottom, compute, Access::eShaderWrite, Access::eShaderRead), inPlace1});
    ASSERT_EQ(bottomOnly.size(), 1U);
    EXPECT_NE(bottomOnly[0].message.find("its source stage mask names no stage that writes"), std::string::npos)
        << bottomOnly[0].message;
}

// Barriers form a chain if stages that wait because of the first one are stages that the second one waits for.
TEST(Hazards, ChainsByStages)
{
    const Stage compute = Stage::eComputeShader, transfer = Stage::eTransfer, top = Stage::eTopOfPipe,
                bottom = Stage::eBottomOfPipe;
    const auto write = Access::eShaderWrite, read = Access::eShaderRead;
    const auto chained = [&](vk::PipelineStageFlags2 dst, vk::PipelineStageFlags2 src) {
        return found({inPlace0, barrier(compute, dst, write, {}), barrier(src, compute, {}, read), inPlace1});
    };
    EXPECT_EQ(chained(transfer, transfer), "");
    EXPECT_EQ(chained(top, transfer), "") << "all commands wait, and so do transfers";
    EXPECT_EQ(chained(transfer, bottom), "") << "all commands are waited for";
    EXPECT_EQ(chained(top, bottom), "");
    EXPECT_EQ(chained(Stage::eDrawIndirect, compute), "") << "a kernel starts behind the look at its work-groups";
    EXPECT_EQ(chained(compute, Stage::eDrawIndirect), "weak-barrier@1") << "which does not wait for the kernel";
    EXPECT_EQ(chained(transfer, top), "weak-barrier@1");
    EXPECT_EQ(chained(bottom, transfer), "weak-barrier@1");
    EXPECT_EQ(chained(bottom, top), "weak-barrier@1");
    EXPECT_EQ(chained(Stage::eHost, transfer), "weak-barrier@1");
}

// Fills and updates are clear commands (Vulkan specification, VkPipelineStageFlagBits2), although they access memory as
// transfers do.
TEST(Hazards, FillsAreNoCopies)
{
    const Command uses = dispatch(0, {{1, true, true}});
    Command copy = fill(1, 0, 256);
    std::get<TransferCommand>(copy).call = "vkCmdCopyBuffer";
    std::get<TransferCommand>(copy).from = 2;
    const auto behind = [](vk::PipelineStageFlags2 stage) {
        return barrier(stage, Stage::eComputeShader, Access::eTransferWrite,
                       Access::eShaderRead | Access::eShaderWrite);
    };
    const auto before = [](vk::PipelineStageFlags2 stage) { return barrier(Stage::eComputeShader, stage, {}, {}); };
    const Command reads = dispatch(0, {{1, true, false}});
    for (const auto& [stage, fills, copies] :
         {std::tuple(Stage::eClear, true, false), std::tuple(Stage::eCopy, false, true),
          std::tuple(Stage::eAllTransfer, true, true), std::tuple(Stage::eAllCommands, true, true)}) {
        EXPECT_EQ(found({fill(1, 0, 256), behind(stage), uses}), fills ? "" : "weak-barrier@0");
        EXPECT_EQ(found({copy, behind(stage), uses}), copies ? "" : "weak-barrier@0");
        EXPECT_EQ(found({reads, before(stage), fill(1, 0, 256)}), fills ? "" : "weak-barrier");
        EXPECT_EQ(found({reads, before(stage), copy}), copies ? "" : "weak-barrier");
    }
}

TEST(Hazards, UniformBuffersAreReadByAnAccessOfTheirOwn)
{
    Command uses = dispatch(0, {{1, true, false}});
    std::get<DispatchCommand>(uses).buffers[0].uniform = true;
    const auto behind = [](vk::AccessFlags2 seen) {
        return barrier(Stage::eTransfer, Stage::eComputeShader, Access::eTransferWrite, seen);
    };
    EXPECT_EQ(found({fill(1, 0, 256), uses}), "missing-barrier@0");
    EXPECT_EQ(found({fill(1, 0, 256), behind(Access::eUniformRead), uses}), "");
    EXPECT_EQ(found({fill(1, 0, 256), behind(Access::eMemoryRead), uses}), "");
    EXPECT_EQ(found({fill(1, 0, 256), behind(Access::eShaderRead), uses}), "weak-barrier@0");
    // A barrier between dispatches that is enough for storage buffers is not enough for uniform buffers.
    Command later = uses;
    std::get<DispatchCommand>(later).index = 1;
    const Command writes = dispatch(0, {{1, false, true}});
    EXPECT_EQ(found({writes, documents, later}), "weak-barrier@1");
    EXPECT_EQ(found({writes,
                     barrier(Stage::eComputeShader, Stage::eComputeShader, Access::eShaderWrite, Access::eUniformRead),
                     later}),
              "");
    EXPECT_EQ(found({uses, documents, inPlace1}), "") << "what was only read";
    const std::vector<Finding> findings = hazards({fill(1, 0, 256), uses});
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_NE(findings[0].message.find("vk::AccessFlagBits::eTransferWrite, vk::AccessFlagBits::eUniformRead"),
              std::string::npos)
        << findings[0].message;
}

TEST(Hazards, WorkGroupsThatLieInABufferAreReadBeforeTheKernelStarts)
{
    Command indirect = dispatch(0, {{2, true, true}});
    std::get<DispatchCommand>(indirect).indirect = {1, "groups", 16, true};
    const auto behind = [](vk::PipelineStageFlags2 stage, vk::AccessFlags2 seen) {
        return barrier(Stage::eTransfer, stage, Access::eTransferWrite, seen);
    };
    EXPECT_EQ(found({fill(1, 16, 12), indirect}), "missing-barrier@0");
    EXPECT_EQ(found({fill(1, 0, 16), fill(1, 28, 4), indirect}), "") << "beside them";
    EXPECT_EQ(found({fill(1, 16, 12), behind(Stage::eDrawIndirect, Access::eIndirectCommandRead), indirect}), "");
    EXPECT_EQ(found({fill(1, 16, 12), behind(Stage::eAllCommands, Access::eMemoryRead), indirect}), "");
    EXPECT_EQ(found({fill(1, 16, 12), behind(Stage::eComputeShader, Access::eShaderRead), indirect}), "weak-barrier@0");
    EXPECT_EQ(found({fill(1, 16, 12), behind(Stage::eComputeShader, Access::eIndirectCommandRead), indirect}),
              "weak-barrier@0");
    // A command that overwrites them waits for the kernel, and so also for the reading of the work-groups.
    EXPECT_EQ(found({indirect, barrier(Stage::eComputeShader, Stage::eTransfer, {}, {}), fill(1, 16, 12)}), "");
    EXPECT_EQ(found({indirect, fill(1, 16, 12)}), "missing-barrier");
    // The same for a dispatch without work-groups.
    Command empty = indirect;
    std::get<DispatchCommand>(empty).groups = {0, 1, 1};
    EXPECT_EQ(found({fill(1, 16, 12), empty}), "missing-barrier@0");
    const std::vector<Finding> findings = hazards({fill(1, 16, 12), indirect});
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_NE(findings[0].message.find("takes its work-groups from buffer 'groups'"), std::string::npos)
        << findings[0].message;
    EXPECT_NE(findings[0].message.find("eDrawIndirect, {}, vk::MemoryBarrier(vk::AccessFlagBits::eTransferWrite, "
                                       "vk::AccessFlagBits::eIndirectCommandRead)"),
              std::string::npos)
        << findings[0].message;
}

// If each of many steps lacks the same barrier, one change repairs all.
TEST(Hazards, OfOneCauseAreOneLine)
{
    std::vector<Command> many;
    for (std::uint64_t i = 0; i < 16; ++i) many.push_back(dispatch(i, {{1, true, true}}));
    const std::vector<Finding> findings = hazards(many);
    ASSERT_EQ(findings.size(), 15U);
    const std::vector<std::string> lines = linesOf(findings);
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_EQ(lines[0], findings[0].text() + " (and 14 more like it, at dispatches 2-15)");
    many.insert(many.begin() + 8, barrier(Stage::eComputeShader, Stage::eComputeShader, {}, {}));
    EXPECT_EQ(linesOf(hazards(many)).size(), 2U) << "a weak one is another cause";
}

TEST(Hazards, ABufferBarrierIsAboutItsBufferOnly)
{
    const auto about = [](Index number, vk::DeviceSize offset, vk::DeviceSize size) {
        return Command(BarrierCommand{{{Stage::eComputeShader, Stage::eComputeShader, Access::eShaderWrite,
                                        Access::eShaderRead, number, offset, size}}});
    };
    EXPECT_EQ(found({inPlace0, about(1, 0, VK_WHOLE_SIZE), inPlace1}), "");
    EXPECT_EQ(found({inPlace0, about(2, 0, VK_WHOLE_SIZE), inPlace1}), "weak-barrier@1");
    // Part of what both have bound, which need not be the part that both use.
    EXPECT_EQ(found({inPlace0, about(1, 0, 128), inPlace1}), "");
    EXPECT_EQ(found({inPlace0, about(1, 256, 128), inPlace1}), "weak-barrier@1");
}

// The words that two dispatches use are known if their kernels were walked on the host: words 0 to 63 of buffer 1.
TEST(Hazards, WhereTheWordsInUseAreKnown)
{
    using Words = std::uint64_t;
    const auto used = [](std::uint64_t dispatch, Words read, Words written) {
        return WordsOfDispatches::value_type{{dispatch, 1}, {{read}, {written}}};
    };
    const auto part = [](vk::DeviceSize first, vk::DeviceSize words) {
        return Dependency{Stage::eComputeShader,
                          Stage::eComputeShader,
                          Access::eShaderWrite,
                          Access::eShaderRead,
                          1,
                          first * 4,
                          words * 4};
    };
    constexpr Words low = 0x00FF, high = 0xFF00, odd = 0xAAAA, even = 0x5555;
    EXPECT_EQ(found({inPlace0, inPlace1}, {used(0, low, low), used(1, high, high)}), "") << "disjoint halves";
    EXPECT_EQ(found({inPlace0, inPlace1}, {used(0, odd, odd), used(1, even, even)}), "") << "every other word";
    EXPECT_EQ(found({inPlace0, inPlace1}, {used(0, low, low), used(1, high | 0x80, high)}), "missing-barrier@1")
        << "they meet in word 7";
    EXPECT_EQ(found({inPlace0, inPlace1}, {used(0, low, 0), used(1, low, 0)}), "") << "both only read";
    EXPECT_EQ(found({inPlace0, inPlace1}, {used(0, low, 0), used(1, 0, 1)}), "missing-barrier@1")
        << "read, then written";
    EXPECT_EQ(found({inPlace0, barrier(Stage::eComputeShader, Stage::eComputeShader, {}, {}), inPlace1},
                    {used(0, low, 0), used(1, 0, low)}),
              "")
        << "what was only read";
    const std::vector<Finding> findings =
        hazards({inPlace0, inPlace1}, {used(0, low, low), used(1, high | 0x80, high)});
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_NE(findings[0].message.find("reads buffer 'data' at element 7, which dispatch 0 'step' writes"),
              std::string::npos)
        << findings[0].message;

    // A barrier must cover the words that both use; several barriers together may do so.
    const WordsOfDispatches meet = {used(0, 0, low), used(1, 0xF0, high)};
    EXPECT_EQ(found({inPlace0, BarrierCommand{{part(4, 4)}}, inPlace1}, meet), "");
    EXPECT_EQ(found({inPlace0, BarrierCommand{{part(0, 7)}}, inPlace1}, meet), "weak-barrier@1");
    EXPECT_EQ(found({inPlace0, BarrierCommand{{part(0, 6), part(6, 2)}}, inPlace1}, meet), "");
    EXPECT_EQ(found({inPlace0, BarrierCommand{{part(0, 6)}}, BarrierCommand{{part(6, 2)}}, inPlace1}, meet), "");
    EXPECT_EQ(found({inPlace0, BarrierCommand{{part(8, 8)}}, inPlace1}, meet), "weak-barrier@1");

    // Covering a part of a word does not cover the word.
    Dependency tooShort = part(4, 3);
    tooShort.size += 2;
    const std::vector<Finding> weak = hazards({inPlace0, BarrierCommand{{tooShort}}, inPlace1}, meet);
    ASSERT_EQ(weak.size(), 1U);
    EXPECT_NE(weak[0].message.find("at element 7,"), std::string::npos) << weak[0].message;
    EXPECT_NE(weak[0].message.find("another part of the buffer"), std::string::npos) << weak[0].message;

    // Transfers are exact.
    EXPECT_EQ(found({inPlace0, fill(1, 32, 32)}, {used(0, low, low)}), "");
    EXPECT_EQ(found({inPlace0, fill(1, 28, 4)}, {used(0, low, low)}), "missing-barrier");
    EXPECT_EQ(found({fill(1, 0, 32), inPlace0}, {used(0, high, high)}), "");
    // For a dispatch whose words are not known, all that is bound counts.
    EXPECT_EQ(found({inPlace0, inPlace1}, {used(1, high, high)}), "missing-barrier@1");
    EXPECT_EQ(found({fill(1, 256, 32), inPlace1}, {used(1, high, high)}), "");
}

TEST(Hazards, BarriersChain)
{
    // Compute -> transfer -> compute: together they order the two dispatches, and carry the write along.
    const Command first = barrier(Stage::eComputeShader, Stage::eTransfer, Access::eShaderWrite, Access::eTransferRead),
                  second =
                      barrier(Stage::eTransfer, Stage::eComputeShader, Access::eTransferWrite, Access::eShaderRead);
    EXPECT_EQ(found({inPlace0, first, second, inPlace1}), "");
    EXPECT_EQ(found({inPlace0, second, first, inPlace1}), "weak-barrier@1");
    // The second waits for the dispatch, but not for the first barrier, which makes the write available.
    const Command alone = barrier(Stage::eComputeShader, Stage::eComputeShader, {}, Access::eShaderRead),
                  end = barrier(Stage::eComputeShader, Stage::eBottomOfPipe, Access::eShaderWrite, {});
    EXPECT_EQ(found({inPlace0, first, alone, inPlace1}), "weak-barrier@1");
    EXPECT_EQ(found({inPlace0, end, alone, inPlace1}), "weak-barrier@1");
}

TEST(Hazards, AnEventOrdersOnlyWhatCameBeforeItWasSet)
{
    BarrierCommand waited = std::get<BarrierCommand>(documents);
    waited.covered = 1;  // set after the first dispatch
    EXPECT_EQ(found({inPlace0, waited, inPlace1}), "");
    waited.covered = 0;  // set before it
    EXPECT_EQ(found({inPlace0, waited, inPlace1}), "missing-barrier@1");
    const std::string text = hazards({inPlace0, waited, inPlace1})[0].message;
    EXPECT_NE(text.find("an event that was set before the first of them"), std::string::npos) << text;
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

// Only the reads need what was written to be visible, and they come before the overwriting.
TEST(Hazards, WhatWasReadAfterAWriteMayBeOverwrittenByWaitingForTheRead)
{
    const auto copy = [](Index from) {
        TransferCommand command;
        command.call = "vkCmdCopyBuffer";
        command.from = from;
        command.to = 2;
        command.region = vk::BufferCopy(0, 0, 256);
        return Command(command);
    };
    const Command first = dispatch(0, {{1, false, true}}), then = dispatch(1, {{2, true, false}, {1, false, true}});
    const Command toCopy =
        barrier(Stage::eComputeShader, Stage::eTransfer, Access::eShaderWrite, Access::eTransferRead);
    const Command back = BarrierCommand{{{Stage::eTransfer, Stage::eComputeShader, Access::eTransferWrite,
                                          Access::eShaderRead, Index{2}, 0, VK_WHOLE_SIZE}}};
    EXPECT_EQ(found({first, toCopy, copy(1), back, then}), "");
    EXPECT_EQ(found({first, toCopy, copy(3), back, then}), "weak-barrier@1") << "nothing has read it";
    EXPECT_EQ(found({first, copy(1), back, then}), "missing-barrier weak-barrier@1") << "not visible to the copy";
    EXPECT_EQ(found({first, toCopy, copy(1), then}), "missing-barrier@1") << "nothing waits for the copy";
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

// The search stops at a barrier that separates everything; otherwise this would take hours.
TEST(Hazards, OfManyDispatchesAreFoundInOneWalk)
{
    std::vector<Command> many;
    for (std::uint64_t i = 0; i < 20'000; ++i) {
        many.push_back(dispatch(i, {{1, true, true}}));
        if (i != 9'999) many.push_back(documents);
    }
    EXPECT_EQ(found(many), "missing-barrier@10000");
}

// A barrier for a whole buffer is enough to stop the search for that buffer.
TEST(Hazards, OfManyDispatchesWithBarriersOfTheirBuffer)
{
    const auto about = [](Index number, vk::DeviceSize size) {
        return Command(BarrierCommand{{{Stage::eComputeShader, Stage::eComputeShader, Access::eShaderWrite,
                                        Access::eShaderRead, number, 0, size}}});
    };
    std::vector<Command> many;
    for (std::uint64_t i = 0; i < 20'000; ++i) {
        many.push_back(dispatch(i, {{1, true, true}}));
        if (i != 9'999) many.push_back(about(1, 256));
    }
    EXPECT_EQ(found(many), "missing-barrier@10000");
    // The other buffer, and the rest of this one, must still be searched.
    const Command both0 = dispatch(0, {{1, true, true}, {2, true, true}}), writes1 = dispatch(1, {{1, false, true}}),
                  both2 = dispatch(2, {{1, true, true}, {2, true, true}});
    EXPECT_EQ(found({both0, about(1, 256), writes1, about(1, 256), both2}), "weak-barrier@2");
    EXPECT_EQ(found({both0, about(2, 256), inPlace1, about(1, 256), both2}), "weak-barrier@1");
    const auto used = [](std::uint64_t number) {
        return WordsOfDispatches::value_type{{number, 1}, {{1ULL << 33}, {1ULL << 33}}};
    };
    EXPECT_EQ(found({inPlace0, about(1, 128), inPlace1}, {used(0), used(1)}), "weak-barrier@1");
    EXPECT_EQ(found({inPlace0, about(1, 136), inPlace1}, {used(0), used(1)}), "");
}

// A dispatch that shares no word with earlier ones need not be compared with each of them.
TEST(Hazards, OfManyDispatchesWithWordsOfTheirOwn)
{
    std::vector<Command> many;
    WordsOfDispatches words;
    for (std::uint64_t i = 0; i < 20'000; ++i) {
        many.push_back(dispatch(i, {{1, true, true}}));
        WordBits own(i / 64 + 1);
        own.back() = std::uint64_t{1} << i % 64;
        words[{i, 1}] = {own, i == 15'000 ? WordBits{2} : own};
    }
    EXPECT_EQ(found(many, words), "missing-barrier@15000") << "which writes word 1";
    many.insert(many.begin(), fill(1, 0, 8));
    EXPECT_EQ(found(many, words), "missing-barrier@0 missing-barrier@1 missing-barrier@15000")
        << "transfers count, too";
}

// A barrier that separates dispatches does not separate transfers from them.
TEST(Hazards, OfATransferAreFoundBeyondTheBarriersOfDispatches)
{
    EXPECT_EQ(found({fill(1, 0, 256), documents, inPlace0, documents, inPlace1}), "weak-barrier@0 weak-barrier@1");
    EXPECT_EQ(found({inPlace0, documents, inPlace1, documents, fill(1, 0, 256)}), "weak-barrier");
}

}  // namespace a2
