#include "gpu/Shaders.h"

#include "BuiltInShaderNames.h"
#include "gpu/KernelCheck.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

namespace a2 {

namespace {

constexpr bool isBuiltIn(std::string_view name)
{
    return std::find(std::begin(builtInShaderNames), std::end(builtInShaderNames), name) !=
           std::end(builtInShaderNames);
}
static_assert(isBuiltIn(copyShader) && isBuiltIn(digestShader), "shaders/ lacks a kernel that runs of tasks need");

}  // namespace

std::span<const std::uint32_t> loadShader(Device& state, const std::string& name)
{
    if (name == copyShader || name == digestShader || name.starts_with(addPeakShader)) {
        const auto all = builtInShaders();
        const auto found =
            std::find_if(all.begin(), all.end(), [&](const BuiltInShader& one) { return one.name == name; });
        if (found == all.end() || found->spirv.empty())
            throw EnvironmentError(fmt::format("this build has no kernel shaders/{}.comp: build it again", name));
        return state.kernelSources.builtIn(*found);
    }
    const auto made = state.shaders.find(name);
    if (made != state.shaders.end()) return made->second;
    const auto broken = state.brokenShaders.find(name);
    if (broken != state.brokenShaders.end()) std::rethrow_exception(broken->second);
    try {
        std::vector<std::uint32_t> spirv = state.kernelSources.spirv(name);
        checkKernel(name, spirv);
        return state.shaders.emplace(name, std::move(spirv)).first->second;
    } catch (const KernelError&) {
        state.brokenShaders.emplace(name, std::current_exception());
        throw;
    }
}

std::span<const std::uint32_t> codeOf(Device& state, const RecordedPipeline& pipeline)
{
    return pipeline.shader.empty() ? pipeline.code : loadShader(state, pipeline.shader);
}

std::function<std::span<const std::uint32_t>(const std::string& name)> shadersOf(Device& state)
{
    return [&state](const std::string& name) { return loadShader(state, name); };
}

KernelFacts shaderFacts(Device& state, const std::string& name, const KernelShape& shape)
{
    const auto spirv = loadShader(state, name);
    return readKernel(name, [&] { return kernelFacts(spirv, shape); });
}

}  // namespace a2
