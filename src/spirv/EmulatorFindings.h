// What was found, one finding for each cause: a rule and the two instructions.
#pragma once

#include "spirv/Emulator.h"
#include "spirv/EmulatorCode.h"

#include <map>
#include <tuple>

namespace a2::emulator {

// Where something that nobody has set was loaded last, or came from an invocation of the subgroup that took no part.
struct UnsetOrigin {
    std::uint32_t at = none;  // instruction
    bool absent = false;      // nobody took part that it could have come from; it names no variable
    std::uint32_t variable = none;
    std::uint64_t offset = 0;
};

class Findings {
public:
    explicit Findings(const Code& code) : code_(code) {}

    // The finding to be filled in, the first time that this is found; null afterwards, and where there are too many.
    KernelFinding* add(const char* rule, std::uint32_t at, std::uint32_t otherAt);
    KernelLine lineOf(std::uint32_t at) const;
    const std::vector<KernelFinding>& all() const { return all_; }
    std::vector<KernelFinding> take() { return std::move(all_); }

private:
    static constexpr std::size_t most = 100;

    const Code& code_;
    std::map<std::tuple<const char*, std::uint32_t, std::uint32_t>, std::size_t> known_;
    std::vector<KernelFinding> all_;
};

}  // namespace a2::emulator
