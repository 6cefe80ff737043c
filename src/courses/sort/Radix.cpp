// Host code of sort/radix: a pass for each digit, from the lowest to the highest, alternating between two arrays. After
// an even number of passes the keys are back in the first one.

#include "A2Sort.h"
#include "a2/Solution.h"

using namespace a2;

namespace {

struct SortRadix : Solution {
    using Solution::Solution;

    const uint digitBits = SORT_DIGIT_BITS(shape.tile()), digits = SORT_DIGITS(shape.tile()), passes = 32 / digitBits;
    ComputePipeline countDigits{gpu, shaders[0], 2, sizeof(RadixPush), shape};
    ComputePipeline scatter{gpu, shaders[2], 4, sizeof(RadixPush), shape};
    std::uint64_t tiles = ceilDiv(count, shape.tile());
    ComputePipeline scanCounts{gpu, shaders[1], 2, sizeof(RadixPush), shapeForTiles()};
    Buffer second{gpu, "ping-pong", count};
    Buffer counts{gpu, "counts, then offsets", std::uint64_t{tiles} * digits};
    Buffer totals{gpu, "keys of each digit", digits};

    // No more invocations than counts per digit.
    KernelShape shapeForTiles() const
    {
        KernelShape small = shape;
        if (tiles < small.workGroup) small.workGroup = static_cast<std::uint32_t>(tiles);
        return small;
    }

    // From one array into the other.
    struct Pass {
        vk::DescriptorSet counting, scattering;
    };
    Pass passBetween(const Buffer& from, const Buffer& to)
    {
        return {countDigits.makeDescriptorSet({from, counts}), scatter.makeDescriptorSet({from, to, counts, totals})};
    }
    Pass there = passBetween(input, second), back = passBetween(second, input);
    vk::DescriptorSet scanning = scanCounts.makeDescriptorSet({counts, totals});

    void record(vk::CommandBuffer cb) override
    {
        const WorkGroups groups = gpu.foldGroups(tiles);
        // BEGIN SOLUTION: for each digit: count it, scan the counts, scatter the keys
        for (uint digit = 0; digit < passes; ++digit) {
            const Pass& pass = digit % 2 == 0 ? there : back;
            const std::string number = ", digit " + std::to_string(digit);
            if (digit > 0) waitForTheLast(cb);
            recordKernel(cb, countDigits, pass.counting, digit, groups, "count" + number);
            waitForTheLast(cb);
            recordKernel(cb, scanCounts, scanning, digit, {digits, 1}, "scan" + number);
            waitForTheLast(cb);
            recordKernel(cb, scatter, pass.scattering, digit, groups, "scatter" + number);
        }
        // END SOLUTION
    }

    static void waitForTheLast(vk::CommandBuffer cb)
    {
        constexpr auto compute = vk::PipelineStageFlagBits::eComputeShader;
        // BEGIN SOLUTION: what one dispatch wrote, the next one reads, or writes over
        cb.pipelineBarrier(compute, compute, {},
                           vk::MemoryBarrier(vk::AccessFlagBits::eShaderWrite,
                                             vk::AccessFlagBits::eShaderRead | vk::AccessFlagBits::eShaderWrite),
                           {}, {});
        // END SOLUTION
    }

    void recordKernel(vk::CommandBuffer cb, const ComputePipeline& kernel, vk::DescriptorSet buffers, uint digit,
                      WorkGroups groups, const std::string& label) const
    {
        // BEGIN SOLUTION: bind, push constants, dispatch
        const RadixPush push{static_cast<uint>(count), static_cast<uint>(tiles), digit * digitBits};
        cb.bindPipeline(vk::PipelineBindPoint::eCompute, kernel.pipeline());
        cb.bindDescriptorSets(vk::PipelineBindPoint::eCompute, kernel.layout(), 0, buffers, {});
        cb.pushConstants<RadixPush>(kernel.layout(), vk::ShaderStageFlagBits::eCompute, 0, push);
        labelDispatch(cb, label);
        cb.dispatch(groups.x, groups.y, 1);
        // END SOLUTION
    }

    const Buffer& result() const override { return input; }
};

const Factory factory("SortRadix", make<SortRadix>);

}  // namespace
