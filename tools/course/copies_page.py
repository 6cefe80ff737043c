"""similarity.html: the pairs of similarity.csv, with their similar passages side by side."""

import collections
import functools
import html
import urllib.parse

import outputs
from copies import ALL, LEAST_PERCENT, MOST_ROWS, RECORDED, TOKENS, VALUES
from tokens import LENGTH, Source

MOST_PAIRS = 1000  # in the table
MOST_BYTES = 4 << 20  # of passages; weaker pairs are only in the table
MOST_LINES = 40  # of a file, on each side
MOST_NAMES = 50  # of a group
MOST_LINE = 200  # characters
PLACES = 4  # in the other file, at which a passage is looked for

TITLE = "Submissions that are alike"
STYLE = """
:root{color-scheme:light dark}
body{font-family:sans-serif;margin:1em auto;max-width:90em;padding:0 1em;line-height:1.4}
.wide{overflow-x:auto}
table{border-collapse:collapse;margin:.6em 0}
td,th{padding:2px 10px 2px 0;text-align:left;vertical-align:top;border-bottom:1px solid #8886}
td.n{white-space:nowrap}
td.n,th.n{text-align:right}
td:not(.n){min-width:3.5em;overflow-wrap:anywhere}
h2{margin:1.6em 0 .2em;overflow-wrap:anywhere}
h3{margin:1em 0 .2em;font-size:1em;overflow-wrap:anywhere}
.both{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1fr);gap:1em;border-top:1px solid #8886;padding:.3em 0}
.line{display:grid;grid-template-columns:3.2em minmax(0,1fr);font:12px/1.35 monospace}
.line code{white-space:pre-wrap;overflow-wrap:anywhere;font:inherit}
.line b{font-weight:normal;opacity:.6;text-align:right;padding-right:.8em}
.line.gap{opacity:.6}
@media(max-width:600px){
body{padding:0 .4em}table{font-size:13px}td,th{padding-right:7px}.both{gap:.5em}
.line{grid-template-columns:2.4em minmax(0,1fr);font-size:10px}
}
@media print{body{max-width:none;margin:0}.line{font-size:8pt}h2,h3{break-after:avoid}.wide{overflow:visible}}
"""


def passages(one, other):
    """[((first, last), (first, last))]: lines of one file that are like lines of the other, in the order of the
    first."""
    there, found, done = other.pieces(), [], 0

    def length(start, place):
        """The number of equal tokens that both own."""
        count = 0
        while start + count < len(one.whole) and place + count < len(other.whole) and \
                one.whole[start + count] == other.whole[place + count] and \
                one.own[start + count + LENGTH - 1] and other.own[place + count + LENGTH - 1]:
            count += 1
        return count + LENGTH - 1

    for start in sorted(start for places in one.pieces().values() for start in places):
        places = there.get(one.whole[start], ())[:PLACES] if done <= start < len(one.whole) else ()
        if places:
            place = max(places, key=lambda place: length(start, place))
            done = start + length(start, place)
            end = place + done - start - 1
            found.append(((one.lines[start], one.lines[done - 1]), (other.lines[place], other.lines[end])))
    return found


def runs(lines):
    """[(first, last)] of these lines; ranges with one line between them are joined."""
    found = []
    for line in sorted(lines):
        if found and line <= found[-1][1] + 2:
            found[-1][1] = line
        else:
            found.append([line, line])
    return found


def text_of(words):
    return html.escape(outputs.printable(words), quote=True)


def shown(lines, places):
    """HTML of these places of a file, and the number of their lines that did not fit."""
    made, left = [], MOST_LINES
    for first, last in places:
        if made and left > 0:
            made.append('<div class="line gap"><b></b><code>...</code></div>')
        for number in range(first, min(last, first + left - 1) + 1):
            line = lines[number - 1] if number <= len(lines) else ""
            line = line if len(line) <= MOST_LINE else line[:MOST_LINE] + " ..."
            made.append(f'<div class="line"><b>{number}</b><code>{text_of(line)}</code></div>')
        left -= last - first + 1
    return "".join(made), max(0, -left)


class Page:
    """made: copies.rows(). texts: name -> file -> text. given: pieces of the hand-out. values: name -> file -> value ->
    lines. recorded: name -> file -> lines of text. earlier: names of earlier years, whose files are not beside the
    page."""

    def __init__(self, made, texts, given, values, recorded, earlier):
        self.texts, self.values, self.recorded, self.earlier = texts, values, recorded, earlier
        self.by_pair = collections.defaultdict(list)
        for row in made[:MOST_ROWS]:
            self.by_pair[row[1:3]].append(row)
        self.source = functools.lru_cache(64)(lambda name, file: Source(texts[name][file], given))

    def name(self, name, file=None):
        if name in self.earlier:
            return text_of(name)
        path = urllib.parse.quote(f"{name}/files/{file}" if file else f"{name}/feedback.md")
        return f'<a href="{html.escape(path, quote=True)}">{text_of(name)}</a>'

    def groups(self):
        """The groups of those who share much of all files."""
        members = {}
        for rows in self.by_pair.values():
            if rows[0].group:
                members.setdefault(rows[0].group, {}).update(dict.fromkeys((rows[0].first, rows[0].second)))
        if not members:
            return ""
        made = []
        for group, names in list(members.items())[:MOST_PAIRS]:
            names = sorted(names)
            more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
            made.append(f"<li>{', '.join(map(text_of, names[:MOST_NAMES]))}{more}</li>\n")
        return f"<h2>Groups</h2>\n<ol>\n{''.join(made)}</ol>\n"

    def table(self):
        cells = []
        for place, ((one, other), rows) in enumerate(list(self.by_pair.items())[:MOST_PAIRS], 1):
            whole = {row.by: f"{row.of_first} / {row.of_second}" for row in rows if row.file == ALL}
            most = max(rows, key=lambda row: (row.file != ALL, max(row.of_first, row.of_second)))
            cells.append(f'<tr><td class="n">{rows[0].group}</td><td>{self.name(one)}</td><td>{self.name(other)}</td>'
                         f'<td class="n">{whole.get(TOKENS, "")}</td><td class="n">{whole.get(VALUES, "")}</td>'
                         f'<td><a href="#pair-{place}">{text_of(most.file.rsplit("/", 1)[-1])}</a></td></tr>')
        more = len(self.by_pair) - MOST_PAIRS
        return ('<h2>Pairs</h2>\n<div class="wide"><table><tr><th class="n">group</th><th>first</th><th>second</th>'
                '<th class="n">tokens, %</th><th class="n">SPIR-V, %</th><th>most alike</th></tr>\n'
                + "\n".join(cells) + "\n</table></div>\n" + (f"<p>And {more} more pairs.</p>\n" if more > 0 else ""))

    def alike(self, row):
        """HTML of the similar parts of a row's two files."""
        pair = (row.first, row.second)
        if row.by == TOKENS:
            places = passages(*(self.source(name, row.file) for name in pair))
            return self.beside(row, [([one], [other]) for one, other in places])
        if row.by == RECORDED:
            one, other = (self.recorded[name][row.file] for name in pair)
            common = [line for line in one if line in other]
            made, cut = shown(common, [(1, len(common))])
            return made + (f"<p>And {cut} more.</p>" if cut else "")
        both = [self.values[name][row.file] for name in pair]
        common = both[0].keys() & both[1].keys()
        return self.beside(row, [[runs({line for value in common for line in own[value]}) for own in both]])

    def beside(self, row, places):
        lines = [self.texts[name][row.file].split("\n") for name in (row.first, row.second)]
        made, left = [], MOST_LINES
        for one, other in places:
            if left <= 0:
                made.append("<p>And more: see the files.</p>")
                break
            (first, cut), (second, cut_too) = shown(lines[0], one), shown(lines[1], other)
            made.append(f'<div class="both"><div>{first}</div><div>{second}</div></div>')
            if cut or cut_too:
                made.append(f"<p>And {max(cut, cut_too)} more lines: see the files.</p>")
            left -= max(last - start + 1 for start, last in [*one, *other])
        return "".join(made)

    def pair(self, place, pair, rows):
        head = " and ".join(text_of(name) for name in pair)
        by_file = {}
        for row in rows:
            by_file.setdefault(row.file, {})[row.by] = f"{row.of_first} / {row.of_second} ({row.usual})"
        ways = [by for by in (TOKENS, VALUES, RECORDED) if any(by in cells for cells in by_file.values())]
        heads = "".join(f'<th class="n">{by}, %</th>' for by in ways)
        made = [f'<h2 id="pair-{place}">{head}</h2>\n<div class="wide"><table><tr><th>file</th>{heads}</tr>']
        for file, cells in by_file.items():
            shares = "".join(f'<td class="n">{cells.get(by, "")}</td>' for by in ways)
            made.append(f"<tr><td>{text_of(file)}</td>{shares}</tr>")
        made.append("</table></div>")
        strongest = {}  # file -> the row with the larger share
        for row in rows:
            before = strongest.setdefault(row.file, row)
            if max(row.of_first, row.of_second) > max(before.of_first, before.of_second):
                strongest[row.file] = row
        for file, row in strongest.items():
            if file != ALL:
                sides = " | ".join(self.name(name, file) for name in pair)
                made.append(f"<h3>{text_of(file)}, by {row.by}: {sides}</h3>{self.alike(row)}")
        return "\n".join(made) + "\n"

    def html(self):
        made, left = [], MOST_BYTES
        for place, (pair, rows) in enumerate(list(self.by_pair.items())[:MOST_PAIRS], 1):
            if left <= 0:
                made.append(f'<h2 id="pair-{place}">{text_of(" and ".join(pair))}</h2>'
                            "<p>In similarity.csv alone.</p>\n")
                continue
            made.append(self.pair(place, pair, rows))
            left -= len(made[-1])
        count = len(self.by_pair)
        return (f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{TITLE}</title>\n'
                '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
                f"<style>{STYLE}</style></head><body>\n<h1>{TITLE}</h1>\n"
                f"<p>{count or 'No'} pair{'' if count == 1 else 's'} with {LEAST_PERCENT[TOKENS]} % or more of the "
                f"tokens of a file in common, or {LEAST_PERCENT[VALUES]} % or more of what a kernel computes, by its "
                "SPIR-V; of such a pair, what was recorded, where the class records in many ways. 45 / 76 (9) says: "
                "45 % of what is the first's own is in the second, 76 % of the second's is in the first, and 9 % is "
                "usual, for the median pair of this class. What was handed out is nobody's. "
                "<b>This says where to look, not what to think.</b></p>\n"
                + (self.groups() + self.table() if count else "") + "".join(made) + "</body></html>\n")
