"""The pages that tools/grade writes, in a browser: no error and no request, no overlap, no wider than a phone, and a
class of two hundred on two sheets of paper.

usage: grades_pages.py
"""

import os
import pathlib
import re
import sys
import tempfile

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[2] / place) for place in ("tools/course", "tests/course")]
from class_support import made  # noqa: E402
from steps_page import CHROMIUM, SKIPPED, browse, look_of, looked_at  # noqa: E402

import classpage  # noqa: E402
import copies  # noqa: E402
import feedbackpage  # noqa: E402
import people  # noqa: E402

WIDTHS = (400, 1400)
MOST_SHEETS = 2
LOOK = r"""
const found = {wrong: [], resources: performance.getEntriesByType('resource').map(one => one.name)};
const say = text => { if (found.wrong.length < 20) found.wrong.push(text); };
const box = one => one.getBoundingClientRect();
const meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
const words = one => one.textContent.trim().slice(0, 40);
const root = document.documentElement;
if (root.scrollWidth > root.clientWidth) say(`the page is ${root.scrollWidth} wide in a window of ${root.clientWidth}`);
for (const svg of document.querySelectorAll('svg.chart')) {
  const whole = box(svg), texts = [...svg.querySelectorAll('text')].map(one => [one, box(one)]);
  texts.forEach(([one, its], i) => {
    if (its.left < whole.left - 1 || its.right > whole.right + 1) say(`'${words(one)}' leaves its chart`);
    if (its.height < 11) say(`'${words(one)}' is ${its.height} high`);
    for (const [other, others] of texts.slice(i + 1))
      if (meet(its, others)) say(`'${words(one)}' is over '${words(other)}'`);
  });
}
const blocks = [...document.querySelectorAll('h1, h2, p, figure, dt, dd, td, th, pre, li')]
  .filter(one => one.checkVisibility());
blocks.forEach((one, i) => {
  if (one.scrollWidth > one.clientWidth + 1 && one.clientWidth) say(`'${words(one)}' is wider than its place`);
  for (const other of blocks.slice(i + 1, i + 60))
    if (!one.contains(other) && !other.contains(one) && meet(box(one), box(other)))
      say(`'${words(one)}' is over '${words(other)}'`);
});
parent.postMessage(JSON.stringify(found), '*');
"""
# A window of Chromium's is at least 500 wide; a frame in it may be narrower.
FRAME = """<!DOCTYPE html><html><body><iframe src="{file}" style="width: {width}px; height: 3000px; border: 0"></iframe>
<script>addEventListener('message', one => {{
  const shown = document.createElement('pre');
  shown.id = 'look';
  shown.textContent = one.data;
  document.body.append(shown);
}});</script></body></html>
"""
BARRIER = {"rule": "missing-barrier", "severity": "failure",
           "message": "dispatch 1 reads what dispatch 0 writes, and no barrier is between them: " + "buffer" * 30}
FEEDBACK = """# Zoë-\u0645\u062d\u0645\u062f\\_12: 2 of 6 points

| | points | of | why |
|---|---|---|---|
| A criterion | 0 | 2 | reduce/interleaved: %s |
| Another | | | by hand |

## reduce/interleaved: failed

    %s

- refused/%s.zip: is no file
""" % ("word " * 40, "x" * 300, "deep/" * 60)


def page_of(folder, count):
    """class.html of this many submissions, of which one in ten failed in each way; one has a very long name."""
    names = ["Ada", "Zoë-van-der-Walden", "\u0645\u062d\u0645\u062f-\u0639\u0644\u064a", "Emmy-Noether"]
    results = []
    for i in range(count):
        status = {7: "failed", 8: "timeout", 9: "crashed"}.get(i % 10, "passed")
        unmet = [{"criterion": f"way {j}", "met": False, "evidence": "18 dispatches"} for j in range(i % 15)]
        tests = [("course", "reduce/interleaved", {"status": status, "lint": [BARRIER] if i % 3 else [], "method": unmet})]
        results.append(made(folder, f"{'N' * 90 if i == 2 else names[i % 4]}_{i}", 2 * (i % 2), i % 9 / 2, tests,
                            {"r": 0.05 + i * 0.01}, warnings=i % 10 == 1,
                            problem="no file of a task is in it" if i % 50 == 49 else None))
    pairs = [copies.Row(1, one["name"], other["name"], "k.comp", copies.TOKENS, 90, 80, 9)
             for one, other in zip(results, results[1:])]
    (folder / "similarity.csv").write_text(copies.as_csv(pairs), encoding="utf-8")
    return classpage.page(folder, results, people.People())


def sheets(page):
    with tempfile.TemporaryDirectory() as name:
        file = pathlib.Path(name) / "page.pdf"
        browse(page, "--no-pdf-header-footer", f"--print-to-pdf={file}")
        return len(re.findall(rb"/Type\s*/Page\b", file.read_bytes()))


def main():
    if not os.access(CHROMIUM, os.X_OK):
        print(f"no {CHROMIUM}")
        return SKIPPED
    failures = []
    with tempfile.TemporaryDirectory() as name:
        folder, pages = pathlib.Path(name), {}
        for count in (0, 1, 3, 200):
            (folder / f"{count}").mkdir()
            pages[f"a class of {count}"] = folder / f"{count}.html", page_of(folder / f"{count}", count)
        pages["feedback"] = folder / "feedback.html", feedbackpage.page(FEEDBACK)
        for title, (file, text) in pages.items():
            file.write_text(text, encoding="utf-8")
            looked = looked_at(file, LOOK)
            for width in WIDTHS:
                frame = folder / "frame.html"
                frame.write_text(FRAME.format(file=looked.name, width=width), encoding="utf-8")
                dom, console = browse(frame, "--window-size=1600,3100", "--virtual-time-budget=5000", "--dump-dom")
                shown = look_of(dom) or {"wrong": ["the page cannot be looked at"], "resources": []}
                failures += [f"{title}, {width} wide: {line}" for line in
                             [*console, *shown["wrong"], *(f"asks for {one}" for one in shown["resources"])]]
            if file.name == "200.html" and sheets(file) > MOST_SHEETS:
                failures.append(f"{title}: takes {sheets(file)} sheets")
    print("\n".join(failures) or f"{len(pages)} pages at {len(WIDTHS)} widths")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
