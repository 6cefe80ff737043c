// What a kernel may use: everything that a2 can follow; anything else is refused by name.

#include "spirv/SpirvAllowed.h"

#include "a2/Error.h"
#include "spirv/SpirvModule.h"
#include "support/EmulatedGlsl.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace a2 {

namespace {

struct Asks {
    const char* what;          // the expected name; for kernels that pass, a name for people
    const char* declarations;  // extensions first
    const char* statements;
};

void PrintTo(const Asks& kernel, std::ostream* stream) { *stream << kernel.what; }

std::string glsl(const Asks& kernel)
{
    return std::string("#version 460\n") + kernel.declarations +
           "\nlayout(local_size_x_id = 0) in;\nlayout(set = 0, binding = 0) buffer Data { uint data[]; };\n"
           "void main()\n{\n    " +
           kernel.statements + "\n}\n";
}

constexpr const char* image = "layout(set = 0, binding = 1, r32ui) uniform uimage2D picture;";

const Asks refusedKernels[] = {
    {"PhysicalStorageBufferAddresses (GL_EXT_buffer_reference",
     "#extension GL_EXT_buffer_reference : require\n#extension GL_EXT_buffer_reference_uvec2 : require\n"
     "layout(buffer_reference) buffer Far { uint value; };",
     "Far(uvec2(data[0], data[1])).value = 7;"},
    {"an image", image, "imageStore(picture, ivec2(0), uvec4(1));"},
    {"an image", "layout(set = 0, binding = 1) uniform sampler2D picture;",
     "data[0] = uint(textureLod(picture, vec2(0), 0).x);"},
    {"RayQueryKHR",
     "#extension GL_EXT_ray_query : require\nlayout(set = 0, binding = 1) uniform accelerationStructureEXT all;",
     "rayQueryEXT one; rayQueryInitializeEXT(one, all, 0, 0xFF, vec3(0), 0, vec3(1), 1); rayQueryProceedEXT(one);"},
    {"ShaderNonUniform (GL_EXT_nonuniform_qualifier",
     "#extension GL_EXT_nonuniform_qualifier : require\nlayout(set = 0, binding = 1) buffer More { uint more[]; } "
     "all[];",
     "data[0] = all[nonuniformEXT(data[1])].more[0];"},
    {"WorkgroupMemoryExplicitLayoutKHR",
     "#extension GL_EXT_shared_memory_block : require\nshared One { uint a; };\nshared Other { float b; };",
     "a = 1; barrier(); data[0] = uint(b);"},
    {"CooperativeMatrixNV",
     "#extension GL_NV_cooperative_matrix : require\n#extension GL_KHR_memory_scope_semantics : require\n"
     "#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require\n#pragma use_vulkan_memory_model",
     "fcoopmatNV<16, gl_ScopeSubgroup, 8, 8> one = fcoopmatNV<16, gl_ScopeSubgroup, 8, 8>(0.0);"
     "data[0] = uint(one.length());"},
    {"ShaderSMBuiltinsNV", "#extension GL_NV_shader_sm_builtins : require", "data[0] = gl_SMIDNV;"},
    {"OpConvertUToPtr", "#extension GL_EXT_spirv_intrinsics : require\nspirv_instruction(id = 120) uint act(uint a);",
     "data[0] = act(data[1]);"},
    {"OpConvertUToImageNV",
     "#extension GL_EXT_spirv_intrinsics : require\nspirv_instruction(id = 5391) uint act(uint a);",
     "data[0] = act(data[1]);"},
    {"PhysicalStorageBuffer", "#extension GL_EXT_spirv_intrinsics : require\nspirv_storage_class(5349) uint far;",
     "data[0] = far;"},
    {"VariablePointers",
     "#extension GL_EXT_spirv_intrinsics : require\n"
     "spirv_instruction(extensions = [\"SPV_KHR_variable_pointers\"], capabilities = [4442], id = 128)\n"
     "uint act(uint a, uint b);",
     "data[0] = act(data[1], data[2]);"},
    {"capability 6999",
     "#extension GL_EXT_spirv_intrinsics : require\n"
     "spirv_instruction(capabilities = [6999], id = 128) uint act(uint a, uint b);",
     "data[0] = act(data[1], data[2]);"},
    {"OpenCL.std",
     "#extension GL_EXT_spirv_intrinsics : require\n"
     "spirv_instruction(set = \"OpenCL.std\", id = 1) float act(float a);",
     "data[0] = uint(act(float(data[1])));"},
    {"way of execution 5289", "#extension GL_EXT_spirv_intrinsics : require\nspirv_execution_mode(5289);",
     "data[0] = 1;"},
};

const Asks allowedKernels[] = {
    {"Float64", "", "double one = double(data[0]) + 0.5LF; data[0] = uint(one);"},
    {"Int64", "#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require",
     "uint64_t one = uint64_t(data[0]) << 33; data[0] = uint(one >> 33);"},
    {"Int64Atomics",
     "#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require\n"
     "#extension GL_EXT_shader_atomic_int64 : require\nlayout(set = 0, binding = 1) buffer More { uint64_t more; };",
     "atomicAdd(more, uint64_t(1));"},
    {"SmallTypes",
     "#extension GL_EXT_shader_explicit_arithmetic_types : require\n#extension GL_EXT_shader_16bit_storage : require\n"
     "#extension GL_EXT_shader_8bit_storage : require\n"
     "layout(set = 0, binding = 1) buffer More { float16_t a[4]; int8_t b[4]; uint16_t c[4]; };",
     "a[0] = a[1] + a[2]; b[0] = b[1] + b[2]; c[0] = c[1] + c[2];"},
    {"PushConstantsOfSmallTypes",
     "#extension GL_EXT_shader_16bit_storage : require\n#extension GL_EXT_shader_8bit_storage : require\n"
     "layout(push_constant) uniform Push { uint16_t a; uint8_t b; };",
     "data[0] = uint(a) + uint(b);"},
    {"Subgroups",
     "#extension GL_KHR_shader_subgroup_basic : require\n#extension GL_KHR_shader_subgroup_vote : require\n"
     "#extension GL_KHR_shader_subgroup_arithmetic : require\n#extension GL_KHR_shader_subgroup_ballot : require\n"
     "#extension GL_KHR_shader_subgroup_shuffle : require\n"
     "#extension GL_KHR_shader_subgroup_shuffle_relative : require\n"
     "#extension GL_KHR_shader_subgroup_clustered : require\n#extension GL_KHR_shader_subgroup_quad : require",
     "uint a = data[0]; a += subgroupAdd(a); if (subgroupAll(a > 0) || subgroupElect()) a = subgroupShuffle(a, 1);"
     "a += subgroupShuffleUp(a, 1) + subgroupClusteredAdd(a, 4) + subgroupQuadBroadcast(a, 0);"
     "a += subgroupBallotBitCount(subgroupBallot(a > 1)); data[0] = a;"},
    {"OlderSubgroups",
     "#extension GL_ARB_shader_ballot : require\n#extension GL_ARB_shader_group_vote : require\n"
     "#extension GL_ARB_gpu_shader_int64 : require",
     "data[0] = anyInvocationARB(data[0] > 1u) ? readFirstInvocationARB(data[1]) : uint(ballotARB(true));"},
    {"Partitions", "#extension GL_NV_shader_subgroup_partitioned : require",
     "data[0] = subgroupPartitionedAddNV(data[1], subgroupPartitionNV(data[0]));"},
    {"Clock", "#extension GL_ARB_shader_clock : require\n#extension GL_EXT_shader_realtime_clock : require",
     "data[0] = clock2x32ARB().x + clockRealtime2x32EXT().x;"},
    {"AtomicFloat",
     "#extension GL_EXT_shader_atomic_float : require\n#extension GL_EXT_shader_atomic_float2 : require\n"
     "layout(set = 0, binding = 1) buffer More { float more; };",
     "atomicAdd(more, 1.0); atomicMax(more, 2.0);"},
    {"Printf", "#extension GL_EXT_debug_printf : require", "debugPrintfEXT(\"%u\", data[0]);"},
    {"MemoryModel", "#extension GL_KHR_memory_scope_semantics : require\n#pragma use_vulkan_memory_model",
     "atomicAdd(data[0], 1u, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease);"
     "controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease);"},
    {"ArraysOfBuffers", "layout(set = 0, binding = 1) buffer More { uint more[]; } all[3];",
     "all[data[1] % 3].more[0] = 1;"},
    {"Uniforms", "layout(set = 0, binding = 1) uniform Few { uvec4 few[3]; };", "data[0] = few[data[1] % 3].y;"},
    {"Functions",
     "void swap(inout uint a, inout uint b) { uint c = a; a = b; b = c; }\nshared uint both[2];\n"
     "const uint table[4] = uint[4](1, 2, 3, 4);",
     "uint a = data[0], b; swap(a, both[1]); vec2 p = vec2(a); int e; b = uint(modf(float(a), p.x));"
     "p.y = frexp(p.x, e); data[0] = a + b + table[a % 4] + uint(p.y) + uint(e);"},
};

class ARefusedKernel : public testing::TestWithParam<Asks> {};
class AnAllowedKernel : public testing::TestWithParam<Asks> {};

}  // namespace

TEST_P(ARefusedKernel, IsRefusedByName)
{
    std::vector<std::uint32_t> words;
    try {
        words = compileGlsl(glsl(GetParam()));
    } catch (const KernelError& error) {
        GTEST_SKIP() << "this glslang does not know it: " << error.what();
    }
    try {
        const SpirvModule module(words);
        FAIL() << "it is let through";
    } catch (const KernelError& error) {
        const std::string what = error.what();
        EXPECT_NE(what.find(std::string(GetParam().what)), std::string::npos) << what;
        EXPECT_EQ(what.find("not valid"), std::string::npos) << what;
    }
}

TEST_P(AnAllowedKernel, IsLetThrough)
{
    std::vector<std::uint32_t> words;
    try {
        words = compileGlsl(glsl(GetParam()));
    } catch (const KernelError& error) {
        GTEST_SKIP() << "this glslang does not know it: " << error.what();
    }
    EXPECT_NO_THROW(refuseForeign(words));
    if (GetParam().what == std::string("Printf")) return;
    EXPECT_NO_THROW(SpirvModule{words});
}

INSTANTIATE_TEST_SUITE_P(SpirvAllowed, ARefusedKernel, testing::ValuesIn(refusedKernels));
INSTANTIATE_TEST_SUITE_P(SpirvAllowed, AnAllowedKernel, testing::ValuesIn(allowedKernels),
                         [](const auto& kernel) { return std::string(kernel.param.what); });

// Words that are not there are not read.
TEST(SpirvAllowed, PassesOverWhatCannotBeRead)
{
    for (const std::vector<std::uint32_t>& words : {std::vector<std::uint32_t>{},
                                                    {1, 2, 3},
                                                    {1, 2, 3, 4, 5, 0},
                                                    {1, 2, 3, 4, 5, 0xFFFF'0011},
                                                    {1, 2, 3, 4, 5, 0x0001'0000}})
        EXPECT_NO_THROW(refuseForeign(words));
    EXPECT_THROW(refuseForeign(std::vector<std::uint32_t>{1, 2, 3, 4, 5, 0x0002'0011, 5347}), KernelError);
}

}  // namespace a2
