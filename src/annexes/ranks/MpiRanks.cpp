// Ranks that meet by MPI: a module, which a2 loads only if a launcher of MPI has started it. MPI libraries take signals
// and time at their start, even in programs of one process.
#include "base/Clock.h"
#include "cli/Ranks.h"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <thread>

namespace a2 {

namespace {

// The place of a rank in the program. All should be at the same place; one that ends may come to any.
enum class Place : std::uint64_t { meeting, gathering, number, end };

class MpiRanks : public Ranks {
public:
    explicit MpiRanks(SayOfRanks say) : say_(say)
    {
        int given = 0;
        MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &given);
        rank_ = askRank(MPI_COMM_WORLD);
        ranks_ = askSize(MPI_COMM_WORLD);
        MPI_Comm host = MPI_COMM_NULL;
        MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &host);
        here_ = askRank(host);
        onHost_ = askSize(host);
        MPI_Comm_free(&host);
    }
    ~MpiRanks() override
    {
        for (auto& [sharing, group] : groups_) MPI_Comm_free(&group);
        MPI_Finalize();
    }

    Part part() const override { return {static_cast<unsigned>(rank_), static_cast<unsigned>(ranks_)}; }
    unsigned here() const override { return static_cast<unsigned>(here_); }
    unsigned onHost() const override { return static_cast<unsigned>(onHost_); }
    bool over() const override { return over_; }

    Met meet(const Brought& brought) override
    {
        const Agreed agreed = agree(Place::meeting, brought);
        Met met{0, 0, {}, agreed.size, static_cast<Halt>(agreed.halt), agreed.last, 0};
        met.realsBefore.resize(brought.reals.size());
        if (met.halt != Halt::none || brought.sharing <= static_cast<unsigned>(rank_)) return met;
        const MPI_Comm group = groupOf(brought.sharing);
        wait([&](MPI_Request* request) { MPI_Ibarrier(group, request); });
        const auto start = Clock::now();
        if (brought.sharing > 1) MPI_Exscan(&brought.sum, &met.before, 1, MPI_UINT32_T, MPI_SUM, group);
        MPI_Allreduce(&brought.sum, &met.whole, 1, MPI_UINT32_T, MPI_SUM, group);
        if (brought.sharing > 1 && !brought.reals.empty())
            MPI_Exscan(brought.reals.data(), met.realsBefore.data(), static_cast<int>(brought.reals.size()), MPI_DOUBLE,
                       MPI_SUM, group);
        met.exchangeMs = msSince(start);
        if (rank_ == 0) {  // MPI_Exscan leaves its numbers undefined
            met.before = 0;
            met.realsBefore.assign(brought.reals.size(), 0);
        }
        return met;
    }

    std::vector<std::string> gather(const std::string& text) override
    {
        agree(Place::gathering);
        return gatherAll(text);
    }

    std::uint64_t ofFirst(std::uint64_t number) override
    {
        agree(Place::number);
        MPI_Bcast(&number, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
        return number;
    }

    std::vector<RankEnd> end(const RankEnd& own) override
    {
        if (!ended_) {
            try {
                agree(Place::end);
            } catch (const Ended&) {  // this rank has ended, too
            }
        }
        over_ = true;
        std::vector<RankEnd> all;
        const std::string text = static_cast<char>('0' + static_cast<int>(own.status)) + own.message;
        for (const std::string& one : gatherAll(text))
            all.push_back({static_cast<ExitStatus>(one[0] - '0'), one.substr(1)});
        return all;
    }

private:
    struct Agreed {
        std::uint64_t size = 0;
        std::uint64_t halt = 0;
        bool last = false;
    };

    static int askRank(MPI_Comm group)
    {
        int rank = 0;
        MPI_Comm_rank(group, &rank);
        return rank;
    }
    static int askSize(MPI_Comm group)
    {
        int size = 0;
        MPI_Comm_size(group, &size);
        return size;
    }

    // Waits until all ranks have come, and checks that they are at the same place. Throws Ended, Error.
    Agreed agree(Place place, const Brought& brought = {})
    {
        rollCall();
        // The maximum of a number and of its complement gives the largest and the smallest.
        const auto isPlace = static_cast<std::uint64_t>(place);
        const bool ends = place == Place::end;
        const std::uint64_t what = ends ? 0 : brought.what * 8 + isPlace, sharing = brought.sharing;
        const std::array<std::uint64_t, 6> mine = {
            ends,   what, ends ? 0 : ~what, ~brought.size, static_cast<std::uint64_t>(brought.halt) * 2 + brought.last,
            sharing};
        std::array<std::uint64_t, 6> most{};
        wait([&](MPI_Request* request) {
            MPI_Iallreduce(mine.data(), most.data(), static_cast<int>(mine.size()), MPI_UINT64_T, MPI_MAX,
                           MPI_COMM_WORLD, request);
        });
        if (most[0] != 0) {
            ended_ = true;
            throw Ended();
        }
        if (most[1] != ~most[2])
            throw Error(ExitStatus::internal,
                        "the ranks are not at the same case; do their devices and drivers differ? a2 divides an array "
                        "among devices of one kind");
        return {~most[3], most[4] / 2, most[4] % 2 != 0};
    }

    // Rank 0 gets a message from each rank, so that it can report which one is missing.
    void rollCall()
    {
        constexpr int here = 1;
        const auto start = Clock::now();
        std::vector<MPI_Request> requests;
        if (rank_ != 0) {
            MPI_Send(nullptr, 0, MPI_BYTE, 0, here, MPI_COMM_WORLD);
            return;
        }
        for (int rank = 1; rank < ranks_; ++rank)
            MPI_Irecv(nullptr, 0, MPI_BYTE, rank, here, MPI_COMM_WORLD, &requests.emplace_back());
        std::string missing;
        const auto allCame = [&] {
            missing.clear();
            for (std::size_t i = 0; i < requests.size(); ++i) {
                int came = 0;
                MPI_Test(&requests[i], &came, MPI_STATUS_IGNORE);
                if (!came) missing += fmt::format("{}{}", missing.empty() ? "" : ", ", i + 1);
            }
            return missing.empty();
        };
        for (unsigned turn = 0; !allCame(); ++turn) {
            if (msSince(start) > patience_.count() * 1e3) giveUp("rank " + missing, patience_.count());
            pause(turn);
        }
    }

    // Starts an operation that ends when all ranks have come, and waits for it. Rank 0 has called the roll, and is the
    // first to give up; the others do if rank 0 itself is missing.
    template <class Start>
    void wait(const Start& begin)
    {
        MPI_Request request = MPI_REQUEST_NULL;
        begin(&request);
        const auto start = Clock::now();
        for (unsigned turn = 0;; ++turn) {
            int done = 0;
            MPI_Test(&request, &done, MPI_STATUS_IGNORE);
            if (done) return;
            const double patience = patience_.count() * (rank_ == 0 ? 1.5 : 2);
            if (msSince(start) > patience * 1e3) giveUp(rank_ == 0 ? "a rank that had answered" : "rank 0", patience);
            pause(turn);
        }
    }

    // Working processes may need this core.
    static void pause(unsigned turn)
    {
        if (turn < 100) return std::this_thread::yield();
        std::this_thread::sleep_for(std::chrono::microseconds(turn < 1000 ? 50 : 1000));
    }

    [[noreturn]] void giveUp(const std::string& who, double seconds) const
    {
        say_(
            fmt::format("a2: error: {} did not come within {:.0f} s, {:.0f} times --timeout: has it gone, or is "
                        "its machine that much slower?",
                        who, seconds, 10 * seconds / patience_.count()));
        MPI_Abort(MPI_COMM_WORLD, static_cast<int>(ExitStatus::device));
        std::abort();  // not reached: MPI_Abort ends all
    }

    // The first `sharing` ranks; all of these call this at the same time.
    MPI_Comm groupOf(unsigned sharing)
    {
        if (sharing == static_cast<unsigned>(ranks_)) return MPI_COMM_WORLD;
        const auto known = groups_.find(sharing);
        if (known != groups_.end()) return known->second;
        MPI_Group all = MPI_GROUP_NULL, first = MPI_GROUP_NULL;
        MPI_Comm_group(MPI_COMM_WORLD, &all);
        int range[1][3] = {{0, static_cast<int>(sharing) - 1, 1}};
        MPI_Group_range_incl(all, 1, range, &first);
        MPI_Comm group = MPI_COMM_NULL;
        MPI_Comm_create_group(MPI_COMM_WORLD, first, static_cast<int>(sharing), &group);
        MPI_Group_free(&first);
        MPI_Group_free(&all);
        return groups_[sharing] = group;
    }

    std::vector<std::string> gatherAll(const std::string& text)
    {
        const int own = static_cast<int>(text.size());
        std::vector<int> lengths(rank_ == 0 ? static_cast<std::size_t>(ranks_) : 0), starts;
        MPI_Gather(&own, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
        int length = 0;
        for (const int one : lengths) {
            starts.push_back(length);
            length += one;
        }
        std::string all(static_cast<std::size_t>(length), '\0');
        MPI_Gatherv(text.data(), own, MPI_CHAR, all.data(), lengths.data(), starts.data(), MPI_CHAR, 0, MPI_COMM_WORLD);
        std::vector<std::string> texts;
        for (std::size_t i = 0; i < lengths.size(); ++i)
            texts.push_back(all.substr(static_cast<std::size_t>(starts[i]), static_cast<std::size_t>(lengths[i])));
        return texts;
    }

    SayOfRanks say_;
    int rank_ = 0, ranks_ = 1, here_ = 0, onHost_ = 1;
    bool ended_ = false, over_ = false;  // a rank has ended; end() was called
    std::map<unsigned, MPI_Comm> groups_;
};

}  // namespace

}  // namespace a2

// The only name that Ranks::ofLauncher looks for.
extern "C" __attribute__((visibility("default"))) a2::Ranks* a2StartRanks(a2::SayOfRanks say)
{
    return new a2::MpiRanks(say);
}
