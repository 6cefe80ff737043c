// The commands of a2 debug that only show something. words: the text after the command. Throw UsageError.
#pragma once

#include "annexes/debug/Answer.h"
#include "annexes/debug/View.h"

#include <string>

namespace a2::debug::looks {

void print(const View& view, const std::string& words, Answer& answer);
void locals(const View& view, const std::string& words, Answer& answer);
void shared(const View& view, const std::string& words, Answer& answer);
void buffer(const View& view, const std::string& words, Answer& answer);
void invocations(const View& view, const std::string& words, Answer& answer);
void list(const View& view, const std::string& words, Answer& answer);
void where(const View& view, const std::string& words, Answer& answer);

}  // namespace a2::debug::looks
