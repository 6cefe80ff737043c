// What the emulated device cannot do: this is a lack of the environment, and says nothing about the kernel.
#pragma once

#include "a2/Error.h"

namespace a2 {

// The task is SKIPPED with this message, by the rule not-walked.
struct NotFollowedError : LimitError {
    explicit NotFollowedError(const std::string& message) : LimitError(message) {}
};

}  // namespace a2
