// How tasks fare elsewhere than in a run on this device: on other devices, in other orders of work-groups, and where
// this device's driver is at fault.
#pragma once

#include "judge/Cases.h"

#include <map>
#include <set>
#include <utility>

namespace a2 {

class Orders {
public:
    explicit Orders(Cases& cases) : cases_(cases) {}

    // The length and the shape with which orders of work-groups are tried.
    std::pair<std::uint64_t, KernelShape> scheduled(const Task& task, const KernelShape& own) const;
    // Those with which compare-and-swaps are made to fail, on elements that are all equal.
    std::pair<std::uint64_t, KernelShape> ofLosses(const Task& task, const KernelShape& own) const;
    // Runs on the host, before a device reaches a path that is entered only by waiting; n up to `longest`. The first
    // that fails is added to the cases.
    void walkOrders(TaskOutcome& outcome, const KernelShape& own, std::uint64_t longest);
    // Whether other orders than the usual one were tried there.
    bool matter(const Task& task) const { return tried_.count(task.id) > 0; }
    // Whether some run of the task had kernels whose atomics others may see.
    bool talks(const Task& task) const { return talking_.count(task.id) > 0; }

    // After a judged run of the case: whether the driver is at fault, and if it passed, what shows elsewhere.
    void lookFurther(const Task& task, Trial& trial, const Input& input, CaseOutcome& outcome);
    // Of these, what shows on other devices than this one, and in other orders of work-groups.
    void lookElsewhere(const Task& task, Trial& trial, CaseOutcome& outcome);
    // The failure may be explained by an order on the host.
    void lookForOrder(Trial& trial, CaseOutcome& outcome);
    // Whether the failure is the driver's: then the case is skipped, or passes.
    void lookAtCpuDriver(const Task& task, const Input& input, CaseOutcome& outcome);

private:
    void walkLosses(TaskOutcome& outcome, const KernelShape& own, std::uint64_t longest);

    Cases& cases_;
    Device& gpu_ = cases_.gpu;
    const EvaluationSettings& settings_ = cases_.settings;
    std::set<std::string> talking_;  // tasks with kernels whose atomics others may see
    std::set<std::string> tried_;    // tasks for which walkOrders() has tried several orders
    std::set<std::string> ordered_;  // tasks that are right even with pauses at their atomics
    // Tasks whose work-groups wait for others in a loop, and which are right on the host in every order that was tried.
    std::set<std::string> rightInOrders_;
    // By task: a length whose walk was cut short because of the length of its kernel's loops.
    std::map<std::string, std::uint64_t> cutAt_;
};

}  // namespace a2
