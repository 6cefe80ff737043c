// One invocation of a kernel, followed instruction by instruction. What is not understood has no value, and a branch on
// it ends the trace.
#pragma once

#include "spirv/WorkGroupCheck.h"

#include <utility>

namespace a2 {

class WorkGroupCheck::Run {
public:
    Run(const WorkGroupCheck& flow, const Invocation& invocation, std::uint64_t most)
        : flow_(flow),
          invocation_(invocation),
          mostSteps_(most),
          values_(flow.constants_),
          memory_(values_.size()),
          pointers_(values_.size())
    {
    }
    Trace trace()
    {
        if (values_.size() > fewIds) trace_.steps = values_.size() / 8;  // all are made anew for each invocation
        trace_.complete = call(flow_.main_);
        return std::move(trace_);
    }

private:
    static constexpr std::uint32_t fewIds = 1024;
    using Kind = Access::Kind;
    enum class Next { instruction, block, caller, unknown };

    // The way through the code (WorkGroupRun.cpp).
    bool call(std::uint32_t id);
    Next step(SpirvWords words, std::uint32_t before);
    void passArguments(SpirvWords words);
    void calculate(SpirvWords words);
    void doTogether(SpirvWords words);
    template <class Arithmetic>
    Value combined(Arithmetic arithmetic, std::uint32_t operation, SpirvWords operands) const;
    Value value(std::uint32_t id) const { return values_[id]; }

    // Memory (WorkGroupMemory.cpp).
    Pointer pointer(std::uint32_t id) const { return flow_.variables_[id].id ? Pointer{id} : pointers_[id]; }
    Pointer chained(Pointer base, std::uint32_t type, SpirvWords indices) const;
    Word pushOffset(std::uint32_t type, SpirvWords indices) const;
    Value load(const Pointer& from) const;
    bool own(const Pointer& one) const;
    void store(const Pointer& to, const Value& stored);
    void noteShared(const Pointer& to, Kind kind);

    const WorkGroupCheck& flow_;
    const Invocation& invocation_;
    std::uint64_t mostSteps_;
    SpirvTable<Value> values_, memory_;  // memory_: of own variables
    SpirvTable<Pointer> pointers_;       // variable 0: no pointer, or one that is not followed
    Value returned_;
    std::uint32_t target_ = 0;
    Trace trace_;
    std::size_t depth_ = 0;  // of calls
};

}  // namespace a2
