"""The checks that tools/handout makes before a hand-out appears."""

import json
import os
import re
import shutil
import signal
import subprocess

import markers

SHORTEST = 12  # characters of a line that can give something away
# Lines that reveal nothing: a variable that starts from a number, a loop over a container, the pipeline barrier of the
# assignment's text, what shaders/include/A2LoadTile.glsl shows of tiles, and the end of a function.
COMMON = re.compile("|".join((
    r"([\w:]+ )?\w+ = \d+;",
    r"for \(std::size_t i = 0; i < \w+\.size\(\); \+\+i\) \{",
    r"(cb\.pipelineBarrier\()?(vk::PipelineStageFlagBits::eComputeShader, ){0,2}(\{\},)?",
    r"vk::MemoryBarrier\(vk::AccessFlagBits::eShaderWrite,",
    r"vk::AccessFlagBits::eShaderRead \| vk::AccessFlagBits::eShaderWrite\),",
    r"const uint tile = gl_WorkGroupSize\.x \* ELEMENTS;",
    r"const uint begin = workGroupNumber\(\) \* tile;",
    r"return \w+;",
    r"const uint mine = begin \+ gl_LocalInvocationID\.x;")))


class GivenAway(Exception):
    """The hand-out contains something that it must not contain."""


class NotProved(Exception):
    """It does not build, or is not judged as it should be; or that cannot be tested here."""


def plain(line):
    """Without white space at its ends, and with single blanks."""
    return " ".join(line.split())


def secrets_of(what):
    """The revealing lines of the solutions, without comments, and their files."""
    found = {}
    for name, original in what.solutions.items():
        for line in markers.solution_lines(original, name):
            code = plain(re.sub(r"//.*", "", line))
            if len(code) >= SHORTEST and not COMMON.fullmatch(code):
                found[code] = name
    return found


def compare(what, tree):
    """Checks that no line of a solution is in any file, and that the solutions fit their stubs. Raises GivenAway and
    MarkerError."""
    for name, original in what.solutions.items():
        if markers.with_solutions(markers.read(tree / name), original, name) != original:
            raise GivenAway(f"{name}: with its solutions it is not as it was")
    secrets = secrets_of(what)
    for path in sorted(one for one in tree.rglob("*") if one.is_file()):
        lines = [plain(line) for line in markers.lines_of(markers.read(path))]
        text = "\n".join(lines)
        for secret in secrets:
            if secret in text:
                number = next(i for i, line in enumerate(lines, 1) if secret in line)
                raise GivenAway(f"{path.relative_to(tree).as_posix()}:{number} gives away '{secret}', a line of the "
                                f"solution in {secrets[secret]}")


def jobs():
    """As in tools/run: the largest sources need 0.8 GB to compile."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            free = re.search(r"^MemAvailable:\s*(\d+)", file.read(), re.MULTILINE)
        return max(1, min(cores, int(free[1]) // 1_000_000))
    except (OSError, TypeError):
        return cores


def run(command):
    """The result of a program. It and everything it has started end with this program."""
    try:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   errors="replace", start_new_session=True, env={**os.environ, "LC_ALL": "C"})
    except FileNotFoundError as error:
        raise NotProved(f"{error.filename} is missing: `tools/run list` installs what a build needs; "
                        "--no-proof builds nothing") from error
    try:
        said, complained = process.communicate()
    except BaseException:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise
    return subprocess.CompletedProcess(command, process.returncode, said, complained)


def first_line(pattern, text):
    """The first line with the pattern, or the last one."""
    lines = [line.strip() for line in text.splitlines() if line.strip()] or ["nothing was said"]
    return next((line for line in lines if re.search(pattern, line)), lines[-1])


def build(tree, folder, say):
    """Builds from scratch, without optimisation, which is quicker."""
    say("building the hand-out, as its own folder (two minutes)")
    configured = run(["cmake", "-S", tree, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug",
                      "-DCMAKE_CXX_FLAGS_DEBUG=-O0", "-DA2_WERROR=ON"])
    if configured.returncode:
        raise NotProved(f"the hand-out cannot be configured: {first_line('Error', configured.stderr)}")
    built = run(["cmake", "--build", folder, "--target", "a2", "--parallel", str(jobs())])
    said = built.stdout + built.stderr
    if built.returncode:
        raise NotProved(f"the hand-out does not build: {first_line('error', said)}")
    if re.search(r"\bwarning\b|does not compile|does not link", said):
        raise NotProved(f"the hand-out builds with warnings: {first_line('warning|does not', said)}")


def judge(what, folder):
    """Checks that every task is there and not written yet, with any driver; and that course.ini is used."""
    report = folder / "handout.json"
    judged = run([folder / "a2", "-d", "emulator", "--quiet", "--json", report])
    if judged.returncode != 1 or not report.is_file():
        raise NotProved(f"a2 ended with {judged.returncode} instead of 1: {first_line('error', judged.stderr)}")
    found = {test["id"]: test["status"] for test in json.loads(report.read_text(encoding="utf-8"))["tests"]}
    if found != {row.id: "not-written" for row in what.rows}:
        raise NotProved(f"a2 should find {', '.join(row.id for row in what.rows)} not written yet, and says {found}")
    odd = run([folder / "a2", "-d", "emulator", "-n", "1000"])
    if odd.returncode != 2 or "--no-course" not in odd.stderr:
        raise NotProved("course.ini does not make --course the default")


def build_and_judge(what, tree, folder, say):
    """Raises NotProved. Leaves nothing in the tree."""
    build(tree, folder, say)
    judge(what, folder)
    shutil.rmtree(folder)
