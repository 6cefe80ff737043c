// An array that several devices share: the part of one of them, and where they meet.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace a2 {

// One of the programs (ranks, in MPI's words) that work on one array, each with a device of its own.
struct Part {
    unsigned rank = 0, ranks = 1;

    // Elements of an array of n that are this one's. Where n is no multiple of `sharing`, parts are of uneven lengths;
    // ranks from `sharing` on have none.
    std::uint64_t begin(std::uint64_t n, unsigned sharing) const { return cut(n, sharing, rank); }
    std::uint64_t end(std::uint64_t n, unsigned sharing) const { return cut(n, sharing, rank + 1); }
    std::uint64_t length(std::uint64_t n, unsigned sharing) const { return end(n, sharing) - begin(n, sharing); }

private:
    static std::uint64_t cut(std::uint64_t n, unsigned sharing, unsigned at)
    {
        if (at >= sharing) return n;
        return n / sharing * at + n % sharing * at / sharing;
    }
};

// Whether a case is over before its end, and what that means for the task.
enum class Halt { none, skipped, failed };

// What a rank comes with to a meeting of all.
struct Brought {
    std::uint32_t sum = 0;           // of its part, modulo 2^32
    std::vector<double> reals = {};  // more sums of its part, of floats; as many on each rank
    std::uint64_t size = 0;          // elements that it would take where the user named no length
    std::uint64_t what = 0;  // a digest of what it works on: the same for all, or they are not at the same place
    unsigned sharing = 1;    // so many ranks, from 0 on, share the array
    Halt halt = Halt::none;  // why the case is over
    bool last = false;       // no more repetitions
};

// And what it goes on with, when all have come.
struct Met {
    std::uint32_t before = 0;              // sum of the parts of lower ranks, modulo 2^32
    std::uint32_t whole = 0;               // and of all parts
    std::vector<double> realsBefore = {};  // sums of what lower ranks brought, each rounded as doubles are
    std::uint64_t size = 0;                // the least of what was brought
    Halt halt = Halt::none;                // the worst of what was brought
    bool last = false;                     // somebody's
    double exchangeMs = 0;                 // what passing the sums on took on this rank, from when all had come
};

// What is said of a part whose own result is wrong, elements first .. first + n - 1 of the array. goesOn: its numbers
// include what lies before it.
std::string wrongInPart(std::uint64_t first, std::uint64_t n, bool goesOn = false);
// And of parts that are right, where what they become together is wrong.
constexpr const char* wrongTogether = "each part's own result is right; wrong is what they become together";

using Meet = std::function<Met(const Brought&)>;

struct Together {
    Part own;
    Meet meet;
};

}  // namespace a2
