#include "spirv/SilentInstructions.h"

#include <cstring>
#include <set>
#include <string_view>

namespace a2 {

namespace {

// Whether the instruction's text from word `first` on begins with `text`.
bool textBegins(SpirvWords words, std::size_t first, std::string_view text)
{
    const SpirvWords from = words.from(first);
    return from.size() * sizeof(std::uint32_t) >= text.size() &&
           std::memcmp(from.begin(), text.data(), text.size()) == 0;
}

}  // namespace

std::vector<std::uint32_t> withoutSilentInstructions(const SpirvModule& spirv)
{
    const auto header = spirv.words().first(SpirvModule::headerWords);
    std::vector<std::uint32_t> kept(header.begin(), header.end());
    std::set<std::uint32_t> silent;  // sets
    forEachInstruction(spirv, [&](spv::Op opcode, SpirvWords words) {
        const bool imports = opcode == spv::OpExtInstImport && textBegins(words, 2, "NonSemantic.");
        if (imports) silent.insert(words[1]);
        const bool extends = opcode == spv::OpExtension && textBegins(words, 1, "SPV_KHR_non_semantic_info");
        if (imports || extends || (opcode == spv::OpExtInst && silent.count(words[3]) > 0)) return;
        kept.insert(kept.end(), words.begin(), words.end());
    });
    return kept;
}

bool prints(const SpirvModule& spirv)
{
    bool found = false;
    forEachInstruction(spirv, [&](spv::Op opcode, SpirvWords words) {
        found = found || (opcode == spv::OpExtInstImport && textBegins(words, 2, "NonSemantic.DebugPrintf"));
    });
    return found;
}

}  // namespace a2
