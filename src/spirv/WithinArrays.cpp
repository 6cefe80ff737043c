#include "spirv/WithinArrays.h"

#include "spirv/SpirvIds.h"

#include <spirv/unified1/GLSL.std.450.h>

#include <cstring>
#include <map>
#include <optional>
#include <utility>

namespace a2 {

namespace {

class Bounded {
public:
    explicit Bounded(const SpirvModule& module) : module_(module), ids_(module.words()), bound_(module.idBound())
    {
        survey();
    }

    std::vector<std::uint32_t> words()
    {
        forEachInstruction(module_, [&](spv::Op opcode, SpirvWords words) {
            if (opcode == spv::OpAccessChain || opcode == spv::OpInBoundsAccessChain)
                copyChain(words);
            else
                copy(words, parts_[partOf(opcode)]);
        });
        const auto header = module_.words().first(SpirvModule::headerWords);
        std::vector<std::uint32_t> all(header.begin(), header.end());
        all[3] = bound_;
        if (madeSet_ != 0) {
            std::vector<std::uint32_t> import = {spv::OpExtInstImport, madeSet_};
            const char name[] = "GLSL.std.450";
            import.resize(2 + sizeof name / 4 + 1);
            std::memcpy(import.data() + 2, name, sizeof name);
            add(parts_[0], import);
        }
        for (const auto& part : {parts_[0], parts_[1], made_, parts_[2]})
            all.insert(all.end(), part.begin(), part.end());
        return all;
    }

private:
    using Words = std::vector<std::uint32_t>;

    static void copy(SpirvWords words, Words& to) { to.insert(to.end(), words.begin(), words.end()); }
    static void add(Words& to, Words instruction)
    {
        instruction[0] |= static_cast<std::uint32_t>(instruction.size()) << spv::WordCountShift;
        to.insert(to.end(), instruction.begin(), instruction.end());
    }

    // Imports come before the memory model, and constants before the first function.
    std::size_t partOf(spv::Op opcode)
    {
        if (opcode == spv::OpMemoryModel) part_ = 1;
        if (opcode == spv::OpFunction) part_ = 2;
        return part_;
    }

    void survey()
    {
        ids_.forEach([this](SpirvWords words) {
            ids_.define(words);
            if (words.opcode() == spv::OpTypeInt && words[2] == 32 && words[3] == 0) wholeType_ = words[1];
            if (words.opcode() == spv::OpExtInstImport && words.size() == 6 &&
                std::memcmp(words.begin() + 2, "GLSL.std.450", 13) == 0)
                set_ = words[1];
        });
    }

    std::optional<SpirvWords> definition(std::uint32_t id, spv::Op opcode) const
    {
        const auto found = ids_.definition(id);
        return found && found->opcode() == opcode ? found : std::nullopt;
    }

    void copyChain(SpirvWords words)
    {
        Words chain(words.begin(), words.end());
        if (const auto pointer = definition(ids_.typeOf(words[3]), spv::OpTypePointer)) {
            const auto space = static_cast<spv::StorageClass>((*pointer)[2]);
            if (space == spv::StorageClassWorkgroup || space == spv::StorageClassPrivate ||
                space == spv::StorageClassFunction)
                bound(chain, (*pointer)[3]);
        }
        parts_[2].insert(parts_[2].end(), chain.begin(), chain.end());
    }

    void bound(Words& chain, std::uint32_t type)
    {
        for (std::size_t i = 4; i < chain.size(); ++i) {
            if (const auto array = definition(type, spv::OpTypeArray)) {
                chain[i] = atMost(chain[i], ids_.number((*array)[3]), (*array)[3]);
                type = (*array)[2];
            } else if (const auto structure = definition(type, spv::OpTypeStruct)) {
                const auto member = ids_.number(chain[i]);
                if (!member) return;
                type = (*structure)[2 + std::size_t{*member}];
            } else if (const auto vector = definition(type, spv::OpTypeVector)) {
                chain[i] = atMost(chain[i], (*vector)[3], 0);
                type = (*vector)[2];
            } else if (const auto matrix = definition(type, spv::OpTypeMatrix)) {
                chain[i] = atMost(chain[i], (*matrix)[3], 0);
                type = (*matrix)[2];
            } else {
                return;
            }
        }
    }

    // The id of an index that is below the length: a number, or else the value `lengthId`.
    std::uint32_t atMost(std::uint32_t index, std::optional<std::uint32_t> length, std::uint32_t lengthId)
    {
        if (const auto known = ids_.number(index); known && length && *known < *length) return index;
        const auto integer = definition(ids_.typeOf(index), spv::OpTypeInt);
        if (!integer) return index;
        std::uint32_t type = ids_.typeOf(index);
        if ((*integer)[2] != 32) {  // 32 bits of an index that is inside are the index
            type = wholeType();
            add(parts_[2], {spv::OpUConvert, type, bound_, index});
            index = bound_++;
        }
        const std::uint32_t last = length ? constant(type, *length - 1) : lastOf(type, lengthId);
        if (set_ == 0) set_ = madeSet_ = bound_++;
        const std::uint32_t made = bound_++;
        add(parts_[2], {spv::OpExtInst, type, made, set_, GLSLstd450UMin, index, last});
        return made;
    }

    // uint.
    std::uint32_t wholeType()
    {
        if (wholeType_ != 0) return wholeType_;
        wholeType_ = bound_++;
        add(made_, {spv::OpTypeInt, wholeType_, 32, 0});
        return wholeType_;
    }

    // Of a type of 32 bits.
    std::uint32_t constant(std::uint32_t type, std::uint32_t value)
    {
        const auto [place, isNew] = constants_.try_emplace({type, value}, bound_);
        if (!isNew) return place->second;
        ++bound_;
        add(made_, {spv::OpConstant, type, place->second, value});
        return place->second;
    }

    // One less than a length that is a specialisation constant, of 32 bits. Its type may differ in its sign.
    std::uint32_t lastOf(std::uint32_t type, std::uint32_t lengthId)
    {
        const auto [place, isNew] = lasts_.try_emplace({type, lengthId}, 0);
        if (!isNew) return place->second;
        const std::uint32_t one = constant(type, 1);
        place->second = bound_++;
        add(made_, {spv::OpSpecConstantOp, type, place->second, spv::OpISub, lengthId, one});
        return place->second;
    }

    const SpirvModule& module_;
    SpirvIds ids_;
    std::uint32_t bound_;
    std::uint32_t set_ = 0, madeSet_ = 0;  // GLSL.std.450; madeSet_: if the module did not import it
    std::uint32_t wholeType_ = 0;          // 0: the module has none yet
    std::size_t part_ = 0;
    Words parts_[3], made_;  // before the memory model; up to the first function; the rest. made_: constants
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> constants_, lasts_;
};

}  // namespace

std::vector<std::uint32_t> withinArrays(const SpirvModule& module) { return Bounded(module).words(); }

}  // namespace a2
