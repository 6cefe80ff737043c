// What the emulated device cannot do: the environment lacks something, and nothing is known of the kernel.
#pragma once

#include "a2/Error.h"

namespace a2 {

// The task is SKIPPED with this message, by the rule not-walked.
struct NotFollowedError : LimitError {
    explicit NotFollowedError(const std::string& message) : LimitError(message) {}
};

}  // namespace a2
