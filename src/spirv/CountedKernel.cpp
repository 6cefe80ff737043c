#include "spirv/CountedKernel.h"

#include "a2/Error.h"
#include "spirv/DataFlow.h"

#include <algorithm>
#include <array>

namespace a2 {

namespace {

constexpr std::size_t boundWord = 3;
constexpr std::size_t counters = 3;  // additions, reads, writes

using Words = std::vector<std::uint32_t>;

void add(Words& out, spv::Op opcode, std::initializer_list<std::uint32_t> operands)
{
    const auto length = static_cast<std::uint32_t>(operands.size() + 1);
    out.push_back(length << spv::WordCountShift | opcode);
    out.insert(out.end(), operands);
}

class Counting {
public:
    explicit Counting(const SpirvModule& module) : module_(module), flow_(module)
    {
        forEachInstruction(module, [this](spv::Op opcode, SpirvWords words) { survey(opcode, words); });
        next_ = module.idBound();
        for (std::uint32_t* id : {&struct_, &buffer_, &structPointer_, &wordPointer_, &privatePointer_}) *id = next_++;
        for (std::uint32_t& id : numbers_) id = next_++;
        for (std::uint32_t& id : privates_) id = next_++;
        if (uint_ == 0) newUint_ = uint_ = next_++;
        if (bool_ == 0) newBool_ = bool_ = next_++;
    }

    Words rewritten()
    {
        const auto header = module_.words().first(SpirvModule::headerWords);
        Words out(header.begin(), header.end());
        bool decorated = false, declared = false;
        std::uint32_t function = 0;
        forEachInstruction(module_, [&](spv::Op opcode, SpirvWords words) {
            if (!decorated && opcode >= spv::OpTypeVoid && opcode <= spv::OpConstantNull) {
                decorate(out);
                decorated = true;
            }
            if (opcode == spv::OpFunction) {
                if (!declared) declare(out);
                declared = true;
                function = words[2];
            }
            count(out, opcode, words);
            if (opcode == spv::OpReturn && function == main_) addToTotals(out);
            out.insert(out.end(), words.begin(), words.end());
        });
        if (next_ > spirvLimits::idBound || binding_ > spirvLimits::binding)
            throw KernelError("it has no ids or bindings left to count with");
        out[boundWord] = next_;
        return out;
    }

private:
    enum Counter : std::size_t { additions, reads, writes };

    void survey(spv::Op opcode, SpirvWords words)
    {
        if (opcode == spv::OpEntryPoint && words[1] == spv::ExecutionModelGLCompute) main_ = words[2];
        if (opcode == spv::OpTypeInt && words[2] == 32 && words[3] == 0) uint_ = words[1];
        if (opcode == spv::OpTypeBool) bool_ = words[1];
        if (opcode == spv::OpDecorate && words[2] == spv::DecorationBinding)
            binding_ = std::max(binding_, words[3] + 1);
    }

    // The buffer is a struct of words: the low and the high one of each total.
    void decorate(Words& out) const
    {
        for (std::uint32_t i = 0; i < 2 * counters; ++i)
            add(out, spv::OpMemberDecorate, {struct_, i, spv::DecorationOffset, 4 * i});
        add(out, spv::OpDecorate, {struct_, spv::DecorationBlock});
        add(out, spv::OpDecorate, {buffer_, spv::DecorationDescriptorSet, 0});
        add(out, spv::OpDecorate, {buffer_, spv::DecorationBinding, binding_});
    }

    void declare(Words& out) const
    {
        if (newUint_) add(out, spv::OpTypeInt, {uint_, 32, 0});
        if (newBool_) add(out, spv::OpTypeBool, {bool_});
        for (std::uint32_t i = 0; i < numbers_.size(); ++i) add(out, spv::OpConstant, {uint_, numbers_[i], i});
        add(out, spv::OpTypeStruct, {struct_, uint_, uint_, uint_, uint_, uint_, uint_});
        add(out, spv::OpTypePointer, {structPointer_, spv::StorageClassStorageBuffer, struct_});
        add(out, spv::OpTypePointer, {wordPointer_, spv::StorageClassStorageBuffer, uint_});
        add(out, spv::OpVariable, {structPointer_, buffer_, spv::StorageClassStorageBuffer});
        add(out, spv::OpTypePointer, {privatePointer_, spv::StorageClassPrivate, uint_});
        for (const std::uint32_t one : privates_)
            add(out, spv::OpVariable, {privatePointer_, one, spv::StorageClassPrivate, numbers_[0]});
    }

    void count(Words& out, spv::Op opcode, SpirvWords words)
    {
        if ((opcode == spv::OpIAdd || opcode == spv::OpFAdd) && (flow_.isData(words[3]) || flow_.isData(words[4])))
            bump(out, additions, flow_.components(words[1]));
        if (opcode == spv::OpLoad && flow_.inBuffer(words[3])) bump(out, reads, flow_.components(words[1]));
        if (opcode == spv::OpStore && flow_.inBuffer(words[1]))
            bump(out, writes, flow_.components(flow_.typeOf(words[2])));
    }

    // An invocation counts in variables of its own.
    void bump(Words& out, Counter which, std::uint32_t by)
    {
        const std::uint32_t before = next_++, after = next_++;
        add(out, spv::OpLoad, {uint_, before, privates_.at(which)});
        add(out, spv::OpIAdd, {uint_, after, before, numbers_.at(by)});
        add(out, spv::OpStore, {privates_.at(which), after});
    }

    void addToTotals(Words& out)
    {
        for (std::uint32_t i = 0; i < counters; ++i) {
            const std::uint32_t mine = next_++, after = next_++, wrapped = next_++, carry = next_++;
            add(out, spv::OpLoad, {uint_, mine, privates_[i]});
            const std::uint32_t before = addAtomically(out, 2 * i, mine);
            add(out, spv::OpIAdd, {uint_, after, before, mine});
            add(out, spv::OpULessThan, {bool_, wrapped, after, mine});
            add(out, spv::OpSelect, {uint_, carry, wrapped, numbers_[1], numbers_[0]});
            addAtomically(out, 2 * i + 1, carry);
        }
    }

    // The id of what was there before.
    std::uint32_t addAtomically(Words& out, std::uint32_t word, std::uint32_t value)
    {
        const std::uint32_t pointer = next_++, before = next_++;
        const std::uint32_t scope = numbers_[spv::ScopeDevice], relaxed = numbers_[spv::MemorySemanticsMaskNone];
        add(out, spv::OpAccessChain, {wordPointer_, pointer, buffer_, numbers_[word]});
        add(out, spv::OpAtomicIAdd, {uint_, before, pointer, scope, relaxed, value});
        return before;
    }

    const SpirvModule& module_;
    DataFlow flow_;
    std::uint32_t main_ = 0, binding_ = 0, next_ = 0;
    std::uint32_t uint_ = 0, bool_ = 0, newUint_ = 0, newBool_ = 0;  // new: the module has none
    std::uint32_t struct_ = 0, buffer_ = 0, structPointer_ = 0, wordPointer_ = 0, privatePointer_ = 0;
    std::array<std::uint32_t, 2 * counters> numbers_{};  // constants 0 to 5
    std::array<std::uint32_t, counters> privates_{};
};

}  // namespace

KernelTotals readTotals(std::span<const std::uint32_t> words)
{
    const auto total = [&](std::size_t i) { return std::uint64_t{words[2 * i + 1]} << 32 | words[2 * i]; };
    return {total(0), total(1), total(2)};
}

Words countedKernel(const SpirvModule& module) { return Counting(module).rewritten(); }

}  // namespace a2
