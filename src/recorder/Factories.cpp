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

Factory::Make* makeOf(const RecordRequest& request, const FactoryEntry* found)
{
    if (const std::string why = brokenText(request); !why.empty()) throw KernelError(why);
    if (!found)
        throw KernelError(fmt::format("no file has a Factory \"{}\", which {} is made by{}", request.factory,
                                      request.task,
                                      request.file.empty() ? "" : fmt::format(": it belongs in src/{}", request.file)));
    if (found->twice)
        throw KernelError(fmt::format("two files have a Factory \"{}\": choose another name", found->name));
    if (request.shaders.empty()) throw KernelError(fmt::format("{} names no shader", request.task));
    return found->make;
}

}  // namespace

// A name that occurs twice fails only the rows that use it.
Factory::Factory(const char* name, Make* make)
{
    for (FactoryEntry& one : factories())
        if (one.name == name) {
            one.twice = true;
            return;
        }
    factories().push_back({name, make});
}

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
    return [request, by = by ? std::optional(*by) : std::nullopt](const Given& given) {
        return makeOf(request, by ? &*by : nullptr)(given);
    };
}

}  // namespace a2
