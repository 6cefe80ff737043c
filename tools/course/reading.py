"""Reads whole files that people name or have written. Reading always ends, whatever is at the path."""

import errno
import os
import stat

MOST = 64 << 20  # bytes; a table of a large class has less than one MiB
SHELLS = ("/dev/fd/", "/dev/stdin")  # pipes made by a shell, as for <(...)


def whole(path, with_pipes=False):
    """The bytes of a file. Raises OSError, whose strerror gives the reason, if it is no file, or too long. with_pipes:
    also reads a shell's pipes, which can be read once."""
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # does not wait for a writer
    try:
        mode = os.fstat(handle).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, "Is a directory: name a file in it", str(path))
        if stat.S_ISFIFO(mode) and with_pipes and str(path).startswith(SHELLS):
            os.set_blocking(handle, True)
        elif not stat.S_ISREG(mode):
            raise OSError(errno.EINVAL, "is a pipe or a device: write it to a file, and name that", str(path))
        with open(handle, "rb", closefd=False) as file:
            data = file.read(MOST + 1)
    finally:
        os.close(handle)
    if len(data) > MOST:
        raise OSError(errno.EFBIG, f"is longer than {MOST >> 20} MiB: is it the right file?", str(path))
    return data
