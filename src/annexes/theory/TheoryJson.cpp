#include "annexes/theory/TheoryJson.h"

#include <nlohmann/json.hpp>

namespace a2 {

namespace {

using Json = nlohmann::ordered_json;

Json measuresJson(const std::vector<CountedDispatch>& dispatches)
{
    const Measures all = measures(dispatches);
    return {{"time", all.time},           {"processors", all.processors}, {"work", all.work},    {"cost", all.cost()},
            {"additions", all.additions}, {"reads", all.reads},           {"writes", all.writes}};
}

Json phaseJson(const PhaseCounts& phase)
{
    CountedDispatch alone;
    alone.phases = {phase};
    return measuresJson({alone});
}

Json countedDispatchJson(std::size_t index, const CountedDispatch& one)
{
    Json phases = Json::array();
    for (const PhaseCounts& phase : one.phases) phases.push_back(phaseJson(phase));
    return {{"index", index},
            {"label", one.label},
            {"kernel", one.kernel},
            {"groups", one.groups},
            {"counts", measuresJson({one})},
            {"requests", one.requests},
            {"sectors", one.sectors},
            {"transactions", one.transactions},
            {"branches", one.branches},
            {"divergent_branches", one.divergentBranches},
            {"phases", phases}};
}

Json formulaJson(const std::optional<Formula>& formula)
{
    return formula ? Json{{"formula", formula->text}, {"value", formula->value}} : Json();
}

const char* growthName(Growth growth)
{
    return growth == Growth::bounded ? "bounded" : growth == Growth::grows ? "grows" : "unknown";
}

Json pointsJson(const std::vector<GrowthPoint>& points)
{
    Json all = Json::array();
    for (const GrowthPoint& one : points)
        all.push_back({{"n", one.n},
                       {"workgroup", one.shape.workGroup},
                       {"elements", one.shape.elements},
                       {"processors", one.measures.processors},
                       {"time", one.measures.time},
                       {"work", one.measures.work},
                       {"cost", one.measures.cost()}});
    return all;
}

Json growthJson(const Optimality& found)
{
    return {{"work", growthName(found.work)},
            {"cost", growthName(found.cost)},
            {"longer", pointsJson(found.longer)},
            {"wider", pointsJson(found.wider)}};
}

Json conflictsJson(const KernelConflicts& kernel, const std::vector<ConflictColumn>& shown)
{
    Json all = Json::array();
    for (std::size_t i = 0; i < kernel.columns.size(); ++i)
        all.push_back({{"title", shown[i].title},
                       {"banks", shown[i].banks},
                       {"worst", kernel.columns[i].worst},
                       {"requests", kernel.columns[i].requests},
                       {"turns", kernel.columns[i].turns}});
    return {{"kernel", kernel.kernel}, {"columns", all}};
}

}  // namespace

std::string theoryJson(const TheoryOutcome& outcome)
{
    Json dispatches = Json::array(), conflicts = Json::array();
    for (std::size_t i = 0; i < outcome.dispatches.size(); ++i)
        dispatches.push_back(countedDispatchJson(i, outcome.dispatches[i]));
    for (const KernelConflicts& kernel : outcome.conflicts)
        if (kernel.any()) conflicts.push_back(conflictsJson(kernel, outcome.columns));
    const Json entry = {
        {"id", outcome.id},
        {"n", outcome.n},
        {"workgroup", outcome.shape.workGroup},
        {"elements", outcome.shape.elements},
        {"exclusive", outcome.shape.exclusive},
        {"counts", measuresJson(outcome.dispatches)},
        {"textbook",
         {{"additions", formulaJson(outcome.textbook.additions)}, {"time", formulaJson(outcome.textbook.time)}}},
        {"dispatches", dispatches},
        {"bank_conflicts", conflicts},
        {"growth", outcome.growth ? growthJson(*outcome.growth) : Json()}};
    return Json::array({entry}).dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace a2
