#include "spirv/EmulatorTrace.h"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace a2::emulator {

namespace {

bool isWithin(std::uint16_t opcode, spv::Op first, spv::Op last) { return opcode >= first && opcode <= last; }

// Whether it makes one number of each two numbers a[i] and b[i].
bool joinsTwo(std::uint16_t opcode)
{
    return isWithin(opcode, spv::OpIAdd, spv::OpFMod) || isWithin(opcode, spv::OpShiftRightLogical, spv::OpBitwiseAnd);
}

bool passesOne(std::uint16_t opcode)
{
    return opcode == op::copy || opcode == spv::OpNot || isWithin(opcode, spv::OpSNegate, spv::OpFNegate) ||
           isWithin(opcode, spv::OpConvertFToU, spv::OpFConvert);
}

constexpr std::uint32_t mostLevels = 3;

bool isAtomic(const TracedAccess& one) { return one.reads && one.writes; }

void setLevels(std::vector<TracedAccess>& accesses)
{
    using Word = std::tuple<std::uint64_t, std::uint64_t, bool, std::uint32_t, std::uint64_t>;
    std::map<Word, const TracedAccess*> lastWrite;  // in a phase of a work-group
    for (TracedAccess& one : accesses) {
        const Word word(one.group, one.phase, one.shared, one.memory, one.index);
        const auto found = lastWrite.find(word);
        const TracedAccess* before = found == lastWrite.end() ? nullptr : found->second;
        for (const std::uint32_t read : one.from)
            if (accesses[read].phase == one.phase) one.level = std::max(one.level, accesses[read].level);
        // Atomics may come in any order.
        if (before) one.level = std::max(one.level, before->level + (one.reads && !isAtomic(*before) ? 1 : 0));
        one.level = std::min(one.level, mostLevels);
        if (one.writes) lastWrite[word] = &one;
    }
}

void setAfter(std::vector<TracedAccess>& accesses)
{
    using Invocation = std::pair<std::uint64_t, std::uint32_t>;
    std::map<Invocation, std::vector<std::uint32_t>> writes;
    for (std::uint32_t i = 0; i < accesses.size(); ++i) {
        TracedAccess& one = accesses[i];
        if (!one.writes) continue;
        std::vector<std::uint32_t>& earlier = writes[{one.group, one.invocation}];
        for (const std::uint32_t other : earlier) {
            const std::vector<std::uint32_t>& from = accesses[other].from;
            const bool kept = !from.empty() && accesses[other].phase < one.phase &&
                              std::includes(one.from.begin(), one.from.end(), from.begin(), from.end());
            if (kept && (!one.after || from.size() >= accesses[*one.after].from.size())) one.after = other;
        }
        earlier.push_back(i);
    }
}

}  // namespace

Tracer::Tracer(const Code& code, std::function<KernelLine(std::uint32_t)> lineOf)
    : code_(code), lineOf_(std::move(lineOf)), sets_(1)
{
}

Origin Tracer::setOf(std::vector<std::uint32_t> reads)
{
    const auto [found, isNew] = originOf_.try_emplace(std::move(reads), static_cast<Origin>(sets_.size()));
    if (isNew) sets_.push_back(found->first);
    return found->second;
}

Origin Tracer::joined(Origin a, Origin b)
{
    if (a == b || b == 0) return a;
    if (a == 0) return b;
    const auto [found, isNew] = joined_.try_emplace(std::minmax(a, b), Origin{0});
    if (isNew) {
        std::vector<std::uint32_t> both;
        std::set_union(sets_[a].begin(), sets_[a].end(), sets_[b].begin(), sets_[b].end(), std::back_inserter(both));
        found->second = setOf(std::move(both));
    }
    return found->second;
}

void Tracer::follow(const Instruction& one, const Cell* cells, Origin* origins)
{
    const auto cellwise = [&](auto&& origin) {
        for (std::uint32_t i = 0; i < one.count; ++i) origins[one.result + i] = origin(i);
    };
    if (passesOne(one.op)) return cellwise([&](std::uint32_t i) { return origins[one.a + i]; });
    if (joinsTwo(one.op))
        return cellwise([&](std::uint32_t i) { return joined(origins[one.a + i], origins[one.b + i]); });
    switch (one.op) {
        case op::gather:
            return cellwise([&](std::uint32_t i) { return origins[code_.lists[one.a + i]]; });
        case spv::OpSelect:
            return cellwise([&](std::uint32_t i) {
                return origins[(cells[one.c + (one.flags != 0 ? i : 0)] != 0 ? one.a : one.b) + i];
            });
        case op::extractAt:
            if (cells[one.b] < one.count) origins[one.result] = origins[one.a + cells[one.b]];
            return;
        case op::insertAt:
            cellwise([&](std::uint32_t i) { return origins[one.a + i]; });
            if (cells[one.c] < one.count) origins[one.result + cells[one.c]] = origins[one.b];
            return;
        case op::enter:
            for (const auto& [first, count] : code_.functions[one.a].variables) std::fill_n(origins + first, count, 0);
            return;
        case op::leave:
            for (std::uint32_t i = 0; i < one.count; ++i)
                origins[code_.functions[one.a].returned + i] = origins[one.b + i];
            return;
        default:
            return;
    }
}

void Tracer::follow(const Edge& edge, Origin* origins)
{
    const Move* first = code_.moves.data() + edge.firstMove;
    moved_.clear();
    for (const Move* move = first; move != first + edge.moves; ++move)
        moved_.insert(moved_.end(), origins + move->from, origins + move->from + move->count);
    auto next = moved_.begin();
    for (const Move* move = first; move != first + edge.moves; ++move)
        for (std::uint32_t i = 0; i < move->count; ++i) origins[move->to + i] = *next++;
}

std::uint32_t Tracer::placeOf(std::uint32_t at)
{
    const auto [found, isNew] = lines_.try_emplace(at, std::uint32_t{0});
    if (isNew) {
        KernelLine line = lineOf_(at);
        const auto same = std::find(trace_.lines.begin(), trace_.lines.end(), line);
        found->second = static_cast<std::uint32_t>(same - trace_.lines.begin());
        if (same == trace_.lines.end()) trace_.lines.push_back(std::move(line));
    }
    return found->second;
}

Origin Tracer::add(TracedAccess access, std::uint32_t at, Origin from)
{
    if (trace_.accesses.size() >= mostTraced) {
        trace_.cut = true;
        return 0;
    }
    access.line = placeOf(at);
    access.from = sets_[from];
    const auto number = static_cast<std::uint32_t>(trace_.accesses.size());
    const bool reads = access.reads;
    trace_.accesses.push_back(std::move(access));
    return reads ? setOf({number}) : 0;
}

Trace Tracer::take()
{
    setLevels(trace_.accesses);
    setAfter(trace_.accesses);
    return std::move(trace_);
}

std::uint32_t Tracer::sharedPlace(std::uint32_t variable) const
{
    return static_cast<std::uint32_t>(std::count_if(code_.variables.begin(),
                                                    code_.variables.begin() + std::ptrdiff_t{variable},
                                                    [](const Variable& one) { return one.space == Space::shared; }));
}

}  // namespace a2::emulator
