"""a2's verdict on a mutant: `run` at 5000 elements, and if that passes `check` up to 1025."""

import dataclasses
import json
import os
import signal
import subprocess
import time

RUN = ("-n", "5000", "-r", "1")
CHECK = ("--up-to", "1025")
LONGEST = {"run": 120, "check": 900}  # seconds, on a busy machine
LONGEST_OF_A_ROW = 60  # in addition: an include may be in all of them
# Kernels without a row, and the commands that judge them.
OBSTACLES = (("obstacles", "-n", "1000", "-r", "1"), ("obstacles", "-n", "5000", "-r", "1", "-s", "1"),
             ("obstacles", "-n", "1000", "-r", "1", "--max-distance", "1000000"))  # up to both ends
ROTATE = (("theory", "rotate", "--matrix", "500x300", "--measure", "-r", "1"),
          ("theory", "rotate", "--matrix", "33x70", "--elements", "16", "--measure", "-r", "1"),
          ("theory", "rotate", "--matrix", "64x64", "--measure", "-r", "1"),
          ("theory", "rotate", "--matrix", "65x65", "--measure", "-r", "1"))
LABS = {
    "shaders/A2LabObstacleFlags.comp": OBSTACLES,
    "shaders/A2LabObstacleRuns.comp": OBSTACLES,
    "shaders/A2LabRotate.comp": ROTATE,
}
ROWS_AT_FIRST = 1  # of the many of an include; the others if this one passes


@dataclasses.dataclass
class Judgement:
    outcome: str  # killed, survived, skipped, ended, hung, refused
    by: str = ""  # the rule, or the output
    command: str = ""
    seconds: float = 0.0


def why(report, said):
    """The rule that a row breaks."""
    try:
        tests = json.loads(report.read_text())["tests"]
    except (OSError, ValueError):
        return said[-300:]
    for one in tests:
        if one["status"] in ("passed", "skipped"):
            continue
        rules = [lint["rule"] for lint in one["lint"] if lint.get("severity") == "failure"]
        if rules:
            return rules[0]
        if one["status"] != "failed":
            return one["status"]
        text = "\n".join(one.get("explanation", []))
        return "wrong result" if "expected" in text or "first wrong" in text else text.split("\n")[0][:120]
    return said[-300:]


class A2:
    def __init__(self, program, seed):
        self.program, self.seed = str(program), str(seed)

    def start(self, words, limit, place, environment):
        """Exit status, None if it ran too long, and the output."""
        report = place / "report.json"
        report.unlink(missing_ok=True)
        command = [self.program, *words, "--quiet", "--no-color"]
        if words[0] in LONGEST:
            command += ["-s", self.seed, "--json", str(report)]
        started = subprocess.Popen(command, cwd=place, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                   errors="replace", env=os.environ | environment, start_new_session=True)
        try:
            said, _ = started.communicate(timeout=limit)
            return started.returncode, said, report
        except subprocess.TimeoutExpired:
            os.killpg(started.pid, signal.SIGKILL)
            said, _ = started.communicate()
            return None, said, report

    def judge(self, rows, options, place, environment=None, commands=()):
        began = time.monotonic()
        first, others = rows[:ROWS_AT_FIRST], rows[ROWS_AT_FIRST:]
        steps = [("run", *first, *RUN), ("run", *others, *RUN) if others else (), ("check", *rows, *CHECK)]
        found = Judgement("survived")
        for words in [step for step in steps if step and rows] + list(commands):
            word = words[0]
            limit = LONGEST.get(word, 120) + LONGEST_OF_A_ROW * len(rows)
            status, said, report = self.start([*words, *options], limit, place, environment or {})
            if status == 0:
                continue
            # 3: a lab's kernel that needs more than the device has, or a row without a verdict, which is no pass: a
            # loop that Mesa's CPU driver ends.
            outcome = {1: "killed", 2: "refused", 3: "skipped" if rows else "killed", None: "hung"}.get(status, "ended")
            by = why(report, said) if outcome == "killed" and status == 1 else f"status {status}: {said[-600:]}"
            found = Judgement(outcome, by, word)
            break
        found.seconds = round(time.monotonic() - began, 2)
        return found
