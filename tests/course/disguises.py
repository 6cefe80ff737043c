"""The project's naive scan as a student who has copied it might disguise it: kind of disguise -> its text."""

import re

from grade_support import PROJECT

import markers

NAIVE = "shaders/A2Task2Naive.comp"
LOOP = re.compile(r"for \(uint k = 0; k < ELEMENTS; \+\+k\) \{(.*?\n)(        \})", re.DOTALL)
FIRST = """\
    const uint tile = gl_WorkGroupSize.x * ELEMENTS;
    const uint begin = workGroupNumber() * tile;
    const uint mine = begin + gl_LocalInvocationID.x;
"""
DISTANCE = "    const uint distance = push.stride + push.shift;\n"
TEMPORARIES = """
    const uint lanes = gl_WorkGroupSize.x;
    uint tile = lanes * ELEMENTS;
    uint group = workGroupNumber();
    uint begin = group * tile;
    uint d = push.stride + push.shift, s = push.shift, n = push.count;
    bool whole = begin >= d && begin < n && n - begin >= tile;
    if (whole) {
        for (uint k = 0; k < ELEMENTS; ++k) {
            uint index = begin + gl_LocalInvocationID.x + k * lanes;
            uint a = source[index - s];
            uint b = source[index - d];
            target[index] = a + b;
        }
    } else {
        for (uint k = 0; k < ELEMENTS; ++k) {
            uint index = begin + gl_LocalInvocationID.x + k * lanes;
            if (index < n) {
                uint r = 0;
                if (index >= s) r = source[index - s];
                if (d <= index) r = r + source[index - d];
                target[index] = r;
            }
        }
    }
"""
FUNCTIONS = """\
uint place(uint k)
{
    return workGroupNumber() * gl_WorkGroupSize.x * ELEMENTS + gl_LocalInvocationID.x + k * gl_WorkGroupSize.x;
}

void whole(uint distance)
{
    for (uint k = 0; k < ELEMENTS; ++k) target[place(k)] = source[place(k) - push.shift] + source[place(k) - distance];
}

void rest(uint distance)
{
    for (uint k = 0; k < ELEMENTS; ++k) {
        const uint index = place(k);
        if (index < push.count) {
            uint sum = index >= push.shift ? source[index - push.shift] : 0;
            if (index >= distance) sum += source[index - distance];
            target[index] = sum;
        }
    }
}

void main()
"""
SPLIT = """\
    const uint tile = gl_WorkGroupSize.x * ELEMENTS;
    const uint begin = workGroupNumber() * tile;
    const uint distance = push.stride + push.shift;
    if (begin >= distance && begin < push.count && push.count - begin >= tile) whole(distance);
    else rest(distance);
"""
PART = """\
    uint first = workGroupNumber() * gl_WorkGroupSize.x * ELEMENTS + gl_LocalInvocationID.x;
    uint distance = push.stride + push.shift;
    for (uint k = 0; k < ELEMENTS; ++k) {
        const uint index = first + k * gl_WorkGroupSize.x;
        if (index < push.count) {
            uint sum = index >= push.shift ? source[index - push.shift] : 0;
            if (index >= distance) sum += source[index - distance];
            target[index] = sum;
        }
    }
"""


def renamed(text, names):
    return re.sub(rf"\b({'|'.join(names)})\b", lambda found: names[found[1]], text)


def disguises():
    text = markers.read(PROJECT / NAIVE)

    def with_main(body, head=text):
        return markers.replaced(head, markers.parts_of(head, NAIVE), lambda part: [body])

    def with_while(text):
        return LOOP.sub(r"uint k = 0;\n        while (k < ELEMENTS) {\1k += 1;\n\2", text)

    assert FIRST in text and DISTANCE in text and LOOP.search(text)
    loops = with_while(text)
    temporaries = with_main(TEMPORARIES)
    return {
        "renamed": renamed(text, {"tile": "t", "begin": "b", "mine": "m", "distance": "d", "index": "at",
                                  "sum": "total", "source": "from", "target": "to", "Source": "From", "Target": "To"}),
        "other white space": re.sub(r"\n    ", "\n\t", re.sub(r"//[^\n]*", "/* so */", text).replace(" = ", "=")),
        "statements in another order": text.replace(FIRST, "").replace(DISTANCE, DISTANCE + FIRST),
        "other loops": loops,
        "macros, other numbers": renamed(loops.replace("k = 0", "k = 0x0u").replace("k += 1", "k += 0x1u"), {"k": "n"})
        .replace("void main", "#define WIDTH gl_WorkGroupSize.x\nvoid main").replace("* gl_WorkGroupSize.x", "* WIDTH"),
        "functions": with_main(SPLIT, text.replace("void main()\n", FUNCTIONS)),
        "a part": with_main(PART),
        "temporary variables": temporaries,
        "temporary variables, other loops, renamed": renamed(with_while(temporaries), {
            "tile": "t", "begin": "b", "index": "at", "r": "total"})}
