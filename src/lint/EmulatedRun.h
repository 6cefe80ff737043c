// A recording run on the host, command by command, by the emulator: no device and no driver has a part in it.
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

// A dispatch of a run that has been walked through.
struct EmulatedStep {
    const RecordedDispatch* dispatch = nullptr;
    std::uint64_t command = 0, number = 0;  // of the run's commands, of its dispatches
    std::array<std::uint32_t, 3> groups{};
    std::uint64_t budget = 0;  // instructions of the whole run
    std::string problem;       // why it was not run at all; otherwise empty
    Emulated walk;

    struct NotWalked {
        KernelLine where;    // line 0: nowhere, or not known
        std::string why;     // as the end of a sentence about the kernel
        bool lacks = false;  // the emulator does: no longer budget would help
    };
    // Why nobody knows all that it does; empty: it was followed to its end, or to what a finding names.
    std::optional<NotWalked> notWalked() const;
};

// What a run is given: the words of buffers of these roles.
struct GivenWords {
    std::vector<std::uint32_t> input, blockOffsets;
};

// What a pipeline's specialisation constants are. Of those of more than 32 bits the rest is lost.
Specialisation specialisationOf(const RecordedPipeline& pipeline);

class EmulatedRun {
public:
    // The SPIR-V of shaders/NAME.comp. May throw KernelError, which becomes a step's problem.
    using KernelOf = std::function<std::span<const std::uint32_t>(const std::string& name)>;

    // Buffers of more bytes together are not walked: they are held several times over.
    static constexpr std::uint64_t mostBytes = std::uint64_t{256} << 20;

    // The recording has passed checkRecording, and outlives this object. Does the uploads. inPieces: of any length, for
    // who walks pieces alone; memory that nobody touches costs nothing.
    EmulatedRun(const Recording& recording, KernelOf kernelOf, GivenWords given, bool inPieces = false);

    // Before anything is walked.
    void observe(const Observed& what) { observed_ = what; }
    // The settings' pauses are those of one dispatch, by its number; empty: of all.
    void pauseIn(std::optional<std::uint64_t> dispatch) { pausedIn_ = dispatch; }
    // The run's commands one after the other, `seen` after each dispatch. Before it, input and block offsets are set
    // anew, and what lives for a run is poisoned with `poison`, or, without one, with another word each. The settings'
    // budget is that of all dispatches together. Ends early where a dispatch cannot be followed to its end; false then.
    // moved: after each transfer, with its place among the run's commands.
    bool walk(const RecordedRun& run, EmulatorSettings settings, const std::function<void(const EmulatedStep&)>& seen,
              std::optional<std::uint32_t> poison = {}, const std::function<void(std::uint64_t command)>& moved = {});

    // The same piece by piece, for who walks some work-groups alone (EmulatedSample.h): nothing is given beforehand.
    void transfer(const RecordedTransfer& one);
    void dispatch(const RecordedDispatch& one, const EmulatorSettings& settings, EmulatedStep& step);
    // The buffers that a dispatch's kernel may write to; and whether its work-groups can tell each other anything.
    std::vector<Index> writtenBy(const RecordedDispatch& one);
    bool mayTellEachOther(const RecordedDispatch& one);
    // Nothing of what it holds is known any more.
    void forget(Index index) { buffers_.at(index) = EmulatedBuffer(recording_.buffers.at(index).bytes); }

    // As the words that are given to the runs to come.
    void give(GivenWords given) { given_ = std::move(given); }
    // What all buffers hold, to go on from there again.
    const std::vector<EmulatedBuffer>& memory() const { return buffers_; }
    void goOnFrom(const std::vector<EmulatedBuffer>& memory)
    {
        std::copy(memory.begin(), memory.end(), buffers_.begin());
    }
    // The kernel of a dispatch; null: it cannot be run.
    const EmulatedKernel* kernel(const RecordedDispatch& dispatch);
    // Whether any of the run's kernels is so.
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
    std::string tooLarge_;  // why its buffers are not there; empty: they are
};

}  // namespace a2
