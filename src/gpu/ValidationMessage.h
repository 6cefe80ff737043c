// Messages of the validation layer, in one line.
#pragma once

#include <string>

namespace a2 {

// "VUID-x: text", made from the message's id (may be null) and its text, whose form differs between releases of the
// layer. A long one is cut.
std::string validationMessage(const char* id, const std::string& text);

// What a kernel has printed, without the layer's own words before it.
std::string printedMessage(const std::string& text);

}  // namespace a2
