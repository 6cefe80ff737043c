#include "judge/PhaseModel.h"

#include "judge/PartialSums.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <set>
#include <tuple>
#include <utility>

namespace a2 {

namespace {

using Values = std::vector<std::uint32_t>;
using SharedMemory = std::vector<EmulatorSettings::SharedVariable>;

constexpr std::size_t mostWays = 64;  // that are followed side by side

// The 32-bit numbers of all shared variables, one variable after the other.
struct Memory {
    Values words;
    std::vector<bool> set;

    bool differs(const Memory& other, std::uint32_t at) const
    {
        return words[at] != other.words[at] || set[at] != other.set[at];
    }
};

bool isJudged(const EmulatorSettings::SharedVariable& variable, const ElementType& element)
{
    return variable.bits == 32 && variable.isReal == element.isReal;
}

Memory memoryOf(const SharedMemory& all, const ElementType& element)
{
    Memory memory;
    for (const EmulatorSettings::SharedVariable& one : all) {
        if (!isJudged(one, element)) continue;
        for (const std::uint64_t word : one.numbers)
            memory.words.push_back(element.number(static_cast<std::uint32_t>(word)));
        memory.set.insert(memory.set.end(), one.set.begin(), one.set.end());
    }
    return memory;
}

// The places in Memory of an array's numbers on which a scheme works.
using Places = std::vector<std::uint32_t>;

// The arrays that may lie in shared memory. For each variable: all numbers that are set, the first and the second half
// of them, and what remains without a gap after every 16 or 32 numbers.
std::vector<Places> arraysIn(const SharedMemory& all, const Memory& memory, const ElementType& element)
{
    std::set<Places> found;
    std::uint32_t first = 0;
    for (const EmulatorSettings::SharedVariable& one : all) {
        if (!isJudged(one, element)) continue;
        const auto size = static_cast<std::uint32_t>(one.numbers.size());
        const auto add = [&](std::uint32_t begin, std::uint32_t end, std::uint32_t gapEach) {
            Places places;
            for (std::uint32_t i = begin; i < end; ++i)
                if (memory.set[first + i] && (gapEach == 0 || i % gapEach != gapEach - 1)) places.push_back(first + i);
            if (!places.empty()) found.insert(std::move(places));
        };
        add(0, size, 0);
        add(0, size / 2, 0);
        add(size / 2, size, 0);
        add(0, size, 33);
        add(0, size, 17);
        first += size;
    }
    return {found.begin(), found.end()};
}

// What the work-group may have loaded first.
struct Load {
    std::string what;
    Values values;
};

void addSubgroupSums(const Values& ofInvocations, std::uint32_t subgroupSize, std::vector<Load>& all)
{
    Values sums = stridedSums(ofInvocations, ofInvocations.size(), 1, subgroupSize);
    all.push_back({plural(sums.size(), "sum") + ", one per subgroup", std::move(sums)});
}

void addLoads(const Values& source, std::uint32_t elements, const PhaseContext& context, std::vector<Load>& all)
{
    const std::uint64_t workGroup = context.shape.workGroup, size = workGroup * elements;
    const std::uint64_t begin = std::min<std::uint64_t>(context.group * size, source.size());
    const std::uint64_t end = std::min<std::uint64_t>(begin + size, source.size());
    Values tile(source.begin() + static_cast<std::ptrdiff_t>(begin), source.begin() + static_cast<std::ptrdiff_t>(end));
    tile.resize(size);

    all.push_back({plural(size, "element") + " loaded", tile});
    all.push_back({plural(size, "element") + " loaded, one place to the right", windowSums(tile, size, size, 1)});
    for (std::uint64_t each = 2; each <= elements; ++each)
        if (elements % each == 0)
            all.push_back({fmt::format("{} of {} elements each", plural(size / each, "sum"), each),
                           stridedSums(tile, size, 1, each)});
    all.push_back({"the sum of the tile", stridedSums(tile, size, 1, size)});
    if (elements > 1) addSubgroupSums(stridedSums(tile, size, 1, elements), context.subgroupSize, all);
    // Neighbouring invocations load neighbouring elements, or vectors of them.
    for (const std::uint32_t vector : {1U, 2U, 4U}) {
        if (elements % vector != 0 || elements == vector) continue;
        Values sums(workGroup);
        for (std::uint64_t i = 0; i < size; ++i) sums[i / vector % workGroup] += tile[i];
        addSubgroupSums(sums, context.subgroupSize, all);
        all.push_back({plural(workGroup, "sum") + ", one per invocation", std::move(sums)});
    }
    if (elements == 1) addSubgroupSums(tile, context.subgroupSize, all);
}

std::vector<Load> loadsOf(const PhaseContext& context)
{
    std::vector<Load> all;
    for (const Values& source : context.sources)
        for (const std::uint32_t elements : std::set<std::uint32_t>{context.shape.elements, 2, 1})
            addLoads(source, elements, context, all);
    return all;
}

enum class Scheme { loaded, strided, front, frontPower, upSweep, blelloch, brentKung, windows };

unsigned figureOf(Scheme scheme)
{
    switch (scheme) {
        case Scheme::strided:
            return 5;
        case Scheme::front:
        case Scheme::frontPower:
            return 7;
        case Scheme::windows:
            return 9;
        case Scheme::upSweep:
            return 10;
        case Scheme::blelloch:
            return 11;
        case Scheme::loaded:
        case Scheme::brentKung:
            break;
    }
    return 0;
}

// The progress of a scheme. stride: front: the number of partial sums left; blelloch: elements of a node; otherwise the
// distance of the next step.
struct SchemeStage {
    Scheme scheme = Scheme::loaded;
    std::uint64_t stride = 1;

    auto operator<=>(const SchemeStage&) const = default;
};

// A step, and its result in an array: the numbers first, first + apart, ... of it.
struct Move {
    std::string what;
    SchemeStage next;
    std::uint64_t apart = 1;
    Values values;
};

Move strideMove(const Values& data, std::uint64_t stride)
{
    Values sums = stridedSums(data, data.size(), stride, 2 * stride);
    const std::string what = fmt::format("{}, {} apart", plural(sums.size(), "partial sum"), 2 * stride);
    return {what, {Scheme::strided, 2 * stride}, 2 * stride, std::move(sums)};
}

Move frontMove(const Values& data, Scheme scheme, std::uint64_t live)
{
    const std::uint64_t width = scheme == Scheme::front ? ceilDiv(live, 2) : std::bit_ceil(live) / 2;
    return {plural(width, "partial sum") + " at the front", {scheme, width}, 1, frontSums(data, live, width)};
}

Move upMove(const Values& data, std::uint64_t stride)
{
    Values sums = data;
    std::uint64_t nodes = 0;
    for (std::uint64_t last = 2 * stride - 1; last < data.size(); last += 2 * stride, ++nodes)
        sums[last] += data[last - stride];
    return {fmt::format("up-sweep: {} of {}", plural(nodes, "sum"), 2 * stride),
            {Scheme::upSweep, 2 * stride},
            1,
            std::move(sums)};
}

Move rootMove(const Values& data)
{
    Values cleared = data;
    cleared.back() = 0;
    return {"0 at the root", {Scheme::blelloch, data.size()}, 1, std::move(cleared)};
}

Move blellochMove(const Values& data, std::uint64_t node)
{
    Values prefixes = data;
    for (std::uint64_t right = node - 1; right < data.size(); right += node) {
        const std::uint64_t left = right - node / 2;
        prefixes[left] = data[right];
        prefixes[right] = data[right] + data[left];
    }
    return {fmt::format("down-sweep: {}, {} apart", plural(2 * data.size() / node, "prefix sum"), node / 2),
            {Scheme::blelloch, node / 2},
            1,
            std::move(prefixes)};
}

Move brentKungMove(const Values& data, std::uint64_t stride)
{
    Values sums = data;
    for (std::uint64_t last = 2 * stride - 1; last + stride < data.size(); last += 2 * stride)
        sums[last + stride] += data[last];
    return {fmt::format("down: prefix sums, {} apart", stride), {Scheme::brentKung, stride / 2}, 1, std::move(sums)};
}

Move windowMove(const Values& data, std::uint64_t stride)
{
    return {fmt::format("sums of up to {}", 2 * stride),
            {Scheme::windows, 2 * stride},
            1,
            windowSums(data, data.size(), stride, 0)};
}

// The steps that may come next.
std::vector<Move> movesFrom(const SchemeStage& stage, const Values& data)
{
    const std::uint64_t count = data.size(), power = std::bit_ceil(count);
    if (count < 2) return {};
    std::vector<Move> moves;
    const auto is = [&](Scheme one) { return stage.scheme == one || stage.scheme == Scheme::loaded; };
    const bool begins = stage.scheme == Scheme::loaded;
    if (is(Scheme::strided) && stage.stride < count) moves.push_back(strideMove(data, stage.stride));
    const std::uint64_t live = begins ? count : stage.stride;
    if (is(Scheme::front) && live > 1) moves.push_back(frontMove(data, Scheme::front, live));
    if (is(Scheme::frontPower) && live > 1 && power != count)
        moves.push_back(frontMove(data, Scheme::frontPower, live));
    if (is(Scheme::upSweep)) {
        if (stage.stride < count) moves.push_back(upMove(data, stage.stride));
        // The last sum, the total, is not needed by a scheme that discards it.
        if (2 * stage.stride >= power && count == power) moves.push_back(rootMove(data));
        // If the array's length is no power of two, the last step up has nothing to do.
        if ((count == power ? 1 : 2) * stage.stride >= power && power >= 4)
            moves.push_back(brentKungMove(data, power / 4));
    }
    if (stage.scheme == Scheme::blelloch && stage.stride > 1) moves.push_back(blellochMove(data, stage.stride));
    if (stage.scheme == Scheme::brentKung && stage.stride > 0) moves.push_back(brentKungMove(data, stage.stride));
    if (is(Scheme::windows) && stage.stride < count) moves.push_back(windowMove(data, stage.stride));
    return moves;
}

// The same schemes' steps of other strides.
std::vector<Move> otherStrides(const SchemeStage& stage, const Values& data)
{
    std::vector<Move> moves;
    for (std::uint64_t stride = 1; stride < data.size(); stride *= 2) {
        const auto may = [&](Scheme one) { return stage.scheme == one || stage.scheme == Scheme::loaded; };
        if (may(Scheme::strided)) moves.push_back(strideMove(data, stride));
        if (may(Scheme::upSweep)) moves.push_back(upMove(data, stride));
        if (may(Scheme::windows)) moves.push_back(windowMove(data, stride));
        if (stage.scheme == Scheme::blelloch) moves.push_back(blellochMove(data, 2 * stride));
        if (stage.scheme == Scheme::brentKung || stage.scheme == Scheme::upSweep)
            moves.push_back(brentKungMove(data, stride));
    }
    return moves;
}

bool isDone(const SchemeStage& stage, std::uint64_t count, bool scans)
{
    if (count < 2) return true;
    switch (stage.scheme) {
        case Scheme::loaded:
            return false;
        case Scheme::strided:
            return !scans && stage.stride >= count;
        case Scheme::front:
        case Scheme::frontPower:
            return !scans && stage.stride == 1;
        case Scheme::upSweep:
            return stage.stride >= count && (!scans || count == 2);
        case Scheme::blelloch:
            return scans && stage.stride == 1;
        case Scheme::brentKung:
            return scans && stage.stride == 0;
        case Scheme::windows:
            return stage.stride >= count;
    }
    return false;
}

std::string leftText(const SchemeStage& stage, std::uint64_t count)
{
    switch (stage.scheme) {
        case Scheme::loaded:
            break;
        case Scheme::strided:
            return plural(ceilDiv(count, stage.stride), "partial sum") + " are left";
        case Scheme::front:
        case Scheme::frontPower:
            return plural(stage.stride, "partial sum") + " are left";
        case Scheme::upSweep:
            return stage.stride >= count ? "there has been no down-sweep" : "the up-sweep has not come to its root";
        case Scheme::blelloch:
        case Scheme::brentKung:
            return "the down-sweep has not come to its last step";
        case Scheme::windows:
            return fmt::format("every number is the sum of up to {} only", stage.stride);
    }
    return {};
}

std::string inARowText(const std::vector<std::string>& steps)
{
    if (steps.size() == 1) return steps.front();
    return fmt::format("{}; {}{}", steps.front(), steps.size() > 2 ? "...; " : "", steps.back());
}

// A way to interpret the phases so far, phase by phase; ways with the same beginning share it.
struct Node {
    std::shared_ptr<const Node> before;
    PhaseJudgement judgement;
};

struct Way {
    std::shared_ptr<const Node> node;  // null: no phase yet
    Places places;                     // of the scheme's array; empty: nothing is loaded yet
    SchemeStage stage;
    std::uint64_t steps = 0, deviations = 0;  // phases that are the scheme's, and that are not
    std::uint64_t inARow = 0;                 // steps that share a phase with another one
    bool begun = false;                       // in this phase

    // Ways with equal keys continue in the same way.
    auto key() const { return std::tie(places, stage); }
    // Smaller is better.
    auto badness() const { return std::tuple(deviations, ~steps, inARow); }
};

// What a phase adds to a way.
struct More {
    std::uint64_t steps = 0, deviations = 0, inARow = 0;
};

class PhaseReader {
public:
    PhaseReader(const std::vector<EmulatorSettings::SeenPhase>& phases, const PhaseContext& context)
        : phases_(phases), context_(context), loads_(loadsOf(context)), ways_(1)
    {
    }

    PhaseJudgements judge()
    {
        Memory none;
        for (const EmulatorSettings::SharedVariable& one : phases_.front().shared)
            if (isJudged(one, *context_.element)) none.words.resize(none.words.size() + one.numbers.size());
        none.set.resize(none.words.size());
        before_ = std::move(none);
        std::size_t judged = 0;
        for (; judged < phases_.size(); ++judged) {
            after_ = memoryOf(phases_[judged].shared, *context_.element);
            if (!step(phases_[judged].shared)) break;
            before_ = std::move(after_);
        }
        return conclusion(judged);
    }

private:
    void add(const Way& from, PhaseJudgement judgement, Places places, const SchemeStage& stage, const More& more = {})
    {
        Way way{std::make_shared<const Node>(Node{from.node, std::move(judgement)}),
                std::move(places),
                stage,
                from.steps + more.steps,
                from.deviations + more.deviations,
                from.inARow + more.inARow,
                from.places.empty()};
        const auto same =
            std::find_if(next_.begin(), next_.end(), [&](const Way& one) { return one.key() == way.key(); });
        if (same == next_.end())
            next_.push_back(std::move(way));
        else if (way.badness() < same->badness())
            *same = std::move(way);
    }

    // False if no way continues.
    bool step(const SharedMemory& shared)
    {
        next_.clear();
        changed_.clear();
        for (std::uint32_t i = 0; i < after_.words.size(); ++i)
            if (after_.differs(before_, i)) changed_.push_back(i);
        arrays_ = arraysIn(shared, after_, *context_.element);
        shared_ = &shared;
        for (const Way& way : ways_) {
            if (way.places.empty())
                begin(way);
            else
                goOn(way);
        }
        dropParts();
        const auto reads = [](const Way& one) { return !one.places.empty(); };
        const bool lost = std::none_of(next_.begin(), next_.end(), reads);
        // A way that has loaded is more certain than one that still waits for its load.
        if (!lost) std::erase_if(next_, [&](const Way& one) { return !reads(one); });
        if (lost && context_.resultWrong) {
            deviate();
            dropParts();
        }
        if (next_.empty()) return false;
        std::stable_sort(next_.begin(), next_.end(),
                         [](const Way& a, const Way& b) { return a.badness() < b.badness(); });
        if (next_.size() > mostWays) next_.resize(mostWays);
        ways_ = std::move(next_);
        return true;
    }

    Values at(const Memory& memory, const Places& places) const
    {
        Values values;
        for (const std::uint32_t place : places) values.push_back(memory.words[place]);
        return values;
    }

    bool holds(const Places& places, std::uint64_t apart, const Values& values) const
    {
        for (std::uint64_t i = 0; i < values.size(); ++i) {
            const std::uint32_t place = places[i * apart];
            if (!after_.set[place] || after_.words[place] != values[i]) return false;
        }
        return true;
    }

    // The load, padded with zeros to the array's length; empty if it does not fit.
    static Values filledUp(const Load& load, std::size_t count)
    {
        Values values = load.values;
        if (values.size() > count || (values.size() == 1 && count != 1)) return {};
        values.resize(count);
        return values;
    }

    void begin(const Way& way)
    {
        for (const Places& places : arrays_) {
            if (!isAllWritten(places)) continue;
            for (const Load& load : loads_) {
                const Values values = filledUp(load, places.size());
                if (!values.empty() && holds(places, 1, values))
                    add(way, {StepVerdict::ok, load.what, {}, {}, 0}, places, {});
            }
        }
        PhaseJudgement nothing;
        if (!changed_.empty() &&
            std::all_of(changed_.begin(), changed_.end(), [&](std::uint32_t one) { return after_.words[one] == 0; }))
            nothing = {StepVerdict::ok, "zeros to begin with", {}, {}, 0};
        add(way, nothing, {}, {});
    }

    // Drops ways that began with a part of what another one began with: the first half of an array looks like a shorter
    // one.
    void dropParts()
    {
        const auto begun = [](const Way& one) { return one.begun && !one.places.empty(); };
        std::vector<Places> all;
        for (const Way& one : next_)
            if (begun(one)) all.push_back(one.places);
        std::erase_if(next_, [&](const Way& one) {
            return begun(one) && std::any_of(all.begin(), all.end(), [&](const Places& other) {
                       return other.size() > one.places.size() &&
                              std::includes(other.begin(), other.end(), one.places.begin(), one.places.end());
                   });
        });
    }

    // The array after a step: itself, or another one of the same length.
    std::vector<const Places*> targetsOf(const Places& own) const
    {
        std::vector<const Places*> targets = {&own};
        for (const Places& one : arrays_)
            if (one.size() == own.size() && one != own) targets.push_back(&one);
        return targets;
    }

    void goOn(const Way& way)
    {
        const Values data = at(before_, way.places);
        const auto touched = [&](std::uint32_t one) { return after_.differs(before_, one); };
        if (changed_.empty())
            add(way, {StepVerdict::ok, "nothing changes", {}, {}, 0}, way.places, way.stage);
        else if (std::none_of(way.places.begin(), way.places.end(), touched))
            add(way, {}, way.places, way.stage);
        follow(way, way.stage, data, {});
    }

    // All possible results of one step, or of several in a row.
    void follow(const Way& way, const SchemeStage& stage, const Values& data, const std::vector<std::string>& done)
    {
        for (Move& move : movesFrom(stage, data)) {
            std::vector<std::string> steps = done;
            steps.push_back(move.what);
            const Values next = spread(data, move);
            const bool changes = !changed_.empty();
            for (const Places* target : targetsOf(way.places))
                if (holds(*target, move.apart, move.values) && (changes || next == data))
                    add(way, {StepVerdict::ok, inARowText(steps), {}, {}, 0, figureOf(move.next.scheme)}, *target,
                        move.next, {changes ? 1U : 0U, 0, steps.size() - 1});
            follow(way, move.next, next, steps);
        }
    }

    static Values spread(Values data, const Move& move)
    {
        for (std::uint64_t i = 0; i < move.values.size(); ++i) data[i * move.apart] = move.values[i];
        return data;
    }

    // For a phase that is no step that was due: tries steps that come near, or those of another stride.
    void deviate()
    {
        for (const Way& way : ways_) {
            if (way.places.empty()) {
                beginNearly(way);
                continue;
            }
            const Values data = at(before_, way.places);
            near_.clear();
            comeNear(way, way.stage, data, {});
            std::stable_sort(near_.begin(), near_.end(),
                             [](const Near& a, const Near& b) { return a.badness() < b.badness(); });
            for (const Near& one : near_)
                if (one.isNear) add(way, one.judgement, way.places, one.next, {one.isKnown() ? 1U : 0U, 1, 0});
            if (changed_.empty()) continue;
            for (Move& move : otherStrides(way.stage, data)) {
                if (spread(data, move) == data || !holds(way.places, move.apart, move.values)) continue;
                const PhaseJudgement* due = dueInsteadOf(move);
                if (due) add(way, *due, way.places, move.next, {1, 1, 0});
            }
        }
    }

    // A step that was due, or several in a row, and how near the phase comes to it.
    struct Near {
        PhaseJudgement judgement;
        SchemeStage next;
        std::uint64_t steps = 1;
        std::uint64_t must = 0, right = 0;  // numbers that it changes; and those that came out right
        bool isNear = false;                // it changes most of what the step must change

        bool isKnown() const { return right > 1 && 2 * right >= must; }
        std::tuple<double, std::uint64_t, std::uint64_t> badness() const
        {
            const double wrong = must == 0 ? 1 : 1 - static_cast<double>(right) / static_cast<double>(must);
            return {wrong, steps, judgement.wrongCount};
        }
    };

    void comeNear(const Way& way, const SchemeStage& stage, const Values& data, const std::vector<std::string>& done)
    {
        const Values first = at(before_, way.places);
        for (Move& move : movesFrom(stage, data)) {
            std::vector<std::string> steps = done;
            steps.push_back(move.what);
            Near near;
            near.judgement = wrongOf(way.places, move.apart, move.values);
            near.judgement.what = inARowText(steps);
            near.judgement.figure = figureOf(move.next.scheme);
            near.next = move.next;
            near.steps = steps.size();
            const Values next = spread(data, move);
            std::uint64_t both = 0, any = 0;
            for (std::size_t i = 0; i < way.places.size(); ++i) {
                const std::uint32_t place = way.places[i];
                const bool must = next[i] != first[i], does = after_.differs(before_, place);
                near.must += must;
                near.right += must && after_.set[place] && after_.words[place] == next[i];
                both += must && does;
                any += must || does;
            }
            near.isNear = both > 0 && 2 * both >= any && near.judgement.wrongCount > 0;
            comeNear(way, move.next, next, steps);
            near_.push_back(std::move(near));
        }
    }

    // The scheme's next step, if the phase takes another one of the scheme.
    const PhaseJudgement* dueInsteadOf(const Move& move) const
    {
        const PhaseJudgement* due = nullptr;
        for (const Near& one : near_) {
            if (one.steps > 1) continue;
            if (one.next.scheme == move.next.scheme) return &one.judgement;
            if (!due) due = &one.judgement;
        }
        return due;
    }

    // The nearest load, if at least half of its numbers that are not zero are right.
    void beginNearly(const Way& way)
    {
        for (const Places& places : arrays_) {
            if (!isAllWritten(places)) continue;
            std::optional<PhaseJudgement> nearest;
            for (const Load& load : loads_) {
                const Values values = filledUp(load, places.size());
                std::uint64_t right = 0, all = 0;
                for (std::size_t i = 0; i < values.size(); ++i) {
                    all += values[i] != 0;
                    right += values[i] != 0 && after_.set[places[i]] && after_.words[places[i]] == values[i];
                }
                if (right < 2 || 2 * right < all) continue;
                PhaseJudgement judgement = wrongOf(places, 1, values);
                judgement.what = load.what;
                if (!nearest || judgement.wrongCount < nearest->wrongCount) nearest = std::move(judgement);
            }
            if (nearest) add(way, std::move(*nearest), places, {}, {0, 1, 0});
        }
    }

    // The shared variable, and the index of the number in it.
    std::pair<std::size_t, std::uint64_t> numberAt(std::uint32_t place) const
    {
        std::uint64_t index = place;
        for (std::size_t variable = 0;; ++variable) {
            const EmulatorSettings::SharedVariable& one = shared_->at(variable);
            if (!isJudged(one, *context_.element)) continue;
            if (index < one.numbers.size()) return {variable, index};
            index -= one.numbers.size();
        }
    }

    // Whether all that the phase has written to the array's variable may be the array, except for gaps.
    bool isAllWritten(const Places& places) const
    {
        const std::size_t variable = numberAt(places.front()).first;
        std::uint64_t inside = 0, all = 0;
        for (const std::uint32_t place : changed_) all += numberAt(place).first == variable;
        for (const std::uint32_t place : places) inside += after_.differs(before_, place);
        return inside > 0 && (all - inside) * 16 <= places.size();
    }

    PhaseJudgement wrongOf(const Places& places, std::uint64_t apart, const Values& values) const
    {
        PhaseJudgement judgement;
        judgement.verdict = StepVerdict::wrong;
        for (std::uint64_t i = 0; i < values.size(); ++i) {
            const std::uint32_t place = places[i * apart];
            if (after_.set[place] && after_.words[place] == values[i]) continue;
            const auto [variable, index] = numberAt(place);
            judgement.expected.push_back({variable, index, values[i]});
            if (judgement.wrongCount++ == 0)
                judgement.firstWrong = {(*shared_)[variable].name, index, values[i], after_.words[place],
                                        !after_.set[place]};
        }
        return judgement;
    }

    static std::vector<PhaseJudgement> pathOf(const Way& way)
    {
        std::vector<PhaseJudgement> path;
        for (const Node* node = way.node.get(); node; node = node->before.get()) path.push_back(node->judgement);
        std::reverse(path.begin(), path.end());
        return path;
    }

    static std::optional<std::size_t> firstWrong(const std::vector<PhaseJudgement>& path)
    {
        for (std::size_t i = 0; i < path.size(); ++i)
            if (path[i].verdict == StepVerdict::wrong) return i;
        return {};
    }

    PhaseJudgements conclusion(std::size_t judged)
    {
        PhaseJudgements found;
        const auto best = std::min_element(ways_.begin(), ways_.end(),
                                           [](const Way& a, const Way& b) { return a.badness() < b.badness(); });
        found.phases = pathOf(*best);
        found.phases.resize(phases_.size());
        const std::optional<std::size_t> wrong = firstWrong(found.phases);
        // If an equally good way puts the fault elsewhere, or the best one hardly follows a scheme, no phase is wrong.
        bool certain = context_.resultWrong && best->steps > 0;
        for (const Way& way : ways_)
            if (std::pair(way.deviations, way.steps) == std::pair(best->deviations, best->steps))
                certain = certain && firstWrong(pathOf(way)) == wrong;
        if (wrong && !certain)
            for (PhaseJudgement& one : found.phases)
                if (one.verdict == StepVerdict::wrong) one = {};
        if (context_.resultWrong && !wrong && judged == phases_.size() && best->steps > 0)
            found.remark = isDone(best->stage, best->places.size(), context_.scans)
                               ? "its shared memory is right to the end: look at what is stored from there to buffers"
                               : "after its last phase " + leftText(best->stage, best->places.size());
        return found;
    }

    const std::vector<EmulatorSettings::SeenPhase>& phases_;
    const PhaseContext& context_;
    const std::vector<Load> loads_;
    std::vector<Way> ways_, next_;
    Memory before_, after_;
    std::vector<std::uint32_t> changed_;
    std::vector<Places> arrays_;
    std::vector<Near> near_;
    const SharedMemory* shared_ = nullptr;
};

}  // namespace

PhaseJudgements judgePhases(const std::vector<EmulatorSettings::SeenPhase>& phases, const PhaseContext& context)
{
    return phases.empty() ? PhaseJudgements() : PhaseReader(phases, context).judge();
}

std::string wrongNumberText(const PhaseJudgement& judgement, const ElementType& element)
{
    const WrongNumber& wrong = *judgement.firstWrong;
    const std::string is = wrong.neverSet ? "was never set" : fmt::format("is {}", element.text(wrong.got));
    return fmt::format("number {} of '{}' should be {}, {} ({} wrong in all)", wrong.index, wrong.variable,
                       element.text(wrong.expected), is, judgement.wrongCount);
}

}  // namespace a2
