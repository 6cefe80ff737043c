// GLSL that is compiled with debug lines and run by the emulator, in the words of a test.
#pragma once

#include "base/Process.h"
#include "gpu/KernelCompiler.h"
#include "spirv/Emulator.h"
#include "support/temporary.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace a2 {

inline std::vector<std::uint32_t> wordsOfFile(const std::filesystem::path& file)
{
    std::ifstream stream(file, std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(stream), {}};
    std::vector<std::uint32_t> words(bytes.size() / 4);
    if (!words.empty()) std::memcpy(words.data(), bytes.data(), words.size() * 4);
    return words;
}

// Throws std::runtime_error with the compiler's words. includes: a folder.
inline std::vector<std::uint32_t> compileGlslFile(const std::filesystem::path& file, const std::string& includes = "",
                                                  const std::string& environment = "vulkan1.1")
{
    const std::filesystem::path target = temporaryPath("a2-emulated");
    std::vector<std::string> arguments = {"--target-env", environment, "--quiet", "-g", "-o", target.string()};
    if (!includes.empty()) arguments.push_back("-I" + includes);
    arguments.push_back(file.string());
    ProcessResult result;
    for (const std::string& program : KernelCompiler().programs) {
        result = runProcess(program, arguments);
        if (result.ended != ProcessResult::Ended::notStarted) break;
    }
    const std::vector<std::uint32_t> words = wordsOfFile(target);
    std::filesystem::remove(target);
    if (!result.succeeded()) throw std::runtime_error(result.output + result.problem);
    return words;
}

inline std::vector<std::uint32_t> compileGlsl(const std::string& text, const std::string& environment = "vulkan1.1")
{
    const std::filesystem::path folder = temporaryPath("a2-emulated-glsl");
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "kernel.comp") << text;
    try {
        auto words = compileGlslFile(folder / "kernel.comp", "", environment);
        std::filesystem::remove_all(folder);
        return words;
    } catch (...) {
        std::filesystem::remove_all(folder);
        throw;
    }
}

// One dispatch of one kernel, and its buffers, at binding 0, 1, ... of set 0.
class EmulatedGlsl {
public:
    explicit EmulatedGlsl(const std::string& text, Specialisation given = {},
                          const std::string& environment = "vulkan1.1")
        : words_(compileGlsl(text, environment)), kernel_(SpirvModule(words_), given)
    {
    }
    EmulatedGlsl(std::vector<std::uint32_t> words, const Specialisation& given)
        : words_(std::move(words)), kernel_(SpirvModule(words_), given)
    {
    }

    // Words that are set; the next binding's.
    EmulatedGlsl& buffer(const std::vector<std::uint32_t>& words)
    {
        buffers_.push_back(std::make_unique<EmulatedBuffer>(words.size() * 4));
        std::vector<std::uint8_t> bytes(words.size() * 4);
        if (!words.empty()) std::memcpy(bytes.data(), words.data(), bytes.size());
        buffers_.back()->update(0, bytes);
        return *this;
    }
    // Poison.
    EmulatedGlsl& buffer(std::size_t words)
    {
        buffers_.push_back(std::make_unique<EmulatedBuffer>(words * 4));
        buffers_.back()->poison(0xDEADBEEF);
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
    std::vector<std::uint8_t> push_;
};

// "rule at line 12: text", one after the other, and the notes.
inline std::string findingsText(const Emulated& all)
{
    std::string text;
    for (const KernelFinding& one : all.findings)
        text += one.rule + " at line " + std::to_string(one.where.line) + "/" + std::to_string(one.other.line) + ": " +
                one.what + "\n";
    for (const std::string& note : all.notes) text += "note: " + note + "\n";
    if (!all.complete) text += "not complete\n";
    return text;
}

}  // namespace a2
