#include "judge/Cases.h"

#include "a2/Error.h"
#include "gpu/Device.h"
#include "gpu/KernelCompiler.h"
#include "gpu/NotFollowed.h"
#include "gpu/Shaders.h"
#include "judge/Matrix.h"
#include "spirv/KernelFacts.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>

namespace a2 {

namespace {

FaultPlace placeOf(const KernelError& error)
{
    if (const auto* compiling = dynamic_cast<const CompileError*>(&error))
        return {compiling->file, compiling->line, {}, true};
    if (dynamic_cast<const SolutionBrokenError*>(&error)) return {{}, {}, {}, true};
    if (const auto* solution = dynamic_cast<const SolutionError*>(&error)) return {{}, {}, solution->phase, false};
    return {};
}

}  // namespace

Cases::Cases(Device& device, EvaluationSettings chosen, Progress shown, Begin begun)
    : gpu(device), settings(std::move(chosen)), progress(std::move(shown)), begin_(std::move(begun))
{
}

bool Cases::hasOwnWorkGroup(const Task& task, const KernelShape& shape) const
{
    return settings.workGroup || shape.workGroup == task.shape.workGroup;
}

KernelShape Cases::shapeOf(const Task& task, std::uint64_t n, std::optional<std::uint32_t> workGroup) const
{
    KernelShape shape = task.shapeFor(n);
    shape.exclusive = settings.exclusive && task.taskClass->hasExclusive;
    if (n > longInOnePlace) shape.places = 4;
    if (settings.elements == 2U && task.workGroupForTwo > 0) shape.workGroup = task.workGroupForTwo;
    shape.workGroup = std::min(shape.workGroup, matrixWorkGroups(gpu).back());
    if (workGroup) shape.workGroup = *workGroup;
    if (settings.elements) {
        shape.elements = *settings.elements;
        return shape;
    }
    const auto fits = [&] {
        return std::all_of(task.shaders.begin(), task.shaders.end(), [&](const std::string& shader) {
            const auto bytes = shaderFacts(gpu, shader, shape).sharedBytes;
            return !bytes || *bytes <= gpu.limits().maxComputeSharedMemorySize;
        });
    };
    const std::uint32_t unit = task.elementsUnit;
    while (shape.elements > unit && !fits()) shape.elements = std::max(unit, shape.elements / 2 / unit * unit);
    return shape;
}

KernelShape Cases::shapeOfRun(const Task& task) const
{
    try {
        return shapeOf(task, ceilDiv(settings.size, allRanks()), settings.workGroup);
    } catch (const KernelError&) {
        return task.shape;
    }
}

bool Cases::keepsToItsShape() const { return settings.course || settings.workGroup || settings.elements || together_; }

Pattern Cases::easyPattern(const Task& task) const
{
    return settings.pattern ? *settings.pattern : Pattern::parse(task.taskClass->easyPattern);
}

CaseOutcome Cases::blank(const Pattern& pattern, std::uint64_t n, const KernelShape& shape) const
{
    CaseOutcome outcome;
    outcome.n = n;
    outcome.pattern = pattern.text();
    outcome.seed = settings.seed;
    outcome.shape = shape;
    outcome.limit = settings.lowerLimits;
    return outcome;
}

CaseOutcome Cases::blankRandom(std::uint64_t n, const KernelShape& shape) const
{
    return blank(Pattern::parse("random"), n, shape);
}

Benchmark Cases::blankBenchmark(const Task& task, const CaseOutcome& one) const
{
    Benchmark benchmark;
    benchmark.n = one.n;
    benchmark.shape = one.shape;
    benchmark.batch = settings.batch;
    benchmark.timer = settings.timer;
    benchmark.minimumTraffic = task.taskClass->minimumTraffic(one.n, one.shape);
    return benchmark;
}

void Cases::begin(const Task& task, const CaseOutcome& one) const
{
    if (begin_ && !probing_) begin_(task, one);
}

void Cases::keepWalk(Trial& trial, const Task& task, const CaseOutcome& one)
{
    trial.runLint().onWalk([this, &task, told = one](const Verdict& found) mutable {
        a2::judge(told, found);
        begin(task, told);
        walked_ = std::move(told.findings);
        walkedPlace_ = told.place;
    });
}

void Cases::failOnDevice(CaseOutcome& outcome, const DeviceError& error)
{
    outcome.status = error.timeout ? Status::timeout : Status::crashed;
    outcome.deviceFailed = true;
    outcome.findings = std::exchange(walked_, {});
    outcome.findings.push_back({"", error.what(), {}});
    outcome.place = std::exchange(walkedPlace_, {});
}

void Cases::guarded(CaseOutcome& outcome, const std::function<void()>& body)
{
    walked_.clear();
    walkedPlace_ = {};
    try {
        body();
    } catch (const NotFollowedError& error) {
        outcome.status = Status::skipped;
        outcome.findings = {{notWalkedRule, error.what(), {}}};
    } catch (const LimitError& error) {
        outcome.status = Status::skipped;
        outcome.findings = {{"", error.what(), {}}};
    } catch (const SolutionEndedError& error) {
        outcome.status = error.timeout ? Status::timeout : Status::crashed;
        outcome.findings = {{"", error.what(), {}}};
        outcome.place = placeOf(error);
    } catch (const KernelError& error) {
        outcome.status = Status::failed;
        outcome.findings = {{"", error.what(), {}}};
        outcome.place = placeOf(error);
    } catch (const DeviceError& error) {
        failOnDevice(outcome, error);
    } catch (const vk::OutOfDeviceMemoryError&) {  // a2's own allocation: a solution's is its fault (StudentSolution.h)
        outcome.status = Status::skipped;
        outcome.findings = {{"", "the device ran out of memory; choose a smaller --size", {}}};
    } catch (const vk::OutOfHostMemoryError&) {
        outcome.status = Status::skipped;
        outcome.findings = {{"", "the device's driver ran out of main memory; choose a smaller --size", {}}};
    } catch (const std::bad_alloc&) {
        outcome.status = Status::skipped;
        outcome.findings = {
            {"",
             fmt::format("this machine's main memory has no room for n = {}; choose a smaller --size", outcome.n),
             {}}};
    } catch (const vk::DeviceLostError&) {  // found by a call outside Device
        gpu.giveUp(deviceLost());
        failOnDevice(outcome, deviceLost());
    } catch (const vk::SystemError& error) {
        outcome.status = Status::failed;
        outcome.findings = {{"", fmt::format("a Vulkan call failed: {}", error.what()), {}}};
    }
}

void Cases::limited(const Task& task, CaseOutcome& outcome, const std::function<void()>& body)
{
    begin(task, outcome);
    guarded(outcome, [&] {
        const WithLowerLimits lowered(gpu, outcome.limit);
        body();
    });
}

void Cases::onDevice(const Task& task, CaseOutcome& outcome, const std::function<void()>& body)
{
    limited(task, outcome, [&] {
        checkSize(gpu, task, outcome.n);
        body();
    });
}

bool Cases::deviceFailed() const { return gpu.failure().has_value(); }

}  // namespace a2
