#include "spirv/EmulatorArithmetic.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace a2::emulator {

namespace {

struct Frame {
    const Instruction& one;
    Cell* cells;
    Mark* marks;
    Freedom freedom;

    // A number of the result's width where the result is undefined: that of most devices, that of other devices, or one
    // that cannot be relied on, different for each operand.
    Cell undefined(Cell usual, Cell rarer, Cell operand, unsigned width) const
    {
        if (freedom == Freedom::usual) return usual;
        if (freedom == Freedom::above) return rarer & lowBits(width);
        return (operand + 1) * 0x9E3779B97F4A7C15 >> (64 - width);
    }
    template <class F>
    void each(const F& f) const
    {
        for (std::uint32_t i = 0; i < one.count; ++i) {
            cells[one.result + i] = f(cells[one.a + i]);
            marks[one.result + i] = mark::of(marks[one.a + i]);
        }
    }
    template <class F>
    void both(const F& f) const
    {
        for (std::uint32_t i = 0; i < one.count; ++i) {
            cells[one.result + i] = f(cells[one.a + i], cells[one.b + i]);
            marks[one.result + i] = mark::of(marks[one.a + i], marks[one.b + i]);
        }
    }
    // From numbers to a number.
    template <class F>
    void reals(const F& f) const
    {
        if (one.width == 32)
            both([&](Cell x, Cell y) {
                return Cell{std::bit_cast<std::uint32_t>(f(std::bit_cast<float>(static_cast<std::uint32_t>(x)),
                                                           std::bit_cast<float>(static_cast<std::uint32_t>(y))))};
            });
        else if (one.width == 64)
            both([&](Cell x, Cell y) {
                return std::bit_cast<Cell>(f(std::bit_cast<double>(x), std::bit_cast<double>(y)));
            });
        else
            both([&](Cell x, Cell y) {
                return Cell{floatToHalf(
                    f(halfToFloat(static_cast<std::uint16_t>(x)), halfToFloat(static_cast<std::uint16_t>(y))))};
            });
    }
    // As reals(), but a device may read and return denormalised numbers as 0 (Vulkan, "Precision and Operation of
    // SPIR-V Instructions").
    template <class F>
    Undefined flushed(const F& f) const
    {
        reals(f);
        if (one.width != 32) return Undefined::nothing;
        const auto isDenormal = [](Cell cell) { return (cell & 0x7F800000) == 0 && (cell & 0x007FFFFF) != 0; };
        const auto flush = [&](Cell cell) {
            return std::bit_cast<float>(static_cast<std::uint32_t>(isDenormal(cell) ? cell & 0x80000000 : cell));
        };
        Undefined found = Undefined::nothing;
        for (std::uint32_t i = 0; i < one.count; ++i) {
            const Cell x = cells[one.a + i], y = cells[one.b + i];
            Cell& made = cells[one.result + i];
            if (!isDenormal(x) && !isDenormal(y) && !isDenormal(made)) continue;
            found = Undefined::denormal;
            if (freedom == Freedom::usual) continue;
            made = std::bit_cast<std::uint32_t>(f(flush(x), flush(y)));
            if (isDenormal(made)) made &= 0x80000000;
        }
        return found;
    }
    // Gives a bool. ifUnordered: the result for a NaN.
    template <class F>
    void compare(bool ifUnordered, const F& f) const
    {
        const unsigned width = one.width;
        both([&](Cell a, Cell b) {
            const double x = realOf(a, width), y = realOf(b, width);
            return Cell{std::isnan(x) || std::isnan(y) ? ifUnordered : f(x, y)};
        });
    }
    std::int64_t number(Cell cell) const { return signedOf(cell, one.width); }
    Cell low(std::uint64_t value) const { return value & lowBits(one.width); }
};

// A product with 0, and an `and` with 0, is known, whether the other side is set or not.
void multiply(const Frame& frame, bool masks)
{
    const Instruction& one = frame.one;
    for (std::uint32_t i = 0; i < one.count; ++i) {
        const Cell x = frame.cells[one.a + i], y = frame.cells[one.b + i];
        const Mark ofX = frame.marks[one.a + i], ofY = frame.marks[one.b + i];
        frame.cells[one.result + i] = frame.low(masks ? x & y : x * y);
        Mark sum = mark::of(ofX, ofY);
        const bool zero = (x == 0 && (ofX & mark::unset) == 0) || (y == 0 && (ofY & mark::unset) == 0);
        if ((sum & mark::unset) != 0 && zero) sum = sum & mark::data;
        frame.marks[one.result + i] = sum;
    }
}

// `or` of bools if `decides`, otherwise `and`: one side alone may decide the result.
void combineBools(const Frame& frame, Cell decides)
{
    const Instruction& one = frame.one;
    for (std::uint32_t i = 0; i < one.count; ++i) {
        const Cell x = frame.cells[one.a + i], y = frame.cells[one.b + i];
        const Mark ofX = frame.marks[one.a + i], ofY = frame.marks[one.b + i];
        frame.cells[one.result + i] = decides ? x | y : x & y;
        const bool known = (x == decides && (ofX & mark::unset) == 0) || (y == decides && (ofY & mark::unset) == 0);
        const Mark sum = mark::of(ofX, ofY);
        frame.marks[one.result + i] = known ? static_cast<Mark>(sum & mark::data) : sum;
    }
}

Undefined divide(const Frame& frame)
{
    Undefined undefined = Undefined::nothing;
    const auto op = frame.one.op;
    frame.both([&](Cell a, Cell b) -> Cell {
        if (b == 0) {
            undefined = Undefined::division;
            // The result of most devices: an index made of it is far off.
            return frame.undefined(frame.low(~std::uint64_t{0}), 0, a, frame.one.width);
        }
        if (op == spv::OpUDiv) return a / b;
        if (op == spv::OpUMod) return a % b;
        const std::int64_t x = frame.number(a), y = frame.number(b);
        if (y == -1) {  // the least number has no result; its remainder is 0
            if (op == spv::OpSDiv) return frame.low(0 - static_cast<std::uint64_t>(x));
            return 0;
        }
        if (op == spv::OpSDiv) return frame.low(static_cast<std::uint64_t>(x / y));
        std::int64_t rest = x % y;
        if (x < 0 || y < 0) {  // GLSL 4.60, 5.9; devices give it the sign of either operand
            undefined = Undefined::remainder;
            if (frame.freedom != Freedom::usual) return frame.low(static_cast<std::uint64_t>(rest));
        }
        if (op == spv::OpSMod && rest != 0 && (rest < 0) != (y < 0)) rest += y;
        return frame.low(static_cast<std::uint64_t>(rest));
    });
    return undefined;
}

Undefined shift(const Frame& frame)
{
    Undefined undefined = Undefined::nothing;
    const auto op = frame.one.op;
    const auto shifted = [&](Cell a, Cell by) -> Cell {
        if (op == spv::OpShiftLeftLogical) return frame.low(a << by);
        if (op == spv::OpShiftRightLogical) return a >> by;
        return frame.low(static_cast<std::uint64_t>(frame.number(a) >> by));
    };
    frame.both([&](Cell a, Cell by) -> Cell {
        if (by < frame.one.width) return shifted(a, by);
        undefined = Undefined::shift;
        return frame.undefined(0, shifted(a, by % frame.one.width), a, frame.one.width);
    });
    return undefined;
}

// If the result type does not contain the value, the nearest number that it contains; for a NaN, 0.
Undefined convertToNumber(const Frame& frame, bool isSigned)
{
    Undefined undefined = Undefined::nothing;
    const unsigned to = frame.one.flags, from = frame.one.width;
    frame.each([&](Cell cell) -> Cell {
        const double value = std::trunc(realOf(cell, from));
        const double least = isSigned ? -std::ldexp(1.0, static_cast<int>(to) - 1) : 0.0;
        const double beyond = std::ldexp(1.0, static_cast<int>(to) - (isSigned ? 1 : 0));
        if (value >= least && value < beyond)
            return isSigned ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value)) & lowBits(to)
                            : static_cast<std::uint64_t>(value);
        undefined = Undefined::conversion;
        if (frame.freedom != Freedom::usual) return frame.undefined(0, std::uint64_t{1} << (to - 1), cell, to);
        if (std::isnan(value)) return 0;
        if (value < least) return isSigned ? std::uint64_t{1} << (to - 1) : 0;
        return isSigned ? lowBits(to - 1) : lowBits(to);
    });
    return undefined;
}

Cell bitsOf(Cell base, std::uint64_t offset, std::uint64_t count, unsigned width, bool isSigned)
{
    if (count == 0 || offset >= width || count > width - offset) return 0;
    const std::uint64_t part = (base >> offset) & lowBits(static_cast<unsigned>(count));
    return isSigned ? static_cast<std::uint64_t>(signedOf(part, static_cast<unsigned>(count))) & lowBits(width) : part;
}

Undefined bitFields(const Frame& frame)
{
    Undefined undefined = Undefined::nothing;
    const Instruction& one = frame.one;
    const bool inserts = one.op == spv::OpBitFieldInsert;
    const std::uint32_t third = inserts ? one.flags : 0;  // cells from c to the cell of the count
    const auto goesBeyond = [&one](std::uint64_t offset, std::uint64_t count) {
        return offset > one.width || count > one.width - offset;
    };
    for (std::uint32_t i = 0; i < one.count; ++i) {
        const Cell base = frame.cells[one.a + i];
        Mark sum = frame.marks[one.a + i];
        if (inserts) {
            const std::uint64_t offset = frame.cells[one.c], count = frame.cells[one.c + third];
            Cell result = base;
            if (goesBeyond(offset, count)) {
                undefined = Undefined::bits;
                result = frame.undefined(base, 0, base, one.width);
            } else if (offset < one.width) {
                const std::uint64_t mask = lowBits(static_cast<unsigned>(count)) << offset;
                result = (base & ~mask) | (frame.cells[one.b + i] << offset & mask);
            }
            frame.cells[one.result + i] = frame.low(result);
            sum = mark::of(sum, mark::of(frame.marks[one.b + i], frame.marks[one.c]));
        } else {
            const std::uint64_t offset = frame.cells[one.b], count = frame.cells[one.c];
            frame.cells[one.result + i] = bitsOf(base, offset, count, one.width, one.op == spv::OpBitFieldSExtract);
            if (goesBeyond(offset, count)) {
                undefined = Undefined::bits;
                frame.cells[one.result + i] = frame.undefined(frame.cells[one.result + i], base, base, one.width);
            }
            sum = mark::of(sum, mark::of(frame.marks[one.b], frame.marks[one.c]));
        }
        frame.marks[one.result + i] = sum;
    }
    return undefined;
}

bool errsDown(const Frame& frame)
{
    if (frame.freedom < Freedom::mixed) return frame.freedom == Freedom::below;
    const auto mix = static_cast<unsigned>(frame.freedom) - static_cast<unsigned>(Freedom::mixed);
    const std::uint32_t scattered = frame.one.result * 0x9E3779B9U;
    return ((scattered >> (31 - mix / 2)) & 1) != (mix & 1);
}

// Each number that the instruction gives errs by one unit in the last place, except 0, NaN and infinity.
void err(const Frame& frame)
{
    const Instruction& one = frame.one;
    for (std::uint32_t i = 0; i < one.count; ++i) {
        Cell& cell = frame.cells[one.result + i];
        const double value = realOf(cell, one.width);
        if (value == 0 || !std::isfinite(value)) continue;
        cell = frame.low(errsDown(frame) ? cell - 1 : cell + 1);
    }
}

// All devices divide exactly by a power of two.
bool dividesExactly(const Frame& frame)
{
    const Instruction& one = frame.one;
    for (std::uint32_t i = 0; i < one.count; ++i) {
        int exponent = 0;
        const double divisor = realOf(frame.cells[one.b + i], one.width);
        if (std::abs(std::frexp(divisor, &exponent)) != 0.5) return false;
    }
    return true;
}

Undefined inexact(const Frame& frame)
{
    if (frame.freedom != Freedom::usual) err(frame);
    return Undefined::inexact;
}

// A device may calculate with 16 bits where a value has RelaxedPrecision (SPIR-V, "Relaxed Precision"): mediump and
// lowp.
Undefined relaxed(const Frame& frame)
{
    Undefined found = Undefined::nothing;
    for (std::uint32_t i = 0; i < frame.one.count; ++i) {
        Cell& cell = frame.cells[frame.one.result + i];
        const auto number = static_cast<std::uint32_t>(cell);
        std::uint32_t cut = number & 0xFFFF;
        if (frame.one.flags == relaxedReal)
            cut = std::bit_cast<std::uint32_t>(halfToFloat(floatToHalf(std::bit_cast<float>(number))));
        else if (frame.one.flags == relaxedSigned && (number & 0x8000) != 0)
            cut |= 0xFFFF0000;
        if (cut == number) continue;
        found = Undefined::relaxed;
        if (frame.freedom != Freedom::usual) cell = cut;
    }
    return found;
}

// Two results, as a structure: OpIAddCarry and similar instructions.
void wide(const Frame& frame)
{
    const Instruction& one = frame.one;
    for (std::uint32_t i = 0; i < one.count; ++i) {
        const Cell x = frame.cells[one.a + i], y = frame.cells[one.b + i];
        Cell low = 0, high = 0;
        if (one.op == spv::OpIAddCarry) {
            low = frame.low(x + y);
            high = low < x;
        } else if (one.op == spv::OpISubBorrow) {
            low = frame.low(x - y);
            high = x < y;
        } else if (one.width <= 32) {
            const bool isSigned = one.op == spv::OpSMulExtended;
            const std::uint64_t product =
                isSigned ? static_cast<std::uint64_t>(frame.number(x) * frame.number(y)) : x * y;
            low = frame.low(product);
            high = frame.low(product >> one.width);
        } else {
            const std::uint64_t x0 = x & UINT32_MAX, x1 = x >> 32, y0 = y & UINT32_MAX, y1 = y >> 32;
            const std::uint64_t middle = x1 * y0 + (x0 * y0 >> 32), other = x0 * y1 + (middle & UINT32_MAX);
            low = x * y;
            high = x1 * y1 + (middle >> 32) + (other >> 32);
            if (one.op == spv::OpSMulExtended) high -= (signedOf(x, 64) < 0 ? y : 0) + (signedOf(y, 64) < 0 ? x : 0);
        }
        const Mark sum = mark::of(frame.marks[one.a + i], frame.marks[one.b + i]);
        frame.cells[one.result + i] = low;
        frame.cells[one.result + one.count + i] = high;
        frame.marks[one.result + i] = frame.marks[one.result + one.count + i] = sum;
    }
}

// Sum of products of `terms` numbers, each operation rounded.
Cell productSum(const Frame& frame, std::uint32_t x, std::uint32_t xStride, std::uint32_t y, std::uint32_t yStride,
                std::uint32_t terms, Mark& sum)
{
    const unsigned width = frame.one.width;
    Cell result = 0;
    sum = 0;
    for (std::uint32_t i = 0; i < terms; ++i) {
        const std::uint32_t from = x + i * xStride, other = y + i * yStride;
        sum = mark::of(sum, mark::of(frame.marks[from], frame.marks[other]));
        const double a = realOf(frame.cells[from], width), b = realOf(frame.cells[other], width);
        const Cell product = cellOf(rounded(a * b), width);
        if (i == 0)
            result = product;
        else
            result = cellOf(rounded(realOf(result, width) + realOf(product, width)), width);
    }
    return result;
}

// flags: the rows of the vector or the matrix; count: see each case.
void matrices(const Frame& frame)
{
    const Instruction& one = frame.one;
    const std::uint32_t rows = one.flags;
    const auto put = [&](std::uint32_t at, Cell value, Mark sum) {
        frame.cells[one.result + at] = value;
        frame.marks[one.result + at] = sum;
    };
    Mark sum = 0;
    switch (one.op) {
        case spv::OpDot: {
            const Cell value = productSum(frame, one.a, 1, one.b, 1, one.count, sum);
            put(0, value, sum);
            break;
        }
        case spv::OpVectorTimesMatrix:  // count: columns
            for (std::uint32_t column = 0; column < one.count; ++column) {
                const Cell value = productSum(frame, one.a, 1, one.b + column * rows, 1, rows, sum);
                put(column, value, sum);
            }
            break;
        case spv::OpMatrixTimesVector:
            for (std::uint32_t row = 0; row < rows; ++row) {
                const Cell value = productSum(frame, one.a + row, rows, one.b, 1, one.count, sum);
                put(row, value, sum);
            }
            break;
        case spv::OpMatrixTimesMatrix:  // count: columns of the right one; c: of the left one
            for (std::uint32_t column = 0; column < one.count; ++column)
                for (std::uint32_t row = 0; row < rows; ++row) {
                    const Cell value = productSum(frame, one.a + row, rows, one.b + column * one.c, 1, one.c, sum);
                    put(column * rows + row, value, sum);
                }
            break;
        case spv::OpOuterProduct:
            for (std::uint32_t column = 0; column < one.count; ++column)
                for (std::uint32_t row = 0; row < rows; ++row) {
                    const Cell value = productSum(frame, one.a + row, 1, one.b + column, 1, 1, sum);
                    put(column * rows + row, value, sum);
                }
            break;
        default:  // OpTranspose; rows and columns of the operand
            for (std::uint32_t column = 0; column < one.count; ++column)
                for (std::uint32_t row = 0; row < rows; ++row)
                    put(row * one.count + column, frame.cells[one.a + column * rows + row],
                        frame.marks[one.a + column * rows + row]);
    }
}

void timesScalar(const Frame& frame)
{
    const Instruction& one = frame.one;
    for (std::uint32_t i = 0; i < one.count; ++i) {
        const double x = realOf(frame.cells[one.a + i], one.width), y = realOf(frame.cells[one.b], one.width);
        frame.cells[one.result + i] = cellOf(rounded(x * y), one.width);
        frame.marks[one.result + i] = mark::of(frame.marks[one.a + i], frame.marks[one.b]);
    }
}

// c: the condition, one for all components or (flags) one for each.
void choose(const Frame& frame)
{
    const Instruction& one = frame.one;
    for (std::uint32_t i = 0; i < one.count; ++i) {
        const std::uint32_t condition = one.c + (one.flags ? i : 0);
        const std::uint32_t from = (frame.cells[condition] ? one.a : one.b) + i;
        const Mark ofCondition = frame.marks[condition];
        frame.cells[one.result + i] = frame.cells[from];
        frame.marks[one.result + i] =
            static_cast<Mark>((ofCondition & mark::unset) != 0 ? mark::of(frame.marks[from], ofCondition)
                                                               : frame.marks[from] | (ofCondition & mark::data));
    }
}

void anyOrAll(const Frame& frame)
{
    const Instruction& one = frame.one;
    const bool all = one.op == spv::OpAll;
    bool result = all;
    Mark sum = 0;
    for (std::uint32_t i = 0; i < one.count; ++i) {
        const bool value = frame.cells[one.a + i] != 0;
        result = all ? result && value : result || value;
        sum = mark::of(sum, frame.marks[one.a + i]);
    }
    frame.cells[one.result] = result;
    frame.marks[one.result] = sum;
}

// From `count` numbers of `width` bits to numbers of `flags` bits; the bits as a whole stay the same.
void castBits(const Frame& frame)
{
    const Instruction& one = frame.one;
    const unsigned from = one.width, to = one.flags;
    if (from <= to) {
        const std::uint32_t parts = to / from;
        for (std::uint32_t i = 0; i < one.count / parts; ++i) {
            Cell value = 0;
            Mark sum = 0;
            for (std::uint32_t k = 0; k < parts; ++k) {
                value |= frame.cells[one.a + i * parts + k] << (k * from);
                sum = static_cast<Mark>(sum | frame.marks[one.a + i * parts + k]);
            }
            frame.cells[one.result + i] = value;
            frame.marks[one.result + i] = sum;
        }
        return;
    }
    const std::uint32_t parts = from / to;
    for (std::uint32_t i = 0; i < one.count; ++i)
        for (std::uint32_t k = 0; k < parts; ++k) {
            frame.cells[one.result + i * parts + k] = frame.cells[one.a + i] >> (k * to) & lowBits(to);
            frame.marks[one.result + i * parts + k] = frame.marks[one.a + i];
        }
}

std::uint64_t reversed(std::uint64_t value, unsigned width)
{
    std::uint64_t result = 0;
    for (unsigned i = 0; i < width; ++i) result |= (value >> i & 1) << (width - 1 - i);
    return result;
}

}  // namespace

float halfToFloat(std::uint16_t half)
{
    const int exponent = half >> 10 & 0x1F, fraction = half & 0x3FF;
    float value = 0;
    if (exponent == 0)
        value = std::ldexp(static_cast<float>(fraction), -24);
    else if (exponent == 31)
        value = fraction ? std::numeric_limits<float>::quiet_NaN() : std::numeric_limits<float>::infinity();
    else
        value = std::ldexp(static_cast<float>(fraction + 0x400), exponent - 25);
    return half >> 15 ? -value : value;
}

// Rounds to the nearest, ties to even.
std::uint16_t floatToHalf(float value)
{
    const unsigned sign = std::signbit(value) ? 0x8000U : 0U;
    if (std::isnan(value)) return static_cast<std::uint16_t>(sign | 0x7E00U);
    const float size = std::fabs(value);
    if (size >= 65520.0F) return static_cast<std::uint16_t>(sign | 0x7C00U);
    if (size < std::ldexp(1.0F, -14))  // denormal: whole multiples of 2^-24
        return static_cast<std::uint16_t>(sign | static_cast<unsigned>(std::nearbyint(std::ldexp(size, 24))));
    int exponent = 0;
    const float fraction = std::frexp(size, &exponent);                                   // 0.5 to 1
    const auto digits = static_cast<unsigned>(std::nearbyint(std::ldexp(fraction, 11)));  // 1024 to 2048
    return static_cast<std::uint16_t>(sign | ((static_cast<unsigned>(exponent + 13) << 10) + digits));
}

double realOf(Cell cell, unsigned width)
{
    if (width == 32) return std::bit_cast<float>(static_cast<std::uint32_t>(cell));
    return width == 64 ? std::bit_cast<double>(cell) : halfToFloat(static_cast<std::uint16_t>(cell));
}

Cell cellOf(double value, unsigned width)
{
    if (width == 32) return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    return width == 64 ? std::bit_cast<Cell>(value) : floatToHalf(static_cast<float>(value));
}

Undefined calculate(const Code& code, const Instruction& one, Cell* cells, Mark* marks, Freedom freedom)
{
    const Frame frame{one, cells, marks, freedom};
    const unsigned width = one.width;
    switch (one.op) {
        case op::copy:
            for (std::uint32_t i = 0; i < one.count; ++i) {
                cells[one.result + i] = cells[one.a + i];
                marks[one.result + i] = marks[one.a + i];
            }
            break;
        case op::gather:
            for (std::uint32_t i = 0; i < one.count; ++i) {
                const std::uint32_t from = code.lists[one.a + i];
                cells[one.result + i] = cells[from];
                marks[one.result + i] = marks[from];
            }
            break;
        case op::extractAt: {
            const std::uint64_t index = cells[one.b];
            const bool fits = index < one.count;
            cells[one.result] = fits ? cells[one.a + index] : 0;
            marks[one.result] = mark::of(fits ? marks[one.a + index] : Mark{0}, marks[one.b]);
            return fits ? Undefined::nothing : Undefined::index;
        }
        case op::insertAt: {
            const std::uint64_t index = cells[one.c];
            for (std::uint32_t i = 0; i < one.count; ++i) {
                const std::uint32_t from = i == index ? one.b : one.a + i;
                cells[one.result + i] = cells[from];
                marks[one.result + i] = static_cast<Mark>(marks[from] | marks[one.c]);
            }
            return index < one.count ? Undefined::nothing : Undefined::index;
        }
        case op::bits:
            castBits(frame);
            break;
        case op::relaxed:
            return relaxed(frame);
        case op::glsl:
            calculateGlsl(one, cells, marks);
            if (isInexact(one.flags)) return inexact(frame);
            break;

        case spv::OpIAdd:
            frame.both([&](Cell x, Cell y) { return frame.low(x + y); });
            break;
        case spv::OpISub:
            frame.both([&](Cell x, Cell y) { return frame.low(x - y); });
            break;
        case spv::OpIMul:
            multiply(frame, false);
            break;
        case spv::OpBitwiseAnd:
            multiply(frame, true);
            break;
        case spv::OpBitwiseOr:
            frame.both([&](Cell x, Cell y) { return x | y; });
            break;
        case spv::OpBitwiseXor:
            frame.both([&](Cell x, Cell y) { return x ^ y; });
            break;
        case spv::OpNot:
            frame.each([&](Cell x) { return frame.low(~x); });
            break;
        case spv::OpSNegate:
            frame.each([&](Cell x) { return frame.low(0 - x); });
            break;
        case spv::OpUDiv:
        case spv::OpUMod:
        case spv::OpSDiv:
        case spv::OpSRem:
        case spv::OpSMod:
            return divide(frame);
        case spv::OpShiftLeftLogical:
        case spv::OpShiftRightLogical:
        case spv::OpShiftRightArithmetic:
            return shift(frame);
        case spv::OpIAddCarry:
        case spv::OpISubBorrow:
        case spv::OpUMulExtended:
        case spv::OpSMulExtended:
            wide(frame);
            break;
        case spv::OpBitFieldInsert:
        case spv::OpBitFieldSExtract:
        case spv::OpBitFieldUExtract:
            return bitFields(frame);
        case spv::OpBitReverse:
            frame.each([&](Cell x) { return reversed(x, width); });
            break;
        case spv::OpBitCount:
            frame.each([&](Cell x) { return static_cast<Cell>(std::popcount(x)); });
            break;

        case spv::OpIEqual:
        case spv::OpLogicalEqual:
            frame.both([](Cell x, Cell y) { return Cell{x == y}; });
            break;
        case spv::OpINotEqual:
        case spv::OpLogicalNotEqual:
            frame.both([](Cell x, Cell y) { return Cell{x != y}; });
            break;
        case spv::OpULessThan:
            frame.both([](Cell x, Cell y) { return Cell{x < y}; });
            break;
        case spv::OpULessThanEqual:
            frame.both([](Cell x, Cell y) { return Cell{x <= y}; });
            break;
        case spv::OpUGreaterThan:
            frame.both([](Cell x, Cell y) { return Cell{x > y}; });
            break;
        case spv::OpUGreaterThanEqual:
            frame.both([](Cell x, Cell y) { return Cell{x >= y}; });
            break;
        case spv::OpSLessThan:
            frame.both([&](Cell x, Cell y) { return Cell{frame.number(x) < frame.number(y)}; });
            break;
        case spv::OpSLessThanEqual:
            frame.both([&](Cell x, Cell y) { return Cell{frame.number(x) <= frame.number(y)}; });
            break;
        case spv::OpSGreaterThan:
            frame.both([&](Cell x, Cell y) { return Cell{frame.number(x) > frame.number(y)}; });
            break;
        case spv::OpSGreaterThanEqual:
            frame.both([&](Cell x, Cell y) { return Cell{frame.number(x) >= frame.number(y)}; });
            break;
        case spv::OpLogicalAnd:
            combineBools(frame, 0);
            break;
        case spv::OpLogicalOr:
            combineBools(frame, 1);
            break;
        case spv::OpLogicalNot:
            frame.each([](Cell x) { return Cell{x == 0}; });
            break;
        case spv::OpSelect:
            choose(frame);
            break;
        case spv::OpAny:
        case spv::OpAll:
            anyOrAll(frame);
            break;

        case spv::OpFAdd:
            return frame.flushed([](auto x, auto y) { return x + y; });
        case spv::OpFSub:
            return frame.flushed([](auto x, auto y) { return x - y; });
        case spv::OpFMul:
            return frame.flushed([](auto x, auto y) { return x * y; });
        case spv::OpFDiv:
            frame.reals([](auto x, auto y) {
                using Real = decltype(x);
                if (y != 0) return x / y;  // IEEE's division by 0, which sanitizers report as a fault
                const bool negative = std::signbit(x) != std::signbit(y);
                if (x == 0 || std::isnan(x)) return std::numeric_limits<Real>::quiet_NaN();
                return negative ? -std::numeric_limits<Real>::infinity() : std::numeric_limits<Real>::infinity();
            });
            if (!dividesExactly(frame)) return inexact(frame);
            break;
        case spv::OpFRem:
            frame.reals([](auto x, auto y) { return std::fmod(x, y); });
            break;
        case spv::OpFMod:
            frame.reals([](auto x, auto y) {
                const auto rest = std::fmod(x, y);
                return rest != 0 && std::signbit(rest) != std::signbit(y) ? rest + y : rest;
            });
            break;
        case spv::OpFNegate:
            frame.each([&](Cell x) { return x ^ std::uint64_t{1} << (width - 1); });
            break;
        case spv::OpIsNan:
            frame.each([&](Cell x) { return Cell{std::isnan(realOf(x, width))}; });
            break;
        case spv::OpIsInf:
            frame.each([&](Cell x) { return Cell{std::isinf(realOf(x, width))}; });
            break;
        case spv::OpFOrdEqual:
        case spv::OpFUnordEqual:
            frame.compare(one.op == spv::OpFUnordEqual, [](double x, double y) { return x == y; });
            break;
        case spv::OpFOrdNotEqual:
        case spv::OpFUnordNotEqual:
            frame.compare(one.op == spv::OpFUnordNotEqual, [](double x, double y) { return x != y; });
            break;
        case spv::OpFOrdLessThan:
        case spv::OpFUnordLessThan:
            frame.compare(one.op == spv::OpFUnordLessThan, [](double x, double y) { return x < y; });
            break;
        case spv::OpFOrdGreaterThan:
        case spv::OpFUnordGreaterThan:
            frame.compare(one.op == spv::OpFUnordGreaterThan, [](double x, double y) { return x > y; });
            break;
        case spv::OpFOrdLessThanEqual:
        case spv::OpFUnordLessThanEqual:
            frame.compare(one.op == spv::OpFUnordLessThanEqual, [](double x, double y) { return x <= y; });
            break;
        case spv::OpFOrdGreaterThanEqual:
        case spv::OpFUnordGreaterThanEqual:
            frame.compare(one.op == spv::OpFUnordGreaterThanEqual, [](double x, double y) { return x >= y; });
            break;

        case spv::OpVectorTimesScalar:
        case spv::OpMatrixTimesScalar:
            timesScalar(frame);
            break;
        case spv::OpDot:
        case spv::OpVectorTimesMatrix:
        case spv::OpMatrixTimesVector:
        case spv::OpMatrixTimesMatrix:
        case spv::OpOuterProduct:
        case spv::OpTranspose:
            matrices(frame);
            break;

        case spv::OpConvertFToU:
        case spv::OpConvertFToS:
            return convertToNumber(frame, one.op == spv::OpConvertFToS);
        case spv::OpConvertSToF:
            frame.each([&](Cell x) {
                const std::int64_t value = frame.number(x);
                if (one.flags == 32) return Cell{std::bit_cast<std::uint32_t>(static_cast<float>(value))};
                return cellOf(static_cast<double>(value), one.flags);
            });
            break;
        case spv::OpConvertUToF:
            frame.each([&](Cell x) {
                if (one.flags == 32) return Cell{std::bit_cast<std::uint32_t>(static_cast<float>(x))};
                return cellOf(static_cast<double>(x), one.flags);
            });
            break;
        case spv::OpUConvert:
            frame.each([&](Cell x) { return x & lowBits(one.flags); });
            break;
        case spv::OpSConvert:
            frame.each([&](Cell x) { return static_cast<std::uint64_t>(frame.number(x)) & lowBits(one.flags); });
            break;
        case spv::OpFConvert:
            frame.each([&](Cell x) { return cellOf(realOf(x, width), one.flags); });
            break;
        case spv::OpQuantizeToF16:
            frame.each(
                [&](Cell x) { return cellOf(halfToFloat(floatToHalf(static_cast<float>(realOf(x, width)))), width); });
            break;
        default:
            break;  // the decoder only lets the cases above through
    }
    return Undefined::nothing;
}

}  // namespace a2::emulator
