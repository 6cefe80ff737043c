// All recordings that a check or a run may need, made beforehand.
#pragma once

#include "judge/CheckedCases.h"

namespace a2 {

class RecordAhead {
public:
    RecordAhead(Cases& cases, const Orders& orders, const HostWalks& walks, const CheckedCases& checked)
        : cases_(cases), orders_(orders), walks_(walks), checked_(checked)
    {
    }

    // Nothing runs on the device. The side that answers the device's requests (Device::record) keeps the answers. A
    // task ends when its recording fails or takes longer than `mostSeconds`; Evaluator's run() and check() ask in the
    // same order, and so end at the same place.
    static constexpr double mostSeconds = 60;
    using Room = std::function<bool(const Task&)>;  // whether there is room for more recordings of a task
    void forCheck(const std::vector<Task>& tasks, const Room& room);
    void forRun(const std::vector<Task>& tasks, const Room& room);

private:
    Cases& cases_;
    Device& gpu_ = cases_.gpu;
    const EvaluationSettings& settings_ = cases_.settings;
    const Orders& orders_;
    const HostWalks& walks_;
    const CheckedCases& checked_;
};

}  // namespace a2
