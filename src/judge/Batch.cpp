#include "judge/Batch.h"

namespace a2 {

// One barrier lets every solution run again, because all of them ran before it. It includes transfers, because a
// solution may also fill or copy its buffers.
void recordInTurns(Commands& cb, const std::vector<std::unique_ptr<StudentSolution>>& solutions, unsigned runs)
{
    constexpr auto stages = vk::PipelineStageFlagBits::eComputeShader | vk::PipelineStageFlagBits::eTransfer;
    constexpr auto writes = vk::AccessFlagBits::eShaderWrite | vk::AccessFlagBits::eTransferWrite;
    constexpr auto reads = vk::AccessFlagBits::eShaderRead | vk::AccessFlagBits::eTransferRead;
    for (unsigned run = 0; run < runs; ++run) {
        const std::size_t turn = run % solutions.size();
        if (run > 0 && turn == 0) cb.barrier(stages, writes, stages, reads | writes);
        solutions[turn]->record(cb);
    }
}

}  // namespace a2
