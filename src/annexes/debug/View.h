// A place of a run as the user sees it: from one invocation.
#pragma once

#include "annexes/debug/Expression.h"
#include "annexes/debug/Timeline.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace a2::debug {

// The invocation whose names and lines are shown.
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
    // The invocation whose names are used; at the end of a dispatch only those that are the same for all.
    std::uint32_t invocation() const { return look.event.isEnd ? 0 : selected.invocation; }
    // Throws UsageError at the end of a dispatch.
    void needInvocation() const;
    Scope scope() const { return {look.here, invocation(), timeline.buffers()}; }
    std::string head() const;  // "dispatch 0 of 2 'Sequential', work-group 0, invocation 3, phase 1"
    // The text of a kernel's file as it is now; if it does not exist any more, as it was compiled. glslang's copy in
    // the kernel is not reliable if a comment is not ASCII.
    const std::string& sourceOf(const std::string& file) const;
    std::string textOf(const KernelLine& line) const;  // as one printable line
    std::vector<std::string> buffers() const;          // names, including the task's own
    KernelLine line() const;                           // the line of the invocation; line 0 at the end of a dispatch
};

// The text after a command, without blanks around it.
std::string trimmed(const std::string& text);
std::pair<std::string, std::string> firstWord(const std::string& text);
std::optional<std::uint64_t> wholeNumber(const std::string& text);
// what: the kind of number, for the message. Throws UsageError.
std::uint64_t numberFrom(const std::string& text, std::uint64_t usual, const char* what);

}  // namespace a2::debug
