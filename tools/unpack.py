#!/usr/bin/env python3
"""Writes to stdout the files of a course's hand-out, which is a .zip; nothing if it is none. `a2 new` starts this program,
and makes them. For each a line with the numbers of bytes of its name and of its content, then both; a folder's name ends
in /.

Exit status: 0 written, 2 it cannot be used; then stdout has the reason, to follow its name."""

import io
import posixpath
import stat
import sys
import zipfile
import zlib

MOST = 256 << 20  # bytes, of the archive and of all that is in it
MOST_FILES = 10_000
ENTRY = b"PK\1\2"  # how a file's entry in the list of files begins
ENCRYPTED = 1  # a bit
MARK = "course.ini"  # is in each hand-out
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # Python unpacks others without a limit
TOO_MUCH = f"unpacks to more than {MOST >> 20} MiB or {MOST_FILES} files: is it the hand-out?"
IS_NONE = "is no .zip that can be unpacked"


class Unusable(Exception):
    """Why, in a line."""


def require_plain(info):
    kind = stat.S_IFMT(info.external_attr >> 16) if info.create_system == 3 else 0
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise Unusable(f"holds {info.filename}, which is neither a file nor a folder")
    if info.flag_bits & ENCRYPTED:
        raise Unusable("is encrypted: pack it without a password")
    if info.compress_type not in METHODS:
        raise Unusable("is packed by a method other than deflate: pack it again")


def files_in(path):
    """name -> content"""
    with open(path, "rb") as file:
        packed = file.read(MOST + 1)
    if len(packed) > MOST or packed.count(ENTRY) > MOST_FILES:
        raise Unusable(TOO_MUCH)
    found, left = {}, MOST
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        for info in archive.infolist():
            require_plain(info)
            with archive.open(info) as member:
                content = member.read(left + 1)
            left -= len(content) + len(info.filename)
            if left < 0:
                raise Unusable(TOO_MUCH)
            found[posixpath.normpath(info.filename) + ("/" if info.is_dir() else "")] = content
    return found


def handout_in(found):
    """Of these files those that are the hand-out: all, or a folder's."""
    roots = [name[:-len(MARK)] for name in found if posixpath.basename(name) == MARK and name.count("/") <= 1]
    root = next((one for one in sorted(roots) if any(name.startswith(f"{one}shaders/") for name in found)), None)
    return {name[len(root):]: content for name, content in found.items()
            if name.startswith(root) and name != root} if root is not None else {}


def main():
    try:
        found = handout_in(files_in(sys.argv[1]))
    except Unusable as error:
        why = str(error)
    except (zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, EOFError, ValueError, NotImplementedError, OverflowError,
            RuntimeError):
        why = IS_NONE
    except MemoryError:
        why = "is too large for this machine's memory"
    except OSError as error:
        why = f"cannot be read: {error.strerror}" if error.strerror else IS_NONE
    else:
        for name, content in found.items():
            name = name.encode("utf-8")
            sys.stdout.buffer.write(b"%d %d\n%b%b" % (len(name), len(content), name, content))
        return 0
    sys.stdout.buffer.write(why.encode("utf-8", "replace"))
    return 2


if __name__ == "__main__":
    sys.exit(main())
