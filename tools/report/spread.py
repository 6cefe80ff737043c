"""What times show beyond their spread: which one is the fastest, or that none is."""


def interval(one):
    """(low, high) in ms: two standard deviations around the median, within the measured range."""
    middle, away = one["median_ms"], 2 * one["cv"] * one["median_ms"]
    return max(middle - away, min(one["min_ms"], middle)), min(middle + away, max(one["max_ms"], middle))


def apart(one, other):
    """Whether the intervals of two times do not overlap."""
    return interval(one)[1] < interval(other)[0] or interval(other)[1] < interval(one)[0]


def leaders(ones):
    """The fastest, and those that overlap with it; the fastest first."""
    ordered = sorted(ones, key=lambda one: one["median_ms"])
    return [one for one in ordered if one is ordered[0] or not apart(one, ordered[0])]


def noisy(ones):
    """Whether no two neighbours of at least three are apart: then the figure shows the machine, not the methods."""
    ordered = sorted(ones, key=lambda one: one["median_ms"])
    return len(ordered) > 2 and not any(apart(one, next_one) for one, next_one in zip(ordered, ordered[1:]))


def listed(words):
    """"a", "a and b", "a, b and c"."""
    words = list(words)
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
