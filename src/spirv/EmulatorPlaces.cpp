#include "spirv/EmulatorPlaces.h"

#include <algorithm>

namespace a2::emulator {

namespace {

// The instruction before the one to which the invocation's function returns.
std::uint32_t callOf(const Code& code, std::uint32_t function, const Cell* cells)
{
    return static_cast<std::uint32_t>(cells[code.functions[function].returnCell]) - 1;
}

}  // namespace

std::vector<std::uint32_t> wayOf(const Code& code, std::uint32_t at, const std::uint32_t* turns, const Cell* cells)
{
    std::vector<std::uint32_t> way;  // in reverse order
    while (true) {
        way.push_back(at);
        for (std::uint32_t loop = code.loopOf[at]; loop != none; loop = code.loops[loop].outer) {
            way.push_back(turns[loop]);
            way.push_back(code.loops[loop].begin);
        }
        const std::uint32_t function = code.functionOf[at];
        if (function == 0) break;
        at = callOf(code, function, cells);
    }
    std::reverse(way.begin(), way.end());
    return way;
}

bool areTogether(const WalkState& state, const Group& group, std::uint32_t a, std::uint32_t b)
{
    const Code& code = state.code;
    std::uint32_t atA = group.invocations[a].at, atB = group.invocations[b].at;
    while (true) {
        if (atA != atB) return false;
        for (std::uint32_t loop = code.loopOf[atA]; loop != none; loop = code.loops[loop].outer)
            if (state.turnsOf(group, a, loop) != state.turnsOf(group, b, loop)) return false;
        const std::uint32_t function = code.functionOf[atA];
        if (function == 0) return true;
        atA = callOf(code, function, state.cellsOf(group, a));
        atB = callOf(code, function, state.cellsOf(group, b));
    }
}

bool isEarlier(const WalkState& state, const Group& group, std::uint32_t a, std::uint32_t b)
{
    const auto way = [&](std::uint32_t one) {
        return wayOf(state.code, group.invocations[one].at, group.turns.data() + one * state.code.loops.size(),
                     state.cellsOf(group, one));
    };
    return way(a) < way(b);
}

std::vector<std::uint32_t> loopsRound(const WalkState& state, const Group& group, std::uint32_t invocation)
{
    const Code& code = state.code;
    std::vector<std::uint32_t> all;
    std::uint32_t at = group.invocations[invocation].at;
    while (true) {
        for (std::uint32_t loop = code.loopOf[at]; loop != none; loop = code.loops[loop].outer) all.push_back(loop);
        const std::uint32_t function = code.functionOf[at];
        if (function == 0) return all;
        at = callOf(code, function, state.cellsOf(group, invocation));
    }
}

}  // namespace a2::emulator
