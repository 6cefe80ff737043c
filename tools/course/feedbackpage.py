"""feedback.html, with the content of feedback.md: reads the forms of Markdown that feedback.md has, and no others.

So people's changes in feedback.md are in the page, too. A form that is not read here is shown as it is written.
"""

import html
import re

from webpage import document, escaped

STYLE = """
body { max-width: 56rem; }
table { margin: 1rem 0; }
td:nth-child(2), th:nth-child(2), td:nth-child(3), th:nth-child(3) { text-align: right;
  white-space: nowrap; }
iframe { width: 100%; height: 44rem; border: 1px solid var(--line); }
@media print { iframe { display: none; } h2:has(+ p + iframe), p:has(+ iframe) { display: none; } }
"""
TOKEN = re.compile(r"\\(?P<literal>[!-/:-@\[-`{-~])|\*\*(?P<strong>(?:\\.|[^*\\])+)\*\*|`(?P<code>[^`]+)`", re.DOTALL)
CELL = re.compile(r"((?:\\.|[^|\\])*)\|")


def inline(text):
    """Markdown within a line as HTML."""
    parts, at = [], 0
    for found in TOKEN.finditer(text):
        parts.append(escaped(text[at:found.start()]))
        if found["literal"]:
            parts.append(escaped(found["literal"]))
        elif found["strong"]:
            parts.append(f"<strong>{inline(found['strong'])}</strong>")
        else:
            parts.append(f"<code>{escaped(found['code'])}</code>")
        at = found.end()
    return "".join([*parts, escaped(text[at:])])


def plain(text):
    """The same as text alone."""
    return TOKEN.sub(lambda found: found["literal"] or found["code"] or plain(found["strong"]), text)


def cells(line):
    line = line.strip()[1:]
    found = CELL.findall(line)
    rest = line[sum(len(one) + 1 for one in found):]
    return [one.strip() for one in [*found, *([rest] if rest else [])]]


def table(lines):
    rows = [cells(line) for line in lines]
    headed = len(rows) > 1 and all(re.fullmatch(r":?-+:?", one) for one in rows[1])
    text = ""
    for i, row in enumerate(rows):
        if headed and i == 1:
            continue
        tag = "th" if headed and i == 0 else "td"
        text += "<tr>" + "".join(f'<{tag} dir="auto">{inline(one)}</{tag}>' for one in row) + "</tr>\n"
    return f"<table>\n{text}</table>"


def kind_of(line):
    if line.startswith("    "):
        return "code"
    if not line.strip():
        return None
    if re.match(r"#{1,3} ", line):
        return "heading"
    return {"|": "table", "- ": "list"}.get(line[:1] if line[:1] == "|" else line[:2], "text")


def block(kind, lines):
    if kind == "code":
        return "<pre>" + escaped("\n".join(line[4:] for line in lines)) + "</pre>"
    if kind == "heading":
        marks, text = lines[0].split(" ", 1)
        return f'<h{len(marks)} dir="auto">{inline(text)}</h{len(marks)}>'
    if kind == "table":
        return table(lines)
    if kind == "list":
        return "<ul>\n" + "".join(f'<li dir="auto">{inline(line[2:])}</li>\n' for line in lines) + "</ul>"
    return f'<p dir="auto">{inline(" ".join(lines))}</p>'


def blocks(text):
    """(kind, its lines), one after another."""
    found = []
    before = None
    for line in text.split("\n"):
        kind = kind_of(line)
        if kind and (kind != before or kind == "heading"):
            found.append((kind, []))
        if kind:
            found[-1][1].append(line)
        before = kind
    return found


def framed(picture):
    """Embeds a page with a script, isolated from this one: a submission has computed what it shows."""
    return ("<h2>The first run that failed, dispatch by dispatch</h2>\n"
            "<p>As <code>a2 steps --html</code> draws it.</p>\n"
            '<iframe sandbox="allow-scripts" loading="lazy" title="The first run that failed" '
            f'srcdoc="{html.escape(picture, quote=True)}"></iframe>')


def page(text, picture=None):
    """text: of feedback.md. picture: a page of `a2 steps --html`."""
    found = blocks(text)
    title = next((plain(lines[0].split(" ", 1)[1]) for kind, lines in found if kind == "heading"), "feedback")
    parts = [block(kind, lines) for kind, lines in found]
    return document(title, "\n".join([*parts, *([framed(picture)] if picture else [])]), STYLE)
