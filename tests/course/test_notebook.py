#!/usr/bin/python3
"""The notebook of a hand-out, run by nbconvert like in a student's browser."""

import importlib.util
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PROJECT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("A2_BUILD_DIR", PROJECT / "build"))
JUPYTER = all(importlib.util.find_spec(name) for name in ("nbconvert", "ipykernel"))


class Notebook(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="a2-notebook-"))
        self.addCleanup(shutil.rmtree, self.folder)
        prefix = self.folder / "a2-1.0.0"
        handout = [PROJECT / "tools/handout", "--folder", "--url", "https://nowhere.invalid/a2.tar.gz"]
        for command in (["cmake", "--install", BUILD, "--prefix", prefix], [*handout, prefix / "share/a2/template"],
                        ["tar", "-czf", self.folder / "a2.tar.gz", "-C", self.folder, prefix.name]):
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done)
        self.notebook = json.loads((prefix / "share/a2/template/a2.ipynb").read_text())

    def outputs(self):
        """For each cell of code: all text, and the kinds of output."""
        (self.folder / "mine.ipynb").write_text(json.dumps(self.notebook))
        environment = {**os.environ, "A2_PACKAGE": f"file://{self.folder}/a2.tar.gz", "A2_DEVICE": "cpu",
                       "HOME": str(self.folder / "home"), "LC_ALL": "C.UTF-8"}
        (self.folder / "home").mkdir(exist_ok=True)
        done = subprocess.run([sys.executable, "-m", "nbconvert", "--to", "notebook", "--execute", "--inplace",
                               "--ExecutePreprocessor.timeout=300", "mine.ipynb"], cwd=self.folder, env=environment,
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        found = []
        for cell in json.loads((self.folder / "mine.ipynb").read_text())["cells"]:
            if cell["cell_type"] == "code":
                text = "".join("".join(one.get("text", "")) for one in cell["outputs"])
                found.append((text, {kind for one in cell["outputs"] for kind in one.get("data", {})}))
        return found

    @unittest.skipUnless(JUPYTER, "jupyter-nbconvert and python3-ipykernel are not installed")
    def test_from_nothing_written_to_what_is_handed_in(self):
        for cell in self.notebook["cells"]:
            written = re.match(r"%%writefile ((?:shaders|src)/\S+)\n", cell["source"])
            if written:
                self.assertIn("// TODO", cell["source"])
                cell["source"] = written[0] + (PROJECT / written[1]).read_text()
        texts = self.outputs()
        self.assertEqual(len(texts), 10)
        self.assertIn("is made. Next", texts[2][0])
        self.assertEqual(texts[3][0].count("NOT WRITTEN YET"), 9)
        self.assertEqual((texts[6][0].count("TEST PASSED"), texts[6][0].count("FAILED")), (1, 0), texts[6])
        self.assertIn("text/html", texts[7][1])
        self.assertIn("submission.zip", texts[9][0])
        if importlib.util.find_spec("matplotlib") and importlib.util.find_spec("jinja2"):
            self.assertIn("image/svg+xml", texts[8][1], texts[8])
        # Again: the written file is still there.
        (self.folder / "homework/README.md").write_text("mine")
        self.notebook["cells"] = self.notebook["cells"][:4]
        again = self.outputs()
        self.assertNotIn("is made", again[2][0])
        self.assertEqual((self.folder / "homework/README.md").read_text(), "mine")


if __name__ == "__main__":
    unittest.main()
