#include "observe/Replay.h"

#include <algorithm>

namespace a2 {

namespace {

void recordDispatch(const DispatchCommand& dispatch, vk::CommandBuffer cb)
{
    cb.bindPipeline(vk::PipelineBindPoint::eCompute, dispatch.pipeline);
    for (const auto& [number, set] : dispatch.sets)
        cb.bindDescriptorSets(vk::PipelineBindPoint::eCompute, dispatch.layout, number, set, {});
    for (std::uint32_t word = 0; word < dispatch.push.size(); ++word)
        if (dispatch.push[word])
            cb.pushConstants<std::uint32_t>(dispatch.layout, dispatch.pushStages, word * 4, *dispatch.push[word]);
    cb.dispatch(dispatch.groups[0], dispatch.groups[1], dispatch.groups[2]);
}

void recordTransfer(const TransferCommand& transfer, vk::CommandBuffer cb)
{
    const vk::BufferCopy& region = transfer.region;
    if (transfer.from)
        cb.copyBuffer(transfer.from, transfer.to, region);
    else if (!transfer.data.empty())
        cb.updateBuffer<std::uint8_t>(transfer.to, region.dstOffset, transfer.data);
    else
        cb.fillBuffer(transfer.to, region.dstOffset, region.size, transfer.fill);
}

}  // namespace

void recordAgain(const Command& command, vk::CommandBuffer cb)
{
    // Barriers are left out: each command is submitted alone, with everything before it finished.
    if (const auto* dispatch = std::get_if<DispatchCommand>(&command)) recordDispatch(*dispatch, cb);
    if (const auto* transfer = std::get_if<TransferCommand>(&command)) recordTransfer(*transfer, cb);
}

bool mayWrite(const CommandLog& log, vk::Buffer buffer)
{
    return std::any_of(log.commands().begin(), log.commands().end(), [&](const Command& command) {
        if (const auto* transfer = std::get_if<TransferCommand>(&command)) return transfer->to == buffer;
        const auto* dispatch = std::get_if<DispatchCommand>(&command);
        return dispatch && dispatch->writes(buffer);
    });
}

}  // namespace a2
