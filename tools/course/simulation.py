"""tools/grade --simulate: how long a class of any size takes on a cluster, estimated from the seconds of this class's
submissions. It schedules as cluster.py submits: a job that tries the reference, an array that records, and one that
judges each submission as soon as it is recorded, in the order of the array. It does not use Slurm."""

import heapq
import itertools
import math

import jsontext
from outputs import SECONDS
from people import PeopleError

DEVICES = (1, 2, 4)
SECONDS_START = 0.5  # between the end of one of Slurm's tasks and the start of the next: docs/cluster.md
BUSY = 0.9  # as a fraction of the time: above this, the devices are the limit
FASTER = 0.98  # times the duration with half as many: a smaller gain is left out


def schedule(submissions, recorders, devices, start=SECONDS_START):
    """(seconds until the last is judged, seconds of work on all devices together). submissions: [(seconds to record,
    seconds to judge)] in the order of the array."""
    record, judge = means(submissions)
    reference = 2 * start + record + judge  # tried before all others, and once on each node
    slots, recorded = [reference + record] * recorders, []
    for place, (seconds, _) in enumerate(submissions):
        end = heapq.heappop(slots) + start + seconds
        heapq.heappush(slots, end)
        recorded.append((end, place))
    recorded.sort()
    free, waiting, at = [reference + judge] * devices, [], 0
    now = last = 0.0  # a device that was free earlier may take a waiting one, but not in the past
    for _ in submissions:
        now = max(now, heapq.heappop(free))
        while at < len(recorded) and (recorded[at][0] <= now or not waiting):
            now = max(now, recorded[at][0])
            heapq.heappush(waiting, recorded[at][1])
            at += 1
        end = now + start + submissions[heapq.heappop(waiting)][1]
        heapq.heappush(free, end)
        last = max(last, end)
    return last, sum(start + seconds for _, seconds in submissions)


def means(submissions):
    return tuple(sum(column) / len(submissions) for column in zip(*submissions))


def measured(folder):
    """[(seconds to record, seconds to judge)] of the graded submissions. Raises PeopleError if there are none."""
    found = []
    for path in sorted(folder.glob(f"*/{SECONDS}")):
        try:
            taken = jsontext.parsed(path.read_text(encoding="utf-8"))
            seconds = float(taken["record"]), float(taken["judge"])
            if not all(0 <= one < math.inf for one in seconds):
                raise ValueError(f"{seconds[0]} and {seconds[1]} are no seconds")
            found.append(seconds)
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise PeopleError(f"{path}: {type(error).__name__}: {error}; delete it, or grade this submission again") from None
    if not found:
        raise PeopleError(f"{folder}: no submission here has a {SECONDS}: those that cannot be graded have none, nor those "
                          "that an older tools/grade has graded")
    return found


def clock(seconds):
    """Hours and minutes, rounded up, because a class does not finish earlier."""
    minutes = math.ceil(seconds / 60)
    return f"{minutes // 60}:{minutes % 60:02}"


def simulate(folder, count):
    """Lines of a table: how long `count` submissions like those in the folder of grades take, by the size of the
    cluster."""
    found = measured(folder)
    submissions = list(itertools.islice(itertools.cycle(found), count))
    record, judge = means(found)
    lines = [f"{count:,} submissions like these {len(found):,}: {record:.1f} s to record, {judge:.1f} s to judge each",
             f"(and {SECONDS_START:g} s to begin a task)", "", "recording    devices    hours   devices busy"]
    for devices in DEVICES:
        recorders, before = 1, math.inf
        while (taken := schedule(submissions, recorders, devices))[0] < FASTER * before:
            before, work = taken
            busy = work / devices / before
            limit = "   the devices are the limit" if busy >= BUSY else ""
            lines.append(f"{recorders:9} {devices:10} {clock(before):>8} {busy:14.0%}{limit}")
            recorders *= 2
    feed = math.ceil((record + SECONDS_START) / (judge + SECONDS_START))
    an_hour = 3600 / (judge + SECONDS_START)
    return [*lines, "", f"A device judges {an_hour:,.0f} submissions an hour; recording {feed} at a time feeds it."]
