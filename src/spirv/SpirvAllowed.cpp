#include "spirv/SpirvAllowed.h"

#include "a2/Error.h"
#include "spirv/SpirvNames.h"

#include <fmt/format.h>
#include <spirv/unified1/spirv.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace a2 {

namespace {

// Numbers that the oldest supported header does not name.
constexpr std::uint32_t rotateKHR = 6026, floatControls2 = 6029, maximallyReconverges = 6023, fastMathDefault = 6028;

// Arithmetic, atomics, buffers by their bindings, shared memory, and communication within a subgroup.
constexpr std::array<std::uint32_t, 48> allowedCapabilities = {
    spv::CapabilityMatrix,
    spv::CapabilityShader,
    spv::CapabilityFloat16,
    spv::CapabilityFloat64,
    spv::CapabilityInt64,
    spv::CapabilityInt64Atomics,
    spv::CapabilityInt16,
    spv::CapabilityInt8,
    spv::CapabilityUniformBufferArrayDynamicIndexing,
    spv::CapabilityStorageBufferArrayDynamicIndexing,
    spv::CapabilityGroupNonUniform,
    spv::CapabilityGroupNonUniformVote,
    spv::CapabilityGroupNonUniformArithmetic,
    spv::CapabilityGroupNonUniformBallot,
    spv::CapabilityGroupNonUniformShuffle,
    spv::CapabilityGroupNonUniformShuffleRelative,
    spv::CapabilityGroupNonUniformClustered,
    spv::CapabilityGroupNonUniformQuad,
    rotateKHR,
    spv::CapabilityGroupNonUniformPartitionedNV,
    spv::CapabilitySubgroupBallotKHR,
    spv::CapabilitySubgroupVoteKHR,
    spv::CapabilityStorageBuffer16BitAccess,
    spv::CapabilityUniformAndStorageBuffer16BitAccess,
    spv::CapabilityStoragePushConstant16,
    spv::CapabilityStorageBuffer8BitAccess,
    spv::CapabilityUniformAndStorageBuffer8BitAccess,
    spv::CapabilityStoragePushConstant8,
    spv::CapabilityDenormPreserve,
    spv::CapabilityDenormFlushToZero,
    spv::CapabilitySignedZeroInfNanPreserve,
    spv::CapabilityRoundingModeRTE,
    spv::CapabilityRoundingModeRTZ,
    floatControls2,
    spv::CapabilityShaderClockKHR,
    spv::CapabilityDeviceGroup,
    spv::CapabilityVulkanMemoryModel,
    spv::CapabilityVulkanMemoryModelDeviceScope,
    spv::CapabilityAtomicFloat16AddEXT,
    spv::CapabilityAtomicFloat32AddEXT,
    spv::CapabilityAtomicFloat64AddEXT,
    spv::CapabilityAtomicFloat16MinMaxEXT,
    spv::CapabilityAtomicFloat32MinMaxEXT,
    spv::CapabilityAtomicFloat64MinMaxEXT,
    spv::CapabilityDotProduct,
    spv::CapabilityDotProductInputAll,
    spv::CapabilityDotProductInput4x8Bit,
    spv::CapabilityDotProductInput4x8BitPacked,
};

struct Refused {
    std::uint32_t number;
    const char* name;
    const char* inGlsl;  // the GLSL that causes it, and what it is; empty if no compute shader of GLSL causes it
};

constexpr std::array refusedCapabilities = {
    Refused{2, "Geometry", ""},
    Refused{3, "Tessellation", ""},
    Refused{4, "Addresses", ""},
    Refused{5, "Linkage", ""},
    Refused{6, "Kernel", ""},
    Refused{7, "Vector16", ""},
    Refused{8, "Float16Buffer", ""},
    Refused{13, "ImageBasic", ""},
    Refused{17, "Pipes", ""},
    Refused{18, "Groups", "GL_KHR_shader_subgroup_arithmetic has such operations"},
    Refused{19, "DeviceEnqueue", ""},
    Refused{21, "AtomicStorage", "atomic_uint"},
    Refused{25, "ImageGatherExtended", "an image"},
    Refused{27, "StorageImageMultisample", "an image"},
    Refused{29, "SampledImageArrayDynamicIndexing", "an image"},
    Refused{31, "StorageImageArrayDynamicIndexing", "an image"},
    Refused{34, "ImageCubeArray", "an image"},
    Refused{36, "ImageRect", "an image"},
    Refused{37, "SampledRect", "an image"},
    Refused{38, "GenericPointer", ""},
    Refused{40, "InputAttachment", "an image"},
    Refused{41, "SparseResidency", "an image"},
    Refused{42, "MinLod", "an image"},
    Refused{43, "Sampled1D", "an image"},
    Refused{44, "Image1D", "an image"},
    Refused{45, "SampledCubeArray", "an image"},
    Refused{46, "SampledBuffer", "samplerBuffer"},
    Refused{47, "ImageBuffer", "imageBuffer"},
    Refused{48, "ImageMSArray", "an image"},
    Refused{49, "StorageImageExtendedFormats", "an image"},
    Refused{50, "ImageQuery", "an image"},
    Refused{51, "DerivativeControl", ""},
    Refused{55, "StorageImageReadWithoutFormat", "an image"},
    Refused{56, "StorageImageWriteWithoutFormat", "an image"},
    Refused{4166, "TileImageColorReadAccessEXT", "an image"},
    Refused{4174, "TensorsARM", "GL_ARM_tensors"},
    Refused{4427, "DrawParameters", ""},
    Refused{4428, "WorkgroupMemoryExplicitLayoutKHR",
            "GL_EXT_shared_memory_block: shared blocks that lie over each other"},
    Refused{4429, "WorkgroupMemoryExplicitLayout8BitAccessKHR", "GL_EXT_shared_memory_block"},
    Refused{4430, "WorkgroupMemoryExplicitLayout16BitAccessKHR", "GL_EXT_shared_memory_block"},
    Refused{4436, "StorageInputOutput16", ""},
    Refused{4439, "MultiView", ""},
    Refused{4441, "VariablePointersStorageBuffer", "pointers that are chosen while the kernel runs"},
    Refused{4442, "VariablePointers", "pointers that are chosen while the kernel runs"},
    Refused{4445, "AtomicStorageOps", "atomic_uint"},
    Refused{4471, "RayQueryProvisionalKHR", "ray tracing"},
    Refused{4472, "RayQueryKHR", "GL_EXT_ray_query: ray tracing"},
    Refused{4473, "UntypedPointersKHR", "pointers without a type"},
    Refused{4478, "RayTraversalPrimitiveCullingKHR", "ray tracing"},
    Refused{4479, "RayTracingKHR", "ray tracing"},
    Refused{5008, "Float16ImageAMD", "an image"},
    Refused{5015, "ImageReadWriteLodAMD", "an image"},
    Refused{5016, "Int64ImageEXT", "an image"},
    Refused{5067, "ShaderEnqueueAMDX", "work that the device makes"},
    Refused{5116, "BFloat16TypeKHR", "GL_EXT_bfloat16"},
    Refused{5117, "BFloat16DotProductKHR", "GL_EXT_bfloat16"},
    Refused{5118, "BFloat16CooperativeMatrixKHR", "cooperative matrices"},
    Refused{5266, "MeshShadingNV", ""},
    Refused{5282, "ImageFootprintNV", "an image"},
    Refused{5283, "MeshShadingEXT", ""},
    Refused{5288, "ComputeDerivativeGroupQuadsNV", "derivatives"},
    Refused{5301, "ShaderNonUniform", "GL_EXT_nonuniform_qualifier: descriptors that are chosen by each invocation"},
    Refused{5302, "RuntimeDescriptorArray", "GL_EXT_nonuniform_qualifier: descriptors without a number"},
    Refused{5304, "UniformTexelBufferArrayDynamicIndexing", "samplerBuffer"},
    Refused{5305, "StorageTexelBufferArrayDynamicIndexing", "imageBuffer"},
    Refused{5306, "UniformBufferArrayNonUniformIndexing", "GL_EXT_nonuniform_qualifier"},
    Refused{5308, "StorageBufferArrayNonUniformIndexing", "GL_EXT_nonuniform_qualifier"},
    Refused{5340, "RayTracingNV", "ray tracing"},
    Refused{5341, "RayTracingMotionBlurNV", "ray tracing"},
    Refused{5347, "PhysicalStorageBufferAddresses", "GL_EXT_buffer_reference: memory by its address"},
    Refused{5350, "ComputeDerivativeGroupLinearNV", "derivatives"},
    Refused{5353, "RayTracingProvisionalKHR", "ray tracing"},
    Refused{5357, "CooperativeMatrixNV", "GL_NV_cooperative_matrix: cooperative matrices"},
    Refused{5373, "ShaderSMBuiltinsNV", "GL_NV_shader_sm_builtins"},
    Refused{5379, "DemoteToHelperInvocation", ""},
    Refused{5381, "RayTracingOpacityMicromapEXT", "ray tracing"},
    Refused{5383, "ShaderInvocationReorderNV", "ray tracing"},
    Refused{5390, "BindlessTextureNV", "an image"},
    Refused{5391, "RayQueryPositionFetchKHR", "ray tracing"},
    Refused{5394, "CooperativeVectorNV", "GL_NV_cooperative_vector"},
    Refused{5404, "AtomicFloat16VectorNV", "GL_NV_shader_atomic_fp16_vector"},
    Refused{5414, "RawAccessChainsNV", "GL_NV_raw_access_chains: memory by its address"},
    Refused{5430, "CooperativeMatrixReductionsNV", "cooperative matrices"},
    Refused{5431, "CooperativeMatrixConversionsNV", "cooperative matrices"},
    Refused{5432, "CooperativeMatrixPerElementOperationsNV", "cooperative matrices"},
    Refused{5433, "CooperativeMatrixTensorAddressingNV", "cooperative matrices"},
    Refused{5434, "CooperativeMatrixBlockLoadsNV", "cooperative matrices"},
    Refused{5435, "CooperativeVectorTrainingNV", "GL_NV_cooperative_vector"},
    Refused{5439, "TensorAddressingNV", "cooperative matrices"},
    Refused{5603, "FunctionPointersINTEL", ""},
    Refused{5604, "IndirectReferencesINTEL", ""},
    Refused{5606, "AsmINTEL", ""},
    Refused{5629, "ExpectAssumeKHR", "GL_EXT_expect_assume: what a driver is to take for granted"},
    Refused{6020, "RayCullMaskKHR", "ray tracing"},
    Refused{6022, "CooperativeMatrixKHR", "GL_KHR_cooperative_matrix: cooperative matrices"},
    Refused{6024, "ReplicatedCompositesEXT", "GL_EXT_replicated_composites"},
    Refused{6025, "BitInstructions", ""},
    Refused{6400, "GroupUniformArithmeticKHR", ""},
};

constexpr std::array<std::string_view, 26> allowedExtensions = {
    "SPV_KHR_16bit_storage",
    "SPV_KHR_8bit_storage",
    "SPV_KHR_device_group",
    "SPV_KHR_float_controls",
    "SPV_KHR_float_controls2",
    "SPV_KHR_integer_dot_product",
    "SPV_KHR_maximal_reconvergence",
    "SPV_KHR_no_integer_wrap_decoration",
    "SPV_KHR_non_semantic_info",
    "SPV_KHR_relaxed_extended_instruction",
    "SPV_KHR_shader_ballot",
    "SPV_KHR_shader_clock",
    "SPV_KHR_storage_buffer_storage_class",
    "SPV_KHR_subgroup_rotate",
    "SPV_KHR_subgroup_uniform_control_flow",
    "SPV_KHR_subgroup_vote",
    "SPV_KHR_vulkan_memory_model",
    "SPV_EXT_shader_atomic_float16_add",
    "SPV_EXT_shader_atomic_float_add",
    "SPV_EXT_shader_atomic_float_min_max",
    "SPV_GOOGLE_decorate_string",
    "SPV_GOOGLE_hlsl_functionality1",
    "SPV_GOOGLE_user_type",
    "SPV_NV_shader_subgroup_partitioned",
    "SPV_AMD_gpu_shader_half_float",
    "SPV_AMD_gpu_shader_int16",
};

constexpr std::array<std::uint32_t, 11> allowedModes = {
    spv::ExecutionModeLocalSize,
    spv::ExecutionModeLocalSizeId,
    spv::ExecutionModeContractionOff,
    spv::ExecutionModeSubgroupUniformControlFlowKHR,
    spv::ExecutionModeDenormPreserve,
    spv::ExecutionModeDenormFlushToZero,
    spv::ExecutionModeSignedZeroInfNanPreserve,
    spv::ExecutionModeRoundingModeRTE,
    spv::ExecutionModeRoundingModeRTZ,
    maximallyReconverges,
    fastMathDefault,
};

constexpr std::array<std::uint32_t, 7> allowedStorage = {
    spv::StorageClassInput,    spv::StorageClassUniform,      spv::StorageClassWorkgroup,     spv::StorageClassPrivate,
    spv::StorageClassFunction, spv::StorageClassPushConstant, spv::StorageClassStorageBuffer,
};

struct OpcodeRange {
    std::uint32_t first, last;
};

// The allowed instructions: all of a compute shader's except those that make a pointer from a number or from another
// pointer, and those of images, pipes, queues and rays. The excluded ones require capabilities that are refused, but a
// kernel with hand-written instructions may not declare these.
constexpr std::array allowedInstructions = {
    OpcodeRange{spv::OpNop, spv::OpTypeMatrix},
    OpcodeRange{spv::OpTypeArray, spv::OpTypeStruct},
    OpcodeRange{spv::OpTypePointer, spv::OpTypeFunction},
    OpcodeRange{spv::OpConstantTrue, spv::OpConstantComposite},
    OpcodeRange{spv::OpConstantNull, spv::OpConstantNull},
    OpcodeRange{spv::OpSpecConstantTrue, spv::OpSpecConstantOp},
    OpcodeRange{spv::OpFunction, spv::OpVariable},
    OpcodeRange{spv::OpLoad, spv::OpCopyMemory},
    OpcodeRange{spv::OpAccessChain, spv::OpInBoundsAccessChain},
    OpcodeRange{spv::OpArrayLength, spv::OpArrayLength},
    OpcodeRange{spv::OpDecorate, spv::OpTranspose},
    OpcodeRange{spv::OpConvertFToU, spv::OpQuantizeToF16},
    OpcodeRange{spv::OpBitcast, spv::OpBitCount},
    OpcodeRange{spv::OpControlBarrier, spv::OpAtomicXor},
    OpcodeRange{spv::OpPhi, spv::OpLifetimeStop},
    OpcodeRange{spv::OpNoLine, spv::OpNoLine},
    OpcodeRange{spv::OpModuleProcessed, spv::OpGroupNonUniformQuadSwap},
    OpcodeRange{spv::OpCopyLogical, spv::OpCopyLogical},
    OpcodeRange{spv::OpSubgroupBallotKHR, spv::OpSubgroupFirstInvocationKHR},
    OpcodeRange{spv::OpSubgroupAllKHR, spv::OpSubgroupReadInvocationKHR},
    OpcodeRange{spv::OpSDot, spv::OpSUDotAccSat},
    OpcodeRange{spv::OpReadClockKHR, spv::OpReadClockKHR},
    OpcodeRange{spv::OpGroupNonUniformPartitionNV, spv::OpGroupNonUniformPartitionNV},
    OpcodeRange{spv::OpAtomicFMinEXT, spv::OpAtomicFMaxEXT},
    OpcodeRange{spv::OpDecorateString, spv::OpMemberDecorateString},
    OpcodeRange{spv::OpAtomicFAddEXT, spv::OpAtomicFAddEXT},
};

[[noreturn]] void refuseAsking(const std::string& what)
{
    throw KernelError("it asks for " + what +
                      ", whose accesses to memory a2 cannot check, so that no driver is given it: use buffers by their "
                      "bindings, shared memory, and arithmetic");
}

std::string nameOfInstruction(std::uint32_t opcode)
{
    const bool image = (opcode >= spv::OpTypeImage && opcode <= spv::OpTypeSampledImage) ||
                       (opcode >= spv::OpSampledImage && opcode <= spv::OpImageQuerySamples) ||
                       (opcode >= spv::OpImageSparseSampleImplicitLod && opcode <= spv::OpImageSparseTexelsResident);
    const bool pointer = opcode == spv::OpPtrAccessChain || opcode == spv::OpInBoundsPtrAccessChain ||
                         opcode == spv::OpConvertPtrToU ||
                         (opcode >= spv::OpConvertUToPtr && opcode <= spv::OpGenericCastToPtrExplicit);
    return fmt::format("{}SPIR-V's {}",
                       image     ? "an image or a sampler, "
                       : pointer ? "memory by its address, "
                                 : "",
                       opcodeName(opcode));
}

std::string nameOfCapability(std::uint32_t number)
{
    const auto found = std::find_if(refusedCapabilities.begin(), refusedCapabilities.end(),
                                    [&](const Refused& one) { return one.number == number; });
    if (found == refusedCapabilities.end()) {
        const std::string name = capabilityName(number);
        return (name.starts_with("capability ") ? "SPIR-V's " : "SPIR-V's capability ") + name;
    }
    const std::string_view inGlsl = found->inGlsl;
    return fmt::format("SPIR-V's capability {}{}{}{}", found->name, inGlsl.empty() ? "" : " (", inGlsl,
                       inGlsl.empty() ? "" : ")");
}

// Names in SPIR-V are printable ASCII. A text without an end is cut where the words end.
std::string textAt(std::span<const std::uint32_t> words)
{
    std::string text;
    for (const std::uint32_t word : words)
        for (unsigned shift = 0; shift < 32; shift += 8) {
            const auto c = static_cast<char>((word >> shift) & 0xFF);
            constexpr std::size_t most = 80;
            if (c == '\0' || text.size() == most) return text;
            text += c >= ' ' && c <= '~' ? c : '?';
        }
    return text;
}

template <class Table, class Value>
bool isIn(const Table& table, const Value& value)
{
    return std::find(table.begin(), table.end(), value) != table.end();
}

void look(std::span<const std::uint32_t> one)
{
    const std::uint32_t opcode = one[0] & spv::OpCodeMask;
    const auto word = [&](std::size_t i) { return i < one.size() ? one[i] : 0U; };
    switch (opcode) {
        case spv::OpCapability:
            if (!isIn(allowedCapabilities, word(1))) refuseAsking(nameOfCapability(word(1)));
            return;
        case spv::OpExtension:
            if (const std::string name = textAt(one.subspan(1)); !isIn(allowedExtensions, std::string_view(name)))
                refuseAsking("SPIR-V's extension " + name);
            return;
        case spv::OpExtInstImport:
            if (const std::string name = textAt(one.subspan(std::min<std::size_t>(2, one.size())));
                name != "GLSL.std.450" && !name.starts_with("NonSemantic."))
                refuseAsking("the instructions of " + name);
            return;
        case spv::OpMemoryModel:
            if (word(1) == spv::AddressingModelPhysicalStorageBuffer64)
                refuseAsking(
                    "the addressing model PhysicalStorageBuffer64 (GL_EXT_buffer_reference: memory by its address)");
            if (word(1) != spv::AddressingModelLogical) refuseAsking(fmt::format("the addressing model {}", word(1)));
            if (word(2) != spv::MemoryModelGLSL450 && word(2) != spv::MemoryModelVulkan)
                refuseAsking(fmt::format("the memory model {}", word(2)));
            return;
        case spv::OpExecutionMode:
        case spv::OpExecutionModeId:
            if (!isIn(allowedModes, word(2))) refuseAsking(fmt::format("the way of execution {}", word(2)));
            return;
        case spv::OpTypePointer:
        case spv::OpVariable: {
            const std::uint32_t storage = word(opcode == spv::OpVariable ? 3 : 2);
            if (storage == spv::StorageClassPhysicalStorageBuffer)
                refuseAsking(
                    "memory of the class PhysicalStorageBuffer (GL_EXT_buffer_reference: memory by its address)");
            if (storage == spv::StorageClassUniformConstant || storage == spv::StorageClassImage)
                refuseAsking("an image, a sampler or what else has no buffer");
            if (storage == spv::StorageClassOutput) refuseAsking("an output variable, as shaders of other stages have");
            if (!isIn(allowedStorage, storage)) refuseAsking(fmt::format("memory of the class {}", storage));
            return;
        }
        default:
            for (const OpcodeRange& range : allowedInstructions)
                if (opcode >= range.first && opcode <= range.last) return;
            refuseAsking(nameOfInstruction(opcode));
    }
}

}  // namespace

void refuseForeign(std::span<const std::uint32_t> words)
{
    constexpr std::size_t header = 5;
    for (std::size_t at = header; at < words.size();) {
        const std::size_t length = words[at] >> spv::WordCountShift;
        if (length == 0 || length > words.size() - at) return;
        look(words.subspan(at, length));
        at += length;
    }
}

}  // namespace a2
