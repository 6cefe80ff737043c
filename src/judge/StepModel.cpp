#include "judge/StepModel.h"

#include "recording/UsedBuffers.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace a2 {

namespace {

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

std::vector<Index> writableBuffers(const DispatchCommand& dispatch)
{
    std::vector<Index> found;
    for (const BoundBuffer& one : dispatch.buffers)
        if (one.writes) found.push_back(one.buffer);
    return found;
}

}  // namespace

std::string plural(std::uint64_t count, const char* thing)
{
    return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

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

StepJudge::StepJudge(const Task& task, const Recording& recording, bool resultRight)
    : model_(task.scheme.steps),
      taskClass_(*task.taskClass),
      figure_(task.scheme.figure),
      shape_(recording.shape),
      count_(recording.count),
      scansOnce_(task.taskClass->endsAtTiles),
      blockOffsets_(givenAs(RecordedBuffer::Role::blockOffsets, recording)),
      resultRight_(resultRight),
      where_(givenAs(RecordedBuffer::Role::input, recording)),
      live_(recording.count)
{
}

StepJudgement StepJudge::judge(const DispatchCommand& dispatch, const Contents& before, const Contents& after)
{
    StepJudgement judgement;
    if (lost_) return judgement;
    std::optional<Comparison> own;  // with the task class's own way, the first candidate
    bool sumsAlone = false;         // for a local scan: only the sums of the tiles are wrong
    std::vector<Candidate> ways = candidates(dispatch, before, after);
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
            judgement.figure = figure_;
            judgement.what = way.what;
            judgement.expected = way.expected;
            return judgement;
        }
        if (!own) {
            own = comparison;
            Comparison scan;
            compare(way.expected.front(), after, scan);
            sumsAlone = scansOnce_ && scan.wrong == 0;
        }
    }
    // The result of a local scan does not show the tiles' sums: the scan of a longer array, which needs them, is
    // another task. If a class has its own way, dispatches between its steps leave the array where it is.
    if (!own || (resultRight_ && !sumsAlone)) {
        lost_ = !taskClass_.nearestStep;
        return judgement;
    }
    ways.front().accept();
    judgement.verdict = StepVerdict::wrong;
    judgement.figure = figure_;
    judgement.what = ways.front().what;
    judgement.expected = std::move(ways.front().expected);
    judgement.firstWrong = own->first;
    judgement.wrongCount = own->wrong;
    return judgement;
}

std::vector<StepJudge::Candidate> StepJudge::candidates(const DispatchCommand& dispatch, const Contents& before,
                                                        const Contents& after)
{
    std::vector<Candidate> all;
    const auto data = where_ ? before.find(*where_) : before.end();
    const std::vector<Index> targets = writableBuffers(dispatch);
    if (data == before.end() || targets.empty()) return all;
    const bool reduced = live_ <= 1 && count_ > 1;
    const bool whole = model_ == StepModel::strided || model_ == StepModel::windows;
    if (data->second.size() < (whole ? count_ : live_)) return all;
    // One slice of several: its expected contents are not known here.
    for (const BoundBuffer& one : dispatch.buffers)
        if (one.buffer == where_ && one.range < live_ * sizeof(std::uint32_t)) return all;
    switch (model_) {
        case StepModel::none:
            break;
        case StepModel::strided:
            if (!reduced && (stride_ < count_ || stride_ == 1)) strided(data->second, all);
            break;
        case StepModel::front:
            if (!reduced) front(data->second, all);
            break;
        case StepModel::groupSums:
            if (!reduced) groupSums(data->second, targets, all);
            break;
        case StepModel::sum:
            if (!reduced) wholeSum(data->second, targets, all);
            if (!reduced) groupSums(data->second, targets, all);
            break;
        case StepModel::scan:
            if (live_ > 0) wholeScan(data->second, targets, all);
            break;
        case StepModel::result:
            if (taskClass_.nearestStep)
                nearestSteps(data->second, after, targets, all);
            else if (live_ > 0)
                wholeResult(data->second, targets, all);
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
    if (model_ == StepModel::windows && shape_.exclusive && !shifted_)
        return "the array has not moved one place to the right, as an exclusive scan's does";
    if (model_ == StepModel::windows)
        return stride_ >= count_ && stride_ > 1 ? std::string()
                                                : fmt::format("every element is the sum of up to {} only", stride_);
    if (model_ == StepModel::offsets)
        return offsetsDone_ > 0 || count_ <= shape_.tile() ? std::string() : "no offset has been added";
    if (model_ == StepModel::result) {
        if (taskClass_.nearestStep) return live_ > 1 ? "the array is not in order" : std::string();
        return live_ > 0 ? "nothing has been left" : std::string();
    }
    if (model_ == StepModel::scan) return live_ > 0 ? "nothing has been scanned" : std::string();
    if (model_ != StepModel::tileScans) return live_ > 1 ? plural(live_, "partial sum") + " are left" : std::string();
    if (levels_.empty()) return "no tile has been scanned";
    if (scansOnce_) return {};
    if (levels_.back().count > shape_.tile())
        return plural(ceilDiv(levels_.back().count, shape_.tile()), "block sum") + " have not been scanned";
    return offsetsDone_ + 1 < levels_.size() ? "not all offsets have been added" : std::string();
}

std::optional<Index> StepJudge::resultBuffer() const
{
    if (lost_ || model_ == StepModel::none) return {};
    return model_ == StepModel::tileScans ? (levels_.empty() ? std::nullopt : levels_.front().scanned) : where_;
}

}  // namespace a2
