// The phases of one work-group in each dispatch of a run, between its barrier() calls. The run is walked on the host
// (spirv/Emulator.h) with the same input, and compared with what the device leaves.
#pragma once

#include "judge/PhaseModel.h"
#include "judge/Trial.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace a2 {

struct Phase {
    EmulatorSettings::SeenPhase seen;
    PhaseJudgement judgement;
};

// The phases of a dispatch.
struct DispatchPhases {
    std::uint64_t group = 0;  // along x, then y, then z
    std::vector<Phase> phases;
    std::string remark;  // about them, or why there are none; may be empty
    const Phase* firstWrong() const;
};

// The accesses of all work-groups of a dispatch.
struct DispatchTrace {
    Trace trace;
    std::vector<EmulatorSettings::SharedVariable> shared;  // the meaning of TracedAccess::memory for shared memory
    struct WrongAt {
        std::uint64_t group = 0, phase = 0;
        WrongNumber number;
    };
    std::vector<WrongAt> wrong;  // numbers of shared memory that a phase left wrong
};

class HostPhases {
public:
    // Walks the trial's last run. The trial must outlive this object. poison: the word in memory that is not yet
    // written, on the device, too. traces: whether traceOf will be called.
    HostPhases(Device& gpu, const Trial& trial, const Task& task, const Expectation& expectation, std::uint64_t group,
               std::uint32_t poison, bool traces = false);

    // judged: the verdict on the dispatch, from the contents before and after it on the device.
    DispatchPhases of(const DispatchCommand& dispatch, const StepJudgement& judged, const Contents& before,
                      const Contents& after) const;

    // Empty if the dispatch could not be walked to its end. Call it once for each dispatch.
    std::optional<DispatchTrace> traceOf(const DispatchCommand& dispatch, const StepJudgement& judged,
                                         const Contents& before);

    // The work-group that wrote the first wrong element; empty if that is not known.
    static std::optional<std::uint64_t> wrongGroup(const Task& task, const KernelShape& shape,
                                                   const DispatchCommand& dispatch, const StepJudgement& judged);

private:
    struct Walked {
        bool complete = false, cut = false;  // cut: not all of its phases were kept
        std::string why;                     // why it is not complete
        std::map<std::uint64_t, std::vector<EmulatorSettings::SeenPhase>> phases;  // by work-group
        Trace trace;
        Contents found, left;  // of buffers that live for a run: what it only read, what it wrote
    };
    void walk(Device& gpu, std::uint32_t poison, bool traces);
    bool isWrong(const DispatchCommand& dispatch, const StepJudgement& judged, const Walked& walked,
                 std::uint64_t group) const;
    PhaseJudgements judge(const DispatchCommand& dispatch, const StepJudgement& judged, const Contents& before,
                          const Walked& walked, std::uint64_t group) const;

    const Trial& trial_;
    const Task& task_;
    const Expectation& expectation_;
    std::uint64_t group_;
    std::uint32_t subgroupSize_;
    std::vector<Walked> dispatches_;
};

}  // namespace a2
