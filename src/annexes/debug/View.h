// A place of a run as the user sees it: through the eyes of one invocation.
#pragma once

#include "annexes/debug/Expression.h"
#include "annexes/debug/Timeline.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace a2::debug {

// The invocation that names and lines are of.
struct Selected {
    std::uint64_t group = 0;
    std::uint32_t dispatch = 0, invocation = 0;
    bool operator==(const Selected&) const = default;
    bool is(const Event& event) const { return *this == Selected{event.group, event.dispatch, event.invocation}; }
};

struct View {
    const Timeline& timeline;
    const Look& look;
    Selected selected;

    const emulator::Standing& here() const { return look.here; }
    // Whose names are meant; at the end of a dispatch only those that are the same for all.
    std::uint32_t invocation() const { return look.event.isEnd ? 0 : selected.invocation; }
    // Throws UsageError at the end of a dispatch.
    void needInvocation() const;
    Scope scope() const { return {look.here, invocation(), timeline.buffers()}; }
    std::string head() const;  // "dispatch 0 of 2 'Sequential', work-group 0, invocation 3, phase 1"
    // Of a kernel's file, as it is now, or as it was compiled where it is no more. glslang's copy in the kernel is not
    // to be relied on where a comment is not ASCII.
    const std::string& sourceOf(const std::string& file) const;
    std::string textOf(const KernelLine& line) const;  // as one line that a terminal shows
    std::vector<std::string> buffers() const;          // names, the task's own among them
    KernelLine line() const;                           // where the invocation stands; line 0 at the end of a dispatch
};

// What was typed after a command.
std::string trimmed(const std::string& text);
std::pair<std::string, std::string> firstWord(const std::string& text);
std::optional<std::uint64_t> wholeNumber(const std::string& text);
// what: a number of what it is, for the message. Throws UsageError.
std::uint64_t numberFrom(const std::string& text, std::uint64_t usual, const char* what);

}  // namespace a2::debug
