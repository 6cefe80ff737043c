#include "spirv/EmulatorFindings.h"

#include <algorithm>

namespace a2::emulator {

KernelFinding* Findings::add(const char* rule, std::uint32_t at, std::uint32_t otherAt)
{
    const auto place = [&](std::uint32_t one) { return one == none ? Place() : code_.places[one]; };
    const auto same = [&](std::uint32_t a, std::uint32_t b) {
        return a == b || (place(a).line != 0 && place(a).line == place(b).line && place(a).file == place(b).file);
    };
    const auto key = std::minmax(at, otherAt);
    const auto [found, isNew] = known_.try_emplace({rule, key.first, key.second}, all_.size());
    if (isNew) {
        // One line of GLSL may become several instructions.
        for (const auto& [other, number] : known_) {
            if (number >= all_.size() || std::get<0>(other) != rule) continue;
            const std::uint32_t a = std::get<1>(other), b = std::get<2>(other);
            if ((same(a, at) && same(b, otherAt)) || (same(a, otherAt) && same(b, at))) {
                found->second = number;
                break;
            }
        }
    }
    if (found->second < all_.size()) {
        ++all_[found->second].times;
        return nullptr;
    }
    if (all_.size() >= most) {
        found->second = SIZE_MAX;
        return nullptr;
    }
    KernelFinding finding;
    finding.rule = rule;
    finding.where = lineOf(at);
    if (otherAt != none) finding.other = lineOf(otherAt);
    all_.push_back(std::move(finding));
    return &all_.back();
}

KernelLine Findings::lineOf(std::uint32_t at) const
{
    KernelLine line;
    const Place place = code_.places[at];
    const auto source = code_.sources.find(place.file);
    if (place.line == 0 || source == code_.sources.end()) return line;
    line.file = source->second.name;
    line.line = place.line;
    line.source = sourceLine(source->second.text, place.line);
    return line;
}

}  // namespace a2::emulator
