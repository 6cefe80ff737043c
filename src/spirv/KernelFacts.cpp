#include "spirv/KernelFacts.h"

#include "spirv/KernelNeeds.h"
#include "spirv/SpirvBodies.h"
#include "spirv/SpirvDeclarations.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace a2 {

namespace {

using Declarations = SpirvDeclarations;

// Adds the numbers of a push constant block, including those of structs inside it.
void addPushMembers(const Declarations& module, std::uint32_t type, std::uint32_t offset, KernelFacts& facts)
{
    const Declarations::Struct* structure = module.structure(type);
    if (!structure) return;
    for (std::uint32_t i = 0; i < structure->members.size(); ++i) {
        const auto at = structure->offsets.find(i);
        const std::uint32_t start = offset + (at == structure->offsets.end() ? 0 : at->second);
        if (module.structure(structure->members[i])) {
            addPushMembers(module, structure->members[i], start, facts);
            continue;
        }
        const auto name = structure->names.find(i);
        facts.push.push_back({name == structure->names.end() ? std::string() : name->second, start});
        const std::uint64_t most = UINT32_MAX, bytes = module.size(structure->members[i]).value_or(4);
        const auto end = static_cast<std::uint32_t>(std::min(most, start + std::min(most, bytes)));
        facts.pushBytes = std::max(facts.pushBytes, end);
    }
}

KernelBinding bindingOf(const Declarations& module, const Declarations::Variable& variable, const SpirvUse& use)
{
    KernelBinding binding;
    binding.set = module.decoration(variable.id, spv::DecorationDescriptorSet).value_or(0);
    binding.binding = module.decoration(variable.id, spv::DecorationBinding).value_or(0);
    binding.name = module.name(variable.type);
    // Before SPIR-V 1.3 storage buffers had the storage class of uniform buffers, and another decoration.
    binding.uniform = variable.storage == spv::StorageClassUniform &&
                      !module.decoration(variable.type, spv::DecorationBufferBlock).has_value();
    // `readonly` and `writeonly` are at the block's members, or at the variable itself.
    const Declarations::Struct* block = module.structure(variable.type);
    const auto all = [&](spv::Decoration what, const std::set<std::uint32_t>& members) {
        return module.decoration(variable.id, what).has_value() ||
               (!block->members.empty() && members.size() == block->members.size());
    };
    binding.reads = use.loads && !(block && all(spv::DecorationNonReadable, block->nonReadable));
    binding.writes = use.stores && !(block && all(spv::DecorationNonWritable, block->nonWritable));
    return binding;
}

void addVariable(const Declarations& module, const SpirvBodies& bodies, const Declarations::Variable& variable,
                 KernelFacts& facts)
{
    switch (variable.storage) {
        case spv::StorageClassWorkgroup:
            facts.sharedBytes = bytesOfBoth(facts.sharedBytes, module.size(variable.type));
            break;
        case spv::StorageClassPrivate:
            facts.ownBytes = bytesOfBoth(facts.ownBytes, module.size(variable.type));
            break;
        case spv::StorageClassPushConstant:
            addPushMembers(module, variable.type, 0, facts);
            break;
        case spv::StorageClassStorageBuffer:
        case spv::StorageClassUniform:
            facts.bindings.push_back(bindingOf(module, variable, bodies.use(variable.id)));
            break;
        default:
            break;
    }
}

// Whether a variable is in no buffer.
bool isOwn(std::uint32_t storage)
{
    return storage == spv::StorageClassWorkgroup || storage == spv::StorageClassPrivate ||
           storage == spv::StorageClassFunction;
}

// A kernel may declare one binding as several blocks, such as uint[] and uvec4[]: together they are one buffer, which
// gets the shortest name.
void joinViews(std::vector<KernelBinding>& bindings)
{
    std::vector<KernelBinding> joined;
    for (const KernelBinding& one : bindings) {
        if (joined.empty() || joined.back().set != one.set || joined.back().binding != one.binding) {
            joined.push_back(one);
        } else {
            joined.back().reads = joined.back().reads || one.reads;
            joined.back().writes = joined.back().writes || one.writes;
        }
    }
    bindings = std::move(joined);
}

}  // namespace

std::string localSizeText(const KernelFacts& facts)
{
    const auto& size = facts.localSize;
    if (size[1] == 1 && size[2] == 1) return fmt::format("local_size_x = {}", size[0]);
    return fmt::format("local_size {} x {} x {}", size[0], size[1], size[2]);
}

KernelFacts kernelFacts(const SpirvModule& spirv, const Specialisation& given)
{
    Declarations module(given);
    std::optional<SpirvBodies> bodies;  // from the first function on
    std::optional<std::uint64_t> inFunctions = 0;
    std::uint64_t largest = 0;
    bool asksForLengths = false;
    std::optional<std::string> empty;
    forEachInstruction(spirv, [&](spv::Op opcode, SpirvWords words) {
        if (opcode == spv::OpFunction && !bodies) bodies.emplace(module.variables());
        if (bodies)
            bodies->read(opcode, words);
        else
            module.read(opcode, words);
        asksForLengths = asksForLengths || opcode == spv::OpArrayLength;
        const std::uint32_t type = resultOf(words).type;
        if (opcode == spv::OpVariable && !empty && isOwn(words[3]) && module.size(module.pointee(type)) == 0)
            empty = module.name(words[2]);
        if (opcode == spv::OpVariable && bodies)
            inFunctions = bytesOfBoth(inFunctions, module.size(module.pointee(type)));
        else if (type != 0)
            largest = std::max(largest, module.size(type).value_or(0));
    });
    KernelFacts facts;
    facts.sharedBytes = 0;
    facts.ownBytes = bytesOfBoth(inFunctions, largest);
    facts.localSize = module.localSize();
    facts.needs = kernelNeeds(spirv);
    facts.asksForLengths = asksForLengths;
    facts.empty = std::move(empty);
    for (const auto& variable : module.variables()) addVariable(module, *bodies, variable, facts);
    std::sort(facts.push.begin(), facts.push.end(),
              [](const PushMember& a, const PushMember& b) { return a.offset < b.offset; });
    std::sort(facts.bindings.begin(), facts.bindings.end(), [](const KernelBinding& a, const KernelBinding& b) {
        return std::tuple(a.set, a.binding, a.name.size()) < std::tuple(b.set, b.binding, b.name.size());
    });
    joinViews(facts.bindings);
    return facts;
}

}  // namespace a2
