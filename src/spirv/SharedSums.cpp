#include "spirv/SharedSums.h"

#include "a2/Error.h"

#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace a2 {

namespace {

bool isSubgroupExchange(spv::Op opcode)
{
    return (opcode >= spv::OpGroupNonUniformShuffle && opcode <= spv::OpGroupNonUniformLogicalXor) ||
           opcode == spv::OpGroupNonUniformQuadBroadcast || opcode == spv::OpGroupNonUniformQuadSwap;
}

// Whether the result still contains the number, alone or in a sum.
bool passesOn(spv::Op opcode)
{
    switch (opcode) {
        case spv::OpCompositeConstruct:
        case spv::OpCompositeExtract:
        case spv::OpCompositeInsert:
        case spv::OpVectorShuffle:
        case spv::OpVectorExtractDynamic:
        case spv::OpCopyObject:
        case spv::OpPhi:
            return true;
        default:
            return (opcode >= spv::OpConvertFToU && opcode <= spv::OpBitCount) || isSubgroupExchange(opcode);
    }
}

// Follows numbers from shared memory through variables, parameters and results, until nothing new is found.
class FromShared {
public:
    explicit FromShared(const SpirvModule& module)
    {
        forEachInstruction(module, [this](spv::Op opcode, SpirvWords words) { declare(opcode, words); });
        std::uint64_t read = 0;
        do {
            read += module.words().size();
            if (read > mostWords) throw KernelError("where its numbers go is too tangled to be followed");
            changed_ = false;
            forEachInstruction(module, [this](spv::Op opcode, SpirvWords words) { follow(opcode, words); });
        } while (changed_);
    }
    bool has(std::uint32_t id) const { return found_.count(id) > 0; }

private:
    static constexpr std::uint64_t mostWords = std::uint64_t{1} << 27;  // read in all rounds

    std::uint32_t root(std::uint32_t pointer) const
    {
        const auto variable = roots_.find(pointer);
        return variable == roots_.end() ? pointer : variable->second;
    }
    void mark(std::uint32_t id) { changed_ = found_.insert(id).second || changed_; }

    void declare(spv::Op opcode, SpirvWords words)
    {
        if (opcode == spv::OpVariable && words[3] == spv::StorageClassWorkgroup) shared_.insert(words[2]);
        const bool isOwn =
            words.size() > 3 && (words[3] == spv::StorageClassFunction || words[3] == spv::StorageClassPrivate);
        if (opcode == spv::OpFunctionParameter || (opcode == spv::OpVariable && isOwn)) own_.insert(words[2]);
        if (opcode == spv::OpAccessChain || opcode == spv::OpInBoundsAccessChain) roots_[words[2]] = root(words[3]);
        if (opcode == spv::OpFunction) function_ = words[2];
        if (opcode == spv::OpFunctionParameter) parameters_[function_].push_back(words[2]);
    }

    void follow(spv::Op opcode, SpirvWords words)
    {
        switch (opcode) {
            case spv::OpFunction:
                function_ = words[2];
                break;
            case spv::OpLoad:
                if (shared_.count(root(words[3])) || has(root(words[3]))) mark(words[2]);
                break;
            case spv::OpStore:
                if (has(words[2]) && own_.count(root(words[1]))) mark(root(words[1]));
                break;
            case spv::OpReturnValue:
                if (has(words[1])) mark(function_);
                break;
            case spv::OpFunctionCall:
                followCall(words);
                break;
            default:
                if (!passesOn(opcode)) break;
                for (const std::uint32_t operand : words.from(3))
                    if (has(operand)) mark(words[2]);
        }
    }

    // A parameter is a value, or a pointer to a variable of the caller.
    void followCall(SpirvWords words)
    {
        const std::vector<std::uint32_t>& parameters = parameters_[words[3]];
        for (std::size_t i = 0; i < parameters.size() && 4 + i < words.size(); ++i) {
            const std::uint32_t given = root(words[4 + i]);
            if (has(given) || shared_.count(given)) mark(parameters[i]);
            if (has(parameters[i]) && own_.count(given)) mark(given);
        }
        if (has(words[3])) mark(words[2]);
    }

    std::unordered_set<std::uint32_t> shared_, own_;  // variables; own: of an invocation, including parameters
    std::unordered_set<std::uint32_t> found_;
    std::unordered_map<std::uint32_t, std::uint32_t> roots_;
    std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> parameters_;
    std::uint32_t function_ = 0;
    bool changed_ = false;
};

struct Place {
    std::uint32_t file = 0, line = 0;  // file: id of its name
};

// The relevant parts of a function, each with the innermost loop around it.
struct Function {
    struct Loop {
        std::uint32_t merge = 0;  // the label after the loop
        bool unrolled = false;    // by [[unroll]]
        bool hasBarrier = false;
        std::optional<std::size_t> outer;
    };
    struct Sum {
        std::optional<std::size_t> loop;
        Place place;
    };
    struct Call {
        std::optional<std::size_t> loop;
        std::uint32_t callee = 0;
    };
    std::vector<Loop> loops;
    std::vector<Sum> sums;
    std::vector<Call> calls;
    bool hasBarrier = false;
};

// Structured control flow in the order in which compilers write it: a loop extends from its header to its merge label.
class Text {
public:
    Text(const SpirvModule& module, SharedSums& found) : from_(module), found_(found)
    {
        forEachInstruction(module, [this](spv::Op opcode, SpirvWords words) { read(opcode, words); });
    }

    void count()
    {
        spreadBarriers();
        add(entry_, false);
        if (const auto name = names_.find(last_.file); name != names_.end()) found_.file = name->second;
        found_.line = found_.file.empty() ? 0 : last_.line;
    }

private:
    void read(spv::Op opcode, SpirvWords words)
    {
        Function* const here = function_ ? &functions_[function_] : nullptr;
        switch (opcode) {
            case spv::OpString:
                names_[words[1]] = textFrom(words.from(2));
                break;
            case spv::OpEntryPoint:
                entry_ = words[2];
                break;
            case spv::OpLine:
                place_ = {words[1], words[2]};
                break;
            case spv::OpNoLine:
                place_ = {};
                break;
            case spv::OpTypeVector:
                vectors_[words[1]] = words[3];
                break;
            case spv::OpTypeArray:
                vectors_[words[1]] = vectors_[words[2]];
                break;
            case spv::OpTypePointer:
                vectors_[words[1]] = vectors_[words[3]];
                break;
            case spv::OpVariable:
                if (words[3] == spv::StorageClassWorkgroup) found_.widest = std::max(found_.widest, vectors_[words[1]]);
                break;
            case spv::OpFunction:
                function_ = words[2];
                loop_.reset();
                break;
            case spv::OpFunctionEnd:
                function_ = 0;
                break;
            case spv::OpLabel:
                while (loop_ && here->loops[*loop_].merge == words[1]) loop_ = here->loops[*loop_].outer;
                break;
            case spv::OpLoopMerge:
                here->loops.push_back({words[1], (words[3] & spv::LoopControlUnrollMask) != 0, false, loop_});
                loop_ = here->loops.size() - 1;
                break;
            case spv::OpControlBarrier:
                noteBarrier(*here, loop_);
                break;
            case spv::OpFunctionCall:
                here->calls.push_back({loop_, words[3]});
                break;
            case spv::OpIAdd:
            case spv::OpFAdd:
                if (from_.has(words[3]) || from_.has(words[4])) here->sums.push_back({loop_, place_});
                break;
            default:
                if (!isSubgroupExchange(opcode)) break;
                found_.subgroups = true;
                here->sums.push_back({loop_, place_});
        }
    }

    static std::string textFrom(SpirvWords words)
    {
        std::string text;
        for (const std::uint32_t word : words)
            for (unsigned shift = 0; shift < 32; shift += 8)
                if (const char c = static_cast<char>(word >> shift & 0xFF); c != '\0') text += c;
        return text;
    }

    static void noteBarrier(Function& function, std::optional<std::size_t> loop)
    {
        function.hasBarrier = true;
        for (; loop; loop = function.loops[*loop].outer) function.loops[*loop].hasBarrier = true;
    }

    // A call of a function that contains a barrier() counts as one.
    void spreadBarriers()
    {
        for (bool changed = true; changed;) {
            changed = false;
            for (auto& [id, function] : functions_)
                for (const Function::Call& call : function.calls) {
                    if (!functions_[call.callee].hasBarrier) continue;
                    changed = changed || !function.hasBarrier;
                    noteBarrier(function, call.loop);
                }
        }
    }

    // inLoop: the call that leads here is in a real loop.
    void add(std::uint32_t id, bool inLoop)
    {
        const Function& function = functions_[id];
        const auto isLoop = [&](std::optional<std::size_t> loop) {
            return loop ? function.loops[*loop].hasBarrier && !function.loops[*loop].unrolled : inLoop;
        };
        for (const Function::Sum& sum : function.sums) {
            ++found_.places;
            if (!isLoop(sum.loop)) continue;
            ++found_.inLoops;
            last_ = sum.place;
        }
        for (const Function::Call& call : function.calls) add(call.callee, isLoop(call.loop));
    }

    FromShared from_;
    SharedSums& found_;
    std::map<std::uint32_t, Function> functions_;
    std::unordered_map<std::uint32_t, std::string> names_;
    std::unordered_map<std::uint32_t, std::uint32_t> vectors_;  // number of components, by type; 0: no vector
    std::uint32_t entry_ = 0, function_ = 0;
    std::optional<std::size_t> loop_;
    Place place_, last_;
};

bool isCode(spv::Op opcode)
{
    switch (opcode) {
        case spv::OpSource:
        case spv::OpSourceContinued:
        case spv::OpSourceExtension:
        case spv::OpModuleProcessed:
        case spv::OpString:
        case spv::OpName:
        case spv::OpMemberName:
        case spv::OpLine:
        case spv::OpNoLine:
            return false;
        default:
            return true;
    }
}

std::vector<std::uint32_t> codeOf(const SpirvModule& module)
{
    std::vector<std::uint32_t> code;
    forEachInstruction(module, [&](spv::Op opcode, SpirvWords words) {
        if (isCode(opcode)) code.insert(code.end(), words.begin(), words.end());
    });
    return code;
}

}  // namespace

SharedSums sharedSums(const SpirvModule& module)
{
    SharedSums found;
    Text(module, found).count();
    return found;
}

bool sameCode(const SpirvModule& a, const SpirvModule& b) { return codeOf(a) == codeOf(b); }

}  // namespace a2
