// Runs a recording on the host, command by command, with the emulator: without a device or a driver.
#pragma once

#include "recording/Recording.h"
#include "spirv/Emulator.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace a2 {

// A dispatch of a run, and the walk through it.
struct EmulatedStep {
    const RecordedDispatch* dispatch = nullptr;
    std::uint64_t command = 0, number = 0;  // its place among the run's commands, and among its dispatches
    std::array<std::uint32_t, 3> groups{};
    std::uint64_t budget = 0;  // instructions of the whole run
    std::string problem;       // why it was not run at all; otherwise empty
    Emulated walk;

    struct NotWalked {
        KernelLine where;    // line 0: no place, or not known
        std::string why;     // as the end of a sentence about the kernel
        bool lacks = false;  // the emulator lacks something: a longer budget would not help
    };
    // Why not everything that it does is known; empty: the walk went to its end, or stopped at a finding.
    std::optional<NotWalked> notWalked() const;
};

// The data of a run: the words of buffers with these roles.
struct GivenWords {
    std::vector<std::uint32_t> input, blockOffsets;
};

// The values of a pipeline's specialisation constants. Only the first 32 bits of each are kept.
Specialisation specialisationOf(const RecordedPipeline& pipeline);

class EmulatedRun {
public:
    // The SPIR-V of shaders/NAME.comp. May throw KernelError, which becomes a step's problem.
    using KernelOf = std::function<std::span<const std::uint32_t>(const std::string& name)>;

    // A recording whose buffers have more bytes than this together is not walked: they are held several times.
    static constexpr std::uint64_t mostBytes = std::uint64_t{256} << 20;

    // The recording must have passed checkRecording, and outlive this object. Does the uploads. inPieces: buffers of
    // any length, for callers that walk single work-groups; memory that is not touched costs nothing.
    EmulatedRun(const Recording& recording, KernelOf kernelOf, GivenWords given, bool inPieces = false);

    // Call it before anything is walked.
    void observe(const Observed& what) { observed_ = what; }
    // The settings' pauses hold for the dispatch of this number; empty: for all.
    void pauseIn(std::optional<std::uint64_t> dispatch) { pausedIn_ = dispatch; }
    // Walks the run's commands one after the other, and calls `seen` after each dispatch. Before the run, sets input
    // and block offsets again, and poisons what lives for one run: with `poison` or, without it, with a different word
    // each. The settings' budget is for all dispatches together. If a dispatch cannot be followed to its end, ends
    // early and returns false. moved: called after each transfer, with its place among the run's commands.
    bool walk(const RecordedRun& run, EmulatorSettings settings, const std::function<void(const EmulatedStep&)>& seen,
              std::optional<std::uint32_t> poison = {}, const std::function<void(std::uint64_t command)>& moved = {});

    // The same piece by piece, for callers that walk single work-groups (EmulatedSample.h): nothing is set before.
    void transfer(const RecordedTransfer& one);
    void dispatch(const RecordedDispatch& one, const EmulatorSettings& settings, EmulatedStep& step);
    // The buffers that a dispatch's kernel may write to; and whether its work-groups can communicate.
    std::vector<Index> writtenBy(const RecordedDispatch& one);
    bool mayTellEachOther(const RecordedDispatch& one);
    // The contents of the buffer become unknown.
    void forget(Index index) { buffers_.at(index) = EmulatedBuffer(recording_.buffers.at(index).bytes); }

    // Sets the words for the runs to come.
    void give(GivenWords given) { given_ = std::move(given); }
    // The contents of all buffers, so that a walk can start from there again.
    const std::vector<EmulatedBuffer>& memory() const { return buffers_; }
    void goOnFrom(const std::vector<EmulatedBuffer>& memory)
    {
        std::copy(memory.begin(), memory.end(), buffers_.begin());
    }
    // The kernel of a dispatch; null if it cannot be run.
    const EmulatedKernel* kernel(const RecordedDispatch& dispatch);
    // Whether `is` holds for any of the run's kernels.
    bool anyKernel(const RecordedRun& run, const std::function<bool(const EmulatedKernel&)>& is);

    const Recording& recording() const { return recording_; }
    EmulatedBuffer& buffer(Index index) { return buffers_.at(index); }
    const EmulatedBuffer& buffer(Index index) const { return buffers_.at(index); }
    Index indexOf(const EmulatedBuffer& buffer) const { return static_cast<Index>(&buffer - buffers_.data()); }

private:
    struct Kernel {
        std::optional<EmulatedKernel> kernel;
        std::string problem;
    };
    void begin(std::optional<std::uint32_t> poison);
    const Kernel& kernelOf(Index pipeline);
    bool bind(const RecordedDispatch& one, EmulatedDispatch& made, std::string& problem);

    const Recording& recording_;
    KernelOf source_;
    GivenWords given_;
    std::vector<EmulatedBuffer> buffers_;
    std::map<Index, Kernel> kernels_;  // by pipeline
    std::optional<std::uint64_t> pausedIn_;
    Observed observed_;
    std::string tooLarge_;  // why there are no buffers; empty: there are
};

}  // namespace a2
