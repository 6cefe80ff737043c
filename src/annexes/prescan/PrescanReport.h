// The output of `a2 prescan`: the verdict, and the lab's report.
#pragma once

#include "annexes/prescan/DevicePrescan.h"
#include "annexes/prescan/PrescanPart.h"
#include "judge/CountedWork.h"
#include "judge/Series.h"
#include "report/Text.h"

#include <string>

namespace a2 {

// For shared memory, while one tile is scanned: requests of as many invocations as there are banks, and the turns that
// the banks take for them with CONFLICT_FREE_INDEX and without; followed on the host.
struct BankTurns {
    std::uint64_t requests = 0, padded = 0, plain = 0;
};
BankTurns bankTurns(Device& gpu, const PrescanSettings& settings);

// Times in milliseconds, medians.
struct PrescanFigures {
    double hostMs = 0, kernelMs = 0, uploadMs = 0, downloadMs = 0;
    double hostCopyGBps = 0, deviceCopyGBps = 0;  // 10^9 bytes read and written a second by a plain copy
    double hostAddPeak = 0, deviceAddPeak = 0;    // 10^9 operations a second, without memory accesses
    double hostError = 0;                         // largest of the host's own result
    std::size_t repeat = 0;
    std::string buildType, compiler;
    BankTurns banks;
};

// The lines that every task has. ms: of the kernels.
std::string prescanVerdictText(std::uint64_t n, double ms, const DevicePrescan::Judged& judged,
                               const ConsoleStyle& style);

// Times, additions, shares of limits, and the lab's four goals; n >= 1.
std::string prescanReportText(const PrescanSettings& settings, std::uint64_t n, const PrescanFigures& figures,
                              const PrescanVerdict& verdict);

// Used instead for an array that several ranks shared: what was scanned, the accuracy, and a line for each rank.
std::string sharedPrescanText(const PrescanSettings& settings, std::uint64_t n, const SharedPrescan& shared);

}  // namespace a2
