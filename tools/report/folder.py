"""The folder of a report, which appears whole or not at all, and never replaces files that people wrote."""

import contextlib
import hashlib
import json
import os
import pathlib
import shutil
import tempfile

import results
from results import BadInput

MADE = ".a2-report.json"  # the files of a report: name -> SHA-256
OTHER, EMPTY = "neither a file nor a folder", "an empty folder"  # instead of a SHA-256


def digest(path):
    found = hashlib.sha256()
    with path.open("rb") as file:
        while part := file.read(1 << 20):
            found.update(part)
    return found.hexdigest()


def contents(folder):
    """name -> SHA-256 of all that a folder holds, also in folders; links are not followed."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_symlink() or not (path.is_file() or path.is_dir()):
            kind = OTHER
        elif path.is_file():
            kind = digest(path)
        elif any(path.iterdir()):
            continue  # its files tell
        else:
            kind = EMPTY
        found[path.relative_to(folder).as_posix()] = kind
    found.pop(MADE, None)
    return found


def made_in(target):
    """What was made when `target` became a report. Raises BadInput where it is none."""
    try:
        made = results.json_of(target / MADE) if not (target / MADE).is_symlink() else None
    except BadInput:
        made = None
    if not isinstance(made, dict):
        raise BadInput(f"-o {target}: it holds something else than a report; choose another path")
    return made


def check_target(target):
    """Raises BadInput unless `target` can be made, or is an unchanged report."""
    parent = target.resolve().parent
    if not parent.is_dir():
        raise BadInput(f"-o {target}: there is no folder {parent}")
    if not os.access(parent, os.W_OK):
        raise BadInput(f"-o {target}: {parent} cannot be written to; choose another path")
    if target.is_symlink() or (target.exists() and not target.is_dir()):
        raise BadInput(f"-o {target}: it is no folder; choose another path")
    try:
        if not target.exists() or not any(target.iterdir()):
            return
        made, now = made_in(target), contents(target)
    except OSError as error:
        raise BadInput(f"-o {target}: {error.filename} cannot be read: {error.strerror}; choose another path") from error
    changed = sorted(name for name in now if now[name] != made.get(name))
    if changed:
        raise BadInput(f"-o {target}: {changed[0]} was written or changed by you, and would be lost; move it, or choose "
                       "another path")


@contextlib.contextmanager
def whole_folder(target):
    """A folder to write into, which becomes `target` at the end; after a failure nothing remains of it."""
    check_target(target)
    parent = target.resolve().parent
    part = pathlib.Path(tempfile.mkdtemp(prefix=".a2-report-", suffix=".part", dir=parent))
    old = part / "old"
    fresh = part / "new"
    try:
        fresh.mkdir()
        yield fresh
        made = json.dumps(contents(fresh), indent=1, sort_keys=True) + "\n"
        (fresh / MADE).write_text(made, encoding="utf-8", newline="\n")
        check_target(target)  # it may have changed meanwhile
        if target.exists():
            target.rename(old)
        try:
            fresh.rename(target)
        except OSError:
            if old.exists():
                old.rename(target)
            raise
    except OSError as error:
        raise BadInput(f"-o {target}: it cannot be written: {error.strerror}; choose another path") from error
    finally:
        shutil.rmtree(part, ignore_errors=True)
