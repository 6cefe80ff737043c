#include "spirv/EmulatorLoops.h"

#include "spirv/EmulatorArithmetic.h"
#include "spirv/EmulatorRehearsal.h"
#include "spirv/EmulatorWays.h"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

namespace a2::emulator {

namespace {

// Goes from the last step back to the first, and finds what the loop's exits depend on, and whether that repeats.
class LoopNeeds {
public:
    LoopNeeds(const LoopQuestion& question, const Rehearsed& made) : asked_(question), made_(made), ways_(question.code)
    {
    }

    LoopOutlook judged()
    {
        LoopOutlook outlook;
        if (made_.boundaries.size() < 2) return outlook;
        std::vector<std::uint8_t> need;
        bool away = false;
        if (!needs(need, away) || need[made_.outside] != 0) return outlook;
        const auto valueAt = [&](std::size_t turn, std::size_t cell) {
            const auto& cells = made_.boundaries[turn].cells;
            return cell < cells.size() ? cells[cell] : made_.before[cell - made_.behind];
        };
        std::vector<std::uint32_t> needed;
        for (std::uint32_t cell = 0; cell < need.size(); ++cell)
            if (need[cell] != 0) needed.push_back(cell);
        outlook.own =
            std::none_of(needed.begin(), needed.end(), [&](std::uint32_t cell) { return cell >= made_.behind; });
        const std::size_t last = made_.boundaries.size() - 1;
        bool repeats = false;
        for (std::size_t turn = 0; turn < last && !repeats; ++turn)
            repeats = std::all_of(needed.begin(), needed.end(), [&](std::uint32_t cell) {
                return ((valueAt(turn, cell) ^ valueAt(last, cell)) & lowBits(need[cell])) == 0;
            });
        if (!repeats) return outlook;
        for (const std::uint32_t cell : needed)
            if (made_.isWord(cell))
                outlook.watched.push_back(
                    {made_.names[cell - made_.behind], made_.before[cell - made_.behind], lowBits(need[cell])});
        for (std::uint32_t cell = made_.firstWord; cell < made_.cells; ++cell) {
            Cell changed = 0;
            for (const Boundary& one : made_.boundaries)
                if (cell < one.cells.size()) changed |= one.cells[cell] ^ made_.before[cell - made_.behind];
            // An addition changes higher bits later.
            if (changed != 0)
                outlook.touched.push_back(
                    {made_.names[cell - made_.behind], ~lowBits(static_cast<unsigned>(std::countr_zero(changed)))});
        }
        if (outlook.watched.empty())
            outlook.kind = away ? LoopOutlook::Kind::away : LoopOutlook::Kind::endless;
        else if (!made_.meets)
            outlook.kind = LoopOutlook::Kind::waits;
        return outlook;
    }

private:
    using Moving = std::map<std::pair<std::uint32_t, std::uint32_t>, bool>;  // by lane and instruction

    // Whether the compared numbers move away, in equal steps per turn, from what would change the comparison's answer.
    bool movesAway(std::uint32_t base, std::uint32_t at) const
    {
        constexpr std::size_t enough = 32;
        constexpr std::int64_t far = std::int64_t{1} << 28;  // turns
        const auto found = made_.comparisons.find({base, at});
        if (found == made_.comparisons.end() || found->second.size() < enough) return false;
        const Instruction& one = asked_.code.instructions[at];
        const bool isSigned = one.op == spv::OpSLessThan || one.op == spv::OpSLessThanEqual ||
                              one.op == spv::OpSGreaterThan || one.op == spv::OpSGreaterThanEqual;
        if (one.op == spv::OpIEqual || one.op == spv::OpINotEqual || one.width > 32) return false;
        const auto number = [&](Cell cell) {
            return isSigned ? signedOf(cell, one.width) : static_cast<std::int64_t>(cell);
        };
        const std::int64_t low = isSigned ? -(std::int64_t{1} << (one.width - 1)) : 0;
        const std::int64_t high = low + (std::int64_t{1} << one.width) - 1;
        const auto& all = found->second;
        const std::int64_t stepA = number(all[1].a) - number(all[0].a), stepB = number(all[1].b) - number(all[0].b);
        for (std::size_t i = 1; i < all.size(); ++i)
            if (all[i].turn != all[i - 1].turn + 1 || all[i].result != all[0].result ||
                number(all[i].a) - number(all[i - 1].a) != stepA || number(all[i].b) - number(all[i - 1].b) != stepB)
                return false;
        const bool less = one.op == spv::OpULessThan || one.op == spv::OpSLessThan || one.op == spv::OpULessThanEqual ||
                          one.op == spv::OpSLessThanEqual;
        // The answer does not change if a - b does not grow, or does not shrink.
        const bool mayShrink = less == all[0].result;
        if (mayShrink ? stepA - stepB > 0 : stepA - stepB < 0) return false;
        if (stepA == 0 && stepB == 0) return false;  // the state shows this case
        const auto turnsLeft = [&](std::int64_t value, std::int64_t step) {
            return step > 0 ? (high - value) / step : step < 0 ? (value - low) / -step : far;
        };
        return turnsLeft(number(all.back().a), stepA) >= far && turnsLeft(number(all.back().b), stepB) >= far;
    }

    // Whether the ways from a branch on make a difference to what is needed, or do not meet again.
    bool matters(std::uint32_t base, std::uint32_t branch)
    {
        const Ways& ways = ways_.of(branch);
        if (ways.leaves) return true;
        for (const Range& range : ways.written)
            for (std::uint32_t cell = range.first; cell < std::min(range.first + range.count, asked_.frame); ++cell)
                if (ever_[base + cell] != 0) return true;
        return (ways.shared && needsShared_) || (ways.buffers && needsBuffers_);
    }

    // What the loop's exits depend on at the beginning of each turn: how many low bits of each cell.
    bool needs(std::vector<std::uint8_t>& all, bool& away)
    {
        constexpr unsigned mostRounds = 24;
        all.assign(made_.cells, 0);
        ever_ = all;
        needsShared_ = needsBuffers_ = false;
        Moving moving;
        for (unsigned round = 0; round < mostRounds; ++round) {
            std::vector<std::uint8_t> need = all;
            const std::vector<std::uint8_t> before = all, everBefore = ever_;
            std::size_t next = made_.boundaries.size() - 1;
            for (std::size_t i = made_.boundaries.back().flows; i-- > made_.boundaries.front().flows;) {
                while (next > 0 && made_.boundaries[next].flows > i) --next;
                apply(made_.flows[i], need, moving, away);
                if (made_.boundaries[next].flows == i)
                    for (std::size_t k = 0; k < all.size(); ++k) all[k] = std::max(all[k], need[k]);
            }
            if (all == before && ever_ == everBefore) return true;
        }
        return false;
    }

    void apply(const Flow& flow, std::vector<std::uint8_t>& need, Moving& moving, bool& away)
    {
        const auto raise = [&](std::uint32_t cell, std::uint8_t bits) {
            need[cell] = std::max(need[cell], bits);
            ever_[cell] = std::max(ever_[cell], bits);
            if (made_.isWord(cell) && bits != 0)
                (made_.names[cell - made_.behind].buffer == WordName::sharedMemory ? needsShared_ : needsBuffers_) =
                    true;
        };
        if (flow.decides) {
            if (matters(flow.base, flow.compared)) raise(made_.ranges[flow.firstRead].first, wholeCell);
            return;
        }
        if (flow.each) {
            for (std::uint32_t i = 0; i < flow.writes; ++i) {
                const std::uint8_t bits = std::exchange(need[flow.write + i], std::uint8_t{0});
                if (bits == 0) continue;
                for (std::uint32_t r = 0; r < flow.reads; ++r)
                    pending_.emplace_back(made_.ranges[flow.firstRead + r].first + i, flow.lowBits ? bits : wholeCell);
            }
            for (const auto& [cell, bits] : pending_) raise(cell, bits);
            pending_.clear();
            return;
        }
        std::uint8_t most = 0;
        for (std::uint32_t i = 0; i < flow.writes; ++i) {
            most = std::max(most, need[flow.write + i]);
            if (!flow.partly) need[flow.write + i] = 0;
        }
        if (most == 0) return;
        if (flow.compared != none && asked_.turns >= manyTurns) {
            const auto [found, isNew] = moving.try_emplace({flow.base, flow.compared}, false);
            if (isNew) found->second = movesAway(flow.base, flow.compared);
            if (found->second) {
                away = true;
                return;
            }
        }
        for (std::uint32_t r = 0; r < flow.reads; ++r) {
            const Range& range = made_.ranges[flow.firstRead + r];
            for (std::uint32_t i = 0; i < range.count; ++i) raise(range.first + i, flow.lowBits ? most : flow.bits);
        }
    }

    const LoopQuestion& asked_;
    const Rehearsed& made_;
    WaysOfBranches ways_;
    std::vector<std::uint8_t> ever_;                   // what was needed anywhere
    bool needsShared_ = false, needsBuffers_ = false;  // whether any word there is needed
    std::vector<std::pair<std::uint32_t, std::uint8_t>> pending_;
};

}  // namespace

LoopOutlook outlookOf(const LoopQuestion& question)
{
    Rehearsal rehearsal(question);
    LoopOutlook outlook;
    if (const std::optional<Rehearsed> made = rehearsal.run()) outlook = LoopNeeds(question, *made).judged();
    outlook.steps = rehearsal.steps();
    return outlook;
}

bool takesTurns(const LoopQuestion& question, std::uint64_t turns, bool trusts)
{
    return Rehearsal(question).takes(turns, trusts);
}

}  // namespace a2::emulator
