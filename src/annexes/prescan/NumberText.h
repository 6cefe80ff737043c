// The numbers of the prescan's files, as a type of words in a text.
#pragma once

#include "annexes/prescan/Prescan.h"
#include "files/FileWords.h"

namespace a2 {

// uint32, or finite floats as their bits.
WordType numbersOf(const ElementType& element);

}  // namespace a2
