"""Charts as SVG, drawn for a phone's 360 pixels; on a wide page they are a little larger. No text covers another, and
no legend is needed."""

import math

from webpage import escaped

WIDTH, HEIGHT = 360, 218
LEFT, RIGHT, TOP, BOTTOM = 30, 12, 34, 36
MOST_BARS, MOST_LABELS = 24, 11
STYLE = """
svg text { font-family: inherit; font-size: 11px; fill: var(--ink); }
svg.chart { width: 100%; max-width: 31rem; height: auto; display: block; }
svg .grid { stroke: var(--line); stroke-width: 1; }
svg .axis { stroke: var(--muted); stroke-width: 1; }
svg .mark { stroke: var(--orange); stroke-width: 1.5; stroke-dasharray: 4 3; }
svg .filled { fill: var(--blue); }
svg .dot { fill: var(--blue); fill-opacity: 0.55; stroke: var(--blue); }
svg .track { fill: #e4e4e4; }
svg.bar { width: 100%; min-width: 3rem; height: 0.8rem; display: block; margin-top: 0.3rem; }
"""


def text_of(value):
    return f"{value:.2f}".rstrip("0").rstrip(".")


def step_of(most, count, whole=False):
    """The smallest 1, 2 or 5 times a power of ten with which at most `count` steps reach `most`."""
    if most <= 0:
        return 1
    power = 10.0 ** math.floor(math.log10(most / count))
    step = next(one * power for one in (1, 2, 5, 10) if one * power * count >= most * (1 - 1e-9))
    return max(1, round(step)) if whole else step


class Chart:
    """x and y give the position of a value. wide: units across, tall: units up."""

    def __init__(self, title, wide, tall):
        self.parts, self.wide, self.tall = [f"<title>{escaped(title)}</title>"], wide, tall

    def x(self, value):
        return round(LEFT + (WIDTH - LEFT - RIGHT) * value / self.wide, 2)

    def y(self, value):
        return round(HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * value / self.tall, 2)

    def line(self, kind, x1, y1, x2, y2):
        self.parts.append(f'<line class="{kind}" x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"/>')

    def text(self, x, y, text, anchor="middle"):
        self.parts.append(f'<text x="{x}" y="{y}" text-anchor="{anchor}">{escaped(text)}</text>')

    def axes(self, ticks_up, ticks_across, up, across):
        """ticks: (value, label)."""
        for value, label in ticks_up:
            self.line("grid", LEFT, self.y(value), WIDTH - RIGHT, self.y(value))
            self.text(LEFT - 5, self.y(value) + 4, label, "end")
        for value, label in ticks_across:
            self.text(self.x(value), HEIGHT - BOTTOM + 14, label)
        self.text(2, 11, up, "start")
        self.text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 5, across)

    def marked(self, value, label):
        """A vertical line over the whole height, with its name above."""
        x = self.x(value)
        self.line("mark", x, TOP - 7, x, HEIGHT - BOTTOM)
        anchor, shift = ("end", 3) if x > WIDTH * 0.8 else ("start", -3) if x < WIDTH * 0.3 else ("middle", 0)
        self.text(x + shift, TOP - 10, label, anchor)

    def __str__(self):
        self.line("axis", LEFT, HEIGHT - BOTTOM, WIDTH - RIGHT, HEIGHT - BOTTOM)
        # Screen readers do not read the content of an image, but must read links.
        role = "group" if any(one.startswith("<a ") for one in self.parts) else "img"
        return f'<svg class="chart" role="{role}" viewBox="0 0 {WIDTH} {HEIGHT}">\n' + "\n".join(self.parts) + "\n</svg>"


def histogram(title, values, most, middle, across, up):
    """(SVG, the width of one bar) for values from 0 to at least most. middle: (value, name) of a line."""
    step = step_of(most, MOST_BARS, whole=True)
    bars = [0] * (int(most // step) + 1)
    for value in values:
        bars[min(len(bars) - 1, max(0, int(value // step)))] += 1
    high = max([*bars, 1])
    chart = Chart(title, len(bars), high)
    up_step, across_step = step_of(high, 4, whole=True), step_of(len(bars) - 1, MOST_LABELS - 1, whole=True)
    chart.axes([(value, str(value)) for value in range(0, high + 1, up_step)],
               [(i + 0.5, text_of(i * step)) for i in range(0, len(bars), across_step)], up, across)
    for i, count in enumerate(bars):
        if count:
            x, y = chart.x(i + 0.08), chart.y(count)
            ends = text_of(i * step) + (f" to {text_of((i + 1) * step)}" if step > 1 else "")
            chart.parts.append(f'<rect class="filled" x="{x}" y="{y}" width="{round(chart.x(i + 0.92) - x, 2)}" '
                               f'height="{round(chart.y(0) - y, 2)}"><title>{ends}: {count}</title></rect>')
    # A whole number of points lies in the middle of its bar if bars are one wide; else values keep their positions.
    value, name = middle
    chart.marked(min(len(bars), value / step + (0.5 if step == 1 else 0)), name)
    return str(chart), step


def scatter(title, dots, most, reference, across, up):
    """dots: (x, y, description, link target). reference: (x, name) of a line, or None."""
    right = max([x for x, *_ in dots] + ([reference[0]] if reference else []))
    across_step, up_step = step_of(right, 6), step_of(most, 5)
    wide = across_step * math.ceil(right / across_step * 1.02)
    chart = Chart(title, wide, most)
    chart.axes([(i * up_step, text_of(i * up_step)) for i in range(int(most / up_step + 1e-9) + 1)],
               [(i * across_step, text_of(i * across_step)) for i in range(round(wide / across_step) + 1)], up, across)
    if reference:
        chart.marked(*reference)
    for x, y, name, link in dots:
        place = f'cx="{chart.x(x)}" cy="{chart.y(min(y, most))}" r="3.5"'
        chart.parts.append(f'<a href="{escaped(link)}"><circle class="dot" {place}><title>{escaped(name)}</title>'
                           '</circle></a>')
    return str(chart)


def bar(share, mark=None):
    """A bar of a table, with a line at another share."""
    lines = "" if mark is None else (f'<rect x="{round(min(99, max(0, 100 * mark - 0.5)), 1)}" width="1" height="10" '
                                     'style="fill: var(--ink)"/>')
    return ('<svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">'
            '<rect class="track" width="100" height="10"/>'
            f'<rect class="filled" width="{round(100 * min(1, max(0, share)), 1)}" height="10"/>{lines}</svg>')
