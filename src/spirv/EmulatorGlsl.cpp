// The instruction set GLSL.std.450, as far as compute kernels use it.

#include "spirv/EmulatorArithmetic.h"

#include <spirv/unified1/GLSL.std.450.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

namespace a2::emulator {

namespace {

// Rounds once; std::fma of floats does not on every system. The product of two floats is exact as a double; the sum is
// rounded to odd, and rounding that to a float is then correct (Boldo and Melquiond, "Emulation of FMA and correctly
// rounded sums: proved algorithms using rounding to odd", 2008).
float fusedMultiplyAdd(float x, float y, float z)
{
    const double product = static_cast<double>(x) * static_cast<double>(y), addend = z, sum = product + addend;
    if (!std::isfinite(sum)) return static_cast<float>(sum);
    const double part = sum - product, error = (product - (sum - part)) + (addend - part);
    const bool even = (std::bit_cast<std::uint64_t>(sum) & 1) == 0;
    if (error == 0 || !even) return static_cast<float>(sum);
    const double infinity = std::numeric_limits<double>::infinity();
    return static_cast<float>(std::nextafter(sum, error > 0 ? infinity : -infinity));
}
double fusedMultiplyAdd(double x, double y, double z) { return std::fma(x, y, z); }

// The components of operands and results, and their marks.
struct Glsl {
    const Instruction& one;
    Cell* cells;
    Mark* marks;

    double real(std::uint32_t at) const { return realOf(cells[at], one.width); }
    std::int64_t number(std::uint32_t at) const { return signedOf(cells[at], one.width); }
    void put(std::uint32_t i, Cell value, Mark made) const
    {
        cells[one.result + i] = value;
        marks[one.result + i] = made;
    }
    // In the precision of the operands: functions of floats are calculated in float.
    template <class F>
    Cell ofReal(const F& f, double x) const
    {
        return one.width == 64 ? cellOf(f(x), 64) : cellOf(static_cast<double>(f(static_cast<float>(x))), one.width);
    }
    template <class F>
    void reals1(const F& f) const
    {
        for (std::uint32_t i = 0; i < one.count; ++i) put(i, ofReal(f, real(one.a + i)), mark::of(marks[one.a + i]));
    }
    template <class F>
    void reals2(const F& f) const
    {
        for (std::uint32_t i = 0; i < one.count; ++i) {
            const double x = real(one.a + i), y = real(one.b + i);
            const Cell value =
                one.width == 64
                    ? cellOf(f(x, y), 64)
                    : cellOf(static_cast<double>(f(static_cast<float>(x), static_cast<float>(y))), one.width);
            put(i, value, mark::of(marks[one.a + i], marks[one.b + i]));
        }
    }
    template <class F>
    void reals3(const F& f) const
    {
        for (std::uint32_t i = 0; i < one.count; ++i) {
            const double x = real(one.a + i), y = real(one.b + i), z = real(one.c + i);
            const Cell value =
                one.width == 64
                    ? cellOf(f(x, y, z), 64)
                    : cellOf(
                          static_cast<double>(f(static_cast<float>(x), static_cast<float>(y), static_cast<float>(z))),
                          one.width);
            put(i, value, mark::of(marks[one.a + i], mark::of(marks[one.b + i], marks[one.c + i])));
        }
    }
    template <class F>
    void numbers1(const F& f) const
    {
        for (std::uint32_t i = 0; i < one.count; ++i)
            put(i, f(one.a + i) & lowBits(one.width), mark::of(marks[one.a + i]));
    }
    // `f` chooses one of both operands.
    template <class F>
    void choose2(const F& takesSecond) const
    {
        for (std::uint32_t i = 0; i < one.count; ++i)
            put(i, cells[(takesSecond(one.a + i, one.b + i) ? one.b : one.a) + i],
                mark::of(marks[one.a + i], marks[one.b + i]));
    }
    template <class Less>
    void clamp(const Less& less) const
    {
        for (std::uint32_t i = 0; i < one.count; ++i) {
            std::uint32_t from = less(one.a + i, one.b + i) ? one.b : one.a;
            if (less(one.c + i, from + i)) from = one.c;
            put(i, cells[from + i], mark::of(marks[one.a + i], mark::of(marks[one.b + i], marks[one.c + i])));
        }
    }
    Mark all(std::uint32_t first, std::uint32_t count) const
    {
        Mark sum = 0;
        for (std::uint32_t i = 0; i < count; ++i) sum = mark::of(sum, marks[first + i]);
        return sum;
    }
    double dot(std::uint32_t x, std::uint32_t y) const
    {
        double sum = 0;
        for (std::uint32_t i = 0; i < one.count; ++i) {
            const double product = inWidth(rounded(real(x + i) * real(y + i)));
            sum = i == 0 ? product : inWidth(rounded(sum + product));
        }
        return sum;
    }
    double inWidth(double value) const { return realOf(cellOf(value, one.width), one.width); }
    double length(std::uint32_t of) const { return inWidth(std::sqrt(dot(of, of))); }
};

// Packs numbers in 0..1 or -1..1 into whole numbers.
Cell packed(const Glsl& glsl, unsigned parts, bool isSigned)
{
    const unsigned bits = 32 / parts;
    const double most = static_cast<double>(lowBits(isSigned ? bits - 1 : bits));
    Cell result = 0;
    for (unsigned i = 0; i < parts; ++i) {
        double value = glsl.real(glsl.one.a + i);
        value = std::isnan(value) ? 0 : std::clamp(value, isSigned ? -1.0 : 0.0, 1.0);
        const auto whole = static_cast<std::uint64_t>(static_cast<std::int64_t>(std::nearbyint(value * most)));
        result |= (whole & lowBits(bits)) << (i * bits);
    }
    return result;
}

void unpack(const Glsl& glsl, unsigned parts, bool isSigned)
{
    const unsigned bits = 32 / parts;
    const auto most = static_cast<float>(lowBits(isSigned ? bits - 1 : bits));
    const Cell from = glsl.cells[glsl.one.a];
    const Mark made = mark::of(glsl.marks[glsl.one.a]);
    for (unsigned i = 0; i < parts; ++i) {
        const std::uint64_t part = from >> (i * bits) & lowBits(bits);
        const float value = (isSigned ? static_cast<float>(signedOf(part, bits)) : static_cast<float>(part)) / most;
        glsl.put(i, cellOf(static_cast<double>(isSigned ? std::max(value, -1.0F) : value), 32), made);
    }
}

std::uint64_t highestOne(std::uint64_t value, unsigned width)
{
    return value == 0 ? UINT64_MAX : static_cast<std::uint64_t>(std::bit_width(value & lowBits(width)) - 1);
}

template <class Real>
Real roundEven(Real x)
{
    return std::nearbyint(x);
}

template <class Real>
Real smoothStep(Real low, Real high, Real x)
{
    const Real t = std::clamp(rounded((x - low) / (high - low == 0 ? std::numeric_limits<Real>::min() : high - low)),
                              Real(0), Real(1));
    const Real square = rounded(t * t);
    return square * rounded(Real(3) - rounded(Real(2) * t));
}

// A square matrix of 2, 3 or 4 columns, as it lies in the frame: column by column.
struct Square {
    std::array<double, 16> numbers{};
    std::uint32_t size = 0;

    double& at(std::uint32_t column, std::uint32_t row) { return numbers.at(column * size + row); }
    double at(std::uint32_t column, std::uint32_t row) const { return numbers.at(column * size + row); }
    Square without(std::uint32_t column, std::uint32_t row) const
    {
        Square rest;
        rest.size = size - 1;
        for (std::uint32_t c = 0; c < rest.size; ++c)
            for (std::uint32_t r = 0; r < rest.size; ++r) rest.at(c, r) = at(c + (c >= column), r + (r >= row));
        return rest;
    }
    double minor(std::uint32_t column, std::uint32_t row) const
    {
        const double value = without(column, row).determinant();
        return (column + row) % 2 == 0 ? value : -value;
    }
    double determinant() const
    {
        if (size == 1) return numbers[0];
        double sum = 0;
        for (std::uint32_t row = 0; row < size; ++row) sum = rounded(sum + rounded(at(0, row) * minor(0, row)));
        return sum;
    }
};

// Calculated in doubles and rounded once: GLSL does not define the order of the operations, and so not the last bits
// either.
void matrix(const Glsl& glsl)
{
    const Instruction& one = glsl.one;
    Square from;
    while (from.size * from.size < one.count) ++from.size;
    for (std::uint32_t i = 0; i < one.count; ++i) from.numbers.at(i) = glsl.real(one.a + i);
    const Mark made = glsl.all(one.a, one.count);
    const double determinant = from.determinant();
    if (one.flags == GLSLstd450Determinant) return glsl.put(0, cellOf(determinant, one.width), made);
    for (std::uint32_t column = 0; column < from.size; ++column)
        for (std::uint32_t row = 0; row < from.size; ++row) {
            const double minor = from.minor(row, column);
            // For a matrix without an inverse, the result is undefined.
            const double value = determinant == 0 ? std::numeric_limits<double>::quiet_NaN() : minor / determinant;
            glsl.put(column * from.size + row, cellOf(value, one.width), made);
        }
}

// Operands: two vectors and a number.
void refract(const Glsl& glsl)
{
    const Instruction& one = glsl.one;
    const Mark made = mark::of(mark::of(glsl.all(one.a, one.count), glsl.all(one.b, one.count)), glsl.marks[one.c]);
    const double eta = glsl.real(one.c), cosine = glsl.dot(one.b, one.a);
    const double k = 1 - eta * eta * (1 - cosine * cosine);
    for (std::uint32_t i = 0; i < one.count; ++i) {
        const double value =
            k < 0 ? 0 : eta * glsl.real(one.a + i) - (eta * cosine + std::sqrt(k)) * glsl.real(one.b + i);
        glsl.put(i, cellOf(value, one.width), made);
    }
}

// Functions of whole vectors, not of single components; false: it is none of them.
bool geometric(const Glsl& glsl)
{
    const Instruction& one = glsl.one;
    const auto unit = [&](std::uint32_t from, std::uint32_t to, double length) {
        for (std::uint32_t i = 0; i < one.count; ++i) {
            glsl.cells[to + i] = length == 0 ? 0 : cellOf(glsl.real(from + i) / length, one.width);
            glsl.marks[to + i] = glsl.all(from, one.count);
        }
    };
    switch (one.flags) {
        case GLSLstd450Determinant:
        case GLSLstd450MatrixInverse:
            matrix(glsl);
            return true;
        case GLSLstd450Refract:
            refract(glsl);
            return true;
        case GLSLstd450Length:
            glsl.put(0, cellOf(glsl.length(one.a), one.width), glsl.all(one.a, one.count));
            return true;
        case GLSLstd450Distance: {
            double sum = 0;
            for (std::uint32_t i = 0; i < one.count; ++i) {
                const double apart = glsl.inWidth(glsl.real(one.a + i) - glsl.real(one.b + i));
                sum = glsl.inWidth(rounded(sum + glsl.inWidth(rounded(apart * apart))));
            }
            glsl.put(0, cellOf(std::sqrt(sum), one.width),
                     mark::of(glsl.all(one.a, one.count), glsl.all(one.b, one.count)));
            return true;
        }
        case GLSLstd450Normalize:
            unit(one.a, one.result, glsl.length(one.a));
            return true;
        case GLSLstd450Cross: {
            const Mark made = mark::of(glsl.all(one.a, 3), glsl.all(one.b, 3));
            for (std::uint32_t i = 0; i < 3; ++i) {
                const std::uint32_t j = (i + 1) % 3, k = (i + 2) % 3;
                const double x = glsl.inWidth(rounded(glsl.real(one.a + j) * glsl.real(one.b + k)));
                const double y = glsl.inWidth(rounded(glsl.real(one.a + k) * glsl.real(one.b + j)));
                glsl.put(i, cellOf(rounded(x - y), one.width), made);
            }
            return true;
        }
        case GLSLstd450Reflect:
        case GLSLstd450FaceForward: {
            const Mark made = mark::of(glsl.all(one.a, one.count), glsl.all(one.b, one.count));
            if (one.flags == GLSLstd450FaceForward) {
                const bool keeps = glsl.dot(one.c, one.b) < 0;
                for (std::uint32_t i = 0; i < one.count; ++i)
                    glsl.put(i, cellOf(keeps ? glsl.real(one.a + i) : -glsl.real(one.a + i), one.width), made);
                return true;
            }
            const double twice = glsl.inWidth(rounded(2 * glsl.dot(one.b, one.a)));
            for (std::uint32_t i = 0; i < one.count; ++i) {
                const double part = glsl.inWidth(rounded(twice * glsl.real(one.b + i)));
                glsl.put(i, cellOf(rounded(glsl.real(one.a + i) - part), one.width), made);
            }
            return true;
        }
        case GLSLstd450ModfStruct:
        case GLSLstd450FrexpStruct:
            for (std::uint32_t i = 0; i < one.count; ++i) {
                const double x = glsl.real(one.a + i);
                Cell first = 0, second = 0;
                if (one.flags == GLSLstd450ModfStruct) {
                    double whole = 0;
                    first = cellOf(std::modf(x, &whole), one.width);
                    second = cellOf(whole, one.width);
                } else {
                    int exponent = 0;
                    const bool finite = std::isfinite(x);
                    first = cellOf(finite ? std::frexp(x, &exponent) : x, one.width);
                    second = static_cast<std::uint32_t>(exponent);
                }
                glsl.put(i, first, mark::of(glsl.marks[one.a + i]));
                glsl.put(one.count + i, second, mark::of(glsl.marks[one.a + i]));
            }
            return true;
        default:
            return false;
    }
}

// False: it is none of these.
bool packing(const Glsl& glsl)
{
    const Instruction& one = glsl.one;
    switch (one.flags) {
        case GLSLstd450PackSnorm4x8:
        case GLSLstd450PackUnorm4x8:
            glsl.put(0, packed(glsl, 4, one.flags == GLSLstd450PackSnorm4x8), glsl.all(one.a, 4));
            return true;
        case GLSLstd450PackSnorm2x16:
        case GLSLstd450PackUnorm2x16:
            glsl.put(0, packed(glsl, 2, one.flags == GLSLstd450PackSnorm2x16), glsl.all(one.a, 2));
            return true;
        case GLSLstd450PackHalf2x16:
            glsl.put(0,
                     floatToHalf(static_cast<float>(glsl.real(one.a))) |
                         Cell{floatToHalf(static_cast<float>(glsl.real(one.a + 1)))} << 16,
                     glsl.all(one.a, 2));
            return true;
        case GLSLstd450PackDouble2x32:
            glsl.put(0, (glsl.cells[one.a] & UINT32_MAX) | glsl.cells[one.a + 1] << 32, glsl.all(one.a, 2));
            return true;
        case GLSLstd450UnpackSnorm4x8:
        case GLSLstd450UnpackUnorm4x8:
            unpack(glsl, 4, one.flags == GLSLstd450UnpackSnorm4x8);
            return true;
        case GLSLstd450UnpackSnorm2x16:
        case GLSLstd450UnpackUnorm2x16:
            unpack(glsl, 2, one.flags == GLSLstd450UnpackSnorm2x16);
            return true;
        case GLSLstd450UnpackHalf2x16:
        case GLSLstd450UnpackDouble2x32: {
            const Cell from = glsl.cells[one.a];
            const Mark made = mark::of(glsl.marks[one.a]);
            for (unsigned i = 0; i < 2; ++i)
                glsl.put(
                    i,
                    one.flags == GLSLstd450UnpackDouble2x32
                        ? from >> (32 * i) & UINT32_MAX
                        : cellOf(static_cast<double>(halfToFloat(static_cast<std::uint16_t>(from >> (16 * i)))), 32),
                    made);
            return true;
        }
        default:
            return false;
    }
}

// False: it is none of these.
bool wholeNumbers(const Glsl& glsl)
{
    const unsigned width = glsl.one.width;
    const Cell* cells = glsl.cells;
    const auto lessUnsigned = [&](std::uint32_t x, std::uint32_t y) { return cells[x] < cells[y]; };
    const auto lessSigned = [&](std::uint32_t x, std::uint32_t y) { return glsl.number(x) < glsl.number(y); };
    switch (glsl.one.flags) {
        case GLSLstd450SAbs:
            glsl.numbers1([&](std::uint32_t at) { return glsl.number(at) < 0 ? 0 - cells[at] : cells[at]; });
            return true;
        case GLSLstd450SSign:
            glsl.numbers1([&](std::uint32_t at) {
                const std::int64_t x = glsl.number(at);
                return static_cast<std::uint64_t>(std::int64_t{x > 0} - std::int64_t{x < 0});
            });
            return true;
        case GLSLstd450UMin:
            glsl.choose2([&](std::uint32_t x, std::uint32_t y) { return lessUnsigned(y, x); });
            return true;
        case GLSLstd450UMax:
            glsl.choose2(lessUnsigned);
            return true;
        case GLSLstd450SMin:
            glsl.choose2([&](std::uint32_t x, std::uint32_t y) { return lessSigned(y, x); });
            return true;
        case GLSLstd450SMax:
            glsl.choose2(lessSigned);
            return true;
        case GLSLstd450UClamp:
            glsl.clamp(lessUnsigned);
            return true;
        case GLSLstd450SClamp:
            glsl.clamp(lessSigned);
            return true;
        case GLSLstd450FindILsb:
            glsl.numbers1([&](std::uint32_t at) {
                return cells[at] == 0 ? UINT64_MAX : static_cast<std::uint64_t>(std::countr_zero(cells[at]));
            });
            return true;
        case GLSLstd450FindUMsb:
            glsl.numbers1([&](std::uint32_t at) { return highestOne(cells[at], width); });
            return true;
        case GLSLstd450FindSMsb:
            glsl.numbers1([&](std::uint32_t at) {
                return highestOne(glsl.number(at) < 0 ? ~cells[at] & lowBits(width) : cells[at], width);
            });
            return true;
        default:
            return false;
    }
}

void realNumbers(const Glsl& glsl)
{
    const Instruction& one = glsl.one;
    const auto less = [&](std::uint32_t x, std::uint32_t y) { return glsl.real(x) < glsl.real(y); };
    const auto isNan = [&](std::uint32_t x) { return std::isnan(glsl.real(x)); };
    switch (one.flags) {
        case GLSLstd450Round:
            return glsl.reals1([](auto x) { return std::round(x); });
        case GLSLstd450RoundEven:
            return glsl.reals1([](auto x) { return roundEven(x); });
        case GLSLstd450Trunc:
            return glsl.reals1([](auto x) { return std::trunc(x); });
        case GLSLstd450FAbs:
            return glsl.reals1([](auto x) { return std::fabs(x); });
        case GLSLstd450FSign:
            return glsl.reals1([](auto x) { return static_cast<decltype(x)>((x > 0) - (x < 0)); });
        case GLSLstd450Floor:
            return glsl.reals1([](auto x) { return std::floor(x); });
        case GLSLstd450Ceil:
            return glsl.reals1([](auto x) { return std::ceil(x); });
        case GLSLstd450Fract:
            return glsl.reals1([](auto x) { return x - std::floor(x); });
        case GLSLstd450Radians:
            return glsl.reals1([](auto x) { return x * (std::numbers::pi_v<decltype(x)> / 180); });
        case GLSLstd450Degrees:
            return glsl.reals1([](auto x) { return x * (180 / std::numbers::pi_v<decltype(x)>); });
        case GLSLstd450Sin:
            return glsl.reals1([](auto x) { return std::sin(x); });
        case GLSLstd450Cos:
            return glsl.reals1([](auto x) { return std::cos(x); });
        case GLSLstd450Tan:
            return glsl.reals1([](auto x) { return std::tan(x); });
        case GLSLstd450Asin:
            return glsl.reals1([](auto x) { return std::asin(x); });
        case GLSLstd450Acos:
            return glsl.reals1([](auto x) { return std::acos(x); });
        case GLSLstd450Atan:
            return glsl.reals1([](auto x) { return std::atan(x); });
        case GLSLstd450Sinh:
            return glsl.reals1([](auto x) { return std::sinh(x); });
        case GLSLstd450Cosh:
            return glsl.reals1([](auto x) { return std::cosh(x); });
        case GLSLstd450Tanh:
            return glsl.reals1([](auto x) { return std::tanh(x); });
        case GLSLstd450Asinh:
            return glsl.reals1([](auto x) { return std::asinh(x); });
        case GLSLstd450Acosh:
            return glsl.reals1([](auto x) { return std::acosh(x); });
        case GLSLstd450Atanh:
            return glsl.reals1([](auto x) { return std::atanh(x); });
        case GLSLstd450Atan2:
            return glsl.reals2([](auto y, auto x) { return std::atan2(y, x); });
        case GLSLstd450Pow:
            return glsl.reals2([](auto x, auto y) { return std::pow(x, y); });
        case GLSLstd450Exp:
            return glsl.reals1([](auto x) { return std::exp(x); });
        case GLSLstd450Log:
            return glsl.reals1([](auto x) { return std::log(x); });
        case GLSLstd450Exp2:
            return glsl.reals1([](auto x) { return std::exp2(x); });
        case GLSLstd450Log2:
            return glsl.reals1([](auto x) { return std::log2(x); });
        case GLSLstd450Sqrt:
            return glsl.reals1([](auto x) { return std::sqrt(x); });
        case GLSLstd450InverseSqrt:
            return glsl.reals1([](auto x) {
                using Real = decltype(x);
                return x == 0 ? std::numeric_limits<Real>::infinity() : Real(1) / std::sqrt(x);
            });
        case GLSLstd450FMin:
            return glsl.choose2(
                [&](std::uint32_t x, std::uint32_t y) { return less(y, x) || (isNan(x) && !isNan(y)); });
        case GLSLstd450NMin:
            return glsl.choose2(
                [&](std::uint32_t x, std::uint32_t y) { return less(y, x) || (isNan(x) && !isNan(y)); });
        case GLSLstd450FMax:
        case GLSLstd450NMax:
            return glsl.choose2(
                [&](std::uint32_t x, std::uint32_t y) { return less(x, y) || (isNan(x) && !isNan(y)); });
        case GLSLstd450FClamp:
        case GLSLstd450NClamp:
            return glsl.clamp(less);
        case GLSLstd450FMix:
            return glsl.reals3([](auto x, auto y, auto a) {
                const auto left = rounded(x * rounded(1 - a)), right = rounded(y * a);
                return left + right;
            });
        case GLSLstd450Step:
            return glsl.reals2([](auto edge, auto x) { return static_cast<decltype(x)>(x < edge ? 0 : 1); });
        case GLSLstd450SmoothStep:
            return glsl.reals3([](auto low, auto high, auto x) { return smoothStep(low, high, x); });
        case GLSLstd450Fma:
            return glsl.reals3([](auto x, auto y, auto z) { return fusedMultiplyAdd(x, y, z); });
        case GLSLstd450Ldexp:  // b: whole numbers of 32 bits
            for (std::uint32_t i = 0; i < one.count; ++i) {
                const auto exponent = static_cast<int>(signedOf(glsl.cells[one.b + i], 32));
                glsl.put(i, cellOf(std::ldexp(glsl.real(one.a + i), exponent), one.width),
                         mark::of(glsl.marks[one.a + i], glsl.marks[one.b + i]));
            }
            return;
        default:
            return;
    }
}

}  // namespace

bool isInexact(std::uint32_t instruction)
{
    return (instruction >= GLSLstd450Sin && instruction <= GLSLstd450InverseSqrt) || instruction == GLSLstd450Length ||
           instruction == GLSLstd450Distance || instruction == GLSLstd450Normalize;
}

bool knowsGlsl(std::uint32_t instruction)
{
    switch (instruction) {
        case GLSLstd450Bad:
        case GLSLstd450IMix:
        case GLSLstd450InterpolateAtCentroid:
        case GLSLstd450InterpolateAtSample:
        case GLSLstd450InterpolateAtOffset:
            return false;
        default:
            return instruction < GLSLstd450Count;
    }
}

void calculateGlsl(const Instruction& one, Cell* cells, Mark* marks)
{
    const Glsl glsl{one, cells, marks};
    if (!geometric(glsl) && !packing(glsl) && !wholeNumbers(glsl)) realNumbers(glsl);
}

}  // namespace a2::emulator
