"""The common part of a grading's pages: one file each, without scripts and without external content."""

import html

from printing import printable

# The colours differ for colour-blind readers, and those of text have a contrast of 4.5 and more to the paper.
STYLE = """
:root { color-scheme: light; --ink: #1c1c1c; --muted: #595959; --line: #d0d0d0; --soft: #f3f3f3; --blue: #0072b2;
  --orange: #c44e00; }
* { box-sizing: border-box; }
body { font: 16px/1.45 system-ui, "DejaVu Sans", Verdana, sans-serif; color: var(--ink); background: #fff; 
  margin: 0 auto; padding: 1rem; max-width: 72rem; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0.5rem 0; }
h2 { font-size: 1.15rem; line-height: 1.3; margin: 1.6rem 0 0.4rem; }
p, ul { margin: 0.5rem 0; }
ul { padding-left: 1.2rem; }
a { color: #005a8c; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: 0.25rem 0.5rem; border-bottom: 1px solid var(--line); }
td:first-child { overflow-wrap: break-word; }
th { font-weight: 600; border-bottom-color: var(--muted); overflow-wrap: normal; }
pre { font: 0.875rem/1.4 "DejaVu Sans Mono", Consolas, Menlo, monospace; background: var(--soft); padding: 0.6rem;
  border-left: 3px solid var(--line); white-space: pre-wrap; }
@media (max-width: 30rem) { body { padding: 0.7rem; } th, td { padding: 0.25rem 0.3rem; } }
@page { size: A4; margin: 13mm; }
@media print { :root { font-size: 9.5pt; } body { font-size: 1rem; padding: 0; max-width: none; } 
  h2 { break-after: avoid; }
  tr, svg, figure { break-inside: avoid; } a { color: inherit; text-decoration: none; } }
"""


def escaped(text):
    return html.escape(printable(str(text)), quote=True)


def document(title, body, style=""):
    """title: text. body: HTML."""
    return ('<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f"<title>{escaped(title)}</title>\n<style>{STYLE}{style}</style>\n</head>\n"
            f"<body>\n{body}\n</body>\n</html>\n")
