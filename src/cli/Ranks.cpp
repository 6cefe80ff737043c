#include "cli/Ranks.h"

#include "base/BuildFacts.h"
#include "base/Process.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#if !defined(_WIN32)
#include <dlfcn.h>
#endif

namespace a2 {

namespace {

// What Open MPI, and launchers that use PMI or PMIx (MPICH's, Slurm's srun), set for each program that they start.
// Slurm's own variables are also set in a batch script, which is no rank. A shell that srun has started is one of one,
// too: there a2 works as usual, without MPI.
bool isLaunched()
{
    const auto several = [](const char* name) {
        const char* const number = std::getenv(name);
        return number && std::atoi(number) > 1;
    };
    return several("OMPI_COMM_WORLD_SIZE") || several("PMI_SIZE") ||
           (std::getenv("PMIX_RANK") && several("SLURM_STEP_NUM_TASKS"));
}

#if !defined(_WIN32)

// The module beside a2, which stays loaded: MPI's libraries cannot be started twice.
std::unique_ptr<Ranks> startModule(SayOfRanks say)
{
    std::string problem;
    const std::filesystem::path module =
        std::filesystem::path(ownProgram(problem)).parent_path() / buildFacts.ranksFile;
    if (!std::filesystem::exists(module))
        throw EnvironmentError(
            fmt::format("started by a launcher of MPI, and {} is not beside a2: keep the files of one build together; "
                        "if there is none, a2 was built without MPI: install libopenmpi-dev or libmpich-dev, and build "
                        "again",
                        buildFacts.ranksFile));
    // Global: Open MPI loads parts of its own that look for its functions.
    void* const library = dlopen(module.c_str(), RTLD_NOW | RTLD_GLOBAL);
    void* const start = library ? dlsym(library, "a2StartRanks") : nullptr;
    if (!start) {
        const char* const why = dlerror();
        throw EnvironmentError(
            fmt::format("started by a launcher of MPI, and {} cannot be opened: {}; install the MPI "
                        "that a2 was built with, or build again",
                        module.filename().string(), why ? why : "no reason given"));
    }
    return std::unique_ptr<Ranks>(reinterpret_cast<Ranks* (*)(SayOfRanks)>(start)(say));
}

#else

std::unique_ptr<Ranks> startModule(SayOfRanks)
{
    throw EnvironmentError("started by a launcher of MPI, which a2 does not work with on Windows");
}

#endif

}  // namespace

std::vector<RankEnd> troubles(const std::vector<RankEnd>& ends)
{
    if (!ends.empty() && std::all_of(ends.begin(), ends.end(), [&](const RankEnd& one) { return one == ends[0]; }))
        return ends[0].message.empty() ? std::vector<RankEnd>() : std::vector{ends[0]};
    std::vector<RankEnd> all;
    for (std::size_t rank = 0; rank < ends.size(); ++rank)
        if (!ends[rank].message.empty())
            all.push_back({ends[rank].status, fmt::format("rank {}: {}", rank, ends[rank].message)});
    return all;
}

std::unique_ptr<Ranks> Ranks::ofLauncher(SayOfRanks say) { return isLaunched() ? startModule(say) : nullptr; }

}  // namespace a2
