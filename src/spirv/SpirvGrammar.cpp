#include "spirv/SpirvGrammar.h"

#include "a2/Error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace a2 {

namespace {

// operands: letters of SpirvOperand; what follows `?` may be missing, what follows `*` is repeated any number of times.
struct Form {
    spv::Op first, last;  // opcodes with these operands
    const char* operands;
    const char* name;  // of one opcode
};

constexpr Form one(spv::Op opcode, const char* operands, const char* name) { return {opcode, opcode, operands, name}; }

constexpr std::array forms = {
    one(spv::OpCapability, "n", "OpCapability"),
    one(spv::OpExtInstImport, "Rs", "OpExtInstImport"),
    one(spv::OpMemoryModel, "nn", "OpMemoryModel"),
    one(spv::OpEntryPoint, "nfs*i", "OpEntryPoint"),
    one(spv::OpExecutionMode, "fn*n", "OpExecutionMode"),
    one(spv::OpName, "is", "OpName"),
    one(spv::OpMemberName, "ins", "OpMemberName"),
    one(spv::OpDecorate, "in*n", "OpDecorate"),
    one(spv::OpMemberDecorate, "inn*n", "OpMemberDecorate"),

    one(spv::OpTypeVoid, "R", "OpTypeVoid"),
    one(spv::OpTypeBool, "R", "OpTypeBool"),
    one(spv::OpTypeInt, "Rnn", "OpTypeInt"),
    one(spv::OpTypeFloat, "Rn?n", "OpTypeFloat"),
    one(spv::OpTypeVector, "Rtn", "OpTypeVector"),
    one(spv::OpTypeMatrix, "Rtn", "OpTypeMatrix"),
    one(spv::OpTypeArray, "Rtc", "OpTypeArray"),
    one(spv::OpTypeRuntimeArray, "Rt", "OpTypeRuntimeArray"),
    one(spv::OpTypeStruct, "R*t", "OpTypeStruct"),
    one(spv::OpTypePointer, "Rnt", "OpTypePointer"),
    one(spv::OpTypeForwardPointer, "in", "OpTypeForwardPointer"),
    one(spv::OpTypeFunction, "Rt*t", "OpTypeFunction"),

    one(spv::OpUndef, "TR", "OpUndef"),
    one(spv::OpConstantTrue, "TR", "OpConstantTrue"),
    one(spv::OpConstantFalse, "TR", "OpConstantFalse"),
    one(spv::OpConstant, "TRn?n", "OpConstant"),
    one(spv::OpConstantComposite, "TR*c", "OpConstantComposite"),
    one(spv::OpConstantNull, "TR", "OpConstantNull"),
    one(spv::OpSpecConstantTrue, "TR", "OpSpecConstantTrue"),
    one(spv::OpSpecConstantFalse, "TR", "OpSpecConstantFalse"),
    one(spv::OpSpecConstant, "TRn?n", "OpSpecConstant"),
    one(spv::OpSpecConstantComposite, "TR*c", "OpSpecConstantComposite"),
    one(spv::OpSpecConstantOp, "TRnc*n", "OpSpecConstantOp"),

    one(spv::OpFunction, "TRnF", "OpFunction"),
    one(spv::OpFunctionParameter, "TR", "OpFunctionParameter"),
    one(spv::OpFunctionEnd, "", "OpFunctionEnd"),
    one(spv::OpFunctionCall, "TRf*v", "OpFunctionCall"),
    one(spv::OpVariable, "TRn?c", "OpVariable"),
    one(spv::OpLoad, "TRp*n", "OpLoad"),
    one(spv::OpStore, "pv*n", "OpStore"),
    one(spv::OpCopyMemory, "pp*n", "OpCopyMemory"),
    one(spv::OpCopyMemorySized, "ppv*n", "OpCopyMemorySized"),
    one(spv::OpAccessChain, "TRp*v", "OpAccessChain"),
    one(spv::OpInBoundsAccessChain, "TRp*v", "OpInBoundsAccessChain"),
    one(spv::OpPtrAccessChain, "TRpv*v", "OpPtrAccessChain"),
    one(spv::OpInBoundsPtrAccessChain, "TRpv*v", "OpInBoundsPtrAccessChain"),
    one(spv::OpArrayLength, "TRpn", "OpArrayLength"),
    one(spv::OpExtInst, "TRxn*v", "OpExtInst"),

    one(spv::OpVectorExtractDynamic, "TRvv", "OpVectorExtractDynamic"),
    one(spv::OpVectorInsertDynamic, "TRvvv", "OpVectorInsertDynamic"),
    one(spv::OpVectorShuffle, "TRvv*n", "OpVectorShuffle"),
    one(spv::OpCompositeConstruct, "TR*v", "OpCompositeConstruct"),
    one(spv::OpCompositeExtract, "TRv*n", "OpCompositeExtract"),
    one(spv::OpCompositeInsert, "TRvv*n", "OpCompositeInsert"),
    one(spv::OpCopyObject, "TRv", "OpCopyObject"),
    one(spv::OpTranspose, "TRv", "OpTranspose"),
    one(spv::OpCopyLogical, "TRv", "OpCopyLogical"),

    Form{spv::OpConvertFToU, spv::OpGenericCastToPtr, "TRv", nullptr},
    one(spv::OpBitcast, "TRv", "OpBitcast"),
    Form{spv::OpSNegate, spv::OpFNegate, "TRv", nullptr},
    one(spv::OpIAdd, "TRvv", "OpIAdd"),
    Form{spv::OpFAdd, spv::OpSMulExtended, "TRvv", nullptr},
    Form{spv::OpAny, spv::OpSignBitSet, "TRv", nullptr},
    Form{spv::OpLessOrGreater, spv::OpLogicalAnd, "TRvv", nullptr},
    one(spv::OpLogicalNot, "TRv", "OpLogicalNot"),
    one(spv::OpSelect, "TRvvv", "OpSelect"),
    Form{spv::OpIEqual, spv::OpFUnordGreaterThanEqual, "TRvv", nullptr},
    Form{spv::OpShiftRightLogical, spv::OpBitwiseAnd, "TRvv", nullptr},
    one(spv::OpNot, "TRv", "OpNot"),
    one(spv::OpBitFieldInsert, "TRvvvv", "OpBitFieldInsert"),
    Form{spv::OpBitFieldSExtract, spv::OpBitFieldUExtract, "TRvvv", nullptr},
    Form{spv::OpBitReverse, spv::OpBitCount, "TRv", nullptr},

    one(spv::OpControlBarrier, "vvv", "OpControlBarrier"),
    one(spv::OpMemoryBarrier, "vv", "OpMemoryBarrier"),
    one(spv::OpAtomicLoad, "TRpvv", "OpAtomicLoad"),
    one(spv::OpAtomicStore, "pvvv", "OpAtomicStore"),
    one(spv::OpAtomicExchange, "TRpvvv", "OpAtomicExchange"),
    Form{spv::OpAtomicCompareExchange, spv::OpAtomicCompareExchangeWeak, "TRpvvvvv", nullptr},
    Form{spv::OpAtomicIIncrement, spv::OpAtomicIDecrement, "TRpvv", nullptr},
    one(spv::OpAtomicIAdd, "TRpvvv", "OpAtomicIAdd"),
    Form{spv::OpAtomicISub, spv::OpAtomicXor, "TRpvvv", nullptr},

    one(spv::OpPhi, "TR*wL", "OpPhi"),
    one(spv::OpLoopMerge, "LLn*n", "OpLoopMerge"),
    one(spv::OpSelectionMerge, "Ln", "OpSelectionMerge"),
    one(spv::OpLabel, "R", "OpLabel"),
    one(spv::OpBranch, "L", "OpBranch"),
    one(spv::OpBranchConditional, "vLL*n", "OpBranchConditional"),
    one(spv::OpSwitch, "vL*n", "OpSwitch"),
    one(spv::OpKill, "", "OpKill"),
    one(spv::OpReturn, "", "OpReturn"),
    one(spv::OpReturnValue, "v", "OpReturnValue"),
    one(spv::OpUnreachable, "", "OpUnreachable"),

    one(spv::OpGroupNonUniformElect, "TRv", "OpGroupNonUniformElect"),
    Form{spv::OpGroupNonUniformAll, spv::OpGroupNonUniformAllEqual, "TRvv", nullptr},
    one(spv::OpGroupNonUniformBroadcast, "TRvvv", "OpGroupNonUniformBroadcast"),
    Form{spv::OpGroupNonUniformBroadcastFirst, spv::OpGroupNonUniformInverseBallot, "TRvv", nullptr},
    one(spv::OpGroupNonUniformBallotBitExtract, "TRvvv", "OpGroupNonUniformBallotBitExtract"),
    one(spv::OpGroupNonUniformBallotBitCount, "TRvnv", "OpGroupNonUniformBallotBitCount"),
    Form{spv::OpGroupNonUniformBallotFindLSB, spv::OpGroupNonUniformBallotFindMSB, "TRvv", nullptr},
    Form{spv::OpGroupNonUniformShuffle, spv::OpGroupNonUniformShuffleDown, "TRvvv", nullptr},
    Form{spv::OpGroupNonUniformIAdd, spv::OpGroupNonUniformLogicalXor, "TRvnv?v", nullptr},
    Form{spv::OpGroupNonUniformQuadBroadcast, spv::OpGroupNonUniformQuadSwap, "TRvvv", nullptr},
};

const Form* formOf(spv::Op opcode)
{
    constexpr std::size_t known = 512;  // the forms' opcodes are lower
    static const auto byOpcode = [] {
        std::array<const Form*, known> table{};
        for (const Form& form : forms)
            for (std::size_t i = form.first; i <= static_cast<std::size_t>(form.last); ++i) table.at(i) = &form;
        return table;
    }();
    const auto number = static_cast<std::size_t>(opcode);
    return number < known ? byOpcode.at(number) : nullptr;
}

// Words of the text that begins at word `first`; 0: it has no end.
std::size_t textWords(SpirvWords words, std::size_t first)
{
    for (std::size_t i = first; i < words.size(); ++i)
        for (unsigned shift = 0; shift < 32; shift += 8)
            if (((words[i] >> shift) & 0xFF) == 0) return i - first + 1;
    return 0;
}

}  // namespace

std::string placeOf(SpirvWords instruction)
{
    const spv::Op opcode = instruction.opcode();
    const Form* form = formOf(opcode);
    return form && form->name ? fmt::format("word {} ({})", instruction.at(), form->name)
                              : fmt::format("word {} (opcode {})", instruction.at(), static_cast<int>(opcode));
}

void forEachOperand(SpirvWords instruction, const std::function<void(SpirvOperand, std::size_t)>& visit)
{
    const auto refuse = [&](const char* what) { throw KernelError(placeOf(instruction) + " " + what); };
    const Form* form = formOf(instruction.opcode());
    if (!form) {
        const bool id = resultOf(instruction).id, typed = resultOf(instruction).type;
        if (typed) visit(SpirvOperand::resultType, 1);
        if (id) visit(SpirvOperand::result, typed ? 2 : 1);
        return;
    }
    std::size_t at = 1;
    const char* repeated = nullptr;
    bool optional = false;
    for (const char* letter = form->operands;; ++letter) {
        if (*letter == '\0' && !repeated) break;
        if (*letter == '\0') letter = repeated;
        if (*letter == '*') repeated = ++letter;
        if (*letter == '?') {
            optional = true;
            ++letter;
        }
        const bool mayEnd = optional || letter == repeated;
        if (at >= instruction.size() && mayEnd) break;
        if (at >= instruction.size()) refuse("lacks an operand");
        const auto operand = static_cast<SpirvOperand>(*letter);
        visit(operand, at);
        const std::size_t words = operand == SpirvOperand::text ? textWords(instruction, at) : 1;
        if (words == 0) refuse("has a text without an end");
        at += words;
    }
    if (at < instruction.size()) refuse("has too many operands");
}

}  // namespace a2
