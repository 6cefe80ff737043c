// The words for a mask of stages or accesses.
#pragma once

#include "a2/Vulkan.h"

#include <algorithm>
#include <string>

namespace a2 {

// "ShaderRead+ShaderWrite", in Vulkan-Hpp's names without the e; "none" for an empty mask.
template <class Bits>
std::string maskText(vk::Flags<Bits> mask)
{
    std::string text = vk::to_string(mask);  // "{ ShaderRead | ShaderWrite }"
    std::erase_if(text, [](char c) { return c == '{' || c == '}' || c == ' '; });
    std::replace(text.begin(), text.end(), '|', '+');
    return text.empty() ? "none" : text;
}

}  // namespace a2
