#include "judge/OutcomeWire.h"

#include "a2/Error.h"
#include "base/Wire.h"

namespace a2 {

// Found by argument-dependent lookup, so not in an unnamed namespace.
template <class Wire>
void fields(Wire& wire, Finding& finding)
{
    wire("rule", finding.rule);
    wire("message", finding.message);
    wire("dispatch", finding.dispatch);
    wire("severity", finding.severity);
    wire("cause", finding.cause);
    wire("file", finding.file);
    wire("line", finding.line);
}

template <class Wire>
void fields(Wire& wire, Mismatches& wrong)
{
    wire("count", wrong.count);
    wire("firstIndex", wrong.firstIndex);
    wire("expected", wrong.expected);
    wire("got", wrong.got);
}

template <class Wire>
void fields(Wire& wire, KernelShape& shape)
{
    wire("workGroup", shape.workGroup);
    wire("elements", shape.elements);
    wire("exclusive", shape.exclusive);
    wire("places", shape.places);
    wire("banks", shape.banks);
}

template <class Wire>
void fields(Wire& wire, Statistics& ms)
{
    wire("count", ms.count);
    wire("min", ms.min);
    wire("median", ms.median);
    wire("max", ms.max);
    wire("mean", ms.mean);
    wire("cv", ms.cv);
    wire("samples", ms.samples);
}

template <class Wire>
void fields(Wire& wire, WholeTimes& whole)
{
    wire("allocateMs", whole.allocateMs);
    wire("uploadMs", whole.uploadMs);
    wire("prepareMs", whole.prepareMs);
    wire("launchMs", whole.launchMs);
    wire("downloadMs", whole.downloadMs);
}

template <class Wire>
void fields(Wire& wire, Benchmark& benchmark)
{
    wire("n", benchmark.n);
    wire("shape", benchmark.shape);
    wire("batch", benchmark.batch);
    wire("inFlight", benchmark.inFlight);
    wire("timer", benchmark.timer);
    wire("ms", benchmark.ms);
    wire("hostMs", benchmark.hostMs);
    wire("whole", benchmark.whole);
    wire("cpuMs", benchmark.cpuMs);
    wire("cpuAllMs", benchmark.cpuAllMs);
    wire("minimumTraffic", benchmark.minimumTraffic);
    wire("nameSuffix", benchmark.nameSuffix);
    wire("parts", benchmark.parts);
    wire("exchangeMs", benchmark.exchangeMs);
}

template <class Wire>
void fields(Wire& wire, LowerLimits& limit)
{
    wire("x", limit.x);
    wire("y", limit.y);
    wire("bindingBytes", limit.bindingBytes);
}

template <class Wire>
void fields(Wire& wire, FaultPlace& place)
{
    wire("file", place.file);
    wire("line", place.line);
    wire("phase", place.phase);
    wire("compiling", place.compiling);
}

template <class Wire>
void fields(Wire& wire, CaseOutcome& one)
{
    wire("n", one.n);
    wire("pattern", one.pattern);
    wire("seed", one.seed);
    wire("shape", one.shape);
    wire("limit", one.limit);
    wire("schedule", one.schedule);
    wire("status", one.status);
    wire("deviceFailed", one.deviceFailed);
    wire("mismatches", one.mismatches);
    wire("findings", one.findings);
    wire("place", one.place);
    wire("benchmark", one.benchmark);
    wire("elsewhere", one.elsewhere);
    wire("sharing", one.sharing);
    wire("putTogether", one.putTogether);
    wire("ofReals", one.ofReals);
}

template <class Wire>
void fields(Wire& wire, Contributions& found)
{
    wire("n", found.n);
    wire("index", found.index);
    wire("sampled", found.sampled);
    wire("never", found.never);
    wire("repeated", found.repeated);
    wire("foreign", found.foreign);
    wire("tried", found.tried);
    wire("garbage", found.garbage);
}

template <class Wire>
void fields(Wire& wire, WrongElement& wrong)
{
    wire("buffer", wrong.buffer);
    wire("index", wrong.index);
    wire("expected", wrong.expected);
    wire("got", wrong.got);
    wire("neverWritten", wrong.neverWritten);
}

template <class Wire>
void fields(Wire& wire, WrongStep& wrong)
{
    wire("dispatch", wrong.dispatch);
    wire("label", wrong.label);
    wire("first", wrong.first);
    wire("count", wrong.count);
    wire("phase", wrong.phase);
    wire("phaseText", wrong.phaseText);
    wire("repeats", wrong.repeats);
}

template <class Wire>
void fields(Wire& wire, Diagnosis& diagnosis)
{
    wire("smallest", diagnosis.smallest);
    wire("contributions", diagnosis.contributions);
    wire("firstWrong", diagnosis.firstWrong);
    wire("remark", diagnosis.remark);
    wire("rightSubgroups", diagnosis.rightSubgroups);
    wire("ownSubgroups", diagnosis.ownSubgroups);
    wire("passesAlone", diagnosis.passesAlone);
    wire("passesCourse", diagnosis.passesCourse);
    wire("command", diagnosis.command);
}

template <class Wire>
void fields(Wire& wire, PrintedLine& one)
{
    wire("dispatch", one.dispatch);
    wire("label", one.label);
    wire("file", one.file);
    wire("line", one.line);
    wire("group", one.group);
    wire("phase", one.phase);
    wire("invocation", one.invocation);
    wire("text", one.text);
    wire("wrong", one.wrong);
}

template <class Wire>
void fields(Wire& wire, PrintedRun& printed)
{
    wire("onDevice", printed.onDevice);
    wire("n", printed.n);
    wire("shape", printed.shape);
    wire("pattern", printed.pattern);
    wire("lines", printed.lines);
    wire("more", printed.more);
    wire("cut", printed.cut);
}

template <class Wire>
void fields(Wire& wire, MethodCriterion& one)
{
    wire("criterion", one.criterion);
    wire("met", one.met);
    wire("evidence", one.evidence);
    wire("file", one.file);
    wire("line", one.line);
}

template <class Wire>
void fields(Wire& wire, TaskOutcome& outcome)
{
    wire("task", outcome.task.id);
    std::string type = outcome.task.element->name;
    wire("type", type);
    outcome.task.element = elementTypeNamed(type);
    wire("status", outcome.status);
    wire("cases", outcome.cases);
    wire("single", outcome.single);
    wire("diagnosis", outcome.diagnosis);
    wire("printed", outcome.printed);
    wire("method", outcome.method);
    wire("recorded", outcome.recorded);
    wire("unwritten", outcome.unwritten);
}

nlohmann::json wireOf(const TaskOutcome& outcome) { return toWire(outcome); }
nlohmann::json wireOf(const CaseOutcome& one) { return toWire(one); }

TaskOutcome taskOutcomeFrom(const nlohmann::json& json)
{
    auto outcome = valueFrom<TaskOutcome>(json);
    if (!outcome.task.element) throw Error(ExitStatus::internal, "there is no such type of elements");
    outcome.task = selectTasks({outcome.task.id}, false, *outcome.task.element).front();
    return outcome;
}

CaseOutcome caseOutcomeFrom(const nlohmann::json& json) { return valueFrom<CaseOutcome>(json); }

}  // namespace a2
