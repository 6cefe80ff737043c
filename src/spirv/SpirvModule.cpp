#define SPV_ENABLE_UTILITY_CODE  // HasResultAndType
#include "spirv/SpirvModule.h"

#include "a2/Error.h"
#include "spirv/SpirvAllowed.h"
#include "spirv/SpirvCheck.h"
#include "spirv/SpirvGrammar.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <mutex>
#include <vector>

namespace a2 {

namespace {

// The modules that passed last. `a2 check` reads the same few kernels in some hundred cases, and checking one takes
// half a millisecond; comparing all its words takes a thousandth of that.
class PassedLately {
public:
    bool has(std::span<const std::uint32_t> words)
    {
        const std::lock_guard lock(mutex_);
        return std::ranges::any_of(modules_, [&](const auto& one) { return std::ranges::equal(one, words); });
    }

    void add(std::span<const std::uint32_t> words)
    {
        if (words.size() > mostWords) return;
        const std::lock_guard lock(mutex_);
        modules_.emplace_front(words.begin(), words.end());
        if (modules_.size() > mostModules) modules_.pop_back();
    }

private:
    static constexpr std::size_t mostModules = 16, mostWords = 1U << 16;

    std::mutex mutex_;
    std::deque<std::vector<std::uint32_t>> modules_;
};

PassedLately& passedLately()
{
    static PassedLately all;
    return all;
}

}  // namespace

void SpirvWords::missing(std::size_t i) const
{
    throw KernelError(fmt::format("the SPIR-V instruction at word {} has no word {}", at_, i));
}

void refuseId(std::uint32_t id) { throw KernelError(fmt::format("the SPIR-V has no id {}", id)); }

SpirvResult resultOf(SpirvWords instruction)
{
    bool hasResult = false, hasType = false;
    spv::HasResultAndType(instruction.opcode(), &hasResult, &hasType);
    SpirvResult result;
    if (hasType) result.type = instruction[1];
    if (hasResult) result.id = instruction[hasType ? 2 : 1];
    return result;
}

SpirvModule::SpirvModule(std::span<const std::uint32_t> words) : words_(words)
{
    if (passedLately().has(words)) return;
    refuseForeign(words);
    try {
        checkSpirv(words);
    } catch (const KernelError& error) {
        throw InvalidSpirvError(fmt::format("this SPIR-V is not valid: {}", error.what()));
    }
    passedLately().add(words);
}

void forEachInstruction(const SpirvModule& module, const std::function<void(spv::Op, SpirvWords)>& visit)
{
    const auto words = module.words();
    for (std::size_t at = SpirvModule::headerWords; at < words.size();) {
        const SpirvWords instruction(words.subspan(at, words[at] >> spv::WordCountShift), at);
        visit(instruction.opcode(), instruction);
        at += instruction.size();
    }
}

}  // namespace a2
