#include "spirv/KernelNeeds.h"

#include "spirv/EmulatorCode.h"

#include <fmt/format.h>

#include <unordered_map>

namespace a2 {

namespace {

// Null: none.
const char* featureOf(std::uint32_t capability)
{
    switch (capability) {
        case spv::CapabilityFloat16:
            return "shaderFloat16";
        case spv::CapabilityFloat64:
            return "shaderFloat64";
        case spv::CapabilityInt8:
            return "shaderInt8";
        case spv::CapabilityInt16:
            return "shaderInt16";
        case spv::CapabilityInt64:
            return "shaderInt64";
        case spv::CapabilityStorageBuffer16BitAccess:
            return "storageBuffer16BitAccess";
        case spv::CapabilityUniformAndStorageBuffer16BitAccess:
            return "uniformAndStorageBuffer16BitAccess";
        case spv::CapabilityStoragePushConstant16:
            return "storagePushConstant16";
        case spv::CapabilityStorageBuffer8BitAccess:
            return "storageBuffer8BitAccess";
        case spv::CapabilityUniformAndStorageBuffer8BitAccess:
            return "uniformAndStorageBuffer8BitAccess";
        case spv::CapabilityStoragePushConstant8:
            return "storagePushConstant8";
        case spv::CapabilityVulkanMemoryModel:
            return "vulkanMemoryModel";
        case spv::CapabilityVulkanMemoryModelDeviceScope:
            return "vulkanMemoryModelDeviceScope";
        case spv::CapabilityGroupNonUniformVote:
            return "subgroup vote";
        case spv::CapabilityGroupNonUniformArithmetic:
            return "subgroup arithmetic";
        case spv::CapabilityGroupNonUniformBallot:
            return "subgroup ballot";
        case spv::CapabilityGroupNonUniformShuffle:
            return "subgroup shuffle";
        case spv::CapabilityGroupNonUniformShuffleRelative:
            return "relative subgroup shuffle";
        case spv::CapabilityGroupNonUniformClustered:
            return "clustered subgroup operations";
        case spv::CapabilityGroupNonUniformQuad:
            return "subgroup quad operations";
        case spv::CapabilityGroupNonUniformPartitionedNV:
            return "partitioned subgroup operations";
        case spv::CapabilityGroupNonUniformRotateKHR:
            return "shaderSubgroupRotate";
        case spv::CapabilitySubgroupBallotKHR:
            return "VK_EXT_shader_subgroup_ballot";
        case spv::CapabilitySubgroupVoteKHR:
            return "VK_EXT_shader_subgroup_vote";
        case spv::CapabilityDotProduct:
        case spv::CapabilityDotProductInputAll:
        case spv::CapabilityDotProductInput4x8Bit:
        case spv::CapabilityDotProductInput4x8BitPacked:
            return "shaderIntegerDotProduct";
        default:
            return nullptr;
    }
}

class Needs {
public:
    explicit Needs(const SpirvModule& spirv) : kinds_(spirv.idBound()) {}

    void read(spv::Op opcode, SpirvWords words)
    {
        switch (opcode) {
            case spv::OpCapability:
                if (const char* const feature = featureOf(words[1])) all_.insert(feature);
                return;
            case spv::OpExtension:
                extension(textOf(words));
                return;
            case spv::OpTypeInt:
            case spv::OpTypeFloat:
                kinds_[words[1]] = {opcode == spv::OpTypeFloat, words[2], 0};
                return;
            case spv::OpTypeVector:
                kinds_[words[1]] = kinds_[words[2]];
                return;
            case spv::OpTypePointer:
                kinds_[words[1]] = kinds_[words[3]];
                kinds_[words[1]].storage = words[2];
                return;
            case spv::OpConstant:
                values_[words[2]] = words[3];
                break;
            case spv::OpReadClockKHR: {
                const auto scope = values_.find(words[3]);
                const bool subgroup = scope == values_.end() || scope->second == spv::ScopeSubgroup;
                all_.insert(subgroup ? "shaderSubgroupClock" : "shaderDeviceClock");
                break;
            }
            default:
                break;
        }
        if (emulator::isAtomic(static_cast<std::uint16_t>(opcode)))
            atomic(opcode, kinds_[words[opcode == spv::OpAtomicStore ? 1 : 3]]);
        const SpirvResult made = resultOf(words);
        if (made.id == 0 || made.type == 0) return;
        kinds_[made.id] = kinds_[made.type];
        if (emulator::isSubgroupOperation(static_cast<std::uint16_t>(opcode))) extended(kinds_[made.type]);
    }

    std::set<std::string> take() { return std::move(all_); }

private:
    struct Kind {  // kind of numbers; for a pointer, of its target
        bool real = false;
        std::uint32_t bits = 0;
        std::uint32_t storage = 0;
    };

    static std::string textOf(SpirvWords words)
    {
        std::string text;
        for (const std::uint32_t word : words.from(1))
            for (unsigned shift = 0; shift < 32; shift += 8)
                if (const char letter = static_cast<char>(word >> shift & 0xFF); letter != '\0') text += letter;
        return text;
    }

    // AMD's extensions have no capability.
    void extension(const std::string& name)
    {
        if (name.starts_with("SPV_AMD_")) all_.insert("VK_" + name.substr(4));
    }

    void atomic(spv::Op opcode, const Kind& kind)
    {
        const char* const where = kind.storage == spv::StorageClassWorkgroup ? "Shared" : "Buffer";
        if (!kind.real) {
            if (kind.bits == 64) all_.insert(fmt::format("shader{}Int64Atomics", where));
            return;
        }
        const bool compares = opcode == spv::OpAtomicFMinEXT || opcode == spv::OpAtomicFMaxEXT;
        const char* const what = opcode == spv::OpAtomicFAddEXT ? "AtomicAdd" : compares ? "AtomicMinMax" : "Atomics";
        all_.insert(fmt::format("shader{}Float{}{}", where, kind.bits, what));
    }

    void extended(const Kind& kind)
    {
        if (kind.real ? kind.bits == 16 : kind.bits == 8 || kind.bits == 16 || kind.bits == 64)
            all_.insert("shaderSubgroupExtendedTypes");
    }

    std::set<std::string> all_;
    SpirvTable<Kind> kinds_;
    std::unordered_map<std::uint32_t, std::uint32_t> values_;
};

}  // namespace

std::set<std::string> kernelNeeds(const SpirvModule& spirv)
{
    Needs needs(spirv);
    forEachInstruction(spirv, [&](spv::Op opcode, SpirvWords words) { needs.read(opcode, words); });
    return needs.take();
}

}  // namespace a2
