#include "spirv/SpirvGrammar.h"

#include "a2/Error.h"
#include "spirv/SpirvNames.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

namespace a2 {

namespace {

// operands: letters of SpirvOperand; operands after `?` may be missing, those after `*` may be repeated any number of
// times.
struct Form {
    spv::Op first, last;  // all opcodes with these operands
    const char* operands;
};

constexpr Form one(spv::Op opcode, const char* operands) { return {opcode, opcode, operands}; }

constexpr std::array forms = {
    one(spv::OpCapability, "n"),
    one(spv::OpExtInstImport, "Rs"),
    one(spv::OpMemoryModel, "nn"),
    one(spv::OpEntryPoint, "nfs*i"),
    one(spv::OpExecutionMode, "fn*n"),
    one(spv::OpName, "is"),
    one(spv::OpMemberName, "ins"),
    one(spv::OpDecorate, "in*n"),
    one(spv::OpMemberDecorate, "inn*n"),

    one(spv::OpTypeVoid, "R"),
    one(spv::OpTypeBool, "R"),
    one(spv::OpTypeInt, "Rnn"),
    one(spv::OpTypeFloat, "Rn?n"),
    one(spv::OpTypeVector, "Rtn"),
    one(spv::OpTypeMatrix, "Rtn"),
    one(spv::OpTypeArray, "Rtc"),
    one(spv::OpTypeRuntimeArray, "Rt"),
    one(spv::OpTypeStruct, "R*t"),
    one(spv::OpTypePointer, "Rnt"),
    one(spv::OpTypeForwardPointer, "in"),
    one(spv::OpTypeFunction, "Rt*t"),

    one(spv::OpUndef, "TR"),
    one(spv::OpConstantTrue, "TR"),
    one(spv::OpConstantFalse, "TR"),
    one(spv::OpConstant, "TRn?n"),
    one(spv::OpConstantComposite, "TR*c"),
    one(spv::OpConstantNull, "TR"),
    one(spv::OpSpecConstantTrue, "TR"),
    one(spv::OpSpecConstantFalse, "TR"),
    one(spv::OpSpecConstant, "TRn?n"),
    one(spv::OpSpecConstantComposite, "TR*c"),
    one(spv::OpSpecConstantOp, "TRnc*n"),

    one(spv::OpFunction, "TRnF"),
    one(spv::OpFunctionParameter, "TR"),
    one(spv::OpFunctionEnd, ""),
    one(spv::OpFunctionCall, "TRf*v"),
    one(spv::OpVariable, "TRn?c"),
    one(spv::OpLoad, "TRp*n"),
    one(spv::OpStore, "pv*n"),
    one(spv::OpCopyMemory, "pp*n"),
    one(spv::OpCopyMemorySized, "ppv*n"),
    one(spv::OpAccessChain, "TRp*v"),
    one(spv::OpInBoundsAccessChain, "TRp*v"),
    one(spv::OpPtrAccessChain, "TRpv*v"),
    one(spv::OpInBoundsPtrAccessChain, "TRpv*v"),
    one(spv::OpArrayLength, "TRpn"),
    one(spv::OpExtInst, "TRxn*v"),

    one(spv::OpVectorExtractDynamic, "TRvv"),
    one(spv::OpVectorInsertDynamic, "TRvvv"),
    one(spv::OpVectorShuffle, "TRvv*n"),
    one(spv::OpCompositeConstruct, "TR*v"),
    one(spv::OpCompositeExtract, "TRv*n"),
    one(spv::OpCompositeInsert, "TRvv*n"),
    one(spv::OpCopyObject, "TRv"),
    one(spv::OpTranspose, "TRv"),
    one(spv::OpCopyLogical, "TRv"),

    Form{spv::OpConvertFToU, spv::OpGenericCastToPtr, "TRv"},
    one(spv::OpBitcast, "TRv"),
    Form{spv::OpSNegate, spv::OpFNegate, "TRv"},
    one(spv::OpIAdd, "TRvv"),
    Form{spv::OpFAdd, spv::OpSMulExtended, "TRvv"},
    Form{spv::OpAny, spv::OpSignBitSet, "TRv"},
    Form{spv::OpLessOrGreater, spv::OpLogicalAnd, "TRvv"},
    one(spv::OpLogicalNot, "TRv"),
    one(spv::OpSelect, "TRvvv"),
    Form{spv::OpIEqual, spv::OpFUnordGreaterThanEqual, "TRvv"},
    Form{spv::OpShiftRightLogical, spv::OpBitwiseAnd, "TRvv"},
    one(spv::OpNot, "TRv"),
    one(spv::OpBitFieldInsert, "TRvvvv"),
    Form{spv::OpBitFieldSExtract, spv::OpBitFieldUExtract, "TRvvv"},
    Form{spv::OpBitReverse, spv::OpBitCount, "TRv"},

    one(spv::OpControlBarrier, "vvv"),
    one(spv::OpMemoryBarrier, "vv"),
    one(spv::OpAtomicLoad, "TRpvv"),
    one(spv::OpAtomicStore, "pvvv"),
    one(spv::OpAtomicExchange, "TRpvvv"),
    Form{spv::OpAtomicCompareExchange, spv::OpAtomicCompareExchangeWeak, "TRpvvvvv"},
    Form{spv::OpAtomicIIncrement, spv::OpAtomicIDecrement, "TRpvv"},
    one(spv::OpAtomicIAdd, "TRpvvv"),
    Form{spv::OpAtomicISub, spv::OpAtomicXor, "TRpvvv"},

    one(spv::OpPhi, "TR*wL"),
    one(spv::OpLoopMerge, "LLn*n"),
    one(spv::OpSelectionMerge, "Ln"),
    one(spv::OpLabel, "R"),
    one(spv::OpBranch, "L"),
    one(spv::OpBranchConditional, "vLL*n"),
    one(spv::OpSwitch, "vL*n"),
    one(spv::OpKill, ""),
    one(spv::OpReturn, ""),
    one(spv::OpReturnValue, "v"),
    one(spv::OpUnreachable, ""),

    one(spv::OpGroupNonUniformElect, "TRv"),
    Form{spv::OpGroupNonUniformAll, spv::OpGroupNonUniformAllEqual, "TRvv"},
    one(spv::OpGroupNonUniformBroadcast, "TRvvv"),
    Form{spv::OpGroupNonUniformBroadcastFirst, spv::OpGroupNonUniformInverseBallot, "TRvv"},
    one(spv::OpGroupNonUniformBallotBitExtract, "TRvvv"),
    one(spv::OpGroupNonUniformBallotBitCount, "TRvnv"),
    Form{spv::OpGroupNonUniformBallotFindLSB, spv::OpGroupNonUniformBallotFindMSB, "TRvv"},
    Form{spv::OpGroupNonUniformShuffle, spv::OpGroupNonUniformShuffleDown, "TRvvv"},
    Form{spv::OpGroupNonUniformIAdd, spv::OpGroupNonUniformLogicalXor, "TRvnv?v"},
    Form{spv::OpGroupNonUniformQuadBroadcast, spv::OpGroupNonUniformQuadSwap, "TRvvv"},
    one(spv::OpGroupNonUniformRotateKHR, "TRvvv?v"),
    one(spv::OpGroupNonUniformPartitionNV, "TRv"),
    Form{spv::OpSubgroupBallotKHR, spv::OpSubgroupFirstInvocationKHR, "TRv"},
    Form{spv::OpSubgroupAllKHR, spv::OpSubgroupAllEqualKHR, "TRv"},
    one(spv::OpSubgroupReadInvocationKHR, "TRvv"),

    one(spv::OpReadClockKHR, "TRv"),
    Form{spv::OpAtomicFMinEXT, spv::OpAtomicFMaxEXT, "TRpvvv"},
    one(spv::OpAtomicFAddEXT, "TRpvvv"),
    one(spv::OpAssumeTrueKHR, "v"),
    one(spv::OpExpectKHR, "TRvv"),
};

const Form* formOf(spv::Op opcode)
{
    constexpr std::size_t known = 8192;  // the opcodes of all forms are smaller
    static const auto byOpcode = [] {
        std::vector<const Form*> table(known);
        for (const Form& form : forms)
            for (std::size_t i = form.first; i <= static_cast<std::size_t>(form.last); ++i) table.at(i) = &form;
        return table;
    }();
    const auto number = static_cast<std::size_t>(opcode);
    return number < known ? byOpcode.at(number) : nullptr;
}

// Length in words of the text that begins at word `first`; 0: it has no end.
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
    return fmt::format("word {} ({})", instruction.at(), opcodeName(instruction.opcode()));
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
