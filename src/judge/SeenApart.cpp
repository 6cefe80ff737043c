#include "judge/SeenApart.h"

#include "a2/Error.h"
#include "judge/DeviceInput.h"
#include "judge/EmulatedLook.h"
#include "judge/Matrix.h"
#include "judge/StudentSolution.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace a2 {

namespace {

constexpr std::uint64_t fewElements = 8192;                  // many work-groups of the smallest, and soon walked
constexpr std::uint64_t mostBytes = std::uint64_t{1} << 26;  // of the bits of SampledWords

void unite(WordBits& all, const WordBits& more)
{
    std::size_t size = more.size();
    while (size > all.size() && more[size - 1] == 0) --size;
    if (size > all.size()) all.resize(size);
    for (std::size_t i = 0; i < std::min(size, more.size()); ++i) all[i] |= more[i];
}

}  // namespace

// In the smaller shapes there are more work-groups, and so more dispatches where each starts only some of them; in the
// smallest, more than every device must start along x.
SeenApart::SeenApart(Device& gpu, const Task& task, const KernelShape& shape, std::uint64_t n, std::uint64_t seed,
                     bool keepsInput)
    : gpu_(gpu), task_(task), seed_(seed), keepsInput_(keepsInput)
{
    const std::uint64_t longest = std::min(n, longestApart);
    KernelShape single = shape, small = shape;
    single.elements = small.elements = task.elementsUnit;
    single.workGroup = 1;
    small.workGroup = smallestWorkGroup;
    further_ = {{single, longest},
                {small, longest},
                {small, std::min(longest, fewElements)},
                {small, std::min(longest, 4 * foldedTiles * small.tile()), foldsSoon},
                {shape, longest}};
}

bool SeenApart::isApart(const Finding& hazard)
{
    while (!isKnown(hazard.cause) && !further_.empty()) {
        const Shorter run = further_.back();
        further_.pop_back();
        try {
            look(run);
        } catch (const KernelError&) {  // it supports no such shape
        } catch (const LimitError&) {
        }
    }
    return apart_.count(hazard.cause) > 0 && together_.count(hazard.cause) == 0;
}

void SeenApart::look(const Shorter& run)
{
    const WithLowerLimits limited(gpu_, run.limits);
    const Input input = task_.inputOf(Pattern::parse("random"), run.n, seed_);
    const Expectation expectation(*task_.taskClass, input, run.shape);
    const DeviceInput onDevice(gpu_, expectation);
    StudentSolution solution(gpu_, task_, run.shape, onDevice.input(), onDevice.blockOffsets(), run.n);
    solution.next();
    if (!solution.runnable()) return;
    const EmulatedLook walk(gpu_, solution.recording(), solution.run(), expectation, keepsInput_);
    if (!walk.complete() || walk.mismatches()) return;  // what a wrong run does shows nothing of a right one
    const std::vector<Command>& commands = solution.log().commands();
    for (const Finding& one : hazards(commands)) apart_.insert(one.cause);
    for (const Finding& one : hazards(commands, walk.words())) together_.insert(one.cause);
}

void SampledWords::add(const EmulatedStep& step, Index buffer, const EmulatedUse& use)
{
    if (bytes_ > mostBytes) return;
    UsedWords& words = words_[{step.number, buffer}];
    unite(words.read, use.read);
    unite(words.written, use.written);
    bytes_ += (words.read.size() + words.written.size()) * sizeof(std::uint64_t);
}

std::vector<Finding> SampledWords::hazardsOf(const std::vector<Command>& commands) const
{
    WordsOfDispatches all = words_;
    for (const Command& command : commands)
        if (const auto* dispatch = std::get_if<DispatchCommand>(&command))
            for (const BoundBuffer& one : dispatch->buffers) all.try_emplace({dispatch->index, one.buffer});
    return hazards(commands, all);
}

}  // namespace a2
