// What the validation layer says, in one line.
#pragma once

#include <string>

namespace a2 {

// "VUID-x: text", from the message's id (may be null) and its text, whose form differs between releases of the layer.
// Cut where it is long.
std::string validationMessage(const char* id, const std::string& text);

// What a kernel has printed, without what the layer puts before it.
std::string printedMessage(const std::string& text);

}  // namespace a2
