// The findings, one for each cause: a rule and two instructions.
#pragma once

#include "spirv/Emulator.h"
#include "spirv/EmulatorCode.h"

#include <map>
#include <tuple>

namespace a2::emulator {

// Where a value that was never set was last loaded, or came from an invocation of the subgroup that did not take part.
struct UnsetOrigin {
    std::uint32_t at = none;  // instruction
    bool absent = false;      // it came from an invocation that did not take part; names no variable
    std::uint32_t variable = none;
    std::uint64_t offset = 0;
};

class Findings {
public:
    explicit Findings(const Code& code) : code_(code) {}

    // The finding to fill in, the first time that it is found; null after that, and if there are too many.
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
