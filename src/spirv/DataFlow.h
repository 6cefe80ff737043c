// Which values of a kernel are data: what came from storage buffers, and what was made of it, also on a way through
// shared memory.
#pragma once

#include "spirv/SpirvDeclarations.h"

#include <set>
#include <unordered_map>

namespace a2 {

class DataFlow {
public:
    // Throws KernelError if its ways are too long to be followed.
    explicit DataFlow(const SpirvModule& module);

    bool isData(std::uint32_t id) const { return data_.count(id) > 0; }
    // Whether the pointer leads into a storage buffer.
    bool inBuffer(std::uint32_t pointer) const { return storageOf(pointer) == spv::StorageClassStorageBuffer; }
    std::uint32_t typeOf(std::uint32_t id) const { return look(types_, id); }  // 0: none
    // Numbers in a value of this type: of a vector its components, otherwise 1.
    std::uint32_t components(std::uint32_t type) const;

private:
    using Ids = std::unordered_map<std::uint32_t, std::uint32_t>;
    static std::uint32_t look(const Ids& map, std::uint32_t id);
    spv::StorageClass storageOf(std::uint32_t pointer) const;
    std::uint32_t root(std::uint32_t pointer) const;
    void declare(spv::Op opcode, SpirvWords words);
    void follow(spv::Op opcode, SpirvWords words);
    void followCall(SpirvWords words);
    void mark(std::uint32_t id) { changed_ = data_.insert(id).second || changed_; }

    std::set<std::uint32_t> data_;  // values, variables with data in them, functions that return some
    Ids types_, vectors_, roots_;   // of an id; components of a vector type; the variable that a pointer leads into
    std::unordered_map<std::uint32_t, spv::StorageClass> storage_;              // of variables
    std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> parameters_;  // of functions
    std::uint32_t function_ = 0;                                                // the one being read
    bool changed_ = false;
};

}  // namespace a2
