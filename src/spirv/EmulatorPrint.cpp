#include "spirv/EmulatorPrint.h"

#include "spirv/EmulatorArithmetic.h"
#include "spirv/EmulatorFaults.h"

#include <fmt/format.h>
#include <fmt/printf.h>

#include <cctype>
#include <optional>

namespace a2::emulator {

namespace {

constexpr std::string_view forIntegers = "diouxX", forReals = "aAeEfFgG";

// A conversion as written in a format.
struct Conversion {
    std::string_view text;
    std::string plain;  // for printf(), without vector and length
    std::uint32_t count = 1;
    bool isLong = false;
    char kind = 0;
};

class FormatReader {
public:
    explicit FormatReader(std::string_view format) : left_(format) {}

    // The text up to the next conversion, or to the end.
    std::string text()
    {
        std::string read;
        while (!left_.empty()) {
            if (left_.substr(0, 2) == "%%")
                left_.remove_prefix(1);
            else if (left_.front() == '%')
                break;
            read += left_.front();
            left_.remove_prefix(1);
        }
        return read;
    }

    bool atEnd() const { return left_.empty(); }

    // Empty: it is none.
    std::optional<Conversion> conversion()
    {
        Conversion read;
        const std::string_view all = left_;
        read.plain = take(1);
        while (!left_.empty() && std::string_view("-+ #0").find(left_.front()) != std::string_view::npos)
            read.plain += take(1);
        read.plain += digits();
        if (!left_.empty() && left_.front() == '.') {
            read.plain += take(1);
            read.plain += digits();
        }
        if (left_.size() > 1 && left_[0] == 'v' && left_[1] >= '2' && left_[1] <= '4') {
            read.count = static_cast<std::uint32_t>(left_[1] - '0');
            take(2);
        }
        read.isLong = skip('l');
        if (left_.empty() || (forIntegers.find(left_.front()) == std::string_view::npos &&
                              forReals.find(left_.front()) == std::string_view::npos)) {
            if (!left_.empty()) take(1);
            wrong_ = std::string(all.substr(0, all.size() - left_.size()));
            return {};
        }
        read.kind = left_.front();
        read.plain += take(1);
        if (read.kind == 'u' && skip('l')) read.isLong = true;
        read.text = all.substr(0, all.size() - left_.size());
        return read;
    }
    const std::string& wrong() const { return wrong_; }

private:
    std::string take(std::size_t count)
    {
        const std::string taken(left_.substr(0, count));
        left_.remove_prefix(taken.size());
        return taken;
    }
    bool skip(char one)
    {
        if (left_.empty() || left_.front() != one) return false;
        left_.remove_prefix(1);
        return true;
    }
    // More digits would mean a page of blanks for one number.
    std::string digits()
    {
        std::size_t count = 0;
        while (count < 2 && count < left_.size() && std::isdigit(static_cast<unsigned char>(left_[count]))) ++count;
        return take(count);
    }

    std::string_view left_;
    std::string wrong_;
};

bool isInteger(char kind) { return forIntegers.find(kind) != std::string_view::npos; }

std::string typeName(const PrintArgument& one)
{
    std::string name = "value that is no number";
    if (one.form == Form::boolean) name = "bool";
    if (one.form == Form::real) name = one.bits == 64 ? "double" : one.bits == 16 ? "float16_t" : "float";
    if (one.form == Form::number)
        name = one.bits == 32 ? one.isSigned ? "int" : "uint"
                              : fmt::format("{}int{}_t", one.isSigned ? "" : "u", one.bits);
    return one.count == 1 || one.form > Form::real ? name : fmt::format("vector of {} {}", one.count, name);
}

// Why a value does not fit its conversion; empty: it does.
std::string mismatch(const Conversion& wanted, const PrintArgument& given)
{
    const bool real = given.form == Form::real;
    if (isInteger(wanted.kind) == real || (given.form != Form::number && given.form != Form::boolean && !real))
        return fmt::format("is for {}, and", isInteger(wanted.kind) ? "whole numbers" : "real numbers");
    if (wanted.count != given.count)
        return wanted.count == 1 ? fmt::format("is for one number (%v{}{} is for a vector of {}), and", given.count,
                                               wanted.kind, given.count)
                                 : fmt::format("is for a vector of {}, and", wanted.count);
    if (!real && given.bits == 64 && !wanted.isLong)
        return fmt::format("is for 32 bits (%l{} for 64), and", wanted.kind);
    if (!real && given.bits != 64 && wanted.isLong) return "is for 64 bits, and";
    return {};
}

std::string numberText(const PrintPiece& piece, Cell cell)
{
    const PrintArgument& one = piece.argument;
    if (one.form == Form::real) return fmt::sprintf(piece.conversion, realOf(cell, one.bits));
    if (one.form == Form::boolean) return fmt::sprintf(piece.conversion, static_cast<unsigned>(cell != 0));
    const char kind = piece.conversion.back();
    if (kind == 'd' || kind == 'i') {
        // An unsigned number printed as signed has the value of its bits.
        const std::int64_t value = signedOf(cell, one.bits);
        return one.isSigned || one.bits >= 32 ? fmt::sprintf(piece.conversion, value)
                                              : fmt::sprintf(piece.conversion, cell & lowBits(one.bits));
    }
    // A shorter signed number is widened first, as in C.
    const std::uint64_t wide =
        one.isSigned && one.bits < 32 ? static_cast<std::uint64_t>(signedOf(cell, one.bits)) : cell;
    return fmt::sprintf(piece.conversion, wide & lowBits(std::max<std::uint32_t>(32, one.bits)));
}

}  // namespace

Print printOf(std::string_view format, const std::vector<PrintArgument>& arguments)
{
    Print print;
    FormatReader reader(format);
    std::size_t next = 0;
    const auto refuse = [&](std::string problem) {
        print.pieces.clear();
        print.problem = std::move(problem);
        return print;
    };
    while (true) {
        PrintPiece piece;
        piece.text = reader.text();
        if (reader.atEnd()) {
            if (!piece.text.empty()) print.pieces.push_back(std::move(piece));
            break;
        }
        const std::optional<Conversion> found = reader.conversion();
        if (!found)
            return refuse(fmt::format("'{}' is no conversion (%u, %d, %x, %8.3f, %v4u, of 64 bits %lu; %% is a %)",
                                      reader.wrong()));
        if (next == arguments.size())
            return refuse(fmt::format("'{}' has no value: there {} {} after the format", found->text,
                                      next == 1 ? "is" : "are", next));
        const PrintArgument& given = arguments[next++];
        if (const std::string why = mismatch(*found, given); !why.empty())
            return refuse(fmt::format("'{}' {} value {} is a {}", found->text, why, next, typeName(given)));
        piece.conversion = found->plain;
        piece.argument = given;
        print.pieces.push_back(std::move(piece));
    }
    if (next < arguments.size())
        return refuse(fmt::format("it prints {} of the {} values after it", next, arguments.size()));
    return print;
}

std::string printedText(const Print& print, const Cell* cells, const Mark* marks)
{
    std::string text;
    for (const PrintPiece& piece : print.pieces) {
        text += piece.text;
        if (piece.conversion.empty()) continue;
        for (std::uint32_t i = 0; i < piece.argument.count; ++i) {
            const std::uint32_t cell = piece.argument.cell + i;
            if (i > 0) text += ", ";
            text += (marks[cell] & mark::unset) != 0 ? "?" : numberText(piece, cells[cell]);
        }
    }
    return text;
}

void print(const WalkState& state, const Faults& faults, const Instruction& one, const Actor& actor)
{
    if (!state.settings.printed) return;
    if (state.settings.wantsPrint &&
        !state.settings.wantsPrint(actor.group.number, actor.group.phase, actor.invocation))
        return;
    const Print& print = *state.code.prints[one.a];
    const bool wrong = !print.problem.empty();
    state.settings.printed({state.findings.lineOf(actor.at), faults.describe(actor.group, actor.invocation),
                            actor.group.phase, wrong ? print.problem : printedText(print, actor.cells, actor.marks),
                            wrong});
}

}  // namespace a2::emulator
