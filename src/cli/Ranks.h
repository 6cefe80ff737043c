// The ranks as which a launcher of MPI has started this program, and their meetings. MPI is found when a2 is built
// (third_party/), is in a module of its own (MpiRanks.cpp), and is loaded at run time if a launcher is found, in the
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

// A rank's end: its exit status, and the text for stderr; empty for none.
struct RankEnd {
    ExitStatus status = ExitStatus::passed;
    std::string message;
    bool operator==(const RankEnd&) const = default;
};

// The ends with a message, by rank, each naming its rank; a single one if all have the same.
std::vector<RankEnd> troubles(const std::vector<RankEnd>& ends);

// Shows a line on stderr. It is called last when waiting for a rank is given up.
using SayOfRanks = void (*)(const std::string& line);

class Ranks {
public:
    // Null if no launcher has started this program, or it has started only this one. Throws EnvironmentError if one has
    // and a2 was built without MPI, or its MPI is not on this machine.
    static std::unique_ptr<Ranks> ofLauncher(SayOfRanks say);
    virtual ~Ranks() = default;
    Ranks(const Ranks&) = delete;
    Ranks& operator=(const Ranks&) = delete;

    virtual Part part() const = 0;
    virtual unsigned here() const = 0;    // this one's number among the ranks on this machine
    virtual unsigned onHost() const = 0;  // ranks on this machine

    // A rank that does not come to a meeting within this time is considered gone: the waiting rank ends all, with a
    // message.
    void waitFor(std::chrono::duration<double> patience) { patience_ = patience; }

    // All of these wait until all ranks have come. The end of one rank also ends the others' wait.
    struct Ended {};  // thrown: at least one rank has ended
    // Throws Ended, and Error if ranks are at different places.
    virtual Met meet(const Brought& brought) = 0;
    // The texts of all ranks, on rank 0; empty on the others. Throws what meet throws.
    virtual std::vector<std::string> gather(const std::string& text) = 0;
    // The same number everywhere: that of rank 0. Throws what meet throws.
    virtual std::uint64_t ofFirst(std::uint64_t number) = 0;
    // Ends this rank. Returns the ends of all ranks, by rank, on rank 0; empty on the others. Call it once.
    virtual std::vector<RankEnd> end(const RankEnd& own) = 0;
    virtual bool over() const = 0;  // end() was called

protected:
    Ranks() = default;
    std::chrono::duration<double> patience_{600};
};

}  // namespace a2
