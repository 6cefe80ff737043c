// The memory that some work may touch, watched: other poison in it before each run, guard words round every buffer, and
// a look at them afterwards.
#pragma once

#include "gpu/Device.h"
#include "gpu/Staging.h"
#include "gpu/TimedRun.h"
#include "judge/Poison.h"
#include "judge/Runnable.h"
#include "lint/Finding.h"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace a2 {

class WatchedMemory {
public:
    // What is watched are the buffers made from now on, and those for which isGiven is true: they hold what the work is
    // given, and only their guards are written.
    WatchedMemory(Device& gpu, std::function<bool(const DeviceMemory*)> isGiven);

    std::vector<LiveBuffer> buffers() const;
    bool isGiven(const DeviceMemory* memory) const { return isGiven_(memory); }
    void leaveOut(const DeviceMemory* own) { own_ = own; }  // a buffer of a2's, made since

    // The words that memory and guards hold before a run are others for each run, so that neither what an earlier run
    // left nor what a kernel was told can pass for a result.
    void draw();
    void poisonWith(std::uint32_t word) { poison_ = word; }  // for the next run, after draw()
    void always(std::uint32_t bits) { bits_ = bits; }        // that every word of poison has: of floats that are none
    std::uint32_t poison() const { return poison_; }         // the last one
    PoisonWords& words() { return words_; }
    void recordPoison(Commands& cb) const;

    // Guards of all buffers, as regions, and what is wrong with what they hold after a run.
    std::vector<Region> guardRegions() const;
    void checkGuards(std::span<const std::uint32_t> words, std::vector<Finding>& findings) const;
    // What the validation layer said since it was last asked.
    void takeMessages(std::vector<Finding>& findings) const;

    // Draws, poisons, runs, and looks at the guards. before: recorded after the poison, not timed. gather: may add
    // regions, which are gathered after those of the guards (gathered(), Staging.h). The layer's messages are not
    // taken.
    struct Looked {
        RunTime time;
        std::uint64_t guardWords = 0;  // gathered in front of what was added
    };
    Looked run(TimedRun& timed, Timer timer, const Record& before, const Record& work,
               const std::function<void(std::vector<Region>&)>& gather, std::vector<Finding>& findings);

    // The next run of work of a2's own, such as the labs', as one of a task is judged but for its result: the lint and
    // the layer's messages are in `findings`, too.
    RunTime runOwn(TimedRun& timed, Timer timer, Runnable& work, std::vector<Finding>& findings);

    static constexpr std::uint64_t wordsPerGuard = DeviceBuffer::guardBytes / sizeof(std::uint32_t);

private:
    Device& gpu_;
    std::function<bool(const DeviceMemory*)> isGiven_;
    std::uint64_t firstBuffer_;  // number of the first one that is made from now on
    const DeviceMemory* own_ = nullptr;
    PoisonWords words_;
    std::uint32_t bits_ = 0, poison_ = 0, guard_ = 0;
};

}  // namespace a2
