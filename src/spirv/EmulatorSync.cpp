#include "spirv/EmulatorSync.h"

#include <utility>

namespace a2::emulator {

Synchronisation::Synchronisation(WalkState& state) : state_(state)
{
    anyOrder_.start(0, state.code.invocations, state.subgroupSize, 1,
                    state.code.vulkanModel && state.code.hasNonPrivate);
}

bool Synchronisation::reaches(std::uint32_t thread, Reach reach, std::uint32_t other) const
{
    Use use;
    use.thread = thread;
    use.reach = static_cast<unsigned>(reach) & 3;
    return anyOrder_.inScope(use, other - 1, Kept::buffers, Reach::device);
}

void Synchronisation::publish(Messages& messages, std::uint64_t word, const Message& published, bool replaces) const
{
    if (replaces && published.empty())
        messages.erase(word);
    else if (replaces)
        messages[word] = published;
    else if (!published.empty())
        anyOrder_.add(messages[word], published);
}

void Synchronisation::pass(const Actor& actor, Kept kept, Messages& messages, std::uint64_t word,
                           const AccessWays& ways, bool replaces, const Semantics& semantics, Message* later)
{
    if (!state_.settings.checks) return;
    GroupOrder& order = actor.group.order;
    const auto found = messages.find(word);
    const auto costs = [&](const Message& message) {
        for (const Release& one : message) state_.use(one.known->entries.size() / 4);
    };
    const bool anyMessage = found != messages.end();
    if (ways.reads && (anyMessage || semantics.makesVisible))
        order.read(actor.invocation, kept, anyMessage ? found->second : Message(), semantics);
    if (ways.reads && anyMessage) costs(found->second);
    if (!ways.writes) return;
    Message published = order.published(actor.invocation, kept, semantics);
    costs(published);
    if (later)
        *later = std::move(published);
    else
        publish(messages, word, published, replaces);
}

}  // namespace a2::emulator
