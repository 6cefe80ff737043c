#include "spirv/SpirvCheck.h"

#include "a2/Error.h"
#include "spirv/SpirvDeclarationCheck.h"
#include "spirv/SpirvGrammar.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace a2 {

namespace {

class Check {
public:
    explicit Check(std::span<const std::uint32_t> words) : ids_(words), declarations_(ids_) {}

    void run()
    {
        ids_.forEach([this](SpirvWords one) { survey(one); });
        function_ = 0;
        ids_.forEach([this](SpirvWords one) { check(one); });
        entryPoint();
        calls();
    }

private:
    struct Function {
        std::size_t parameters = 0;
        std::uint64_t instructions = 0;
        std::vector<std::uint32_t> calls;
        bool ended = false;
    };

    // First pass: notes where everything is.
    void survey(SpirvWords one)
    {
        const spv::Op opcode = one.opcode();
        ids_.define(one);
        declarations_.survey(one);
        if (opcode == spv::OpFunction) {
            if (function_ != 0) refuse(one, "begins inside a function");
            function_ = one[2];
            functions_[function_];
        } else if (function_ != 0) {
            Function& in = functions_[function_];
            ++in.instructions;
            if (opcode == spv::OpFunctionParameter) ++in.parameters;
            if (opcode == spv::OpLabel) labels_[one[1]] = function_;
            if (opcode == spv::OpFunctionEnd) {
                in.ended = true;
                function_ = 0;
            }
        }
    }

    // Second pass: checks references.
    void check(SpirvWords one)
    {
        const spv::Op opcode = one.opcode();
        const bool silent = opcode == spv::OpExtInst && isSilent(one[3]);
        forEachOperand(one, [&](SpirvOperand operand, std::size_t at) {
            if (silent && operand == SpirvOperand::value) return;
            reference(one, operand, one[at]);
            if (operand == SpirvOperand::value) noAddress(one, one[at]);
        });
        if (ids_.opcodeOf(resultOf(one).type) == spv::OpTypePointer && !makesPointers(opcode))
            refuse(one, "makes a pointer of what is none");
        if (opcode == spv::OpFunction)
            function(one);
        else if (opcode == spv::OpFunctionEnd)
            function_ = 0;
        else if (opcode < spv::OpFunction)
            declaration(one);
        else
            body(one);
    }

    void reference(SpirvWords one, SpirvOperand operand, std::uint32_t id) const
    {
        const auto want = [&](bool fine, const char* what) {
            if (!fine) refuse(one, fmt::format("takes id {} for {}", id, what));
        };
        const auto known = [&] { return ids_.placeOfId(id) != 0 && ids_.placeOfId(id) < one.at(); };
        const auto pointer = [&] { return ids_.opcodeOf(ids_.typeOf(id)) == spv::OpTypePointer; };
        switch (operand) {
            case SpirvOperand::resultType:
                return want(known() && isType(ids_.opcodeOf(id)), "a type");
            case SpirvOperand::type:
                return want((known() || ids_.opcodeOf(id) == spv::OpTypePointer) && isType(ids_.opcodeOf(id)),
                            "a type");
            case SpirvOperand::constant:
                return want(known() && (isConstant(ids_.opcodeOf(id)) || ids_.opcodeOf(id) == spv::OpVariable),
                            "a constant");
            case SpirvOperand::value:
                return want(known() && ids_.typeOf(id) != 0, "a value");
            case SpirvOperand::phiValue:
                return want(ids_.typeOf(id) != 0, "a value");
            case SpirvOperand::pointer:
                return want(known() && pointer(), "a pointer");
            case SpirvOperand::label:
                return want(labels_.count(id) && labels_.at(id) == function_, "a block of its function");
            case SpirvOperand::function:
                return want(functions_.count(id) > 0, "a function");
            case SpirvOperand::functionType:
                return want(known() && ids_.opcodeOf(id) == spv::OpTypeFunction, "the type of a function");
            case SpirvOperand::instructionSet:
                return want(known() && ids_.opcodeOf(id) == spv::OpExtInstImport, "a set of instructions");
            case SpirvOperand::result:
            case SpirvOperand::id:
            case SpirvOperand::literal:
            case SpirvOperand::text:
                return;
        }
    }

    // A set that does not affect what is calculated, such as debugPrintfEXT's: its operands may also be texts and
    // types.
    bool isSilent(std::uint32_t set) const
    {
        const std::string prefix = "NonSemantic.";
        const auto import = ids_.definition(set);
        if (!import || import->opcode() != spv::OpExtInstImport) return false;
        const auto text = std::as_bytes(std::span(import->begin(), import->end())).subspan(2 * sizeof(std::uint32_t));
        return text.size() > prefix.size() &&
               std::equal(prefix.begin(), prefix.end(), text.begin(),
                          [](char a, std::byte b) { return static_cast<std::byte>(a) == b; });
    }

    static bool makesPointers(spv::Op opcode)
    {
        return opcode == spv::OpVariable || opcode == spv::OpAccessChain || opcode == spv::OpInBoundsAccessChain ||
               opcode == spv::OpFunctionParameter || opcode == spv::OpCopyObject;
    }

    // A pointer may be passed on, but must not be used as a number.
    void noAddress(SpirvWords one, std::uint32_t id) const
    {
        const spv::Op opcode = one.opcode();
        const bool passes = opcode == spv::OpFunctionCall || opcode == spv::OpCopyObject || opcode == spv::OpExtInst;
        if (!passes && ids_.opcodeOf(ids_.typeOf(id)) == spv::OpTypePointer)
            refuse(one, fmt::format("takes the pointer {} for a value", id));
    }

    void declaration(SpirvWords one)
    {
        if (function_ != 0 && (isType(one.opcode()) || isConstant(one.opcode())) && one.opcode() != spv::OpUndef)
            refuse(one, "stands inside a function");
        declarations_.check(one);
    }

    void function(SpirvWords one)
    {
        function_ = one[2];
        const Function& it = functions_.at(function_);
        const SpirvWords type = *ids_.definition(one[4]);
        if (!it.ended) refuse(one, "has no end");
        if (type[2] != one[1]) refuse(one, "returns another type than it says");
        if (it.parameters != type.size() - 3) refuse(one, "has other parameters than it says");
        merges_.clear();
    }

    void body(SpirvWords one)
    {
        if (function_ == 0 && one.opcode() != spv::OpVariable) {
            // Outside of functions, only declarations are allowed.
            const bool inFunctionsOnly =
                (one.opcode() >= spv::OpFunctionParameter && one.opcode() <= spv::OpFunctionCall) ||
                (one.opcode() > spv::OpVariable && one.opcode() < spv::OpDecorate) ||
                (one.opcode() > spv::OpGroupMemberDecorate && one.opcode() < spv::OpNoLine);
            if (inFunctionsOnly) refuse(one, "stands outside of functions");
        }
        switch (one.opcode()) {
            case spv::OpDecorate:
                if ((one[2] == spv::DecorationBinding || one[2] == spv::DecorationDescriptorSet) &&
                    (one.size() != 4 || one[3] > spirvLimits::binding))
                    refuse(one, fmt::format("is no binding or set up to {}", std::uint32_t{spirvLimits::binding}));
                if (one[2] == spv::DecorationBuiltIn) builtIns_.insert(one[1]);
                if (one.size() < 4 && (one[2] == spv::DecorationBuiltIn || one[2] == spv::DecorationSpecId))
                    refuse(one, "lacks an operand");
                break;
            case spv::OpMemberDecorate:
                if (ids_.opcodeOf(one[1]) != spv::OpTypeStruct) refuse(one, "is about what has no members");
                if (one[3] == spv::DecorationOffset && one.size() != 5) refuse(one, "lacks an operand");
                break;
            case spv::OpVariable:
                if (const auto storage = ids_.ofType(one[1], spv::OpTypePointer, 2); !storage || *storage != one[3])
                    refuse(one, "is no pointer into its own memory");
                if (one[3] == spv::StorageClassInput && builtIns_.count(one[2]) == 0)
                    refuse(one, "is an input that is not built in: a compute kernel has no others");
                break;
            case spv::OpLoad:
                if (pointee(one[3]) != one[1]) refuse(one, "loads another type than there is");
                break;
            case spv::OpStore:
                if (pointee(one[1]) != ids_.typeOf(one[2])) refuse(one, "stores another type than there is");
                break;
            case spv::OpAccessChain:
            case spv::OpInBoundsAccessChain:
                chain(one);
                break;
            case spv::OpFunctionCall:
                call(one);
                break;
            case spv::OpSwitch:
                for (std::size_t i = 4; ids_.ofType(ids_.typeOf(one[1]), spv::OpTypeInt, 2) == 32U && i < one.size();
                     i += 2)
                    if (!labels_.count(one[i])) refuse(one, fmt::format("takes id {} for a block", one[i]));
                break;
            case spv::OpSelectionMerge:
            case spv::OpLoopMerge:
                merges_.push_back(one[1]);
                if (merges_.size() > spirvLimits::controlFlowNesting)
                    refuse(one, fmt::format("is nested deeper than {}", std::size_t{spirvLimits::controlFlowNesting}));
                break;
            case spv::OpLabel:  // ends the constructs nested up to here
                if (const auto ends = std::find(merges_.begin(), merges_.end(), one[1]); ends != merges_.end())
                    merges_.erase(ends, merges_.end());
                break;
            default:
                break;
        }
    }

    // What a pointer points to; 0: it is no pointer.
    std::uint32_t pointee(std::uint32_t pointer) const
    {
        return ids_.ofType(ids_.typeOf(pointer), spv::OpTypePointer, 3).value_or(0);
    }

    void chain(SpirvWords one) const
    {
        std::uint32_t type = pointee(one[3]);
        for (const std::uint32_t index : one.from(4)) {
            const SpirvWords whole = *ids_.definition(type);
            if (ids_.opcodeOf(ids_.typeOf(index)) != spv::OpTypeInt)
                refuse(one, "has an index that is no whole number");
            switch (whole.opcode()) {
                case spv::OpTypeVector:
                case spv::OpTypeMatrix:
                case spv::OpTypeArray:
                case spv::OpTypeRuntimeArray:
                    type = whole[2];
                    break;
                case spv::OpTypeStruct: {
                    const auto member = ids_.number(index);
                    if (!member || *member >= whole.size() - 2) refuse(one, "asks for a member that there is not");
                    type = whole[2 + *member];
                    break;
                }
                default:
                    refuse(one, "asks for a part of what has none");
            }
        }
        if (ids_.ofType(one[1], spv::OpTypePointer, 3) != type) refuse(one, "leads to another type than it says");
    }

    void call(SpirvWords one)
    {
        const auto found = ids_.definition((*ids_.definition(one[3]))[4]);  // the function may come later in the text
        if (!found || found->opcode() != spv::OpTypeFunction || (*found)[2] != one[1])
            refuse(one, "returns another type than it says");
        const SpirvWords type = *found, given = one.from(4);
        if (given.size() != type.size() - 3)
            refuse(one, fmt::format("passes {} of {} parameters", given.size(), type.size() - 3));
        for (std::size_t i = 0; i < given.size(); ++i)
            if (ids_.typeOf(given[i]) != type[3 + i])
                refuse(one, fmt::format("passes a parameter {} of another type", i));
        functions_.at(function_).calls.push_back(one[3]);
    }

    void entryPoint() const
    {
        if (declarations_.main() == 0) throw KernelError("it has no compute shader main()");
        const SpirvWords function = *ids_.definition(declarations_.main());
        if (functions_.at(declarations_.main()).parameters > 0 || ids_.opcodeOf(function[1]) != spv::OpTypeVoid)
            refuse(function, "is main(), with parameters or a result");
    }

    // Depth first, without recursion: the module's author decides about the depth.
    void calls()
    {
        struct Open {
            std::uint32_t id;
            std::size_t next = 0;
            std::uint64_t instructions = 0;
        };
        std::unordered_map<std::uint32_t, std::optional<std::uint64_t>> sizes;  // empty: not known yet
        std::vector<Open> way = {{declarations_.main()}};
        sizes[declarations_.main()];
        while (!way.empty()) {
            Open& open = way.back();
            const Function& function = functions_.at(open.id);
            if (open.next == function.calls.size()) {
                const std::uint64_t all = open.instructions + function.instructions;
                if (all > spirvLimits::instructions)
                    throw KernelError(
                        fmt::format("with every call replaced by what it calls, it has more than {} "
                                    "instructions",
                                    std::uint64_t{spirvLimits::instructions}));
                sizes[open.id] = all;
                way.pop_back();
                continue;
            }
            const std::uint32_t called = function.calls[open.next];
            const auto [size, isNew] = sizes.try_emplace(called);
            if (isNew) {
                way.push_back({called});
                continue;
            }
            if (!size->second) refuse(*ids_.definition(called), "calls itself");
            open.instructions = std::min(open.instructions + *size->second, spirvLimits::instructions + 1);
            ++open.next;
        }
    }

    SpirvIds ids_;
    DeclarationCheck declarations_;
    std::unordered_map<std::uint32_t, Function> functions_;    // by id
    std::unordered_map<std::uint32_t, std::uint32_t> labels_;  // -> their functions
    std::unordered_set<std::uint32_t> builtIns_;               // the ids with that decoration
    std::vector<std::uint32_t> merges_;                        // of the open constructs
    std::uint32_t function_ = 0;                               // the one being read; 0: none
};

}  // namespace

void checkSpirv(std::span<const std::uint32_t> words) { Check(words).run(); }

}  // namespace a2
