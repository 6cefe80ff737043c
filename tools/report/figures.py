"""The figures of the report. Each function returns a Figure, or None if the results have no data for it."""

import math
import textwrap

import tables
from spread import interval, leaders, listed, noisy
from style import WIDTH, Figure, light, plt, say, series
from tables import length_text, names, text_of


def start(height, title, **keywords):
    drawn, axes = plt.subplots(figsize=(WIDTH, height), layout="constrained", **keywords)
    drawn.suptitle(textwrap.fill(title, 54, break_on_hyphens=False), x=0.01, ha="left", fontsize=10, fontweight="bold")
    return drawn, axes


def legend_below(drawn, handles, labels):
    """One legend at the figure's foot, in as many columns as fit; the figure is drawn above it."""
    if not handles:
        return
    for columns in (3, 2, 1):
        legend = drawn.legend(handles, labels, loc="lower left", bbox_to_anchor=(0.01, 0), ncol=columns, frameon=False,
                              borderaxespad=0.2, columnspacing=1.4, labelspacing=0.7, handlelength=2.6)
        extent = legend.get_window_extent(drawn.canvas.get_renderer())
        if columns == 1 or extent.width <= 0.98 * drawn.bbox.width:
            break
        legend.remove()
    legend.set_in_layout(False)
    share = (extent.height + 6) / drawn.bbox.height
    drawn.get_layout_engine().set(rect=(0, share, 1, 1 - share))


def label_lines(*all_axes):
    """Names each line at its end, and removes it from the legend."""
    all_axes[0].figure.draw_without_rendering()  # to get their heights
    for axes in all_axes:
        lines = [line for line in axes.lines if not line.get_label().startswith("_") and line.get_linestyle() != "None"]
        height = axes.get_window_extent().height
        texts = [textwrap.fill(line.get_label(), 20, break_on_hyphens=False) for line in lines]
        ends = [line.get_xydata()[-1] for line in lines]
        wanted = [axes.transAxes.inverted().transform(axes.transData.transform(end))[1] for end in ends]
        heights = [(9.5 * text.count("\n") + 11) * axes.figure.dpi / 72 / height for text in texts]
        for line, text, end, want, place in zip(lines, texts, ends, wanted, apart(wanted, heights)):
            leader = {"arrowstyle": "-", "color": line.get_color(), "linewidth": 0.7, "shrinkA": 1, "shrinkB": 4,
                      "relpos": (0, 0.5)}
            axes.annotate(text, end, (1.05, place), textcoords="axes fraction", va="center", color=line.get_color(),
                          fontsize=8, linespacing=1, arrowprops=leader if abs(place - want) > 0.02 else None)
            line.set_label(f"_{text}")


def apart(wanted, heights):
    """Positions near the wanted ones, in their order and from 0 to 1, at which things of these heights do not overlap:
    blocks that touch are centred on the mean of their wanted positions."""

    def block(members):
        """(indices, the middle of the lowest one)"""
        away = steps(members, heights)
        middle = sum(wanted[one] - far for one, far in zip(members, away)) / len(members)
        return members, max(0, min(middle, 1 - away[-1]))

    blocks = []
    for index in sorted(range(len(wanted)), key=lambda one: wanted[one]):
        blocks.append(block([index]))
        while len(blocks) > 1 and blocks[-1][1] < blocks[-2][1] + steps(blocks[-2][0] + blocks[-1][0][:1], heights)[-1]:
            above = blocks.pop()
            blocks[-1] = block(blocks[-1][0] + above[0])
    return [place for _, place in sorted((member, first + far) for members, first in blocks
                                         for member, far in zip(members, steps(members, heights)))]


def steps(members, heights):
    """The distance of each one from the first, when stacked."""
    found = [0]
    for below, above in zip(members, members[1:]):
        found.append(found[-1] + (heights[below] + heights[above]) / 2)
    return found


def at(n):
    return f"n\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}{length_text(n)}"


def length_axis(axes, lengths):
    """Powers of two, from end to end, at most seven of them."""
    axes.set_xscale("log", base=2)
    low, high = math.floor(math.log2(min(lengths))), math.ceil(math.log2(max(lengths)))
    step = max(1, math.ceil((high - low) / 6))
    ticks = [2**exponent for exponent in range(low, high + 1, step)]
    axes.set_xticks(ticks, [f"$2^{{{int(math.log2(tick))}}}$" for tick in ticks])
    axes.minorticks_off()


def log_numbers(axis):
    """A logarithmic axis with plain numbers: at 1, 2 and 5 if it is short, else at powers of ten."""
    low, high = axis.get_view_interval()
    axis.set_major_locator(plt.LogLocator(base=10, subs=(1, 2, 5) if high / low < 300 else (1,), numticks=12))
    axis.set_major_formatter(plt.FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(plt.NullFormatter())


def methods(side, group, what, prefix=""):
    """Throughput of the methods as bars, with that of copying."""
    n, tasks, found = tables.method_rows(side, group)
    timed = [(task, one) for task, one in zip(tasks, found) if one]
    if not timed:
        return None
    called = names(side)
    whole = [one for task, one in timed if task not in tables.PARTS] or [one for _, one in timed]
    title = methods_title(whole, called, what, n)
    limits = {task: side.copy_peak(one)[0] * one["n"] / one["bytes"] for task, one in timed
              if side.copy_peak(one)[0] and one["bytes"]}
    beaten = any(one["items_per_second"] / 1e9 > limits[task] for task, one in timed if task in limits)
    copied = "the copy kernel's rate here, beside caches" if beaten else "limit: the copy kernel's rate"
    drawn, axes = start(0.42 * len(timed) + 1.5, title)
    for row, (task, one) in enumerate(timed):
        throughput = one["items_per_second"] / 1e9
        low = one["n"] / max(one["max_ms"], one["median_ms"]) / 1e6
        high = one["n"] / one["min_ms"] / 1e6 if one["min_ms"] else throughput
        bar, = axes.barh(row, throughput, height=0.6, color=light("c0" if task not in tables.PARTS else "c7"))
        say(bar, f"{called[task]}, {at(n)}: {text_of(throughput)} GE/s, {text_of(low)} to {text_of(high)}")
        axes.errorbar(throughput, row, xerr=[[max(0, throughput - low)], [max(0, high - throughput)]],
                      color=light("ink"), capsize=3, linewidth=1, fmt="none",
                      label="slowest to fastest repetition" if row == 0 else None)
        if task in limits:
            axes.plot([limits[task]], [row], marker="|", markersize=17, markeredgewidth=2.4, color=light("c1"),
                      linestyle="none", label=copied if task == next(iter(limits)) else None)
        axes.annotate(text_of(throughput), (1.01, row), xycoords=("axes fraction", "data"), va="center", fontsize=8)
    axes.set_yticks(range(len(timed)), [called[task] for task, _ in timed])
    axes.invert_yaxis()
    axes.grid(axis="y", visible=False)
    axes.set_xlim(left=0)
    axes.set_xlabel("throughput, GE/s (10⁹ elements per second)")
    legend_below(drawn, *axes.get_legend_handles_labels())
    return Figure(f"{prefix}methods-{group}", title, drawn)


def methods_title(ones, called, what, n):
    """Which one is the fastest, as far as the spread of the times shows it."""
    first = leaders(ones)
    rate = f"{text_of(first[0]['items_per_second'] / 1e9)} GE/s at {at(n)}"
    if noisy(ones):
        return f"Noisy machine: no {what} is faster than another beyond the spread of its times ({at(n)})"
    if len(first) == 1:
        return f"{called[first[0].task]} is the fastest {what}: {rate}"
    if len(first) > 3:
        return f"{len(first)} {what}s share the lead, within the spread of their times: {rate}"
    return f"{listed(called[one.task] for one in first)} share the lead, within the spread of their times: {rate}"


def spread_text(one, value, unit):
    """value: the drawn quantity of a benchmark with this time in ms."""
    low, high = sorted(value(one, ms) for ms in interval(one))
    return f"{text_of(value(one, one['median_ms']))} {unit}, spread {text_of(low)} to {text_of(high)}"


def band(axes, ones, x, value, look):
    """The spread of some times, around their line; value: the drawn quantity of a benchmark with this time in ms."""
    ends = [interval(one) for one in ones]
    axes.fill_between([x(one) for one in ones], [value(one, low) for one, (low, _) in zip(ones, ends)],
                      [value(one, high) for one, (_, high) in zip(ones, ends)], color=look["color"], alpha=0.2, linewidth=0)


def rate_of(one, ms):
    return one["n"] / ms / 1e6


def work_groups(side, group, what, prefix=""):
    found = tables.work_groups(side, group)
    if not found:
        return None
    n, by_task = found
    called = names(side)
    best = max((one for sizes in by_task.values() for one in sizes.values()),
               key=lambda one: (one.task not in tables.PARTS, one["items_per_second"]))
    good = sorted(one["workgroup"] for one in leaders(by_task[best.task].values()))
    sizes = f"{good[0]} are the best" if len(good) == 1 else f"{good[0]} to {good[-1]} are alike within the spread"
    title = f"Work-groups of {sizes} for {called[best.task]}, the fastest {what} here ({at(n)})"
    drawn, axes = start(3.7, title)
    ticks = set()
    for index, (task, sizes) in enumerate(by_task.items()):
        order = sorted(sizes)
        ticks |= set(order)
        values = [sizes[size]["items_per_second"] / 1e9 for size in order]
        line, = axes.plot(order, values, label=called[task], **series(index))
        say(line, *(f"{called[task]}, work-group {size}: {spread_text(sizes[size], rate_of, 'GE/s')}" for size in order))
        band(axes, [sizes[size] for size in order], lambda one: one["workgroup"], rate_of, series(index))
        top = [(one["workgroup"], one["items_per_second"] / 1e9) for one in leaders(sizes.values())]
        axes.plot(*zip(*top), marker="o", markersize=11, markerfacecolor="none",
                  markeredgecolor=light("ink"), markeredgewidth=1.2, linestyle="none",
                  label="best size, and those within its spread" if index == len(by_task) - 1 else None)
    axes.set_xscale("log", base=2)
    axes.set_xticks(sorted(ticks), list(map(str, sorted(ticks))), rotation=45 if len(ticks) > 7 else 0)
    axes.minorticks_off()
    axes.set_yscale("log")
    log_numbers(axes.yaxis)
    axes.set_xlabel("work-group size, invocations")
    axes.set_ylabel("throughput, GE/s (log)")
    label_lines(axes)
    legend_below(drawn, *axes.get_legend_handles_labels())
    return Figure(f"{prefix}workgroups-{group}", title, drawn)


def lengths(side, group, what, prefix=""):
    """Time over n, log-log, with the time of copying the bytes and the CPU's times."""
    tasks = tables.group_tasks(side, group)
    # Lengths next to powers of two are left to the table: here they would be spikes.
    timed = {task: [tables.usual(side, task, n) for n in tables.lengths_of(side, task) if not beside_power(n)]
             for task in tasks}
    timed = {task: ones for task, ones in timed.items() if len(ones) > 1}
    if not timed:
        return None
    called = names(side)
    all_lengths = sorted({one["n"] for ones in timed.values() for one in ones})
    references = [one for one in (tables.reference(side, list(timed), n) for n in all_lengths) if one]
    title = lengths_title(timed, called, what)
    drawn, axes = start(4.3, title)
    for index, (task, ones) in enumerate(timed.items()):
        line, = axes.plot([one["n"] for one in ones], [one["median_ms"] for one in ones], label=called[task],
                          **series(index))
        say(line, *(f"{called[task]}, {at(one['n'])}: {spread_text(one, lambda _, ms: ms, 'ms')}" for one in ones))
        band(axes, ones, lambda one: one["n"], lambda _, ms: ms, series(index))
    one_core = [(one["n"], one["cpu_ms"]) for one in references if one["cpu_ms"] > 0]
    all_cores = [(one["n"], one["cpu_all_ms"]) for one in references if one["cpu_all_ms"]]
    for points, name, dash in ((one_core, "CPU, one core", ":"), (all_cores, "CPU, all cores", (0, (6, 2)))):
        if points:
            axes.plot(*zip(*points), color=light("muted"), linestyle=dash, linewidth=1.4, label=name)
    limits = [(one["n"], one["bytes"] / side.copy_peak(one)[0] / 1e6) for one in references
              if side.copy_peak(one)[0]]
    if limits:
        copying = dict(limits)
        beaten = any(one["median_ms"] < copying.get(one["n"], 0) for ones in timed.values() for one in ones)
        axes.plot(*zip(*limits), color=light("ink"), linewidth=2.2,
                  label="copying as many bytes here, beside caches" if beaten else "limit: copying as many bytes")
    length_axis(axes, all_lengths)
    axes.set_yscale("log")
    log_numbers(axes.yaxis)
    axes.set_xlabel("n, elements (log)")
    axes.set_ylabel("time of one run, ms (log)")
    label_lines(axes)
    legend_below(drawn, *axes.get_legend_handles_labels())
    return Figure(f"{prefix}lengths-{group}", title, drawn)


def beside_power(n):
    return n > 1024 and any(away and n - away == 2**round(math.log2(n)) for away in range(-9, 10))


def lengths_title(timed, called, what):
    """Which method is the fastest at the longest array, and by how much the next one is slower."""
    whole = {task: ones for task, ones in timed.items() if task not in tables.PARTS} or timed
    longest = max(ones[-1]["n"] for ones in whole.values())
    order = sorted((ones[-1]["median_ms"], task) for task, ones in whole.items() if ones[-1]["n"] == longest)
    if noisy([ones[-1] for ones in whole.values() if ones[-1]["n"] == longest]):
        return f"Noisy machine: at {at(longest)} no {what} is faster than another beyond the spread of its times"
    if len(order) == 1:
        return f"{called[order[0][1]]} takes {text_of(order[0][0])} ms at {at(longest)}"
    ratio = order[-1][0] / order[0][0]
    return (f"At {at(longest)} {called[order[-1][1]]} takes {ratio:.3g} times as long as "
            f"{called[order[0][1]]}")


def roofline(side, prefix=""):
    """Additions per second over additions per byte, both as counted; the roof is the copy kernel's bandwidth."""
    points, peak = [], None
    called = names(side)
    for group, _ in tables.GROUPS:
        _, tasks, found = tables.method_rows(side, group)
        for task, one in zip(tasks, found):
            entry = one and side.entry_like(one)
            if not entry or not side.copy_peak(one)[0]:
                continue
            counts = entry["counts"]
            words = counts["reads"] + counts["writes"]
            if not words or not counts["additions"]:
                continue
            per_element = counts["additions"] / entry["n"]
            grows = bool(entry["growth"]) and entry["growth"]["work"] == "grows"
            points.append((task, counts["additions"] / (4 * words), per_element * one["items_per_second"] / 1e9, grows))
            peak = max(peak or 0, side.copy_peak(one)[0])
    if not points:
        return None
    whole = [point for point in points if point[0] not in tables.PARTS] or points
    task, intensity, rate, _ = max(whole, key=lambda point: point[2] / point[1])
    share = 100 * rate / intensity / peak
    title = (f"{called[task]} comes closest to the memory roof: {share:.3g} % of the copy kernel's bandwidth" if share <= 100
             else f"{called[task]} is over the memory roof: caches give it {share:.3g} % of the copy kernel's bandwidth")
    drawn, axes = start(4.4, title)
    intensities = [point[1] for point in points]
    ends = [min(intensities) / 2, max(intensities) * 2]
    axes.plot(ends, [peak * x for x in ends], color=light("ink"), linewidth=2.2,
              label=f"roof: {text_of(peak)} GB/s, copy kernel")
    for index, (task, x, y, grows) in enumerate(points):
        point, = axes.plot([x], [y], **series(index) | {"linestyle": "none"}, markersize=8,
                           label=called[task] + (" (at least)" if grows else ""))
        say(point, f"{called[task]}: {text_of(y)} 10⁹ additions per second, {text_of(x)} per byte; "
            f"{100 * y / x / peak:.3g} % of the copy kernel's bandwidth")
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.xaxis.set_major_formatter(plt.FuncFormatter(lambda value, _: f"{value:.3g}"))
    log_numbers(axes.yaxis)
    axes.set_xlabel("additions per byte of global memory, counted (log)")
    axes.set_ylabel("10⁹ additions per second (log)")
    legend_below(drawn, *axes.get_legend_handles_labels())
    return Figure(f"{prefix}roofline", title, drawn)


def whole(side, group, what, prefix=""):
    n, tasks, found = tables.method_rows(side, group)
    timed = [(task, one) for task, one in zip(tasks, found)
             if one and one["whole_ms"] and any(one[key] for key, _ in tables.PHASES)]
    if not timed:
        return None
    called = names(side)
    totals = {name: sum(one[key] for _, one in timed) for key, name in tables.PHASES}
    most = max(totals, key=totals.get)
    share = 100 * totals[most] / sum(totals.values())
    title = f"End to end, {most} takes {share:.0f} % of a {what}'s time ({at(n)}, all methods)"
    drawn, axes = start(0.42 * len(timed) + 1.9, title)
    hatches = ["", "///", "...", "xxx", "\\\\\\"]
    for row, (task, one) in enumerate(timed):
        begin = 0
        for index, (key, name) in enumerate(tables.PHASES):
            bar, = axes.barh(row, one[key], left=begin, height=0.6, color=light(f"c{index}"), hatch=hatches[index],
                             edgecolor=light("paper"), linewidth=0, label=name if row == 0 else None)
            say(bar, f"{called[task]}, {name}: {text_of(one[key])} ms of {text_of(one['whole_ms'])}")
            begin += one[key]
        axes.plot([one["median_ms"]], [row], marker="D", markersize=6, markerfacecolor=light("paper"),
                  markeredgecolor=light("ink"), linestyle="none", label="kernel alone" if row == 0 else None)
    axes.set_yticks(range(len(timed)), [called[task] for task, _ in timed])
    axes.invert_yaxis()
    axes.grid(axis="y", visible=False)
    axes.set_xlim(left=0)
    axes.set_xlabel("time from main memory to main memory, ms")
    legend_below(drawn, *axes.get_legend_handles_labels())
    return Figure(f"{prefix}whole-{group}", title, drawn)


def counted(side):
    found = [(task, side.textbook_entry(task)) for task in tables.tasks_of(side)]
    return [(task, entry) for task, entry in found if entry]


def counts(side, prefix=""):
    """T, p, W and C of each task, on one logarithmic axis, with the textbook's T."""
    entries = [pair for pair in counted(side) if pair[1]["counts"]["time"]]
    if not entries:
        return None
    called = names(side)
    task, entry = max(entries, key=lambda pair: pair[1]["counts"]["work"] / pair[1]["n"])
    title = (f"{called[task]} does the most work: W / n = {text_of(entry['counts']['work'] / entry['n'])} "
             f"at {at(entry['n'])}")
    drawn, four = start(0.44 * len(entries) + 2.6, title, nrows=2, ncols=2, sharey=True)
    shown = (("time", "T, steps"), ("processors", "p, processors"), ("work", "W, work"), ("cost", "C = p T, cost"))
    books = {"time": ("time", "T of the textbook", "o"), "work": ("additions", "additions of the textbook", "|")}
    for index, (axes, (key, name)) in enumerate(zip(four.flat, shown)):
        look = series(index)
        points, = axes.plot([entry["counts"][key] for _, entry in entries], range(len(entries)), color=look["color"],
                            marker=look["marker"], markersize=6, linestyle="none")
        say(points, *(f"{called[task]}, {at(entry['n'])}: {name} {entry['counts'][key]:,}" for task, entry in entries))
        axes.set_title(name, fontsize=8, fontweight="normal")
        book, label, marker = books.get(key, (None, None, None))
        known = [(entry["textbook"][book]["value"], row) for row, (_, entry) in enumerate(entries)
                 if book and entry["textbook"][book]]
        if known:
            axes.plot(*zip(*known), marker=marker, markersize=12, markerfacecolor="none", markeredgewidth=1.6,
                      markeredgecolor=light("ink"), linestyle="none", label=label)
        axes.set_xscale("log")
        values = [value for line in axes.lines for value in line.get_xdata()]
        if max(values) < 4 * min(values):  # so that ticks are far enough apart
            axes.set_xlim(min(values) / 2, max(values) * 2)
        log_numbers(axes.xaxis)
        axes.tick_params(axis="x", labelsize=7, rotation=30)
        axes.set_yticks(range(len(entries)), [called[task] for task, _ in entries])
        axes.set_ylim(len(entries) - 0.5, -0.5)
    for axes in four[1]:
        axes.set_xlabel("counted (log)")
    handles = [axes.get_legend_handles_labels() for axes in four.flat]
    legend_below(drawn, [one for pair in handles for one in pair[0]], [one for pair in handles for one in pair[1]])
    return Figure(f"{prefix}counts", title, drawn)


def growth(side, prefix=""):
    """W / n and C / n over n, with ever more work-groups."""
    entries = [pair for pair in counted(side) if pair[1]["growth"] and pair[1]["growth"]["longer"]]
    if not entries:
        return None
    called = names(side)
    growing = [called[task] for task, entry in entries if entry["growth"]["work"] == "grows"]
    title = (f"Work per element grows with n for {', '.join(growing)}: not work-optimal" if growing
             else "Work per element stays bounded for every method: all are work-optimal")
    drawn, both = start(5.8, title, nrows=2, sharex=True)
    for axes, key, name in ((both[0], "work", "W / n"), (both[1], "cost", "C / n")):
        for index, (task, entry) in enumerate(entries):
            points = entry["growth"]["longer"]
            line, = axes.plot([point["n"] for point in points], [point[key] / point["n"] for point in points],
                              label=called[task], **series(index))
            say(line, *(f"{called[task]}, {at(point['n'])}: {name} = {text_of(point[key] / point['n'])}"
                        for point in points))
        axes.set_yscale("log")
        log_numbers(axes.yaxis)
        axes.set_ylabel(f"{name} (log)")
    length_axis(both[1], [point["n"] for _, entry in entries for point in entry["growth"]["longer"]])
    both[1].set_xlabel("n, elements (log)")
    label_lines(*both)
    return Figure(f"{prefix}growth", title, drawn)


def columns_of(kernel, banks=32):
    return {column["title"]: column for column in kernel["columns"] if column["banks"] == banks}


def banks(side, prefix=""):
    """The worst conflict of each phase, for kernels with shared memory, padded and not."""
    called, shown, seen = names(side), [], set()
    for task, entry in counted(side):
        for kernel in entry["bank_conflicts"]:
            columns = columns_of(kernel)
            if not {"padded", "unpadded"} <= set(columns):
                continue
            worst = tuple(tuple(columns[title]["worst"]) for title in ("padded", "unpadded"))
            if max((*worst[0], *worst[1]), default=0) > 1 and (kernel["kernel"], worst) not in seen:
                seen.add((kernel["kernel"], worst))
                shown.append((called[task], columns))
    if not shown:
        return None
    name, columns = max(shown, key=lambda one: max(one[1]["unpadded"]["worst"]))
    padded, unpadded = (max(columns[key]["worst"]) for key in ("padded", "unpadded"))
    title = (f"{name}: padding takes conflicts of up to {unpadded} ways down to {padded}" if padded < unpadded
             else f"{name}: conflicts of up to {padded} ways, with and without padding")
    drawn, all_axes = start(1.75 * len(shown) + 0.9, title, nrows=len(shown), squeeze=False)
    for axes, (name, columns) in zip(all_axes[:, 0], shown):
        phases = range(len(columns["padded"]["worst"]))
        both = (axes.bar([phase - 0.2 for phase in phases], columns["padded"]["worst"], width=0.38, color=light("c0"),
                         label="as it is (padded)"),
                axes.bar([phase + 0.2 for phase in phases], columns["unpadded"]["worst"], width=0.38,
                         color=light("c1"), hatch="///", edgecolor=light("paper"), linewidth=0, label="unpadded"))
        for bars in both:
            for phase, bar in enumerate(bars):
                say(bar, f"{name}, phase {phase}, {bars.get_label()}: {bar.get_height():.0f} ways at worst")
        axes.set_title(f"{name}: {columns['padded']['turns']} turns for {columns['padded']['requests']} requests, "
                       f"unpadded {columns['unpadded']['turns']}", fontsize=8, fontweight="normal")
        axes.set_ylabel("worst conflict,\nways")
        axes.yaxis.set_major_locator(plt.MaxNLocator(integer=True))
        axes.xaxis.set_major_locator(plt.MaxNLocator(integer=True))
        axes.grid(axis="x", visible=False)
    all_axes[-1, 0].set_xlabel("phase, between two barrier() calls")
    legend_below(drawn, *all_axes[-1, 0].get_legend_handles_labels())
    return Figure(f"{prefix}banks", title, drawn)


def traffic(side, prefix=""):
    """Sectors and transactions per request of every dispatch: how coalesced each method is."""
    entries = [(task, [one for one in entry["dispatches"] if one["requests"]]) for task, entry in counted(side)]
    entries = [(task, dispatches) for task, dispatches in entries if dispatches]
    if not entries:
        return None
    called = names(side)
    worst = max(entries, key=lambda pair: max(one["sectors"] / one["requests"] for one in pair[1]))
    most = max(one["sectors"] / one["requests"] for one in worst[1])
    title = f"{called[worst[0]]} is the least coalesced: up to {most:.3g} sectors of 32 bytes per request"
    drawn, axes = start(4.2, title)
    for index, (task, dispatches) in enumerate(entries):
        line, = axes.plot([one["index"] for one in dispatches], [one["sectors"] / one["requests"] for one in dispatches],
                          label=called[task], **series(index))
        say(line, *(f"{called[task]}, dispatch {one['index']}: {one['sectors']:,} sectors for {one['requests']:,} requests"
                    for one in dispatches))
    axes.axhline(4, color=light("ink"), linewidth=2.2, zorder=1, label="4: coalesced")
    axes.set_ylim(bottom=0)
    axes.xaxis.set_major_locator(plt.MaxNLocator(integer=True))
    axes.set_xlabel("dispatch")
    axes.set_ylabel("sectors of 32 bytes per request")
    legend_below(drawn, *axes.get_legend_handles_labels())
    return Figure(f"{prefix}traffic", title, drawn)


def timeline(side, prefix=""):
    """The dispatches of a run, one after the other, each with its time when run alone."""
    runs = [(task, side.runs[task]) for task in tables.tasks_of(side) if task in side.runs]
    runs = [(task, run) for task, run in runs if any(one["ms"] is not None for one in run["dispatches"])]
    if not runs:
        return None
    called = names(side)
    task, run = max(runs, key=lambda pair: len(pair[1]["dispatches"]))
    title = (f"{called[task]} needs {len(run['dispatches'])} dispatches for {at(run['n'])}; "
             "a barrier stands before each but the first")
    if not all(one["barrier_before"] for one in run["dispatches"][1:]):
        title = f"{called[task]} needs {len(run['dispatches'])} dispatches for {at(run['n'])}"
    def took(run):
        return sum(one["ms"] or 0 for one in run["dispatches"])

    # A run that is much longer than all others would leave them no room: it gets a separate scale.
    ordered = sorted(runs, key=lambda pair: took(pair[1]))
    alone = len(runs) > 2 and took(ordered[-1][1]) > 4 * took(ordered[-2][1])
    parts = [[pair for pair in runs if pair is not ordered[-1]], [ordered[-1]]] if alone else [runs]
    drawn, all_axes = start(0.42 * len(runs) + (2.2 if alone else 1.7), title, nrows=len(parts), squeeze=False,
                            height_ratios=[len(part) for part in parts])
    for axes, part in zip(all_axes[:, 0], parts):
        dispatches_of(axes, part, called)
    all_axes[-1, 0].set_xlabel("times of the dispatches, each run alone, added up, ms;\n" +
                               ("on two scales; " if alone else "") + "the number: how many")
    marked = max(zip(all_axes[:, 0], parts), key=lambda pair: max(len(run["dispatches"]) for _, run in pair[1]))[0]
    legend_below(drawn, *marked.get_legend_handles_labels())
    return Figure(f"{prefix}timeline", title, drawn)


def dispatches_of(axes, runs, called):
    """A row for each run: its dispatches, one after the other."""
    for row, (task, run) in enumerate(runs):
        begin = 0
        for index, one in enumerate(run["dispatches"]):
            bar, = axes.barh(
                row, one["ms"] or 0, left=begin, height=0.56, color=light("c0" if index % 2 == 0 else "c1"),
                hatch="" if index % 2 == 0 else "///", edgecolor=light("paper"), linewidth=0.4,
                label=("even dispatch", "odd dispatch")[index] if row == timed_row(runs) and index < 2 else None)
            say(bar, f"{called[task]}, dispatch {index}: {text_of(one['ms'] or 0)} ms")
            if one["barrier_before"]:
                axes.plot([begin], [row + 0.36], marker="^", markersize=3.5, color=light("ink"), linestyle="none",
                          label="barrier" if row == timed_row(runs) and index == 1 else None)
            begin += one["ms"] or 0
        axes.annotate(f"{len(run['dispatches'])}", (begin, row), xytext=(4, 0), textcoords="offset points", va="center",
                      fontsize=8)
    axes.set_yticks(range(len(runs)), [called[task] for task, _ in runs])
    axes.set_ylim(len(runs) - 0.5, -0.5)
    axes.grid(axis="y", visible=False)
    axes.set_xlim(0, axes.get_xlim()[1] * 1.06)


def timed_row(runs):
    """The row with the legend's marks: the one with the most dispatches."""
    return max(range(len(runs)), key=lambda row: len(runs[row][1]["dispatches"]))


def comparison(base, others):
    """Change of each method's time against the first side, with the spread."""
    found = [(other, tables.compared(base, other)) for other in others]
    found = [(other, rows) for other, rows in found if rows]
    if not found:
        return None
    called = names(base)
    faster, slower, all_rows = 0, 0, 0
    for _, rows in found:
        for *_, change, spread in rows:
            verdict = tables.verdict(change, spread)
            faster, slower, all_rows = faster + (verdict == "faster"), slower + (verdict == "slower"), all_rows + 1
    title = (f"{faster} of {all_rows} times are faster than with {base.name} beyond the spread, {slower} slower")
    tasks = list(dict.fromkeys(task for _, rows in found for task, *_ in rows))
    drawn, axes = start(0.5 * len(tasks) + 1.8, title)
    for index, (other, rows) in enumerate(found):
        look = series(index)
        shift = (index - (len(found) - 1) / 2) * 0.2
        for first, (task, _, _, _, change, spread) in enumerate(rows):
            ratio = 1 + change
            bars = axes.errorbar([ratio], [tasks.index(task) + shift],
                          xerr=[[min(spread, ratio * 0.999)], [spread]], color=look["color"], marker=look["marker"],
                          capsize=3, linestyle="none", markersize=7,
                          label=textwrap.fill(other.name, 60) if first == 0 else None)
            say(bars.lines[0], f"{called[task]}, {other.name}: {ratio:.3g} times as long, give or take {spread:.2g}")
    axes.axvline(1, color=light("ink"), linewidth=1.6, label=f"as long as with {textwrap.shorten(base.name, 50)}")
    axes.set_yticks(range(len(tasks)), [called[task] for task in tasks])
    axes.set_ylim(len(tasks) - 0.5, -0.5)
    ratios = [1 + change for _, rows in found for *_, change, _ in rows]
    if max(ratios) / min(ratios) > 8:
        axes.set_xscale("log")
        log_numbers(axes.xaxis)
    else:
        axes.set_xlim(left=0)
    axes.set_xlabel("time as a multiple of the first one's; bars: the spread")
    legend_below(drawn, *axes.get_legend_handles_labels())
    return Figure("comparison", title, drawn)
