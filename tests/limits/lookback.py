#!/usr/bin/env python3
"""What stops the look-back: docs/record.md says what these kernels took.

usage: lookback.py [--build FOLDER] [--program FILE] [-n N] [-d DEVICE] [--shape WxE] [--turns K] [--check]

Times kernels that differ from shaders/A2Task2DecoupledLookback.comp in one thing each, some of which make it wrong, and
prints a table. All are timed in turns, K times; "wrong" is what was wrong once. --check: at a short length, without times,
whether each is right or wrong, as it should be. Exit status: 0; 1 if one is not, or cannot be timed.
"""

import argparse
import contextlib
import dataclasses
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LOOKBACK = "A2Task2DecoupledLookback"
TASK = "include/A2Task2.h"
RESIDENT = 2 * 132  # work-groups that stay: two on each processor of an H200


@dataclasses.dataclass
class Variant:
    """edits: of a file, old text and new. shape: the one asked for if it is empty. groups: 0 for one per tile. ends: so many
    tiles at each end of the array are short. right: None
    where that depends on who comes first, or on Mesa's CPU driver, which ends long waits (docs/record.md)."""

    name: str
    edits: tuple[tuple[str, str, str], ...] = ()
    kernel: str = LOOKBACK
    shape: str = ""
    groups: int = 0
    ends: int = 0
    right: bool | None = True


def states(words: int) -> tuple[tuple[str, str, str], ...]:
    return ((TASK, "#define WORDS_PER_TILE_STATE 16", f"#define WORDS_PER_TILE_STATE {words}"),)


def kernel(old: str, new: str) -> tuple[str, str, str]:
    return (LOOKBACK + ".comp", old, new)


TICKET = "tile = min(ticket & 0xFFFFFF, push.groups - 1);"
SAY = "if (push.groups > 1 && gl_SubgroupID == 0 && subgroupElect()) publish(tile, run, tile == 0 ? PREFIX : SUM, leftOrAll);"
SCAN = "scanRows(gl_SubgroupID == 0 ? 0 : leftOrAll);"
SUM_OF_ROW = "left += subgroupShuffle(upToMe, width - 1);"

BEGIN = """    const uint begin = (tile - push.firstGroup) * TILE;
    const bool full = begin < push.count && push.count - begin >= TILE;
    loadRows(begin, full);
"""
SHORT_ROWS = 3  # of a short tile


def short_ends(ends: int) -> tuple[tuple[str, str, str], ...]:
    """Short tiles first, which have something to publish early, and last, when there are no others to run beside them."""
    return (
        kernel("Element4 rows[ROWS];", f"const uint SHORT = {SHORT_ROWS};\nuint rowsHere = ROWS;\nElement4 rows[ROWS];"),
        kernel("before * ROWS + row", "before * rowsHere + row"),
        kernel(
            "rows[r] = sourceVectors[myVector(begin, r)];\n    } else {",
            """rows[r] = sourceVectors[myVector(begin, r)];
    } else if (rowsHere == SHORT && push.count - begin >= 4 * SHORT * gl_WorkGroupSize.x && begin < push.count) {
        [[unroll]] for (uint r = 0; r < ROWS; ++r) rows[r] = r < SHORT ? sourceVectors[myVector(begin, r)] : Element4(0);
    } else {""",
        ),
        kernel("rows[r][c] = first + c < push.count ? source[first + c] : 0;", "rows[r][c] = r < rowsHere && first + c < push.count ? source[first + c] : 0;"),
        kernel(
            "targetVectors[myVector(begin, r)] = rows[r] + prefix;\n    } else {",
            """targetVectors[myVector(begin, r)] = rows[r] + prefix;
    } else if (rowsHere == SHORT && push.count - begin >= 4 * SHORT * gl_WorkGroupSize.x && begin < push.count) {
        [[unroll]] for (uint r = 0; r < SHORT; ++r) targetVectors[myVector(begin, r)] = rows[r] + prefix;
    } else {""",
        ),
        kernel("if (first + c < push.count) target", "if (r < rowsHere && first + c < push.count) target"),
        kernel("    Element sum = 0;\n    for (uint k = 0; k < ELEMENTS; ++k) {", "    Element sum = 0;\n    for (uint k = 0; k < (isShort(tile) ? 4 * SHORT : ELEMENTS); ++k) {"),
        kernel("    const uint begin = (tile - push.firstGroup) * TILE;\n    Element sum", "    const uint begin = beginOf(tile);\n    Element sum"),
        kernel(
            "// The sum of a tile of this slice",
            f"""const uint ENDS = {ends};
bool isShort(uint tile) {{ return tile < ENDS || tile >= push.groups - ENDS; }}
uint beginOf(uint tile)
{{
    const uint shortTile = 4 * SHORT * gl_WorkGroupSize.x, after = tile - min(tile, push.groups - ENDS);
    return min(tile, ENDS) * shortTile + (tile - min(tile, ENDS) - after) * TILE + after * shortTile;
}}
// The sum of a tile of this slice""",
        ),
        kernel(
            BEGIN,
            """    const uint begin = beginOf(tile);
    if (isShort(tile)) rowsHere = SHORT;
    const bool full = rowsHere == ROWS && begin < push.count && push.count - begin >= TILE;
    loadRows(begin, full);
""",
        ),
    )


VARIANTS = (
    Variant("the copy kernel", kernel="Copy", shape="320x4", right=False),
    Variant("as it is"),
    Variant("nobody waits", (kernel("if (nearestPrefix < nearestGap) return NONE;", "return NONE;"),), right=None),
    Variant("states 8 bytes apart", states(2)),
    Variant("states 32 bytes apart", states(8)),
    Variant("states 128 bytes apart", states(32)),
    Variant("no ticket: tiles by the group's number", (kernel(TICKET, "tile = workGroupNumber();"),), right=None),
    Variant("a second sum instead of the shuffle", (kernel(SUM_OF_ROW, "left += subgroupAdd(sum);"),)),
    Variant("rows scanned before the sum is published", (kernel(SAY, ""), kernel(SCAN, SCAN + "\n    " + SAY))),
    Variant("264 short tiles at each end", short_ends(264), ends=264),
    Variant("528 short tiles at each end", short_ends(528), ends=528),
    Variant("1056 short tiles at each end", short_ends(1056), ends=1056),
    Variant("512 x 24", shape="512x24"),
    Variant("384 x 36", shape="384x36"),
    Variant("128 x 48", shape="128x48"),
    Variant("waits for nobody, bare, 512 x 24", kernel="Persistent", shape="512x24", groups=RESIDENT, right=None),
    Variant("waits for nobody, bare, 512 x 16", kernel="Persistent", shape="512x16", groups=RESIDENT, right=None),
)


def folder_of(variant: Variant, folder: Path) -> Path:
    """The kernels of the project, with this variant's edits."""
    shutil.copytree(ROOT / "shaders", folder)
    shutil.copy(Path(__file__).with_name("Persistent.comp"), folder)
    for name, old, new in variant.edits:
        path = folder / name
        text = path.read_text()
        if text.count(old) != 1:
            sys.exit(f"lookback.py: {name} does not have this line once, for '{variant.name}': {old}")
        path.write_text(text.replace(old, new))
    return folder


def timed(program: Path, folder: Path, variant: Variant, asked: argparse.Namespace, n: int) -> dict:
    width, elements = (variant.shape or asked.shape).split("x")
    words = [program, folder, variant.kernel, "-n", n, "-w", width, "-e", elements, "-g", variant.groups]
    words += ["-d", asked.device] if asked.device else []
    if variant.ends:
        short = 4 * SHORT_ROWS * int(width)
        words += ["-t", 2 * variant.ends - (2 * variant.ends * short - n) // (int(width) * int(elements))]
    words += ["-r", 2 if asked.check else 20]
    run = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)
    if run.returncode != 0:
        return {"failed": f"has no time: {run.stderr.strip() or run.returncode}"}
    return json.loads(run.stdout)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--program", type=Path, help="default: a2_kernel_time of the build folder")
    parser.add_argument("-n", type=int, default=1 << 27, help="elements; shapes that leave a short last tile are left out")
    parser.add_argument("-d", dest="device")
    parser.add_argument("--shape", default="256x44")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--check", action="store_true")
    asked = parser.parse_args()
    program = asked.program or asked.build / "tests/limits/a2_kernel_time"

    times: dict[str, list[float]] = {variant.name: [] for variant in VARIANTS}
    unexpected, wrong = [], set()
    with contextlib.ExitStack() as stack:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folders = [folder_of(variant, place / str(i)) for i, variant in enumerate(VARIANTS)]
        for _ in range(1 if asked.check else asked.turns):
            for variant, folder in zip(VARIANTS, folders, strict=True):
                width, elements = map(int, (variant.shape or asked.shape).split("x"))
                n = (20 * elements + 8 * SHORT_ROWS * variant.ends) * width if asked.check else asked.n
                if variant.kernel == "Persistent":
                    n -= n % (width * elements)
                one = timed(program, folder, variant, asked, n)
                if "failed" in one:
                    unexpected.append(f"lookback.py: '{variant.name}' {one['failed']}")
                    continue
                times[variant.name].append(one["median"])
                if not one["right"]:
                    wrong.add(variant.name)
                if variant.right is not None and one["right"] != variant.right:
                    unexpected.append(f"lookback.py: '{variant.name}' is {'right' if one['right'] else 'wrong'}")
    if not asked.check and times["as it is"]:
        base = statistics.median(times["as it is"])
        print("| kernel | ms | as it is / this | result |\n|---|---|---|---|")
        for name, all_of_it in times.items():
            if not all_of_it:
                continue
            result = "wrong" if name in wrong else "right"
            print(f"| {name} | {min(all_of_it):.4f} to {max(all_of_it):.4f} | {base / statistics.median(all_of_it):.3f} | {result} |")
    print("\n".join(dict.fromkeys(unexpected)), file=sys.stderr, end="\n" if unexpected else "")
    return 1 if unexpected else 0


if __name__ == "__main__":
    sys.exit(main())
