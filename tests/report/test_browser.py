"""The pages of tools/report in Chromium: no message, no request, nothing that overlaps or sticks out, at a phone's
width and a wide one, light and dark; the numbers shown are the JSON's; names and order are right for screen readers."""

import functools
import html
import http.server
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import made

CHROMIUM = pathlib.Path("/usr/bin/chromium")
PROGRAM = pathlib.Path(__file__).resolve().parents[2] / "tools" / "report" / "report.py"
try:
    import jinja2  # noqa: F401
    import matplotlib  # noqa: F401
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)
if not CHROMIUM.exists():
    print(f"skipped: no {CHROMIUM}")
    sys.exit(77)

# Examines the page once it is drawn, and writes the findings into it.
PROBE = """
<script>
addEventListener("error", event => probe.errors.push(String(event.message)), true);
const probe = {errors: []};
addEventListener("load", () => {
  const wide = document.documentElement.clientWidth;
  probe.width = wide;
  probe.scroll = document.documentElement.scrollWidth;
  probe.requests = performance.getEntriesByType("resource").map(one => one.name);
  probe.paper = getComputedStyle(document.body).backgroundColor;
  probe.ink = getComputedStyle(document.body).color;
  const box = one => { const r = one.getBoundingClientRect(); return [r.left, r.top, r.right, r.bottom]; };
  const meet = (a, b) => Math.min(a[2], b[2]) - Math.max(a[0], b[0]) > 1 && Math.min(a[3], b[3]) - Math.max(a[1], b[1]) > 1;
  probe.overlaps = [];
  const blocks = [...document.querySelectorAll("h1,h2,h3,nav,dl,.caption,.commands,figure,.scroll,.note,.explain,footer")];
  blocks.forEach((one, i) => blocks.slice(i + 1).forEach(other => {
    if (!one.contains(other) && !other.contains(one) && meet(box(one), box(other)))
      probe.overlaps.push(one.outerHTML.slice(0, 60) + " / " + other.outerHTML.slice(0, 60));
  }));
  probe.outside = blocks.filter(one => box(one)[0] < -1 || box(one)[2] > wide + 1).map(one => one.outerHTML.slice(0, 80));
  probe.texts = [];
  probe.small = 1e9;
  for (const svg of document.querySelectorAll("svg.plot")) {
    const own = box(svg), texts = [...svg.querySelectorAll("text")].filter(one => one.textContent.trim());
    texts.forEach((one, i) => {
      const at = box(one), name = svg.getAttribute("aria-labelledby") + ": " + one.textContent;
      probe.small = Math.min(probe.small, parseFloat(getComputedStyle(one).fontSize) * own[2] / own[2] *
        (own[2] - own[0]) / svg.viewBox.baseVal.width);
      if (at[0] < own[0] - 2 || at[2] > own[2] + 2 || at[1] < own[1] - 2 || at[3] > own[3] + 2)
        probe.texts.push(name + " sticks out");
      // The box of a line of text is higher than its letters.
      const shrunk = b => [b[0], b[1] + (b[3] - b[1]) * .25, b[2], b[3] - (b[3] - b[1]) * .25];
      const isLevel = text => !/rotate\\((?!-0|0)/.test(text.parentElement.outerHTML.slice(0, 400));
      texts.slice(i + 1).forEach(other => {
        if (isLevel(one) && isLevel(other) && meet(shrunk(at), shrunk(box(other))))
          probe.texts.push(name + " meets " + other.textContent);
      });
    });
  }
  probe.data = [...document.querySelectorAll("data")].map(one => [one.value, one.dataset.source ?? "", one.innerText]);
  probe.order = [...document.querySelectorAll("a[href],summary,[tabindex],[contenteditable]")]
    .map(one => box(one)[1] + scrollY).filter((top, i, all) => i && top < all[i - 1] - 400).length;
  probe.nameless = [...document.querySelectorAll("a,[role],figure svg,table,[tabindex]")].filter(one => {
    const by = one.getAttribute("aria-labelledby");
    return !(by ? document.getElementById(by)?.textContent : one.getAttribute("aria-label") || one.textContent).trim();
  }).map(one => one.outerHTML.slice(0, 80));
  const result = document.createElement("script");
  result.type = "application/json"; result.id = "probe"; result.textContent = JSON.stringify(probe);
  document.body.append(result);
});
</script>
"""


class Server(http.server.ThreadingHTTPServer):
    """The report over HTTP, with a record of every requested file."""

    def __init__(self, folder):
        self.asked = []

        class Handler(http.server.SimpleHTTPRequestHandler):
            def log_message(handler, *_):
                self.asked.append(handler.path)

        super().__init__(("127.0.0.1", 0), functools.partial(Handler, directory=str(folder)))
        threading.Thread(target=self.serve_forever, daemon=True).start()


def chromium(*words, until=None):
    """Runs it to its end; with `until`, ends it once that is true, or after five minutes."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
                   "--disable-background-networking", "--disable-component-update", "--disable-sync",
                   "--hide-scrollbars", "--enable-logging=stderr", f"--user-data-dir={profile}", *words]
        if not until:
            return subprocess.run(command, capture_output=True, text=True, timeout=600)
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as running:
            end = time.monotonic() + 300
            while not until() and time.monotonic() < end:
                time.sleep(0.1)
            running.terminate()
        return None


def contrast(one, other):
    def luminance(text):
        parts = [int(part) / 255 for part in re.findall(r"\d+", text)[:3]]
        parts = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        folder = pathlib.Path(cls.temporary.name)
        made.write(folder / "in", made.everything())
        made.write(folder, {"old.json": made.report(made.lengths()), "new.json": made.report(
            made.lengths(0.7), context=made.context(name="Another GPU of a long, long name", driver="driver 2"))})
        for inputs, name in (([folder / "in"], "one"), ([folder / "old.json", folder / "new.json"], "two")):
            subprocess.run([sys.executable, "-B", PROGRAM, *inputs, "-o", folder / name, "--wall"], check=True)
        cls.folder = folder

    def probe(self, name, width, dark=False):
        page = (self.folder / name).read_text(encoding="utf-8")
        inside = (self.folder / name).with_name("probed.html")
        inside.write_text(page.replace("<head>", "<head>" + PROBE, 1), encoding="utf-8")
        # A window is at least 500 wide; a frame in it may be narrower.
        outer = inside.with_name("frame.html")
        outer.write_text(f'<!DOCTYPE html><link rel="icon" href="data:,"><body style="margin:0"><iframe id="f" src="probed.html" style="border:0;'
                         f'width:{width}px;height:3000px"></iframe><script>addEventListener("load", () => '
                         'setTimeout(() => document.body.append(Object.assign(document.createElement("pre"), {id: '
                         '"found", textContent: f.contentDocument.getElementById("probe").textContent})), 300));'
                         '</script>', encoding="utf-8")
        server = Server(inside.parent)
        try:
            scheme = ["--blink-settings=preferredColorScheme=0"] if dark else []
            finished = chromium(*scheme, "--virtual-time-budget=3000", f"--window-size={max(width, 600)},3000",
                                "--dump-dom", f"http://127.0.0.1:{server.server_address[1]}/frame.html")
        finally:
            server.shutdown()
            server.server_close()
            inside.unlink()
            outer.unlink()
        self.assertNotIn("CONSOLE", finished.stderr)
        found = re.search(r'<pre id="found">(.*?)</pre>', finished.stdout, re.S)
        self.assertTrue(found, finished)
        return json.loads(html.unescape(found[1])), server.asked

    def check_layout(self, found, width):
        self.assertEqual(found["errors"], [])
        self.assertEqual(found["width"], width)
        self.assertLessEqual(found["scroll"], width)
        self.assertEqual(found["overlaps"], [])
        self.assertEqual(found["outside"], [])
        self.assertEqual(found["texts"], [])
        self.assertGreater(found["small"], 7)
        self.assertGreater(contrast(found["ink"], found["paper"]), 7)
        self.assertEqual((found["nameless"], found["order"]), ([], 0))

    def test_report_fits_a_phone_and_a_wide_screen(self):
        for name in ("one/report.html", "two/report.html"):
            for width in (400, 1400):
                with self.subTest(page=name, width=width):
                    found, asked = self.probe(name, width)
                    self.check_layout(found, width)
                    self.assertEqual(found["requests"], [])
                    self.assertEqual(asked, ["/frame.html", "/probed.html"])

    def test_dark_is_dark(self):
        light, _ = self.probe("one/report.html", 1400)
        dark, _ = self.probe("one/report.html", 1400, dark=True)
        self.assertEqual((light["paper"], dark["paper"]), ("rgb(255, 255, 254)", "rgb(22, 22, 22)"))
        self.check_layout(dark, 1400)

    def test_numbers_shown_are_the_jsons(self):
        found, _ = self.probe("one/report.html", 1400)
        units = {"items_per_second": 1e-9, "bytes_per_second": 1e-9, "peak_fraction": 100, "cv": 100}
        checked = 0
        for _, source, text in found["data"]:
            if not source:
                continue
            name, _, pointer = source.partition("#/")
            node = json.loads((self.folder / "one" / "data" / name).read_text(encoding="utf-8"))
            for key in pointer.split("/"):
                node = node[int(key)] if isinstance(node, list) else node[key]
            wanted = node * units.get(key, 1)
            self.assertAlmostEqual(float(text), wanted, delta=abs(wanted) * 5.1e-4, msg=source)
            checked += 1
        self.assertGreater(checked, 200)

    def test_prints(self):
        target = self.folder / "page.pdf"
        chromium(f"--print-to-pdf={target}", f"file://{self.folder}/one/report.html")
        self.assertTrue(target.read_bytes().startswith(b"%PDF"))

    def test_wall_asks_for_nothing_but_whether_it_changed(self):
        for width in (400, 1400):
            found, asked = self.probe("one/wall.html", width)
            self.check_layout(found, width)
            self.assertEqual({path.partition("?")[0] for path in asked} - {"/frame.html", "/probed.html"} - {"/wall.js"},
                             set())

    def test_wall_shows_a_new_report(self):
        poster = self.folder / "poster"
        shutil.copytree(self.folder / "one", poster)
        server = Server(poster)

        def looks():
            return sum(path.startswith("/wall.js?") for path in server.asked)

        try:
            page = f"http://127.0.0.1:{server.server_address[1]}/wall.html"
            chromium(page, "--remote-debugging-port=0", until=lambda: looks() >= 2)
            self.assertGreaterEqual(looks(), 2)
            self.assertEqual(server.asked.count("/wall.html"), 1)
            (poster / "wall.js").write_text('a2Wall("another");')
            server.asked.clear()
            chromium(page, "--remote-debugging-port=0", until=lambda: server.asked.count("/wall.html") >= 2)
            self.assertGreaterEqual(server.asked.count("/wall.html"), 2)
        finally:
            server.shutdown()
            server.server_close()


if __name__ == "__main__":
    unittest.main()
