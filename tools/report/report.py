#!/usr/bin/env python3
"""Writes the page and the figures of `a2 report`, which starts this program.

Exit status: 0 written, 2 the files or the folder cannot be used, 3 packages are missing here."""

import argparse
import os
import pathlib
import shutil
import signal
import site
import sys

HERE = str(pathlib.Path(__file__).resolve().parent)
# a2 starts Python with -I, so that nothing comes out of the working folder. That leaves out this folder, too, and those
# of the user, which may have the packages.
if sys.flags.isolated:
    sys.path[:0] = [HERE, *filter(os.path.isabs, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    site.addsitedir(site.getusersitepackages())

PACKAGES = (("matplotlib", "python3-matplotlib"), ("jinja2", "python3-jinja2"))


def missing_packages():
    found, folder = [], os.getcwd()
    os.chdir(HERE)  # matplotlib reads a matplotlibrc of the working folder, which may be somebody else's
    for module, package in PACKAGES:
        try:
            __import__(module)
        except ImportError:
            found.append(package)
    os.chdir(folder)
    return found


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("origins", nargs="*", metavar="FILE", help="JSON of a2, or a folder of such files")
    parser.add_argument("-o", dest="folder", required=True, help="the folder to make")
    parser.add_argument("--task", dest="tasks", action="append", default=[], help="an id; none: all")
    parser.add_argument("--wall", action="store_true", help="a poster, too")
    parser.add_argument("--pages", metavar="FOLDER", help="pages of a2 steps, such as reduce-atomic.html, to be linked")
    parser.add_argument("--check", action="store_true", help="only find out whether it could be made")
    return parser.parse_args()


def pages_of(side, source, target):
    """[(id, place in the report)] of the tasks that have a page."""
    import tables

    found = []
    for task in tables.tasks_of(side):
        page = pathlib.Path(source) / f"{task.replace('/', '-')}.html"
        if page.is_file():
            (target / "steps").mkdir(exist_ok=True)
            shutil.copyfile(page, target / "steps" / page.name)
            found.append((task, f"steps/{page.name}"))
    return found


def make(asked):
    import folder
    import results

    target = pathlib.Path(asked.folder)
    folder.check_target(target)
    sides = results.load(asked.origins, asked.tasks) if asked.origins else []
    if asked.check:
        return
    import page

    with folder.whole_folder(target) as fresh:
        report = page.Report(sides, pages_of(sides[0], asked.pages, fresh) if asked.pages else [])
        (fresh / "data").mkdir()
        for side in sides:
            for path, (name, _) in zip(side.paths, side.files):
                shutil.copyfile(path, fresh / "data" / name)
        page.write(report, sides, fresh, asked.wall)


def main():
    asked = arguments()
    missing = missing_packages()
    if missing:
        print(f"a2: error: a2 report needs {' and '.join(missing)}, which Python has not got here: `tools/run report` "
              "installs them", file=sys.stderr)
        return 3
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    import results
    try:
        make(asked)
    except results.BadInput as error:
        print(f"a2: error: {' '.join(results.visible(str(error)).split())}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
