"""The style of figures, and how they are written: as files for a write-up, and as SVG that follows the page's
scheme."""

import functools
import io
import re

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt  # noqa: E402  the backend comes first

# Name of a colour in the page -> (light, dark). The first eight distinguish methods, each with its own marker; they
# differ for colour-blind readers, and have a contrast of 3 and more to the paper.
COLOURS = {
    "c0": ("#0072b2", "#56b4e9"), "c1": ("#c44e00", "#ff9d57"), "c2": ("#00795b", "#35d0a5"),
    "c3": ("#a3407f", "#eba0cd"), "c4": ("#7d6200", "#e8cb45"), "c5": ("#3f51b5", "#a9b8ff"),
    "c6": ("#7a3b12", "#d9a98a"), "c7": ("#4d6672", "#b4c9d3"),
    "ink": ("#1c1c1c", "#ececec"), "muted": ("#595959", "#b4b4b4"), "grid": ("#dcdcdc", "#3f3f3f"),
    "paper": ("#fffffe", "#161616"),
}
MARKERS = "osD^vPX*"
DASHES = ["-", "--", "-.", (0, (1, 1)), (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (5, 1, 1, 1)), (0, (2, 1))]
WIDTH = 4.8  # inches: half a wide page, a phone, a column of a write-up


def light(name):
    return COLOURS[name][0]


def series(index):
    """Colour, marker and line of the index-th method; from the ninth on markers are hollow, and colours repeat."""
    look = {"color": light(f"c{index % 8}"), "marker": MARKERS[index % 8], "linestyle": DASHES[index % 8]}
    if index >= 8:
        look |= {"color": light(f"c{(index + 3) % 8}"), "markerfacecolor": light("paper")}
    return look


plt.rcParams.update({
    "font.family": ["DejaVu Sans"], "font.size": 9, "axes.titlesize": 10, "axes.titleweight": "bold",
    "axes.titlelocation": "left", "axes.labelsize": 9, "legend.fontsize": 8, "xtick.labelsize": 8, "ytick.labelsize": 8,
    "text.color": light("ink"), "axes.labelcolor": light("ink"), "axes.edgecolor": light("muted"),
    "xtick.color": light("ink"), "ytick.color": light("ink"), "grid.color": light("grid"),
    "axes.facecolor": light("paper"), "figure.facecolor": light("paper"), "legend.facecolor": light("paper"),
    "legend.edgecolor": light("grid"), "legend.framealpha": 1, "axes.grid": True, "axes.axisbelow": True,
    "axes.spines.top": False, "axes.spines.right": False, "lines.linewidth": 1.4, "lines.markersize": 4.5,
    "svg.fonttype": "none", "svg.hashsalt": "a2", "figure.max_open_warning": 0,
})


def say(artist, *texts):
    """The texts that a browser shows when the pointer rests on a bar, or on a line's markers, in order."""
    artist.said = texts


class Figure:
    """A drawn figure: its name (that of its files), its title (what it shows) and the matplotlib figure."""

    def __init__(self, name, title, drawn):
        self.name, self.title, self.drawn = name, title, drawn
        drawn.draw_without_rendering()
        drawn.set_layout_engine("none")  # it has done its work, and would repeat it for each file
        self.saying = drawn.findobj(lambda artist: hasattr(artist, "said"))
        for number, artist in enumerate(self.saying):
            artist.set_gid(f"said-{number}")

    @functools.cached_property
    def svg(self):
        with io.StringIO() as text:
            self.drawn.savefig(text, format="svg", metadata={"Date": None, "Creator": None, "Title": self.title})
            found = text.getvalue()
        for number, artist in enumerate(self.saying):
            found = with_titles(found, f'<g id="said-{number}">', artist.said)
        # Verdana has the same width, if there is no DejaVu Sans.
        return found.replace("'DejaVu Sans'", "'DejaVu Sans', Verdana, sans-serif")

    def write(self, folder):
        """Writes the figure as .svg, .pdf and .png; the bytes are the same each time."""
        (folder / f"{self.name}.svg").write_text(self.svg, encoding="utf-8", newline="\n")
        self.drawn.savefig(folder / f"{self.name}.pdf", metadata={"CreationDate": None, "Title": self.title})
        self.drawn.savefig(folder / f"{self.name}.png", dpi=200, metadata={"Title": self.title})

    def inline(self):
        """SVG for a page: with the page's colours, ids of this figure only, and a name for screen readers."""
        text = self.svg
        text = text[text.index("<svg"):]
        text = re.sub(r"<metadata>.*?</metadata>\s*", "", text, flags=re.S)
        text = re.sub(r"<defs>\s*<style.*?</style>\s*</defs>\s*", "", text, flags=re.S)
        text = re.sub(r"\s*<title>.*?</title>", "", text, count=1, flags=re.S)  # the file's own
        for name, (colour, _) in COLOURS.items():
            text = re.sub(colour, f"var(--{name})", text, flags=re.I)
        text = re.sub(r'\bid="', f'id="{self.name}-', text)
        text = re.sub(r'(xlink:href="|url\()#', rf"\1#{self.name}-", text)
        text = re.sub(r'<svg [^>]*?viewBox="([^"]*)"[^>]*>',
                      rf'<svg class="plot" role="img" aria-labelledby="{self.name}-title" viewBox="\1" '
                      f'xmlns:xlink="http://www.w3.org/1999/xlink" xmlns="http://www.w3.org/2000/svg">\n'
                      rf'<title id="{self.name}-title">{escaped(self.title)}</title>', text, count=1, flags=re.S)
        return text

    def close(self):
        plt.close(self.drawn)


def with_titles(svg, group, texts):
    """A group's markers, or the group itself if it is a single mark, with the texts as titles."""
    start = svg.index(group) + len(group)
    end = svg.find('<g id="', start)  # the next one's
    part = svg[start:end]
    titles = [f"<title>{escaped(text)}</title>" for text in texts]
    if not re.match(r"\s*(?:<path[^>]*/>\s*)?<(?:defs|g clip)", part):
        return f"{svg[:start]}\n{titles[0]}{svg[start:]}"
    if part.count("<use ") != len(titles):  # a logarithmic axis has no place for a 0
        return svg
    return svg[:start] + re.sub(r"(<use [^>]*)/>", lambda mark: f"{mark[1]}>{titles.pop(0)}</use>", part) + svg[end:]


def escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
