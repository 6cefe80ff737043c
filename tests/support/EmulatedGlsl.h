// Compiles GLSL with debug lines and runs it in the emulator, with short functions for tests.
#pragma once

#include "files/TemporaryFolder.h"
#include "gpu/KernelCompiler.h"
#include "spirv/Emulator.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace a2 {

// Compiles a kernel that includes files beside it. Throws KernelError with the compiler's message.
inline std::vector<std::uint32_t> compileGlslFile(const std::filesystem::path& file)
{
    const TemporaryFolder folder;
    std::filesystem::copy_file(file, folder.path() / file.filename());
    return KernelCompiler().compile(folder.path(), file.stem().string(), {file.parent_path()}, file.stem().string());
}

inline std::vector<std::uint32_t> compileGlsl(const std::string& text)
{
    const TemporaryFolder folder;
    std::ofstream(folder.path() / "kernel.comp") << text;
    return KernelCompiler().compile(folder.path(), "kernel", {}, "kernel");
}

// One dispatch of one kernel, and its buffers, at binding 0, 1, ... of set 0.
class EmulatedGlsl {
public:
    explicit EmulatedGlsl(const std::string& text, const Specialisation& given = {})
        : words_(compileGlsl(text)), kernel_(SpirvModule(words_), given)
    {
    }
    EmulatedGlsl(std::vector<std::uint32_t> words, const Specialisation& given, bool prints = false)
        : words_(std::move(words)), kernel_(SpirvModule(words_), given, Observed{prints, false})
    {
    }

    // Adds a buffer of set words, at the next binding.
    EmulatedGlsl& buffer(const std::vector<std::uint32_t>& words)
    {
        buffers_.push_back(std::make_unique<EmulatedBuffer>(words.size() * 4));
        std::vector<std::uint8_t> bytes(words.size() * 4);
        if (!words.empty()) std::memcpy(bytes.data(), words.data(), bytes.size());
        buffers_.back()->update(0, bytes);
        return *this;
    }
    // Adds a buffer of poison.
    EmulatedGlsl& buffer(std::size_t words)
    {
        buffers_.push_back(std::make_unique<EmulatedBuffer>(words * 4));
        buffers_.back()->poison(0xDEADBEEF);
        return *this;
    }
    // Binds the buffer of an earlier binding at the next one, too.
    EmulatedGlsl& again(std::size_t binding)
    {
        twice_[static_cast<std::uint32_t>(buffers_.size() + twice_.size())] = buffers_.at(binding).get();
        return *this;
    }
    EmulatedGlsl& push(const std::vector<std::uint32_t>& words)
    {
        push_.resize(words.size() * 4);
        if (!words.empty()) std::memcpy(push_.data(), words.data(), push_.size());
        return *this;
    }
    Emulated run(std::array<std::uint32_t, 3> groups = {1, 1, 1})
    {
        EmulatedDispatch dispatch;
        dispatch.kernel = &kernel_;
        dispatch.groups = groups;
        dispatch.push = push_;
        for (std::uint32_t i = 0; i < buffers_.size(); ++i)
            dispatch.bindings.push_back({0, i, 0, buffers_[i].get(), 0, buffers_[i]->bytes()});
        for (const auto& [binding, buffer] : twice_)
            dispatch.bindings.push_back({0, binding, 0, buffer, 0, buffer->bytes()});
        return emulate(dispatch, settings);
    }

    EmulatedBuffer& at(std::size_t binding) { return *buffers_.at(binding); }
    std::vector<std::uint32_t> words(std::size_t binding) const
    {
        const auto all = std::as_const(*buffers_.at(binding)).words();
        return {all.begin(), all.end()};
    }
    const EmulatedKernel& kernel() const { return kernel_; }

    EmulatorSettings settings;

private:
    std::vector<std::uint32_t> words_;
    EmulatedKernel kernel_;
    std::vector<std::unique_ptr<EmulatedBuffer>> buffers_;
    std::map<std::uint32_t, EmulatedBuffer*> twice_;  // by binding, after those of buffers_
    std::vector<std::uint8_t> push_;
};

// "rule at line 12: text", one after the other, and the notes.
inline std::string findingsText(const Emulated& all)
{
    std::string text;
    for (const KernelFinding& one : all.findings)
        text += one.rule + " at line " + std::to_string(one.where.line) + "/" + std::to_string(one.other.line) + ": " +
                one.what + "\n";
    for (const auto& note : all.notes) text += "note: " + note.what + "\n";
    if (!all.complete) text += "not complete\n";
    return text;
}

}  // namespace a2
