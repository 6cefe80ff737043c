#include "spirv/EmulatorTypes.h"

#include "a2/Error.h"
#include "base/PrintableText.h"
#include "spirv/SpirvNames.h"

#include <fmt/format.h>

#include <algorithm>

namespace a2::emulator {

namespace {

constexpr std::uint32_t tooManyCells = std::uint32_t{1} << 26;

std::uint32_t cellsOfAll(std::uint64_t cells, std::uint64_t count)
{
    return count > 0 && cells > tooManyCells / count ? tooManyCells : static_cast<std::uint32_t>(cells * count);
}

[[noreturn]] void refuseModule(const std::string& what)
{
    throw KernelError("this SPIR-V cannot be emulated: " + what);
}

// The depth of a type with such a part. Functions that go through types are recursive.
std::uint32_t deeper(std::uint32_t depth, const Type& part)
{
    if (part.depth >= limits::depth) refuseModule("its types have parts in parts without an end");
    return std::max(depth, part.depth + 1);
}

}  // namespace

Space spaceOf(spv::StorageClass storage)
{
    switch (storage) {
        case spv::StorageClassWorkgroup:
            return Space::shared;
        case spv::StorageClassStorageBuffer:
        case spv::StorageClassUniform:
            return Space::buffer;
        case spv::StorageClassPushConstant:
            return Space::push;
        default:
            return Space::own;
    }
}

std::string textAt(SpirvWords words, std::size_t first)
{
    std::string text;
    for (const std::uint32_t word : words.from(first))
        for (unsigned shift = 0; shift < 32; shift += 8) {
            const char letter = static_cast<char>(word >> shift & 0xFF);
            if (letter == '\0') return text;
            text += letter;
        }
    return text;
}

Declarations::Declarations(const SpirvModule& module, const Specialisation& given, Code& code)
    : given_(given), code_(code), meanings_(module.idBound())
{
    code_.types[0];  // for ids without a type
}

const Type& Declarations::type(std::uint32_t id) const
{
    const auto found = code_.types.find(id);
    return found == code_.types.end() ? code_.types.at(0) : found->second;
}

const Meaning& Declarations::of(std::uint32_t id) const
{
    const Meaning& meaning = meanings_[id];
    if (meaning.kind != Meaning::Kind::value) refuseModule(fmt::format("id {} is used as a value", id));
    return meaning;
}

std::uint32_t Declarations::allocate(std::uint64_t cells)
{
    if (cells > limits::frameCells || code_.frame.size() + cells > limits::frameCells)
        refuseModule(fmt::format("an invocation needs more than {} numbers", std::uint64_t{limits::frameCells}));
    const auto first = static_cast<std::uint32_t>(code_.frame.size());
    code_.frame.resize(first + static_cast<std::size_t>(cells));
    code_.marks.resize(code_.frame.size());
    return first;
}

std::uint32_t Declarations::unsetCell()
{
    if (unset_ == none) {
        unset_ = allocate(1);
        code_.marks[unset_] = mark::unset | mark::own;
    }
    return unset_;
}

std::string Declarations::name(std::uint32_t id) const
{
    const auto found = names_.find(id);
    return found == names_.end() ? std::string() : found->second;
}

bool Declarations::isPrint(SpirvWords words) const
{
    constexpr std::uint32_t print = 1;  // NonSemanticDebugPrintfDebugPrintf
    return words.size() > 5 && words[4] == print && name(words[3]) == "NonSemantic.DebugPrintf" &&
           texts_.count(words[5]) > 0;
}

std::string Declarations::text(std::uint32_t id) const
{
    const auto found = texts_.find(id);
    return found == texts_.end() ? std::string() : found->second;
}

std::optional<std::uint64_t> Declarations::constant(std::uint32_t id) const
{
    const Meaning& meaning = meanings_[id];
    if (meaning.kind != Meaning::Kind::value || !meaning.constant || type(meaning.type).cells != 1) return {};
    return code_.frame[meaning.cell];
}

std::optional<std::uint32_t> Declarations::decoration(std::uint32_t id, spv::Decoration what) const
{
    const auto found = decorations_.find(id);
    if (found == decorations_.end()) return {};
    for (const auto& [which, operand] : found->second)
        if (which == static_cast<std::uint32_t>(what)) return operand;
    return {};
}

void Declarations::read(spv::Op opcode, SpirvWords words)
{
    switch (opcode) {
        case spv::OpName:
            names_[words[1]] = printableText(textAt(words, 2));
            break;
        case spv::OpMemberName:
            memberNames_[{words[1], words[2]}] = printableText(textAt(words, 3));
            break;
        case spv::OpString:
            texts_[words[1]] = textAt(words, 2);
            code_.sources[words[1]].name = printableText(texts_[words[1]]);
            break;
        case spv::OpSource:
        case spv::OpSourceContinued:
            readSource(words);
            break;
        case spv::OpMemoryModel:
            code_.vulkanModel = words[2] == spv::MemoryModelVulkan;
            break;
        case spv::OpEntryPoint:
            main_ = words[2];
            break;
        case spv::OpExecutionMode:
            if (words[2] == spv::ExecutionModeLocalSize) sizes_ = {words[3], words[4], words[5]};
            break;
        case spv::OpExecutionModeId:
            if (words[2] == spv::ExecutionModeLocalSizeId) sizeIds_ = {words[3], words[4], words[5]};
            break;
        case spv::OpDecorate:
        case spv::OpMemberDecorate:
            readDecoration(words);
            break;
        case spv::OpExtInstImport: {
            const std::string set = textAt(words, 2);
            meanings_[words[1]].kind = Meaning::Kind::instructions;
            names_[words[1]] = set;
            if (set == "GLSL.std.450") glsl_.insert(words[1]);
            if (set.rfind("NonSemantic.", 0) == 0) silent_.insert(words[1]);
            break;
        }
        case spv::OpVariable:
            addVariable(words[2], words[1], static_cast<spv::StorageClass>(words[3]), words.size() > 4 ? words[4] : 0);
            break;
        default:
            if (opcode == spv::OpUndef || (opcode >= spv::OpConstantTrue && opcode <= spv::OpSpecConstantOp))
                readConstant(opcode, words);
            else
                readType(opcode, words);
    }
}

// In a module, the GLSL text begins with lines that the compiler has added.
void Declarations::readSource(SpirvWords words)
{
    const bool goesOn = words.opcode() == spv::OpSourceContinued;
    if (!goesOn) lastSource_ = words.size() > 3 ? words[3] : 0;
    if (lastSource_ == 0 || (!goesOn && words.size() < 5)) return;
    std::string& text = code_.sources[lastSource_].text;
    text += textAt(words, goesOn ? 1 : 4);
    const std::string first = "#line 1\n";
    const std::size_t at = text.find(first);
    if (text.rfind("// OpModuleProcessed", 0) == 0 && at != std::string::npos) text.erase(0, at + first.size());
}

void Declarations::readDecoration(SpirvWords words)
{
    if (words.opcode() == spv::OpDecorate)
        decorations_[words[1]].emplace_back(words[2], words.size() > 3 ? words[3] : 0);
    else
        memberDecorations_[{words[1], words[2]}].emplace_back(words[3], words.size() > 4 ? words[4] : 0);
}

void Declarations::readType(spv::Op opcode, SpirvWords words)
{
    const auto make = [&](Form form) -> Type& {
        meanings_[words[1]].kind = Meaning::Kind::type;
        Type& made = code_.types[words[1]];
        made.form = form;
        return made;
    };
    switch (opcode) {
        case spv::OpTypeBool: {
            Type& made = make(Form::boolean);
            made.bits = made.cells = 1;
            made.scalar = words[1];
            break;
        }
        case spv::OpTypeInt:
        case spv::OpTypeFloat: {
            if (opcode == spv::OpTypeFloat && (words[2] < 16 || words.size() > 3))
                refuseModule(fmt::format("it has numbers of {} bits of a kind that is not known", words[2]));
            Type& made = make(opcode == spv::OpTypeInt ? Form::number : Form::real);
            made.bits = words[2];
            made.isSigned = opcode == spv::OpTypeInt && words[3] != 0;
            made.cells = 1;
            made.scalar = words[1];
            break;
        }
        case spv::OpTypeVector:
        case spv::OpTypeMatrix: {
            Type& made = make(opcode == spv::OpTypeVector ? Form::vector : Form::matrix);
            made.element = words[2];
            made.count = words[3];
            made.cells = cellsOfAll(type(words[2]).cells, words[3]);
            made.scalar = type(words[2]).scalar;
            break;
        }
        case spv::OpTypeArray:
        case spv::OpTypeRuntimeArray: {
            const Type element = type(words[2]);
            Type& made = make(opcode == spv::OpTypeArray ? Form::array : Form::endless);
            made.element = words[2];
            made.depth = deeper(0, element);
            made.stride = decoration(words[1], spv::DecorationArrayStride).value_or(0);
            made.scalar = element.scalar;
            if (made.stride > limits::stride)
                refuseModule(fmt::format("an array's elements lie {} bytes apart", made.stride));
            if (opcode == spv::OpTypeRuntimeArray) break;
            const auto length = constant(words[3]);
            if (!length || *length == 0 || *length > UINT32_MAX)
                refuseModule("an array has no length, or too long a one");
            made.count = static_cast<std::uint32_t>(*length);
            made.cells = cellsOfAll(element.cells, *length);
            break;
        }
        case spv::OpTypeStruct:
            readStructure(words);
            break;
        case spv::OpTypePointer: {
            Type& made = make(Form::pointer);
            made.storage = static_cast<spv::StorageClass>(words[2]);
            made.element = words[3];
            made.cells = pointerCells;
            break;
        }
        default:
            break;
    }
}

void Declarations::readStructure(SpirvWords words)
{
    meanings_[words[1]].kind = Meaning::Kind::type;
    Type made;
    made.form = Form::structure;
    made.name = name(words[1]);
    made.block = decoration(words[1], spv::DecorationBlock).has_value();
    made.bufferBlock = decoration(words[1], spv::DecorationBufferBlock).has_value();
    const SpirvWords members = words.from(2);
    for (std::uint32_t i = 0; i < members.size(); ++i) {
        Member member;
        member.type = members[i];
        member.cell = made.cells;
        const Type& part = type(members[i]);
        made.depth = deeper(made.depth, part);
        made.cells = std::min(tooManyCells, made.cells + part.cells);
        if (i == 0) made.scalar = part.scalar;
        if (part.scalar != made.scalar) made.scalar = 0;
        if (const auto found = memberNames_.find({words[1], i}); found != memberNames_.end())
            member.name = found->second;
        if (const auto found = memberDecorations_.find({words[1], i}); found != memberDecorations_.end())
            for (const auto& [which, value] : found->second) {
                if (which == spv::DecorationOffset) member.offset = value;
                if (which == spv::DecorationMatrixStride) member.matrixStride = std::min(value, limits::stride);
                member.rowMajor = member.rowMajor || which == spv::DecorationRowMajor;
                member.coherent =
                    member.coherent || which == spv::DecorationCoherent || which == spv::DecorationVolatile;
                member.readOnly = member.readOnly || which == spv::DecorationNonWritable;
            }
        made.members.push_back(std::move(member));
    }
    code_.types[words[1]] = std::move(made);
}

std::uint32_t Declarations::define(std::uint32_t id, std::uint32_t ofType, bool constant)
{
    Meaning& meaning = meanings_[id];
    meaning.kind = Meaning::Kind::value;
    meaning.type = ofType;
    meaning.constant = constant;
    meaning.cell = allocate(type(ofType).cells);
    return meaning.cell;
}

std::uint64_t Declarations::specialised(std::uint32_t id, std::uint64_t unset, unsigned width) const
{
    const auto number = decoration(id, spv::DecorationSpecId);
    if (!number) return unset;
    const auto found = given_.values.find(*number);
    if (found == given_.values.end()) return unset;
    const auto upper = given_.upper.find(*number);
    return (found->second | (upper == given_.upper.end() ? 0 : std::uint64_t{upper->second} << 32)) & lowBits(width);
}

void Declarations::readConstant(spv::Op opcode, SpirvWords words)
{
    const std::uint32_t ofType = words[1], id = words[2];
    const std::uint32_t cell = define(id, ofType, opcode != spv::OpUndef);
    const Type& made = type(ofType);
    if (std::string called = name(id); !called.empty()) code_.constants.push_back({std::move(called), ofType, cell});
    switch (opcode) {
        case spv::OpUndef:
            std::fill_n(code_.marks.begin() + cell, made.cells, Mark{mark::unset | mark::own});
            break;
        case spv::OpConstantTrue:
        case spv::OpConstantFalse:
        case spv::OpSpecConstantTrue:
        case spv::OpSpecConstantFalse: {
            const bool value = opcode == spv::OpConstantTrue || opcode == spv::OpSpecConstantTrue;
            if (made.cells != 1) refuseModule("a bool has another type");
            code_.frame[cell] = specialised(id, value, 32) != 0;
            break;
        }
        case spv::OpConstant:
        case spv::OpSpecConstant: {
            if (made.cells != 1) refuseModule("a number has another type");
            const std::uint64_t value = words[3] | (words.size() > 4 ? std::uint64_t{words[4]} << 32 : 0);
            code_.frame[cell] =
                (opcode == spv::OpSpecConstant ? specialised(id, value, made.bits) : value) & lowBits(made.bits);
            break;
        }
        case spv::OpConstantComposite:
        case spv::OpSpecConstantComposite: {
            std::uint32_t at = cell;
            for (const std::uint32_t part : words.from(3)) {
                const Meaning& from = of(part);
                const std::uint32_t cells = type(from.type).cells;
                if (cells > cell + made.cells - at) refuseModule("a constant has more parts than its type");
                std::copy_n(code_.frame.begin() + from.cell, cells, code_.frame.begin() + at);
                std::copy_n(code_.marks.begin() + from.cell, cells, code_.marks.begin() + at);
                at += cells;
            }
            if (at != cell + made.cells) refuseModule("a constant has fewer parts than its type");
            if (decoration(id, spv::DecorationBuiltIn) == spv::BuiltInWorkgroupSize && made.cells == 3)
                sizeConstant_ = id;
            break;
        }
        case spv::OpSpecConstantOp: {
            std::vector<Instruction> made1;
            if (!calculation(words[3], ofType, cell, words.from(4), made1)) {
                meanings_[id].kind = Meaning::Kind::nothing;
                refuseModule(
                    fmt::format("a constant is made by {}, which the emulator does not know", opcodeName(words[3])));
            }
            for (const Instruction& one : made1) calculateConstant(code_, one);
            break;
        }
        default:
            break;
    }
}

// For a block, glslang puts it on the members.
bool Declarations::isRestrict(std::uint32_t id, std::uint32_t ofType) const
{
    const auto first = memberDecorations_.find({ofType, 0});
    return decoration(id, spv::DecorationRestrict) ||
           (first != memberDecorations_.end() &&
            std::ranges::any_of(first->second, [](const auto& one) { return one.first == spv::DecorationRestrict; }));
}

void Declarations::addVariable(std::uint32_t id, std::uint32_t pointerType, spv::StorageClass storage,
                               std::uint32_t initial)
{
    const Type& pointer = type(pointerType);
    if (pointer.form != Form::pointer) refuseModule(fmt::format("variable {} has no pointer for its type", id));
    Variable variable;
    variable.id = id;
    variable.name = name(id);
    variable.type = pointer.element;
    variable.space = spaceOf(storage);
    const std::uint32_t cell = define(id, pointerType, true);
    meanings_[id].fixed = true;
    PointerFacts& facts = facts_[id];
    facts.variable = static_cast<std::uint32_t>(code_.variables.size());
    facts.path = variable.name;
    facts.coherent = decoration(id, spv::DecorationCoherent) || decoration(id, spv::DecorationVolatile);
    facts.readOnly = decoration(id, spv::DecorationNonWritable).has_value();
    const Type* what = &type(variable.type);
    code_.frame[cell] = 1;
    switch (variable.space) {
        case Space::buffer: {
            variable.restricted = isRestrict(id, variable.type);
            variable.set = decoration(id, spv::DecorationDescriptorSet).value_or(0);
            variable.binding = decoration(id, spv::DecorationBinding).value_or(0);
            variable.first = code_.descriptors;
            if (what->form == Form::array) {
                variable.count = what->count;
                what = &type(what->element);
            } else if (what->form == Form::endless) {
                variable.count = static_cast<std::uint32_t>(limits::descriptors) / 2;
                what = &type(what->element);
            }
            variable.uniform = storage == spv::StorageClassUniform && !what->bufferBlock;
            facts.readOnly = facts.readOnly || variable.uniform;
            if (variable.count > limits::descriptors - code_.descriptors)
                refuseModule(fmt::format("it has more than {} descriptors", std::uint64_t{limits::descriptors}));
            code_.descriptors += variable.count;
            code_.frame[cell] = variable.first + 1;
            break;
        }
        case Space::shared:
            variable.first = code_.sharedCells;
            if (what->cells > limits::sharedCells - code_.sharedCells)
                refuseModule(
                    fmt::format("it has more than {} numbers in shared memory", std::uint64_t{limits::sharedCells}));
            code_.sharedCells += what->cells;
            code_.sharedStart.resize(code_.sharedCells);
            code_.sharedStartMarks.resize(code_.sharedCells, mark::unset | mark::own);
            if (initial != 0) {
                const Meaning& from = of(initial);
                if (type(from.type).cells != what->cells) refuseModule("a variable begins with another type");
                std::copy_n(code_.frame.begin() + from.cell, what->cells, code_.sharedStart.begin() + variable.first);
                std::fill_n(code_.sharedStartMarks.begin() + variable.first, what->cells, Mark{0});
            }
            code_.frame[cell] = code_.variables.size() + 1;
            code_.frame[cell + 1] = variable.first;
            break;
        case Space::own: {
            const std::uint32_t which = decoration(id, spv::DecorationBuiltIn).value_or(none);
            privates_.push_back({static_cast<std::uint32_t>(code_.variables.size()), what->cells, initial, which});
            break;
        }
        case Space::push:
            break;
    }
    code_.variableOf[id] = static_cast<std::uint32_t>(code_.variables.size());
    code_.variables.push_back(std::move(variable));
}

// The invocations' own variables outside of functions, which come after all constants; and the work-group's size.
void Declarations::finish()
{
    // Up to version 14, glslang loses what follows a non-ASCII character in its word, including the ends of lines.
    for (auto& [id, source] : code_.sources)
        if (source.text.find('\xFF') != std::string::npos) source.text.clear();
    code_.privates = static_cast<std::uint32_t>(code_.frame.size());
    for (const auto& [place, cells, initial, which] : privates_) {
        Variable& variable = code_.variables[place];
        variable.first = allocate(cells);
        code_.frame[meanings_[variable.id].cell + 1] = variable.first;
        if (which != none) {
            code_.builtIns.emplace_back(which, variable.first);
            const bool vector = which == spv::BuiltInNumWorkgroups || which == spv::BuiltInWorkgroupSize ||
                                which == spv::BuiltInWorkgroupId || which == spv::BuiltInLocalInvocationId ||
                                which == spv::BuiltInGlobalInvocationId;
            const bool mask = which >= spv::BuiltInSubgroupEqMask && which <= spv::BuiltInSubgroupLtMask;
            if (cells != (vector ? 3U : mask ? 4U : 1U)) refuseModule("a built-in variable has another type");
        } else if (initial != 0) {
            const Meaning& from = of(initial);
            if (type(from.type).cells != cells) refuseModule("a variable begins with another type");
            std::copy_n(code_.frame.begin() + from.cell, cells, code_.frame.begin() + variable.first);
        } else {
            std::fill_n(code_.marks.begin() + variable.first, cells, Mark{mark::unset | mark::own});
        }
    }
    code_.privatesEnd = static_cast<std::uint32_t>(code_.frame.size());
    if (sizeIds_[0] != 0)
        for (std::size_t i = 0; i < 3; ++i)
            sizes_.at(i) =
                static_cast<std::uint32_t>(std::min<std::uint64_t>(constant(sizeIds_.at(i)).value_or(0), UINT32_MAX));
    if (sizeConstant_ != 0)
        for (std::uint32_t i = 0; i < 3; ++i)
            sizes_.at(i) = static_cast<std::uint32_t>(code_.frame[of(sizeConstant_).cell + i]);
    std::uint64_t all = 1;
    for (const std::uint32_t size : sizes_)
        all = std::min<std::uint64_t>(all * std::min(size, limits::invocations + 1), limits::invocations + 1);
    if (all == 0 || all > limits::invocations)
        refuseModule(fmt::format("a work-group of {} x {} x {} invocations is not of 1 to {}", sizes_[0], sizes_[1],
                                 sizes_[2], std::uint32_t{limits::invocations}));
    code_.localSize = sizes_;
    code_.invocations = static_cast<std::uint32_t>(all);
}

}  // namespace a2::emulator
