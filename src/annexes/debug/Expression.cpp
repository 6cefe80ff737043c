#include "annexes/debug/Expression.h"

#include "a2/Error.h"
#include "spirv/EmulatorArithmetic.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <charconv>
#include <cmath>
#include <vector>

namespace a2::debug {

using emulator::Form;
using emulator::lowBits;
using emulator::SpotNumber;
using emulator::Standing;

struct Expression::Node {
    enum class Kind { number, name, member, element, unary, binary, choice, call } kind = Kind::number;
    std::string text;  // name or operator
    SpotNumber number;
    std::vector<std::unique_ptr<const Node>> of;
};

namespace {

using Node = Expression::Node;
using Part = std::unique_ptr<const Node>;

constexpr std::array<std::string_view, 20> operators = {"<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "^^", "<",
                                                        ">",  "+",  "-",  "*",  "/",  "%",  "&",  "|",  "^",  "="};

int precedence(std::string_view what)
{
    constexpr std::array<std::string_view, 10> levels = {"||", "^^",    "&&",        "|",     "^",
                                                         "&",  "== !=", "< > <= >=", "<< >>", "+ -"};
    for (std::size_t i = 0; i < levels.size(); ++i) {
        std::string_view left = levels.at(i);
        while (!left.empty()) {
            const std::size_t end = std::min(left.find(' '), left.size());
            if (left.substr(0, end) == what) return static_cast<int>(i) + 1;
            left.remove_prefix(std::min(end + 1, left.size()));
        }
    }
    return what == "*" || what == "/" || what == "%" ? static_cast<int>(levels.size()) + 1 : 0;
}

SpotNumber numberLike(Form form, bool isSigned, std::uint64_t bits, std::uint32_t width = 32)
{
    SpotNumber made;
    made.form = form;
    made.isSigned = isSigned;
    made.width = width;
    made.bits = form == Form::real ? bits : bits & lowBits(width);
    return made;
}
SpotNumber truth(bool value) { return numberLike(Form::boolean, false, value ? 1 : 0); }
SpotNumber realNumber(double value, std::uint32_t width)
{
    return numberLike(Form::real, false, emulator::cellOf(value, width), width);
}

double asReal(const SpotNumber& one)
{
    if (one.form == Form::real) return emulator::realOf(one.bits, one.width);
    return one.isSigned ? static_cast<double>(emulator::signedOf(one.bits, one.width)) : static_cast<double>(one.bits);
}

// The bits that a conversion to an integer keeps; not for real numbers.
std::uint64_t asBits(const SpotNumber& one)
{
    return one.isSigned ? static_cast<std::uint64_t>(emulator::signedOf(one.bits, one.width)) : one.bits;
}

class Parser {
public:
    explicit Parser(const std::string& text) : all_(text), left_(text) {}

    Part whole()
    {
        Part made = choice();
        if (!skipBlanks().empty()) refuse("nothing more was expected");
        return made;
    }

private:
    static constexpr unsigned deepest = 64, most = 512;

    [[noreturn]] void refuse(const char* why) const
    {
        throw UsageError(fmt::format("'{}' is no expression: {} {}", all_, why,
                                     left_.empty() ? "at its end" : fmt::format("at '{}'", left_)));
    }

    std::string_view skipBlanks()
    {
        while (!left_.empty() && std::isspace(static_cast<unsigned char>(left_.front()))) left_.remove_prefix(1);
        return left_;
    }
    bool take(std::string_view what)
    {
        if (skipBlanks().substr(0, what.size()) != what) return false;
        left_.remove_prefix(what.size());
        return true;
    }
    void need(std::string_view what)
    {
        if (!take(what)) refuse(fmt::format("'{}' was expected", what).c_str());
    }
    std::string_view nextOperator()
    {
        skipBlanks();
        for (const std::string_view one : operators)
            if (left_.substr(0, one.size()) == one) return one;
        return {};
    }
    std::string word()
    {
        std::size_t end = 0;
        while (end < left_.size() && (std::isalnum(static_cast<unsigned char>(left_[end])) || left_[end] == '_')) ++end;
        const std::string taken(left_.substr(0, end));
        left_.remove_prefix(end);
        return taken;
    }

    std::unique_ptr<Node> node(Node::Kind kind, std::string text)
    {
        if (++nodes_ > most) refuse("it is too long");
        auto made = std::make_unique<Node>();
        made->kind = kind;
        made->text = std::move(text);
        return made;
    }

    Part choice()
    {
        if (++depth_ > deepest) refuse("it is too deep");
        Part condition = binary(1);
        if (take("?")) {
            auto made = node(Node::Kind::choice, "?");
            made->of.push_back(std::move(condition));
            made->of.push_back(choice());
            need(":");
            made->of.push_back(choice());
            condition = std::move(made);
        }
        --depth_;
        return condition;
    }

    Part binary(int level)
    {
        Part left = unary();
        while (true) {
            const std::string_view what = nextOperator();
            if (what == "=") refuse("nothing can be assigned here (== compares)");
            const int here = precedence(what);
            if (here == 0 || here < level) return left;
            take(what);
            auto made = node(Node::Kind::binary, std::string(what));
            made->of.push_back(std::move(left));
            made->of.push_back(binary(here + 1));
            left = std::move(made);
        }
    }

    Part unary()
    {
        if (++depth_ > deepest) refuse("it is too deep");
        Part made;
        for (const std::string_view one : {"-", "+", "!", "~"})
            if (!made && take(one)) {
                auto operation = node(Node::Kind::unary, std::string(one));
                operation->of.push_back(unary());
                made = std::move(operation);
            }
        if (!made) made = postfix();
        --depth_;
        return made;
    }

    Part postfix()
    {
        Part made = primary();
        while (true) {
            if (take("[")) {
                auto one = node(Node::Kind::element, "[");
                one->of.push_back(std::move(made));
                one->of.push_back(choice());
                need("]");
                made = std::move(one);
            } else if (take(".")) {
                skipBlanks();
                auto one = node(Node::Kind::member, word());
                if (one->text.empty()) refuse("a member was expected");
                one->of.push_back(std::move(made));
                if (one->text == "length" && take("(")) {
                    need(")");
                    one->kind = Node::Kind::call;
                }
                made = std::move(one);
            } else {
                return made;
            }
        }
    }

    Part primary()
    {
        if (take("(")) {
            Part made = choice();
            need(")");
            return made;
        }
        skipBlanks();
        if (left_.empty()) refuse("a value was expected");
        const auto first = static_cast<unsigned char>(left_.front());
        if (std::isdigit(first) || (first == '.' && left_.size() > 1)) return number();
        if (!std::isalpha(first) && first != '_') refuse("a value was expected");
        auto made = node(Node::Kind::name, word());
        if (made->text == "true" || made->text == "false") {
            made->number = truth(made->text == "true");
            made->kind = Node::Kind::number;
        } else if (take("(")) {
            made->kind = Node::Kind::call;
            do made->of.push_back(choice());
            while (take(","));
            need(")");
            const bool two = made->text == "min" || made->text == "max";
            const bool one = made->text == "uint" || made->text == "int" || made->text == "float" ||
                             made->text == "bool" || made->text == "abs";
            if ((!one && !two) || made->of.size() != (two ? 2U : 1U))
                throw UsageError(fmt::format(
                    "{}() is not known here: uint, int, float, bool, abs, min and max are, of numbers", made->text));
        }
        return made;
    }

    Part number()
    {
        auto made = node(Node::Kind::number, "");
        const bool hex = left_.size() > 2 && left_[0] == '0' && (left_[1] == 'x' || left_[1] == 'X');
        std::size_t end = hex ? 2 : 0;
        bool real = false;
        const auto belongs = [&](char one) {
            if (hex) return std::isxdigit(static_cast<unsigned char>(one)) != 0;
            return std::isdigit(static_cast<unsigned char>(one)) != 0 || one == '.' || one == 'e' ||
                   ((one == '-' || one == '+') && left_[end - 1] == 'e');
        };
        while (end < left_.size() && belongs(left_[end])) {
            real = real || (!hex && (left_[end] == '.' || left_[end] == 'e'));
            ++end;
        }
        const std::string_view text = left_.substr(0, end);
        const bool octal = !hex && !real && text.size() > 1 && text.front() == '0';
        std::uint64_t bits = 0;
        double value = 0;
        const char* const last = text.data() + text.size();
        const bool fine =
            real ? [&] {
                try {
                    std::size_t used = 0;
                    value = std::stod(std::string(text), &used);
                    return used == text.size();
                } catch (const std::exception&) {
                    return false;
                }
            }()
                 : [&] {
                const auto [stop, error] =
                    std::from_chars(text.data() + (hex ? 2 : 0), last, bits, hex ? 16 : octal ? 8 : 10);
                return stop == last && error == std::errc() && bits <= UINT32_MAX;
            }();
        if (!fine) refuse("that is no number of 32 bits");
        left_.remove_prefix(end);
        if (real) {
            if (!left_.empty() && (left_.front() == 'f' || left_.front() == 'F')) left_.remove_prefix(1);
            made->number = realNumber(value, 32);
        } else {
            const bool isUnsigned = !left_.empty() && (left_.front() == 'u' || left_.front() == 'U');
            if (isUnsigned) left_.remove_prefix(1);
            made->number = numberLike(Form::number, !isUnsigned, bits);
        }
        if (!left_.empty() && (std::isalnum(static_cast<unsigned char>(left_.front())) || left_.front() == '_'))
            refuse("that is no number");
        return made;
    }

    const std::string& all_;
    std::string_view left_;
    unsigned depth_ = 0, nodes_ = 0;
};

bool isTruth(const SpotNumber& one) { return one.form == Form::boolean || one.form == Form::number; }

SpotNumber calculated(const std::string& what, const SpotNumber& a, const SpotNumber& b)
{
    if (what == "&&") return truth(a.bits != 0 && b.bits != 0);
    if (what == "||") return truth(a.bits != 0 || b.bits != 0);
    if (what == "^^") return truth((a.bits != 0) != (b.bits != 0));
    const std::uint32_t width = std::max(a.width, b.width);
    const bool compares = precedence(what) == 7 || precedence(what) == 8;
    if (a.form == Form::real || b.form == Form::real) {
        // A whole number is first converted to one of these.
        const auto as = [&](double value) {
            return width == 64 ? value : static_cast<double>(static_cast<float>(value));
        };
        const double x = as(asReal(a)), y = as(asReal(b));
        if (what == "==") return truth(x == y);
        if (what == "!=") return truth(x != y);
        if (compares) return truth(what == "<" ? x < y : what == ">" ? x > y : what == "<=" ? x <= y : x >= y);
        if (what == "+") return realNumber(x + y, width);
        if (what == "-") return realNumber(x - y, width);
        if (what == "*") return realNumber(x * y, width);
        if (what == "/") return realNumber(x / y, width);
        throw UsageError(fmt::format("'{}' is for whole numbers", what));
    }
    const bool isSigned = a.isSigned && b.isSigned;
    const std::uint64_t x = asBits(a) & lowBits(width), y = asBits(b) & lowBits(width);
    const std::int64_t i = emulator::signedOf(x, width), k = emulator::signedOf(y, width);
    const auto ordered = [&](auto&& of) { return truth(isSigned ? of(i, k) : of(x, y)); };
    const auto made = [&](std::uint64_t bits) { return numberLike(Form::number, isSigned, bits, width); };
    if (what == "==") return truth(x == y);
    if (what == "!=") return truth(x != y);
    if (what == "<") return ordered([](auto p, auto q) { return p < q; });
    if (what == ">") return ordered([](auto p, auto q) { return p > q; });
    if (what == "<=") return ordered([](auto p, auto q) { return p <= q; });
    if (what == ">=") return ordered([](auto p, auto q) { return p >= q; });
    if (what == "+") return made(x + y);
    if (what == "-") return made(x - y);
    if (what == "*") return made(x * y);
    if (what == "&") return made(x & y);
    if (what == "|") return made(x | y);
    if (what == "^") return made(x ^ y);
    if (what == "<<" || what == ">>") {
        if (y >= width) throw UsageError(fmt::format("a shift by {} of {} bits is undefined", y, width));
        if (what == "<<") return made(x << y);
        return made(isSigned ? static_cast<std::uint64_t>(i >> y) : x >> y);
    }
    if (y == 0) throw UsageError("a division by 0");
    if (isSigned && k == -1) return what == "/" ? made(0 - x) : made(0);
    if (what == "/") return made(isSigned ? static_cast<std::uint64_t>(i / k) : x / y);
    if (!isSigned) return made(x % y);
    const std::int64_t rest = i % k;  // undefined in GLSL for negative numbers; here as glslang compiles it: OpSMod
    return made(static_cast<std::uint64_t>(rest != 0 && (rest < 0) != (k < 0) ? rest + k : rest));
}

// Converts it to the type that it gets beside this other operand.
SpotNumber besides(const SpotNumber& one, const SpotNumber& other)
{
    const std::uint32_t width = std::max(one.width, other.width);
    if (one.form == Form::real || other.form == Form::real) return realNumber(asReal(one), width);
    return numberLike(Form::number, one.isSigned && other.isSigned, asBits(one) & lowBits(width), width);
}

// A real number outside the range becomes the nearest in it, as in the walked kernels; GLSL leaves this undefined.
SpotNumber wholeNumber(const SpotNumber& one, bool isSigned)
{
    if (one.form != Form::real) return numberLike(Form::number, isSigned, asBits(one));
    const double least = isSigned ? INT32_MIN : 0, most = isSigned ? INT32_MAX : UINT32_MAX, value = asReal(one);
    const double near = std::isnan(value) ? 0 : std::clamp(value, least, most);
    return numberLike(Form::number, isSigned, static_cast<std::uint64_t>(static_cast<std::int64_t>(near)));
}

class Evaluation {
public:
    explicit Evaluation(const Scope& scope) : scope_(scope), here_(scope.here) {}

    Value of(const Node& node) const
    {
        using Kind = Node::Kind;
        switch (node.kind) {
            case Kind::number:
                return {std::nullopt, node.number};
            case Kind::name:
                if (auto found = scope_.find(node.text)) return {std::move(found), {}};
                throw UsageError(
                    fmt::format("'{}' means nothing here ('locals', 'shared' and 'buffer' list names)", node.text));
            case Kind::member: {
                const Value whole = of(*node.of[0]);
                if (whole.spot)
                    if (auto found = here_.member(*whole.spot, node.text)) return {std::move(found), {}};
                throw UsageError(
                    fmt::format("there is no member '{}'; of a vector, one component at a time is shown, "
                                "such as .x",
                                node.text));
            }
            case Kind::element: {
                const Value whole = of(*node.of[0]);
                const SpotNumber index = number(*node.of[1]);
                if (!whole.spot || here_.elements(*whole.spot) == 0) throw UsageError("what has [] has no elements");
                if (index.form != Form::number) throw UsageError("an index is a whole number");
                if (auto found = here_.element(*whole.spot, asBits(index))) return {std::move(found), {}};
                throw UsageError(fmt::format("element {} is past the end: there are {}",
                                             index.isSigned ? fmt::format("{}", emulator::signedOf(index.bits, 32))
                                                            : fmt::format("{}", index.bits),
                                             here_.elements(*whole.spot)));
            }
            case Kind::unary:
                return {std::nullopt, unary(node.text, number(*node.of[0]))};
            case Kind::binary:
                return {std::nullopt, binary(node)};
            case Kind::choice:
                return of(isTrue(*node.of[0]) ? *node.of[1] : *node.of[2]);
            case Kind::call:
                return {std::nullopt, call(node)};
        }
        return {};
    }

    SpotNumber number(const Node& node) const
    {
        const SpotNumber one = numberOf(of(node), here_, node.text);
        if (!one.set) throw UsageError(fmt::format("{} was never set", node.text == "[" ? "that element" : node.text));
        return one;
    }
    bool isTrue(const Node& node) const
    {
        const SpotNumber one = number(node);
        if (!isTruth(one)) throw UsageError("a condition is a bool or a whole number");
        return one.bits != 0;
    }

private:
    static SpotNumber unary(const std::string& what, SpotNumber one)
    {
        if (what == "!") return truth(one.bits == 0);
        if (one.form == Form::boolean) throw UsageError(fmt::format("{} is for numbers", what));
        if (what == "+") return one;
        if (one.form == Form::real) {
            if (what == "-") return realNumber(-asReal(one), one.width);
            throw UsageError("~ is for whole numbers");
        }
        one.bits = (what == "-" ? 0 - one.bits : ~one.bits) & lowBits(one.width);
        return one;
    }

    SpotNumber binary(const Node& node) const
    {
        if (node.text == "&&" || node.text == "||") {  // the second may then have no value
            const bool first = isTrue(*node.of[0]);
            return truth(first == (node.text == "||") ? first : isTrue(*node.of[1]));
        }
        return calculated(node.text, number(*node.of[0]), number(*node.of[1]));
    }

    SpotNumber call(const Node& node) const
    {
        if (node.text == "length") {
            const Value whole = of(*node.of[0]);
            if (!whole.spot || here_.elements(*whole.spot) == 0) throw UsageError("what has length() has no elements");
            return numberLike(Form::number, true, here_.elements(*whole.spot));
        }
        const SpotNumber one = number(*node.of[0]);
        if (node.text == "bool") return truth(asReal(one) != 0);
        if (node.text == "float") return realNumber(asReal(one), 32);
        if (node.text == "uint" || node.text == "int") return wholeNumber(one, node.text == "int");
        if (node.text == "abs") return asReal(one) < 0 ? unary("-", one) : one;
        const SpotNumber other = number(*node.of[1]);
        const bool less = calculated("<", one, other).bits != 0;
        return less == (node.text == "min") ? besides(one, other) : besides(other, one);
    }

    const Scope& scope_;
    const Standing& here_;
};

}  // namespace

bool Value::isNumber() const { return !spot || emulator::isNumber(*spot->type); }

SpotNumber numberOf(const Value& value, const Standing& here, const std::string& name)
{
    if (!value.spot) return value.number;
    if (auto number = here.number(*value.spot)) return *number;
    throw UsageError(value.isNumber() ? fmt::format("{} lies past the end of what is bound", name)
                                      : fmt::format("{} is more than one number", name));
}

Expression::Expression(std::string text) : text_(std::move(text)), root_(Parser(text_).whole()) {}
Expression::~Expression() = default;
Expression::Expression(Expression&&) noexcept = default;
Expression& Expression::operator=(Expression&&) noexcept = default;

std::optional<emulator::Spot> Scope::find(const std::string& name) const
{
    if (auto found = here.find(name, invocation)) return found;
    const auto whole = buffers.find(name);
    return whole == buffers.end() ? std::nullopt : std::optional(emulator::wordsOf(*whole->second));
}

Value Expression::value(const Scope& scope) const { return Evaluation(scope).of(*root_); }

bool Expression::isTrue(const Scope& scope) const { return Evaluation(scope).isTrue(*root_); }

std::pair<std::string, std::string> splitAtIf(const std::string& text)
{
    const auto isBlank = [](char one) { return one == ' ' || one == '\t'; };
    for (std::size_t at = text.find("if"); at != std::string::npos; at = text.find("if", at + 1)) {
        const std::size_t end = at + 2;
        if (at == 0 || !isBlank(text[at - 1]) || (end < text.size() && !isBlank(text[end]) && text[end] != '('))
            continue;
        if (text.find_first_not_of(" \t", end) == std::string::npos)
            throw UsageError("after 'if' there is no condition: break 33 if lane < 4");
        return {text.substr(0, at), text.substr(end)};
    }
    return {text, ""};
}

}  // namespace a2::debug
