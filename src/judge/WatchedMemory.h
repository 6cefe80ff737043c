// Watches the memory that some work may touch: new poison before each run, guard words around every buffer, and a check
// of both afterwards.
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
    // Watches the buffers made from now on, and those for which isGiven is true: these hold the work's input, and only
    // their guards are written.
    WatchedMemory(Device& gpu, std::function<bool(const DeviceMemory*)> isGiven);

    std::vector<LiveBuffer> buffers() const;
    bool isGiven(const DeviceMemory* memory) const { return isGiven_(memory); }
    void leaveOut(const DeviceMemory* own) { own_ = own; }  // a buffer of a2's own, made since

    // Chooses new words for memory and guards before each run, so that neither the result of an earlier run nor a word
    // known to a kernel can pass for a result.
    void draw();
    void poisonWith(std::uint32_t word) { poison_ = word; }  // for the next run, after draw()
    void always(std::uint32_t bits) { bits_ = bits; }  // that every word of poison has: such floats are no numbers
    std::uint32_t poison() const { return poison_; }   // the last one
    PoisonWords& words() { return words_; }
    void recordPoison(Commands& cb) const;

    // The guards of all buffers, as regions, and what is wrong with their contents after a run.
    std::vector<Region> guardRegions() const;
    void checkGuards(std::span<const std::uint32_t> words, std::vector<Finding>& findings) const;
    // The validation layer's messages since the last call.
    void takeMessages(std::vector<Finding>& findings) const;

    // Draws, poisons, runs, and checks the guards. before: recorded after the poison, not timed. gather: may add
    // regions, which are gathered after those of the guards (gathered(), Staging.h). Leaves the layer's messages where
    // they are.
    struct Looked {
        RunTime time;
        std::uint64_t guardWords = 0;  // before the regions that were added
    };
    Looked run(TimedRun& timed, Timer timer, const Record& before, const Record& work,
               const std::function<void(std::vector<Region>&)>& gather, std::vector<Finding>& findings);

    // Runs work of a2's own, such as the labs', and checks it like a task's, except for its result: messages of the
    // lint and of the layer are added to `findings`.
    RunTime runOwn(TimedRun& timed, Timer timer, Runnable& work, std::vector<Finding>& findings);

    static constexpr std::uint64_t wordsPerGuard = DeviceBuffer::guardBytes / sizeof(std::uint32_t);

private:
    Device& gpu_;
    std::function<bool(const DeviceMemory*)> isGiven_;
    std::uint64_t firstBuffer_;  // the number of the first buffer made from now on
    const DeviceMemory* own_ = nullptr;
    PoisonWords words_;
    std::uint32_t bits_ = 0, poison_ = 0, guard_ = 0;
};

}  // namespace a2
