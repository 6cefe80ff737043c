#include "evaluate/StepModel.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace a2 {

namespace {

std::string plural(std::uint64_t count, const char* thing)
{
    return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

struct Comparison {
    std::uint64_t wrong = 0;
    std::optional<WrongElement> first;
};

void compare(const ExpectedElements& expected, const Contents& after, Comparison& result)
{
    const auto found = after.find(expected.buffer);
    for (std::uint64_t i = 0; i < expected.values.size(); ++i) {
        const std::uint64_t index = expected.first + i * expected.stride;
        const bool there = found != after.end() && index < found->second.size();
        const std::uint32_t got = there ? found->second[index] : 0;
        if (there && got == expected.values[i]) continue;
        if (result.wrong++ == 0) result.first = {"", index, expected.values[i], got};
    }
}

std::vector<vk::Buffer> writableBuffers(const DispatchCommand& dispatch)
{
    std::vector<vk::Buffer> found;
    for (const BoundBuffer& one : dispatch.buffers)
        if (one.writes) found.push_back(one.buffer);
    return found;
}

}  // namespace

const char* verdictText(StepVerdict verdict)
{
    switch (verdict) {
        case StepVerdict::ok:
            return "ok";
        case StepVerdict::wrong:
            return "wrong";
        case StepVerdict::unchecked:
            break;
    }
    return "unchecked";
}

StepJudge::StepJudge(const Task& task, const KernelShape& shape, std::uint64_t count, vk::Buffer input,
                     vk::Buffer blockOffsets, bool resultRight)
    : model_(task.steps),
      shape_(shape),
      count_(count),
      scansOnce_(task.kind == TaskKind::localScan),
      blockOffsets_(blockOffsets),
      resultRight_(resultRight),
      where_(input),
      live_(count)
{
}

StepJudgement StepJudge::judge(const DispatchCommand& dispatch, const Contents& before, const Contents& after)
{
    StepJudgement judgement;
    if (lost_) return judgement;
    std::optional<Comparison> own;  // of the task class's own way, the first candidate
    std::vector<Candidate> ways = candidates(dispatch, before);
    for (const Candidate& way : ways) {
        Comparison comparison;
        for (const ExpectedElements& one : way.expected) {
            const std::uint64_t wrongBefore = comparison.wrong;
            compare(one, after, comparison);
            if (wrongBefore == 0 && comparison.wrong > 0)
                for (const BoundBuffer& bound : dispatch.buffers)
                    if (bound.buffer == one.buffer) comparison.first->buffer = bound.name;
        }
        if (comparison.wrong == 0) {
            way.accept();
            judgement.verdict = StepVerdict::ok;
            judgement.what = way.what;
            judgement.expected = way.expected;
            return judgement;
        }
        if (!own) own = comparison;
    }
    if (!own || resultRight_) {
        lost_ = true;
        return judgement;
    }
    ways.front().accept();
    judgement.verdict = StepVerdict::wrong;
    judgement.what = ways.front().what;
    judgement.expected = std::move(ways.front().expected);
    judgement.firstWrong = own->first;
    judgement.wrongCount = own->wrong;
    return judgement;
}

std::vector<StepJudge::Candidate> StepJudge::candidates(const DispatchCommand& dispatch, const Contents& before)
{
    std::vector<Candidate> all;
    const auto data = before.find(where_);
    const std::vector<vk::Buffer> targets = writableBuffers(dispatch);
    if (data == before.end() || targets.empty()) return all;
    const bool reduced = live_ <= 1 && count_ > 1;
    const bool whole = model_ == StepModel::strided || model_ == StepModel::windows;
    if (data->second.size() < (whole ? count_ : live_)) return all;
    switch (model_) {
        case StepModel::none:
            break;
        case StepModel::strided:
            if (!reduced) strided(data->second, all);
            break;
        case StepModel::front:
            if (!reduced) front(data->second, all);
            break;
        case StepModel::groupSums:
            if (!reduced) groupSums(data->second, targets, all);
            break;
        case StepModel::windows:
            if (stride_ < count_ || stride_ == 1) windows(data->second, targets, all);
            break;
        case StepModel::tileScans:
            if (levels_.empty() || (!scansOnce_ && levels_.back().count > shape_.tile() && !isOnItsWayDown(dispatch)))
                scanTiles(data->second, targets, all);
            else if (!scansOnce_)
                addOffsets(before, all);
            break;
        case StepModel::offsets:
            addOffsets(before, all);
            break;
    }
    return all;
}

std::string StepJudge::unfinished() const
{
    if (lost_ || model_ == StepModel::none) return {};
    if (model_ == StepModel::windows)
        return stride_ >= count_ && stride_ > 1 ? std::string()
                                                : fmt::format("every element is the sum of up to {} only", stride_);
    if (model_ == StepModel::offsets)
        return offsetsDone_ > 0 || count_ <= shape_.tile() ? std::string() : "no offset has been added";
    if (model_ != StepModel::tileScans) return live_ > 1 ? plural(live_, "partial sum") + " are left" : std::string();
    if (levels_.empty()) return "no tile has been scanned";
    if (scansOnce_) return {};
    if (levels_.back().count > shape_.tile())
        return plural(ceilDiv(levels_.back().count, shape_.tile()), "block sum") + " have not been scanned";
    return offsetsDone_ + 1 < levels_.size() ? "not all offsets have been added" : std::string();
}

vk::Buffer StepJudge::resultBuffer() const
{
    if (lost_ || model_ == StepModel::none) return {};
    return model_ == StepModel::tileScans ? (levels_.empty() ? vk::Buffer() : levels_.front().scanned) : where_;
}

// How many partial sums one invocation may join: as the kernel shape says, or two.
std::vector<std::uint32_t> StepJudge::factors() const
{
    return shape_.elements == 2 ? std::vector<std::uint32_t>{2} : std::vector<std::uint32_t>{shape_.elements, 2};
}

void StepJudge::strided(const Values& data, std::vector<Candidate>& all)
{
    for (const std::uint32_t factor : factors()) {
        const std::uint64_t next = stride_ * factor;
        ExpectedElements expected{where_, 0, next, {}};
        for (std::uint64_t first = 0; first < count_; first += next) {
            std::uint32_t sum = 0;
            for (std::uint64_t i = first; i < std::min(count_, first + next); i += stride_) sum += data[i];
            expected.values.push_back(sum);
        }
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
        ExpectedElements expected{where_, 0, 1, Values(width)};
        for (std::uint64_t i = 0; i < live_; ++i) expected.values[i % width] += data[i];
        all.push_back(
            {plural(width, "partial sum") + " at the front", {std::move(expected)}, [this, width] { live_ = width; }});
    }
}

void StepJudge::groupSums(const Values& data, const std::vector<vk::Buffer>& targets, std::vector<Candidate>& all)
{
    for (const std::uint32_t factor : factors()) {
        const std::uint64_t tile = std::uint64_t{shape_.workGroup} * factor;
        Values sums(ceilDiv(live_, tile));
        for (std::uint64_t i = 0; i < std::min<std::uint64_t>(live_, data.size()); ++i) sums[i / tile] += data[i];
        const std::uint64_t left = sums.size();
        for (const vk::Buffer target : targets)
            all.push_back({plural(left, "sum") + ", one per work-group", {{target, 0, 1, sums}}, [this, target, left] {
                               where_ = target, live_ = left;
                           }});
    }
}

void StepJudge::windows(const Values& data, const std::vector<vk::Buffer>& targets, std::vector<Candidate>& all)
{
    // An exclusive scan moves the array one place to the right, best in its first step.
    for (const std::uint64_t shift : {std::uint64_t{shape_.exclusive && stride_ == 1}, std::uint64_t{0}}) {
        Values sums(count_);
        for (std::uint64_t i = 0; i < count_; ++i) {
            if (i >= shift) sums[i] = data[i - shift];
            if (i >= shift + stride_) sums[i] += data[i - shift - stride_];
        }
        for (const vk::Buffer target : targets)
            all.push_back({fmt::format("sums of up to {} elements", 2 * stride_),
                           {{target, 0, 1, sums}},
                           [this, target] { where_ = target, stride_ *= 2; }});
    }
}

void StepJudge::scanTiles(const Values& data, const std::vector<vk::Buffer>& targets, std::vector<Candidate>& all)
{
    const std::uint64_t tile = shape_.tile(), tiles = ceilDiv(live_, tile), live = live_;
    // Upper levels may be scanned either way, as long as the offsets are taken from the right place.
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
        const vk::Buffer scanned = targets[0], sums = targets.size() > 1 ? targets[1] : vk::Buffer();
        way.accept = [this, scanned, sums, live, tiles, exclusive] {
            levels_.push_back({scanned, sums, live, exclusive});
            where_ = sums;
            live_ = tiles;
        };
        all.push_back(std::move(way));
    }
}

// Whether the dispatch adds offsets already, also where there are still tiles to be scanned.
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
    const auto scans = before.find(data.scanned), sums = before.find(offsets.scanned);
    if (scans == before.end() || sums == before.end()) return;
    const std::uint64_t tiles = ceilDiv(data.count, shape_.tile());
    if (scans->second.size() < data.count || sums->second.size() < tiles) return;
    const auto offsetOf = [&](std::uint64_t tile) -> std::uint32_t {
        if (tile == 0) return 0;
        return sums->second[offsets.exclusive ? tile : tile - 1];
    };
    Values finished(data.count);
    for (std::uint64_t i = 0; i < data.count; ++i) finished[i] = scans->second[i] + offsetOf(i / shape_.tile());
    all.push_back({"offsets added to " + plural(tiles, "tile"), {{data.scanned, 0, 1, std::move(finished)}}, [this] {
                       ++offsetsDone_;
                   }});
}

}  // namespace a2
