#include "recorder/Factories.h"

#include "a2/Error.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace a2 {

namespace {

std::vector<FactoryEntry>& factories()
{
    static std::vector<FactoryEntry> all;
    return all;
}

struct Broken {
    std::string file, why;
};
std::vector<Broken>& brokenFiles()
{
    static std::vector<Broken> all;
    return all;
}

// A name that is there twice fails the rows that give it, and no others.
template <class Make>
void add(const char* name, Make* make)
{
    for (FactoryEntry& one : factories())
        if (one.name == name) {
            one.twice = true;
            return;
        }
    factories().push_back({name, make});
}

template <class Make>
Make* factoryOf(const RecordRequest& request, const FactoryEntry* found)
{
    if (const std::string why = brokenText(request); !why.empty()) throw KernelError(why);
    if (!found)
        throw KernelError(
            fmt::format("no file has a Factory \"{}\", which {} is made by", request.factory, request.task));
    if (found->twice)
        throw KernelError(fmt::format("two files have a Factory \"{}\": choose another name", found->name));
    Make* const* make = std::get_if<Make*>(&found->make);
    if (!make)
        throw KernelError(fmt::format("Factory \"{}\" makes no solution of the kind of {}", found->name, request.task));
    return *make;
}

const std::string& onlyShader(const RecordRequest& request)
{
    if (request.shaders.empty()) throw KernelError(fmt::format("{} names no shader", request.task));
    return request.shaders.front();
}

}  // namespace

Factory::Factory(const char* name, A2Task1Factory* make) { add(name, make); }
Factory::Factory(const char* name, A2Task2Factory* make) { add(name, make); }
Factory::Factory(const char* name, A2Task2OffsetFactory* make) { add(name, make); }

void noteBroken(const char* file, const char* why) { brokenFiles().push_back({file, why}); }

std::string brokenText(const RecordRequest& request)
{
    if (findFactory(request.factory)) return {};  // another file has it
    for (const Broken& one : brokenFiles())
        if (one.file == request.file)
            return fmt::format("src/{}{}{}", one.file, one.why.starts_with(':') ? "" : " ", one.why);
    return {};
}

const FactoryEntry* findFactory(const std::string& name)
{
    const auto& all = factories();
    const auto found = std::find_if(all.begin(), all.end(), [&](const FactoryEntry& one) { return one.name == name; });
    return found == all.end() ? nullptr : &*found;
}

MakeSolution makeSolution(const RecordRequest& request) { return makeSolution(request, findFactory(request.factory)); }

MakeSolution makeSolution(const RecordRequest& request, const FactoryEntry* by)
{
    return [request, by = by ? std::optional(*by) : std::nullopt](Gpu& gpu, const KernelShape& shape,
                                                                  const Buffer& input, const Buffer* blockOffsets,
                                                                  std::uint64_t count) -> std::unique_ptr<Solution> {
        const FactoryEntry* const entry = by ? &*by : nullptr;
        const auto prepared = [&](auto solution, const auto&... given) -> std::unique_ptr<Solution> {
            if (solution) solution->prepare(given..., count);
            return solution;
        };
        switch (request.kind) {
            case RecordRequest::Kind::reduce:
                return prepared(factoryOf<A2Task1Factory>(request, entry)(gpu, shape, onlyShader(request)), input);
            case RecordRequest::Kind::scan:
                return prepared(factoryOf<A2Task2Factory>(request, entry)(gpu, shape, request.shaders), input);
            case RecordRequest::Kind::offset:
                return prepared(factoryOf<A2Task2OffsetFactory>(request, entry)(gpu, shape, onlyShader(request)), input,
                                *blockOffsets);
        }
        return nullptr;
    };
}

}  // namespace a2
