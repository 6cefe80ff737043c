#include "judge/Schedule.h"

#include "a2/Error.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

namespace a2 {

namespace {

using PauseWay = EmulatorSettings::Pause::Way;

char letterOf(const EmulatorSettings::Pause& pause)
{
    if (pause.way == PauseWay::late) return 'l';
    if (pause.way == PauseWay::early) return 'e';
    if (pause.eachTime) return 'r';
    return pause.after ? 'a' : 'b';
}

}  // namespace

std::string scheduleText(const Schedule& schedule)
{
    std::string text = fmt::format("{}.{}.{}:", schedule.subgroupSize, schedule.run, schedule.dispatch);
    for (std::size_t i = 0; i < schedule.pauses.size(); ++i) {
        const EmulatorSettings::Pause& one = schedule.pauses[i];
        text += fmt::format("{}{}{}-{}", i > 0 ? "," : "", one.atomic, letterOf(one),
                            one.group       ? std::to_string(*one.group)
                            : one.lastFirst ? "last"
                                            : "all");
    }
    return text;
}

Schedule parseSchedule(const std::string& text)
{
    std::string_view rest = text;
    const auto fail = [&]() -> UsageError {
        return UsageError(
            fmt::format("--schedule '{}': must be one that a finding has named, such as 4.1.0:3b-all", text));
    };
    const auto number = [&](std::uint64_t most) {
        std::uint64_t made = 0;
        const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), made);
        if (error != std::errc() || made > most) throw fail();
        rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
        return made;
    };
    const auto taken = [&](std::string_view word) {
        if (!rest.starts_with(word)) return false;
        rest.remove_prefix(word.size());
        return true;
    };
    const auto take = [&](std::string_view word) {
        if (!taken(word)) throw fail();
    };
    Schedule made;
    made.subgroupSize = static_cast<std::uint32_t>(number(128));
    take(".");
    made.run = static_cast<std::uint32_t>(number(2));
    take(".");
    made.dispatch = number(UINT32_MAX);
    take(":");
    do {
        EmulatorSettings::Pause one;
        one.atomic = static_cast<std::uint32_t>(number(UINT32_MAX));
        if (taken("l"))
            one.way = PauseWay::late;
        else if (taken("e"))
            one.way = PauseWay::early;
        else if (taken("r"))
            one.eachTime = true;
        else if (!(one.after = taken("a")))
            take("b");
        take("-");
        one.lastFirst = taken("last");
        if (!one.lastFirst && !taken("all")) one.group = static_cast<std::uint32_t>(number(UINT32_MAX));
        made.pauses.push_back(one);
    } while (taken(","));
    if (!rest.empty() || made.subgroupSize == 0 || made.pauses.size() > 8) throw fail();
    return made;
}

std::string subgroupsText(std::uint32_t size) { return fmt::format("with subgroups of {} invocations", size); }

}  // namespace a2
