#include "spirv/EmulatorDecodeSubgroup.h"

#include "a2/Error.h"
#include "spirv/EmulatorDecode.h"
#include "spirv/SpirvGrammar.h"

#include <algorithm>
#include <bit>

namespace a2::emulator {

namespace {

// The newer name of operations in extensions older than SPIR-V 1.3, which have no scope; OpNop: it is no such
// operation.
spv::Op laterName(spv::Op opcode)
{
    switch (opcode) {
        case spv::OpSubgroupBallotKHR:
            return spv::OpGroupNonUniformBallot;
        case spv::OpSubgroupFirstInvocationKHR:
            return spv::OpGroupNonUniformBroadcastFirst;
        case spv::OpSubgroupAllKHR:
            return spv::OpGroupNonUniformAll;
        case spv::OpSubgroupAnyKHR:
            return spv::OpGroupNonUniformAny;
        case spv::OpSubgroupAllEqualKHR:
            return spv::OpGroupNonUniformAllEqual;
        case spv::OpSubgroupReadInvocationKHR:
            return spv::OpGroupNonUniformShuffle;
        default:
            return spv::OpNop;
    }
}

}  // namespace

bool decodeTogether(Emitter& out, SpirvWords words)
{
    const bool known = isSubgroupOperation(static_cast<std::uint16_t>(words.opcode()));
    const bool scoped = known && words.opcode() != spv::OpGroupNonUniformPartitionNV;
    const spv::Op opcode = known ? words.opcode() : laterName(words.opcode());
    if (opcode == spv::OpNop) return false;
    if (scoped && out.declarations.constant(words[3]) != spv::ScopeSubgroup) {
        out.unknown(words, " of a scope");
        return true;
    }
    const Meaning made = out.declarations.of(words[2]);
    const Type& type = out.declarations.type(made.type);
    Instruction one;
    one.op = static_cast<std::uint16_t>(opcode);
    one.result = made.cell;
    one.count = type.cells;
    const auto refuse = [&] { throw KernelError(placeOf(words) + " cannot be emulated: it takes another type"); };
    const auto value = [&](std::size_t at, std::uint32_t cells) {
        const Meaning& meaning = out.declarations.of(words[scoped ? at : at - 1]);
        const Type& given = out.declarations.type(meaning.type);
        if (given.cells != cells || given.form == Form::pointer) refuse();
        one.width = static_cast<std::uint8_t>(out.declarations.type(given.scalar).bits);
        if (one.width == 0) refuse();
        return meaning.cell;
    };
    const auto oneCell = [&] {
        if (type.cells != 1) refuse();
    };
    switch (opcode) {
        case spv::OpGroupNonUniformElect:
            oneCell();
            break;
        case spv::OpGroupNonUniformAll:
        case spv::OpGroupNonUniformAny:
            oneCell();
            one.a = value(4, 1);
            break;
        case spv::OpGroupNonUniformAllEqual:
            oneCell();
            one.count = out.declarations.typeOf(words[scoped ? 4 : 3]).cells;
            one.a = value(4, one.count);
            break;
        case spv::OpGroupNonUniformPartitionNV:
            if (type.cells != 4) refuse();
            one.count = out.declarations.typeOf(words[3]).cells;
            one.a = value(4, one.count);
            break;
        case spv::OpGroupNonUniformBallot:
            if (type.cells != 4) refuse();
            one.a = value(4, 1);
            break;
        case spv::OpGroupNonUniformInverseBallot:
        case spv::OpGroupNonUniformBallotFindLSB:
        case spv::OpGroupNonUniformBallotFindMSB:
            oneCell();
            one.a = value(4, 4);
            break;
        case spv::OpGroupNonUniformBallotBitExtract:
            oneCell();
            one.b = value(5, 1);
            one.a = value(4, 4);
            break;
        case spv::OpGroupNonUniformBallotBitCount:
            oneCell();
            one.flags = static_cast<std::uint8_t>(std::min<std::uint32_t>(words[4], UINT8_MAX));
            one.a = value(5, 4);
            break;
        case spv::OpGroupNonUniformBroadcastFirst:
            one.a = value(4, type.cells);
            break;
        default: {
            if (isShuffle(one.op)) {
                one.b = value(5, 1);
                one.a = value(4, type.cells);
                if (opcode == spv::OpGroupNonUniformRotateKHR && words.size() > 6) {
                    const auto cluster = out.declarations.constant(words[6]);
                    if (!cluster || !std::has_single_bit(*cluster)) refuse();
                    one.c = static_cast<std::uint32_t>(std::min<std::uint64_t>(*cluster, limits::invocations));
                }
                break;
            }
            one.flags = static_cast<std::uint8_t>(std::min<std::uint32_t>(words[4], UINT8_MAX));
            one.a = value(5, type.cells);
            if (one.flags >= spv::GroupOperationPartitionedReduceNV &&
                one.flags <= spv::GroupOperationPartitionedExclusiveScanNV) {
                const unsigned width = one.width;
                one.c = value(6, 4);
                one.width = static_cast<std::uint8_t>(width);
            } else if (one.flags > spv::GroupOperationClusteredReduce) {
                out.unknown(words, " of a kind");
                return true;
            }
            if (one.flags == spv::GroupOperationClusteredReduce) {
                const auto cluster = out.declarations.constant(words[6]);
                if (!cluster || *cluster == 0) refuse();
                one.c = static_cast<std::uint32_t>(std::min<std::uint64_t>(*cluster, limits::invocations));
            }
        }
    }
    out.push(one);
    return true;
}

}  // namespace a2::emulator
