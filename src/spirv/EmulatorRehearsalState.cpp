#include "spirv/EmulatorRehearsalState.h"

#include "spirv/EmulatorState.h"

#include <algorithm>

namespace a2::emulator {

RehearsalState::RehearsalState(const LoopQuestion& question, const std::vector<std::uint32_t>& members)
    : code(question.code),
      asked(question),
      loop(question.code.loops[question.loop]),
      frame(question.frame),
      together(!question.members.empty())
{
    const Group& group = question.group;
    for (const std::uint32_t one : members) {
        const auto first = std::ptrdiff_t{one} * std::ptrdiff_t{frame};
        cells.insert(cells.end(), group.cells.begin() + first, group.cells.begin() + first + frame);
        marks.insert(marks.end(), group.marks.begin() + first, group.marks.begin() + first + frame);
        const auto own = group.turns.begin() + std::ptrdiff_t{one} * std::ptrdiff_t(code.loops.size());
        turns.insert(turns.end(), own, own + std::ptrdiff_t(code.loops.size()));
    }
    made.behind = static_cast<std::uint32_t>(cells.size());
    made.outside = made.behind;
    scratch = made.behind + 1;
    std::size_t moved = 2;
    for (const Edge& edge : code.edges) {
        std::size_t all = 0;
        for (std::uint32_t i = edge.firstMove; i < edge.firstMove + edge.moves; ++i) all += code.moves[i].count;
        moved = std::max(moved, all);
    }
    cells.resize(cells.size() + 1 + moved);  // made.outside, and those of scratch
    made.firstWord = static_cast<std::uint32_t>(cells.size());
    made.names.resize(1 + moved);
    made.before.resize(1 + moved);
}

}  // namespace a2::emulator
