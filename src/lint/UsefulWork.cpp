#include "lint/UsefulWork.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace a2 {

namespace {

// Words that dispatches have read since those words were last written.
class KnownWords {
public:
    // Returns how many of them are new.
    std::uint64_t read(Index buffer, const WordBits& bits)
    {
        WordBits& known = known_[buffer];
        known.resize(std::max(known.size(), bits.size()));
        std::uint64_t news = 0;
        for (std::size_t i = 0; i < bits.size(); ++i) {
            news += static_cast<std::uint64_t>(std::popcount(bits[i] & ~known[i]));
            known[i] |= bits[i];
        }
        return news;
    }
    void written(Index buffer, const WordBits& bits)
    {
        WordBits& known = known_[buffer];
        for (std::size_t i = 0; i < std::min(known.size(), bits.size()); ++i) known[i] &= ~bits[i];
    }
    void written(Index buffer) { known_.erase(buffer); }

private:
    std::map<Index, WordBits> known_;
};

}  // namespace

std::vector<Finding> wastedInvocations(const CommandLog& log, const WordsOfDispatches& words, bool readingIsWork,
                                       const std::function<bool(const DispatchCommand&)>& fixedGrid)
{
    std::vector<Finding> findings;
    std::uint64_t all = 0, wasted = 0;  // invocations
    KnownWords known;
    for (const Command& command : log.commands()) {
        if (const auto* transfer = std::get_if<TransferCommand>(&command)) known.written(transfer->to);
        const auto* dispatch = std::get_if<DispatchCommand>(&command);
        if (!dispatch || !dispatch->facts || dispatch->groupCount() == 0) continue;
        std::uint64_t news = 0, stored = 0;
        const auto first = words.lower_bound({dispatch->index, Index{0}});
        for (auto one = first; one != words.end() && one->first.first == dispatch->index; ++one) {
            const std::uint64_t unknown = known.read(one->first.second, one->second.read);
            news += readingIsWork ? countOf(one->second.read) : unknown;
            stored += countOf(one->second.written);
        }
        for (auto one = first; one != words.end() && one->first.first == dispatch->index; ++one)
            known.written(one->first.second, one->second.written);

        const std::uint64_t started = dispatch->invocations(), needed = std::max<std::uint64_t>({1, stored, news});
        const std::uint64_t group = started / dispatch->groupCount();
        all += started;
        if (started <= std::max(2 * needed, (ceilDiv(needed, group) + 1) * group)) continue;
        Finding found{
            "wasted-invocations",
            fmt::format(
                "dispatch {} '{}' starts {} work-group{} of {}, but {} and writes {}", dispatch->index, dispatch->label,
                dispatch->groupCount(), dispatch->groupCount() == 1 ? "" : "s", group,
                readingIsWork
                    ? fmt::format("reads only {} elements", news)
                    : fmt::format("reads only {} elements that no dispatch has read since they were written,", news),
                stored),
            dispatch->index, Severity::note, dispatch->kernel};
        if (stored == 0) {
            found.message += ": without it the result would be the same";
        } else if (fixedGrid(*dispatch)) {
            found.message += ", with as many work-groups as for a longer array";
        } else {
            found.severity = Severity::failure;
            wasted += started - needed;
            const std::uint64_t enough = ceilDiv(needed, group);
            found.message += fmt::format(": {} work-group{} enough (cb.dispatch() counts work-groups, not invocations)",
                                         enough, enough == 1 ? " is" : "s are");
        }
        findings.push_back(std::move(found));
    }
    // In a method of many steps, such as an odd-even merge sort, there may be one with little to do at some lengths.
    constexpr std::uint64_t fewPerWasted = 32;
    if (wasted * fewPerWasted <= all)
        for (Finding& one : findings) one.severity = Severity::note;
    return findings;
}

}  // namespace a2
