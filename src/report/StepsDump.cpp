#include "report/StepsDump.h"

#include "Utf8Path.h"
#include "a2/Error.h"
#include "report/OutputFile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

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

std::string npyText(const std::vector<std::uint32_t>& values)
{
    std::string header = fmt::format("{{'descr': '<u4', 'fortran_order': False, 'shape': ({},), }}", values.size());
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
    fs::create_directories(folder_, error);
    if (error) throw UsageError(fmt::format("--dump '{}': cannot be made: {}", folder, error.message()));
}

void StepsDump::write(const std::string& name, const std::vector<std::uint32_t>& values) const
{
    OutputFile(utf8Of(folder_ / name)).commit(npyText(values));
}

void StepsDump::begin(const std::vector<NamedValues>& given) const
{
    for (const NamedValues& one : given) write(slug(one.name) + ".npy", one.values);
}

void StepsDump::add(const StepView& view) const
{
    for (const WrittenBuffer& written : view.step.written) {
        const std::string name = fmt::format("{:02}-{}", view.step.dispatch.index, slug(written.name));
        std::vector<std::uint32_t> values = view.after.at(written.handle);
        write(name + (written.kept ? ".kept.npy" : ".npy"), values);
        bool known = false;
        for (const ExpectedElements& expected : view.step.judgement.expected) {
            if (expected.buffer != written.handle) continue;
            known = true;
            for (std::uint64_t i = 0; i < expected.values.size(); ++i) {
                const std::uint64_t at = expected.first + i * expected.stride;
                if (at < values.size()) values[at] = expected.values[i];
            }
        }
        if (known) write(name + ".expected.npy", values);
    }
}

}  // namespace a2
