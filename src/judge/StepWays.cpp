// StepJudge: the possible results of a dispatch for each task class, computed from what it found.

#include "judge/PartialSums.h"
#include "judge/StepModel.h"

#include <fmt/format.h>

#include <algorithm>

namespace a2 {

// How many partial sums one invocation may join: the kernel shape's number, or two.
std::vector<std::uint32_t> StepJudge::factors() const
{
    return shape_.elements == 2 ? std::vector<std::uint32_t>{2} : std::vector<std::uint32_t>{shape_.elements, 2};
}

void StepJudge::strided(const Values& data, std::vector<Candidate>& all)
{
    for (const std::uint32_t factor : factors()) {
        const std::uint64_t next = stride_ * factor;
        ExpectedElements expected{*where_, 0, next, stridedSums(data, count_, stride_, next)};
        const std::uint64_t left = expected.values.size();
        all.push_back({fmt::format("{}, {} elements apart", plural(left, "partial sum"), next),
                       {std::move(expected)},
                       [this, next, left] { stride_ = next, live_ = left; }});
    }
}

void StepJudge::front(const Values& data, std::vector<Candidate>& all)
{
    for (const std::uint32_t factor : factors()) {
        const std::uint64_t width = ceilDiv(live_, factor);
        ExpectedElements expected{*where_, 0, 1, frontSums(data, live_, width)};
        all.push_back(
            {plural(width, "partial sum") + " at the front", {std::move(expected)}, [this, width] { live_ = width; }});
    }
}

void StepJudge::groupSums(const Values& data, const std::vector<Index>& targets, std::vector<Candidate>& all)
{
    for (const std::uint32_t factor : factors()) {
        const std::uint64_t tile = std::uint64_t{shape_.workGroup} * factor;
        const Values sums = stridedSums(data, live_, 1, tile);
        const std::uint64_t left = sums.size();
        for (const Index target : targets)
            all.push_back({plural(left, "sum") + ", one per work-group", {{target, 0, 1, sums}}, [this, target, left] {
                               where_ = target, live_ = left;
                           }});
    }
}

void StepJudge::wholeSum(const Values& data, const std::vector<Index>& targets, std::vector<Candidate>& all)
{
    std::uint32_t sum = 0;
    for (std::uint64_t i = 0; i < live_; ++i) sum += data[i];
    for (const Index target : targets)
        all.push_back({"the sum of all", {{target, 0, 1, {sum}}}, [this, target] { where_ = target, live_ = 1; }});
}

void StepJudge::wholeScan(const Values& data, const std::vector<Index>& targets, std::vector<Candidate>& all)
{
    Values scan(count_);
    std::uint32_t sum = 0;
    for (std::uint64_t i = 0; i < count_; ++i) {
        const std::uint32_t before = sum;
        sum += data[i];
        scan[i] = shape_.exclusive ? before : sum;
    }
    for (const Index target : targets)
        all.push_back(
            {"the whole array scanned", {{target, 0, 1, scan}}, [this, target] { where_ = target, live_ = 0; }});
}

void StepJudge::wholeResult(const Values& data, const std::vector<Index>& targets, std::vector<Candidate>& all)
{
    const Values result = taskClass_.reference(std::span(data).first(count_));
    for (const Index target : targets)
        all.push_back({"all " + plural(result.size(), taskClass_.resultName), {{target, 0, 1, result}}, [this, target] {
                           where_ = target, live_ = 0;
                       }});
}

// Arrays of another length hold the solution's own data.
void StepJudge::nearestSteps(const Values& data, const Contents& after, const std::vector<Index>& targets,
                             std::vector<Candidate>& all)
{
    for (const Index target : targets) {
        const Values& left = after.at(target);
        if (left.size() != count_ || data.size() != count_) continue;
        // Where the result is right, its dispatches need not be steps that are known here.
        LeftArray step = taskClass_.nearestStep(data, left, resultRight_);
        if (step.what.empty()) continue;
        const bool isResult = step.elements == taskClass_.reference(step.elements);
        all.push_back({std::move(step.what), {{target, 0, 1, std::move(step.elements)}}, [this, target, isResult] {
                           where_ = target, live_ = isResult ? 0 : count_;
                       }});
    }
}

void StepJudge::windows(const Values& data, const std::vector<Index>& targets, std::vector<Candidate>& all)
{
    // An exclusive scan moves the array one place to the right, normally in its first step.
    const std::uint64_t mayShift = shape_.exclusive && !shifted_, usual = stride_ == 1 ? mayShift : 0;
    for (const std::uint64_t shift : {usual, mayShift - usual}) {
        const Values sums = windowSums(data, count_, stride_, shift);
        for (const Index target : targets)
            all.push_back({fmt::format("sums of up to {} elements", 2 * stride_),
                           {{target, 0, 1, sums}},
                           [this, target, shift] { where_ = target, stride_ *= 2, shifted_ |= shift == 1; }});
    }
}

void StepJudge::scanTiles(const Values& data, const std::vector<Index>& targets, std::vector<Candidate>& all)
{
    const std::uint64_t tile = shape_.tile(), tiles = ceilDiv(live_, tile), live = live_;
    // Upper levels may be scanned either way, if the offsets are taken from the right place.
    const bool first = levels_.empty();
    for (const bool exclusive : first ? std::vector{shape_.exclusive} : std::vector{true, false}) {
        Values scan(live), totals(tiles);
        for (std::uint64_t i = 0; i < live; ++i) {
            const std::uint32_t before = totals[i / tile];
            totals[i / tile] += data[i];
            scan[i] = exclusive ? before : totals[i / tile];
        }
        Candidate way{fmt::format("{} scanned, each on its own", plural(tiles, "tile")), {}, {}};
        way.expected.push_back({targets[0], 0, 1, std::move(scan)});
        if (targets.size() > 1) way.expected.push_back({targets[1], 0, 1, std::move(totals)});
        const Index scanned = targets[0];
        const auto sums = targets.size() > 1 ? std::optional(targets[1]) : std::nullopt;
        way.accept = [this, scanned, sums, live, tiles, exclusive] {
            levels_.push_back({scanned, sums, live, exclusive});
            where_ = sums;
            live_ = tiles;
        };
        all.push_back(std::move(way));
    }
}

// Whether the dispatch adds offsets already, even if there are still tiles to be scanned.
bool StepJudge::isOnItsWayDown(const DispatchCommand& dispatch) const
{
    if (offsetsDone_ > 0) return true;
    if (levels_.size() < 2) return false;
    bool reads = false, writes = false;
    for (const BoundBuffer& one : dispatch.buffers) {
        reads = reads || (one.reads && one.buffer == levels_.back().scanned);
        writes = writes || (one.writes && one.buffer == levels_[levels_.size() - 2].scanned);
    }
    return reads && writes;
}

void StepJudge::addOffsets(const Contents& before, std::vector<Candidate>& all)
{
    Level data{where_, {}, count_, false}, offsets{blockOffsets_, {}, 0, true};
    if (model_ == StepModel::tileScans) {
        if (offsetsDone_ + 2 > levels_.size()) return;  // all levels are finished
        data = levels_[levels_.size() - 2 - offsetsDone_];
        offsets = levels_[levels_.size() - 1 - offsetsDone_];
    } else if (offsetsDone_ > 0) {
        return;
    }
    if (!data.scanned || !offsets.scanned) return;
    const auto scans = before.find(*data.scanned), sums = before.find(*offsets.scanned);
    if (scans == before.end() || sums == before.end()) return;
    const std::uint64_t tiles = ceilDiv(data.count, shape_.tile());
    if (scans->second.size() < data.count || sums->second.size() < tiles) return;
    const auto offsetOf = [&](std::uint64_t tile) -> std::uint32_t {
        if (tile == 0) return 0;
        return sums->second[offsets.exclusive ? tile : tile - 1];
    };
    Values finished(data.count);
    for (std::uint64_t i = 0; i < data.count; ++i) finished[i] = scans->second[i] + offsetOf(i / shape_.tile());
    all.push_back({"offsets added to " + plural(tiles, "tile"), {{*data.scanned, 0, 1, std::move(finished)}}, [this] {
                       ++offsetsDone_;
                   }});
}

}  // namespace a2
