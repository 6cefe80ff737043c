#include "spirv/EmulatorSubgroup.h"

#include "spirv/EmulatorArithmetic.h"

#include <algorithm>
#include <array>
#include <bit>
#include <bitset>
#include <cmath>
#include <limits>

namespace a2::emulator {

namespace {

using Lane = SubgroupLane;

Cell identity(std::uint16_t opcode, unsigned width)
{
    const double infinity = std::numeric_limits<double>::infinity();
    switch (opcode) {
        case spv::OpGroupNonUniformIMul:
        case spv::OpGroupNonUniformLogicalAnd:
            return 1;
        case spv::OpGroupNonUniformFMul:
            return cellOf(1, width);
        case spv::OpGroupNonUniformSMin:
            return lowBits(width - 1);
        case spv::OpGroupNonUniformUMin:
        case spv::OpGroupNonUniformBitwiseAnd:
            return lowBits(width);
        case spv::OpGroupNonUniformSMax:
            return std::uint64_t{1} << (width - 1);
        case spv::OpGroupNonUniformFMin:
            return cellOf(infinity, width);
        case spv::OpGroupNonUniformFMax:
            return cellOf(-infinity, width);
        default:
            return 0;
    }
}

Cell combined(std::uint16_t opcode, unsigned width, Cell x, Cell y)
{
    const auto less = [&](Cell a, Cell b) { return signedOf(a, width) < signedOf(b, width); };
    const auto real = [&](Cell cell) { return realOf(cell, width); };
    switch (opcode) {
        case spv::OpGroupNonUniformIAdd:
            return (x + y) & lowBits(width);
        case spv::OpGroupNonUniformFAdd:
            return cellOf(real(x) + real(y), width);
        case spv::OpGroupNonUniformIMul:
            return (x * y) & lowBits(width);
        case spv::OpGroupNonUniformFMul:
            return cellOf(real(x) * real(y), width);
        case spv::OpGroupNonUniformSMin:
            return less(y, x) ? y : x;
        case spv::OpGroupNonUniformUMin:
            return std::min(x, y);
        case spv::OpGroupNonUniformFMin:
            return real(y) < real(x) || std::isnan(real(x)) ? y : x;
        case spv::OpGroupNonUniformSMax:
            return less(x, y) ? y : x;
        case spv::OpGroupNonUniformUMax:
            return std::max(x, y);
        case spv::OpGroupNonUniformFMax:
            return real(x) < real(y) || std::isnan(real(x)) ? y : x;
        case spv::OpGroupNonUniformBitwiseAnd:
            return x & y;
        case spv::OpGroupNonUniformBitwiseOr:
            return x | y;
        case spv::OpGroupNonUniformBitwiseXor:
            return x ^ y;
        case spv::OpGroupNonUniformLogicalAnd:
            return x != 0 && y != 0;
        case spv::OpGroupNonUniformLogicalOr:
            return x != 0 || y != 0;
        default:  // OpGroupNonUniformLogicalXor
            return (x != 0) != (y != 0);
    }
}

class Together {
public:
    // tracer: null without a trace
    Together(const Instruction& one, const std::vector<Lane>& lanes, std::uint32_t subgroupSize, Tracer* tracer)
        : one_(one), lanes_(lanes), subgroupSize_(subgroupSize), tracer_(tracer)
    {
        byNumber_.fill(nullptr);
        for (const Lane& lane : lanes) byNumber_.at(lane.number) = &lane;
    }

    void run()
    {
        switch (one_.op) {
            case spv::OpGroupNonUniformElect:
                for (const Lane& lane : lanes_) put(lane, 0, lane.number == lanes_.front().number, 0);
                break;
            case spv::OpGroupNonUniformAll:
            case spv::OpGroupNonUniformAny:
            case spv::OpGroupNonUniformAllEqual:
                vote();
                break;
            case spv::OpGroupNonUniformBallot:
            case spv::OpGroupNonUniformInverseBallot:
            case spv::OpGroupNonUniformBallotBitExtract:
            case spv::OpGroupNonUniformBallotBitCount:
            case spv::OpGroupNonUniformBallotFindLSB:
            case spv::OpGroupNonUniformBallotFindMSB:
                ballot();
                break;
            case spv::OpGroupNonUniformBroadcastFirst:
                shuffle();
                break;
            case spv::OpGroupNonUniformPartitionNV:
                partition();
                break;
            default:
                if (isShuffle(one_.op))
                    shuffle();
                else
                    reduce();
        }
    }

private:
    void put(const Lane& lane, std::uint32_t i, Cell value, Mark made, Origin origin = 0) const
    {
        lane.cells[one_.result + i] = value;
        lane.marks[one_.result + i] = made;
        if (tracer_) lane.origins[one_.result + i] = origin;
    }

    void vote() const
    {
        bool all = true, any = false, equal = true;
        Mark made = 0;
        const std::uint32_t cells = one_.op == spv::OpGroupNonUniformAllEqual ? one_.count : 1;
        for (const Lane& lane : lanes_)
            for (std::uint32_t i = 0; i < cells; ++i) {
                const Cell value = lane.cells[one_.a + i];
                all = all && value != 0;
                any = any || value != 0;
                equal = equal && value == lanes_.front().cells[one_.a + i];
                made = mark::of(made, lane.marks[one_.a + i]);
            }
        const bool result = one_.op == spv::OpGroupNonUniformAll   ? all
                            : one_.op == spv::OpGroupNonUniformAny ? any
                                                                   : equal;
        for (const Lane& lane : lanes_) put(lane, 0, result, made);
    }

    std::bitset<128> bitsOf(const Lane& lane) const
    {
        std::bitset<128> bits;
        for (std::uint32_t i = 0; i < 128; ++i) bits[i] = (lane.cells[one_.a + i / 32] >> (i % 32) & 1) != 0;
        for (std::uint32_t i = subgroupSize_; i < 128; ++i) bits[i] = false;
        return bits;
    }

    void ballot() const
    {
        if (one_.op == spv::OpGroupNonUniformBallot) {
            std::array<Cell, 4> votes{};
            Mark made = 0;
            for (const Lane& lane : lanes_) {
                made = mark::of(made, lane.marks[one_.a]);
                if (lane.cells[one_.a] != 0) votes.at(lane.number / 32) |= Cell{1} << (lane.number % 32);
            }
            for (const Lane& lane : lanes_)
                for (std::uint32_t i = 0; i < 4; ++i) put(lane, i, votes.at(i), made);
            return;
        }
        for (const Lane& lane : lanes_) {
            const std::bitset<128> bits = bitsOf(lane);
            Mark made = 0;
            for (std::uint32_t i = 0; i < 4; ++i) made = mark::of(made, lane.marks[one_.a + i]);
            put(lane, 0, ofBallot(lane, bits), made);
        }
    }

    Cell ofBallot(const Lane& lane, const std::bitset<128>& bits) const
    {
        std::uint32_t least = UINT32_MAX, most = UINT32_MAX, count = 0;
        const bool inclusive = one_.flags == spv::GroupOperationInclusiveScan;
        for (std::uint32_t i = 0; i < 128; ++i) {
            if (!bits[i]) continue;
            least = std::min(least, i);
            most = i;
            const bool whole = one_.flags == spv::GroupOperationReduce;
            count += whole || i < lane.number || (inclusive && i == lane.number);
        }
        switch (one_.op) {
            case spv::OpGroupNonUniformInverseBallot:
                return bits[lane.number];
            case spv::OpGroupNonUniformBallotBitExtract:
                return lane.cells[one_.b] < 128 && bits[static_cast<std::size_t>(lane.cells[one_.b])];
            case spv::OpGroupNonUniformBallotFindLSB:
                return least;
            case spv::OpGroupNonUniformBallotFindMSB:
                return most;
            default:
                return count;
        }
    }

    // Gives each invocation the set of those that have its value.
    void partition() const
    {
        for (const Lane& lane : lanes_) {
            std::array<Cell, 4> alike{};
            Mark made = 0;
            for (const Lane& other : lanes_) {
                bool same = true;
                for (std::uint32_t i = 0; i < one_.count; ++i) {
                    same = same && lane.cells[one_.a + i] == other.cells[one_.a + i];
                    made = mark::of(made, other.marks[one_.a + i]);
                }
                if (same) alike.at(other.number / 32) |= Cell{1} << (other.number % 32);
            }
            for (std::uint32_t i = 0; i < 4; ++i) put(lane, i, alike.at(i), made);
        }
    }

    // The number of the invocation whose value this one gets; a number beyond the subgroup means none.
    std::uint64_t sourceOf(const Lane& lane) const
    {
        const std::uint64_t other = one_.op == spv::OpGroupNonUniformBroadcastFirst ? 0 : lane.cells[one_.b];
        switch (one_.op) {
            case spv::OpGroupNonUniformBroadcastFirst:
                return lanes_.front().number;
            case spv::OpGroupNonUniformShuffleXor:
                return lane.number ^ other;
            case spv::OpGroupNonUniformShuffleUp:
                return lane.number >= other ? lane.number - other : UINT64_MAX;
            case spv::OpGroupNonUniformShuffleDown:
                return lane.number + (other & UINT32_MAX);
            case spv::OpGroupNonUniformQuadBroadcast:
                return other < 4 ? (lane.number & ~3U) + other : UINT64_MAX;
            case spv::OpGroupNonUniformRotateKHR: {
                const std::uint32_t cluster = one_.c != 0 ? one_.c : subgroupSize_;
                if (cluster > subgroupSize_) return UINT64_MAX;  // undefined, as below
                return lane.number / cluster * cluster + (lane.number + other) % cluster;
            }
            case spv::OpGroupNonUniformQuadSwap:  // along x, along y, or both
                return lane.number ^ (other < 3 ? other + 1 : 0);
            default:
                return other;
        }
    }

    void shuffle()
    {
        values_.clear();
        for (const Lane& lane : lanes_) {
            const std::uint64_t source = sourceOf(lane);
            const Lane* from = source < subgroupSize_ ? byNumber_.at(static_cast<std::size_t>(source)) : nullptr;
            const bool chooses = one_.op != spv::OpGroupNonUniformBroadcastFirst;
            const Mark index = chooses ? lane.marks[one_.b] : Mark{0};
            for (std::uint32_t i = 0; i < one_.count; ++i)
                values_.push_back({from ? from->cells[one_.a + i] : 0,
                                   from ? mark::of(from->marks[one_.a + i], index) : undefinedMark,
                                   from ? originOf(*from, i) : 0});
        }
        putAll();
    }

    // mark::of would make copies derived; here they are not.
    void putAll() const
    {
        std::size_t at = 0;
        for (const Lane& lane : lanes_)
            for (std::uint32_t i = 0; i < one_.count; ++i, ++at)
                put(lane, i, values_[at].number, values_[at].made, values_[at].origin);
    }

    Origin originOf(const Lane& lane, std::uint32_t i) const { return tracer_ ? lane.origins[one_.a + i] : 0; }

    void reduce()
    {
        const bool clustered = one_.flags == spv::GroupOperationClusteredReduce;
        const std::uint32_t cluster = clustered ? std::max(1U, one_.c) : subgroupSize_;
        values_.assign(lanes_.size() * one_.count, {});
        if (one_.flags >= spv::GroupOperationPartitionedReduceNV) return reducePartitions();
        for (std::size_t first = 0; first < lanes_.size();) {
            std::size_t end = first;
            while (end < lanes_.size() && lanes_[end].number / cluster == lanes_[first].number / cluster) ++end;
            for (std::uint32_t i = 0; i < one_.count; ++i) reduce(first, end, i);
            first = end;
        }
        // SPIR-V: a cluster larger than the subgroup has an undefined result.
        if (clustered && cluster > subgroupSize_)
            for (Value& one : values_) one.made = undefinedMark;
        putAll();
    }

    // Reduces each invocation with those that its own ballot names.
    void reducePartitions()
    {
        const bool scans = one_.flags != spv::GroupOperationPartitionedReduceNV;
        const bool exclusive = one_.flags == spv::GroupOperationPartitionedExclusiveScanNV;
        for (std::size_t k = 0; k < lanes_.size(); ++k)
            for (std::uint32_t i = 0; i < one_.count; ++i) {
                const Lane& lane = lanes_[k];
                Value sum{identity(one_.op, one_.width), 0, 0};
                bool first = true;
                for (const Lane& other : lanes_) {
                    if ((lane.cells[one_.c + other.number / 32] >> (other.number % 32) & 1) == 0) continue;
                    if (scans && (exclusive ? other.number >= lane.number : other.number > lane.number)) break;
                    const Cell theirs = other.cells[one_.a + i];
                    sum.number = first ? theirs : combined(one_.op, one_.width, sum.number, theirs);
                    sum.made = mark::of(sum.made, other.marks[one_.a + i]);
                    if (tracer_) sum.origin = tracer_->joined(sum.origin, originOf(other, i));
                    first = false;
                }
                for (std::uint32_t word = 0; word < 4; ++word) sum.made = mark::of(sum.made, lane.marks[one_.c + word]);
                values_[k * one_.count + i] = sum;
            }
        putAll();
    }

    void reduce(std::size_t first, std::size_t end, std::uint32_t i)
    {
        Cell sum = identity(one_.op, one_.width);
        Mark made = 0;
        Origin origin = 0;
        for (std::size_t k = first; k < end; ++k) {
            if (one_.flags == spv::GroupOperationExclusiveScan) values_[k * one_.count + i] = {sum, made, origin};
            const Cell mine = lanes_[k].cells[one_.a + i];
            sum = k == first ? mine : combined(one_.op, one_.width, sum, mine);
            made = mark::of(made, lanes_[k].marks[one_.a + i]);
            if (tracer_) origin = tracer_->joined(origin, originOf(lanes_[k], i));
            if (one_.flags == spv::GroupOperationInclusiveScan) values_[k * one_.count + i] = {sum, made, origin};
        }
        if (one_.flags == spv::GroupOperationExclusiveScan || one_.flags == spv::GroupOperationInclusiveScan) return;
        for (std::size_t k = first; k < end; ++k) values_[k * one_.count + i] = {sum, made, origin};
    }

    const Instruction& one_;
    const std::vector<Lane>& lanes_;
    std::uint32_t subgroupSize_;
    Tracer* tracer_;
    std::array<const Lane*, 128> byNumber_{};
    struct Value {
        Cell number = 0;
        Mark made = 0;
        Origin origin = 0;
    };
    std::vector<Value> values_;
};

}  // namespace

void calculateTogether(const Instruction& one, const std::vector<SubgroupLane>& lanes, std::uint32_t subgroupSize,
                       Tracer* tracer)
{
    Together(one, lanes, subgroupSize, tracer).run();
}

SubgroupCells cellsOf(const Instruction& one)
{
    switch (one.op) {
        case spv::OpGroupNonUniformElect:
            return {{}, {}, 1};
        case spv::OpGroupNonUniformAll:
        case spv::OpGroupNonUniformAny:
            return {{one.a, 1}, {}, 1};
        case spv::OpGroupNonUniformAllEqual:
            return {{one.a, one.count}, {}, 1};
        case spv::OpGroupNonUniformBallot:
            return {{one.a, 1}, {}, 4};
        case spv::OpGroupNonUniformInverseBallot:
        case spv::OpGroupNonUniformBallotBitCount:
        case spv::OpGroupNonUniformBallotFindLSB:
        case spv::OpGroupNonUniformBallotFindMSB:
            return {{one.a, 4}, {}, 1};
        case spv::OpGroupNonUniformBallotBitExtract:
            return {{one.a, 4}, {one.b, 1}, 1};
        case spv::OpGroupNonUniformBroadcastFirst:
            return {{one.a, one.count}, {}, one.count, true};
        case spv::OpGroupNonUniformPartitionNV:
            return {{one.a, one.count}, {}, 4};
        case spv::OpGroupNonUniformIAdd:
        case spv::OpGroupNonUniformIMul:
        case spv::OpGroupNonUniformBitwiseAnd:
        case spv::OpGroupNonUniformBitwiseOr:
        case spv::OpGroupNonUniformBitwiseXor:
            if (one.flags < spv::GroupOperationPartitionedReduceNV) return {{one.a, one.count}, {}, one.count, true};
            break;
        default:
            if (isShuffle(one.op)) return {{one.a, one.count}, {one.b, 1}, one.count, true};
    }
    if (one.flags < spv::GroupOperationPartitionedReduceNV) return {{one.a, one.count}, {}, one.count};
    return {{one.a, one.count}, {one.c, 4}, one.count};
}

}  // namespace a2::emulator
