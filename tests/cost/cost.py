#!/usr/bin/env python3
"""What commands cost, and how that grows: docs/cost.md is made from its table and figure.

usage: cost.py OUT [--build FOLDER] [--only NAME]... [--brief]

Each command runs with several amounts of work, from little to a thousand times that; the fastest of up to three runs
counts. OUT/cost.json has all measurements, OUT/cost.md the table, OUT/cost.svg the figure. With --only, the other
entries of OUT/cost.json are kept. Exit status: 1 if something grows faster than it should.
"""

import argparse
import contextlib
import dataclasses
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
for folder in ("tests/report", "tools/course", "tools/report"):  # the last one comes first
    sys.path.insert(0, str(ROOT / folder))

try:
    from style import light, plt, series  # noqa: E402
except ImportError as error:
    print(f"cost.py: {error}: tools/run report installs what draws the figure")
    sys.exit(77)

import made  # noqa: E402  reports that are made up
from figures import legend_below  # noqa: E402
from house import House  # noqa: E402  how solutions are compiled and linked

LONG = 5.0  # seconds: longer commands are run once
RUNS = 3
SLACK = 1.15  # times the theoretical slope; two points on a noisy machine give no better estimate
INTERLEAVED = "src/A2Task1Solution/Interleaved.cpp"
LOOP = "        for (std::uint64_t stride = 1;"
MORE = """        for (int i = 0; i < {count}; ++i) {{
            const InterleavedPush push{{static_cast<uint>(count), 1, {invocations}}};
            cb.pushConstants<InterleavedPush>(kernel.layout(), vk::ShaderStageFlagBits::eCompute, 0, push);
            cb.dispatch(1, 1, 1);{barrier}
        }}
"""
BARRIER = """
            cb.pipelineBarrier(
                vk::PipelineStageFlagBits::eComputeShader, vk::PipelineStageFlagBits::eComputeShader, {}, {},
                vk::BufferMemoryBarrier(vk::AccessFlagBits::eShaderWrite,
                                        vk::AccessFlagBits::eShaderRead | vk::AccessFlagBits::eShaderWrite,
                                        VK_QUEUE_FAMILY_IGNORED, VK_QUEUE_FAMILY_IGNORED, input.handle(), 0, VK_WHOLE_SIZE),
                {});"""


@dataclasses.dataclass
class Curve:
    """of: what grows. slope: the theoretical maximum of log time against log x, at large x. words: the command for x;
    it may write into the folder that it gets."""

    name: str
    title: str
    of: str
    xs: tuple
    slope: float
    words: Callable[[int, Path], list]
    ends: tuple = (0,)


@dataclasses.dataclass
class Point:
    x: int
    seconds: float
    peak: int  # bytes, of the largest process


def run_once(words, statuses):
    """(seconds, bytes) of a command, including all processes that it started and waited for."""
    begun = time.monotonic()
    process = subprocess.Popen([str(word) for word in words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    said = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.monotonic() - begun
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in statuses:
        sys.exit(f"cost.py: {' '.join(map(str, words))}: status {process.returncode}: {said.decode()[-500:]}")
    return seconds, usage.ru_maxrss * 1024


def measured(curve, x, folder):
    words, found = curve.words(x, folder), []
    while len(found) < RUNS and sum(seconds for seconds, _ in found) < LONG:
        found.append(run_once(words, curve.ends))
    return Point(x, min(seconds for seconds, _ in found), max(peak for _, peak in found))


def growth(points):
    """The slope between the last two points, without the first one's cost, or None if starting takes most of the
    time."""
    if len(points) < 3:
        return None
    first, before, last = points[0].seconds, points[-2].seconds, points[-1].seconds
    if last < 1.5 * first or not first < before < last:
        return None
    return math.log((last - first) / (before - first)) / math.log(points[-1].x / points[-2].x)


class Curves:
    def __init__(self, house):
        self.a2, self.house = house.a2, house

    def a2_with(self, command, task, *options):
        return lambda x, folder: [self.a2, command, task, *(str(one).format(x=x, folder=folder) for one in options), "-s", 1,
                                  "--quiet"]

    def library(self, count, invocations, barrier, folder):
        """The project's own reduce/interleaved with this many more dispatches, in which this many invocations do
        something."""
        text = (ROOT / INTERLEAVED).read_text(encoding="utf-8")
        assert text.count(LOOP) == 1
        source, target = folder / "Interleaved.cpp", folder / f"more{count}.so"
        more = MORE.format(count=count, invocations=invocations, barrier=barrier)
        source.write_text(text.replace(LOOP, more + LOOP), encoding="utf-8")
        objects = [str(folder / "Interleaved.o")]
        subprocess.run([*self.house.compiler, "-I", ROOT / "src/A2Task1Solution", "-o", *objects, "-c", source], check=True)
        before, after = self.house.linker
        subprocess.run([*before, "-o", str(target), *objects, *after], check=True)
        return target

    def dispatches(self, invocations, barrier=""):
        return lambda x, folder: [self.a2, "run", "reduce/interleaved", "-n", 1000, "-r", 1, "-s", 1, "--quiet", "--solutions",
                                  self.library(x, invocations, barrier, folder)]

    def from_file(self, x, folder):
        numbers = folder / f"numbers{x}"
        with open(numbers, "w", encoding="ascii") as file:
            file.writelines(f"{i % 1000}\n" for i in range(x))
        return [self.a2, "run", "reduce/decomposition", "-p", f"file:{numbers}", "-r", 1, "--quiet"]

    def report(self, x, folder):
        entries = folder / f"entries{x}.json"
        sizes = [1024 + 3 * i for i in range(max(1, x // len(made.TASKS)))]
        entries.write_text(json.dumps(made.report(made.lengths(sizes=sizes))), encoding="utf-8")
        return [self.a2, "report", "--from", entries, "-o", folder / f"report{x}"]

    def all(self):
        return [
            Curve("run", "`run reduce/sequential -n N`", "elements", (1 << 12, 1 << 17, 1 << 20, 1 << 22, 1 << 24), 1,
                  self.a2_with("run", "reduce/sequential", "-n", "{x}", "-r", 3)),
            Curve("run-scan", "`run scan/work-efficient -n N`", "elements", (1 << 12, 1 << 17, 1 << 20, 1 << 22, 1 << 24), 1,
                  self.a2_with("run", "scan/work-efficient", "-n", "{x}", "-r", 3)),
            Curve("check", "`check scan/work-efficient --up-to N`", "elements",
                  (1 << 10, 1 << 14, 1 << 16, 1 << 18, 1 << 20), 1,
                  self.a2_with("check", "scan/work-efficient", "--course", "--up-to", "{x}")),
            Curve("emulator", "`run scan/work-efficient -d emulator -n N`", "elements",
                  (1 << 7, 1 << 10, 1 << 13, 1 << 15, 1 << 17), 1,
                  self.a2_with("run", "scan/work-efficient", "-d", "emulator", "-n", "{x}")),
            Curve("dispatches", "`run` of N dispatches that share nothing", "dispatches", (5, 50, 500, 2000, 5000), 1, self.dispatches(0)),
            Curve("barriers", "`run` of N dispatches, a buffer's barrier after each", "dispatches", (5, 50, 500, 2000, 5000), 1,
                  self.dispatches(0, BARRIER)),
            Curve("findings", "`run` of N dispatches that lack barriers", "findings", (5, 50, 500, 2000, 5000), 1,
                  self.dispatches(1), (1,)),
            Curve("file", "`run reduce/decomposition -p file:FILE` of N numbers", "numbers",
                  (10_000, 100_000, 1_000_000, 10_000_000), 1, self.from_file),
            Curve("steps", "`steps scan/work-efficient -n N --html FILE`", "elements", (4, 16, 64, 128, 256), 1,
                  self.a2_with("steps", "scan/work-efficient", "-n", "{x}", "-w", 16, "--elements", 2, "--html",
                               "{folder}/{x}.html")),
            Curve("report", "`report FILE` of N entries", "entries", (10, 100, 1000, 5000, 10_000), 1, self.report),
        ]


def text_of(x):
    """"2^17" and "5000"."""
    return f"2^{x.bit_length() - 1}" if x > 512 and x & (x - 1) == 0 else f"{x:,}"


def seconds_text(seconds):
    return f"{seconds:.2f} s" if seconds < 10 else f"{seconds:.1f} s"


def table(curves, found):
    lines = ["| what | N | least | most | memory at most | slope | theory |", "|---|---|---:|---:|---:|---:|---:|"]
    for curve in curves:
        points = found[curve.name]
        slope = growth(points)
        lines.append(f"| {curve.title} | {text_of(points[0].x)} to {text_of(points[-1].x)} {curve.of} | "
                     f"{seconds_text(points[0].seconds)} | {seconds_text(points[-1].seconds)} | "
                     f"{points[-1].peak / 2**20:,.0f} MiB | {'the start' if slope is None else f'{slope:.2f}'} | "
                     f"{curve.slope} |")
    return "\n".join(lines) + "\n"


def draw(curves, found, path):
    drawn, axes = plt.subplots(figsize=(7.2, 6), layout="constrained")
    for index, curve in enumerate(curves):
        points = found[curve.name]
        axes.plot([point.x for point in points], [point.seconds for point in points], label=curve.title.replace("`", ""),
                  **series(index))
    axes.set_xscale("log")
    axes.set_yscale("log")
    low, high = axes.get_ylim()
    for decade in range(math.floor(math.log10(low)) - 8, math.ceil(math.log10(high)) + 1):
        axes.plot([1, 1e9], [10.0**decade, 10.0**(decade + 9)], color=light("grid"), linewidth=0.8, zorder=0)
    axes.set_ylim(low, high)
    axes.set_xlim(min(points[0].x for points in found.values()) / 1.5, max(points[-1].x for points in found.values()) * 1.5)
    axes.set_xlabel("N")
    axes.set_ylabel("seconds")
    axes.set_title("What commands cost. Along a grey line the time doubles with N")
    legend_below(drawn, *axes.get_legend_handles_labels())
    drawn.savefig(path, format="svg", metadata={"Date": None, "Creator": None})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--only", action="append", default=[], metavar="NAME")
    parser.add_argument("--brief", action="store_true", help="the first two points of each, to see that all of it works")
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    house = House(asked.build)
    curves = Curves(house).all()
    for name in asked.only:
        if name not in [curve.name for curve in curves]:
            sys.exit(f"cost.py: --only {name}: there are {', '.join(curve.name for curve in curves)}")
    kept, found = asked.out / "cost.json", {}
    if asked.only and kept.exists():
        found = {name: [Point(**point) for point in points] for name, points in json.loads(kept.read_text()).items()}
    with tempfile.TemporaryDirectory() as temporary:
        house.prepare(Path(temporary) / "compiler")
        for curve in curves:
            if asked.only and curve.name not in asked.only:
                continue
            folder = Path(temporary) / curve.name
            folder.mkdir()
            found[curve.name] = []
            for x in curve.xs[:2] if asked.brief else curve.xs:
                found[curve.name].append(measured(curve, x, folder))
                print(curve.name, *dataclasses.astuple(found[curve.name][-1]), flush=True)
    curves = [curve for curve in curves if curve.name in found]
    document = {curve.name: [dataclasses.asdict(point) for point in found[curve.name]] for curve in curves}
    kept.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    (asked.out / "cost.md").write_text(table(curves, found), encoding="utf-8")
    draw(curves, found, asked.out / "cost.svg")
    steep = [curve.name for curve in curves
             if (slope := growth(found[curve.name])) is not None and slope > curve.slope * SLACK]
    for name in steep:
        print(f"steeper than it must be: {name}")
    sys.exit(1 if steep else 0)


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        main()
