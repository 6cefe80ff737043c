#include "annexes/prescan/PrescanJson.h"

#include "report/RanksTable.h"

#include <nlohmann/json.hpp>

namespace a2 {

namespace {

using Json = nlohmann::ordered_json;

// A measured time is never 0.
Json measuredOrNull(double value) { return value > 0 ? Json(value) : Json(); }

Json wrongElement(const PrescanVerdict& verdict)
{
    if (verdict.wrong == 0) return {};
    return {{"index", verdict.firstIndex},
            {"expected", verdict.expected},
            {"got", verdict.got},
            {"allowed_error", verdict.allowed}};
}

}  // namespace

std::string prescanJson(const PrescanSettings& settings, std::uint64_t n, const PrescanFigures& figures,
                        const DevicePrescan::Judged& judged, const SharedPrescan* shared)
{
    const PrescanVerdict& verdict = judged.verdict;
    const BankTurns& banks = figures.banks;
    Json all = {
        {"n", n},
        {"type", settings.typeName()},
        {"exclusive", settings.shape.exclusive},
        {"workgroup", settings.shape.workGroup},
        {"elements", settings.shape.elements},
        {"status", judged.passed() ? "passed" : "failed"},
        {"mismatches", verdict.wrong},
        {"first_wrong", wrongElement(verdict)},
        {"largest_error", verdict.largestError},
        {"allowed_error", verdict.mostAllowed},
        {"messages", judged.messages},
        {"repetitions", figures.repeat},
        {"kernel_ms", measuredOrNull(figures.kernelMs)},
        {"upload_ms", measuredOrNull(figures.uploadMs)},
        {"download_ms", measuredOrNull(figures.downloadMs)},
        {"host_ms", measuredOrNull(figures.hostMs)},
        {"device_copy_GBps", measuredOrNull(figures.deviceCopyGBps)},
        {"host_copy_GBps", measuredOrNull(figures.hostCopyGBps)},
        {"device_additions_per_ns", measuredOrNull(figures.deviceAddPeak)},
        {"host_additions_per_ns", measuredOrNull(figures.hostAddPeak)},
        {"bank_turns", banks.requests == 0
                           ? Json()
                           : Json{{"requests", banks.requests}, {"padded", banks.padded}, {"unpadded", banks.plain}}}};
    if (shared) all.update(partsJson(shared->parts, shared->exchangeMs));
    return all.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace a2
