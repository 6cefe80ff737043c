#include "report/StepsDump.h"

#include "a2/Error.h"
#include "files/Utf8Path.h"
#include "files/WrittenFile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <system_error>

namespace a2 {

namespace {

namespace fs = std::filesystem;

std::string slug(const std::string& name)
{
    std::string text;
    for (const char c : name) {
        const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0;
        if (plain)
            text += c;
        else if (text.empty() || text.back() != '-')
            text += '-';
    }
    return text;
}

}  // namespace

std::string npyText(std::vector<std::uint32_t> values, const ElementType& element)
{
    element.toWords(values);
    std::string header = fmt::format("{{'descr': '<{}4', 'fortran_order': False, 'shape': ({},), }}",
                                     element.isReal     ? 'f'
                                     : element.isSigned ? 'i'
                                                        : 'u',
                                     values.size());
    constexpr std::size_t magicBytes = 10, alignment = 64;
    while ((magicBytes + header.size() + 1) % alignment != 0) header += ' ';
    header += '\n';
    std::string text = "\x93NUMPY";
    text += '\x01';
    text += '\0';
    text += static_cast<char>(header.size() & 0xFF);
    text += static_cast<char>(header.size() >> 8);
    text += header;
    text.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(std::uint32_t));
    return text;
}

StepsDump::StepsDump(const std::string& folder) : folder_(pathOf(folder))
{
    std::error_code error;
    if (fs::exists(folder_, error) && !(fs::is_directory(folder_, error) && fs::is_empty(folder_, error)))
        throw UsageError(fmt::format("--dump '{}': is there already and not an empty folder; name a new one", folder));
    makeFolder(folder_, error);
    if (error) {
        clear();
        throw UsageError(fmt::format("--dump '{}': cannot be made: {}", folder, error.message()));
    }
    if (!mayWrite(folder_)) throw UsageError(fmt::format("--dump '{}': you may not write there; name another", folder));
}

StepsDump::~StepsDump() { clear(); }

// The last one made is removed first.
void StepsDump::clear()
{
    while (!made_.empty()) made_.pop_back();
}

// Makes the folders above it, too.
void StepsDump::makeFolder(const fs::path& folder, std::error_code& error)
{
    if (folder.empty() || fs::is_directory(folder, error)) return;
    error.clear();
    makeFolder(folder.parent_path() == folder ? fs::path() : folder.parent_path(), error);
    if (!error && fs::create_directory(folder, error)) made_.emplace_back(folder, Leftover::Kind::folder);
}

void StepsDump::write(const std::string& name, const std::vector<std::uint32_t>& values, const ElementType& element)
{
    const fs::path path = folder_ / name;
    try {
        Leftover leftover;
        WrittenFile file = WrittenFile::makeNew(path, WrittenFile::Readers::umask, leftover);
        made_.push_back(std::move(leftover));
        file.write(npyText(values, element));
        file.close();
    } catch (const std::system_error& error) {
        throw UsageError(
            fmt::format("{} cannot be written: {}; choose another --dump", utf8Of(path), error.code().message()));
    }
}

void StepsDump::commit()
{
    for (Leftover& made : made_) made.keep();
}

void StepsDump::begin(const std::vector<NamedValues>& given, const ElementType& element)
{
    for (const NamedValues& one : given) write(slug(one.name) + ".npy", one.values, element);
}

void StepsDump::add(const StepView& view)
{
    const ElementType& element = *view.step.element;
    if (view.step.dispatch.index == 0) write("poison.npy", {view.poison}, element);
    for (const WrittenBuffer& written : view.step.written) {
        const std::string name = fmt::format("{:02}-{}", view.step.dispatch.index, slug(written.name));
        std::vector<std::uint32_t> values = view.after.at(written.buffer);
        write(name + (written.kept ? ".kept.npy" : ".npy"), values, element);
        bool known = false;
        for (const ExpectedElements& expected : view.step.judgement.expected) {
            if (expected.buffer != written.buffer) continue;
            known = true;
            for (std::uint64_t i = 0; i < expected.values.size(); ++i) {
                const std::uint64_t at = expected.first + i * expected.stride;
                if (at < values.size()) values[at] = expected.values[i];
            }
        }
        if (known) write(name + ".expected.npy", values, element);
    }
}

}  // namespace a2
