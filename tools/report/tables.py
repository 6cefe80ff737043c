"""The numbers of the report: rows of cells, each with its value and its place in the JSON."""

import math

# Halves of a scan: their time is not that of a scan, so no speed-up is shown.
PARTS = {"scan/local", "scan/offset"}
GROUPS = (("reduce", "sum"), ("scan", "scan"))


def text_of(value):
    """A number as the report shows it: four significant digits, and whole numbers whole."""
    if isinstance(value, int):
        return str(value)
    if value == 0:
        return "0"
    digits = max(0, 3 - math.floor(math.log10(abs(value))))
    return f"{value:.{digits}f}"


def length_text(n):
    """2^20, 2^20-3, 1000000"""
    exponent = round(math.log2(n)) if n > 0 else 0
    away = n - 2**exponent
    if n < 1024 or abs(away) > 9:
        return str(n)
    return f"2^{exponent}" + (f"{away:+d}" if away else "")


class Cell:
    """A number, or a text if value is None. source: its place in the JSON; empty for derived values."""

    def __init__(self, value=None, source="", text=None):
        self.value, self.source = value, source
        self.text = text if text is not None else text_of(value)


NONE = Cell(text="–")


class Table:
    def __init__(self, caption, columns, rows, notes=()):
        self.caption, self.rows, self.notes = caption, rows, list(notes)
        # (heading, whether the column has numbers)
        self.columns = [(name, any(row[index].value is not None for row in rows)) for index, name in enumerate(columns)]


def names(side):
    """Task id -> the method's name: reduce/atomic -> Atomic."""
    return {task: task.split("/")[1].capitalize() for task in tasks_of(side)}


def tasks_of(side):
    """In the order of the file with the most of them, which is that of a2 list."""
    ordered = {}
    files = sorted((content["tests"] for _, content in side.files), key=len, reverse=True)
    tests = [test["id"] for file in files for test in file if test["id"] in side.tests]
    for task in [*tests, *(one.task for one in side.benchmarks + side.shared), *(one["id"] for one in side.theory), *side.runs]:
        if task != "rotate":
            ordered[task] = None
    return list(ordered)


def group_tasks(side, group):
    return [task for task in tasks_of(side) if task.startswith(group + "/")]


def usual(side, task, n):
    """The benchmark of a task at a length, in the task's own shape: from a file that tried no others, else the fastest.
    Single runs are preferred to batches, and chains to runs in flight."""
    found = side.by_length.get((task, n))
    if not found:
        return None
    plainest = min((one["in_flight"], one["batch"]) for one in found)
    found = [one for one in found if (one["in_flight"], one["batch"]) == plainest]
    shapes = {}
    for one in found:
        shapes.setdefault(one.file, set()).add(one.shape)
    alone = [one for one in found if len(shapes[one.file]) == 1]
    return min(alone or found, key=lambda one: one["median_ms"])


def lengths_of(side, task):
    return sorted({one["n"] for one in side.benchmarks if one.task == task})


def table_length(side, tasks):
    """The longest array with which most of the tasks were timed; None for none."""
    counts = {}
    for task in tasks:
        for n in lengths_of(side, task):
            counts[n] = counts.get(n, 0) + 1
    return max(counts, key=lambda n: (counts[n], n), default=None)


def method_rows(side, group):
    """(length, [benchmark or None per task], tasks) of a group's table of methods."""
    tasks = group_tasks(side, group)
    n = table_length(side, tasks)
    return n, tasks, [usual(side, task, n) for task in tasks] if n else []


def raw(benchmark, key, factor=1):
    """A value of the JSON; a factor changes only the unit in which it is shown."""
    value = benchmark[key]
    return NONE if value is None else Cell(value * factor, benchmark.source(key))


METHOD_COLUMNS = ["method", "work-group × elements", "time, ms", "GE/s", "GB/s", "step speed-up", "total speed-up",
                  "% of copy", "CPU 1 core, ms", "CPU all cores, ms", "spread (cv), %", "min, ms", "max, ms"]


def methods(side, group, what):
    n, tasks, found = method_rows(side, group)
    if not n:
        return None
    rows, first, before = [], None, None
    called = names(side)
    for task, one in zip(tasks, found):
        if not one:
            status = side.tests.get(task, ("", "not timed"))[1]
            rows.append([Cell(text=called[task]), Cell(text="not timed" if status == "passed" else status)] +
                        [NONE] * (len(METHOD_COLUMNS) - 2))
            continue
        whole = task not in PARTS
        step = Cell(before["median_ms"] / one["median_ms"]) if whole and before else NONE
        total = Cell(first["median_ms"] / one["median_ms"]) if whole and first else NONE
        if whole:
            before, first = one, first or one
        rows.append([Cell(text=called[task]), Cell(text=f"{one['workgroup']} × {one['elements']}"),
                     raw(one, "median_ms"), raw(one, "items_per_second", 1e-9), raw(one, "bytes_per_second", 1e-9),
                     step, total, raw(one, "peak_fraction", 100) if one["peak_fraction"] is not None else NONE,
                     raw(one, "cpu_ms"), raw(one, "cpu_all_ms"), raw(one, "cv", 100), raw(one, "min_ms"),
                     raw(one, "max_ms")])
    timed = next(one for one in found if one)
    notes = ["time: the median of the repetitions, of the recorded work alone. GB/s: the fewest bytes that any "
             f"algorithm for a {what} moves, per time; % of copy: that, of what the copy kernel reaches."]
    if PARTS & set(tasks):
        notes.append("Local and Offset are halves of a scan, and have no speed-up.")
    if timed["batch"] > 1:
        notes.append(f"Times are of one of {timed['batch']} runs in a batch, {timed['in_flight']} in flight.")
    return Table(f"Methods of the {what} side by side, n = {length_text(n)}", METHOD_COLUMNS, rows, notes)


def scaling(side):
    """For arrays that ranks of MPI shared: more ranks compared with fewer."""
    if not side.shared:
        return None
    columns = ["task", "ranks", "n", "time, ms", "exchange, ms", "GE/s", "speed-up", "efficiency"]
    rows = [[Cell(text=one.task), raw(one, "ranks"), Cell(one["n"], one.source("n"), length_text(one["n"])),
             raw(one, "median_ms"), raw(one, "exchange_ms"), raw(one, "items_per_second", 1e-9), raw(one, "speed_up"),
             raw(one, "efficiency")] for one in side.shared]
    return Table("Arrays shared by several ranks", columns, rows,
                 ["time: in each repetition the longest kernel time, the longest exchange of sums and the longest last "
                  "step together; the median. Speed-up: throughput as a multiple of that with the fewest ranks; "
                  "efficiency: that, as a fraction of as many times the ranks."])


PHASES = (("allocate_ms", "allocate"), ("upload_ms", "upload"), ("prepare_ms", "prepare"), ("launch_ms", "launch"),
          ("download_ms", "download"))


def whole(side, group, what):
    n, tasks, found = method_rows(side, group)
    rows = []
    called = names(side)
    for task, one in zip(tasks, found):
        if one:
            rows.append([Cell(text=called[task]), raw(one, "median_ms"), raw(one, "whole_ms"),
                         Cell(100 * one["median_ms"] / one["whole_ms"]) if one["whole_ms"] else NONE] +
                        [raw(one, key) for key, _ in PHASES])
    if not rows:
        return None
    return Table(f"The {what}: kernel against end to end, n = {length_text(n)}",
                 ["method", "kernel, ms", "end to end, ms", "kernel's share, %"] +
                 [f"{name}, ms" for _, name in PHASES], rows,
                 ["End to end: from the input in main memory to the result there. The last five add up to it; launch "
                  "is submit and wait on the host's clock, and has the kernel in it."])


def work_groups(side, group):
    """n and, for each task timed with more than one work-group size at it, its benchmarks by size."""
    by = {}
    for one in side.benchmarks:
        if one.task.startswith(group + "/"):
            sizes = by.setdefault(one["n"], {}).setdefault(one.task, {})
            known = sizes.get(one["workgroup"])
            if not known or one["median_ms"] < known["median_ms"]:
                sizes[one["workgroup"]] = one
    best = None
    for n, tasks in by.items():
        swept = {task: sizes for task, sizes in tasks.items() if len(sizes) > 1}
        if swept and (not best or (len(swept), n) > (len(best[1]), best[0])):
            best = n, swept
    return best


def work_group_table(side, group, what):
    found = work_groups(side, group)
    if not found:
        return None
    n, tasks = found
    sizes = sorted({size for sizes in tasks.values() for size in sizes})
    rows = []
    called = names(side)
    for task, by in tasks.items():
        best = max(by.values(), key=lambda one: one["items_per_second"])
        rows.append([Cell(text=called[task])] +
                    [raw(by[size], "items_per_second", 1e-9) if size in by else NONE for size in sizes] +
                    [Cell(best["workgroup"], best.source("workgroup")), raw(best, "cv", 100)])
    return Table(f"The {what}: GE/s by work-group size, n = {length_text(n)}",
                 ["method", *map(str, sizes), "best size", "its cv, %"], rows)


def length_table(side, group, what):
    tasks = group_tasks(side, group)
    lengths = sorted({n for task in tasks for n in lengths_of(side, task)})
    if len(lengths) < 2:
        return None
    called = names(side)
    rows = []
    for n in lengths:
        found = [usual(side, task, n) for task in tasks]
        if sum(one is not None for one in found) < len(tasks) / 2:
            continue
        cpu = reference(side, tasks, n)
        rows.append([Cell(text=length_text(n))] + [raw(one, "median_ms") if one else NONE for one in found] +
                    ([raw(cpu, "cpu_ms"), raw(cpu, "cpu_all_ms")] if cpu else [NONE, NONE]))
    return Table(f"The {what}: time in ms over the length of the array",
                 ["n", *(called[task] for task in tasks), "CPU 1 core", "CPU all cores"], rows)


def reference(side, tasks, n):
    """A benchmark with the CPU's times for the whole result."""
    for task in sorted(tasks, key=lambda task: task in PARTS):
        one = usual(side, task, n)
        if one:
            return one
    return None


def counted(entry, *keys):
    value = entry
    for key in keys:
        value = value[key]
        if value is None:
            return NONE
    return Cell(value, entry.source("/".join(keys)))


def theory(side):
    rows = []
    called = names(side)
    for task in tasks_of(side):
        entry = side.textbook_entry(task)
        if not entry or not entry["dispatches"]:
            continue
        n, counts = entry["n"], entry["counts"]
        growth = entry["growth"] or {}
        rows.append([Cell(text=called[task]), counted(entry, "n"),
                     counted(entry, "counts", "time"), counted(entry, "textbook", "time", "value"),
                     counted(entry, "counts", "processors"), counted(entry, "counts", "work"),
                     counted(entry, "counts", "cost"), Cell(counts["work"] / n), Cell(counts["cost"] / n),
                     counted(entry, "counts", "additions"), counted(entry, "textbook", "additions", "value"),
                     counted(entry, "counts", "reads"), counted(entry, "counts", "writes"),
                     optimal(growth.get("work")), optimal(growth.get("cost"))])
    if not rows:
        return None
    return Table("Counted against the textbook", [
        "method", "n", "T(n, p) counted", "T textbook", "p", "W(n)", "C(n, p) = p T", "W / n", "C / n",
        "additions counted", "additions textbook", "words read", "words written", "work-optimal", "cost-optimal"], rows,
        ["T: parallel steps with p processors, the most invocations active at a time; W: active invocations, added up "
         "over the steps; the textbook counts the steps of the tree alone. Sequential: T = W = C = n − 1 additions."])


def optimal(verdict):
    return Cell(text={"bounded": "yes", "grows": "no"}.get(verdict, "not known"))


def traffic(side):
    """A row per dispatch that moves data; of many similar ones, the first and the last three."""
    rows, left_out = [], 0
    called = names(side)
    for task in tasks_of(side):
        entry = side.textbook_entry(task)
        dispatches = list(enumerate(entry["dispatches"])) if entry else []
        shown = dispatches if len(dispatches) <= 6 else dispatches[:3] + dispatches[-3:]
        left_out += len(dispatches) - len(shown)
        for index, one in shown:
            at = f"dispatches/{index}/"
            rows.append([Cell(text=called[task]), Cell(text=f"{index} {one['label'] or one['kernel']}")] +
                        [Cell(one[key], entry.source(at + key)) for key in ("requests", "sectors", "transactions")] +
                        [Cell(one["sectors"] / one["requests"]) if one["requests"] else NONE] +
                        [Cell(one[key], entry.source(at + key)) for key in ("branches", "divergent_branches")])
    if not rows:
        return None
    notes = ["A request is one instruction of a subgroup of 32 that reads or writes buffers; a sector has 32 bytes, a "
             "transaction 128. 4 sectors per request is coalesced, 32 is one per invocation."]
    if left_out:
        notes.append(f"{left_out} dispatches in the middle are left out here; the JSON has them.")
    return Table("Memory requests and divergence of each dispatch",
                 ["method", "dispatch", "requests", "sectors", "transactions", "sectors per request", "branches",
                  "divergent"], rows, notes)


def banks(side):
    rows = []
    called = names(side)
    for task in tasks_of(side):
        entry = side.textbook_entry(task)
        for k, kernel in enumerate(entry["bank_conflicts"] if entry else []):
            cells = [Cell(text=called[task]), Cell(text=kernel["kernel"])]
            for title in ("padded", "unpadded"):
                found = [(c, column) for c, column in enumerate(kernel["columns"])
                         if column["banks"] == 32 and column["title"] == title]
                if not found:
                    cells += [NONE] * 3
                    continue
                c, column = found[0]
                at = f"bank_conflicts/{k}/columns/{c}/"
                cells += [Cell(column["requests"], entry.source(at + "requests")),
                          Cell(column["turns"], entry.source(at + "turns")), Cell(max(column["worst"], default=0))]
            rows.append(cells)
    if not rows:
        return None
    return Table("Bank conflicts in shared memory, 32 banks, first work-group", [
        "method", "kernel", "requests, padded", "turns, padded", "worst way, padded", "requests, unpadded",
        "turns, unpadded", "worst way, unpadded"], rows,
        ["As many turns as requests: no conflict. Padded: the kernel as it is, if it pads (CONFLICT_FREE_INDEX)."])


def timeline(side):
    rows = []
    called = names(side)
    for task in tasks_of(side):
        run = side.runs.get(task, {"dispatches": []})
        timed = [one["ms"] for one in run["dispatches"] if one["ms"] is not None]
        if timed:
            rows.append([Cell(text=called[task]), Cell(run["n"]), Cell(text=f"{run['workgroup']} × {run['elements']}"),
                         Cell(len(run["dispatches"])),
                         Cell(sum(bool(one["barrier_before"]) for one in run["dispatches"])), Cell(sum(timed)),
                         Cell(max(timed))])
    if not rows:
        return None
    return Table("Dispatches of one run", ["method", "n", "work-group × elements", "dispatches", "barriers between",
                                           "sum of their times, ms", "longest, ms"], rows,
                 ["Each dispatch was submitted and timed alone, so the sum is more than the run's time."])


def compared(base, other):
    """For each task and length that both have: (task, n, both benchmarks, change, spread). Change and spread are
    fractions of the first one's time; the spread is twice the standard deviation of the difference."""
    found = []
    for group, _ in GROUPS:
        for task in group_tasks(base, group):
            common = [n for n in lengths_of(base, task) if n in lengths_of(other, task)]
            for n in common[-1:]:
                one, two = usual(base, task, n), usual(other, task, n)
                change = two["median_ms"] / one["median_ms"] - 1
                spread = 2 * math.hypot(one["cv"] * one["median_ms"], two["cv"] * two["median_ms"]) / one["median_ms"]
                found.append((task, n, one, two, change, spread))
    return found


def verdict(change, spread):
    if abs(change) <= spread:
        return "within the spread"
    return "slower" if change > 0 else "faster"


def comparison(base, other):
    rows = []
    called = names(base)
    for task, n, one, two, change, spread in compared(base, other):
        rows.append([Cell(text=called[task]), Cell(text=length_text(n)),
                     Cell(text=f"{one['workgroup']} × {one['elements']}"), raw(one, "median_ms"),
                     Cell(text=f"{two['workgroup']} × {two['elements']}"), raw(two, "median_ms"),
                     Cell(100 * change, text=f"{100 * change:+.1f}".replace("-", "−")),
                     Cell(100 * spread, text=f"{100 * spread:.1f}"), Cell(text=verdict(change, spread))])
    if not rows:
        return None
    return Table(f"{other.name} against {base.name}",
                 ["method", "n", "shape before", "before, ms", "shape after", "after, ms", "change of time, %",
                  "spread, ± %", "verdict"], rows,
                 [f"Before: {base.name}. After: {other.name}. The spread is twice the standard deviation of the "
                  "difference, from the cv of both; a change within it may be chance."])
