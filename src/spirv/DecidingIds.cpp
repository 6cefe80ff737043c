#include "spirv/DecidingIds.h"

#include "spirv/SpirvGrammar.h"

#include <unordered_map>
#include <utility>
#include <vector>

namespace a2 {

namespace {

class Origins {
public:
    explicit Origins(const SpirvModule& module)
    {
        forEachInstruction(module, [this](spv::Op opcode, SpirvWords words) { note(opcode, words); });
        for (const auto& [function, arguments] : calls_)
            for (std::size_t i = 0; i < arguments.size() && i < parameters_[function].size(); ++i) {
                from_[parameters_[function][i]].push_back(arguments[i]);
                // What is stored through a parameter is stored in the variable that was given.
                from_[rootOf(arguments[i])].push_back(parameters_[function][i]);
            }
    }

    std::unordered_set<std::uint32_t> all()
    {
        std::unordered_set<std::uint32_t> found(conditions_.begin(), conditions_.end());
        for (std::vector<std::uint32_t> next = std::move(conditions_); !next.empty();) {
            const std::uint32_t one = next.back();
            next.pop_back();
            for (const std::uint32_t id : from_[one])
                if (found.insert(id).second) next.push_back(id);
        }
        return found;
    }

private:
    void note(spv::Op opcode, SpirvWords words)
    {
        switch (opcode) {
            case spv::OpFunction:
                function_ = words[2];
                return;
            case spv::OpFunctionParameter:
                parameters_[function_].push_back(words[2]);
                return;
            case spv::OpFunctionCall: {
                from_[words[2]].push_back(words[3]);
                const SpirvWords arguments = words.from(4);
                calls_.push_back({words[3], {arguments.begin(), arguments.end()}});
                return;
            }
            case spv::OpReturnValue:
                from_[function_].push_back(words[1]);
                return;
            case spv::OpVariable:
                if (words.size() > 4) from_[words[2]].push_back(words[4]);
                if (words[3] == spv::StorageClassStorageBuffer || words[3] == spv::StorageClassUniform)
                    buffers_.insert(words[2]);
                return;
            case spv::OpAccessChain:
            case spv::OpInBoundsAccessChain:
                roots_[words[2]] = rootOf(words[3]);
                break;
            case spv::OpStore:
            case spv::OpCopyMemory:
                // A flag's buffer has other words, too, whose values decide nothing.
                if (const std::uint32_t root = rootOf(words[1]); !buffers_.contains(root))
                    from_[root].push_back(words[2]);
                return;
            case spv::OpBranchConditional:
            case spv::OpSwitch:
                conditions_.push_back(words[1]);
                return;
            case spv::OpSelect:
                conditions_.push_back(words[3]);
                break;
            default:
                break;
        }
        std::uint32_t made = 0;
        forEachOperand(words, [&](SpirvOperand kind, std::size_t at) {
            if (kind == SpirvOperand::result)
                made = words[at];
            else if (made != 0 && (kind == SpirvOperand::value || kind == SpirvOperand::pointer ||
                                   kind == SpirvOperand::phiValue || kind == SpirvOperand::id))
                from_[made].push_back(words[at]);
        });
    }

    std::uint32_t rootOf(std::uint32_t pointer) const
    {
        const auto found = roots_.find(pointer);
        return found == roots_.end() ? pointer : found->second;
    }

    std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> from_;  // what an id is made of
    std::unordered_map<std::uint32_t, std::uint32_t> roots_;              // of pointers: the variable or parameter
    std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> parameters_;
    std::vector<std::pair<std::uint32_t, std::vector<std::uint32_t>>> calls_;
    std::unordered_set<std::uint32_t> buffers_;
    std::vector<std::uint32_t> conditions_;
    std::uint32_t function_ = 0;
};

}  // namespace

std::unordered_set<std::uint32_t> decidingIds(const SpirvModule& module) { return Origins(module).all(); }

}  // namespace a2
