"""Slurm's commands: query a cluster, and submit, check and cancel jobs."""

import os
import shutil
import subprocess

from house import HouseError

ENDED = {"BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "NODE_FAIL", "OUT_OF_MEMORY", "REVOKED",
         "TIMEOUT"}
# Reasons for waiting on a cluster without problems.
ORDINARY = {"BeginTime", "Cleaning", "Dependency", "JobArrayTaskLimit", "None", "Priority", "Resources"}


class Task:
    """One job, or one of an array. index: in the array; None for a single job."""

    def __init__(self, line):
        job, index, self.name, self.state, reason = line.split("|", 4)
        self.job, self.index = int(job), int(index) if index.isdigit() else None
        # The job that it waits for has failed: some releases keep it waiting.
        self.ended = self.state in ENDED or reason == "DependencyNeverSatisfied"
        self.kept_by = reason if self.state == "PENDING" and not self.ended and reason not in ORDINARY else None


def call(words, said=""):
    return subprocess.run(words, input=said, capture_output=True, text=True)


def in_one_line(ended, program):
    """A program's message, without its name in front of each line."""
    lines = [line.removeprefix(f"{program}: ").removeprefix("error: ") for line in ended.stderr.strip().splitlines()]
    return "; ".join(lines) or f"it ends with status {ended.returncode}"


def require():
    if not shutil.which("sbatch"):
        raise HouseError("there is no sbatch here: call --slurm on a machine that submits jobs, or leave it out")


def has_gpus(partition):
    """Whether nodes of this partition, or of sbatch's default, have the generic resource gpu; None if there is no such
    partition."""
    partition = partition or os.environ.get("SBATCH_PARTITION")
    ended = call(["sinfo", "--noheader", "--format=%P|%G", *([f"--partition={partition}"] if partition else [])])
    if ended.returncode != 0:
        raise HouseError(f"sinfo: {in_one_line(ended, 'sinfo')}")
    rows = [line.split("|", 1) for line in ended.stdout.splitlines() if "|" in line]
    resources = [resources for name, resources in rows if partition or name.endswith("*")]
    return any(one.split(":")[0] == "gpu" for some in resources for one in some.split(",")) if resources else None


def submit(options, script):
    """The number of the job."""
    ended = call(["sbatch", "--parsable", *options], script)
    if ended.returncode != 0:
        raise HouseError(f"sbatch: {in_one_line(ended, 'sbatch')}")
    return int(ended.stdout.split(";")[0])


def tasks(names):
    """This user's jobs with these names that Slurm still knows; None if it does not answer now."""
    ended = call(["squeue", "--noheader", "--array", f"--user={os.getuid()}", f"--name={','.join(names)}",
                  "--states=all", "--format=%F|%K|%j|%T|%r"])
    if ended.returncode != 0:
        return None
    return [Task(line) for line in ended.stdout.splitlines() if line.count("|") >= 4]


def cancel(jobs):
    if jobs:
        call(["scancel", *map(str, sorted(jobs))])


def array_of(numbers):
    """"0-3,7" """
    parts = []
    for number in sorted(numbers):
        if parts and parts[-1][1] == number - 1:
            parts[-1][1] = number
        else:
            parts.append([number, number])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in parts)
