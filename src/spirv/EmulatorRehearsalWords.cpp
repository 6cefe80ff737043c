#include "spirv/EmulatorRehearsalWords.h"

#include "spirv/EmulatorState.h"

namespace a2::emulator {

std::uint32_t RehearsedWords::cellOf(const WordName& name, Cell now)
{
    const auto [found, isNew] =
        cellOf_.try_emplace({name.buffer, name.word}, static_cast<std::uint32_t>(state_.cells.size()));
    // A loop that uses a wide number and also one of its words alone is not followed.
    const auto next = cellOf_.find({name.buffer, name.word + 1});
    const auto last = cellOf_.find({name.buffer, name.word - 1});
    mixed_ = mixed_ || (!isNew && state_.made.names[found->second - state_.made.behind].wide != name.wide) ||
             (name.wide && next != cellOf_.end()) ||
             (last != cellOf_.end() && state_.made.names[last->second - state_.made.behind].wide);
    if (isNew) {
        state_.cells.push_back(now);
        state_.made.names.push_back(name);
        state_.made.before.push_back(now);
    }
    return found->second;
}

bool RehearsedWords::find(const Instruction& one, const Access& access, std::uint32_t count, std::uint32_t atomicBits)
{
    found_.clear();
    const Cell* pointer = state_.cells.data() + state_.base + one.a;
    if (pointer[0] == 0 || pointer[2] != 0) return false;
    if (access.space == Space::shared) {
        change_ = true;
        const Group& group = state_.asked.group;
        for (std::uint64_t cell = pointer[1]; cell < pointer[1] + count; ++cell) {
            if (cell >= group.shared.size()) return false;
            found_.push_back(0);
        }
        const std::uint64_t from = pointer[1];
        for (std::uint32_t i = 0; i < count; ++i)
            found_[i] = cellOf({WordName::sharedMemory, from + i}, group.shared[static_cast<std::size_t>(from + i)]);
        return true;
    }
    const std::uint64_t root = pointer[0] - 1, offset = pointer[1];
    if (root >= state_.asked.resources.size()) return false;
    const Resource& resource = state_.asked.resources[static_cast<std::size_t>(root)];
    if (!resource.state || offset > resource.bytes) return false;
    change_ = resource.state->isWritten;
    for (std::uint32_t i = 0; i < count; ++i) {
        const Piece piece = access.pieces > 0 ? state_.code.pieces[access.first + i] : Piece{};
        const std::uint64_t byte = resource.offset + offset + piece.offset;
        const std::uint32_t bits = atomicBits > 0 ? atomicBits : piece.width;
        const bool wide = bits == 64;
        if ((bits != 32 && !wide) || byte % 4 != 0 || offset + piece.offset + bits / 8 > resource.bytes) return false;
        const std::uint32_t* words = resource.state->words + byte / 4;
        found_.push_back(cellOf({static_cast<std::uint32_t>(resource.state->number), byte / 4, wide},
                                wide ? words[0] | Cell{words[1]} << 32 : words[0]));
    }
    return !mixed_;
}

}  // namespace a2::emulator
