#include "spirv/SpirvCheck.h"

#include "a2/Error.h"
#include "spirv/SpirvGrammar.h"
#include "spirv/SpirvModule.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace a2 {

namespace {

bool isType(spv::Op opcode)
{
    return (opcode >= spv::OpTypeVoid && opcode <= spv::OpTypePipe) || opcode > spv::OpGroupNonUniformQuadSwap;
}

bool isConstant(spv::Op opcode)
{
    return opcode == spv::OpUndef || (opcode >= spv::OpConstantTrue && opcode <= spv::OpSpecConstantOp);
}

bool isScalar(spv::Op opcode)
{
    return opcode == spv::OpTypeBool || opcode == spv::OpTypeInt || opcode == spv::OpTypeFloat;
}

class Check {
public:
    explicit Check(std::span<const std::uint32_t> words) : words_(words) {}

    void run()
    {
        header();
        defined_.resize(words_[3]);
        forEach([this](SpirvWords one) { survey(one); });
        function_ = 0;
        forEach([this](SpirvWords one) { check(one); });
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
    struct Extent {  // of a type
        std::size_t nesting = 0, members = 1;
    };

    [[noreturn]] static void refuse(SpirvWords where, const std::string& what)
    {
        throw KernelError(placeOf(where) + " " + what);
    }

    void header() const
    {
        if (words_.size() < SpirvModule::headerWords) throw KernelError("it has no header");
        if (words_.size() > spirvLimits::words)
            throw KernelError(fmt::format("{} words are more than the {} that are read", words_.size(),
                                          std::size_t{spirvLimits::words}));
        if (words_[0] != spv::MagicNumber) throw KernelError("word 0 is not SPIR-V's magic number");
        if (words_[1] >> 16 != 1 || (words_[1] & 0xFF) != 0 || (words_[1] & 0xFF00) > 0x0600)
            throw KernelError(fmt::format("word 1, {:#x}, is no version of SPIR-V 1", words_[1]));
        if (words_[3] == 0 || words_[3] > spirvLimits::idBound)
            throw KernelError(fmt::format("word 3, {}, is no bound of ids (1 to {})", words_[3],
                                          std::uint32_t{spirvLimits::idBound}));
        if (words_[4] != 0) throw KernelError("word 4 is not 0");
    }

    SpirvWords instructionAt(std::size_t at) const
    {
        const std::size_t length = words_[at] >> spv::WordCountShift;
        const SpirvWords one(words_.subspan(at, std::clamp<std::size_t>(length, 1, words_.size() - at)), at);
        if (length == 0) refuse(one, "has no length");
        if (length > one.size()) refuse(one, "goes on after the module's end");
        return one;
    }

    template <class Visit>
    void forEach(const Visit& visit) const
    {
        for (std::size_t at = SpirvModule::headerWords; at < words_.size();) {
            const SpirvWords one = instructionAt(at);
            visit(one);
            at += one.size();
        }
    }

    // The instruction that defines an id; empty if none does.
    std::optional<SpirvWords> definition(std::uint32_t id) const
    {
        if (id >= defined_.size() || defined_[id] == 0) return {};
        return instructionAt(defined_[id]);
    }
    spv::Op opcodeOf(std::uint32_t id) const
    {
        const auto one = definition(id);
        return one ? one->opcode() : spv::OpNop;
    }
    // The type of a constant or value; 0: it has none.
    std::uint32_t typeOf(std::uint32_t id) const
    {
        const auto one = definition(id);
        return one && one->opcode() != spv::OpFunction ? resultOf(*one).type : 0;
    }
    // The word of a type's instruction at this place, if the type has this opcode.
    std::optional<std::uint32_t> ofType(std::uint32_t type, spv::Op opcode, std::size_t word) const
    {
        const auto one = definition(type);
        return one && one->opcode() == opcode ? std::optional((*one)[word]) : std::nullopt;
    }
    // The value of a whole number that no specialisation changes.
    std::optional<std::uint32_t> number(std::uint32_t constant) const
    {
        const auto one = definition(constant);
        if (!one || one->opcode() != spv::OpConstant || opcodeOf((*one)[1]) != spv::OpTypeInt) return {};
        for (std::size_t i = 4; i < one->size(); ++i)
            if ((*one)[i] != 0) return UINT32_MAX;
        return (*one)[3];
    }

    // First pass: notes where everything is.
    void survey(SpirvWords one)
    {
        const spv::Op opcode = one.opcode();
        forEachOperand(one, [&](SpirvOperand operand, std::size_t at) {
            if (operand == SpirvOperand::literal || operand == SpirvOperand::text) return;
            if (one[at] == 0 || one[at] >= defined_.size())
                refuse(one, fmt::format("names id {}, and ids are 1 to {}", one[at], defined_.size() - 1));
            if (operand != SpirvOperand::result) return;
            if (defined_[one[at]] != 0) refuse(one, fmt::format("defines id {} again", one[at]));
            defined_[one[at]] = static_cast<std::uint32_t>(one.at());
        });
        if (opcode == spv::OpConstantComposite || opcode == spv::OpSpecConstantComposite ||
            opcode == spv::OpCompositeConstruct)
            hasRoom(one);
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
        if (opcode == spv::OpMemberDecorate || opcode == spv::OpMemberName) {
            auto& most = namedMembers_[one[1]];
            most = std::max(most, std::uint64_t{one[2]} + 1);
        }
    }

    // If a compiler writes more parts than fit, their number keeps only its low bits, and the rest makes no sense.
    void hasRoom(SpirvWords one) const
    {
        constexpr std::uint32_t most = UINT16_MAX - 3;
        const auto length = ofType(one[1], spv::OpTypeArray, 3);
        const std::uint32_t parts = length ? number(*length).value_or(0) : 0;
        if (parts > most)
            refuse(one,
                   fmt::format("makes an array of {} values, and an instruction of SPIR-V has room for {}: put the "
                               "table into a buffer, or into several arrays",
                               parts, most));
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
        if (opcodeOf(resultOf(one).type) == spv::OpTypePointer && !makesPointers(opcode))
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
        const auto known = [&] { return defined_[id] != 0 && defined_[id] < one.at(); };
        const auto pointer = [&] { return opcodeOf(typeOf(id)) == spv::OpTypePointer; };
        switch (operand) {
            case SpirvOperand::resultType:
                return want(known() && isType(opcodeOf(id)), "a type");
            case SpirvOperand::type:
                return want((known() || opcodeOf(id) == spv::OpTypePointer) && isType(opcodeOf(id)), "a type");
            case SpirvOperand::constant:
                return want(known() && (isConstant(opcodeOf(id)) || opcodeOf(id) == spv::OpVariable), "a constant");
            case SpirvOperand::value:
                return want(known() && typeOf(id) != 0, "a value");
            case SpirvOperand::phiValue:
                return want(typeOf(id) != 0, "a value");
            case SpirvOperand::pointer:
                return want(known() && pointer(), "a pointer");
            case SpirvOperand::label:
                return want(labels_.count(id) && labels_.at(id) == function_, "a block of its function");
            case SpirvOperand::function:
                return want(functions_.count(id) > 0, "a function");
            case SpirvOperand::functionType:
                return want(known() && opcodeOf(id) == spv::OpTypeFunction, "the type of a function");
            case SpirvOperand::instructionSet:
                return want(known() && opcodeOf(id) == spv::OpExtInstImport, "a set of instructions");
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
        const auto import = definition(set);
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
        if (!passes && opcodeOf(typeOf(id)) == spv::OpTypePointer)
            refuse(one, fmt::format("takes the pointer {} for a value", id));
    }

    void declaration(SpirvWords one)
    {
        if (function_ != 0 && (isType(one.opcode()) || isConstant(one.opcode())) && one.opcode() != spv::OpUndef)
            refuse(one, "stands inside a function");
        switch (one.opcode()) {
            case spv::OpMemberName:
                if (opcodeOf(one[1]) != spv::OpTypeStruct) refuse(one, "is about what has no members");
                break;
            case spv::OpExecutionMode:
                if (main_ != one[1]) refuse(one, "is not about main()");
                if (one[2] == spv::ExecutionModeLocalSize && one.size() != 6) refuse(one, "has no three sizes");
                break;
            case spv::OpEntryPoint:
                if (one[1] != spv::ExecutionModelGLCompute || !isMain(one) || main_ != 0)
                    refuse(one, "is not the one compute shader main()");
                main_ = one[2];
                break;
            case spv::OpTypeInt:
            case spv::OpTypeFloat:
                if (one[2] != 8 && one[2] != 16 && one[2] != 32 && one[2] != 64)
                    refuse(one, fmt::format("has {} bits", one[2]));
                break;
            case spv::OpTypeVector:
                if (!isScalar(opcodeOf(one[2])) || one[3] < 2 || one[3] > 4)
                    refuse(one, fmt::format("is no vector of 2 to 4 numbers but of {}", one[3]));
                break;
            case spv::OpTypeMatrix:
                if (opcodeOf(one[2]) != spv::OpTypeVector || one[3] < 2 || one[3] > 4)
                    refuse(one, "is no matrix of 2 to 4 vectors");
                break;
            case spv::OpTypePointer:
                if (one[2] > UINT16_MAX) refuse(one, fmt::format("leads to memory {}, which there is not", one[2]));
                break;
            case spv::OpTypeArray:
            case spv::OpTypeRuntimeArray:
            case spv::OpTypeStruct:
                nest(one);
                break;
            case spv::OpTypeFunction:
                if (one.size() - 3 > spirvLimits::parameters) refuse(one, "has too many parameters");
                break;
            case spv::OpConstant:
            case spv::OpSpecConstant:
                scalarConstant(one);
                break;
            case spv::OpConstantComposite:
            case spv::OpSpecConstantComposite:
                composite(one);
                break;
            case spv::OpSpecConstantOp:
                operation(one);
                break;
            default:
                break;
        }
    }

    static bool isMain(SpirvWords one)
    {
        constexpr std::uint32_t main = 'm' | 'a' << 8 | 'i' << 16 | 'n' << 24;
        return one[3] == main && one.size() > 4 && (one[4] & 0xFF) == 0;
    }

    // How deeply arrays and structures are nested, and how many members they have in all.
    void nest(SpirvWords one)
    {
        Extent extent;
        const bool structure = one.opcode() == spv::OpTypeStruct;
        if (structure) extent.members = 0;
        for (const std::uint32_t type : structure ? one.from(2) : one.from(2, 1)) {
            const spv::Op opcode = opcodeOf(type);
            if (opcode == spv::OpTypeVoid || opcode == spv::OpTypeFunction)
                refuse(one, fmt::format("has id {} as a part, which is no data", type));
            const auto found = extents_.find(type);
            const Extent part = found == extents_.end() ? Extent() : found->second;
            extent.nesting = std::max(extent.nesting, part.nesting + 1);
            if (structure) extent.members += std::max<std::size_t>(part.members, 1);
        }
        if (extent.nesting > spirvLimits::structureNesting)
            refuse(one, fmt::format("is nested deeper than {}", std::size_t{spirvLimits::structureNesting}));
        if (extent.members > spirvLimits::structureMembers)
            refuse(one, fmt::format("has more than {} members", std::size_t{spirvLimits::structureMembers}));
        extents_[one[1]] = extent;
        if (structure) {
            const auto named = namedMembers_.find(one[1]);
            if (named != namedMembers_.end() && named->second > one.size() - 2)
                refuse(one, fmt::format("has no member {}, which is described", named->second - 1));
        }
        if (one.opcode() == spv::OpTypeArray) {
            if (opcodeOf(typeOf(one[3])) != spv::OpTypeInt) refuse(one, "has a length that is no whole number");
            if (number(one[3]) == 0U) refuse(one, "has no elements");
        }
    }

    void scalarConstant(SpirvWords one) const
    {
        const auto type = definition(one[1]);
        const bool isNumber =
            type && (type->opcode() == spv::OpTypeInt || type->opcode() == spv::OpTypeFloat) && type->size() > 2;
        if (!isNumber || one.size() != ((*type)[2] > 32 ? 5U : 4U)) refuse(one, "is no number of its type");
    }

    void composite(SpirvWords one) const
    {
        const auto type = definition(one[1]);
        const std::size_t parts = one.size() - 3;
        std::optional<std::size_t> wanted;
        switch (type->opcode()) {
            case spv::OpTypeVector:
            case spv::OpTypeMatrix:
                wanted = (*type)[3];
                break;
            case spv::OpTypeStruct:
                wanted = type->size() - 2;
                break;
            case spv::OpTypeArray:
                wanted = number((*type)[3]);
                if (!wanted) return;  // the number depends on the specialisation
                break;
            default:
                refuse(one, "has parts, and its type has none");
        }
        if (parts != wanted) refuse(one, fmt::format("has {} parts, and its type has {}", parts, *wanted));
    }

    // An operation on constants: its operands are constants, except the component numbers.
    void operation(SpirvWords one) const
    {
        const auto constants = [&](std::size_t first, std::size_t count) {
            for (std::size_t i = first; i < first + count; ++i) {
                if (i >= one.size()) refuse(one, "lacks an operand");
                if (one[i] == 0 || one[i] >= defined_.size() || defined_[one[i]] >= one.at() ||
                    !isConstant(opcodeOf(one[i])))
                    refuse(one, fmt::format("takes id {} for a constant", one[i]));
            }
        };
        const std::uint32_t operation = one[3];
        switch (operation) {
            case spv::OpCompositeExtract:
                if (one.size() < 6) refuse(one, "lacks an operand");
                return;
            case spv::OpCompositeInsert:
            case spv::OpVectorShuffle:
                return constants(4, 2);
            case spv::OpSelect:
                return constants(4, 3);
            case spv::OpAccessChain:
            case spv::OpInBoundsAccessChain:
            case spv::OpPtrAccessChain:
            case spv::OpInBoundsPtrAccessChain:
                return constants(4, one.size() - 4);
            default:
                break;
        }
        const bool unary = (operation >= spv::OpConvertFToU && operation <= spv::OpFNegate) ||
                           operation == spv::OpLogicalNot || operation == spv::OpNot;
        const bool binary = (operation >= spv::OpIAdd && operation <= spv::OpFMod) ||
                            (operation >= spv::OpLogicalEqual && operation <= spv::OpLogicalAnd) ||
                            (operation >= spv::OpIEqual && operation <= spv::OpBitwiseAnd);
        if (!unary && !binary) refuse(one, fmt::format("asks for opcode {} of constants", one[3]));
        if (one.size() != (unary ? 5U : 6U)) refuse(one, "has the wrong number of operands");
        constants(4, one.size() - 4);
    }

    void function(SpirvWords one)
    {
        function_ = one[2];
        const Function& it = functions_.at(function_);
        const SpirvWords type = *definition(one[4]);
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
                if (one.size() < 4 && (one[2] == spv::DecorationBuiltIn || one[2] == spv::DecorationSpecId))
                    refuse(one, "lacks an operand");
                break;
            case spv::OpMemberDecorate:
                if (opcodeOf(one[1]) != spv::OpTypeStruct) refuse(one, "is about what has no members");
                if (one[3] == spv::DecorationOffset && one.size() != 5) refuse(one, "lacks an operand");
                break;
            case spv::OpVariable:
                if (const auto storage = ofType(one[1], spv::OpTypePointer, 2); !storage || *storage != one[3])
                    refuse(one, "is no pointer into its own memory");
                break;
            case spv::OpLoad:
                if (pointee(one[3]) != one[1]) refuse(one, "loads another type than there is");
                break;
            case spv::OpStore:
                if (pointee(one[1]) != typeOf(one[2])) refuse(one, "stores another type than there is");
                break;
            case spv::OpAccessChain:
            case spv::OpInBoundsAccessChain:
                chain(one);
                break;
            case spv::OpFunctionCall:
                call(one);
                break;
            case spv::OpSwitch:
                for (std::size_t i = 4; ofType(typeOf(one[1]), spv::OpTypeInt, 2) == 32U && i < one.size(); i += 2)
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
        return ofType(typeOf(pointer), spv::OpTypePointer, 3).value_or(0);
    }

    void chain(SpirvWords one) const
    {
        std::uint32_t type = pointee(one[3]);
        for (const std::uint32_t index : one.from(4)) {
            const SpirvWords whole = *definition(type);
            if (opcodeOf(typeOf(index)) != spv::OpTypeInt) refuse(one, "has an index that is no whole number");
            switch (whole.opcode()) {
                case spv::OpTypeVector:
                case spv::OpTypeMatrix:
                case spv::OpTypeArray:
                case spv::OpTypeRuntimeArray:
                    type = whole[2];
                    break;
                case spv::OpTypeStruct: {
                    const auto member = number(index);
                    if (!member || *member >= whole.size() - 2) refuse(one, "asks for a member that there is not");
                    type = whole[2 + *member];
                    break;
                }
                default:
                    refuse(one, "asks for a part of what has none");
            }
        }
        if (ofType(one[1], spv::OpTypePointer, 3) != type) refuse(one, "leads to another type than it says");
    }

    void call(SpirvWords one)
    {
        const auto found = definition((*definition(one[3]))[4]);  // the function may come later in the text
        if (!found || found->opcode() != spv::OpTypeFunction || (*found)[2] != one[1])
            refuse(one, "returns another type than it says");
        const SpirvWords type = *found, given = one.from(4);
        if (given.size() != type.size() - 3)
            refuse(one, fmt::format("passes {} of {} parameters", given.size(), type.size() - 3));
        for (std::size_t i = 0; i < given.size(); ++i)
            if (typeOf(given[i]) != type[3 + i]) refuse(one, fmt::format("passes a parameter {} of another type", i));
        functions_.at(function_).calls.push_back(one[3]);
    }

    void entryPoint() const
    {
        if (main_ == 0) throw KernelError("it has no compute shader main()");
        const SpirvWords function = *definition(main_);
        if (functions_.at(main_).parameters > 0 || opcodeOf(function[1]) != spv::OpTypeVoid)
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
        std::vector<Open> way = {{main_}};
        sizes[main_];
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
            if (!size->second) refuse(*definition(called), "calls itself");
            open.instructions = std::min(open.instructions + *size->second, spirvLimits::instructions + 1);
            ++open.next;
        }
    }

    std::span<const std::uint32_t> words_;
    std::vector<std::uint32_t> defined_;                       // by id: the defining instruction's first word; 0: none
    std::unordered_map<std::uint32_t, Function> functions_;    // by id
    std::unordered_map<std::uint32_t, std::uint32_t> labels_;  // -> their functions
    std::unordered_map<std::uint32_t, Extent> extents_;        // of arrays and structures
    std::unordered_map<std::uint32_t, std::uint64_t> namedMembers_;  // for structures: how many decorations name one
    std::vector<std::uint32_t> merges_;                              // of the open constructs
    std::uint32_t function_ = 0, main_ = 0;                          // function_: the one being read; 0: none
};

}  // namespace

void checkSpirv(std::span<const std::uint32_t> words) { Check(words).run(); }

}  // namespace a2
