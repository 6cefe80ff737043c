// Kernels' SPIR-V that is broken in every way: it is refused or read, and has no other effect.

#include "gpu/BuiltInShaders.h"
#include "spirv/Emulator.h"
#include "spirv/SpirvDeclarations.h"
#include "support/ReadKernel.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <string>
#include <vector>

namespace a2 {

namespace {

using Words = std::vector<std::uint32_t>;

Words kernel(const std::string& name)
{
    for (const BuiltInShader& one : builtInShaders())
        if (one.name == name) return {one.spirv.begin(), one.spirv.end()};
    ADD_FAILURE() << name;
    return {};
}

std::string refusal(const Words& words)
{
    try {
        SpirvModule module(words);
    } catch (const KernelError& error) {
        return error.what();
    }
    return "";
}

// The beginning of the instruction with this opcode and this number.
std::size_t instruction(const Words& words, spv::Op opcode, int number = 0)
{
    for (std::size_t at = SpirvModule::headerWords; at < words.size(); at += words[at] >> spv::WordCountShift)
        if ((words[at] & spv::OpCodeMask) == static_cast<std::uint32_t>(opcode) && number-- == 0) return at;
    ADD_FAILURE() << "opcode " << opcode;
    return 0;
}

// The refusal of a kernel in which one word of one instruction was changed.
std::string withWord(spv::Op opcode, std::size_t word, const std::function<std::uint32_t(const Words&)>& other)
{
    Words words = kernel("A2Task1KernelDecomposition");
    const std::size_t at = instruction(words, opcode);
    words.at(at + word) = other(words);
    return refusal(words);
}

std::string withWord(spv::Op opcode, std::size_t word, std::uint32_t other)
{
    return withWord(opcode, word, [&](const Words&) { return other; });
}

// A handmade module: one function that calls nothing, and instructions added before it and into it.
class Module {
public:
    Module& add(spv::Op opcode, std::initializer_list<std::uint32_t> operands)
    {
        words_.push_back(static_cast<std::uint32_t>(operands.size() + 1) << spv::WordCountShift | opcode);
        words_.insert(words_.end(), operands);
        return *this;
    }
    std::uint32_t id() { return words_[3]++; }
    static constexpr std::uint32_t main = 1, nothing = 2, function = 3, number = 4;
    explicit Module(std::uint32_t invocations = 1)
    {
        add(spv::OpEntryPoint, {spv::ExecutionModelGLCompute, main, 0x6E69616D, 0});
        add(spv::OpExecutionMode, {main, spv::ExecutionModeLocalSize, invocations, 1, 1});
        add(spv::OpTypeVoid, {nothing})
            .add(spv::OpTypeFunction, {function, nothing})
            .add(spv::OpTypeInt, {number, 32, 0});
    }
    void begin(std::uint32_t which) { add(spv::OpFunction, {nothing, which, 0, function}).add(spv::OpLabel, {id()}); }
    void end() { add(spv::OpReturn, {}).add(spv::OpFunctionEnd, {}); }
    const Words& words() const { return words_; }

private:
    Words words_ = {spv::MagicNumber, 0x00010300, 0, 5, 0};
};

Words withMain(Module module)
{
    module.begin(Module::main);
    module.end();
    return module.words();
}

}  // namespace

TEST(BrokenKernel, TheBuiltInKernelsAreTaken)
{
    for (const BuiltInShader& one : builtInShaders()) {
        EXPECT_EQ(refusal(Words(one.spirv.begin(), one.spirv.end())), "") << one.name;
        EXPECT_TRUE(readKernel(one.spirv)) << one.name;
    }
    EXPECT_EQ(refusal(withMain(Module())), "");
}

TEST(BrokenKernel, SaysWhatIsWrongAndWhere)
{
    const auto is = [](const std::string& what) { return "this SPIR-V is not valid: " + what; };
    EXPECT_EQ(refusal({}), is("it has no header"));
    EXPECT_EQ(refusal(Words(spirvLimits::words + 1)), is("4194305 words are more than the 4194304 that are read"));
    EXPECT_EQ(refusal({1, 2, 3, 4, 5}), is("word 0 is not SPIR-V's magic number"));
    Words words = kernel("A2Task1KernelDecomposition");
    words[1] = 0x00020000;
    EXPECT_EQ(refusal(words), is("word 1, 0x20000, is no version of SPIR-V 1"));
    words[1] = 0x00010300;
    words[3] = UINT32_MAX;
    EXPECT_EQ(refusal(words), is("word 3, 4294967295, is no bound of ids (1 to 4194303)"));

    EXPECT_EQ(withWord(spv::OpCapability, 0, 0), is("word 5 (opcode 0) has no length"));
    EXPECT_NE(withWord(spv::OpCapability, 0, 0xFFFF0000U | spv::OpCapability).find("goes on after the module's end"),
              std::string::npos);
    EXPECT_NE(withWord(spv::OpLoad, 3, 0).find("(OpLoad) names id 0, and ids are 1 to"), std::string::npos);
    EXPECT_NE(withWord(spv::OpLoad, 3, 1'000'000).find("(OpLoad) names id 1000000"), std::string::npos);
    EXPECT_NE(
        withWord(spv::OpIAdd, 2, [](const Words& all) { return all[instruction(all, spv::OpIAdd) + 3]; }).find("again"),
        std::string::npos);
    EXPECT_NE(withWord(spv::OpLoad, 3, [](const Words& all) { return all[instruction(all, spv::OpTypeVoid) + 1]; })
                  .find("for a pointer"),
              std::string::npos);
    EXPECT_NE(withWord(spv::OpBranch, 1, [](const Words& all) { return all[instruction(all, spv::OpTypeVoid) + 1]; })
                  .find("for a block of its function"),
              std::string::npos);
    EXPECT_NE(withWord(spv::OpTypeVector, 3, UINT32_MAX).find("is no vector of 2 to 4 numbers"), std::string::npos);
    EXPECT_NE(withWord(spv::OpTypeInt, 2, 7).find("(OpTypeInt) has 7 bits"), std::string::npos);
    EXPECT_NE(withWord(spv::OpMemberDecorate, 2, 1'000'000).find("has no member 1000000"), std::string::npos);
    EXPECT_NE(withWord(spv::OpEntryPoint, 1, 0).find("is not the one compute shader main()"), std::string::npos);
}

TEST(BrokenKernel, CallsMustBeAsTheFunctionSays)
{
    Module module;
    const std::uint32_t value = module.id(), called = module.id(), result = module.id();
    module.add(spv::OpConstant, {Module::number, value, 1});
    const auto calling = [&](std::initializer_list<std::uint32_t> operands) {
        Module one = module;
        one.begin(Module::main);
        one.add(spv::OpFunctionCall, operands);
        one.end();
        one.begin(called);
        one.end();
        return refusal(one.words());
    };
    EXPECT_EQ(calling({Module::nothing, result, called}), "");
    EXPECT_NE(calling({Module::nothing, result, value}).find("for a function"), std::string::npos);
    EXPECT_NE(calling({Module::nothing, result}).find("(OpFunctionCall) lacks an operand"), std::string::npos);
    EXPECT_NE(calling({Module::nothing, result, called, value}).find("passes 1 of 0 parameters"), std::string::npos);
    EXPECT_NE(calling({Module::number, result, called}).find("returns another type"), std::string::npos);
    EXPECT_NE(calling({Module::nothing, result, Module::main}).find("calls itself"), std::string::npos);
}

// Recursion in the host's code would overflow the stack; a product would give a wrong number or exhaust memory.
TEST(BrokenKernel, DepthAndSizeAreBounded)
{
    Module nested;
    std::uint32_t inner = Module::number;
    for (int i = 0; i < 100'000; ++i) {
        const std::uint32_t next = nested.id();
        nested.add(spv::OpTypeStruct, {next, inner});
        inner = next;
    }
    EXPECT_NE(refusal(withMain(nested)).find("is nested deeper than 255"), std::string::npos);

    Module wide;  // 2^40 members
    inner = Module::number;
    for (int i = 0; i < 40; ++i) {
        const std::uint32_t next = wide.id();
        wide.add(spv::OpTypeStruct, {next, inner, inner});
        inner = next;
    }
    EXPECT_NE(refusal(withMain(wide)).find("has more than 16383 members"), std::string::npos);

    // Each function calls the next one twice: 2^40 instructions, as a driver inlines them.
    Module calls;
    std::vector<std::uint32_t> functions = {Module::main};
    for (int i = 0; i < 40; ++i) functions.push_back(calls.id());
    for (std::size_t i = 0; i < functions.size(); ++i) {
        calls.begin(functions[i]);
        for (int twice = 0; twice < 2 && i + 1 < functions.size(); ++twice)
            calls.add(spv::OpFunctionCall, {Module::nothing, calls.id(), functions[i + 1]});
        calls.end();
    }
    EXPECT_NE(refusal(calls.words()).find("more than 1048576 instructions"), std::string::npos);

    // Functions that each call the next one: valid, but too deeply nested to be followed.
    Module chain;
    functions = {Module::main};
    for (int i = 0; i < 100'000; ++i) functions.push_back(chain.id());
    for (std::size_t i = 0; i < functions.size(); ++i) {
        chain.begin(functions[i]);
        if (i + 1 < functions.size()) chain.add(spv::OpFunctionCall, {Module::nothing, chain.id(), functions[i + 1]});
        chain.end();
    }
    EXPECT_TRUE(readKernel(chain.words()));
}

// An endless loop with a barrier, in more and more invocations: followed for a while, or not at all.
TEST(BrokenKernel, WaysWithoutAnEndAreNotFollowedForEver)
{
    for (const std::uint32_t invocations : {8U, 65536U, UINT32_MAX}) {
        Module module(invocations);
        const std::uint32_t scope = module.id(), loop = module.id();
        module.add(spv::OpConstant, {Module::number, scope, spv::ScopeWorkgroup});
        module.begin(Module::main);
        module.add(spv::OpBranch, {loop}).add(spv::OpLabel, {loop});
        module.add(spv::OpControlBarrier, {scope, scope, scope}).add(spv::OpBranch, {loop});
        module.add(spv::OpFunctionEnd, {});
        const SpirvModule checked(module.words());
        try {
            const EmulatedKernel kernel(checked, {});
            EmulatorSettings settings;
            settings.counts = true;
            settings.budget = 1'000'000;
            EXPECT_FALSE(emulate({&kernel, {}, {2, UINT32_MAX, 1}, {}, {}, {}}, settings).complete) << invocations;
        } catch (const KernelError&) {
            EXPECT_GT(invocations, 8U) << "of so many in a work-group nothing is followed";
        }
    }
}

TEST(BrokenKernel, SizesEndAtTheLargestNumber)
{
    Module module;
    const std::uint32_t length = module.id();
    module.add(spv::OpConstant, {Module::number, length, 0x40000000});
    std::uint32_t array = Module::number;
    for (int i = 0; i < 5; ++i) {  // 2^152 bytes
        const std::uint32_t next = module.id();
        module.add(spv::OpTypeArray, {next, array, length});
        array = next;
    }
    for (const auto storage : {spv::StorageClassWorkgroup, spv::StorageClassPrivate}) {
        const std::uint32_t pointer = module.id();
        module.add(spv::OpTypePointer, {pointer, static_cast<std::uint32_t>(storage), array});
        for (int i = 0; i < 2; ++i)
            module.add(spv::OpVariable, {pointer, module.id(), static_cast<std::uint32_t>(storage)});
    }
    const Words words = withMain(module);
    const KernelFacts facts = kernelFacts(SpirvModule(words), {});
    EXPECT_EQ(facts.sharedBytes, UINT64_MAX);
    EXPECT_EQ(facts.ownBytes, UINT64_MAX);
}

TEST(BrokenKernel, ArithmeticHasNoUndefinedResult)
{
    for (const auto operation : {spv::OpUDiv, spv::OpSDiv, spv::OpUMod, spv::OpSRem, spv::OpSMod})
        EXPECT_FALSE(spirvArithmetic(operation, 7, 0)) << operation;
    for (const auto operation : {spv::OpSDiv, spv::OpSRem, spv::OpSMod})
        EXPECT_FALSE(spirvArithmetic(operation, 0x80000000U, UINT32_MAX)) << operation;
    for (const auto operation : {spv::OpShiftLeftLogical, spv::OpShiftRightLogical, spv::OpShiftRightArithmetic})
        EXPECT_FALSE(spirvArithmetic(operation, 1, 32)) << operation;
    const auto of = [](int number) { return static_cast<std::uint32_t>(number); };
    EXPECT_EQ(spirvArithmetic(spv::OpSDiv, of(-7), of(2)), of(-3));
    EXPECT_EQ(spirvArithmetic(spv::OpSRem, of(-7), of(2)), of(-1));
    EXPECT_EQ(spirvArithmetic(spv::OpSMod, of(-7), of(2)), of(1));
    EXPECT_EQ(spirvArithmetic(spv::OpShiftRightArithmetic, of(-8), 1), of(-4));
}

// Every kind of damage to every kernel of this build, the same in every run of the test.
TEST(BrokenKernel, NoDamageDoesMoreThanToBeRefused)
{
    constexpr std::size_t positions = 50;  // in each kernel
    std::uint64_t taken = 0, refused = 0;
    const auto read = [&](const Words& words) { ++(readKernel(words) ? taken : refused); };
    std::mt19937 random(1);
    for (const BuiltInShader& one : builtInShaders()) {
        const Words whole(one.spirv.begin(), one.spirv.end());
        for (std::size_t at = 0; at < whole.size(); at += 1 + whole.size() / positions) {
            Words words = whole;
            for (const std::uint32_t other : {0U, 1U, UINT32_MAX, whole[at] + 1, whole[at] - 1,
                                              whole[(at + 1) % whole.size()], whole[at] ^ 0x10000}) {
                words[at] = other;
                read(words);
            }
            read(Words(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(at)));
        }
        for (std::size_t i = 0; i < positions; ++i) {
            Words words = whole;
            for (std::size_t changes = 1 + random() % 4; changes > 0; --changes)
                words[random() % words.size()] = static_cast<std::uint32_t>(i % 2 ? random() : random() % whole[3]);
            read(words);
        }
    }
    EXPECT_GT(taken, 200U);
    EXPECT_GT(refused, 2000U);
}

}  // namespace a2
