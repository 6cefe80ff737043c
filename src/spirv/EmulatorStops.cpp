#include "spirv/EmulatorStops.h"

#include "spirv/EmulatorState.h"

#include <algorithm>
#include <array>

namespace a2::emulator {

namespace {

const Type& uintType()
{
    static const Type type = [] {
        Type made;
        made.form = Form::number;
        made.bits = 32;
        made.cells = 1;
        return made;
    }();
    return type;
}

const Type& uvec3Type()
{
    static const Type type = [] {
        Type made;
        made.form = Form::vector;
        made.count = made.cells = 3;
        made.element = none;
        return made;
    }();
    return type;
}

const Type& wordsType()
{
    static const Type type = [] {
        Type made;
        made.form = Form::endless;
        made.element = none;
        made.stride = sizeof(std::uint32_t);
        return made;
    }();
    return type;
}

bool inMemory(Space space) { return space == Space::buffer || space == Space::push; }

Spot spotOf(const Type& type, Space space, std::uint64_t at, std::uint32_t invocation = 0)
{
    Spot spot;
    spot.type = &type;
    spot.space = space;
    spot.at = at;
    spot.invocation = invocation;
    return spot;
}

}  // namespace

bool isNumber(const Type& type)
{
    return type.form == Form::number || type.form == Form::real || type.form == Form::boolean;
}

Spot wordsOf(const EmulatedBuffer& buffer)
{
    Spot spot = spotOf(wordsType(), Space::buffer, 0);
    spot.whole = &buffer;
    return spot;
}

void stopAt(const WalkState& state, Group& group, std::uint32_t invocation, std::uint32_t at)
{
    if (!state.settings.atLine) return;
    Invocation& self = group.invocations[invocation];
    const Place& place = state.code.places[at];
    const std::uint32_t function = state.code.functionOf[at];
    const bool same = self.line.line == place.line && self.line.file == place.file && self.lineFunction == function;
    if (same && state.code.instructions[at].flags == lineOnce) return;
    self.line = place;
    self.lineFunction = function;
    state.settings.atLine(Standing(state, group, invocation, at));
}

bool Standing::isCut() const { return atEnd() && (state_.stop || state_.unknown); }
bool Standing::isAgain() const { return group_ && state_.code.instructions[at_].flags == lineAgain; }
std::uint64_t Standing::group() const { return group_ ? group_->number : 0; }
std::uint64_t Standing::phase() const { return group_ ? group_->phase : 0; }
std::uint32_t Standing::invocations() const { return state_.code.invocations; }
std::uint32_t Standing::subgroupSize() const { return state_.subgroupSize; }
const std::vector<KernelFinding>& Standing::findings() const { return state_.findings.all(); }

Standing::State Standing::state(std::uint32_t invocation) const
{
    switch (group_ ? group_->invocations.at(invocation).status : Status::ended) {
        case Status::atBarrier:
            return State::atBarrier;
        case Status::atSubgroup:
            return State::atSubgroup;
        case Status::ended:
            return State::ended;
        case Status::ready:
            return invocation != invocation_ && group_->invocations[invocation].at == state_.code.functions[0].entry
                       ? State::notStarted
                       : State::running;
        default:
            return State::waiting;
    }
}

const Cell* Standing::cells(std::uint32_t invocation) const
{
    return group_->cells.data() + std::size_t{invocation} * state_.frame;
}

// The instructions where it stands, and where each function was called.
std::vector<std::uint32_t> Standing::placesOf(std::uint32_t invocation) const
{
    const Code& code = state_.code;
    std::uint32_t at = invocation == invocation_ ? at_ : group_->invocations.at(invocation).at;
    std::vector<std::uint32_t> all = {at};
    while (code.functionOf[at] != 0) {
        at = static_cast<std::uint32_t>(cells(invocation)[code.functions[code.functionOf[at]].returnCell]) - 1;
        all.push_back(at);
    }
    return all;
}

std::vector<Standing::Frame> Standing::frames(std::uint32_t invocation) const
{
    std::vector<Frame> all;
    if (!group_) return all;
    for (const std::uint32_t at : placesOf(invocation)) {
        const std::string& name = state_.code.functions[state_.code.functionOf[at]].name;
        all.push_back({state_.findings.lineOf(at), name.substr(0, name.find('('))});
    }
    return all;
}

std::uint32_t Standing::depth() const
{
    return group_ ? static_cast<std::uint32_t>(placesOf(invocation_).size() - 1) : 0;
}

KernelLine Standing::line(std::uint32_t place) const { return state_.findings.lineOf(place); }

std::vector<std::pair<std::string, std::string>> Standing::sources() const
{
    std::vector<std::pair<std::string, std::string>> all;
    for (const auto& [id, source] : state_.code.sources) all.emplace_back(source.name, source.text);
    return all;
}

const Type* Standing::typeOf(std::uint32_t id) const
{
    if (id == none) return &uintType();
    const auto found = state_.code.types.find(id);
    return found == state_.code.types.end() ? nullptr : &found->second;
}

std::optional<Spot> Standing::builtIn(const std::string& name, std::uint32_t invocation) const
{
    const Code& code = state_.code;
    const auto& size = code.localSize;
    const std::array<std::uint32_t, 3> local = {invocation % size[0], invocation / size[0] % size[1],
                                                invocation / size[0] / size[1]};
    Spot spot;
    const auto vector = [&](auto&& along) {
        spot.type = &uvec3Type();
        for (std::size_t i = 0; i < 3; ++i) spot.built.push_back(along(i));
        return spot;
    };
    const auto number = [&](std::uint64_t value) {
        spot.type = &uintType();
        spot.built = {value};
        return spot;
    };
    const auto groupAlong = [&](std::size_t i) { return state_.dispatch.base.at(i) + group_->id.at(i); };
    const std::uint32_t subgroup = state_.subgroupSize;
    if (name == "gl_NumWorkGroups") return vector([&](std::size_t i) { return state_.dispatch.groups.at(i); });
    if (name == "gl_WorkGroupSize") return vector([&](std::size_t i) { return size.at(i); });
    if (name == "gl_SubgroupSize") return number(std::max(state_.settings.namedSubgroupSize, subgroup));
    if (name == "gl_NumSubgroups") return number((code.invocations + subgroup - 1) / subgroup);
    if (!group_) return {};
    if (name == "gl_WorkGroupID") return vector(groupAlong);
    if (name == "gl_LocalInvocationID") return vector([&](std::size_t i) { return local.at(i); });
    if (name == "gl_GlobalInvocationID")
        return vector([&](std::size_t i) { return groupAlong(i) * size.at(i) + local.at(i); });
    if (name == "gl_LocalInvocationIndex") return number(invocation);
    if (name == "gl_SubgroupID") return number(invocation / subgroup);
    if (name == "gl_SubgroupInvocationID") return number(invocation % subgroup);
    return {};
}

// The target of a pointer.
std::optional<Spot> Standing::pointedTo(const Named& parameter, std::uint32_t invocation) const
{
    const Type* type = typeOf(parameter.type);
    if (!type) return {};
    if (type->form != Form::pointer) return spotOf(*type, Space::own, parameter.cell, invocation);
    const Type* what = typeOf(type->element);
    const Cell* pointer = cells(invocation) + parameter.cell;
    if (!what || pointer[0] == 0 || pointer[2] != 0) return {};
    if (type->storage == spv::StorageClassFunction || type->storage == spv::StorageClassPrivate)
        return spotOf(*what, Space::own, pointer[1], invocation);
    if (type->storage == spv::StorageClassWorkgroup) return spotOf(*what, Space::shared, pointer[1]);
    return {};
}

std::optional<Spot> Standing::memberOf(const Spot& spot, const Member& member)
{
    Spot made = spot;
    made.type = nullptr;
    made.at += inMemory(spot.space) ? member.offset : member.cell;
    made.matrixStride = member.matrixStride;
    made.readable = spot.readable && !member.rowMajor;
    return made;
}

// A block or, if it has no instance name, one of its members.
std::optional<Spot> Standing::inBlocks(const std::string& name) const
{
    for (const Variable& variable : state_.code.variables) {
        if (!inMemory(variable.space)) continue;
        const Type* type = typeOf(variable.type);
        if (!type) continue;
        Spot spot = spotOf(*type, variable.space, 0);
        spot.descriptor = variable.first;
        if (variable.name == name && !name.empty()) return spot;
        if (!variable.name.empty()) continue;
        if (auto found = member(spot, name)) return found;
    }
    return {};
}

std::optional<Spot> Standing::find(const std::string& name, std::uint32_t invocation) const
{
    const Code& code = state_.code;
    if (name.rfind("gl_", 0) == 0) return builtIn(name, invocation);
    if (group_) {
        const std::uint32_t at = placesOf(invocation).front();
        const Function& function = code.functions[code.functionOf[at]];
        const auto& own = function.variables;
        // Of several variables with this name, each in its own block, the one used nearest to this place; of equally
        // near ones, the one with the shortest range of uses.
        const Variable* best = nullptr;
        std::pair<std::uint32_t, std::uint32_t> nearest;
        for (const Variable& variable : code.variables) {
            if (variable.space != Space::own || variable.name != name) continue;
            const auto isOwn = [&](const auto& one) { return one.first == variable.first; };
            if (std::none_of(own.begin(), own.end(), isOwn)) continue;
            const std::uint32_t away = at < variable.firstUse  ? variable.firstUse - at
                                       : at > variable.lastUse ? at - variable.lastUse
                                                               : 0;
            const std::pair distance(away, variable.lastUse - variable.firstUse);
            if (best && nearest <= distance) continue;
            best = &variable;
            nearest = distance;
        }
        if (best) return spotOf(*typeOf(best->type), Space::own, best->first, invocation);
        for (const Named& parameter : function.parameterNames)
            if (parameter.name == name) return pointedTo(parameter, invocation);
        for (const Variable& variable : code.variables) {
            const bool isGlobal =
                variable.space == Space::shared ||
                (variable.space == Space::own && variable.first >= code.privates && variable.first < code.privatesEnd);
            if (isGlobal && variable.name == name)
                return spotOf(*typeOf(variable.type), variable.space, variable.first, invocation);
        }
        for (const Named& constant : code.constants)
            if (constant.name == name) return spotOf(*typeOf(constant.type), Space::own, constant.cell, invocation);
    }
    return inBlocks(name);
}

Standing::Names Standing::names(std::uint32_t invocation) const
{
    const Code& code = state_.code;
    Names all;
    const auto add = [](std::vector<std::string>& to, const std::string& name) {
        if (!name.empty() && std::find(to.begin(), to.end(), name) == to.end()) to.push_back(name);
    };
    for (const Variable& variable : code.variables) {
        if (variable.space == Space::shared) add(all.shared, variable.name);
        if (!inMemory(variable.space)) continue;
        std::vector<std::string>& to = variable.space == Space::buffer ? all.buffers : all.others;
        const Type* type = typeOf(variable.type);
        add(to, variable.name);
        if (variable.name.empty() && type)
            for (const Member& one : type->members) add(to, one.name);
    }
    for (const Named& constant : code.constants) add(all.others, constant.name);
    if (!group_) return all;
    const Function& function = code.functions[code.functionOf[placesOf(invocation).front()]];
    for (const Named& parameter : function.parameterNames) add(all.locals, parameter.name);
    for (const auto& [first, count] : function.variables)
        for (const Variable& variable : code.variables)
            // glslang passes arguments to a function in copies with this name.
            if (variable.space == Space::own && variable.first == first && variable.name != "param")
                add(all.locals, variable.name);
    return all;
}

std::uint64_t Standing::elements(const Spot& spot) const
{
    const Type& type = *spot.type;
    if (type.form != Form::endless) return type.count;
    if (spot.whole) return spot.whole->bytes() / type.stride;
    if (type.stride == 0 || spot.descriptor >= state_.resources.size()) return 0;
    const std::uint64_t bytes = state_.resources[spot.descriptor].bytes;
    return bytes > spot.at ? (bytes - spot.at) / type.stride : 0;
}

std::optional<Spot> Standing::element(const Spot& spot, std::uint64_t index) const
{
    const Type& type = *spot.type;
    if (type.form != Form::array && type.form != Form::endless && type.form != Form::vector &&
        type.form != Form::matrix)
        return {};
    if (index >= elements(spot)) return {};
    Spot made = spot;
    made.type = typeOf(type.element);
    if (!made.type) return {};
    if (!spot.built.empty()) {
        made.built = {spot.built.at(static_cast<std::size_t>(index))};
        return made;
    }
    const Type* const block = spot.space == Space::buffer && made.type->block ? made.type : nullptr;
    if (block || (spot.space == Space::buffer && made.type->bufferBlock)) {  // one of several descriptors
        made.descriptor += static_cast<std::uint32_t>(index);
        return made;
    }
    std::uint64_t stride = made.type->cells;
    if (inMemory(spot.space))
        stride = type.form == Form::vector   ? made.type->bits / 8
                 : type.form == Form::matrix ? spot.matrixStride
                                             : type.stride;
    made.at += index * stride;
    return made;
}

std::optional<Spot> Standing::member(const Spot& spot, const std::string& name) const
{
    const Type& type = *spot.type;
    if (type.form == Form::vector && name.size() == 1)
        for (const char* set : {"xyzw", "rgba", "stpq"})
            if (const char* const found = std::char_traits<char>::find(set, 4, name.front()))
                return element(spot, static_cast<std::uint64_t>(found - set));
    for (const Member& one : type.members) {
        if (one.name != name) continue;
        std::optional<Spot> made = memberOf(spot, one);
        made->type = typeOf(one.type);
        return made->type ? made : std::nullopt;
    }
    return {};
}

// Whether the cell belongs to a function's own variable.
bool Standing::isLocal(std::uint32_t cell) const
{
    return std::any_of(state_.code.functions.begin(), state_.code.functions.end(), [&](const Function& function) {
        return std::any_of(function.variables.begin(), function.variables.end(),
                           [&](const auto& one) { return cell >= one.first && cell < one.first + one.second; });
    });
}

std::optional<Whereabouts> Standing::whereabouts(const Spot& spot) const
{
    if (!spot.built.empty() || spot.space == Space::push) return {};
    Whereabouts where;
    where.space = spot.space;
    where.at = spot.at;
    if (spot.whole) {
        where.buffer = spot.whole;
        return where;
    }
    if (spot.space == Space::buffer) {
        if (spot.descriptor >= state_.resources.size()) return {};
        const Resource& resource = state_.resources[spot.descriptor];
        if (!resource.state) return {};
        where.buffer = resource.state->buffer;
        where.at += resource.offset;
        return where;
    }
    if (!group_) return {};
    where.group = group_->number;
    where.invocation = spot.space == Space::own ? spot.invocation : 0;
    return where;
}

std::optional<SpotNumber> Standing::number(const Spot& spot) const
{
    const Type& type = *spot.type;
    if (!isNumber(type) || !spot.readable) return {};
    SpotNumber made;
    made.form = type.form;
    made.width = type.form == Form::boolean ? 32 : type.bits;
    made.isSigned = type.isSigned;
    if (!spot.built.empty()) {
        made.bits = spot.built.front();
        return made;
    }
    if (spot.space == Space::push) {
        made.bits = 0;
        for (std::uint32_t k = 0; k < made.width / 8; ++k) {
            const std::uint64_t at = spot.at + k;
            const auto& pushed = state_.dispatch.pushed;
            if (at >= state_.dispatch.push.size() || (!pushed.empty() && (at >= pushed.size() || !pushed[at])))
                made.set = false;
            else
                made.bits |= std::uint64_t{state_.dispatch.push[at]} << (8 * k);
        }
        return made;
    }
    if (spot.space == Space::buffer && !spot.whole) {
        if (spot.descriptor >= state_.resources.size()) return {};
        const Resource& resource = state_.resources[spot.descriptor];
        if (!resource.state || spot.at + made.width / 8 > resource.bytes) return {};
    }
    const auto where = whereabouts(spot);
    return where ? numberAt(*where, made) : std::nullopt;
}

std::optional<SpotNumber> Standing::numberAt(const Whereabouts& where, const SpotNumber& as) const
{
    SpotNumber made = as;
    if (where.space == Space::buffer) {
        if (where.at + as.width / 8 > where.buffer->bytes()) return {};
        made.bits = 0;
        made.set = true;
        for (std::uint32_t k = 0; k < as.width / 8; ++k) {
            made.bits |= std::uint64_t{where.buffer->byte(where.at + k)} << (8 * k);
            made.set = made.set && where.buffer->isSet(where.at + k);
        }
        return made;
    }
    if (!group_ || group_->number != where.group) return {};
    const auto at = static_cast<std::size_t>(where.at);
    if (where.space == Space::shared) {
        if (at >= group_->shared.size()) return {};
        made.bits = group_->shared[at];
        made.set = (group_->sharedMarks[at] & mark::unset) == 0;
        return made;
    }
    if (where.invocation >= state_.code.invocations || at >= state_.frame) return {};
    const std::size_t cell = std::size_t{where.invocation} * state_.frame + at;
    made.bits = group_->cells[cell];
    made.set = (group_->marks[cell] & mark::unset) == 0 &&
               (state(where.invocation) != State::notStarted || !isLocal(static_cast<std::uint32_t>(at)));
    return made;
}

}  // namespace a2::emulator
