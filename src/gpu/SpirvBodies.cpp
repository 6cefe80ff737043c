#include "gpu/SpirvBodies.h"

#include <algorithm>

namespace a2 {

SpirvBodies::SpirvBodies(const std::vector<SpirvDeclarations::Variable>& variables)
{
    for (const auto& variable : variables) roots_[variable.id] = variable.id;
}

void SpirvBodies::read(spv::Op opcode, SpirvWords words)
{
    switch (opcode) {
        case spv::OpFunction:
            function_ = words[2];
            functions_[function_];
            break;
        case spv::OpLabel:
            label_ = words[1];
            if (functions_[function_].entry == 0) functions_[function_].entry = label_;
            block();
            break;
        case spv::OpControlBarrier:
            block().events.push_back({What::barrier, 0});
            functions_[function_].hasBarrier = true;
            break;
        case spv::OpFunctionCall:
            call(words);
            break;
        default:
            readControlFlow(opcode, words);
            readAccess(opcode, words);
    }
}

void SpirvBodies::readControlFlow(spv::Op opcode, SpirvWords words)
{
    switch (opcode) {
        case spv::OpBranch:
            block().next = {words[1]};
            break;
        case spv::OpBranchConditional:
            block().next = {words[2], words[3]};
            break;
        case spv::OpSwitch:
            block().next = {words[2]};
            for (std::size_t i = 4; i < words.size(); i += 2) block().next.push_back(words[i]);
            break;
        case spv::OpReturn:
        case spv::OpReturnValue:
            block().returns = true;
            break;
        default:
            break;
    }
}

void SpirvBodies::readAccess(spv::Op opcode, SpirvWords words)
{
    switch (opcode) {
        case spv::OpAccessChain:
        case spv::OpInBoundsAccessChain:
        case spv::OpPtrAccessChain:
        case spv::OpCopyObject: {
            const auto root = roots_.find(words[3]);
            if (root != roots_.end()) roots_[words[2]] = root->second;
            break;
        }
        case spv::OpLoad:
            note(words[3], What::load);
            break;
        case spv::OpStore:
            note(words[1], What::store);
            break;
        case spv::OpCopyMemory:
            note(words[1], What::store);
            note(words[2], What::load);
            break;
        case spv::OpAtomicStore:
            note(words[1], What::atomic);
            break;
        default:
            if (opcode >= spv::OpAtomicLoad && opcode <= spv::OpAtomicXor) note(words[3], What::atomic);
    }
}

void SpirvBodies::note(std::uint32_t pointer, What what)
{
    const auto root = roots_.find(pointer);
    if (root == roots_.end()) return;  // a local variable
    SpirvUse& use = uses_[root->second];
    use.loads = use.loads || what != What::store;
    use.stores = use.stores || what != What::load;
    block().events.push_back({what, root->second});
}

// words: length and opcode, type, id, function, arguments. Pointers that are passed on may be used in any way there.
void SpirvBodies::call(SpirvWords words)
{
    for (const std::uint32_t argument : words.subspan(4)) {
        note(argument, What::load);
        note(argument, What::store);
    }
    // Helper functions come before or after their callers, so whether this one waits is known only at the end: the
    // event names the function, and reachedWithoutBarrier() looks it up.
    block().events.push_back({What::barrier, words[3]});
}

SpirvUse SpirvBodies::use(std::uint32_t variable) const
{
    const auto found = uses_.find(variable);
    return found == uses_.end() ? SpirvUse() : found->second;
}

bool SpirvBodies::alwaysReached(const Function& function, std::uint32_t label) const
{
    if (label == function.entry) return true;
    std::set<std::uint32_t> seen;
    std::vector<std::uint32_t> open = {function.entry};
    while (!open.empty()) {
        const std::uint32_t at = open.back();
        open.pop_back();
        if (at == label || !seen.insert(at).second) continue;
        const Block& block = function.blocks.at(at);
        if (block.returns) return false;  // an invocation can leave without having come by
        open.insert(open.end(), block.next.begin(), block.next.end());
    }
    return true;
}

bool SpirvBodies::reachedWithoutBarrier(const Function& function, std::uint32_t label, std::size_t event) const
{
    const Event written = function.blocks.at(label).events[event];
    const auto waits = [&](const Event& one) {
        if (one.what != What::barrier) return false;
        const auto called = functions_.find(one.variable);
        return called == functions_.end() || called->second.hasBarrier;
    };
    const auto meets = [&](std::uint32_t at, const Event& one) {
        const bool sameKind = one.what == What::atomic && written.what == What::atomic;
        return at != label && one.variable == written.variable && one.what != What::store && !sameKind &&
               one.what != What::barrier && alwaysReached(function, at);
    };
    std::set<std::uint32_t> seen;
    std::vector<std::pair<std::uint32_t, std::size_t>> open = {{label, event + 1}};
    while (!open.empty()) {
        const auto [at, first] = open.back();
        open.pop_back();
        const Block& block = function.blocks.at(at);
        bool waited = false;
        for (std::size_t i = first; i < block.events.size() && !waited; ++i) {
            if (meets(at, block.events[i])) return true;
            waited = waits(block.events[i]);
        }
        if (waited) continue;
        for (const std::uint32_t next : block.next)
            if (seen.insert(next).second) open.emplace_back(next, 0);
    }
    return false;
}

bool SpirvBodies::usedUnsynchronised(std::uint32_t variable) const
{
    for (const auto& [id, function] : functions_)
        for (const auto& [label, block] : function.blocks) {
            if (alwaysReached(function, label)) continue;
            for (std::size_t i = 0; i < block.events.size(); ++i)
                if (block.events[i].variable == variable && block.events[i].what == What::store &&
                    reachedWithoutBarrier(function, label, i))
                    return true;
        }
    return false;
}

}  // namespace a2
