#include "annexes/theory/Rotate.h"

#include "A2LabRotate.h"
#include "gpu/Shaders.h"
#include "gpu/SingleDispatch.h"
#include "judge/LookInside.h"
#include "judge/OwnLog.h"
#include "judge/StudentSolution.h"
#include "judge/WatchedMemory.h"
#include "recording/OneDispatch.h"
#include "tasks/Input.h"

#include <algorithm>

namespace a2 {

namespace {

constexpr const char* rotateShader = "A2LabRotate";

RotatePush pushOf(const MatrixSize& size) { return {static_cast<uint>(size.rows), static_cast<uint>(size.columns)}; }

WorkGroups groupsFor(const Device& gpu, const MatrixSize& size, const KernelShape& shape)
{
    return gpu.foldGroups(ceilDiv(size.rows, shape.elements) * ceilDiv(size.columns, shape.elements));
}

class Rotation : public Runnable {
public:
    Rotation(Device& gpu, const KernelShape& shape, const MatrixSize& size, const DeviceBuffer& matrix)
        : rotated_(gpu, "rotated", size.elements()),
          kernel_(gpu, rotateShader, shape, {matrix, rotated_}, pushOf(size), groupsFor(gpu, size, shape), "rotate"),
          log_(logOf(kernel_))
    {
    }

    void record(Commands& cb) override { kernel_.record(cb); }
    const CommandLog& log() const override { return log_; }
    const DeviceBuffer& result() const override { return rotated_; }
    Index resultIndex() const override { return indexOf(kernel_, rotated_); }

private:
    DeviceBuffer rotated_;
    SingleDispatch<RotatePush> kernel_;
    CommandLog log_;
};

}  // namespace

std::vector<std::uint32_t> rotatedOnHost(std::span<const std::uint32_t> matrix, const MatrixSize& size)
{
    std::vector<std::uint32_t> rotated(matrix.size());
    for (std::uint64_t y = 0; y < size.rows; ++y)
        for (std::uint64_t x = 0; x < size.columns; ++x)
            rotated[x * size.rows + size.rows - 1 - y] = matrix[y * size.columns + x];
    return rotated;
}

Workload rotation(Device& gpu, const MatrixSize& size)
{
    const auto record = [&gpu, size](std::uint64_t n, const KernelShape& shape) {
        const MatrixSize part{ceilDiv(n, size.columns), size.columns};
        const WorkGroups groups = groupsFor(gpu, part, shape);
        RecordedWork work;
        work.recording = recordingOf(OneDispatch{rotateShader,
                                                 "rotate",
                                                 shape,
                                                 {part.elements(), part.elements()},
                                                 wordsOf(pushOf(part)),
                                                 {groups.x, groups.y, 1}});
        work.given.input.resize(part.elements());
        return work;
    };
    return {gpu, record};
}

RotationRun runRotation(Device& gpu, const MatrixSize& size, const KernelShape& shape,
                        const std::optional<SeriesSettings>& series)
{
    std::vector<std::uint32_t> matrix(size.elements()), rotated(size.elements());
    Pattern::parse("random").fill(matrix, 1);
    const DeviceBuffer input(gpu, "matrix", size.elements());
    fillDevice(gpu, input, matrix);
    WatchedMemory memory(gpu, [&input](const DeviceMemory* buffer) { return buffer == input.memory(); });
    Rotation kernel(gpu, shape, size, input);
    TimedRun timed(gpu);

    RotationRun run;
    const std::vector<std::uint32_t> expected = rotatedOnHost(matrix, size);
    run.findings = lookInside(rotation(gpu, size), size.elements(), shape).findings;
    for (unsigned i = 0; i < StudentSolution::runsRecorded && run.passed(); ++i) {
        memory.runOwn(timed, Timer::gpu, kernel, run.findings);
        fillHost(gpu, kernel.result(), rotated);
        const auto differs = std::mismatch(expected.begin(), expected.end(), rotated.begin());
        if (differs.first != expected.end()) run.wrong = static_cast<std::uint64_t>(differs.first - expected.begin());
    }
    if (!series || anyFails(run.findings)) return run;
    const auto work = [&](Commands& cb) { kernel.record(cb); };
    run.times = timeOnDevice([&](Timer timer) { return timed.run(timer, {}, work); }, *series);
    return run;
}

}  // namespace a2
