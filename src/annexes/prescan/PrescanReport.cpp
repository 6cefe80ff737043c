#include "annexes/prescan/PrescanReport.h"

#include "A2Kernels.h"
#include "annexes/prescan/HostPrescan.h"
#include "annexes/prescan/PrescanWork.h"
#include "report/RanksTable.h"

#include <fmt/format.h>

#include <bit>

namespace a2 {

namespace {

std::string line(const std::string& text) { return wrapped(text, 0, lineColumns); }

double perSecond(double count, double ms) { return ms > 0 ? count / ms / 1e6 : 0; }  // in 10^9
double percent(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

// One side of the comparison, and the limits that it is compared with.
struct Side {
    const char* who;
    double ms;
    std::uint64_t additions, bytes;
    double addPeak, copyPeak;  // 10^9 a second
};

std::string row(const Side& side, double hostMs)
{
    const double adds = perSecond(static_cast<double>(side.additions), side.ms);
    const double moved = perSecond(static_cast<double>(side.bytes), side.ms);
    return fmt::format("{:<20} {:>8.4g} {:>8.3g} {:>11} {:>7.4g} {:>6.3g} {:>7.4g} {:>6.3g}\n", side.who, side.ms,
                       hostMs / side.ms, side.additions, adds, percent(adds, side.addPeak), moved,
                       percent(moved, side.copyPeak));
}

std::string table(const PrescanSettings& settings, std::uint64_t n, const PrescanFigures& figures,
                  const PrescanWork& work)
{
    const std::uint64_t hostBytes = 2 * n * sizeof(std::uint32_t);
    const Side host{"host, one thread", figures.hostMs,      hostAdditions(n),
                    hostBytes,          figures.hostAddPeak, figures.hostCopyGBps};
    const Side device{"device, kernels", figures.kernelMs,      work.additions,
                      work.bytes,        figures.deviceAddPeak, figures.deviceCopyGBps};
    const double whole = figures.uploadMs + figures.kernelMs + figures.downloadMs;
    std::string text =
        fmt::format("{:<20} {:>8} {:>8} {:>11} {:>7} {:>6} {:>7} {:>6}\n", "", "ms", "speed-up", "additions",
                    settings.element->isReal ? "GFLOP/s" : "GOP/s", "% peak", "GB/s", "% copy");
    text += row(host, figures.hostMs) + row(device, figures.hostMs);
    text += fmt::format("{:<20} {:>8.4g} {:>8.3g}\n\n", "device, with copies", whole, figures.hostMs / whole);

    text += line(fmt::format("ms: medians of {} after a warm-up; with copies: {:.4g} ms up and {:.4g} ms down on top.",
                             figures.repeat, figures.uploadMs, figures.downloadMs));
    text += line(
        "additions: each counts as one; n - 1 of the host, and of the device all that its invocations "
        "execute, on the zeros that fill up a tile too.");
    text +=
        line(fmt::format("% peak: of what was measured here with no memory in the way, one thread of the host "
                         "{:.4g} and the device {:.4g} x 10^9 a second.",
                         figures.hostAddPeak, figures.deviceAddPeak));
    text +=
        line(fmt::format("% copy: of the bytes that a plain copy reads and writes here, host {:.4g} and device "
                         "{:.4g} GB/s; over 100 where a cache helps.",
                         figures.hostCopyGBps, figures.deviceCopyGBps));
    return text;
}

std::string whyNotThePeak(const PrescanFigures& figures, const PrescanWork& work)
{
    const double bytes = static_cast<double>(work.bytes) / static_cast<double>(work.additions);
    const double reachable = figures.deviceCopyGBps / bytes;
    return line(fmt::format(
        "The compute limit is out of reach: {:.3g} bytes go through memory for each addition, so at the copy's rate "
        "there are at most {:.4g} x 10^9 additions a second, {:.3g} % of it.",
        bytes, reachable, percent(reachable, figures.deviceAddPeak)));
}

std::string blockedGoal(const PrescanWork& work, std::uint64_t tile)
{
    if (work.tiles.front() == 1)
        return fmt::format("not shown: one tile of {} elements holds all of it; a larger -n needs more", tile);
    std::string tiles;
    for (const std::uint64_t count : work.tiles) tiles += fmt::format("{}{}", tiles.empty() ? "" : " + ", count);
    return fmt::format("met: {} tiles of {} elements, on {} levels", tiles, tile, work.tiles.size());
}

// Additions of a scan that doubles its stride (Hillis and Steele): in each step, every element from the stride on.
std::uint64_t naiveAdditions(std::uint64_t n)
{
    std::uint64_t additions = 0;
    for (std::uint64_t stride = 1; stride < n; stride *= 2) additions += n - stride;
    return additions;
}

std::string efficientGoal(const PrescanWork& work, std::uint64_t n)
{
    const std::uint64_t ideal = 2 * (n - 1), naive = naiveAdditions(n);
    if (work.additions >= naive)
        return fmt::format("not shown: {} additions, a naive scan {}; n is too small for whole tiles", work.additions,
                           naive);
    return fmt::format("met: {} additions, {:.3g} times 2 (n - 1); a naive scan executes {}", work.additions,
                       static_cast<double>(work.additions) / static_cast<double>(ideal), naive);
}

std::string lengthGoal(std::uint64_t n, std::uint64_t tile)
{
    if (std::has_single_bit(n)) return "not shown: n is a power of two; choose another -n";
    return fmt::format("met: {} is none; the last tile holds {} of {} elements", n, (n - 1) % tile + 1, tile);
}

std::string bankGoal(const KernelShape& shape, const BankTurns& turns)
{
    const std::string found = fmt::format(
        "{} words of padding in a tree of {}; {} accesses to a tile's shared memory, each by {} invocations, take {} "
        "turns in the banks, {} without padding",
        paddingWords(shape), treeLeaves(shape), turns.requests, NUM_BANKS, turns.padded, turns.plain);
    return fmt::format("{}: {}", turns.padded < turns.plain ? "met" : "not shown", found);
}

// "exclusive prescan of 16000000 float: random whole numbers 0 to 2, seed 1"
std::string headText(const PrescanSettings& settings, std::uint64_t n)
{
    return fmt::format("{} prescan of {} {}: random whole numbers 0 to {}, seed {}",
                       settings.shape.exclusive ? "exclusive" : "inclusive", n, settings.typeName(),
                       settings.maxRand - 1, settings.seed);
}

constexpr const char* nothingAllowed = "allowed 0, since no sum of these elements needs rounding";

std::string accuracyText(const PrescanSettings& settings, const PrescanVerdict& verdict, const PrescanFigures& figures,
                         const PrescanWork& work)
{
    if (!settings.element->isReal) return "accuracy: exact modulo 2^32";
    std::string text = fmt::format("accuracy: off by up to {:.4g}, the host's running sum by up to {:.4g}; ",
                                   verdict.largestError, figures.hostError);
    if (verdict.mostAllowed == 0) return text + nothingAllowed;
    return text + fmt::format("allowed up to {:.4g}, what {} additions in a row may lose to rounding",
                              verdict.mostAllowed, work.depth);
}

}  // namespace

BankTurns bankTurns(Device& gpu, const PrescanSettings& settings)
{
    KernelShape plain = settings.shape;
    plain.banks = KernelShape::noPadding;
    const auto kernels = countConflicts(workloadOf(gpu, prescanRow(*settings.element)), settings.shape.tile(),
                                        {{"padded", NUM_BANKS, settings.shape}, {"unpadded", NUM_BANKS, plain}});
    const auto& columns = kernels.front().columns;
    return {columns[0].requests, columns[0].turns, columns[1].turns};
}

std::string prescanVerdictText(std::uint64_t n, double ms, const DevicePrescan::Judged& judged,
                               const ConsoleStyle& style)
{
    const PrescanVerdict& verdict = judged.verdict;
    std::string text = "[Lab] evaluating Prescan\n";
    if (n == 0) return text + "n = 0: nothing to do, so there is no dispatch\n";
    if (judged.passed()) {
        text += fmt::format("Execution time: {:.6g} ms, Throughput: {:.6g} GE/s\n", ms,
                            perSecond(static_cast<double>(n), ms));
        return text + coloured("TEST PASSED", "32", style) + "\n";
    }
    if (verdict.wrong > 0) {
        text += wrapped(fmt::format("expected {} at index {}, got {}; rounding explains up to {:.4g}", verdict.expected,
                                    verdict.firstIndex, verdict.got, verdict.allowed),
                        2, lineColumns);
        text += wrapped(fmt::format("{} of {} elements are wrong", verdict.wrong, n), 2, lineColumns);
    }
    if (verdict.inputChanged) text += wrapped("the kernels wrote over their input", 2, lineColumns);
    for (const std::string& message : judged.messages) text += wrapped(message, 2, lineColumns);
    return text + coloured("TEST FAILED", "31", style) + "\n";
}

std::string prescanReportText(const PrescanSettings& settings, std::uint64_t n, const PrescanFigures& figures,
                              const PrescanVerdict& verdict)
{
    const PrescanWork work = prescanWork(n, settings.shape);
    const std::uint64_t tile = settings.shape.tile();
    std::string text = "\n";
    text += line(headText(settings, n));
    text += line(fmt::format("build: {}, {}", figures.buildType, figures.compiler));
    text += line(accuracyText(settings, verdict, figures, work)) + "\n";
    text += table(settings, n, figures, work) + whyNotThePeak(figures, work) + "\n";
    text += "Goals of the lab, by this run:\n";
    text += line(fmt::format("1 any length, in blocks: {}", blockedGoal(work, tile)));
    text += line(fmt::format("2 work-efficient: {}", efficientGoal(work, n)));
    text += line(fmt::format("3 lengths that are no power of two: {}", lengthGoal(n, tile)));
    text += line(fmt::format("4 few bank conflicts: {}", bankGoal(settings.shape, figures.banks)));
    return text;
}

std::string sharedPrescanText(const PrescanSettings& settings, std::uint64_t n, const SharedPrescan& shared)
{
    const PrescanVerdict& verdict = shared.judged.verdict;
    std::string text = "\n" + line(headText(settings, n));
    if (!settings.element->isReal)
        text += "accuracy: exact modulo 2^32\n";
    else
        text += line(fmt::format("accuracy: off by up to {:.4g}; {}", verdict.largestError,
                                 verdict.mostAllowed == 0
                                     ? nothingAllowed
                                     : fmt::format("allowed up to {:.4g}, what the additions in a row and passing on "
                                                   "the sums may lose to rounding",
                                                   verdict.mostAllowed)));
    text += line(fmt::format("ms: of {} repetitions, the longest kernel, exchange and last step together, the median.",
                             shared.repeat));
    return text + "\n" + ranksTable(shared.parts);
}

}  // namespace a2
