"""The folder of a report, which appears whole or not at all, and never replaces files that people wrote."""

import contextlib
import hashlib
import json
import os
import pathlib
import shutil
import tempfile

from results import BadInput

MADE = ".a2-report.json"  # the files of a report: name -> SHA-256


def digests(folder):
    return {path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(folder.rglob("*")) if path.is_file() and path.name != MADE}


def check_target(target):
    """Raises BadInput unless `target` can be made, or is an unchanged report."""
    parent = target.resolve().parent
    if not parent.is_dir():
        raise BadInput(f"-o {target}: there is no folder {parent}")
    if not os.access(parent, os.W_OK):
        raise BadInput(f"-o {target}: {parent} cannot be written to; choose another path")
    if target.is_symlink() or (target.exists() and not target.is_dir()):
        raise BadInput(f"-o {target}: it is no folder; choose another path")
    if not target.exists() or not any(target.iterdir()):
        return
    try:
        made = json.loads((target / MADE).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BadInput(f"-o {target}: it holds something else than a report; choose another path") from error
    now = digests(target)
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
        made = json.dumps(digests(fresh), indent=1, sort_keys=True) + "\n"
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
