// The ranks that a launcher of MPI has started this program as, and where they meet. MPI is found when a2 is built
// (third_party/), is in a module of its own (MpiRanks.cpp), and is opened where a launcher is found at run time, in the
// process that opens no driver.
#pragma once

#include "a2/Error.h"
#include "judge/Part.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace a2 {

// What a rank's end was: its exit status, and what stderr is to show; empty for nothing.
struct RankEnd {
    ExitStatus status = ExitStatus::passed;
    std::string message;
    bool operator==(const RankEnd&) const = default;
};

// Those with a message, by rank, each of which names its rank; one for all if all have the same.
std::vector<RankEnd> troubles(const std::vector<RankEnd>& ends);

// Shows a line on stderr. What gives up waiting for a rank calls it last.
using SayOfRanks = void (*)(const std::string& line);

class Ranks {
public:
    // Null where no launcher has started this program, or it has started no other one. Throws EnvironmentError where
    // one has and a2 was built without MPI, or its MPI is not on this machine.
    static std::unique_ptr<Ranks> ofLauncher(SayOfRanks say);
    virtual ~Ranks() = default;
    Ranks(const Ranks&) = delete;
    Ranks& operator=(const Ranks&) = delete;

    virtual Part part() const = 0;
    virtual unsigned here() const = 0;    // this one's number among the ranks on this machine
    virtual unsigned onHost() const = 0;  // ranks on this machine

    // A rank that has not come to a meeting after so long has gone: the one that waits ends all, with a message.
    void waitFor(std::chrono::duration<double> patience) { patience_ = patience; }

    // All of these wait until all ranks have come. Somebody's end ends the others' wait, too.
    struct Ended {};  // thrown: at least one rank is at its end
    // Throws Ended, and Error where ranks are at different places.
    virtual Met meet(const Brought& brought) = 0;
    // The texts of all ranks, on rank 0; empty on the others. Throws as meet does.
    virtual std::vector<std::string> gather(const std::string& text) = 0;
    // The same number everywhere: that of rank 0. Throws as meet does.
    virtual std::uint64_t ofFirst(std::uint64_t number) = 0;
    // This rank's end. Returns those of all ranks, by rank, on rank 0; empty on the others. Once.
    virtual std::vector<RankEnd> end(const RankEnd& own) = 0;
    virtual bool over() const = 0;  // that was called

protected:
    Ranks() = default;
    std::chrono::duration<double> patience_{600};
};

}  // namespace a2
