"""The page of `a2 steps --html` in a browser: no error and no request, no overlap, every number as in the JSON, usable
by keyboard, legible in both colour schemes, and printed.

usage: steps_page.py A2 SHADERS [TASK]
"""

import html
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

CHROMIUM = "/usr/bin/chromium"
SKIPPED = 77
LOOKS = ((400, 0), (1400, 1))  # widths, with the dark and the light scheme

# Collects what the page shows, step by step, and faults in how it shows it; leaves them in a <pre>.
LOOK = r"""
const found = {wrong: [], cells: [], resources: performance.getEntriesByType('resource').map(one => one.name)};
const say = text => { if (found.wrong.length < 20) found.wrong.push(text); };
const box = one => one.getBoundingClientRect();
const meet = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
const words = one => one.textContent.trim().slice(0, 40);
const root = document.documentElement;

if (!root.lang) say('no language');
if (steps.length && test.status === 'passed' && at !== 0) say(`a passed run opens at step ${at}`);
if (root.scrollWidth > root.clientWidth) say(`the page is ${root.scrollWidth} wide in a window of ${root.clientWidth}`);
for (const svg of document.querySelectorAll('svg')) {
  const texts = [...svg.querySelectorAll('text')].filter(one => words(one)).map(one => [one, box(one)]);
  texts.forEach(([one, its], i) => {
    for (const [other, others] of texts.slice(i + 1)) if (meet(its, others)) say(`'${words(one)}' is over '${words(other)}'`);
  });
  const whole = box(svg);
  for (const [one, its] of texts) if (its.left < whole.left - 1 || its.right > whole.right + 1) say(`'${words(one)}' leaves its picture`);
}
for (const cell of document.querySelectorAll('.cell')) {
  const frame = box(cell.querySelector('rect'));
  for (const text of cell.querySelectorAll('text'))
    if (box(text).left < frame.left - 1 || box(text).right > frame.right + 1) say(`'${words(text)}' is wider than its cell`);
}
const blocks = [...document.querySelectorAll('h1, h2, h3, p, .scroll, .legend, #controls > *, table, .captions li')]
  .filter(one => one.checkVisibility() && !one.closest('#detail') && !one.closest('#kernel ol, #kernel h2'));
blocks.forEach((one, i) => {
  if (one.closest('#bar')) return;
  for (const other of blocks.slice(i + 1))
    if (!other.closest('#bar') && !one.contains(other) && !other.contains(one) && meet(box(one), box(other)))
      say(`block '${words(one)}' is over '${words(other)}'`);
});

let level = 0;
for (const heading of document.querySelectorAll('h1, h2, h3')) {
  const its = Number(heading.tagName[1]);
  if (its > level + 1) say(`heading '${words(heading)}' skips a level`);
  level = its;
}
for (const one of document.querySelectorAll('button, input, select'))
  if (!(one.getAttribute('aria-label') || one.closest('label') || words(one))) say(`a ${one.tagName} has no name`);
const ids = [...document.querySelectorAll('[id]')].map(one => one.id);
if (new Set(ids).size !== ids.length) say('two elements have the same id');

const colour = name => {
  const probe = document.createElement('span');
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const parts = getComputedStyle(probe).color.match(/\d+/g).slice(0, 3).map(Number);
  probe.remove();
  const [r, g, b] = parts.map(one => one / 255 <= .03928 ? one / 255 / 12.92 : ((one / 255 + .055) / 1.055) ** 2.4);
  return .2126 * r + .7152 * g + .0722 * b;
};
const contrast = (a, b) => (Math.max(colour(a), colour(b)) + .05) / (Math.min(colour(a), colour(b)) + .05);
const pairs = [['--ink', '--page'], ['--ink', '--panel'], ['--ink', '--found'], ['--quiet', '--page'], ['--quiet', '--panel'],
  ['--wrong', '--page'], ['--wrong', '--wrongback'], ['--fine', '--page'], ['--accent', '--page']];
for (let i = 0; i < 8; ++i) pairs.push(['--ink', `--g${i}`]);
for (const [a, b] of pairs) if (contrast(a, b) < 4.5) say(`${a} on ${b} has a contrast of ${contrast(a, b).toFixed(2)}`);
for (let i = 0; i < 8; ++i) if (contrast(`--l${i}`, '--page') < 2.4) say(`--l${i} can hardly be seen: ${contrast(`--l${i}`, '--page').toFixed(2)}`);

// No work-group has a colour that could be taken for what is wrong: red, from 340 to 25 degrees.
const hue = name => {
  const probe = document.createElement('span');
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const [r, g, b] = getComputedStyle(probe).color.match(/\d+/g).slice(0, 3).map(one => Number(one) / 255);
  probe.remove();
  const most = Math.max(r, g, b), spread = most - Math.min(r, g, b);
  if (spread < .1) return null;
  return (60 * (most === r ? (g - b) / spread : most === g ? 2 + (b - r) / spread : 4 + (r - g) / spread) + 360) % 360;
};
if (hue('--wrong') < 340 && hue('--wrong') > 25) say('what is wrong is not red');
for (let i = 0; i < 8; ++i)
  for (const name of [`--g${i}`, `--l${i}`]) if (hue(name) !== null && (hue(name) > 340 || hue(name) < 25)) say(`${name} is reddish`);

for (const wide of document.querySelectorAll('.panel .scroll[tabindex]'))
  if (!wide.previousElementSibling || !wide.previousElementSibling.matches('.map') || !wide.previousElementSibling.querySelector('.seen'))
    say('a picture that is wider than the window has no map');

const slider = document.getElementById('slider'), last = Number(slider.max);
const press = key => document.body.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true, cancelable: true}));
if (last > 0) {
  press('End'); if (Number(slider.value) !== last) say('End does not lead to the last step');
  press('ArrowLeft'); if (Number(slider.value) !== last - 1) say('the left arrow leads nowhere');
  press('ArrowRight'); if (Number(slider.value) !== last) say('the right arrow leads nowhere');
  press('Home'); if (Number(slider.value) !== 0) say('Home does not lead to the first step');
  press('ArrowDown');
  if (document.querySelectorAll('.row.later').length === document.querySelectorAll('.row').length) say('no step is shown');
}
for (let step = 0; step <= last; ++step) {
  show(step);
  for (const row of document.querySelectorAll(`.row[data-step="${step}"]`))
    if (row.classList.contains('later')) say(`step ${step} is not shown`);
  const reachable = document.querySelector(`.row[data-step="${step}"] .cell[tabindex]`);
  const cell = reachable || document.querySelector(`.row[data-step="${step}"] .cell`);
  if (cell) {
    cell.dispatchEvent(new PointerEvent('pointerover', {bubbles: true}));
    const detail = document.getElementById('detail').textContent;
    if (!detail.startsWith(`${cell.dataset.memory}[${cell.dataset.index}]`)) say(`step ${step}: no word of its cell: ${detail}`);
  }
}
// The kernel's lines of a step, its values on their way, and a reader who says them before.
let lit = 0, sent = 0, said = 0;
for (let step = 0; step <= last && steps.length; ++step) {
  show(step, true);
  const lines = [...document.querySelectorAll('#kernel li.lit')], asked = steps[step].accesses;
  lit += lines.length;
  for (const line of lines) {
    const all = asked.filter(one => one.line.file === line.parentNode.dataset.file && one.line.line === Number(line.dataset.line));
    const who = new Set(all.map(one => `${one.group} ${one.invocation}`)).size;
    if (!who || !line.dataset.by.startsWith(`${who}/`)) say(`step ${step}: ${who} invocations are in line ${line.dataset.line}, not ${line.dataset.by}`);
    if (who && !line.textContent.includes(all[0].line.text)) say(`step ${step}: line ${line.dataset.line} is another one`);
  }
  travel(1000);
  sent += document.querySelectorAll('.traveller').length;
  stay();
  if (document.querySelector('.traveller, .arriving')) say(`step ${step}: something is still on its way`);
}
found.lit = lit;
found.sent = sent;
if (last > 0) {
  show(0);
  press(' '); if (!playing) say('the space bar plays nothing');
  press(' '); if (playing) say('the space bar does not pause');
}
if (steps.length) {
  document.getElementById('predict').click();
  for (let step = 0; step <= last; ++step) {
    show(step);
    const covered = coveredCells();
    if (covered.some(one => one.querySelector('.value').textContent !== '?')) say(`step ${step}: a number is not covered`);
    if (covered.some(one => /=|\d$/.test(one.getAttribute('aria-label')))) say(`step ${step}: the label of a covered cell says its number`);
    if (!covered.length) continue;
    const input = document.getElementById('guessed'), form = document.getElementById('guess'), first = document.querySelector('.asked');
    const answer = text => { input.value = String(text); form.requestSubmit(); };
    answer(shouldBe(first) + 1); if (!first.classList.contains('covered')) say(`step ${step}: a wrong guess uncovers`);
    answer(shouldBe(first)); if (first.classList.contains('covered')) say(`step ${step}: a right guess does not uncover`);
    ++said;
    document.getElementById('reveal').click();
    if (coveredCells().length) say(`step ${step}: not all are shown`);
  }
  if (score.right !== said || score.wrong !== said) say(`${score.right} right and ${score.wrong} wrong guesses instead of ${said} each`);
  document.getElementById('predict').click();
  if (document.body.classList.contains('predict') || coveredCells().length) say('predicting has no end');
}
found.said = said;
show(last);
for (const row of document.querySelectorAll('.row')) {
  const panel = row.closest('.panel').querySelector('h3');
  for (const cell of row.querySelectorAll('.cell'))
    found.cells.push({step: Number(row.dataset.step), kind: row.dataset.kind, panel: panel ? panel.textContent : '',
      memory: cell.dataset.memory, index: Number(cell.dataset.index), value: cell.querySelector('.value').textContent,
      wrong: cell.classList.contains('wrong'), isNew: cell.classList.contains('new')});
}
found.edges = document.querySelectorAll('.edge').length;
found.steps = steps.map(one => [one.dispatch.index, one.phase]);
const result = document.createElement('pre');
result.id = 'look';
result.textContent = JSON.stringify(found);
document.body.append(result);
"""


# Two runs side by side: each is drawn, and moving in one moves the other.
LOOK_BESIDE = r"""
const wrong = [];
const sliders = () => frames.map(frame => frame.contentDocument.getElementById('slider'));
const at = () => sliders().map(one => Number(one.value)).join();
const steps = [
  () => {
    if (frames.length !== 2) wrong.push(`${frames.length} runs`);
    for (const frame of frames) if (frame.contentDocument.querySelectorAll('.cell').length < 16) wrong.push(`${frame.title}: no cells`);
    if (document.documentElement.scrollWidth > document.documentElement.clientWidth) wrong.push('the page is too wide');
    frames[0].contentWindow.go(2);
  },
  () => { if (at() !== '2,2') wrong.push(`the other run does not follow: ${at()}`); frames[1].contentWindow.go(1); },
  () => {
    if (at() !== '1,1') wrong.push(`this run does not follow: ${at()}`);
    document.getElementById('together').click();
    frames[0].contentWindow.go(0);
  },
  () => {
    if (at() !== '0,1') wrong.push(`the other run follows unasked: ${at()}`);
    const result = document.createElement('pre');
    result.id = 'look';
    result.textContent = JSON.stringify(wrong);
    document.body.append(result);
  }];
steps.forEach((one, i) => setTimeout(one, 500 * (i + 1)));
"""


def looked_at(page, script):
    """The page with that script, in the same folder."""
    looked = page.with_name(page.stem + "-looked.html")
    text = page.read_text(encoding="utf-8")
    end = text.rindex("</body>")
    looked.write_text(f"{text[:end]}<script>{script}</script>{text[end:]}", encoding="utf-8")
    return looked


def look_of(dom):
    """The script's result; nothing if it did not finish."""
    found = re.search(r'<pre id="look">(.*?)</pre>', dom, re.S)
    return json.loads(html.unescape(found[1])) if found else None


def check_beside(a2, folder):
    """Two runs on one page."""
    before, page = folder / "before.json", folder / "beside.html"
    for more in (["-n", "20", "--json", before], ["-n", "16", "--html", page, "--beside", before]):
        subprocess.run([a2, "steps", "scan/naive", "-d", "emulator", "--quiet", *more], capture_output=True)
    for width in (400, 1400):
        dom, console = browse(looked_at(page, LOOK_BESIDE), f"--window-size={width},1000", "--virtual-time-budget=5000", "--dump-dom")
        yield from (f"two runs, {width} wide: {line}" for line in console)
        wrong = look_of(dom)
        yield from (f"two runs, {width} wide: {line}" for line in (["cannot be looked at"] if wrong is None else wrong))


def browse(page, *options):
    """Chromium's stdout, and the console's lines."""
    with tempfile.TemporaryDirectory() as profile:
        run = subprocess.run(
            [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-sync", "--enable-logging=stderr",
             f"--user-data-dir={profile}", *options, page.as_uri()],
            capture_output=True, text=True, timeout=600)
    return run.stdout, [line for line in run.stderr.split("\n") if "CONSOLE" in line]


def last_writer(dispatch, binding, index):
    """The panel of the work-group that wrote the element last."""
    table = dispatch["trace"]["accesses"]
    groups = [group for group, place, at, way in zip(table["group"], table["in"], table["index"], table["way"])
              if (place, at) == (binding, index) and way != "read"]
    return f"work-group {groups[-1]}" if groups else None


def uses_of(report):
    """The parts of the accesses that the page has to show, each with whether there are any."""
    tables = [dispatch["trace"]["accesses"] for dispatch in report["dispatches"] if dispatch["trace"]]
    ways = [way for table in tables for way in table["way"]]
    sources = [source for table in tables for source in table["from"]]
    return [("lit", any(ways)), ("said", any(way != "read" for way in ways)), ("edges", any(sources)), ("sent", any(sources))]


def check_numbers(report, shown):
    """Compares each number of the picture with the JSON."""
    dispatches = report["dispatches"]
    last = {}
    for cell in shown["cells"]:
        if cell["kind"] != "found":
            dispatch, phase = shown["steps"][cell["step"]]
            last[dispatch, cell["panel"], cell["memory"], cell["index"], phase] = cell
    compared = 0
    for (number, panel, memory, index, phase), cell in last.items():
        dispatch = dispatches[number]
        buffers = [one for one in dispatch["buffers"] if one["name"] == memory and one["writes"] and one["values"] and not one["kept"]]
        shared = [one for at in (dispatch["phases"] or [])[phase:phase + 1] for one in at["shared"] if one["name"] == memory]
        if shared and panel == f"work-group {dispatch['group']}":
            expected = shared[0]["values"][index]
        elif buffers and (not panel or panel == last_writer(dispatch, buffers[0]["binding"], index)):
            expected = buffers[0]["values"][index]
        else:
            continue
        compared += 1
        if cell["value"] != ("·" if expected is None else str(expected)):
            yield f"dispatch {number}, phase {phase}: {memory}[{index}] is {cell['value']} instead of {expected}"
    wrong = {(one["buffer"], one["index"]) for dispatch in dispatches for one in dispatch["wrong"]}
    marked = {(cell["memory"], cell["index"]) for cell in shown["cells"] if cell["wrong"]}
    if not wrong <= marked:
        yield f"wrong elements are not marked: {sorted(wrong - marked)}"
    if compared < 4:
        yield f"only {compared} numbers were compared"


def main():
    a2, shaders = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    if not os.access(CHROMIUM, os.X_OK):
        print(f"no {CHROMIUM}")
        return SKIPPED
    failures = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        broken = folder / "shaders"
        shutil.copytree(shaders, broken)
        kernel = broken / "A2Task2KernelDecomposition.comp"
        kernel.write_text(kernel.read_text(encoding="utf-8").replace("tree[root] = 0;", ""), encoding="utf-8")
        listed = subprocess.run([a2, "list"], capture_output=True, text=True, check=True).stdout
        runs = [[row] for row in re.findall(r"^([a-z]+/[a-z-]+) ", listed, re.M)]
        runs += [["scan/naive", "-n", "16"], ["scan/work-efficient", "-n", "64"], ["reduce/interleaved", "-n", "37"],
                 ["sort/global", "-n", "8", "-p", "random", "-s", "3"],
                 ["scan/local", "-n", "256", "-w", "64"], ["scan/naive", "-n", "0"],
                 ["scan/local", "-n", "16", "--shader-dir", broken]]
        runs = [run for run in runs if run[0] in (sys.argv[3:] or [run[0]])]
        for number, run in enumerate(runs):
            title = " ".join(str(word) for word in run[:3])
            page, data = folder / f"{number}.html", folder / f"{number}.json"
            subprocess.run([a2, "steps", *run, "-d", "emulator", "--quiet", "--html", page, "--json", data], capture_output=True)
            report = json.loads(data.read_text(encoding="utf-8"))
            looked = looked_at(page, LOOK)
            for width, scheme in LOOKS:
                where = f"{title}, {width} wide"
                dom, console = browse(looked, f"--window-size={width},1000",
                                      f"--blink-settings=preferredColorScheme={scheme}", "--dump-dom")
                failures += [f"{where}: {line}" for line in console]
                shown = look_of(dom)
                if shown is None:
                    failures.append(f"{where}: the page cannot be looked at")
                    continue
                failures += [f"{where}: {line}" for line in shown["wrong"]]
                failures += [f"{where}: asks for {line}" for line in shown["resources"]]
                if report["dispatches"]:
                    failures += [f"{where}: {line}" for line in check_numbers(report, shown)]
                    for what, counted in uses_of(report):
                        if counted and not shown[what]:
                            failures.append(f"{where}: nothing is {what}")
            pdf = folder / f"{number}.pdf"
            _, console = browse(page, f"--print-to-pdf={pdf}")
            failures += [f"{title}, printed: {line}" for line in console]
            if not pdf.exists() or pdf.stat().st_size < 5000:
                failures.append(f"{title}: is not printed")
        failures += check_beside(a2, folder)
    print("\n".join(failures) or f"{len(runs)} pages are as they should be")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
