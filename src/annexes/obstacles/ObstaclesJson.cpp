#include "annexes/obstacles/ObstaclesJson.h"

#include <nlohmann/json.hpp>

namespace a2 {

namespace {

using Json = nlohmann::ordered_json;

Json operationsJson(const Operations& one)
{
    return {{"additions", one.additions}, {"reads", one.reads}, {"writes", one.writes}};
}

Json methodJson(const MethodOutcome& one)
{
    const bool right = !one.mismatches && !anyFails(one.findings);
    return {{"name", methodName(one.method)},
            {"status", right ? "passed" : "failed"},
            {"tile", one.tile},
            {"first_ms", one.firstMs},
            {"repetitions", one.ms.count},
            {"min_ms", one.ms.min},
            {"median_ms", one.ms.median},
            {"max_ms", one.ms.max},
            {"cv", one.ms.cv},
            {"counted", one.counts ? operationsJson(one.counts->all) : Json()},
            {"formulas", operationsJson(reportFormulas(one.method, one.n))}};
}

}  // namespace

std::string obstaclesJson(const ObstaclesOutcome& outcome)
{
    const FoundObstacles& found = outcome.found;
    Json obstacles = Json::array(), methods = Json::array();
    for (const Obstacle& one : found.obstacles) obstacles.push_back({{"first", one.first}, {"beams", one.beams}});
    for (const MethodOutcome& one : outcome.methods) methods.push_back(methodJson(one));
    const Json all = {{"beams", outcome.sweep.distances.size()},
                      {"origin", outcome.sweep.origin},
                      {"max_distance", outcome.maxDistance},
                      {"workgroup", outcome.shape.workGroup},
                      {"elements", outcome.shape.elements},
                      {"status", outcome.objections.empty() ? "passed" : "failed"},
                      {"messages", outcome.objections},
                      {"readings", found.readings.empty() ? 0 : found.readings.back()},
                      {"obstacles", obstacles},
                      {"methods", methods}};
    return all.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace a2
