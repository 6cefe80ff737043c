// What the validation layer says, in one line.
#pragma once

#include <string>

namespace a2 {

// "VUID-x: text", from the message's id (may be null) and its text, whose form differs between releases of the layer.
// Cut where it is long.
std::string validationMessage(const char* id, const std::string& text);

// The same without the id and what older layers put before the text.
std::string validationText(const std::string& text);

}  // namespace a2
