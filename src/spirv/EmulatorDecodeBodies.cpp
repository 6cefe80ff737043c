#include "spirv/EmulatorDecodeBodies.h"

#include "spirv/SpirvGrammar.h"

#include <algorithm>
#include <utility>

namespace a2::emulator {

namespace {

// Notes every id that an instruction has besides its result. Literals are noted as ids, too: an id that only seems to
// be used does no harm, because such an atomic is just never late.
void noteUsed(Bodies& all, SpirvWords words)
{
    const std::uint32_t made = resultOf(words).id;
    for (std::size_t i = 1; i < words.size(); ++i)
        if (words[i] != made) all.used.insert(words[i]);
}

void inBody(Bodies& all, Body& body, spv::Op opcode, SpirvWords words, const Place& place)
{
    noteUsed(all, words);
    if (opcode == spv::OpFunctionParameter) {
        body.parameters.push_back(words[2]);
        all.parameterTypes[words[2]] = words[1];
    } else if (opcode == spv::OpLabel) {
        body.byLabel[words[1]] = body.blocks.size();
        body.blocks.push_back({words[1], body.code.size(), body.code.size(), 0, 0, none, none, {}});
    } else if (!body.blocks.empty()) {
        body.code.push_back({words, place});
        Block& block = body.blocks.back();
        block.end = body.code.size();
        if (opcode == spv::OpLoopMerge || opcode == spv::OpSelectionMerge) block.merge = words[1];
        if (opcode == spv::OpLoopMerge) block.next = words[2];
    }
}

}  // namespace

Bodies readBodies(const SpirvModule& module, Declarations& declarations)
{
    Bodies bodies;
    Body* body = nullptr;
    Place place, first;  // first: that of the function
    forEachInstruction(module, [&](spv::Op opcode, SpirvWords words) {
        if (opcode == spv::OpFunction) place = first = {};
        if (opcode == spv::OpLine && words.size() > 2) {
            // glslang gives the place of a type's declaration in the middle of the statement that first uses it. A line
            // also holds beyond the end of a block, because not all blocks have lines.
            const Place here = {words[1], words[2]};
            if (body && first.line == 0) first = here;
            if (!body || (here.file == first.file && here.line >= first.line)) place = here;
        }
        if (opcode == spv::OpLine || opcode == spv::OpNoLine) return;
        if (opcode == spv::OpFunction) {
            body = &bodies.functions[words[2]];
            body->id = words[2];
            body->returned = words[1];
            declarations.meaning(words[2]).kind = Meaning::Kind::function;
        } else if (opcode == spv::OpFunctionEnd) {
            body = nullptr;
        } else if (body) {
            inBody(bodies, *body, opcode, words, place);
        } else {
            declarations.read(opcode, words);
        }
    });
    return bodies;
}

bool doesSomething(spv::Op opcode)
{
    switch (opcode) {
        case spv::OpNop:
        case spv::OpVariable:
        case spv::OpPhi:
        case spv::OpLoopMerge:
        case spv::OpSelectionMerge:
        case spv::OpBranch:
        case spv::OpUndef:
        case spv::OpReturn:
        case spv::OpUnreachable:
            return false;
        default:
            return true;
    }
}

std::vector<std::size_t> structuredOrder(const Body& body)
{
    struct Open {
        std::size_t block;
        std::vector<std::uint32_t> next;
    };
    std::vector<bool> seen(body.blocks.size());
    std::vector<std::size_t> order;
    std::vector<Open> way;
    const auto open = [&](std::size_t at) {
        seen[at] = true;
        const Block& block = body.blocks[at];
        std::vector<std::uint32_t> next;
        if (block.first < block.end) {
            const SpirvWords last = body.code[block.end - 1].words;
            if (last.opcode() == spv::OpBranch) next = {last[1]};
            if (last.opcode() == spv::OpBranchConditional) next = {last[3], last[2]};
            if (last.opcode() == spv::OpSwitch)
                for (std::size_t i = last.size(); i-- > 2;)
                    if (body.byLabel.count(last[i])) next.push_back(last[i]);
        }
        std::reverse(next.begin(), next.end());  // it is taken from the back
        if (block.next != 0) next.push_back(block.next);
        if (block.merge != 0) next.push_back(block.merge);
        way.push_back({at, std::move(next)});
    };
    open(0);
    while (!way.empty()) {
        Open& top = way.back();
        if (top.next.empty()) {
            order.push_back(top.block);
            way.pop_back();
            continue;
        }
        const std::uint32_t label = top.next.back();
        top.next.pop_back();
        const auto found = body.byLabel.find(label);
        if (found != body.byLabel.end() && !seen[found->second]) open(found->second);
    }
    std::reverse(order.begin(), order.end());
    return order;
}

std::unordered_set<std::uint32_t> turnsOf(const Body& body)
{
    std::unordered_set<std::uint32_t> all;
    for (const Block& header : body.blocks) {
        const auto next = body.byLabel.find(header.next);
        if (header.next == 0 || next == body.byLabel.end()) continue;
        const Block& goesOn = body.blocks[next->second];
        bool acts = false;
        for (std::size_t i = goesOn.first; i < goesOn.end; ++i)
            acts = acts || doesSomething(body.code[i].words.opcode());
        const SpirvWords last = body.code[header.end - 1].words;
        if (acts)
            all.insert(header.next);
        else if (last.opcode() == spv::OpBranch)
            all.insert(last[1]);
    }
    return all;
}

}  // namespace a2::emulator
